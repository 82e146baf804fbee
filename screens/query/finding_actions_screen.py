"""The actions on findings: open evidence, gate, turn or card; ask the oracle; propose a fact."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding
from textual.message import Message

from screens.base import ServiceScreen
from screens.dialogs.answer_check import save_then_show
from screens.dialogs.line_dialog import LineDialog
from screens.evidence_panel import EvidencePanel
from screens.notice_panel import NoticePanel
from screens.routes import ToCharacters, ToGate, ToPage, ToPrompt, ToReading, ToUniverse, Visit
from stores.errors import InputError
from stores.records.ids import Id
from widgets.finding_list import FindingList
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.query_views import QueryFinding


class FindingActionsScreen(ServiceScreen[None]):
    """A screen with a list of findings.

    `words` are the question; `scene_id` is set if it was opened from play.
    """

    BINDINGS = [
        Binding("o", "card", "Card", id="query.card", tooltip="The card of whoever this is about"),
        Binding("O", "oracle", "Oracle", id="query.oracle", tooltip="Ask the oracle in the scene instead"),
        Binding("n", "make_true", "Propose", id="query.make_true", tooltip="Propose a fact"),
        Binding("g", "gate", "Gate", id="query.gate", tooltip="What waits for your decision in this world"),
    ]

    @dataclass
    class FactProposed(Message):
        """A fact was proposed."""

        proposed_text: str

    def __init__(
        self, services: Services, universe_id: Id | None, scene_id: Id | None, question: str
    ) -> None:
        super().__init__(services)
        self.universe_id = universe_id
        self.scene_id = scene_id
        self.question = question

    @property
    def finding_list(self) -> FindingList:
        return self.query_one(FindingList)

    @property
    def current_finding(self) -> QueryFinding | None:
        lists = self.query(FindingList)
        return lists.first().current if lists else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "card":
                return self.current_finding is not None and self.current_finding.entity_id is not None
            case "oracle":
                return self.scene_id is not None and bool(self.question.strip())
            case "make_true" | "gate":
                return self.universe_id is not None
        return super().check_action(action, parameters)

    def action_oracle(self) -> None:
        """Put the question to the oracle, back in play."""
        if self.scene_id is not None:
            self.post_message(Visit(ToPrompt(self.scene_id, f"? {one_line(self.question)}")))

    def action_make_true(self) -> None:
        assert self.universe_id is not None  # the key is off without one
        save_statement, show_proposed = save_then_show(
            partial(self.services.query.propose_statement, self.scene_id, self.universe_id),
            lambda proposed_text: self.post_message(self.FactProposed(proposed_text)),
        )
        dialog = LineDialog(
            "What is true?",
            explanation=f"You asked: {one_line(self.question)}" if self.question.strip() else "",
            validate_line=_require_statement,
            save_line=save_statement,
        )
        self.app.push_screen(dialog, show_proposed)

    @on(FactProposed)
    def _show_proposed(self, message: FactProposed) -> None:
        self.query_one(NoticePanel).show_lines(message.proposed_text.split("\n"))

    def action_gate(self) -> None:
        self.post_message(Visit(ToGate(self.scene_id, self.universe_id)))

    def action_card(self) -> None:
        if (finding := self.current_finding) is not None and finding.entity_id is not None:
            self.post_message(
                Visit(
                    ToUniverse(self.universe_id, finding.entity_id, beside_play=True, fact_id=finding.fact_id)
                )
            )

    @on(FindingList.FindingChosen)
    def _open_finding(self, message: FindingList.FindingChosen) -> None:
        """Open the evidence of a fact, the gate, the turn, the page, or the card."""
        message.stop()
        finding = message.finding
        if finding.fact_id is not None:
            self.query_one(EvidencePanel).show_evidence(finding.fact_id, finding.text)
        elif finding.proposal_id is not None:
            self.post_message(Visit(ToGate(finding.scene_id, self.universe_id, finding.proposal_id)))
        elif finding.memory_id is not None:
            self.post_message(
                Visit(ToCharacters(self.universe_id, finding.entity_id, from_other_screen=True))
            )
        elif finding.turn_id is not None:
            self.post_message(Visit(ToReading(finding.turn_id)))
        elif finding.source_id is not None and finding.page is not None:
            self.post_message(Visit(ToPage(finding.source_id, finding.page, finding.text)))
        elif finding.entity_id is not None:
            self.action_card()
        else:
            self.query_one(NoticePanel).show_lines((finding.where, finding.text))


def _require_statement(line: str) -> None:
    if not line:
        raise InputError("Nothing was typed.", todo="Type a sentence, for example: NAME lives in PLACE.")
