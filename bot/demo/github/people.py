"""What people do on GitHub. Every act changes the state and derives from it the webhook that GitHub would send."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.demo.github.objects import Commit, Entry, Files, entries
from bot.demo.github.views.accounts import user_view
from bot.demo.github.views.issues import comment_view, issue_view
from bot.demo.github.views.pulls import pull_view
from bot.demo.github.views.repos import label_view, surroundings
from bot.demo.github.world import Comment, Json, Pull, Repo, Role, User, World
from gatekit.domain.ids import Login, Sha

Edits = Mapping[str, bytes | Entry | None]  # path -> new content; None deletes


@dataclass(frozen=True, slots=True)
class Opening:
    """A pull request to be opened, from a branch of the repository itself or of a fork."""

    head_ref: str
    by: str
    title: str = "Change a recipe"
    body: str = ""
    head_repo: Repo | None = None
    draft: bool = False


@dataclass(frozen=True, slots=True)
class People:
    """`by` is a login; whoever acts exists."""

    world: World

    def invite(self, repo: Repo, login: str, role: Role) -> User:
        repo.roles[Login(login)] = role
        return self.world.user(login)

    def branch(self, repo: Repo, name: str, *, source: str = "main") -> Sha:
        repo.branches[name] = repo.branches[source]
        return repo.branches[name]

    def push(self, repo: Repo, branch: str, edits: Edits, *, by: str, message: str = "Change") -> Commit:
        """One commit on top of the branch."""
        tip = repo.branches[branch]
        files = edited(self.world.files(tip), edits)
        commit = self.world.history.commit(files, (tip,), self.world.user(by).login, message, self.world.tick())
        self.move(repo, branch, commit.sha, by=by)
        return commit

    def move(self, repo: Repo, branch: str, sha: Sha, *, by: str) -> None:
        """The branch names another commit now: a push, or a forced one. Open pull requests from it follow."""
        repo.branches[branch] = sha
        for target in self.world.repos.values():
            for pull in target.pulls.values():
                if pull.head_repo is repo and pull.head_ref == branch and pull.closed is None and pull.head != sha:
                    before, pull.head, pull.base = pull.head, sha, target.branches[pull.base_ref]
                    self.tell(target, pull, "synchronize", by, {"before": before, "after": sha})

    def open_pull(self, repo: Repo, opening: Opening) -> Pull:
        source = opening.head_repo or repo
        now = self.world.tick()
        pull = Pull(
            id=next(self.world.ids),
            number=next(repo.numbers),
            title=opening.title,
            body=opening.body,
            user=self.world.user(opening.by),
            head_repo=source,
            head_ref=opening.head_ref,
            head=source.branches[opening.head_ref],
            base_ref=repo.default_branch,
            base=repo.branches[repo.default_branch],
            created=now,
            updated=now,
            draft=opening.draft,
        )
        repo.pulls[pull.number] = pull
        self.tell(repo, pull, "opened", opening.by, {})
        return pull

    def add_label(self, repo: Repo, pull: Pull, name: str, *, by: str) -> None:
        label = self.world.label(repo, name)
        if name not in pull.labels:
            pull.labels.append(name)
            self.tell(repo, pull, "labeled", by, {"label": label_view(self.world, repo, label)})

    def close(self, repo: Repo, pull: Pull, *, by: str) -> None:
        pull.closed = self.world.tick()
        self.tell(repo, pull, "closed", by, {})

    def merged(self, repo: Repo, pull: Pull, sha: Sha, *, by: str) -> None:
        """It was merged by this commit."""
        pull.closed = pull.merged = self.world.tick()
        pull.merged_by, pull.merge_sha = self.world.user(by), sha
        self.tell(repo, pull, "closed", by, {})

    def comment(self, repo: Repo, pull: Pull, body: str, *, by: str, through_app: bool = False) -> Comment:
        now = self.world.tick()
        user = self.world.user(by)
        comment = Comment(next(self.world.ids), pull.number, user, body, now, now, through_app)
        repo.comments[comment.id] = comment
        self._tell_comment(repo, comment, "created", by, {})
        return comment

    def edit_comment(self, repo: Repo, comment: Comment, body: str, *, by: str) -> None:
        before, comment.body, comment.updated = comment.body, body, self.world.tick()
        self._tell_comment(repo, comment, "edited", by, {"changes": {"body": {"from": before}}})

    def delete_comment(self, repo: Repo, comment: Comment, *, by: str) -> None:
        del repo.comments[comment.id]
        self._tell_comment(repo, comment, "deleted", by, {})

    def tell(self, repo: Repo, pull: Pull, action: str, by: str, extra: Json) -> None:
        """Of something that was done to the pull request."""
        pull.updated = self.world.tick()
        subject: Json = {"action": action, "number": pull.number, "pull_request": pull_view(self.world, repo, pull)}
        self.emit("pull_request", repo, subject | extra, by)

    def _tell_comment(self, repo: Repo, comment: Comment, action: str, by: str, extra: Json) -> None:
        issue = issue_view(self.world, repo, repo.pulls[comment.issue])
        subject: Json = {"action": action, "issue": issue, "comment": comment_view(self.world, repo, comment)}
        self.emit("issue_comment", repo, subject | extra, by)

    def emit(self, event: str, repo: Repo, subject: Json, by: str) -> None:
        """GitHub tells an App only what it subscribed to, and only of repositories that it is installed on."""
        app = self.world.app
        if event in app.events and repo.id in app.installed_on and not app.suspended:
            sender = user_view(self.world, self.world.user(by))
            self.world.emit(event, subject | surroundings(self.world, repo) | {"sender": sender})


def edited(files: Files, edits: Edits) -> Files:
    new = entries({path: data for path, data in edits.items() if data is not None})
    return {**{path: entry for path, entry in files.items() if path not in edits}, **new}
