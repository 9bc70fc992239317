"""What the artifacts of a workflow run hold: eval scores and measured points."""

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

from bot.github.cache import ByteLru
from bot.github.client import GitHubApp
from bot.github.runs import zip_of
from gatekit.domain.ids import Repo
from gatekit.formats.artifact_zip import json_values
from gatekit.signoff.evidence.results import EvalResult, MeasuredPoint, eval_results, measured_points
from gatekit.use.workflow_runs import Artifact

Row = TypeVar("Row", EvalResult, MeasuredPoint)

REMEMBERED: Final = 50_000  # rows


class RunResults:
    """An artifact never changes, so that it is read once while it is remembered."""

    def __init__(self, app: GitHubApp) -> None:
        self._app = app
        self._evals: ByteLru[tuple[Repo, int], tuple[EvalResult, ...]] = ByteLru(REMEMBERED)
        self._points: ByteLru[tuple[Repo, int], tuple[MeasuredPoint, ...]] = ByteLru(REMEMBERED)

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
