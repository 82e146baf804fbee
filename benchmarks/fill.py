"""Writes a long campaign in bulk: what a library holds after years of play.

The records are those that play would have left: every turn has its head move and the transitions of its
loops, every fact its proposal, its commit and its evidence. They are written through `stores.history` in
one transaction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from agents.orchestrator.session_reader import SESSION_ID
from benchmarks.passages import (
    START,
    TURNS,
    UNIVERSE,
    Kind,
    Passage,
    commit_id_of,
    commit_of,
    entity,
    evidence_of_entity,
    id_of,
)
from stores.history import CollectionRecords
from stores.open import open_stores
from stores.records.canon import Appearance, Evidence, Support
from stores.records.ids import Id
from stores.records.play import HeadMove, MoveKind, Scene, Story
from stores.records.workflow import CanonizationState, Loop, Transition
from stores.records.world import SceneNode, StoryNode, Universe

BATCH = 20
"""Facts of one commit."""

SCENES_A_STORY = 10

_TURN_LOOP_MOVES = (
    ("user_input", "received", "processing"),
    ("context_loaded", "processing", "generating"),
    ("response_ready", "generating", "proposing"),
    ("proposals_staged", "proposing", "persisted"),
)
"""The transitions of the turn loop for each line that is typed."""

_TYPED_TURNS = (0, 2, 3, 4)
"""The turns of a passage that begin with something typed; the other is the roll of the first."""


@dataclass(frozen=True)
class Size:
    """The size of the campaign: `scenes` ended scenes of `scene_turns` turns, and one long scene in play."""

    scenes: int
    scene_turns: int
    long_scene: int
    entities: int

    @property
    def turns(self) -> int:
        return self.scenes * self.scene_turns + self.long_scene

    @property
    def facts(self) -> int:
        return self.turns // TURNS


LARGE = Size(scenes=90, scene_turns=1_000, long_scene=10_000, entities=5_000)
SMALL = Size(scenes=8, scene_turns=1_000, long_scene=2_000, entities=500)


async def fill(home: Path, size: Size) -> None:
    """Write the campaign into the library in `home`."""
    stores = await open_stores(home)
    try:
        await stores.history.load(iter_campaign(size), mentioned_ids=())
    finally:
        await stores.close()


def iter_campaign(size: Size) -> Iterator[CollectionRecords]:
    """Yield every collection that has records, in the order of `stores.history.RECORD_COLLECTIONS`."""
    scenes = list(scenes_of(size))
    stories = list(dict.fromkeys(scene.story for scene in scenes))
    passages = [passage for scene in scenes for passage in scene.passages]
    entities = [entity(number) for number in range(size.entities)]
    yield "universes", [_UNIVERSE]
    yield "entities", entities
    yield "facts", (passage.fact for passage in passages)
    yield "evidence", (piece for passage in passages for piece in passage.evidence)
    yield "evidence", map(evidence_of_entity, entities)
    yield "supports", (edge for passage in passages for edge in passage.supports())
    yield "supports", (_support(e.id, evidence_of_entity(e)) for e in entities)
    yield "story_nodes", (StoryNode(id=_story_id(n), universe_id=UNIVERSE, title=_title(n)) for n in stories)
    yield "scene_nodes", (scene.node() for scene in scenes)
    yield "appearances", (edge for scene in scenes for edge in scene.appearances())
    yield "stories", map(_story, stories)
    yield "scenes", (scene.record() for scene in scenes)
    yield "turns", (turn for passage in passages for turn in passage.turns())
    yield "head_moves", (move for scene in scenes for move in scene.head_moves())
    yield "resolutions", (passage.resolution() for passage in passages)
    batches = [batch for scene in scenes for batch in scene.batches()]
    yield "proposed_changes", (p.proposal(commit_id_of(batch[0])) for batch in batches for p in batch)
    yield "canonizations", (commit_of(batch, CanonizationState.CLOSED) for batch in batches)
    yield "transitions", _transitions(scenes, stories)


def scenes_of(size: Size) -> Iterator[GeneratedScene]:
    """Return every scene of the campaign; the last is the long one, which is still in play."""
    first = 0
    for number in range(size.scenes + 1):
        over = number < size.scenes
        turns = size.scene_turns if over else size.long_scene
        story, order = divmod(number, SCENES_A_STORY) if over else (-(-size.scenes // SCENES_A_STORY), 0)
        scene_id = id_of(Kind.SCENE, number)
        passages = [
            Passage(first + place, place, scene_id, _story_id(story), size.entities)
            for place in range(turns // TURNS)
        ]
        yield GeneratedScene(scene_id, story, order + 1, passages, over)
        first += len(passages)


@dataclass(frozen=True)
class GeneratedScene:
    """A scene, and the passages that were played in it."""

    id: Id
    story: int
    order: int
    passages: list[Passage]
    over: bool

    def batches(self) -> Iterator[list[Passage]]:
        """Return the passages by the commit that wrote their facts."""
        return (self.passages[start : start + BATCH] for start in range(0, len(self.passages), BATCH))

    def record(self) -> Scene:
        return Scene(
            id=self.id,
            story_id=_story_id(self.story),
            universe_id=UNIVERSE,
            order=self.order,
            title=f"Night {self.order}",
            cast=_CAST,
            place_id=id_of(Kind.ENTITY, 1),
            tick=480,
            head=self.passages[-1].turn_id(TURNS - 1),
            canonical_outcomes=tuple(passage.fact.id for passage in self.passages),
            created_at=self.passages[0].at,
        )

    def node(self) -> SceneNode:
        return SceneNode(
            id=self.id,
            story_id=_story_id(self.story),
            universe_id=UNIVERSE,
            order=self.order,
            title=f"Night {self.order}",
            status="completed" if self.over else "active",
        )

    def appearances(self) -> Iterator[Appearance]:
        return (Appearance(entity_id=entity_id, scene_id=self.id) for entity_id in _CAST)

    def head_moves(self) -> Iterator[HeadMove]:
        before: Id | None = None
        for seq in range(1, len(self.passages) * TURNS + 1):
            passage = self.passages[(seq - 1) // TURNS]
            turn_id = passage.turn_id((seq - 1) % TURNS)
            yield HeadMove(
                scene_id=self.id,
                seq=seq,
                kind=MoveKind.APPEND,
                from_turn=before,
                to_turn=turn_id,
                at=passage.at,
            )
            before = turn_id

    def moves(self) -> Iterator[Transition]:
        """Return the transitions of the scene's loop, and of the turn loop for each typed line."""
        seq = count(1)

        def move(event: str, source: str, target: str, passage: Passage) -> Transition:
            return _move(Loop.SCENE, self.id, next(seq), (event, source, target), passage)

        yield move("load_context", "created", "active", self.passages[0])
        for batch in self.batches():
            for passage in batch:
                for turn in _TYPED_TURNS:
                    yield move("user_turn", "active", "active", passage)
                    for number, step in enumerate(_TURN_LOOP_MOVES, start=1):
                        yield _move(Loop.TURN, passage.turn_id(turn), number, step, passage)
            yield move("critical_event", "active", "active", batch[-1])
        if self.over:
            yield move("end", "active", "finalizing", self.passages[-1])
            yield move("canon_written", "finalizing", "completed", self.passages[-1])


def _transitions(scenes: list[GeneratedScene], stories: list[int]) -> Iterator[Transition]:
    """Return the transitions of stories and session: the last story is suspended, those before it are complete."""
    first, last = scenes[0].passages[0], scenes[-1].passages[-1]
    for story in stories:
        yield _move(Loop.STORY, _story_id(story), 1, ("begin", "created", "active"), first)
    for scene in scenes:
        yield from scene.moves()
    for story in stories[:-1]:
        yield _move(Loop.STORY, _story_id(story), 2, ("complete", "active", "completed"), last)
    yield _move(Loop.MAIN, SESSION_ID, 1, ("start_story", "idle", "start_story"), last)
    left = _move(Loop.MAIN, SESSION_ID, 2, ("suspend", "start_story", "suspended"), last)
    yield left.model_copy(update={"detail": _story_id(stories[-1])})


def _move(loop: Loop, subject_id: Id, seq: int, step: tuple[str, str, str], passage: Passage) -> Transition:
    event, source, target = step
    return Transition(
        loop=loop, subject_id=subject_id, seq=seq, event=event, source=source, target=target, at=passage.at
    )


def _support(subject_id: Id, evidence: Evidence) -> Support:
    return Support(subject_id=subject_id, evidence_id=evidence.id)


def _story(number: int) -> Story:
    return Story(
        id=_story_id(number),
        universe_id=UNIVERSE,
        title=_title(number),
        pc_id=_CAST[0],
        created_at=START,
    )


def _story_id(number: int) -> Id:
    return id_of(Kind.STORY, number)


def _title(story: int) -> str:
    return f"The Long Watch, part {story + 1}"


_UNIVERSE = Universe(id=UNIVERSE, name="The Long Coast", recorded_at=START)
_CAST = tuple(id_of(Kind.ENTITY, number) for number in (0, 2, 5, 7))
