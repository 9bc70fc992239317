"""The requests, rendered once into one fixed file: what the collection says, and nothing else."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Mapping, Sequence

from bot.node import web
from bot.node.failures import Failed
from bot.node.jobfile import ALL, CHAT, CLIENT, COMPLETIONS, SERVER, Job, Replay
from bot.node.prompts import Prompt
from bot.node.stop import Stop

Url = Callable[[str], str]  # path on the engine -> URL
Render = Callable[[Sequence[Mapping[str, str]]], str]  # messages -> the prompt's text


@dataclass(frozen=True)
class RequestFile:
    """What aiperf replays. `count` requests come of `conversations` prompts."""

    path: Path
    dataset: str  # aiperf's name of the file's form
    count: int
    conversations: int


def write(job: Job, prompts: Sequence[Prompt], url: Url, path: Path, stop: Stop) -> RequestFile:
    """Renders every prompt and writes the file. Raises Failed where the collection asks for what cannot be sent.

    One turn each: the body goes out as it stands here. All turns: aiperf has to put the live answers between the turns,
    so it builds the messages itself from the texts, and adds the values of each turn.
    """
    replay = job.replay
    check(replay, prompts)
    if replay.turns == ALL and any(len(_turns(prompt)) > 1 for prompt in prompts):
        lines: list[dict[str, Any]] = [_conversation(replay, prompt) for prompt in prompts]
        found = RequestFile(path, "multi_turn", sum(len(_turns(prompt)) for prompt in prompts), len(prompts))
    else:
        render = renderer(job, url) if replay.rendering == CLIENT else None
        lines = []
        for prompt in prompts:
            stop.check()
            lines.append({"payload": body(job, prompt, render)})
        found = RequestFile(path, "mooncake_trace", len(prompts), len(prompts))
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return found


def check(replay: Replay, prompts: Sequence[Prompt]) -> None:
    """Which settings of a collection go together."""
    if replay.endpoint == COMPLETIONS and replay.rendering == SERVER:
        raise Failed(
            f"the collection has {COMPLETIONS} render the messages, which it cannot: its rendering must be client"
        )
    if replay.endpoint == CHAT and replay.rendering == CLIENT:
        raise Failed(f"the collection posts rendered prompts to {CHAT}, which would render them again")
    if replay.endpoint == COMPLETIONS and replay.turns == ALL and any(len(_turns(prompt)) > 1 for prompt in prompts):
        raise Failed(f"the collection sends all turns to {COMPLETIONS}, but later turns need the chat endpoint")


def body(job: Job, prompt: Prompt, render: Render | None) -> dict[str, Any]:
    """The body of one request; with a renderer for the completions endpoint, else for the chat endpoint."""
    found: dict[str, Any] = {"model": job.model}
    if render is None:
        found["messages"] = list(prompt.messages)
    else:
        found["prompt"] = render(prompt.messages)
    found["max_tokens"] = job.replay.output_len
    found.update(_values(job.replay))
    return found


def _conversation(replay: Replay, prompt: Prompt) -> dict[str, Any]:
    turns = [
        {"role": "user", "text": message["content"], "output_length": replay.output_len, "extra": _values(replay)}
        if message["role"] == "user"
        else {"role": "system", "text": message["content"]}
        for message in prompt.messages
    ]
    return {"session_id": prompt.id, "turns": turns}


def _turns(prompt: Prompt) -> list[Mapping[str, str]]:
    return [message for message in prompt.messages if message["role"] == "user"]


def _values(replay: Replay) -> dict[str, Any]:
    """Sampling and the rest of a body. Template arguments are for whoever renders: here, where the endpoint does."""
    values = dict(replay.sampling)
    if replay.ignore_eos:
        values["ignore_eos"] = True
    if replay.rendering == SERVER and replay.template_kwargs is not None:
        values["chat_template_kwargs"] = dict(replay.template_kwargs)
    return values


def renderer(job: Job, url: Url) -> Render:
    """How the prompt's text is had from this engine, whose template is the model's own."""
    kwargs = job.replay.template_kwargs
    extra: dict[str, Any] = {} if kwargs is None else {"chat_template_kwargs": dict(kwargs)}

    def llamacpp(messages: Sequence[Mapping[str, str]]) -> str:
        return _text(web.ask(url("/apply-template"), {"messages": list(messages), **extra}), "prompt")

    def vllm(messages: Sequence[Mapping[str, str]]) -> str:
        asked = {"model": job.model, "messages": list(messages), "add_generation_prompt": True, **extra}
        tokens = web.ask(url("/tokenize"), asked).get("tokens")
        text = _text(web.ask(url("/detokenize"), {"model": job.model, "tokens": tokens}), "prompt")
        # Text is posted, not tokens, because curves are collected so: the endpoint adds its special tokens now as it
        # did then. vLLM gives tokens only, so the text is right where it makes the same tokens again.
        again = web.ask(url("/tokenize"), {"model": job.model, "prompt": text, "add_special_tokens": False})
        if not tokens or again.get("tokens") != tokens:
            raise Failed(
                "the engine's rendered prompt does not survive the way to text and back, so it cannot be replayed"
            )
        return text

    known: dict[str, Render] = {"llamacpp": llamacpp, "vllm": vllm}
    if job.engine.name not in known:
        raise Failed(f"no way is known to have {job.engine.name} render a prompt: only {', '.join(sorted(known))}")
    return known[job.engine.name]


def _text(answer: Mapping[str, Any], key: str) -> str:
    value = answer.get(key)
    if not isinstance(value, str) or not value:
        raise Failed("the engine rendered a prompt to nothing, see engine.log")
    return value
