"""What the console script knows of the bot's own refusals, without the rooms that raise them."""


class OperatorError(Exception):
    """What the bot's operator can mend. `str(error)` is one sentence that says what to do."""
