"""What people say on a pull request, and our reactions to it."""

from collections.abc import Mapping

from bot.github.client import GitHubApp
from bot.github.fields import at, moment, text, whole
from bot.github.operations import LIST_COMMENTS
from bot.github.outcome import Ask, names
from bot.github.reactions import ReactionLedger, Reactions
from gatekit.domain.ids import GHOST, Login, PrRef
from gatekit.use.conversation import PrComment
from gatekit.use.decision import Reaction

_OTHER = {Reaction.ACCEPTED: Reaction.REJECTED, Reaction.REJECTED: Reaction.ACCEPTED}


class GitHubTalk:
    """Fills handlers.ports.use_ports.Conversation."""

    def __init__(self, app: GitHubApp, ledger: ReactionLedger) -> None:
        self._app = app
        self._reactions = Reactions(app, ledger)

    async def comments(self, pr: PrRef) -> tuple[PrComment, ...]:
        return await comments_of(self._app, pr)

    async def react(self, pr: PrRef, wanted: Mapping[int, Reaction]) -> None:
        await self._reactions.settle(pr, wanted)

    async def mark(self, pr: PrRef, comment: int, reaction: Reaction, *, edited: bool) -> None:
        if edited:
            await self._reactions.unmark(pr.repo, comment, _OTHER[reaction])
        await self._reactions.mark(pr.repo, comment, reaction)


async def comments_of(app: GitHubApp, pr: PrRef) -> tuple[PrComment, ...]:
    """All comments of the conversation, oldest first."""
    ask = Ask(LIST_COMMENTS, {**names(pr.repo), "issue_number": pr.number})
    found = [read_comment(item) async for item in app.listed(pr.repo, ask)]
    return tuple(sorted(found, key=lambda one: (one.created, one.id)))


def read_comment(item: object) -> PrComment:
    """Raises LookupFailed where a field is missing."""
    author = at(item, "user", "login")
    body = at(item, "body")
    return PrComment(
        id=whole(item, "id"),
        author=Login(author) if isinstance(author, str) else GHOST,
        bot=at(item, "user", "type") != "User",
        association=text(item, "author_association"),
        created=moment(item, "created_at"),
        updated=moment(item, "updated_at"),
        body=body if isinstance(body, str) else "",
    )
