"""A character sheet to look at and to change: what is changed is staged on the GM's word, like `/state`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from agents.events import Passing
from agents.typed_numbers import MAX_TYPED_NUMBER, parse_number
from screens.base import ServiceScreen
from screens.edit_text import EditTextScreen
from screens.key_bar import KeyBar
from screens.title_bar import TitleBar
from stores.errors import MonitorError
from stores.records.ids import Id
from stores.records.ledger import Verdict
from stores.records.world import Number
from widgets.safe_text import one_line
from widgets.sheet import SheetEdit, SheetList, names_line

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.services import Services
    from agents.views.play_views import Reply, SheetRow, SheetView

_VALUE = re.compile(r"(?P<sign>[+−-]?)\s*(?P<digits>\d{1,10}(?:\.\d{1,4})?)")
_TAG = re.compile(r"[^\W\d](?:[\w '-]*\w)?")


class SheetScreen(ServiceScreen[str]):
    """Dismisses with a line for the prompt: what the rules suggest of the changes; mostly empty."""

    CSS_PATH = "sheet.tcss"
    AUTO_FOCUS = "SheetList"
    BINDING_GROUP_TITLE = "A sheet"
    BINDINGS = [
        Binding("plus,equals_sign", "step(1)", "More", id="sheet.more", tooltip="One more", key_display="+"),
        Binding("minus", "step(-1)", "Less", id="sheet.less", tooltip="One less", key_display="-"),
        Binding("e", "type_value", "Type", id="sheet.type", tooltip="Type a value, or a change like -3"),
        Binding("t", "put_on", "Tag", id="sheet.tag", tooltip="Put a tag on"),
        Binding("x,delete", "take_off", "Take off", id="sheet.take_off", tooltip="Take this tag off"),
        Binding(
            "enter", "stage", "Stage", id="sheet.stage", tooltip="Propose what was changed", key_display="⏎"
        ),
        Binding("u", "take_back", "Take back", id="sheet.take_back", tooltip="Reject your last change of it"),
        Binding("left", "turn(-1)", "Sheet before", id="sheet.before", tooltip="Whose sheet is before"),
        Binding("right", "turn(1)", "Sheet after", id="sheet.after", tooltip="Whose sheet comes next"),
        Binding("escape,f5", "leave", "Back", id="sheet.leave", tooltip="Drop what was changed, then leave"),
    ]

    @dataclass
    class Read(Message):
        """The sheet as it stands."""

        view: SheetView

    @dataclass
    class Staged(Message):
        """What came of changes."""

        reply: Reply

    def __init__(self, services: Services, scene_id: Id, entity_id: Id | None = None) -> None:
        super().__init__(services)
        self.scene_id = scene_id
        self._entity_id = entity_id
        self._view: SheetView | None = None
        self._numbers: dict[str, Number] = {}
        self._tags: dict[str, bool] = {}
        self._suggested = ""

    def compose(self) -> ComposeResult:
        yield TitleBar("Sheet")
        yield Static(id="names", markup=False)
        yield SheetList(empty="Nothing stands on this sheet. t puts a tag on; /state gives a number.")
        yield Static(id="about", markup=False)
        yield Static(id="hints", markup=False)
        yield Static(id="told", markup=False)
        yield KeyBar()

    # --- reading and drawing -----------------------------------------------------------------------

    def concerns(self, event: Event) -> bool:
        return not isinstance(event, Passing)

    async def read(self) -> None:
        self.post_message(self.Read(await self.services.play.sheet(self.scene_id, self._entity_id)))

    @on(Read)
    def _show(self, message: Read) -> None:
        if self._entity_id not in (None, message.view.entity_id):
            return  # the sheet was turned meanwhile; another reading is on its way
        self._view = message.view
        self._entity_id = message.view.entity_id
        self._draw()

    def _draw(self) -> None:
        view = self._view
        if view is None:
            return
        edit = SheetEdit(self._numbers, self._tags)
        self.query_one(TitleBar).show(view.name, view.system or "no rule pack")
        names = names_line(view.others, view.entity_id)
        parts = [Content.styled(text, style) for text, style in names]
        self.query_one("#names", Static).update(Content("   ").join(parts))
        self.query_one(SheetList).show(view.rows, edit)
        self.query_one("#hints", Static).update("\n".join(map(one_line, view.hints)))
        self.refresh_bindings()

    def _say(self, text: str) -> None:
        self.query_one("#told", Static).update(text)

    # --- what works now ----------------------------------------------------------------------------

    @on(SheetList.Highlighted)
    def _moved(self, message: SheetList.Highlighted) -> None:
        message.stop()
        self.query_one("#about", Static).update(_about(message.row) if message.row else "")
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        view, row = self._view, self._row
        match action:
            case "step" | "type_value":
                return row is not None and row.kind != "tag"
            case "take_off":
                return row is not None and row.kind == "tag"
            case "stage":
                return bool(self._numbers or self._tags)
            case "take_back":
                return view is not None and view.last_edit is not None
            case "turn":
                return view is not None and len(view.others) > 1
        return super().check_action(action, parameters)

    @property
    def _row(self) -> SheetRow | None:
        return self.query_one(SheetList).current if self.is_mounted else None

    # --- changing ----------------------------------------------------------------------------------

    def action_step(self, by: Literal[-1, 1]) -> None:
        row = self._row
        if row is not None and row.kind != "tag":
            self._set(row, self._numbers.get(row.key, row.number or 0) + by)

    def action_type_value(self) -> None:
        row = self._row
        if row is None or row.kind == "tag":
            return
        editor = EditTextScreen(f"{one_line(row.label)} {row.shown}", "", "A number (7), or a change (-3)")
        self.app.push_screen(editor, lambda words: self._typed(row, words))

    def _typed(self, row: SheetRow, words: str | None) -> None:
        if words is None:
            return
        found = _VALUE.fullmatch(words.strip())
        value = parse_number(found["digits"]) if found else MAX_TYPED_NUMBER + 1
        if found is None or value > MAX_TYPED_NUMBER:
            self._say(f"“{one_line(words)[:40]}” is no number. Type one (7), or a change (+2, -3).")
            return
        now = row.number or 0
        moves = {"": value, "+": now + value}
        self._set(row, moves.get(found["sign"], now - value))

    def _set(self, row: SheetRow, value: Number) -> None:
        """Note a number to be staged; back at what it was, there is nothing to stage."""
        if value == row.number and row.own:
            self._numbers.pop(row.key, None)
        else:
            self._numbers[row.key] = value
        past = (row.high is not None and value > row.high) or (row.low is not None and value < row.low)
        self._say(f"{row.label} goes from {row.low} to {row.high}; past that is your word." if past else "")
        self._draw()

    def action_put_on(self) -> None:
        view = self._view
        if view is None:
            return
        there = {row.key for row in view.rows if row.kind == "tag"}
        known = ", ".join(tag for tag in view.tags if tag not in there)
        hint = f"The rules know: {known}" if known else "Any words."
        self.app.push_screen(EditTextScreen(f"A tag for {one_line(view.name)}", "", hint), self._put_on)

    def _put_on(self, words: str | None) -> None:
        if words is None:
            return
        tag = one_line(words)
        if not _TAG.fullmatch(tag) or len(tag) > 40:
            self._say(f"“{tag[:40]}” is no tag: a tag is words, and at most 40 characters.")
            return
        self._tags[tag] = True
        self._draw()

    def action_take_off(self) -> None:
        row = self._row
        if row is None or row.kind != "tag":
            return
        if row.key in self._tags:  # put on, or taken off, just now: as it was
            del self._tags[row.key]
        else:
            self._tags[row.key] = False
        self._draw()

    # --- staging -----------------------------------------------------------------------------------

    def action_stage(self) -> None:
        if self._entity_id is not None and (self._numbers or self._tags):
            self.change(self._stage(self._entity_id, dict(self._numbers), dict(self._tags)), "stage")

    async def _stage(self, entity_id: Id, numbers: dict[str, Number], tags: dict[str, bool]) -> None:
        self.post_message(
            self.Staged(await self.services.play.edit_sheet(self.scene_id, entity_id, numbers, tags))
        )

    @on(Staged)
    def _staged(self, message: Staged) -> None:
        self._numbers.clear()
        self._tags.clear()
        self._suggested = message.reply.text or self._suggested
        self._say("\n".join(map(one_line, message.reply.lines)))
        self.reload()

    def action_take_back(self) -> None:
        if self._view is not None and self._view.last_edit is not None:
            self.change(self._take_back(self._view.last_edit), "take back")

    async def _take_back(self, proposal_id: Id) -> None:
        await self.services.gate.decide([proposal_id], Verdict.REJECT, reason="taken back on the sheet")

    # --- turning and leaving -----------------------------------------------------------------------

    def action_turn(self, by: Literal[-1, 1]) -> None:
        """On to somebody else's sheet. What was not staged stands on this one, and stays with it alone."""
        view = self._view
        if view is None or not view.others:
            return
        if self._numbers or self._tags:
            self._say("Stage what you changed first (Enter), or drop it (Esc).")
            return
        ids = [key for key, _ in view.others]
        place = ids.index(view.entity_id) if view.entity_id in ids else 0
        self._entity_id = ids[(place + by) % len(ids)]
        self._say("")
        self.reload()

    def action_leave(self) -> None:
        """One step back: what was changed is dropped first."""
        if self._numbers or self._tags:
            self._numbers.clear()
            self._tags.clear()
            self._say("Dropped.")
            self._draw()
        else:
            self.dismiss(self._suggested)

    def refused(self, error: BaseException, worker: str) -> None:
        """What could not be staged stays on the sheet, and is said."""
        if isinstance(error, MonitorError):
            self._say(str(error))
        else:
            super().refused(error, worker)


def _about(row: SheetRow) -> str:
    """Return what a line is for, and the ends that its rules give it."""
    ends = [f"{name} {end:g}" for name, end in (("least", row.low), ("most", row.high)) if end is not None]
    return " · ".join(filter(None, (row.meaning, ", ".join(ends))))
