"""Numbers on the command line."""

import argparse
from collections.abc import Callable


def counting(least: int, most: int) -> Callable[[str], int]:
    """An argparse type: a whole number from `least` to `most`, written in digits."""

    def read(text: str) -> int:
        digits = text.removeprefix("-")
        if digits.isascii() and digits.isdecimal() and len(digits) <= len(str(most)) and least <= int(text) <= most:
            return int(text)
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is no whole number from {least} to {most}")

    return read
