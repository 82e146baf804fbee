"""The relations of an entity, and those of the entities they lead to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding
from textual.message import Message

from screens.evidence_panel import EvidencePanel
from screens.folder import SCREENS_FOLDER
from screens.world.mention_list_screen import MentionListScreen
from stores.records.ids import Id
from stores.records.world import Entity
from widgets.mention_list import CanonMention, MentionList, MentionSection
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.world_views import RelationMapView

NO_RELATIONS_HINT = "{name} has no relations in canon. n on the card adds one."


class RelationsScreen(MentionListScreen):
    """An indented list of two steps. Enter moves to the entity of a line, Backspace back."""

    CSS_PATH = SCREENS_FOLDER / "world/mention_list_screen.tcss"
    AUTO_FOCUS = "MentionList"
    BINDING_GROUP_TITLE = "Relations"
    NAME = "Relations"
    BINDINGS = [
        Binding("backspace", "walk_back", "Go back", id="ties.back", tooltip="To the previous one"),
        # Before the list's own x, which walks on as Enter does.
        Binding(
            "x", "fact", "Evidence", id="ties.fact", tooltip="The evidence for this relation", priority=True
        ),
    ]

    @dataclass
    class RelationsLoaded(Message):
        view: RelationMapView

    def __init__(self, services: Services, entity_id: Id) -> None:
        super().__init__(services)
        self.entity_id = entity_id
        self._path: list[Id] = []

    async def load_page(self) -> None:
        self.post_message(
            self.RelationsLoaded(await self.services.world.provenance.read_relations(self.entity_id))
        )

    @on(RelationsLoaded)
    def _show_relations(self, message: RelationsLoaded) -> None:
        view = message.view
        self.universe_id = view.root.universe_id
        path_length = len(self._path)
        self.show_title(view.root.name, f"step {path_length}" if path_length else "")
        relation_mentions = [
            CanonMention(tie.other, tag=tie.fact_id, indent=tie.depth - 1, lead=tie.words)
            for tie in view.ties
        ]
        name = one_line(view.root.name)
        hint_lines = () if relation_mentions else (NO_RELATIONS_HINT.format(name=name),)
        self.mention_list.show_sections([MentionSection(name, relation_mentions, hint_lines, count=0)])
        self.refresh_bindings()

    @on(MentionList.MentionChosen)
    def _walk_to_entity(self, message: MentionList.MentionChosen) -> None:
        message.stop()
        message.prevent_default()
        if isinstance(message.mention.mentioned, Entity) and message.mention.mentioned.id != self.entity_id:
            self._path.append(self.entity_id)
            self._show_entity(message.mention.mentioned.id)

    def _show_entity(self, entity_id: Id) -> None:
        self.query_one(EvidencePanel).close()
        self.entity_id = entity_id
        self.mention_list.show_sections([])
        self.reload()

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "walk_back":
                return bool(self._path)
            case "fact":
                return self.current_mention is not None
        return super().check_action(action, parameters)

    def action_walk_back(self) -> None:
        self._show_entity(self._path.pop())

    def action_fact(self) -> None:
        if self.current_mention is not None:
            mention = self.current_mention
            assert isinstance(mention.mentioned, Entity)
            self.query_one(EvidencePanel).show_evidence(
                mention.tag, f"{mention.lead} {mention.mentioned.name}"
            )
