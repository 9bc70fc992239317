"""Everything that stands while the story is played, and what can be seen of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from aiohttp import ClientSession

from bot.app import RunningBot
from bot.demo.github.server import StandIn
from bot.demo.github.world import CheckRun, Pull, Repo
from bot.demo.telling import Teller
from gatekit.comments.slots import Slot, carries
from gatekit.domain.check_run import CheckName
from gatekit.domain.ids import Sha


@dataclass(frozen=True, slots=True)
class Stage:
    github: StandIn
    bot: RunningBot
    web: ClientSession
    repo: Repo
    pull: Pull
    runs: Path
    teller: Teller

    async def settled(self) -> None:
        """The bot heard everything, and is done with it."""
        await self.github.hooks.settled()
        await self.bot.idle()

    def comment(self, slot: Slot) -> str:
        """The bot's comment on the pull request, without its marker."""
        here = [one for one in self.repo.comments.values() if one.by_app and one.issue == self.pull.number]
        own = [one.body for one in here if carries(slot, one.body)]
        return own[0].partition("\n")[2] if own else "(no comment)"

    def check(self, head: Sha, name: CheckName) -> Mapping[str, object]:
        """What the newest check run of this name says; empty: there is none."""
        runs: list[CheckRun] = [run for run in self.repo.checks.values() if run.head == head]
        named = [run for run in runs if run.said["name"] == name]
        return named[-1].said if named else {}
