"""Takes forced acceptance out of a merged recipe, and proves that none is left in what is launched."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from gatekit.bench.recipes.roles import json_mapping
from gatekit.domain.gates import Reason, StrippedKnob, Unusable
from gatekit.engines.engine import Args, compact
from gatekit.engines.forced_acceptance import ForcedKnobs
from gatekit.engines.registry import ENGINES
from gatekit.formats.redact import shortened

MOST_KNOBS, LONGEST = 100, 500  # of a recipe, and characters of each part: they are stored with every gate

_FLAG = re.compile(r"--[A-Za-z0-9]")
_APART = "\n0\n"  # no knob reaches from one text into the next


@dataclass(frozen=True, slots=True)
class Stripped:
    """A recipe without forced acceptance, and what was taken out, in recipe order."""

    content: Mapping[str, object]
    knobs: tuple[StrippedKnob, ...]


@dataclass(slots=True)
class _Walk:
    forced: ForcedKnobs
    knobs: list[StrippedKnob] = field(default_factory=list)
    kept: list[tuple[str, str]] = field(default_factory=list)  # place, name or text

    def found(self, place: str, knob: str, value: str) -> None:
        self.knobs.append(StrippedKnob(*(shortened(text, LONGEST) for text in (place, knob, value))))

    def mapping(self, value: Mapping[str, object], at: str) -> Mapping[str, object]:
        """What is not touched is the same object: variants of a recipe go on sharing it."""
        kept: dict[str, object] = {}
        for name, item in value.items():
            place = f"{at}.{name}" if at else str(name)
            if self.forced.forces(str(name), item):
                self.found(place, str(name), value=_shown(item))
            else:
                self.kept.append((place, str(name)))
                kept[name] = self.anything(item, place)
        same = len(kept) == len(value) and all(kept[name] is item for name, item in value.items())
        return value if same else kept

    def anything(self, value: object, at: str) -> object:
        if isinstance(value, str):
            text = self.text(value, at)
            self.kept.append((at, text))
            return text
        if isinstance(value, list):
            return self.listed(value, at)
        return self.mapping(value, at) if isinstance(value, Mapping) else value

    def text(self, value: str, at: str) -> str:
        parsed = json_mapping(value)
        if parsed is not None:
            before = len(self.knobs)
            kept = self.mapping(parsed, at)
            return value if len(self.knobs) == before else compact(kept)
        words = value.split() if "--" in value else []
        if len(words) == 1 and words[0].startswith("{"):  # neither JSON nor a flag
            return value
        kept_words = self.words(words, at)
        return value if kept_words is None else " ".join(kept_words)

    def listed(self, value: list[object], at: str) -> list[object]:
        if any(isinstance(item, str) and _FLAG.match(item) for item in value):
            kept = self.words([str(item) for item in value], at)
            return value if kept is None else list(kept)
        kept_items = []
        for position, item in enumerate(value):
            name, equals, given = item.partition("=") if isinstance(item, str) else ("", "", "")
            if equals and self.forced.forces(name, given):  # a list of variables
                self.found(f"{at}[{position}]", name, given)
            else:
                kept_items.append(self.anything(item, f"{at}[{position}]"))
        same = len(kept_items) == len(value) and all(one is other for one, other in zip(kept_items, value, strict=True))
        return value if same else kept_items

    def words(self, words: list[str], at: str) -> list[str] | None:
        """Command-line words without knobs; None where nothing was taken out, so that the text stays as it is."""
        kept: list[str] = []
        before = len(self.knobs)
        position = 0
        while position < len(words):
            word = words[position]
            position += 1
            name, equals, value = word.partition("=")
            if not _FLAG.match(word):
                kept.append(self.text(word, at) if word.startswith("{") else word)
                continue
            follows = position < len(words) and not _FLAG.match(words[position])
            given = value if equals else words[position] if follows else ""
            if self.forced.forces(name, given):
                self.found(f"{at}.{name.lstrip('-')}", name.lstrip("-"), given)
                position += 1 if follows and not equals else 0
            elif equals and value.startswith("{"):
                kept.append(f"{name}={self.text(value, at)}")
            else:
                kept.append(word)
        return kept if len(self.knobs) > before else None


def strip(content: Mapping[str, object], forced: ForcedKnobs = ENGINES.forced) -> Stripped:
    """The recipe without any engine's forced acceptance: in every role, recipe-wide, in JSON texts and in flag texts.

    `rejection_sample_method` goes only where it says `synthetic`. The recipe that came in is not changed.
    Raises Unusable for more than MOST_KNOBS, and where some is left that cannot be taken out, e.g. in a shell command.
    """
    walk = _Walk(forced)
    kept = walk.mapping(content, "")
    _refuse_traces(walk.kept, forced)
    if len(walk.knobs) > MOST_KNOBS:
        said = f"the recipe forces acceptance in {len(walk.knobs):,} places, more than {MOST_KNOBS}; take them out"
        raise Unusable(Reason.RECIPE_INVALID, said)
    return Stripped(kept, tuple(walk.knobs))


def prove(args: Args, env: Iterable[tuple[str, str]], forced: ForcedKnobs = ENGINES.forced) -> None:
    """Raises Unusable where what is launched still carries forced acceptance in any spelling."""
    _refuse_traces(_texts(args, env), forced)


def _refuse_traces(texts: Iterable[tuple[str, str]], forced: ForcedKnobs) -> None:
    """All texts are searched as one, which is quick; which of them it was is asked only where there was something."""
    kept = list(texts)
    if forced.trace(_APART.join(text for _, text in kept)) is not None:
        for place, text in kept:
            if (found := forced.trace(text)) is not None:
                raise Unusable(
                    Reason.RECIPE_UNREADABLE,
                    f"forced acceptance is still visible in {place} ({found}): take it out of the recipe",
                )


def _texts(args: Args, env: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for name, value in args:
        yield name, name
        yield name, str(value)
        if isinstance(value, str) and "\\" in value and (parsed := json_mapping(value)) is not None:
            yield name, compact(parsed)  # as the engine reads it, without escapes
    for name, value in env:
        yield name, f"{name}={value}"


def _shown(value: object) -> str:
    return value if isinstance(value, str) else compact(value)
