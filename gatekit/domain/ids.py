"""Names for the things that events, rows and jobs are keyed by."""

import re
from dataclasses import dataclass
from typing import NewType

Sha = NewType("Sha", str)  # 40 lower-case hex digits
Login = NewType("Login", str)
DeliveryId = NewType("DeliveryId", str)
SweepId = NewType("SweepId", int)  # the bot's run id, the number that people name
GateKey = NewType("GateKey", str)  # the reuse key: 64 lower-case hex digits
JobName = NewType("JobName", str)

GHOST = Login("ghost")  # GitHub's own name for an account that is gone; it has no permission anywhere

SHORT_KEY = 8  # of a reuse key, in job names and on pages; interfaces allow up to 12

_JOB_NAME = re.compile(r"gk-(?P<sweep>[0-9]+)-(?P<gate>[a-z0-9]{1,12})-(?P<attempt>[0-9]+)")


@dataclass(frozen=True, slots=True, order=True)
class Repo:
    owner: str
    name: str

    def __str__(self) -> str:
        return f"{self.owner}/{self.name}"


@dataclass(frozen=True, slots=True, order=True)
class PrRef:
    repo: Repo
    number: int

    def __str__(self) -> str:
        return f"{self.repo}#{self.number}"


def short(key: GateKey) -> str:
    """The gate's short id: the first digits of its reuse key."""
    return key[:SHORT_KEY]


def job_name(sweep: SweepId, key: GateKey, attempt: int) -> JobName:
    """`gk-<sweep>-<gate>-<attempt>`: the same for every try to submit one attempt, at most 61 characters."""
    return JobName(f"gk-{sweep}-{short(key)}-{attempt}")


def is_job_name(text: str) -> bool:
    return _JOB_NAME.fullmatch(text) is not None and len(text) <= 61
