"""Pull requests, branches and landings. "Could not find out" is LookupFailed, never an empty answer."""

from typing import Final

from bot.github.client import GitHubApp
from bot.github.fields import at, moment, repository, rows, sha, text, whole, yes_or_no
from bot.github.operations import COMMIT, COMMITS, COMPARE, CONTENTS, PERMISSION, PULL, PULLS_OF_COMMIT, Operation
from bot.github.outcome import RAW, RestRequest, TooLarge, names
from bot.github.snapshots import Snapshots
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.errors import BadInput
from gatekit.domain.ids import GHOST, Login, PrRef, Repo, Sha
from gatekit.domain.reuse import Commits
from gatekit.domain.text import is_inside
from gatekit.use.merge import CommitFacts, Landing, before_rebase
from handlers.errors import LookupFailed, NotThere
from handlers.ports.github import Parting, Permission, Pull

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
        ask = RestRequest(PULLS_OF_COMMIT, {**names(repo), "commit_sha": commit})
        found = (await self._app.call(repo, ask)).json()
        return tuple(sorted(whole(item, "number") for item in rows(found)))

    async def _parents(self, repo: Repo, commit: Sha) -> tuple[Sha, ...]:
        found = (await self._app.call(repo, RestRequest(COMMIT, {**names(repo), "commit_sha": commit}))).json()
        parents = tuple(sha(item, "sha") for item in rows(found, "parents"))
        if not parents:
            raise LookupFailed(f"the commit {commit[:7]} has no parent")
        return parents

    async def _brought(self, repo: Repo, before: Sha, head: Sha) -> tuple[list[CommitFacts], int]:
        """The pull request's commits, oldest first, as far as the first pages give them, and how many there are."""
        found: list[CommitFacts] = []
        total, page = 1, 1
        while len(found) < total and page <= 10:
            ask = RestRequest(
                COMPARE, {**names(repo), "basehead": f"{before}...{head}"}, {"per_page": PAGE, "page": page}
            )
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
        ask = RestRequest(COMMITS, names(repo), {"sha": merge, "per_page": count})
        return [_facts(item) for item in rows((await self._app.call(repo, ask)).json())]


def _facts(item: object) -> CommitFacts:
    parents = tuple(sha(parent, "sha") for parent in rows(item, "parents"))
    return CommitFacts(sha(item, "sha"), parents, text(item, "commit", "message"))


MOST_COMMITS: Final = 2_000  # of a pull request that are read

# both words of GitHub's answer; a custom role is known only by the word that it builds on
_WORDS: Final = {
    "admin": Permission.ADMIN,
    "maintain": Permission.WRITE,
    "write": Permission.WRITE,
    "triage": Permission.READ,
    "read": Permission.READ,
    "none": Permission.NONE,
}
_RANK: Final = (Permission.NONE, Permission.READ, Permission.WRITE, Permission.ADMIN)


class GitHubPulls:
    """Fills handlers.ports.github.PullRequests."""

    def __init__(self, app: GitHubApp) -> None:
        self._app = app
        self._snapshots = Snapshots(app)
        self._landings = Landings(app)

    async def pull(self, pr: PrRef) -> Pull:
        try:
            found = await self._json(pr.repo, PULL, pull_number=pr.number)
        except NotThere:
            self._app.forget(pr.repo)  # moved to another owner, perhaps: another installation speaks for it then
            raise
        return read_pull(pr, found)

    async def permission(self, repo: Repo, login: Login) -> Permission:
        try:
            found = await self._json(repo, PERMISSION, username=login)
        except NotThere:
            return Permission.NONE
        return read_permission(found)

    async def parting(self, repo: Repo, base_ref: str, head: Sha) -> Parting:
        found = await self._compare(repo, f"{base_ref}...{head}", 1)
        shas = _commits(found)
        commits = Commits(shas, len(shas) == whole(found, "total_commits"))
        return Parting(sha(found, "base_commit", "sha"), sha(found, "merge_base_commit", "sha"), commits)

    async def commits(self, repo: Repo, parting: Parting, head: Sha) -> Commits:
        shas, page, total = set(parting.commits.known), 1, None
        while not parting.commits.complete and page < MOST_COMMITS // PAGE and (total is None or len(shas) < total):
            page += 1
            found = await self._compare(repo, f"{parting.base}...{head}", page)
            total, more = whole(found, "total_commits"), _commits(found)
            if not more - shas:
                break
            shas |= more
        return Commits(frozenset(shas), parting.commits.complete or len(shas) == total)

    async def _compare(self, repo: Repo, basehead: str, page: int) -> object:
        ask = RestRequest(COMPARE, {**names(repo), "basehead": basehead}, {"per_page": PAGE, "page": page})
        return (await self._app.call(repo, ask)).json()

    async def landing(self, pull: Pull) -> Landing:
        return await self._landings.of(pull)

    async def pulls_of(self, repo: Repo, commit: Sha) -> tuple[int, ...]:
        return await self._landings.pulls(repo, commit)

    async def snapshot(self, repo: Repo, sha: Sha) -> Snapshot:
        return await self._snapshots.snapshot(repo, sha)

    async def file(self, repo: Repo, ref: str, path: str) -> bytes | None:
        """Raises BadInput where the path is no file's, or the file is larger than we read."""
        if not is_inside(path):
            raise BadInput(path, "this is no path inside the repository")
        held = self._snapshots.held(repo, ref)
        if held is not None:
            return _held_file(held, path)
        ask = RestRequest(CONTENTS, {**names(repo), "path": path}, {"ref": ref}, None, RAW, self._app.limits.file_bytes)
        try:
            answer = await self._app.call(repo, ask)
        except NotThere as missing:
            if "no commit" in str(missing).lower():  # the branch is missing, which says nothing about the file
                raise
            return None
        except TooLarge as large:
            raise BadInput(path, f"{large}; make the file smaller") from None
        if _is_listing(answer.headers.get("content-type", ""), answer.body):
            raise BadInput(path, "this is a folder; name a file")
        return answer.body

    async def _json(self, repo: Repo, operation: Operation, **path: str | int) -> object:
        answer = await self._app.call(repo, RestRequest(operation, {**names(repo), **path}))
        return answer.json()


def _commits(comparison: object) -> frozenset[Sha]:
    return frozenset(sha(commit, "sha") for commit in rows(comparison, "commits"))


def read_pull(pr: PrRef, found: object) -> Pull:
    """GitHub's description of a pull request. Raises LookupFailed where a field is missing."""
    return Pull(
        ref=pr,
        open=text(found, "state") == "open",
        draft=at(found, "draft") is True,
        merged=yes_or_no(found, "merged"),
        title=text(found, "title"),
        author=_login(found, "user"),
        head=sha(found, "head", "sha"),
        head_repo=repository(found, "head", "repo"),
        base_ref=text(found, "base", "ref"),
        default_branch=text(found, "base", "repo", "default_branch"),
        labels=frozenset(text(label, "name") for label in rows(found, "labels")),
        head_ref=text(found, "head", "ref"),
        merge=sha(found, "merge_commit_sha") if at(found, "merged") is True and at(found, "merge_commit_sha") else None,
        merged_by=_login(found, "merged_by"),
        url=_said(found, "html_url"),
        body=_said(found, "body"),
        files=whole(found, "changed_files") if at(found, "changed_files") is not None else None,
        created=moment(found, "created_at") if at(found, "created_at") is not None else None,
    )


def _said(found: object, name: str) -> str:
    """GitHub writes no text as null."""
    return "" if at(found, name) is None else text(found, name)


def _login(found: object, role: str) -> Login:
    """Whose account is gone, and who is not named, is GitHub's ghost."""
    return Login(text(found, role, "login")) if at(found, role) is not None else GHOST


def read_permission(found: object) -> Permission:
    """The lower of what the two words say; LookupFailed where we know neither."""
    words = (at(found, "permission"), at(found, "role_name"))
    known = [_WORDS[word] for word in words if isinstance(word, str) and word in _WORDS]
    if not known:
        raise LookupFailed(f"GitHub names a permission that we do not know: {words[0]!r}")
    return min(known, key=_RANK.index)


def _held_file(held: Snapshot, path: str) -> bytes | None:
    if path in held.links:
        raise BadInput(path, "this is a link; put the file itself there")
    return held.files.get(path)


def _is_listing(content_type: str, body: bytes) -> bool:
    """GitHub answers a folder with JSON, whatever form was asked for."""
    return content_type.startswith("application/json") and body.lstrip().startswith(b"[")
