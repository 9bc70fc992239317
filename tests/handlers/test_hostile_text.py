"""Text of a pull request is data: nothing that it says has an effect in what the bot writes."""

import re
from pathlib import Path

import pytest

from bot.demo import sample_pr
from gatekit.comments.slots import Slot
from tests.worlds.bench.bench_pr import BASE, CONFIGS, EDITS, LEAN, RECIPES, Setting
from tests.worlds.bot.bot_world import BotWorld, bot_world

TRICKS = (
    "@gatekit-demo/everybody",
    "<!-- gatekit:gates -->",
    "| a | b |",
    "[click](https://evil.example)",
    "https://evil.example/x",
    "![img](//evil.example/i.png)",
    "<details><summary>x",
    "</details>",
    "#1",
    "gatekit-demo/bench#1",
    "`code`",
    "```",
    "\u202egnp.exe",
    "\u2066x\u2069",
    "a\u200bb",
    "$\\frac{1}{2}$",
    ":tada:",
    "<img src=x onerror=alert(1)>",
    "&lt;b&gt;",
    "\x1b[31mred",
)
ALL = " ".join(TRICKS)
_CODE = re.compile(r"`[^`\n]*`")
_FENCE = re.compile(r"```text\n.*?\n```", re.DOTALL)
_OWN = re.compile(r"</?(details|summary)>|<!-- gatekit:[a-z]+ -->")
_TAG = re.compile(r"<[A-Za-z!?/]")
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\x00-\x08\x0b-\x1f]")


def loose(body: str) -> str:
    """What GitHub would render: the body without code, and without the folds and the marker of our own."""
    marker, _, rest = body.partition("\n")
    assert marker.startswith("<!-- gatekit:")
    return _OWN.sub("", _CODE.sub("", _FENCE.sub("", rest)))


def harmless(body: str) -> None:
    text = loose(body)
    assert _INVISIBLE.search(body) is None
    assert _TAG.search(text) is None, text
    for piece in ("@", "evil.example", "](", "![", "#1", ":tada:", "$", "&lt;"):
        assert piece not in text, text
    assert body.count("<!--") == 1
    assert body.count("<details>") == body.count("</details>")
    tables = [line for line in body.splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in tables}) <= 1


def everything_said(world: BotWorld) -> list[str]:
    return [comment.body for slot in Slot for comment in world.comments(slot)]


def quoted(text: str) -> bytes:
    """As a YAML scalar."""
    shown = "".join(
        letter if letter.isprintable() and letter.isascii() and letter not in '"\\' else f"\\u{ord(letter):04x}"
        for letter in text
    )
    return f'"{shown}"'.encode()


async def test_a_title_has_no_effect(tmp_path: Path) -> None:
    async with bot_world(tmp_path, Setting(title=ALL)) as world:
        await world.label()
        await world.finish_all()
        harmless(world.comments(Slot.GATES)[0].body)


@pytest.mark.parametrize("trick", TRICKS)
async def test_a_config_key_has_no_effect(tmp_path: Path, trick: str) -> None:
    key = f"tiny{trick}-fp32-demo-llamacpp-agentic-x".replace("*", "")
    config = EDITS[CONFIGS].replace(LEAN.encode(), quoted(key))
    entry = b"\n- config-keys: [" + quoted(key) + b"]\n  description: [x]\n  pr-link: https://github.example\n"
    edits = {CONFIGS: config, sample_pr.CHANGELOG: EDITS[sample_pr.CHANGELOG] + entry}
    async with bot_world(tmp_path, Setting(edits=edits)) as world:
        await world.label()
        said = everything_said(world)
        assert len(said) == 1
        harmless(said[0])


@pytest.mark.parametrize("place", ["engine", "draft-max", "parallel", "model-draft", "spec-synth-len"])
async def test_a_recipe_value_has_no_effect(tmp_path: Path, place: str) -> None:
    """Whether it is refused, shown or stripped."""
    recipe = EDITS[f"{RECIPES}/third.yaml"]
    before = re.compile(rf"^(\s*{place}): .*$".encode(), re.MULTILINE)
    changed = before.sub(lambda found: found[1] + b": " + quoted(ALL), recipe)
    assert changed != recipe
    async with bot_world(tmp_path, Setting(edits={f"{RECIPES}/third.yaml": changed})) as world:
        await world.label()
        await world.finish_all()
        said = everything_said(world)
        assert len(said) == 1
        harmless(said[0])


async def test_a_broken_file_is_named_without_effect(tmp_path: Path) -> None:
    async with bot_world(tmp_path, Setting(edits={CONFIGS: quoted(ALL) + b": {\n"})) as world:
        await world.label()
        said = everything_said(world)
        assert len(said) == 1
        harmless(said[0])


async def test_log_lines_have_no_effect(world: BotWorld) -> None:
    await world.label()
    world.cluster.fail(await world.job(LEAN), ALL, "\n".join(TRICKS))
    await world.settled()
    assert "everybody" in world.gates
    harmless(world.comments(Slot.GATES)[0].body)


async def test_a_label_has_no_effect(tmp_path: Path) -> None:
    """The repository itself may name a label as it likes."""
    name = "run @everybody | <!-- x --> [a](https://evil.example)"
    settings = BASE[".github/gatekit.yml"] + b"labels: {primary: {" + quoted(name) + b": {}}}\n"
    async with bot_world(tmp_path, Setting(base={".github/gatekit.yml": settings})) as world:
        await world.label(name, by="tom")
        await world.unlabel(name, by="tom")
        await world.label(name)
        await world.unlabel(name)
        said = everything_said(world)
        assert len(said) == 2
        for body in said:
            harmless(body)
