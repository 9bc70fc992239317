"""The model's own chat template, applied by the transformers library that aiperf's environment has.

The client that collected the curves renders by the same function of the same library. Templates run in its sandbox;
code that a model brings along never runs.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from typing import Any, Mapping, Sequence

from bot.node import processes
from bot.node.failures import Failed
from bot.node.jobfile import Job
from bot.node.prompts import Prompt
from bot.node.replay import Place
from bot.node.stop import Stop

SECONDS = 300.0  # a library on a cold shared file system; a template that does not end
POLL_SECONDS = 0.1
MAX_BYTES = 256 << 20
CONSOLE = "rendering.txt"
SAID_CHARS = 300

# For aiperf's Python. A tokenizer that is code of the model may render as it likes, so it is not guessed what it would.
_PROGRAM = """
import json, sys

def texts(model, kwargs, prompts):
    from transformers import AutoTokenizer
    from transformers.models.auto.tokenization_auto import get_tokenizer_config
    owned = get_tokenizer_config(model).get("auto_map") or ()
    if isinstance(owned, list) or "AutoTokenizer" in owned:
        raise ValueError("its tokenizer is code of its own, which is not run")
    tokenizer = AutoTokenizer.from_pretrained(model, trust_remote_code=False)
    if not tokenizer.chat_template:
        raise ValueError("it has no chat template")
    fixed = {"tokenize": False, "add_generation_prompt": True}
    return [tokenizer.apply_chat_template(messages, **kwargs, **fixed) for messages in prompts]

with open(sys.argv[1], encoding="utf-8") as file:
    asked = json.load(file)
try:
    answer = {"texts": texts(**asked)}
except Exception as error:
    answer = {"why": str(error) or type(error).__name__}
with open(sys.argv[2], "w", encoding="utf-8") as file:
    json.dump(answer, file)
"""


class NotRendered(Failed):
    """The template could not be had, or not be applied."""


def render(job: Job, prompts: Sequence[Prompt], place: Place, stop: Stop) -> tuple[str, ...]:
    """The text of every prompt, as the collection's template arguments make it. Raises NotRendered with the reason."""
    if job.checkpoint.startswith("/") and not os.path.isdir(job.checkpoint):
        raise NotRendered(f"the chat template of {job.checkpoint} cannot be applied: there is no such folder here")
    python = python_of(job.aiperf, place.env["PATH"])
    source, target = place.folder / "prompts.json", place.folder / "texts.json"
    kwargs = dict(job.replay.template_kwargs or {})
    asked = {"model": job.checkpoint, "kwargs": kwargs, "prompts": [list(prompt.messages) for prompt in prompts]}
    source.write_text(json.dumps(asked), encoding="utf-8")
    _run([python, "-I", "-c", _PROGRAM, str(source), str(target)], place, stop)
    try:
        if target.stat().st_size > MAX_BYTES:
            raise NotRendered(f"the chat template of {job.checkpoint} makes more than {MAX_BYTES} bytes")
        answer = json.loads(target.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise NotRendered(f"{python}, the Python of aiperf, did not render the prompts: {_last_line(place)}") from None
    return _texts(answer, job.checkpoint, len(prompts))


def python_of(aiperf: Sequence[str], path: str) -> str:
    """The Python that runs this command: it is one, its first line names one, or one lies beside it.

    Raises NotRendered where none is found. `path`: where programs are looked for.
    """
    program = shutil.which(aiperf[0], path=path)
    if program is None:
        raise NotRendered(f"aiperf cannot be started: {aiperf[0]} is no program here")
    beside = os.path.dirname(os.path.realpath(program))  # a link to it may lie elsewhere
    candidates = [program, _first_line(program, path), *(os.path.join(beside, name) for name in ("python3", "python"))]
    found = next((one for one in candidates if _is_python(one)), None)
    if found is None:
        raise NotRendered(f"the Python of {program} was not found: name aiperf by its path in its own environment")
    return found


def _first_line(program: str, path: str) -> str:
    with open(program, "rb") as file:
        words = file.readline(4096).decode(errors="replace").split()
    if not words or not words[0].startswith("#!"):
        return ""
    if os.path.basename(words[0]) == "env" and len(words) == 2:
        return shutil.which(words[1], path=path) or ""
    return words[0][2:]


def _is_python(path: str) -> bool:
    return os.path.basename(path).startswith("python") and os.access(path, os.X_OK) and not os.path.isdir(path)


def _run(argv: Sequence[str], place: Place, stop: Stop) -> None:
    """To its end. Raises NotRendered where that takes too long."""
    with (place.folder / CONSOLE).open("wb") as console:
        process = processes.spawn(argv, place.env, str(place.folder), console.fileno())
    end = time.monotonic() + SECONDS
    try:
        while process.poll() is None:
            if time.monotonic() > end:
                raise NotRendered(f"the model's chat template did not end within {SECONDS:g} s")
            stop.wait(POLL_SECONDS)
    finally:
        process.kill()  # nothing, where it has ended
        process.wait()


def _texts(answer: object, checkpoint: str, count: int) -> tuple[str, ...]:
    found: Mapping[str, Any] = answer if isinstance(answer, dict) else {}
    if "texts" not in found:
        why = " ".join(str(found.get("why")).split())[:SAID_CHARS]
        raise NotRendered(f"the chat template of {checkpoint} cannot be applied: {why}")
    texts = found["texts"]
    if len(texts) != count or not all(isinstance(text, str) and text for text in texts):
        raise NotRendered(f"the chat template of {checkpoint} renders a prompt to nothing")
    return tuple(texts)


def _last_line(place: Place) -> str:
    lines = (place.folder / CONSOLE).read_text(encoding="utf-8", errors="replace").split("\n")
    return next((line.strip()[:SAID_CHARS] for line in reversed(lines) if line.strip()), "it said nothing")
