"""Why one point cannot be gated, as an error that carries its reason."""

from gatekit.domain.gates import Reason
from gatekit.domain.refusal import Refusal
from gatekit.domain.shown import shown

LONGEST = 600  # characters of a detail: it is stored for each point, and a pull request chose the names in it


class Unusable(Refusal):
    """This point has no gate. `str(error)` says what is there and what to change; it becomes the point's detail."""

    def __init__(self, reason: Reason, detail: str) -> None:
        self.detail = shown(detail, LONGEST)
        self.reason = reason
        super().__init__(self.detail)
