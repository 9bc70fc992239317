"""What could not be found out: a value of its own, never a yes, never an empty list."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unknown:
    """`why`: one clause, without a full stop, e.g. `GitHub did not answer`."""

    why: str
