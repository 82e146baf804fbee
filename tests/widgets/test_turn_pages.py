"""Which pages are here, which must be asked for, and what happens to those on their way."""

from __future__ import annotations

from tests.widgets.samples import story_line, turn_view
from widgets.turn_pages import PAGE, PAGES_KEPT, TurnPages

LINE = story_line(PAGE * 3)


def test_missing_names_only_the_pages_that_are_not_here() -> None:
    pages = TurnPages()
    pages.take(1, LINE[PAGE : 2 * PAGE], 3 * PAGE)
    assert pages.missing(0, 3 * PAGE - 1, 3 * PAGE) == [0, 2]
    assert pages.get(PAGE) is LINE[PAGE]
    assert pages.get(0) is None


def test_a_stale_page_is_shown_until_a_newer_one_comes() -> None:
    pages = TurnPages()
    pages.take(0, LINE[:PAGE], PAGE)
    pages.mark_stale()
    assert pages.get(3) is LINE[3]
    assert pages.missing(0, 3, PAGE) == [0]
    changed = turn_view(3, text="told otherwise")
    pages.take(0, [*LINE[:3], changed], 4)
    assert pages.get(3) is changed
    assert pages.missing(0, 3, 4) == []


def test_turns_appended_while_their_page_was_on_its_way_stay() -> None:
    pages = TurnPages()
    pages.take(0, LINE[:4], 4)
    pages.append(LINE[4])
    assert pages.take(0, LINE[:4], 5) == 5
    assert pages.get(4) is LINE[4]


def test_a_page_that_came_back_short_is_not_asked_for_again_and_again() -> None:
    pages = TurnPages()
    pages.take(0, LINE[:4], 10)
    assert pages.missing(0, 9, 10) == []
    pages.mark_stale()
    assert pages.missing(0, 9, 10) == [0]


def test_an_append_onto_a_page_that_is_not_here_leaves_it_to_be_fetched() -> None:
    pages = TurnPages()
    pages.append(LINE[7])
    assert pages.get(7) is None
    assert pages.missing(7, 7, 8) == [0]
    pages.append(LINE[PAGE])
    assert pages.get(PAGE) is LINE[PAGE]


def test_the_least_used_pages_are_dropped_first() -> None:
    pages = TurnPages()
    long = story_line(PAGE * (PAGES_KEPT + 1))
    for page in range(PAGES_KEPT + 1):
        pages.take(page, long[page * PAGE : (page + 1) * PAGE], len(long))
    assert pages.get(0) is None
    assert pages.get(PAGE) is not None
