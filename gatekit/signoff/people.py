"""What GitHub says of a person's access to a repository."""

from dataclasses import dataclass

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
