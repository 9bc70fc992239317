"""Check 1: a green sweep with its evals, on a commit that is still in the pull request."""

from collections.abc import Iterator, Sequence

from gatekit.domain.errors import Unknown
from gatekit.domain.ids import Sha
from gatekit.domain.reuse import Commits
from gatekit.signoff.checks.check import CONDITIONAL, Check, CheckFinding, Evidence, NotKnown, Outcome, known
from gatekit.signoff.checks.facts import Facts
from gatekit.signoff.evidence.workflow_jobs import Family, SweepRun, Tally, evals_due, is_green, tally
from gatekit.use.decision import Chosen
from gatekit.use.workflow_runs import EVENT, WORKFLOWS

NAMED = 3  # lanes in one sentence
# Whoever changes these can name a job as he likes.
_JOBS = (".github/workflows/", ".github/actions/", "runners/")


def decide(facts: Facts) -> CheckFinding:
    change, runs, commits = known(facts.change), known(facts.runs), known(facts.commits)
    if not change.affected:
        return CheckFinding(Outcome.NOT_APPLICABLE, "no config is added, changed or run again")
    due = bool(evals_due(change))
    mine = list(_mine(runs, commits, facts))
    evidence = tuple(_evidence(run) for run in mine)
    green = _first_green(mine, due)
    if green is not None:
        return _green(green, due, facts, evidence)
    unread = [run for run in mine if isinstance(run.lanes, Unknown)]
    if unread or not commits.complete:
        what = f"the jobs of run {unread[0].run.id}" if unread else "the runs of the commits that were not read"
        return CheckFinding(Outcome.UNDECIDED, f"look at {what}: no green sweep was found", evidence)
    return CheckFinding(Outcome.FAIL, _why(mine, due, facts), evidence)


def green_run(facts: Facts) -> SweepRun | None:
    """The newest run whose benchmarks are all green, and whose evals are where there should be any.

    Raises NotKnown where runs, commits or the change are not known, or a run that was not read may be one.
    """
    commits = known(facts.commits)
    mine = list(_mine(known(facts.runs), commits, facts))
    green = _first_green(mine, bool(evals_due(known(facts.change))))
    if green is None:
        for each in mine:
            known(each.lanes)
        if not commits.complete:
            raise NotKnown(Unknown("not every commit of the pull request was read"))
    return green


def _first_green(mine: Sequence[SweepRun], due: bool) -> SweepRun | None:
    for each in sorted(mine, key=lambda each: each.run.id, reverse=True):
        if isinstance(each.lanes, tuple) and is_green(each.lanes, due):
            return each
    return None


def _mine(runs: Sequence[SweepRun], commits: Commits, facts: Facts) -> Iterator[SweepRun]:
    """Runs of the configured workflow, for a pull request, on a commit of this one."""
    workflow = f"{WORKFLOWS}{facts.settings.reuse.workflow}"
    for each in runs:
        run = each.run
        in_pull = run.head is not None and commits.holds(Sha(run.head))
        if run.repo == facts.pr.repo and run.event == EVENT and run.path.partition("@")[0] == workflow and in_pull:
            yield each


def _evidence(run: SweepRun) -> Evidence:
    if isinstance(run.lanes, Unknown):
        return Evidence(f"run {run.run.id}", run.run.url, run.lanes.why)
    parts = [(family, tally(run.lanes, family)) for family in Family]
    said = ", ".join(f"{family} {each.green} green, {len(each.others)} not" for family, each in parts)
    return Evidence(f"run {run.run.id} on {(run.run.head or '')[:7]}", run.run.url, said)


def _green(green: SweepRun, due: bool, facts: Facts, evidence: tuple[Evidence, ...]) -> CheckFinding:
    files = known(facts.files)
    own = next((file.path for file in files if _may_name_jobs(file.path)), None)
    where = f"run {green.run.id} on {(green.run.head or '')[:7]}"
    if own is not None:
        said = f"{where} is green, but this change touches {own}, which could name its own jobs; look at them"
        return CheckFinding(Outcome.UNDECIDED, said, evidence)
    evals = "and evals " if due else ""
    none = "" if due else ", which has no evals by design"
    return CheckFinding(Outcome.PASS, f"benchmarks {evals}are green in {where}{none}", evidence)


def _may_name_jobs(path: str) -> bool:
    return path.startswith(_JOBS) or "/runners/" in path


def _why(mine: Sequence[SweepRun], due: bool, facts: Facts) -> str:
    """Of the run that came furthest: what is not green in it."""
    if not mine:
        return f"no run of {facts.settings.reuse.workflow} on a commit of this pull request"
    last = max(mine, key=lambda each: each.run.id)
    lanes = last.lanes if isinstance(last.lanes, tuple) else ()
    bench, evals = tally(lanes, Family.BENCHMARK), tally(lanes, Family.EVAL)
    others = (*bench.others, *evals.others)
    if others:
        more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
        said = f"run {last.run.id} is not green: {', '.join(others[:NAMED])}{more}"
        return f"{said}{_pinned(last, facts)}"
    missing = "benchmarks" if not _ran(bench) else "evals"
    return f"run {last.run.id} ran no {missing}"


def _ran(found: Tally) -> bool:
    return found.green > 0 or bool(found.others)


def _pinned(last: SweepRun, facts: Facts) -> str:
    reuse = facts.reuse
    answer = None if reuse is None or isinstance(reuse, Unknown) else reuse.answer
    pinned = isinstance(answer, Chosen) and answer.run == last.run.id
    return "; a maintainer selected this very run with /use" if pinned else ""


CHECK = Check(1, "green sweep and evals on a commit in the PR", CONDITIONAL, decide)
