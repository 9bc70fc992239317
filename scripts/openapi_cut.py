"""Cuts the operations that we use out of GitHub's own OpenAPI description (npm: @octokit/openapi, MIT).

Fetches the pinned package with npm into a temporary folder and writes tests/data/openapi/.
usage: python scripts/openapi_cut.py, with the bot's environment
"""

import json
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bot.demo.github.routes import ROUTES

PACKAGE = "@octokit/openapi@23.0.2"
DESCRIPTION = "package/generated/api.github.com.json"
LICENSE = "package/LICENSE"
TARGET = Path(__file__).parent.parent / "tests" / "data" / "openapi"
PROSE = {"description", "summary", "example", "examples", "externalDocs", "title", "x-github", "x-octokit", "tags"}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        packed = subprocess.run(
            ["npm", "pack", "--silent", PACKAGE], cwd=folder, check=True, capture_output=True, text=True
        )
        with tarfile.open(Path(folder) / packed.stdout.split()[-1]) as tar:
            description = json.loads(read(tar, DESCRIPTION))
            license_text = read(tar, LICENSE).decode()
    wanted = {(route.method, route.template) for route in ROUTES}
    TARGET.mkdir(parents=True, exist_ok=True)
    text = json.dumps(cut(description, wanted), indent=1, sort_keys=True)
    (TARGET / "github.json").write_text(text + "\n")
    note = f"github.json is cut out of {PACKAGE} (generated/api.github.com.json) by scripts/openapi_cut.py.\n\n"
    (TARGET / "LICENSE").write_text(note + license_text)


def read(tar: tarfile.TarFile, name: str) -> bytes:
    file = tar.extractfile(name)
    if file is None:
        raise SystemExit(f"{PACKAGE} has no {name}")
    return file.read()


def cut(description: dict[str, Any], wanted: set[tuple[str, str]]) -> dict[str, Any]:
    """The operations, without prose, and every component that they need."""
    paths: dict[str, Any] = {}
    for method, template in sorted(wanted):
        operation = description["paths"][template][method.lower()]
        paths.setdefault(template, {})[method.lower()] = bare(operation)
    components: dict[str, dict[str, Any]] = {}
    waiting = sorted(references(paths))
    while waiting:
        _, _, kind, name = waiting.pop().split("/")
        if name not in components.setdefault(kind, {}):
            components[kind][name] = bare(description["components"][kind][name])
            waiting += sorted(references(components[kind][name]))
    return {"openapi": description["openapi"], "info": {"version": PACKAGE}, "paths": paths, "components": components}


def bare(node: Any, *, names: bool = False) -> Any:
    """Without prose. `names`: the keys of this mapping are names that somebody chose, not words of the format."""
    if isinstance(node, Mapping):
        kept = {key: value for key, value in node.items() if names or key not in PROSE}
        return {
            key: bare(value, names=not names and key in ("properties", "responses", "content"))
            for key, value in kept.items()
        }
    return [bare(item) for item in node] if isinstance(node, list) else node


def references(node: Any) -> set[str]:
    if isinstance(node, Mapping):
        own = {node["$ref"]} if isinstance(node.get("$ref"), str) else set()
        return own.union(*(references(value) for value in node.values()))
    return set[str]().union(*(references(item) for item in node)) if isinstance(node, list) else set()


if __name__ == "__main__":
    main()
