"""A new engine is one file and one row: with nothing else a gate of it is planned, launched, scraped and judged."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from gatekit.bench.recipes.roles import Role
from gatekit.bench.recipes.shelf import Parallelism
from gatekit.cluster.job import job_for
from gatekit.domain.gates import EngineName, Gate, GatePlan, Launch, Reason, StrippedKnob
from gatekit.domain.ids import JobName, SweepId
from gatekit.domain.job import Job
from gatekit.domain.verdict import CurveOutcome, Judged, NotMeasured, Unmeasured, Verdict
from gatekit.engines.counters import Counters, SeriesNames
from gatekit.engines.engine import Args, Arguments, Files, Speculation, names, words
from gatekit.engines.forced_acceptance import Asked, Forcing
from gatekit.engines.registry import ENGINES, Registry
from gatekit.engines.traits import Footprint, OpenEngine, Variables
from gatekit.formats.prometheus import read_scrapes
from gatekit.measure.acceptance import measure
from gatekit.measure.judge import judge
from gatekit.measure.workers import engines_in
from gatekit.plan.plan import plan_keys
from gatekit.serving.strip import strip
from tests.worlds.bench.small_bench import CLUSTER, CURVE, bench, config, curves, row, sources, text
from tests.worlds.cluster.attempts import AFTER, BEFORE, WORKER, Attempt, scrape, slices, steady

K, GOLDEN = 4, 2.50


class Toy:
    """The one file."""

    name = EngineName("toy")
    label = "Toy"
    frameworks: tuple[str, ...] = ("toy", "toy-disagg")
    exempt = frozenset({"toy-disagg"})
    unseen: str | None = "Whether a toy plays, is not known."
    health = "/up"
    metrics = "/counted"
    counters: Counters = SeriesNames(
        drafts="toy:spec_decode_num_drafts",
        accepted="toy:spec_decode_num_accepted_tokens",
        draft_tokens="toy:spec_decode_num_draft_tokens",
        per_position="toy:spec_decode_num_accepted_tokens_per_pos",
        generated="toy:generation_tokens",
    )
    settle_seconds = 3.0
    slice_seconds = 1.0
    arguments = Arguments(
        allowed=names("guesses gpus-together experts-apart"), values={}, nested={}, models=frozenset()
    )
    deployment = names("gpus-together experts-apart")
    drafting = names("guesses")
    foreign: tuple[str, ...] = ()
    adaptive: tuple[str, str] | None = None
    forcing = Forcing(names=("pretend_taken",), lengths={"pretend_taken": Asked.ACCEPTED}, unset=("TOY_PRETEND_TAKEN",))
    sizes: Mapping[str, tuple[str, ...]] = {"tp": ("gpus-together",), "ep": ("experts-apart",)}
    parallelism = Parallelism(experts=("experts-apart",))
    variables = Variables()
    footprint = Footprint()
    open: OpenEngine | None = None

    def speculation(self, role: Role) -> Speculation | None:
        k = role.args.get("guesses")
        return Speculation("mtp", k, None, None) if isinstance(k, int) else None

    def verifying_all(self, role: Role) -> Role:
        return role

    def with_k(self, role: Role, k: int) -> Role:
        return replace(role, args={**role.args, "guesses": k})

    def model_of(self, role: Role) -> str | None:
        return None

    def argv(self, launch: Launch) -> tuple[str, ...]:
        return (launch.model, *words(launch.args), "--port", "{port}")

    def files(self, launch: Launch) -> Files:
        return ()

    def served_name(self, launch: Launch) -> str:
        return launch.model

    def models(self, args: Args) -> Collection[tuple[str, str]]:
        return ()


WITH_TOY = Registry((*ENGINES.engines, Toy()), ENGINES.only_read)  # the one row

RECIPE = text("""
    base:
      schema: 2
      engine: toy
      roles:
        agg:
          gpus: 8
          args: {gpus-together: 8, guesses: 4, pretend-taken: 1.4}
          env: {TOY_PRETEND_TAKEN: '1.4'}
      benchmark: {env: {CONC: 4}}
    override_together: {}
    override_apart: {roles: {agg: {args: {experts-apart: true}}}}
    """)
HERE = replace(CLUSTER, engines={"toy": ("toy-serve",)})


def planned(engines: Registry, spread: str = "tp: 8") -> GatePlan:
    one = row("[4]").replace("tp: 8", spread)
    made = sources(bench(config(one, framework="toy"), {"glow.yaml": RECIPE}))
    known = curves(CURVE.replace("3: 2.60", f"{K}: {GOLDEN}").replace("prompts: 80", "prompts: 20"))
    return plan_keys(replace(made, curves=known, engines=engines), None, {"cluster:h100": HERE}, "node")


def gated(spread: str = "tp: 8") -> Gate:
    (gate,) = planned(WITH_TOY, spread).gates
    return gate


def launched(gate: Gate) -> Job:
    return job_for(gate, SweepId(12), 1, HERE, WITH_TOY)


def counted(scraped: str) -> str:
    return scraped.replace("vllm:", "toy:")


def judged(gate: Gate, *more: str) -> Verdict:
    """Of a replay whose engine was launched as the job says, with some words more."""
    job = launched(gate)
    attempt = Attempt(
        gate,
        before={WORKER: counted(scrape(BEFORE))},
        after={WORKER: counted(scrape(AFTER))},
        samples=counted(slices(steady())),
    )
    told = attempt.having("job", job.job).having("engine.command", [*job.engine.command, *more])
    counters = WITH_TOY.by_name[gate.launch.engine].counters
    return judge(gate, JobName(job.job), told.material(), counters, WITH_TOY.forced)


def test_without_its_row_nobody_knows_it() -> None:
    (point,) = planned(ENGINES).unresolved
    assert (point.reason, point.framework) == (Reason.RECIPE_UNREADABLE, "toy")


def test_a_recipe_of_it_becomes_a_gate_under_a_name_that_people_read() -> None:
    gate = gated()
    assert (gate.title, gate.drafting.k, gate.golden.al) == ("glow fp8 h100 toy tp8 mtp K=4", K, GOLDEN)
    assert gated("tp: 8, ep: 8").title == "glow fp8 h100 toy tp8ep mtp K=4"  # the variant that keeps experts apart


def test_a_framework_of_it_that_is_exempt_has_no_gate_and_is_read_like_one_that_has() -> None:
    assert (WITH_TOY.exempt - ENGINES.exempt, WITH_TOY.read_as("toy-disagg")) == ({"toy-disagg"}, "toy")
    assert set(WITH_TOY.gated) - set(ENGINES.gated) == {"toy"}


def test_its_forced_acceptance_is_taken_out_whichever_engine_serves() -> None:
    gate = gated()
    assert gate.stripped == (
        StrippedKnob("roles.agg.args.pretend-taken", "pretend-taken", "1.4"),
        StrippedKnob("roles.agg.env.TOY_PRETEND_TAKEN", "TOY_PRETEND_TAKEN", "1.4"),
    )
    assert set(gate.launch.unset) - set(ENGINES.forced.unset) == {"TOY_PRETEND_TAKEN"}
    assert WITH_TOY.forced.length("TOY_PRETEND_TAKEN", "1.4", K) == 2.4
    others = {"roles": {"agg": {"args": {"Pretend_Taken": 3, "spec-synth-len": 2.5}}}}
    assert [knob.knob for knob in strip(others, WITH_TOY.forced).knobs] == ["Pretend_Taken", "spec-synth-len"]
    assert [knob.knob for knob in strip(others).knobs] == ["spec-synth-len"]


def test_it_is_launched_by_the_operators_command_and_its_own_words() -> None:
    engine = launched(gated()).engine
    assert engine.command == (
        "toy-serve", "example/glow", "--gpus-together", "8", "--guesses", "4", "--port", "{port}",
    )  # fmt: skip
    assert (engine.name, engine.health, engine.metrics, engine.settle_seconds) == ("toy", "/up", "/counted", 3.0)


def test_its_scrapes_are_known_and_give_an_acceptance_length() -> None:
    before, after = (read_scrapes({WORKER: counted(scrape(moment))}) for moment in (BEFORE, AFTER))
    assert engines_in(after.values(), WITH_TOY.counters) == ("toy",)
    found = measure(before, after, WITH_TOY.counters["toy"], K)
    assert not isinstance(found, NotMeasured)
    assert found.al == 2.5


def test_it_is_judged() -> None:
    verdict = judged(gated())
    assert isinstance(verdict, Judged), verdict
    assert (verdict.outcome, verdict.realized.al) == (CurveOutcome.ON_CURVE, 2.5)


def test_a_launch_that_still_forces_acceptance_is_not_judged() -> None:
    verdict = judged(gated(), "--pretend-taken=1.4")
    assert isinstance(verdict, NotMeasured)
    assert (verdict.why, "pretend-taken" in verdict.reason) == (Unmeasured.FORCED_ACCEPTANCE, True)
