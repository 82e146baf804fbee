"""Who may be one under two names, who was taken for one before, and anybody else by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.message import Message
from textual.widgets import Input

from screens.aside import Aside
from screens.confirm import ConfirmScreen
from screens.listing import ListingScreen
from screens.routes import Visit
from screens.world_routes import ToMerge
from stores.records.ids import Id
from stores.records.world import Entity
from widgets.mentions import Mention, MentionList, Section

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.world_views import Lookalike, Staged

MOST = 50
SPLIT, PAIR, NAMED = "split", "pair", "named"
NOBODY = "Nobody has a name like this one. / finds anybody else by name."
NO_PAIRS = "No two names in this world are alike."


class LookalikesScreen(ListingScreen):
    """Pairs to be laid side by side. Enter does that; on what was merged before, it splits again."""

    CSS_PATH = "listing.tcss"
    AUTO_FOCUS = "MentionList"
    BINDING_GROUP_TITLE = "Who may be the same"
    NAME = "The same?"
    BINDINGS = [
        Binding("slash", "search", "By name", id="alike.search", tooltip="Find anybody", key_display="/"),
        Binding(
            "a",
            "everyone",
            "Whole world",
            id="alike.everyone",
            tooltip="All names in this world that are alike",
        ),
    ]

    @dataclass
    class Read(Message):
        """`pairs` are alike; `before` were merged into the one in question; `named` go by what is typed."""

        name: str
        pairs: tuple[Lookalike, ...]
        before: tuple[Entity, ...]
        named: tuple[Entity, ...]

    @dataclass
    class Split(Message):
        """The two will be two again, once the gate says so."""

        staged: Staged

    def __init__(self, services: Services, universe_id: Id, entity_id: Id | None) -> None:
        super().__init__(services)
        self.universe_id = universe_id
        self.entity_id = entity_id
        self._search = ""
        self._pairs: tuple[Lookalike, ...] = ()

    def compose_top(self) -> ComposeResult:
        yield Input(id="search", placeholder="a name, or part of one", compact=True)

    async def read_page(self) -> None:
        assert self.universe_id is not None
        previews = self.services.world.previews
        name, before, named = "", tuple[Entity, ...](), tuple[Entity, ...]()
        if self.entity_id is not None:
            name = (await self.services.world.card(self.entity_id)).entity.name
            before = await previews.absorbed_by(self.entity_id)
            if self._search:
                found = await self.services.world.entities(self.universe_id, self._search)
                named = tuple(e for e in found if e.id != self.entity_id)
        pairs = await previews.lookalikes(self.universe_id, self.entity_id)
        self.post_message(self.Read(name, pairs, before, named))

    @on(Read)
    def _show(self, message: Read) -> None:
        self.entitle(message.name or "the whole world", f"{len(message.pairs)} alike")
        self._pairs = message.pairs
        self.page.empty = NOBODY if self.entity_id else NO_PAIRS
        self.page.show(self._sections(message))
        self.refresh_bindings()

    def _sections(self, message: Read) -> Iterator[Section]:
        if self._search:
            named = [Mention(e, tag=NAMED) for e in message.named[:MOST]]
            yield Section(f"Called like “{self._search}”", named, () if named else ("Nobody is.",))
        if message.pairs:
            shown = enumerate(message.pairs[:MOST])
            pairs = [Mention(pair.other, self._note(pair), f"{PAIR}{n}") for n, pair in shown]
            yield Section("Names alike", pairs, count=len(message.pairs))
        if message.before:
            before = [Mention(e, "Enter makes them two again.", SPLIT) for e in message.before]
            yield Section(f"Merged into {message.name} before", before)

    def _note(self, pair: Lookalike) -> str:
        beside = "" if self.entity_id else f"beside {pair.one.name}, "
        return f"{beside}names {pair.likeness:.0f} % alike"

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "search" | "everyone":
                return self.entity_id is not None
        return super().check_action(action, parameters)

    def on_mount(self) -> None:
        self.query_one("#search").display = False

    def action_search(self) -> None:
        self.query_one("#search").display = True
        self.query_one("#search").focus()

    @on(Input.Changed)
    def _searching(self, message: Input.Changed) -> None:
        message.stop()
        self._search = message.value.strip()
        self.reload()

    @on(Input.Submitted)
    def _searched(self, message: Input.Submitted) -> None:
        message.stop()
        self.page.focus()

    def action_everyone(self) -> None:
        self.entity_id = None
        self._search = ""
        self.query_one("#search").display = False
        self.page.focus()
        self.reload()

    @on(MentionList.Chosen)
    def _side_by_side(self, message: MentionList.Chosen) -> None:
        message.stop()
        message.prevent_default()
        entity = message.mention.thing
        assert isinstance(entity, Entity)
        if message.mention.tag == SPLIT:
            question = ConfirmScreen(
                f"Is {entity.name} somebody or something else after all?",
                "What moved with the merge goes back, and the name with it. It waits at the gate.",
                yes="Propose the split",
                no="Leave them one",
            )
            self.app.push_screen(question, partial(self._split, entity.id))
        elif message.mention.tag.startswith(PAIR):
            pair = self._pairs[int(message.mention.tag.removeprefix(PAIR))]
            self.post_message(Visit(ToMerge(pair.one.id, pair.other.id)))
        elif self.entity_id is not None:
            self.post_message(Visit(ToMerge(self.entity_id, entity.id)))

    def _split(self, absorbed_id: Id, yes: bool | None) -> None:
        if yes:
            self.change(self._stage_split(absorbed_id), "split")

    async def _stage_split(self, absorbed_id: Id) -> None:
        self.post_message(self.Split(await self.services.world.edits.split(absorbed_id)))

    @on(Split)
    def _told(self, message: Split) -> None:
        self.query_one(Aside).say(message.staged.lines)
