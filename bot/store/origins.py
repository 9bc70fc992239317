"""What a row of `sweeps` says of a sweep, whoever asks: which it is, why it began, how it stands."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypedDict

from gatekit.domain.ids import Login, PrRef, Repo, Sha, SweepId
from gatekit.domain.sweep import Cause, SweepState

ORIGIN = ("id", "owner", "repo", "number", "head", "label", "sender", "cause", "state", "because", "created")


class Origin(TypedDict):
    id: SweepId
    pr: PrRef
    head: Sha
    label: str
    sender: Login
    cause: Cause
    state: SweepState
    ended_because: str | None
    created: datetime


def origin(of: Mapping[str, Any]) -> Origin:
    """Of the columns ORIGIN by name; more of them do no harm."""
    return Origin(
        id=SweepId(of["id"]),
        pr=PrRef(Repo(of["owner"], of["repo"]), of["number"]),
        head=Sha(of["head"]),
        label=of["label"],
        sender=Login(of["sender"]),
        cause=Cause(of["cause"]),
        state=SweepState(of["state"]),
        ended_because=of["because"],
        created=datetime.fromisoformat(of["created"]),
    )
