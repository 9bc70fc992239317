"""How the command line is read, and what a wrong one is answered."""

import argparse
from typing import Any, NoReturn


class Parser(argparse.ArgumentParser):
    """Says what is wrong under the usage of the command it was said to, on a line each."""

    def parse_known_args(self, *args: Any, **named: Any) -> Any:
        """As the library's, but nothing may be left: it would be refused with the usage of the whole program."""
        read, left = super().parse_known_args(*args, **named)
        if left:
            self.error(f"unrecognized arguments: {' '.join(left)}")
        return read, left

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{' '.join(self.format_usage().split())}\n{self.prog}: error: {message}\n")


def root(description: str, epilog: str) -> argparse.ArgumentParser:
    return Parser(prog="gatekit", description=description, epilog=epilog)
