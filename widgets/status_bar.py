"""The scene's one-line header: where we are in world, story and time."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from agents.clock_faces import CLOCK_SIGN, find_most_urgent_clock
from agents.views.scene_views import SceneView
from widgets.safe_text import content, ellipsise, one_line

MIN_BACKGROUND_CELLS = 60
"""Cells from which on there is room for what is done behind play."""

MIN_TITLE_CELLS, MIN_STORY_CELLS = 6, 4
"""Cells below which a scene's title, or a story's, says nothing any more."""

_STATE_GAP = "   "
_PLACE_DOT = " · "


def status_content(view: SceneView, width: int, extra: str = "", background_status: str = "") -> Content:
    """Return the header at exactly `width` cells: place in the story on the left, state on the right.

    As room runs out it gives up, in this order: the universe, the scene's title, where it takes place, the
    story's title, what is done behind play, the clock, the tension, the word more.
    """
    state_parts = [
        one_line(view.when),
        f"tension {view.story.tension}",
        _urgent_clock_text(view),
        one_line(extra),
    ]
    state_parts.append(one_line(background_status))
    # What is done behind play comes and goes: it takes its room from the titles, and the state keeps its own.
    room = width // 2 + (
        cell_len(_STATE_GAP + background_status) if background_status and width >= MIN_BACKGROUND_CELLS else 0
    )
    while cell_len(_state_text(state_parts)) > room and any(state_parts[1:]):
        state_parts[next(place for place in (4, 2, 1, 3) if state_parts[place])] = ""
    right = _state_text(state_parts)
    if cell_len(right) > room:
        right = ellipsise(right, room)
    space = max(0, width - cell_len(right) - 3)
    place_text = _place_content(view, space)
    gap = " " * max(0, width - 1 - place_text.cell_length - cell_len(right) - 1)
    return Content.assemble(" ", place_text, gap, (right, "$text-muted"), " ")


def _state_text(parts: list[str]) -> str:
    return _STATE_GAP.join(filter(None, parts))


def _urgent_clock_text(view: SceneView) -> str:
    """Return how the clock stands that has the fewest steps left."""
    clock = find_most_urgent_clock(view.clocks)
    return f"{CLOCK_SIGN} {clock.filled}/{clock.size}" if clock else ""


def _place_content(view: SceneView, space: int) -> Content:
    universe, story = one_line(view.universe.name), one_line(view.story.title)
    if view.universe.branch is not None:
        branch_name = one_line(view.universe.branch.name)
        universe, story = universe.removesuffix(f" · {branch_name}"), f"{story} ({branch_name})"
    scene, title = f"scene {view.scene.order}", one_line(view.scene.title)
    quoted = f" “{title}”" if title and title.casefold() != scene.casefold() else ""
    for where in dict.fromkeys((one_line(view.place), "")):
        for parts in ((universe, story, scene + quoted, where), (story, scene + quoted, where)):
            if _place_cells(parts) <= space:
                return _assemble_place(parts, story)
        room = space - _place_cells((story, scene, where)) - 3
        if quoted and room >= MIN_TITLE_CELLS:
            return _assemble_place((story, f"{scene} “{ellipsise(title, room)}”", where), story)
        if _place_cells((story, scene, where)) <= space:
            return _assemble_place((story, scene, where), story)
    short_story = ellipsise(story, space - cell_len(_PLACE_DOT + scene))
    if space - cell_len(_PLACE_DOT + scene) >= MIN_STORY_CELLS:
        return _assemble_place((short_story, scene), short_story)
    return content(ellipsise(scene, space))


def _place_cells(parts: tuple[str, ...]) -> int:
    return cell_len(_PLACE_DOT.join(filter(None, parts)))


def _assemble_place(parts: tuple[str, ...], story: str) -> Content:
    pieces = [content(part, "bold" if part == story else "") for part in filter(None, parts)]
    return content(_PLACE_DOT, "$text-muted").join(pieces)


MIN_SHOWN_BACKLOG = 100
"""Items left in the background below which the scene does not mention them."""


def backlog_text(waiting_count: int, current_task: str, *, at_least: int = 1) -> str:
    """Return what is left to do in the background, in a few words; nothing below `at_least`."""
    return f"{current_task or 'waiting'}: {waiting_count:,} left" if waiting_count >= at_least else ""


class StatusBar(Widget):
    """One line over the scene.

    `extra` stands on the right, such as today's cost; `background_status` says how much is left to do in
    the background.
    """

    DEFAULT_CSS = """
    StatusBar { height: 1; background: $panel; color: $foreground; }
    """

    view: reactive[SceneView | None] = reactive(None)
    """The scene."""

    extra: reactive[str] = reactive("")
    background_status: reactive[str] = reactive("")

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)

    def render(self) -> Content:
        return (
            status_content(self.view, self.size.width, self.extra, self.background_status)
            if self.view
            else Content("")
        )
