"""Runs of GitHub Actions, their artifacts, and what those hold: eval scores and measured points."""

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

from bot.github.cache import ByteLru, SingleFlight
from bot.github.client import GitHubApp
from bot.github.fields import at, repository, rows, text, whole, yes_or_no
from bot.github.operations import ARTIFACT_ZIP, RUN, RUN_ARTIFACTS, WORKFLOW_RUNS
from bot.github.outcome import RestRequest, TooLarge, names
from gatekit.domain.errors import BadInput
from gatekit.domain.ids import Repo, Sha
from gatekit.formats.artifact_zip import LIMITS, json_values, result_rows, too_large
from gatekit.signoff.evidence.results import EvalResult, MeasuredPoint, eval_results, measured_points
from gatekit.use.workflow_runs import COMPLETED, EVENT, Artifact, WorkflowRun
from handlers.errors import LookupFailed, NotThere

REMEMBERED_ARTIFACTS: Final = 1_000  # artifacts
LATEST: Final = 100  # runs of a branch that are looked at: one answer


class GitHubRuns:
    """Fills handlers.ports.github.WorkflowRuns."""

    def __init__(self, app: GitHubApp) -> None:
        self._app = app
        self._known: ByteLru[tuple[Repo, int], int | BadInput] = ByteLru(REMEMBERED_ARTIFACTS)
        self._flight: SingleFlight[tuple[Repo, int], int | BadInput] = SingleFlight()

    async def run(self, repo: Repo, number: int) -> WorkflowRun | None:
        try:
            answer = await self._app.call(repo, RestRequest(RUN, {**names(repo), "run_id": number}))
        except NotThere:
            return None
        return read_run(answer.json())

    async def completed(self, repo: Repo, workflow: str, branch: str) -> tuple[WorkflowRun, ...]:
        """Nothing where the repository has no such workflow."""
        query: dict[str, str | int] = {"event": EVENT, "branch": branch, "status": COMPLETED, "per_page": LATEST}
        try:
            answer = await self._app.call(
                repo, RestRequest(WORKFLOW_RUNS, {**names(repo), "workflow_id": workflow}, query)
            )
        except NotThere:
            return ()
        found = [read_run(item) for item in rows(answer.json(), "workflow_runs")]
        return tuple(sorted(found, key=lambda run: run.id, reverse=True))

    async def artifacts(self, repo: Repo, run: int) -> tuple[Artifact, ...]:
        ask = RestRequest(RUN_ARTIFACTS, {**names(repo), "run_id": run})
        return tuple([read_artifact(item) async for item in self._app.listed(repo, ask, "artifacts")])

    async def rows(self, repo: Repo, artifact: Artifact) -> int:
        """An artifact never changes, so that it is read once."""
        key = (repo, artifact.id)
        known = self._known.get(key)
        if known is None:
            known = await self._flight.run(key, lambda: self._rows(repo, artifact))
            self._known.put(key, known, 1)
        if isinstance(known, BadInput):
            raise _anew(known)
        return known

    async def _rows(self, repo: Repo, artifact: Artifact) -> int | BadInput:
        try:
            packed = await zip_of(self._app, repo, artifact)
            return await asyncio.to_thread(result_rows, packed, artifact.name)
        except BadInput as odd:
            return _anew(odd)


async def zip_of(app: GitHubApp, repo: Repo, artifact: Artifact) -> bytes:
    """GitHub redirects to a host of its own; httpx does not take our Authorization there.

    Raises BadInput where it is larger than it may be.
    """
    if artifact.size > LIMITS.packed:
        raise too_large(artifact.name)
    path = {**names(repo), "artifact_id": artifact.id, "archive_format": "zip"}
    try:
        return (await app.call(repo, RestRequest(ARTIFACT_ZIP, path, limit=LIMITS.packed))).body
    except TooLarge:
        raise too_large(artifact.name) from None


def _anew(odd: BadInput) -> BadInput:
    """Without the way that it came: what is remembered must not hold the archive."""
    return BadInput(odd.where, odd.problem)


def read_artifact(found: object) -> Artifact:
    """Raises LookupFailed where a field is missing."""
    return Artifact(whole(found, "id"), text(found, "name"), yes_or_no(found, "expired"), whole(found, "size_in_bytes"))


def read_run(found: object) -> WorkflowRun:
    """Raises LookupFailed where a field is missing."""
    repo = repository(found, "repository")
    if repo is None:
        raise LookupFailed("GitHub answered with something that we do not understand: a run without its repository")
    conclusion, head, attempt = at(found, "conclusion"), at(found, "head_sha"), at(found, "run_attempt")
    path, status = at(found, "path"), at(found, "status")
    return WorkflowRun(
        id=whole(found, "id"),
        attempt=attempt if isinstance(attempt, int) else 1,
        repo=repo,
        event=text(found, "event"),
        status=status if isinstance(status, str) else "",
        conclusion=conclusion if isinstance(conclusion, str) else None,
        path=path if isinstance(path, str) else "",
        head=Sha(head) if isinstance(head, str) and len(head) == 40 else None,
        url=text(found, "html_url"),
    )


Row = TypeVar("Row", EvalResult, MeasuredPoint)

REMEMBERED_ROWS: Final = 50_000  # rows


class RunResults:
    """An artifact never changes, so that it is read once while it is remembered."""

    def __init__(self, app: GitHubApp) -> None:
        self._app = app
        self._evals: ByteLru[tuple[Repo, int], tuple[EvalResult, ...]] = ByteLru(REMEMBERED_ROWS)
        self._points: ByteLru[tuple[Repo, int], tuple[MeasuredPoint, ...]] = ByteLru(REMEMBERED_ROWS)

    async def evals(self, repo: Repo, artifact: Artifact) -> tuple[EvalResult, ...]:
        key = (repo, artifact.id)
        known = self._evals.get(key)
        if known is None:
            known = await self._read(repo, artifact, eval_results)
            self._evals.put(key, known, len(known) + 1)
        return known

    async def points(self, repo: Repo, artifact: Artifact) -> tuple[MeasuredPoint, ...]:
        key = (repo, artifact.id)
        known = self._points.get(key)
        if known is None:
            known = await self._read(repo, artifact, measured_points)
            self._points.put(key, known, len(known) + 1)
        return known

    async def _read(self, repo: Repo, artifact: Artifact, read: Callable[[object], tuple[Row, ...]]) -> tuple[Row, ...]:
        packed = await zip_of(self._app, repo, artifact)
        return await asyncio.to_thread(_rows, packed, artifact.name, read)


def _rows(packed: bytes, name: str, read: Callable[[object], tuple[Row, ...]]) -> tuple[Row, ...]:
    return tuple(row for value in json_values(packed, name) for row in read(value))
