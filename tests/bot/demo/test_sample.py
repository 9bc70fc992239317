"""The story's repository says what the story needs: four gates, one point that is never gated, nothing uncovered."""

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from bot.demo import sample_pr
from bot.demo.github.app import App
from bot.demo.github.people import Opening, People
from bot.demo.github.world import Role, World
from gatekit.collection import Thinking
from gatekit.gates import Gate, GatePlan, Reason, WarningCode
from gatekit.goldens import load_curves
from gatekit.ids import Sha
from gatekit.plan import Sources, plan
from gatekit.policy import Cluster, Policy
from gatekit.settings import SETTINGS_PATH, RepoSettings, parse_settings
from gatekit.snapshot import Snapshot

CURVE = """\
model: gatekit-demo/target.gguf
method: draft
collection:
  dataset: gatekit-demo/prompts
  split: demo
  category: coding
  prompts: 24
  prompts_sha256: null
  turns: first
  endpoint: /v1/chat/completions
  rendering: server
  output_len: 64
  ignore_eos: true
  concurrency: 1
  sampling:
    "on": {temperature: 0.0, seed: 1, template_kwargs: {thinking: true}}
  thinking_marker: null
  adaptive_verification: false
  engine: llamacpp
  hardware: demo
  server: {ctx-size: 8192}
curves:
  "on": {4: 2.5}
"""
CURVES = load_curves({f"goldens/{prefix}_draft.yaml": CURVE.encode() for prefix in ("tiny", "tinyself", "tinythird")})
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

    def plan(self, head: Snapshot) -> GatePlan:
        sources = Sources(head, self.base, self.base, self.settings, CURVES)
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


def test_forced_acceptance_is_stripped_and_the_wrong_value_is_pointed_out(story: Story) -> None:
    found = story.plan(story.head)
    forced = _by_draft(found.gates)["gatekit-demo/draft-third.gguf"]
    assert [(knob.path, knob.value) for knob in forced.stripped] == [("roles.agg.args.spec-synth-len", "4.5")]
    assert not any("synth" in name for name, _ in forced.launch.args)
    assert [gate.config_key for gate in found.gates if gate.stripped] == [forced.config_key]
    assert {(one.config_key, one.code) for one in found.warnings} == {
        (forced.config_key, WarningCode.FORCED_AL_DIFFERS)
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
