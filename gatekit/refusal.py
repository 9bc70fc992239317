"""The two ways in which a pure function says no."""

from gatekit.shown import shown

LONGEST = 1_000  # characters of each half


class Refusal(Exception):
    """A "no" that the person can act on. `str(refusal)` is one clear sentence and becomes the reply as it is."""


class BadInput(Refusal):
    """A file or text that cannot be used. Says where, and what to change.

    `where` is a path, with `:line` where the line is known. Both may hold names of strangers: they stand on one line.
    """

    def __init__(self, where: str, problem: str) -> None:
        self.where = shown(where, LONGEST)
        self.problem = shown(problem, LONGEST)
        super().__init__(f"{self.where}: {self.problem}")
