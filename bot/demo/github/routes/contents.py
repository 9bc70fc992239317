"""Trees, archives and single files."""

import posixpath

from bot.demo.github.ask import ApiError, Ask, Reply, Route, not_found
from bot.demo.github.objects import Mode, tree_items
from bot.demo.github.views.git import entry_view, file_view, tree_view

RAW = ("application/vnd.github.raw", "application/vnd.github.v3.raw", "application/vnd.github.raw+json")


def get_tree(ask: Ask) -> Reply:
    """The tree of a commit, a branch or, by its own SHA, the root of a commit."""
    ref = ask.params["tree_sha"]
    commits = ask.world.history.commits
    sha = ask.world.resolve(ask.repo, ref) or next((name for name in commits if commits[name].tree == ref), None)
    if sha is None:
        raise not_found()
    tree, items = tree_items(commits[sha].files)
    if "recursive" not in ask.query:
        items = tuple(item for item in items if "/" not in item.path)
    return Reply(body=tree_view(ask.world, ask.repo, tree, items))


def get_tarball(ask: Ask) -> Reply:
    """A redirect to another host, whose address alone lets one in for a while."""
    sha = ask.world.resolve(ask.repo, ask.params["ref"])
    if sha is None:
        raise not_found()
    address = f"{ask.world.urls.codeload}/{ask.repo.full_name}/legacy.tar.gz/{sha}"
    return Reply(302, headers={"Location": f"{address}?token=one-time"}, content_type="text/html;charset=utf-8")


def get_contents(ask: Ask) -> Reply:
    """A file, raw where that is asked for; a link to a file is that file; a folder is a list."""
    ref, path = ask.query.get("ref", ask.repo.default_branch), ask.params["path"].strip("/")
    sha = ask.world.resolve(ask.repo, ref)
    if sha is None:
        raise ApiError(404, f"No commit found for the ref {ref}")
    files = ask.world.files(sha)
    inside = {name.removeprefix(f"{path}/"): entry for name, entry in files.items() if name.startswith(f"{path}/")}
    if inside:
        _, items = tree_items(inside)
        return Reply(body=[entry_view(ask.world, ask.repo, ref, path, item) for item in items if "/" not in item.path])
    entry = files.get(path)
    if entry is not None and entry.mode is Mode.LINK:
        entry = files.get(posixpath.normpath(posixpath.join(posixpath.dirname(path), entry.data.decode())))
    if entry is None or entry.mode not in (Mode.FILE, Mode.EXECUTABLE):
        raise not_found()
    if any(kind.split(";")[0].strip() in RAW for kind in ask.accept.split(",")):
        return Reply(body=entry.data, content_type="application/vnd.github.raw; charset=utf-8")
    return Reply(body=file_view(ask.world, ask.repo, ref, path, entry))


READ = ("contents:read",)
ROUTES = (
    Route("GET", "/repos/{owner}/{repo}/git/trees/{tree_sha}", get_tree, READ),
    Route("GET", "/repos/{owner}/{repo}/tarball/{ref}", get_tarball, READ),
    Route("GET", "/repos/{owner}/{repo}/contents/{path}", get_contents, READ),
)
