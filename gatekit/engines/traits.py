"""What of an engine is asked beside its recipes: in scripts, scrapes and environments, and of an open engine."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Footprint:
    """How an engine shows in what others wrote."""

    packages: tuple[str, ...] = ()  # names under which it is installed; `-` stands for `_` too
    workspaces: tuple[str, ...] = ()  # folders of its images where its sources lie
    routers: tuple[str, ...] = ()  # beginnings of the series of its own routers, which count no drafts


@dataclass(frozen=True, slots=True)
class Variables:
    """Environment of an engine that the operator's policy must know by name."""

    harmless: frozenset[str] = frozenset()  # that the policy's patterns would refuse
    refused: tuple[str, ...] = ()  # beginnings of names, in capital letters, that set arguments past the policy


@dataclass(frozen=True, slots=True)
class OpenEngine:
    """What a sign-off asks of an engine that everybody can have: upstream's image, and a recipe that is published."""

    organisation: str  # its own, on the Docker hub
    frameworks: frozenset[str]  # whose configs count as those of an open engine
    repositories: frozenset[str]  # where a merged pull request is a published recipe
    archived: frozenset[str]  # the same, where the published page is needed as well
    host: str  # of the published pages
    page: str  # pattern of the path of one
