"""Repositories, their people and their pull requests."""

from collections.abc import Iterable

from bot.demo.github.ask import Ask, Reply, Route, not_found
from bot.demo.github.objects import Commit
from bot.demo.github.views.accounts import permission_view
from bot.demo.github.views.git import commit_view, compare_view, git_commit_view
from bot.demo.github.views.pulls import pull_summary, pull_view
from bot.demo.github.views.repos import full_repo_view
from bot.demo.github.world import Json, Pull
from gatekit.domain.ids import Login, Sha

MOST_COMMITS = 250  # that GitHub lists of one pull request


def get_repo(ask: Ask) -> Reply:
    return Reply(body=full_repo_view(ask.world, ask.repo, role=None))


def permission(ask: Ask) -> Reply:
    """A stranger reads a public repository and is `none` on a private one; an unknown login is 404."""
    login = Login(ask.params["username"])
    user = ask.world.users.get(login)
    if user is None:
        raise not_found()
    return Reply(body=permission_view(ask.world, user, ask.repo.roles.get(login), private=ask.repo.private))


def get_pull(ask: Ask) -> Reply:
    return Reply(body=pull_view(ask.world, ask.repo, ask.pull))


def list_pulls(ask: Ask) -> Reply:
    """Newest first unless `direction` and `sort` say otherwise."""
    repo, state = ask.repo, ask.query.get("state", "open")
    pulls = [pull for pull in repo.pulls.values() if state in ("all", "closed" if pull.closed else "open")]
    head, base = ask.query.get("head"), ask.query.get("base")
    pulls = [pull for pull in pulls if head in (None, f"{pull.user.login}:{pull.head_ref}", _head_label(pull))]
    pulls = [pull for pull in pulls if base in (None, pull.base_ref)]
    by_update = ask.query.get("sort") == "updated"
    upwards = ask.query.get("direction", "desc") == "asc"
    pulls.sort(key=lambda pull: pull.updated if by_update else pull.created, reverse=not upwards)
    return _summaries(ask, pulls)


def pull_commits(ask: Ask) -> Reply:
    commits = ask.world.history.only_in(ask.pull.head, not_in=ask.pull.base)
    return ask.page([commit_view(ask.world, ask.repo, commit) for commit in commits[:MOST_COMMITS]])


def list_commits(ask: Ask) -> Reply:
    """From `sha` back through first parents, newest first; with `path`, those that changed this file."""
    commits, sha = ask.world.history.commits, ask.sha(ask.query.get("sha", ask.repo.default_branch))
    found = [commits[sha]]
    while found[-1].parents:
        found.append(commits[found[-1].parents[0]])
    path = ask.query.get("path")
    if path is not None:
        found = [one for one, before in zip(found, [*found[1:], None], strict=True) if _changes(path, one, before)]
    return ask.page([commit_view(ask.world, ask.repo, commit) for commit in found])


def _changes(path: str, commit: Commit, before: Commit | None) -> bool:
    return commit.files.get(path) != (None if before is None else before.files.get(path))


def git_commit(ask: Ask) -> Reply:
    commit = ask.world.history.commits.get(Sha(ask.params["commit_sha"]))
    if commit is None:
        raise not_found()
    return Reply(body=git_commit_view(ask.world, ask.repo, commit))


def pulls_of_commit(ask: Ask) -> Reply:
    """Open pull requests that have the commit, and merged ones that brought it."""
    sha, history = ask.sha(ask.params["commit_sha"]), ask.world.history
    brought = [
        pull
        for pull in ask.repo.pulls.values()
        if sha == pull.merge_sha or _has(history.only_in(pull.head, not_in=pull.base), sha)
    ]
    return _summaries(ask, brought)


def compare(ask: Ask) -> Reply:
    base_ref, dots, head_ref = ask.params["basehead"].partition("...")
    repo, world = ask.repo, ask.world
    base, head = world.resolve(repo, base_ref), world.resolve(repo, head_ref)
    fork_point = world.history.merge_base(base, head) if base and head else None
    if not dots or base is None or head is None or fork_point is None:
        raise not_found()
    commits = world.history.commits
    view = compare_view(world, repo, commits[base], commits[head], fork_point)
    if "page" not in ask.query and "per_page" not in ask.query:
        return Reply(body=view)
    later: Json = {} if ask.query.get("page", "1") == "1" else {"files": []}  # files stand on the first page only
    listed = world.history.only_in(head, not_in=base)
    return ask.page(
        [commit_view(world, repo, commit) for commit in listed], lambda page: view | later | {"commits": page}
    )


def _summaries(ask: Ask, pulls: Iterable[Pull]) -> Reply:
    return ask.page([pull_summary(ask.world, ask.repo, pull) for pull in pulls])


def _head_label(pull: Pull) -> str | None:
    return f"{pull.head_repo.owner.login}:{pull.head_ref}" if pull.head_repo else None


def _has(commits: tuple[Commit, ...], sha: str) -> bool:
    return any(commit.sha == sha for commit in commits)


READ_PULLS = ("pull_requests:read",)
ROUTES = (
    Route("GET", "/repos/{owner}/{repo}", get_repo, ("metadata:read",)),
    Route("GET", "/repos/{owner}/{repo}/collaborators/{username}/permission", permission, ("metadata:read",)),
    Route("GET", "/repos/{owner}/{repo}/pulls", list_pulls, READ_PULLS),
    Route("GET", "/repos/{owner}/{repo}/pulls/{pull_number}", get_pull, READ_PULLS),
    Route("GET", "/repos/{owner}/{repo}/pulls/{pull_number}/commits", pull_commits, READ_PULLS),
    Route("GET", "/repos/{owner}/{repo}/commits/{commit_sha}/pulls", pulls_of_commit, READ_PULLS),
    Route("GET", "/repos/{owner}/{repo}/commits", list_commits, ("contents:read",)),
    Route("GET", "/repos/{owner}/{repo}/git/commits/{commit_sha}", git_commit, ("contents:read",)),
    Route("GET", "/repos/{owner}/{repo}/compare/{basehead}", compare, ("contents:read",)),
)
