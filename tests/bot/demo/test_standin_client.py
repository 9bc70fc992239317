"""The bot's own client and the stand-in, held to GitHub's description from both sides."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace

import pytest

from bot.demo.github.faults import Answer, Cut, EmptyPages, Moment, RevokeTokens
from bot.demo.github.objects import Entry, Mode
from bot.github.auth import AppIdentity
from bot.github.checks import GitHubChecks
from bot.github.client import GitHubApp
from bot.github.comments import GitHubComments, SlotMemory
from bot.github.limits import GitHubLimits
from bot.github.pulls import GitHubPulls
from gatekit.comments.slots import Slot, marked
from gatekit.domain.check_run import CheckName, CheckReport, CheckStatus, Conclusion
from gatekit.domain.errors import BadInput
from gatekit.domain.ids import Login, PrRef, Repo, Sha
from gatekit.domain.reuse import Commits
from handlers.errors import LookupFailed
from handlers.ports.github import Parting, Permission
from tests.worlds.github.openapi import held_to_contract
from tests.worlds.github.standin import FILES, REPO, Scene, WatchedGitHub, scene

REPOSITORY = Repo(*REPO.split("/"))
PR = PrRef(REPOSITORY, 1)
HASTY = replace(GitHubLimits(), write_gap=0, backoff_seconds=0.01, look_again=(0.01, 0.01))


@dataclass(slots=True)
class Memory:
    """A ledger that forgets when it is thrown away."""

    known: dict[tuple[PrRef, str], SlotMemory] = field(default_factory=dict)

    async def recall(self, pr: PrRef, slot: str) -> SlotMemory | None:
        return self.known.get((pr, slot))

    async def remember(self, pr: PrRef, slot: str, comment: SlotMemory) -> None:
        self.known[pr, slot] = comment

    async def forget(self, pr: PrRef, slot: str) -> None:
        self.known.pop((pr, slot), None)


@dataclass(frozen=True, slots=True)
class Stage:
    scene: Scene
    github: WatchedGitHub
    app: GitHubApp

    @property
    def pulls(self) -> GitHubPulls:
        return GitHubPulls(self.app)

    @property
    def bodies(self) -> list[str]:
        return [comment.body for comment in self.scene.repo.comments.values()]

    def report(self, status: CheckStatus, conclusion: Conclusion | None = None) -> CheckReport:
        name = CheckName.ACCEPTANCE_LENGTH
        return CheckReport(name, self.scene.pull.head, "12", status, conclusion, "4 gates", "…", None)


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    here = scene()
    world = here.world
    async with WatchedGitHub(world) as github, held_to_contract(github):
        identity = AppIdentity(world.app.id, world.app.private_key, github.url)
        async with GitHubApp(identity, HASTY) as app:
            yield Stage(here, github, app)


async def test_the_bot_reads_the_state(stage: Stage) -> None:
    here, pulls = stage.scene, stage.pulls
    here.people.add_label(here.repo, here.pull, "full-sweep-enabled", by="maria")
    found = await pulls.pull(PR)
    assert (found.head, found.labels, found.open) == (here.pull.head, {"full-sweep-enabled"}, True)
    assert await pulls.permission(REPOSITORY, Login("maria")) is Permission.WRITE
    assert await pulls.permission(REPOSITORY, Login("nobody-knows")) is Permission.NONE
    main = here.repo.branches["main"]
    assert await pulls.parting(REPOSITORY, "main", found.head) == Parting(
        main, main, Commits(frozenset({found.head}), complete=True)
    )
    assert await pulls.file(REPOSITORY, "faster", "configs/demo.yaml") == b"a: 2\n"
    assert await pulls.file(REPOSITORY, "faster", "no.such.file") is None


async def test_the_bot_takes_a_commit_as_one_archive_with_links_and_submodules(stage: Stage) -> None:
    engine = Sha("1" * 40)
    edits = {
        "vendor/engine": Entry(engine.encode(), Mode.GITLINK),
        "latest": Entry(b"configs", Mode.LINK),
        "run.sh": Entry(b"#!/bin/sh\n", Mode.EXECUTABLE),
    }
    head = stage.scene.people.push(stage.scene.repo, "faster", edits, by="pat").sha
    found = await stage.pulls.snapshot(REPOSITORY, head)
    assert found.files == {**FILES, "configs/demo.yaml": b"a: 2\n", "run.sh": b"#!/bin/sh\n"}
    assert (found.links, found.gitlinks) == ({"latest"}, {"vendor/engine": engine})
    assert stage.github.leaks == []


@pytest.mark.parametrize("attributes", [b"*.yaml export-ignore\n", b"README.md export-subst\n"])
async def test_an_archive_that_leaves_out_or_rewrites_a_file_is_not_believed(stage: Stage, attributes: bytes) -> None:
    edits = {".gitattributes": attributes, "README.md": b"$Format:%H$\n"}
    head = stage.scene.people.push(stage.scene.repo, "faster", edits, by="pat").sha
    with pytest.raises(BadInput, match="gitattributes"):
        await stage.pulls.snapshot(REPOSITORY, head)


async def test_the_bot_writes_one_comment_and_one_check_run(stage: Stage) -> None:
    comments, checks = GitHubComments(stage.app, Memory()), GitHubChecks(stage.app)
    for body in ("Planned.", "Judged."):
        await comments.upsert(PR, Slot.GATES, body)
    await checks.put(REPOSITORY, stage.report(CheckStatus.IN_PROGRESS))
    await checks.put(REPOSITORY, stage.report(CheckStatus.COMPLETED, Conclusion.NEUTRAL))
    assert stage.bodies == [marked(Slot.GATES, "Judged.")]
    assert [check.said["conclusion"] for check in stage.scene.repo.checks.values()] == ["neutral"]


async def test_a_comment_whose_answer_was_lost_is_found_again_among_a_hundred(stage: Stage) -> None:
    here = stage.scene
    for number in range(120):
        here.people.comment(here.repo, here.pull, f"comment {number}", by="maria")
    stage.github.faults.on("POST", "*/comments", Cut(Moment.AFTER))
    await GitHubComments(stage.app, Memory()).upsert(PR, Slot.GATES, "Planned.")
    await GitHubComments(stage.app, Memory()).upsert(PR, Slot.GATES, "Judged.")
    assert stage.bodies[120:] == [marked(Slot.GATES, "Judged.")]


async def test_a_comment_that_the_list_did_not_show_yet_is_not_posted_twice(stage: Stage) -> None:
    """The creation was applied, its answer was lost, and the list lags behind for a while."""
    comments = GitHubComments(stage.app, Memory())
    stage.github.faults.on("POST", "*/comments", Cut(Moment.AFTER))
    stage.github.faults.on("GET", "*/comments", EmptyPages(), nth=2, times=2)
    with pytest.raises(LookupFailed):
        await comments.upsert(PR, Slot.GATES, "Planned.")
    await comments.upsert(PR, Slot.GATES, "Planned.")
    assert len(stage.bodies) == 1


async def test_a_read_survives_a_bad_gateway_and_a_revoked_token(stage: Stage) -> None:
    stage.github.faults.on("GET", "*/pulls/1", Answer(502))
    assert (await stage.pulls.pull(PR)).open
    stage.github.faults.on("GET", "*/pulls/1", RevokeTokens())
    assert (await stage.pulls.pull(PR)).open
    mints = [call for call in stage.github.calls if call.path.endswith("/access_tokens")]
    assert len(mints) == 2
