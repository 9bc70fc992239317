"""Check runs of the App."""

from bot.demo.github.ask import ApiError, Ask, Reply, Route, invalid, not_found
from bot.demo.github.views.accounts import stamp
from bot.demo.github.views.checks import check_view
from bot.demo.github.world import CheckRun, Json

LONGEST = 65_535  # characters of a summary or text
MOST_ANNOTATIONS = 50  # in one request
MOST_ACTIONS = 3
ACTION_LIMITS = {"label": 20, "description": 40, "identifier": 20}


def create_check(ask: Ask) -> Reply:
    body = ask.body
    if not isinstance(body.get("name"), str) or not isinstance(body.get("head_sha"), str):
        raise ApiError(422, 'Invalid request.\n\n"name", "head_sha" weren\'t supplied.')
    repo, world = ask.repo, ask.world
    head = ask.sha(str(body["head_sha"]))
    check = CheckRun(next(world.ids), head, world.app.id, {}, world.tick())
    check.said = _said(ask, {"status": "queued"})
    repo.checks[check.id] = check
    return Reply(201, check_view(world, repo, check))


def update_check(ask: Ask) -> Reply:
    check = ask.repo.checks.get(ask.number("check_run_id"))
    if check is None:
        raise not_found()
    if check.app_id != ask.world.app.id:
        raise ApiError(403, "Resource not accessible by integration")
    check.said = _said(ask, check.said)
    return Reply(body=check_view(ask.world, ask.repo, check))


def list_checks(ask: Ask) -> Reply:
    """`filter=latest`, the default, shows the youngest run of each name."""
    query, head = ask.query, ask.sha(ask.params["ref"])
    found = [check for check in ask.repo.checks.values() if check.head == head]
    if query.get("filter", "latest") == "latest":
        found = list({(check.app_id, check.said["name"]): check for check in found}.values())
    wanted = {"check_name": "name", "status": "status"}
    found = [check for check in found if all(query.get(key) in (None, check.said[wanted[key]]) for key in wanted)]
    found = [check for check in found if query.get("app_id") in (None, str(check.app_id))]
    rows = [check_view(ask.world, ask.repo, check) for check in reversed(found)]
    return ask.page(rows, lambda page: {"total_count": len(rows), "check_runs": page})


def _said(ask: Ask, before: Json) -> Json:
    """What the check run says after this request. A conclusion completes it; running again takes it away."""
    body = {key: value for key, value in ask.body.items() if key != "head_sha"}
    _check_output(body.get("output"))
    _check_actions(body.get("actions"))
    said = before | body
    if body.get("conclusion") is not None:
        said["status"] = "completed"
        said["completed_at"] = said.get("completed_at") or stamp(ask.world.tick())
    elif body.get("status") == "completed":
        raise ApiError(422, 'Invalid request.\n\nMissing the "conclusion" of a completed check run.')
    elif body.get("status") is not None:
        said["conclusion"] = said["completed_at"] = None
    return said


def _check_output(output: object) -> None:
    if output is None:
        return
    if not isinstance(output, dict) or "summary" not in output:
        raise invalid("CheckRun", "output", "summary wasn't supplied")
    for name in ("summary", "text"):
        if len(str(output.get(name) or "")) > LONGEST:
            raise invalid("CheckRun", name, f"{name} exceeds a maximum of {LONGEST} characters")
    if len(output.get("annotations") or ()) > MOST_ANNOTATIONS:
        raise invalid("CheckRun", "annotations", f"annotations exceeds a maximum quantity of {MOST_ANNOTATIONS}")


def _check_actions(actions: object) -> None:
    if not isinstance(actions, list):
        return
    if len(actions) > MOST_ACTIONS:
        raise invalid("CheckRun", "actions", f"actions exceeds a maximum quantity of {MOST_ACTIONS}")
    for name, limit in ACTION_LIMITS.items():
        if any(len(str(action.get(name, ""))) > limit for action in actions):
            raise invalid("CheckRun", name, f"{name} exceeds a maximum of {limit} characters")


ROUTES = (
    Route("POST", "/repos/{owner}/{repo}/check-runs", create_check, ("checks:write",)),
    Route("PATCH", "/repos/{owner}/{repo}/check-runs/{check_run_id}", update_check, ("checks:write",)),
    Route("GET", "/repos/{owner}/{repo}/commits/{ref}/check-runs", list_checks, ("checks:read",)),
)
