"""Views and their scrollbars are drawn as Textual draws them, and lines that stay what they are only once."""

from __future__ import annotations

from typing import Self

import pytest
from textual._styles_cache import StylesCache
from textual.app import App
from textual.containers import Vertical
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from tests.widgets.stage import Stage
from widgets.bare_lines import draw_repeated_lines_once
from widgets.ink import Ink, InkView, draw_line

HEIGHT = 12


class _Lines(InkView):
    """Draws numbered lines, each as one strip for ever."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self._count = count
        self._strips: dict[int, Strip] = {}
        self.layout_count = 0

    def refresh(
        self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Self:
        self.layout_count += layout
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def on_resize(self) -> None:
        self.set_line_count(self._count, self.size.width)

    def render_line(self, y: int) -> Strip:
        line = y + self.scroll_offset.y
        if line not in self._strips:
            text = f"line {line}" if line < self._count else ""
            width = self.scrollable_content_region.width
            self._strips[line] = draw_line([(text, Ink.PROSE)], self.inks(), width)
        return self._strips[line]


class _LinesOfTextual(_Lines):
    """The same view, drawn by Textual alone."""

    vertical_scrollbar = Widget.vertical_scrollbar

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self._styles_cache = StylesCache()


def drawn(widget: Widget) -> list[Strip]:
    """Return the lines that a widget gives to the screen."""
    return widget.render_lines(Region(0, 0, *widget.region.size))


def looks(widget: Widget) -> list[Strip]:
    return [strip.simplify() for strip in drawn(widget)]


async def opened(count: int, css: str = "", height: int = HEIGHT) -> tuple[App[None], _Lines, _Lines]:
    ours, textuals = _Lines(count), _LinesOfTextual(count)
    app = Stage(ours, textuals)
    for view in (ours, textuals):
        view.set_styles(f"height: {height}; {css}")
    return app, ours, textuals


@pytest.mark.parametrize(
    "css",
    [
        "",
        "padding: 0 1;",
        "border: round red; padding: 1;",
        "border-top: solid green;",
        "outline: heavy blue;",
        "opacity: 50%;",
        "text-opacity: 40%;",
        "tint: red 30%;",
        "hatch: cross green;",
    ],
)
@pytest.mark.parametrize("count", [3, HEIGHT + 1, 40, 50_000])
async def test_views_and_scrollbars_look_as_textual_draws_them(count: int, css: str) -> None:
    app, ours, textuals = await opened(count, css)
    async with app.run_test(size=(30, 2 * HEIGHT)) as pilot:
        await pilot.pause()
        for line in range(0, max(1, count - HEIGHT + 3), max(1, count // 11)):
            for view in (ours, textuals):
                view.scroll_to_line(line)
            await pilot.pause()
            assert looks(ours) == looks(textuals)
            assert ours.show_vertical_scrollbar is textuals.show_vertical_scrollbar is (count > HEIGHT)
            if count > HEIGHT:
                assert ours.vertical_scrollbar.position == textuals.vertical_scrollbar.position
                assert looks(ours.vertical_scrollbar) == looks(textuals.vertical_scrollbar)


async def test_scrollbar_shows_the_pointer_and_the_theme_as_textuals_own() -> None:
    app, ours, textuals = await opened(200)
    async with app.run_test(size=(30, 2 * HEIGHT)) as pilot:
        await pilot.pause()
        plain = looks(ours.vertical_scrollbar)
        for theme in ("monitor-dark", "monitor-light"):
            app.theme = theme
            for is_pointed_at in (True, False):
                for view in (ours, textuals):
                    view.vertical_scrollbar.mouse_over = is_pointed_at
                await pilot.pause()
                look = looks(ours.vertical_scrollbar)
                assert look == looks(textuals.vertical_scrollbar)
                assert (look == plain) is (theme == "monitor-dark" and not is_pointed_at)


async def test_scrollbar_is_grabbed_and_pressed_where_textuals_own_is() -> None:
    app, ours, textuals = await opened(200)
    async with app.run_test(size=(30, 2 * HEIGHT)) as pilot:
        await pilot.pause()
        for view in (ours, textuals):
            view.scroll_to_line(60)
        await pilot.pause()
        presses = [
            [view.vertical_scrollbar.get_style_at(0, y).meta.get("@mouse.down") for y in range(HEIGHT)]
            for view in (ours, textuals)
        ]
        assert presses[0] == presses[1]
        assert set(presses[0]) == {"scroll_up", "grab", "scroll_down"}


async def test_line_that_stays_is_the_same_strip_in_the_next_frame() -> None:
    app, ours, textuals = await opened(200)
    async with app.run_test(size=(30, 2 * HEIGHT)) as pilot:
        before, before_of_textual = drawn(ours), drawn(textuals)
        for view in (ours, textuals):
            view.scroll_to_line(1)
        await pilot.pause()
        assert all(a is b for a, b in zip(before[1:], drawn(ours), strict=False))
        assert not any(a is b for a, b in zip(before_of_textual[1:], drawn(textuals), strict=False))
        assert len({id(strip) for strip in drawn(ours.vertical_scrollbar)}) <= 5


@pytest.mark.parametrize(
    "css", ["", "padding: 1 2;", "border: round red;", "opacity: 50%;", "hatch: cross green;"]
)
async def test_panel_gives_its_equal_lines_as_one_strip(css: str) -> None:
    ours, textuals = (Vertical(Static("The bell\nrang."), Static("It rained.")) for _ in range(2))
    app = Stage(ours, textuals)
    for panel in (ours, textuals):
        panel.set_styles(f"height: {HEIGHT}; {css}")
    async with app.run_test(size=(30, 2 * HEIGHT)) as pilot:
        draw_repeated_lines_once([ours])
        for theme, width in (("monitor-dark", 30), ("monitor-light", 30), ("monitor-light", 50)):
            app.theme = theme
            await pilot.resize_terminal(width, 2 * HEIGHT)
            ours.refresh()
            await pilot.pause()
            assert looks(ours) == looks(textuals)
        lines = drawn(ours)[3:-3]
        assert len({id(line) for line in lines}) == 1
        assert len({id(line) for line in drawn(textuals)[3:-3]}) == len(lines)


@pytest.mark.parametrize(
    ("css", "layout_count"),
    [("overflow-y: scroll;", 0), ("overflow-y: hidden;", 0), ("overflow-y: auto;", 4)],
)
async def test_other_number_of_lines_lays_out_the_screen_only_where_a_bar_comes_or_goes(
    css: str, layout_count: int
) -> None:
    """In the program every bar keeps its place: a detail that is longer than the last one costs no layout."""
    app, view, _ = await opened(3, css)
    async with app.run_test(size=(30, 2 * HEIGHT)) as pilot:
        await pilot.pause()
        view.layout_count = 0
        for count in (4, 9, 3, HEIGHT + 5, HEIGHT + 30, 5):
            view.set_line_count(count, view.size.width)
            await pilot.pause()
            assert view.virtual_size.height == count
            if css == "overflow-y: scroll;":
                assert view.vertical_scrollbar.window_virtual_size == count
        # Textual lays out for the other size, and again for the bar that comes or goes.
        assert view.layout_count == layout_count
