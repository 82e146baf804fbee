"""Entities that may be one, entities that were merged before, and any other by name."""

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

from screens.dialogs.confirm_dialog import ConfirmDialog
from screens.folder import SCREENS_FOLDER
from screens.notice_panel import NoticePanel
from screens.routes import ToMerge, Visit
from screens.world.mention_list_screen import MentionListScreen
from stores.records.ids import Id
from stores.records.world import Entity
from widgets.mention_list import CanonMention, MentionList, MentionSection

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.world_views import LookalikeView, StagedEdits

MAX_SHOWN = 50
SPLIT_TAG, PAIR_TAG, NAME_MATCH_TAG = "split", "pair", "named"
NO_LOOKALIKES_HINT = "Merge: no similar names. / searches by name."
NO_PAIRS = "No similar names in this world."


class LookalikesScreen(MentionListScreen):
    """Pairs to compare with Enter; Enter on a merged one splits it again."""

    CSS_PATH = SCREENS_FOLDER / "world/mention_list_screen.tcss"
    AUTO_FOCUS = "MentionList"
    BINDING_GROUP_TITLE = "Merge"
    NAME = "Merge"
    BINDINGS = [
        Binding("slash", "search", "By name", id="alike.search", tooltip="Search by name", key_display="/"),
        Binding(
            "asterisk",
            "everyone",
            "Whole world",
            id="alike.everyone",
            tooltip="All similar names in this world",
        ),
    ]

    @dataclass
    class LookalikesLoaded(Message):
        """`pairs` are similar; `before` were merged into the one in question; `named` match what is typed."""

        name: str
        pairs: tuple[LookalikeView, ...]
        merged_entities: tuple[Entity, ...]
        name_matches: tuple[Entity, ...]

    @dataclass
    class SplitProposed(Message):
        """The split waits at the gate."""

        staged_edits: StagedEdits

    def __init__(self, services: Services, universe_id: Id, entity_id: Id | None) -> None:
        super().__init__(services)
        self.universe_id = universe_id
        self.entity_id = entity_id
        self._search_text = ""
        self._pairs: tuple[LookalikeView, ...] = ()

    def compose_top(self) -> ComposeResult:
        yield Input(id="search", placeholder="a name, or part of one", compact=True)

    async def load_page(self) -> None:
        assert self.universe_id is not None
        previews = self.services.world.previews
        name, merged_entities, name_matches = "", tuple[Entity, ...](), tuple[Entity, ...]()
        if self.entity_id is not None:
            name = (await self.services.world.read_card(self.entity_id)).entity.name
            merged_entities = await previews.list_absorbed(self.entity_id)
            if self._search_text:
                matching_entities = await self.services.world.list_entities(
                    self.universe_id, self._search_text
                )
                name_matches = tuple(e for e in matching_entities if e.id != self.entity_id)
        pairs = await previews.find_lookalikes(self.universe_id, self.entity_id)
        self.post_message(self.LookalikesLoaded(name, pairs, merged_entities, name_matches))

    @on(LookalikesLoaded)
    def _show_lookalikes(self, message: LookalikesLoaded) -> None:
        self.show_title(message.name or "the whole world", f"{len(message.pairs)} similar")
        self._pairs = message.pairs
        self.mention_list.empty = NO_LOOKALIKES_HINT if self.entity_id else NO_PAIRS
        self.mention_list.show_sections(self._lookalike_sections(message))
        self.refresh_bindings()

    def _lookalike_sections(self, message: LookalikesLoaded) -> Iterator[MentionSection]:
        if self._search_text:
            name_mentions = [CanonMention(e, tag=NAME_MATCH_TAG) for e in message.name_matches[:MAX_SHOWN]]
            yield MentionSection(
                f"Names like “{self._search_text}”", name_mentions, () if name_mentions else ("None.",)
            )
        if message.pairs:
            numbered_pairs = enumerate(message.pairs[:MAX_SHOWN])
            pair_mentions = [
                CanonMention(pair.second, self._likeness_note(pair), f"{PAIR_TAG}{n}")
                for n, pair in numbered_pairs
            ]
            yield MentionSection("Similar names", pair_mentions, count=len(message.pairs))
        if message.merged_entities:
            merged_mentions = [
                CanonMention(e, "Enter splits them again.", SPLIT_TAG) for e in message.merged_entities
            ]
            yield MentionSection(f"Merged into {message.name} before", merged_mentions)

    def _likeness_note(self, pair: LookalikeView) -> str:
        other_name = "" if self.entity_id else f"beside {pair.first.name}, "
        return f"{other_name}names {pair.likeness:.0f} % similar"

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
    def _search_changed(self, message: Input.Changed) -> None:
        message.stop()
        self._search_text = message.value.strip()
        self.reload()

    @on(Input.Submitted)
    def _search_submitted(self, message: Input.Submitted) -> None:
        message.stop()
        self.mention_list.focus()

    def action_everyone(self) -> None:
        self.entity_id = None
        self._search_text = ""
        self.query_one("#search").display = False
        self.mention_list.focus()
        self.reload()

    @on(MentionList.MentionChosen)
    def _compare_entities(self, message: MentionList.MentionChosen) -> None:
        message.stop()
        message.prevent_default()
        entity = message.mention.mentioned
        assert isinstance(entity, Entity)
        if message.mention.tag == SPLIT_TAG:
            question = ConfirmDialog(
                f"Is {entity.name} a different one after all?",
                "What the merge moved goes back, with the name. It waits at the gate.",
                yes="Propose the split",
                no="Keep them merged",
            )
            self.app.push_screen(question, partial(self._apply_split_answer, entity.id))
        elif message.mention.tag.startswith(PAIR_TAG):
            pair = self._pairs[int(message.mention.tag.removeprefix(PAIR_TAG))]
            self.post_message(Visit(ToMerge(pair.first.id, pair.second.id)))
        elif self.entity_id is not None:
            self.post_message(Visit(ToMerge(self.entity_id, entity.id)))

    def _apply_split_answer(self, absorbed_id: Id, is_confirmed: bool | None) -> None:
        if is_confirmed:
            self.start_change(partial(self._propose_split, absorbed_id), "split")

    async def _propose_split(self, absorbed_id: Id) -> None:
        self.post_message(self.SplitProposed(await self.services.world.edits.propose_split(absorbed_id)))

    @on(SplitProposed)
    def _show_split_proposed(self, message: SplitProposed) -> None:
        self.query_one(NoticePanel).show_lines(message.staged_edits.lines)
