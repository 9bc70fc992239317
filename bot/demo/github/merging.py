"""The ways in which GitHub merges a pull request."""

from dataclasses import dataclass
from enum import StrEnum

from bot.demo.github.objects import Commit, Entry, Files
from bot.demo.github.people import Edits, People, edited
from bot.demo.github.world import Pull, Repo
from gatekit.domain.ids import Sha


class Way(StrEnum):
    SQUASH = "squash"
    MERGE = "merge"
    REBASE = "rebase"


@dataclass(frozen=True, slots=True)
class Merging:
    people: People

    def merge(self, repo: Repo, pull: Pull, way: Way = Way.SQUASH, *, by: str) -> Sha:
        """The commit by which it was merged. Closes the pull request and tells the App."""
        sha = self._land(repo, pull, way, by)
        self.people.merged(repo, pull, sha, by=by)
        return sha

    def queue(self, repo: Repo, pull: Pull, *, by: str) -> Sha:
        """The head of a merge queue's group with this pull request alone. Asks the App for checks."""
        tip = repo.branches[pull.base_ref]
        sha = self._squash(repo, pull, tip, by)
        ref = f"refs/heads/gh-readonly-queue/{pull.base_ref}/pr-{pull.number}-{tip}"
        group = {
            "head_sha": sha,
            "head_ref": ref,
            "base_sha": tip,
            "base_ref": f"refs/heads/{pull.base_ref}",
            "head_commit": {"id": sha},
        }
        self.people.emit("merge_group", repo, {"action": "checks_requested", "merge_group": group}, by=by)
        return sha

    def _land(self, repo: Repo, pull: Pull, way: Way, by: str) -> Sha:
        world, tip = self.people.world, repo.branches[pull.base_ref]
        match way:
            case Way.SQUASH:
                sha = self._squash(repo, pull, tip, by)
            case Way.MERGE:
                files = edited(world.files(tip), self._edits(pull, tip))
                message = f"Merge pull request #{pull.number}"
                sha = world.history.commit(files, (tip, pull.head), by, message, world.tick()).sha
            case Way.REBASE:
                sha = tip
                for commit in world.history.only_in(pull.head, not_in=tip):
                    sha = self._again(commit, sha)
        self.people.move(repo, pull.base_ref, sha, by=by)
        return sha

    def _squash(self, repo: Repo, pull: Pull, tip: Sha, by: str) -> Sha:
        world = self.people.world
        files = edited(world.files(tip), self._edits(pull, tip))
        message = f"{pull.title} (#{pull.number})"
        return world.history.commit(files, (tip,), by, message, world.tick()).sha

    def _again(self, commit: Commit, onto: Sha) -> Sha:
        """The same change on top of another commit."""
        world = self.people.world
        before = world.files(commit.parents[0])
        files = edited(world.files(onto), _difference(before, commit.files))
        return world.history.commit(files, (onto,), commit.author, commit.message, world.tick()).sha

    def _edits(self, pull: Pull, tip: Sha) -> Edits:
        world = self.people.world
        fork_point = world.history.merge_base(tip, pull.head)
        return _difference(fork_point.files if fork_point else {}, world.files(pull.head))


def _difference(before: Files, after: Files) -> dict[str, bytes | Entry | None]:
    return {path: after.get(path) for path in {*before, *after} if before.get(path) != after.get(path)}
