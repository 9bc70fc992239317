"""Golden curves: reading them, and finding the one value that a drafting configuration is held against.

A curve has a golden AL for some K in some thinking modes. What it does not have is not known: nothing is interpolated,
no mode and no K stands in for another.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from gatekit.domain.collection import Collection, Thinking
from gatekit.domain.errors import BadInput
from gatekit.domain.gates import Reason, Unusable
from gatekit.goldens.curve import Curve, read_curve

_ENDINGS = (".yaml", ".yml")
_HEADS = ("eagle", "nextn")  # two engines' names for a draft head

# What a head is where a model's own heads are EAGLE-3 heads; everywhere else it is an MTP head.
_EAGLE3_PREFIXES = frozenset({"minimaxm3"})

_KIMI_PROBABILISTIC = "kimik3_dspark_probabilistic_sample_method_block_rejection_sample_method"

# (model prefix, method) → the curve, where it is not called <prefix>_<method>.
_NAMED: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("dsv4", "dspark"): "dsv4-pro-0813-dspark",
        ("dsv4dspark", "dspark"): "dsv4-pro-0813-dspark",
        ("dsv4dsparkprob", "dspark"): "dsv4-pro-0813-dspark",
    }
)
# (model prefix, method) → (a part of the draft model's name, the curve of drafts with that part).
_BY_DRAFT_MODEL: Mapping[tuple[str, str], tuple[str, str]] = MappingProxyType(
    {("minimaxm3", "eagle3"): ("gqa", "minimaxm3_eagle3_gqa")}
)
# (model prefix, method) → draft sampling → the curve. A recipe must state its draft sampling here.
_BY_SAMPLING: Mapping[tuple[str, str], Mapping[str, str]] = MappingProxyType(
    {("kimik3", "dspark"): {"greedy": "kimik3_dspark", "probabilistic": _KIMI_PROBABILISTIC}}
)


@dataclass(frozen=True, slots=True)
class Question:
    """What selects a curve. `draft_sample_method` None: the recipe does not state it."""

    prefix: str
    method: str
    draft_model: str | None
    draft_sample_method: str | None


def parse_curve(name: str, text: str) -> Curve:
    """One curve file. `name` is its path; the curve is called as the file without its ending. Raises BadInput."""
    return read_curve(name, _stem(name), text.encode())


def load_curves(files: Mapping[str, bytes]) -> Mapping[str, Curve]:
    """Every `.yaml` among the files as a curve, by name. Raises BadInput for what is none, or comes twice."""
    curves, wrong = check_curves(files)
    if wrong:
        raise wrong[0]
    return curves


def check_curves(files: Mapping[str, bytes]) -> tuple[Mapping[str, Curve], tuple[BadInput, ...]]:
    """As `load_curves`, with what is wrong with each file that is no curve, in the order of their names."""
    curves: dict[str, Curve] = {}
    wrong: list[BadInput] = []
    for path in sorted(files):
        if path.endswith(_ENDINGS):
            try:
                curve = read_curve(path, _stem(path), files[path])
            except BadInput as error:
                wrong.append(error)
                continue
            if curve.name in curves:
                wrong.append(BadInput(path, f"there is a second file for the curve {curve.name}; keep one"))
            curves.setdefault(curve.name, curve)
    return MappingProxyType(curves), tuple(wrong)


def family(prefix: str, method: str) -> str:
    """The method as curves name it: `eagle` and `nextn` say which engine wrote the recipe, not which head drafts."""
    plain = method.lower()
    if plain not in _HEADS:
        return plain
    return "eagle3" if prefix in _EAGLE3_PREFIXES else "mtp"


def curve_name(question: Question) -> str:
    """The curve that a drafting configuration is held against. Raises Unusable where the recipe leaves it open."""
    key = question.prefix, family(question.prefix, question.method)
    if key in _NAMED:
        return _NAMED[key]
    if key in _BY_DRAFT_MODEL:
        part, name = _BY_DRAFT_MODEL[key]
        if part in (question.draft_model or "").lower():
            return name
    if key in _BY_SAMPLING:
        by_sampling = _BY_SAMPLING[key]
        stated = question.draft_sample_method
        if stated is None or stated not in by_sampling:
            raise Unusable(
                Reason.AMBIGUOUS_DRAFT,
                f"{key[0]} {key[1]} has one curve for each draft_sample_method ({', '.join(by_sampling)}), "
                f"and the recipe {'states none' if stated is None else f'says {stated}'}",
            )
        return by_sampling[stated]
    return "_".join(key)


def curve_for(curves: Mapping[str, Curve], question: Question) -> Curve:
    """The curve itself. Raises Unusable: no-curve, or ambiguous-draft where it is one of other draft sampling."""
    name = curve_name(question)
    curve = curves.get(name)
    if curve is None:
        raise Unusable(Reason.NO_CURVE, f"there is no golden curve {name}")
    stated, collected = question.draft_sample_method, curve.draft_sample_method
    if stated is not None and collected is not None and stated != collected:
        raise Unusable(
            Reason.AMBIGUOUS_DRAFT,
            f"the recipe samples its draft {stated}, and {name} was collected with {collected} sampling",
        )
    return curve


def lookup(curve: Curve, k: int, thinking: Thinking) -> float:
    """The golden AL of one cell. Raises Unusable: no-thinking-mode or no-k, saying what the curve has."""
    values = curve.values.get(thinking)
    if values is None:
        modes = ", ".join(mode.value for mode in curve.values) or "no mode at all"
        raise Unusable(
            Reason.NO_THINKING_MODE, f"{curve.name} has no value for thinking {thinking.value}; it has {modes}"
        )
    if k not in values:
        known = ", ".join(str(each) for each in values) or "none"
        raise Unusable(Reason.NO_K, f"{curve.name} with thinking {thinking.value} has no K={k}; it has K={known}")
    return values[k]


def collection_of(curve: Curve, thinking: Thinking) -> Collection:
    """What a gate of this curve replays. Raises Unusable: no-collection."""
    if curve.collection is None:
        why = f": {curve.note}" if curve.note else ""
        raise Unusable(Reason.NO_COLLECTION, f"{curve.name} has no collection block, so nothing can be replayed{why}")
    if thinking not in curve.collection.sampling:
        raise Unusable(Reason.NO_COLLECTION, f"{curve.name} does not record the sampling for thinking {thinking.value}")
    return curve.collection


def _stem(path: str) -> str:
    name = path.rsplit("/", 1)[-1]
    return next((name.removesuffix(ending) for ending in _ENDINGS if name.endswith(ending)), name)
