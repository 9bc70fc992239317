"""The file of a golden curve → `Curve`, and back, in the order and layout of goldens/README.md."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from enum import Enum
from types import MappingProxyType
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr, ValidationError

from gatekit.domain.collection import Collection, Endpoint, Rendering, Sampling, Scalar, Thinking, Turns
from gatekit.domain.errors import BadInput
from gatekit.domain.gates import Tolerance
from gatekit.formats.validation import plain_words
from gatekit.formats.yaml_document import Document, read_yaml
from gatekit.formats.yaml_reader import Key

Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Positive = Annotated[int, Field(strict=True, ge=1)]
Digest = Annotated[str, Field(strict=True, pattern="^[0-9a-f]{64}$")]
Fraction = Annotated[float, Field(strict=True, ge=0, lt=1, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class Curve:
    """Golden AL by thinking mode and K, with everything that it was measured with."""

    name: str
    model: str | None  # the checkpoint that was measured; None: not recorded
    method: str
    draft_model: str | None
    draft_sample_method: str | None  # None: not recorded
    rejection_sample_method: str | None
    collection: Collection | None  # None: its settings are not known, so no gate can replay it
    tolerance: Tolerance | None  # its own repeatability; None: the repository's setting
    values: Mapping[Thinking, Mapping[int, float]]
    note: str | None


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Draft(_Strict):
    model: StrictStr | None = None
    sample_method: StrictStr | None = None
    rejection_method: StrictStr | None = None


class _Tolerance(_Strict):
    below: Fraction
    above: Fraction


class _Sampling(_Strict):
    temperature: Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
    top_p: Annotated[float, Field(strict=True, gt=0, le=1)] | None = None
    top_k: StrictInt | None = None
    presence_penalty: Number | None = None
    seed: StrictInt | None = None
    template_kwargs: dict[str, Scalar] | None = None
    rendered_sha256: Digest | None = None


class _Collection(_Strict):
    dataset: StrictStr
    split: StrictStr
    category: StrictStr
    prompts: Positive
    prompts_sha256: Digest | None
    turns: Turns
    endpoint: Endpoint
    rendering: Rendering
    output_len: Positive
    ignore_eos: StrictBool
    concurrency: Positive
    sampling: Annotated[dict[Thinking, _Sampling], Field(min_length=1)]
    thinking_marker: Annotated[str, Field(strict=True, min_length=1)] | None
    adaptive_verification: StrictBool
    engine: StrictStr
    hardware: StrictStr
    server: dict[str, Scalar] = Field(default_factory=dict)
    source: StrictStr | None = None


class _File(_Strict):
    model: StrictStr | None = None
    method: StrictStr
    draft: _Draft = _Draft()
    collection: _Collection | None
    tolerance: _Tolerance | None = None
    curves: dict[Thinking, dict[Positive, Number]]
    note: StrictStr | None = None


def read_curve(path: str, name: str, data: bytes) -> Curve:
    """Raises BadInput with `path:line` for what is no curve, or holds a value that no acceptance length can have."""
    document = read_yaml(path, data)
    if document.data is None:
        raise BadInput(f"{path}:1", "the file is empty; write a curve into it, as goldens/README.md has one")
    try:
        file = _File.model_validate(document.data)
    except ValidationError as error:
        raise _unfit(document, error) from None
    for place, problem in _impossible(file):
        raise BadInput(document.where(*place), problem)
    _refuse_unreplayed(document, file)
    return Curve(
        name=name,
        model=file.model,
        method=file.method,
        draft_model=file.draft.model,
        draft_sample_method=file.draft.sample_method,
        rejection_sample_method=file.draft.rejection_method,
        collection=None if file.collection is None else _collection(file.collection),
        tolerance=None if file.tolerance is None else Tolerance(file.tolerance.below, file.tolerance.above),
        values=MappingProxyType({mode: MappingProxyType(values) for mode, values in file.curves.items()}),
        note=file.note,
    )


def _unfit(document: Document, error: ValidationError) -> BadInput:
    """What is said of a file of another shape: a key too many goes before one that is missing, which it may be."""
    first = min(error.errors(include_url=False), key=lambda one: one["type"] != "extra_forbidden")
    place = tuple(step for step in first["loc"] if step != "[key]")
    where = document.where(*place)
    if first["type"] == "missing":
        *parents, name = place
        model = _Collection if parents == ["collection"] else _File
        where = document.gap(tuple(parents), str(name), tuple(model.model_fields))
    return BadInput(where, f"{'.'.join(map(str, place)) or 'the file'} {plain_words(first)}")


def _impossible(file: _File) -> Iterator[tuple[tuple[Key, ...], str]]:
    for mode, values in file.curves.items():
        for k, al in values.items():
            if not (math.isfinite(al) and 1 <= al <= k + 1):
                yield (
                    ("curves", mode.value, k),
                    f"K={k} has AL {al}: an acceptance length of K={k} is from 1 to {k + 1}",
                )


def _refuse_unreplayed(document: Document, file: _File) -> None:
    """A mode with values must say how the target sampled, or a gate could not repeat it."""
    if file.collection is None:
        return
    for mode in file.curves:
        if mode not in file.collection.sampling:
            place = ("curves", mode.value)
            raise BadInput(
                document.where(*place), f"thinking {mode.value} has values, but collection.sampling has none"
            )


def _collection(block: _Collection) -> Collection:
    fields = {name: getattr(block, name) for name in _Collection.model_fields if name not in ("sampling", "server")}
    return Collection(
        **fields,
        sampling=MappingProxyType({mode: Sampling(**each.model_dump()) for mode, each in block.sampling.items()}),
        server=MappingProxyType(block.server),
    )


_WIDTH = 100_000  # one line for each mapping of plain values


def curve_text(curve: Curve) -> str:
    """Reads back as the same curve, whatever its name."""
    return "\n".join(_lines(curve)) + "\n"


def _lines(curve: Curve) -> Iterator[str]:
    yield f"model: {_flow(curve.model)}"
    yield f"method: {_flow(curve.method)}"
    draft = {
        "model": curve.draft_model,
        "sample_method": curve.draft_sample_method,
        "rejection_method": curve.rejection_sample_method,
    }
    if known := _stated(draft):
        yield f"draft: {_flow(known)}"
    yield from ("collection: null",) if curve.collection is None else _collection_text(curve.collection)
    if curve.tolerance is not None:
        yield f"tolerance: {_flow({'below': curve.tolerance.below, 'above': curve.tolerance.above})}"
    if curve.note is not None:
        yield f"note: {_flow(curve.note)}"
    yield "curves:" if curve.values else "curves: {}"
    for mode, values in curve.values.items():
        yield f'  "{mode.value}": {{{", ".join(_cells(values))}}}'


def _collection_text(collection: Collection) -> Iterator[str]:
    yield "collection:"
    for each in fields(collection):
        value = getattr(collection, each.name)
        if each.name == "sampling":
            yield "  sampling:"
            yield from (f'    "{mode.value}": {_flow(_sampling(sampling))}' for mode, sampling in value.items())
        elif isinstance(value, Mapping):
            yield f"  {each.name}: {_flow(dict(value))}"
        else:
            yield f"  {each.name}: {_flow(value.value if isinstance(value, Enum) else value)}"


def _sampling(sampling: Sampling) -> Mapping[str, object]:
    found = _stated({each.name: getattr(sampling, each.name) for each in fields(sampling)})
    kwargs = sampling.template_kwargs
    return found if kwargs is None else {**found, "template_kwargs": dict(kwargs)}


def _cells(values: Mapping[int, float]) -> Iterator[str]:
    """By K; with two decimals, where that says all."""
    for k, al in sorted(values.items()):
        short = f"{al:.2f}"
        yield f"{k}: {short if float(short) == al else al}"


def _flow(value: object) -> str:
    """The value on one line."""
    text: str = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, allow_unicode=True, width=_WIDTH)
    return text.removesuffix("...\n").strip()


def _stated(values: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in values.items() if value is not None}
