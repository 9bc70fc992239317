"""The file of a golden curve → `Curve`. The format stands in goldens/README.md."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr, ValidationError

from gatekit.domain.collection import Collection, Endpoint, Rendering, Sampling, Scalar, Thinking, Turns
from gatekit.domain.gates import Tolerance
from gatekit.domain.refusal import BadInput
from gatekit.formats.documents import Document, Key, read_yaml
from gatekit.formats.validation import plain_words

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
