"""Finds the turns that tell of a fact of canon, whether or not it rests on them: they stop making sense without it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from agents.canon_keeper.predicates import Catalogue
from agents.search.passage_windows import find_best_window, find_sought_words
from agents.search.question import parse_question
from agents.search.search_port import RecordSearch, SearchScope
from agents.search.turn_answers import match_turn
from agents.views.world_views import SceneReference
from stores.ports import CanonReader, LogReader
from stores.records.canon import Fact
from stores.records.play import Scene, Speaker, Turn

MAX_TURNS_SEARCHED: Final = 40
MAX_RETOLD_TURNS: Final = 8
"""Turns that are named, the nearest first."""
MAX_QUOTE_CHARS: Final = 160

_HERO_WORDS: Final = re.compile(r"\b(?:I|me|my|you|your)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RetoldTurnFinder:
    """Finds the turns that tell of a fact. Read-only."""

    canon: CanonReader
    log: LogReader
    record_search: RecordSearch

    async def find_retold_turns(self, fact: Fact) -> tuple[SceneReference, ...]:
        """Return the turns with the fact's names and words, in sentences that stand together. Raises StoreError.

        Those that it rests on are left out: what depends on these is known.
        """
        evidence_turn_ids = {piece.turn_id for piece in await self.canon.evidence_of(fact.id)}
        involved = await self.canon.entities_by_id({i.entity_id for i in fact.involves})
        names = [(name, entity.id) for entity in involved.values() for name in (entity.name, *entity.aliases)]
        question = parse_question(
            fact.statement, [(name.casefold(), entity_id) for name, entity_id in names], Catalogue({})
        )
        if question.is_empty:
            return ()
        results = await self.record_search.search(
            "turns", fact.statement, SearchScope(fact.universe_id), k=MAX_TURNS_SEARCHED
        )
        turns = await self.log.turns([hit.id for hit in results.hits])
        scenes = await self.log.scenes_by_id({turn.scene_id for turn in turns.values()})
        hero_names = {
            story.id: involved[story.pc_id].name
            for story in (await self.log.readable_stories(fact.universe_id)).records
            if story.pc_id in involved
        }
        sought_words = find_sought_words(question)
        retold_turns: list[SceneReference] = []
        for hit in results.hits:
            turn = turns.get(hit.id)
            scene = scenes.get(turn.scene_id) if turn else None
            if (
                turn is None
                or scene is None
                or turn.speaker is Speaker.SYSTEM
                or turn.id in evidence_turn_ids
            ):
                continue
            who = _name_whom_it_is_about(turn, hero_names.get(scene.story_id, ""))
            if match_turn(question, turn.text, who).is_answer:
                window = find_best_window(turn.text, sought_words, MAX_QUOTE_CHARS)
                retold_turns.append(_refer_to(turn, scene, window.text))
        return tuple(retold_turns[:MAX_RETOLD_TURNS])


def _name_whom_it_is_about(turn: Turn, hero_name: str) -> str:
    """Return the name of who is meant without it: the hero by `I` and `you`, and whoever speaks."""
    return f"{turn.name} {hero_name if _HERO_WORDS.search(turn.text) else ''}".strip()


def _refer_to(turn: Turn, scene: Scene, quote: str) -> SceneReference:
    return SceneReference(f"{scene.label}, turn {turn.depth + 1}: {quote}", turn.id)
