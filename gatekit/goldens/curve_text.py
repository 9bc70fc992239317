"""`Curve` → the text of its file, in the order and layout of goldens/README.md."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from enum import Enum

import yaml

from gatekit.domain.collection import Collection, Sampling
from gatekit.goldens.curve_file import Curve

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
    yield from ("collection: null",) if curve.collection is None else _collection(curve.collection)
    if curve.tolerance is not None:
        yield f"tolerance: {_flow({'below': curve.tolerance.below, 'above': curve.tolerance.above})}"
    if curve.note is not None:
        yield f"note: {_flow(curve.note)}"
    yield "curves:" if curve.values else "curves: {}"
    for mode, values in curve.values.items():
        yield f'  "{mode.value}": {{{", ".join(_cells(values))}}}'


def _collection(collection: Collection) -> Iterator[str]:
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
