"""The App, its installation, and who may do what with which token."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

PERMISSIONS: Mapping[str, str] = {
    "actions": "read",
    "checks": "write",
    "contents": "read",
    "issues": "write",
    "members": "read",
    "merge_queues": "read",
    "metadata": "read",
    "pull_requests": "write",
}
EVENTS = ("issue_comment", "merge_group", "pull_request", "pull_request_review", "pull_request_review_comment")
TOKEN = "ghs_"  # how installation tokens begin
LIFE = timedelta(hours=1)  # of an installation token
JWT_LIFE = timedelta(minutes=10)
RANK = {"read": 1, "write": 2, "admin": 3}


@dataclass(slots=True)
class App:
    """A GitHub App with one installation. `installed_on` holds repository ids."""

    id: int
    slug: str
    private_key: str  # PEM; only the App's owner holds it, the stand-in verifies with the public half
    public_key: str
    webhook_secret: str
    owner: str = "gatekit-demo"
    installation: int = 5001
    permissions: dict[str, str] = field(default_factory=lambda: dict(PERMISSIONS))  # that the App asks for
    accepted: dict[str, str] | None = None  # by the installation's owner; None: all that the App asks for
    events: tuple[str, ...] = EVENTS
    suspended: bool = False
    installed_on: set[int] = field(default_factory=set)

    @property
    def granted(self) -> dict[str, str]:
        return self.permissions if self.accepted is None else self.accepted


@dataclass(frozen=True, slots=True)
class Token:
    text: str
    expires: datetime
    permissions: Mapping[str, str]
    repos: frozenset[int]

    def may(self, need: str) -> bool:
        """`need` is written like `checks:write`."""
        name, _, level = need.partition(":")
        return RANK.get(self.permissions.get(name, ""), 0) >= RANK[level]


class BadCredentials(Exception):
    """The bearer is not who it says; `str(error)` is GitHub's message."""


def make_app(*, id: int = 77, slug: str = "gatekit-demo", secret: str = "it's a secret", bits: int = 2048) -> App:
    key = rsa.generate_private_key(public_exponent=65537, key_size=bits)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return App(id, slug, private.decode(), public.decode(), secret)


@dataclass(slots=True)
class Tokens:
    """Installation tokens that were given out, and the check of the App's own JWT."""

    app: App
    now: Callable[[], datetime]
    live: dict[str, Token] = field(default_factory=dict)
    serial: "count[int]" = field(default_factory=lambda: count(1))

    def mint(self, permissions: Mapping[str, str], repos: frozenset[int]) -> Token:
        """Lives for an hour; its end is a whole second."""
        text = f"{TOKEN}{self.app.id}_{next(self.serial):036d}"
        expires = self.now().replace(microsecond=0) + LIFE
        self.live[text] = Token(text, expires, dict(permissions), repos)
        return self.live[text]

    def revoke_all(self) -> None:
        self.live.clear()

    def check(self, text: str) -> Token:
        token = self.live.get(text)
        if token is None or token.expires <= self.now() or self.app.suspended:
            raise BadCredentials("Bad credentials")
        return token

    def check_app(self, text: str) -> None:
        """The App's JWT: RS256 by its own key, issued by it, alive, and for ten minutes at most."""
        try:
            claims = jwt.decode(
                text,
                self.app.public_key,
                algorithms=["RS256"],
                options={"require": ["iat", "exp", "iss"], "verify_exp": False, "verify_iat": False},
            )
        except jwt.PyJWTError as error:
            raise BadCredentials("A JSON web token could not be decoded") from error
        now = self.now().timestamp()
        if str(claims["iss"]) != str(self.app.id):
            raise BadCredentials("'Issuer' claim ('iss') must be the App's id")
        if not claims["iat"] <= now < claims["exp"] <= now + JWT_LIFE.total_seconds():
            raise BadCredentials("'Expiration time' claim ('exp') is too far in the future or past")
