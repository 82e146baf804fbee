"""What lies beyond the rows that can be chosen is read by the same keys, with nothing to choose, too."""

from __future__ import annotations

import random
from typing import Self

import pytest
from textual.geometry import Region

from tests.widgets.stage import Stage, screen_text
from widgets.ink import Ink
from widgets.row_list import ListRow, RowList


def rows(count: int, *chosen: int) -> list[ListRow[int]]:
    def row(n: int) -> ListRow[int]:
        return ListRow(str(n), lambda _: [[(f"  line {n}.", Ink.PROSE)]], n if n in chosen else None)

    return [row(n) for n in range(count)]


@pytest.mark.parametrize("chosen", [(), (2,)])
@pytest.mark.parametrize(
    "keys",
    [("end", "end"), ("pagedown",) * 8, pytest.param(("down",) * 60, marks=pytest.mark.slow)],
)
async def test_list_is_read_to_its_end_and_back(chosen: tuple[int, ...], keys: tuple[str, ...]) -> None:
    text_list = RowList[int]()
    app = Stage(text_list)
    async with app.run_test(size=(30, 10)) as pilot:
        text_list.set_rows(rows(50, *chosen))
        text_list.focus()
        await pilot.press(*keys)
        assert "line 49." in screen_text(app)
        await pilot.press("home")
        assert "line 0." in screen_text(app)


async def test_end_shows_the_last_row_to_choose_before_the_text_behind_it() -> None:
    text_list = RowList[int]()
    app = Stage(text_list)
    async with app.run_test(size=(30, 10)) as pilot:
        text_list.set_rows(rows(50, 2, 20))
        text_list.focus()
        await pilot.press("end")
        assert "▸" in screen_text(app)
        assert "line 20." in screen_text(app)
        await pilot.press("end")
        assert "line 49." in screen_text(app)


async def test_first_row_that_end_brought_to_the_top_stays_there() -> None:
    text_list = RowList[int]()
    app = Stage(text_list)
    async with app.run_test(size=(30, 10)) as pilot:
        text_list.set_rows(rows(20, 6))
        text_list.focus()
        await pilot.press("end")
        text_list.set_rows(rows(20, 6))
        await pilot.press("end")
        assert "line 19." in screen_text(app)


async def test_list_that_is_loaded_again_stays_where_somebody_reads() -> None:
    text_list = RowList[int]()
    app = Stage(text_list)
    async with app.run_test(size=(30, 10)) as pilot:
        text_list.set_rows(rows(50, 2))
        text_list.focus()
        await pilot.press("end", "end")
        text_list.set_rows(rows(50, 2))
        await pilot.pause()
        assert "line 49." in screen_text(app)
        text_list.set_rows(rows(45, 2))
        await pilot.press("end", "end")
        assert "line 44." in screen_text(app)
        more_above: list[ListRow[int]] = [
            ListRow(f"new {n}", lambda _: [[("  new", Ink.PROSE)]]) for n in range(4)
        ]
        text_list.set_rows([*more_above, *rows(45, 2)])
        await pilot.pause()
        assert "line 44." in screen_text(app), "what is read moved when rows came above it"
        text_list.set_rows(rows(45, 2))
        await pilot.pause()
        assert "line 44." in screen_text(app), "what is read moved when rows above it went"
        await pilot.resize_terminal(40, 10)
        assert "line 44." in screen_text(app), "a wider terminal took the reader back to the cursor"
        text_list.set_rows(rows(50, 5)[3:])  # its row is gone: the nearest one is shown
        await pilot.pause()
        assert "line 5." in screen_text(app)


def _word_row(number: int, word: str, is_chosen: bool) -> ListRow[int]:
    return ListRow(str(number), lambda _: [[(f"  {word}", Ink.PROSE)]], number if is_chosen else None)


class WatchedList(RowList[int]):
    """A list that keeps what a terminal would show: a line changes only where it was asked to be drawn again."""

    def __init__(self) -> None:
        super().__init__()
        self.dirty_lines: set[int] = set()

    def refresh(
        self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Self:
        for region in regions or (Region(0, 0, 1, self.size.height),):
            self.dirty_lines |= set(range(region.y, region.bottom))
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)


async def test_list_draws_again_what_other_rows_change_and_nothing_else() -> None:
    dice = random.Random(7)
    text_list = WatchedList()
    app = Stage(text_list)
    async with app.run_test(size=(30, 10)) as pilot:
        text_list.focus()
        shown: dict[int, str] = {}
        drawn_counts: list[int] = []
        for number in range(24):
            words = [dice.choice("abc") for _ in range(dice.choice((4, 12, 12, 30)))]
            chosen = {n for n in range(len(words)) if dice.random() < 0.5}
            text_list.set_rows([_word_row(n, word, n in chosen) for n, word in enumerate(words)])
            if number % 4 == 0:
                await pilot.press(dice.choice(("down", "end", "pageup")))
            await pilot.pause()
            drawn_counts.append(len(text_list.dirty_lines))
            shown |= {y: text_list.render_line(y).text for y in text_list.dirty_lines}
            text_list.dirty_lines.clear()
            assert [shown[y] for y in range(10)] == [text_list.render_line(y).text for y in range(10)]
        text_list.set_rows(text_list.rows)
        assert text_list.dirty_lines == set()
        assert min(drawn_counts) < 10
