"""Two scrapes become an AL, or one reason why they do not."""

from collections.abc import Mapping

import pytest

from gatekit.domain.verdict import NotMeasured, Unmeasured
from gatekit.engines.counters import Counts
from gatekit.formats.prometheus import read_scrapes
from gatekit.measure.acceptance import longer_than_k, measure, positions_disagree, short_drafts
from tests.worlds.cluster.attempts import AFTER, BEFORE, NAMES, WORKER, Counted, scrape

Texts = Mapping[str, str]


def measured(before: Texts, after: Texts) -> Counts | NotMeasured:
    return measure(read_scrapes(before), read_scrapes(after), NAMES)


def counts(drafts: int, positions: tuple[int, ...] | None, draft_tokens: int | None, accepted: int) -> Counts:
    return Counts(drafts, accepted, draft_tokens, positions, None)


@pytest.mark.parametrize(
    ("accepted", "drafts", "al"),
    [
        (0, 100, "1.00"),  # nothing accepted: the target's own token only
        (249, 100, "3.49"),
        (300, 100, "4.00"),
    ],
)
def test_al_is_one_plus_accepted_per_draft(accepted: int, drafts: int, al: str) -> None:
    assert al == f"{counts(drafts, None, None, accepted).al:.2f}"


def test_what_was_there_before_does_not_count() -> None:
    first = Counted(500, (499, 400, 300, 200))
    found = measured({WORKER: scrape(first)}, {WORKER: scrape(Counted(600, (529, 420, 310, 205)))})
    assert found == Counts(100, 65, 400, (30, 20, 10, 5), 165)


def test_ranks_and_workers_are_summed_before_the_division() -> None:
    """1 + (30 + 300) / (100 + 200) = 2.1; the mean of 1.3 and 2.5 would be 1.9."""
    small, large = Counted(100, (30, 0, 0, 0)), Counted(200, (150, 100, 50, 0))

    def rank_1(counted: Counted) -> str:
        return scrape(counted, rank=1, without="process_start")

    idle, two_ranks = scrape(BEFORE) + rank_1(BEFORE), scrape(small) + rank_1(large)
    two_workers = {"decode-0": scrape(small), "decode-1": scrape(large)}
    ranks = measured({WORKER: idle}, {WORKER: two_ranks})
    workers = measured({"decode-0": scrape(BEFORE), "decode-1": scrape(BEFORE)}, two_workers)
    assert isinstance(workers, Counts)
    assert workers.al == pytest.approx(2.1)
    assert isinstance(ranks, Counts)
    assert (ranks.drafts, ranks.accepted, ranks.per_position) == (300, 330, (180, 100, 50, 0))


def test_a_position_that_was_never_accepted_before_starts_from_zero() -> None:
    """llama.cpp has no series for a position until it is first accepted."""
    bare = scrape(BEFORE, without="per_pos")
    found = measured({WORKER: bare}, {WORKER: scrape(AFTER)})
    assert isinstance(found, Counts)
    assert found.per_position == AFTER.positions


@pytest.mark.parametrize(
    ("before", "after", "why", "words"),
    [
        ({}, {WORKER: scrape(AFTER)}, Unmeasured.COUNTERS_MISSING, "No worker was scraped before"),
        ({WORKER: scrape(BEFORE)}, {}, Unmeasured.COUNTERS_MISSING, "No worker was scraped after"),
        (
            {WORKER: scrape(BEFORE)},
            {WORKER: scrape(AFTER), "agg-1": scrape(AFTER)},
            Unmeasured.COUNTERS_MISSING,
            "agg-1 was scraped only on one side",
        ),
        (
            {WORKER: scrape(BEFORE, without="num_drafts_total")},
            {WORKER: scrape(AFTER)},
            Unmeasured.COUNTERS_MISSING,
            "no counter vllm:spec_decode_num_drafts in the scrape before",
        ),
        (
            {WORKER: scrape(BEFORE)},
            {WORKER: scrape(AFTER, without="num_accepted_tokens_total")},
            Unmeasured.COUNTERS_MISSING,
            "in the scrape after",
        ),
        (
            {WORKER: scrape(BEFORE)},
            {WORKER: scrape(AFTER) + f'{NAMES.drafts}_total{{engine="1"}} 0\n'},
            Unmeasured.ENGINE_RESTARTED,
            "not the same before and after",
        ),
        (
            {WORKER: scrape(BEFORE) + f'{NAMES.drafts}_total{{engine="1"}} 0\n'},
            {WORKER: scrape(AFTER)},
            Unmeasured.ENGINE_RESTARTED,
            "not the same before and after",
        ),
        ({WORKER: scrape(AFTER)}, {WORKER: scrape(BEFORE)}, Unmeasured.COUNTER_WENT_BACK, "from 2,000 to 0"),
        (
            {WORKER: scrape(BEFORE)},
            {WORKER: scrape(AFTER, started=2000.0)},
            Unmeasured.ENGINE_RESTARTED,
            "process_start_time_seconds changed",
        ),
        (
            {WORKER: scrape(BEFORE, without="process_start")},
            {WORKER: scrape(AFTER, started=2000.0, without="process_start")},
            Unmeasured.ENGINE_RESTARTED,
            "_created changed",
        ),
        (
            {WORKER: scrape(BEFORE)},
            {WORKER: scrape(AFTER).replace("_drafts_total{", "_drafts_total{a='b',").replace("'", '"')},
            Unmeasured.ENGINE_RESTARTED,
            "not the same",
        ),
        (
            {WORKER: scrape(BEFORE)},
            {WORKER: scrape(AFTER).replace(" 2000.0", " 2000.5")},
            Unmeasured.COUNTERS_MISSING,
            "no count",
        ),
        ({WORKER: scrape(AFTER)}, {WORKER: scrape(AFTER)}, Unmeasured.NO_DRAFTS, "drafted nothing"),
        (
            {WORKER: scrape(BEFORE)},
            {WORKER: scrape(Counted(10, (9, 5, 2, 1), accepted=18))},
            Unmeasured.POSITIONS_DISAGREE,
            "adds up to 17, the accepted tokens are 18",
        ),
    ],
)
def test_why_there_is_no_al(before: Texts, after: Texts, why: Unmeasured, words: str) -> None:
    found = measured(before, after)
    assert isinstance(found, NotMeasured)
    assert found.why is why
    assert words in found.reason
    assert found.reason.endswith(".")


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (counts(100, (60, 40, 10), 300, 110), None),
        (counts(100, None, None, 110), None),  # not counted: not known to disagree
        (counts(100, (60, 40, 10), 300, 111), "adds up to 110"),
        (counts(100, (40, 60, 10), 300, 110), "a later position was accepted more often"),
        (counts(100, (110, 0, 0), 300, 110), "accepted 110 times in 100 drafts"),
        (counts(100, (60, 40, 10), 109, 110), "only 109 were drafted"),
    ],
)
def test_acceptance_per_position_adds_up(found: Counts, words: str | None) -> None:
    no = positions_disagree(found)
    assert (no is None) is (words is None)
    assert words is None or (no is not None and words in no.reason)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (counts(100, (60, 40, 10), 300, 110), None),
        (counts(100, (60, 40, 10), 301, 110), "3.01 tokens long on average, but K is 3"),
        (counts(100, (60, 40, 10, 0), 300, 110), None),  # a position that was never accepted
        (counts(100, (60, 40, 10, 1), 300, 111), "up to position 4"),
        (counts(100, None, None, 301), "3.01 tokens long"),  # more accepted than K allows
    ],
)
def test_no_draft_is_longer_than_k(found: Counts, words: str | None) -> None:
    no = longer_than_k(found, 3)
    assert (no is None) is (words is None)
    assert words is None or (no is not None and words in no.reason)


@pytest.mark.parametrize(("draft_tokens", "warned"), [(270, False), (269, True), (None, False)])
def test_a_draft_well_under_k_is_worth_a_warning(draft_tokens: int | None, warned: bool) -> None:
    assert (short_drafts(counts(100, None, draft_tokens, 50), 3) is not None) is warned
