"""Check 4, advisory: a run is selected for reuse at merge."""

from gatekit.signoff.checks.check import ADVISORY, Check, CheckFinding, Evidence, Outcome, known
from gatekit.signoff.checks.facts import Facts
from gatekit.use.decision import Chosen, Rejected


def decide(facts: Facts) -> CheckFinding:
    reuse = known(facts.reuse)
    if reuse is None:
        said = "nobody with write access has selected a run: without `/use <run>` the sweep runs again after the merge"
        return CheckFinding(Outcome.WARN, said)
    evidence = Evidence(
        f"the command of {reuse.winner.author}", f"comment {reuse.winner.comment}", str(reuse.winner.run or "newest")
    )
    match reuse.answer:
        case Chosen(run=run, head=head):
            return CheckFinding(Outcome.PASS, f"run {run} on {head[:7]} is selected", (evidence,))
        case Rejected(run=refused, why=why, detail=detail):
            named = "no run" if refused is None else f"run {refused}"
            more = f": {detail}" if detail else ""
            return CheckFinding(Outcome.WARN, f"{named} would be refused at the merge ({why.value}{more})", (evidence,))


CHECK = Check(4, "reuse command on record", ADVISORY, decide, unknown=Outcome.WARN)
