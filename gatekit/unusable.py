"""Why one point cannot be gated, as an error that carries its reason."""

from gatekit.gates import Reason
from gatekit.refusal import Refusal

LONGEST = 600  # characters of a detail: it is stored for each point, and names in it come from a pull request


class Unusable(Refusal):
    """This point has no gate. `str(error)` says what is there and what to change; it becomes the point's detail."""

    def __init__(self, reason: Reason, detail: str) -> None:
        self.detail = detail if len(detail) <= LONGEST else f"{detail[: LONGEST - 1]}…"
        self.reason = reason
        super().__init__(self.detail)
