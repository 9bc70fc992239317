"""Asks the program on the login node, and reads its answers."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import takewhile

from bot.cluster.executor import ClusterUnreachable, Tidied
from bot.cluster.slurm.files import ClusterLayout
from bot.cluster.slurm.programs import Programs
from bot.cluster.ssh.client import CommandOutput, Ssh
from gatekit.cluster.slurm.states import AccountRow, QueueRow, parse_accounting, parse_queue
from gatekit.domain.ids import JobName
from gatekit.formats.redact import one_line

SUBMIT_SECONDS = 300.0  # a submission with a lost answer is looked up three times first
LOOK_SECONDS = 150.0
CANCEL_SECONDS = 300.0
TIDY_SECONDS = 600.0  # ten folders, each bounded

OK, USAGE, NOT_KNOWN, KEPT_OUT = 0, 64, 75, 126
_BEGIN, _END = "gatekit answer", "gatekit end"  # login shells may say things of their own before and after
_DOOR = re.compile(r"this key runs nothing but (?P<program>\S+) and file transfer")
CANCELLED, REFUSED = "cancelled", "refused"


@dataclass(frozen=True, slots=True)
class RunFolderSeen:
    """What lies in one run folder."""

    name: JobName
    recorded: int | None  # the job id that sbatch gave
    owner: str  # of the attempt: "12.0" job and restart, CANCELLED, REFUSED; empty: nobody yet
    asked: bool  # the bot asked for its end
    tried: bool  # sbatch was called
    result: bool
    end: bool
    busy: bool  # a submission is still under way
    node: str | None = None  # where the attempt began

    @property
    def job(self) -> int | None:
        """The job that runs the attempt; before one does, the job that sbatch spoke of."""
        number = self.owner.partition(".")[0]
        return int(number) if number.isdigit() else self.recorded

    @property
    def barred(self) -> bool:
        """No job can ever run it."""
        return self.owner in (CANCELLED, REFUSED)


@dataclass(frozen=True, slots=True)
class Look:
    """The queue first, then the folders: a job that ended between the two is seen by its result."""

    seen: tuple[RunFolderSeen, ...]
    queue: tuple[QueueRow, ...]


class KeyBarred(ClusterUnreachable):
    """The door of the key lets in another program than ours: that of an earlier version of the bot, mostly."""

    def __init__(self, program: str) -> None:
        super().__init__(
            f"the key of the bot runs {program} only, which is not the program of this version: run `gatekit cluster "
            "setup` and put its line in place of the old one in authorized_keys"
        )


class Remote:
    """Every method raises ClusterUnreachable where nothing is known."""

    def __init__(self, ssh: Ssh, programs: Programs, layout: ClusterLayout) -> None:
        self._ssh = ssh
        self._programs = programs
        self._layout = layout

    async def submit(self, name: JobName, script: bytes, words: Iterable[str]) -> str:
        """`submitted ID`, `barred` or `refused`. `words`: digest of the script, pause, options for sbatch."""
        lines = await self._ask(("submit", self._layout.root, name, *words), script, SUBMIT_SECONDS)
        return lines[0] if lines else ""

    async def look(self, names: Iterable[JobName]) -> Look:
        return _look(await self._ask(("look", self._layout.root), _listed(names), LOOK_SECONDS))

    async def cancel(self, names: Iterable[JobName]) -> Look:
        """Bars attempts that nobody runs, ends the jobs of the others, and looks."""
        return _look(await self._ask(("cancel", self._layout.root), _listed(names), CANCEL_SECONDS))

    async def tidy(self, names: Iterable[JobName], submitter: str) -> Mapping[JobName, Tidied]:
        lines = await self._ask(("tidy", self._layout.root, submitter), _listed(names), TIDY_SECONDS)
        rows = (line.split(" ") for line in lines if line.startswith("folder "))
        return {JobName(row[1]): Tidied(row[2]) for row in rows if len(row) == 3 and row[2] in set(Tidied)}

    async def account(self, ids: Iterable[int]) -> tuple[AccountRow, ...]:
        lines = await self._ask(("account", ",".join(map(str, sorted(ids)))), b"", LOOK_SECONDS)
        return parse_accounting("\n".join(lines))

    async def _ask(self, words: tuple[str, ...], data: bytes, seconds: float) -> list[str]:
        await self._programs.put()
        answer = await self._ssh.run(("sh", self._programs.remote, *words), data, seconds=seconds)
        if answer.status not in (OK, USAGE, NOT_KNOWN):
            self._programs.doubt()
        return lines_of(answer, self._programs.remote)


def lines_of(answer: CommandOutput, program: str) -> list[str]:
    """What our program on the login node answered. Raises ClusterUnreachable where it did not."""
    if let_in(answer) not in (None, program):
        raise KeyBarred(str(let_in(answer)))
    if answer.status != OK:
        raise ClusterUnreachable(_problem(answer))
    return _between(answer.output.decode(errors="replace"))


def let_in(answer: CommandOutput) -> str | None:
    """The only program that the key's door lets in, where it kept out what was asked for; None: it was not the door."""
    ours = _DOOR.search(answer.errors.decode(errors="replace")) if answer.status == KEPT_OUT else None
    return None if ours is None else ours["program"]


def _problem(answer: CommandOutput) -> str:
    said = one_line(answer.errors.decode(errors="replace"))
    return f"the cluster gave no answer (exit status {answer.status}): {said or 'it said nothing'}"


def _listed(names: Iterable[JobName]) -> bytes:
    return "".join(f"{name}\n" for name in names).encode()


def _between(text: str) -> list[str]:
    lines = text.split("\n")
    try:
        return lines[lines.index(_BEGIN) + 1 : len(lines) - 1 - lines[::-1].index(_END)]
    except ValueError:
        raise ClusterUnreachable("the cluster's answer came short") from None


def _look(lines: list[str]) -> Look:
    jobs = [line.split(" ") for line in takewhile(lambda line: line.startswith("job "), lines)]
    seen = tuple(_seen(*cells[1:]) for cells in jobs if len(cells) == 6)
    return Look(seen, parse_queue("\n".join(lines[len(jobs) :])))


def _seen(name: str, recorded: str, owner: str, node: str, flags: str) -> RunFolderSeen:
    return RunFolderSeen(
        name=JobName(name),
        recorded=int(recorded) if recorded.isdigit() else None,
        owner="" if owner == "-" else owner,
        asked="c" in flags,
        tried="s" in flags,
        result="r" in flags,
        end="e" in flags,
        busy="b" in flags,
        node=None if node == "-" else node,
    )
