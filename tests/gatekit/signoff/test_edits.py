"""Whose word the ticks of a sign-off are, by what was heard of its edits."""

from datetime import UTC, datetime, timedelta

import pytest

from gatekit.domain.ids import Login
from gatekit.signoff.checklist.comment import CommentText
from gatekit.signoff.edits import Heard, Moment, concerns, hear, not_theirs, ticked
from gatekit.signoff.resource import Surface
from gatekit.signoff.trigger import Action, Person, Post
from tests.worlds.signoff.checklist import form, open_box

ANN, BOB, APP = Person(Login("ann")), Person(Login("bob")), Person(Login("helper[bot]"), typed_bot=True)
START = datetime(2026, 10, 5, 12, tzinfo=UTC)
LEFT, WHOLE, LESS = form(open_box("4")), form(), form({**open_box("4"), **open_box("5")})
EDITED, CREATED = Action.EDITED, Action.CREATED

Step = tuple[Action, Person, str | None, str]


def at(minute: int | None) -> Moment:
    said = None if minute is None else START + timedelta(minutes=minute)
    return Moment(said, START + timedelta(hours=1))


def posted(action: Action, sender: Person, before: str | None, body: str) -> Post:
    was = None if before is None else CommentText(before)
    return Post(Surface.CONVERSATION, action, ANN, sender, CommentText(body), was)


def after(*steps: Step) -> Heard:
    known: Heard | None = None
    for minute, step in enumerate(steps):
        known = hear(known, posted(*step), at(minute))
    assert known is not None
    return known


@pytest.mark.parametrize(
    ("steps", "stands", "doubted", "by_another"),
    [
        ([(CREATED, ANN, None, WHOLE)], WHOLE, 0, False),
        ([(CREATED, ANN, None, LEFT), (EDITED, ANN, LEFT, WHOLE)], WHOLE, 0, False),
        ([(CREATED, ANN, None, LEFT), (EDITED, BOB, LEFT, WHOLE)], WHOLE, 1, True),
        ([(CREATED, ANN, None, LEFT), (EDITED, APP, LEFT, WHOLE)], WHOLE, 1, True),
        # what the author ticked himself stays his word, whoever edits something else
        ([(CREATED, ANN, None, WHOLE), (EDITED, BOB, WHOLE, WHOLE + "\nthanks")], WHOLE, 0, True),
        # ... until somebody takes it away, and puts it back
        ([(CREATED, ANN, None, WHOLE), (EDITED, BOB, WHOLE, LEFT), (EDITED, BOB, LEFT, WHOLE)], WHOLE, 1, True),
        # over two edits by others
        ([(CREATED, ANN, None, LESS), (EDITED, BOB, LESS, LEFT), (EDITED, APP, LEFT, WHOLE)], WHOLE, 2, True),
        # the author's next edit takes it all on
        ([(CREATED, ANN, None, LEFT), (EDITED, BOB, LEFT, WHOLE), (EDITED, ANN, WHOLE, WHOLE + "\n")], WHOLE, 0, False),
        # an edit of which nobody told: what it ticked is nobody's word
        ([(CREATED, ANN, None, LESS)], WHOLE, 2, False),
        ([(CREATED, ANN, None, LESS), (EDITED, BOB, LEFT, WHOLE)], WHOLE, 2, True),
        # nothing was heard of it before
        ([(EDITED, BOB, LEFT, WHOLE)], WHOLE, 1, True),
        ([(EDITED, BOB, None, WHOLE)], WHOLE, 17, True),
        ([(EDITED, ANN, None, WHOLE)], WHOLE, 0, False),
    ],
)
def test_a_tick_counts_by_the_authors_word(steps: list[Step], stands: str, doubted: int, by_another: bool) -> None:
    known = after(*steps)
    assert (len(not_theirs(known, CommentText(stands))), known.by_another) == (doubted, by_another)


def test_of_what_was_never_heard_of_nothing_is_doubted() -> None:
    assert not_theirs(None, CommentText(WHOLE)) == frozenset()


def test_the_case_of_a_login_says_nothing() -> None:
    assert not hear(None, posted(EDITED, Person(Login("Ann")), LEFT, WHOLE), at(0)).by_another


def test_what_came_before_or_again_changes_nothing() -> None:
    """A captured webhook that is sent again clears no doubt, and makes none."""
    first, second = posted(CREATED, ANN, None, LEFT), posted(EDITED, BOB, LEFT, WHOLE)
    known = hear(hear(None, first, at(0)), second, at(1))
    assert hear(known, first, at(0)) == known
    assert hear(known, second, at(1)) == known
    assert hear(known, posted(EDITED, ANN, LEFT, WHOLE), at(0)) == known
    assert hear(hear(None, second, at(None)), first, at(None)).by_another


def test_an_edit_without_a_time_counts_and_is_as_late_as_it_was_heard() -> None:
    known = hear(hear(None, posted(CREATED, ANN, None, LEFT), at(0)), posted(EDITED, ANN, LEFT, WHOLE), at(None))
    assert (known.own, known.edited) == (ticked(CommentText(WHOLE)), START + timedelta(hours=1))


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        (posted(CREATED, ANN, None, WHOLE), True),
        (posted(EDITED, APP, WHOLE, "gone"), True),  # the phrase was there before
        (posted(EDITED, ANN, "nothing", WHOLE), True),
        (posted(EDITED, ANN, "nothing", "nothing more"), False),
        (posted(Action.DELETED, ANN, None, WHOLE), False),
        (posted(Action.DISMISSED, ANN, None, WHOLE), False),
    ],
)
def test_what_is_worth_remembering(change: Post, wanted: bool) -> None:
    assert concerns(change) is wanted
