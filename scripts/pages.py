"""Runs tests that take long, and writes what came of them into a page of docs/."""

import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

from bot.collect.files import this_machine

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Page:
    """`tests`: a folder. `titles` say in words what each test of it does. `head` and `foot` stand around the result."""

    path: Path
    tests: str
    kind: str  # what a test is called
    titles: Mapping[str, str]
    head: str
    foot: str = ""


def rows(report: Path, titles: Mapping[str, str]) -> Iterator[str]:
    """One for each test that told pytest something, `record_property("said", …)`, or was not run; then the others."""
    silent = 0
    for case in ElementTree.parse(report).iter("testcase"):
        said = next((one.get("value") for one in case.iter("property") if one.get("name") == "said"), None)
        skipped = case.find("skipped")
        if said is None and skipped is not None:
            said = f"not run: {skipped.get('message')}"
        if said is None:
            silent += 1
            continue
        title = titles.get(str(case.get("name")), case.get("name"))
        yield f"| {title} | {said} | {float(case.get('time') or 0):,.0f} s |"
    if silent:
        yield f"| {silent} more | passed | |"


def machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    return (
        f"{this_machine()} {platform.release()}, {memory:.0f} GiB, Python {platform.python_version()}; load when it "
        f"began {load}"
    )


def write(page: Page) -> int:
    """The exit status: 1 where a test failed; then the page is left as it was."""
    facts, began = machine(), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        words = [sys.executable, "-m", "pytest", page.tests, f"--junitxml={report}", "-o", "junit_family=xunit1"]
        if subprocess.run(words, cwd=ROOT, check=False).returncode:
            return 1
        table = "\n".join((f"| {page.kind} | result | time |", "|---|---|---:|", *rows(report, page.titles)))
    minutes = (time.monotonic() - began) / 60
    when = f"{datetime.now(UTC):%Y-%m-%d}, in {minutes:.0f} minutes, on {facts}."
    page.path.write_text(f"{page.head}{when}\n\n{table}\n{page.foot}")
    print(f"{page.path.relative_to(ROOT)} is written")
    return 0
