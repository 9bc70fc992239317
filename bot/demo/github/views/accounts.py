"""Accounts, the App and its installation."""

import base64
from collections.abc import Mapping
from datetime import UTC, datetime

from bot.demo.github.app import Token
from bot.demo.github.objects import email
from bot.demo.github.world import EPOCH, Json, Role, User, World


def stamp(when: datetime) -> str:
    """Whole seconds, UTC, as GitHub writes times."""
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def maybe_stamp(when: datetime | None) -> str | None:
    return None if when is None else stamp(when)


def node_id(kind: str, number: int) -> str:
    return base64.b64encode(f"0:{kind}{number}".encode()).decode()


def user_view(world: World, user: User) -> Json:
    url = f"{world.urls.api}/users/{user.login.replace('[', '%5B').replace(']', '%5D')}"
    page = f"apps/{user.login.removesuffix('[bot]')}" if user.type == "Bot" else user.login
    return {
        "login": user.login,
        "id": user.id,
        "node_id": node_id("User", user.id),
        "avatar_url": f"{world.urls.web}/avatars/{user.id}",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{world.urls.web}/{page}",
        "followers_url": f"{url}/followers",
        "following_url": f"{url}/following{{/other_user}}",
        "gists_url": f"{url}/gists{{/gist_id}}",
        "starred_url": f"{url}/starred{{/owner}}{{/repo}}",
        "subscriptions_url": f"{url}/subscriptions",
        "organizations_url": f"{url}/orgs",
        "repos_url": f"{url}/repos",
        "events_url": f"{url}/events{{/privacy}}",
        "received_events_url": f"{url}/received_events",
        "type": user.type,
        "user_view_type": "public",
        "site_admin": False,
    }


def organization_view(world: World, user: User) -> Json:
    url = f"{world.urls.api}/orgs/{user.login}"
    return {
        "login": user.login,
        "id": user.id,
        "node_id": node_id("Organization", user.id),
        "url": url,
        "repos_url": f"{url}/repos",
        "events_url": f"{url}/events",
        "hooks_url": f"{url}/hooks",
        "issues_url": f"{url}/issues",
        "members_url": f"{url}/members{{/member}}",
        "public_members_url": f"{url}/public_members{{/member}}",
        "avatar_url": f"{world.urls.web}/avatars/{user.id}",
        "description": "",
    }


def app_view(world: World) -> Json:
    app = world.app
    return {
        "id": app.id,
        "client_id": f"Iv23{app.id:016d}",
        "slug": app.slug,
        "node_id": node_id("App", app.id),
        "owner": user_view(world, world.user(app.owner, "Organization")),
        "name": app.slug,
        "description": "",
        "external_url": f"{world.urls.web}/{app.owner}",
        "html_url": f"{world.urls.web}/apps/{app.slug}",
        "created_at": stamp(EPOCH),
        "updated_at": stamp(EPOCH),
        "permissions": dict(app.permissions),
        "events": list(app.events),
        "installations_count": 1,
    }


def installation_view(world: World) -> Json:
    app = world.app
    url = f"{world.urls.api}/app/installations/{app.installation}"
    account = world.user(app.owner, "Organization")
    return {
        "id": app.installation,
        "client_id": f"Iv23{app.id:016d}",
        "account": user_view(world, account),
        "repository_selection": "selected",
        "access_tokens_url": f"{url}/access_tokens",
        "repositories_url": f"{world.urls.api}/installation/repositories",
        "html_url": f"{world.urls.web}/organizations/{app.owner}/settings/installations/{app.installation}",
        "app_id": app.id,
        "app_slug": app.slug,
        "target_id": account.id,
        "target_type": "Organization",
        "permissions": dict(app.granted),
        "events": list(app.events),
        "created_at": stamp(EPOCH),
        "updated_at": stamp(EPOCH),
        "single_file_name": None,
        "has_multiple_single_files": False,
        "single_file_paths": [],
        "suspended_by": user_view(world, account) if app.suspended else None,
        "suspended_at": stamp(EPOCH) if app.suspended else None,
    }


def token_view(token: Token) -> Json:
    return {
        "token": token.text,
        "expires_at": stamp(token.expires),
        "permissions": dict(token.permissions),
        "repository_selection": "selected",
    }


def permission_view(world: World, user: User, role: Role | None, *, private: bool) -> Json:
    """Anybody may read a public repository; `none` is only said of private ones.

    A role of the organisation's own shows by its name, beside the older word of the role that it builds on.
    """
    name = role.value if role else ("none" if private else "read")
    own = world.own_roles.get(user.login, name)
    flags: Mapping[str, bool] = rights(role, private=private)
    return {
        "permission": role.permission if role else name,
        "role_name": own,
        "user": {**user_view(world, user), "email": email(user.login), "permissions": flags, "role_name": own},
    }


def rights(role: Role | None, *, private: bool) -> dict[str, bool]:
    """GitHub's five flags: each role has those of the roles below it."""
    order = [Role.READ, Role.TRIAGE, Role.WRITE, Role.MAINTAIN, Role.ADMIN]
    rank = order.index(role) if role else (-1 if private else 0)
    names = ("pull", "triage", "push", "maintain", "admin")
    return {name: rank >= place for place, name in enumerate(names)}
