"""A pull request was closed or merged."""

from gatekit.comments import replies
from gatekit.domain.errors import Refusal
from handlers.events import PrClosed
from handlers.labels import cancel
from handlers.merges import on_merged
from handlers.ports.bundle import Ports


async def on_pr_closed(event: PrClosed, do: Ports) -> None:
    """Nobody waits for its gates any more. Where it was merged its commit is answered first: its gates may go on."""
    pull = await do.pulls.pull(event.pr)
    if pull.open:
        return
    because = replies.pull_closed(merged=pull.merged)
    try:
        if pull.merged:
            await on_merged(pull, do)
    except Refusal:  # there will be no answer, however often it is tried
        await cancel(pull, because, do)
        raise
    await cancel(pull, because, do)
