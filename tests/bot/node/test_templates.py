"""Messages → text by the model's own template, with the real transformers of aiperf's environment."""

import dataclasses
import json
import sys
from pathlib import Path

import pytest

from bot.node import templates
from bot.node.failures import Cancelled
from bot.node.jobfile import CLIENT, COMPLETIONS, Job, read_job
from bot.node.prompts import Prompt
from bot.node.replay import Place
from bot.node.stop import Stop
from bot.node.templates import NotRendered
from tests.worlds.cluster.node_run import AIPERF, job
from tests.worlds.engine.tokenizer import TEMPLATE, write_tokenizer

PATH = "/usr/bin:/bin"
PROMPTS = (
    Prompt("q1", ({"role": "user", "content": "hello é <|im_end|>"},)),
    Prompt("q2", ({"role": "system", "content": "be short"}, {"role": "user", "content": "{{ 7 * 7 }}"})),
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    folder = tmp_path / "client"
    folder.mkdir()
    return Place(folder, folder / "out", {"PATH": PATH, "HOME": str(folder), "TMPDIR": str(folder)})


def a_job(tmp_path: Path, kwargs: dict[str, object] | None = None) -> Job:
    (tmp_path / "job.json").write_text(json.dumps(job(tmp_path, "gk-7-abc12345-1")))
    read = read_job(tmp_path / "job.json")
    replay = dataclasses.replace(read.replay, endpoint=COMPLETIONS, rendering=CLIENT, template_kwargs=kwargs)
    return dataclasses.replace(read, replay=replay)


@pytest.mark.parametrize(
    ("kwargs", "end"), [({"enable_thinking": True}, "[thinking]\n"), ({"enable_thinking": False}, ""), (None, "")]
)
def test_the_models_template_renders_with_the_collections_arguments(
    tmp_path: Path, place: Place, kwargs: dict[str, object] | None, end: str
) -> None:
    write_tokenizer(tmp_path / "model", chat_template=TEMPLATE)
    texts = templates.render(a_job(tmp_path, kwargs), PROMPTS, place, Stop())
    assert texts == (f"hello é <|im_end|>\n{end}", f"be short\n{{{{ 7 * 7 }}}}\n{end}")


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ({}, "it has no chat template"),
        ({"chat_template": TEMPLATE, "auto_map": {"AutoTokenizer": ["own.Own", None]}}, "code of its own"),
        ({"chat_template": "{{ ''.__class__.__mro__[1].__subclasses__() }}"}, "unsafe"),
        ({"chat_template": "{{ raise_exception('only one\\nturn') }}"}, "only one turn"),
        ({"chat_template": "{# nothing #}"}, "renders a prompt to nothing"),
        (None, "there is no such folder here"),
    ],
)
def test_what_a_template_does_not_give_has_a_reason(
    tmp_path: Path, place: Place, config: dict[str, object] | None, why: str
) -> None:
    if config is not None:
        write_tokenizer(tmp_path / "model", **config)
    (tmp_path / "own.py").write_text("raise SystemExit")
    with pytest.raises(NotRendered, match=why) as no:
        templates.render(a_job(tmp_path), PROMPTS, place, Stop())
    assert str(tmp_path / "model") in str(no.value)
    assert "\n" not in str(no.value)


def test_rendering_stops_when_it_is_asked_to(tmp_path: Path, place: Place) -> None:
    write_tokenizer(tmp_path / "model", chat_template=TEMPLATE)
    stop = Stop()
    stop.asked = True
    with pytest.raises(Cancelled):
        templates.render(a_job(tmp_path), PROMPTS, place, stop)


def test_a_python_without_the_library_is_named(tmp_path: Path, place: Place) -> None:
    write_tokenizer(tmp_path / "model", chat_template=TEMPLATE)
    one = dataclasses.replace(a_job(tmp_path), aiperf=(sys.executable, "-m", "aiperf"))
    with pytest.raises(NotRendered, match="No module named 'transformers'"):
        templates.render(one, PROMPTS, place, Stop())


def program(path: Path, first_line: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{first_line}\n")
    path.chmod(0o755)
    return path


def test_the_python_of_a_command_is_found(tmp_path: Path) -> None:
    python = program(tmp_path / "bin" / "python3", "")
    beside = program(tmp_path / "bin" / "aiperf", "#!/bin/sh")  # as pip writes it where the path is long
    link = tmp_path / "aiperf"
    link.symlink_to(beside)
    cases = {
        str(python): str(python),
        str(program(tmp_path / "other" / "aiperf", f"#!{python} -I")): str(python),
        str(program(tmp_path / "found" / "aiperf", "#!/usr/bin/env python3")): str(python),
        str(beside): str(python),
        str(link): str(python),
    }
    for command, expected in cases.items():
        assert templates.python_of((command, "x"), str(tmp_path / "bin")) == expected, command
    assert Path(templates.python_of((str(AIPERF),), PATH)).parent == AIPERF.parent


@pytest.mark.parametrize(
    ("first_line", "why"),
    [
        ("#!/bin/bash", "name aiperf by its path in its own environment"),
        ("#!/gone/bin/python3", "name aiperf by its path in its own environment"),
        (None, "is no program here"),
    ],
)
def test_a_command_without_a_python_is_refused(tmp_path: Path, first_line: str | None, why: str) -> None:
    command = tmp_path / "bin" / "aiperf"
    if first_line is not None:
        program(command, first_line)
    with pytest.raises(NotRendered, match=why):
        templates.python_of((str(command),), PATH)
