"""What the door reads of a payload: enough to know whose lane it goes to, and whether it is JSON at all.

The payload is only skimmed: full objects are built later, when nobody waits for the answer.
"""

import json
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field, TypeAdapter, ValidationError

from bot.github.fields import storable
from bot.store.deliveries import Route


class NotJson(Exception):
    """The body is no JSON text."""


_Number = Annotated[int, Field(gt=0, lt=2**63, strict=True)]
_Text = Annotated[str, BeforeValidator(lambda value: storable(value) if isinstance(value, str) else value)]


class _Numbered(BaseModel):
    number: _Number


class _Issue(_Numbered):
    pull_request: dict[str, object] | None = None


class _Run(BaseModel):
    pull_requests: list[_Numbered] = []


class _Repository(BaseModel):
    id: _Number | None = None
    full_name: _Text | None = None


class _Skimmed(BaseModel):
    action: _Text | None = None
    repository: _Repository | None = None
    pull_request: _Numbered | None = None
    issue: _Issue | None = None
    check_run: _Run | None = None
    check_suite: _Run | None = None


_SKIM = TypeAdapter(_Skimmed)


def route(body: bytes) -> Route:
    """Raises NotJson. Any JSON gets a route: an empty one where its shape is strange."""
    try:
        seen = _SKIM.validate_json(body)
    except ValidationError as error:
        if any(problem["type"] == "json_invalid" for problem in error.errors(include_url=False, include_input=False)):
            _surely_json(body)
        return Route()
    repository = seen.repository or _Repository()
    return Route(seen.action, repository.id, repository.full_name, _pr(seen))


def _pr(seen: _Skimmed) -> int | None:
    if seen.pull_request is not None:
        return seen.pull_request.number
    if seen.issue is not None:
        return seen.issue.number if seen.issue.pull_request is not None else None
    runs = [run for run in (seen.check_run, seen.check_suite) if run is not None and run.pull_requests]
    return runs[0].pull_requests[0].number if runs else None


def _surely_json(body: bytes) -> None:
    """The fast reader refuses some JSON too (deep nesting, lone surrogates): ask a second one."""
    try:
        json.loads(body)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise NotJson(f"the body is no JSON: {error}") from error
    except (RecursionError, ValueError):
        return  # too deep, or a number too long: JSON all the same
