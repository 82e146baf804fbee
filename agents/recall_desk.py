"""The part of the desk that answers from the record. It raises MonitorError with words for the user."""

from __future__ import annotations

from typing import Protocol

from agents.recall_views import Answer, Finding, Recollection
from stores.records.ids import Id


class RecallDesk(Protocol):
    async def ask(
        self, question: str, *, universe_id: Id, story_id: Id | None = None, in_words: bool = True
    ) -> Answer:
        """Answer from canon, what is proposed, the transcript, memories and sources. `in_words`: have a model
        say it, if one is set up; what it says beyond the findings is marked."""
        ...

    async def recall(
        self, question: str, *, universe_id: Id, story_id: Id | None = None, k: int = 20
    ) -> Recollection:
        """The turns that bear most on the question, best first."""
        ...

    async def search(self, words: str, *, universe_id: Id, story_id: Id | None = None) -> tuple[Finding, ...]:
        """Turns, facts, entities, memories and snippets with these words, best first."""
        ...

    async def make_true(self, scene_id: Id | None, universe_id: Id, statement: str) -> str:
        """Propose on the GM's word that this is so; it waits at the gate. Returns what to tell."""
        ...
