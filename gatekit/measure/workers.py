"""Whose scrape is it? Finds the engine that counted, and keeps only workers that generate."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from gatekit.domain.scrape import Scrape, Values
from gatekit.engines.counters import Counters
from gatekit.engines.engine import Engine

Scrapes = Mapping[str, Scrape]  # by worker

# Labels that name a worker's role, and what they say of one that generates nothing.
ROLE_LABELS = ("dynamo_component", "engine_role", "engine_type", "role")
_NOT_GENERATING = ("prefill", "context", "ctx", "encode", "router")

# Beginnings of the series of those that only pass requests on to any engine → what to scrape instead.
_PASSING_ON: Mapping[str, str] = MappingProxyType(
    {
        "dynamo_frontend_": "a Dynamo frontend counts no drafts: scrape /metrics of every decode worker's system port",
        "dynamo_": "this Dynamo process passes no engine's counters on: scrape the decode workers, with the engine's "
        "metrics switched on",
        "inference_": "a gateway counts no drafts: scrape /metrics of every decode pod",
        "nginx_": "a proxy counts no drafts: scrape the engine behind it",
    }
)


def engines_in(scrapes: Iterable[Scrape], known: Mapping[str, Counters]) -> tuple[str, ...]:
    """The engines that count drafts in these scrapes; where none does, those whose series are there at all."""
    held = {family for scrape in scrapes for family in scrape.counters}
    names = {name for scrape in scrapes for name in scrape.names}
    counting = tuple(
        name for name, counters in known.items() if any(family in held for family in counters.families[:1])
    )
    there = (name for name, counters in known.items() if any(each.startswith(counters.prefix) for each in names))
    return counting or tuple(there)


def passing_on(scrapes: Iterable[Scrape], engines: Iterable[Engine]) -> str | None:
    """What to scrape instead, where the scrapes are of a router or a frontend."""
    names = {name for scrape in scrapes for name in scrape.names}
    own = {
        begin: f"a router counts no drafts: scrape {engine.metrics} of every {engine.label} server behind it"
        for engine in engines
        for begin in engine.footprint.routers
    }
    known = {**_PASSING_ON, **own}
    return next((said for begin, said in known.items() if any(name.startswith(begin) for name in names)), None)


def generating(scrapes: Scrapes, role_labels: Iterable[str]) -> Scrapes:
    """The scrapes without the series of workers whose role label says that they generate nothing."""
    labels = frozenset(role_labels)
    return {
        worker: replace(scrape, counters=dict(_of_generating(scrape, labels))) for worker, scrape in scrapes.items()
    }


def _of_generating(scrape: Scrape, labels: frozenset[str]) -> Iterator[tuple[str, Values]]:
    """The families that have a series left, or had none before."""
    for family, values in scrape.counters.items():
        kept = _kept(values, labels)
        if kept or not values:
            yield family, kept


def _kept(values: Values, labels: frozenset[str]) -> Values:
    return {
        series: value
        for series, value in values.items()
        if not any(name in labels and said.lower().startswith(_NOT_GENERATING) for name, said in series)
    }
