from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gatekit.formats.validation import plain_words


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    count: Annotated[int, Field(ge=1, le=9)] = 1
    share: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] = 0.5
    name: Annotated[str, Field(min_length=1, pattern="^[a-z]*$")] = "a"
    mode: Literal["on", "off"] = "on"
    flag: bool = True
    words: Annotated[tuple[str, ...], Field(min_length=1)] = ("a",)


class Outer(BaseModel):
    inner: Inner


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, "must be a mapping of keys to values"),
        ({}, "is missing: give it"),
        ({"inner": 3}, "must be a mapping of keys to values"),
        ({"inner": {"cuont": 1}}, "is no key that is known here: take it out, or mend its name"),
        ({"inner": {"count": "1"}}, "must be a whole number"),
        ({"inner": {"count": 0}}, "must be at least 1"),
        ({"inner": {"count": 10}}, "must be at most 9"),
        ({"inner": {"share": 0.0}}, "must be greater than 0.0"),
        ({"inner": {"share": 1.0}}, "must be less than 1.0"),
        ({"inner": {"share": float("nan")}}, "must be a finite number"),
        ({"inner": {"name": ""}}, "must have at least 1 character"),
        ({"inner": {"name": "A"}}, "must look like ^[a-z]*$"),
        ({"inner": {"name": 1}}, "must be a text"),
        ({"inner": {"mode": "x"}}, "must be 'on' or 'off'"),
        ({"inner": {"flag": 1}}, "must be true or false"),
        ({"inner": {"words": "a"}}, "must be a list"),
        ({"inner": {"words": ()}}, "must have at least 1"),
    ],
)
def test_a_problem_is_said_without_the_librarys_words(data: object, words: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Outer.model_validate(data)
    assert plain_words(refused.value.errors()[0]) == words


def test_a_kind_that_is_not_known_says_nothing_of_types() -> None:
    said = plain_words({"type": "is_instance_of", "loc": (), "msg": "Input should be an instance of _X", "input": 1})
    assert said == "has a value that cannot be used here: correct it"
