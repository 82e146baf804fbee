"""The characters of a universe: sheet, memories beside the truth, history, facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from agents.events import CanonCommitted, MemoriesWritten
from agents.views.card_views import FactView
from agents.views.character_views import MemoryView
from screens.characters.character_edit_screen import CharacterEditScreen
from screens.evidence_panel import EvidencePanel
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.routes import Back, ToMenu, ToReading, Visit
from screens.title_bar import TitleBar
from stores.records.ids import Id
from widgets.character_list import CharacterList
from widgets.character_pane import CHARACTER_TABS, CharacterPane, CharacterTab

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.services import Services
    from agents.views.character_views import CharacterRow, CharacterView
    from stores.records.world import Universe

NO_UNIVERSE_HINT = (
    "No world yet. On the menu press 1 to start a story, 3 to look at the sample world, or 5 to read in a "
    "document."
)
NO_CHARACTERS_HINT = "No characters yet. n adds one; characters from play appear here once they are canon."
NAME_NOT_FOUND = "Nobody has that name."


class CharactersScreen(CharacterEditScreen):
    """The list of characters on the left, the current one on the right."""

    CSS_PATH = SCREENS_FOLDER / "characters/characters_screen.tcss"
    AUTO_FOCUS = "CharacterList"
    BINDING_GROUP_TITLE = "Characters"
    KEYS_WAIT = True
    BINDINGS = [
        Binding(
            "right,f2",
            "pane(1)",
            "Next tab",
            id="people.pane",
            tooltip="Sheet, memories, history, facts",
        ),
        Binding(
            "left", "pane(-1)", "Tab before", id="people.pane_before", tooltip="The tab before", show=False
        ),
        Binding("slash", "search", "Search", id="people.search", tooltip="Find by name", key_display="/"),
        Binding("U", "universe", "World", id="people.universe", tooltip="The characters of the next world"),
        Binding("escape", "escape", "Back", id="people.escape", tooltip="One step back"),
    ]

    @dataclass
    class RosterLoaded(Message):
        """The universes, and the characters of the current one."""

        universes: list[Universe]
        shown_universe: Universe | None
        rows: tuple[CharacterRow, ...]

    @dataclass
    class CharacterLoaded(Message):
        view: CharacterView

    def __init__(
        self,
        services: Services,
        universe_id: Id | None = None,
        entity_id: Id | None = None,
        *,
        from_other_screen: bool = False,
    ) -> None:
        """Open the characters of a universe; with `from_other_screen`, leaving leads back there."""
        super().__init__(services)
        self.universe_id = universe_id
        self.entity_id = entity_id
        self.pane: CharacterTab = "memories" if entity_id else "sheet"
        self._opened_from_other_screen = from_other_screen
        self._has_entered_mode = False
        self._universes: list[Universe] = []
        self._rows: tuple[CharacterRow, ...] = ()
        self._search_text = ""

    def compose(self) -> ComposeResult:
        yield TitleBar("Characters")
        with Horizontal(id="world"):
            yield CharacterList(empty="Reading …")
            with Vertical(id="details"):
                yield Static(id="panes", markup=False)
                yield CharacterPane()
                yield EvidencePanel(self.services.world.provenance)
        yield NoticePanel()
        yield KeyBar()

    # --- reading -----------------------------------------------------------------------------------

    def is_affected_by(self, event: Event) -> bool:
        return isinstance(event, CanonCommitted | MemoriesWritten)

    async def load_view(self) -> None:
        if not (self._has_entered_mode or self._opened_from_other_screen):
            from agents.story_outline import MainMode

            await self.services.stories.enter(MainMode.CHARACTERS)
        self._has_entered_mode = True
        universes = await self.services.stories.universes()
        shown_universe = next(
            (u for u in universes if u.id == self.universe_id), universes[0] if universes else None
        )
        rows = await self.services.characters.list_characters(shown_universe.id) if shown_universe else ()
        self.post_message(self.RosterLoaded(universes, shown_universe, rows))

    @on(RosterLoaded)
    def _show_roster(self, message: RosterLoaded) -> None:
        self._universes, self._rows = message.universes, message.rows
        self.universe_id = message.shown_universe.id if message.shown_universe else None
        name = message.shown_universe.name if message.shown_universe else ""
        self.query_one(TitleBar).show_place(
            name,
            f"{len(message.rows)} character{'' if len(message.rows) == 1 else 's'}" if message.rows else "",
        )
        self._show_matching_rows()
        if self.entity_id is not None:
            self._load_character(self.entity_id)
        self.refresh_bindings()

    def _show_matching_rows(self) -> None:
        """Show the characters whose names match the search."""
        search_text = self._search_text.casefold()
        rows = [
            r for r in self._rows if search_text in " ".join((r.entity.name, *r.entity.aliases)).casefold()
        ]
        character_list = self.query_one(CharacterList)
        character_list.empty = (
            NO_UNIVERSE_HINT
            if self.universe_id is None
            else NAME_NOT_FOUND
            if self._search_text
            else NO_CHARACTERS_HINT
        )
        character_list.show_characters(rows)
        ids = [row.entity.id for row in rows]
        if self.entity_id in ids:
            character_list.move_cursor_to(self.entity_id or "")
        else:
            self.entity_id = ids[0] if ids else None
            if self.entity_id is None:
                self._refresh_character(None)
            else:
                self._load_character(self.entity_id)

    @on(CharacterList.Highlighted)
    def _select_character(self, message: CharacterList.Highlighted) -> None:
        message.stop()
        if message.row is not None and message.row.entity.id != self.entity_id:
            self.entity_id = message.row.entity.id
            self._load_character(self.entity_id)

    @work(exclusive=True, group="portrait", exit_on_error=False)
    async def _load_character(self, entity_id: Id) -> None:
        self.post_message(self.CharacterLoaded(await self.services.characters.read_character(entity_id)))

    @on(CharacterLoaded)
    def _show_character(self, message: CharacterLoaded) -> None:
        if message.view.card.entity.id == self.entity_id:
            if self.view is None or self.view.card.entity.id != self.entity_id:
                self.query_one(EvidencePanel).close()
            self._refresh_character(message.view)

    def _refresh_character(self, view: CharacterView | None) -> None:
        self.view = view
        pane_labels = (
            (f"▸{pane.capitalize()}  ", "bold") if pane == self.pane else (f" {pane.capitalize()}  ", "dim")
            for pane in CHARACTER_TABS
        )
        self.query_one("#panes", Static).update(Content.assemble(*pane_labels))
        self.query_one(CharacterPane).show_character(view, self.pane)
        self.refresh_bindings()
        self.note_read()

    # --- what a row rests on -----------------------------------------------------------------------

    @on(CharacterPane.CharacterItemChosen)
    def _open_row(self, message: CharacterPane.CharacterItemChosen) -> None:
        message.stop()
        chosen_item = message.item
        if isinstance(chosen_item, FactView):
            self.query_one(EvidencePanel).show_evidence(chosen_item.fact.id, chosen_item.fact.statement)
        elif isinstance(chosen_item, MemoryView) and chosen_item.memory.turn_id is not None:
            self.post_message(Visit(ToReading(chosen_item.memory.turn_id)))
        elif isinstance(chosen_item, MemoryView):
            self.query_one(NoticePanel).show_lines(("No turn of the transcript belongs to it.",))

    @on(CharacterList.PaneRequested)
    def _focus_pane(self) -> None:
        self.query_one(CharacterPane).focus()

    # --- search ------------------------------------------------------------------------------------

    async def action_search(self) -> None:
        if not self.query("#search"):
            field = Input(id="search", placeholder="a name, or part of one", compact=True)
            await self.mount(field, after=self.query_one(TitleBar))
        self.query_one("#search").focus()

    @on(Input.Changed, "#search")
    def _search_changed(self, message: Input.Changed) -> None:
        message.stop()
        self._search_text = message.value.strip()
        self._show_matching_rows()

    @on(Input.Submitted, "#search")
    def _search_submitted(self, message: Input.Submitted) -> None:
        message.stop()
        self.query_one(CharacterList).focus()

    def _close_search(self) -> bool:
        if not self.query("#search"):
            return False
        self.query_one("#search").remove()
        self._search_text = ""
        self.query_one(CharacterList).focus()
        self._show_matching_rows()
        return True

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "universe":
                return len(self._universes) > 1
            case "pane":
                return self.view is not None
        return super().check_action(action, parameters)

    def action_pane(self, step: int) -> None:
        self.query_one(EvidencePanel).close()
        self.pane = CHARACTER_TABS[(CHARACTER_TABS.index(self.pane) + step) % len(CHARACTER_TABS)]
        self._refresh_character(self.view)

    def action_universe(self) -> None:
        ids = [u.id for u in self._universes]
        if self.universe_id in ids:
            self.universe_id = ids[(ids.index(self.universe_id) + 1) % len(ids)]
        self.entity_id = None
        self.reload()

    def action_escape(self) -> None:
        """Go one step back: close notes, evidence, search, the character, then the screen."""
        if self.query_one(NoticePanel).is_shown:
            self.query_one(NoticePanel).clear()
        elif self.query_one(EvidencePanel).close() or self._close_search():
            pass
        elif self.query_one(CharacterPane).has_focus:
            self.query_one(CharacterList).focus()
        else:
            self.post_message(Visit(Back(self) if self._opened_from_other_screen else ToMenu()))
