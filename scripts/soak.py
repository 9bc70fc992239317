"""Runs the long versions of the drills in tests/soak, and writes what came of them into docs/soak.md.

usage: scripts/soak.py        exit status 1 where a drill failed; then the page is left as it was
"""

import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "soak.md"
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


def rows(report: Path) -> Iterator[str]:
    """One for each drill. What pytest was told with `record_property("said", …)` is the result."""
    for case in ElementTree.parse(report).iter("testcase"):
        said = next((one.get("value") for one in case.iter("property") if one.get("name") == "said"), None)
        skipped = case.find("skipped")
        if said is None and skipped is not None:
            said = f"not run: {skipped.get('message')}"
        title = TITLES.get(str(case.get("name")), case.get("name"))
        yield f"| {title} | {said} | {float(case.get('time') or 0):,.0f} s |"


def machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    return (
        f"{os.cpu_count()} cores ({platform.machine()}), {memory:.0f} GiB, {platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}; load when it began {load}"
    )


def main() -> int:
    facts, began = machine(), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        words = [sys.executable, "-m", "pytest", "tests/soak", f"--junitxml={report}", "-o", "junit_family=xunit1"]
        status = subprocess.run(words, cwd=ROOT, check=False).returncode
        if status:
            return 1
        table = "\n".join(("| drill | result | time |", "|---|---|---:|", *rows(report)))
    minutes = (time.monotonic() - began) / 60
    PAGE.write_text(f"{HEAD}{datetime.now(UTC):%Y-%m-%d}, in {minutes:.0f} minutes, on {facts}.\n\n{table}\n")
    print(f"{PAGE.relative_to(ROOT)} is written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
