"""The two ways in which a pure function says no."""


class Refusal(Exception):
    """A "no" that the person can act on. `str(refusal)` is one clear sentence and becomes the reply as it is."""


class BadInput(Refusal):
    """A file or text that cannot be used. Says where, and what to change.

    `where` is a path, with `:line` where the line is known.
    """

    def __init__(self, where: str, problem: str) -> None:
        super().__init__(f"{where}: {problem}")
        self.where = where
        self.problem = problem
