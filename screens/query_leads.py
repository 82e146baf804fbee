"""Where what was found leads: to evidence, gate, turn or card; from what is unknown, to dice or the gate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding
from textual.message import Message

from screens.aside import Aside
from screens.ask_line import AskLineScreen
from screens.evidence_panel import EvidenceScreen
from screens.recall_routes import ToCharacters, ToPrompt
from screens.routes import ToGate, ToTurn, ToUniverse, Visit
from stores.errors import InputError
from stores.records.ids import Id
from widgets.findings import FindingList
from widgets.safe_text import one_line

if TYPE_CHECKING:
    from agents.services.services import Services
    from agents.views.query_views import Finding


class QueryLeads(EvidenceScreen):
    """A screen with a list of findings. `words` are what is asked; from play, `scene_id` says where."""

    BINDINGS = [
        Binding("c", "card", "Card", id="query.card", tooltip="The card of whom this is about"),
        Binding("o", "oracle", "Oracle", id="query.oracle", tooltip="Ask the oracle instead, in the scene"),
        Binding("t", "make_true", "Make true", id="query.make_true", tooltip="Propose that something is so"),
        Binding("g", "gate", "Gate", id="query.gate", tooltip="What waits for your decision in this world"),
    ]
    EVIDENCE_IN = "#known"

    @dataclass
    class Proposed(Message):
        """Something is proposed to be so."""

        words: str

    def __init__(self, services: Services, universe_id: Id | None, scene_id: Id | None, words: str) -> None:
        super().__init__(services)
        self.universe_id = universe_id
        self.scene_id = scene_id
        self.words = words

    @property
    def page(self) -> FindingList:
        return self.query_one(FindingList)

    @property
    def current(self) -> Finding | None:
        pages = self.query(FindingList)
        return pages.first().current if pages else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match action:
            case "card":
                return self.current is not None and self.current.entity_id is not None
            case "oracle":
                return self.scene_id is not None and bool(self.words.strip())
            case "make_true" | "gate":
                return self.universe_id is not None
        return super().check_action(action, parameters)

    def action_oracle(self) -> None:
        """Whatever the record does not know, the dice may."""
        if self.scene_id is not None:
            self.post_message(Visit(ToPrompt(self.scene_id, f"? {one_line(self.words)}")))

    def action_make_true(self) -> None:
        question = AskLineScreen(
            "What is so?",
            about=f"You asked: {one_line(self.words)}" if self.words.strip() else "",
            check=_is_said,
        )
        self.app.push_screen(question, self._said)

    def _said(self, statement: str | None) -> None:
        if statement and self.universe_id is not None:
            self.change(self._propose(self.universe_id, statement), "propose")

    async def _propose(self, universe_id: Id, statement: str) -> None:
        self.post_message(
            self.Proposed(await self.services.query.make_true(self.scene_id, universe_id, statement))
        )

    @on(Proposed)
    def _proposed(self, message: Proposed) -> None:
        self.query_one(Aside).say(message.words.split("\n"))

    def action_gate(self) -> None:
        self.post_message(Visit(ToGate(self.scene_id, self.universe_id)))

    def action_card(self) -> None:
        if (found := self.current) is not None and found.entity_id is not None:
            self.post_message(
                Visit(ToUniverse(self.universe_id, found.entity_id, beside_play=True, fact_id=found.fact_id))
            )

    @on(FindingList.Chosen)
    def _look_at(self, message: FindingList.Chosen) -> None:
        """Lead to the evidence of a fact, to the gate, to the turn; or to the card."""
        message.stop()
        found = message.finding
        if found.fact_id is not None:
            self.show_evidence(found.fact_id, found.text)
        elif found.proposal_id is not None:
            self.post_message(Visit(ToGate(found.scene_id, self.universe_id)))
        elif found.memory_id is not None:
            self.post_message(Visit(ToCharacters(self.universe_id, found.entity_id, beside=True)))
        elif found.turn_id is not None:
            self.post_message(Visit(ToTurn(found.turn_id)))
        elif found.entity_id is not None:
            self.action_card()
        else:
            self.query_one(Aside).say((found.where, found.text))


def _is_said(line: str) -> None:
    if not line:
        raise InputError("There is nothing typed.", todo="As in: The bell lies under the pier.")
