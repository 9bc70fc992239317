"""Looks at JSON that must have a certain shape; what is odd becomes one sentence with its place."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Type, Union

from bot.node.failures import Failed

_TYPES = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", list: "a list", dict: "a map"}
Kind = Union[Type[str], Type[int], Type[float], Type[bool], Type[List[Any]], Type[Dict[str, Any]]]


class Part:
    """One object of job.json, with its place. Every look at it raises Failed where it is not as asked."""

    def __init__(self, data: object, where: str) -> None:
        if not isinstance(data, dict):
            raise Failed(f"job.json: {where or 'it'} must be a map")
        self._data: dict[str, Any] = data
        self._where = where

    def place(self, key: str) -> str:
        return f"{self._where}.{key}" if self._where else key

    def has(self, key: str) -> bool:
        return self._data.get(key) is not None

    def get(self, key: str, kind: Kind, optional: bool = False) -> Any:
        value = self._data.get(key)
        if value is None and (optional and key in self._data):
            return None
        wanted = (int, float) if kind is float else kind
        if not isinstance(value, wanted) or (isinstance(value, bool) and kind is not bool):
            raise Failed(f"job.json: {self.place(key)} must be {_TYPES[kind]}")
        if isinstance(value, str) and "\0" in value:
            raise Failed(f"job.json: {self.place(key)} holds a zero byte")
        return value

    def positive(self, key: str, kind: Kind, zero: bool = False) -> Any:
        value = self.get(key, kind)
        if not (value >= 0 if zero else value > 0) or value == float("inf"):
            raise Failed(f"job.json: {self.place(key)} must be {'0 or more' if zero else 'more than 0'}")
        return value

    def one_of(self, key: str, choices: tuple[str, ...]) -> str:
        value: str = self.get(key, str)
        if value not in choices:
            raise Failed(f"job.json: {self.place(key)} must be one of {', '.join(choices)}")
        return value

    def texts(self, key: str, some: bool = False) -> tuple[str, ...]:
        values = self.get(key, list)
        if (some and not values) or not all(isinstance(value, str) and "\0" not in value for value in values):
            raise Failed(f"job.json: {self.place(key)} must be a list of {'at least one text' if some else 'texts'}")
        return tuple(values)

    def pairs(self, key: str, optional: bool = False) -> dict[str, str]:
        if optional and key not in self._data:
            return {}
        pairs = self.get(key, list)
        for pair in pairs:
            if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(text, str) for text in pair)):
                raise Failed(f"job.json: {self.place(key)} must be a list of [name, value] pairs")
            if not pair[0] or "=" in pair[0] or "\0" in pair[0] + pair[1]:
                raise Failed(f"job.json: {self.place(key)} holds a name that no environment can hold")
        return dict(pairs)

    def numbers(self, key: str, names: tuple[str, ...]) -> dict[str, Any]:
        """A map of finite numbers whose keys are all in `names`."""
        values = self.get(key, dict)
        for name, value in values.items():
            number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
            if name not in names or not number:
                raise Failed(f"job.json: {self.place(key)}.{name} is no number, or no value that can be replayed")
        return dict(values)

    def part(self, key: str) -> Part:
        return Part(self._data.get(key), self.place(key))
