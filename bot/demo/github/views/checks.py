"""Check runs."""

from bot.demo.github.views.accounts import app_view, node_id, stamp
from bot.demo.github.views.repos import api_url, web_url
from bot.demo.github.world import CheckRun, Json, Pull, Repo, World

SUITE = 9_000_000  # check suites have no state of their own here: one per commit and App


def check_view(world: World, repo: Repo, check: CheckRun) -> Json:
    url = f"{api_url(world, repo)}/check-runs/{check.id}"
    page = f"{web_url(world, repo)}/runs/{check.id}"
    said = check.said
    output = said.get("output")
    given = output if isinstance(output, dict) else {}
    return {
        "id": check.id,
        "name": said["name"],
        "node_id": node_id("CheckRun", check.id),
        "head_sha": check.head,
        "external_id": said.get("external_id", ""),
        "url": url,
        "html_url": page,
        "details_url": said.get("details_url", page),
        "status": said["status"],
        "conclusion": said.get("conclusion"),
        "started_at": said.get("started_at", stamp(check.started)),
        "completed_at": said.get("completed_at"),
        "output": {
            "title": given.get("title"),
            "summary": given.get("summary"),
            "text": given.get("text"),
            "annotations_count": len(given.get("annotations", ())),
            "annotations_url": f"{url}/annotations",
        },
        "check_suite": {"id": SUITE + int(check.head[:6], 16)},
        "app": app_view(world),
        "pull_requests": [
            _pull_view(world, repo, pull)
            for pull in repo.pulls.values()
            if pull.head == check.head and pull.closed is None and pull.head_repo is repo
        ],
    }


def _pull_view(world: World, repo: Repo, pull: Pull) -> Json:
    """Only pull requests from the repository itself: GitHub lists none from forks."""
    here: Json = {"id": repo.id, "url": api_url(world, repo), "name": repo.name}
    return {
        "id": pull.id,
        "number": pull.number,
        "url": f"{api_url(world, repo)}/pulls/{pull.number}",
        "head": {"ref": pull.head_ref, "sha": pull.head, "repo": here},
        "base": {"ref": pull.base_ref, "sha": pull.base, "repo": here},
    }
