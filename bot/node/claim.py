"""One start per attempt: a file that only one process can create."""

import json
import os
import socket
from pathlib import Path

from bot.node import processes

CLAIM = "claim.json"


def claim(folder: Path) -> bool:
    """True: the attempt is ours. False: it was started before, whatever became of it.

    The file tells who claimed: host, pid, and the pid's start in clock ticks since boot, since pids are used again.
    A claim is never taken over: whether its process lives, and what follows, is for the executor to say.
    """
    try:
        descriptor = os.open(folder / CLAIM, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
    except FileExistsError:
        return False
    me = processes.stat(os.getpid())
    text = {"host": socket.gethostname(), "pid": os.getpid(), "started": me.started if me else None}
    with os.fdopen(descriptor, "w") as file:
        json.dump(text, file)
        file.flush()
        os.fsync(file.fileno())
    return True
