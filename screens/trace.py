"""One turn: where it stands, and what it made true."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static

from screens.fields import Picker
from screens.key_bar import KeyBar
from stores.records.ids import Id
from widgets.safe_text import content, one_line

if TYPE_CHECKING:
    from agents.views import TurnTrace


class TraceScreen(ModalScreen[Id | None]):
    """Dismisses with the entity to go to, or None."""

    CSS_PATH = "dialog.tcss"
    AUTO_FOCUS = "Picker"
    BINDING_GROUP_TITLE = "A turn"
    BINDINGS = [Binding("escape,enter", "close", "Close", id="trace.close", tooltip="Back to the transcript")]

    def __init__(self, trace: TurnTrace) -> None:
        super().__init__()
        self._trace = trace
        self._made = list(_made(trace))

    def compose(self) -> ComposeResult:
        trace = self._trace
        with Vertical(classes="dialog wide"):
            yield Static(
                f"Turn {trace.turn.depth + 1} of scene {trace.scene.order} “{one_line(trace.scene.title)}”",
                classes="question",
                markup=False,
            )
            if not trace.on_line:
                yield Static("Off the line: undone, or left by a branch.", classes="off", markup=False)
            with VerticalScroll(classes="words", can_focus=False):
                yield Static(content(trace.turn.text), markup=False)
            if self._made:
                yield Static("What it made true", classes="label", markup=False)
                yield Picker(*(content(words) for words, _ in self._made), markup=False)
            else:
                yield Static("Nothing in canon rests on it.", classes="detail", markup=False)
        yield KeyBar()

    @on(OptionList.OptionSelected)
    def _chosen(self, message: OptionList.OptionSelected) -> None:
        message.stop()
        self.dismiss(self._made[message.option_index][1])

    def action_close(self) -> None:
        self.dismiss(None)


def _made(trace: TurnTrace) -> Iterator[tuple[str, Id | None]]:
    """Yield what rests on the turn, with the entity that it is about."""
    for fact in trace.facts:
        yield f"★ {one_line(fact.statement)}", fact.involves[0].entity_id if fact.involves else None
    for entity in trace.entities:
        yield f"◆ {one_line(entity.name)}  {entity.kind}", entity.id
