"""What a reviewer's words and rights are read from."""

from bot.demo.github.ask import Ask, Reply, Route, not_found
from bot.demo.github.views.git import changed, diff_view, patch_view
from bot.demo.github.views.reviews import inline_view, job_view, membership_view, review_view


def get_review(ask: Ask) -> Reply:
    review = ask.repo.reviews.get(ask.number("review_id"))
    if review is None or review.pull != ask.pull.number:
        raise not_found()
    return Reply(body=review_view(ask.world, ask.repo, review))


def get_inline(ask: Ask) -> Reply:
    comment = ask.repo.inline.get(ask.number("comment_id"))
    if comment is None:
        raise not_found()
    return Reply(body=inline_view(ask.world, ask.repo, comment))


def pull_files(ask: Ask) -> Reply:
    history, pull = ask.world.history, ask.pull
    fork_point = history.merge_base(pull.base, pull.head)
    before, head = (fork_point.files if fork_point else {}), history.commits[pull.head]
    paths = changed(before, head.files)
    return ask.page(
        [diff_view(ask.world, ask.repo, head, path, before) | patch_view(head, path, before) for path in paths]
    )


def owners_errors(ask: Ask) -> Reply:
    return Reply(body={"errors": ask.repo.owners_errors})


def membership(ask: Ask) -> Reply:
    team, login = f"{ask.params['org']}/{ask.params['team_slug']}".lower(), ask.params["username"]
    if login.lower() not in {one.lower() for one in ask.world.teams.get(team, ())}:
        return Reply(404)
    return Reply(body=membership_view(ask.world, team, login))


def jobs(ask: Ask) -> Reply:
    run = ask.repo.runs.get(ask.number("run_id"))
    if run is None:
        raise not_found()
    rows = [job_view(ask.world, ask.repo, run, number, job) for number, job in enumerate(run.jobs)]
    return ask.page(rows, lambda page: {"total_count": len(rows), "jobs": page})


READ = ("pull_requests:read",)
ROUTES = (
    Route("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}", get_review, READ),
    Route("GET", "/repos/{owner}/{repo}/pulls/comments/{comment_id}", get_inline, READ),
    Route("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/files", pull_files, READ),
    Route("GET", "/repos/{owner}/{repo}/codeowners/errors", owners_errors, ("contents:read",)),
    Route("GET", "/orgs/{org}/teams/{team_slug}/memberships/{username}", membership, ("members:read",)),
    Route("GET", "/repos/{owner}/{repo}/actions/runs/{run_id}/jobs", jobs, ("actions:read",)),
)
