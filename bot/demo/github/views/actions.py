"""Runs of GitHub Actions and their artifacts."""

from bot.demo.github.objects import email
from bot.demo.github.views.accounts import node_id, stamp, user_view
from bot.demo.github.views.repos import api_url, repo_view, web_url
from bot.demo.github.workflows import KEPT, ActionsRun, RunArtifact
from bot.demo.github.world import Json, Repo, World

WORKFLOW_ID = 7_000_001
SUITE = 8_000_000


def run_view(world: World, repo: Repo, run: ActionsRun) -> Json:
    url = f"{api_url(world, repo)}/actions/runs/{run.id}"
    commit = world.history.commits[run.head]
    who = {"name": commit.author, "email": email(commit.author)}
    actor = user_view(world, world.user(run.by))
    return {
        "id": run.id,
        "name": "Run sweep",
        "node_id": node_id("WorkflowRun", run.id),
        "check_suite_id": SUITE + run.id,
        "head_branch": run.branch,
        "head_sha": run.head,
        "path": run.path,
        "display_title": commit.message,
        "run_number": run.id,
        "run_attempt": run.attempt,
        "event": run.event,
        "status": run.status,
        "conclusion": run.conclusion,
        "workflow_id": WORKFLOW_ID,
        "url": url,
        "html_url": f"{web_url(world, repo)}/actions/runs/{run.id}",
        "pull_requests": [],
        "created_at": stamp(run.started),
        "updated_at": stamp(run.started),
        "run_started_at": stamp(run.started),
        "actor": actor,
        "triggering_actor": actor,
        "jobs_url": f"{url}/jobs",
        "logs_url": f"{url}/logs",
        "check_suite_url": f"{api_url(world, repo)}/check-suites/{SUITE + run.id}",
        "artifacts_url": f"{url}/artifacts",
        "cancel_url": f"{url}/cancel",
        "rerun_url": f"{url}/rerun",
        "previous_attempt_url": None,
        "workflow_url": f"{api_url(world, repo)}/actions/workflows/{WORKFLOW_ID}",
        "head_commit": {
            "id": run.head,
            "tree_id": commit.tree,
            "message": commit.message,
            "timestamp": stamp(commit.when),
            "author": who,
            "committer": who,
        },
        "repository": repo_view(world, repo),
        "head_repository": repo_view(world, repo),
    }


def artifact_view(world: World, repo: Repo, artifact: RunArtifact) -> Json:
    url = f"{api_url(world, repo)}/actions/artifacts/{artifact.id}"
    made = world.tick()
    return {
        "id": artifact.id,
        "node_id": node_id("Artifact", artifact.id),
        "name": artifact.name,
        "size_in_bytes": artifact.size,
        "url": url,
        "archive_download_url": f"{url}/zip",
        "expired": artifact.expired,
        "created_at": stamp(made),
        "updated_at": stamp(made),
        "expires_at": stamp(made + KEPT),
    }
