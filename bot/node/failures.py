"""How an attempt ends early.

Failed            the attempt cannot go on; `str(error)` is the one sentence that the result carries
├── EngineFailed  the engine did not start, or died
└── Cancelled     somebody asked us to stop
"""


class Failed(Exception):
    """One sentence that says what to change, or what happened."""


class EngineFailed(Failed):
    """The engine did not start, or died."""


class Cancelled(Failed):
    """A signal asked us to stop."""

    def __init__(self) -> None:
        super().__init__("cancelled")
