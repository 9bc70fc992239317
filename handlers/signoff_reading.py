"""Of the ports, those that the facts of a verification are read through: nothing is written by them."""

from typing import Protocol

from handlers.ports import Clock
from handlers.signoff_ground import Reads
from handlers.site import Site
from handlers.use_reading import UseReads


class SignOffFacts(Reads, UseReads, Protocol):
    @property
    def clock(self) -> Clock: ...

    @property
    def site(self) -> Site: ...
