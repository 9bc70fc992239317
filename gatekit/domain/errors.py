"""How a pure function says no; and what could not be found out, as a value: never a yes, never an empty list."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from gatekit.domain.text import shown

LONGEST = 1_000  # characters of each half
MOST = 100  # things that are wrong at once


class Refusal(Exception):
    """A "no" that the person can act on. `str(refusal)` is one clear sentence and becomes the reply as it is."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """Everything that is wrong, a sentence each."""
        return (str(self),)


class BadInput(Refusal):
    """A file or text that cannot be used. Says where, and what to change.

    `where` is a path, with `:line` where the line is known. Both may hold names of strangers: they stand on one line.
    """

    def __init__(self, where: str, problem: str) -> None:
        self.where = shown(where, LONGEST)
        self.problem = shown(problem, LONGEST)
        super().__init__(f"{self.where}: {self.problem}")


class Violations(Refusal):
    """Several things that are wrong at once. `str(violations)` has a line for each."""

    def __init__(self, each: Sequence[BadInput]) -> None:
        self.each = tuple(each)
        super().__init__("\n".join(self.sentences))

    @property
    def sentences(self) -> tuple[str, ...]:
        return tuple(map(str, self.each))


def refuse_all(found: Iterable[BadInput]) -> None:
    """Raises what was found: nothing, the one, or Violations. After MOST it is not looked for more."""
    first = tuple(islice(found, MOST))
    if len(first) == 1:
        raise first[0]
    if first:
        raise Violations(first)


@dataclass(frozen=True, slots=True)
class Unknown:
    """`why`: one clause, without a full stop, e.g. `GitHub did not answer`."""

    why: str
