"""`gatekit owners`: who owns a path, and which line of CODEOWNERS says so."""

import argparse
import json
import sys
from pathlib import Path

from bot.files import bytes_of
from gatekit.domain.errors import BadInput
from gatekit.domain.text import is_inside
from gatekit.signoff.codeowners import Codeowners, Rule, parse_codeowners

FILE = "file"  # the key beside the paths in the JSON


def register(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Reads a CODEOWNERS file as GitHub does: the last line that matches decides alone. Lines that are "
        "not valid are skipped, and listed with why."
    )
    parser.add_argument("--codeowners", type=Path, required=True, metavar="FILE", help="e.g. .github/CODEOWNERS")
    parser.add_argument("paths", nargs="+", metavar="PATH", help="from the repository's root, e.g. docs/a.md")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """0 done, whether a path has owners or not. Raises BadInput where the file, or a path, cannot be used."""
    owners = parse_codeowners(bytes_of(args.codeowners, "a CODEOWNERS file"), str(args.codeowners))
    rules = {path: owners.rule_of(_inside(path)) for path in args.paths}
    if args.json:
        print(json.dumps(_object(rules, owners), indent=1, ensure_ascii=False))
        return 0
    for invalid in owners.invalid:
        print(f"{args.codeowners}:{invalid.line}: skipped, {invalid.text}: {invalid.why}", file=sys.stderr)
    for path, rule in rules.items():
        print(_line(path, rule))
    return 0


def _inside(path: str) -> str:
    """The path as CODEOWNERS has it: `./` in front is left out. Raises BadInput."""
    plain = path.removeprefix("./")
    if not is_inside(plain):
        raise BadInput(path, "is no path of a file from the repository's root; write it like docs/a.md")
    if path == FILE:
        raise BadInput(path, f"is the name under which the file's own lines are reported; write ./{FILE}")
    return plain


def _object(rules: dict[str, Rule | None], owners: Codeowners) -> dict[str, object]:
    found: dict[str, object] = {
        path: {"owners": [owner.text for owner in rule.owners] if rule else [], "line": rule.line if rule else None}
        for path, rule in rules.items()
    }
    found[FILE] = {
        "invalid_lines": [{"line": each.line, "text": each.text, "why": each.why} for each in owners.invalid]
    }
    return found


def _line(path: str, rule: Rule | None) -> str:
    if rule is None:
        return f"{path}  nobody (no line matches)"
    names = " ".join(owner.text for owner in rule.owners) or "nobody"
    return f"{path}  {names}  (line {rule.line}: {rule.pattern.text})"
