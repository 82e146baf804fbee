"""The actions on characters: create, edit, open their sheet, have them misremember."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding
from textual.message import Message

from agents.views.card_views import FactView
from agents.views.character_views import MemoryView
from agents.views.world_views import StagedEdits
from screens.base import ServiceScreen
from screens.characters.sheet_screen import SheetScreen
from screens.dialogs.answer_check import save_then_show
from screens.dialogs.form_dialog import FormDialog
from screens.dialogs.form_fields import ChoiceField, Field, FormPage, TextField
from screens.dialogs.text_dialog import TextDialog
from screens.notice_panel import NoticePanel
from screens.routes import ToGate, ToUniverse, Visit
from screens.world.world_forms import entity_edit_form
from widgets.character_pane import CharacterPane
from widgets.safe_text import one_line
from widgets.worker import start_worker

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.character_views import CharacterView, KnowledgeView
    from agents.views.replies import Reply
    from stores.records.ids import Id

NOBODY_KNOWS = "Nobody remembers it."
MISREMEMBER_HINT = (
    "In their words. Canon stays as it is, and the original memory is kept. Empty: the original."
)


class CharacterEditScreen(ServiceScreen[None]):
    """A screen with a character on it. Keys act on the character, or on the row under the cursor."""

    BINDINGS = [
        Binding("n", "new", "New", id="people.new", tooltip="Bring somebody into this world"),
        Binding("e", "edit", "Edit", id="people.edit", tooltip="Name, description, numbers and tags"),
        Binding("s", "sheet", "Sheet", id="people.sheet", tooltip="Their sheet, as it is played"),
        Binding(
            "F",
            "misremember",
            "Misremember",
            id="people.misremember",
            tooltip="How they remember it",
        ),
        Binding("w", "who_knows", "Who knows", id="people.who_knows", tooltip="Who knows of this"),
        Binding("o", "card", "Card", id="people.card", tooltip="All that canon says of them"),
        Binding("g", "gate", "Gate", id="people.gate", tooltip="What waits for your decision in this world"),
    ]

    universe_id: Id | None = None
    view: CharacterView | None = None
    """Who is shown, as they were read last."""

    @dataclass
    class CharacterChanged(Message):
        """A character has changed."""

        reply: Reply

    @dataclass
    class KnowersLoaded(Message):
        """Who knows a fact, and which fact."""

        statement: str
        knowers: tuple[KnowledgeView, ...]

    @property
    def current_memory(self) -> MemoryView | None:
        """The memory under the cursor."""
        current = self._current_item
        return current if isinstance(current, MemoryView) else None

    @property
    def current_fact_id(self) -> Id | None:
        """The fact under the cursor, or the fact that the memory there is about."""
        current = self._current_item
        if isinstance(current, FactView):
            return current.fact.id
        return current.memory.linked_fact_id if isinstance(current, MemoryView) else None

    @property
    def _current_item(self) -> object:
        panes = self.query(CharacterPane)
        return panes.first().current if panes and panes.first().has_focus else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "new" | "gate":
                return self.universe_id is not None
            case "edit" | "card":
                return self.view is not None
            case "sheet":
                return self.view is not None and self.view.scene_id is not None
            case "misremember":
                return self.current_memory is not None
            case "who_knows":
                return self.current_fact_id is not None
        return super().check_action(action, parameters)

    # --- bringing in, and editing ------------------------------------------------------------------

    def action_new(self) -> None:
        if self.universe_id is not None:
            self.query_one(NoticePanel).clear()
            dialog = NewCharacterDialog(self.services, self.universe_id)
            self.app.push_screen(dialog, lambda _: self._new_character_closed(dialog))

    def _new_character_closed(self, dialog: NewCharacterDialog) -> None:
        if dialog.reply is not None:
            self.post_message(self.CharacterChanged(dialog.reply))

    def action_edit(self) -> None:
        if self.view is not None:
            self.query_one(NoticePanel).clear()
            self.app.push_screen(
                entity_edit_form(self.services.world, self.view.card.entity), self._entity_edit_closed
            )

    def _entity_edit_closed(self, staged_edits: StagedEdits | None) -> None:
        if staged_edits is not None:
            self.query_one(NoticePanel).show_lines(staged_edits.lines)

    def action_sheet(self) -> None:
        if self.view is not None and self.view.scene_id is not None:
            entity_id = self.view.card.entity.id
            sheet = SheetScreen(self.services, self.view.scene_id, entity_id)
            self.app.push_screen(sheet, lambda _: self.reload())

    # --- memories ----------------------------------------------------------------------------------

    def action_misremember(self) -> None:
        if (memory := self.current_memory) is not None:
            save_memory, show_change = save_then_show(
                partial(self.services.characters.misremember, memory.memory.id),
                lambda reply: self.post_message(self.CharacterChanged(reply)),
            )
            editor = TextDialog(
                "As they remember it",
                memory.memory.text,
                MISREMEMBER_HINT,
                is_optional=True,
                save_text=save_memory,
            )
            self.app.push_screen(editor, show_change)

    @on(CharacterChanged)
    def _show_change(self, message: CharacterChanged) -> None:
        self.query_one(NoticePanel).show_lines(message.reply.lines, message.reply.severity)
        self.reload()

    # --- who knows ---------------------------------------------------------------------------------

    def action_who_knows(self) -> None:
        current_item, fact_id = self._current_item, self.current_fact_id
        if fact_id is not None:
            statement = current_item.fact.statement if isinstance(current_item, FactView) else ""
            if isinstance(current_item, MemoryView):
                statement = current_item.canon_statement or current_item.memory.text
            start_worker(
                self, partial(self._load_knowers, fact_id, statement), "who knows", is_exclusive=True
            )

    async def _load_knowers(self, fact_id: Id, statement: str) -> None:
        self.post_message(
            self.KnowersLoaded(statement, await self.services.characters.find_who_knows(fact_id))
        )

    @on(KnowersLoaded)
    def _show_knowers(self, message: KnowersLoaded) -> None:
        lines = tuple(map(knower_line, message.knowers)) or (NOBODY_KNOWS,)
        self.query_one(NoticePanel).show_lines((f"Who knows: {one_line(message.statement)}", *lines))

    # --- elsewhere ---------------------------------------------------------------------------------

    def action_card(self) -> None:
        if self.view is not None:
            entity_id = self.view.card.entity.id
            self.post_message(Visit(ToUniverse(self.universe_id, entity_id, beside_play=True)))

    def action_gate(self) -> None:
        self.query_one(NoticePanel).clear()
        self.post_message(Visit(ToGate(None, self.universe_id)))


class NewCharacterDialog(FormDialog):
    """Creates a character; the result is in `reply`."""

    BINDINGS = [
        Binding(
            "enter",
            "stage",
            "Bring in",
            id="people.bring_in",
            tooltip="Into canon",
            priority=True,
        ),
    ]

    def __init__(self, services: Services, universe_id: Id) -> None:
        self.reply: Reply | None = None

        async def create(form: FormPage) -> StagedEdits:
            is_pc = form["who"] == "pc"
            self.reply = await services.characters.create_character(
                universe_id, form["name"], form["description"], is_pc=is_pc
            )
            return StagedEdits((), (), 0)

        role_options = [("npc", "played by the GM"), ("pc", "a player character")]
        fields = (
            Field("Name", "name"),
            TextField("Description", "description"),
            ChoiceField("Who", role_options, id="who"),
        )
        super().__init__("New character", fields, create, hint="They become canon at once.")


def knower_line(view: KnowledgeView) -> str:
    """Return who knows a fact, since when, how, and whether they are right."""
    source = f"heard from {one_line(view.from_whom)}" if view.from_whom else view.how
    since_note = f"since {view.since}, " if view.since else ""
    mistaken_note = "mistaken" if view.mistaken else ""
    forgotten_note = "forgotten by now" if view.forgotten else ""
    return ", ".join(
        filter(None, (f"{one_line(view.name)}: {since_note}{source}", mistaken_note, forgotten_note))
    )
