"""A mapping of a document, read key by key, so that every mistake is one sentence with its line."""

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from enum import StrEnum
from math import isfinite
from typing import TypeVar

from gatekit.domain.errors import BadInput
from gatekit.domain.text import shown
from gatekit.formats.yaml_document import Document
from gatekit.formats.yaml_reader import Key

LONGEST_LINE = 1_000

Choice = TypeVar("Choice", bound=StrEnum)

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class Fields:
    """One mapping. A key that is absent, or null, has no value; every reader raises BadInput."""

    def __init__(self, document: Document, place: tuple[Key, ...], values: Mapping[Key, object]) -> None:
        self._document = document
        self.place = place
        self._values = values
        self._usual: tuple[str, ...] = ()  # the keys that may stand here, in their usual order

    def bad(self, problem: str, *place: Key) -> BadInput:
        """The refusal to raise: `problem` at the line of `place` inside this mapping."""
        return BadInput(self.at(*place), problem)

    def at(self, *place: Key) -> str:
        """`path:line` of `place` inside this mapping."""
        return self._document.where(*self.place, *place)

    @property
    def where(self) -> str:
        return self.at()

    @property
    def data(self) -> Mapping[Key, object]:
        """The mapping as it was read: look at it, never change it."""
        return self._values

    def names(self) -> Iterator[Key]:
        return iter(self._values)

    def value(self, name: str) -> object:
        return self._values.get(name)

    def has(self, name: str) -> bool:
        return self._values.get(name) is not None

    def refuse_others(self, *known: str) -> None:
        """Refuse the first key that is not one of `known`, which stand in their usual order."""
        self._usual = known
        for name in self._values:
            if name not in known:
                close = get_close_matches(str(name), known, n=1)
                hint = f"did you mean `{close[0]}`?" if close else f"take it out (known: {', '.join(known)})"
                raise self.bad(f"does not know the key `{shown(name)}`; {hint}", name)

    def text(self, name: str, default: str | None = None) -> str:
        """One line of text. Without `default` the key is required."""
        found = self.optional_text(name)
        if found is not None:
            return found
        if default is None:
            raise self._missing(name)
        return default

    def optional_text(self, name: str) -> str | None:
        value = self._values.get(name)
        return None if value is None else self._line_of_text(value, name, name)

    def texts(self, name: str) -> tuple[str, ...] | None:
        """A list of lines of text; None where the key is absent."""
        values = self._list(name)
        if values is None:
            return None
        return tuple(self._line_of_text(value, f"{name}[{at}]", name, at) for at, value in enumerate(values))

    def prose(self, name: str) -> tuple[str, ...] | None:
        """A list of texts that may have several lines each; None where the key is absent."""
        values = self._list(name)
        if values is None:
            return None
        for at, value in enumerate(values):
            if not isinstance(value, str) or not value.strip():
                raise self.bad(f"needs text for `{name}[{at}]`; put it in quotes", name, at)
        return tuple(str(value) for value in values)

    def flag(self, name: str, default: bool = False) -> bool:
        value = self._values.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.bad(f"needs true or false for `{name}`", name)
        return value

    def count(self, name: str, least: int = 1) -> int | None:
        """A whole number from `least` up; None where the key is absent."""
        value = self._values.get(name)
        return None if value is None else self._whole(value, name, least, name)

    def counts(self, name: str, least: int = 1) -> tuple[int, ...] | None:
        values = self._list(name)
        if values is None:
            return None
        return tuple(self._whole(value, f"{name}[{at}]", least, name, at) for at, value in enumerate(values))

    def fraction(self, name: str) -> float | None:
        """A number above 0 and at most 1; None where the key is absent."""
        value = self._values.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or not 0 < value <= 1:
            raise self.bad(f"needs a number above 0 and at most 1 for `{name}`", name)
        return float(value)

    def choice(self, name: str, kind: type[Choice], default: Choice) -> Choice:
        value = self._values.get(name)
        if value is None:
            return default
        if not isinstance(value, str) or value not in [known.value for known in kind]:
            raise self.bad(f"needs one of {', '.join(kind)} for `{name}`", name)
        return kind(value)

    def inner(self, name: str) -> "Fields | None":
        """The mapping under `name`; None where the key is absent."""
        value = self._values.get(name)
        return None if value is None else self._mapping(value, f"`{shown(name)}`", name)

    def inners(self, name: str) -> "tuple[Fields, ...] | None":
        """The mappings of the list under `name`; None where the key is absent."""
        values = self._list(name)
        if values is None:
            return None
        return tuple(self._mapping(value, f"`{name}[{at}]`", name, at) for at, value in enumerate(values))

    def required(self, name: str) -> None:
        if not self.has(name):
            raise self._missing(name)

    def _missing(self, name: str) -> BadInput:
        return BadInput(self._document.gap(self.place, name, self._usual), f"lacks `{shown(name)}`; add it")

    def _list(self, name: str) -> list[object] | None:
        value = self._values.get(name)
        if value is None:
            return None
        if not isinstance(value, list):
            raise self.bad(f"needs a list for `{name}`", name)
        return value

    def _mapping(self, value: object, title: str, *place: Key) -> "Fields":
        if not isinstance(value, dict):
            raise self.bad(f"needs a mapping for {title}", *place)
        return Fields(self._document, (*self.place, *place), value)

    def _line_of_text(self, value: object, title: str, *place: Key) -> str:
        if not isinstance(value, str):
            raise self.bad(f"needs text for `{title}`; put {value!r:.40} in quotes", *place)
        if not value or _CONTROL.search(value) or len(value) > LONGEST_LINE:
            raise self.bad(f"needs one line of text for `{title}`, at most {LONGEST_LINE:,} characters", *place)
        return value

    def _whole(self, value: object, title: str, least: int, *place: Key) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise self.bad(f"needs a whole number from {least} up for `{title}`", *place)
        return value


def top_fields(document: Document) -> Fields:
    """The document's top level; an empty file is an empty mapping. Raises BadInput where it is no mapping."""
    if document.data is None:
        return Fields(document, (), {})
    if not isinstance(document.data, dict):
        raise BadInput(document.path, "needs a mapping at the top level")
    return Fields(document, (), document.data)
