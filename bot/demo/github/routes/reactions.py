"""Reactions to comments."""

from bot.demo.github.ask import Ask, Reply, Route, invalid, not_found
from bot.demo.github.views.issues import CONTENTS, reaction_view
from bot.demo.github.world import Reaction


def list_reactions(ask: Ask) -> Reply:
    wanted = ask.query.get("content")
    reactions = [reaction for reaction in ask.comment.reactions.values() if wanted in (None, reaction.content)]
    return ask.page([reaction_view(ask.world, reaction) for reaction in reactions])


def create_reaction(ask: Ask) -> Reply:
    """200 where the App gave this reaction before, 201 where it is new."""
    content, comment = ask.body.get("content"), ask.comment
    if not isinstance(content, str) or content not in CONTENTS:
        raise invalid("Reaction", "content", f"content must be one of {', '.join(CONTENTS)}")
    for reaction in comment.reactions.values():
        if reaction.content == content and reaction.user is ask.world.bot:
            return Reply(200, reaction_view(ask.world, reaction))
    reaction = Reaction(next(ask.world.ids), ask.world.bot, content, ask.world.tick())
    comment.reactions[reaction.id] = reaction
    return Reply(201, reaction_view(ask.world, reaction))


def delete_reaction(ask: Ask) -> Reply:
    reaction = ask.comment.reactions.get(ask.number("reaction_id"))
    if reaction is None or reaction.user is not ask.world.bot:
        raise not_found()
    del ask.comment.reactions[reaction.id]
    return Reply(204)


COMMENT = "/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions"
READ = ("issues:read", "pull_requests:read")
WRITE = ("issues:write", "pull_requests:write")
ROUTES = (
    Route("GET", COMMENT, list_reactions, READ),
    Route("POST", COMMENT, create_reaction, WRITE),
    Route("DELETE", COMMENT + "/{reaction_id}", delete_reaction, WRITE),
)
