"""What the runs of a pull request measured, as their artifacts say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from gatekit.domain.refusal import BadInput
from gatekit.formats.documents import Document, read_yaml
from gatekit.formats.fields import Fields, top_fields


@dataclass(frozen=True, slots=True)
class EvalResult:
    """One task of one configuration. None: the artifact does not say."""

    prefix: str
    precision: str
    framework: str
    sku: str
    task: str
    score: float | None  # exact match, the strict one
    image: str | None
    requested: int  # concurrencies
    completed: int

    @property
    def title(self) -> str:
        return f"{self.prefix} {self.precision} {self.sku} {self.framework}, {self.task}"


@dataclass(frozen=True, slots=True)
class MeasuredPoint:
    """One measured point of a curve. Points of one series are one curve, whatever config they come from."""

    series: str  # model, scenario, hardware and framework, precision, day, percentile
    seconds: float  # end to end
    rate: float  # tokens per second and GPU


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The least score of each task: of a model, else of all."""

    path: str
    default: Mapping[str, float]
    models: Mapping[str, Mapping[str, float]]

    def bar(self, prefix: str, task: str) -> tuple[float, str] | None:
        """The least score and the key that it stands under; None: there is none."""
        if task in self.models.get(prefix, {}):
            return self.models[prefix][task], f"models.{prefix}.{task}"
        return (self.default[task], f"default.{task}") if task in self.default else None


def read_thresholds(path: str, data: bytes) -> Thresholds:
    """YAML, or JSON, which is YAML too. Raises BadInput."""
    document = read_yaml(path, data)
    top = top_fields(document)
    models = top.inner("models")
    by_model = {str(name): _scores(document, models.inner(str(name))) for name in models.names()} if models else {}
    return Thresholds(path, _scores(document, top.inner("default")), MappingProxyType(by_model))


def _scores(document: Document, fields: Fields | None) -> Mapping[str, float]:
    found: dict[str, float] = {}
    for name in map(str, fields.names() if fields else ()):
        value = fields.value(name) if fields else None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise BadInput(fields.at(name) if fields else document.path, f"needs a number from 0 to 1 for `{name}`")
        found[name] = float(value)
    return MappingProxyType(found)


def frontier(points: Sequence[MeasuredPoint]) -> tuple[MeasuredPoint, ...]:
    """The points of one curve that none beats: by rising time, those whose rate is the highest so far, or equals it.

    A point that is there twice counts once.
    """
    kept: list[MeasuredPoint] = []
    for point in sorted(dict.fromkeys(points), key=lambda each: (each.seconds, -each.rate)):
        if not kept or point.rate > kept[-1].rate or (point.rate == kept[-1].rate and point.seconds > kept[-1].seconds):
            kept.append(point)
    return tuple(kept)
