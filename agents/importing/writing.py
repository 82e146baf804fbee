"""A log's scenes as records: the same log gives the same records every time, so that to write one twice is to
write it once.

At every moment what was brought in is a story like any other: its last scene is Active, those before are
Completed, and nothing of it is canon. Source: design/ontology.md, "Identifiers" and "The turn tree".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from agents.importing.entries import Entry, Voice
from agents.importing.scenes import Part, turns_of
from agents.orchestrator.charts import first, step
from stores.history import Part as Records
from stores.records.base import Record
from stores.records.ids import Id, derived
from stores.records.ledger import Loop, Transition
from stores.records.play import HeadMove, MoveKind, Note, Scene, Speaker, Story, Turn
from stores.records.world import SceneNode, StoryNode

SHAPE: Final = 1
"""Rises when the same file would be cut into other scenes or turns than before."""

IMPORTED: Final = "imported"
"""The detail of every transition that an import made."""

_SPEAKERS: Final = {
    Voice.PLAYER: Speaker.PLAYER,
    Voice.GM: Speaker.GM,
    Voice.NPC: Speaker.NPC,
    Voice.ORACLE: Speaker.ORACLE,
    Voice.SYSTEM: Speaker.SYSTEM,
}


def universe_id_of(digest: str) -> Id:
    """Return the one universe that the file with this digest becomes when none is named."""
    return derived("imported universe", digest)


def story_id_of(universe_id: Id, digest: str, title: str, form: str) -> Id:
    """Return the one story that the file with this digest becomes in this universe under this title."""
    return derived("imported story", universe_id, SHAPE, digest, title.casefold(), form)


@dataclass(frozen=True, slots=True)
class Book:
    """What an import writes: a story, and the parts that become its scenes. All records bear the story's own
    time of making. `cast_of` names the canonical characters by who speaks."""

    story: Story
    parts: Sequence[Part]
    cast_of: dict[str, Id]

    def scene_id(self, place: int) -> Id:
        return derived("imported scene", self.story.id, place)

    def head(self, place: int) -> Id:
        """Return the turn that the scene stands on when it has been brought in."""
        return self._turn_id(place, self.parts[place].turns - 1)

    def records(self, place: int) -> list[Records]:
        """Return what brings the scene at this place in: all of it, and the end of the one before."""
        part, scene_id = self.parts[place], self.scene_id(place)
        turns = list(self._turns(place))
        at = self.story.created_at
        head = HeadMove(
            scene_id=scene_id, seq=1, kind=MoveKind.APPEND, from_turn=None, to_turn=turns[-1].id, at=at
        )
        scene = Scene(
            id=scene_id,
            story_id=self.story.id,
            universe_id=self.story.universe_id,
            order=place + 1,
            title=part.title,
            cast=self._cast(part),
            tick=turns[0].tick,
            head=turns[-1].id,
            created_at=at,
        )
        parts: list[tuple[str, Sequence[Record]]] = [
            ("story_nodes", [self._story_node()] if place == 0 else []),
            # A container says how it ended when it has: it is the next scene that ends this one.
            ("scene_nodes", self._nodes(place)),
            ("stories", [self.story] if place == 0 else []),
            ("scenes", [scene]),
            ("turns", turns),
            ("head_moves", [head]),
            ("notes", list(self._notes(place, turns))),
            ("transitions", list(self._moves(place))),
        ]
        return [(name, records) for name, records in parts if records]

    # --- inside -------------------------------------------------------------------------------------

    def _turn_id(self, place: int, number: int) -> Id:
        return derived("imported turn", self.scene_id(place), number)

    def _turns(self, place: int) -> Iterator[Turn]:
        """An exchange is what the player does and the answers to it; before the first, each turn is one."""
        exchange, before, parent = "", Speaker.SYSTEM, None
        for depth, (entry, tick) in enumerate(turns_of(self.parts[place])):
            turn_id, speaker = self._turn_id(place, depth), _speaker(entry)
            if (speaker is Speaker.PLAYER and before is not Speaker.PLAYER) or not exchange:
                exchange = turn_id if speaker is Speaker.PLAYER else ""
            yield Turn(
                id=turn_id,
                scene_id=self.scene_id(place),
                parent_id=parent,
                exchange_id=exchange or turn_id,
                speaker=speaker,
                text=entry.text,
                name=entry.speaker,
                depth=depth,
                tick=tick,
                ref=entry.ref,
                said=entry.said,
                created_at=self.story.created_at,
            )
            parent, before = turn_id, speaker

    def _notes(self, place: int, turns: Sequence[Turn]) -> Iterator[Note]:
        on: Id | None = None
        following = iter(turns)
        for number, entry in enumerate(self.parts[place].entries):
            if entry.voice is not Voice.OOC:
                on = next(following).id
                continue
            told = f"{entry.speaker}: {entry.text}" if entry.speaker else entry.text
            yield Note(
                id=derived("imported note", self.scene_id(place), number),
                story_id=self.story.id,
                scene_id=self.scene_id(place),
                turn_id=on,
                text=told,
                created_at=self.story.created_at,
            )

    def _cast(self, part: Part) -> tuple[Id, ...]:
        speaking = (self.cast_of.get(entry.speaker) for entry, _ in turns_of(part))
        return tuple(dict.fromkeys(i for i in (self.story.pc_id, *speaking) if i))

    def _moves(self, place: int) -> Iterator[Transition]:
        if place == 0:
            yield from self._along(Loop.STORY, self.story.id, ("begin",))
        else:
            before = ("load_context", "end", "canon_written")
            yield from list(self._along(Loop.SCENE, self.scene_id(place - 1), before))[1:]
        yield from self._along(Loop.SCENE, self.scene_id(place), ("load_context",))

    def _along(self, loop: Loop, subject_id: Id, events: Sequence[str]) -> Iterator[Transition]:
        states = [first(loop)]
        for event in events:
            states.append(step(loop, states[-1], event))
        for seq, (event, (source, target)) in enumerate(zip(events, pairwise(states), strict=True), 1):
            yield Transition(
                loop=loop,
                subject_id=subject_id,
                seq=seq,
                source=source,
                event=event,
                target=target,
                proposer="import",
                detail=IMPORTED,
                at=self.story.created_at,
            )

    def _story_node(self) -> StoryNode:
        return StoryNode(id=self.story.id, universe_id=self.story.universe_id, title=self.story.title)

    def _nodes(self, place: int) -> list[SceneNode]:
        """The container of the scene that ended; with the last scene, its own: play goes on in that."""
        last = place == len(self.parts) - 1
        ended = [self._node(place - 1, "completed")] if place else []
        return [*ended, *([self._node(place, "active")] if last else [])]

    def _node(self, place: int, status: str) -> SceneNode:
        return SceneNode(
            id=self.scene_id(place),
            story_id=self.story.id,
            universe_id=self.story.universe_id,
            order=place + 1,
            title=self.parts[place].title,
            status=status,
            follows=self.scene_id(place - 1) if place else None,
        )


def _speaker(entry: Entry) -> Speaker:
    assert entry.voice is not None
    return _SPEAKERS[entry.voice]
