"""Runs the long versions of the drills in tests/soak, and writes what came of them into docs/soak.md.

usage: scripts/soak.py        exit status 1 where a drill failed; then the page is left as it was
"""

import sys

from pages import ROOT, Page, write

TITLES = {
    "test_a_hundred_kills": "kill -9 of the bot over whole sweeps",
    "test_twenty_crashes": "kill -9 of the webhook's door under load",
    "test_twenty_gates": "whole gates on an engine whose AL is known",
    "test_a_hundred_cuts": "cut connections to a real SLURM",
    "test_ten_thousand_trees": "spoiled changelogs, configs, recipes and curves",
    "test_ten_thousand_slips": "one mistake in one line, and changes that mean nothing",
}
HEAD = """\
# The long drills

`make soak` runs the drills of `make test` longer and with other seeds, and writes this page. The last run:

"""

if __name__ == "__main__":
    sys.exit(write(Page(ROOT / "docs" / "soak.md", "tests/soak", "drill", TITLES, HEAD)))
