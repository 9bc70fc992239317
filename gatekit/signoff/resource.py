"""What holds a sign-off: a comment, a review or an inline comment, and its author's access to the repository."""

import re
from dataclasses import dataclass
from enum import StrEnum

from gatekit.domain.errors import Refusal
from gatekit.domain.ids import PrRef, Repo

_KEY = r"(?P<surface>issuecomment-|pullrequestreview-|discussion_r)(?P<id>[1-9][0-9]{0,18})"
_RESOURCE = re.compile(_KEY)
_URL = re.compile(
    rf"(?P<web>https://[A-Za-z0-9.:-]+)/(?P<owner>[\w.-]+)/(?P<name>[\w.-]+)/pull/(?P<number>[1-9][0-9]{{0,9}})(?:/files)?#{_KEY}",
    re.ASCII,
)
GITHUB = "https://github.com"


class Surface(StrEnum):
    CONVERSATION = "issuecomment-"
    REVIEW = "pullrequestreview-"
    INLINE = "discussion_r"


@dataclass(frozen=True, slots=True)
class Resource:
    surface: Surface
    id: int  # GitHub's, unique in the repository only together with the surface

    @property
    def key(self) -> str:
        """E.g. `issuecomment-12`: the fragment of its address, and what its verdict is filed under."""
        return f"{self.surface.value}{self.id}"


def read_key(key: str) -> Resource | None:
    """The resource of a key; None where it is none."""
    found = _RESOURCE.fullmatch(key)
    return None if found is None else Resource(Surface(found["surface"]), int(found["id"]))


def read_url(url: str, repo: Repo, web: str = GITHUB) -> tuple[PrRef, Resource]:
    """The pull request and the resource that an address names; owner and name in any case.

    Raises Refusal unless it is exactly the address of a sign-off in this repository. Whether the resource belongs to
    that pull request only GitHub can say.
    """
    found = _URL.fullmatch(url)
    if found is None or found["web"] != web:
        raise Refusal(
            "This is no address of a sign-off: copy the link of the comment or review, which ends with "
            "#issuecomment-, #pullrequestreview- or #discussion_r and its number."
        )
    if (found["owner"].lower(), found["name"].lower()) != (repo.owner.lower(), repo.name.lower()):
        raise Refusal(f"The address leads to another repository: give one of {repo}.")
    return PrRef(repo, int(found["number"])), Resource(Surface(found["surface"]), int(found["id"]))


_WRITING = frozenset({"admin", "write"})  # `maintain` comes as write
_WRITING_ROLES = frozenset({"admin", "maintain", "write"})
_ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Access:
    """GitHub's answer: the legacy `permission`, and `role_name`, which names a role of the organisation's own too.

    Both must say the same: a role that GitHub did not define is none that is known here.
    """

    permission: str | None  # None: the answer has none
    role: str | None

    @property
    def may_write(self) -> bool:
        return self.permission in _WRITING and self.role in _WRITING_ROLES

    @property
    def is_admin(self) -> bool:
        return self.permission == _ADMIN and self.role == _ADMIN
