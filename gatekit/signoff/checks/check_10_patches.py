"""Check 10: the pinned image runs as shipped, or a waiver that is filed with the change says why not."""

import re
from collections.abc import Iterator, Sequence

from gatekit.signoff.change.change import Change
from gatekit.signoff.checks.check import CONDITIONAL, Check
from gatekit.signoff.checks.facts import Facts
from gatekit.signoff.checks.outcome import Evidence, Finding, Outcome, known
from gatekit.signoff.checks.patch_signs import PATCH_FILES, Sign, Strength, signs
from gatekit.signoff.checks.waiver import lacking
from gatekit.signoff.evidence.links import links

_DATA = (".json", ".md")


def decide(facts: Facts) -> Finding:
    change = known(facts.change)
    if not change.affected and not change.shared:
        return Finding(Outcome.NOT_APPLICABLE, "nothing that serves or measures is changed")
    found = tuple(dict.fromkeys(_signs(change)))
    strong = [each for each in found if each.strength is Strength.STRONG]
    evidence = tuple(Evidence(each.what, each.where, each.line) for each in dict.fromkeys((*strong, *found)))
    if strong:
        return _patched(strong, evidence, facts, change)
    unread = [sentence for each in change.effective.values() for sentence in each.unread]
    if found:
        return Finding(
            Outcome.UNDECIDED, f"look whether {found[0].where} changes the engine ({found[0].what})", evidence
        )
    if unread:
        return Finding(Outcome.UNDECIDED, f"{unread[0]}; look whether it changes the engine", evidence)
    return Finding(Outcome.PASS, "nothing that is started changes the engine", _read(change))


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


def _patched(strong: Sequence[Sign], evidence: tuple[Evidence, ...], facts: Facts, change: Change) -> Finding:
    """Without a waiver it fails. With one, whether it is good enough, and granted, is for a person."""
    folder = change.tree.layout.waivers
    own = f"{folder}/{facts.pr.number}.md"
    linked = [link.url for link in links(facts.sign_off.body)]
    where = f"{strong[0].where} changes the engine ({strong[0].what})"
    page = change.tree.snapshot.files.get(own)
    earlier = _earlier(linked, folder, change)
    if page is None and earlier is None:
        return Finding(Outcome.FAIL, f"{where}, and there is no waiver {own}", evidence)
    path = own if page is not None else str(earlier)
    missing = lacking(change.tree.snapshot.files[path].decode(errors="replace"))
    note = (Evidence("waiver", path), *evidence)
    if missing:
        return Finding(Outcome.FAIL, f"{where}, and the waiver {path} lacks {', '.join(missing)}", note)
    if not any(_names(url, path) for url in linked) and path not in facts.sign_off.body:
        return Finding(Outcome.FAIL, f"{where}, and the sign-off does not link the waiver {path}", note)
    return Finding(Outcome.UNDECIDED, f"{where}; look whether the waiver {path} is good enough, and approved", note)


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
