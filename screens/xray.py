"""The X-ray: why a turn says what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.message import Message

from agents.events import ModelCalled, TurnAppended
from screens.aside import Aside
from screens.base import ServiceScreen
from screens.key_bar import KeyBar
from screens.long_text import LongTextScreen
from screens.model_routes import ToBill
from screens.routes import Back, Visit
from screens.title_bar import TitleBar
from stores.errors import MonitorError
from stores.records.ids import Id
from widgets.calls import money, seconds
from widgets.safe_text import ellipsise
from widgets.xray import XrayList

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.services import Services
    from agents.views.llm_views import XrayView

SPEAKERS = {"player": "you", "oracle": "dice", "system": "the story", "gm": "gm"}


class XrayScreen(ServiceScreen[None]):
    """One turn, step by step and call by call."""

    CSS_PATH = "xray.tcss"
    AUTO_FOCUS = "XrayList"
    BINDING_GROUP_TITLE = "X-ray"
    BINDINGS = [
        Binding("b", "bill", "Bill", id="xray.bill", tooltip="What the model has cost"),
        Binding("escape,q", "escape", "Back", id="xray.escape", tooltip="One step back"),
    ]

    @dataclass
    class Read(Message):
        view: XrayView

    def __init__(self, services: Services, turn_id: Id) -> None:
        super().__init__(services)
        self.turn_id = turn_id

    def compose(self) -> ComposeResult:
        yield TitleBar("X-ray")
        yield XrayList(empty="Reading …")
        yield Aside()
        yield KeyBar()

    def concerns(self, event: Event) -> bool:
        return isinstance(event, ModelCalled | TurnAppended)

    async def read(self) -> None:
        self.post_message(self.Read(await self.services.llm.xray(self.turn_id)))

    @on(Read)
    def _show(self, message: Read) -> None:
        view = message.view
        turn, calls = view.turn, view.calls
        who = turn.name or SPEAKERS.get(turn.speaker.value, turn.speaker.value)
        spent = money(sum(call.cost.micros for call in calls), sum(not call.cost.known for call in calls))
        time = seconds(sum(step.seconds for step in view.steps) or sum(call.seconds for call in calls))
        self.query_one(TitleBar).show(
            f"turn {turn.depth + 1} · {who}: {ellipsise(turn.text, 60)}", f"{spent} · {time}" if calls else ""
        )
        self.query_one(XrayList).show(view)

    @on(XrayList.Opened)
    def _open(self, message: XrayList.Opened) -> None:
        message.stop()
        self.app.push_screen(LongTextScreen(message.passage.title, message.passage.text))

    def action_bill(self) -> None:
        self.post_message(Visit(ToBill()))

    def action_escape(self) -> None:
        if self.query_one(Aside).shown:
            self.query_one(Aside).clear()
        else:
            self.post_message(Visit(Back(self)))

    def refused(self, error: BaseException, worker: str) -> None:
        if isinstance(error, MonitorError):
            self.query_one(XrayList).empty = "There is no X-ray of this turn."
            self.query_one(Aside).tell(error)
        else:
            super().refused(error, worker)
