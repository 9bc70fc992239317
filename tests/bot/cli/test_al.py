"""`gatekit al`: two files in, one AL or one reason out."""

import json
from pathlib import Path

import pytest

from bot.cli import al
from gatekit.domain.errors import BadInput
from tests.shared import shared
from tests.worlds.bot.commands import run_command
from tests.worlds.cluster.attempts import AFTER, BEFORE, Counted, scrape


def run(*words: str) -> int:
    return run_command(al, "al", *words)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    before, after = tmp_path / "before.prom", tmp_path / "after.prom"
    before.write_text(scrape(BEFORE))
    after.write_text(scrape(AFTER))
    return before, after


def between(files: tuple[Path, Path], *more: str) -> int:
    return run("--before", str(files[0]), "--after", str(files[1]), *more)


def test_the_al_for_a_program(files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert between(files, "--json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "al": 2.5,
        "drafts": 2000,
        "accepted": 3000,
        "draft_tokens": 8000,
        "per_position": [1400, 900, 500, 200],
        "reason": None,
    }


def test_the_al_for_a_person(files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert between(files) == 0
    assert capsys.readouterr().out == (
        "acceptance length 2.5000 = 1 + 3,000 accepted / 2,000 drafts; 4.00 tokens per draft; "
        "accepted by position: 1,400, 900, 500, 200\n"
    )


def test_a_file_with_a_section_per_worker(files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    head = "# worker decode-{} http://n{}:8000/metrics\n"
    files[0].write_text("".join(head.format(n, n) + scrape(BEFORE) for n in range(2)))
    files[1].write_text(head.format(0, 0) + scrape(AFTER) + head.format(1, 1) + scrape(Counted(2000, (0, 0, 0, 0))))
    assert between(files, "--json") == 0
    assert json.loads(capsys.readouterr().out)["al"] == 1.75


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        (scrape(AFTER), scrape(BEFORE), "went back"),
        (scrape(AFTER), scrape(AFTER), "drafted nothing"),
        (scrape(BEFORE), "<html>", "after.prom: scrape of engine is not Prometheus text"),
        ("", "", "No counters of speculative decoding"),
        ("up 1\n", scrape(AFTER), "has no counter vllm:spec_decode_num_drafts in the scrape before"),
    ],
)
def test_no_al_is_a_reason_and_status_1(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str], before: str, after: str, reason: str
) -> None:
    files[0].write_text(before)
    files[1].write_text(after)
    assert between(files, "--json") == 1
    found = json.loads(capsys.readouterr().out)
    assert found["al"] is None
    assert reason in found["reason"]
    assert between(files) == 1
    assert capsys.readouterr().out.startswith("not measured: ")


def test_the_engine_that_is_named_is_the_one_that_is_read(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert between(files, "--engine", "llamacpp", "--json") == 1
    assert "llamacpp:spec_decode_num_drafts" in json.loads(capsys.readouterr().out)["reason"]


def test_two_engines_in_one_scrape_must_be_told_apart(files: tuple[Path, Path]) -> None:
    files[1].write_text(scrape(AFTER) + scrape(AFTER, without="process_start").replace("vllm:", "llamacpp:"))
    with pytest.raises(BadInput, match="--engine: the scrapes hold counters of llamacpp, vllm"):
        between(files)
    assert between(files, "--engine", "vllm") == 0


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_wrong_usage(files: tuple[Path, Path], content: bytes | None) -> None:
    if content is None:
        files[1].unlink()
    else:
        files[1].write_bytes(content)
    with pytest.raises(BadInput, match="give the file of a scrape"):
        between(files)


@pytest.mark.parametrize("name", ["llamacpp-draft3", "llamacpp-forced", "vllm-dp2", "vllm-ngram"])
def test_real_scrapes_give_the_al_that_was_measured(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder = shared("data/scrapes")
    expected = json.loads((folder / "expected.json").read_text())[name]
    assert between((folder / f"{name}.before.prom", folder / f"{name}.after.prom"), "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert {key: found[key] for key in ("drafts", "accepted", "draft_tokens")} == {
        key: expected[key] for key in ("drafts", "accepted", "draft_tokens")
    }
    assert found["al"] == pytest.approx(expected["al"], abs=1e-6)


MADE = Path(__file__).parents[2] / "data" / "scrapes"


def made(name: str) -> tuple[Path, Path]:
    return MADE / f"{name}.before.prom", MADE / f"{name}.after.prom"


@pytest.mark.parametrize("name", ["sglang", "trtllm", "atom", "lmdeploy"])
@pytest.mark.parametrize("named", [True, False])
def test_every_engine_is_found_out(name: str, named: bool, capsys: pytest.CaptureFixture[str]) -> None:
    more = ["--engine", name] if named else []
    assert between(made(name), "--json", *more) == 0
    assert json.loads(capsys.readouterr().out)["al"] == 2.5


@pytest.mark.parametrize(
    ("words", "al"),
    [
        ([], 1 + 1500 / 1400),  # both workers
        (["--role-labels"], 2.5),
        (["--role-labels", "dynamo_component"], 2.5),
        (["--role-labels", "other,dynamo_component"], 2.5),
        (["--role-labels", "other"], 1 + 1500 / 1400),
    ],
)
def test_only_workers_that_generate_count(words: list[str], al: float, capsys: pytest.CaptureFixture[str]) -> None:
    assert between(made("dynamo-disagg"), "--json", *words) == 0
    assert json.loads(capsys.readouterr().out)["al"] == pytest.approx(al)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("dynamo-frontend", "scrape /metrics of every decode worker"),
        ("sglang-router", "scrape /metrics of every SGLang server behind it"),
    ],
)
def test_who_only_passes_on_says_what_to_scrape_instead(
    name: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = MADE / f"{name}.prom"
    assert between((file, file), "--json") == 1
    assert reason in json.loads(capsys.readouterr().out)["reason"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [("sglang-old", "too old to count its verification steps"), ("trtllm-old", "no proof that each held K")],
)
def test_an_old_engine_is_told_so(name: str, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert between(made(name), "--json") == 1
    assert reason in json.loads(capsys.readouterr().out)["reason"]


def test_a_scrape_of_workers_that_generate_nothing_has_no_counters(
    files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    for file in files:
        file.write_text(file.read_text().replace("{engine=", '{role="prefill",engine='))
    assert between(files, "--json", "--role-labels", "--engine", "vllm") == 1
    assert "has no counter vllm:spec_decode_num_drafts" in json.loads(capsys.readouterr().out)["reason"]
