"""A node program for drills: does what `engine.command` of its job.json says, with no engine and no replay.

usage: python stub_node.py RUN_DIR
words: finish   write a result that replayed              sit      wait for SIGTERM, then write a cancelled result
       fail     write a result that failed                deaf     wait, and do not hear SIGTERM
       die      end with code 5 and no result             daemon   leave a child in a session of its own, doubly forked
       nothing  end well without a result                 late     sit, but only for a second, then finish
       half     write half a result                       foreign  write the result of another job
       hold     sit, but only until `go` lies in the run folder, then finish
       litter   leave files in the scratch folder         stuck    leave files that cannot be removed
"""

import json
import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType

STARTS = "starts"  # one line for each start
SEEN = "seen.json"
LATE_SECONDS = 1.5
ENDED = "ended"  # SIGTERM came
GO = "go"


class Asked(BaseException):
    pass


def on_term(number: int, frame: "FrameType | None") -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # SLURM and the batch script both tell us
    raise Asked


def daemon(folder: Path) -> None:
    """Its parent is gone, its session is its own: a tree of processes does not show it."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            (folder / "daemon").write_text(str(os.getpid()))
            time.sleep(600)
        os._exit(0)


def result(job: dict, outcome: str, reason: "str | None") -> str:
    requests = {"expected": 1, "ok": 1, "failed": 0, "output_tokens": 8}
    engine = {"name": "stub", "version": None, "command": ["stub"]}
    same = {key: job[key] for key in ("schema", "job", "gate", "attempt")}
    said = {"outcome": outcome, "reason": reason, "requests": requests, "engine": engine, "workers": []}
    return json.dumps(
        {**same, **said, "prompts_sha256": None, "aiperf": None, "seconds": {"start": 1.0, "replay": 1.0}}
    )


def write(folder: Path, text: str) -> None:
    (folder / ".result").write_text(text)
    (folder / ".result").rename(folder / "result.json")


def main(folder: Path) -> int:
    job = json.loads((folder / "job.json").read_text())
    words = set(job["engine"]["command"])
    signal.signal(signal.SIGTERM, signal.SIG_IGN if "deaf" in words else on_term)
    with (folder / STARTS).open("a") as file:
        file.write(f"{os.environ['SLURM_JOB_ID']}\n")
    scratch = Path(os.environ["TMPDIR"])
    (folder / SEEN).write_text(json.dumps({"env": dict(os.environ), "pid": os.getpid(), "argv": sys.argv}))
    if "daemon" in words:
        daemon(folder)
    if words & {"litter", "stuck"}:
        (scratch / "engine" / "deep").mkdir(parents=True)
        (scratch / "engine" / "deep" / "file").write_text("x" * 1000)
    (folder / "ready").touch()
    try:
        return act(folder, job, words)
    except Asked:
        (folder / ENDED).touch()
        write(folder, result(job, "failed", "cancelled"))
        return 1


def act(folder: Path, job: dict, words: "set[str]") -> int:
    if words & {"sit", "deaf"}:
        time.sleep(600)
    if "late" in words:
        time.sleep(LATE_SECONDS)
    while "hold" in words and not (folder / GO).exists():
        time.sleep(0.02)
    if words & {"finish", "late", "hold"}:
        write(folder, result(job, "replayed", None))
    if "fail" in words:
        write(folder, result(job, "failed", "the engine exited with code 1"))
    if "foreign" in words:
        write(folder, result({**job, "job": "gk-1-another-1"}, "replayed", None))
    if "half" in words:
        write(folder, result(job, "replayed", None)[:100])
    return 5 if "die" in words else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
