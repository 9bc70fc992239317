"""Repositories and labels."""

from collections.abc import Mapping

from bot.demo.github.views.accounts import node_id, organization_view, rights, stamp, user_view
from bot.demo.github.world import Json, Label, Repo, Role, World

# Addresses below a repository's own, by the key that GitHub gives them.
BELOW: Mapping[str, str] = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors",
    "deployments_url": "/deployments",
    "downloads_url": "/downloads",
    "events_url": "/events",
    "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "languages_url": "/languages",
    "merges_url": "/merges",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "tags_url": "/tags",
    "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}
SWITCHES: Mapping[str, bool] = {
    "has_issues": True,
    "has_projects": True,
    "has_wiki": True,
    "has_pages": False,
    "has_downloads": True,
    "has_discussions": False,
    "archived": False,
    "disabled": False,
    "allow_forking": True,
    "is_template": False,
    "web_commit_signoff_required": False,
}
MERGING: Mapping[str, object] = {
    "allow_squash_merge": True,
    "allow_merge_commit": True,
    "allow_rebase_merge": True,
    "allow_auto_merge": False,
    "delete_branch_on_merge": False,
    "allow_update_branch": False,
    "use_squash_pr_title_as_default": False,
    "squash_merge_commit_message": "COMMIT_MESSAGES",
    "squash_merge_commit_title": "COMMIT_OR_PR_TITLE",
    "merge_commit_message": "PR_TITLE",
    "merge_commit_title": "MERGE_MESSAGE",
}


def api_url(world: World, repo: Repo) -> str:
    return f"{world.urls.api}/repos/{repo.full_name}"


def web_url(world: World, repo: Repo) -> str:
    return f"{world.urls.web}/{repo.full_name}"


def repo_view(world: World, repo: Repo) -> Json:
    """As it stands inside pull requests and webhooks."""
    url, web = api_url(world, repo), web_url(world, repo)
    open_pulls = sum(pull.closed is None for pull in repo.pulls.values())
    counts = {"forks": _forks(world, repo), "watchers": 0, "open_issues": open_pulls}
    return {
        "id": repo.id,
        "node_id": node_id("Repository", repo.id),
        "name": repo.name,
        "full_name": repo.full_name,
        "private": repo.private,
        "owner": user_view(world, repo.owner),
        "html_url": web,
        "description": None,
        "fork": repo.parent is not None,
        "url": url,
        **{key: url + path for key, path in BELOW.items()},
        "git_url": f"git{web.removeprefix('https')}.git",
        "ssh_url": f"ssh{web.removeprefix('https')}.git",
        "clone_url": f"{web}.git",
        "svn_url": web,
        "mirror_url": None,
        "homepage": None,
        "language": None,
        "license": None,
        "topics": [],
        "visibility": "private" if repo.private else "public",
        "created_at": stamp(repo.created),
        "updated_at": stamp(repo.created),
        "pushed_at": stamp(repo.created),
        "size": 1,
        "stargazers_count": 0,
        "watchers_count": 0,
        "forks_count": counts["forks"],
        "open_issues_count": counts["open_issues"],
        **counts,
        **SWITCHES,
        "default_branch": repo.default_branch,
        "custom_properties": {},
    }


def full_repo_view(world: World, repo: Repo, *, role: Role | None) -> Json:
    """As `GET /repos/{owner}/{repo}` answers it."""
    view = repo_view(world, repo)
    extra: Json = {
        **MERGING,
        "subscribers_count": 0,
        "network_count": view["forks"],
        "permissions": rights(role, private=repo.private),
    }
    if repo.owner.type == "Organization":
        extra["organization"] = user_view(world, repo.owner)
    if repo.parent is not None:
        extra |= {"parent": repo_view(world, repo.parent), "source": repo_view(world, repo.parent)}
    return view | extra


def label_view(world: World, repo: Repo, label: Label) -> Json:
    return {
        "id": label.id,
        "node_id": node_id("Label", label.id),
        "url": f"{api_url(world, repo)}/labels/{label.name}",
        "name": label.name,
        "color": "0e8a16",
        "default": False,
        "description": None,
    }


def surroundings(world: World, repo: Repo) -> Json:
    """What every webhook about a repository carries beside its own subject."""
    here: Json = {"repository": repo_view(world, repo)}
    if repo.owner.type == "Organization":
        here["organization"] = organization_view(world, repo.owner)
    number = world.app.installation
    return here | {"installation": {"id": number, "node_id": node_id("IntegrationInstallation", number)}}


def _forks(world: World, repo: Repo) -> int:
    return sum(other.parent is repo for other in world.repos.values())
