"""Conversation comments of pull requests."""

from datetime import datetime

from bot.demo.github.ask import ApiError, Ask, Reply, Route
from bot.demo.github.views.issues import comment_view

LONGEST = 65_536  # characters of a comment


def list_comments(ask: Ask) -> Reply:
    """Oldest first; `since` compares with the last change."""
    since, number = ask.query.get("since"), ask.pull.number
    after = datetime.fromisoformat(since) if since else None
    comments = [
        comment_view(ask.world, ask.repo, comment)
        for comment in ask.repo.comments.values()
        if comment.issue == number and (after is None or comment.updated >= after)
    ]
    return ask.page(comments)


def create_comment(ask: Ask) -> Reply:
    comment = ask.people.comment(ask.repo, ask.pull, _text(ask), by=ask.world.bot.login, through_app=True)
    view = comment_view(ask.world, ask.repo, comment)
    return Reply(201, view, headers={"Location": str(view["url"])})


def get_comment(ask: Ask) -> Reply:
    return Reply(body=comment_view(ask.world, ask.repo, ask.comment))


def update_comment(ask: Ask) -> Reply:
    ask.people.edit_comment(ask.repo, ask.comment, _text(ask), by=ask.world.bot.login)
    return get_comment(ask)


def delete_comment(ask: Ask) -> Reply:
    ask.people.delete_comment(ask.repo, ask.comment, by=ask.world.bot.login)
    return Reply(204)


def _text(ask: Ask) -> str:
    body = ask.body.get("body")
    if not isinstance(body, str) or not body.strip():
        raise _refused("Body can't be blank")
    if len(body) > LONGEST:
        raise _refused(f"Body is too long (maximum is {LONGEST} characters)")
    return body


def _refused(message: str) -> ApiError:
    error: dict[str, object] = {
        "resource": "IssueComment",
        "code": "unprocessable",
        "field": "data",
        "message": message,
    }
    return ApiError(422, "Validation Failed", [error])


READ = ("issues:read", "pull_requests:read")
WRITE = ("issues:write", "pull_requests:write")
ROUTES = (
    Route("GET", "/repos/{owner}/{repo}/issues/{issue_number}/comments", list_comments, READ),
    Route("POST", "/repos/{owner}/{repo}/issues/{issue_number}/comments", create_comment, WRITE),
    Route("GET", "/repos/{owner}/{repo}/issues/comments/{comment_id}", get_comment, READ),
    Route("PATCH", "/repos/{owner}/{repo}/issues/comments/{comment_id}", update_comment, WRITE),
    Route("DELETE", "/repos/{owner}/{repo}/issues/comments/{comment_id}", delete_comment, WRITE),
)
