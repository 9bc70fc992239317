"""How a pull request came onto its base branch: squashed, merged or rebased."""

from typing import Final

from bot.github.client import GitHubApp
from bot.github.fields import rows, sha, text, whole
from bot.github.operations import COMMIT, COMMITS, COMPARE, PULLS_OF_COMMIT
from bot.github.outcome import Ask, names
from gatekit.domain.ids import Repo, Sha
from gatekit.domain.reuse import Commits
from gatekit.use.merge import CommitFacts, Landing, before_rebase
from handlers.errors import LookupFailed
from handlers.ports.bundle import Pull

PAGE: Final = 100


class Landings:
    def __init__(self, app: GitHubApp) -> None:
        self._app = app

    async def of(self, pull: Pull) -> Landing:
        """Raises LookupFailed where GitHub does not say by which commit it was merged."""
        if pull.merge is None:
            raise LookupFailed(f"GitHub does not say by which commit {pull.ref} was merged")
        repo = pull.ref.repo
        parents = await self._parents(repo, pull.merge)
        before = parents[0]
        brought, total = await self._brought(repo, before, pull.head)
        if len(parents) == 1 and total == len(brought):
            landed = await self._landed(repo, pull.merge, total)
            before = before_rebase(landed, brought) or before
        known = frozenset(one.sha for one in brought) | {pull.head, pull.merge}
        return Landing(pull.merge, before, Commits(known, total == len(brought)))

    async def pulls(self, repo: Repo, commit: Sha) -> tuple[int, ...]:
        ask = Ask(PULLS_OF_COMMIT, {**names(repo), "commit_sha": commit})
        found = (await self._app.call(repo, ask)).json()
        return tuple(sorted(whole(item, "number") for item in rows(found)))

    async def _parents(self, repo: Repo, commit: Sha) -> tuple[Sha, ...]:
        found = (await self._app.call(repo, Ask(COMMIT, {**names(repo), "commit_sha": commit}))).json()
        parents = tuple(sha(item, "sha") for item in rows(found, "parents"))
        if not parents:
            raise LookupFailed(f"the commit {commit[:7]} has no parent")
        return parents

    async def _brought(self, repo: Repo, before: Sha, head: Sha) -> tuple[list[CommitFacts], int]:
        """The pull request's commits, oldest first, as far as the first pages give them, and how many there are."""
        found: list[CommitFacts] = []
        total, page = 1, 1
        while len(found) < total and page <= 10:
            ask = Ask(COMPARE, {**names(repo), "basehead": f"{before}...{head}"}, {"per_page": PAGE, "page": page})
            answer = (await self._app.call(repo, ask)).json()
            total = whole(answer, "total_commits")
            more = [_facts(item) for item in rows(answer, "commits")]
            if not more:
                break
            found, page = [*found, *more], page + 1
        return found, total

    async def _landed(self, repo: Repo, merge: Sha, count: int) -> list[CommitFacts]:
        """The newest commits of the branch, newest first; none where there are more than one answer holds."""
        if not 1 < count <= PAGE:
            return []
        ask = Ask(COMMITS, names(repo), {"sha": merge, "per_page": count})
        return [_facts(item) for item in rows((await self._app.call(repo, ask)).json())]


def _facts(item: object) -> CommitFacts:
    parents = tuple(sha(parent, "sha") for parent in rows(item, "parents"))
    return CommitFacts(sha(item, "sha"), parents, text(item, "commit", "message"))
