"""The facts of a verification: what cannot be read leaves its checks undecided, and what is read costs little."""

from pathlib import Path

import pytest

from bot.demo.github.faults import Answer
from bot.demo.github.people import Opening
from bot.demo.github.reviews import Job
from tests.worlds.bot.bot_world import BotWorld
from tests.worlds.github.actions import RUN, a_run, say
from tests.worlds.signoff.checklist import form, page
from tests.worlds.signoff.signed import PAGE, SAID, URL
from tests.worlds.signoff.signing import CHECKLIST, about, header, propose, row
from tests.worlds.signoff.signing_bench import BODY, CHANGE, LANES, benching

TREES = {1: "UNDECIDED", 3: "UNDECIDED", 6: "UNDECIDED", 7: "UNDECIDED", 8: "UNDECIDED", 9: "UNDECIDED"} | {
    10: "UNDECIDED", 11: "UNDECIDED", 12: "UNDECIDED", 13: "UNDECIDED", 14: "WARN",
}  # fmt: skip


async def verdict(world: BotWorld, body: str = BODY) -> str:
    return about(world, await say(world, body, by="ann"))


async def test_a_change_in_order_needs_a_person_only_for_the_draft(tmp_path: Path) -> None:
    async with benching(tmp_path) as (world, pages):
        text = await verdict(world)
        outcomes = {number: row(text, number).partition(" ")[0] for number in range(16)}
        assert outcomes == {
            **dict.fromkeys((0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11), "PASS"),
            **dict.fromkeys((2, 12, 15), "N/A"),
            13: "UNDECIDED",
            14: "WARN",
        }
        assert header(text) == "INCOMPLETE"
        assert pages.asked == ["recipes.vllm.ai/example/glow"]


@pytest.mark.parametrize(
    ("path", "times", "left"),
    [
        ("/repos/*/tarball/*", 100, TREES),
        ("/repos/*/git/trees/*", 100, TREES),
        ("/repos/*/commits", 100, {5: "UNDECIDED"}),
        (f"/repos/*/contents/{CHECKLIST}", 100, {5: "UNDECIDED"}),
        ("/repos/*/pulls/*/files", 100, {0: "UNDECIDED", 1: "UNDECIDED"}),
        ("/repos/*/contents/.github/CODEOWNERS", 100, {0: "UNDECIDED"}),
        ("/repos/*/actions/workflows/*", 100, {1: "UNDECIDED", 14: "WARN"}),
        ("/repos/*/actions/runs/*/jobs", 100, {1: "UNDECIDED", 14: "WARN"}),
        (f"/repos/*/actions/runs/{RUN}", 100, {4: "WARN"}),
        ("/repos/*/actions/runs/*/artifacts", 100, {4: "WARN"}),
        ("/repos/*/issues/*/comments", 2, {4: "WARN"}),  # read once for commands; then our own is looked for
    ],
)
async def test_a_fact_that_cannot_be_read_lets_nothing_pass(
    tmp_path: Path, path: str, times: int, left: dict[int, str]
) -> None:
    async with benching(tmp_path) as (world, _):
        world.github.faults.on("GET", path, Answer(502), times=times)
        text = await verdict(world)
        assert {number: row(text, number).partition(" ")[0] for number in left} == left


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("published", "PASS"),
        ("nothing", "FAIL — `3b: https://recipes.vllm.ai/example/glow` is not there"),
        ("moved", "UNDECIDED — `3b`: look whether `https://recipes.vllm.ai/example/glow` is merged or published"),
    ],
)
async def test_a_published_page_is_read_where_it_is_and_nowhere_else(tmp_path: Path, answer: str, outcome: str) -> None:
    async with benching(tmp_path) as (world, pages):
        place = URL.removeprefix("https://")
        if answer != "published":
            del pages.pages[place]
        if answer == "moved":
            pages.moved[place] = "/elsewhere.example/secret"
            pages.pages["elsewhere.example/secret"] = PAGE
        assert row(await verdict(world), 3).startswith(outcome)
        assert pages.asked == [place]


@pytest.mark.parametrize(
    "link",
    [
        "https://recipes.vllm.ai.evil.example/example/glow",
        "https://evil.example/?u=https://recipes.vllm.ai/example/glow",
        "http://recipes.vllm.ai/example/glow",
        "https://recipes.vllm.ai@evil.example/example/glow",
        "https://docs.sglang.io/other/glow",
        "https://127.0.0.1/example/glow",
    ],
)
async def test_no_other_host_is_ever_asked(tmp_path: Path, link: str) -> None:
    async with benching(tmp_path) as (world, pages):
        text = await verdict(world, form(details=f"- recipe: {link}\n{SAID}", signed="ann"))
        assert row(text, 3).startswith("FAIL — `3a`: no recipe is linked")
        assert pages.asked == []


@pytest.mark.parametrize(
    ("state", "outcome"), [("merged", "PASS"), ("open", "FAIL — `3b: https"), ("none", "UNDECIDED")]
)
async def test_a_recipe_in_another_repository_is_read_through_ours(tmp_path: Path, state: str, outcome: str) -> None:
    async with benching(tmp_path) as (world, _):
        other = world.github.world.add_repo("vllm-project/recipes", {"README.md": b"# Recipes\n"})
        world.people.branch(other, "glow")
        world.people.push(other, "glow", {"example/glow.md": PAGE.encode()}, by="zoe")
        pull = world.people.open_pull(other, Opening("glow", "zoe", "Glow"))
        if state == "merged":
            world.people.merged(other, pull, pull.head, by="zoe")
        number = pull.number + (state == "none")
        body = form(details=f"- recipe: https://github.com/vllm-project/recipes/pull/{number}\n{SAID}", signed="ann")
        assert row(await verdict(world, body), 3).startswith(outcome)


async def test_an_older_run_is_looked_at_until_one_is_green(tmp_path: Path) -> None:
    async with benching(tmp_path) as (world, _):
        for number in range(RUN + 1, RUN + 4):
            a_run(world, number, jobs=(Job("agentic / p1 | glow", "failure"),))
        assert row(await verdict(world), 1).startswith(f"PASS — benchmarks are green in run `{RUN}`")
        jobs = [call.path for call in world.github.calls if call.path.endswith("/jobs")]
        assert len(jobs) == 4
        a_run(world, RUN + 9, jobs=LANES)
        world.github.calls.clear()
        assert row(await verdict(world), 1).startswith(f"PASS — benchmarks are green in run `{RUN + 9}`")
        assert sum(call.path.endswith("/jobs") for call in world.github.calls) == 1


async def test_of_many_runs_that_are_not_green_older_ones_are_not_called_red(tmp_path: Path) -> None:
    async with benching(tmp_path) as (world, _):
        for number in range(RUN + 1, RUN + 7):
            a_run(world, number, jobs=(Job("agentic / p1 | glow", "failure"),))
        assert row(await verdict(world), 1).startswith("UNDECIDED — look at the jobs of run")


async def test_the_template_that_was_current_when_it_was_signed_counts(tmp_path: Path) -> None:
    """Also where the page moved since, and where a newer one asks for more."""
    async with benching(tmp_path) as (world, _):
        posted = world.people.comment(world.repo, world.pull, BODY, by="ann")
        newer = page().replace("- [ ] Whatever", "- [ ] A quite new promise about something else.\n- [ ] Whatever")
        assert newer != page()
        moved = {CHECKLIST: None, f"inferencex-e2e/{CHECKLIST}": newer.encode()}
        world.people.push(world.repo, "main", moved, by="maria")
        await world.settled()
        text = about(world, posted)
        assert row(text, 5).startswith("PASS — every item is there, as in the template of")
        assert "superseded since by" in row(text, 5)
        assert row(await verdict(world), 5).startswith("FAIL — not in the sign-off: ")


async def test_three_hundred_files_cost_at_most_sixty_calls(tmp_path: Path) -> None:
    """With runs, links, owners and revisions of the template as a busy pull request has them."""
    async with benching(tmp_path) as (world, _):
        for text in ("one", "two", "three", "four", "five"):
            changed = page().replace("Fill it in.", f"Fill it in, {text}.").encode()
            world.people.push(world.repo, "main", {CHECKLIST: changed}, by="maria")
        propose(world, "many", CHANGE | {f"docs/{number}.md": b"x\n" for number in range(298)})
        for number in range(RUN + 1, RUN + 4):
            a_run(world, number, jobs=tuple(Job(f"agentic / p{n}", "failure") for n in range(120)))
        a_run(world, jobs=LANES)
        other = world.github.world.add_repo("vllm-project/recipes", {"README.md": b"# Recipes\n"})
        world.people.branch(other, "glow")
        world.people.push(other, "glow", {"example/glow.md": PAGE.encode()}, by="zoe")
        pull = world.people.open_pull(other, Opening("glow", "zoe", "Glow"))
        links = f"- recipe: {URL}\n- recipe: https://github.com/vllm-project/recipes/pull/{pull.number}\n"
        await say(world, f"/use {RUN}")
        for number in range(120):
            world.people.comment(world.repo, world.pull, f"Comment {number}", by="stranger")
        await world.settled()
        before = len(world.github.calls)
        text = await verdict(world, form(details=f"{links}{SAID}", signed="ann"))
        assert row(text, 0).startswith("FAIL — `docs/0.md` and 297 more belongs to `@zoe`")
        assert len(world.github.calls) - before <= 60
