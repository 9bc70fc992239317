"""`gatekit signoff check`: a sign-off before it is posted."""

import argparse
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from bot.cli.arguments import add_pull
from bot.cli.signoff_file import NOT_IN_FILE, Dry, FactsFile, facts_of, read_facts_file
from bot.cli.signoff_live import live_facts
from bot.errors import NotReached
from bot.files import bytes_of, text_of
from gatekit.comments.signoff import hint, not_needed
from gatekit.domain.errors import Refusal, Unknown
from gatekit.domain.ids import Login, PrRef, Sha
from gatekit.signoff.checklist.items import Item, ItemState
from gatekit.signoff.checklist.phrase import PHRASE
from gatekit.signoff.checks.check import Outcome
from gatekit.signoff.checks.check_05_template import items_of
from gatekit.signoff.checks.facts import Facts
from gatekit.signoff.checks.verdict import Overall, SignOffVerdict, verify
from gatekit.signoff.resource import Access, Surface
from gatekit.signoff.trigger import Action, Person, Post, PostContext, Trigger, TriggerAnswer, TriggerReason, trigger

_ORDER = (Outcome.FAIL, Outcome.UNDECIDED, Outcome.WARN, Outcome.PASS, Outcome.NOT_APPLICABLE)
_NOT_NEEDED = {"outcome": "NOT NEEDED", "trigger": TriggerAnswer.VERIFY.value, "items": [], "checks": []}
_FINE = frozenset({ItemState.TICKED, ItemState.NOT_APPLICABLE})


def register(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    check = actions.add_parser(
        "check",
        help="a sign-off before it is posted",
        description="Reads a checklist as the bot would and says what each check makes of it. With --template the form "
        "is checked from the two files alone, and the rest needs --facts; with --repo and --pr everything is read from "
        "GitHub, through the App. Nothing is written.",
    )
    check.add_argument("--body", type=Path, required=True, metavar="FILE", help="the comment, as it would be posted")
    check.add_argument("--template", type=Path, metavar="FILE", help="the checklist's page")
    check.add_argument("--facts", type=Path, metavar="FILE", help="JSON with what is known: docs/signoff.md")
    add_pull(check, "hold it against a pull request of it")
    check.add_argument("--author", metavar="LOGIN", help="who will post it")
    check.add_argument("--json", action="store_true", help="print one JSON object")
    check.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """0 nothing fails; 1 a check fails, the comment would not be verified, or GitHub did not answer; 2 wrong usage.

    Raises BadInput for a file, and SettingsError.
    """
    wrong = _wrong_usage(args)
    if wrong is not None:
        print(f"gatekit signoff check: {wrong}", file=sys.stderr)
        return 2
    body = text_of(args.body, "the text of the comment")
    try:
        return _live(args, body) if args.repo is not None else _from_files(args, body)
    except NotReached as error:
        print(error, file=sys.stderr)
        return 2 if error.ours else 1


def _wrong_usage(args: argparse.Namespace) -> str | None:
    if (args.repo is None) != (args.pr is None):
        return "give --repo OWNER/NAME and --pr NUMBER together"
    if (args.repo is None) == (args.template is None):
        return "give the checklist's page with --template FILE, or a pull request with --repo and --pr"
    if args.repo is not None and args.facts is not None:
        return "give --facts with --template: of a pull request everything is read from GitHub"
    if args.repo is None and args.author is not None:
        return "give --author with --repo and --pr: a facts file names its own"
    return None


def _from_files(args: argparse.Namespace, body: str) -> int:
    given, folder = FactsFile(), Path()
    if args.facts is not None:
        given, folder = read_facts_file(args.facts, bytes_of(args.facts, "a facts file")), args.facts.parent
    facts = facts_of(Dry(body, args.template, given, folder, datetime.now(UTC)))
    started = _trigger(facts, PostContext(Access("write", "write"), open=True, draft=False))
    return _answer(args, facts, verify(facts, Sha(given.head), Login(given.opened_by)), started)


def _live(args: argparse.Namespace, body: str) -> int:
    try:
        found = live_facts(PrRef(args.repo, args.pr), body, Login(args.author) if args.author else None)
    except Refusal as no:  # of the repository's own files
        print(no, file=sys.stderr)
        return 1
    if found.facts is None:
        print(json.dumps(_NOT_NEEDED, indent=1) if args.json else not_needed())
        return 0
    verdict = verify(found.facts, found.pull.head, found.pull.author)
    if not args.json:
        print(f"{found.pull.ref} at {found.pull.head}")
    return _answer(args, found.facts, verdict, _trigger(found.facts, found.standing))


def _answer(args: argparse.Namespace, facts: Facts, verdict: SignOffVerdict, started: Trigger) -> int:
    items = _items(facts)
    print(json.dumps(_object(verdict, items, started), indent=1) if args.json else _text(verdict, items, started))
    return 1 if verdict.overall is Overall.REJECTED or started.answer is not TriggerAnswer.VERIFY else 0


def _items(facts: Facts) -> Sequence[Item]:
    current = facts.template
    return () if current is None or isinstance(current, Unknown) else items_of(facts, current)


def _trigger(facts: Facts, standing: PostContext) -> Trigger:
    """Posted by its author, as a comment."""
    person = Person(facts.sign_off.author)
    return trigger(Post(Surface.CONVERSATION, Action.CREATED, person, person, facts.sign_off.body), standing)


def _object(verdict: SignOffVerdict, items: Sequence[Item], started: Trigger) -> dict[str, object]:
    return {
        "outcome": verdict.overall.value,
        "trigger": started.answer.value,
        "items": [
            {
                "n": item.label,
                "text": item.text,
                "state": item.state.value,
                "matched": item.state is not ItemState.MISSING and item.sure,
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
    if started.answer is TriggerAnswer.HINT:
        lines.append(hint(started.why))
    elif started.answer is TriggerAnswer.SILENT:
        lines.append(f"Nobody would take it for a sign-off ({started.why}){_mend(started)}")
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


def _mend(started: Trigger) -> str:
    return f": it must open with `{PHRASE}`" if started.why is TriggerReason.NO_PHRASE else ""
