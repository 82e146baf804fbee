"""Canon at a moment of world time, as it was known at a moment of record time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.message import Message
from textual.widgets import Input

from screens.dialogs.field_problems import clear_field_problem, show_field_problem
from screens.dialogs.form_fields import Field, FieldInput
from screens.folder import SCREENS_FOLDER
from screens.notice_panel import NoticePanel
from screens.routes import ToHistory, Visit
from screens.world.mention_list_screen import MentionListScreen
from screens.world.world_forms import fact_edit_form
from stores.errors import InputError
from stores.records.ids import Id
from widgets.mention_list import CanonMention, MentionSection

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.card_views import FactView
    from agents.views.world_views import CanonMomentView, StagedEdits


MOMENT_FIELDS = ("when", "recorded", "search")


class MomentScreen(MentionListScreen):
    """Two moments and a search; Enter in any of the three fields applies them."""

    CSS_PATH = SCREENS_FOLDER / "world/mention_list_screen.tcss"
    AUTO_FOCUS = "#search"
    BINDING_GROUP_TITLE = "Canon at a time"
    NAME = "Canon at a time"
    BINDINGS = [
        Binding("e", "correct", "Edit", id="moment.correct", tooltip="Edit this fact"),
        Binding("h", "history", "History", id="moment.history", tooltip="How this changed"),
        Binding(
            "slash", "edit", "Other time", id="moment.edit", tooltip="Type another time", key_display="/"
        ),
    ]

    @dataclass
    class MomentLoaded(Message):
        view: CanonMomentView

    def __init__(self, services: Services, universe_id: Id) -> None:
        super().__init__(services)
        self.universe_id = universe_id
        self._submitted_fields = ("", "", "")

    def compose_top(self) -> ComposeResult:
        yield Field("In the world", "when", hint="e.g. day 3 dusk, always; empty: now")
        yield Field("Known on", "recorded", hint="e.g. 2026-01-31 20:00; empty: today")
        yield Field("With the words", "search", hint="part of a sentence")

    async def load_page(self) -> None:
        assert self.universe_id is not None
        when, known_on, search = self._submitted_fields
        self.post_message(
            self.MomentLoaded(
                await self.services.world.provenance.read_canon_at(self.universe_id, when, known_on, search)
            )
        )

    @on(MomentLoaded)
    def _show_moment(self, message: MomentLoaded) -> None:
        view = message.view
        self.query_one(NoticePanel).clear()
        known_note = f", as known on {view.record_time}" if view.record_time else ""
        self.show_title(
            f"{view.universe.name} · {view.world_time or 'any time'}{known_note}", _fact_count(view)
        )
        self.mention_list.empty = (
            "No fact with these words was true then." if view.total_count else "No facts were known then."
        )
        mentions = [CanonMention(fact) for fact in view.facts]
        self.mention_list.show_sections([MentionSection(mentions=mentions)] if mentions else [])
        self.refresh_bindings()

    def handle_error(self, error: BaseException, worker_name: str) -> None:
        if not (isinstance(error, InputError) and show_field_problem(self, error)):
            super().handle_error(error, worker_name)

    @on(Input.Submitted)
    def _submit_fields(self, message: Input.Submitted) -> None:
        message.stop()
        clear_field_problem(self)
        when, known_on, search = (self.query_one(f"#{id}", FieldInput).value for id in MOMENT_FIELDS)
        self._submitted_fields = (when, known_on, search)
        self.reload()
        if message.input.id == "search":
            self.mention_list.focus()

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "history":
                return self.is_list_focused and self.current_mention is not None
            case "correct":
                return self.is_list_focused and self._current_fact is not None
            case "edit":
                return self.is_list_focused
        return super().check_action(action, parameters)

    @property
    def _current_fact(self) -> FactView | None:
        """The fact under the cursor, if it still holds."""
        fact = self.current_mention.fact if self.current_mention else None
        return fact if fact is not None and fact.is_current else None

    def action_correct(self) -> None:
        """Edit a fact: one that names nobody, as most lore does, is on no card."""
        if (fact := self._current_fact) is not None:
            self.query_one(NoticePanel).clear()
            self.app.push_screen(fact_edit_form(self.services.world, fact, {}), self._form_closed)

    def _form_closed(self, staged_edits: StagedEdits | None) -> None:
        if staged_edits is not None:
            self.query_one(NoticePanel).show_lines(staged_edits.lines)

    def action_history(self) -> None:
        if self.current_mention is not None and (fact := self.current_mention.fact):
            self.post_message(Visit(ToHistory(fact.fact.id)))

    def action_escape(self) -> None:
        if not clear_field_problem(self):
            super().action_escape()

    def action_edit(self) -> None:
        self.query_one("#when").focus()

    def escape_leads_to_list(self, focused: object) -> bool:
        return False


def _fact_count(view: CanonMomentView) -> str:
    """Return how many facts hold at this time; others on record held at other times."""
    shown_count = len(view.facts)
    facts = f"{view.total_count:,} fact{'' if view.total_count == 1 else 's'} true then"
    return f"{shown_count:,} of {facts}" if shown_count < view.total_count else facts
