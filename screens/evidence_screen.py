"""Screens that show what a fact or an entity rests on, in a panel, and lead from there to the turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on, work
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from screens.base import ServiceScreen
from screens.notice_panel import NoticePanel
from screens.routes import ToReading, Visit
from stores.errors import MonitorError
from stores.records.ids import Id
from widgets.evidence_list import EvidenceList
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.views.world_views import EvidenceSource


class EvidenceScreen(ServiceScreen[None]):
    """Subclasses say where the panel stands (`EVIDENCE_IN`) and have an Aside for errors."""

    EVIDENCE_IN = "#known"

    @dataclass
    class EvidenceLoaded(Message):
        """What something rests on; `words` say what."""

        statement: str
        bases: tuple[EvidenceSource, ...]

    def show_evidence(self, subject_id: Id, statement: str) -> None:
        """Show what a fact or an entity rests on."""
        self._load_evidence(subject_id, statement)

    @work(exclusive=True, group="basis", exit_on_error=False)
    async def _load_evidence(self, subject_id: Id, statement: str) -> None:
        self.post_message(
            self.EvidenceLoaded(statement, await self.services.world.provenance.read_evidence(subject_id))
        )

    @on(EvidenceLoaded)
    async def _show_evidence_list(self, message: EvidenceLoaded) -> None:
        if not self.query("#evidence"):
            self._focused_before_evidence = self.focused
            panel = Vertical(Static(id="claim", markup=False), EvidenceList(), id="evidence")
            await self.query_one(self.EVIDENCE_IN).mount(panel)
        self.query_one("#claim", Static).update(
            Content.assemble(("Evidence for:  ", "$text-muted"), one_line(message.statement))
        )
        evidence = self.query_one(EvidenceList)
        evidence.show_evidence(message.bases)
        evidence.focus()

    _focused_before_evidence: Widget | None = None

    def close_evidence(self) -> bool:
        """Close the panel if it is open, with the focus back where it was; returns whether it was open."""
        if not self.query("#evidence"):
            return False
        previous_focus, self._focused_before_evidence = self._focused_before_evidence, None
        if (
            self.query_one(EvidenceList).has_focus
            and previous_focus is not None
            and previous_focus.is_attached
        ):
            previous_focus.focus()
        self.query_one("#evidence").remove()
        return True

    @on(EvidenceList.TurnRequested)
    def _open_turn(self, message: EvidenceList.TurnRequested) -> None:
        message.stop()
        self.post_message(Visit(ToReading(message.turn_id)))

    def handle_error(self, error: BaseException, worker: str) -> None:
        if isinstance(error, MonitorError) and self.query(NoticePanel):
            self.query_one(NoticePanel).show_error(error)
        else:
            super().handle_error(error, worker)
