"""Every rule of a changelog that planning can do without; a merge cannot."""

from collections.abc import Iterator
from dataclasses import dataclass

from gatekit.bench.matrix.changelog import (
    Entry,
    Log,
    changed_links,
    corrects_links,
    is_pull,
    names_pull,
    new_entries,
    only_links_differ,
)
from gatekit.domain.errors import BadInput, Violations
from gatekit.domain.ids import PrRef

START = b"- config-keys:"


@dataclass(frozen=True, slots=True)
class Added:
    """The lines that stand behind the history, the first with its number in the file."""

    lines: tuple[bytes, ...]  # without line breaks; the last one is empty where the file ends with one
    first: int
    behind: bool  # another entry stands before them

    @property
    def starts(self) -> tuple[int, ...]:
        """Positions of the lines with which entries begin."""
        return tuple(at for at, line in enumerate(self.lines) if line.startswith(b"- "))


def breaches(log: Log, pull: PrRef | None) -> tuple[BadInput, ...]:
    """Everything that is wrong with what a change does to the changelog; what planning refuses comes first.

    `pull`: the pull request that the links of its entries must name; None: any.
    """
    if log.before is not None and corrects_links(log.before, log.now):
        return ()
    found: list[BadInput] = list(_half_corrections(log))
    entries: tuple[Entry, ...] = ()
    try:
        entries = new_entries(log.before, log.now, log.path)
    except BadInput as no:
        found = found or [no]
    except Violations as no:
        found += no.each
    if not log.now.startswith(log.before or b""):
        return tuple(found)
    added = _added(log)
    found += _signs(log.path, added)
    found += _form(log.path, added)
    found += _links(entries, pull)
    if not added.starts:
        last = log.now.count(b"\n") + (not log.now.endswith(b"\n"))
        found.append(BadInput(f"{log.path}:{max(last, 1)}", "has no new entry; add one at the end of the file"))
    return tuple(found)


def _half_corrections(log: Log) -> Iterator[BadInput]:
    """Links that were changed, but not as they may be: alone, and to the address of a pull request."""
    before, now = log.before or b"", log.now
    count = before.count(b"\n")
    same_lines = b"".join(line + b"\n" for line in now.split(b"\n")[:count])
    if only_links_differ(before, now):
        for number, link in changed_links(before, now):
            if not is_pull(link):
                yield BadInput(
                    f"{log.path}:{number}",
                    f"corrects a link to `{link}`; write https://github.com/OWNER/NAME/pull/NUMBER, or restore it",
                )
    elif before and only_links_differ(before, same_lines):
        for number, _ in changed_links(before, same_lines):
            yield BadInput(
                f"{log.path}:{number}", "corrects a link of an earlier entry beside new ones; do it in another change"
            )


def _added(log: Log) -> Added:
    before = log.before or b""
    lines = log.now[len(before) :].split(b"\n")
    first = before.count(b"\n") + 1
    if before and not before.endswith(b"\n"):  # what comes first ends the history's last line
        lines, first = lines[1:], first + 1
    return Added(tuple(lines), first, bool(before.strip()))


def _signs(path: str, added: Added) -> Iterator[BadInput]:
    for number, line in enumerate(added.lines, added.first):
        if b"\r" in line:
            yield BadInput(f"{path}:{number}", "holds a carriage return; end lines with a line feed alone")
        if b"\t" in line:
            yield BadInput(f"{path}:{number}", "holds a tab; use spaces")


def _form(path: str, added: Added) -> Iterator[BadInput]:
    """One empty line before each entry, which begins with its keys, and none at the end."""
    for at in added.starts:
        where = f"{path}:{added.first + at}"
        if not added.lines[at].startswith(START):
            yield BadInput(where, "starts an entry with another key; write `- config-keys:` first")
        needs = 1 if added.behind or at != added.starts[0] else 0
        if _blank(added.lines[:at]) != needs or (needs and added.lines[at - 1] != b""):
            yield BadInput(where, f"needs {'one empty line' if needs else 'nothing'} before it; leave exactly that")
    blank = _blank(added.lines[:-1])
    if blank and added.starts:
        yield BadInput(
            f"{path}:{added.first + len(added.lines) - 1 - blank}",
            "is an empty line at the end of the file; take it out",
        )


def _blank(lines: tuple[bytes, ...]) -> int:
    """How many lines at the end have nothing but white space."""
    count = 0
    for line in reversed(lines):
        if line.strip():
            break
        count += 1
    return count


def _links(entries: tuple[Entry, ...], pull: PrRef | None) -> Iterator[BadInput]:
    repo, number = ("OWNER/NAME", "NUMBER") if pull is None else (str(pull.repo), str(pull.number))
    for entry in entries:
        link = entry.pr_link
        if not names_pull(link.text, pull):
            yield BadInput(
                link.where,
                f"links to `{link.text}`; write https://github.com/{repo}/pull/{number}, or XXX for the number",
            )
