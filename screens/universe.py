"""The universe browser: all that canon knows, by kind; its facts; and what each of them rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Input, Static

from agents.events import CanonCommitted, ProposalsChanged
from screens.aside import Aside
from screens.key_bar import KeyBar
from screens.routes import Back, ToMenu, Visit
from screens.title_bar import TitleBar
from screens.world_hand import WorldHand
from stores.records.ids import Id
from widgets.entity_card import EntityCardView
from widgets.entity_tree import EntityTree
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.services import Services
    from agents.views.play_views import EntityCard, ProposalView
    from stores.records.world import Entity, Universe

MOST = 500
"""Entities in the tree at once. Nobody reads further; a search does."""

NO_WORLD = "There is no world yet. Press s to bring in the sample world, or start a story and make one."
NOTHING_FOUND = "Nothing goes by that name."
NO_ENTITIES = "Nothing is known here yet. n brings something in; what you accept at the gate shows up."


class UniverseScreen(WorldHand):
    """Tree, card, evidence; from the evidence to the turn it was said in."""

    CSS_PATH = "universe.tcss"
    AUTO_FOCUS = "EntityTree"
    BINDING_GROUP_TITLE = "Universe"
    BINDINGS = [
        Binding(
            "slash",
            "search",
            "Search",
            id="universe.search",
            tooltip="Find by name or alias",
            key_display="/",
        ),
        Binding("u", "next_universe", "World", id="universe.next", tooltip="Look at the next universe"),
        Binding("s", "sample", "Sample world", id="universe.sample", tooltip="Bring in the sample world"),
        Binding("escape", "escape", "Back", id="universe.escape", tooltip="One step back"),
    ]

    @dataclass
    class Read(Message):
        """The universes, what is in the one that is shown, and how much waits at its gate."""

        universes: list[Universe]
        shown: Universe | None
        entities: list[Entity]
        waiting: int

    @dataclass
    class CardRead(Message):
        card: EntityCard
        waiting: tuple[ProposalView, ...]

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
        self._wanted = entity_id
        self._fact_id = fact_id
        self._beside_play = beside_play
        self._entered = False
        self._universes: list[Universe] = []
        self._search = ""

    def compose(self) -> ComposeResult:
        yield TitleBar("Universe")
        yield Horizontal(id="world")
        yield Aside()
        yield KeyBar()

    def on_mount(self) -> None:
        self.call_after_refresh(self._furnish)

    async def _furnish(self) -> None:
        """Mount tree and card, once. The first frame does without them, so that it comes at once."""
        if self.query(EntityTree):
            return
        tree = EntityTree()
        known = Vertical(EntityCardView(), id="known")
        await self.query_one("#world").mount(Static(id="none", markup=False), tree, known)
        tree.focus()

    # --- reading -----------------------------------------------------------------------------------

    def concerns(self, event: Event) -> bool:
        return isinstance(event, CanonCommitted | ProposalsChanged)

    async def read(self) -> None:
        if not (self._entered or self._beside_play):
            from agents.story_outline import Mode

            await self.services.stories.enter(Mode.UNIVERSE)
            self._entered = True
        universes = await self.services.stories.universes()
        shown = next((u for u in universes if u.id == self.universe_id), universes[0] if universes else None)
        entities = await self.services.world.entities(shown.id, self._search) if shown else []
        waiting = await self.services.world.previews.waiting(shown.id) if shown else 0
        self.post_message(self.Read(universes, shown, entities, waiting))

    @on(Read)
    async def _show(self, message: Read) -> None:
        await self._furnish()
        self._universes = message.universes
        shown, entities = message.shown, message.entities[:MOST]
        self.universe_id = shown.id if shown else None
        place, state = _title(shown, message.universes, len(message.entities))
        self.show_waiting(place, state, message.waiting)
        tree = self.query_one(EntityTree)
        tree.show(entities)
        self.query_one("#world").set_class(not entities, "-empty")
        none = NO_WORLD if shown is None else NOTHING_FOUND if self._search else NO_ENTITIES
        self.query_one("#none", Static).update(none)
        ids = [entity.id for entity in entities]
        if self.entity_id not in ids and (self._wanted is None or self.entity_id != self._wanted):
            self.entity_id = next((e.id for e in entities if e.is_pc), ids[0] if ids else None)
        if self.entity_id:
            tree.select(self.entity_id)
            self._read_card(self.entity_id)
        else:
            self.query_one(EntityCardView).show(None)
        self.refresh_bindings()

    @on(EntityTree.EntityHighlighted)
    def _highlighted(self, message: EntityTree.EntityHighlighted) -> None:
        message.stop()
        if message.entity is not None and message.entity.id != self.entity_id:
            self._read_card(message.entity.id)

    @on(EntityTree.EntityChosen)
    def _chosen(self, message: EntityTree.EntityChosen) -> None:
        message.stop()
        self.query_one(EntityCardView).focus()

    @on(EntityCardView.OpenEntity)
    def _open_other(self, message: EntityCardView.OpenEntity) -> None:
        message.stop()
        self.query_one(EntityTree).select(message.entity.id)
        self._read_card(message.entity.id)

    @work(exclusive=True, group="card", exit_on_error=False)
    async def _read_card(self, entity_id: Id) -> None:
        card = await self.services.world.card(entity_id)
        self.post_message(self.CardRead(card, await self.services.world.previews.about(entity_id)))

    @on(CardRead)
    def _show_card(self, message: CardRead) -> None:
        if message.card.entity.id != self.entity_id:
            self.close_evidence()
        self.entity_id = message.card.entity.id
        card = self.query_one(EntityCardView)
        card.show(message.card, message.waiting)
        if self._fact_id is not None:
            card.stand_on(self._fact_id)
            card.focus()
            self._fact_id = None
        self.refresh_bindings()

    # --- evidence ----------------------------------------------------------------------------------

    @on(EntityCardView.ShowEvidence)
    def _evidence_of_fact(self, message: EntityCardView.ShowEvidence) -> None:
        message.stop()
        fact = message.fact_view.fact
        self.show_evidence(fact.id, fact.statement)

    # --- search ------------------------------------------------------------------------------------

    async def action_search(self) -> None:
        if not self.query("#search"):
            field = Input(id="search", placeholder="a name, or part of one", compact=True)
            await self.mount(field, after=self.query_one(TitleBar))
        self.query_one("#search").focus()

    def _close_search(self) -> bool:
        """Close it if it is open; returns whether it was."""
        if not self.query("#search"):
            return False
        self.query_one("#search").remove()
        self.query_one(EntityTree).focus()
        self._search = ""
        self.reload()
        return True

    @on(Input.Changed)
    def _searching(self, message: Input.Changed) -> None:
        message.stop()
        self._search = message.value.strip()
        self._wanted = None
        self.reload()

    @on(Input.Submitted)
    def _searched(self, message: Input.Submitted) -> None:
        message.stop()
        self.query_one(EntityTree).focus()

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "next_universe":
                return len(self._universes) > 1
            case "sample":
                return not self._universes and self._entered
        return super().check_action(action, parameters)

    def action_next_universe(self) -> None:
        ids = [u.id for u in self._universes]
        self.universe_id = (
            ids[(ids.index(self.universe_id) + 1) % len(ids)] if self.universe_id in ids else None
        )
        self.entity_id = self._wanted = None
        self.reload()

    def action_sample(self) -> None:
        self.change(self._add_sample(), "sample")

    async def _add_sample(self) -> None:
        self.universe_id = (await self.services.stories.add_sample()).id
        self.reload()

    def action_escape(self) -> None:
        """One step back: from notes, evidence, search, then off the screen."""
        if self.query_one(Aside).shown:
            self.query_one(Aside).clear()
        elif self.close_evidence() or self._close_search():
            pass
        elif self.query_one(EntityCardView).has_focus and self.query_one(EntityTree).display:
            self.query_one(EntityTree).focus()
        else:
            self.post_message(Visit(Back(self) if self._beside_play else ToMenu()))


def _title(shown: Universe | None, universes: list[Universe], found: int) -> tuple[str, str]:
    if shown is None:
        return "", ""
    if found > MOST:
        return shown.name, f"the first {MOST} of {found:,}; / finds the others"
    place = (
        f"{universes.index(shown) + 1} of {len(universes)}" if len(universes) > 1 else one_line(shown.genre)
    )
    return shown.name, place
