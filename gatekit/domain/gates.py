"""What a gate plan is made of. `gatekit.plan.plan` builds these values; handlers store them; comments print them."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NewType, TypeAlias

from gatekit.domain.collection import Collection, Thinking
from gatekit.domain.errors import Refusal
from gatekit.domain.ids import GateKey, Sha
from gatekit.domain.text import shown

ArgValue: TypeAlias = str | int | float | bool
EngineName = NewType("EngineName", str)  # which there are, the registry of engines says


class Reason(StrEnum):
    """Why a speculative point has no gate."""

    EXEMPT_FRAMEWORK = "exempt-framework"
    NO_CURVE = "no-curve"
    NO_K = "no-k"
    NO_THINKING_MODE = "no-thinking-mode"
    NO_COLLECTION = "no-collection"
    AMBIGUOUS_DRAFT = "ambiguous-draft"
    RECIPE_MISSING = "recipe-missing"
    RECIPE_INVALID = "recipe-invalid"
    RECIPE_UNREADABLE = "recipe-unreadable"
    NO_CLUSTER = "no-cluster"
    NOT_DRAFTING = "not-drafting"
    POLICY = "policy"


class WarningCode(StrEnum):
    FORCED_AL_DIFFERS = "forced-al-differs"
    SCRIPT_LEFT_OUT = "script-left-out"
    IMAGE_NOT_USED = "image-not-used"


@dataclass(frozen=True, slots=True)
class Drafting:
    """What selects a golden AL: the drafting configuration of the generation role."""

    method: str
    k: int
    draft_model: str | None
    draft_sample_method: str | None
    thinking: Thinking


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far the realized AL may lie from the golden AL, as fractions of the golden AL (0.05 is 5 %)."""

    below: float
    above: float


@dataclass(frozen=True, slots=True)
class Golden:
    curve: str
    al: float
    tolerance: Tolerance


@dataclass(frozen=True, slots=True)
class StrippedKnob:
    """One piece of forced acceptance that was taken out of the recipe."""

    path: str  # dotted place in the merged recipe, e.g. roles.agg.args.spec-synth-len
    knob: str
    value: str


@dataclass(frozen=True, slots=True)
class Launch:
    """How the generation role is served, with forced acceptance stripped."""

    engine: EngineName
    image: str
    model: str  # what the engine loads; `hf:` taken off
    args: tuple[tuple[str, ArgValue], ...]  # in recipe order; True is a bare flag, False is left out
    env: tuple[tuple[str, str], ...]
    unset: tuple[str, ...]  # inherited environment that would force acceptance
    nodes: int
    gpus: int  # in all, over the workers
    workers: int


@dataclass(frozen=True, slots=True)
class Starting:
    """How a cluster starts an engine, by its operator's word."""

    container: str  # what starts it from its image; empty: the engine that is installed there runs
    command: tuple[str, ...]  # its argv, before what the recipe adds


@dataclass(frozen=True, slots=True)
class Gate:
    """One real-verification run for one deployment and drafting configuration."""

    key: GateKey
    title: str
    config_key: str
    framework: str
    cluster: str  # the runner as the master config names it, e.g. cluster:b200-dgxc
    recipe: str  # path[:selector]
    drafting: Drafting
    golden: Golden
    collection: Collection
    launch: Launch
    concurrencies: tuple[int, ...]
    representative: int
    stripped: tuple[StrippedKnob, ...]
    starting: Starting | None = None  # None: planned without asking about clusters


@dataclass(frozen=True, slots=True)
class Unresolved:
    config_key: str
    framework: str
    concurrency: int
    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True)
class PlanWarning:
    config_key: str
    code: WarningCode
    detail: str


@dataclass(frozen=True, slots=True)
class GatePlan:
    """Every speculative AgentX point stands in exactly one gate's `concurrencies` or once in `unresolved`."""

    head: Sha | None  # None: planned from a folder
    points: int  # speculative points looked at
    gates: tuple[Gate, ...]
    unresolved: tuple[Unresolved, ...]
    uncovered: tuple[str, ...]
    warnings: tuple[PlanWarning, ...]
    node_digest: str = ""  # of the node program, which is part of every reuse key
    repeats: tuple[str, ...] = ()  # one sentence for each setting that a gate's recipe has twice

    @property
    def gpus(self) -> int:
        return sum(gate.launch.gpus for gate in self.gates)


LONGEST = 600  # characters of a detail: it is stored for each point, and a pull request chose the names in it


class Unusable(Refusal):
    """This point has no gate. `str(error)` says what is there and what to change; it becomes the point's detail."""

    def __init__(self, reason: Reason, detail: str) -> None:
        self.detail = shown(detail, LONGEST)
        self.reason = reason
        super().__init__(self.detail)
