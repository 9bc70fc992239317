"""Pull requests, in the short form of lists and in full."""

from bot.demo.github.views.accounts import maybe_stamp, node_id, stamp, user_view
from bot.demo.github.views.git import changed
from bot.demo.github.views.repos import MERGING, api_url, label_view, repo_view, web_url
from bot.demo.github.world import Json, Pull, Repo, User, World


def association(world: World, repo: Repo, user: User) -> str:
    if user.login in world.associations:
        return world.associations[user.login]
    if user.login == repo.owner.login:
        return "OWNER"
    return "COLLABORATOR" if user.login in repo.roles else "NONE"


def pull_summary(world: World, repo: Repo, pull: Pull) -> Json:
    """As lists give it."""
    api, web = api_url(world, repo), web_url(world, repo)
    url, issue, page = f"{api}/pulls/{pull.number}", f"{api}/issues/{pull.number}", f"{web}/pull/{pull.number}"
    links = {
        "self": url,
        "html": page,
        "issue": issue,
        "comments": f"{issue}/comments",
        "review_comments": f"{url}/comments",
        "review_comment": f"{api}/pulls/comments{{/number}}",
        "commits": f"{url}/commits",
        "statuses": f"{api}/statuses/{pull.head}",
    }
    return {
        "url": url,
        "id": pull.id,
        "node_id": node_id("PullRequest", pull.id),
        "html_url": page,
        "diff_url": f"{page}.diff",
        "patch_url": f"{page}.patch",
        "issue_url": issue,
        **{f"{name}_url": links[name] for name in links if name not in ("self", "html", "issue")},
        "number": pull.number,
        "state": "open" if pull.closed is None else "closed",
        "locked": False,
        "title": pull.title,
        "user": user_view(world, pull.user),
        "body": pull.body,
        "labels": [label_view(world, repo, repo.labels[name]) for name in pull.labels],
        "milestone": None,
        "active_lock_reason": None,
        "created_at": stamp(pull.created),
        "updated_at": stamp(pull.updated),
        "closed_at": maybe_stamp(pull.closed),
        "merged_at": maybe_stamp(pull.merged),
        "merge_commit_sha": pull.merge_sha,
        "assignee": None,
        "assignees": [],
        "requested_reviewers": [],
        "requested_teams": [],
        "head": _side(world, pull.head_repo, pull.head_ref, pull.head, pull.user),
        "base": _side(world, repo, pull.base_ref, pull.base, repo.owner),
        "_links": {name: {"href": address} for name, address in links.items()},
        "author_association": association(world, repo, pull.user),
        "auto_merge": None,
        "draft": pull.draft,
    }


def pull_view(world: World, repo: Repo, pull: Pull) -> Json:
    """As `GET /repos/{owner}/{repo}/pulls/{pull_number}` and webhooks give it."""
    base = world.history.merge_base(pull.base, pull.head)
    files = changed(base.files if base else {}, world.files(pull.head))
    return pull_summary(world, repo, pull) | {
        "merged": pull.merged is not None,
        "mergeable": None if pull.closed else pull.mergeable,
        "rebaseable": None if pull.closed else pull.mergeable,
        "mergeable_state": _mergeable_state(pull),
        "merged_by": user_view(world, pull.merged_by) if pull.merged_by else None,
        "comments": sum(comment.issue == pull.number for comment in repo.comments.values()),
        "review_comments": 0,
        "maintainer_can_modify": False,
        "commits": len(world.history.only_in(pull.head, not_in=pull.base)),
        "additions": len(files),
        "deletions": 0,
        "changed_files": len(files),
    }


def _mergeable_state(pull: Pull) -> str:
    if pull.closed or pull.mergeable is None:
        return "unknown"
    if pull.draft:
        return "draft"
    return "clean" if pull.mergeable else "dirty"


def _side(world: World, repo: Repo | None, ref: str, sha: str, fallback: User) -> Json:
    owner = repo.owner if repo else fallback
    return {
        "label": f"{owner.login}:{ref}",
        "ref": ref,
        "sha": sha,
        "user": user_view(world, owner),
        "repo": {**repo_view(world, repo), **MERGING} if repo else None,
    }
