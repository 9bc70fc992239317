"""The wish to stop, as a flag that every wait looks at."""

from __future__ import annotations

import signal
import time
from types import FrameType

from bot.node.failures import Cancelled

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
STEP = 0.1  # seconds between two looks at the flag


class Stop:
    """Set by a signal. Nothing is raised inside the handler: cleaning up must never be interrupted."""

    def __init__(self) -> None:
        self.asked = False

    def listen(self) -> None:
        for number in SIGNALS:
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.asked = True

    def check(self) -> None:
        if self.asked:
            raise Cancelled

    def wait(self, seconds: float) -> None:
        """Sleeps; raises Cancelled as soon as a signal has come."""
        end = time.monotonic() + seconds
        while True:
            self.check()
            left = end - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(left, STEP))
