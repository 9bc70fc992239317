"""What was measured, as cells of a curve that says where they come from."""

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeAlias

from gatekit.domain.collection import Collection, Rendering, Scalar, Thinking
from gatekit.domain.errors import BadInput
from gatekit.domain.gates import Gate
from gatekit.engines.registry import ENGINES
from gatekit.goldens.curve import Curve
from gatekit.goldens.lookup import family

DECIMALS = 2
NOT_KNOWN_YET = "not known yet"  # a digest that no digest is

Cell: TypeAlias = tuple[Thinking, int]  # and K


@dataclass(frozen=True, slots=True)
class Provenance:
    """What the file records of a collection beside the settings that were chosen for it."""

    engine: str  # with its version
    hardware: str
    server: Mapping[str, Scalar]
    prompts_sha256: str | None
    rendered_sha256: str | None  # of the prompts in the thinking mode of this cell
    source: str  # the command


def server_of(gate: Gate) -> Mapping[str, Scalar]:
    """The arguments that the collecting server was started with, without those that say how it drafts."""
    drafting = ENGINES.by_name[gate.launch.engine].drafting
    found: dict[str, Scalar] = {}
    for name, value in gate.launch.args:
        if name not in drafting:
            found[name] = f"{found[name]} {value}" if name in found else value
    return found


def rendered_so_far(collection: Collection, thinking: Thinking) -> str | None:
    """The digest that the prompts will have once they are rendered, as far as that is known before."""
    known = collection.sampling[thinking].rendered_sha256
    return known or (NOT_KNOWN_YET if collection.rendering is Rendering.CLIENT else None)


def unrendered(curve: Curve) -> Curve:
    """The curve as another model's settings: what its own template made of the prompts is not known."""
    block = _block(curve)
    sampling = {mode: replace(each, rendered_sha256=None) for mode, each in block.sampling.items()}
    return replace(curve, collection=replace(block, sampling=MappingProxyType(sampling)))


def new_curve(like: Curve, gate: Gate) -> Curve:
    """A curve without cells: the name and the settings of `like`, the model and the drafts of the gate."""
    return Curve(
        name=like.name,
        model=gate.launch.model,
        method=gate.drafting.method,
        draft_model=gate.drafting.draft_model,
        draft_sample_method=gate.drafting.draft_sample_method,
        rejection_sample_method=None,
        collection=like.collection,
        tolerance=None,
        values={},
        note=None,
    )


def refuse_other_drafts(curve: Curve, gate: Gate) -> None:
    """Raises BadInput where the gate drafts in another way than the curve says."""
    stated = (
        ("method", family(curve.name.partition("_")[0], curve.method), gate.drafting.method),
        ("draft.model", curve.draft_model, gate.drafting.draft_model),
        ("draft.sample_method", curve.draft_sample_method, gate.drafting.draft_sample_method),
    )
    for name, said, drafted in stated:
        if said is not None and said != drafted:
            raise BadInput(curve.name, f"{name} is {said}, and the recipe drafts with {drafted}: choose another file")


def refuse_mixture(curve: Curve, found: Provenance, measured: Set[Cell]) -> None:
    """Raises BadInput where cells would stay in the file that were measured otherwise than it will say.

    `measured` are the cells that are being measured anew.
    """
    other = _difference(curve, found, measured)
    if other is not None and not _cells(curve) <= measured:
        raise BadInput(
            curve.name, f"holds values that were measured with another {other}: take them out, or choose another file"
        )


def with_cell(curve: Curve, cell: Cell, al: float, found: Provenance, measured: Set[Cell]) -> Curve:
    """The curve with one more AL, rounded. Cells that were measured otherwise go: they will be measured, or are gone.

    Raises BadInput, see `refuse_mixture`.
    """
    refuse_mixture(curve, found, measured)
    kept = curve.values if _difference(curve, found, measured) is None else {}
    thinking, k = cell
    values = {mode: dict(each) for mode, each in kept.items()}
    values.setdefault(thinking, {})[k] = round(al, DECIMALS)
    block = _block(curve)
    sampling = {**block.sampling, thinking: replace(block.sampling[thinking], rendered_sha256=found.rendered_sha256)}
    collection = replace(
        block,
        sampling=MappingProxyType(sampling),
        engine=found.engine,
        hardware=found.hardware,
        server=MappingProxyType(dict(found.server)),
        prompts_sha256=found.prompts_sha256,
        source=_sources(block.source if kept else None, found.source, keep=not _cells(curve) <= measured),
    )
    return replace(curve, collection=collection, values=values)


def _difference(curve: Curve, found: Provenance, measured: Set[Cell]) -> str | None:
    """The first thing in which the recorded collection is another than this one, of the thinking mode of `measured`."""
    block = _block(curve)
    for name in ("engine", "hardware", "server", "prompts_sha256"):
        if getattr(block, name) != getattr(found, name):
            return name
    modes = {mode for mode, _ in measured if curve.values.get(mode)}
    rendered = {block.sampling[mode].rendered_sha256 for mode in modes}
    return "rendered_sha256" if rendered - {found.rendered_sha256} else None


def _sources(old: str | None, new: str, *, keep: bool) -> str:
    return new if old is None or not keep or new in old else f"{old}; {new}"


def _cells(curve: Curve) -> Set[Cell]:
    return {(mode, k) for mode, values in curve.values.items() for k in values}


def _block(curve: Curve) -> Collection:
    if curve.collection is None:
        raise BadInput(curve.name, "has no collection block: state the settings to collect with")
    return curve.collection
