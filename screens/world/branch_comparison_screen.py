"""Two branches side by side: what is in canon of one and not of the other, and their scenes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding
from textual.message import Message

from screens.folder import SCREENS_FOLDER
from screens.notice_panel import NoticePanel
from screens.world.mention_list_screen import MentionListScreen
from stores.records.ids import Id
from widgets.mention_list import CanonMention, MentionSection

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.branch_views import BranchComparison
    from agents.views.card_views import FactView
    from agents.views.world_views import StagedEdits
    from stores.records.world import Entity

SAME_CANON_HINT = "The same is in canon of both."


class BranchComparisonScreen(MentionListScreen):
    """What only the other branch has can be proposed here."""

    CSS_PATH = SCREENS_FOLDER / "world/mention_list_screen.tcss"
    AUTO_FOCUS = "MentionList"
    BINDING_GROUP_TITLE = "Compare"
    NAME = "Compare"
    BINDINGS = [
        Binding(
            "m",
            "merge",
            "Merge",
            id="compare.merge",
            tooltip="Propose here what is true on the other branch only",
        ),
    ]

    @dataclass
    class ComparisonLoaded(Message):
        view: BranchComparison

    @dataclass
    class BranchMerged(Message):
        staged_edits: StagedEdits

    def __init__(self, services: Services, universe_id: Id, other_id: Id) -> None:
        super().__init__(services)
        self.universe_id = universe_id
        self.other_id = other_id

    async def load_page(self) -> None:
        assert self.universe_id is not None
        self.post_message(
            self.ComparisonLoaded(await self.services.branches.compare(self.universe_id, self.other_id))
        )

    @on(ComparisonLoaded)
    def _show_comparison(self, message: ComparisonLoaded) -> None:
        view = message.view
        self.show_title(f"{view.here_name} and {view.other_name}")
        self.mention_list.empty = SAME_CANON_HINT
        self.mention_list.show_sections(_sections(view))
        self.refresh_bindings()

    def action_merge(self) -> None:
        self.start_change(self._merge, "merge")

    async def _merge(self) -> None:
        assert self.universe_id is not None
        self.post_message(
            self.BranchMerged(await self.services.branches.merge(self.universe_id, self.other_id))
        )

    @on(BranchMerged)
    def _show_merged(self, message: BranchMerged) -> None:
        self.query_one(NoticePanel).show_lines(message.staged_edits.lines)


def _sections(view: BranchComparison) -> Iterator[MentionSection]:
    yield _canon_section(f"Only on {view.other_name}", view.new_entities_other, view.only_other)
    yield _canon_section(f"Only on {view.here_name}", view.new_entities_here, view.only_here)
    if view.scenes:
        lines = [
            line
            for scene in view.scenes
            for line in (
                f"{view.here_name}: {scene.here or 'no such scene'}",
                f"{view.other_name}: {scene.other or 'no such scene'}",
                "",
            )
        ]
        yield MentionSection("Scenes that differ", text_lines=lines, count=len(view.scenes))


def _canon_section(heading: str, entities: Sequence[Entity], facts: Sequence[FactView]) -> MentionSection:
    mentions = [*map(CanonMention, entities), *map(CanonMention, facts)]
    return MentionSection(heading, mentions, () if mentions else ("Nothing.",))
