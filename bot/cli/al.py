"""gatekit al: the realized acceptance length between two Prometheus scrapes."""

import argparse
import json
from pathlib import Path

from bot.files import text_of
from gatekit.cluster.result import split_workers
from gatekit.domain.errors import BadInput
from gatekit.domain.verdict import NotMeasured
from gatekit.engines.counters import Counts
from gatekit.engines.registry import ENGINES
from gatekit.formats.prometheus import read_scrapes
from gatekit.measure.acceptance import measure
from gatekit.measure.workers import ROLE_LABELS, Scrapes, engines_in, generating, passing_on

_A_SCRAPE = "the file of a scrape"


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "AL = 1 + accepted draft tokens / drafts, between two scrapes of an engine's metrics. "
        "A file may also hold one section per worker, each headed by '# worker NAME URL'."
    )
    parser.add_argument("--before", type=Path, required=True, metavar="FILE", help="the scrape before the traffic")
    parser.add_argument("--after", type=Path, required=True, metavar="FILE", help="the scrape after it")
    parser.add_argument("--engine", choices=sorted(ENGINES.counters), help="whose counters to read; default: found out")
    parser.add_argument(
        "--role-labels",
        nargs="*",
        default=(),
        metavar="LABEL",
        help="labels that name a worker's role: series that say prefill do not count "
        f"(without a label: {', '.join(ROLE_LABELS)})",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """0 with the AL; 1 with the reason why there is none. Raises BadInput where a file is not there."""
    before, after = text_of(args.before, _A_SCRAPE), text_of(args.after, _A_SCRAPE)
    try:
        scrapes = _scrapes(args.before, before), _scrapes(args.after, after)
    except BadInput as error:
        found: Counts | NotMeasured | str = str(error)
    else:
        found = _measured(*scrapes, args)
    reason = found.reason if isinstance(found, NotMeasured) else found if isinstance(found, str) else None
    counts = found if isinstance(found, Counts) else None
    print(json.dumps(_object(counts, reason)) if args.json else _sentence(counts, reason))
    return 0 if counts is not None else 1


def _measured(before: Scrapes, after: Scrapes, args: argparse.Namespace) -> Counts | NotMeasured | str:
    labels = _role_labels(args.role_labels)
    before, after = generating(before, labels), generating(after, labels)
    engine = args.engine or detect(before, after)
    if engine is None:
        return _no_engine(before, after)
    return measure(before, after, ENGINES.counters[engine])


def detect(before: Scrapes, after: Scrapes) -> str | None:
    """The engine whose counters stand in the scrapes. Raises BadInput where several engines' do."""
    found = engines_in([*before.values(), *after.values()], ENGINES.counters)
    if len(found) > 1:
        raise BadInput("--engine", f"the scrapes hold counters of {', '.join(sorted(found))}: say which to read")
    return found[0] if found else None


def _role_labels(given: list[str] | tuple[str, ...] | None) -> tuple[str, ...]:
    """None where the option is not there; the known labels where it names none; commas part labels too."""
    if isinstance(given, tuple):
        return ()
    return tuple(name for text in given or [] for name in text.split(",") if name) or ROLE_LABELS


def _scrapes(path: Path, text: str) -> Scrapes:
    """Raises BadInput that names the file: its text is no scrape."""
    try:
        return read_scrapes(split_workers(text))
    except BadInput as error:
        raise BadInput(str(path), f"{error.where} {error.problem}") from error


def _no_engine(before: Scrapes, after: Scrapes) -> str:
    instead = passing_on([*before.values(), *after.values()], ENGINES.engines)
    if instead is not None:
        return f"No counters of speculative decoding in either scrape: {instead}."
    known = ", ".join(sorted(ENGINES.counters))
    return f"No counters of speculative decoding in either scrape ({known} are known): is speculation on?"


def _object(counts: Counts | None, reason: str | None) -> dict[str, object]:
    return {
        "al": counts.al if counts else None,
        "drafts": counts.drafts if counts else None,
        "accepted": counts.accepted if counts else None,
        "draft_tokens": counts.draft_tokens if counts else None,
        "per_position": counts.per_position if counts else None,
        "reason": reason,
    }


def _sentence(counts: Counts | None, reason: str | None) -> str:
    if counts is None:
        return f"not measured: {reason}"
    parts = [f"acceptance length {counts.al:.4f} = 1 + {counts.accepted:,} accepted / {counts.drafts:,} drafts"]
    if counts.draft_tokens is not None:
        parts.append(f"{counts.draft_tokens / counts.drafts:.2f} tokens per draft")
    if counts.per_position:
        parts.append("accepted by position: " + ", ".join(f"{count:,}" for count in counts.per_position))
    return "; ".join(parts)
