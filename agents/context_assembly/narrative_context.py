"""Reads what the log holds for one exchange: the turns in view, what came before, what was decided.

Read-only. The turns in view are read first: the search waits for them, so that it does not find them again.
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Awaitable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agents.context_assembly.scene_context import SceneContext
from agents.context_assembly.story_decisions import StoryDecision, read_decisions
from agents.memory_manager.summary_texts import BULLET_KIND, STORY_KIND, STRETCH_LEVELS
from agents.rewordings import find_wordings, reword_turns
from agents.search.question_cues import content_stems, measure_coverage
from stores.ports import CanonReader, LogReader
from stores.queries import ProposalQuery
from stores.records.canon import CreateEntity
from stores.records.ids import Id
from stores.records.memory import Summary
from stores.records.play import GM_SPEAKERS, Scene, Speaker, Turn
from stores.records.workflow import OPEN_STATUSES, ProposalStatus
from stores.records.world import Entity


async def read_story_summary(log: LogReader, previous_scene: Scene) -> tuple[str, ...]:
    """Return the story's summaries up to and including the previous scene; empty if there are none yet."""
    story_summaries = [
        s
        for s in await log.summaries(previous_scene.id)
        if s.kind == STORY_KIND and s.last_turn == previous_scene.head
    ]
    return tuple(story_summaries[-1].text.splitlines()) if story_summaries else ()


async def read_scene_summary(log: LogReader, scene_id: Id, shown_turn_ids: Collection[Id]) -> tuple[str, ...]:
    """Return the summaries of the line's turns that are not shown.

    The fewest summaries that cover them, then the bullets that no summary covers.
    """
    all_summaries = [
        s for s in await log.summaries(scene_id) if s.kind == BULLET_KIND or s.kind in STRETCH_LEVELS
    ]
    last_turn_ids = {s.last_turn for s in all_summaries if s.last_turn and s.last_turn not in shown_turn_ids}
    if not last_turn_ids:
        return tuple(s.text for s in all_summaries if s.last_turn is None)
    ids_on_line = await log.on_line(scene_id, last_turn_ids)
    valid_summaries = [s for s in all_summaries if s.last_turn in ids_on_line]
    anchor_turn_ids = {i for s in valid_summaries for i in (s.first_turn, s.last_turn) if i}
    turns = await log.turns(anchor_turn_ids) if any(s.kind in STRETCH_LEVELS for s in valid_summaries) else {}
    depths = {i: turn.depth for i, turn in turns.items()}
    chosen_summaries, covered_depth = _select_covering(
        [s for s in valid_summaries if s.kind in STRETCH_LEVELS], depths
    )
    bullets = [
        s
        for s in all_summaries
        if s.kind == BULLET_KIND
        and (
            s.last_turn is None
            or (s.last_turn in ids_on_line and depths.get(s.last_turn, covered_depth) >= covered_depth)
        )
    ]
    return tuple(line for s in (*chosen_summaries, *bullets) for line in s.text.splitlines())


def _select_covering(summaries: Collection[Summary], depths: dict[Id, int]) -> tuple[list[Summary], int]:
    """Return the fewest summaries that cover the line from its beginning, and the depth at which they end."""
    summaries_by_start: dict[int, list[Summary]] = {}
    for summary in summaries:
        if summary.first_turn in depths:
            summaries_by_start.setdefault(depths[summary.first_turn], []).append(summary)
    chosen_summaries: list[Summary] = []
    next_depth = 0
    while candidates := summaries_by_start.get(next_depth):
        longest = max(candidates, key=lambda s: depths.get(s.last_turn or "", -1))
        chosen_summaries.append(longest)
        next_depth = depths[longest.last_turn or ""] + 1
    return chosen_summaries, next_depth


MAX_TURNS_IN_VIEW: Final = 40
MAX_CHARS_IN_VIEW: Final = 15_000
MIN_TURNS_IN_VIEW: Final = 8
"""Turns that are in view however long they are."""
VIEW_STEP: Final = 16
"""How many turns leave the view at a time.

A prompt then mostly only grows at its end, and a provider's prefix cache stays valid.
"""
MAX_TURNS_OF_BOTH: Final = 60
"""Turns up to which the scene before stays in view beside this one."""
MAX_PREVIOUS_TURNS: Final = 4
"""Turns of the previous scene that are shown once it no longer fits into the view beside this one's."""
MAX_LATEST_NOTES: Final = 6
MAX_EARLIER_NOTES: Final = 3
"""Notes that are shown: the latest, and older ones that share words with what the player does."""
MAX_EARLIER_SCENES: Final = 5
"""Earlier scenes of the story that are read."""


@dataclass(frozen=True, slots=True)
class NarrativeContext:
    """What the log holds for one exchange."""

    recent_turns: tuple[Turn, ...] = ()
    """The last turns of the line, oldest first, without those that are being answered."""
    previous_scene_turns: tuple[Turn, ...] = ()
    """The last turns of the scene before."""
    previous_outcome: str = ""
    """How the scene before ended, in the GM's words, if it is wholly in view and no summary says so."""
    summary_lines: tuple[str, ...] = ()
    """Summaries of earlier scenes and of turns out of view."""
    decisions: tuple[StoryDecision, ...] = ()
    """What was decided in the story and holds, the oldest first: all of it, however long ago."""
    notes: tuple[str, ...] = ()
    """Notes of the GM's, out of character: the latest, and older ones on what the player does; oldest first."""
    met_before_ids: frozenset[Id] = frozenset()
    """Those who were in an earlier scene with the player character."""
    creation_ticks: Mapping[Id, int] = field(default_factory=dict)
    """World time at which this scene proposed characters, whether or not they are canon by now."""


@dataclass(frozen=True, slots=True)
class TurnsInView:
    """The turns in view, oldest first, those that are being answered among them."""

    turns: tuple[Turn, ...] = ()
    previous_scene_turns: tuple[Turn, ...] = ()
    """The last turns of the scene before."""
    earlier_scenes: tuple[Scene, ...] = ()
    """The scenes before, in their order."""
    is_previous_scene_whole: bool = False
    """Whether all turns of the scene before are in view, so that its summary would only repeat them."""


@dataclass(frozen=True, slots=True)
class NarrativeReader:
    """Reads the log for context packages."""

    canon: CanonReader
    log: LogReader

    async def read_turns_in_view(self, scene: SceneContext) -> TurnsInView:
        """Return the turns in view. Raises StoreError."""
        turn_count = scene.head.depth + 1 if scene.head else 0
        first_read = max(0, -(-(turn_count - MAX_TURNS_IN_VIEW) // VIEW_STEP) * VIEW_STEP)
        turns, scenes = await gather(
            self.log.line_slice(scene.scene.id, first_read, turn_count - first_read)
            if turn_count
            else _empty_turns(),
            self.log.scenes(scene.story.id),
        )
        wordings = find_wordings(scene.story.entries)
        turns = reword_turns(turns, wordings)
        start = find_view_start([len(turn.text) for turn in turns], first_read)
        turns = turns[start - first_read :]
        earlier_scenes = tuple(s for s in scenes if s.order < scene.scene.order)
        previous_scene = earlier_scenes[-1] if earlier_scenes and start == 0 else None
        tail = await self.log.line_tail(previous_scene.id, MAX_TURNS_IN_VIEW) if previous_scene else []
        tail = reword_turns(tail, wordings)
        both = (*tail, *turns)
        fits = len(both) <= MAX_TURNS_OF_BOTH and sum(len(t.text) for t in both) <= MAX_CHARS_IN_VIEW
        return TurnsInView(
            tuple(turns),
            tuple(tail if fits else tail[-MAX_PREVIOUS_TURNS:]),
            earlier_scenes,
            is_previous_scene_whole=fits and bool(tail) and tail[0].depth == 0,
        )

    async def read_narrative(
        self,
        scene: SceneContext,
        player_text: str,
        present_entities: Sequence[Entity],
        turns_in_view_task: Awaitable[TurnsInView],
    ) -> NarrativeContext:
        """Return what the log holds for the scene, given its turns in view. Raises StoreError."""
        turns_in_view = await turns_in_view_task
        summary_lines, met_before_ids, creation_ticks, decisions, notes = await gather(
            self._read_summary_lines(
                scene.scene,
                turns_in_view.earlier_scenes[: -1 if turns_in_view.is_previous_scene_whole else None],
                {t.id for t in turns_in_view.turns} | scene.left_turn_ids,
            ),
            self._find_met_before(scene, turns_in_view.earlier_scenes, present_entities),
            self._read_creation_ticks(scene.scene),
            read_decisions(self.log, scene, turns_in_view.earlier_scenes),
            self.log.notes(story_id=scene.story.id),
        )
        return NarrativeContext(
            recent_turns=tuple(_drop_answered_turns(turns_in_view.turns, player_text)),
            previous_scene_turns=turns_in_view.previous_scene_turns,
            previous_outcome=turns_in_view.earlier_scenes[-1].summary
            if turns_in_view.is_previous_scene_whole
            else "",
            summary_lines=summary_lines,
            decisions=decisions,
            notes=select_notes([note.text for note in notes], player_text),
            met_before_ids=met_before_ids,
            creation_ticks=creation_ticks,
        )

    async def _read_creation_ticks(self, scene: Scene) -> dict[Id, int]:
        """Return when the scene proposed each entity that it proposed."""
        statuses = [*OPEN_STATUSES, ProposalStatus.ACCEPTED]
        creations = await self.log.proposals(
            ProposalQuery(scene_id=scene.id, statuses=statuses, kind="create_entity")
        )
        tick_by_entity = {p.change.entity_id: p.tick for p in creations if isinstance(p.change, CreateEntity)}
        return {i: scene.tick if tick is None else tick for i, tick in tick_by_entity.items()}

    async def _read_summary_lines(
        self, scene: Scene, earlier_scenes: Sequence[Scene], shown_turn_ids: Collection[Id]
    ) -> tuple[str, ...]:
        """Return summaries of the scenes before and of the turns of the line that are out of view."""
        story_lines, scene_lines = await gather(
            read_story_summary(self.log, earlier_scenes[-1]) if earlier_scenes else _empty_lines(),
            read_scene_summary(self.log, scene.id, shown_turn_ids),
        )
        earlier_lines = story_lines or [
            f"{_scene_heading(s)}: {s.summary}" for s in earlier_scenes[-MAX_EARLIER_SCENES:] if s.summary
        ]
        return (*earlier_lines, *scene_lines)

    async def _find_met_before(
        self, scene: SceneContext, earlier_scenes: Sequence[Scene], present_entities: Sequence[Entity]
    ) -> frozenset[Id]:
        """Return those present who were in an earlier scene with the player character."""
        pc_id = scene.story.pc_id
        if pc_id is None:
            return frozenset()
        met_ids = {e for s in earlier_scenes for e in s.cast if pc_id in s.cast}
        met_ids |= {e.entity_id for e in scene.presence_entries() if e.here and e.scene_id != scene.scene.id}
        other_ids = [e.id for e in present_entities if e.id != pc_id and e.id not in met_ids]
        pc_scenes, *other_scene_lists = await gather(
            *(self.canon.appearances(i) for i in (pc_id, *other_ids))
        )
        shared_scenes = set(pc_scenes) - {scene.scene.id}
        met_ids |= {
            e
            for e, scenes in zip(other_ids, other_scene_lists, strict=True)
            if shared_scenes.intersection(scenes)
        }
        return frozenset(met_ids - {pc_id})


def find_view_start(turn_lengths: Sequence[int], first_depth: int) -> int:
    """Return the depth of the first turn in view, given the characters of the turns from `first_depth` to the last.

    Turns leave the view in whole steps, counted from the beginning of the scene, until the rest is short enough.
    """
    last_start = first_depth + len(turn_lengths) - MIN_TURNS_IN_VIEW
    start = first_depth
    while start + VIEW_STEP <= last_start and sum(turn_lengths[start - first_depth :]) > MAX_CHARS_IN_VIEW:
        start += VIEW_STEP
    return start


def select_notes(note_texts: Sequence[str], player_text: str) -> tuple[str, ...]:
    """Return the latest notes, and of those before the ones that share most words with the player's text."""
    earlier_notes, latest_notes = note_texts[:-MAX_LATEST_NOTES], note_texts[-MAX_LATEST_NOTES:]
    asked_stems = content_stems(player_text)
    shares = [measure_coverage(asked_stems, content_stems(text), {}) for text in earlier_notes]
    best_indexes = sorted(range(len(earlier_notes)), key=lambda n: (-shares[n], -n))[:MAX_EARLIER_NOTES]
    chosen_notes = [earlier_notes[n] for n in sorted(best_indexes) if shares[n]]
    return tuple(dict.fromkeys(" ".join(text.split()) for text in (*chosen_notes, *latest_notes)))


def _drop_answered_turns(turns: Sequence[Turn], player_text: str) -> Sequence[Turn]:
    """Return the line without what the narration answers: the player's words and the rolls after them."""
    if not player_text:
        return turns
    for index in range(len(turns) - 1, -1, -1):
        if turns[index].speaker in GM_SPEAKERS:
            return turns
        if turns[index].speaker is Speaker.PLAYER and turns[index].text == player_text:
            return turns[:index]
    return turns


def _scene_heading(scene: Scene) -> str:
    return scene.label


async def _empty_lines() -> tuple[str, ...]:
    return ()


async def _empty_turns() -> list[Turn]:
    return []
