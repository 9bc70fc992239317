"""Runs of GitHub Actions and their artifacts."""

from bot.demo.github.ask import ApiError, Ask, Reply, Route, not_found
from bot.demo.github.views.actions import artifact_view, run_view
from bot.demo.github.workflows import ActionsRun


def get_run(ask: Ask) -> Reply:
    return Reply(body=run_view(ask.world, ask.repo, _run(ask)))


def workflow_runs(ask: Ask) -> Reply:
    """Of one workflow, by its file's name, newest first."""
    wanted = ask.params["workflow_id"]
    runs = [run for run in ask.repo.runs.values() if run.path.rpartition("/")[2] == wanted]
    if not runs:
        raise not_found()
    for name in ("event", "branch", "status"):
        value = ask.query.get(name)
        runs = [run for run in runs if value in (None, getattr(run, name))]
    runs.sort(key=lambda run: run.id, reverse=True)
    return ask.page(
        [run_view(ask.world, ask.repo, run) for run in runs],
        lambda page: {"total_count": len(runs), "workflow_runs": page},
    )


def artifacts(ask: Ask) -> Reply:
    found = _run(ask).artifacts
    return ask.page(
        [artifact_view(ask.world, ask.repo, one) for one in found],
        lambda page: {"total_count": len(found), "artifacts": page},
    )


def download(ask: Ask) -> Reply:
    """A redirect to another host, whose address alone lets one in for a while; 410 once it has expired."""
    wanted = ask.number("artifact_id")
    found = [one for run in ask.repo.runs.values() for one in run.artifacts if one.id == wanted]
    if not found:
        raise not_found()
    if found[0].expired:
        raise ApiError(410, "Artifact has expired")
    address = f"{ask.world.urls.codeload}/{ask.repo.full_name}/artifacts/{wanted}?token=one-time"
    return Reply(302, headers={"Location": address}, content_type="text/html;charset=utf-8")


def _run(ask: Ask) -> ActionsRun:
    run = ask.repo.runs.get(ask.number("run_id"))
    if run is None:
        raise not_found()
    return run


READ = ("actions:read",)
ROUTES = (
    Route("GET", "/repos/{owner}/{repo}/actions/runs/{run_id}", get_run, READ),
    Route("GET", "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs", workflow_runs, READ),
    Route("GET", "/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts", artifacts, READ),
    Route("GET", "/repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}", download, READ),
)
