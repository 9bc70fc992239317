"""Comments, reactions, and a pull request seen as an issue."""

from collections.abc import Iterable

from bot.demo.github.views.accounts import app_view, maybe_stamp, node_id, stamp, user_view
from bot.demo.github.views.pulls import association
from bot.demo.github.views.repos import api_url, label_view, web_url
from bot.demo.github.world import Comment, Json, Pull, Reaction, Repo, World

CONTENTS = ("+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes")


def comment_view(world: World, repo: Repo, comment: Comment) -> Json:
    url = f"{api_url(world, repo)}/issues/comments/{comment.id}"
    return {
        "url": url,
        "html_url": f"{web_url(world, repo)}/pull/{comment.issue}#issuecomment-{comment.id}",
        "issue_url": f"{api_url(world, repo)}/issues/{comment.issue}",
        "id": comment.id,
        "node_id": node_id("IssueComment", comment.id),
        "user": user_view(world, comment.user),
        "created_at": stamp(comment.created),
        "updated_at": stamp(comment.updated),
        "body": comment.body,
        "author_association": association(world, repo, comment.user),
        "reactions": rollup(f"{url}/reactions", comment.reactions.values()),
        "performed_via_github_app": app_view(world) if comment.by_app else None,
    }


def reaction_view(world: World, reaction: Reaction) -> Json:
    return {
        "id": reaction.id,
        "node_id": node_id("Reaction", reaction.id),
        "user": user_view(world, reaction.user),
        "content": reaction.content,
        "created_at": stamp(reaction.created),
    }


def rollup(url: str, reactions: Iterable[Reaction]) -> Json:
    given = [reaction.content for reaction in reactions]
    return {"url": url, "total_count": len(given), **{content: given.count(content) for content in CONTENTS}}


def issue_view(world: World, repo: Repo, pull: Pull) -> Json:
    """What `issue_comment` webhooks carry: on GitHub every pull request is an issue too."""
    url, page = f"{api_url(world, repo)}/issues/{pull.number}", f"{web_url(world, repo)}/pull/{pull.number}"
    return {
        "url": url,
        "repository_url": api_url(world, repo),
        "labels_url": f"{url}/labels{{/name}}",
        "comments_url": f"{url}/comments",
        "events_url": f"{url}/events",
        "timeline_url": f"{url}/timeline",
        "html_url": page,
        "id": pull.id + 1_000_000,
        "node_id": node_id("Issue", pull.id + 1_000_000),
        "number": pull.number,
        "title": pull.title,
        "user": user_view(world, pull.user),
        "labels": [label_view(world, repo, repo.labels[name]) for name in pull.labels],
        "state": "open" if pull.closed is None else "closed",
        "state_reason": None,
        "locked": False,
        "assignee": None,
        "assignees": [],
        "milestone": None,
        "comments": sum(comment.issue == pull.number for comment in repo.comments.values()),
        "created_at": stamp(pull.created),
        "updated_at": stamp(pull.updated),
        "closed_at": maybe_stamp(pull.closed),
        "author_association": association(world, repo, pull.user),
        "active_lock_reason": None,
        "draft": pull.draft,
        "pull_request": {
            "url": f"{api_url(world, repo)}/pulls/{pull.number}",
            "html_url": page,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
            "merged_at": maybe_stamp(pull.merged),
        },
        "body": pull.body,
        "reactions": rollup(f"{url}/reactions", ()),
        "performed_via_github_app": None,
    }
