"""Who makes the texts of the prompts, where the collection posts rendered prompts.

vLLM and llama.cpp are asked once they serve. For every other engine the model's own template is applied before it is
started. SGLang is then asked as well: both must say the same, and a model without such a template is left to it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Mapping, Sequence

from bot.node import templates, web
from bot.node.failures import Failed
from bot.node.jobfile import CLIENT, Job
from bot.node.prompts import Prompt
from bot.node.replay import Place
from bot.node.stop import Stop
from bot.node.templates import NotRendered

Url = Callable[[str], str]  # path on the engine -> URL
Messages = Sequence[Mapping[str, str]]
Tokens = Sequence[int]

VLLM, SGLANG, LLAMACPP = "vllm", "sglang", "llamacpp"
NOT_OFFERED = (400, 404, 405, 422)  # what a server answers that does not know the question


@dataclass(frozen=True)
class ByTemplate:
    """What the model's own template made of the prompts. Without texts: why it made nothing."""

    texts: tuple[str, ...] | None
    why: str = ""

    @property
    def who(self) -> str:
        return "the engine" if self.texts is None else "the model's chat template"


def by_template(job: Job, prompts: Sequence[Prompt], place: Place, stop: Stop) -> ByTemplate:
    """Before the engine is started: what nobody can render shall not cost a start. Raises Failed with the reason."""
    if job.replay.rendering != CLIENT or job.engine.name in (VLLM, LLAMACPP):
        return ByTemplate(None)
    try:
        return ByTemplate(templates.render(job, prompts, place, stop))
    except NotRendered as no:
        if job.engine.name != SGLANG:
            raise
        return ByTemplate(None, str(no))


def texts(job: Job, prompts: Sequence[Prompt], found: ByTemplate, url: Url, stop: Stop) -> tuple[str, ...] | None:
    """The text of every prompt; None where the endpoint renders. Raises Failed with the reason."""
    if job.replay.rendering != CLIENT:
        return None
    messages = [prompt.messages for prompt in prompts]
    if job.engine.name == LLAMACPP:
        return tuple(_applied(job, each, url) for each in _unless(stop, messages))
    if found.texts is None:
        engine = _Engine(job, url, _DIALECTS[job.engine.name])
        return tuple(engine.text(each, found.why) for each in _unless(stop, messages))
    if job.engine.name == SGLANG:
        engine = _Engine(job, url, _DIALECTS[SGLANG])
        for number, each in enumerate(_unless(stop, messages)):
            engine.compare(each, found.texts[number])
    return found.texts


def digest(texts: Sequence[str]) -> str:
    """SHA-256 in hex of rendered prompts in their order, as JSON without blanks or non-ASCII letters."""
    return hashlib.sha256(json.dumps(list(texts), separators=(",", ":")).encode()).hexdigest()


@dataclass(frozen=True)
class _Dialect:
    """How an engine is asked for the tokens of messages and for the text of tokens: what is said besides."""

    to_messages: Mapping[str, Any]
    to_tokens: Mapping[str, Any]
    text: str  # where its answer has it


_DIALECTS = {
    VLLM: _Dialect({"add_generation_prompt": True}, {}, "prompt"),
    SGLANG: _Dialect({}, {"skip_special_tokens": False}, "text"),  # it adds the generation prompt by itself
}


@dataclass(frozen=True)
class _Engine:
    job: Job
    url: Url
    dialect: _Dialect

    def text(self, messages: Messages, why: str) -> str:
        """`why` the model's template did not do, for the reason that is given where the engine cannot either.

        Text is posted, not tokens, because curves are collected so: the endpoint adds its special tokens now as it did
        then. An engine gives tokens only, so the text is right where it makes the same tokens again.
        """
        tokens = self._rendered(messages)
        if tokens is None:
            unable = f"this build of {self.job.engine.name} does not render messages for others"
            raise Failed(f"{why}; {unable}" if why else unable)
        body = {"model": self.job.model, "tokens": list(tokens), **self.dialect.to_tokens}
        text = _text(web.ask(self.url("/detokenize"), body), self.dialect.text)
        if self._tokens(text) != tokens:
            raise Failed(
                "the engine's rendered prompt does not survive the way to text and back, so it cannot be replayed"
            )
        return text

    def compare(self, messages: Messages, text: str) -> None:
        """Raises Failed where the engine renders, and not as the model's template did."""
        tokens = self._rendered(messages)
        if tokens is not None and self._tokens(text) != tokens:
            raise Failed(
                f"{self.job.engine.name} renders a prompt otherwise than the chat template of {self.job.checkpoint} "
                "does, so it is not known which the curve was collected with"
            )

    def _rendered(self, messages: Messages) -> Tokens | None:
        """None: it does not offer that."""
        body = {"model": self.job.model, "messages": list(messages), **self.dialect.to_messages, **_extra(self.job)}
        answer = web.offered(self.url("/tokenize"), body, NOT_OFFERED)
        return None if answer is None else _listed(answer)

    def _tokens(self, text: str) -> Tokens:
        body = {"model": self.job.model, "prompt": text, "add_special_tokens": False}
        return _listed(web.ask(self.url("/tokenize"), body))


def _applied(job: Job, messages: Messages, url: Url) -> str:
    return _text(web.ask(url("/apply-template"), {"messages": list(messages), **_extra(job)}), "prompt")


def _extra(job: Job) -> Mapping[str, Any]:
    kwargs = job.replay.template_kwargs
    return {} if kwargs is None else {"chat_template_kwargs": dict(kwargs)}


def _unless(stop: Stop, messages: Sequence[Messages]) -> Iterator[Messages]:
    for each in messages:
        stop.check()
        yield each


def _listed(answer: Mapping[str, Any]) -> Tokens:
    tokens = answer.get("tokens")
    if not isinstance(tokens, list) or not tokens:
        raise Failed("the engine rendered a prompt to nothing, see engine.log")
    return tokens


def _text(answer: Mapping[str, Any], key: str) -> str:
    value = answer.get(key)
    if not isinstance(value, str) or not value:
        raise Failed("the engine rendered a prompt to nothing, see engine.log")
    return value
