"""Recalls turns: ranked, of whom and when they are wanted, with what is quoted in them and what they clash with."""

from __future__ import annotations

from asyncio import gather
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agents.prose.names import find_names
from agents.prose.speech import Speech, find_speaker, find_speeches, strip_speech
from agents.search.search_port import RecordSearch, SearchScope
from agents.search.turn_filter import TurnFilter
from agents.services.findings.ranking import EARLIER_NOTE
from agents.services.result_formatter import ResultFormatter
from agents.services.speaker_names import describe_speaker
from agents.views.query_views import AnswerStanding, Quotation, RecalledTurn, RecallResult
from stores.ports import CanonReader, LogReader
from stores.records.ids import Id
from stores.records.play import Scene, Speaker, Turn

MAX_TURNS_FILTERED: Final = 1_000
"""Turns that are searched for where only some are wanted."""


@dataclass(frozen=True, slots=True)
class TurnRecall:
    """Finds the turns that bear on a question. Read-only."""

    canon: CanonReader
    log: LogReader
    record_search: RecordSearch
    result_formatter: ResultFormatter

    async def recall_turns(
        self, question: str, scope: SearchScope, k: int, skip: int, turn_filter: TurnFilter
    ) -> RecallResult:
        """Return the `k` best turns that are wanted after the first `skip`. Raises StoreError."""
        results = await self.record_search.search(
            "turns", question, scope, k=skip + k if turn_filter.is_empty else MAX_TURNS_FILTERED
        )
        turns = await self.log.turns([hit.id for hit in results.hits])
        scenes = await self.log.scenes_by_id({turn.scene_id for turn in turns.values()})
        pc_names = await self._read_pc_names(scenes)
        hits = [
            hit
            for hit in results.hits
            if (turn := turns.get(hit.id)) is not None
            and turn_filter.includes(
                turn, _name_speaker(turn, pc_names.get(turn.scene_id, "")), scenes.get(turn.scene_id)
            )
        ][skip : skip + k]
        found_turns = [turns[hit.id] for hit in hits]
        scene_places, clashes = await gather(
            self.result_formatter.locate_scenes({turn.scene_id for turn in found_turns}),
            self._find_clashes(found_turns, scope.universe_id),
        )
        return RecallResult(
            question,
            tuple(
                RecalledTurn(
                    turn.id,
                    hit.score,
                    turn.ref,
                    describe_speaker(turn),
                    turn.text,
                    scene_places[turn.scene_id].story_id or "",
                    turn.scene_id,
                    turn.depth + 1,
                    tuple(hit.score_by_way.items()),
                    ", ".join(
                        (
                            f"turn {turn.depth + 1} of {scene_places[turn.scene_id].text}",
                            *((EARLIER_NOTE,) if hit.is_earlier else ()),
                        )
                    ),
                    find_quotations(turn),
                    clashes.get(turn.id, ()),
                    hit.is_earlier,
                )
                for hit, turn in zip(hits, found_turns, strict=True)
            ),
            results.notes,
        )

    async def _find_clashes(self, turns: Sequence[Turn], universe_id: Id) -> dict[Id, tuple[str, ...]]:
        """Return, by turn, what rests on it and does not hold: it ended, is disputed or was never true."""
        supports = await self.canon.supported_by([turn.id for turn in turns]) if turns else []
        facts = await self.canon.facts_by_id({subject for _, subject in supports}) if supports else {}
        findings = await self.result_formatter.format_facts(list(facts.values()), universe_id)
        clash_texts = {
            finding.fact_id: finding.text
            for finding in findings
            if finding.standing is AnswerStanding.CONTRADICTED
        }
        clashes: dict[Id, tuple[str, ...]] = {}
        for turn_id, fact_id in supports:
            if text := clash_texts.get(fact_id):
                clashes[turn_id] = tuple(dict.fromkeys((*clashes.get(turn_id, ()), text)))
        return clashes

    async def _read_pc_names(self, scenes: Mapping[Id, Scene]) -> dict[Id, str]:
        """Return the name of the player character of each scene that has one in canon."""
        story_ids = {scene.story_id for scene in scenes.values()}
        stories = {story_id: await self.log.story(story_id) for story_id in sorted(story_ids)}
        heroes = await self.canon.entities_by_id({s.pc_id for s in stories.values() if s.pc_id})
        return {
            scene.id: heroes[pc_id].name
            for scene in scenes.values()
            if (pc_id := stories[scene.story_id].pc_id) in heroes
        }


def find_quotations(turn: Turn) -> tuple[Quotation, ...]:
    """Return what is spoken in a turn, each with its speaker; without one where the prose does not say."""
    speeches = [speech for speech in find_speeches(turn.text) if speech.spoken_text.strip()]
    names = [(name,) for name in find_names(strip_speech(turn.text))] if speeches else []
    return tuple(
        Quotation(_name_quoted(turn, speech, names), speech.spoken_text.strip()) for speech in speeches
    )


def _name_quoted(turn: Turn, speech: Speech, names: Sequence[tuple[str]]) -> str:
    if turn.speaker is not Speaker.GM:
        return describe_speaker(turn)
    index = find_speaker(speech, names)
    return names[index][0] if index is not None else ""


def _name_speaker(turn: Turn, pc_name: str) -> str:
    return turn.name or (pc_name if turn.speaker is Speaker.PLAYER else "")
