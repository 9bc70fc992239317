"""Check 15, advisory: what the pull request's description claims is what the head has."""

import re

from gatekit.domain.errors import Unknown
from gatekit.signoff.change.change import Change
from gatekit.signoff.checks.check import ADVISORY, Check, CheckFinding, Evidence, Outcome, known
from gatekit.signoff.checks.facts import Facts
from gatekit.signoff.evidence.description import Claim, ClaimKind
from gatekit.signoff.evidence.workflow_jobs import SweepRun


def decide(facts: Facts) -> CheckFinding:
    description = known(facts.description)
    found = description.claims
    if not found:
        return CheckFinding(Outcome.NOT_APPLICABLE, "it claims nothing that can be looked up")
    change, runs = known(facts.change), known(facts.runs)
    texts = _texts(change)
    wrong = [claim for claim in found if not _holds(claim, change, texts, runs)]
    evidence = tuple(
        Evidence(f"{claim.kind}: {claim.text}", f"line {claim.line} of the description") for claim in wrong
    )
    if wrong:
        old = not isinstance(description.pushed, Unknown) and description.edited < description.pushed
        since = "; it was written before the last push, so ask for it to be looked over" if old else ""
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        said = f"{wrong[0].kind} {wrong[0].text} is not in what is changed{more}{since}"
        return CheckFinding(Outcome.WARN, said, evidence)
    stated = tuple(Evidence(f"{claim.kind}: {claim.text}", f"line {claim.line} of the description") for claim in found)
    return CheckFinding(Outcome.PASS, "every image, key, run and setting that it names is there", stated)


def _texts(change: Change) -> str:
    """Everything that affected configs start from."""
    files = change.tree.snapshot.files
    paths = (path for each in change.effective.values() for path in (*each.files, *each.helpers))
    settings = (f"{s.knob.name}={s.knob.value}" for each in change.effective.values() for s in each.settings)
    return "\n".join((*(files[path].decode(errors="replace") for path in dict.fromkeys(paths)), *settings))


def _holds(claim: Claim, change: Change, texts: str, runs: tuple[SweepRun, ...]) -> bool:
    match claim.kind:
        case ClaimKind.IMAGE:
            images = {each.config.image.replace("#", "/") for each in change.affected}
            return claim.text in images or claim.text in texts
        case ClaimKind.KEY:
            return claim.text in change.configs
        case ClaimKind.RUN:
            return any(str(each.run.id) == claim.text for each in runs)
        case ClaimKind.SETTING:
            name, _, value = re.sub(r"^--", "", claim.text).replace(" ", "=", 1).partition("=")
            plain = name.replace("-", "_")
            return f"{plain}={value}" in texts or f"{name}={value}" in texts


CHECK = Check(15, "description matches", ADVISORY | {Outcome.NOT_APPLICABLE}, decide, unknown=Outcome.WARN)
