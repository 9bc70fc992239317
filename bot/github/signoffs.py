"""What the verification of a sign-off reads at GitHub: people, files' revisions, and the few pages that it may ask."""

import asyncio
from datetime import datetime
from typing import Final

from bot.github.client import GitHubApp
from bot.github.fields import at, moment, rows, sha, storable, text, whole
from bot.github.operations import (
    COMMITS,
    CONTENTS,
    INLINE_COMMENT,
    ISSUE_COMMENT,
    JOBS,
    MEMBERSHIP,
    OWNERS_ERRORS,
    PERMISSION,
    PULL,
    PULL_FILES,
    REVIEW,
)
from bot.github.outcome import RAW, RestRequest, names
from bot.github.recipe_pages import Pages
from bot.github.workflow_runs import RunResults
from gatekit.domain.ids import GHOST, Login, PrRef, Repo, Sha
from gatekit.signoff.checklist.comment import CommentText
from gatekit.signoff.evidence.results import EvalResult, MeasuredPoint
from gatekit.signoff.evidence.upstream import UpstreamPage, UpstreamPull
from gatekit.signoff.evidence.workflow_jobs import Lane
from gatekit.signoff.resource import Access, Resource, Surface
from gatekit.signoff.scope import ChangedFile
from gatekit.signoff.trigger import ReviewState
from gatekit.use.workflow_runs import Artifact
from handlers.errors import LookupFailed, NotThere
from handlers.ports.signoff import Filed, PageAt

LISTED: Final = 30  # the latest
EARLIER: Final = 3  # that are read beside the one that counts


async def revisions(app: GitHubApp, repo: Repo, commit: Sha, path: str, at: datetime) -> tuple[PageAt, ...]:
    """Fills handlers.ports.signoff.SignOffReads.revisions: one question, and one for each revision that is wanted."""
    query: dict[str, str | int] = {"sha": commit, "path": path, "per_page": LISTED}
    listed = rows((await app.call(repo, RestRequest(COMMITS, names(repo), query))).json())
    known = [(moment(item, "commit", "committer", "date"), sha(item, "sha")) for item in reversed(listed)]
    before = [one for one in known if one[0] <= at]
    if not before and len(known) == LISTED:
        raise LookupFailed(f"{path} was changed {LISTED} times since, and older revisions are not read")
    wanted = known[max(len(before) - 1 - EARLIER, 0) :]
    pages = await asyncio.gather(*(_page(app, repo, path, *one) for one in wanted))
    return tuple(page for page in pages if page is not None)


async def _page(app: GitHubApp, repo: Repo, path: str, at: datetime, commit: Sha) -> PageAt | None:
    """None: of the commit that took it away."""
    ask = RestRequest(CONTENTS, {**names(repo), "path": path}, {"ref": commit}, None, RAW, app.limits.file_bytes)
    try:
        return PageAt(commit, at, path, (await app.call(repo, ask)).body)
    except NotThere:
        return None


UPSTREAM_FILES: Final = 300  # of a linked pull request that are read
_STATES: Final = frozenset(state.value for state in ReviewState)
_ASKS: Final = {
    Surface.CONVERSATION: (ISSUE_COMMENT, "comment_id", "issue_url"),
    Surface.INLINE: (INLINE_COMMENT, "comment_id", "pull_request_url"),
    Surface.REVIEW: (REVIEW, "review_id", "pull_request_url"),
}


class GitHubSignOffs:
    """Fills handlers.ports.signoff.SignOffReads."""

    def __init__(self, app: GitHubApp, pages: Pages) -> None:
        self._app = app
        self._pages = pages
        self._results = RunResults(app)

    async def access(self, repo: Repo, login: Login) -> Access:
        try:
            found = await self._json(repo, RestRequest(PERMISSION, {**names(repo), "username": login}))
        except NotThere:
            return Access(None, None)
        permission, role = at(found, "permission"), at(found, "role_name")
        return Access(permission if isinstance(permission, str) else None, role if isinstance(role, str) else None)

    async def changed_files(self, pr: PrRef) -> tuple[ChangedFile, ...]:
        ask = RestRequest(PULL_FILES, {**names(pr.repo), "pull_number": pr.number})
        return tuple([_file(item) async for item in self._app.listed(pr.repo, ask)])

    async def complaints(self, repo: Repo, commit: Sha) -> tuple[str, ...]:
        found = await self._json(repo, RestRequest(OWNERS_ERRORS, names(repo), {"ref": commit}))
        return tuple(
            f"GitHub names line {whole(item, 'line')} of {text(item, 'path')} as invalid ({text(item, 'kind')})"
            for item in rows(found, "errors")
        )

    async def member(self, repo: Repo, team: str, login: Login) -> bool:
        """GitHub answers alike where somebody is no member and where we may not see it: then it is not known."""
        org, _, slug = team.removeprefix("@").partition("/")
        ask = RestRequest(MEMBERSHIP, {"org": org, "team_slug": slug, "username": login})
        try:
            found = await self._json(repo, ask)
        except NotThere:
            raise LookupFailed(f"whether {login} is a member of {team} could not be read") from None
        return at(found, "state") == "active"

    async def filed(self, pr: PrRef, resource: Resource) -> Filed | None:
        operation, name, belongs = _ASKS[resource.surface]
        path: dict[str, str | int] = {**names(pr.repo), name: resource.id}
        if resource.surface is Surface.REVIEW:
            path["pull_number"] = pr.number
        try:
            found = await self._json(pr.repo, RestRequest(operation, path))
        except NotThere:
            return None
        number = text(found, belongs).rpartition("/")[2]
        if not number.isdecimal():
            raise LookupFailed(f"GitHub does not say which pull request {resource.key} belongs to")
        return _filed(resource, int(number), found)

    async def revisions(self, repo: Repo, commit: Sha, path: str, moment: datetime) -> tuple[PageAt, ...]:
        return await revisions(self._app, repo, commit, path, moment)

    async def lanes(self, repo: Repo, run: int) -> tuple[Lane, ...]:
        ask = RestRequest(JOBS, {**names(repo), "run_id": run}, {"filter": "latest"})
        return tuple([_lane(item) async for item in self._app.listed(repo, ask, "jobs")])

    async def evals(self, repo: Repo, artifact: Artifact) -> tuple[EvalResult, ...]:
        return await self._results.evals(repo, artifact)

    async def points(self, repo: Repo, artifact: Artifact) -> tuple[MeasuredPoint, ...]:
        return await self._results.points(repo, artifact)

    async def upstream_pull(self, repo: Repo, upstream: Repo, number: int) -> UpstreamPull | None:
        place = {**names(upstream), "pull_number": number}
        try:
            found = await self._json(repo, RestRequest(PULL, place))
        except NotThere:
            return None
        files = []
        async for item in self._app.listed(repo, RestRequest(PULL_FILES, place)):
            files.append(item)
            if len(files) > UPSTREAM_FILES:
                raise LookupFailed(f"{upstream}#{number} changes more than {UPSTREAM_FILES} files, which are not read")
        added = [patch for item in files if isinstance(patch := at(item, "patch"), str)]
        return UpstreamPull(
            merged=at(found, "merged_at") is not None,
            state=text(found, "state"),
            files=tuple(text(item, "filename") for item in files),
            text="\n".join(line[1:] for patch in added for line in patch.split("\n") if line.startswith("+")),
        )

    async def upstream_page(self, url: str) -> UpstreamPage:
        return await self._pages.get(url)

    async def _json(self, repo: Repo, ask: RestRequest) -> object:
        return (await self._app.call(repo, ask)).json()


def _file(item: object) -> ChangedFile:
    previous = at(item, "previous_filename")
    return ChangedFile(
        text(item, "filename"), previous if isinstance(previous, str) else None, text(item, "status") == "removed"
    )


def _lane(item: object) -> Lane:
    conclusion = at(item, "conclusion")
    return Lane(text(item, "name"), conclusion if isinstance(conclusion, str) else None)


def _filed(resource: Resource, pull: int, found: object) -> Filed:
    author, body, state = at(found, "user", "login"), at(found, "body"), at(found, "state")
    word = state.lower() if isinstance(state, str) else ""
    is_review = resource.surface is Surface.REVIEW
    return Filed(
        resource=resource,
        pull=pull,
        author=Login(storable(author)) if isinstance(author, str) else GHOST,
        bot=at(found, "user", "type") == "Bot",
        body=CommentText(storable(body) if isinstance(body, str) else ""),
        created=moment(found, "submitted_at" if is_review else "created_at"),
        updated=moment(found, "submitted_at" if is_review else "updated_at"),
        review=ReviewState(word) if is_review and word in _STATES else None,
    )
