"""What is judged, and the words that several judges have in common."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from bot.cluster.config import ClusterEntry, Slurm
from bot.doctor.finding import Finding, unknown
from gatekit.cluster.slurm.probe import TOO_LATE, Checked, ProbeOutput
from gatekit.formats.redact import one_line

# Kinds of file systems, as `stat -f` names them, that a machine has for itself. It may still export them.
_OWN = frozenset({"ext2/ext3", "xfs", "btrfs", "tmpfs", "overlayfs", "zfs", "reiserfs", "jfs", "f2fs", "ramfs"})


@dataclass(frozen=True, slots=True)
class Scene:
    """A cluster as the operator describes it, and what its login node found out."""

    at: str  # how the names of its checks begin
    entry: ClusterEntry
    slurm: Slurm
    found: Checked
    between: tuple[float, float]  # our clock when it was asked, and when it had answered

    def said(self, label: str) -> ProbeOutput | None:
        """None: it was not asked, since the controller does not answer."""
        return self.found.said.get(label)

    @property
    def partitions(self) -> tuple[str, ...]:
        """SLURM takes several, and a job runs in one of them."""
        return tuple(name for name in self.slurm.partition.split(",") if name)

    def silent(self, check: str) -> Finding:
        return unknown(check, f"see {self.at}controller", f"mend {self.at}controller")

    def on_a_node(self, command: str) -> str:
        """How an operator finds out on a compute node what nobody can from the login node."""
        return f"try it on a node: srun -p {self.slurm.partition} -A {self.slurm.account} {command}"


Judge: TypeAlias = Callable[[Scene, str], Finding]  # the name of the check goes into its finding


def is_own(system: str) -> bool:
    """Whether what lies there is on the login node's own disk, as far as anybody can tell."""
    return system in _OWN


def words(said: ProbeOutput) -> str:
    if said.status == TOO_LATE:
        return "it did not end within 20 seconds"
    return one_line(said.text) or f"exit status {said.status}"
