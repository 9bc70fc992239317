"""Check 10: the pinned image runs as shipped, or a waiver that is filed with the change says why not."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from gatekit.engines.registry import ENGINES
from gatekit.signoff.change.change import Change
from gatekit.signoff.change.scripts import live_lines
from gatekit.signoff.checks.check import CONDITIONAL, Check, CheckFinding, Evidence, Outcome, known
from gatekit.signoff.checks.facts import Facts
from gatekit.signoff.evidence.upstream import links


class Strength(StrEnum):
    STRONG = "strong"  # changes installed sources
    WEAK = "weak"  # may, or may not


@dataclass(frozen=True, slots=True)
class Sign:
    strength: Strength
    what: str
    where: str  # path:line
    line: str


_OWN = [re.escape(name).replace(r"\-", "[-_]") for engine in ENGINES.engines for name in engine.footprint.packages]
_ENGINES = rf"(?:{'|'.join(_OWN)}|aiter|flashinfer|deep[-_]?gemm|deep[-_]?ep|nixl)"  # and what they compute with
_WORKSPACES = "|".join(re.escape(name) for engine in ENGINES.engines for name in engine.footprint.workspaces)
_PACKAGES = "site-packages"
_ENV = re.compile(r"\s*[A-Z][A-Z0-9_]*\s*:")  # a recipe's environment may name a folder in there, and changes nothing
_SIGNS = (
    (Strength.STRONG, "git apply", re.compile(r"\bgit\s+(?:-C\s+\S+\s+)?(?:apply|am|cherry-pick)\b")),
    (Strength.STRONG, "patch", re.compile(r"(?:^|[;&|(\s])patch\s+(?:-\S+\s+)*(?:-p\d|--strip|-i\b|<)")),
    (Strength.STRONG, "sed -i", re.compile(r"\bsed\s+(?:-\S+\s+)*(?:-i|--in-place|-[a-zA-Z]*i[a-zA-Z]*)\b")),
    (Strength.STRONG, "an installed module is looked up", re.compile(r"\bfind_spec\b")),
    (
        Strength.STRONG,
        "an engine is installed",
        re.compile(rf"\b(?:uv\s+)?pip3?\s+install\b.*(?:\b{_ENGINES}\b|git\+https?://|\.whl\b)", re.IGNORECASE),
    ),
    (Strength.WEAK, "Python from a script", re.compile(r"\bpython3?\s+-\s*(?:<<|$)|\bpython3?\s+-c\b")),
    (Strength.WEAK, _PACKAGES, re.compile(r"\b(?:site|dist)-packages\b")),
    (Strength.WEAK, "the engine's workspace", re.compile(rf"/(?:{_WORKSPACES})\b")),
    (Strength.WEAK, "sitecustomize", re.compile(r"\bsitecustomize\b")),
    (Strength.WEAK, "LD_PRELOAD", re.compile(r"\bLD_PRELOAD\s*[=:]")),
    (Strength.WEAK, "PYTHONPATH", re.compile(r"\bPYTHONPATH\s*[=:]")),
)
LONGEST = 5_000  # signs of a line that is read; a longer one is for a person
PATCH_FILES = (".patch", ".diff")


def signs(path: str, data: bytes) -> Iterator[Sign]:
    """At most one sign for each line, the strongest. A patch file is one by itself."""
    if path.endswith(PATCH_FILES):
        yield Sign(Strength.STRONG, "a patch file", path, path.rsplit("/", 1)[-1])
        return
    for number, line in live_lines(data):
        if len(line) > LONGEST:
            yield Sign(Strength.WEAK, "a very long line", f"{path}:{number}", line[:LONGEST])
            continue
        for strength, what, form in _SIGNS:
            if form.search(line) and not (what == _PACKAGES and _ENV.match(line)):
                yield Sign(strength, what, f"{path}:{number}", line.strip())
                break


_PARTS = (
    ("what is patched", re.compile(r"\bwhat\b|\bpatch(?:es|ed)?\b|\bchange[sd]?\b", re.I)),
    (
        "why the image cannot run it unpatched",
        re.compile(r"\bwhy\b|\breason\b|\bbecause\b|\bcannot\b|\bmotivation\b", re.I),
    ),
    ("when it is removed", re.compile(r"\bremov(?:al|ed?|e)\b|\bdrop(?:ped)?\b|\bexpir\w*|\buntil\b", re.I)),
)
_UPSTREAM = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+/(?:pull|issues)/\d+")
_PLACEHOLDER = re.compile(r"\bTODO\b|\bTBD\b|\bXXX+\b|<(?=[^<>\n]*>)[^<>\n]*(?:fill|your|here|number)|FILL_IN\w*", re.I)


def lacking(page: str) -> tuple[str, ...]:
    """What the page does not say; whether what it says is good is for a person."""
    missing = [what for what, words in _PARTS if not words.search(page)]
    if not any(_UPSTREAM.match(link.url) for link in links(page)):
        missing.append("a link to an upstream pull request or issue")
    if _PLACEHOLDER.search(page):
        missing.append("something in place of a placeholder")
    return tuple(missing)


_DATA = (".json", ".md")


def decide(facts: Facts) -> CheckFinding:
    change = known(facts.change)
    if not change.affected and not change.shared:
        return CheckFinding(Outcome.NOT_APPLICABLE, "nothing that serves or measures is changed")
    found = tuple(dict.fromkeys(_signs(change)))
    strong = [each for each in found if each.strength is Strength.STRONG]
    evidence = tuple(Evidence(each.what, each.where, each.line) for each in dict.fromkeys((*strong, *found)))
    if strong:
        return _patched(strong, evidence, facts, change)
    unread = [sentence for each in change.effective.values() for sentence in each.unread]
    if found:
        return CheckFinding(
            Outcome.UNDECIDED, f"look whether {found[0].where} changes the engine ({found[0].what})", evidence
        )
    if unread:
        return CheckFinding(Outcome.UNDECIDED, f"{unread[0]}; look whether it changes the engine", evidence)
    return CheckFinding(Outcome.PASS, "nothing that is started changes the engine", _read(change))


def _signs(change: Change) -> Iterator[Sign]:
    """In what affected configs start from, changed or not; in helpers what changed, or changes installed sources."""
    files, changed = change.tree.snapshot.files, change.both.changed
    own = [path for each in change.effective.values() for path in each.files]
    new = [path for path in sorted(changed) if path in files and (path in change.shared or path.endswith(PATCH_FILES))]
    for path in (*own, *new):
        if not path.endswith(_DATA):
            yield from signs(path, files[path])
    for path in (path for each in change.effective.values() for path in each.helpers):
        yield from (sign for sign in signs(path, files[path]) if sign.strength is Strength.STRONG or path in changed)


def _read(change: Change) -> tuple[Evidence, ...]:
    paths = dict.fromkeys(path for each in change.effective.values() for path in (*each.files, *each.helpers))
    return tuple(Evidence("read", path) for path in paths)


def _patched(strong: Sequence[Sign], evidence: tuple[Evidence, ...], facts: Facts, change: Change) -> CheckFinding:
    """Without a waiver it fails. With one, whether it is good enough, and granted, is for a person."""
    folder = change.tree.layout.waivers
    own = f"{folder}/{facts.pr.number}.md"
    linked = [link.url for link in links(facts.sign_off.body.text)]
    where = f"{strong[0].where} changes the engine ({strong[0].what})"
    page = change.tree.snapshot.files.get(own)
    earlier = _earlier(linked, folder, change)
    if page is None and earlier is None:
        return CheckFinding(Outcome.FAIL, f"{where}, and there is no waiver {own}", evidence)
    path = own if page is not None else str(earlier)
    missing = lacking(change.tree.snapshot.files[path].decode(errors="replace"))
    note = (Evidence("waiver", path), *evidence)
    if missing:
        return CheckFinding(Outcome.FAIL, f"{where}, and the waiver {path} lacks {', '.join(missing)}", note)
    if not any(_names(url, path) for url in linked) and path not in facts.sign_off.body.text:
        return CheckFinding(Outcome.FAIL, f"{where}, and the sign-off does not link the waiver {path}", note)
    return CheckFinding(
        Outcome.UNDECIDED, f"{where}; look whether the waiver {path} is good enough, and approved", note
    )


def _earlier(linked: Sequence[str], folder: str, change: Change) -> str | None:
    """A waiver of an earlier pull request that the sign-off links and the repository already has."""
    before = None if change.both.before is None else change.both.before.snapshot.files
    for path in before or ():
        if re.fullmatch(rf"{re.escape(folder)}/\d+\.md", path) and any(_names(url, path) for url in linked):
            return path if path in change.tree.snapshot.files else None
    return None


def _names(url: str, path: str) -> bool:
    return url.partition("#")[0].partition("?")[0].endswith(f"/{path}")


CHECK = Check(10, "no engine patches without waiver", CONDITIONAL, decide)
