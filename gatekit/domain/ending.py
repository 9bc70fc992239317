"""The classes of endings of a job: what may be concluded from it, and whether another attempt is worth anything."""

from enum import StrEnum


class Ending(StrEnum):
    REPLAYED = "replayed"  # the replay ran to its end: there is something to judge
    GATE_FAILED = "gate-failed"  # the gate itself ended without a replay: another attempt would end the same way
    INFRASTRUCTURE = "infrastructure"  # the cluster is to blame: another attempt may do
    BUDGET = "budget"  # the operator's time limit came first
    MEMORY = "memory"  # the gate needed more memory than the operator gives
    REFUSED = "refused"  # the cluster does not take the job as the operator's file asks for it
    CANCELLED = "cancelled"  # the bot asked for it
    UNKNOWN = "unknown"  # not understood: nothing follows from it
