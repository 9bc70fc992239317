"""Config keys that a pull request changes without a changelog entry."""

from collections.abc import Set

from gatekit.plan.compare import Compared


def uncovered(both: Compared, named: Set[str]) -> tuple[str, ...]:
    """Keys of which anything differs and that no entry names, in file order.

    A config's own text, its points and the merged recipes of its points count; comments, and the files of a benchmark
    that no recipe reads, do not. A config that only the old commit has is not listed: there is nothing left to run.
    """
    if not both.changed:
        return ()
    return tuple(key for key in both.head.master.entries if key not in named and both.differs(key))
