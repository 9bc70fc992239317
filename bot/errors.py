"""What the console script knows of the bot's own refusals, without the rooms that raise them."""


class OperatorError(Exception):
    """What the bot's operator can mend. `str(error)` is one sentence that says what to do."""


class NotReached(Exception):
    """GitHub gave no answer. `str(error)` says what to do; `ours`: what we were told to use or to read is wrong."""

    def __init__(self, text: str, ours: bool) -> None:
        super().__init__(text)
        self.ours = ours
