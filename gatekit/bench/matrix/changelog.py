"""The changelog of a benchmark repository: which entries does a pull request add, and which one each names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from gatekit.domain.errors import BadInput, refuse_all
from gatekit.domain.ids import PrRef
from gatekit.domain.text import common_length, first_change
from gatekit.formats.fields import Fields
from gatekit.formats.yaml_document import Document, read_yaml

_LINE = re.compile(rb"  pr-link: *(\S+)")
_OF_A_PULL = re.compile(r"https://[^/\s]+/(?P<repo>[^/\s]+/[^/\s]+)/pull/(?:(?P<number>[1-9][0-9]*)|X{3,})")


def corrects_links(old: bytes, new: bytes) -> bool:
    """Whether links of entries are all that differs, and each of them became the address of a pull request."""
    return only_links_differ(old, new) and all(is_pull(link) for _, link in changed_links(old, new))


def only_links_differ(old: bytes, new: bytes) -> bool:
    """Whether texts that are not the same differ in nothing but links."""
    if old.count(b"\n") != new.count(b"\n") or new.startswith(old):
        return False
    return all(
        _LINE.fullmatch(before) and _LINE.fullmatch(after)
        for before, after in zip(old.split(b"\n"), new.split(b"\n"), strict=True)
        if before != after
    )


def changed_links(old: bytes, new: bytes) -> tuple[tuple[int, str], ...]:
    """Line and new value of each link that differs, line by line."""
    pairs = enumerate(zip(old.split(b"\n"), new.split(b"\n"), strict=False), 1)
    found = ((number, _LINE.fullmatch(after)) for number, (before, after) in pairs if before != after)
    return tuple((number, link[1].decode(errors="replace")) for number, link in found if link)


def names_pull(link: str, pull: PrRef | None) -> bool:
    """Whether a link is the address of this pull request (None: of any), perhaps with a placeholder for its number."""
    found = _OF_A_PULL.fullmatch(link)
    if found is None or pull is None:
        return found is not None
    return found["repo"].lower() == str(pull.repo).lower() and found["number"] in (None, str(pull.number))


def is_pull(link: str) -> bool:
    """Whether a link is the address of a pull request, with its number."""
    found = _OF_A_PULL.fullmatch(link)
    return found is not None and found["number"] is not None


@dataclass(frozen=True, slots=True)
class Log:
    """The changelog before and after a change; before None: there was none."""

    path: str
    before: bytes | None
    now: bytes


class Scenario(StrEnum):
    FIXED_SEQ_LEN = "fixed-seq-len"
    AGENTIC_CODING = "agentic-coding"


@dataclass(frozen=True, slots=True)
class Name:
    """A config key, or a pattern with `*`, as an entry writes it."""

    text: str
    where: str  # path:line


@dataclass(frozen=True, slots=True)
class Entry:
    """One changelog entry. `scenarios` None: all of them."""

    where: str  # path:line of the entry
    names: tuple[Name, ...]
    description: tuple[str, ...]
    pr_link: Name
    evals_only: bool = False
    all_evals: bool = False
    no_evals: bool = False
    append_only: bool = False
    eval_min_prefill_ep: int | None = None
    scenarios: frozenset[Scenario] | None = None

    @property
    def gates(self) -> bool:
        """Whether the entry asks for AgentX throughput: that is what a gate belongs to."""
        return self.covers(Scenario.AGENTIC_CODING) and not self.evals_only and not self.all_evals

    def covers(self, scenario: Scenario) -> bool:
        return self.scenarios is None or scenario in self.scenarios


def new_entries(base: bytes | None, head: bytes, path: str) -> tuple[Entry, ...]:
    """The entries that `head` adds behind the end of `base`; base None: the file is new.

    Only the added bytes are parsed. A change that does nothing but correct links of earlier entries adds none. `path`
    is for messages. Raises BadInput where anything else in front of them changed, where the file does not end with a
    line break, and Violations for the first mistake of each added entry that is not of the schema.
    """
    history = base or b""
    if corrects_links(history, head):
        return ()
    added = _added(history, head, path)
    first_line = history.count(b"\n") + 1
    if not added.strip():
        return ()
    if not head.endswith(b"\n"):
        last = head.count(b"\n") + 1
        raise BadInput(f"{path}:{last}", "is not ended by a line break; add one at the end of the file")
    _refuse_indent(added, path, first_line)
    document = read_yaml(path, added, first_line=first_line)
    if document.data is None:
        return ()
    if not isinstance(document.data, list):
        raise BadInput(
            f"{path}:{first_line}", "adds what is no list of entries; start each entry with `- config-keys:`"
        )
    return _entries(document, document.data)


def _added(history: bytes, head: bytes, path: str) -> bytes:
    """What stands behind the history, which must be untouched up to the end of its last line."""
    if common_length(history, head) < len(history):
        line = first_change(history, head)
        raise BadInput(f"{path}:{line}", "changes what stood there before; restore it and add new entries at the end")
    added = head[len(history) :]
    if history and added and not history.endswith(b"\n") and not added.startswith(b"\n"):
        line = history.count(b"\n") + 1
        raise BadInput(f"{path}:{line}", "changes what was the last line; restore it and start a new line behind it")
    return added


def _refuse_indent(added: bytes, path: str, first_line: int) -> None:
    """What begins with white space would belong to the last entry of the history."""
    for number, line in enumerate(added.split(b"\n"), first_line):
        if line.strip() and not line.lstrip().startswith(b"#"):
            if line[:1].isspace() or line.startswith(b"---"):
                raise BadInput(f"{path}:{number}", "must start with `- config-keys:` at the left edge; move it there")
            return


def _entries(document: Document, values: list[object]) -> tuple[Entry, ...]:
    entries: list[Entry] = []

    def wrong() -> Iterator[BadInput]:
        for position, value in enumerate(values):
            try:
                entries.append(_entry(document, position, value))
            except BadInput as no:
                yield no

    refuse_all(wrong())
    return tuple(entries)


def _entry(document: Document, position: int, value: object) -> Entry:
    if not isinstance(value, dict):
        raise BadInput(document.where(position), "is no entry; start each entry with `- config-keys:`")
    fields = Fields(document, (position,), value)
    fields.refuse_others(
        *("config-keys", "description", "pr-link", "evals-only", "all-evals", "no-evals", "append-only"),
        *("eval-min-prefill-ep", "scenario-type"),
    )
    keys = _some(fields, "config-keys", fields.texts("config-keys"))
    entry = Entry(
        where=fields.where,
        names=tuple(Name(key, fields.at("config-keys", at)) for at, key in enumerate(keys)),
        description=_some(fields, "description", fields.prose("description")),
        pr_link=Name(fields.text("pr-link"), fields.at("pr-link")),
        evals_only=fields.flag("evals-only"),
        all_evals=fields.flag("all-evals"),
        no_evals=fields.flag("no-evals"),
        append_only=fields.flag("append-only"),
        eval_min_prefill_ep=fields.count("eval-min-prefill-ep"),
        scenarios=_scenarios(fields),
    )
    _refuse_mixture(fields, entry)
    return entry


def _some(fields: Fields, name: str, values: tuple[str, ...] | None) -> tuple[str, ...]:
    if not values:
        raise fields.bad(f"needs at least one line in the list `{name}`; add it", name)
    return values


def _scenarios(fields: Fields) -> frozenset[Scenario] | None:
    names = fields.texts("scenario-type")
    if names is None:
        return None
    if not names or any(name not in list(Scenario) for name in names):
        raise fields.bad(f"needs a list out of {', '.join(Scenario)} for `scenario-type`", "scenario-type")
    return frozenset(Scenario(name) for name in names)


def _refuse_mixture(fields: Fields, entry: Entry) -> None:
    chooses_evals = entry.evals_only or entry.all_evals or entry.eval_min_prefill_ep is not None
    for name, on in (("no-evals", entry.no_evals), ("append-only", entry.append_only)):
        if on and chooses_evals:
            raise fields.bad(
                f"puts `{name}` beside evals-only, all-evals or eval-min-prefill-ep; take one side out", name
            )
