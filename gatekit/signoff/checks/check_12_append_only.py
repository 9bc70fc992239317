"""Check 12: append-only entries add points and touch none that stands there."""

from collections.abc import Iterator

from gatekit.domain.errors import BadInput, Unknown, Violations
from gatekit.plan.append_only import added_points
from gatekit.signoff.change.change import Change
from gatekit.signoff.checks.check import CONDITIONAL, Check, CheckFinding, Evidence, Outcome, known
from gatekit.signoff.checks.facts import Facts

_FLAG = b"append-only"


def decide(facts: Facts) -> CheckFinding:
    change = known(facts.change)
    if isinstance(change.selected, Unknown):
        return _unread(change, change.selected)
    if not any(one.entry.append_only for one in change.selected):
        return CheckFinding(Outcome.NOT_APPLICABLE, "no new changelog entry is append-only")
    try:
        added = added_points(change.selected, change.both) or frozenset()
    except Violations as no:
        return _refused(no.each)
    except BadInput as no:
        return _refused((no,))
    evidence = tuple(Evidence(one.entry.where, one.entry.where, ", ".join(one.keys)) for one in change.selected)
    code = tuple(dict.fromkeys(_code(change)))
    if code:
        said = (
            f"look whether {code[0]} can reach an earlier point: the configs only add points, code changed beside them"
        )
        return CheckFinding(Outcome.UNDECIDED, said, (*evidence, *(Evidence("changed", path) for path in code)))
    return CheckFinding(
        Outcome.PASS, f"{len(added)} AgentX points are added, and every earlier one is what it was", evidence
    )


def _refused(wrong: tuple[BadInput, ...]) -> CheckFinding:
    more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
    evidence = tuple(Evidence(no.problem, no.where) for no in wrong)
    return CheckFinding(Outcome.FAIL, f"{wrong[0]}{more}", evidence)


def _unread(change: Change, why: Unknown) -> CheckFinding:
    """The changelog is not as it must be: whether an entry is append-only, only its text can say."""
    path = change.tree.layout.changelog
    now = change.tree.snapshot.files.get(path, b"")
    before = change.both.before.snapshot.files.get(path, b"") if change.both.before else b""
    evidence = (Evidence("changelog", path, why.why),)
    if now.count(_FLAG) > before.count(_FLAG):
        return CheckFinding(Outcome.FAIL, f"an append-only entry is added, and {why.why}", evidence)
    return CheckFinding(Outcome.UNDECIDED, f"{why.why}; look whether an entry is append-only", evidence)


def _code(change: Change) -> Iterator[str]:
    """Changed programs that could run for an earlier point."""
    yield from change.shared
    for found in change.effective.values():
        programs = (path for path in (*found.files, *found.helpers) if not path.endswith((".yaml", ".yml")))
        yield from (path for path in programs if path in change.both.changed)


CHECK = Check(12, "append-only", CONDITIONAL, decide)
