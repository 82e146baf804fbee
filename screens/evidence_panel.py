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

from screens.aside import Aside
from screens.base import ServiceScreen
from screens.routes import ToTurn, Visit
from stores.errors import MonitorError
from stores.records.ids import Id
from widgets.evidence import EvidenceList
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.views.world_views import Basis


class EvidenceScreen(ServiceScreen[None]):
    """Subclasses say where the panel stands (`EVIDENCE_IN`) and have an Aside for errors."""

    EVIDENCE_IN = "#known"

    @dataclass
    class BasisRead(Message):
        """What something rests on; `words` say what."""

        words: str
        bases: tuple[Basis, ...]

    def show_evidence(self, subject_id: Id, words: str) -> None:
        """Show what a fact or an entity rests on."""
        self._read_basis(subject_id, words)

    @work(exclusive=True, group="basis", exit_on_error=False)
    async def _read_basis(self, subject_id: Id, words: str) -> None:
        self.post_message(self.BasisRead(words, await self.services.world.record.basis(subject_id)))

    @on(BasisRead)
    async def _show_basis(self, message: BasisRead) -> None:
        if not self.query("#evidence"):
            self._before_evidence = self.focused
            panel = Vertical(Static(id="claim", markup=False), EvidenceList(), id="evidence")
            await self.query_one(self.EVIDENCE_IN).mount(panel)
        self.query_one("#claim", Static).update(
            Content.assemble(("What this rests on:  ", "$text-muted"), one_line(message.words))
        )
        evidence = self.query_one(EvidenceList)
        evidence.show(message.bases)
        evidence.focus()

    _before_evidence: Widget | None = None

    def close_evidence(self) -> bool:
        """Close the panel if it is open, with the focus back where it was; returns whether it was open."""
        if not self.query("#evidence"):
            return False
        before, self._before_evidence = self._before_evidence, None
        if self.query_one(EvidenceList).has_focus and before is not None and before.is_attached:
            before.focus()
        self.query_one("#evidence").remove()
        return True

    @on(EvidenceList.Jump)
    def _jump(self, message: EvidenceList.Jump) -> None:
        message.stop()
        self.post_message(Visit(ToTurn(message.turn_id)))

    def refused(self, error: BaseException, worker: str) -> None:
        if isinstance(error, MonitorError) and self.query(Aside):
            self.query_one(Aside).tell(error)
        else:
            super().refused(error, worker)
