"""Turns a log's scenes into records.

The same log gives the same records, so writing it twice changes nothing.

After each scene the library has an ordinary story: its last scene is active, those before are completed, and
nothing of it is canon.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from agents.importers.log_entries import LogEntry, Voice
from agents.importers.scenes import ImportedScene, scene_turns
from agents.importers.tag_proposals import TagMention
from agents.loop_states import initial_state
from agents.state_machines import next_state
from stores.history import CollectionRecords as Records
from stores.records.base import Record
from stores.records.ids import Id, derive_id
from stores.records.play import HeadMove, MoveKind, Note, Scene, Speaker, Story, Turn
from stores.records.workflow import Loop, Transition
from stores.records.world import SceneNode, StoryNode

IMPORT_VERSION: Final = 2
"""Increased when the same file would be split into other scenes or turns than before."""

IMPORT_DETAIL: Final = "imported"
"""The detail of every loop transition that an import writes."""

_SPEAKERS: Final = {
    Voice.PLAYER: Speaker.PLAYER,
    Voice.GM: Speaker.GM,
    Voice.NPC: Speaker.NPC,
    Voice.ORACLE: Speaker.ORACLE,
    Voice.SYSTEM: Speaker.SYSTEM,
}


def universe_id_of(digest: str) -> Id:
    """Return the id of the universe that the file with this digest becomes if none is named."""
    return derive_id("imported universe", digest)


def story_id_of(universe_id: Id, digest: str, title: str, form: str) -> Id:
    """Return the id of the story that the file with this digest becomes in this universe under this title."""
    return derive_id("imported story", universe_id, IMPORT_VERSION, digest, title.casefold(), form)


@dataclass(frozen=True, slots=True)
class StoryImport:
    """The story and scenes that one import writes. All records have the story's time of creation."""

    story: Story
    scenes: Sequence[ImportedScene]
    cast_of: dict[str, Id]
    """The canonical characters by the name of the speaker."""

    def scene_id(self, scene_index: int) -> Id:
        return derive_id("imported scene", self.story.id, scene_index)

    @property
    def last_scene_id(self) -> Id:
        return self.scene_id(len(self.scenes) - 1)

    def head(self, scene_index: int) -> Id:
        """Return the last turn of an imported scene."""
        return self._turn_id(scene_index, self.scenes[scene_index].turns - 1)

    def records(self, scene_index: int) -> list[Records]:
        """Return the records that import one scene, and that end the scene before it."""
        imported_scene, scene_id = self.scenes[scene_index], self.scene_id(scene_index)
        turns = list(self._build_turns(scene_index))
        at = self.story.created_at
        head = HeadMove(
            scene_id=scene_id, seq=1, kind=MoveKind.APPEND, from_turn=None, to_turn=turns[-1].id, at=at
        )
        scene = Scene(
            id=scene_id,
            story_id=self.story.id,
            universe_id=self.story.universe_id,
            order=scene_index + 1,
            title=imported_scene.title,
            cast=self._build_cast(imported_scene),
            tick=turns[0].tick,
            head=turns[-1].id,
            created_at=at,
        )
        record_groups: list[tuple[str, Sequence[Record]]] = [
            ("story_nodes", [self._build_story_node()] if scene_index == 0 else []),
            # A scene node is written when the scene ends, and the next scene ends it.
            ("scene_nodes", self._build_scene_nodes(scene_index)),
            ("stories", [self.story] if scene_index == 0 else []),
            ("scenes", [scene]),
            ("turns", turns),
            ("head_moves", [head]),
            ("notes", list(self._build_notes(scene_index, turns))),
            ("transitions", list(self._build_scene_transitions(scene_index))),
        ]
        return [(name, records) for name, records in record_groups if records]

    def tag_mentions(self) -> Iterator[TagMention]:
        """Yield the tags of the log with the turns that have them, in order."""
        for scene_index, scene in enumerate(self.scenes):
            if any(entry.tags for entry in scene.entries):
                for (entry, _), turn in zip(scene_turns(scene), self._build_turns(scene_index), strict=True):
                    yield from (TagMention(tag, turn) for tag in entry.tags)

    # --- internals -------------------------------------------------------------------------------------

    def _turn_id(self, scene_index: int, number: int) -> Id:
        return derive_id("imported turn", self.scene_id(scene_index), number)

    def _build_turns(self, scene_index: int) -> Iterator[Turn]:
        """Yield the turns.

        An exchange is what the player does and the answers; before the first, each turn is one.
        """
        exchange_id, previous_speaker, parent_id = "", Speaker.SYSTEM, None
        for depth, (entry, tick) in enumerate(scene_turns(self.scenes[scene_index])):
            turn_id, speaker = self._turn_id(scene_index, depth), _map_speaker(entry)
            if (speaker is Speaker.PLAYER and previous_speaker is not Speaker.PLAYER) or not exchange_id:
                exchange_id = turn_id if speaker is Speaker.PLAYER else ""
            yield Turn(
                id=turn_id,
                scene_id=self.scene_id(scene_index),
                parent_id=parent_id,
                exchange_id=exchange_id or turn_id,
                speaker=speaker,
                text=entry.text,
                name=entry.speaker,
                depth=depth,
                tick=tick,
                ref=entry.ref,
                time_text=entry.time_text,
                created_at=self.story.created_at,
            )
            parent_id, previous_speaker = turn_id, speaker

    def _build_notes(self, scene_index: int, turns: Sequence[Turn]) -> Iterator[Note]:
        turn_id: Id | None = None
        turns_ahead = iter(turns)
        for number, entry in enumerate(self.scenes[scene_index].entries):
            if entry.voice is not Voice.OOC:
                turn_id = next(turns_ahead).id
                continue
            note_text = f"{entry.speaker}: {entry.text}" if entry.speaker else entry.text
            yield Note(
                id=derive_id("imported note", self.scene_id(scene_index), number),
                story_id=self.story.id,
                scene_id=self.scene_id(scene_index),
                turn_id=turn_id,
                text=note_text,
                created_at=self.story.created_at,
            )

    def _build_cast(self, imported_scene: ImportedScene) -> tuple[Id, ...]:
        speaker_ids = (self.cast_of.get(entry.speaker) for entry, _ in scene_turns(imported_scene))
        return tuple(dict.fromkeys(i for i in (self.story.pc_id, *speaker_ids) if i))

    def _build_scene_transitions(self, scene_index: int) -> Iterator[Transition]:
        if scene_index == 0:
            yield from self._build_transitions(Loop.STORY, self.story.id, ("begin",))
        else:
            closing_events = ("load_context", "end", "canon_written")
            yield from list(
                self._build_transitions(Loop.SCENE, self.scene_id(scene_index - 1), closing_events)
            )[1:]
        yield from self._build_transitions(Loop.SCENE, self.scene_id(scene_index), ("load_context",))

    def _build_transitions(self, loop: Loop, subject_id: Id, events: Sequence[str]) -> Iterator[Transition]:
        states = [initial_state(loop)]
        for event in events:
            states.append(next_state(loop, states[-1], event))
        for seq, (event, (source, target)) in enumerate(zip(events, pairwise(states), strict=True), 1):
            yield Transition(
                loop=loop,
                subject_id=subject_id,
                seq=seq,
                source=source,
                event=event,
                target=target,
                proposer="import",
                detail=IMPORT_DETAIL,
                at=self.story.created_at,
            )

    def _build_story_node(self) -> StoryNode:
        return StoryNode(id=self.story.id, universe_id=self.story.universe_id, title=self.story.title)

    def _build_scene_nodes(self, scene_index: int) -> list[SceneNode]:
        """Return the node of the scene that ended; with the last scene, also its own, where play continues."""
        is_last = scene_index == len(self.scenes) - 1
        ended_nodes = [self._build_scene_node(scene_index - 1, "completed")] if scene_index else []
        return [*ended_nodes, *([self._build_scene_node(scene_index, "active")] if is_last else [])]

    def _build_scene_node(self, scene_index: int, status: str) -> SceneNode:
        return SceneNode(
            id=self.scene_id(scene_index),
            story_id=self.story.id,
            universe_id=self.story.universe_id,
            order=scene_index + 1,
            title=self.scenes[scene_index].title,
            status=status,
            follows=self.scene_id(scene_index - 1) if scene_index else None,
        )


def _map_speaker(entry: LogEntry) -> Speaker:
    assert entry.voice is not None
    return _SPEAKERS[entry.voice]
