"""What handlers write on GitHub. `bot` implements these; tests pass worlds."""

from typing import Protocol

from gatekit.comments.slots import AnySlot
from gatekit.domain.check_run import CheckReport
from gatekit.domain.ids import PrRef, Repo


class Comments(Protocol):
    async def upsert(self, pr: PrRef, slot: AnySlot, body: str) -> None:
        """Make the slot's comment read `body` (its marker is added here). Never posts twice."""

    async def amend(self, pr: PrRef, slot: AnySlot, body: str) -> None:
        """The same where we know of a comment in this slot; else nothing is asked and nothing posted."""


class Checks(Protocol):
    async def put(self, repo: Repo, report: CheckReport, *, first: bool = False) -> None:
        """Make our check run of this name and external id on this SHA say what the report says.

        `first`: the external id was made a moment ago, so that nobody can have made its check run.
        """
