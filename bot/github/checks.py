"""The bot's check runs: one per name, head and external id, updated in place."""

import asyncio
import hashlib
import json
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final
from weakref import WeakValueDictionary

from bot.github.client import GitHubApp
from bot.github.fields import at, text, whole
from bot.github.operations import CREATE_CHECK, LIST_CHECKS, UPDATE_CHECK
from bot.github.outcome import LostAnswer, RestRequest, names
from gatekit.comments.limits import MAX_SUMMARY, SENTENCE, fit
from gatekit.domain.check_run import CheckReport, CheckStatus
from gatekit.domain.ids import Repo
from handlers.errors import NotThere

LONGEST_TITLE: Final = 255
_REMEMBERED: Final = 1_000


@dataclass(frozen=True, slots=True)
class _Run:
    id: int
    completed: bool
    digest: str  # of the report that it shows; empty: not known


_Key = tuple[Repo, str, str, str]  # repository, name, head, external id


class GitHubChecks:
    """Fills handlers.ports.github.Checks. A completed run is never opened again: a new external id makes a new run."""

    def __init__(self, app: GitHubApp) -> None:
        self._app = app
        self._runs: OrderedDict[_Key, _Run] = OrderedDict()
        self._locks: WeakValueDictionary[_Key, asyncio.Lock] = WeakValueDictionary()

    async def put(self, repo: Repo, report: CheckReport, *, first: bool = False) -> None:
        """Raises LookupFailed where GitHub did not confirm it; calling again is safe, without `first`."""
        key: _Key = (repo, report.name.value, report.head, report.external_id)
        lock = self._locks.setdefault(key, asyncio.Lock())
        async with lock:
            run = await (self._create(repo, report) if first else self._settle(repo, report, self._runs.get(key)))
            self._runs[key] = run
            self._runs.move_to_end(key)
            while len(self._runs) > _REMEMBERED:
                self._runs.popitem(last=False)

    async def _settle(self, repo: Repo, report: CheckReport, known: _Run | None) -> _Run:
        run = known or await self._find(repo, report)
        if run is not None and not may_change(run.completed, run.digest, report):
            return run
        if run is not None and await self._update(repo, report, run.id):
            return _shown(run.id, report)
        if known is not None:  # it was there when we looked last
            return await self._settle(repo, report, None)
        return await self._create(repo, report)

    async def _update(self, repo: Repo, report: CheckReport, run: int) -> bool:
        """False where the run is not there any more."""
        try:
            await self._app.call(
                repo, RestRequest(UPDATE_CHECK, {**names(repo), "check_run_id": run}, {}, body_of(report))
            )
        except NotThere:
            return False
        return True

    async def _create(self, repo: Repo, report: CheckReport) -> _Run:
        body = {**body_of(report), "head_sha": report.head}
        try:
            answer = await self._app.call(repo, RestRequest(CREATE_CHECK, names(repo), {}, body))
        except LostAnswer as lost:
            return await self._adopt(repo, report, lost)
        return _shown(whole(answer.json(), "id"), report)

    async def _adopt(self, repo: Repo, report: CheckReport, lost: LostAnswer) -> _Run:
        """What a request without an answer left behind. Where nothing is seen yet, the next put looks again."""
        for seconds in self._app.limits.look_again:
            await self._app.time.sleep(seconds)
            found = await self._find(repo, report)
            if found is not None and await self._update(repo, report, found.id):
                return _shown(found.id, report)
        raise lost

    async def _find(self, repo: Repo, report: CheckReport) -> _Run | None:
        """The oldest run of ours with this name and external id on this head."""
        query: dict[str, str | int] = {"check_name": report.name.value, "app_id": self._app.app_id, "filter": "all"}
        ask = RestRequest(LIST_CHECKS, {**names(repo), "ref": report.head}, query)
        found = [
            _Run(whole(item, "id"), text(item, "status") == CheckStatus.COMPLETED, "")
            async for item in self._app.listed(repo, ask, "check_runs")
            if is_ours(item, self._app.app_id, report)
        ]
        return min(found, key=lambda run: run.id, default=None)


def is_ours(item: object, app_id: int, report: CheckReport) -> bool:
    """Is this check run the one that the report speaks of? A server may ignore the filters of the question."""
    wanted = (app_id, report.name.value, report.head, report.external_id)
    return wanted == (at(item, "app", "id"), at(item, "name"), at(item, "head_sha"), at(item, "external_id"))


def may_change(completed: bool, shown: str, report: CheckReport) -> bool:
    """Has the report something new to say, and may it? A completed run takes a corrected end, never a new beginning."""
    reopens = completed and report.status is not CheckStatus.COMPLETED
    return not reopens and shown != digest(report)


def body_of(report: CheckReport) -> dict[str, object]:
    """The fields of GitHub's create and update requests."""
    output = {"title": report.title[:LONGEST_TITLE], "summary": fit(report.summary, MAX_SUMMARY, SENTENCE)}
    if report.text is not None:
        output["text"] = report.text
    body: dict[str, object] = {
        "name": report.name.value,
        "external_id": report.external_id,
        "status": report.status.value,
        "output": output,
    }
    if report.conclusion is not None:
        body["conclusion"] = report.conclusion.value
    if report.details_url is not None:
        body["details_url"] = report.details_url
    return body


def digest(report: CheckReport) -> str:
    return hashlib.sha256(json.dumps(body_of(report), sort_keys=True).encode()).hexdigest()


def _shown(run: int, report: CheckReport) -> _Run:
    return _Run(run, report.status is CheckStatus.COMPLETED, digest(report))
