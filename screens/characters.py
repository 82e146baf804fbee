"""Those who live in a world: sheet, memories beside the truth, history, facts; and the GM's hand on them."""

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
from agents.views.character_views import MemoryView
from agents.views.play_views import FactView
from screens.aside import Aside
from screens.characters_hand import CharactersHand
from screens.key_bar import KeyBar
from screens.routes import Back, ToMenu, ToTurn, Visit
from screens.title_bar import TitleBar
from stores.records.ids import Id
from widgets.portrait import PANES, Pane, Portrait
from widgets.roster import CharacterList

if TYPE_CHECKING:
    from agents.events import Event
    from agents.services.services import Services
    from agents.views.character_views import CharacterRow, CharacterView
    from stores.records.world import Universe

NO_WORLD = "There is no world yet. On the menu press 1 to start a story in one, or 3 to look at the sample."
NOBODY = "Nobody lives here yet. n brings somebody in; who comes up in play shows up once canon has them."
NOT_FOUND = "Nobody goes by that name."


class CharactersScreen(CharactersHand):
    """Who there is on the left, what is known of one on the right."""

    CSS_PATH = "characters.tcss"
    AUTO_FOCUS = "CharacterList"
    BINDING_GROUP_TITLE = "Characters"
    BINDINGS = [
        Binding("f2", "pane", "Other pane", id="people.pane", tooltip="Sheet, memories, history or facts"),
        Binding("slash", "search", "Search", id="people.search", tooltip="Find by name", key_display="/"),
        Binding("u", "universe", "World", id="people.universe", tooltip="Those of the next universe"),
        Binding("escape", "escape", "Back", id="people.escape", tooltip="One step back"),
    ]
    EVIDENCE_IN = "#known"

    @dataclass
    class Read(Message):
        """The universes, and who is in the one that is shown."""

        universes: list[Universe]
        shown: Universe | None
        rows: tuple[CharacterRow, ...]

    @dataclass
    class PortraitRead(Message):
        view: CharacterView

    def __init__(
        self,
        services: Services,
        universe_id: Id | None = None,
        entity_id: Id | None = None,
        *,
        beside: bool = False,
    ) -> None:
        """`beside`: a look aside from somewhere, to which it leads back."""
        super().__init__(services)
        self.universe_id = universe_id
        self.entity_id = entity_id
        self.pane: Pane = "memories" if entity_id else "sheet"
        self._beside = beside
        self._entered = False
        self._universes: list[Universe] = []
        self._rows: tuple[CharacterRow, ...] = ()
        self._search = ""

    def compose(self) -> ComposeResult:
        yield TitleBar("Characters")
        with Horizontal(id="world"):
            yield CharacterList(empty=NOBODY)
            with Vertical(id="known"):
                yield Static(id="panes", markup=False)
                yield Portrait()
        yield Aside()
        yield KeyBar()

    # --- reading -----------------------------------------------------------------------------------

    def concerns(self, event: Event) -> bool:
        return isinstance(event, CanonCommitted | MemoriesWritten)

    async def read(self) -> None:
        if not (self._entered or self._beside):
            from agents.story_outline import Mode

            await self.services.stories.enter(Mode.CHARACTERS)
        self._entered = True
        universes = await self.services.stories.universes()
        shown = next((u for u in universes if u.id == self.universe_id), universes[0] if universes else None)
        rows = await self.services.characters.roster(shown.id) if shown else ()
        self.post_message(self.Read(universes, shown, rows))

    @on(Read)
    def _show(self, message: Read) -> None:
        self._universes, self._rows = message.universes, message.rows
        self.universe_id = message.shown.id if message.shown else None
        name = message.shown.name if message.shown else ""
        self.query_one(TitleBar).show(name, f"{len(message.rows)} there" if message.rows else "")
        self._list()
        if self.entity_id is not None:
            self._read_one(self.entity_id)
        self.refresh_bindings()

    def _list(self) -> None:
        """Show who goes by what is searched for."""
        wanted = self._search.casefold()
        rows = [r for r in self._rows if wanted in " ".join((r.entity.name, *r.entity.aliases)).casefold()]
        roster = self.query_one(CharacterList)
        roster.empty = NO_WORLD if self.universe_id is None else NOT_FOUND if self._search else NOBODY
        roster.show(rows)
        ids = [row.entity.id for row in rows]
        if self.entity_id in ids:
            roster.stand_on(self.entity_id or "")
        else:
            self.entity_id = ids[0] if ids else None
            if self.entity_id is None:
                self._draw(None)
            else:
                self._read_one(self.entity_id)

    @on(CharacterList.Highlighted)
    def _other(self, message: CharacterList.Highlighted) -> None:
        message.stop()
        if message.row is not None and message.row.entity.id != self.entity_id:
            self.entity_id = message.row.entity.id
            self._read_one(self.entity_id)

    @work(exclusive=True, group="portrait", exit_on_error=False)
    async def _read_one(self, entity_id: Id) -> None:
        self.post_message(self.PortraitRead(await self.services.characters.character(entity_id)))

    @on(PortraitRead)
    def _portrayed(self, message: PortraitRead) -> None:
        if message.view.card.entity.id == self.entity_id:
            if self.view is None or self.view.card.entity.id != self.entity_id:
                self.close_evidence()
            self._draw(message.view)

    def _draw(self, view: CharacterView | None) -> None:
        self.view = view
        shown = ((f"[{pane}]", "bold") if pane == self.pane else (f" {pane} ", "dim") for pane in PANES)
        self.query_one("#panes", Static).update(Content.assemble(*shown))
        self.query_one(Portrait).show(view, self.pane)
        self.refresh_bindings()

    # --- what a row rests on -----------------------------------------------------------------------

    @on(Portrait.Chosen)
    def _look_at(self, message: Portrait.Chosen) -> None:
        message.stop()
        known = message.known
        if isinstance(known, FactView):
            self.show_evidence(known.fact.id, known.fact.statement)
        elif isinstance(known, MemoryView) and known.memory.turn_id is not None:
            self.post_message(Visit(ToTurn(known.memory.turn_id)))
        elif isinstance(known, MemoryView):
            self.query_one(Aside).say(("It is of no turn of the transcript.",))

    @on(CharacterList.Into)
    def _into(self) -> None:
        self.query_one(Portrait).focus()

    # --- search ------------------------------------------------------------------------------------

    async def action_search(self) -> None:
        if not self.query("#search"):
            field = Input(id="search", placeholder="a name, or part of one", compact=True)
            await self.mount(field, after=self.query_one(TitleBar))
        self.query_one("#search").focus()

    @on(Input.Changed, "#search")
    def _searching(self, message: Input.Changed) -> None:
        message.stop()
        self._search = message.value.strip()
        self._list()

    @on(Input.Submitted, "#search")
    def _searched(self, message: Input.Submitted) -> None:
        message.stop()
        self.query_one(CharacterList).focus()

    def _close_search(self) -> bool:
        if not self.query("#search"):
            return False
        self.query_one("#search").remove()
        self._search = ""
        self.query_one(CharacterList).focus()
        self._list()
        return True

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "universe":
                return len(self._universes) > 1
            case "pane":
                return self.view is not None
        return super().check_action(action, parameters)

    def action_pane(self) -> None:
        self.close_evidence()
        self.pane = PANES[(PANES.index(self.pane) + 1) % len(PANES)]
        self._draw(self.view)

    def action_universe(self) -> None:
        ids = [u.id for u in self._universes]
        if self.universe_id in ids:
            self.universe_id = ids[(ids.index(self.universe_id) + 1) % len(ids)]
        self.entity_id = None
        self.reload()

    def action_escape(self) -> None:
        """One step back: from notes, evidence, search, the portrait, then off the screen."""
        if self.query_one(Aside).shown:
            self.query_one(Aside).clear()
        elif self.close_evidence() or self._close_search():
            pass
        elif self.query_one(Portrait).has_focus:
            self.query_one(CharacterList).focus()
        else:
            self.post_message(Visit(Back(self) if self._beside else ToMenu()))
