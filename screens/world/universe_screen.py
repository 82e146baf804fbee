"""The universe browser: the entities of canon by kind, their facts, and their evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Input, Static

from agents.events import CanonCommitted, PictureChanged, ProposalsChanged
from screens.evidence_panel import EvidencePanel
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.routes import Back, ToMenu, Visit
from screens.title_bar import TitleBar
from screens.world.card_picture import show_card_picture
from screens.world.universe_edit_screen import UniverseEditScreen
from stores.records.ids import Id
from widgets.entity_card import EntityCardView
from widgets.entity_tree import EntityTree
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.services import Services
    from agents.views.card_views import EntityCard
    from agents.views.picture_views import EntityPicture
    from agents.views.proposal_views import ProposalView
    from stores.records.world import Entity, Universe

MAX_TREE_ENTITIES = 500
"""Entities in the tree at once; a search finds the others."""

NO_UNIVERSE_HINT = "No world yet. Press i to add the sample world, or start a story."
NAME_NOT_FOUND = "Nothing with that name. t finds facts by their words."
NO_ENTITIES_HINT = "Nothing in canon yet. n adds something; what you accept at the gate shows up here."

WHERE_UNDO_IS = (
    "An edit waits at the gate: g, then r rejects it; u proposes to retract what is canon. "
    "Ctrl+Z in play undoes the last edit."
)


class UniverseScreen(UniverseEditScreen):
    """Tree, card, evidence; from the evidence to its turn."""

    CSS_PATH = SCREENS_FOLDER / "world/universe_screen.tcss"
    AUTO_FOCUS = "EntityTree"
    BINDING_GROUP_TITLE = "Universe"
    KEYS_WAIT = True
    BINDINGS = [
        Binding(
            "slash",
            "search",
            "Search",
            id="universe.search",
            tooltip="Find by name or alias",
            key_display="/",
        ),
        Binding("U", "next_universe", "World", id="universe.next", tooltip="Go to the next world"),
        Binding("i", "sample", "Sample world", id="universe.sample", tooltip="Add the sample world"),
        Binding("ctrl+z", "explain_undo", "Undo", id="universe.undo", tooltip="Where undo is", show=False),
        Binding("escape", "escape", "Back", id="universe.escape", tooltip="One step back"),
    ]

    @dataclass
    class UniverseLoaded(Message):
        """The universes, the contents of the current one, and how much waits at its gate."""

        universes: list[Universe]
        shown_universe: Universe | None
        entities: list[Entity]
        """The first of those that match the search."""
        entity_count: int
        """How many match it."""
        waiting_count: int
        dead_ids: frozenset[Id] = frozenset()

    @dataclass
    class EntityCardLoaded(Message):
        card: EntityCard
        waiting_proposals: tuple[ProposalView, ...]
        picture: EntityPicture

    def __init__(
        self,
        services: Services,
        universe_id: Id | None = None,
        entity_id: Id | None = None,
        *,
        beside_play: bool = False,
        fact_id: Id | None = None,
    ) -> None:
        super().__init__(services)
        self.universe_id = universe_id
        self.entity_id = entity_id
        self._requested_entity_id = entity_id
        self._fact_id = fact_id
        self._opened_from_play = beside_play
        self._has_entered_mode = False
        self._universes: list[Universe] = []
        self._search_text = ""

    def compose(self) -> ComposeResult:
        yield TitleBar("Universe")
        yield Horizontal(id="world")
        yield NoticePanel()
        yield KeyBar()

    def on_mount(self) -> None:
        self.call_after_refresh(self._mount_panels)

    async def _mount_panels(self) -> None:
        """Mount tree and card, once. The first frame does without them, so that it comes at once."""
        if self.query(EntityTree):
            return
        tree = EntityTree()
        card_panel = Vertical(EntityCardView(), EvidencePanel(self.services.world.provenance), id="details")
        await self.query_one("#world").mount(Static(id="none", markup=False), tree, card_panel)
        tree.focus()

    # --- reading -----------------------------------------------------------------------------------

    def is_affected_by(self, event: Event) -> bool:
        return isinstance(event, CanonCommitted | ProposalsChanged | PictureChanged)

    async def load_view(self) -> None:
        if not (self._has_entered_mode or self._opened_from_play):
            from agents.story_outline import MainMode

            await self.services.stories.enter(MainMode.UNIVERSE)
            self._has_entered_mode = True
        universes = await self.services.stories.universes()
        shown_universe = next(
            (u for u in universes if u.id == self.universe_id), universes[0] if universes else None
        )
        entities, entity_count = (
            await self._read_entities(shown_universe.id) if shown_universe is not None else ([], 0)
        )
        waiting_count = (
            await self.services.world.previews.count_waiting(shown_universe.id) if shown_universe else 0
        )
        dead_ids = (
            await self.services.stories.read_dead_ids(shown_universe.id) if shown_universe else frozenset()
        )
        self.post_message(
            self.UniverseLoaded(universes, shown_universe, entities, entity_count, waiting_count, dead_ids)
        )

    async def _read_entities(self, universe_id: Id) -> tuple[list[Entity], int]:
        """Return the entities that the tree has room for, and how many there are."""
        world = self.services.world
        if self._search_text:  # few match, and nothing else counts them
            entities = await world.list_entities(universe_id, self._search_text)
            return entities[:MAX_TREE_ENTITIES], len(entities)
        entities = await world.list_entities(universe_id, limit=MAX_TREE_ENTITIES)
        if len(entities) < MAX_TREE_ENTITIES:
            return entities, len(entities)
        return entities, await world.count_entities(universe_id)

    @on(UniverseLoaded)
    async def _show_universe(self, message: UniverseLoaded) -> None:
        await self._mount_panels()
        self._universes = message.universes
        shown_universe, entities = message.shown_universe, message.entities
        self.universe_id = shown_universe.id if shown_universe else None
        place, state = _title_parts(shown_universe, message.universes, message.entity_count)
        self.show_title(place, state, message.waiting_count)
        tree = self.query_one(EntityTree)
        tree.show_entities(entities, message.dead_ids)
        self.query_one("#world").set_class(not entities, "-empty")
        empty_text = (
            NO_UNIVERSE_HINT
            if shown_universe is None
            else NAME_NOT_FOUND
            if self._search_text
            else NO_ENTITIES_HINT
        )
        self.query_one("#none", Static).update(empty_text)
        ids = [entity.id for entity in entities]
        if self.entity_id not in ids and (
            self._requested_entity_id is None or self.entity_id != self._requested_entity_id
        ):
            self.entity_id = next((e.id for e in entities if e.is_pc), ids[0] if ids else None)
        if self.entity_id:
            tree.select(self.entity_id)
            self._load_card(self.entity_id)
        else:
            self.query_one(EntityCardView).show_card(None)
            self.note_read()
        self.refresh_bindings()

    @on(EntityTree.EntityHighlighted)
    def _entity_highlighted(self, message: EntityTree.EntityHighlighted) -> None:
        message.stop()
        if message.entity is not None and message.entity.id != self.entity_id:
            self._load_card(message.entity.id)

    @on(EntityTree.EntityChosen)
    def _focus_card(self, message: EntityTree.EntityChosen) -> None:
        message.stop()
        self.query_one(EntityCardView).focus()

    @on(EntityCardView.RelatedEntityOpened)
    def _open_related_entity(self, message: EntityCardView.RelatedEntityOpened) -> None:
        message.stop()
        self.query_one(EntityTree).select(message.entity.id)
        self._load_card(message.entity.id)

    @work(exclusive=True, group="card", exit_on_error=False)
    async def _load_card(self, entity_id: Id) -> None:
        card = await self.services.world.read_card(entity_id)
        proposals = await self.services.world.previews.list_proposals_about(entity_id)
        picture = await self.services.pictures.find_picture(entity_id)
        self.post_message(self.EntityCardLoaded(card, proposals, picture))

    @on(EntityCardLoaded)
    def _show_card(self, message: EntityCardLoaded) -> None:
        if message.card.entity.id != self.entity_id:
            self.query_one(EvidencePanel).close()
        self.entity_id = message.card.entity.id
        card = self.query_one(EntityCardView)
        card.show_card(message.card, message.waiting_proposals)
        show_card_picture(card, self.services.pictures, message.picture)
        if self._fact_id is not None:
            card.move_cursor_to(self._fact_id)
            card.focus()
            self._fact_id = None
        self.refresh_bindings()
        self.note_read()

    # --- evidence ----------------------------------------------------------------------------------

    @on(EntityCardView.EvidenceRequested)
    def _show_fact_evidence(self, message: EntityCardView.EvidenceRequested) -> None:
        message.stop()
        fact = message.fact_view.fact
        self.query_one(EvidencePanel).show_evidence(fact.id, fact.statement)

    # --- search ------------------------------------------------------------------------------------

    async def action_search(self) -> None:
        await self._mount_panels()
        if not self.query("#search"):
            field = Input(id="search", placeholder="a name, or part of one", compact=True)
            await self.mount(field, after=self.query_one(TitleBar))
        self.query_one("#search").focus()

    def _close_search(self) -> bool:
        """Close the search if it is open; return whether it was."""
        if not self.query("#search"):
            return False
        self.query_one("#search").remove()
        self.query_one(EntityTree).focus()
        self._search_text = ""
        self.reload()
        return True

    @on(Input.Changed)
    def _search_changed(self, message: Input.Changed) -> None:
        message.stop()
        self._search_text = message.value.strip()
        self._requested_entity_id = None
        self.reload()

    @on(Input.Submitted)
    def _search_submitted(self, message: Input.Submitted) -> None:
        message.stop()
        self.query_one(EntityTree).focus()

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "next_universe":
                return len(self._universes) > 1
            case "sample":
                return not self._universes and self._has_entered_mode
        return super().check_action(action, parameters)

    def action_next_universe(self) -> None:
        ids = [u.id for u in self._universes]
        self.universe_id = (
            ids[(ids.index(self.universe_id) + 1) % len(ids)] if self.universe_id in ids else None
        )
        self.entity_id = self._requested_entity_id = None
        self.reload()

    def action_explain_undo(self) -> None:
        """Say where undo is: canon changes at the gate alone."""
        self.query_one(NoticePanel).show_lines([WHERE_UNDO_IS])

    def action_sample(self) -> None:
        self.start_change(self._add_sample, "sample")

    async def _add_sample(self) -> None:
        self.universe_id = (await self.services.stories.add_sample()).id
        self.reload()

    async def action_escape(self) -> None:
        """Go one step back: close notes, evidence, search, then the screen."""
        await self._mount_panels()  # a fast key comes before them
        if self.query_one(NoticePanel).is_shown:
            self.query_one(NoticePanel).clear()
        elif self.query_one(EvidencePanel).close() or self._close_search():
            pass
        elif self.query_one(EntityCardView).has_focus and self.query_one(EntityTree).display:
            self.query_one(EntityTree).focus()
        else:
            self.post_message(Visit(Back(self) if self._opened_from_play else ToMenu()))


def _title_parts(universe: Universe | None, universes: list[Universe], entity_count: int) -> tuple[str, str]:
    if universe is None:
        return "", ""
    if entity_count > MAX_TREE_ENTITIES:
        return universe.name, f"the first {MAX_TREE_ENTITIES} of {entity_count:,}; / searches for the others"
    place = (
        f"{universes.index(universe) + 1} of {len(universes)}"
        if len(universes) > 1
        else one_line(universe.genre)
    )
    return universe.name, place
