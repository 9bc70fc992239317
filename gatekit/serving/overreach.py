"""What a recipe asks of the machine beside its engine: a shell, a mount, a word for SLURM. A gate grants none of it.

Such keys never reach a job, whatever they say: a gate is rebuilt from the roles alone. Where a recipe counts on a
mount or on a word of its own for SLURM, its points are refused. Set-up scripts stand in ordinary recipes, mostly for
what a gate does not start: they are left out, and named.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from gatekit.engines.engine import names

_SCRIPTS = frozenset({"setup_script", "preamble"})  # text that a shell would run
_WORDS = frozenset({"sbatch_directives", "srun_options"})
_REPLACED = frozenset({"benchmark"})  # a gate brings its own replay
# Words that place a job, or fit its container to the site: the operator's stand in for them, and nothing is missed.
_PLACING = names("""
    comment container-remap-root container-writable cpus-per-gpu cpus-per-task exclusive mem mem-per-cpu mem-per-gpu
    ntasks-per-node segment time""")


class Overreach(Enum):
    SCRIPT = "a gate runs no script of a recipe, so the image must bring what it does"
    MOUNT = "a gate mounts only what the operator's file names; take it out, or have it added there"
    WORD = "a gate's words for SLURM are the operator's; take it out"


@dataclass(frozen=True, slots=True)
class OverreachingKey:
    """One key that reaches beyond the engine."""

    place: str  # dotted, in the merged recipe
    kind: Overreach


def overreach(content: Mapping[str, object]) -> tuple[OverreachingKey, ...]:
    """Every such key of a merged recipe, in recipe order; empty: it asks for nothing."""
    return tuple(_asked(content, ""))


def _asked(value: object, at: str) -> Iterator[OverreachingKey]:
    if isinstance(value, list):
        for position, item in enumerate(value):
            yield from _asked(item, f"{at}[{position}]")
    if not isinstance(value, Mapping):
        return
    for name, item in value.items():
        place = f"{at}.{name}" if at else str(name)
        if not item or name in _REPLACED:
            continue
        if name in _SCRIPTS:
            yield OverreachingKey(place, Overreach.SCRIPT)
        elif name in _WORDS:
            yield from _words(item, place)
        elif str(name).endswith(("mount", "mounts")):
            yield OverreachingKey(place, Overreach.MOUNT)
        else:
            yield from _asked(item, place)


def _words(value: object, at: str) -> Iterator[OverreachingKey]:
    if not isinstance(value, Mapping):
        yield OverreachingKey(at, Overreach.WORD)
        return
    for name in value:
        if name not in _PLACING:
            yield OverreachingKey(f"{at}.{name}", Overreach.WORD)
