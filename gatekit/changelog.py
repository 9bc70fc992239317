"""The changelog of a benchmark repository: which config keys does a pull request ask to run."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from gatekit.documents import Document, read_yaml
from gatekit.fields import Fields
from gatekit.patterns import matches
from gatekit.refusal import BadInput

ENTRY_START = b"- "
MOST_PATTERNS = 100  # that one change may add: each is held against every config key


class Scenario(StrEnum):
    FIXED_SEQ_LEN = "fixed-seq-len"
    AGENTIC_CODING = "agentic-coding"


@dataclass(frozen=True, slots=True)
class Entry:
    """One changelog entry. `config_keys` are keys or patterns with `*`; `scenarios` None: all of them."""

    where: str  # path:line of the entry
    config_keys: tuple[str, ...]
    description: tuple[str, ...]
    pr_link: str
    evals_only: bool = False
    all_evals: bool = False
    no_evals: bool = False
    append_only: bool = False
    eval_min_prefill_ep: int | None = None
    scenarios: frozenset[Scenario] | None = None

    @property
    def gates(self) -> bool:
        """Whether the entry asks for AgentX throughput: that is what a gate belongs to."""
        agentic = self.scenarios is None or Scenario.AGENTIC_CODING in self.scenarios
        return agentic and not self.evals_only and not self.all_evals


def new_entries(base: bytes | None, head: bytes, path: str) -> tuple[Entry, ...]:
    """The entries that `head` adds behind the end of `base`; base None: the file is new.

    Only the added bytes are parsed. `path` is for messages. Raises BadInput where anything in front of them changed, or
    an added entry is not of the schema.
    """
    history = base or b""
    added = _added(history, head, path)
    first_line = history.count(b"\n") + 1
    if not added.strip():
        return ()
    document = read_yaml(path, added, first_line=first_line)
    if document.data is None:
        return ()
    if not isinstance(document.data, list):
        raise BadInput(
            f"{path}:{first_line}", "adds what is no list of entries; start each entry with `- config-keys:`"
        )
    _refuse_indent(added, path, first_line)
    return tuple(_entry(document, position, value) for position, value in enumerate(document.data))


def selected_keys(entries: Collection[Entry], known_keys: Collection[str]) -> frozenset[str]:
    """The config keys that the entries give to gating. Every key and pattern must name one of `known_keys`.

    Entries that run evals only, or leave the AgentX scenario out, have nothing to gate. Raises BadInput.
    """
    known = frozenset(known_keys)
    patterns = [(entry, name) for entry in entries for name in entry.config_keys if "*" in name]
    if len(patterns) > MOST_PATTERNS:
        where = patterns[MOST_PATTERNS][0].where
        raise BadInput(where, f"brings the patterns with `*` to more than {MOST_PATTERNS}; write fewer of them")
    selected: set[str] = set()
    for entry in entries:
        for name in entry.config_keys:
            keys = {key for key in known if matches(name, key)} if "*" in name else known & {name}
            if not keys:
                what = "pattern matches no config key" if "*" in name else "config key is in no master config"
                raise BadInput(entry.where, f"names `{name}`, but the {what}; correct it or add the config")
            if entry.gates:
                selected |= keys
    return frozenset(selected)


def _added(history: bytes, head: bytes, path: str) -> bytes:
    """What stands behind the history, which must be untouched up to the end of its last line."""
    if not head.startswith(history):
        same = _common_length(history, head)
        line = history.count(b"\n", 0, same) + 1
        raise BadInput(f"{path}:{line}", "changes what stood there before; restore it and add new entries at the end")
    added = head[len(history) :]
    if history and added and not history.endswith(b"\n") and not added.startswith(b"\n"):
        line = history.count(b"\n") + 1
        raise BadInput(f"{path}:{line}", "changes what was the last line; restore it and start a new line behind it")
    return added


def _common_length(left: bytes, right: bytes) -> int:
    """How many bytes two texts share from the start."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[:middle] == right[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _refuse_indent(added: bytes, path: str, first_line: int) -> None:
    """An indented list would belong to the last entry of the history."""
    for number, line in enumerate(added.split(b"\n"), first_line):
        if line.strip() and not line.lstrip().startswith(b"#"):
            if not line.startswith(ENTRY_START):
                raise BadInput(f"{path}:{number}", "must start with `- config-keys:` at the left edge; move it there")
            return


def _entry(document: Document, position: int, value: object) -> Entry:
    if not isinstance(value, dict):
        raise BadInput(document.where(position), "is no entry; start each entry with `- config-keys:`")
    fields = Fields(document, (position,), value)
    fields.refuse_others(
        *("config-keys", "description", "pr-link", "evals-only", "all-evals", "no-evals", "append-only"),
        *("eval-min-prefill-ep", "scenario-type"),
    )
    entry = Entry(
        where=fields.where,
        config_keys=_some(fields, "config-keys", fields.texts("config-keys")),
        description=_some(fields, "description", fields.prose("description")),
        pr_link=fields.text("pr-link"),
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
