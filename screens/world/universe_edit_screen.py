"""The actions of the Universe screen: a key for each edit, and for each look behind a fact."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding
from textual.message import Message

from agents.views.world_views import describe_waiting
from screens.dialogs.knowers_dialog import EVERYBODY_WORD, knowers_dialog
from screens.evidence_panel import EvidencePanel
from screens.notice_panel import NoticePanel
from screens.routes import (
    ToCharts,
    ToCommitments,
    ToGate,
    ToHistory,
    ToLanes,
    ToLookalikes,
    ToMoment,
    ToPicture,
    ToPolicy,
    ToRelationMap,
    ToRemovedCanon,
    ToRetcon,
    Visit,
)
from screens.title_bar import TitleBar
from screens.world.universe_export_screen import UniverseExportScreen
from screens.world.world_forms import (
    FACT_OPTION,
    NewCanonDialog,
    can_end,
    entity_edit_form,
    fact_edit_form,
    fact_end_form,
)
from stores.records.ids import Id
from widgets.entity_card import EntityCardView
from widgets.entity_tree import EntityTree

if TYPE_CHECKING:
    from agents.views.card_views import FactView
    from agents.views.world_views import StagedEdits
    from screens.dialogs.form_dialog import FormDialog
    from stores.records.world import Entity


_ENTITY_ACTIONS = ("edit", "lock", "merge", "retcon", "ties", "picture", "basis")
_WORLD_ACTIONS = ("policy", "new", "moment", "timeline", "charts", "ledger", "taken_back", "export", "gate")


class UniverseEditScreen(UniverseExportScreen):
    """A screen with a tree and a card. Keys act on the fact under the card's cursor, or else on the entity."""

    BINDINGS = [
        Binding("e", "edit", "Edit", id="universe.edit", tooltip="Edit this entity or fact"),
        Binding("n", "new", "New", id="universe.new", tooltip="Add an entity, a fact or a rule of the world"),
        Binding("D", "end", "End", id="universe.end", tooltip="This fact is no longer true"),
        Binding("h", "history", "Past", id="universe.history", tooltip="How this was before"),
        Binding(
            "R",
            "retcon",
            "Retcon",
            id="universe.retcon",
            tooltip="It was never true; restores what was retconned",
        ),
        Binding(
            "L",
            "lock",
            "Protect",
            id="universe.lock",
            tooltip="Protect an entity from changes: only you can change it",
        ),
        Binding("m", "merge", "Merge", id="universe.merge", tooltip="Merge two entities that are the same"),
        Binding("t", "moment", "Facts", id="universe.moment", tooltip="All facts, now or at another time"),
        Binding("p", "ledger", "Promises", id="universe.ledger", tooltip="Promises, debts, open questions"),
        Binding(
            "v", "ties", "Relations", id="universe.ties", tooltip="The map of relations, from this entity on"
        ),
        Binding(
            "percent_sign",
            "charts",
            "Charts",
            id="universe.charts",
            tooltip="Tension, dice, costs and the gate in charts",
            key_display="%",
            show=False,
        ),
        Binding(
            "I",
            "picture",
            "Picture",
            id="universe.picture",
            tooltip="The picture of this entity: attach one, or see it large",
        ),
        Binding("T", "timeline", "Timeline", id="universe.timeline", tooltip="What happened when"),
        Binding(
            "W",
            "choose_knowers",
            "Secret",
            id="universe.secret",
            tooltip="Choose who may know this fact",
            show=False,
        ),
        Binding(
            "Z",
            "taken_back",
            "Removed",
            id="universe.taken_back",
            tooltip="Retconned and merged canon; restore it here",
            show=False,
        ),
        Binding("x", "basis", "Evidence", id="universe.basis", tooltip="The evidence for this", show=False),
        Binding(
            "X",
            "export",
            "Export",
            id="universe.export",
            tooltip="Export this world, or bring edits of a vault in",
            show=False,
        ),
        Binding(
            "P",
            "policy",
            "Rules",
            id="universe.policy",
            tooltip="Gate rules: what is accepted or rejected by itself",
            show=False,
        ),
        Binding("g", "gate", "Gate", id="universe.gate", tooltip="What waits for your decision here"),
    ]

    @dataclass
    class EditsStaged(Message):
        """An edit waits at the gate."""

        staged_edits: StagedEdits

    # --- what the keys mean ------------------------------------------------------------------------

    @property
    def current_entity(self) -> Entity | None:
        """The entity whose card is shown."""
        view = self.query(EntityCardView)
        card = view.first().card if view else None
        return card.entity if card else None

    @property
    def current_fact(self) -> FactView | None:
        """The fact under the cursor of the card, if there is one."""
        view = self.query(EntityCardView)
        row = view.first().current if view and not self.query_one(EntityTree).has_focus else None
        return row.fact if row else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "end":
            return self.current_fact is not None and can_end(self.current_fact)
        if action in ("history", "choose_knowers"):
            return self.current_fact is not None
        if action in _ENTITY_ACTIONS:
            return self.current_entity is not None and self.query_one(EntityTree).display
        if action in _WORLD_ACTIONS:
            return self.universe_id is not None
        return super().check_action(action, parameters)

    def show_title(self, place: str, state: str, waiting_count: int) -> None:
        """Show the universe, and how much waits at its gate."""
        self.query_one(TitleBar).show_place(place, describe_waiting(waiting_count) or state)

    @on(EntityCardView.Highlighted)
    def _fact_highlighted(self, message: EntityCardView.Highlighted) -> None:
        message.stop()
        self.refresh_bindings()

    # --- edits -------------------------------------------------------------------------------------

    def _open_form(self, dialog: FormDialog) -> None:
        self.query_one(NoticePanel).clear()
        self.app.push_screen(dialog, self._form_closed)

    def _form_closed(self, staged_edits: StagedEdits | None) -> None:
        if staged_edits is not None:
            self.query_one(NoticePanel).show_lines(staged_edits.lines)

    def action_edit(self) -> None:
        if (fact := self.current_fact) is not None:
            self._open_form(fact_edit_form(self.services.world, fact, self._names_on_card()))
        elif (entity := self.current_entity) is not None:
            self._open_form(entity_edit_form(self.services.world, entity))

    def _names_on_card(self) -> dict[Id, str]:
        """Return the names of the entities on the card."""
        card = self.query_one(EntityCardView).card
        if card is None:
            return {}
        return {card.entity.id: card.entity.name, **{other.id: other.name for _, other, _ in card.relations}}

    def action_new(self) -> None:
        """Create a fact about the entity of the card or, from the tree, an entity of the kind under the cursor."""
        if self.universe_id is None:
            return
        entity = self.current_entity
        on_tree = self.query_one(EntityTree).has_focus
        first_option = entity.kind.value if entity and on_tree else FACT_OPTION
        text = f"{entity.name} " if entity and not on_tree else ""
        self._open_form(NewCanonDialog(self.services.world, self.universe_id, first_option, text))

    def action_end(self) -> None:
        if (fact := self.current_fact) is not None:
            self._open_form(fact_end_form(self.services.world, fact.fact))

    def action_choose_knowers(self) -> None:
        if (view := self.current_fact) is not None:
            fact_id = view.fact.id
            self.query_one(NoticePanel).clear()
            known_to = view.secret_note.partition("known to: ")[2] or EVERYBODY_WORD
            save_names = partial(self._propose_knowers, fact_id)
            self.app.push_screen(knowers_dialog(view.fact.statement, known_to, save_names))

    async def _propose_knowers(self, fact_id: Id, names_text: str) -> None:
        self.post_message(
            self.EditsStaged(await self.services.world.edits.propose_knowers(fact_id, names_text))
        )

    def action_lock(self) -> None:
        entity = self.current_entity
        if entity is None:
            return
        if self.current_fact is not None:
            line = (
                "A fact alone cannot be protected. "
                f"L in the list of names protects {entity.name}, and what is said of it."
            )
            self.query_one(NoticePanel).show_lines((line,))
            return
        self.query_one(NoticePanel).clear()
        self.start_change(partial(self._propose_lock, entity), "lock")

    async def _propose_lock(self, entity: Entity) -> None:
        self.post_message(
            self.EditsStaged(await self.services.world.edits.propose_lock(entity.id, not entity.locked))
        )

    @on(EditsStaged)
    def _show_staged(self, message: EditsStaged) -> None:
        self.query_one(NoticePanel).show_lines(message.staged_edits.lines)

    # --- looking behind it -------------------------------------------------------------------------

    def action_basis(self) -> None:
        if (entity := self.current_entity) is not None:
            self.query_one(EvidencePanel).show_evidence(entity.id, entity.name)

    def action_retcon(self) -> None:
        subject = (
            self.current_fact.fact.id
            if self.current_fact
            else self.current_entity.id
            if self.current_entity
            else None
        )
        if subject is not None:
            self.post_message(Visit(ToRetcon(subject)))

    def action_history(self) -> None:
        if (fact := self.current_fact) is not None:
            self.post_message(Visit(ToHistory(fact.fact.id)))

    def action_merge(self) -> None:
        if (entity := self.current_entity) is not None:
            self.post_message(Visit(ToLookalikes(entity.universe_id, entity.id)))

    def action_ties(self) -> None:
        if (entity := self.current_entity) is not None:
            self.post_message(Visit(ToRelationMap(entity.universe_id, entity.id)))

    def action_picture(self) -> None:
        if (entity := self.current_entity) is not None:
            self.query_one(NoticePanel).clear()
            self.post_message(Visit(ToPicture(entity.id)))

    def action_moment(self) -> None:
        if self.universe_id is not None:
            self.post_message(Visit(ToMoment(self.universe_id)))

    def action_timeline(self) -> None:
        if self.universe_id is not None:
            self.post_message(Visit(ToLanes(self.universe_id)))

    def action_charts(self) -> None:
        if self.universe_id is not None:
            self.post_message(Visit(ToCharts(self.universe_id)))

    def action_ledger(self) -> None:
        if self.universe_id is not None:
            self.post_message(Visit(ToCommitments(self.universe_id)))

    def action_taken_back(self) -> None:
        if self.universe_id is not None:
            self.post_message(Visit(ToRemovedCanon(self.universe_id)))

    def action_policy(self) -> None:
        if self.universe_id is not None:
            self.query_one(NoticePanel).clear()
            self.post_message(Visit(ToPolicy(self.universe_id)))

    def action_gate(self) -> None:
        self.query_one(NoticePanel).clear()
        self.post_message(Visit(ToGate(None, self.universe_id)))
