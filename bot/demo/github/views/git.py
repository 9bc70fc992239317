"""Commits, trees, comparisons and contents."""

import base64
from difflib import unified_diff
from urllib.parse import quote

from bot.demo.github.objects import Commit, Entry, Files, Mode, TreeItem, email
from bot.demo.github.views.accounts import node_id, stamp, user_view
from bot.demo.github.views.repos import api_url, web_url
from bot.demo.github.world import Json, Repo, World
from gatekit.domain.ids import Sha


def commit_view(world: World, repo: Repo, commit: Commit) -> Json:
    url, web = api_url(world, repo), web_url(world, repo)
    who = {"name": commit.author, "email": email(commit.author), "date": stamp(commit.when)}
    account = user_view(world, world.user(commit.author))
    return {
        "sha": commit.sha,
        "node_id": node_id("Commit", int(commit.sha[:8], 16)),
        "commit": {
            "author": who,
            "committer": who,
            "message": commit.message,
            "tree": {"sha": commit.tree, "url": f"{url}/git/trees/{commit.tree}"},
            "url": f"{url}/git/commits/{commit.sha}",
            "comment_count": 0,
            "verification": {
                "verified": False,
                "reason": "unsigned",
                "signature": None,
                "payload": None,
                "verified_at": None,
            },
        },
        "url": f"{url}/commits/{commit.sha}",
        "html_url": f"{web}/commit/{commit.sha}",
        "comments_url": f"{url}/commits/{commit.sha}/comments",
        "author": account,
        "committer": account,
        "parents": [
            {"sha": sha, "url": f"{url}/commits/{sha}", "html_url": f"{web}/commit/{sha}"} for sha in commit.parents
        ],
    }


def git_commit_view(world: World, repo: Repo, commit: Commit) -> Json:
    """The object itself, as git has it."""
    view = commit_view(world, repo, commit)
    inner = view["commit"]
    assert isinstance(inner, dict)
    same = {name: inner[name] for name in ("author", "committer", "message", "tree", "verification")}
    return {**same, **{name: view[name] for name in ("sha", "node_id", "url", "html_url", "parents")}}


def tree_view(world: World, repo: Repo, sha: Sha, items: tuple[TreeItem, ...]) -> Json:
    url = f"{api_url(world, repo)}/git"
    rows: list[Json] = []
    for item in items:
        row: Json = {"path": item.path, "mode": item.mode.value, "type": item.mode.kind, "sha": item.sha}
        if item.size is not None:
            row["size"] = item.size
        if item.mode is not Mode.GITLINK:
            row["url"] = f"{url}/{item.mode.kind}s/{item.sha}"
        rows.append(row)
    return {"sha": sha, "url": f"{url}/trees/{sha}", "tree": rows, "truncated": False}


def compare_view(world: World, repo: Repo, base: Commit, head: Commit, fork_point: Commit) -> Json:
    url, web = api_url(world, repo), web_url(world, repo)
    basehead = f"{base.sha}...{head.sha}"
    ahead = world.history.only_in(head.sha, not_in=base.sha)
    behind = world.history.only_in(base.sha, not_in=head.sha)
    words = {(True, True): "diverged", (True, False): "ahead", (False, True): "behind", (False, False): "identical"}
    return {
        "url": f"{url}/compare/{basehead}",
        "html_url": f"{web}/compare/{basehead}",
        "permalink_url": f"{web}/compare/{basehead}",
        "diff_url": f"{web}/compare/{basehead}.diff",
        "patch_url": f"{web}/compare/{basehead}.patch",
        "base_commit": commit_view(world, repo, base),
        "merge_base_commit": commit_view(world, repo, fork_point),
        "status": words[bool(ahead), bool(behind)],
        "ahead_by": len(ahead),
        "behind_by": len(behind),
        "total_commits": len(ahead),
        "commits": [commit_view(world, repo, commit) for commit in ahead],
        "files": [
            diff_view(world, repo, head, path, fork_point.files) for path in changed(fork_point.files, head.files)
        ],
    }


def changed(before: Files, after: Files) -> list[str]:
    return sorted(path for path in {*before, *after} if before.get(path) != after.get(path))


def diff_view(world: World, repo: Repo, head: Commit, path: str, before: Files) -> Json:
    old, new = before.get(path), head.files.get(path)
    added, removed = _lines(new) - _lines(old), _lines(old) - _lines(new)
    place = f"{head.sha}/{quote(path)}"
    entry = new or old
    return {
        "sha": entry.sha if entry else None,
        "filename": path,
        "status": "removed" if new is None else "added" if old is None else "modified",
        "additions": len(added),
        "deletions": len(removed),
        "changes": len(added) + len(removed),
        "blob_url": f"{web_url(world, repo)}/blob/{place}",
        "raw_url": f"{web_url(world, repo)}/raw/{place}",
        "contents_url": f"{api_url(world, repo)}/contents/{quote(path)}?ref={head.sha}",
    }


def file_view(world: World, repo: Repo, ref: str, path: str, entry: Entry) -> Json:
    item = TreeItem(path, entry.mode, entry.sha, len(entry.data))
    content = base64.encodebytes(entry.data).decode()
    return entry_view(world, repo, ref, "", item) | {"type": "file", "content": content, "encoding": "base64"}


def entry_view(world: World, repo: Repo, ref: str, folder: str, item: TreeItem) -> Json:
    """One row of a folder's list; `item.path` is relative to the folder."""
    path = f"{folder}/{item.path}" if folder else item.path
    kind = {"blob": "file", "tree": "dir", "commit": "submodule"}[item.mode.kind]
    url = f"{api_url(world, repo)}/contents/{quote(path)}?ref={quote(ref)}"
    web = f"{web_url(world, repo)}/{item.mode.kind}/{quote(ref)}/{quote(path)}"
    git = f"{api_url(world, repo)}/git/{item.mode.kind}s/{item.sha}"
    return {
        "name": path.rpartition("/")[2],
        "path": path,
        "sha": item.sha,
        "size": item.size or 0,
        "url": url,
        "html_url": web,
        "git_url": git,
        "download_url": web.replace("/blob/", "/raw/") if kind == "file" else None,
        "type": "symlink" if item.mode is Mode.LINK else kind,
        "_links": {"self": url, "git": git, "html": web},
    }


def _lines(entry: Entry | None) -> set[bytes]:
    return set(entry.data.splitlines()) if entry else set()


def patch_view(head: Commit, path: str, before: Files) -> Json:
    """The hunks of a change, where both sides are text."""
    try:
        old, new = (entry.data.decode() if entry else "" for entry in (before.get(path), head.files.get(path)))
    except UnicodeDecodeError:
        return {}
    hunks = list(unified_diff(old.splitlines(), new.splitlines(), lineterm=""))[2:]  # without the names
    return {"patch": "\n".join(hunks)}
