"""GitHub's own description of its REST interface, as a contract that both sides of a stand-in are held to."""

import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs

from bot.demo.github.faults import Moment
from bot.demo.github.server import Call
from tests.worlds.github.standin import WatchedGitHub

CUT = Path(__file__).parent.parent.parent / "data" / "openapi" / "github.json"
JSON = "application/json"
ANYWHERE = frozenset({401, 403, 404, 422, 429})  # answers that every operation may give, in the shape of basic-error
# What GitHub's description does not know: the head of a pull request whose fork was deleted is null, and the account of
# a listed installation is a user or an enterprise, not both at once, and a label without a description has null there.
MISDESCRIBED = re.compile(
    r'([0-9]+/)?head/repo: null is not of type "object"'
    r'|[0-9]+/labels/[0-9]+/description: null is not of type "string"'
    r"|[0-9]+/account: .* is not valid under any of the schemas listed in the 'anyOf' keyword"
)


@cache
def description() -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(CUT.read_text())
    return parsed


def operations() -> frozenset[tuple[str, str]]:
    """(method, path template) of all that the cut describes."""
    return frozenset((method.upper(), path) for path, item in description()["paths"].items() for method in item)


@cache
def _components() -> dict[str, Any]:
    converted: dict[str, Any] = as_json_schema(description()["components"])
    return converted


@cache
def _validator(place: tuple[str, ...], closed: bool) -> jsonschema_rs.Draft7Validator:
    node: Any = description()
    for step in place:
        node = resolve(node[step])
    schema = as_json_schema(node)
    if closed and "properties" in schema:
        schema = {"additionalProperties": False, **schema}
    return jsonschema_rs.Draft7Validator({**schema, "components": _components()}, validate_formats=True)


def resolve(node: Any) -> Any:
    while isinstance(node, Mapping) and "$ref" in node:
        target: Any = description()
        for step in node["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        node = target
    return node


def as_json_schema(node: Any) -> Any:
    """OpenAPI 3.0 says `nullable` where JSON Schema adds "null" to the types."""
    if isinstance(node, list):
        return [as_json_schema(item) for item in node]
    if not isinstance(node, Mapping):
        return node
    schema = {key: as_json_schema(value) for key, value in node.items() if key not in ("nullable", "discriminator")}
    if node.get("nullable") is True:
        return {"anyOf": [schema, {"type": "null"}]}
    return schema


@dataclass(slots=True)
class Contract:
    """Collects what a bot or a stand-in did against GitHub's description."""

    violations: list[str] = field(default_factory=list)

    async def observe(self, moment: Moment, call: Call) -> None:
        found = question(call) if moment is Moment.BEFORE else answer(call)
        self.violations += [f"{call.method} {call.path}: {problem}" for problem in found]


def question(call: Call) -> list[str]:
    """What is wrong with a request: operation, query and body."""
    if call.route is None or (call.method, call.route.template) not in operations():
        return ["is no operation that GitHub's description (as cut) knows"]
    operation = description()["paths"][call.route.template][call.method.lower()]
    problems = _query_problems(operation, call.query)
    place = ("paths", call.route.template, call.method.lower(), "requestBody", "content", JSON, "schema")
    if "requestBody" in operation and (call.body or resolve(operation["requestBody"]).get("required")):
        problems += [f"body: {text}" for text in _problems(place, json.loads(call.body or b"null"), closed=True)]
    elif call.body and "requestBody" not in operation:
        problems.append("takes no body")
    return problems


def answer(call: Call) -> list[str]:
    """What is wrong with the stand-in's answer."""
    if call.route is None or call.reply is None:
        return []
    status, body = call.reply.status, call.reply.payload
    operation = ("paths", call.route.template, call.method.lower())
    described = description()["paths"][call.route.template][call.method.lower()]["responses"]
    if status >= 500 or (str(status) not in described and status in ANYWHERE):
        return [f"{status}: {text}" for text in _problems(("components", "schemas", "basic-error"), json.loads(body))]
    if status == 304:
        return [] if not body else ["304: an answer that was not modified has no body"]
    if str(status) not in described:
        return [f"{status} is no answer that this operation gives"]
    content = resolve(described[str(status)]).get("content", {})
    if not content:
        return [] if not body else [f"{status}: has a body where none is described"]
    if call.reply.content_type.split(";")[0] not in content:
        return []  # raw bytes of a file: the description has no schema for them
    place = (*operation, "responses", str(status), "content", JSON, "schema")
    return [f"{status}: {text}" for text in _problems(place, json.loads(body), closed=status < 300)]


def _query_problems(operation: Mapping[str, Any], query: Mapping[str, str]) -> list[str]:
    parameters = {p["name"]: p for p in map(resolve, operation.get("parameters", [])) if p["in"] == "query"}
    problems = [f"query: {name} is not a parameter" for name in query if name not in parameters]
    problems += [
        f"query: {name} is missing" for name, p in parameters.items() if p.get("required") and name not in query
    ]
    for name in query.keys() & parameters.keys():
        schema = as_json_schema(parameters[name]["schema"])
        integer = schema.get("type") == "integer" and query[name].lstrip("-").isdecimal()
        value = int(query[name]) if integer else query[name]
        validator = jsonschema_rs.Draft7Validator({**schema, "components": _components()}, validate_formats=True)
        problems += [f"query: {name}: {error.message}" for error in validator.iter_errors(value)]
    return problems


def _problems(place: tuple[str, ...], value: object, *, closed: bool = False) -> list[str]:
    errors = _validator(place, closed).iter_errors(value)
    problems = [f"{'/'.join(map(str, error.instance_path))}: {_short(error.message)}" for error in errors]
    return [problem for problem in problems if not MISDESCRIBED.fullmatch(problem)]


def _short(message: str) -> str:
    """The value that is wrong comes first and may be long; what is wrong with it comes last."""
    return message if len(message) < 300 else f"{message[:100]} … {message[-180:]}"


@asynccontextmanager
async def held_to_contract(github: WatchedGitHub) -> AsyncIterator[Contract]:
    """Fails the test that lets either side break GitHub's description."""
    contract = Contract()
    github.on_request(contract.observe)
    yield contract
    assert contract.violations == [], contract.violations
