"""Reviews, inline comments, teams and jobs."""

from bot.demo.github.reviews import InlineComment, Job, Review
from bot.demo.github.views.accounts import node_id, stamp, user_view
from bot.demo.github.views.pulls import association
from bot.demo.github.views.repos import api_url, web_url
from bot.demo.github.workflows import ActionsRun
from bot.demo.github.world import Json, Repo, World


def review_view(world: World, repo: Repo, review: Review) -> Json:
    pull, page = f"{api_url(world, repo)}/pulls/{review.pull}", f"{web_url(world, repo)}/pull/{review.pull}"
    html = f"{page}#pullrequestreview-{review.id}"
    author = world.user(review.by)
    return {
        "id": review.id,
        "node_id": node_id("PullRequestReview", review.id),
        "user": user_view(world, author),
        "body": review.body,
        "state": review.state,
        "html_url": html,
        "pull_request_url": pull,
        "author_association": association(world, repo, author),
        "_links": {"html": {"href": html}, "pull_request": {"href": pull}},
        "submitted_at": stamp(review.submitted),
        "commit_id": review.commit,
    }


def inline_view(world: World, repo: Repo, comment: InlineComment) -> Json:
    pull, page = f"{api_url(world, repo)}/pulls/{comment.pull}", f"{web_url(world, repo)}/pull/{comment.pull}"
    url, html = f"{api_url(world, repo)}/pulls/comments/{comment.id}", f"{page}#discussion_r{comment.id}"
    author = world.user(comment.by)
    return {
        "url": url,
        "pull_request_review_id": None,
        "id": comment.id,
        "node_id": node_id("PullRequestReviewComment", comment.id),
        "diff_hunk": "@@ -1 +1 @@",
        "path": comment.path,
        "commit_id": comment.commit,
        "original_commit_id": comment.commit,
        "user": user_view(world, author),
        "body": comment.body,
        "created_at": stamp(comment.created),
        "updated_at": stamp(comment.updated),
        "html_url": html,
        "pull_request_url": pull,
        "author_association": association(world, repo, author),
        "_links": {"self": {"href": url}, "html": {"href": html}, "pull_request": {"href": pull}},
    }


def job_view(world: World, repo: Repo, run: ActionsRun, number: int, job: Job) -> Json:
    identity = run.id * 100 + number
    url = f"{api_url(world, repo)}/actions/jobs/{identity}"
    done = job.conclusion is not None
    return {
        "id": identity,
        "run_id": run.id,
        "run_url": f"{api_url(world, repo)}/actions/runs/{run.id}",
        "node_id": node_id("Job", number),
        "head_sha": run.head,
        "url": url,
        "html_url": f"{web_url(world, repo)}/actions/runs/{run.id}/job/{identity}",
        "status": "completed" if done else "in_progress",
        "conclusion": job.conclusion,
        "created_at": stamp(run.started),
        "started_at": stamp(run.started),
        "completed_at": stamp(run.started) if done else None,
        "name": job.name,
        "check_run_url": f"{api_url(world, repo)}/check-runs/{identity}",
        "labels": ["self-hosted"],
        "runner_id": 1,
        "runner_name": "runner",
        "runner_group_id": 1,
        "runner_group_name": "group",
        "workflow_name": "Run sweep",
        "head_branch": run.branch,
    }


def membership_view(world: World, team: str, login: str) -> Json:
    org, _, slug = team.partition("/")
    return {
        "url": f"{world.urls.api}/orgs/{org}/teams/{slug}/memberships/{login}",
        "role": "member",
        "state": "active",
    }
