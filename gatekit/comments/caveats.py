"""What a reader must know of the verdicts of a sweep before trusting them: one text, and all that it is said of."""

from collections.abc import Iterator, Mapping

from gatekit.domain.sweep import Sweep
from gatekit.domain.verdict import Judged
from gatekit.engines.unseen import NotRun, never_run


def caveats(sweep: Sweep) -> Mapping[str, tuple[str, ...]]:
    """Warnings of the plan and of the verdicts, each with the config keys or titles of gates that it is said of.

    Then those of recipe files, which are said of nothing else.
    """
    said: dict[str, list[str]] = {}
    for text, about in _each(sweep):
        said.setdefault(text, []).append(about)
    return {text: tuple(about) for text, about in said.items()} | dict.fromkeys(sweep.plan.repeats, ())


def _each(sweep: Sweep) -> Iterator[tuple[str, str]]:
    for warning in sweep.plan.warnings:
        yield warning.detail, warning.config_key
    for row in sweep.rows:
        if isinstance(row.verdict, Judged):
            yield from ((text, row.gate.title) for text in row.verdict.warnings)
            unseen = never_run(row.gate.launch.engine)
            if unseen is not None:
                yield _unseen(unseen), row.gate.title


def _unseen(engine: NotRun) -> str:
    return (
        f"Gatekit was never tested on a running {engine.part}: its counters are read as its sources describe them, so "
        "hold the AL against the engine's own log once."
    )
