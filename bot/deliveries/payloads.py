"""Fields of GitHub's webhooks, each read by itself: a payload is never refused for a shape that we do not need."""

import re
from datetime import datetime

from bot.deliveries.skim import storable
from bot.github.fields import at
from gatekit.domain.ids import GHOST, Login, PrRef, Repo, Sha

SHA = re.compile(r"[0-9a-f]{40}")
_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")


class Odd(Exception):
    """A field that we need is missing or has the wrong shape."""


def pr_of(payload: object) -> PrRef:
    places = (("pull_request", "number"), ("number",), ("issue", "number"))
    number = next((found for place in places if isinstance(found := at(payload, *place), int)), None)
    if not isinstance(number, int) or isinstance(number, bool) or not 0 < number < 2**31:
        raise Odd("no pull request number")
    return PrRef(repo_of(payload), number)


def repo_of(payload: object) -> Repo:
    whole = at(payload, "repository", "full_name")
    owner, _, name = whole.partition("/") if isinstance(whole, str) else ("", "", "")
    if not owner or not name:
        owner, name = text_at(payload, "repository", "owner", "login"), text_at(payload, "repository", "name")
    if _NAME.fullmatch(owner) is None or _NAME.fullmatch(name) is None:
        raise Odd("no repository name")
    return Repo(owner, name)


def head_of(payload: object) -> Sha:
    for place in (("pull_request", "head", "sha"), ("after",)):
        sha = at(payload, *place)
        if isinstance(sha, str) and SHA.fullmatch(sha):
            return Sha(sha)
    raise Odd("no head commit")


def sender_of(payload: object) -> Login:
    login = at(payload, "sender", "login")
    return Login(storable(login)) if isinstance(login, str) and login else GHOST


def time_at(payload: object, *place: str) -> datetime | None:
    """None where there is no time with a time zone."""
    found = at(payload, *place)
    try:
        time = datetime.fromisoformat(found) if isinstance(found, str) else None
    except ValueError:
        return None
    return time if time is not None and time.tzinfo is not None else None


def text_at(payload: object, *place: str) -> str:
    found = at(payload, *place)
    if not isinstance(found, str) or not found:
        raise Odd(f"no {'.'.join(place)}")
    return storable(found)
