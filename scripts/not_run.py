"""Writes docs/not-run.md from the list in gatekit/engines/unseen.py.

usage: python -m scripts.not_run
"""

from pathlib import Path

from gatekit.engines.unseen import NOT_RUN, NotRun

PAGE = Path(__file__).resolve().parent.parent / "docs" / "not-run.md"
HEAD = """\
# What was not run

Gatekit was written and tested on one machine with two cores, without a GPU, a container engine or a way to GitHub.
What that leaves open, what was run instead, and how you find out.

`python -m scripts.not_run` writes this page from [gatekit/engines/unseen.py](../gatekit/engines/unseen.py).
"""


def page() -> str:
    return "\n".join((HEAD, *map(_section, NOT_RUN))).rstrip("\n") + "\n"


def _section(one: NotRun) -> str:
    lines = (f"## {one.part}", "", f"- Run instead: {one.instead}", f"- Not known: {one.unknown}")
    return "\n".join((*lines, f"- To check: {one.check}", ""))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
