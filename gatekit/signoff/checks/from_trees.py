"""The facts that stand in the repository itself: its head, and the base that it is judged by."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from gatekit.bench.repo.snapshot import Snapshot
from gatekit.domain.refusal import BadInput, Refusal
from gatekit.domain.unknown import Unknown
from gatekit.plan.plan import Sources
from gatekit.signoff.change.change import read_change
from gatekit.signoff.checks.facts import Facts
from gatekit.signoff.evidence.models_page import ModelsPage, read_models
from gatekit.signoff.evidence.results import Thresholds, read_thresholds

T = TypeVar("T")


def with_trees(facts: Facts, sources: Sources) -> Facts:
    """The facts with all that the trees hold; models and thresholds are the base's. What cannot be read says why."""
    layout = sources.settings.layout.at(sources.base)
    return replace(
        facts,
        settings=sources.settings,
        curves=sources.curves,
        change=_read(lambda: read_change(sources)),
        models=_read(lambda: _models(sources.base, layout.models[0])),
        thresholds=_read(lambda: _thresholds(sources.base, layout.thresholds[0])),
    )


def _read(make: Callable[[], T]) -> T | Unknown:
    try:
        return make()
    except Refusal as no:
        return Unknown("; ".join(no.sentences))


def _models(base: Snapshot, path: str) -> ModelsPage:
    return read_models(_file(base, path).decode(errors="replace"), path)


def _thresholds(base: Snapshot, path: str) -> Thresholds:
    return read_thresholds(path, _file(base, path))


def _file(base: Snapshot, path: str) -> bytes:
    data = base.files.get(path)
    if data is None:
        raise BadInput(path, "is not in the base; add it, or name yours in `layout`")
    return data
