"""Ports for servers that bind theirs a while after it was chosen."""

import random
import socket
from pathlib import Path

LOWEST = 10_000
TRIES = 1_000


def free_port() -> int:
    """A free one that no connection, and nobody who asks for any port, is given meanwhile: the kernel has none below
    those that it gives away.
    """
    given_away = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    chance = random.SystemRandom()
    for _ in range(TRIES):
        port = chance.randrange(LOWEST, given_away)
        if _is_free(port):
            return port
    raise AssertionError(f"no port between {LOWEST} and {given_away} is free")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("", port))
        except OSError:
            return False
    return True
