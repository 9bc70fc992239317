"""What is wrong with a value, in plain words: a library that checks shapes speaks of types, people write files."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from pydantic_core import ErrorDetails

_Context = Mapping[str, object]

_SAID: Mapping[str, str] = MappingProxyType(
    {
        "missing": "is missing: give it",
        "extra_forbidden": "is no key that is known here: take it out, or mend its name",
        "model_type": "must be a mapping of keys to values",
        "model_attributes_type": "must be a mapping of keys to values",
        "dataclass_type": "must be a mapping of keys to values",
        "dict_type": "must be a mapping of keys to values",
        "mapping_type": "must be a mapping of keys to values",
        "list_type": "must be a list",
        "tuple_type": "must be a list",
        "string_type": "must be a text",
        "string_sub_type": "must be a text",
        "int_type": "must be a whole number",
        "int_parsing": "must be a whole number",
        "int_from_float": "must be a whole number",
        "int_parsing_size": "must be a smaller number",
        "float_type": "must be a number",
        "float_parsing": "must be a number",
        "finite_number": "must be a finite number",
        "bool_type": "must be true or false",
        "bool_parsing": "must be true or false",
        "json_invalid": "is no valid JSON",
        "json_type": "must be JSON text",
    }
)
_MEASURED: Mapping[str, Callable[[_Context], str]] = MappingProxyType(
    {
        "greater_than": lambda about: f"must be greater than {about['gt']}",
        "greater_than_equal": lambda about: f"must be at least {about['ge']}",
        "less_than": lambda about: f"must be less than {about['lt']}",
        "less_than_equal": lambda about: f"must be at most {about['le']}",
        "enum": lambda about: f"must be {about['expected']}",
        "literal_error": lambda about: f"must be {about['expected']}",
        "too_short": lambda about: f"must have at least {about['min_length']}",
        "too_long": lambda about: f"must have at most {about['max_length']}",
        "string_too_short": lambda about: f"must have at least {_letters(about['min_length'])}",
        "string_too_long": lambda about: f"must have at most {_letters(about['max_length'])}",
        "string_pattern_mismatch": lambda about: f"must look like {about['pattern']}",
    }
)


def plain_words(problem: ErrorDetails) -> str:
    """One problem of a ValidationError, as it goes on after the name of its place. The value is not in it."""
    kind, about = problem["type"], problem.get("ctx", {})
    if kind in _SAID:
        return _SAID[kind]
    if kind in _MEASURED:
        return _MEASURED[kind](about)
    if kind == "value_error":
        return problem["msg"].removeprefix("Value error, ")
    return "has a value that cannot be used here: correct it"


def _letters(count: object) -> str:
    return "1 character" if count == 1 else f"{count} characters"
