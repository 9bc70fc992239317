"""What cannot be planned: one clear sentence on the pull request, or one reason at the point; nothing half done."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.demo.github.objects import Entry, Mode
from gatekit.domain.gates import Reason
from tests.worlds.bench.bench_pr import (
    BASE,
    CONFIGS,
    DRAFT,
    EDITS,
    LEAN,
    RECIPES,
    SELF,
    SETTINGS,
    THIRD,
    Setting,
    curve,
)
from tests.worlds.bot.bot_world import BotWorld, bot_world

DRAFT_RECIPE, LEAN_RECIPE = f"{RECIPES}/draft.yaml", f"{RECIPES}/lean.yaml"
BOMB = b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (n, n, b",".join([b"*%c" % (n - 1)] * 9)) for n in range(ord("b"), ord("j"))
)


def changed(path: str, old: bytes, new: bytes) -> dict[str, bytes]:
    """The pull request's file with one thing in it changed."""
    before = EDITS.get(path, BASE.get(path))
    assert isinstance(before, bytes)
    assert old in before
    return {path: before.replace(old, new)}


def plain(comment: str) -> str:
    """Its words, whether they stand in code or not."""
    return comment.replace("`", "")


async def nothing_done(world: BotWorld) -> None:
    assert (world.gates, world.checks(), world.cluster.submitted, await world.sweeps()) == ("", [], [], ())


@pytest.mark.parametrize(
    ("edits", "says"),
    [
        pytest.param(
            {"perf-changelog.yaml": b"- config-keys: [a]\n"},
            "changes what stood there before",
            id="changelog rewritten",
        ),
        pytest.param({"perf-changelog.yaml": None}, "no such file", id="changelog taken away"),
        pytest.param(
            changed("perf-changelog.yaml", b"tiny*-fp32", b"huge*-fp32"),
            "matches no config key",
            id="unknown config key",
        ),
        pytest.param(changed(CONFIGS, b"  runner: demo\n", b"\trunner: demo\n"), "tab", id="tab"),
        pytest.param(
            changed(CONFIGS, b"  runner: demo\n", b"  runner: demo\n  runner: other\n"), "twice", id="duplicate key"
        ),
        pytest.param({CONFIGS: BOMB}, "configs/demo-master.yaml", id="alias bomb"),
        pytest.param({CONFIGS: b"a: [\n"}, "configs/demo-master.yaml:", id="no YAML"),
        pytest.param({CONFIGS: b"\xff\xfe"}, "configs/demo-master.yaml", id="no text"),
        pytest.param({CONFIGS: Entry(b"/etc/passwd", Mode.LINK)}, "configs/demo-master.yaml", id="a link"),
        pytest.param({CONFIGS: None}, "configs/demo-master.yaml", id="no master config"),
        pytest.param(
            {".gitattributes": b"configs/** export-ignore\n"},
            "gitattributes",
            id="an archive without files of its tree",
        ),
    ],
)
async def test_what_cannot_be_planned_is_one_sentence(
    tmp_path: Path, edits: Mapping[str, bytes | Entry | None], says: str
) -> None:
    async with bot_world(tmp_path, Setting(edits=edits)) as world:
        await world.label()
        assert world.reply.startswith(f"`{world.pull.head[:7]}` could not be planned, so no gate runs: ")
        assert says in world.reply
        assert world.reply.count("\n") == 0
        await nothing_done(world)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (b"mood: good\n", "mood"),
        (b"mode: maybe\n", "report-only, enforce"),
        (b"mode: [\n", ".github/gatekit.yml"),
        (b"mode: enforce\nmode: report-only\n", "twice"),
        (b"tolerance: {below: a lot}\n", "below"),
        (b"labels: {primary: {}}\n", "primary"),
    ],
)
async def test_settings_that_cannot_be_read_are_said_with_their_line(
    tmp_path: Path, settings: bytes, says: str
) -> None:
    async with bot_world(tmp_path, Setting(base={SETTINGS: settings})) as world:
        await world.label()
        assert ".github/gatekit.yml" in world.reply
        assert says in world.reply
        await nothing_done(world)


async def test_the_pull_requests_own_settings_are_not_even_read(tmp_path: Path) -> None:
    async with bot_world(tmp_path, Setting(edits={SETTINGS: b"mode: [\n"})) as world:
        await world.label()
        assert (world.reply, len(world.cluster.started)) == ("", 4)


async def test_curves_come_from_the_base(tmp_path: Path) -> None:
    """A pull request that lowers its own golden value is judged by the one that stood there before."""
    edits = {"goldens/tiny_draft.yaml": curve("draft-far.gguf", {4: 2.1})}
    async with bot_world(tmp_path, Setting(edits=edits)) as world:
        await world.label()
        await world.finish_all()
        row = await world.row(LEAN)
        assert row.gate.golden.al == 3.7
        assert "1 below" in world.gates


@pytest.mark.parametrize(
    ("change", "reason", "says"),
    [
        (changed(LEAN_RECIPE, b"engine: llamacpp", b"engine: warpdrive"), Reason.RECIPE_INVALID, "warpdrive"),
        (changed(LEAN_RECIPE, b"engine: llamacpp", b"\tengine: llamacpp"), Reason.RECIPE_INVALID, "lean.yaml"),
        (changed(LEAN_RECIPE, b"draft-max: 4", b"draft-max: 4\n      draft-max: 3"), Reason.RECIPE_INVALID, "twice"),
        ({LEAN_RECIPE: BOMB}, Reason.RECIPE_INVALID, "lean.yaml"),
        ({LEAN_RECIPE: None}, Reason.RECIPE_MISSING, "lean.yaml"),
        (
            changed(CONFIGS, b"recipes/llamacpp/tiny/lean.yaml", b"recipes/../../../lean.yaml"),
            Reason.RECIPE_INVALID,
            "lean.yaml",
        ),
        (
            {**changed(CONFIGS, b"tiny/lean.yaml", b"tiny/lean.sh"), f"{RECIPES}/lean.sh": b"exec serve\n"},
            Reason.RECIPE_UNREADABLE,
            "lean.sh",
        ),
        (changed(LEAN_RECIPE, b"draft-max: 4", b"draft-max: 3"), Reason.NO_K, "K=3"),
        (
            changed(CONFIGS, b"agentic-lean:\n  image: gatekit-demo/", b"agentic-lean:\n  image: evil/"),
            Reason.POLICY,
            "evil/llamacpp:1",
        ),
        (
            changed(LEAN_RECIPE, b"model-draft: gatekit-demo/draft-far.gguf", b"model-draft: /root/draft.gguf"),
            Reason.POLICY,
            "/root/draft.gguf",
        ),
        (
            changed(LEAN_RECIPE, b"    args:\n", b"    env: {LD_PRELOAD: /tmp/x.so}\n    args:\n"),
            Reason.POLICY,
            "LD_PRELOAD",
        ),
        (
            changed(LEAN_RECIPE, b"    args:\n", b"    args:\n      rpc: evil.example:50052\n"),
            Reason.POLICY,
            "rpc",
        ),
        (
            changed(LEAN_RECIPE, b"      parallel: 1", b'      parallel: 1\n      alias: "a\\u202eb"'),
            Reason.POLICY,
            "alias",
        ),
        (
            changed(LEAN_RECIPE, b"    args:\n", b'    env: {GGML_LOG: "a\\nb"}\n    args:\n'),
            Reason.POLICY,
            "roles.agg.env.GGML_LOG holds a control character",
        ),
        (
            changed(LEAN_RECIPE, b"engine: llamacpp", b'engine: llamacpp\nextra_mount: ["/root:/mnt"]'),
            Reason.POLICY,
            "extra_mount",
        ),
        (
            changed(LEAN_RECIPE, b"engine: llamacpp", b"engine: llamacpp\nsbatch_directives: {uid: 0}"),
            Reason.POLICY,
            "sbatch_directives.uid",
        ),
    ],
)
async def test_what_one_point_lacks_costs_that_point_alone(
    tmp_path: Path, change: Mapping[str, bytes | None], reason: Reason, says: str
) -> None:
    async with bot_world(tmp_path, Setting(edits=change)) as world:
        await world.label()
        plan = (await world.sweep()).plan
        assert {gate.config_key for gate in plan.gates} == {DRAFT, SELF, THIRD}
        (why,) = [point for point in plan.unresolved if point.config_key == LEAN]
        assert why.reason is reason, why.detail
        assert says in why.detail
        assert reason.value in world.gates
        assert says in plain(world.gates)
        assert len(world.cluster.started) == 3


async def test_a_script_of_a_recipe_is_not_run_and_named(tmp_path: Path) -> None:
    edits = changed(LEAN_RECIPE, b"engine: llamacpp", b'engine: llamacpp\nsetup_script: "$(touch /tmp/pwned)"')
    async with bot_world(tmp_path, Setting(edits=edits)) as world:
        await world.label()
        assert len(world.cluster.started) == 4
        assert "setup_script of the recipe is left out: a gate runs no script of a recipe" in plain(world.gates)
        assert not [job for job in (tmp_path / "cluster").rglob("*") if job.is_file() and "pwned" in job.read_text()]


async def test_lists_of_different_length_in_a_zip_cost_the_points_of_that_recipe(tmp_path: Path) -> None:
    edits = changed(DRAFT_RECIPE, b"parallel: [1, 2, 4]", b"parallel: [1, 2]")
    async with bot_world(tmp_path, Setting(edits=edits)) as world:
        await world.label()
        plan = (await world.sweep()).plan
        assert {gate.config_key for gate in plan.gates} == {LEAN, SELF, THIRD}
        reasons = {point.reason for point in plan.unresolved if point.config_key == DRAFT}
        assert reasons == {Reason.RECIPE_INVALID}


async def test_a_plan_without_any_gate_is_done_at_once(tmp_path: Path) -> None:
    """No cluster serves it: the plan says so, and the check run does not wait for anything."""
    edits = {CONFIGS: EDITS[CONFIGS].replace(b"cluster:demo", b"cluster:elsewhere")}
    async with bot_world(tmp_path, Setting(edits=edits)) as world:
        await world.label()
        assert "No gate, no GPU" in world.gates
        assert "no-cluster" in world.gates
        assert world.check == ("completed", "neutral")
        assert world.cluster.submitted == []
