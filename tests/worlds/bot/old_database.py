"""A database of an earlier bot: as a file again, and what today's stores read of it, in words that name no class."""

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import Any

from bot.demo.github.server import StandIn
from bot.demo.github.world import World
from bot.store.audit import AuditStore
from bot.store.comments import ReactionStore, SlotStore
from bot.store.database import Database
from bot.store.deliveries import Deliveries, DeliveryState
from bot.store.jobs import FolderStore, JobStore
from bot.store.measurements import MaterialStore
from bot.store.pauses import PauseStore
from bot.store.signoffs import SignOffStore
from bot.store.sweeps import SweepStore
from bot.store.uses import UseStore
from gatekit.domain.ids import GateKey, JobName, PrRef, Repo
from gatekit.domain.sweep import Sweep
from gatekit.signoff.resource import read_key
from tests.worlds.bench.bench_pr import Setting, pull_of
from tests.worlds.bot.hand_clock import HandClock
from tests.worlds.github.standin import an_app

FOLDER = Path(__file__).parents[2] / "data" / "databases"
MANY = 1_000
LONG = 800  # characters; of a longer text its digest is enough
LATER = datetime(2100, 1, 1, tzinfo=UTC)
OF_A_PR = ("sweeps", "uses", "merges", "comment_edits", "reactions", "audit", "signoffs", "slots")


def lay_down(sql: str, path: Path) -> None:
    """The file that the dump was made of."""
    with closing(sqlite3.connect(path)) as conn:
        conn.executescript(sql)


async def head_of_today(setting: Setting) -> str:
    """Of the pull request that this setting opens: it stands in for the one that the old bot had."""
    async with StandIn(World.create(an_app())) as github:
        return pull_of(github, setting)[1].head


async def summary(db: Database) -> dict[str, Any]:
    """What every store reads, by the names of fields."""
    return {
        **await _sweeps(db),
        **await _pull_requests(db),
        "pauses": plain(await PauseStore(db).standing()),
        "deliveries": plain(await Deliveries(db).listing(list(DeliveryState), MANY)),
        "waiting": [
            [plain(one), plain(((await Deliveries(db).body(one.seq)) or b"").decode())]
            for one in await Deliveries(db).waiting(0)
        ],
    }


async def _sweeps(db: Database) -> dict[str, Any]:
    sweeps, jobs = SweepStore(db, HandClock()), JobStore(db)
    all_of, kept = await sweeps.recent(MANY), await _rows(db, "SELECT job FROM materials ORDER BY job")
    runners = {row.gate.cluster for sweep in all_of for row in sweep.rows}
    return {
        "submitter": await jobs.submitter(),
        "sweeps": [_sweep(one) for one in all_of],
        "unshown": plain(await sweeps.all_unshown()),
        "open": plain(await jobs.open()),
        "to cancel": plain(await jobs.to_cancel()),
        "folders that may go": plain(await FolderStore(db).due(sorted(runners), LATER, MANY)),
        "material": {job: plain(await MaterialStore(db).get(JobName(job))) for (job,) in kept},
    }


def _sweep(sweep: Sweep) -> dict[str, Any]:
    """The gates of its rows stand in its plan."""
    rows = [plain(row) | {"gate": row.gate.key} for row in sweep.rows]
    return {**plain(sweep), "rows": rows}


async def _pull_requests(db: Database) -> dict[str, Any]:
    union = " UNION ".join(f"SELECT owner, repo, number FROM {table}" for table in OF_A_PR)
    found = [PrRef(Repo(owner, name), number) for owner, name, number in await _rows(db, f"{union} ORDER BY 1, 2, 3")]
    return {"pull requests": {str(pr): await _pull_request(db, pr) for pr in found}}


async def _pull_request(db: Database, pr: PrRef) -> dict[str, Any]:
    uses, keys = UseStore(db, HandClock()), await _rows(db, "SELECT DISTINCT key FROM gates ORDER BY key")
    slots = await _rows(db, f"SELECT slot FROM slots WHERE {_is(pr)} ORDER BY slot")
    said = {
        "measured": await SweepStore(db, HandClock()).measured(pr, [GateKey(key) for (key,) in keys]),
        "use": await uses.kept(pr),
        "edits": await uses.edits(pr),
        "merge": await uses.kept_merge(pr),
        "sign-offs": await _sign_offs(db, pr),
        "slots": {name: await SlotStore(db).recall(pr, name) for (name,) in slots},
        "reactions": await ReactionStore(db).given(pr),
        "audit": await AuditStore(db).of_pr(pr),
    }
    return {name: plain(value) for name, value in said.items() if value}


async def _sign_offs(db: Database, pr: PrRef) -> dict[str, Any]:
    found = {}
    for (key,) in await _rows(db, f"SELECT resource FROM signoffs WHERE {_is(pr)} ORDER BY resource"):
        resource = read_key(key)
        assert resource is not None
        (found[key],) = [one for one in await SignOffStore(db, HandClock()).find(resource) if one.pr == pr]
    return found


def _is(pr: PrRef) -> str:
    return f"owner = '{pr.repo.owner}' AND repo = '{pr.repo.name}' AND number = {pr.number}"


async def _rows(db: Database, query: str) -> list[Any]:
    return await db.read(lambda conn: conn.execute(query).fetchall())


def plain(value: object) -> Any:
    """As JSON has it. What has no order is sorted."""
    if is_dataclass(value):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(inner) for key, inner in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((plain(one) for one in value), key=json.dumps)
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, str) and len(value) > LONG:
        return f"{len(value)} characters, {hashlib.sha256(value.encode()).hexdigest()}"
    return value


def known_then(found: Any, then: Any) -> Any:
    """What was found, without fields that nobody knew then."""
    if isinstance(found, dict) and isinstance(then, dict):
        return {name: known_then(inner, then[name]) for name, inner in found.items() if name in then}
    if isinstance(found, list) and isinstance(then, list) and len(found) == len(then):
        return [known_then(one, other) for one, other in zip(found, then, strict=True)]
    return found
