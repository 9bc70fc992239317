"""A gate takes what was measured, or what runs, for a commit of this pull request; else it says why it does not."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from gatekit.domain.gates import Gate, GatePlan
from gatekit.domain.ids import GateKey, Sha, SweepId
from gatekit.domain.reuse import Adopt, Anew, Choice, Commits, Measurement, Reuse, Start, UnderWay
from gatekit.domain.verdict import CurveOutcome
from gatekit.plan.reuse_key import parts_of, reuse_key
from gatekit.sweep.reuse import ReuseFacts, choose
from tests.worlds.bench import plans
from tests.worlds.bot.stories import judged

HERE, GONE = Sha("a" * 40), Sha("f" * 40)
NODE = "n" * 64


def keyed(gate: Gate, node: str = NODE) -> Gate:
    return replace(gate, key=reuse_key(parts_of(gate, node)))


GATE = keyed(plans.gate("near"))
WIDER = keyed(replace(GATE, launch=replace(GATE.launch, args=(*GATE.launch.args, ("ctx-size", 9000)))))
OTHER = keyed(replace(plans.gate("far"), launch=replace(plans.LAUNCH, model="other")))
COMMITS = Commits(frozenset({HERE}), complete=True)
NOTHING = ReuseFacts((), (), COMMITS, None)


def plan(*gates: Gate, node: str = NODE) -> GatePlan:
    return GatePlan(HERE, len(gates), gates, (), (), (), node)


def measured(head: Sha = HERE, sweep: int = 1, *, intact: bool = True, key: GateKey = GATE.key) -> Measurement:
    at = datetime(2026, 11, 30, sweep, tzinfo=UTC)
    return Measurement(key, SweepId(sweep), 1, (head,), at, judged(CurveOutcome.ON_CURVE, 2.5, 2.5), intact)


def runs(head: Sha = HERE, sweep: int = 1) -> UnderWay:
    return UnderWay(GATE.key, SweepId(sweep), (head,))


BOTH = replace(measured(), heads=(GONE, HERE))  # its job was adopted for a second head
BEFORE = (SweepId(1), plan(GATE))


@pytest.mark.parametrize(
    ("known", "choice"),
    [
        (NOTHING, Start()),
        (replace(NOTHING, measurements=(measured(),)), Reuse(measured(), HERE)),
        (replace(NOTHING, measurements=(measured(sweep=2), measured(sweep=1))), Reuse(measured(sweep=2), HERE)),
        (replace(NOTHING, measurements=(measured(GONE, 2), measured(sweep=1))), Reuse(measured(sweep=1), HERE)),
        (replace(NOTHING, under_way=(runs(),)), Adopt(SweepId(1))),
        (replace(NOTHING, under_way=(runs(),), measurements=(measured(),)), Reuse(measured(), HERE)),
        (replace(NOTHING, under_way=(runs(),), measurements=(measured(GONE),)), Adopt(SweepId(1))),
        (replace(NOTHING, measurements=(measured(GONE),)), Start(Anew.LEFT, sweep=SweepId(1))),
        (replace(NOTHING, measurements=(BOTH,)), Reuse(BOTH, HERE)),
        (replace(NOTHING, under_way=(runs(GONE),)), Start(Anew.LEFT, sweep=SweepId(1))),
        (replace(NOTHING, measurements=(measured(intact=False),)), Start(Anew.RAW, sweep=SweepId(1))),
        (replace(NOTHING, measurements=(measured(key=OTHER.key),)), Start()),
        (replace(NOTHING, measurements=(measured(),), anew=True, before=BEFORE), Start(Anew.ASKED, sweep=SweepId(1))),
        (replace(NOTHING, under_way=(runs(),), anew=True, before=BEFORE), Start(Anew.ASKED, sweep=SweepId(1))),
        (replace(NOTHING, before=BEFORE), Start(Anew.UNMEASURED, sweep=SweepId(1))),
        (replace(NOTHING, before=(SweepId(1), plan(OTHER))), Start()),
        (
            replace(NOTHING, before=(SweepId(1), plan(WIDER))),
            Start(Anew.DIFFERS, ("launch.args.ctx-size",), SweepId(1)),
        ),
        (
            replace(NOTHING, before=(SweepId(1), plan(keyed(GATE, "m" * 64), node="m" * 64))),
            Start(Anew.DIFFERS, ("node",), SweepId(1)),
        ),
    ],
)
def test_what_a_gate_takes(known: ReuseFacts, choice: Choice) -> None:
    assert choose(plan(GATE), known) == {GATE.key: choice}


@pytest.mark.parametrize(
    ("commits", "choice"),
    [
        (Commits(frozenset({HERE}), complete=False), Reuse(measured(), HERE)),
        (Commits(frozenset(), complete=False), Start(Anew.UNSURE, sweep=SweepId(1))),
        (Commits(frozenset(), complete=True), Start(Anew.LEFT, sweep=SweepId(1))),
    ],
)
def test_a_list_of_commits_that_is_not_whole_says_neither_yes_nor_no(commits: Commits, choice: Choice) -> None:
    assert choose(plan(GATE), replace(NOTHING, measurements=(measured(),), commits=commits)) == {GATE.key: choice}


def test_what_differs_is_told_from_the_gate_that_is_most_alike() -> None:
    """A configuration may have several gates; another one's parts would mislead."""
    sampled = keyed(replace(WIDER, drafting=replace(GATE.drafting, k=GATE.drafting.k + 1), recipe="elsewhere.yaml"))
    known = replace(NOTHING, before=(SweepId(1), plan(sampled, WIDER)))
    assert choose(plan(GATE), known)[GATE.key] == Start(Anew.DIFFERS, ("launch.args.ctx-size",), SweepId(1))
