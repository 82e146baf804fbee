"""Two entities side by side, and what merging them would do. A merge can be split again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Static

from agents.count_words import count_noun
from screens.evidence_panel import EvidencePanel
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.notice_panel import NoticePanel
from screens.routes import Back, Visit
from screens.title_bar import TitleBar
from screens.world.mention_list_screen import MentionListScreen
from stores.records.ids import Id
from widgets.entity_card import EntityCardView
from widgets.ink import Ink
from widgets.mention_list import CanonMention, MentionList, MentionSection
from widgets.safe_text import one_line
from widgets.worker import call_behind_keys

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.world_views import MergeView


class MergeScreen(MentionListScreen):
    """On the left the entity whose name is kept; on the right the one that becomes another name of it."""

    CSS_PATH = SCREENS_FOLDER / "world/merge_screen.tcss"
    AUTO_FOCUS = "MentionList"
    BINDING_GROUP_TITLE = "Merge"
    NAME = "Merge"
    BINDINGS = [
        Binding(
            "enter",
            "stage",
            "Merge",
            id="merge.stage",
            tooltip="Propose it: it waits at the gate, and can be split again",
            priority=True,
            key_display="⏎",
        ),
        Binding("f2", "swap", "Keep the other", id="merge.swap", tooltip="Keep the other name"),
    ]

    @dataclass
    class MergeLoaded(Message):
        view: MergeView

    @dataclass
    class MergeProposed(Message):
        """The merge waits at the gate."""

    def __init__(self, services: Services, kept_id: Id, absorbed_id: Id) -> None:
        super().__init__(services)
        self.kept_id = kept_id
        self.absorbed_id = absorbed_id
        self.view: MergeView | None = None

    def compose(self) -> ComposeResult:
        yield TitleBar(self.NAME)
        with Horizontal(id="sides"):
            with Vertical(classes="side"):
                yield Static("this name is kept", classes="role", markup=False)
                yield EntityCardView(id="kept")
            with Vertical(classes="side", id="right"):
                yield Static("becomes another name of it", classes="role", markup=False)
                yield EntityCardView(id="absorbed")
        with Vertical(id="what"):
            yield MentionList()
            yield EvidencePanel(self.services.world.provenance)
        yield NoticePanel()
        yield KeyBar()

    async def load_page(self) -> None:
        self.post_message(
            self.MergeLoaded(await self.services.world.previews.preview_merge(self.kept_id, self.absorbed_id))
        )

    @on(MergeLoaded)
    def _show_merge(self, message: MergeLoaded) -> None:
        view = self.view = message.view
        self.universe_id = view.universe.id
        kept_entity, absorbed_entity = view.kept_card.entity, view.absorbed_card.entity
        self.show_title(
            f"{one_line(absorbed_entity.name)} is {one_line(kept_entity.name)}", view.universe.name
        )
        self.query_one("#kept", EntityCardView).show_card(view.kept_card)
        self.query_one("#absorbed", EntityCardView).show_card(view.absorbed_card)
        self.mention_list.show_sections(_merge_sections(view))
        self.refresh_bindings()

    @on(EntityCardView.EvidenceRequested)
    def _show_fact_evidence(self, message: EntityCardView.EvidenceRequested) -> None:
        message.stop()
        fact = message.fact_view.fact
        self.query_one(EvidencePanel).show_evidence(fact.id, fact.statement)

    # --- keys --------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "stage":
                return self.view is not None and not self.view.is_staged and self.is_list_focused
            case "swap":
                return self.view is not None
        return super().check_action(action, parameters)

    def action_swap(self) -> None:
        self.kept_id, self.absorbed_id = self.absorbed_id, self.kept_id
        self.reload()

    def action_stage(self) -> None:
        """Propose the merge, with the name that the key before this one keeps."""
        call_behind_keys(self.mention_list, self, self._start_proposal)

    def _start_proposal(self) -> None:
        self.query_one(NoticePanel).clear()
        self.start_change(self._propose_merge, "stage")

    async def _propose_merge(self) -> None:
        await self.services.world.edits.propose_merge(self.kept_id, self.absorbed_id)
        self.post_message(self.MergeProposed())

    @on(MergeProposed)
    def _merge_proposed(self) -> None:
        self.post_message(Visit(Back(self)))


def _merge_sections(view: MergeView) -> Iterator[MentionSection]:
    kept_name, absorbed_name = one_line(view.kept_card.entity.name), one_line(view.absorbed_card.entity.name)
    if view.is_staged:
        yield MentionSection(text_lines=("This waits at the gate already: g goes there.",), ink=Ink.WARN)
    if view.kept_card.entity.kind is not view.absorbed_card.entity.kind:
        kinds_warning = (
            f"⚠ {kept_name} is a {view.kept_card.entity.kind}, {absorbed_name} is a "
            f"{view.absorbed_card.entity.kind}."
        )
        yield MentionSection(text_lines=(kinds_warning,), ink=Ink.WARN)
    if view.conflicts:
        clash_mentions = [
            CanonMention(theirs, f"conflicts with: {one_line(ours)}") for ours, theirs in view.conflicts
        ]
        yield MentionSection(
            f"⚠ Conflicts: {kept_name}'s facts are kept, these are not moved", clash_mentions
        )
    yield MentionSection(
        f"{kept_name} would also be called",
        text_lines=(", ".join(map(one_line, view.added_names)) or "no other name",),
        count=0,
        ink=Ink.PROSE,
    )
    moved_mentions = [CanonMention(fact) for fact in view.moved_facts]
    yield MentionSection(f"Would move to {kept_name}", moved_mentions, () if moved_mentions else ("None.",))
    if view.repeated_facts:
        yield MentionSection(
            f"Already true of {kept_name}", [CanonMention(fact) for fact in view.repeated_facts]
        )
    if view.memory_count:
        memories = count_noun(view.memory_count, "memory")
        yield MentionSection(
            text_lines=(f"{kept_name} would remember what {absorbed_name} does: {memories}.",)
        )
