"""What people say on a pull request, and our reactions to it: given and taken back until they are what is meant."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

from bot.github.client import GitHubApp
from bot.github.fields import at, moment, text, whole
from bot.github.operations import CREATE_REACTION, DELETE_REACTION, LIST_COMMENTS
from bot.github.outcome import RestRequest, names
from gatekit.domain.ids import GHOST, Login, PrRef, Repo
from gatekit.use.conversation import PrComment
from gatekit.use.decision import Reaction
from handlers.errors import NotThere


@dataclass(frozen=True, slots=True)
class GivenReaction:
    comment: int
    reaction: Reaction
    id: int | None  # GitHub's; None: it was meant to be given, and that it was is not known


class ReactionLedger(Protocol):
    """Durable when it returns."""

    async def given(self, pr: PrRef) -> tuple[GivenReaction, ...]: ...

    async def note(self, pr: PrRef, given: GivenReaction) -> None: ...

    async def forget(self, pr: PrRef, given: GivenReaction) -> None: ...


class Reactions:
    """GitHub gives the same reaction of one App only once, so that asking again is no harm."""

    def __init__(self, app: GitHubApp, ledger: ReactionLedger) -> None:
        self._app = app
        self._ledger = ledger

    async def settle(self, pr: PrRef, wanted: Mapping[int, Reaction]) -> None:
        """All of ours on this pull request become these. A comment that is gone needs none."""
        standing = await self._ledger.given(pr)
        for one in standing:
            if wanted.get(one.comment) is not one.reaction:
                await self._take_back(pr, one)
        sure = {(one.comment, one.reaction) for one in standing if one.id is not None}
        for comment, reaction in wanted.items():
            if (comment, reaction) not in sure:
                await self._give(pr, GivenReaction(comment, reaction, None))

    async def mark(self, repo: Repo, comment: int, reaction: Reaction) -> int | None:
        """GitHub's id of our reaction, which `settle` leaves alone; None: the comment is gone."""
        path = {**names(repo), "comment_id": comment}
        try:
            answer = await self._app.call(repo, RestRequest(CREATE_REACTION, path, {}, {"content": reaction.value}))
        except NotThere:
            return None
        return whole(answer.json(), "id")

    async def unmark(self, repo: Repo, comment: int, reaction: Reaction) -> None:
        """One of which we do not know GitHub's id is given again first, to learn it."""
        found = await self.mark(repo, comment, reaction)
        if found is not None:
            await self._delete(repo, comment, found)

    async def _delete(self, repo: Repo, comment: int, reaction: int) -> None:
        path = {**names(repo), "comment_id": comment, "reaction_id": reaction}
        with suppress(NotThere):
            await self._app.call(repo, RestRequest(DELETE_REACTION, path))

    async def _give(self, pr: PrRef, one: GivenReaction) -> GivenReaction | None:
        await self._ledger.note(pr, one)
        found = await self.mark(pr.repo, one.comment, one.reaction)
        if found is None:
            await self._ledger.forget(pr, one)
            return None
        given = replace(one, id=found)
        await self._ledger.note(pr, given)
        return given

    async def _take_back(self, pr: PrRef, one: GivenReaction) -> None:
        """As `unmark`, where its id is not known."""
        known = one if one.id is not None else await self._give(pr, one)
        if known is None or known.id is None:
            return
        await self._delete(pr.repo, one.comment, known.id)
        await self._ledger.forget(pr, one)


_OTHER = {Reaction.ACCEPTED: Reaction.REJECTED, Reaction.REJECTED: Reaction.ACCEPTED}


class GitHubTalk:
    """Fills handlers.ports.github.Conversation."""

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
    ask = RestRequest(LIST_COMMENTS, {**names(pr.repo), "issue_number": pr.number})
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
