"""`pr-link`: the pull request that an entry came with, or a placeholder until its number is known."""

import re

from gatekit.domain.ids import PrRef

_LINE = re.compile(rb"  pr-link: *(\S+)")
_OF_A_PULL = re.compile(r"https://[^/\s]+/(?P<repo>[^/\s]+/[^/\s]+)/pull/(?:(?P<number>[1-9][0-9]*)|X{3,})")


def corrects_links(old: bytes, new: bytes) -> bool:
    """Whether links of entries are all that differs, and each of them became the address of a pull request."""
    return only_links_differ(old, new) and all(is_pull(link) for _, link in changed_links(old, new))


def only_links_differ(old: bytes, new: bytes) -> bool:
    """Whether texts that are not the same differ in nothing but links."""
    if old.count(b"\n") != new.count(b"\n") or new.startswith(old):
        return False
    return all(
        _LINE.fullmatch(before) and _LINE.fullmatch(after)
        for before, after in zip(old.split(b"\n"), new.split(b"\n"), strict=True)
        if before != after
    )


def changed_links(old: bytes, new: bytes) -> tuple[tuple[int, str], ...]:
    """Line and new value of each link that differs, line by line."""
    pairs = enumerate(zip(old.split(b"\n"), new.split(b"\n"), strict=False), 1)
    found = ((number, _LINE.fullmatch(after)) for number, (before, after) in pairs if before != after)
    return tuple((number, link[1].decode(errors="replace")) for number, link in found if link)


def names_pull(link: str, pull: PrRef | None) -> bool:
    """Whether a link is the address of this pull request (None: of any), perhaps with a placeholder for its number."""
    found = _OF_A_PULL.fullmatch(link)
    if found is None or pull is None:
        return found is not None
    return found["repo"].lower() == str(pull.repo).lower() and found["number"] in (None, str(pull.number))


def is_pull(link: str) -> bool:
    """Whether a link is the address of a pull request, with its number."""
    found = _OF_A_PULL.fullmatch(link)
    return found is not None and found["number"] is not None
