"""A whole story with troubles: nothing that the bot writes holds a secret of ours, nothing that it shows one that an
engine printed."""

import io
import logging
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import ClientSession

from bot.demo.github.faults import Answer, Cut, Moment, RevokeTokens
from bot.logs import LogFormat, set_up_logging
from gatekit.domain.ids import JobName
from tests.worlds.bench.bench_pr import DRAFT, LEAN, SELF
from tests.worlds.bot.bot_world import BotWorld, bot_world

PRINTED = (
    "hf_abcdefghijklmnopqrstuvwxyz012345",
    "ghp_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    "sk-proj-abcDEF0123456789abcDEF",
    "correct-horse-battery",
    "AKIAABCDEFGHIJKLMNOP",
)
ENGINE_LOG = f"""\
loading with token {PRINTED[0]}
Authorization: Bearer {PRINTED[1]}
OPENAI_API_KEY={PRINTED[2]}
fetching https://bot:{PRINTED[3]}@models.example/x
aws {PRINTED[4]}
error: out of memory
"""


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level, hooks = root.handlers[:], root.level, (sys.excepthook, threading.excepthook)
    yield io.StringIO()
    sys.excepthook, threading.excepthook = hooks
    logging.captureWarnings(False)
    root.handlers[:], root.level = handlers, level


async def story(world: BotWorld) -> None:
    """Calls fail in every way; one gate is judged, one fails, one is refused by its cluster for a while."""
    faults = world.github.faults
    faults.on("GET", "/repos/*/pulls/*", Answer(500))
    faults.on("POST", "*/access_tokens", Answer(401, "Bad credentials"), nth=2)
    faults.on("POST", "/repos/*/issues/*/comments", Cut(Moment.AFTER))
    faults.on("PATCH", "*", RevokeTokens(), times=2)
    await world.label()
    await world.finish(DRAFT, 3.7)
    world.cluster.fail(await world.job(LEAN), f"the engine died: --api-key {PRINTED[2]}", ENGINE_LOG)
    await world.settled()
    world.cluster.lose(JobName(await world.job(SELF)))
    await world.settled()
    await world.unlabel()


async def shown(world: BotWorld) -> str:
    """Every word that people see: comments, check runs, pages."""
    texts = [comment.body for comment in world.repo.comments.values() if comment.by_app]
    texts += [str(run.said) for run in world.repo.checks.values()]
    sweep = await world.sweep()
    async with ClientSession(world.bot.operator_url) as web:
        for path in ("/", f"/sweeps/{sweep.id}", "/api/sweeps", f"/api/sweeps/{sweep.id}", "/readyz", "/metrics"):
            async with web.get(path) as answer:
                assert answer.status == 200, path
                texts.append(await answer.text())
    return "\n".join(texts)


def files(folder: Path) -> dict[Path, str]:
    """What lies on the disk: the database, job files, what the cluster noted."""
    return {path: path.read_bytes().decode("utf-8", "replace") for path in folder.rglob("*") if path.is_file()}


async def test_no_secret_is_left_anywhere(tmp_path: Path, log: io.StringIO) -> None:
    async with bot_world(tmp_path) as world:
        set_up_logging(LogFormat.JSON, world.parts.identity.secrets, log)
        tokens: set[str] = set()

        async def remember(moment: Moment, call: object) -> None:
            tokens.update(world.github.world.tokens.live)

        world.github.on_request(remember)
        await story(world)
        seen = await shown(world)
        app = world.github.world.app
    assert tokens
    assert "out of memory" in seen
    assert "could not find out" in log.getvalue()
    written = files(tmp_path)
    assert {"job.json", "gatekit.db"} <= {path.name for path in written}
    key = [line for line in app.private_key.splitlines() if len(line) > 40]
    for secret in (app.webhook_secret, *tokens, *key):
        assert secret not in seen
        assert secret not in log.getvalue()
        assert [path.name for path, text in written.items() if secret in text] == []
    for secret in PRINTED:
        assert secret not in seen
        assert secret not in log.getvalue()
