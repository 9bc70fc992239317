"""From a label to a verdict, nothing left out: GitHub stand-in, bot, local executor, aiperf, llama.cpp."""

import argparse
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from bot.cli.demo import tell
from bot.demo.expected import FIRST, SECOND
from bot.demo.site import Tools
from gatekit.domain.verdict import CurveOutcome
from tests.worlds.engine import llama
from tests.worlds.engine.recording_proxy import recorded

DRAFT, LEAN = "tiny-fp32-demo-llamacpp-agentic-draft", "tiny-fp32-demo-llamacpp-agentic-lean"
MADE = "made a small language model and three drafts for it in "


class Listener(io.StringIO):
    """Hears the story while it is told; with `swap` it exchanges two draft models as soon as they are there."""

    def __init__(self, *, swap: bool) -> None:
        super().__init__()
        self.swap = swap

    def write(self, text: str) -> int:
        if self.swap and MADE in text:
            exchange(Path(text.partition(MADE)[2].strip()) / "gatekit-demo")
        return super().write(text)


def exchange(models: Path) -> None:
    near, far, aside = (models / f"draft-{name}.gguf" for name in ("near", "far", "aside"))
    near.rename(aside)
    far.rename(near)
    aside.rename(far)


def recording_engine(folder: Path) -> Path:
    """Stands in for the engine's Python: every server that it is asked to start gets a recording proxy before it."""
    python = folder / "python"
    python.write_text(_ENGINE.format(python=llama.PYTHON, bot=sys.executable, run=llama.RUN, records=folder))
    python.chmod(0o755)
    return python


_ENGINE = """\
#!/bin/sh
case "$1" in *llama_server.py) ;; *) exec {python} "$@" ;; esac
for word; do [ "$before" = --port ] && port=$word; before=$word; done
exec {bot} {run} recording_proxy --port "$port" --record {records}/$$.jsonl -- {python} "$@"
"""


async def told(tools: Tools, *, short: bool, swap: bool) -> tuple[int, dict[str, Any], str]:
    """The demo's exit status, its object, and the story."""
    story, printed = Listener(swap=swap), io.StringIO()
    with contextlib.redirect_stderr(story), contextlib.redirect_stdout(printed):
        status = await tell(argparse.Namespace(json=True, keep=False, short=short), tools)
    return status, json.loads(printed.getvalue()), story.getvalue()


def verdicts(gates: list[dict[str, Any]]) -> dict[str, str]:
    return {gate["config_key"]: gate["verdict"] for gate in gates}


async def test_the_story_comes_out_as_it_is_told(tmp_path: Path) -> None:
    tools = Tools(engine_python=recording_engine(tmp_path))
    status, ending, story = await told(tools, short=False, swap=False)
    assert (status, ending["ok"], ending["wrong"]) == (0, True, []), story
    assert verdicts(ending["first"]) == FIRST
    assert verdicts(ending["second"]) == SECOND
    assert ending["comment"].startswith("**Acceptance length: 4 of 4 on curve**")
    assert "1 earlier sweep" in ending["comment"]
    assert ending["check"] == "completed, success"
    landed = ending["landed"]
    assert (landed["reaction"], landed["check"]) == ("+1", "completed, success: reuses sweep 2")
    assert (landed["reuse"]["outcome"], landed["reuse"]["run"], landed["reuse"]["by"]) == ("reused", 2, "maria")
    assert "maria comments: /use 2" in story
    first, second = (realized(ending[part]) for part in ("first", "second"))
    assert first[LEAN]["al"] < 2 < second[LEAN]["al"]
    assert {key for key in first if first[key] != second[key]} == {LEAN}  # the others are reused, not run again
    assert_counted([*first.values(), second[LEAN]], tmp_path)


def assert_counted(gates: list[dict[str, Any]], records: Path) -> None:
    """What the bot read from the counters is, to the token, what each answer said of itself on its way to aiperf."""
    answers = [
        [line["timings"] for line in recorded(file) if line["path"] == "/v1/chat/completions"]
        for file in records.glob("*.jsonl")
    ]
    said = [(sum(one["draft_n"] for one in gate), sum(one["draft_n_accepted"] for one in gate)) for gate in answers]
    assert sorted(said) == sorted((gate["draft_tokens"], gate["accepted"]) for gate in gates)
    assert [gate["al"] for gate in gates] == [pytest.approx(1 + gate["accepted"] / gate["drafts"]) for gate in gates]


def realized(gates: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {gate["config_key"]: gate["realized"] for gate in gates}


async def test_with_two_draft_models_exchanged_exactly_their_verdicts_are_exchanged() -> None:
    """The names on the pull request stay the same: the verdict comes from what the engine really did."""
    status, ending, story = await told(Tools(), short=True, swap=True)
    assert (status, ending["ok"]) == (1, False), story
    assert verdicts(ending["first"]) == {**FIRST, DRAFT: CurveOutcome.BELOW, LEAN: CurveOutcome.ON_CURVE}
    assert [sentence.partition(" ")[0] for sentence in ending["wrong"]] == [DRAFT, LEAN]
