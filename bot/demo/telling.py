"""How the story is told: each step as it happens, with the seconds since it began."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(slots=True)
class Teller:
    """`say` prints a line; a JSON run keeps the lines for its object instead."""

    print: Callable[[str], None]
    began: float = field(default_factory=time.monotonic)
    lines: list[str] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def say(self, text: str) -> None:
        line = f"{self.seconds:6.1f} s  {text}"
        self.lines.append(line)
        self.print(line)

    def quote(self, text: str) -> None:
        """A comment as text, indented."""
        for line in text.splitlines():
            self.print(f"    │ {line}")


@dataclass(slots=True)
class LogFollower:
    """The lines that a growing log gained since the last look, without their time."""

    path: Path
    seen: int = 0

    def news(self) -> tuple[str, ...]:
        try:
            lines = self.path.read_text(errors="replace").splitlines()
        except FileNotFoundError:
            return ()
        new, self.seen = lines[self.seen :], len(lines)
        return tuple(line.partition(" ")[2] for line in new)
