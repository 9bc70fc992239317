"""`python3 node.pyz RUN_DIR`: runs the attempt that RUN_DIR/job.json describes, and writes RUN_DIR/result.json."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Sequence

from bot.node import processes, report
from bot.node.attempt import Attempt, run
from bot.node.claim import claim
from bot.node.failures import Cancelled, Failed
from bot.node.jobfile import read_job
from bot.node.logs import JobLog
from bot.node.report import Known
from bot.node.stop import Stop

DONE, FAILED, USAGE, NOT_OURS = 0, 1, 2, 3


def main(argv: Sequence[str]) -> int:
    """Exit code: 0 replayed; 1 failed, and the result says why; 2 wrong usage; 3 the attempt was started before."""
    if len(argv) != 1 or not os.path.isdir(argv[0]):
        print("usage: node.pyz RUN_DIR  (a folder with a job.json)", file=sys.stderr)
        return USAGE
    folder = Path(argv[0]).resolve()
    stop = Stop()
    stop.listen()
    if (folder / report.RESULT).exists() or not claim(folder):
        return NOT_OURS
    processes.adopt_orphans()
    log = JobLog(folder / "job.log")
    try:
        job = read_job(folder / "job.json")
    except Failed as no:
        log(str(no))
        print(no, file=sys.stderr)
        report.write_result(folder, report.unreadable(folder, str(no)))
        return FAILED
    mark = os.environ.get(processes.MARKER) or processes.mark_of(folder)  # who started us has the say
    return _attempt(Attempt(job, folder, mark, Known(), stop, log))


def _attempt(attempt: Attempt) -> int:
    attempt.log(f"job {attempt.job.job}, process {os.getpid()}")
    reason = None
    try:
        run(attempt)
    except Failed as no:
        reason = str(Cancelled()) if attempt.stop.asked else str(no)  # who stops us may have ended the engine first
    except BaseException as bug:  # the one boundary: a result is written whatever happens, and the bug still shows
        _finish(attempt, f"the node program itself failed: {type(bug).__name__}: {bug}")
        raise
    return _finish(attempt, reason)


def _finish(attempt: Attempt, reason: str | None) -> int:
    attempt.log("done" if reason is None else f"failed: {reason}")
    report.write_result(attempt.folder, report.result(attempt.job, attempt.known, reason))
    return DONE if reason is None else FAILED
