"""The twin's side of `desk.recall`: one question that it knows, and a search by words on its lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agents.views.query_views import Answer, AnswerStanding, QueryFinding, RecalledTurn, RecallResult
from stores.errors import InputError
from stores.records.ids import Id

if TYPE_CHECKING:
    from tests.screens.twin import TwinDesk


class TwinRecall:
    """Whatever has `bell` in it is answered with one finding of every standing; all else is unknown."""

    def __init__(self, services: TwinDesk) -> None:
        self._services = services
        self.words = ""
        self.unsupported: tuple[str, ...] = ()

    async def answer_question(
        self, question: str, *, universe_id: Id, story_id: Id | None = None, in_words: bool = True
    ) -> Answer:
        self._services._call("ask", question, universe_id, story_id, in_words)
        if not question.strip():
            raise InputError("There is nothing to search for.")
        findings = self._findings()
        if "bell" not in question:
            return Answer(question, AnswerStanding.UNKNOWN, nearest=findings[2:3], notes=("meaning: off",))
        words, unsupported = (self.words, self.unsupported) if in_words else ("", ())
        return Answer(question, AnswerStanding.CANON, findings, (), words, (1,), unsupported)

    async def recall_turns(
        self, question: str, *, universe_id: Id, story_id: Id | None = None, k: int = 20
    ) -> RecallResult:
        self._services._call("recall", question, universe_id, story_id)
        turns = [view.turn for line in self._services.lines.values() for view in line]
        return RecallResult(
            question,
            tuple(
                RecalledTurn(
                    t.id, 1.0 / n, t.ref, "the GM", t.text, self._services.story_id, t.scene_id, t.depth + 1
                )
                for n, t in enumerate(turns[:k], 1)
            ),
        )

    async def search_words(
        self, typed_words: str, *, universe_id: Id, story_id: Id | None = None
    ) -> tuple[QueryFinding, ...]:
        self._services._call("search", typed_words, universe_id, story_id)
        return tuple(f for f in self._findings() if typed_words.casefold() in f.text.casefold())

    async def propose_statement(self, scene_id: Id | None, universe_id: Id, statement: str) -> str:
        self._services._call("make_true", scene_id, universe_id, statement)
        return f"Proposed: {statement}"

    def _findings(self) -> tuple[QueryFinding, ...]:
        from tests.screens.twin import an_id

        line = next(iter(self._services.lines.values()), [])
        turn = line[1].turn if len(line) > 1 else None
        mara, ode, _ = (person.id for person in self._services.folk)
        fact_id = an_id("fact", "Mara Venn heard the bell at low tide")
        return (
            QueryFinding(
                1,
                AnswerStanding.CANON,
                "Mara Venn heard the bell at low tide.",
                "The hinges give with a shriek.",
                "Day 3, dusk, turn 2 of scene 1 “Under the chapel”",
                fact_id=fact_id,
                entity_id=mara,
                turn_id=turn.id if turn else None,
            ),
            QueryFinding(
                2,
                AnswerStanding.PROPOSED,
                "The bell was moved after the storm",
                where="waits at the gate",
                proposal_id=an_id("proposal", 3),
                scene_id=turn.scene_id if turn else None,
            ),
            QueryFinding(
                3,
                AnswerStanding.ON_RECORD,
                f"the GM: {turn.text if turn else 'Nobody answers.'}",
                turn.text if turn else "",
                "turn 2 of scene 1 “Under the chapel”",
                turn_id=turn.id if turn else None,
            ),
            QueryFinding(
                4,
                AnswerStanding.BELIEVED,
                "The bell never left the tower.",
                "The bell never left the tower.",
                "told by Ilse Karr, mistaken",
                memory_id=an_id("memory", 1),
                entity_id=ode,
                believer="Father Ode",
            ),
            QueryFinding(
                5,
                AnswerStanding.CONTRADICTED,
                "No longer true: The bell hangs in the tower.",
                where="until Day 1",
                fact_id=an_id("fact", "The bell hangs in the tower"),
            ),
        )
