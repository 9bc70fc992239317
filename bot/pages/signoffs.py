"""The page of a sign-off: each row of its verdict with the evidence, and the same as JSON.

An address names the pull request too: GitHub's numbers alone may lead to several.
"""

from dataclasses import dataclass
from urllib.parse import quote

from aiohttp import web

from bot.pages.sources import SOURCES
from bot.pages.sweeps import pull_url
from bot.pages.texts import page
from bot.store.signoffs import StoredSignOff
from gatekit.domain.ids import PrRef, Repo
from gatekit.signoff.checks.verdict import SignOffVerdict, VerdictRow
from gatekit.signoff.resource import Surface, read_key
from handlers.ports.memory import SignOffComment

_PLACE = "signoffs/{owner}/{repo}/{number:[0-9]{1,9}}/{key}"
_KINDS = {Surface.CONVERSATION: "comment", Surface.REVIEW: "review", Surface.INLINE: "inline comment"}
_SAID = {
    SignOffComment.VERDICT: "This verdict stands in the comment about it.",
    SignOffComment.NOT_NEEDED: "The comment about it says that no sign-off is needed.",
    SignOffComment.HINT: "The comment about it says how to post it: what stands there now is not taken for a sign-off.",
    SignOffComment.FAILED: "The comment says that it could not be verified: a verdict below is an earlier one.",
    None: "Nothing was said about it yet.",
}


@dataclass(frozen=True, slots=True)
class SignOffView:
    stored: StoredSignOff
    verdict: SignOffVerdict | None
    kind: str
    said: str
    api: str
    pull_url: str | None


def add_signoffs(router: web.UrlDispatcher) -> None:
    router.add_get("/signoffs/{key}", _by_key)
    router.add_get(f"/{_PLACE}", _page)
    router.add_get(f"/api/{_PLACE}", _json)


async def _page(request: web.Request) -> web.Response:
    stored = await _stored(request)
    view = SignOffView(
        stored=stored,
        verdict=stored.known.verdict,
        kind=_KINDS[stored.resource.surface],
        said=_SAID[stored.known.said],
        api=f"/api{_address(stored)}",
        pull_url=pull_url(request.app[SOURCES].github_url, stored.pr),
    )
    return await page(request, "signoff.html", view=view)


async def _json(request: web.Request) -> web.Response:
    return web.json_response(as_json(await _stored(request)))


async def _by_key(request: web.Request) -> web.Response:
    """On to the whole address, where only one repository has such a sign-off."""
    key = request.match_info["key"]
    resource = read_key(key)
    found = () if resource is None else await request.app[SOURCES].signoffs.find(resource)
    if len(found) == 1:
        raise web.HTTPFound(_address(found[0]))
    if not found:
        raise _not_there(key)
    each = "".join(f"{_address(one)}\n" for one in found)
    raise web.HTTPNotFound(text=f"Several repositories have a sign-off of this number:\n{each}")


def as_json(stored: StoredSignOff) -> dict[str, object]:
    """Its keys are documented in docs/operating.md: add to them, never rename one."""
    pr, known, verdict = stored.pr, stored.known, stored.known.verdict
    return {
        "pr": {"repo": {"owner": pr.repo.owner, "name": pr.repo.name}, "number": pr.number},
        "resource": stored.resource.key,
        "said": None if known.said is None else known.said.value,
        "edited_by_another": None if known.heard is None else known.heard.by_another,
        "assessed_at": None if stored.assessed is None else stored.assessed.isoformat(),
        "verdict": None if verdict is None else _verdict(verdict),
    }


def _verdict(verdict: SignOffVerdict) -> dict[str, object]:
    return {
        "outcome": verdict.overall.value,
        "author": verdict.author,
        "assessed": verdict.assessed,
        "own": verdict.own,
        "disclosure": None if verdict.disclosure is None else verdict.disclosure.value,
        "checks": [_row(row) for row in verdict.rows],
    }


def _row(row: VerdictRow) -> dict[str, object]:
    return {
        "n": row.number,
        "name": row.name,
        "outcome": row.finding.outcome.value,
        "reason": row.finding.reason,
        "evidence": [
            {"what": one.what, "where": one.where, "here": one.here, "there": one.there} for one in row.finding.evidence
        ],
    }


async def _stored(request: web.Request) -> StoredSignOff:
    info = request.match_info
    pr = PrRef(Repo(info["owner"], info["repo"]), int(info["number"]))
    resource = read_key(info["key"])
    found = () if resource is None else await request.app[SOURCES].signoffs.find(resource)
    for one in found:
        if str(one.pr).lower() == str(pr).lower():
            return one
    raise _not_there(info["key"])


def _address(stored: StoredSignOff) -> str:
    repo, number = stored.pr.repo, stored.pr.number
    return f"/signoffs/{quote(repo.owner, safe='')}/{quote(repo.name, safe='')}/{number}/{stored.resource.key}"


def _not_there(key: str) -> web.HTTPNotFound:
    return web.HTTPNotFound(
        text=f"There is no sign-off {key[:80]} here: the link to its page stands in the comment about it.\n"
    )
