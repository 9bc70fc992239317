"""Plain YAML scalars to values, by the rules of YAML 1.1 that PyYAML follows; dates stay text."""

from math import isfinite
from typing import Protocol, TypeAlias

import yaml

Scalar: TypeAlias = str | int | float | bool | None

YAML_TAG = "tag:yaml.org,2002:"
LONGEST_NUMBER = 80  # characters: those of base 60 would take a time that grows with the square


class NoScalar(ValueError):
    """The text looks like a value that we do not take. `str(error)` says why, as the end of a sentence."""


class ScalarRules(Protocol):
    """The parts of a PyYAML loader that know what a plain scalar means."""

    def resolve(self, kind: type[yaml.Node], value: str, implicit: tuple[bool, bool]) -> str: ...

    def construct_yaml_bool(self, node: yaml.ScalarNode) -> bool: ...

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int: ...

    def construct_yaml_float(self, node: yaml.ScalarNode) -> float: ...


class Scalars:
    """Reads the scalars of one document; the same text is looked at once."""

    def __init__(self, rules: ScalarRules) -> None:
        self._rules = rules
        self._known: dict[str, Scalar] = {}

    def plain(self, text: str) -> Scalar:
        """What a scalar without quotes means. Raises NoScalar."""
        try:
            return self._known[text]
        except KeyError:
            value = self._known[text] = self._read(text)
            return value

    def _read(self, text: str) -> Scalar:
        tag = self._rules.resolve(yaml.ScalarNode, text, (True, False)).removeprefix(YAML_TAG)
        try:
            if tag in ("int", "float") and len(text) > LONGEST_NUMBER:
                raise ValueError
            match tag:
                case "null":
                    return None
                case "bool":
                    return self._rules.construct_yaml_bool(yaml.ScalarNode(tag, text))
                case "int":
                    return countable(self._rules.construct_yaml_int(yaml.ScalarNode(tag, text)))
                case "float":
                    return _finite(self._rules.construct_yaml_float(yaml.ScalarNode(tag, text)))
                case _:
                    return quoted(text)
        except (ValueError, OverflowError) as error:
            if isinstance(error, NoScalar):
                raise
            raise NoScalar("holds a number that cannot be read; put it in quotes if it is text") from None


def quoted(text: str) -> str:
    """Text as it stands in quotes or a block. Raises NoScalar for what neither a file nor a process can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise NoScalar("holds half a character; take the escape sequence out") from None
    if "\0" in text:
        raise NoScalar("holds the character NUL; take it out")
    return text


def countable(number: int) -> int:
    """A whole number of 64 bits. Raises ValueError for a larger one: products of those could not be printed."""
    if not -(2**63) <= number < 2**63:
        raise ValueError
    return number


def _finite(number: float) -> float:
    if not isfinite(number):
        raise NoScalar("holds a number that is not finite; write a number, or put it in quotes if it is text")
    return number
