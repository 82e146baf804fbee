"""The transcript's rows and a turn's trace, read from the log and canon."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from agents.canon_keeper.supported_canon import read_supported_canon
from agents.orchestrator.line_outcomes import LineOutcomes
from agents.proposals.decisions import came_to_nothing, is_rejected
from agents.proposals.evidence import is_declared_after
from agents.resolver.resolution_proposals import proposal_id
from agents.rewordings import find_wordings, reword_turns
from agents.views.card_views import TurnTrace
from agents.views.gate_views import SceneEnd
from agents.views.turn_views import NO_OUTCOME, TurnView
from stores.ports import CanonReader, LogReader
from stores.records.ids import Id
from stores.records.play import Resolution, Speaker
from stores.records.workflow import ProposalStatus, ProposedChange

_SPEAKERS_WITH_TAKES = (Speaker.GM, Speaker.NPC, Speaker.ORACLE)
"""Speakers whose turns can have several takes."""


class TranscriptReader:
    """Builds rows for a part of the timeline; the cost follows the part, not the scene."""

    def __init__(self, log: LogReader, canon: CanonReader, outcomes: LineOutcomes) -> None:
        self._outcomes = outcomes
        self._log = log
        self._canon = canon

    async def read_rows(self, scene_id: Id, start: int, count: int) -> list[TurnView]:
        """Return the rows at depths `start` to `start + count - 1` of the timeline."""
        turns = await self._log.line_slice(scene_id, start, count)
        if not turns:
            return []
        wordings = await self._read_wordings(scene_id)
        turns = reword_turns(turns, wordings)
        results_by_turn = {
            r.turn_id: r
            for r in await self._log.resolutions([t.id for t in turns if t.speaker is Speaker.ORACLE])
        }
        take_counts = await self._log.take_counts([t.id for t in turns if t.speaker in _SPEAKERS_WITH_TAKES])
        notes_by_turn: defaultdict[Id, list[str]] = defaultdict(list)
        for note in await self._log.notes(turn_ids=[t.id for t in turns]):
            notes_by_turn[note.turn_id or ""].append(note.text)
        made_counts = Counter(
            turn for turn, _ in await read_supported_canon(self._canon, [t.id for t in turns])
        )
        outcomes = await self._outcomes.read(turns)
        rejected_effects = await self._read_rejected_effects(results_by_turn.values())
        return [
            TurnView(
                turn=t,
                resolution=results_by_turn.get(t.id),
                take=t.take,
                take_count=max(take_counts.get(t.id, 1), t.take),
                made_count=made_counts[t.id],
                notes=tuple(notes_by_turn[t.id]),
                rejected_effects=rejected_effects.get(t.id, ()),
                is_reworded=t.id in wordings,
                outcome=outcomes.get(t.id, NO_OUTCOME),
            )
            for t in turns
        ]

    async def _read_rejected_effects(self, results: Iterable[Resolution]) -> dict[Id, tuple[int, ...]]:
        """Return by turn the indexes of its result's effects that the GM rejected."""
        places = {
            proposal_id(result.turn_id, n): (result.turn_id, n)
            for result in results
            for n in range(len(result.effects))
        }
        proposals = await self._log.proposals_by_id(places) if places else {}
        rejected: defaultdict[Id, list[int]] = defaultdict(list)
        for effect_id, (turn_id, n) in places.items():
            if effect_id in proposals and _is_turned_down(proposals[effect_id]):
                rejected[turn_id].append(n)
        return {turn_id: tuple(indexes) for turn_id, indexes in rejected.items()}

    async def _read_wordings(self, scene_id: Id) -> dict[Id, str]:
        """Return the words of the turns that read otherwise than they were told."""
        return find_wordings((await self._log.story((await self._log.scene(scene_id)).story_id)).entries)

    async def read_previous_end(self, scene_id: Id, count: int) -> SceneEnd | None:
        """Return the last `count` rows of the scene before this one, or None if nothing was played before it."""
        scene = await self._log.scene(scene_id)
        played_scenes = [
            s for s in await self._log.scenes(scene.story_id) if s.order < scene.order and s.head
        ]
        if not played_scenes or (head_id := played_scenes[-1].head) is None:
            return None
        row_count = (await self._log.turn(head_id)).depth + 1
        rows = await self.read_rows(played_scenes[-1].id, max(0, row_count - count), count)
        return SceneEnd(played_scenes[-1].title, tuple(rows))

    async def trace_turn(self, turn_id: Id) -> TurnTrace:
        """Return where a turn is, and what it made true."""
        turn = await self._log.turn(turn_id)
        scene = await self._log.scene(turn.scene_id)
        # What was declared while the turn was the latest is listed, too: undoing the turn takes both.
        made_ids = [subject for _, subject in await self._canon.supported_by([turn_id])]
        supported_ids = {subject for _, subject in await read_supported_canon(self._canon, [turn_id])}
        evidence_by_id = await self._canon.evidence_of_all(set(made_ids) - supported_ids)
        facts = await self._canon.facts_by_id(made_ids)
        entities = await self._canon.entities_by_id(made_ids)
        results = await self._log.resolutions([turn_id])
        (shown_turn,) = reword_turns([turn], await self._read_wordings(scene.id))
        return TurnTrace(
            turn=shown_turn,
            scene=scene,
            story=await self._log.story(scene.story_id),
            is_on_line=turn_id in await self._log.on_line(scene.id, [turn_id]),
            facts=tuple(facts[i] for i in made_ids if i in facts),
            entities=tuple(entities[i] for i in made_ids if i in entities),
            declared_ids=frozenset(
                subject_id
                for subject_id, evidence in evidence_by_id.items()
                if all(is_declared_after(e, turn) for e in evidence if e.turn_id == turn_id)
            ),
            resolution=results[-1] if results else None,
            rejected_effects=(await self._read_rejected_effects(results[-1:])).get(turn_id, ()),
        )


def _is_turned_down(proposal: ProposedChange) -> bool:
    return is_rejected(proposal) or (
        proposal.status is ProposalStatus.REJECTED and not came_to_nothing(proposal)
    )
