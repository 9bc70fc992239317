"""A pull request was closed or merged."""

from gatekit.comments import replies
from handlers.events import PrClosed
from handlers.labels import cancel
from handlers.ports import Ports


async def on_pr_closed(event: PrClosed, do: Ports) -> None:
    """Nobody waits for its gates any more."""
    pull = await do.pulls.pull(event.pr)
    if not pull.open:
        await cancel(pull, replies.pull_closed(merged=pull.merged), do)
