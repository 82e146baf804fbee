"""Draws the lines of widgets without border and padding as they are, the scrollbars of such widgets, and empty lines.

Textual makes a new strip of every drawn line, and what a strip remembers of how it was filtered and cut goes with it. A
line that comes as the same strip again is filtered and cut once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rich.segment import Segment
from textual._styles_cache import StylesCache
from textual.color import Color
from textual.content import Content
from textual.css.styles import StylesBase
from textual.geometry import Region, Size, Spacing
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip
from textual.style import Style
from textual.widget import Widget

_Title = tuple[Content, Color, Color, Style]


class BareLinesCache(StylesCache):
    """Keeps a widget's lines; of one that is bare, as the widget drew them."""

    def __init__(self) -> None:
        super().__init__()
        self._is_bare = False

    def render_widget(self, widget: Widget, crop: Region) -> list[Strip]:
        self._is_bare = _is_bare(widget)
        return super().render_widget(widget, crop)

    def render_line(
        self,
        styles: StylesBase,
        y: int,
        size: Size,
        content_size: Size,
        padding: Spacing,
        base_background: Color,
        background: Color,
        render_content_line: Callable[[int], Strip],
        border_title: _Title | None,
        border_subtitle: _Title | None,
        opacity: float,
        ansi_theme: Any,
        native_ansi: bool,
    ) -> Strip:
        if not self._is_bare or y >= content_size.height:
            return super().render_line(
                styles,
                y,
                size,
                content_size,
                padding,
                base_background,
                background,
                render_content_line,
                border_title,
                border_subtitle,
                opacity,
                ansi_theme,
                native_ansi,
            )
        inner, _ = self.get_inner_outer(base_background, background)
        return render_content_line(y).adjust_cell_length(size.width, inner.rich_style)


def _is_bare(widget: Widget) -> bool:
    """Say whether nothing stands around what the widget draws, or lies over it."""
    styles = widget.styles
    is_opaque = widget.opacity == 1.0 and styles.text_opacity == 1.0 and not styles.tint.a
    return is_opaque and not (
        styles.gutter or any(edge for edge, _ in styles.outline) or styles.has_rule("hatch")
    )


class RepeatedLinesCache(StylesCache):
    """Keeps a widget's lines; one that looks like the line above is the same strip.

    Panels have an empty line behind each line of what is in them, and a strip that is cut up at the edges of others is
    some 10 kB.
    """

    def __init__(self) -> None:
        super().__init__()
        self._line_above: Strip | None = None

    def render_line(self, *arguments: Any, **named_arguments: Any) -> Strip:
        strip = super().render_line(*arguments, **named_arguments)
        if self._line_above is None or strip != self._line_above:
            self._line_above = strip
        return self._line_above


def draw_repeated_lines_once(widgets: Iterable[Widget]) -> None:
    """Have each widget that Textual draws by itself give equal lines under each other as one strip."""
    for widget in widgets:
        if type(widget._styles_cache) is StylesCache:
            widget._styles_cache = RepeatedLinesCache()


class BareScrollBar(ScrollBar):
    """A vertical scrollbar whose equal lines are one strip: all but the two ends of what can be dragged."""

    def __init__(self, *, thickness: int) -> None:
        super().__init__(vertical=True, name="vertical", thickness=thickness)
        self._styles_cache = BareLinesCache()
        self._strips: dict[Segment, Strip] = {}
        self._lines: list[Strip] = []
        self._drawn_state: tuple[object, ...] = ()

    def notify_style_update(self) -> None:
        self._strips.clear()
        self._drawn_state = ()
        super().notify_style_update()

    def render_line(self, y: int) -> Strip:
        state = (
            self.size,
            self.window_virtual_size,
            self.window_size,
            self.position,
            self.mouse_over,
            self.grabbed,
        )
        if state != self._drawn_state:
            self._drawn_state = state
            self._lines = self._draw_lines()
        return self._lines[y]

    def _draw_lines(self) -> list[Strip]:
        bar = self.render()
        assert isinstance(bar, ScrollBarRender)
        style = self.app.console.get_style(bar.style)
        assert style.color is not None
        assert style.bgcolor is not None
        width, height = self.size
        segments = bar.render_bar(
            size=height,
            virtual_size=bar.virtual_size,
            window_size=bar.window_size,
            position=bar.position,
            thickness=width,
            vertical=True,
            back_color=style.bgcolor,
            bar_color=style.color,
        ).segments
        base = self.visual_style.rich_style
        for segment in segments:
            if segment not in self._strips:
                self._strips[segment] = Strip(Segment.apply_style([segment], base), width)
        return [self._strips[segment] for segment in segments]
