"""The contract of the narrative log; see `LogReader` and the log's writers in `stores/ports.py`."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest

from stores.authority import Role
from stores.errors import NotFound, StoreError, WriteDenied
from stores.queries import MemoryQuery, ProposalQuery
from stores.records.canon import AdvanceClock, CreateEntity
from stores.records.grid_maps import GridCell, GridOutline, GridShape, GridWay, Spot, Terrain, WayKind
from stores.records.ids import Id
from stores.records.play import MoveKind, Scene, Speaker, Turn
from stores.records.sources import READING_STATES, LadderStage, SourceState
from stores.records.story_journal import (
    CharacterWeightEntry,
    PresenceEntry,
    TensionEntry,
    ThreadAction,
    ThreadEntry,
)
from stores.records.workflow import (
    OPEN_STATUSES,
    CanonizationState,
    Loop,
    ProposalStatus,
    ProposedChange,
    Verdict,
)
from stores.records.world import EntityKind
from tests.contract import builders as make
from tests.contract.conftest import Truth
from tests.examples import examples

PENDING, WITHDRAWN = ProposalStatus.PENDING, ProposalStatus.WITHDRAWN


class LogHandles:
    """One scene at play, with every role's handle on the log."""

    def __init__(self, truth: Truth) -> None:
        self.orchestrator = truth.log(Role.ORCHESTRATOR)
        self.narrator = truth.log(Role.NARRATOR)
        self.resolver = truth.log(Role.RESOLVER)
        self.keeper = truth.log(Role.CANON_KEEPER)
        self.reader = truth.log(Role.CONTEXT_ASSEMBLY)
        self.story = make.story()
        self.scene: Scene = make.scene(self.story)

    async def set_up(self) -> LogHandles:
        await self.orchestrator.put_story(self.story)
        await self.orchestrator.create_scene(self.scene)
        return self

    async def say(self, text: str, after: Turn | None = None, kind: MoveKind = MoveKind.APPEND) -> Turn:
        said = make.turn(self.scene, after, text)
        await self.orchestrator.append_turn(said, kind)
        return said

    async def undo(self, to: Turn | None) -> None:
        await self.orchestrator.move_head(self.scene.id, to.id if to else None, MoveKind.UNDO)

    async def redo(self) -> None:
        target = await self.reader.redo_target(self.scene.id)
        await self.orchestrator.move_head(self.scene.id, target, MoveKind.REDO)

    async def line(self) -> list[str]:
        return [turn.text for turn in await self.reader.line_tail(self.scene.id, 10_000)]

    async def head(self) -> Id | None:
        scene: Scene = await self.reader.scene(self.scene.id)
        return scene.head

    async def status(self, proposal_id: Id) -> ProposalStatus:
        proposals: dict[Id, ProposedChange] = await self.reader.proposals_by_id([proposal_id])
        return proposals[proposal_id].status


@pytest.fixture
async def handles(truth: Truth) -> LogHandles:
    return await LogHandles(truth).set_up()


# --- stories and scenes -----------------------------------------------------------------------------


async def test_stories_are_listed_newest_first(handles: LogHandles) -> None:
    whole = make.now().replace(microsecond=0)
    older = make.story(created_at=whole)
    newer = make.story(created_at=whole.replace(microsecond=500_000), universe_id=make.new_id())
    for story in (newer, older):
        await handles.orchestrator.put_story(story)
    assert await handles.reader.stories() == [newer, older, handles.story]
    assert await handles.reader.stories(newer.universe_id) == [newer]


async def test_story_is_replaced_by_put(handles: LogHandles) -> None:
    changed = handles.story.model_copy(update={"title": "The Lantern", "tension": 7})
    await handles.orchestrator.put_story(changed)
    assert await handles.reader.story(handles.story.id) == changed


async def test_scenes_are_listed_in_their_order(handles: LogHandles) -> None:
    third, second = make.scene(handles.story, 3), make.scene(handles.story, 2)
    await handles.orchestrator.create_scene(third)
    await handles.orchestrator.create_scene(second)
    assert await handles.reader.scenes(handles.story.id) == [handles.scene, second, third]


async def test_scenes_by_id_returns_existing_scenes(handles: LogHandles) -> None:
    said = await handles.say("Hello.")
    other = make.scene(handles.story, 2)
    await handles.orchestrator.create_scene(other)
    found = await handles.reader.scenes_by_id([other.id, handles.scene.id, make.new_id()])
    assert found == {s.id: s for s in (handles.scene.model_copy(update={"head": said.id}), other)}
    assert await handles.reader.scenes_by_id([]) == {}


async def test_scene_update_keeps_head_order_and_outcomes(handles: LogHandles) -> None:
    said = await handles.say("Hello.")
    changed = handles.scene.model_copy(
        update={"summary": "They met.", "tick": 90, "cast": ("a",), "order": 9, "head": None, "story_id": "x"}
    )
    await handles.orchestrator.update_scene(changed)
    kept = {"head": said.id, "order": handles.scene.order, "story_id": handles.story.id}
    assert await handles.reader.scene(handles.scene.id) == changed.model_copy(update=kept)


async def test_scene_that_was_taken_back_is_in_no_list_until_it_is_played_again(handles: LogHandles) -> None:
    for is_taken_back, listed_ids in ((True, []), (False, [handles.scene.id])):
        changed = handles.scene.model_copy(update={"is_taken_back": is_taken_back})
        await handles.orchestrator.update_scene(changed)
        assert [scene.id for scene in await handles.reader.scenes(handles.story.id)] == listed_ids
        assert (await handles.reader.scene(handles.scene.id)).is_taken_back is is_taken_back


async def test_scene_creation_is_idempotent(handles: LogHandles) -> None:
    said = await handles.say("Hello.")
    await handles.orchestrator.create_scene(handles.scene)
    assert await handles.head() == said.id


async def test_log_raises_not_found_for_unknown_identifiers(handles: LogHandles) -> None:
    reader, missing = handles.reader, make.new_id()
    for reading in (reader.story, reader.scene, reader.turn, reader.source, reader.line_length):
        with pytest.raises(NotFound, match=missing):
            await reading(missing)
    with pytest.raises(NotFound):
        await handles.orchestrator.update_scene(make.scene(handles.story))
    with pytest.raises(NotFound):
        await handles.orchestrator.append_turn(make.turn(make.scene(handles.story)))
    assert await reader.turns([missing]) == {}
    assert await reader.line_tail(handles.scene.id, 5) == []
    assert await reader.line_length(handles.scene.id) == 0


# --- the turn tree ----------------------------------------------------------------------------------


async def test_turn_append_moves_the_head(handles: LogHandles) -> None:
    asked = await handles.say("Who is there?")
    answered = make.turn(handles.scene, asked, "Nobody.", speaker=Speaker.GM, exchange_id=asked.id)
    await handles.narrator.append_gm_turn(answered)
    assert await handles.head() == answered.id
    assert await handles.reader.line_tail(handles.scene.id, 1) == [answered]
    assert await handles.reader.line_slice(handles.scene.id, 0, 9) == [asked, answered]
    assert await handles.reader.turns([answered.id, asked.id]) == {asked.id: asked, answered.id: answered}
    moves = await handles.reader.head_moves(handles.scene.id)
    assert [(m.seq, m.kind, m.from_turn, m.to_turn) for m in moves] == [
        (1, MoveKind.APPEND, None, asked.id),
        (2, MoveKind.APPEND, asked.id, answered.id),
    ]


async def test_turn_append_is_idempotent(handles: LogHandles) -> None:
    first = await handles.say("One.")
    second = await handles.say("Two.", first)
    await handles.orchestrator.append_turn(first)
    assert await handles.head() == second.id
    assert len(await handles.reader.head_moves(handles.scene.id)) == 2
    assert await handles.reader.all_turns(handles.scene.id) == [first, second]


async def test_turn_append_refuses_a_wrong_position(handles: LogHandles) -> None:
    first = await handles.say("One.")
    second = await handles.say("Two.", first)
    elsewhere = make.scene(handles.story, 2)
    await handles.orchestrator.create_scene(elsewhere)
    wrong = {
        "not on the head": make.turn(handles.scene, first),
        "wrong depth": make.turn(handles.scene, second, depth=7),
        "unknown parent": make.turn(handles.scene, make.turn(handles.scene, first), depth=2),
        "another scene's parent": make.turn(elsewhere, first),
    }
    for why, turn in wrong.items():
        with pytest.raises(StoreError):
            await handles.orchestrator.append_turn(turn)
        assert await handles.line() == ["One.", "Two."], why
    with pytest.raises(StoreError):
        await handles.orchestrator.append_turn(make.turn(handles.scene, second), MoveKind.UNDO)
    with pytest.raises(NotFound):
        await handles.orchestrator.move_head(elsewhere.id, first.id, MoveKind.BRANCH)


async def test_turn_append_refuses_a_speaker_of_another_role(handles: LogHandles) -> None:
    may = {
        "orchestrator": {Speaker.PLAYER, Speaker.ORACLE, Speaker.SYSTEM},
        "narrator": {Speaker.GM, Speaker.NPC},
        "resolver": set[Speaker](),
        "keeper": set[Speaker](),
        "reader": set[Speaker](),
    }
    for handle, speakers in may.items():
        for speaker in Speaker:
            scene = make.scene(handles.story)
            await handles.orchestrator.create_scene(scene)
            said = make.turn(scene, speaker=speaker)
            if speaker in speakers:
                await getattr(handles, handle).append_turn(said)
            else:
                with pytest.raises(WriteDenied):
                    await getattr(handles, handle).append_turn(said)
            assert await handles.reader.line_length(scene.id) == (speaker in speakers)


async def test_undo_and_redo_move_along_the_line(handles: LogHandles) -> None:
    one = await handles.say("One.")
    two = await handles.say("Two.", one)
    await handles.undo(one)
    await handles.undo(None)
    assert await handles.line() == []
    assert await handles.reader.on_line(handles.scene.id, [one.id, two.id]) == set()
    await handles.redo()
    assert await handles.line() == ["One."]
    await handles.redo()
    assert await handles.line() == ["One.", "Two."]
    assert await handles.reader.redo_target(handles.scene.id) is None


async def test_head_move_to_the_head_changes_nothing(handles: LogHandles) -> None:
    one = await handles.say("One.")
    await handles.say("Two.", one)
    await handles.undo(one)
    await handles.undo(one)
    assert len(await handles.reader.head_moves(handles.scene.id)) == 3


async def test_redo_target_is_the_child_last_undone(handles: LogHandles) -> None:
    root = await handles.say("Root.")
    old = await handles.say("Old.", root)
    await handles.undo(root)
    new = await handles.say("New.", root)
    assert await handles.reader.redo_target(handles.scene.id) is None
    await handles.undo(root)
    assert await handles.reader.redo_target(handles.scene.id) == new.id
    assert await handles.reader.children(handles.scene.id, root.id) == [old, new]
    await handles.orchestrator.move_head(handles.scene.id, old.id, MoveKind.BRANCH)
    assert await handles.line() == ["Root.", "Old."]


async def test_redo_target_is_none_where_the_last_undo_was_redone(handles: LogHandles) -> None:
    one = await handles.say("One.")
    two = await handles.say("Another.", None, MoveKind.TAKE)
    await handles.orchestrator.move_head(handles.scene.id, one.id, MoveKind.TAKE)
    await handles.undo(two)
    await handles.undo(one)
    await handles.redo()
    await handles.redo()
    assert await handles.head() == one.id
    assert await handles.reader.redo_target(handles.scene.id) is None


async def test_take_is_a_sibling_and_branch_starts_further_back(handles: LogHandles) -> None:
    one = await handles.say("One.")
    two = await handles.say("Two.", one)
    three = await handles.say("Three.", two)
    take = await handles.say("Three again.", two, MoveKind.TAKE)
    assert await handles.line() == ["One.", "Two.", "Three again."]
    branch = await handles.say("Elsewhere.", one, MoveKind.BRANCH)
    assert await handles.line() == ["One.", "Elsewhere."]
    on_line = await handles.reader.on_line(handles.scene.id, [t.id for t in (one, two, three, take, branch)])
    assert on_line == {one.id, branch.id}
    assert await handles.reader.on_line(None, [t.id for t in (one, two, branch)]) == {one.id, branch.id}
    first_again = await handles.say("One again.", None, MoveKind.TAKE)
    assert await handles.reader.children(handles.scene.id, None) == [one, first_again]


async def test_log_on_line_checks_each_turn_on_its_own_scene(handles: LogHandles) -> None:
    one = await handles.say("One.")
    two = await handles.say("Two.", one)
    await handles.undo(one)
    elsewhere = make.scene(handles.story, 2)
    await handles.orchestrator.create_scene(elsewhere)
    other = make.turn(elsewhere, None, "Elsewhere.")
    await handles.orchestrator.append_turn(other)
    asked = [one.id, two.id, other.id, make.new_id()]
    assert await handles.reader.on_line(None, asked) == {one.id, other.id}
    assert await handles.reader.on_line(elsewhere.id, asked) == {other.id}
    assert await handles.reader.on_line(None, []) == set()


async def test_story_entries_round_trip(handles: LogHandles) -> None:
    given = {"id": make.new_id(), "scene_id": handles.scene.id, "at": make.now()}
    entries = (
        ThreadEntry(**given, thread_id=make.new_id(), act=ThreadAction.OPEN, name="Who “moved” it?", tick=5),
        CharacterWeightEntry(**given, entity_id=make.new_id(), weight=0, turn_id=make.new_id()),
        PresenceEntry(**given, entity_id=make.new_id(), here=True),
        TensionEntry(**given, before=5, after=6, why="2 of 3 checks failed"),
    )
    kept = handles.story.model_copy(update={"entries": entries})
    await handles.orchestrator.put_story(kept)
    assert await handles.reader.story(kept.id) == kept


async def test_take_counts_are_by_exchange_and_speaker(handles: LogHandles) -> None:
    asked = await handles.say("Who is there?")
    answers = {"exchange_id": asked.id, "speaker": Speaker.GM}
    first = make.turn(handles.scene, asked, "Nobody.", **answers)
    again = make.turn(handles.scene, asked, "A friend.", take=2, **answers)
    npc = make.turn(handles.scene, again, "Me.", exchange_id=asked.id, speaker=Speaker.NPC)
    for answer, kind in ((first, MoveKind.APPEND), (again, MoveKind.TAKE), (npc, MoveKind.APPEND)):
        await handles.narrator.append_gm_turn(answer, kind)
    await handles.say("I leave.", asked, MoveKind.BRANCH)
    counts = await handles.reader.take_counts([asked.id, first.id, again.id, npc.id, make.new_id()])
    assert counts == {asked.id: 1, first.id: 2, again.id: 2, npc.id: 1}


async def test_line_after_undo_omits_undone_turns(handles: LogHandles) -> None:
    """Entries of the line deeper than the head are stale, as another branch may have been appended since."""
    trunk = [await handles.say("0")]
    for n in range(1, 6):
        trunk.append(await handles.say(str(n), trunk[-1]))
    await handles.undo(trunk[1])
    await handles.say("2'", trunk[1])
    await handles.orchestrator.move_head(handles.scene.id, trunk[5].id, MoveKind.BRANCH)
    assert await handles.line() == ["0", "1", "2", "3", "4", "5"]


async def test_line_slice_ends_at_the_head(handles: LogHandles) -> None:
    turns = [await handles.say("0")]
    for n in range(1, 5):
        turns.append(await handles.say(str(n), turns[-1]))
    await handles.undo(turns[2])
    assert [t.text for t in await handles.reader.line_slice(handles.scene.id, 1, 10)] == ["1", "2"]
    assert await handles.reader.line_slice(handles.scene.id, 3, 10) == []
    assert [t.text for t in await handles.reader.line_tail(handles.scene.id, 2)] == ["1", "2"]
    assert await handles.reader.line_tail(handles.scene.id, 0) == []
    assert await handles.reader.line_length(handles.scene.id) == 3


@pytest.mark.slow
@pytest.mark.whole
async def test_line_tail_works_with_thousands_of_turns(handles: LogHandles) -> None:
    depth, last = examples(5_000, 1_200), None
    first = middle = None
    for n in range(depth):
        last = await handles.say(str(n), last)
        first, middle = first or last, last if n == depth // 2 else middle
    assert first
    assert middle
    assert await handles.reader.line_length(handles.scene.id) == depth
    assert [int(t.text) for t in await handles.reader.line_tail(handles.scene.id, 3)] == [
        *range(depth - 3, depth)
    ]
    await handles.undo(first)
    assert await handles.line() == ["0"]
    await handles.say("Another way.", first)
    await handles.orchestrator.move_head(handles.scene.id, last and last.id, MoveKind.BRANCH)
    assert await handles.line() == [str(n) for n in range(depth)]
    assert await handles.reader.on_line(handles.scene.id, [middle.id]) == {middle.id}


async def test_turn_preserves_any_text(handles: LogHandles) -> None:
    texts = ["", "naïve 🜂 \u202eحكاية 漢字", "nul\x00 tab\t 'quote\" \\ %_ $.x {}", "é" * 1_000_000]
    last = None
    for text in texts:
        last = await handles.say(text, last)
    assert await handles.line() == texts


@pytest.mark.whole
async def test_log_readers_and_writers_run_concurrently(handles: LogHandles, truth: Truth) -> None:
    """Many scenes are played at once while others read; every reader sees a whole exchange or none."""
    played = examples(20, 8)
    scenes = [make.scene(handles.story, n) for n in range(2, 8)]
    for scene in scenes:
        await handles.orchestrator.create_scene(scene)

    async def play(scene: Scene) -> None:
        last = None
        for n in range(played):
            last = make.turn(scene, last, str(n))
            checkpoint = make.checkpoint(last)
            await handles.orchestrator.begin_exchange(last, MoveKind.APPEND, checkpoint, [])
            await handles.resolver.seal(make.resolution(last), [make.proposal(scene, last)])
            await handles.orchestrator.finish_exchange(last.exchange_id)

    async def watch(scene: Scene) -> None:
        while True:
            line = await handles.reader.line_tail(scene.id, 100)
            assert [turn.depth for turn in line] == list(range(len(line)))
            if len(line) == played:
                return

    await asyncio.gather(*(play(s) for s in scenes), *(watch(s) for s in scenes))
    for scene in scenes:
        assert (
            len(await handles.reader.proposals(ProposalQuery(scene_id=scene.id, statuses=[PENDING])))
            == played
        )
        assert await handles.reader.checkpoints(scene.id) == []


# --- exchanges --------------------------------------------------------------------------------------


async def test_exchange_begins_in_one_transaction(handles: LogHandles) -> None:
    said = make.turn(handles.scene)
    checkpoint, move = make.checkpoint(said), make.transition(handles.scene.id, loop=Loop.TURN)
    await handles.orchestrator.begin_exchange(said, MoveKind.APPEND, checkpoint, [move])
    await handles.orchestrator.begin_exchange(said, MoveKind.APPEND, checkpoint, [move])
    assert await handles.line() == [said.text]
    assert await handles.reader.checkpoints(handles.scene.id) == [checkpoint]
    assert await handles.reader.transitions() == [move]

    misfit = make.turn(handles.scene, said, depth=9)
    with pytest.raises(StoreError):
        await handles.orchestrator.begin_exchange(misfit, MoveKind.APPEND, make.checkpoint(misfit), [])
    assert await handles.reader.checkpoints(handles.scene.id) == [checkpoint]


async def test_checkpoint_is_replaced_and_removed(handles: LogHandles) -> None:
    said = await handles.say("Hello.")
    later = make.checkpoint(said, "narrate", state={"draft": "It is dark.", "deep": [{"a": None}]})
    await handles.orchestrator.save_checkpoint(make.checkpoint(said))
    await handles.orchestrator.save_checkpoint(later, [make.transition(said.id, 1, Loop.TURN)])
    assert await handles.reader.checkpoints(handles.scene.id) == [later]
    done = make.transition(said.id, 2, Loop.TURN, target="Persisted")
    for _ in range(2):
        await handles.orchestrator.finish_exchange(said.exchange_id, [done])
    assert await handles.reader.checkpoints(handles.scene.id) == []
    assert await handles.reader.loop_state(Loop.TURN, said.id) == done


async def test_loop_state_is_the_last_transition(handles: LogHandles) -> None:
    one, two = make.new_id(), make.new_id()
    moves = [make.transition(one, 1), make.transition(two, 1), make.transition(one, 2, target="Finalizing")]
    for move in moves:
        await handles.orchestrator.record_transition(move)
    assert await handles.reader.loop_state(Loop.SCENE, one) == moves[2]
    assert await handles.reader.loop_state(Loop.STORY, one) is None
    states = await handles.reader.loop_states(Loop.SCENE, [one, two, make.new_id()])
    assert states == {one: moves[2], two: moves[1]}
    assert await handles.reader.transitions(subject_id=one) == [moves[0], moves[2]]
    assert await handles.reader.transitions(loop=Loop.SCENE, limit=2) == moves[1:]
    assert await handles.reader.transitions(loop=Loop.MAIN) == []


# --- proposals --------------------------------------------------------------------------------------


async def test_resolution_is_stored_with_its_proposals_in_one_transaction(handles: LogHandles) -> None:
    said = await handles.say("I jump.")
    sealed, proposals = make.resolution(said), [make.proposal(handles.scene, said) for _ in range(2)]
    for _ in range(2):
        await handles.resolver.seal(sealed, proposals)
    assert await handles.reader.resolutions([said.id]) == [sealed]
    assert await handles.reader.proposals(ProposalQuery(scene_id=handles.scene.id)) == proposals


async def test_proposals_are_found_by_universe_story_and_scene(handles: LogHandles) -> None:
    other = make.scene(handles.story, 2)
    await handles.orchestrator.create_scene(other)
    here, there = make.proposal(handles.scene), make.proposal(other)
    foreign = make.proposal(other, universe_id=make.new_id(), story_id=None, scene_id=None)
    await handles.resolver.stage([there, foreign, here])
    assert await handles.reader.proposals() == [there, foreign, here]
    assert await handles.reader.proposals(ProposalQuery(last=2)) == [foreign, here]
    assert await handles.reader.proposals(ProposalQuery(last=0)) == []
    assert await handles.reader.proposals(ProposalQuery(scene_id=handles.scene.id)) == [here]
    assert await handles.reader.proposals(ProposalQuery(story_id=handles.story.id)) == [there, here]
    assert await handles.reader.proposals(ProposalQuery(universe_id=foreign.universe_id)) == [foreign]
    assert await handles.reader.proposals(ProposalQuery(statuses=[])) == []
    assert await handles.reader.proposals_by_id([here.id, make.new_id()]) == {here.id: here}


async def test_scene_records_are_what_single_reads_give(handles: LogHandles) -> None:
    statuses = (PENDING, WITHDRAWN)
    empty = await handles.reader.scene_records(handles.scene.id, statuses)
    assert empty == (handles.scene, handles.story, None, [])
    first = await handles.say("I look up.")
    last = await handles.say("I look down.", first)
    elsewhere = make.scene(handles.story)
    await handles.orchestrator.create_scene(elsewhere)
    here, there = make.proposal(handles.scene, last), make.proposal(elsewhere, None)
    await handles.resolver.stage([here, there])
    records = await handles.reader.scene_records(handles.scene.id, statuses)
    assert (records.scene.head, records.head, records.story) == (last.id, last, handles.story)
    assert records.proposals == [here]
    await handles.undo(first)
    undone = await handles.reader.scene_records(handles.scene.id, statuses)
    assert (undone.head, [p.status for p in undone.proposals]) == (first, [WITHDRAWN])
    assert (await handles.reader.scene_records(handles.scene.id, (PENDING,))).proposals == []
    with pytest.raises(NotFound):
        await handles.reader.scene_records(make.new_id(), statuses)


async def test_proposals_are_found_by_kind(handles: LogHandles) -> None:
    new = CreateEntity(entity_id=make.new_id(), entity_kind=EntityKind.CHARACTER, name="Sela")
    born, later = (make.proposal(handles.scene, payload=new) for _ in range(2))
    await handles.resolver.stage([born, make.proposal(handles.scene), later, make.proposal(handles.scene)])
    assert await handles.reader.proposals(ProposalQuery(kind="create_entity")) == [born, later]
    assert await handles.reader.proposals(ProposalQuery(kind="create_entity", last=1)) == [later]
    assert await handles.reader.proposals(ProposalQuery(scene_id=handles.scene.id, kind="retcon_fact")) == []
    assert await handles.reader.proposals(ProposalQuery(statuses=[PENDING], kind="create_entity")) == [
        born,
        later,
    ]
    assert await handles.reader.proposals(ProposalQuery(statuses=[WITHDRAWN], kind="create_entity")) == []


async def test_proposal_of_an_undone_turn_is_withdrawn(handles: LogHandles) -> None:
    root = await handles.say("Root.")
    said = await handles.say("I jump.", root)
    moved, on_scene = make.proposal(handles.scene, said), make.proposal(handles.scene)
    retcon = make.proposal(handles.scene, unless_turn=said.id)
    await handles.resolver.stage([moved, on_scene, retcon])

    async def shown() -> list[ProposalStatus]:
        return [p.status for p in await handles.reader.proposals(ProposalQuery(scene_id=handles.scene.id))]

    assert await shown() == [PENDING, PENDING, WITHDRAWN]
    await handles.undo(root)
    assert await shown() == [WITHDRAWN, PENDING, PENDING]
    found = await handles.reader.proposals(ProposalQuery(scene_id=handles.scene.id, statuses=[WITHDRAWN]))
    assert [p.id for p in found] == [moved.id]
    found = await handles.reader.proposals(ProposalQuery(scene_id=handles.scene.id, statuses=[PENDING]))
    assert [p.id for p in found] == [on_scene.id, retcon.id]
    await handles.redo()
    assert await shown() == [PENDING, PENDING, WITHDRAWN]


async def test_proposal_ids_of_a_scene_come_in_the_order_of_proposing(handles: LogHandles) -> None:
    spoken = await handles.say("I jump.")
    proposals = [make.proposal(handles.scene, turn) for turn in (spoken, None, spoken)]
    for proposal in proposals:
        await handles.resolver.stage([proposal])
    await handles.undo(None)
    assert await handles.reader.proposal_ids(handles.scene.id) == [p.id for p in proposals]
    assert await handles.reader.proposal_ids(make.new_id()) == []


async def test_proposal_that_is_undone_by_itself_is_withdrawn_until_it_is_redone(handles: LogHandles) -> None:
    undone, other = make.proposal(handles.scene), make.proposal(handles.scene)
    await handles.resolver.stage([undone, other])
    undo = make.decision(Verdict.UNDO, set_aside=Verdict.REJECT)
    await handles.keeper.decide({undone.id: undo})
    pending = await handles.reader.proposals(ProposalQuery(scene_id=handles.scene.id, statuses=[PENDING]))
    assert [p.id for p in pending] == [other.id]
    (withdrawn,) = await handles.reader.proposals(ProposalQuery(statuses=[WITHDRAWN]))
    assert (withdrawn.id, withdrawn.decision) == (undone.id, undo)
    assert (await handles.reader.proposals_by_id([undone.id]))[undone.id].status is WITHDRAWN
    await handles.keeper.decide({undone.id: None})
    assert await handles.status(undone.id) is PENDING


@pytest.mark.parametrize("status", [s for s in ProposalStatus if s is not WITHDRAWN])
async def test_proposal_closed_by_a_commit_is_never_withdrawn(
    handles: LogHandles, status: ProposalStatus
) -> None:
    said = await handles.say("I jump.")
    change = make.proposal(handles.scene, said)
    await handles.resolver.stage([change])
    await handles.keeper.close_canonization(make.canonization(make.outcome(change, status), of=handles.scene))
    await handles.undo(None)
    open_ = status in (PENDING, ProposalStatus.DEFERRED, ProposalStatus.FAILED)
    assert await handles.status(change.id) == (WITHDRAWN if open_ else status)


async def test_decision_may_be_removed_until_a_commit_closes(handles: LogHandles) -> None:
    change = make.proposal(handles.scene)
    await handles.resolver.stage([change])
    first, second = make.decision(Verdict.DEFER), make.decision(edited=change.payload, reason="yes")

    async def decided() -> Any:
        return (await handles.reader.proposals_by_id([change.id]))[change.id]

    for decision in (first, None, second):
        await handles.keeper.decide({change.id: decision})
        assert await decided() == change.model_copy(update={"decision": decision})

    done = make.canonization(make.outcome(await decided()), of=handles.scene)
    await handles.keeper.close_canonization(done)
    closed = {"decision": second, "status": ProposalStatus.ACCEPTED, "canonization_id": done.id}
    assert await decided() == change.model_copy(update=closed)
    await handles.keeper.decide({change.id: second})
    with pytest.raises(StoreError, match="accepted already"):
        await handles.keeper.decide({change.id: None})
    with pytest.raises(NotFound):
        await handles.keeper.decide({make.new_id(): first})


async def test_proposal_that_failed_may_be_decided_again(handles: LogHandles) -> None:
    change = make.proposal(handles.scene)
    await handles.resolver.stage([change])
    failed = make.outcome(change, ProposalStatus.FAILED, error="no such fact")
    await handles.keeper.close_canonization(make.canonization(failed, of=handles.scene))
    again = make.decision(Verdict.REJECT)
    await handles.keeper.decide({change.id: again})
    found = (await handles.reader.proposals_by_id([change.id]))[change.id]
    assert (found.status, found.error, found.decision) == (ProposalStatus.FAILED, "no such fact", again)


async def test_commit_that_takes_another_back_opens_its_proposals_again(handles: LogHandles) -> None:
    change = make.proposal(handles.scene)
    await handles.resolver.stage([change])
    await handles.keeper.close_canonization(make.canonization(make.outcome(change), of=handles.scene))
    opened = make.outcome(change, PENDING, decision=None)
    taken_back = make.canonization(opened, of=handles.scene)
    for _ in range(2):
        await handles.keeper.close_canonization(taken_back)
        found = (await handles.reader.proposals_by_id([change.id]))[change.id]
        assert found == change.model_copy(update={"canonization_id": taken_back.id})
    await handles.keeper.decide({change.id: make.decision(Verdict.REJECT)})


async def test_decisions_are_all_or_nothing(handles: LogHandles) -> None:
    change = make.proposal(handles.scene)
    await handles.resolver.stage([change])
    with pytest.raises(NotFound):
        await handles.keeper.decide({change.id: make.decision(), make.new_id(): make.decision()})
    assert (await handles.reader.proposals_by_id([change.id]))[change.id] == change


# --- canonizations ----------------------------------------------------------------------------------


async def test_canonization_is_planned_written_and_closed(handles: LogHandles) -> None:
    change = make.proposal(handles.scene)
    await handles.resolver.stage([change])
    planned = make.canonization(make.outcome(change), of=handles.scene)

    async def in_state(*states: CanonizationState) -> list[Id]:
        return [c.id for c in await handles.reader.canonizations(universe_id=make.UNIVERSE, states=states)]

    await handles.keeper.plan_canonization(planned)
    assert await handles.reader.canonizations() == [planned]
    await handles.keeper.mark_written(planned.id)
    assert await in_state(CanonizationState.PLANNED) == []
    assert await in_state(CanonizationState.PLANNED, CanonizationState.WRITTEN) == [planned.id]
    for outcomes in (["f1", "f2"], ["f2", "f3"]):
        await handles.keeper.close_canonization(planned, outcomes)
    assert await in_state(CanonizationState.CLOSED) == [planned.id]
    assert (await handles.reader.scene(handles.scene.id)).canonical_outcomes == ("f1", "f2", "f3")
    assert await handles.status(change.id) is ProposalStatus.ACCEPTED

    await handles.keeper.plan_canonization(planned)
    await handles.keeper.mark_written(planned.id)
    assert await in_state(CanonizationState.CLOSED) == [planned.id]
    with pytest.raises(NotFound):
        await handles.keeper.mark_written(make.new_id())


async def test_canonization_states_are_read_without_batches(
    handles: LogHandles,
) -> None:
    commits = [make.canonization(of=handles.scene, reason=f"commit {number}") for number in range(3)]
    elsewhere = make.canonization(universe_id=make.new_id())
    for commit in (*commits, elsewhere):
        await handles.keeper.plan_canonization(commit)
    await handles.keeper.mark_written(commits[1].id)
    await handles.keeper.close_canonization(commits[0])
    asked = [commits[2].id, commits[0].id, make.new_id()]
    closed = commits[0].model_copy(update={"state": CanonizationState.CLOSED})
    assert await handles.reader.canonizations(ids=asked) == [closed, commits[2]]
    assert await handles.reader.canonizations(ids=asked, states=[CanonizationState.CLOSED]) == [closed]
    assert await handles.reader.canonizations(ids=[]) == []
    assert await handles.reader.canonization_states(make.UNIVERSE) == {
        commits[0].id: CanonizationState.CLOSED,
        commits[1].id: CanonizationState.WRITTEN,
        commits[2].id: CanonizationState.PLANNED,
    }
    assert await handles.reader.canonization_states(make.new_id()) == {}


async def test_canon_version_changes_with_every_step_of_a_commit(handles: LogHandles) -> None:
    change = make.proposal(handles.scene)
    await handles.resolver.stage([change])
    planned = make.canonization(make.outcome(change), of=handles.scene)
    seen = [await handles.reader.canon_version(make.UNIVERSE)]
    for step in (
        handles.keeper.plan_canonization(planned),
        handles.keeper.mark_written(planned.id),
        handles.keeper.close_canonization(planned, ["f1"]),
    ):
        await step
        seen.append(await handles.reader.canon_version(make.UNIVERSE))
    assert len(set(seen)) == 4
    assert await handles.reader.canon_version(make.UNIVERSE) == seen[-1]
    assert await handles.reader.canon_version(make.new_id()) == seen[0]


async def test_canonization_dropped_leaves_proposals_open(handles: LogHandles) -> None:
    change = make.proposal(handles.scene)
    await handles.resolver.stage([change])
    planned = make.canonization(make.outcome(change), of=handles.scene)
    await handles.keeper.plan_canonization(planned)
    dropped = planned.model_copy(update={"state": CanonizationState.DROPPED})
    await handles.keeper.close_canonization(dropped, ["f1"])
    assert await handles.reader.canonizations() == [dropped]
    assert await handles.status(change.id) is PENDING
    assert (await handles.reader.scene(handles.scene.id)).canonical_outcomes == ()


async def test_canonization_close_keeps_head_and_scene_text(handles: LogHandles) -> None:
    said = await handles.say("Hello.")
    await handles.keeper.close_canonization(make.canonization(of=handles.scene), ["f1"])
    kept = handles.scene.model_copy(update={"head": said.id, "canonical_outcomes": ("f1",)})
    assert await handles.reader.scene(handles.scene.id) == kept


# --- memory and sources -----------------------------------------------------------------------------


async def test_memories_and_summaries_are_replaced_by_put(handles: LogHandles, truth: Truth) -> None:
    handle, mara = truth.log(Role.MEMORY_MANAGER), make.entity()
    memories = [make.memory(mara, "First."), make.memory(mara, "Second.")]
    summaries = [make.summary(handles.scene, "Warm."), make.summary(handles.scene, "Cold.", kind="scene")]
    await handle.put_memories([*memories, make.memory(make.entity())])
    await handle.put_summaries(summaries)
    recalled = memories[0].model_copy(update={"access_count": 3})
    await handle.put_memories([recalled])
    assert await handles.reader.memories(MemoryQuery(entity_id=mara.id)) == [recalled, memories[1]]
    assert await handles.reader.summaries(handles.scene.id) == summaries


async def test_snippets_are_in_document_order(handles: LogHandles, truth: Truth) -> None:
    handle, book = truth.log(Role.INGEST), make.source()
    snippets = [make.snippet(book, n, span=(n, n + 9), page=n) for n in range(12)]
    await handle.put_source(book)
    for _ in range(2):
        await handle.put_snippets(snippets[::-1])
    assert await handles.reader.source(book.id) == book
    assert await handles.reader.snippets(book.id) == snippets
    await handle.stage([make.proposal(handles.scene, scene_id=None, story_id=None)])


# --- what was ruled, and what a universe lays down ---------------------------------------------------


async def test_notes_stay_after_undo(handles: LogHandles) -> None:
    said = await handles.say("I knock.")
    before, on = make.note(handles.scene, None, "Start slow."), make.note(handles.scene, said)
    for note in (before, on, on):
        await handles.orchestrator.add_note(note)
    await handles.undo(None)
    assert await handles.reader.notes(story_id=handles.story.id) == [before, on]
    assert await handles.reader.notes(turn_ids=[said.id]) == [on]
    assert await handles.reader.notes(story_id=make.new_id()) == []
    assert await handles.reader.notes(turn_ids=[]) == []


async def test_ruling_on_the_same_pair_is_replaced(handles: LogHandles) -> None:
    first, other = make.ruling(), make.ruling(("one", "two"))
    for _ in range(2):
        await handles.keeper.put_ruling(first)
    await handles.keeper.put_ruling(other)
    await handles.keeper.put_ruling(make.ruling(universe_id=make.new_id(), id=make.new_id()))
    assert await handles.reader.rulings(make.UNIVERSE) == [first, other]
    again = first.model_copy(update={"upheld": "old"})
    await handles.keeper.put_ruling(again)
    assert await handles.reader.rulings(make.UNIVERSE) == [again, other]


async def test_policy_is_one_per_universe(handles: LogHandles) -> None:
    assert await handles.reader.policy(make.UNIVERSE) is None
    policy = make.policy()
    for put in (policy, policy.model_copy(update={"predicates": "adores: {}"})):
        await handles.keeper.put_policy(put)
        assert await handles.reader.policy(make.UNIVERSE) == put
    assert await handles.reader.policy(make.new_id()) is None


@pytest.mark.parametrize("who", ["orchestrator", "narrator", "resolver"])
async def test_rulings_and_policies_are_written_by_the_canon_keeper_only(
    handles: LogHandles, who: str
) -> None:
    handle = getattr(handles, who)
    for write in (handle.put_ruling(make.ruling()), handle.put_policy(make.policy())):
        with pytest.raises(WriteDenied):
            await write


async def test_map_edits_are_read_in_their_order_and_written_by_the_orchestrator_alone(
    handles: LogHandles, truth: Truth
) -> None:
    outline = GridOutline(name="The Keep “塩”", shape=GridShape.HEXES, columns=200, rows=200)
    cell = GridCell(spot=Spot(199, 0), place_id=make.new_id(), terrain=Terrain.MARSH, text="a [note]")
    ways = (
        GridWay(ends=(Spot(0, 0), Spot(1, 0)), kind=WayKind.LOCKED),
        GridWay(ends=(Spot(1, 0), Spot(1, 1)), kind=None),
    )
    first = make.map_edit(outline=outline)
    edits = [
        first,
        make.map_edit(map_id=first.map_id, cells=(cell,), ways=ways),
        make.map_edit(map_id=first.map_id, undoes=first.id),
    ]
    for edit in (*edits, edits[1], make.map_edit(universe_id=make.new_id())):
        await handles.orchestrator.add_map_edit(edit)
    assert await handles.reader.map_edits(make.UNIVERSE) == edits
    assert await handles.reader.map_edits(make.new_id()) == []
    for role in Role:
        if role is not Role.ORCHESTRATOR:
            with pytest.raises(WriteDenied):
                await truth.log(role).add_map_edit(make.map_edit())


async def test_source_pages_are_read_by_edition_and_number(handles: LogHandles, truth: Truth) -> None:
    ingest, book = truth.log(Role.INGEST), make.source()
    await ingest.put_source(book)
    pages = [make.page(book, number, label=f"p. {number}") for number in range(1, 13)]
    for _ in range(2):
        await ingest.put_pages(pages[::-1])
    second = make.page(book, 3, edition=2, text="Another third page.")
    await ingest.put_pages([second, make.page(make.source(), 3)])
    assert await handles.reader.source_pages(book.id, 1) == pages
    assert await handles.reader.source_pages(book.id, 1, numbers=[11, 2, 40]) == [pages[1], pages[10]]
    assert await handles.reader.source_pages(book.id, 2) == [second]
    assert await handles.reader.source_pages(book.id, 1, numbers=[]) == []
    assert await handles.reader.sources_by_id([book.id, make.new_id()]) == {book.id: book}


async def test_snippets_are_stored_with_what_was_found_in_them(handles: LogHandles, truth: Truth) -> None:
    ingest, book = truth.log(Role.INGEST), make.source()
    await ingest.put_source(book)
    snippet = make.snippet(book)
    await ingest.put_snippets([snippet])
    served = snippet.model_copy(update={"stage": LadderStage.GENERATED, "anchors": ("Mara",)})
    proposals = [make.source_proposal(book) for _ in range(3)]
    for _ in range(2):
        await ingest.stage_snippets([served], proposals)
    assert await handles.reader.snippets(book.id) == [served]
    others = [
        make.snippet(book, 1, stage=LadderStage.GENERATED, anchors=("Mara", "Bren")),
        make.snippet(book, 2),
        make.snippet(book, 3, edition=2, anchors=("Mara",)),
    ]
    await ingest.put_snippets(others)
    waiting = partial(handles.reader.waiting_snippets, book.id, 1, limit=2)
    assert await waiting(for_model=False) == ([others[1]], 1)
    assert await waiting(for_model=True) == ([served, others[0]], 3)
    await ingest.put_snippets([others[1].model_copy(update={"asked_model": True})])
    assert (await waiting(for_model=True))[1] == 2
    assert await handles.reader.snippet_stages(book.id, 1) == {LadderStage.GENERATED: 2, None: 1}
    assert await handles.reader.snippet_anchors(book.id, 1) == {"Mara": 2, "Bren": 1}
    assert await handles.reader.snippet_anchors(book.id, 2) == {"Mara": 1}
    assert await handles.reader.proposals(ProposalQuery(source_id=book.id)) == proposals


async def test_staging_stores_the_last_of_each_proposal_of_a_write(handles: LogHandles, truth: Truth) -> None:
    """Each chunk of a write adds its evidence to the same proposal: the first alone would lose the others'."""
    ingest, book = truth.log(Role.INGEST), make.source()
    first = make.source_proposal(book)
    versions = [first.model_copy(update={"payload": AdvanceClock(clock=clock)}) for clock in ("noon", "dusk")]
    for stored_last in (versions, versions[::-1]):
        await ingest.stage_snippets([], [first, *stored_last])
        assert (await handles.reader.proposals_by_id([first.id]))[first.id] == stored_last[-1]


async def test_staging_a_chunk_again_replaces_undecided_proposals_only(
    handles: LogHandles, truth: Truth
) -> None:
    ingest, book = truth.log(Role.INGEST), make.source()
    undecided, decided = make.source_proposal(book), make.source_proposal(book)
    await ingest.stage_snippets([], [undecided, decided])
    rejection = make.decision(Verdict.REJECT)
    await handles.keeper.decide({decided.id: rejection})
    changed = AdvanceClock(clock="dusk")
    await ingest.stage_snippets([], [p.model_copy(update={"payload": changed}) for p in (undecided, decided)])
    stored = await handles.reader.proposals_by_id([undecided.id, decided.id])
    assert stored[undecided.id] == undecided.model_copy(update={"payload": changed})
    assert stored[decided.id] == decided.model_copy(update={"decision": rejection})


async def test_proposals_of_a_document_are_found_by_their_source_alone(
    handles: LogHandles, truth: Truth
) -> None:
    ingest, book, other_book = truth.log(Role.INGEST), make.source(), make.source()
    played = make.proposal(handles.scene)
    from_book = [make.source_proposal(book) for _ in range(3)]
    await handles.resolver.seal(make.resolution(await handles.say("I read.")), [played])
    await ingest.stage([*from_book, make.source_proposal(other_book)])
    proposals = handles.reader.proposals
    assert await proposals() == [played]
    assert await proposals(ProposalQuery(universe_id=make.UNIVERSE, statuses=OPEN_STATUSES)) == [played]
    assert await proposals(ProposalQuery(statuses=OPEN_STATUSES, last=2)) == [played]
    of_book = ProposalQuery(universe_id=make.UNIVERSE, source_id=book.id, statuses=OPEN_STATUSES)
    assert await proposals(of_book) == from_book
    assert len(await proposals(ProposalQuery(with_sources=True))) == 5
    decided = make.decision(Verdict.REJECT)
    await handles.keeper.decide({from_book[0].id: decided})
    unread_id = make.new_id()
    assert await handles.reader.proposal_counts([book.id, other_book.id, unread_id]) == {
        book.id: {(PENDING, None): 2, (PENDING, Verdict.REJECT): 1},
        other_book.id: {(PENDING, None): 1},
        unread_id: {},
    }
    assert len(await handles.reader.proposals_by_id([p.id for p in from_book])) == 3


async def test_sources_are_listed_oldest_first(handles: LogHandles, truth: Truth) -> None:
    handle = truth.log(Role.INGEST)
    books = [make.source(title=title) for title in ("Zoology", "Alchemy", "Maps")]
    for book in (*books, make.source(universe_id=make.new_id())):
        await handle.put_source(book)
    renamed = books[0].model_copy(update={"title": "Beasts"})
    await handle.put_source(renamed)
    assert await handles.reader.sources(make.UNIVERSE) == [renamed, *books[1:]]
    assert await handles.reader.sources(make.new_id()) == []
    waiting = make.source(state=SourceState.WAITING, universe_id=make.new_id())
    await handle.put_source(waiting)
    assert await handles.reader.sources(states=READING_STATES) == [waiting]
    assert await handles.reader.sources(make.UNIVERSE, states=READING_STATES) == []
