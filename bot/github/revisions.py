"""Revisions of one file on a branch, e.g. of the checklist's page."""

import asyncio
from datetime import datetime
from typing import Final

from bot.github.client import GitHubApp
from bot.github.fields import moment, rows, sha
from bot.github.operations import COMMITS, CONTENTS
from bot.github.outcome import RAW, Ask, names
from gatekit.domain.ids import Repo, Sha
from handlers.errors import LookupFailed, NotThere
from handlers.ports.signoff import PageAt

LISTED: Final = 30  # the latest
EARLIER: Final = 3  # that are read beside the one that counts


async def revisions(app: GitHubApp, repo: Repo, commit: Sha, path: str, at: datetime) -> tuple[PageAt, ...]:
    """Fills handlers.ports.signoff.SignOffReads.revisions: one question, and one for each revision that is wanted."""
    query: dict[str, str | int] = {"sha": commit, "path": path, "per_page": LISTED}
    listed = rows((await app.call(repo, Ask(COMMITS, names(repo), query))).json())
    known = [(moment(item, "commit", "committer", "date"), sha(item, "sha")) for item in reversed(listed)]
    before = [one for one in known if one[0] <= at]
    if not before and len(known) == LISTED:
        raise LookupFailed(f"{path} was changed {LISTED} times since, and older revisions are not read")
    wanted = known[max(len(before) - 1 - EARLIER, 0) :]
    pages = await asyncio.gather(*(_page(app, repo, path, *one) for one in wanted))
    return tuple(page for page in pages if page is not None)


async def _page(app: GitHubApp, repo: Repo, path: str, at: datetime, commit: Sha) -> PageAt | None:
    """None: of the commit that took it away."""
    ask = Ask(CONTENTS, {**names(repo), "path": path}, {"ref": commit}, None, RAW, app.limits.file_bytes)
    try:
        return PageAt(commit, at, path, (await app.call(repo, ask)).body)
    except NotThere:
        return None
