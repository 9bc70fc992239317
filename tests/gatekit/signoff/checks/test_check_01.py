"""Check 1: a green sweep with its evals, on a commit that is still in the pull request."""

from dataclasses import replace

import pytest

from gatekit.domain.errors import Unknown
from gatekit.domain.ids import Repo, Sha
from gatekit.domain.reuse import Commits
from gatekit.signoff.checks.check import Outcome
from gatekit.signoff.checks.check_01_sweep import CHECK, green_run
from gatekit.signoff.checks.facts import NOT_READ, Facts
from gatekit.signoff.evidence.workflow_jobs import Family, Lane, SweepRun
from gatekit.use.decision import No, Rejected
from tests.worlds.bench.small_bench import CHANGELOG, CONFIG, config, entry, row
from tests.worlds.signoff.signed import HEAD, LANES, change, clean, files, run, used

FIXED = """\
    fixed-seq-len:
    - {isl: 8192, osl: 1024, search-space: [{tp: 8, conc-list: [16]}]}
"""
EVALUATED = change({CONFIG: config(row("[4, 8]")) + FIXED})
BENCH, EVAL = Lane("single-node 8k1k / p1 | x", "success"), Lane("eval / p1 | x", "success")
OTHER = Sha("2" * 40)


def lane(name: str, conclusion: str | None, app: str = "github-actions") -> Lane:
    return Lane(f"{name} / p1 | x", conclusion, app)


@pytest.mark.parametrize(
    ("name", "family"),
    [
        *((name, Family.BENCHMARK) for name in ("canary", "single-node 1k1k", "single-node 8k1k", "multi-node 8k1k")),
        *((name, Family.BENCHMARK) for name in ("agentic", "multi-node agentic")),
        *((name, Family.EVAL) for name in ("eval", "agentic eval", "multi-node eval", "multi-node agentic eval")),
        ("collect-evals", None),
        ("my eval", None),
        ("lint", None),
    ],
)
def test_the_family_of_a_job(name: str, family: Family | None) -> None:
    assert lane(name, "success").family is family
    assert lane(name, "success", app="another-app").family is None


@pytest.mark.parametrize(
    ("lanes", "outcome", "said"),
    [
        ((BENCH, EVAL), Outcome.PASS, "benchmarks and evals are green in run 70 on 1111111"),
        (
            (BENCH, EVAL, lane("agentic", "skipped"), lane("lint", "failure")),
            Outcome.PASS,
            "benchmarks and evals are green in run 70 on 1111111",
        ),
        ((BENCH,), Outcome.FAIL, "run 70 ran no evals"),
        ((BENCH, lane("eval", "skipped")), Outcome.FAIL, "run 70 ran no evals"),
        ((BENCH, lane("collect-evals", "success")), Outcome.FAIL, "run 70 ran no evals"),
        ((EVAL,), Outcome.FAIL, "run 70 ran no benchmarks"),
        ((), Outcome.FAIL, "run 70 ran no benchmarks"),
        ((BENCH, lane("eval", "success", "other-app")), Outcome.FAIL, "run 70 ran no evals"),
        ((BENCH, lane("eval", "failure")), Outcome.FAIL, "run 70 is not green: eval / p1 | x"),
        ((lane("canary", "cancelled"), EVAL), Outcome.FAIL, "run 70 is not green: canary / p1 | x"),
        ((lane("canary", None), EVAL), Outcome.FAIL, "run 70 is not green: canary / p1 | x"),
    ],
)
def test_a_run_with_evals(lanes: tuple[Lane, ...], outcome: Outcome, said: str) -> None:
    found = CHECK.run(replace(clean(), change=EVALUATED, runs=(run(lanes=lanes),), reuse=None))
    assert (found.outcome, found.reason) == (outcome, said)


@pytest.mark.parametrize(
    ("runs", "outcome", "said"),
    [
        ((run(),), Outcome.PASS, "benchmarks are green in run 70 on 1111111, which has no evals by design"),
        (
            (run(lanes=(*LANES, lane("agentic eval", "failure"))),),
            Outcome.FAIL,
            "run 70 is not green: agentic eval / p1 | x",
        ),
        ((), Outcome.FAIL, "no run of run-sweep.yml on a commit of this pull request"),
        ((run(head=OTHER),), Outcome.FAIL, "no run of run-sweep.yml on a commit of this pull request"),
        (
            (run(60), run(71, lanes=(lane("agentic", "failure"),))),
            Outcome.PASS,
            "benchmarks are green in run 60 on 1111111, which has no evals by design",
        ),
        (
            (run(lanes=Unknown("GitHub did not answer")),),
            Outcome.UNDECIDED,
            "look at the jobs of run 70: no green sweep was found",
        ),
    ],
)
def test_runs_of_a_change_without_evals(runs: tuple[SweepRun, ...], outcome: Outcome, said: str) -> None:
    found = CHECK.run(replace(clean(), runs=runs, reuse=None))
    assert (found.outcome, found.reason) == (outcome, said)


@pytest.mark.parametrize(
    "changes",
    [{"event": "push"}, {"path": ".github/workflows/other.yml"}, {"repo": Repo("acme", "fork")}, {"head": None}],
)
def test_a_run_of_something_else_does_not_count(changes: dict[str, object]) -> None:
    other = run()
    found = CHECK.run(replace(clean(), runs=(replace(other, run=replace(other.run, **changes)),)))
    assert found.outcome is Outcome.FAIL


@pytest.mark.parametrize(
    ("path", "outcome"),
    [
        (".github/workflows/run-sweep.yml", Outcome.UNDECIDED),
        ("runners/launch_b200.sh", Outcome.UNDECIDED),
        ("inferencex-e2e/runners/launch.sh", Outcome.UNDECIDED),
        ("configs/runners.yaml", Outcome.PASS),
    ],
)
def test_who_changes_the_jobs_can_name_them_as_he_likes(path: str, outcome: Outcome) -> None:
    assert CHECK.run(replace(clean(), files=files(CONFIG, path))).outcome is outcome


def test_with_commits_that_were_not_read_nothing_is_said_to_be_missing() -> None:
    facts = replace(clean(), commits=Commits(frozenset({OTHER}), complete=False))
    found = CHECK.run(facts)
    assert (found.outcome, found.reason) == (
        Outcome.UNDECIDED,
        "look at the runs of the commits that were not read: no green sweep was found",
    )
    assert CHECK.run(replace(facts, commits=Commits(frozenset({HEAD}), complete=False))).outcome is Outcome.PASS


def test_a_run_that_a_maintainer_selected_is_said_to_be_so() -> None:
    facts = replace(clean(), runs=(run(lanes=(lane("agentic", "failure"),)),))
    assert CHECK.run(facts).reason.endswith("; a maintainer selected this very run with /use")
    other = replace(facts, reuse=used(Rejected(No.EXPIRED, 70)))
    assert not CHECK.run(other).reason.endswith("/use")


def test_nothing_to_measure_is_not_applicable() -> None:
    same = change({CONFIG: config(row("[4]")), CHANGELOG: entry()})
    assert CHECK.run(replace(clean(), change=same)).outcome is Outcome.NOT_APPLICABLE


@pytest.mark.parametrize("fact", ["change", "runs", "commits", "files"])
def test_without_its_facts_it_says_so(fact: str) -> None:
    facts: Facts = replace(clean(), **{fact: NOT_READ})
    assert CHECK.run(facts).outcome is Outcome.UNDECIDED


def test_the_newest_green_run_is_taken() -> None:
    found = green_run(replace(clean(), runs=(run(60), run(80), run(70), run(90, lanes=()))))
    assert found is not None
    assert found.run.id == 80
