"""One prompt to be changed: the model that is asked, how its words are chosen, and the text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input, Static, TextArea

from agents.services.prompt_editing import show_stop
from agents.views.llm_views import PromptEdit, PromptView
from screens.base import ServiceScreen
from screens.dialogs.confirm_dialog import ConfirmDialog
from screens.dialogs.field_problems import clear_field_problem, show_field_problem
from screens.dialogs.form_fields import Field, FieldInput
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.title_bar import TitleBar
from stores.errors import InputError

if TYPE_CHECKING:
    from agents.services.services import Services

FIELDS: Final = ("model", "temperature", "top_p", "max_tokens", "stop")
_LINE = re.compile(r"\bline (\d+)")


class PromptEditScreen(ServiceScreen[None]):
    """A form over an editor; what is refused stays as it was typed, with the reason at its field."""

    CSS_PATH = SCREENS_FOLDER / "llm/prompts_screen.tcss"
    AUTO_FOCUS = "TextArea"
    BINDING_GROUP_TITLE = "Prompt"
    BINDINGS = [
        Binding("ctrl+s", "save", "Save", id="prompt_edit.save", tooltip="Check and save it", priority=True),
        Binding(
            "escape", "leave", "Back", id="prompt_edit.leave", tooltip="Back to the prompts", priority=True
        ),
    ]

    @dataclass
    class PromptSaved(Message):
        view: PromptView

    def __init__(self, services: Services, view: PromptView) -> None:
        super().__init__(services)
        self._view = view
        self._saved_edit = _edit_of(view)

    def compose(self) -> ComposeResult:
        view, edit = self._view, self._saved_edit
        default_model = "empty: the default model" + (
            f", {view.model}" if not view.own_model and view.model else ""
        )
        yield TitleBar("Prompt")
        with Vertical(id="page"):
            with Vertical(id="samplers"):
                yield Field("Model", "model", value=edit.model, hint=default_model)
                yield Field(
                    "Temperature",
                    "temperature",
                    value=edit.temperature,
                    explanation=f"0 to 2, freer when higher; empty: {view.prompt_temperature:g}",
                )
                yield Field(
                    "Top p",
                    "top_p",
                    value=edit.top_p,
                    explanation="to 1, the share of likely words; empty: all",
                )
                yield Field(
                    "Most tokens",
                    "max_tokens",
                    value=edit.max_tokens,
                    explanation=f"of an answer; empty: {view.prompt_max_tokens:,}",
                )
                yield Field(
                    "Stop at",
                    "stop",
                    value=edit.stop,
                    explanation="with commas; \\n is the end of a line",
                )
            needs = f"The text has to send: {', '.join(view.needs)}." if view.needs else "The text, as YAML."
            yield Static(needs, id="needs", markup=False)
            yield TextArea(edit.text, id="prompt", show_line_numbers=True, compact=True, tab_behavior="focus")
        yield NoticePanel()
        yield KeyBar()

    def on_mount(self) -> None:
        self._show_place()
        if self._view.problem:
            self.query_one(NoticePanel).show_lines((self._view.problem,), "warning")

    def _show_place(self) -> None:
        place = f"yours: prompts/{self._view.file_name}" if self._view.file_name else "bundled"
        self.query_one(TitleBar).show_place(self._view.name, place)

    @on(Input.Submitted)
    def _go_on(self, message: Input.Submitted) -> None:
        message.stop()
        self.focus_next()

    @on(Input.Changed)
    @on(TextArea.Changed)
    def _clear_problem(self) -> None:
        clear_field_problem(self)

    def _typed_edit(self) -> PromptEdit:
        typed = {name: self.query_one(f"#{name}", FieldInput).value.strip() for name in FIELDS}
        text = self.query_one(TextArea).text
        return PromptEdit(self._view.persona, self._view.task, text=text, **typed)

    def action_save(self) -> None:
        """Save what is typed, after keys that are still on their way into the field."""
        (self.focused or self).call_later(self._start_save)

    def _start_save(self) -> None:
        clear_field_problem(self)
        self.query_one(NoticePanel).clear()
        self.start_change(partial(self._save_prompt, self._typed_edit()), "save")

    async def _save_prompt(self, edit: PromptEdit) -> None:
        views = await self.services.llm.save_prompt(edit)
        view = next(v for v in views if (v.persona, v.task) == (edit.persona, edit.task))
        self.post_message(self.PromptSaved(view))

    @on(PromptSaved)
    def _prompt_saved(self, message: PromptSaved) -> None:
        self._view = message.view
        self._saved_edit = _edit_of(message.view)
        self._show_place()
        self.query_one(NoticePanel).show_lines(
            ("Saved. It holds from the next call on; X-ray says which was sent.",)
        )

    def action_leave(self) -> None:
        """Leave; ask first if there is something that is not saved."""
        if _is_same(self._typed_edit(), self._saved_edit):
            self.dismiss(None)
            return
        dialog = ConfirmDialog(
            "Leave without saving?", "The prompt stays as it was.", yes="Leave", no="Keep editing"
        )
        self.app.push_screen(dialog, self._apply_leave_answer)

    def _apply_leave_answer(self, is_confirmed: bool | None) -> None:
        if is_confirmed:
            self.dismiss(None)

    def handle_error(self, error: BaseException, worker: str) -> None:
        """Say at the field what is wrong with it, with the cursor on its line."""
        if not (isinstance(error, InputError) and show_field_problem(self, error)):
            super().handle_error(error, worker)
        elif error.field == "prompt" and (line := _LINE.search(error.what)) is not None:
            area = self.query_one(TextArea)
            area.move_cursor((min(int(line[1]), area.document.line_count) - 1, 0))


def _edit_of(view: PromptView) -> PromptEdit:
    """Return what the form shows of a prompt as it is."""
    return PromptEdit(
        view.persona,
        view.task,
        model=view.own_model,
        temperature="" if view.temperature is None else f"{view.temperature:g}",
        top_p="" if view.top_p is None else f"{view.top_p:g}",
        max_tokens=str(view.max_tokens or ""),
        stop=",".join(map(show_stop, view.stop)),
        text=view.text,
    )


def _is_same(one: PromptEdit, other: PromptEdit) -> bool:
    return (*(getattr(one, name) for name in FIELDS), one.text.strip()) == (
        *(getattr(other, name) for name in FIELDS),
        other.text.strip(),
    )
