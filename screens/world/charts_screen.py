"""Charts: tension and checks by scene, how the dice fell, what the model cost, and what the gate let in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from agents.events import CanonCommitted, LlmCallRecorded, SceneOpened
from screens.base import ServiceScreen
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.routes import Back, ToBill, Visit
from screens.title_bar import TitleBar
from stores.records.ids import Id
from widgets.chart_list import ChartList

if TYPE_CHECKING:
    from agents.diagrams.diagram_views import ChartsView
    from agents.events import Event
    from agents.services.services import Services

TAB_NAMES: Final = ("Story", "Dice", "Model", "Gate")
NO_UNIVERSE: Final = "No world yet. Start a story, and its charts are drawn here."


class ChartsScreen(ServiceScreen[None]):
    """One tab of charts at a time."""

    CSS_PATH = SCREENS_FOLDER / "world/charts_screen.tcss"
    AUTO_FOCUS = "ChartList"
    BINDING_GROUP_TITLE = "Charts"
    BINDINGS = [
        Binding(
            "right", "turn(1)", "Next tab", id="charts.next", tooltip="The next charts", key_display="←→"
        ),
        Binding(
            "left", "turn(-1)", "Tab before", show=False, id="charts.before", tooltip="The charts before"
        ),
        *(
            Binding(
                str(n),
                f"tab({n - 1})",
                f"{name} charts",
                show=False,
                id=f"charts.{name.lower()}",
                tooltip=f"Charts: {name.lower()}",
            )
            for n, name in enumerate(TAB_NAMES, 1)
        ),
        Binding("b", "bill", "Bill", id="charts.bill", tooltip="What the model has cost, call by call"),
        Binding("escape,q", "escape", "Back", id="charts.escape", tooltip="One step back"),
    ]

    @dataclass
    class ChartsLoaded(Message):
        view: ChartsView | None

    def __init__(self, services: Services, universe_id: Id | None = None) -> None:
        super().__init__(services)
        self.universe_id = universe_id
        self._view: ChartsView | None = None
        self._tab_index = 0

    def compose(self) -> ComposeResult:
        yield TitleBar("Charts")
        yield Static(id="tabs", markup=False)
        yield ChartList(empty="Reading ...")
        yield KeyBar()

    def is_affected_by(self, event: Event) -> bool:
        return isinstance(event, CanonCommitted | LlmCallRecorded | SceneOpened)

    async def load_view(self) -> None:
        self.post_message(self.ChartsLoaded(await self.services.world.charts.read_charts(self.universe_id)))

    @on(ChartsLoaded)
    def _show_charts(self, message: ChartsLoaded) -> None:
        self._view = message.view
        self._show_tab()

    def _show_tab(self) -> None:
        charts = self.query_one(ChartList)
        self.query_one("#tabs", Static).update(_tabs_line(self._tab_index))
        if self._view is None:
            charts.empty = NO_UNIVERSE
            return
        self.query_one(TitleBar).show_place(self._view.universe_name, self._view.story_title)
        charts.show_charts(self._view.tabs[self._tab_index].charts)

    def action_turn(self, step: int) -> None:
        self.action_tab((self._tab_index + step) % len(TAB_NAMES))

    def action_tab(self, index: int) -> None:
        self._tab_index = index
        self._show_tab()

    def action_bill(self) -> None:
        self.post_message(Visit(ToBill()))

    def action_escape(self) -> None:
        self.post_message(Visit(Back(self)))


def _tabs_line(current_index: int) -> Content:
    parts = [
        Content.assemble(
            (str(n + 1), "bold $footer-key-foreground"),
            " ",
            (f" {name} ", "reverse bold" if n == current_index else ""),
        )
        for n, name in enumerate(TAB_NAMES)
    ]
    return Content("  ").join(parts)
