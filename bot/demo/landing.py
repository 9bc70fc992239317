"""The end of the story: what was measured stands for the pull request, which is merged."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from bot.demo import sample_pr
from bot.demo.github.merging import Merging
from bot.demo.stage import Stage
from gatekit.comments.slots import Slot
from gatekit.domain.check_run import CheckName

THUMBS = {"+1": "👍", "-1": "👎"}


@dataclass(frozen=True, slots=True)
class Landed:
    reaction: str  # to the command, in GitHub's word
    check: str  # the check run `sweep reuse`
    reuse: Mapping[str, object]  # its JSON for workflows


async def use_and_merge(stage: Stage, sweep: int) -> Landed:
    """Somebody has the sweep stand for the pull request, and merges it."""
    teller, people = stage.teller, stage.github.people
    body = f"/use {sweep}"
    teller.say(f"{sample_pr.MAINTAINER} comments: {body}")
    comment = people.comment(stage.repo, stage.pull, body, by=sample_pr.MAINTAINER)
    await stage.settled()
    reaction = next((one.content for one in comment.reactions.values()), "none")
    teller.say(f"the bot's reaction: {THUMBS.get(reaction, reaction)}, and its comment:")
    teller.quote(stage.comment(Slot.USE))
    teller.say(f"{sample_pr.MAINTAINER} squashes and merges")
    merge = Merging(people).merge(stage.repo, stage.pull, by=sample_pr.MAINTAINER)
    await stage.settled()
    said = stage.check(merge, CheckName.SWEEP_REUSE)
    output = said.get("output")
    told = output if isinstance(output, dict) else {}
    check = f"{said.get('status')}, {said.get('conclusion')}: {told.get('title')}"
    teller.say(f"the check run `{CheckName.SWEEP_REUSE}` on the merge commit {merge[:7]}: {check}")
    teller.quote(str(told.get("summary")))
    teller.quote(str(told.get("text")))
    return Landed(reaction, check, _json(str(told.get("text"))))


def unlike(landed: Landed, sweep: int) -> tuple[str, ...]:
    """Where it did not come out as the story says."""
    wrong = [] if landed.reaction == "+1" else [f"the command was answered with {landed.reaction}"]
    if (landed.reuse.get("outcome"), landed.reuse.get("run")) != ("reused", sweep):
        wrong.append(f"the merge says {landed.check}")
    return tuple(wrong)


def _json(text: str) -> Mapping[str, object]:
    found = json.loads(text.removeprefix("```json\n").removesuffix("\n```")) if text.startswith("```json") else {}
    return found if isinstance(found, dict) else {}
