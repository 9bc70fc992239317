"""Prometheus text → counters."""

import math
from collections.abc import Mapping

from prometheus_client.parser import text_string_to_metric_families

from gatekit.domain.errors import BadInput
from gatekit.domain.scrape import Labels, Scrape

MAX_SCRAPE = 8 * 1024 * 1024  # characters; a large vLLM deployment stays under 1 MiB
MAX_LINE = 16 * 1024  # characters; what the parser does with labels takes a time that grows with the square
PROCESS_START = "process_start_time_seconds"

_COUNTS = ("counter", "untyped", "unknown")  # untyped: lines that were cut out of a scrape


def read_scrape(text: str) -> Scrape:
    """Reads Prometheus text. Raises BadInput where it is none. A series that stands in it twice reads as NaN."""
    if len(text) > MAX_SCRAPE:
        raise BadInput("scrape", f"is longer than {MAX_SCRAPE:,} characters, so it was not read")
    if max(map(len, text.split("\n"))) > MAX_LINE:
        raise BadInput("scrape", f"has a line of more than {MAX_LINE:,} characters, so it was not read")
    counters: dict[str, dict[Labels, float]] = {}
    starts: dict[str, dict[Labels, float]] = {}
    names: set[str] = set()
    try:
        for family in text_string_to_metric_families(text):
            names.add(family.name)
            if family.type == "counter" and not family.samples:
                counters.setdefault(family.name.removesuffix("_total"), {})
            for sample in family.samples:
                name, value = sample.name.removesuffix("_total"), sample.value
                if name.endswith("_created") or name == PROCESS_START:
                    _put(starts, name, sample.labels, value)
                elif family.type in _COUNTS:
                    _put(counters, name, sample.labels, value)
    except (ValueError, IndexError) as error:  # the parser raises both on text that is none
        raise BadInput("scrape", f"is not Prometheus text ({_first_line(error)}); scrape the engine itself") from error
    return Scrape(counters, starts, frozenset(names))


def read_scrapes(texts: Mapping[str, str]) -> Mapping[str, Scrape]:
    """One scrape per worker. Raises BadInput that names the worker."""
    scrapes = {}
    for worker, text in texts.items():
        try:
            scrapes[worker] = read_scrape(text)
        except BadInput as error:
            raise BadInput(f"scrape of {worker}", error.problem) from error
    return scrapes


def _put(into: dict[str, dict[Labels, float]], name: str, labels: Mapping[str, str], value: float) -> None:
    series = into.setdefault(name, {})
    key = tuple(sorted(labels.items()))
    series[key] = math.nan if key in series else value


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:120] if lines else "a line cannot be read"
