"""What lies beyond the rows that can be chosen is read by the same keys, with nothing to choose, too."""

from __future__ import annotations

import pytest

from tests.widgets.stage import Stage, screen_text
from widgets.ink import Ink
from widgets.row_list import ListRow, RowList


def rows(count: int, *chosen: int) -> list[ListRow[int]]:
    def row(n: int) -> ListRow[int]:
        return ListRow(str(n), lambda _: [[(f"  line {n}.", Ink.PROSE)]], n if n in chosen else None)

    return [row(n) for n in range(count)]


@pytest.mark.parametrize("chosen", [(), (2,)])
@pytest.mark.parametrize("keys", [("end", "end"), ("pagedown",) * 8, ("down",) * 60])
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
        text_list.set_rows(rows(50, 5)[3:])  # its row is gone: the nearest one is shown
        await pilot.pause()
        assert "line 5." in screen_text(app)
