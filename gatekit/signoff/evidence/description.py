"""A pull request's own description: what it claims, and which models it says that it was made with."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cached_property

from gatekit.domain.errors import Unknown
from gatekit.formats.markdown import Block, BlockKind, blocks, walk


class ClaimKind(StrEnum):
    IMAGE = "image"
    KEY = "config key"
    RUN = "run"
    SETTING = "setting"


@dataclass(frozen=True, slots=True)
class Claim:
    kind: ClaimKind
    text: str
    line: int


_IMAGE = re.compile(r"(?<![\w./-])(?:[a-z0-9.-]+/)+[a-z0-9._-]+:[A-Za-z0-9][\w.-]+")
_KEY = re.compile(r"(?<![\w.-])[a-z0-9.]+-(?:fp4|fp8|bf16|int4|mxfp4|nvfp4)-[a-z0-9.]+(?:-[a-z0-9.]+)+\b")
_RUN = re.compile(r"/actions/runs/(\d+)")
_SETTING = re.compile(r"(?<![\w/-])(--[a-z][\w-]+[= ][\w./{}\":,-]+|[A-Z][A-Z0-9_]{3,}=[\w./-]+)")


_FORMS = (
    (ClaimKind.IMAGE, _IMAGE),
    (ClaimKind.KEY, _KEY),
    (ClaimKind.RUN, _RUN),
    (ClaimKind.SETTING, _SETTING),
)


def _claims(found: Sequence[Block]) -> Iterator[Claim]:
    """What can be looked up: images, config keys, runs, settings with their value; nothing in HTML or quotes."""
    for block in walk(found):
        if block.kind in (BlockKind.HTML, BlockKind.QUOTE):
            continue
        for offset, line in enumerate(block.text.split("\n")):
            for kind, form in _FORMS:
                for match in form.finditer(line):
                    yield Claim(kind, _text(kind, match), block.line + offset)


def _text(kind: ClaimKind, match: re.Match[str]) -> str:
    if kind is ClaimKind.SETTING:
        return match[0].strip("\"',.")
    return match[1] if kind is ClaimKind.RUN else match[0]


class Disclosure(StrEnum):
    """What the section on AI models says."""

    MODELS = "names models"
    NONE_USED = "says that no AI was used"
    NOT_VERIFIABLE = "says that the model could not be verified"
    TOOLS_ONLY = "names tools, and no model"
    EMPTY = "names nothing"
    MISSING = "is missing"


_SECTION = re.compile(r"\bAI\b.{0,30}\b(?:model|disclosure)|\bmodel disclosure\b", re.IGNORECASE)
_MODEL = re.compile(
    r"\b(?:claude(?! code)|gpt|gemini|gemma|llama|qwen|deepseek|kimi|glm|grok|mistral|codestral|minimax|opus|sonnet|"
    r"haiku|fable)[\w. -]{0,30}?\d|\bo\d",
    re.IGNORECASE,
)
_TOOL = re.compile(
    r"\b(?:claude code|cursor|perplexity|copilot|codex|windsurf|aider|cline|chatgpt|claude|gemini)\b", re.I
)
_NONE = re.compile(r"\bno ai\b(?: was| were)? ?(?:used)?\b", re.IGNORECASE)
_UNVERIFIED = re.compile(
    r"\b(?:could|can)(?:not| not) be verified\b|\bnot (?:exposed|available|verifiable)\b", re.IGNORECASE
)


def _disclosure(found: Sequence[Block]) -> Disclosure:
    """By the section whose heading, or first words, speak of AI models; its lines until the next heading."""
    section = _section(found)
    if section is None:
        return Disclosure.MISSING
    for said, words in (
        (Disclosure.NONE_USED, _NONE),
        (Disclosure.MODELS, _MODEL),
        (Disclosure.NOT_VERIFIABLE, _UNVERIFIED),
        (Disclosure.TOOLS_ONLY, _TOOL),
    ):
        if words.search(section):
            return said
    return Disclosure.EMPTY


def _section(found: Sequence[Block]) -> str | None:
    lines: list[str] | None = None
    for block in walk(found):
        if block.kind in (BlockKind.HTML, BlockKind.QUOTE, BlockKind.ITEM):
            continue
        heads = _SECTION.search(block.text.split("\n")[0])
        if block.kind is BlockKind.HEADING and lines is not None and not heads:
            break
        if lines is not None:
            lines.append(block.text)
        elif heads:
            lines = [block.text[heads.end() :]]
    return None if lines is None else "\n".join(lines)


@dataclass(frozen=True)
class Description:
    """Its Markdown is read once, and not at all where no word of it can claim or disclose anything."""

    text: str
    edited: datetime  # when it was last written
    pushed: datetime | Unknown  # when the head that is assessed came

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """Each once, in their order."""
        may_claim = any(form.search(self.text) for _, form in _FORMS)
        return tuple(dict.fromkeys(_claims(self._blocks))) if may_claim else ()

    @cached_property
    def disclosure(self) -> Disclosure:
        return _disclosure(self._blocks) if _SECTION.search(self.text) else Disclosure.MISSING

    @cached_property
    def _blocks(self) -> tuple[Block, ...]:
        return blocks(self.text)
