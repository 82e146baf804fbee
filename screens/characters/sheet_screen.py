"""A character sheet to look at and to change; changes are staged on the GM's word, as `/state` does."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from agents.events import TransientEvent
from agents.typed_numbers import MAX_TYPED_NUMBER, parse_number
from screens.base import ServiceScreen
from screens.dialogs.text_dialog import TextDialog
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.title_bar import TitleBar
from stores.errors import InputError, MonitorError
from stores.records.ids import Id
from stores.records.workflow import Verdict
from stores.records.world import Number
from widgets.safe_text import one_line
from widgets.sheet_list import SheetEdit, SheetList, names_line

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.services import Services
    from agents.views.replies import Reply
    from agents.views.sheet_views import SheetRow, SheetView

_VALUE = re.compile(r"(?P<sign>[+−-]?)\s*(?P<digits>\d{1,10}(?:\.\d{1,4})?)")
_TAG = re.compile(r"[^\W\d](?:[\w '-]*\w)?")


class SheetScreen(ServiceScreen[str]):
    """Dismisses with a line for the prompt: what the rules suggest after the changes; mostly empty."""

    CSS_PATH = SCREENS_FOLDER / "characters/sheet_screen.tcss"
    AUTO_FOCUS = "SheetList"
    BINDING_GROUP_TITLE = "Sheet"
    BINDINGS = [
        Binding("plus,equals_sign", "step(1)", "More", id="sheet.more", tooltip="One more", key_display="+"),
        Binding("minus", "step(-1)", "Less", id="sheet.less", tooltip="One less", key_display="-"),
        Binding("e", "type_value", "Type", id="sheet.type", tooltip="Type a value, or a change like -3"),
        Binding("number_sign", "put_on", "Tag", id="sheet.tag", tooltip="Add a tag"),
        Binding("delete", "take_off", "Remove", id="sheet.take_off", tooltip="Remove this tag"),
        Binding(
            "enter", "stage", "Propose", id="sheet.stage", tooltip="Propose what was changed", key_display="⏎"
        ),
        Binding("u", "take_back", "Undo", id="sheet.take_back", tooltip="Reject your last change to it"),
        Binding(
            "left", "turn(-1)", "Previous sheet", id="sheet.before", tooltip="The previous character's sheet"
        ),
        Binding("right", "turn(1)", "Next sheet", id="sheet.after", tooltip="The next character's sheet"),
        Binding("escape,f5", "leave", "Back", id="sheet.leave", tooltip="Discard the changes, then leave"),
    ]

    @dataclass
    class SheetLoaded(Message):
        """The sheet as it is."""

        view: SheetView

    @dataclass
    class SheetStaged(Message):
        """The result of the changes."""

        reply: Reply

    def __init__(self, services: Services, scene_id: Id, entity_id: Id | None = None) -> None:
        super().__init__(services)
        self.scene_id = scene_id
        self._entity_id = entity_id
        self._view: SheetView | None = None
        self._changed_numbers: dict[str, Number] = {}
        self._changed_tags: dict[str, bool] = {}
        self._suggested_line = ""

    def compose(self) -> ComposeResult:
        yield TitleBar("Sheet")
        yield Static(id="names", markup=False)
        yield SheetList(empty="This sheet is empty. # adds a tag; /state NAME.hp = 10 adds a number.")
        yield Static(id="about", markup=False)
        yield Static(id="hints", markup=False)
        yield Static(id="status", markup=False)
        yield KeyBar()

    # --- reading and drawing -----------------------------------------------------------------------

    def is_affected_by(self, event: Event) -> bool:
        return not isinstance(event, TransientEvent)

    async def load_view(self) -> None:
        self.post_message(self.SheetLoaded(await self.services.play.sheet(self.scene_id, self._entity_id)))

    @on(SheetLoaded)
    def _show_sheet(self, message: SheetLoaded) -> None:
        if self._entity_id not in (None, message.view.entity_id):
            return  # the sheet was turned meanwhile; another reading is on its way
        self._view = message.view
        self._entity_id = message.view.entity_id
        self._refresh_sheet()

    def _refresh_sheet(self) -> None:
        view = self._view
        if view is None:
            return
        edit = SheetEdit(self._changed_numbers, self._changed_tags)
        self.query_one(TitleBar).show_place(view.name, view.system or "no rule pack")
        names = names_line(view.other_sheets, view.entity_id)
        parts = [Content.styled(text, style) for text, style in names]
        self.query_one("#names", Static).update(Content("   ").join(parts))
        self.query_one(SheetList).show_sheet(view.rows, edit, load_text=view.load_text, things=view.things)
        self.query_one("#hints", Static).update("\n".join(map(one_line, view.hints)))
        self.refresh_bindings()

    def _show_status(self, text: str) -> None:
        self.query_one("#status", Static).update(text)

    # --- what works now ----------------------------------------------------------------------------

    @on(SheetList.Highlighted)
    def _cursor_moved(self, message: SheetList.Highlighted) -> None:
        message.stop()
        self.query_one("#about", Static).update(_row_description(message.row) if message.row else "")
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        view, row = self._view, self._current_row
        match action:
            case "step" | "type_value":
                return row is not None and row.kind != "tag"
            case "take_off":
                return row is not None and row.kind == "tag"
            case "stage":
                return bool(self._changed_numbers or self._changed_tags)
            case "take_back":
                return view is not None and view.last_edit_id is not None
            case "turn":
                return view is not None and len(view.other_sheets) > 1
        return super().check_action(action, parameters)

    @property
    def _current_row(self) -> SheetRow | None:
        return self.query_one(SheetList).current if self.is_mounted else None

    # --- changing ----------------------------------------------------------------------------------

    def action_step(self, by: Literal[-1, 1]) -> None:
        row = self._current_row
        if row is not None and row.kind != "tag":
            self._set_number(row, self._changed_numbers.get(row.key, row.number or 0) + by)

    def action_type_value(self) -> None:
        row = self._current_row
        if row is None or row.kind == "tag":
            return
        editor = TextDialog(
            f"{one_line(row.label)} {row.value_text}",
            "",
            "A number (7), or a change (-3)",
            save_text=partial(self._apply_typed_value, row),
        )
        self.app.push_screen(editor)

    async def _apply_typed_value(self, row: SheetRow, typed_text: str) -> None:
        value_match = _VALUE.fullmatch(typed_text.strip())
        value = parse_number(value_match["digits"]) if value_match else MAX_TYPED_NUMBER + 1
        if value_match is None or value > MAX_TYPED_NUMBER:
            raise InputError(
                f"“{one_line(typed_text)[:40]}” is not a number.", todo="Type one (7), or a change (+2, -3)."
            )
        current_value = row.number or 0
        value_by_sign = {"": value, "+": current_value + value}
        self._set_number(row, value_by_sign.get(value_match["sign"], current_value - value))

    def _set_number(self, row: SheetRow, value: Number) -> None:
        """Note a number to be staged; back at its old value there is nothing to stage."""
        if value == row.number and row.is_on_sheet:
            self._changed_numbers.pop(row.key, None)
        else:
            self._changed_numbers[row.key] = value
        is_out_of_range = (row.maximum is not None and value > row.maximum) or (
            row.minimum is not None and value < row.minimum
        )
        self._show_status(
            f"{row.label} goes from {row.minimum} to {row.maximum} by the rules; your value is used anyway."
            if is_out_of_range
            else ""
        )
        self._refresh_sheet()

    def action_put_on(self) -> None:
        view = self._view
        if view is None:
            return
        present_tags = {row.key for row in view.rows if row.kind == "tag"}
        suggested_tags = ", ".join(tag for tag in view.known_tags if tag not in present_tags)
        hint = f"Tags of the rules: {suggested_tags}" if suggested_tags else "Any words."
        self.app.push_screen(
            TextDialog(f"A tag for {one_line(view.name)}", "", hint, save_text=self._add_tag)
        )

    async def _add_tag(self, typed_text: str) -> None:
        tag = one_line(typed_text)
        if not _TAG.fullmatch(tag) or len(tag) > 40:
            raise InputError(f"“{tag[:40]}” is not a tag.", todo="Use words, at most 40 characters.")
        self._changed_tags[tag] = True
        self._refresh_sheet()

    def action_take_off(self) -> None:
        row = self._current_row
        if row is None or row.kind != "tag":
            return
        if row.key in self._changed_tags:  # put on, or taken off, just now: as it was
            del self._changed_tags[row.key]
        else:
            self._changed_tags[row.key] = False
        self._refresh_sheet()

    # --- staging -----------------------------------------------------------------------------------

    def action_stage(self) -> None:
        if self._entity_id is not None and (self._changed_numbers or self._changed_tags):
            self.start_change(
                partial(
                    self._stage_changes,
                    self._entity_id,
                    dict(self._changed_numbers),
                    dict(self._changed_tags),
                ),
                "stage",
            )

    async def _stage_changes(self, entity_id: Id, numbers: dict[str, Number], tags: dict[str, bool]) -> None:
        self.post_message(
            self.SheetStaged(await self.services.play.edit_sheet(self.scene_id, entity_id, numbers, tags))
        )

    @on(SheetStaged)
    def _changes_staged(self, message: SheetStaged) -> None:
        self._changed_numbers.clear()
        self._changed_tags.clear()
        self._suggested_line = message.reply.suggested_line or self._suggested_line
        self._show_status("\n".join(map(one_line, message.reply.lines)))
        self.reload()

    def action_take_back(self) -> None:
        if self._view is not None and self._view.last_edit_id is not None:
            self.start_change(partial(self._reject_last_edit, self._view.last_edit_id), "take back")

    async def _reject_last_edit(self, proposal_id: Id) -> None:
        await self.services.gate.decide([proposal_id], Verdict.REJECT, reason="undone on the sheet")

    # --- turning and leaving -----------------------------------------------------------------------

    def action_turn(self, by: Literal[-1, 1]) -> None:
        """Show the next sheet. Changes that are not staged stay on this one."""
        view = self._view
        if view is None or not view.other_sheets:
            return
        if self._changed_numbers or self._changed_tags:
            self._show_status("First propose your changes (Enter) or discard them (Esc).")
            return
        ids = [key for key, _ in view.other_sheets]
        sheet_index = ids.index(view.entity_id) if view.entity_id in ids else 0
        self._entity_id = ids[(sheet_index + by) % len(ids)]
        self._show_status("")
        self.reload()

    def action_leave(self) -> None:
        """Go one step back: discard the changes, then leave."""
        if self._changed_numbers or self._changed_tags:
            self._changed_numbers.clear()
            self._changed_tags.clear()
            self._show_status("Changes discarded.")
            self._refresh_sheet()
        else:
            self.dismiss(self._suggested_line)

    def handle_error(self, error: BaseException, worker: str) -> None:
        """Show the error; what could not be staged stays on the sheet."""
        if isinstance(error, MonitorError):
            self._show_status(str(error))
        else:
            super().handle_error(error, worker)


def _row_description(row: SheetRow) -> str:
    """Return what a row is for, and its limits by the rules."""
    range_texts = [
        f"{name} {end:g}" for name, end in (("least", row.minimum), ("most", row.maximum)) if end is not None
    ]
    return " · ".join(filter(None, (row.meaning, ", ".join(range_texts))))
