"""What this machine says of itself, for the record of a collection."""

import os
import platform
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")


def this_machine() -> str:
    """E.g. `Intel(R) Xeon(R) Processor, 2 CPUs, x86_64, Linux`. Says nothing of what it cannot find out."""
    count = os.cpu_count()
    cpus = None if count is None else f"{count} CPU{'s' if count > 1 else ''}"
    facts = (_cpu(), cpus, platform.machine(), platform.system())
    return ", ".join(fact for fact in facts if fact)


def _cpu() -> str:
    try:
        lines = CPUINFO.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor())
