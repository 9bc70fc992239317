"""Of the ports, those that the facts of a verification are read through: nothing is written by them."""

from typing import Protocol

from handlers.ports.bundle import Clock, Site, UseReads
from handlers.signoff.ground import Reads


class SignOffFacts(Reads, UseReads, Protocol):
    @property
    def clock(self) -> Clock: ...

    @property
    def site(self) -> Site: ...
