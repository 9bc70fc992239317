"""Where things lie below the operator's root folder on a cluster."""

from dataclasses import dataclass

from gatekit.domain.ids import JobName, is_job_name


@dataclass(frozen=True, slots=True)
class Layout:
    root: str

    @property
    def programs(self) -> str:
        return f"{self.root}/bin"

    @property
    def runs(self) -> str:
        return f"{self.root}/runs"

    def run(self, name: JobName) -> str:
        """The run folder of an attempt. Raises ValueError for a name that is none."""
        if not is_job_name(name):
            raise ValueError(f"{name!r} is no job name")
        return f"{self.runs}/{name}"

    def own(self, name: JobName) -> str:
        """What we and the batch script keep of the attempt beside the node program's files."""
        return f"{self.run(name)}/slurm"
