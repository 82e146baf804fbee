"""The timeline in lanes: scenes, persons, places and threads by world time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from agents.diagrams.timeline_lanes import AxisUnit, Lane, LaneGroup, Mark, MarkKind
from agents.events import CanonCommitted
from agents.world_time.calendar import format_tick
from screens.base import ServiceScreen
from screens.evidence_panel import EvidencePanel
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.routes import Back, ToReading, ToTimeline, ToUniverse, Visit
from screens.title_bar import TitleBar
from stores.records.ids import Id
from widgets.lane_chart import MARK_SIGNS, LaneChart
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.diagrams.diagram_views import LanesView
    from agents.events import Event
    from agents.services.services import Services

NOTHING_HINT: Final = (
    "Nothing yet. Scenes, and events, deaths and promises in canon stand here by their time."
)
NO_TURNS: Final = "That scene has no turns."
UNIT_WORDS: Final = {AxisUnit.DAY: "by day", AxisUnit.MOMENT: "by scene and moment"}


class LanesScreen(ServiceScreen[None]):
    """Lanes, and what is under the cursor in words."""

    CSS_PATH = SCREENS_FOLDER / "world/lanes_screen.tcss"
    AUTO_FOCUS = "LaneChart"
    BINDING_GROUP_TITLE = "Timeline"
    BINDINGS = [
        Binding("enter", "choose", "Open", id="lanes.open", tooltip="Read the scene, or see the evidence"),
        Binding("x", "evidence", "Evidence", show=False, id="lanes.evidence", tooltip="What it rests on"),
        Binding("o", "card", "Card", id="lanes.card", tooltip="The card of this person or place"),
        Binding("T", "as_list", "Timeline", id="lanes.list", tooltip="The same as a list, to be searched"),
        Binding("escape,q", "escape", "Back", id="lanes.escape", tooltip="One step back"),
    ]

    @dataclass
    class LanesLoaded(Message):
        view: LanesView

    @dataclass
    class FirstTurnFound(Message):
        turn_id: Id | None

    def __init__(self, services: Services, universe_id: Id) -> None:
        super().__init__(services)
        self.universe_id = universe_id
        self._view: LanesView | None = None

    def compose(self) -> ComposeResult:
        yield TitleBar("Timeline")
        yield LaneChart()
        yield Static(NOTHING_HINT, id="empty", markup=False)
        yield Static(id="mark", markup=False)
        yield EvidencePanel(self.services.world.provenance)
        yield NoticePanel()
        yield KeyBar()

    @property
    def chart(self) -> LaneChart:
        return self.query_one(LaneChart)

    def is_affected_by(self, event: Event) -> bool:
        return isinstance(event, CanonCommitted)

    async def load_view(self) -> None:
        self.post_message(self.LanesLoaded(await self.services.world.timeline.read_lanes(self.universe_id)))

    @on(LanesLoaded)
    def _show_lanes(self, message: LanesLoaded) -> None:
        view = self._view = message.view
        self.query_one("#empty").display = not view.lanes
        self.query_one("#mark").display = self.chart.display = bool(view.lanes)
        self.chart.show_lanes(view.lanes, view.axes)
        self._show_title()
        self.refresh_bindings()

    def _show_title(self) -> None:
        assert self._view is not None
        now = "" if self._view.now is None else f"now {format_tick(self._view.calendar, self._view.now)}"
        self.query_one(TitleBar).show_place(now, UNIT_WORDS[self.chart.zoom.unit] if self._view.lanes else "")

    @on(LaneChart.MarkHighlighted)
    def _show_mark(self, message: LaneChart.MarkHighlighted) -> None:
        message.stop()
        assert self._view is not None
        lane, mark = message.lane, message.mark
        sign, _ = MARK_SIGNS[mark.kind]
        when = "at an unknown time" if mark.tick is None else format_tick(self._view.calendar, mark.tick)
        if mark.kind is MarkKind.DEADLINE and mark.tick is None:
            when = "a time that the calendar does not know"
        subject = f" · {lane.name}" if mark.kind is MarkKind.DEADLINE else ""
        words = f"{one_line(mark.text + subject)}"
        self.query_one("#mark", Static).update(
            Content.assemble((sign, "bold"), " ", words, "  ", (when, "$text-muted"))
        )
        self._show_title()
        self.refresh_bindings()

    # --- going on ----------------------------------------------------------------------------------

    @property
    def _current(self) -> tuple[Lane, Mark] | None:
        charts = self.query(LaneChart)
        return charts.first().current if charts else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        current = self._current
        match action:
            case "choose":
                return current is not None and (current[1].scene_id or current[1].fact_id) is not None
            case "evidence":
                return current is not None and current[1].fact_id is not None
            case "card":
                return current is not None and current[0].group in (LaneGroup.PERSONS, LaneGroup.PLACES)
        return super().check_action(action, parameters)

    def action_choose(self) -> None:
        if (current := self._current) is not None:
            if (scene_id := current[1].scene_id) is not None:
                self.start_change(partial(self._find_first_turn, scene_id), "open scene")
            else:
                self.action_evidence()

    async def _find_first_turn(self, scene_id: Id) -> None:
        self.post_message(self.FirstTurnFound(await self.services.world.timeline.find_first_turn(scene_id)))

    @on(FirstTurnFound)
    def _open_scene(self, message: FirstTurnFound) -> None:
        if message.turn_id is None:
            self.query_one(NoticePanel).show_lines((NO_TURNS,))
        else:
            self.post_message(Visit(ToReading(message.turn_id)))

    def action_evidence(self) -> None:
        if (current := self._current) is not None and current[1].fact_id is not None:
            self.query_one(EvidencePanel).show_evidence(current[1].fact_id, current[1].text)

    def action_card(self) -> None:
        if (current := self._current) is not None:
            self.post_message(Visit(ToUniverse(self.universe_id, current[0].id, beside_play=True)))

    def action_as_list(self) -> None:
        self.post_message(Visit(ToTimeline(self.universe_id)))

    def action_escape(self) -> None:
        if self.query_one(NoticePanel).is_shown:
            self.query_one(NoticePanel).clear()
        elif not self.query_one(EvidencePanel).close():
            self.post_message(Visit(Back(self)))
