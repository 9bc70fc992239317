"""What our program on a login node found out for `gatekit doctor`, as values. Nothing is judged here."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

TOO_LATE = 124  # the status of a command that did not end in time
_NOTHING = "-"


@dataclass(frozen=True, slots=True)
class ProbeOutput:
    """What a command said, and the status with which it ended."""

    status: int
    text: str

    @property
    def well(self) -> bool:
        return self.status == 0


@dataclass(frozen=True, slots=True)
class Program:
    """`path` is None where it is not there. `system`: the kind of its file system, e.g. `nfs`."""

    system: str
    path: str | None
    real: str = ""  # the path behind all links
    aiperf: frozenset[str] = frozenset()  # versions that are installed beside it


@dataclass(frozen=True, slots=True)
class File:
    system: str
    sha256: str | None  # None: it is no plain file, or cannot be read


@dataclass(frozen=True, slots=True)
class Folder:
    system: str
    there: bool  # and may be read
    holds: tuple[str, ...] = ()  # names that speak of a tokenizer


@dataclass(frozen=True, slots=True)
class Root:
    """Our folder. `space` in KiB; `oldest`: when its oldest run folder was touched last, seconds since 1970."""

    writable: frozenset[str]
    space: int | None
    inodes: int | None
    system: str
    runs: int
    oldest: int


@dataclass(frozen=True, slots=True)
class Checked:
    clocks: tuple[float, ...]  # at the beginning and at the end, seconds since 1970
    user: str
    lacks: tuple[str, ...]  # programs that we need
    root: Root
    containers: str  # what srun can start them with; empty: with nothing
    said: Mapping[str, ProbeOutput] = field(default_factory=dict)
    programs: Mapping[str, Program] = field(default_factory=dict)
    files: Mapping[str, File] = field(default_factory=dict)
    folders: Mapping[str, Folder] = field(default_factory=dict)


def parse_check(lines: Iterable[str]) -> Checked:
    """Of the lines between the marks. Those that have no form that we know are left out."""
    rows: dict[str, list[list[str]]] = {}
    said: dict[str, ProbeOutput] = {}
    last = ""
    for line in lines:
        word, _, rest = line.partition(" ")
        if word == ">" and last:
            said[last] = ProbeOutput(said[last].status, f"{said[last].text}{rest}\n")
        elif word == "said":
            last, _, status = rest.partition(" ")
            said[last] = ProbeOutput(int(status) if status.isdigit() else TOO_LATE, "")
        else:
            rows.setdefault(word, []).append(rest.split(" ", 2))
    return Checked(
        clocks=tuple(float(row[0]) for row in rows.get("clock", ()) if _is_number(row[0])),
        user=_one(rows, "user"),
        lacks=tuple(row[0] for row in rows.get("lacks", ())),
        root=_root(rows),
        containers=_one(rows, "containers"),
        said=said,
        programs=_programs(rows),
        files={row[0]: File(row[1], _known(row[2])) for row in rows.get("file", ()) if len(row) == 3},
        folders=_folders(rows),
    )


Rows = Mapping[str, list[list[str]]]


def _root(rows: Rows) -> Root:
    runs = next(iter(rows.get("runs", ())), ["0", "0"])
    count, oldest = (int(cell) if cell.isdigit() else 0 for cell in (*runs, "0")[:2])
    space, inodes = (_one(rows, word) for word in ("space", "inodes"))
    return Root(
        writable=frozenset(" ".join(row) for row in rows.get("writable", ())),
        space=int(space) if space.isdigit() else None,
        inodes=int(inodes) if inodes.isdigit() else None,
        system=_one(rows, "system"),
        runs=count,
        oldest=oldest,
    )


def _programs(rows: Rows) -> Mapping[str, Program]:
    real = {row[0]: " ".join(row[1:]) for row in rows.get("real", ())}
    beside = [(row[0], row[1].removeprefix("aiperf-")) for row in rows.get("aiperf", ()) if len(row) == 2]
    return {
        row[0]: Program(
            system=row[1],
            path=_known(row[2]),
            real=real.get(row[0], ""),
            aiperf=frozenset(version for label, version in beside if label == row[0]),
        )
        for row in rows.get("program", ())
        if len(row) == 3
    }


def _folders(rows: Rows) -> Mapping[str, Folder]:
    held = [(row[0], " ".join(row[1:])) for row in rows.get("holds", ())]
    return {
        row[0]: Folder(row[1], row[2] == "yes", tuple(name for label, name in held if label == row[0]))
        for row in rows.get("folder", ())
        if len(row) == 3
    }


def _one(rows: Rows, word: str) -> str:
    found = rows.get(word)
    return found[0][0] if found else ""


def _known(text: str) -> str | None:
    return None if text == _NOTHING else text


def _is_number(text: str) -> bool:
    return text.isascii() and text.replace(".", "", 1).isdigit()
