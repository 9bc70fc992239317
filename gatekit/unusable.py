"""Why one point cannot be gated, as an error that carries its reason."""

from gatekit.gates import Reason
from gatekit.refusal import Refusal


class Unusable(Refusal):
    """This point has no gate. `str(error)` says what is there and what to change; it becomes the point's detail."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
