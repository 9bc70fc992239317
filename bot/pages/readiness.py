"""What an operator's monitor asks: is everything in reach that we need?"""

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Readiness:
    database: bool  # the writer takes work
    lease: bool  # we are the active process; a waiting one is healthy, but not ready
    free_disk_bytes: int
    github_out_of_reach_seconds: float  # 0: the last call was answered
    clusters_out_of_reach_seconds: dict[str, float]

    @property
    def ready(self) -> bool:
        return self.database and self.lease and self.free_disk_bytes > LOW_DISK

    def as_json(self) -> dict[str, object]:
        return {"ready": self.ready, **asdict(self)}


LOW_DISK = 256 * 1024 * 1024
