"""Check 0: who signs owns the changed files."""

from gatekit.signoff.checks.check import DECIDED, Check, CheckFinding, Evidence, Outcome, known, worst
from gatekit.signoff.checks.facts import Facts
from gatekit.signoff.codeowners import Codeowners
from gatekit.signoff.scope import paths_of
from gatekit.signoff.signers import Covered, Group, Signer, covered, to_sign


def decide(facts: Facts) -> CheckFinding:
    """One finding for each group of files with the same owners; files without an owner ask for any owner."""
    files, rules = known(facts.files), known(facts.rules)
    signer = Signer(facts.sign_off.author, facts.teams)
    found = to_sign(paths_of(files), rules)
    good = f"@{signer.login} owns every changed path"
    return worst(tuple(_finding(group, signer, rules) for group in found), good)


def _finding(group: Group, signer: Signer, rules: Codeowners) -> CheckFinding:
    owners = "anybody who owns something" if group.anybody else " ".join(owner.text for owner in group.owners)
    more = f" and {len(group.paths) - 1} more" if len(group.paths) > 1 else ""
    paths = f"{group.paths[0]}{more}" if group.paths else "no path"
    evidence = Evidence(paths, f"CODEOWNERS:{group.line}" if group.line else None, f"@{signer.login}", owners)
    match covered(group, signer, rules):
        case Covered.YES:
            return CheckFinding(Outcome.PASS, "", (evidence,))
        case Covered.NO:
            return CheckFinding(
                Outcome.FAIL, f"{paths} belongs to {owners}, and @{signer.login} is none of them", (evidence,)
            )
        case Covered.UNKNOWN:
            return CheckFinding(
                Outcome.UNDECIDED,
                f"{paths} belongs to {owners}; look whether @{signer.login} is in that team: its members are not "
                "readable",
                (evidence,),
            )


CHECK = Check(0, "signer owns the changed files", DECIDED, decide)
