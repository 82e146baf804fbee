"""The commands that lines of the scene offered and nobody answered yet, in the panel beside the story."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from textual.message import Message

from agents.views.scene_views import Offer
from widgets.ink import Ink, Line
from widgets.row_list import ListRow, RowList
from widgets.safe_text import ellipsise, one_line, wrap
from widgets.single_keys import SingleKeys

MAX_LINES: Final = 2
"""Lines of one offer; more is cut off, and what Enter plays is the whole command."""


class OfferList(RowList[Offer], SingleKeys):
    """Offers by row, the newest first; it takes no room while there are none."""

    HELP_TITLE: ClassVar[str] = "Offers"
    HELP_TEXT: ClassVar[str] = (
        "What your lines seem to call for: time that passes, a name to make known, a promise that was kept. "
        "Nothing is done by itself. Each waits until you take it, drop it, it is so no more, or the scene is over.\n"
        "Ctrl+L goes there and back; Enter gives the command, Delete drops it. What you are typing stays as it is."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter", "take", "Use the offer", id="offers.take", tooltip="Give the command that is offered"
        ),
        Binding("delete", "drop", "Drop", id="offers.drop", tooltip="Drop the offer: it is not so"),
    ]
    DEFAULT_CSS = """
    OfferList {
        height: auto;
        max-height: 8;
        display: none;
        border: round $border-blurred;
        border-title-color: $text-muted;
        background: $background;
        &.-shown { display: block; }
        &:focus {
            border: heavy $primary;
            border-title-color: $primary;
            border-title-style: bold;
        }
    }
    """

    @dataclass
    class Taken(Message):
        """The command is to be given."""

        offer: Offer

    @dataclass
    class Dropped(Message):
        """The offer is not wanted."""

        offer: Offer

    def show_offers(self, offers: Sequence[Offer]) -> None:
        """Show these; while somebody is among them, the cursor stays on its offer, and else the newest has it.

        It never comes to stand on what ends the scene because the offer that it stood on is gone.
        """
        if tuple(row.value for row in self.rows) == tuple(offers):
            return  # to lay the screen out takes longer than all else that a line does
        is_taken = self.current is not None and self.current not in offers
        self.set_rows([ListRow(offer.command, partial(_draw_offer, offer), offer) for offer in offers])
        if offers and not self.has_focus:
            self.action_edge(-1)
        elif is_taken and self.current is not None and self.current.ends_scene:
            self.cursor = next((n for n, offer in enumerate(offers) if not offer.ends_scene), None)
        self.set_class(bool(offers), "-shown")
        self.border_title = f"offers {len(offers)}"
        self.refresh(layout=True)

    def action_take(self) -> None:
        if self.current is not None:
            self.post_message(self.Taken(self.current))

    def action_drop(self) -> None:
        if self.current is not None:
            self.post_message(self.Dropped(self.current))

    def row_chosen(self, value: Offer) -> None:
        self.post_message(self.Taken(value))


def _draw_offer(offer: Offer, width: int) -> list[Line]:
    """Return the question and the command, which is what stands out."""
    lines = wrap(one_line(offer.text), width - 2)
    if len(lines) > MAX_LINES:
        lines = [*lines[: MAX_LINES - 1], ellipsise(" ".join(lines[MAX_LINES - 1 :]), width - 2)]
    question_cells = len(one_line(offer.question))
    drawn: list[Line] = []
    for line in lines:
        cut = max(0, min(len(line), question_cells))
        question_cells -= len(line) + 1
        drawn.append([(" ", Ink.PROSE), (line[:cut], Ink.MUTED), (line[cut:], Ink.PROSE)])
    return drawn
