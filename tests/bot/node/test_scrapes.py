"""Raw scrapes: taken when the counters stand still, cut down for slices, and readable by the judge."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.node import scrapes
from bot.node.failures import Cancelled, Failed
from bot.node.scrapes import Worker
from bot.node.stop import Stop
from gatekit.cluster.result import read_slices, split_workers
from tests.worlds.bot.until import PATIENCE
from tests.worlds.engine import recording


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Callable[..., Worker]]:
    servers = []

    def start(*faults: str) -> Worker:
        server = recording.serve(recording.options(["--record", str(tmp_path / "record.jsonl"), *faults]))
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        return Worker("agg-0", "agg", f"http://127.0.0.1:{server.server_port}/metrics")

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def silent(line: str) -> None:
    raise AssertionError(line)


def test_a_scrape_counts_when_two_in_a_row_agree(worker: Callable[..., Worker]) -> None:
    """The counters move by themselves for the first three scrapes; a gauge moves for ever."""
    found = scrapes.settled([worker("--restless", "3")], Stop(), silent)
    assert f'drafts_total{{engine="0"}} {3 * recording.DRAFTS}\n' in found["agg-0"]
    assert "scrapes_total 4\n" in found["agg-0"]


def test_waiting_for_calm_stops_when_it_is_asked_to(worker: Callable[..., Worker]) -> None:
    stop = Stop()
    stop.asked = True
    with pytest.raises(Cancelled):
        scrapes.settled([worker()], stop, silent)


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ('vllm:spec_decode_num_accepted_tokens_per_pos_total{position="0"} 3', True),
        ("llamacpp:spec_decode_num_drafts_total 7", True),
        ("llamacpp:tokens_predicted_total 7", True),
        ('vllm:generation_tokens_total{engine="0"} 7', True),
        ("process_start_time_seconds 1.5", True),
        ('atom:mtp_decode_steps_total{accepted_tokens="2"} 7', True),
        ("# TYPE vllm:spec_decode_num_drafts_total counter", False),
        ('http_requests_total{path="/spec_decode"} 7', False),
        ("vllm:num_requests_running 1", False),
    ],
)
def test_slices_keep_the_acceptance_and_token_counters(line: str, kept: bool) -> None:
    assert scrapes.kept(line + "\n") == (line + "\n" if kept else "")


def test_sections_are_what_the_judge_splits() -> None:
    workers = [
        Worker("agg-0", "agg", "http://127.0.0.1:1/metrics"),
        Worker("agg-1", "agg", "http://127.0.0.1:2/metrics"),
    ]
    text = scrapes.sections(workers, {"agg-0": "a 1\n# worker agg-1 http://x\nb 2\n", "agg-1": "c 3\n"})
    assert {name: section.split() for name, section in split_workers(text).items()} == {
        "agg-0": ["a", "1", "b", "2"],
        "agg-1": ["c", "3"],
    }


def test_slices_are_what_the_judge_reads(worker: Callable[..., Worker], tmp_path: Path) -> None:
    path = tmp_path / "slices.jsonl"
    slices = scrapes.Slices([worker()], 0.02, path, silent)
    slices.start()
    while not path.exists() or path.read_text().count("\n") < 3:
        slices.join(0.02)
    slices.close()
    found = read_slices(path.read_text())
    assert len(found) >= 3
    assert found[0].seconds < found[-1].seconds
    assert "scrapes_total" not in found[0].text
    assert not slices.is_alive()


def test_a_slice_that_cannot_be_had_is_missing_and_told_once(tmp_path: Path) -> None:
    said: list[str] = []
    told = threading.Event()

    def log(line: str) -> None:
        said.append(line)
        told.set()

    slices = scrapes.Slices([Worker("agg-0", "agg", "http://127.0.0.1:9/metrics")], 0.01, tmp_path / "s", log)
    slices.start()
    assert told.wait(PATIENCE)
    slices.close()
    assert len(said) == 1
    assert said[0].startswith("a slice is missing: worker agg-0 did not give its metrics")
    assert (tmp_path / "s").read_text() == ""


def test_metrics_that_are_off_are_said_to_be(worker: Callable[..., Worker]) -> None:
    off = Worker("agg-0", "agg", worker().url + "-not")
    with pytest.raises(Failed, match=r"agg-0 answered 404 at .*: its metrics must be switched on"):
        scrapes.scrape(off)
