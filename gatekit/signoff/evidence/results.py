"""What the runs of a pull request measured, as the rows of their artifacts say."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from gatekit.domain.errors import BadInput
from gatekit.formats.fields import Fields, top_fields
from gatekit.formats.yaml_document import Document, read_yaml
from gatekit.signoff.change.configs import sku_of


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


EVALS, POINTS, AGENTIC_POINT = "eval_results_all", "results_bmk", "bmk_agentic_"  # names of artifacts

_Row: TypeAlias = Mapping[str, object]
_ACCEPTANCE = "acceptance_length"  # a score of another kind: no bar of the thresholds is about it


def eval_results(value: object) -> tuple[EvalResult, ...]:
    """The rows of a collected eval artifact: one for each task, configuration and concurrency. Others are left out."""
    found = (row for row in _rows(value) if "task" in row and "model_prefix" in row)
    return tuple(_eval(row) for row in found if row.get("score_name") != _ACCEPTANCE)


def measured_points(value: object) -> tuple[MeasuredPoint, ...]:
    """The rows of a benchmark artifact, one for each point; what is missing in one is not a number. Others are left
    out."""
    return tuple(_point(row) for row in _rows(value) if "infmax_model_prefix" in row and "framework" in row)


def is_agentic(point: MeasuredPoint) -> bool:
    return f" {_AGENTIC} " in point.series


_AGENTIC = "agentic"


def _rows(value: object) -> Iterator[_Row]:
    if isinstance(value, dict):
        yield value
    elif isinstance(value, list):
        yield from (one for one in value if isinstance(one, dict))


def _eval(row: _Row) -> EvalResult:
    strict = _number(row, "em_strict")
    score = _number(row, "score") if strict is None else strict
    wanted, done = row.get("eval_concs"), row.get("completed_eval_concs")
    requested = len(wanted) if isinstance(wanted, list) else 1
    completed = len(done) if isinstance(done, list) else requested
    return EvalResult(
        prefix=_text(row, "model_prefix"),
        precision=_text(row, "precision").lower(),
        framework=_text(row, "framework").lower(),
        sku=_hardware(row),
        task=_text(row, "task"),
        score=score,
        image=_text(row, "image") or None,
        requested=requested,
        completed=0 if score is None else completed,
    )


def _point(row: _Row) -> MeasuredPoint:
    """By end-to-end latency: the 90th percentile of agentic work, the median of fixed lengths."""
    agentic = row.get("scenario_type") == "agentic-coding" or isinstance(row.get("request_metrics"), dict)
    scenario = _AGENTIC if agentic else f"{_thousands(row, 'isl')}{_thousands(row, 'osl')}"
    names = (_text(row, "infmax_model_prefix"), scenario, _hardware(row), _text(row, "framework").lower())
    seconds = _number(row, "p90_e2el" if agentic else "median_e2el")
    rate = _number(row, "tput_per_gpu")
    if agentic and seconds is None:
        seconds = _number(row, "request_metrics", "latency", "e2el", "p90")
        rate = _number(row, "request_metrics", "throughput", "per_gpu", "total_tput_tps")
    series = " ".join((*names, _text(row, "precision").lower()))
    return MeasuredPoint(series, math.nan if seconds is None else seconds, math.nan if rate is None else rate)


def _hardware(row: _Row) -> str:
    runner = _text(row, "hw").lower()
    return sku_of(runner) or runner


def _thousands(row: _Row, name: str) -> str:
    length = _number(row, name)
    return "?k" if length is None else f"{length / 1024:g}k"


def _text(row: _Row, name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""


def _number(row: _Row, *path: str) -> float | None:
    value: object = row
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e300 else None  # a whole number may be longer than any float
