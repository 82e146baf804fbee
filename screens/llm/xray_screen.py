"""The X-ray: why a turn says what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.message import Message

from agents.events import LlmCallRecorded, TurnAppended
from screens.base import ServiceScreen
from screens.dialogs.long_text_screen import LongTextScreen
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.routes import Back, ToBill, Visit
from screens.title_bar import TitleBar
from stores.errors import MonitorError
from stores.records.ids import Id
from widgets.llm_call_text import seconds_text, sum_text
from widgets.safe_text import ellipsise
from widgets.xray_list import XrayList

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.services import Services
    from agents.views.llm_views import XrayView

SPEAKER_LABELS = {"player": "you", "oracle": "dice", "system": "the story", "gm": "gm"}


class XrayScreen(ServiceScreen[None]):
    """One turn, step by step and call by call."""

    CSS_PATH = SCREENS_FOLDER / "llm/xray_screen.tcss"
    AUTO_FOCUS = "XrayList"
    BINDING_GROUP_TITLE = "X-ray"
    BINDINGS = [
        Binding("b", "bill", "Bill", id="xray.bill", tooltip="What the model has cost"),
        Binding("escape,q", "escape", "Back", id="xray.escape", tooltip="One step back"),
    ]

    @dataclass
    class XrayLoaded(Message):
        view: XrayView

    def __init__(self, services: Services, turn_id: Id) -> None:
        super().__init__(services)
        self.turn_id = turn_id

    def compose(self) -> ComposeResult:
        yield TitleBar("X-ray")
        yield XrayList(empty="Reading …")
        yield NoticePanel()
        yield KeyBar()

    def is_affected_by(self, event: Event) -> bool:
        return isinstance(event, LlmCallRecorded | TurnAppended)

    async def load_view(self) -> None:
        self.post_message(self.XrayLoaded(await self.services.llm.read_xray(self.turn_id)))

    @on(XrayLoaded)
    def _show_xray(self, message: XrayLoaded) -> None:
        view = message.view
        turn, calls = view.turn, view.calls
        speaker_name = turn.name or SPEAKER_LABELS.get(turn.speaker.value, turn.speaker.value)
        cost_text = sum_text(
            sum(call.cost.micros for call in calls), sum(not call.cost.known for call in calls)
        )
        time_text = seconds_text(
            sum(step.seconds for step in view.steps) or sum(call.seconds for call in calls)
        )
        self.query_one(TitleBar).show_place(
            f"turn {turn.depth + 1} · {speaker_name}: {ellipsise(turn.text, 60)}",
            f"{cost_text} · {time_text}" if calls else "",
        )
        self.query_one(XrayList).show_xray(view)

    @on(XrayList.PassageOpened)
    def _open_passage(self, message: XrayList.PassageOpened) -> None:
        message.stop()
        self.app.push_screen(LongTextScreen(message.passage.title, message.passage.text))

    def action_bill(self) -> None:
        self.post_message(Visit(ToBill()))

    def action_escape(self) -> None:
        if self.query_one(NoticePanel).is_shown:
            self.query_one(NoticePanel).clear()
        else:
            self.post_message(Visit(Back(self)))

    def handle_error(self, error: BaseException, worker: str) -> None:
        if isinstance(error, MonitorError):
            self.query_one(XrayList).empty = "There is no X-ray of this turn."
        super().handle_error(error, worker)
