"""What people post on a pull request, from GitHub's JSON: comments, reviews, inline comments."""

from bot.deliveries.payloads import Odd, pr_of, sender_of, text_at, time_at
from bot.deliveries.skim import storable
from bot.github.fields import at
from gatekit.domain.ids import GHOST, Login
from gatekit.signoff.resource import Resource, Surface
from gatekit.signoff.trigger import Action, Person, Posted, ReviewState
from handlers.events import CommentAction, CommentChanged, SignOffPosted


def comment_changed(payload: object) -> CommentChanged | None:
    """None: it is of an issue."""
    if not isinstance(at(payload, "issue", "pull_request"), dict):
        return None
    body, before = at(payload, "comment", "body"), at(payload, "changes", "body", "from")
    comment = at(payload, "comment", "id")
    if not isinstance(comment, int) or isinstance(comment, bool):
        raise Odd("no comment id")
    author = at(payload, "comment", "user", "login")
    return CommentChanged(
        pr=pr_of(payload),
        comment=comment,
        action=CommentAction(text_at(payload, "action")),
        author=Login(storable(author)) if isinstance(author, str) and author else GHOST,
        sender=sender_of(payload),
        body=storable(body) if isinstance(body, str) else "",
        before=storable(before) if isinstance(before, str) else "",
        bot=at(payload, "comment", "user", "type") == "Bot",
        sender_bot=at(payload, "sender", "type") == "Bot",
        changed=time_at(payload, "comment", "updated_at"),
    )


def review_changed(payload: object) -> SignOffPosted:
    state = at(payload, "review", "state")
    known = state.lower() if isinstance(state, str) else ""
    if known not in {one.value for one in ReviewState}:
        raise Odd("no state of a review that we know")
    action = {"submitted": Action.CREATED}.get(text_at(payload, "action")) or Action(text_at(payload, "action"))
    return _posted(payload, "review", Surface.REVIEW, action, ReviewState(known))


def inline_changed(payload: object) -> SignOffPosted:
    return _posted(payload, "comment", Surface.INLINE, Action(text_at(payload, "action")), None)


def _posted(payload: object, name: str, surface: Surface, action: Action, review: ReviewState | None) -> SignOffPosted:
    number, body, before = at(payload, name, "id"), at(payload, name, "body"), at(payload, "changes", "body", "from")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise Odd(f"no id of the {name}")
    author = at(payload, name, "user", "login")
    posted = Posted(
        surface=surface,
        action=action,
        author=Person(
            Login(storable(author)) if isinstance(author, str) and author else GHOST,
            at(payload, name, "user", "type") == "Bot",
        ),
        sender=Person(sender_of(payload), at(payload, "sender", "type") == "Bot"),
        body=storable(body) if isinstance(body, str) else "",
        before=storable(before) if isinstance(before, str) else None,
        review=review,
    )
    changed = time_at(payload, name, "updated_at")
    if changed is None and action is Action.CREATED:
        changed = time_at(payload, name, "submitted_at")
    return SignOffPosted(pr_of(payload), Resource(surface, number), posted, changed)
