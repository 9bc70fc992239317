"""JSON of strangers: what programs wrote is taken as it is, what persons wrote as strictly as their YAML."""

import json
from math import isnan

import pytest

from gatekit.domain.errors import BadInput
from gatekit.formats.bounded_json import JsonLimits, bounded_json, bounded_object

SMALL = JsonLimits(size=10_000, depth=5, values=100)


@pytest.mark.parametrize("text", [b'"' + b'\\"' * 500_000, b'"' * 1_000_001, b"[" * 1_000_000, b'{"a":' * 200_000])
def test_hostile_json_is_refused_in_linear_time(text: bytes) -> None:
    with pytest.raises(BadInput):
        bounded_json(text, "agg.json")


def test_strings_are_not_counted_as_structure() -> None:
    text = json.dumps(["[[[[[[[[[[[[[", '\\"{{{{{{{{{{{{{', ",,,,,," * 50]).encode()
    assert bounded_json(text, "agg.json", SMALL) == json.loads(text)


def test_what_a_program_wrote_is_taken_as_it_is() -> None:
    read = bounded_json(b'{"tput": NaN, "a": 1, "a": 2}', "agg.json")
    assert isinstance(read, dict)
    assert isnan(read["tput"])
    assert read["a"] == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", {}),
        (
            '{"method": "mtp", "k": 3, "deep": {"x": [1.5, null, true]}}',
            {"method": "mtp", "k": 3, "deep": {"x": [1.5, None, True]}},
        ),
        ('{"brackets in text": "[[[[[[[[{{{{"}', {"brackets in text": "[[[[[[[[{{{{"}),
        ('{"a": [[[[1]]]]}', {"a": [[[[1]]]]}),
    ],
)
def test_an_object_in_text_is_read(text: str, expected: object) -> None:
    assert bounded_object(text, "r.yaml:3", SMALL) == expected


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("[1]", "r.yaml:3: holds JSON that is no object; write it as {…}"),
        ("{'a': 1}", "r.yaml:3: is no JSON"),
        ('{"a": "\ud800"}', "r.yaml:3: is no JSON"),
        ('{"a": 1, "a": 2}', "r.yaml:3: has the JSON key `a` twice in one object; keep one of them"),
        ('{"a": NaN}', "r.yaml:3: holds the JSON number NaN, which is not finite; write a number"),
        ('{"a": 1e999}', "r.yaml:3: holds the JSON number 1e999, which is not finite; write a number"),
        ('{"a": "\\ud800"}', "r.yaml:3: holds half a character; take the escape sequence out"),
        ('{"a": ["\\u0000"]}', "r.yaml:3: holds the character NUL; take it out"),
        *(
            (f'{{"a": [{number}]}}', "r.yaml:3: holds a JSON number that cannot be read; write a shorter one")
            for number in ("9" * 5000, 2**63, -(2**63) - 1)
        ),
        ('{"a": [[[[[1]]]]]}', "r.yaml:3: is nested deeper than 5 levels"),
        ('{"a": "' + "x" * 10_000 + '"}', "r.yaml:3: is larger than the 0 MiB of JSON that are read"),
        ('{"a": [' + "1," * 200 + "1]}", "r.yaml:3: has more than 100 values"),
    ],
)
def test_an_object_that_is_refused_says_why(text: str, refusal: str) -> None:
    with pytest.raises(BadInput) as refused:
        bounded_object(text, "r.yaml:3", SMALL)
    assert str(refused.value) == refusal
