"""What the changelog of a pull request asks for, and what it lacks, stands on the pull request."""

from pathlib import Path

from bot.demo import sample_pr
from tests.worlds.bench.bench_pr import BASE, CONFIGS, DRAFT, EDITS, LEAN, RECIPES, Setting
from tests.worlds.bot.bot_world import bot_world

LOG = sample_pr.CHANGELOG
LINES = BASE[LOG].count(b"\n")


def entry(keys: str, flags: str = "") -> bytes:
    text = f"\n- config-keys: [{keys}]\n  description: [More.]\n  pr-link: https://github.example\n{flags}"
    return BASE[LOG] + text.encode()


def appended(configs: bytes, keys: str = DRAFT) -> Setting:
    """Concurrency 4 of the drafting recipe, and nothing of what the pull request changes besides."""
    lean = f"{RECIPES}/lean.yaml"
    log = entry(keys, "  append-only: true\n")
    return Setting(edits={lean: BASE[lean], CONFIGS: configs, LOG: log})


async def test_every_name_that_no_config_has_is_said_with_its_line(tmp_path: Path) -> None:
    async with bot_world(tmp_path, Setting(edits={LOG: entry("\n    gone,\n    tiny*,\n    gone-too*\n  ")})) as world:
        await world.label()
        assert world.reply.split("\n")[1:] == [
            "",
            f"- `{LOG}:{LINES + 3}`: names gone, but the config key is in no master config; correct it or add the "
            "config.",
            f"- `{LOG}:{LINES + 5}`: names `gone-too*`, but the pattern matches no config key; correct it or add the "
            "config.",
        ]
        assert world.reply.endswith("config.")
        assert (world.gates, world.cluster.submitted) == ("", [])


async def test_points_that_are_appended_are_gated_alone(tmp_path: Path) -> None:
    configs = BASE[CONFIGS].replace(b"conc-list: [1, 2]", b"conc-list: [1, 2, 4]")
    async with bot_world(tmp_path, appended(configs)) as world:
        await world.label()
        (gate,) = (await world.sweep()).plan.gates
        assert (gate.config_key, gate.concurrencies) == (DRAFT, (4,))
        assert "1 gate on 1 GPU, for 1 of 1 speculative point." in world.gates


async def test_an_earlier_point_that_changed_is_named(tmp_path: Path) -> None:
    configs = BASE[CONFIGS].replace(b"conc-list: [1, 2]", b"conc-list: [1, 4]")
    line = configs[: configs.index(b"[1, 4]")].count(b"\n") + 1
    async with bot_world(tmp_path, appended(configs)) as world:
        await world.label()
        assert f"`{CONFIGS}:{line}`: changes what stood there before: `{DRAFT}` at concurrency 2; " in world.reply
        assert (world.gates, world.cluster.submitted) == ("", [])


async def test_changed_configs_without_an_entry_are_listed_in_the_comment(tmp_path: Path) -> None:
    plain = "tiny-fp32-demo-llamacpp"
    configs = EDITS[CONFIGS].replace(b"conc-end: 4", b"conc-end: 8")
    async with bot_world(tmp_path, Setting(edits={CONFIGS: configs, LOG: entry(DRAFT)})) as world:
        await world.label()
        (line,) = (line for line in world.gates.split("\n") if "no changelog entry" in line)
        assert line.startswith("5 changed configs have no changelog entry and were not gated: ")
        assert f": `{plain}`, `{LEAN}`, " in line
        assert DRAFT not in line


async def test_a_change_without_any_entry_gates_nothing_and_says_so(tmp_path: Path) -> None:
    async with bot_world(tmp_path, Setting(edits={LOG: BASE[LOG]})) as world:
        await world.label()
        assert "No speculative point is touched, so no GPU is used." in world.gates
        assert "5 changed configs have no changelog entry and were not gated: " in world.gates
        assert world.cluster.submitted == []
