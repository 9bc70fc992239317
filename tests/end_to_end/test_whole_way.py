"""From a label to a verdict, nothing left out: GitHub stand-in, bot, local executor, aiperf, llama.cpp."""

import argparse
import contextlib
import io
import json
from pathlib import Path
from typing import Any

from bot.cli.demo import tell
from bot.demo.expected import FIRST, SECOND
from gatekit.verdict import Outcome

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


async def told(*, short: bool, swap: bool) -> tuple[int, dict[str, Any], str]:
    """The demo's exit status, its object, and the story."""
    story, printed = Listener(swap=swap), io.StringIO()
    with contextlib.redirect_stderr(story), contextlib.redirect_stdout(printed):
        status = await tell(argparse.Namespace(json=True, keep=False, short=short))
    return status, json.loads(printed.getvalue()), story.getvalue()


def verdicts(gates: list[dict[str, Any]]) -> dict[str, str]:
    return {gate["config_key"]: gate["verdict"] for gate in gates}


async def test_the_story_comes_out_as_it_is_told() -> None:
    status, ending, story = await told(short=False, swap=False)
    assert (status, ending["ok"], ending["wrong"]) == (0, True, []), story
    assert verdicts(ending["first"]) == FIRST
    assert verdicts(ending["second"]) == SECOND
    assert ending["comment"].startswith("**Acceptance length: 4 of 4 on curve**")
    assert "1 earlier sweep" in ending["comment"]
    assert ending["check"] == "completed, success"
    lean = next(gate["al"] for gate in ending["first"] if gate["config_key"] == LEAN)
    assert lean < 2 < next(gate["al"] for gate in ending["second"] if gate["config_key"] == LEAN)


async def test_with_two_draft_models_exchanged_exactly_their_verdicts_are_exchanged() -> None:
    """The names on the pull request stay the same: the verdict comes from what the engine really did."""
    status, ending, story = await told(short=True, swap=True)
    assert (status, ending["ok"]) == (1, False), story
    assert verdicts(ending["first"]) == {**FIRST, DRAFT: Outcome.BELOW, LEAN: Outcome.ON_CURVE}
    assert [sentence.partition(" ")[0] for sentence in ending["wrong"]] == [DRAFT, LEAN]
