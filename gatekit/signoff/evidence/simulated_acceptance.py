"""Simulated acceptance in a recipe, held against the golden acceptance length of what the recipe drafts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from gatekit.bench.matrix.points import Point
from gatekit.bench.repo.settings import RepoSettings
from gatekit.domain.collection import Thinking
from gatekit.domain.gates import StrippedKnob, Unusable
from gatekit.engines.engine import Speculation
from gatekit.engines.forced_acceptance import row_forces
from gatekit.engines.registry import ENGINES
from gatekit.goldens.curve import Curve
from gatekit.goldens.lookup import Question, curve_for, family, lookup
from gatekit.serving.drafts import DraftReader, PointDrafts
from gatekit.signoff.change.change import Change
from gatekit.signoff.checklist.form import Form

ROUNDING = 0.005  # golden ALs have two decimals


@dataclass(frozen=True, slots=True)
class Forced:
    """One place that forces an acceptance length."""

    place: str  # dotted, in the recipe; or `row`
    value: str  # as written
    al: float


def drafts_of(reader: DraftReader, point: Point) -> PointDrafts:
    """As `reader.read`, for an exempt framework too where its engine is gated in another one. Raises Unusable."""
    return reader.read(replace(point, framework=ENGINES.read_as(point.framework)))


def drafting_methods(change: Change) -> Mapping[str, frozenset[str]]:
    """How the AgentX points of each affected config draft, as curves name it; a config that cannot be read has none."""
    reader = DraftReader(change.tree.shelf, change.tree.layout)
    found: dict[str, frozenset[str]] = {}
    for each in change.affected:
        points = [point for point in change.both.points.get(each.config.key, ()) if point.speculative]
        try:
            drafted = [drafts_of(reader, point).real.speculation.method for point in points]
        except Unusable:
            continue
        found[each.config.key] = frozenset(family(each.config.prefix, method) for method in drafted)
    return found


def forced_values(knobs: Sequence[StrippedKnob], settings: Mapping[str, str], k: int) -> tuple[Forced, ...]:
    """Every acceptance length that the row or a role of the recipe forces.

    In every role: a value in a prefill role is meant for the drafts of the generation role too, whose K is `k`.
    """
    by_row = row_forces(settings)
    found = [] if by_row is None else [Forced("the row", settings["SYNTHETIC_ACCEPTANCE_LENGTH"], by_row)]
    for knob in knobs:
        al = ENGINES.forced.length(knob.knob, knob.value, k)
        if al is not None:
            found.append(Forced(knob.path, knob.value, al))
    return tuple(found)


def half_set(knobs: Sequence[StrippedKnob]) -> str | None:
    """What a length lacks to take effect as it must; None: nothing."""
    return ENGINES.forced.half_set({knob.knob: knob.value for knob in knobs})


@dataclass(frozen=True, slots=True)
class GoldenByMode:
    curve: str
    by_mode: Mapping[Thinking, float]  # at the K that is drafted


def golden_of(curves: Mapping[str, Curve], prefix: str, drafted: Speculation) -> GoldenByMode:
    """The golden ALs of a drafting configuration. Raises Unusable where there is no curve, or no such K on it."""
    method = family(prefix, drafted.method)
    curve = curve_for(curves, Question(prefix, method, drafted.draft_model, drafted.draft_sample_method))
    found = {mode: values[drafted.k] for mode, values in curve.values.items() if drafted.k in values}
    if not found:
        lookup(curve, drafted.k, next(iter(curve.values), Thinking.ON))
    return GoldenByMode(curve.name, found)


def matches(al: float, golden: float) -> bool:
    return abs(al - golden) <= ROUNDING


_INJECTS = "synthetic"
_SOURCE = ("acceptance", " al ", "curve", "speed-bench")


@dataclass(frozen=True)  # without slots: what many points ask for is made once and kept
class Asking:
    change: Change
    curves: Mapping[str, Curve]
    settings: RepoSettings
    form: Form

    @cached_property
    def reader(self) -> DraftReader:
        return DraftReader(self.change.tree.shelf, self.change.tree.layout)

    @cached_property
    def injected(self) -> bool:
        """Whether the repository has code that may set simulated acceptance at launch."""
        files = self.change.tree.snapshot.files
        code = (data for path, data in files.items() if path.endswith((".sh", ".py")))
        return any(_INJECTS in data.decode(errors="replace").lower() for data in code)

    @cached_property
    def source(self) -> str | None:
        """What the details say of where an acceptance length comes from."""
        said = (line.text for line in self.form.details)
        return next((text for text in said if any(word in f" {text.lower()} " for word in _SOURCE)), None)
