"""The panel under a list or a card that shows what a fact or an entity rests on, and leads to the turn or the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on, work
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static
from textual.worker import Worker

from screens.evidence_routes import build_evidence_route, build_reading_route
from screens.routes import Visit
from stores.records.ids import Id
from widgets.evidence_list import EvidenceList
from widgets.safe_text import one_line
from widgets.worker import post_failed_work

if TYPE_CHECKING:
    from agents.services.provenance import ProvenanceReader
    from agents.views.world_views import EvidenceSource


class EvidencePanel(Vertical):
    """Takes room only while it shows evidence; it has the focus then, and gives it back when it closes."""

    DEFAULT_CSS = """
    EvidencePanel { display: none; height: 40%; border-top: solid $border-blurred; }
    EvidencePanel #claim { height: auto; max-height: 2; padding: 0 1; }
    EvidencePanel EvidenceList { height: 1fr; }
    """

    @dataclass
    class EvidenceLoaded(Message):
        """The evidence of `statement`."""

        statement: str
        sources: tuple[EvidenceSource, ...]

    def __init__(self, provenance: ProvenanceReader) -> None:
        super().__init__()
        self._provenance = provenance
        self._previous_focus: Widget | None = None

    @work(exclusive=True, group="evidence", exit_on_error=False)
    async def show_evidence(self, subject_id: Id, statement: str) -> None:
        """Read and show what a fact or an entity rests on."""
        self.post_message(self.EvidenceLoaded(statement, await self._provenance.read_evidence(subject_id)))

    @on(EvidenceLoaded)
    async def _show_sources(self, message: EvidenceLoaded) -> None:
        message.stop()
        if not self.children:  # not before it is needed: most visits to a screen never open it
            await self.mount(Static(id="claim", markup=False), EvidenceList())
        if not self.display:
            self._previous_focus = self.screen.focused
            self.display = True
        self.query_one("#claim", Static).update(
            Content.assemble(("Evidence for:  ", "$text-muted"), one_line(message.statement))
        )
        evidence_list = self.query_one(EvidenceList)
        evidence_list.show_evidence(message.sources)
        evidence_list.focus()

    def close(self) -> bool:
        """Close the panel if it is open, with the focus back where it was; return whether it was open."""
        if not self.display:
            return False
        previous_focus, self._previous_focus = self._previous_focus, None
        if (
            self.query_one(EvidenceList).has_focus
            and previous_focus is not None
            and previous_focus.is_attached
        ):
            previous_focus.focus()
        self.display = False
        return True

    @on(EvidenceList.TurnRequested)
    def _open_turn(self, message: EvidenceList.TurnRequested) -> None:
        message.stop()
        self.post_message(Visit(build_reading_route(message.turn_id, message.evidence)))

    @on(EvidenceList.PageRequested)
    def _open_page(self, message: EvidenceList.PageRequested) -> None:
        message.stop()
        if (route := build_evidence_route(message.evidence, None)) is not None:
            self.post_message(Visit(route))

    def on_worker_state_changed(self, message: Worker.StateChanged) -> None:
        message.stop()
        post_failed_work(self, message)
