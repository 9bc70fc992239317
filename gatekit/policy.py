"""What the operator allows a gate to be. A pull request can narrow this, never widen it."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Policy:
    """Prefixes of images and models that a recipe may name."""

    images: tuple[str, ...]
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cluster:
    """What planning and launching must know of a cluster."""

    name: str
    serves: tuple[str, ...]
    policy: Policy
    engines: Mapping[str, tuple[str, ...]]  # engine -> argv that starts it
    aiperf: tuple[str, ...]
    prompts: str  # path of the prompt file on the cluster
    tokenizer: str | None
    container: str  # empty: none
    start_minutes: int
    replay_minutes: int
