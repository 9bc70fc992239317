"""Logs that stay small whatever a program says."""

import os
import re
from pathlib import Path

import pytest

from bot.node.logs import BoundedFile, JobLog, Pump, first_error
from tests.worlds.bot.until import PATIENCE


def test_the_beginning_and_the_end_of_much_output_stay(tmp_path: Path) -> None:
    log = BoundedFile(tmp_path / "engine.log", head=100, tail=200)
    for number in range(10_000):
        log.write(b"line %d\n" % number)
        assert (tmp_path / "engine.log").stat().st_size < 700
    log.close()
    text = (tmp_path / "engine.log").read_text()
    assert text.startswith("line 0\nline 1\n")
    assert text.endswith("line 9999\n")
    assert re.search(r"\n\[about \d+ bytes left out\]\n", text)


def test_little_output_stays_as_it_is(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    pump = Pump(os.fdopen(reading, "rb"), BoundedFile(tmp_path / "engine.log"))
    pump.start()
    os.write(writing, b"hello\xff\n")
    os.close(writing)
    pump.join(PATIENCE)
    assert (tmp_path / "engine.log").read_bytes() == b"hello\xff\n"


def test_a_line_of_the_job_log_is_one_line_with_its_time(tmp_path: Path) -> None:
    log = JobLog(tmp_path / "job.log")
    log("engine answers\nafter 0.3 s")
    log("x" * 10_000)
    first, second = (tmp_path / "job.log").read_text().splitlines()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ engine answers after 0\.3 s", first)
    assert len(second) < 2100


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "09:13 INFO     fine\n09:13 ERROR    no tokenizer (a.py:3)\n09:13 ERROR    then this\n",
            "no tokenizer (a.py:3)",
        ),
        ("all is well\n", None),
    ],
)
def test_the_first_error_is_the_cause(tmp_path: Path, text: str, found: str | None) -> None:
    (tmp_path / "console.txt").write_text(text)
    assert first_error(tmp_path / "console.txt") == found
    assert first_error(tmp_path / "none") is None
