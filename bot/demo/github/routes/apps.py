"""The App itself, its installation, its tokens and its deliveries. Asked with the App's own JWT."""

from bot.demo.github.app import RANK
from bot.demo.github.ask import ApiError, Ask, Reply, Route, invalid, not_found
from bot.demo.github.hooks import Delivery
from bot.demo.github.views.accounts import app_view, installation_view, stamp, token_view
from bot.demo.github.world import Json


def get_app(ask: Ask) -> Reply:
    return Reply(body=app_view(ask.world))


def repo_installation(ask: Ask) -> Reply:
    if ask.repo.id not in ask.world.app.installed_on:
        raise not_found()
    return Reply(body=installation_view(ask.world))


def list_installations(ask: Ask) -> Reply:
    return Reply(body=[installation_view(ask.world)])


def create_token(ask: Ask) -> Reply:
    """May be narrower than the installation, never wider."""
    app = ask.world.app
    if ask.number("installation_id") != app.installation:
        raise not_found()
    if app.suspended:
        raise ApiError(403, "This installation has been suspended")
    asked = ask.body.get("permissions") or app.granted
    permissions = {str(name): str(level) for name, level in asked.items()} if isinstance(asked, dict) else {}
    for name, level in permissions.items():
        if RANK.get(level, 9) > RANK.get(app.granted.get(name, ""), 0):
            raise ApiError(422, "The permissions requested are not granted to this installation.")
    return Reply(201, token_view(ask.world.tokens.mint({"metadata": "read", **permissions}, _repos(ask))))


def _repos(ask: Ask) -> frozenset[int]:
    installed = frozenset(ask.world.app.installed_on)
    names, ids = ask.body.get("repositories"), ask.body.get("repository_ids")
    if not isinstance(names, list) and not isinstance(ids, list):
        return installed
    wanted = set(ids) if isinstance(ids, list) else set()
    if isinstance(names, list):
        wanted |= {repo.id for repo in ask.world.repos.values() if repo.name in names}
    if not wanted <= installed or not wanted:
        raise ApiError(422, "There is at least one repository that does not exist or is not accessible")
    return frozenset(wanted)


def list_deliveries(ask: Ask) -> Reply:
    """Newest first; `cursor` is the id to go on after."""
    rows = [delivery for delivery in reversed(ask.hooks.deliveries) if delivery.status is not None]
    cursor = ask.query.get("cursor")
    if cursor:
        rows = [delivery for delivery in rows if delivery.id < int(cursor)]
    per_page = min(int(ask.query.get("per_page", 30)), 100)
    shown = rows[:per_page]
    address = f"{ask.world.urls.api}{ask.path}?per_page={per_page}&cursor={shown[-1].id if shown else 0}"
    headers = {"Link": f'<{address}>; rel="next"'} if len(rows) > per_page else {}
    return Reply(body=[_delivery_view(ask, delivery) for delivery in shown], headers=headers)


def get_delivery(ask: Ask) -> Reply:
    delivery = _delivery(ask)
    request = {"headers": dict(ask.hooks.headers(delivery)), "payload": delivery.payload}
    return Reply(body=_delivery_view(ask, delivery) | {"request": request, "response": {"headers": {}, "payload": ""}})


def redeliver(ask: Ask) -> Reply:
    ask.hooks.redeliver(_delivery(ask))
    return Reply(202, {})


def _delivery(ask: Ask) -> Delivery:
    for delivery in ask.hooks.deliveries:
        if delivery.id == ask.number("delivery_id"):
            return delivery
    raise invalid("HookDelivery", "delivery_id", "No such delivery")


def _delivery_view(ask: Ask, delivery: Delivery) -> Json:
    repository = delivery.payload.get("repository")
    status = delivery.status or 0
    words = (
        "OK" if 200 <= status < 300 else f"Invalid HTTP Response: {status}" if status else "failed to connect to host"
    )
    return {
        "id": delivery.id,
        "guid": delivery.guid,
        "delivered_at": stamp(delivery.at),
        "redelivery": delivery.redelivery,
        "duration": round(delivery.seconds, 2),
        "status": words,
        "status_code": status,
        "event": delivery.event,
        "action": delivery.action,
        "installation_id": ask.world.app.installation,
        "repository_id": repository["id"] if isinstance(repository, dict) else None,
        "throttled_at": None,
    }


ROUTES = (
    Route("GET", "/app", get_app, as_app=True),
    Route("GET", "/app/installations", list_installations, as_app=True),
    Route("GET", "/app/hook/deliveries", list_deliveries, as_app=True),
    Route("GET", "/app/hook/deliveries/{delivery_id}", get_delivery, as_app=True),
    Route("POST", "/app/hook/deliveries/{delivery_id}/attempts", redeliver, as_app=True),
    Route("GET", "/repos/{owner}/{repo}/installation", repo_installation, as_app=True),
    Route("POST", "/app/installations/{installation_id}/access_tokens", create_token, as_app=True),
)
