"""The preview of a retcon: what it would change, and what rests on the retconned record.

For a record that is retconned already, the same screen restores it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding
from textual.message import Message

from agents.views.card_views import FactView
from screens.folder import SCREENS_FOLDER
from screens.notice_panel import NoticePanel
from screens.routes import Back, Visit
from screens.world.mention_list_screen import MentionListScreen
from stores.records.ids import Id
from widgets.ink import Ink
from widgets.mention_list import CanonMention, MentionSection
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.world_views import RetconImpactView

ALREADY_WAITING_HINT = "This waits at the gate already: g goes there."
NOTHING_DEPENDS_HINT = "Nothing else depends on it."


class RetconScreen(MentionListScreen):
    """What would become never true, or true again."""

    CSS_PATH = SCREENS_FOLDER / "world/mention_list_screen.tcss"
    AUTO_FOCUS = "MentionList"
    BINDING_GROUP_TITLE = "Retcon"
    NAME = "Retcon"
    BINDINGS = [
        Binding(
            "enter",
            "stage",
            "Propose",
            id="retcon.stage",
            tooltip="Propose it: it waits at the gate, and nothing is deleted",
            priority=True,
            key_display="⏎",
        ),
    ]

    @dataclass
    class ImpactLoaded(Message):
        impact: RetconImpactView

    @dataclass
    class RetconProposed(Message):
        """The retcon waits at the gate."""

    def __init__(self, services: Services, subject_id: Id) -> None:
        super().__init__(services)
        self.subject_id = subject_id
        self.impact: RetconImpactView | None = None

    async def load_page(self) -> None:
        self.post_message(
            self.ImpactLoaded(await self.services.world.previews.preview_retcon(self.subject_id))
        )

    @on(ImpactLoaded)
    def _show_impact(self, message: ImpactLoaded) -> None:
        impact = self.impact = message.impact
        self.universe_id = impact.universe.id
        state = "would be true again" if impact.is_restore else "was never true"
        self.show_title(impact.universe.name, state)
        self.mention_list.show_sections(_impact_sections(impact))
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "stage":
            is_unstaged = self.impact is not None and not self.impact.is_staged
            return is_unstaged and self.is_list_focused
        return super().check_action(action, parameters)

    def action_stage(self) -> None:
        self.query_one(NoticePanel).clear()
        self.start_change(self._propose_retcon, "stage")

    async def _propose_retcon(self) -> None:
        await self.services.world.edits.propose_retcon(self.subject_id)
        self.post_message(self.RetconProposed())

    @on(RetconProposed)
    def _retcon_proposed(self) -> None:
        self.post_message(Visit(Back(self)))


def _impact_sections(impact: RetconImpactView) -> Iterator[MentionSection]:
    heading = f"{'True again' if impact.is_restore else 'Never true'}: {one_line(impact.title)}"
    yield MentionSection(heading, count=0)
    if impact.is_staged:
        yield MentionSection(text_lines=(ALREADY_WAITING_HINT,), ink=Ink.WARN)
    changes = [f"{one_line(subject)}  {was} → {will}" for subject, was, will in impact.changes]
    yield MentionSection(
        "What changes", text_lines=changes or ["Nothing that is true now."], count=len(changes), ink=Ink.PROSE
    )
    dependent_sections = list(_dependent_sections(impact))
    yield from dependent_sections
    if not dependent_sections:
        yield MentionSection(text_lines=("", NOTHING_DEPENDS_HINT))


def _dependent_sections(impact: RetconImpactView) -> Iterator[MentionSection]:
    listed_fact_ids: set[Id] = set()

    def fact_section(heading: str, views: Sequence[FactView]) -> Iterator[MentionSection]:
        """Each fact stands once, under the first heading that it fits."""
        unlisted_views = [view for view in views if view.fact.id not in listed_fact_ids]
        listed_fact_ids.update(view.fact.id for view in unlisted_views)
        if unlisted_views:
            yield MentionSection(heading, [CanonMention(view) for view in unlisted_views])

    yield from fact_section("Open promises, debts and questions that depend on it", impact.commitments)
    yield from fact_section("Caused by it", impact.caused_facts)
    yield from fact_section("Has the same evidence", impact.same_turn_facts)
    yield from fact_section(
        "Involves it" if impact.is_entity else "Involves what it brought into the world",
        impact.involving_facts,
    )
    if impact.memories:
        memory_lines = [f"{one_line(m.owner_name)}: {one_line(m.text)}" for m in impact.memories]
        yield MentionSection("Remembered", text_lines=memory_lines, count=len(memory_lines), ink=Ink.PROSE)
    if impact.scenes:
        yield MentionSection("Named in other scenes", [CanonMention(scene) for scene in impact.scenes])
    if impact.retold_turns:
        yield MentionSection("Told of in play", [CanonMention(turn) for turn in impact.retold_turns])
    if impact.proposals:
        yield MentionSection("Proposals that name it", [CanonMention(row) for row in impact.proposals])
