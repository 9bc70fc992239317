"""What a merged recipe says of its roles, in each of the layouts that recipes come in.

`roles.<role>.{nodes,workers,gpus,args,env}` (schema 2), `backend.<engine>_config.<role>` with
`backend.<role>_environment` and `resources` (schema 1), and `<role>.{extra-args,env}` at the top (llm-d). A recipe-wide
`environment` or `env` holds for every role; what the role itself says wins.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from gatekit.domain.errors import BadInput
from gatekit.domain.gates import Reason, Unusable
from gatekit.formats.bounded_json import bounded_object

GENERATING = ("decode", "agg", "prefill")  # the first of these that a recipe has generates the answers

_SHARED_ENV = ("environment", "env")
_OLD_NAMES = {"aggregated": "agg", "prefill": "prefill", "decode": "decode"}
_FLAG = re.compile(r"--(?P<name>[A-Za-z0-9][A-Za-z0-9_.-]*)(?:=(?P<value>.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Role:
    """One role of a merged recipe. Counts are None where the recipe does not say."""

    name: str  # agg, prefill or decode
    args: Mapping[str, object]
    env: Mapping[str, object]
    nodes: int | None
    workers: int | None
    gpus: int | None  # per worker
    args_at: str  # dotted place of `args` in the recipe
    env_at: str


def roles(content: Mapping[str, object]) -> Mapping[str, Role]:
    """The roles of a merged recipe by name. Raises Unusable where there is none, or a part has the wrong shape."""
    if "roles" in content:
        found = _schema_2(content)
    elif "backend" in content:
        found = _schema_1(content)
    else:
        found = _llm_d(content)
    if not found:
        raise Unusable(Reason.RECIPE_INVALID, "the recipe has no role: give it roles.agg, or roles.prefill and .decode")
    return found


def generating(found: Mapping[str, Role]) -> Role:
    """The role whose drafts are verified: `decode`, else `agg`, else `prefill` where a recipe has only that."""
    for name in GENERATING:
        if name in found:
            return found[name]
    raise Unusable(Reason.RECIPE_INVALID, f"no role generates: the recipe has {', '.join(found)}, and no agg or decode")


def engine_named(content: Mapping[str, object]) -> str | None:
    """The engine or framework that the recipe itself names, e.g. vllm; None where it names none.

    A role may have an engine of its own: that of the generation role counts.
    """
    if str(content.get("apiVersion", "")).startswith("llm-d.ai/"):
        return "llmd-vllm"
    found = content.get("roles")
    own = (found.get(name) for name in GENERATING) if isinstance(found, Mapping) else ()
    generating = next((role for role in own if role is not None), None)
    places = [generating] if isinstance(generating, Mapping) else []
    for place, key in ((place, key) for place in (*places, content) for key in ("engine", "backend")):
        value = place.get(key)
        named = value.get("type") if isinstance(value, Mapping) else value
        if isinstance(named, str):
            return named
    return None


def _schema_2(content: Mapping[str, object]) -> Mapping[str, Role]:
    found = {}
    for name, block in _mapping(content, "roles", "roles").items():
        at = f"roles.{name}"
        body = _mapping({name: block}, name, at)
        found[name] = Role(
            name=name,
            args=_mapping(body, "args", f"{at}.args"),
            env={**_shared(content), **_mapping(body, "env", f"{at}.env")},
            nodes=_count(body, "nodes", at),
            workers=_count(body, "workers", at),
            gpus=_count(body, "gpus", at),
            args_at=f"{at}.args",
            env_at=f"{at}.env",
        )
    return found


def _schema_1(content: Mapping[str, object]) -> Mapping[str, Role]:
    backend = _mapping(content, "backend", "backend")
    resources = _mapping(content, "resources", "resources")
    engine = backend.get("type")
    section = f"{engine}_config"
    found = {}
    for old, args in _mapping(backend, section, f"backend.{section}").items():
        name = _OLD_NAMES.get(old)
        if name is None:
            continue
        found[name] = Role(
            name=name,
            args=_mapping({old: args}, old, f"backend.{section}.{old}"),
            env={**_shared(content), **_mapping(backend, f"{old}_environment", f"backend.{old}_environment")},
            nodes=_count(resources, f"{name}_nodes", "resources"),
            workers=_count(resources, f"{name}_workers", "resources"),
            gpus=_count(resources, f"gpus_per_{name}", "resources"),
            args_at=f"backend.{section}.{old}",
            env_at=f"backend.{old}_environment",
        )
    return found


def _llm_d(content: Mapping[str, object]) -> Mapping[str, Role]:
    found = {}
    for name in GENERATING:
        if name in content:
            body = _mapping(content, name, name)
            text = body.get("extra-args") or ""
            if not isinstance(text, str):
                raise Unusable(Reason.RECIPE_INVALID, f"{name}.extra-args is not text: write the flags as one text")
            tp = _count(body, "tp", name)
            size: Mapping[str, object] = {} if tp is None else {"tensor-parallel-size": tp}
            found[name] = Role(
                name=name,
                args={**size, **flags_of(text, f"{name}.extra-args")},
                env={**_shared(content), **_mapping(body, "env", f"{name}.env")},
                nodes=_count(body, "nodes", name),
                workers=_count(body, "workers", name),
                gpus=tp,
                args_at=f"{name}.extra-args",
                env_at=f"{name}.env",
            )
    return found


def flags_of(text: str, at: str) -> Mapping[str, object]:
    """`--name value`, `--name=value` and bare `--name` (True) of a text; no value holds blanks, JSON stays text."""
    found: dict[str, object] = {}
    name: str | None = None
    for word in text.split():
        flag = _FLAG.fullmatch(word)
        if flag is not None:
            name = flag["name"]
            if name in found:
                raise Unusable(Reason.RECIPE_INVALID, f"{at}: --{name} is given twice; keep one")
            found[name] = True if flag["value"] is None else flag["value"]
            name = name if flag["value"] is None else None
        elif name is None:
            raise Unusable(Reason.RECIPE_INVALID, f"{at}: {word!r} follows no flag; a value must not hold blanks")
        else:
            found[name], name = word, None
    return found


def json_mapping(value: object) -> Mapping[str, object] | None:
    """A mapping, or the mapping that a JSON text holds; None where it is neither."""
    if not isinstance(value, str):
        return value if isinstance(value, Mapping) else None
    if not value.lstrip().startswith("{"):
        return None
    try:
        return bounded_object(value, "")
    except BadInput:
        return None


def _shared(content: Mapping[str, object]) -> Mapping[str, object]:
    return {name: value for key in _SHARED_ENV for name, value in _mapping(content, key, key).items()}


def _mapping(of: Mapping[str, object], key: str, at: str) -> Mapping[str, object]:
    value = of.get(key)
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise Unusable(Reason.RECIPE_INVALID, f"{at} is not a mapping of names to values")
    return value


def _count(of: Mapping[str, object], key: str, at: str) -> int | None:
    value = of.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise Unusable(Reason.RECIPE_INVALID, f"{at}.{key} is {value!r}: give a whole number")
    return value
