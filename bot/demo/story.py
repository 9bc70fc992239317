"""One pull request from a label to its merge, on this machine: GitHub stand-in, real bot, real small engine."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from aiohttp import ClientSession
from pydantic import TypeAdapter

from bot.app import running
from bot.demo import expected, sample_pr, signing
from bot.demo.expected import Told
from bot.demo.github.app import make_app
from bot.demo.github.people import Opening
from bot.demo.github.server import StandIn
from bot.demo.github.world import Role, World
from bot.demo.landing import Landed, unlike, use_and_merge
from bot.demo.site import Tools, demo_parts, make_models, write_clusters
from bot.demo.stage import Stage
from bot.demo.telling import LogFollower, Teller
from gatekit.comments.slots import Slot
from gatekit.comments.sweep_folds import where_from
from gatekit.domain.check_run import CheckName
from gatekit.domain.sweep import GateState, JobOrigin, Sweep, job_of

LOOK_SECONDS = 0.2
LAST_SWEEP = 2
_SWEEP: TypeAdapter[Sweep] = TypeAdapter(Sweep)


@dataclass(frozen=True, slots=True)
class StoryEnd:
    first: tuple[Told, ...]
    second: tuple[Told, ...]
    signed: tuple[str, ...]  # header of each verdict on the sign-off
    wrong: tuple[str, ...]  # where the story did not come out as it should
    comment: str
    check: str
    landed: Landed | None  # None: the story ended before
    operator_url: str


async def play(stack: AsyncExitStack, folder: Path, teller: Teller, tools: Tools, *, short: bool = False) -> StoryEnd:
    """Plays the story; what it started lives until `stack` is closed. Raises Refusal where a tool is missing.

    `short`: it ends after the first verdicts, before the author pushes again and the maintainer merges.
    """
    stage = await _set(stack, folder, teller, tools)
    people = stage.github.people
    teller.say(f"{sample_pr.MAINTAINER} adds the label {sample_pr.LABEL}")
    people.add_label(stage.repo, stage.pull, sample_pr.LABEL, by=sample_pr.MAINTAINER)
    first = await _follow(stage, 1)
    teller.say("the comment on the pull request now reads:")
    teller.quote(stage.comment(Slot.GATES))
    wrong = expected.differences(first, expected.FIRST)
    second: tuple[Told, ...] = ()
    signed: tuple[str, ...] = ()
    if not short:
        second = await _push_again(stage)
        wrong += expected.differences(second, expected.SECOND)
    teller.say(f"the check run `acceptance length` on {stage.pull.head[:7]}: {_check(stage)}")
    comment, check, landed = stage.comment(Slot.GATES), _check(stage), None
    if not short:
        signed = await signing.sign(signing.Desk(stage.github, stage.bot, stage.repo, teller))
        wrong += signing.differences(signed)
        landed = await use_and_merge(stage, LAST_SWEEP)
        wrong += unlike(landed, LAST_SWEEP)
    return StoryEnd(first, second, signed, wrong, comment, check, landed, stage.bot.operator_url)


async def _push_again(stage: Stage) -> tuple[Told, ...]:
    teller = stage.teller
    push = sample_pr.second_push()
    teller.say(f"{sample_pr.AUTHOR} pushes “{push.message}”: {', '.join(push.edits)}")
    stage.github.people.push(stage.repo, stage.pull.head_ref, push.edits, by=sample_pr.AUTHOR, message=push.message)
    second = await _follow(stage, LAST_SWEEP)
    teller.say("the comment on the pull request now reads:")
    teller.quote(stage.comment(Slot.GATES))
    return second


async def _set(stack: AsyncExitStack, folder: Path, teller: Teller, tools: Tools) -> Stage:
    tools.check()
    models = await asyncio.to_thread(make_models, folder, tools)
    teller.say(f"made a small language model and three drafts for it in {models}")
    world = World.create(make_app())
    github = await stack.enter_async_context(StandIn(world))
    parts = demo_parts(folder, world.app, github.url, write_clusters(folder, models, tools))
    bot = await stack.enter_async_context(running(parts))
    github.hooks.target = f"{bot.webhook_url}/webhook"
    web = await stack.enter_async_context(ClientSession())
    teller.say(
        f"a GitHub stand-in answers on {github.url}, the bot on {bot.webhook_url}, its pages on {bot.operator_url}"
    )
    people = github.people
    repo = world.add_repo(sample_pr.REPOSITORY, sample_pr.base())
    people.invite(repo, sample_pr.MAINTAINER, Role.MAINTAIN)
    people.invite(repo, sample_pr.AUTHOR, Role.WRITE)
    proposal = sample_pr.proposal()
    people.branch(repo, proposal.branch)
    people.push(repo, proposal.branch, proposal.first.edits, by=sample_pr.AUTHOR, message=proposal.first.message)
    pull = people.open_pull(repo, Opening(proposal.branch, sample_pr.AUTHOR, proposal.title, proposal.body))
    teller.say(
        f"{sample_pr.AUTHOR} opens {repo.full_name}#{pull.number} “{pull.title}”: {len(proposal.first.edits)} files"
    )
    return Stage(github, bot, web, repo, pull, folder / "cluster" / "runs", teller)


async def _follow(stage: Stage, number: int) -> tuple[Told, ...]:
    """Tells the n-th sweep from its plan to its last verdict."""
    sweep = await _until_planned(stage, number)
    plan = sweep.plan
    stage.teller.say(
        f"the plan is on the pull request: {len(plan.gates)} gates for {plan.points - len(plan.unresolved)} points, "
        f"{len(plan.unresolved)} unresolved ({', '.join(point.reason.value for point in plan.unresolved)})"
    )
    told: set[str] = set()
    logs: dict[str, LogFollower] = {}
    while True:
        sweep = await _sweep(stage, number) or sweep
        for row in sweep.rows:
            name = job_of(sweep, row)
            if name is not None and row.gate.key not in told and row.source.origin is not JobOrigin.REUSED:
                if name not in logs:
                    stage.teller.say(f"{row.gate.title} runs as {name}")
                for line in logs.setdefault(name, LogFollower(stage.runs / name / "job.log")).news():
                    stage.teller.say(f"    {line}")
            if row.state is GateState.JUDGED and row.gate.key not in told:
                told.add(row.gate.key)
                verdict = next(one for one in expected.told(sweep) if one.config_key == row.gate.config_key)
                where = f" ({where_from(row)})" if row.source.origin is JobOrigin.REUSED else ""
                stage.teller.say(f"{row.gate.title}: {verdict.verdict.upper()}{where}. {verdict.reason}")
        if sweep.finished:
            await stage.bot.idle()
            return expected.told(sweep)
        await asyncio.sleep(LOOK_SECONDS)


async def _until_planned(stage: Stage, number: int) -> Sweep:
    while True:
        sweep = await _sweep(stage, number)
        if sweep is not None and sweep.announced:
            return sweep
        await asyncio.sleep(LOOK_SECONDS)


async def _sweep(stage: Stage, number: int) -> Sweep | None:
    async with stage.web.get(f"{stage.bot.operator_url}/api/sweeps/{number}") as answer:
        return None if answer.status == 404 else _SWEEP.validate_json(await answer.read())


def _check(stage: Stage) -> str:
    said = stage.check(stage.pull.head, CheckName.ACCEPTANCE_LENGTH)
    return f"{said.get('status')}, {said.get('conclusion')}"
