"""Which product files an event walks through, from its delivery to the last write that follows from it.

A file counts where a function or method of it runs for the bot, in whatever thread: not what GitHub's stand-in, the
scripted cluster or the story itself calls. The lease is left out: its heart beats beside every story.

`python -m tests.worlds.bot.trace` prints the stories, each file in the order in which it was reached.
"""

import asyncio
import inspect
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType

import bot
from tests.worlds.bot.bot_world import bot_world
from tests.worlds.github.actions import RUN, a_run, edit, say, use
from tests.worlds.signoff.signing import LEFT_OPEN, WHOLE, about, header, signing_world
from tests.worlds.signoff.signing_bench import BODY, benching

ROOT = f"{Path(bot.__path__[0]).parent}/"
ROOMS = ("bot/", "handlers/", "gatekit/")
OUTSIDE = ("tests/", "bot/demo/", "bot/node/")
HEARTBEAT = "bot/store/lease.py"
READER = ("gatekit/formats/markdown.py", "blocks")  # reads one text


@dataclass
class Trace:
    """What ran while `recording`, in threads that began since `following`."""

    calls: Counter[tuple[str, str]] = field(default_factory=Counter)  # by file and function; a resumed coroutine again
    _recording: bool = False
    _places: dict[CodeType, str] = field(default_factory=dict)

    @property
    def files(self) -> tuple[str, ...]:
        """In the order in which they were reached."""
        return tuple(dict.fromkeys(path for path, _ in self.calls))

    @property
    def markdown_passes(self) -> int:
        return self.calls[READER]

    @contextmanager
    def following(self) -> Iterator[None]:
        before = sys.getprofile()
        threading.setprofile(self._hear)
        sys.setprofile(self._hear)
        try:
            yield
        finally:
            sys.setprofile(before)
            threading.setprofile(before)

    @contextmanager
    def recording(self) -> Iterator[None]:
        self._recording = True
        try:
            yield
        finally:
            self._recording = False

    def _hear(self, frame: FrameType, event: str, argument: object) -> None:
        if not self._recording or event != "call":
            return
        code = frame.f_code
        place = self._place(code)
        if place.startswith(ROOMS) and code.co_flags & inspect.CO_OPTIMIZED and self._of_the_bot(frame):
            self.calls[place, code.co_name] += 1

    def _of_the_bot(self, frame: FrameType | None) -> bool:
        """Nothing from outside stands between it and the event loop, or the start of its thread."""
        while frame is not None and frame.f_code.co_name != "_run_once":
            if frame.f_code.co_name == "<module>" or self._place(frame.f_code).startswith(OUTSIDE):
                return False
            frame = frame.f_back
        return True

    def _place(self, code: CodeType) -> str:
        """The file in this repository; empty: another one, or one that does not count."""
        if code not in self._places:
            path = code.co_filename.removeprefix(ROOT) if code.co_filename.startswith(ROOT) else ""
            self._places[code] = path if path != HEARTBEAT else ""
        return self._places[code]


async def label(folder: Path, trace: Trace) -> None:
    """A label, its plan, its gates, and their verdicts on the comment and the check run."""
    async with bot_world(folder) as world:
        with trace.recording():
            await world.label()
            await world.finish_all()
        assert "on curve" in world.gates
        assert world.check[0] == "completed"


async def use_of_a_run(folder: Path, trace: Trace) -> None:
    """`/use`, and what was decided."""
    async with bot_world(folder) as world:
        a_run(world)
        with trace.recording():
            await say(world, f"/use {RUN}")
        assert str(RUN) in use(world)


async def sign_off(folder: Path, trace: Trace) -> None:
    """A checklist for a change of a config, and its verdict."""
    async with benching(folder) as (world, _):
        with trace.recording():
            posted = await say(world, BODY, by="ann")
        assert header(about(world, posted))


async def sign_off_again(folder: Path, trace: Trace) -> None:
    """A checklist is posted, edited once, and both deliveries come again. An earlier one had the template read."""
    async with signing_world(folder) as world:
        hooks = world.github.hooks
        await say(world, LEFT_OPEN, by="ann")
        await world.settled()
        before = len(hooks.deliveries)
        with trace.recording():
            posted = await say(world, LEFT_OPEN, by="ann")
            await edit(world, posted, WHOLE, by="ann")
            for delivery in [one for one in hooks.deliveries[before:] if one.event == "issue_comment"]:
                hooks.redeliver(delivery)
            await world.settled()
        assert header(about(world, posted))


Story = Callable[[Path, Trace], Awaitable[None]]
STORIES: Mapping[str, Story] = {"label": label, "use": use_of_a_run, "signoff": sign_off}


async def traced(story: Story, folder: Path) -> Trace:
    """What ran of the product while the story went on."""
    trace = Trace()
    with trace.following():
        await story(folder, trace)
    return trace


def main() -> None:
    for name, story in {**STORIES, "signoff, edited and redelivered": sign_off_again}.items():
        with tempfile.TemporaryDirectory() as folder:
            trace = asyncio.run(traced(story, Path(folder)))
        sys.stdout.write(f"{name}: {len(trace.files)} files, {trace.markdown_passes} passes over Markdown\n")
        sys.stdout.writelines(f"  {path}\n" for path in trace.files)


if __name__ == "__main__":
    main()
