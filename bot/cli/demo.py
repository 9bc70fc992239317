"""`gatekit demo`: a whole pull request story on this machine."""

import argparse
import asyncio
import json
import logging
import signal
import sys
import tempfile
from contextlib import AsyncExitStack
from dataclasses import asdict
from pathlib import Path

from bot.demo.site import Tools
from bot.demo.story import StoryEnd, play
from bot.demo.telling import Teller
from bot.logs import LogFormat, set_up_logging


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Plays one pull request from a label to its merge: a GitHub stand-in, a real small engine "
        "that drafts and verifies, real aiperf. Exit status 1: a verdict was not what the story says."
    )
    parser.add_argument("--keep", action="store_true", help="leave the pages up until Ctrl-C")
    parser.add_argument("--short", action="store_true", help="end after the first verdicts")
    parser.add_argument("--json", action="store_true", help="one object on stdout, the story on stderr")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    set_up_logging(LogFormat.CONSOLE, ())
    logging.getLogger().setLevel(logging.WARNING)  # the story is told on stdout
    return asyncio.run(_until_told(args))


async def _until_told(args: argparse.Namespace) -> int:
    """SIGTERM ends the story as Ctrl-C does: with everything that it started."""
    story = asyncio.create_task(tell(args, Tools()))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, story.cancel)
    try:
        return await story
    except asyncio.CancelledError:
        return 128 + signal.SIGTERM


async def tell(args: argparse.Namespace, tools: Tools) -> int:
    """Plays and prints the story; the exit status."""
    out = sys.stderr if args.json else sys.stdout
    teller = Teller(lambda line: print(line, file=out, flush=True))
    with tempfile.TemporaryDirectory(prefix="gatekit-demo-") as folder:
        async with AsyncExitStack() as stack:
            ending = await play(stack, Path(folder), teller, tools, short=args.short)
            for sentence in ending.wrong:
                teller.say(f"not as the story says: {sentence}")
            teller.say("the story came out as it should" if not ending.wrong else "the story came out differently")
            if args.json:
                print(json.dumps(_as_json(ending, teller)))
            if args.keep:
                teller.say(f"the pages stay up on {ending.operator_url}; Ctrl-C ends them")
                await asyncio.Event().wait()
    return 1 if ending.wrong else 0


def _as_json(ending: StoryEnd, teller: Teller) -> dict[str, object]:
    return {"ok": not ending.wrong, "seconds": round(teller.seconds, 1), **asdict(ending)}
