"""The map of relations: who and what is related to whom, now or at another time, with a card beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Input, Static

from agents.diagrams.relation_graph import (
    MapSelection,
    first_selection,
)
from agents.events import CanonCommitted, PictureChanged, ProposalsChanged
from screens.base import ServiceScreen
from screens.dialogs.line_dialog import LineDialog
from screens.evidence_panel import EvidencePanel
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.routes import Back, ToGate, ToGridMaps, ToRelations, ToUniverse, Visit
from screens.title_bar import TitleBar
from screens.world.card_picture import show_card_picture
from screens.world.relation_map_page import (
    KIND_KEYS,
    MapPage,
    draw_legend,
    find_by_name,
    find_first_root,
    lay_out_page,
)
from stores.records.ids import Id
from stores.records.world import EntityKind
from widgets.entity_card import EntityCardView
from widgets.relation_map.relation_map import RelationMap
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.diagrams.diagram_views import RelationGraphView
    from agents.diagrams.relation_graph import Point
    from agents.events import Event
    from agents.services.services import Services
    from agents.views.card_views import EntityCard
    from agents.views.picture_views import EntityPicture
    from agents.views.proposal_views import ProposalView

NO_RELATIONS_HINT: Final = (
    "No relations in canon yet. n in the universe adds a fact; “/fact Mara ally_of Tam” in play does."
)
NOT_IN_CANON_HINT: Final = "It waits at the gate and is not in canon. g decides."
TIME_HINT: Final = "scene 2, turn 5 of scene 2, day 3 dusk; empty: now. A scene is looked at as it ends."


class RelationMapScreen(ServiceScreen[None]):
    """A map, and the card of what has the focus."""

    CSS_PATH = SCREENS_FOLDER / "world/relation_map_screen.tcss"
    AUTO_FOCUS = "RelationMap"
    BINDING_GROUP_TITLE = "Relation map"
    BINDINGS = [
        Binding(
            "space",
            "expand",
            "Expand",
            id="relation-map.expand",
            tooltip="Show all that is related to this one",
        ),
        Binding(
            "asterisk",
            "whole",
            "Whole world",
            id="relation-map.whole",
            tooltip="All relations, or those around one",
            key_display="*",
        ),
        *(
            Binding(
                key,
                f"kind('{kind}')",
                label,
                show=False,
                id=f"relation-map.{kind}",
                tooltip=f"{label}: shown, or not",
            )
            for key, kind, label in KIND_KEYS
        ),
        Binding(
            "7",
            "proposed",
            "Proposed",
            show=False,
            id="relation-map.proposed",
            tooltip="What waits at the gate: shown, or not",
        ),
        Binding(
            "8",
            "places",
            "Places alone",
            show=False,
            id="relation-map.places",
            tooltip="A map of places alone, with who is where",
        ),
        Binding(
            "9",
            "grid_maps",
            "Grid maps",
            show=False,
            id="relation-map.grid",
            tooltip="Squares, hexes or rooms that you fill",
        ),
        Binding("t", "time", "Time", id="relation-map.time", tooltip="The relations at another time"),
        Binding(
            "less_than_sign",
            "step(-1)",
            "Earlier",
            id="relation-map.earlier",
            tooltip="As the scene before ended",
            key_display="<",
        ),
        Binding(
            "greater_than_sign",
            "step(1)",
            "Later",
            id="relation-map.later",
            tooltip="As the next scene ended; after the last one, now",
            key_display=">",
        ),
        Binding(
            "slash", "search", "Search", id="relation-map.search", tooltip="Find by name", key_display="/"
        ),
        Binding("enter", "open", "Open", id="relation-map.open", tooltip="Its card in the universe"),
        Binding("f2", "other_panel", "Card", id="relation-map.card", tooltip="Map or card"),
        Binding(
            "backspace",
            "walk_back",
            "Go back",
            show=False,
            id="relation-map.back",
            tooltip="To the one before",
        ),
        Binding(
            "v", "as_list", "Relations", show=False, id="relation-map.list", tooltip="The same as a list"
        ),
        Binding(
            "X",
            "export",
            "Export",
            show=False,
            id="relation-map.export",
            tooltip="What is shown, as SVG and GraphML",
        ),
        Binding(
            "g",
            "gate",
            "Gate",
            show=False,
            id="relation-map.gate",
            tooltip="What waits for your decision in this world",
        ),
        Binding("escape,q", "escape", "Back", id="relation-map.escape", tooltip="One step back"),
    ]

    @dataclass
    class GraphLoaded(Message):
        view: RelationGraphView
        page: MapPage
        selection: MapSelection

    @dataclass
    class MapLaidOut(Message):
        page: MapPage
        selection: MapSelection

    @dataclass
    class CardLoaded(Message):
        entity_id: Id
        card: EntityCard
        waiting_proposals: tuple[ProposalView, ...]
        picture: EntityPicture

    @dataclass
    class MapExported(Message):
        paths: tuple[str, ...]

    def __init__(
        self,
        services: Services,
        universe_id: Id,
        entity_id: Id | None = None,
        is_of_places: bool = False,
    ) -> None:
        super().__init__(services)
        self.universe_id = universe_id
        self.selection = MapSelection(root_id=entity_id, is_of_places=is_of_places)
        self._view: RelationGraphView | None = None
        self._page: MapPage | None = None
        self._typed_moment = ""
        self._path: list[Id] = []

    def compose(self) -> ComposeResult:
        yield TitleBar("Relations")
        yield Static(id="legend", markup=False)
        yield Input(id="search", placeholder="a name, or part of one", compact=True)
        with Horizontal(id="world"):
            yield RelationMap()
            with Vertical(id="details"):
                yield EntityCardView(empty="")
                yield EvidencePanel(self.services.world.provenance)
        yield NoticePanel()
        yield KeyBar()

    @property
    def map(self) -> RelationMap:
        return self.query_one(RelationMap)

    # --- reading -----------------------------------------------------------------------------------

    def is_affected_by(self, event: Event) -> bool:
        return isinstance(event, CanonCommitted | ProposalsChanged | PictureChanged)

    async def load_view(self) -> None:
        view = await self.services.world.relation_graph.read_graph(
            self.universe_id, self._typed_moment, self.selection.root_id
        )
        selection = self.selection
        if selection.root_id not in view.graph.nodes:
            selection = replace(selection, root_id=find_first_root(view.graph))
        if self._view is None:
            selection = first_selection(view.graph, selection)
        page = await asyncio.to_thread(lay_out_page, view, selection, self._earlier_points())
        self.post_message(self.GraphLoaded(view, page, selection))

    def _earlier_points(self) -> Mapping[Id, Point] | None:
        return self._page.laid_out.points if self._page else None

    @on(GraphLoaded)
    def _show_graph(self, message: GraphLoaded) -> None:
        self._view = message.view
        self._show_page(message.page, message.selection)

    @on(MapLaidOut)
    def _show_laid_out(self, message: MapLaidOut) -> None:
        self._show_page(message.page, message.selection)

    def _show_page(self, page: MapPage, selection: MapSelection) -> None:
        assert self._view is not None
        self._page, self.selection = page, selection
        shown = page.laid_out.shown
        focus_id = self.map.focus_id if self.map.focus_id in shown.nodes else selection.root_id
        if focus_id not in shown.nodes:
            visited_ids = [i for i in shown.nodes if i in self._view.visited_ids]
            focus_id = next(iter((*visited_ids, *shown.nodes)), None)
        self.map.show_map(page.laid_out, focus_id)
        place = " · ".join(filter(None, (self._view.universe.name, self._view.moment)))
        state = f"{len(shown.nodes):,} of {page.showable_count:,} shown"
        if selection.is_of_places:
            visited_count = len(self._view.visited_ids & shown.nodes.keys())
            state = f"{len(shown.nodes):,} places, {visited_count:,} visited"
        self.query_one(TitleBar).show_place(place, state)
        self.query_one("#legend", Static).update(
            draw_legend(page, selection, self._view, self.size.width - 2)
        )
        if not shown.edges and selection.root_id is None:
            self.query_one(NoticePanel).show_lines((NO_RELATIONS_HINT,))
        if focus_id is not None:
            self._load_card(focus_id)
        self.refresh_bindings()

    @work(exclusive=True, group="layout", exit_on_error=False)
    async def _change_selection(self, selection: MapSelection, *, is_kept_in_place: bool = True) -> None:
        if self._view is None:
            return
        earlier = self._earlier_points() if is_kept_in_place else None
        page = await asyncio.to_thread(lay_out_page, self._view, selection, earlier)
        self.post_message(self.MapLaidOut(page, selection))

    # --- the card ----------------------------------------------------------------------------------

    @on(RelationMap.FocusMoved)
    def _focus_moved(self, message: RelationMap.FocusMoved) -> None:
        message.stop()
        self._load_card(message.entity_id)
        self.refresh_bindings()

    @on(RelationMap.FocusChosen)
    def _focus_chosen(self, message: RelationMap.FocusChosen) -> None:
        message.stop()
        self.action_expand()

    def _load_card(self, entity_id: Id) -> None:
        card = self.query_one(EntityCardView)
        if self._view is not None and self._view.graph.nodes[entity_id].is_proposed:
            card.empty = f"{one_line(self._view.graph.nodes[entity_id].name)}\n\n{NOT_IN_CANON_HINT}"
            card.show_card(None)
            show_card_picture(card, self.services.pictures, None)
        else:
            self._read_card(entity_id)

    @work(exclusive=True, group="card", exit_on_error=False)
    async def _read_card(self, entity_id: Id) -> None:
        card = await self.services.world.read_card(entity_id)
        proposals = await self.services.world.previews.list_proposals_about(entity_id)
        picture = await self.services.pictures.find_picture(entity_id)
        self.post_message(self.CardLoaded(entity_id, card, proposals, picture))

    @on(CardLoaded)
    def _show_card(self, message: CardLoaded) -> None:
        if message.entity_id == self.map.focus_id:
            card = self.query_one(EntityCardView)
            card.show_card(message.card, message.waiting_proposals)
            show_card_picture(card, self.services.pictures, message.picture)

    @on(EntityCardView.EvidenceRequested)
    def _show_evidence(self, message: EntityCardView.EvidenceRequested) -> None:
        message.stop()
        fact = message.fact_view.fact
        self.query_one(EvidencePanel).show_evidence(fact.id, fact.statement)

    @on(EntityCardView.RelatedEntityOpened)
    def _go_to_related(self, message: EntityCardView.RelatedEntityOpened) -> None:
        message.stop()
        self._go_to(message.entity.id)

    @on(EntityCardView.Highlighted)
    def _card_row_highlighted(self, message: EntityCardView.Highlighted) -> None:
        message.stop()

    # --- what is shown -----------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "expand" | "open":
                return self._focus_id is not None and self.focused is not self.query_one("#search")
            case "walk_back":
                return bool(self._path)
            case "step":
                return self._view is not None and bool(self._view.scene_moments)
            case "as_list":
                return self._focus_id is not None and not self._is_focus_proposed
            case "export":
                return self._view is not None
        return super().check_action(action, parameters)

    @property
    def _focus_id(self) -> Id | None:
        maps = self.query(RelationMap)
        return maps.first().focus_id if maps else None

    @property
    def _is_focus_proposed(self) -> bool:
        focus_id = self._focus_id
        return (
            self._view is not None and focus_id is not None and self._view.graph.nodes[focus_id].is_proposed
        )

    def action_expand(self) -> None:
        """Show all that is related to what has the focus, or no more."""
        if (focus_id := self._focus_id) is not None:
            expanded_ids = self.selection.expanded_ids ^ {focus_id}
            self._change_selection(replace(self.selection, expanded_ids=expanded_ids))

    def action_whole(self) -> None:
        """Show the whole world, or what is around the focus."""
        is_whole = not self.selection.is_whole
        root_id = self._focus_id or self.selection.root_id
        self.map.is_fitted = True
        selection = replace(self.selection, is_whole=is_whole, root_id=root_id, expanded_ids=frozenset())
        self._change_selection(selection, is_kept_in_place=False)

    def action_kind(self, kind: str) -> None:
        hidden_kinds = self.selection.hidden_kinds ^ {EntityKind(kind)}
        self._change_selection(replace(self.selection, hidden_kinds=hidden_kinds))

    def action_places(self) -> None:
        """Show a map of places alone, or relations again."""
        self.map.is_fitted = True
        selection = replace(self.selection, is_of_places=not self.selection.is_of_places)
        self._change_selection(selection, is_kept_in_place=False)

    def action_proposed(self) -> None:
        self._change_selection(replace(self.selection, shows_proposed=not self.selection.shows_proposed))

    def _go_to(self, entity_id: Id) -> None:
        """Give an entity the focus; one that is not shown begins the map anew."""
        if (focus_id := self._focus_id) is not None and focus_id != entity_id:
            self._path.append(focus_id)
        if entity_id in self.map.map.shown.nodes:
            self.map.move_focus_to(entity_id)
            self._load_card(entity_id)
        else:
            self.map.focus_id, self.map.is_fitted = entity_id, True
            selection = replace(self.selection, root_id=entity_id, expanded_ids=frozenset(), is_whole=False)
            self._change_selection(selection, is_kept_in_place=False)
        self.map.focus()
        self.refresh_bindings()

    def action_walk_back(self) -> None:
        earlier_id = self._path.pop()
        if self._view is not None and earlier_id in self._view.graph.nodes:
            self._go_to(earlier_id)
            self._path.pop()

    # --- another time ------------------------------------------------------------------------------

    def action_time(self) -> None:
        self.app.push_screen(
            LineDialog(
                "The relations as of",
                value="" if self._typed_moment.isdigit() else self._typed_moment,
                explanation=TIME_HINT,
                save_line=self._read_at,
            )
        )

    async def _read_at(self, typed_moment: str) -> None:
        await self.services.world.relation_graph.read_graph(self.universe_id, typed_moment)
        self._typed_moment = typed_moment
        self.reload()

    def action_step(self, step: int) -> None:
        """Go to the end of the scene before or after; after the last one, to now."""
        assert self._view is not None
        ticks, tick = sorted({m.tick for m in self._view.scene_moments}), self._view.tick
        if step > 0:
            later_ticks = [t for t in ticks if tick is not None and t > tick]
            next_tick = later_ticks[0] if later_ticks else None
        else:
            earlier_ticks = [t for t in ticks if tick is None or t < tick]
            next_tick = earlier_ticks[-1] if earlier_ticks else tick
        self._typed_moment = "" if next_tick is None else str(next_tick)
        self.reload()

    # --- search ------------------------------------------------------------------------------------

    def action_search(self) -> None:
        field = self.query_one("#search", Input)
        field.display = True
        field.focus()

    @on(Input.Submitted)
    def _search_submitted(self, message: Input.Submitted) -> None:
        message.stop()
        wanted = message.value.strip().casefold()
        self._close_search()
        if self._view is None or not wanted:
            return
        entity_id = find_by_name(self._view.graph, wanted)
        if entity_id is None:
            self.query_one(NoticePanel).show_lines(
                (f"Nothing is called “{one_line(message.value.strip())}”.",)
            )
        else:
            self._go_to(entity_id)

    def _close_search(self) -> None:
        field = self.query_one("#search", Input)
        field.value, field.display = "", False
        self.map.focus()

    # --- going on ----------------------------------------------------------------------------------

    def action_open(self) -> None:
        if self._is_focus_proposed:
            self.action_gate()
        elif (focus_id := self._focus_id) is not None:
            self.post_message(Visit(ToUniverse(self.universe_id, focus_id, beside_play=True)))

    def action_other_panel(self) -> None:
        (self.query_one(EntityCardView) if self.map.has_focus else self.map).focus()

    def action_as_list(self) -> None:
        if (focus_id := self._focus_id) is not None:
            self.post_message(Visit(ToRelations(focus_id)))

    def action_grid_maps(self) -> None:
        self.post_message(Visit(ToGridMaps(self.universe_id)))

    def action_gate(self) -> None:
        self.query_one(NoticePanel).clear()
        self.post_message(Visit(ToGate(None, self.universe_id)))

    def action_export(self) -> None:
        self.query_one(NoticePanel).show_lines(("Exporting ...",))
        self.start_change(partial(self._export, self.selection, self._typed_moment), "export")

    async def _export(self, selection: MapSelection, typed_moment: str) -> None:
        paths = await self.services.world.relation_graph.export_graph(
            self.universe_id, selection, typed_moment
        )
        self.post_message(self.MapExported(paths))

    @on(MapExported)
    def _show_exported(self, message: MapExported) -> None:
        self.query_one(NoticePanel).show_lines(tuple(f"Exported to {path}" for path in message.paths))

    def action_escape(self) -> None:
        """Go one step back: close notes, search, evidence, leave the card, then the screen."""
        if self.query_one(NoticePanel).is_shown:
            self.query_one(NoticePanel).clear()
        elif self.query_one("#search").display:
            self._close_search()
        elif self.query_one(EvidencePanel).close():
            pass
        elif not self.map.has_focus:
            self.map.focus()
        else:
            self.post_message(Visit(Back(self)))
