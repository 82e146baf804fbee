"""The GM's hand on what the Universe screen shows: a key for each edit, and for each look behind a fact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding
from textual.message import Message

from agents.views.world_views import at_the_gate
from screens.aside import Aside
from screens.evidence_panel import EvidenceScreen
from screens.routes import ToGate, ToHouse, Visit
from screens.title_bar import TitleBar
from screens.world_forms import FACT, NewDialog, can_end, edit_entity, edit_fact, end_fact
from screens.world_routes import (
    ToHistory,
    ToLedger,
    ToLookalikes,
    ToMoment,
    ToRetcon,
    ToTakenBack,
    ToTies,
    ToTimeline,
)
from stores.records.ids import Id
from widgets.entity_card import EntityCardView
from widgets.entity_tree import EntityTree

if TYPE_CHECKING:
    from agents.views.play_views import FactView
    from agents.views.world_views import Staged
    from screens.form_dialog import FormDialog
    from stores.records.world import Entity

_OF_ENTITY = ("edit", "lock", "merge", "retcon", "ties", "basis")
_OF_WORLD = ("house", "new", "moment", "timeline", "ledger", "taken_back", "export", "gate")


class WorldHand(EvidenceScreen):
    """A screen with a tree and a card. Keys mean the fact under the card's cursor, or else the entity."""

    BINDINGS = [
        Binding("e", "edit", "Edit", id="universe.edit", tooltip="Change what is shown: entity or fact"),
        Binding("n", "new", "New", id="universe.new", tooltip="A new thing, fact or rule of the world"),
        Binding("d", "end", "End", id="universe.end", tooltip="This fact is no longer so"),
        Binding("h", "history", "Past", id="universe.history", tooltip="How this used to be"),
        Binding(
            "R",
            "retcon",
            "Retcon",
            id="universe.retcon",
            tooltip="It was never so; on what was retconned: it is so again",
        ),
        Binding("L", "lock", "Lock", id="universe.lock", tooltip="Lock or unlock: only your word changes it"),
        Binding("m", "merge", "Merge", id="universe.merge", tooltip="Who may be the same; make two one"),
        Binding("t", "moment", "Time", id="universe.moment", tooltip="Canon at a time, as known on a day"),
        Binding("p", "ledger", "Promises", id="universe.ledger", tooltip="Promises, debts, open questions"),
        Binding("v", "ties", "Ties", id="universe.ties", tooltip="The map of relations around this"),
        Binding("T", "timeline", "Timeline", id="universe.timeline", tooltip="What happened when"),
        Binding(
            "b",
            "taken_back",
            "Taken back",
            id="universe.taken_back",
            tooltip="What was retconned or merged away, to restore it",
            show=False,
        ),
        Binding(
            "x", "basis", "Evidence", id="universe.basis", tooltip="What this thing rests on", show=False
        ),
        Binding(
            "X",
            "export",
            "Export",
            id="universe.export",
            tooltip="Write this world, whole, to an archive",
            show=False,
        ),
        Binding(
            "P",
            "house",
            "House",
            id="universe.house",
            tooltip="House rules: what this world's gate decides by itself",
            show=False,
        ),
        Binding("g", "gate", "Gate", id="universe.gate", tooltip="What waits for your decision here"),
    ]

    universe_id: Id | None = None

    @dataclass
    class HandStaged(Message):
        """An edit waits at the gate."""

        staged: Staged

    @dataclass
    class Exported(Message):
        """The world is in an archive."""

        where: str

    # --- what the keys mean ------------------------------------------------------------------------

    @property
    def entity(self) -> Entity | None:
        """The entity whose card is shown."""
        view = self.query(EntityCardView)
        card = view.first().card if view else None
        return card.entity if card else None

    @property
    def fact(self) -> FactView | None:
        """The fact under the cursor, while one stands on the card."""
        view = self.query(EntityCardView)
        row = view.first().current if view and not self.query_one(EntityTree).has_focus else None
        return row.fact if row else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "end":
            return self.fact is not None and can_end(self.fact)
        if action == "history":
            return self.fact is not None
        if action in _OF_ENTITY:
            return self.entity is not None and self.query_one(EntityTree).display
        if action in _OF_WORLD:
            return self.universe_id is not None
        return super().check_action(action, parameters)

    def show_waiting(self, place: str, state: str, waiting: int) -> None:
        """Say in the title where we are, and how much waits at the gate."""
        self.query_one(TitleBar).show(place, at_the_gate(waiting) or state)

    @on(EntityCardView.Highlighted)
    def _other_fact(self, message: EntityCardView.Highlighted) -> None:
        message.stop()
        self.refresh_bindings()

    # --- edits -------------------------------------------------------------------------------------

    def _ask(self, dialog: FormDialog) -> None:
        self.query_one(Aside).clear()
        self.app.push_screen(dialog, self._asked)

    def _asked(self, staged: Staged | None) -> None:
        if staged is not None:
            self.query_one(Aside).say(staged.lines)

    def action_edit(self) -> None:
        if (fact := self.fact) is not None:
            self._ask(edit_fact(self.services.world, fact, self._names()))
        elif (entity := self.entity) is not None:
            self._ask(edit_entity(self.services.world, entity))

    def _names(self) -> dict[Id, str]:
        """Return the names of those who stand on the card."""
        card = self.query_one(EntityCardView).card
        if card is None:
            return {}
        return {card.entity.id: card.entity.name, **{other.id: other.name for _, other, _ in card.relations}}

    def action_new(self) -> None:
        """A fact about whom the card is of; from the tree, something of the kind under the cursor."""
        if self.universe_id is None:
            return
        entity = self.entity
        on_tree = self.query_one(EntityTree).has_focus
        what = entity.kind.value if entity and on_tree else FACT
        words = f"{entity.name} " if entity and not on_tree else ""
        self._ask(NewDialog(self.services.world, self.universe_id, what, words))

    def action_end(self) -> None:
        if (fact := self.fact) is not None:
            self._ask(end_fact(self.services.world, fact.fact))

    def action_lock(self) -> None:
        if (entity := self.entity) is not None:
            self.query_one(Aside).clear()
            self.change(self._lock(entity), "lock")

    async def _lock(self, entity: Entity) -> None:
        self.post_message(self.HandStaged(await self.services.world.edits.lock(entity.id, not entity.locked)))

    @on(HandStaged)
    def _staged(self, message: HandStaged) -> None:
        self.query_one(Aside).say(message.staged.lines)

    # --- the whole of it ---------------------------------------------------------------------------

    def action_export(self) -> None:
        if self.universe_id is not None:
            self.query_one(Aside).say(("Exporting ...",))
            self.change(self._export(self.universe_id), "export")

    async def _export(self, universe_id: Id) -> None:
        self.post_message(self.Exported(await self.services.world.export(universe_id)))

    @on(Exported)
    def _exported(self, message: Exported) -> None:
        self.query_one(Aside).say((f"Exported, whole, to {message.where}",))

    # --- looking behind it -------------------------------------------------------------------------

    def action_basis(self) -> None:
        if (entity := self.entity) is not None:
            self.show_evidence(entity.id, entity.name)

    def action_retcon(self) -> None:
        subject = self.fact.fact.id if self.fact else self.entity.id if self.entity else None
        if subject is not None:
            self.post_message(Visit(ToRetcon(subject)))

    def action_history(self) -> None:
        if (fact := self.fact) is not None:
            self.post_message(Visit(ToHistory(fact.fact.id)))

    def action_merge(self) -> None:
        if (entity := self.entity) is not None:
            self.post_message(Visit(ToLookalikes(entity.universe_id, entity.id)))

    def action_ties(self) -> None:
        if (entity := self.entity) is not None:
            self.post_message(Visit(ToTies(entity.id)))

    def action_moment(self) -> None:
        if self.universe_id is not None:
            self.post_message(Visit(ToMoment(self.universe_id)))

    def action_timeline(self) -> None:
        if self.universe_id is not None:
            self.post_message(Visit(ToTimeline(self.universe_id)))

    def action_ledger(self) -> None:
        if self.universe_id is not None:
            self.post_message(Visit(ToLedger(self.universe_id)))

    def action_taken_back(self) -> None:
        if self.universe_id is not None:
            self.post_message(Visit(ToTakenBack(self.universe_id)))

    def action_house(self) -> None:
        if self.universe_id is not None:
            self.query_one(Aside).clear()
            self.post_message(Visit(ToHouse(self.universe_id)))

    def action_gate(self) -> None:
        self.query_one(Aside).clear()
        self.post_message(Visit(ToGate(None, self.universe_id)))
