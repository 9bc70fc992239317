"""What no linter knows of this house: sizes, registry addresses, machine paths, and docs that lag behind the code.

usage: scripts/house_check.py        prints each breach as path:line, exit status 1 where there is one
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("bot/", "handlers/", "gatekit/")
FILE_LINES, FUNCTION_LINES, PARAMETERS = 400, 50, 5
# spelled in pieces, so that this file does not breach its own rule
REGISTRIES = re.compile(
    "|".join(["pythonhost" + "ed[.]", "(^|[^.a-z])py" + "pi[.]org", "registry[.]npm" + "js", "deb[.]deb" + "ian[.]org"])
)
MACHINE_PATHS = re.compile(r"(^|[^A-Za-z0-9_.])/(wo" + "rk|fa" + "rm)/")
LINK = re.compile(r"\[[^\]]*\]\((?!https?:|#|mailto:)([^)#\s]+)")


def tracked() -> list[Path]:
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def sizes(path: Path, text: str) -> Iterator[str]:
    name = path.relative_to(ROOT).as_posix()
    limit = FILE_LINES
    if text.count("\n") > limit:
        yield f"{name}:1: {text.count(chr(10))} lines, at most {limit}: split it"
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        lines = (node.end_lineno or node.lineno) - node.lineno + 1
        if lines > FUNCTION_LINES:
            yield f"{name}:{node.lineno}: {node.name} has {lines} lines, at most {FUNCTION_LINES}"
        names = [
            a.arg for a in node.args.posonlyargs + node.args.args + node.args.kwonlyargs if a.arg not in ("self", "cls")
        ]
        if len(names) > PARAMETERS and name.startswith(ROOMS):
            yield f"{name}:{node.lineno}: {node.name} takes {len(names)} parameters, at most {PARAMETERS}"


def words(path: Path, text: str) -> Iterator[str]:
    name = path.relative_to(ROOT).as_posix()
    for number, line in enumerate(text.split("\n"), 1):
        if REGISTRIES.search(line):
            yield f"{name}:{number}: a registry address"
        if MACHINE_PATHS.search(line):
            yield f"{name}:{number}: a path of one machine"


def links(path: Path, text: str) -> Iterator[str]:
    name = path.relative_to(ROOT).as_posix()
    for number, line in enumerate(text.split("\n"), 1):
        for target in LINK.findall(line):
            if not (path.parent / target).exists():
                yield f"{name}:{number}: the link to {target} leads nowhere"


def docs() -> Iterator[str]:
    """Every command, and every operator setting, stands in the docs."""
    shown = "\n".join(path.read_text() for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))])
    for command in sorted((ROOT / "bot/cli").glob("*.py")):
        for name in re.findall(r'\b(?:add_parser|Command)\(\s*"([a-z-]+)"', command.read_text()):
            if not re.search(rf"\b{re.escape(name)}\b", shown):
                yield f"{command.relative_to(ROOT)}: the command {name} is in no document"
    for field in re.findall(r"^    ([a-z_]+): ", (ROOT / "bot/settings.py").read_text(), re.M):
        if f"GATEKIT_{field.upper()}" not in shown:
            yield f"bot/settings.py: GATEKIT_{field.upper()} is in no document"


def breaches() -> Iterator[str]:
    for path in tracked():
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        generated = "tests/data" in path.as_posix()
        if path.suffix == ".py":
            yield from sizes(path, text)
        if path.suffix == ".md":
            yield from links(path, text)
        if not generated:
            yield from words(path, text)
    yield from docs()


def main() -> int:
    found = list(breaches())
    print("\n".join(found) or "house check: fine")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
