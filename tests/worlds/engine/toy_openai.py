"""The requests and answers of an OpenAI-shaped endpoint as vLLM has them, for the toy engine."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from aiohttp import web

THINKING_LINE = "[thinking]\n"


@dataclass(frozen=True, slots=True)
class Ask:
    """One request, with the prompt as text."""

    prompt: str
    tokens: int
    seed: int | None
    stream: bool
    usage: bool  # in a chunk of its own at the end of a stream
    chat: bool


def ask_of(body: Mapping[str, object], chat: bool) -> Ask:
    tokens = body.get("max_completion_tokens") or body.get("max_tokens") or 16
    options = body.get("stream_options") or {}
    return Ask(
        prompt_of(body), tokens, body.get("seed"), bool(body.get("stream")), bool(options.get("include_usage")), chat
    )


def prompt_of(body: Mapping[str, object]) -> str:
    """A prompt as it is, token ids as text, or messages through the chat template: a line each, then the mode."""
    if "messages" in body:
        given = body.get("chat_template_kwargs") or {}
        lines = "".join(f"{message['content']}\n" for message in body["messages"])
        return lines + (THINKING_LINE if given.get("thinking") or given.get("enable_thinking") else "")
    prompt = body["prompt"]
    return prompt if isinstance(prompt, str) else "".join(map(chr, prompt))


def frame(ask: Ask, model: str, choices: list[dict]) -> dict:
    kind = "chat.completion" if ask.chat else "text_completion"
    name = kind + ".chunk" if ask.chat and ask.stream else kind
    return {"id": "toy", "object": name, "created": 0, "model": model, "choices": choices}


def chunk(ask: Ask, model: str, text: str, finish: str | None) -> dict:
    said = {"delta": {"role": "assistant", "content": text}} if ask.chat else {"text": text}
    return frame(ask, model, [{"index": 0, **said, "finish_reason": finish}])


def whole(ask: Ask, model: str, text: str) -> web.Response:
    said = {"message": {"role": "assistant", "content": text}} if ask.chat else {"text": text}
    choice = {"index": 0, **said, "finish_reason": "length"}
    return answer(frame(ask, model, [choice]) | {"usage": usage(ask, len(text))})


def usage(ask: Ask, said: int) -> dict[str, int]:
    asked = len(ask.prompt)
    return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}


async def send(response: web.StreamResponse, value: dict) -> None:
    await response.write(b"data: " + json.dumps(value).encode() + b"\n\n")


def answer(value: dict) -> web.Response:
    return web.json_response(value)


def refuse(status: int, message: str) -> web.Response:
    return web.json_response({"error": {"message": message, "type": "BadRequestError", "code": status}}, status=status)
