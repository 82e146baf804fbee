"""The GM's hand on those who live in a world: bring in, edit, play their sheet, have them misremember."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding
from textual.message import Message

from agents.views.character_views import MemoryView
from agents.views.play_views import FactView
from agents.views.world_views import Staged
from screens.aside import Aside
from screens.edit_text import EditTextScreen
from screens.evidence_panel import EvidenceScreen
from screens.fields import Choice, Field, Form, Words
from screens.form_dialog import FormDialog
from screens.routes import ToGate, ToUniverse, Visit
from screens.sheet import SheetScreen
from screens.world_forms import edit_entity
from widgets.portrait import Portrait
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.character_views import CharacterView, KnownView
    from agents.views.play_views import Reply
    from stores.records.ids import Id

NOBODY = "Nobody remembers anything of it."
MISREMEMBER = (
    "In their words. Canon is not touched, and what was lived stays beneath it. Empty: as it was lived."
)


class CharactersHand(EvidenceScreen):
    """A screen with somebody on it. Keys mean them, or the row under the cursor."""

    BINDINGS = [
        Binding("n", "new", "New", id="people.new", tooltip="Bring somebody into this world"),
        Binding("e", "edit", "Edit", id="people.edit", tooltip="Name, description, numbers and tags"),
        Binding("s", "sheet", "Sheet", id="people.sheet", tooltip="Their sheet, as it is played"),
        Binding(
            "m",
            "misremember",
            "Misremember",
            id="people.misremember",
            tooltip="How they remember it",
        ),
        Binding("w", "who_knows", "Who knows", id="people.who_knows", tooltip="Who knows of this"),
        Binding("c", "card", "Card", id="people.card", tooltip="All that canon says of them"),
        Binding("g", "gate", "Gate", id="people.gate", tooltip="What waits for your decision in this world"),
    ]

    universe_id: Id | None = None
    view: CharacterView | None = None
    """Who is shown, as they were read last."""

    @dataclass
    class Changed(Message):
        """Something is otherwise now."""

        reply: Reply

    @dataclass
    class Known(Message):
        """Who knows of something, and of what."""

        what: str
        known: tuple[KnownView, ...]

    @property
    def memory(self) -> MemoryView | None:
        """The memory under the cursor."""
        current = self._current
        return current if isinstance(current, MemoryView) else None

    @property
    def fact_id(self) -> Id | None:
        """The fact under the cursor, or the one that the memory there is of."""
        current = self._current
        if isinstance(current, FactView):
            return current.fact.id
        return current.memory.linked_fact_id if isinstance(current, MemoryView) else None

    @property
    def _current(self) -> object:
        shown = self.query(Portrait)
        return shown.first().current if shown and shown.first().has_focus else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "new" | "gate":
                return self.universe_id is not None
            case "edit" | "card":
                return self.view is not None
            case "sheet":
                return self.view is not None and self.view.scene_id is not None
            case "misremember":
                return self.memory is not None
            case "who_knows":
                return self.fact_id is not None
        return super().check_action(action, parameters)

    # --- bringing in, and editing ------------------------------------------------------------------

    def action_new(self) -> None:
        if self.universe_id is not None:
            self.query_one(Aside).clear()
            dialog = NewCharacterDialog(self.services, self.universe_id)
            self.app.push_screen(dialog, lambda _: self._brought_in(dialog))

    def _brought_in(self, dialog: NewCharacterDialog) -> None:
        if dialog.reply is not None:
            self.post_message(self.Changed(dialog.reply))

    def action_edit(self) -> None:
        if self.view is not None:
            self.query_one(Aside).clear()
            self.app.push_screen(edit_entity(self.services.world, self.view.card.entity), self._edited)

    def _edited(self, staged: Staged | None) -> None:
        if staged is not None:
            self.query_one(Aside).say(staged.lines)

    def action_sheet(self) -> None:
        if self.view is not None and self.view.scene_id is not None:
            entity_id = self.view.card.entity.id
            sheet = SheetScreen(self.services, self.view.scene_id, entity_id)
            self.app.push_screen(sheet, lambda _: self.reload())

    # --- memories ----------------------------------------------------------------------------------

    def action_misremember(self) -> None:
        if (memory := self.memory) is not None:
            editor = EditTextScreen("As they remember it", memory.memory.text, MISREMEMBER, optional=True)
            self.app.push_screen(editor, lambda words: self._misremembered(memory.memory.id, words))

    def _misremembered(self, memory_id: Id, words: str | None) -> None:
        if words is not None:
            self.change(self._misremember(memory_id, words), "misremember")

    async def _misremember(self, memory_id: Id, words: str) -> None:
        self.post_message(self.Changed(await self.services.characters.misremember(memory_id, words)))

    @on(Changed)
    def _changed(self, message: Changed) -> None:
        self.query_one(Aside).say(message.reply.lines, message.reply.severity)
        self.reload()

    # --- who knows ---------------------------------------------------------------------------------

    def action_who_knows(self) -> None:
        current, fact_id = self._current, self.fact_id
        if fact_id is not None:
            words = current.fact.statement if isinstance(current, FactView) else ""
            if isinstance(current, MemoryView):
                words = current.truth or current.memory.text
            self.run_worker(self._ask_who(fact_id, words), group="who", exclusive=True, exit_on_error=False)

    async def _ask_who(self, fact_id: Id, words: str) -> None:
        self.post_message(self.Known(words, await self.services.characters.who_knows(fact_id)))

    @on(Known)
    def _tell_who(self, message: Known) -> None:
        lines = tuple(map(known_line, message.known)) or (NOBODY,)
        self.query_one(Aside).say((f"Who knows: {one_line(message.what)}", *lines))

    # --- elsewhere ---------------------------------------------------------------------------------

    def action_card(self) -> None:
        if self.view is not None:
            entity_id = self.view.card.entity.id
            self.post_message(Visit(ToUniverse(self.universe_id, entity_id, beside_play=True)))

    def action_gate(self) -> None:
        self.query_one(Aside).clear()
        self.post_message(Visit(ToGate(None, self.universe_id)))


class NewCharacterDialog(FormDialog):
    """Somebody new. What came of it is in `reply`."""

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

        async def create(form: Form) -> Staged:
            is_pc = form["who"] == "pc"
            self.reply = await services.characters.create(
                universe_id, form["name"], form["description"], is_pc=is_pc
            )
            return Staged((), (), 0)

        whose = [("npc", "played by the GM"), ("pc", "a player character")]
        fields = (Field("Name", "name"), Words("Description", "description"), Choice("Who", whose, id="who"))
        super().__init__("Somebody new", fields, create, hint="On your word they are in canon at once.")


def known_line(view: KnownView) -> str:
    """Say who knows, since when, how, and whether they have it right."""
    source = f"told by {one_line(view.from_whom)}" if view.from_whom else view.how
    wrong = "has it wrong" if view.mistaken else ""
    gone = "forgotten by now" if view.forgotten else ""
    return ", ".join(filter(None, (f"{one_line(view.name)}: since {view.since}", source, wrong, gone)))
