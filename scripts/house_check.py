"""What no linter knows of this house: sizes, names, rooms, registry addresses, machine paths, docs that lag behind.

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
SHORT_LINES = 40  # what is shorter lives with its caller
SHORT = {  # but for those that have a reason
    "bot/__main__.py": "entry point",
    "bot/cli/db.py": "plug-in: one file per command",
    "bot/errors.py": "what the console script must know without loading the rooms that raise it",
    "bot/scheduler/context.py": "what all parts of the scheduler get, and none of them owns",
    "bot/scheduler/results.py": "fills a port",
    "gatekit/bench/repo/snapshot.py": "one word of the field",
    "gatekit/comments/slots.py": "the names of our comments, once",
    "gatekit/domain/audit.py": "one word of the field",
    "gatekit/domain/check_run.py": "one word of the field",
    "gatekit/domain/scrape.py": "one word of the field",
    "gatekit/engines/lmdeploy.py": "plug-in: one file per engine",
    "gatekit/engines/traits.py": "values that every engine's file fills",
    "gatekit/signoff/checks/check_04_reuse.py": "plug-in: one file per check",
    "gatekit/signoff/evidence/stored_draft.py": "a value that facts, rules and one check share",
    "handlers/errors.py": "what every port may raise",
    "handlers/reads.py": "what several handlers read, once",
    "handlers/show.py": "what every handler of a sweep ends with",
}
ENTRIES = 12  # of a folder, besides its __init__; a room that is one thing per entry may have more
MORE_ENTRIES = {"gatekit": 14, "handlers": 15}
MANY_ENTRIES = {
    "bot",
    "bot/demo",
    "bot/demo/github",
    "bot/cli",
    "bot/node",
    "bot/store",
    "bot/github",
    "gatekit/signoff/checks",
}
MIRRORS = ("bot/node/", "bot/demo/github/")  # they repeat the names of what they mirror: the node's values, GitHub's
# a module is a noun of the field; these words that look like participles are some
NOUNS = {"ending", "finding", "grouping", "matching", "rendering", "scheduling", "check_07_deprecated"}
KEPT_NAMES = ("bot/node/", "bot/demo/")
# rooms whose contract stands elsewhere: the node's bytes are part of every reuse key, the others are data and programs
SILENT = {"bot/node", "bot/demo/llama", "bot/demo/prompts", "bot/demo/github/routes"}
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


def names(path: Path) -> Iterator[str]:
    """A module is a noun; a file that is short has a reason."""
    name = path.relative_to(ROOT).as_posix()
    if not name.startswith(ROOMS) or path.stem == "__init__":
        return
    if (
        not name.startswith(KEPT_NAMES)
        and path.stem.endswith(("ing", "ings", "ed"))
        and path.stem not in NOUNS | {"settings"}
    ):
        yield f"{name}:1: {path.stem} is a participle: call the module by a noun of the field"
    if name.startswith(KEPT_NAMES):
        return
    short = path.read_text().count("\n") < SHORT_LINES
    if short and name not in SHORT:
        yield f"{name}:1: under {SHORT_LINES} lines: it lives with its caller, or has a reason in {Path(__file__).name}"
    if not short and name in SHORT:
        yield f"{name}:1: not short any more: take it out of SHORT"


def homonyms(paths: list[Path]) -> Iterator[str]:
    """A public class name exists once."""
    homes: dict[str, str] = {}
    for path in paths:
        name = path.relative_to(ROOT).as_posix()
        if path.suffix != ".py" or not name.startswith(ROOMS) or name.startswith(MIRRORS):
            continue
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                place = f"{name}:{node.lineno}"
                if homes.setdefault(node.name, place) != place:
                    yield f"{place}: the class {node.name} exists already, at {homes[node.name]}"


def rooms() -> Iterator[str]:
    """A folder can be seen at a glance, and says what lives there and what that may import."""
    for top in ROOMS:
        for init in sorted((ROOT / top).rglob("__init__.py")):
            folder = init.parent
            name = folder.relative_to(ROOT).as_posix()
            entries = [one for one in folder.iterdir() if one.name not in ("__init__.py", "__pycache__")]
            most = MORE_ENTRIES.get(name, ENTRIES)
            if len(entries) > most and name not in MANY_ENTRIES:
                yield f"{name}/: {len(entries)} entries, at most {most}: make rooms"
            said = ast.get_docstring(ast.parse(init.read_text())) or ""
            if name not in SILENT and not re.search(r"^(May import|Imports) ", said, re.MULTILINE):
                yield f"{name}/__init__.py:1: does not say what its room may import"


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
            yield from names(path)
        if path.suffix == ".md":
            yield from links(path, text)
        if not generated:
            yield from words(path, text)
    yield from homonyms(tracked())
    yield from rooms()
    yield from docs()


def main() -> int:
    found = list(breaches())
    print("\n".join(found) or "house check: fine")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
