"""Narrow reading of GitHub's JSON: the fields that we use, with their types, or LookupFailed."""

from collections.abc import Sequence
from datetime import datetime

from gatekit.domain.ids import Repo, Sha
from handlers.errors import LookupFailed

_HEX = frozenset("0123456789abcdef")


def at(value: object, *path: str) -> object:
    """The value at a path of keys; None where a key is missing or null."""
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def text(value: object, *path: str) -> str:
    found = at(value, *path)
    if not isinstance(found, str):
        raise _unexpected(path, "a text")
    return found


def whole(value: object, *path: str) -> int:
    found = at(value, *path)
    if not isinstance(found, int) or isinstance(found, bool):
        raise _unexpected(path, "a whole number")
    return found


def yes_or_no(value: object, *path: str) -> bool:
    found = at(value, *path)
    if not isinstance(found, bool):
        raise _unexpected(path, "true or false")
    return found


def rows(value: object, *path: str) -> Sequence[object]:
    found = at(value, *path)
    if not isinstance(found, list):
        raise _unexpected(path, "a list")
    return found


def sha(value: object, *path: str) -> Sha:
    found = text(value, *path)
    if len(found) != 40 or not _HEX.issuperset(found):
        raise _unexpected(path, "a commit's SHA")
    return Sha(found)


def moment(value: object, *path: str) -> datetime:
    try:
        return datetime.fromisoformat(text(value, *path))
    except ValueError:
        raise _unexpected(path, "a time") from None


def repository(value: object, *path: str) -> Repo | None:
    """The repository at a path; None where GitHub says null, as for a fork that was deleted."""
    found = at(value, *path)
    return None if found is None else Repo(text(found, "owner", "login"), text(found, "name"))


def _unexpected(path: tuple[str, ...], wanted: str) -> LookupFailed:
    where = ".".join(path) or "the answer"
    return LookupFailed(f"GitHub answered with something that we do not understand: {where} is not {wanted}")


def storable(text: str) -> str:
    """Lone surrogates can be neither stored nor printed: they become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")
