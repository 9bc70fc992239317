"""The story's repository says what the story needs: four gates, one point that is never gated, nothing uncovered."""

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from bot.demo import prompts, sample_pr
from bot.demo.github.app import App
from bot.demo.github.people import Opening, People
from bot.demo.github.world import Role, World
from gatekit.bench.repo.settings import RepoSettings
from gatekit.bench.repo.settings_file import SETTINGS_PATH, parse_settings
from gatekit.bench.repo.snapshot import Snapshot
from gatekit.cluster.policy import Cluster, Policy
from gatekit.domain.collection import Thinking
from gatekit.domain.gates import Gate, GatePlan, Reason, WarningCode
from gatekit.domain.ids import Sha
from gatekit.goldens.curve import Curve
from gatekit.goldens.lookup import load_curves
from gatekit.plan.plan import PlanSources, plan

CLUSTER = Cluster(
    name="demo",
    serves=("cluster:demo",),
    policy=Policy(images=("gatekit-demo/llamacpp:",), models=("gatekit-demo/",)),
    engines={"llamacpp": ("llama-server",)},
    aiperf=("aiperf",),
    prompts="prompts.jsonl",
    tokenizer=None,
    container="",
    start_minutes=1,
    replay_minutes=5,
)


@dataclass(frozen=True, slots=True)
class Story:
    """The repository as it stands in the stand-in before the pull request, with it, and after the second push."""

    base: Snapshot
    head: Snapshot
    second: Snapshot

    @property
    def settings(self) -> RepoSettings:
        return parse_settings(self.base.files[SETTINGS_PATH])

    @property
    def curves(self) -> Mapping[str, Curve]:
        folder = f"{self.settings.layout.goldens}/"
        return load_curves({path: data for path, data in self.base.files.items() if path.startswith(folder)})

    def plan(self, head: Snapshot) -> GatePlan:
        sources = PlanSources(head, self.base, self.base, self.settings, self.curves)
        return plan(sources, {"cluster:demo": CLUSTER}, "digest")


@pytest.fixture(scope="module")
def story() -> Story:
    world = World.create(App(1, "gatekit-demo", "", "", ""))
    people, proposal = People(world), sample_pr.proposal()
    repo = world.add_repo(sample_pr.REPOSITORY, sample_pr.base())
    people.invite(repo, sample_pr.MAINTAINER, Role.MAINTAIN)
    people.branch(repo, proposal.branch)
    people.push(repo, proposal.branch, proposal.first.edits, by=sample_pr.AUTHOR, message=proposal.first.message)
    pull = people.open_pull(repo, Opening(proposal.branch, sample_pr.AUTHOR, proposal.title, proposal.body))
    before, base = pull.head, pull.base
    second = sample_pr.second_push()
    people.push(repo, proposal.branch, second.edits, by=sample_pr.AUTHOR, message=second.message)
    return Story(*(_snapshot(world, sha) for sha in (base, before, pull.head)))


def _snapshot(world: World, sha: Sha) -> Snapshot:
    return Snapshot(sha, {path: entry.data for path, entry in world.files(sha).items()})


def _by_draft(gates: tuple[Gate, ...]) -> Mapping[str | None, Gate]:
    return {gate.drafting.draft_model: gate for gate in gates}


def test_the_pull_request_asks_for_four_gates_each_with_a_draft_of_its_own(story: Story) -> None:
    found = story.plan(story.head)
    gates = {gate.drafting.draft_model: (gate.golden.curve, gate.concurrencies) for gate in found.gates}
    assert gates == {
        "gatekit-demo/draft-near.gguf": ("tiny_draft", (1, 2, 4)),
        "gatekit-demo/draft-far.gguf": ("tiny_draft", (1,)),
        "gatekit-demo/target.gguf": ("tinyself_draft", (1, 2)),
        "gatekit-demo/draft-third.gguf": ("tinythird_draft", (1, 2)),
    }
    assert {(gate.drafting.method, gate.drafting.k, gate.drafting.thinking) for gate in found.gates} == {
        ("draft", 4, Thinking.ON)
    }
    assert {gate.launch.image for gate in found.gates} == {"gatekit-demo/llamacpp:1"}
    assert {gate.launch.model for gate in found.gates} == {"gatekit-demo/target.gguf"}


def test_one_point_is_of_a_framework_that_is_never_gated_and_no_change_is_uncovered(story: Story) -> None:
    found = story.plan(story.head)
    assert [(one.config_key, one.reason) for one in found.unresolved] == [
        ("tiny-fp32-demo-tilert-agentic", Reason.EXEMPT_FRAMEWORK)
    ]
    assert found.uncovered == ()
    assert found.points == 9


def test_every_curve_of_the_story_was_collected_with_the_story_s_own_prompts(story: Story) -> None:
    assert set(story.curves) == {"tiny_draft", "tinyself_draft", "tinythird_draft"}
    for curve in story.curves.values():
        assert curve.collection is not None
        assert (curve.collection.prompts, curve.collection.prompts_sha256) == (prompts.COUNT, prompts.SHA256)
        assert (curve.collection.source or "").startswith("gatekit collect --cluster demo ")
        assert curve.values[Thinking.ON][4] > 1
    assert sorted(story.curves["tiny_draft"].values[Thinking.ON]) == [1, 2, 3, 4, 5]


def test_forced_acceptance_is_stripped_and_the_wrong_value_is_pointed_out(story: Story) -> None:
    found = story.plan(story.head)
    forced = _by_draft(found.gates)["gatekit-demo/draft-third.gguf"]
    assert [(knob.path, knob.value) for knob in forced.stripped] == [("roles.agg.args.spec-synth-len", "4.5")]
    assert not any("synth" in name for name, _ in forced.launch.args)
    assert [gate.config_key for gate in found.gates if gate.stripped] == [forced.config_key]
    assert {(one.config_key, one.code) for one in found.warnings} == {
        (forced.config_key, WarningCode.FORCED_AL_DIFFERS),
        *((gate.config_key, WarningCode.IMAGE_NOT_USED) for gate in found.gates),  # this machine has no containers
    }


def test_the_second_push_changes_one_gate_and_keeps_three(story: Story) -> None:
    before, after = story.plan(story.head), story.plan(story.second)
    kept = {gate.key for gate in before.gates} & {gate.key for gate in after.gates}
    changed = [gate for gate in after.gates if gate.key not in kept]
    assert (len(after.gates), len(kept)) == (4, 3)
    assert [(gate.config_key, gate.drafting.draft_model) for gate in changed] == [
        ("tiny-fp32-demo-llamacpp-agentic-lean", "gatekit-demo/draft-near.gguf")
    ]


def test_the_base_has_nothing_to_gate_against_itself(story: Story) -> None:
    found = story.plan(story.base)
    assert (found.gates, found.unresolved, found.points) == ((), (), 0)


def test_the_changelog_only_grows(story: Story) -> None:
    old, new = story.base.files[sample_pr.CHANGELOG], story.head.files[sample_pr.CHANGELOG]
    assert new.startswith(old)
    assert new.endswith(b"\n")
    assert b"\n\n\n" not in new
