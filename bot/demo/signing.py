"""A sign-off on a second pull request: rejected, mended and passed."""

from dataclasses import dataclass

from bot.app import RunningBot
from bot.demo import sample_pr
from bot.demo.github.people import Opening
from bot.demo.github.server import StandIn
from bot.demo.github.workflows import ActionsRun, RunArtifact
from bot.demo.github.world import Pull, Repo, Role
from bot.demo.telling import Teller
from gatekit.comments.slots import SignOffSlot, carries

RUN = 17_345_678_901
FORGOTTEN = 2  # box of the form
EXPECTED = ("REJECTED", "PASS")


@dataclass(frozen=True, slots=True)
class Desk:
    """Where it happens."""

    github: StandIn
    bot: RunningBot
    repo: Repo
    teller: Teller

    async def settled(self) -> None:
        await self.github.hooks.settled()
        await self.bot.idle()


async def sign(desk: Desk) -> tuple[str, ...]:
    """Plays it; the header of each verdict."""
    people, repo, teller = desk.github.people, desk.repo, desk.teller
    pull = _open(desk)
    run = _ran(desk, pull)
    teller.say(f"{sample_pr.MAINTAINER} comments /use {run}: its measurements stand for this change")
    people.comment(repo, pull, f"/use {run}", by=sample_pr.MAINTAINER)
    await desk.settled()

    teller.say(f"{sample_pr.REVIEWER}, who owns the documents, posts the review checklist and forgets a box")
    signed = people.comment(repo, pull, sample_pr.sign_off(open_box=FORGOTTEN), by=sample_pr.REVIEWER)
    await desk.settled()
    first = _verdict(desk, f"issuecomment-{signed.id}")
    teller.quote(_open_part(first))

    teller.say(f"{sample_pr.REVIEWER} ticks it")
    people.edit_comment(repo, signed, sample_pr.sign_off(open_box=None), by=sample_pr.REVIEWER)
    await desk.settled()
    second = _verdict(desk, f"issuecomment-{signed.id}")
    teller.quote(_open_part(second))
    place = f"{repo.full_name}/{pull.number}/issuecomment-{signed.id}"
    teller.say(f"the evidence of each row: {desk.bot.operator_url}/signoffs/{place}")
    return _header(first), _header(second)


def differences(headers: tuple[str, ...]) -> tuple[str, ...]:
    """One sentence where the sign-off did not come out as the story says."""
    if headers == EXPECTED:
        return ()
    return (f"the sign-off should be {' and then '.join(EXPECTED)}, but was {' and then '.join(headers)}",)


def _open(desk: Desk) -> Pull:
    people, repo, proposal = desk.github.people, desk.repo, sample_pr.documents()
    people.invite(repo, sample_pr.REVIEWER, Role.WRITE)
    people.branch(repo, proposal.branch)
    people.push(repo, proposal.branch, proposal.first.edits, by=sample_pr.AUTHOR, message=proposal.first.message)
    pull = people.open_pull(repo, Opening(proposal.branch, sample_pr.AUTHOR, proposal.title, proposal.body))
    desk.teller.say(f"{sample_pr.AUTHOR} opens {repo.full_name}#{pull.number} “{pull.title}”")
    return pull


def _ran(desk: Desk, pull: Pull) -> int:
    """The repository's own workflow ran for it."""
    desk.repo.runs[RUN] = ActionsRun(
        id=RUN,
        head=pull.head,
        branch=pull.head_ref,
        by=sample_pr.AUTHOR,
        started=desk.github.world.tick(),
        artifacts=(RunArtifact(RUN + 1, "results_bmk"),),
    )
    return RUN


def _verdict(desk: Desk, key: str) -> str:
    own = (one.body for one in desk.repo.comments.values() if one.by_app and carries(SignOffSlot(key), one.body))
    return next((body.partition("\n")[2] for body in own), "(no comment)")


def _open_part(text: str) -> str:
    """Without what is folded."""
    before, _, rest = text.partition("<details>")
    return before + rest.partition("</details>\n\n")[2]


def _header(text: str) -> str:
    return text.partition("\n")[0].rpartition(" ")[2]
