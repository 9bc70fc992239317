"""`gatekit signoff check`: a sign-off before it is posted."""

import argparse
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from bot.cli.signoff_facts import NOT_IN_FILE, Dry, facts_of
from bot.cli.signoff_file import FactsFile, read_facts_file
from bot.files import bytes_of, text_of
from gatekit.comments.signoff_replies import hint
from gatekit.ids import Login, Sha
from gatekit.signoff.items import Item, State
from gatekit.signoff.opening import PHRASE
from gatekit.signoff.people import Access
from gatekit.signoff.resource import Surface
from gatekit.signoff.trigger import Action, Answer, Person, Posted, Standing, Trigger, trigger
from gatekit.signoff_checks.check_05_template import items_of
from gatekit.signoff_checks.facts import Facts
from gatekit.signoff_checks.outcome import Outcome
from gatekit.signoff_checks.verdict import Overall, SignOffVerdict, verify
from gatekit.unknown import Unknown

_ORDER = (Outcome.FAIL, Outcome.UNDECIDED, Outcome.WARN, Outcome.PASS, Outcome.NOT_APPLICABLE)
_FINE = frozenset({State.TICKED, State.NOT_APPLICABLE})


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = commands.add_parser("signoff", help="the CODEOWNER checklist")
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    check = actions.add_parser(
        "check",
        help="a sign-off before it is posted",
        description="Reads a checklist as the bot would and says what each check makes of it. The form is checked from "
        "the two files alone; the rest needs facts. Nothing is asked of GitHub, and nothing is written.",
    )
    check.add_argument("--body", type=Path, required=True, metavar="FILE", help="the comment, as it would be posted")
    check.add_argument("--template", type=Path, required=True, metavar="FILE", help="the checklist's page")
    check.add_argument("--facts", type=Path, metavar="FILE", help="JSON with what is known: docs/signoff.md")
    check.add_argument("--json", action="store_true", help="print one JSON object")
    check.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """0 nothing fails; 1 a check fails, or the comment would not be verified. Raises BadInput for a file."""
    body = text_of(args.body, "the text of the comment")
    given, folder = FactsFile(), Path()
    if args.facts is not None:
        given, folder = read_facts_file(args.facts, bytes_of(args.facts, "a facts file")), args.facts.parent
    facts = facts_of(Dry(body, args.template, given, folder, datetime.now(UTC)))
    verdict = verify(facts, Sha(given.head), Login(given.opened_by))
    items = _items(facts)
    started = _trigger(body, given.author)
    print(json.dumps(_object(verdict, items, started), indent=1) if args.json else _text(verdict, items, started))
    return 1 if verdict.overall is Overall.REJECTED or started.answer is not Answer.VERIFY else 0


def _items(facts: Facts) -> Sequence[Item]:
    current = facts.template
    return () if current is None or isinstance(current, Unknown) else items_of(facts, current)


def _trigger(body: str, author: str) -> Trigger:
    """Posted by somebody with write access, on a pull request that is open and ready."""
    person = Person(Login(author))
    posted = Posted(Surface.CONVERSATION, Action.CREATED, person, person, body)
    return trigger(posted, Standing(Access("write", "write"), open=True, draft=False))


def _object(verdict: SignOffVerdict, items: Sequence[Item], started: Trigger) -> dict[str, object]:
    return {
        "outcome": verdict.overall.value,
        "trigger": started.answer.value,
        "items": [
            {
                "n": item.label,
                "text": item.text,
                "state": item.state.value,
                "matched": item.state is not State.MISSING and item.sure,
            }
            for item in items
        ],
        "checks": [
            {"n": row.number, "name": row.name, "outcome": row.finding.outcome.value, "reason": row.finding.reason}
            for row in verdict.rows
        ],
    }


def _text(verdict: SignOffVerdict, items: Sequence[Item], started: Trigger) -> str:
    lines = [verdict.overall.value]
    if started.answer is Answer.HINT:
        lines.append(hint(started.why))
    elif started.answer is Answer.SILENT:
        lines.append(f"Nobody would take it for a sign-off ({started.why}): it must open with `{PHRASE}`")
    for item in items:
        if item.state not in _FINE or not item.sure:
            why = f": {item.said}" if item.said else ""
            lines.append(f"  item {item.label}: {item.state.value}{why}  ({item.text[:60]})")
    told = [row for row in verdict.rows if not row.finding.reason.endswith(f": {NOT_IN_FILE.why}")]
    lines += [
        f"  check {row.number} ({row.name}): {row.finding.outcome} - {row.finding.reason}"
        for row in sorted(told, key=lambda row: _ORDER.index(row.finding.outcome))
    ]
    untold = ", ".join(str(row.number) for row in verdict.rows if row not in told)
    if untold:
        lines.append(f"  checks {untold}: these files do not tell; give what is known with --facts")
    return "\n".join(lines)
