"""Which pages are here, which must be asked for, and what happens to those on their way."""

from __future__ import annotations

from tests.widgets.samples import story_line, turn_view
from widgets.transcript.turn_pages import MAX_PAGES, PAGE_SIZE, TurnPages

LINE = story_line(PAGE_SIZE * 3)


def test_missing_names_only_the_pages_that_are_not_here() -> None:
    pages = TurnPages()
    pages.store_page(1, LINE[PAGE_SIZE : 2 * PAGE_SIZE], 3 * PAGE_SIZE)
    assert pages.missing_pages(0, 3 * PAGE_SIZE - 1, 3 * PAGE_SIZE) == [0, 2]
    assert pages.get(PAGE_SIZE) is LINE[PAGE_SIZE]
    assert pages.get(0) is None


def test_turn_page_stale_page_is_shown_until_a_newer_one_comes() -> None:
    pages = TurnPages()
    pages.store_page(0, LINE[:PAGE_SIZE], PAGE_SIZE)
    pages.mark_stale()
    assert pages.get(3) is LINE[3]
    assert pages.missing_pages(0, 3, PAGE_SIZE) == [0]
    changed = turn_view(3, text="told otherwise")
    pages.store_page(0, [*LINE[:3], changed], 4)
    assert pages.get(3) is changed
    assert pages.missing_pages(0, 3, 4) == []


def test_turns_appended_while_their_page_was_on_its_way_stay() -> None:
    pages = TurnPages()
    pages.store_page(0, LINE[:4], 4)
    pages.append(LINE[4])
    assert pages.store_page(0, LINE[:4], 5) == 5
    assert pages.get(4) is LINE[4]


def test_turn_page_page_that_came_back_short_is_not_asked_for_again_and_again() -> None:
    pages = TurnPages()
    pages.store_page(0, LINE[:4], 10)
    assert pages.missing_pages(0, 9, 10) == []
    pages.mark_stale()
    assert pages.missing_pages(0, 9, 10) == [0]


def test_turn_page_append_onto_a_page_that_is_not_here_leaves_it_to_be_fetched() -> None:
    pages = TurnPages()
    pages.append(LINE[7])
    assert pages.get(7) is None
    assert pages.missing_pages(7, 7, 8) == [0]
    pages.append(LINE[PAGE_SIZE])
    assert pages.get(PAGE_SIZE) is LINE[PAGE_SIZE]


def test_turn_page_least_used_pages_are_dropped_first() -> None:
    pages = TurnPages()
    long = story_line(PAGE_SIZE * (MAX_PAGES + 1))
    for page in range(MAX_PAGES + 1):
        pages.store_page(page, long[page * PAGE_SIZE : (page + 1) * PAGE_SIZE], len(long))
    assert pages.get(0) is None
    assert pages.get(PAGE_SIZE) is not None
