"""The contract of the narrative log; see `LogReader` and the log's writers in `stores/ports.py`."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from stores.authority import Role
from stores.errors import NotFound, StoreError, WriteDenied
from stores.queries import MemoryQuery, ProposalQuery
from stores.records.canon import CreateEntity
from stores.records.ids import Id
from stores.records.play import MoveKind, Scene, Speaker, Turn
from stores.records.story_journal import (
    CharacterWeightEntry,
    PresenceEntry,
    TensionEntry,
    ThreadAction,
    ThreadEntry,
)
from stores.records.workflow import CanonizationState, Loop, ProposalStatus, ProposedChange, Verdict
from stores.records.world import EntityKind
from tests.contract import builders as make
from tests.contract.conftest import Truth
from tests.examples import examples

PENDING, WITHDRAWN = ProposalStatus.PENDING, ProposalStatus.WITHDRAWN


class Table:
    """One scene at play, with every role's handle on the log."""

    def __init__(self, truth: Truth) -> None:
        self.orchestrator = truth.log(Role.ORCHESTRATOR)
        self.narrator = truth.log(Role.NARRATOR)
        self.resolver = truth.log(Role.RESOLVER)
        self.keeper = truth.log(Role.CANON_KEEPER)
        self.reader = truth.log(Role.CONTEXT_ASSEMBLY)
        self.story = make.story()
        self.scene: Scene = make.scene(self.story)

    async def set_up(self) -> Table:
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
async def table(truth: Truth) -> Table:
    return await Table(truth).set_up()


# --- stories and scenes -----------------------------------------------------------------------------


async def test_stories_are_listed_newest_first(table: Table) -> None:
    whole = make.now().replace(microsecond=0)
    older = make.story(created_at=whole)
    newer = make.story(created_at=whole.replace(microsecond=500_000), universe_id=make.new_id())
    for story in (newer, older):
        await table.orchestrator.put_story(story)
    assert await table.reader.stories() == [newer, older, table.story]
    assert await table.reader.stories(newer.universe_id) == [newer]


async def test_story_is_replaced_by_put(table: Table) -> None:
    changed = table.story.model_copy(update={"title": "The Lantern", "tension": 7})
    await table.orchestrator.put_story(changed)
    assert await table.reader.story(table.story.id) == changed


async def test_scenes_are_listed_in_their_order(table: Table) -> None:
    third, second = make.scene(table.story, 3), make.scene(table.story, 2)
    await table.orchestrator.create_scene(third)
    await table.orchestrator.create_scene(second)
    assert await table.reader.scenes(table.story.id) == [table.scene, second, third]


async def test_scenes_by_id_returns_existing_scenes(table: Table) -> None:
    said = await table.say("Hello.")
    other = make.scene(table.story, 2)
    await table.orchestrator.create_scene(other)
    found = await table.reader.scenes_by_id([other.id, table.scene.id, make.new_id()])
    assert found == {s.id: s for s in (table.scene.model_copy(update={"head": said.id}), other)}
    assert await table.reader.scenes_by_id([]) == {}


async def test_scene_update_keeps_head_order_and_outcomes(table: Table) -> None:
    said = await table.say("Hello.")
    changed = table.scene.model_copy(
        update={"summary": "They met.", "tick": 90, "cast": ("a",), "order": 9, "head": None, "story_id": "x"}
    )
    await table.orchestrator.update_scene(changed)
    kept = {"head": said.id, "order": table.scene.order, "story_id": table.story.id}
    assert await table.reader.scene(table.scene.id) == changed.model_copy(update=kept)


async def test_scene_creation_is_idempotent(table: Table) -> None:
    said = await table.say("Hello.")
    await table.orchestrator.create_scene(table.scene)
    assert await table.head() == said.id


async def test_log_raises_not_found_for_unknown_identifiers(table: Table) -> None:
    reader, missing = table.reader, make.new_id()
    for reading in (reader.story, reader.scene, reader.turn, reader.source, reader.line_length):
        with pytest.raises(NotFound, match=missing):
            await reading(missing)
    with pytest.raises(NotFound):
        await table.orchestrator.update_scene(make.scene(table.story))
    with pytest.raises(NotFound):
        await table.orchestrator.append_turn(make.turn(make.scene(table.story)))
    assert await reader.turns([missing]) == {}
    assert await reader.line_tail(table.scene.id, 5) == []
    assert await reader.line_length(table.scene.id) == 0


# --- the turn tree ----------------------------------------------------------------------------------


async def test_turn_append_moves_the_head(table: Table) -> None:
    asked = await table.say("Who is there?")
    answered = make.turn(table.scene, asked, "Nobody.", speaker=Speaker.GM, exchange_id=asked.id)
    await table.narrator.append_gm_turn(answered)
    assert await table.head() == answered.id
    assert await table.reader.line_tail(table.scene.id, 1) == [answered]
    assert await table.reader.line_slice(table.scene.id, 0, 9) == [asked, answered]
    assert await table.reader.turns([answered.id, asked.id]) == {asked.id: asked, answered.id: answered}
    moves = await table.reader.head_moves(table.scene.id)
    assert [(m.seq, m.kind, m.from_turn, m.to_turn) for m in moves] == [
        (1, MoveKind.APPEND, None, asked.id),
        (2, MoveKind.APPEND, asked.id, answered.id),
    ]


async def test_turn_append_is_idempotent(table: Table) -> None:
    first = await table.say("One.")
    second = await table.say("Two.", first)
    await table.orchestrator.append_turn(first)
    assert await table.head() == second.id
    assert len(await table.reader.head_moves(table.scene.id)) == 2
    assert await table.reader.all_turns(table.scene.id) == [first, second]


async def test_turn_append_refuses_a_wrong_position(table: Table) -> None:
    first = await table.say("One.")
    second = await table.say("Two.", first)
    elsewhere = make.scene(table.story, 2)
    await table.orchestrator.create_scene(elsewhere)
    wrong = {
        "not on the head": make.turn(table.scene, first),
        "wrong depth": make.turn(table.scene, second, depth=7),
        "unknown parent": make.turn(table.scene, make.turn(table.scene, first), depth=2),
        "another scene's parent": make.turn(elsewhere, first),
    }
    for why, turn in wrong.items():
        with pytest.raises(StoreError):
            await table.orchestrator.append_turn(turn)
        assert await table.line() == ["One.", "Two."], why
    with pytest.raises(StoreError):
        await table.orchestrator.append_turn(make.turn(table.scene, second), MoveKind.UNDO)
    with pytest.raises(NotFound):
        await table.orchestrator.move_head(elsewhere.id, first.id, MoveKind.BRANCH)


async def test_turn_append_refuses_a_speaker_of_another_role(table: Table) -> None:
    may = {
        "orchestrator": {Speaker.PLAYER, Speaker.ORACLE, Speaker.SYSTEM},
        "narrator": {Speaker.GM, Speaker.NPC},
        "resolver": set[Speaker](),
        "keeper": set[Speaker](),
        "reader": set[Speaker](),
    }
    for handle, speakers in may.items():
        for speaker in Speaker:
            scene = make.scene(table.story)
            await table.orchestrator.create_scene(scene)
            said = make.turn(scene, speaker=speaker)
            if speaker in speakers:
                await getattr(table, handle).append_turn(said)
            else:
                with pytest.raises(WriteDenied):
                    await getattr(table, handle).append_turn(said)
            assert await table.reader.line_length(scene.id) == (speaker in speakers)


async def test_undo_and_redo_move_along_the_line(table: Table) -> None:
    one = await table.say("One.")
    two = await table.say("Two.", one)
    await table.undo(one)
    await table.undo(None)
    assert await table.line() == []
    assert await table.reader.on_line(table.scene.id, [one.id, two.id]) == set()
    await table.redo()
    assert await table.line() == ["One."]
    await table.redo()
    assert await table.line() == ["One.", "Two."]
    assert await table.reader.redo_target(table.scene.id) is None


async def test_head_move_to_the_head_changes_nothing(table: Table) -> None:
    one = await table.say("One.")
    await table.say("Two.", one)
    await table.undo(one)
    await table.undo(one)
    assert len(await table.reader.head_moves(table.scene.id)) == 3


async def test_redo_target_is_the_child_last_undone(table: Table) -> None:
    root = await table.say("Root.")
    old = await table.say("Old.", root)
    await table.undo(root)
    new = await table.say("New.", root)
    assert await table.reader.redo_target(table.scene.id) is None
    await table.undo(root)
    assert await table.reader.redo_target(table.scene.id) == new.id
    assert await table.reader.children(table.scene.id, root.id) == [old, new]
    await table.orchestrator.move_head(table.scene.id, old.id, MoveKind.BRANCH)
    assert await table.line() == ["Root.", "Old."]


async def test_take_is_a_sibling_and_branch_starts_further_back(table: Table) -> None:
    one = await table.say("One.")
    two = await table.say("Two.", one)
    three = await table.say("Three.", two)
    take = await table.say("Three again.", two, MoveKind.TAKE)
    assert await table.line() == ["One.", "Two.", "Three again."]
    branch = await table.say("Elsewhere.", one, MoveKind.BRANCH)
    assert await table.line() == ["One.", "Elsewhere."]
    on_line = await table.reader.on_line(table.scene.id, [t.id for t in (one, two, three, take, branch)])
    assert on_line == {one.id, branch.id}
    assert await table.reader.on_line(None, [t.id for t in (one, two, branch)]) == {one.id, branch.id}
    first_again = await table.say("One again.", None, MoveKind.TAKE)
    assert await table.reader.children(table.scene.id, None) == [one, first_again]


async def test_log_on_line_checks_each_turn_on_its_own_scene(table: Table) -> None:
    one = await table.say("One.")
    two = await table.say("Two.", one)
    await table.undo(one)
    elsewhere = make.scene(table.story, 2)
    await table.orchestrator.create_scene(elsewhere)
    other = make.turn(elsewhere, None, "Elsewhere.")
    await table.orchestrator.append_turn(other)
    asked = [one.id, two.id, other.id, make.new_id()]
    assert await table.reader.on_line(None, asked) == {one.id, other.id}
    assert await table.reader.on_line(elsewhere.id, asked) == {other.id}
    assert await table.reader.on_line(None, []) == set()


async def test_story_entries_round_trip(table: Table) -> None:
    given = {"id": make.new_id(), "scene_id": table.scene.id, "at": make.now()}
    entries = (
        ThreadEntry(**given, thread_id=make.new_id(), act=ThreadAction.OPEN, name="Who “moved” it?", tick=5),
        CharacterWeightEntry(**given, entity_id=make.new_id(), weight=0, turn_id=make.new_id()),
        PresenceEntry(**given, entity_id=make.new_id(), here=True),
        TensionEntry(**given, before=5, after=6, why="2 of 3 checks failed"),
    )
    kept = table.story.model_copy(update={"entries": entries})
    await table.orchestrator.put_story(kept)
    assert await table.reader.story(kept.id) == kept


async def test_take_counts_are_by_exchange_and_speaker(table: Table) -> None:
    asked = await table.say("Who is there?")
    answers = {"exchange_id": asked.id, "speaker": Speaker.GM}
    first = make.turn(table.scene, asked, "Nobody.", **answers)
    again = make.turn(table.scene, asked, "A friend.", take=2, **answers)
    npc = make.turn(table.scene, again, "Me.", exchange_id=asked.id, speaker=Speaker.NPC)
    for answer, kind in ((first, MoveKind.APPEND), (again, MoveKind.TAKE), (npc, MoveKind.APPEND)):
        await table.narrator.append_gm_turn(answer, kind)
    await table.say("I leave.", asked, MoveKind.BRANCH)
    counts = await table.reader.take_counts([asked.id, first.id, again.id, npc.id, make.new_id()])
    assert counts == {asked.id: 1, first.id: 2, again.id: 2, npc.id: 1}


async def test_line_after_undo_omits_undone_turns(table: Table) -> None:
    """Entries of the line deeper than the head are stale, as another branch may have been appended since."""
    trunk = [await table.say("0")]
    for n in range(1, 6):
        trunk.append(await table.say(str(n), trunk[-1]))
    await table.undo(trunk[1])
    await table.say("2'", trunk[1])
    await table.orchestrator.move_head(table.scene.id, trunk[5].id, MoveKind.BRANCH)
    assert await table.line() == ["0", "1", "2", "3", "4", "5"]


async def test_line_slice_ends_at_the_head(table: Table) -> None:
    turns = [await table.say("0")]
    for n in range(1, 5):
        turns.append(await table.say(str(n), turns[-1]))
    await table.undo(turns[2])
    assert [t.text for t in await table.reader.line_slice(table.scene.id, 1, 10)] == ["1", "2"]
    assert await table.reader.line_slice(table.scene.id, 3, 10) == []
    assert [t.text for t in await table.reader.line_tail(table.scene.id, 2)] == ["1", "2"]
    assert await table.reader.line_tail(table.scene.id, 0) == []
    assert await table.reader.line_length(table.scene.id) == 3


@pytest.mark.whole
async def test_line_tail_works_with_thousands_of_turns(table: Table) -> None:
    depth, last = examples(5_000, 1_200), None
    first = middle = None
    for n in range(depth):
        last = await table.say(str(n), last)
        first, middle = first or last, last if n == depth // 2 else middle
    assert first
    assert middle
    assert await table.reader.line_length(table.scene.id) == depth
    assert [int(t.text) for t in await table.reader.line_tail(table.scene.id, 3)] == [
        *range(depth - 3, depth)
    ]
    await table.undo(first)
    assert await table.line() == ["0"]
    await table.say("Another way.", first)
    await table.orchestrator.move_head(table.scene.id, last and last.id, MoveKind.BRANCH)
    assert await table.line() == [str(n) for n in range(depth)]
    assert await table.reader.on_line(table.scene.id, [middle.id]) == {middle.id}


async def test_turn_preserves_any_text(table: Table) -> None:
    texts = ["", "naïve 🜂 \u202eحكاية 漢字", "nul\x00 tab\t 'quote\" \\ %_ $.x {}", "é" * 1_000_000]
    last = None
    for text in texts:
        last = await table.say(text, last)
    assert await table.line() == texts


@pytest.mark.whole
async def test_log_readers_and_writers_run_concurrently(table: Table, truth: Truth) -> None:
    """Many scenes are played at once while others read; every reader sees a whole exchange or none."""
    played = examples(20, 8)
    scenes = [make.scene(table.story, n) for n in range(2, 8)]
    for scene in scenes:
        await table.orchestrator.create_scene(scene)

    async def play(scene: Scene) -> None:
        last = None
        for n in range(played):
            last = make.turn(scene, last, str(n))
            checkpoint = make.checkpoint(last)
            await table.orchestrator.begin_exchange(last, MoveKind.APPEND, checkpoint, [])
            await table.resolver.seal(make.resolution(last), [make.proposal(scene, last)])
            await table.orchestrator.finish_exchange(last.exchange_id)

    async def watch(scene: Scene) -> None:
        while True:
            line = await table.reader.line_tail(scene.id, 100)
            assert [turn.depth for turn in line] == list(range(len(line)))
            if len(line) == played:
                return

    await asyncio.gather(*(play(s) for s in scenes), *(watch(s) for s in scenes))
    for scene in scenes:
        assert (
            len(await table.reader.proposals(ProposalQuery(scene_id=scene.id, statuses=[PENDING]))) == played
        )
        assert await table.reader.checkpoints(scene.id) == []


# --- exchanges --------------------------------------------------------------------------------------


async def test_exchange_begins_in_one_transaction(table: Table) -> None:
    said = make.turn(table.scene)
    checkpoint, move = make.checkpoint(said), make.transition(table.scene.id, loop=Loop.TURN)
    await table.orchestrator.begin_exchange(said, MoveKind.APPEND, checkpoint, [move])
    await table.orchestrator.begin_exchange(said, MoveKind.APPEND, checkpoint, [move])
    assert await table.line() == [said.text]
    assert await table.reader.checkpoints(table.scene.id) == [checkpoint]
    assert await table.reader.transitions() == [move]

    misfit = make.turn(table.scene, said, depth=9)
    with pytest.raises(StoreError):
        await table.orchestrator.begin_exchange(misfit, MoveKind.APPEND, make.checkpoint(misfit), [])
    assert await table.reader.checkpoints(table.scene.id) == [checkpoint]


async def test_checkpoint_is_replaced_and_removed(table: Table) -> None:
    said = await table.say("Hello.")
    later = make.checkpoint(said, "narrate", state={"draft": "It is dark.", "deep": [{"a": None}]})
    await table.orchestrator.save_checkpoint(make.checkpoint(said))
    await table.orchestrator.save_checkpoint(later, [make.transition(said.id, 1, Loop.TURN)])
    assert await table.reader.checkpoints(table.scene.id) == [later]
    done = make.transition(said.id, 2, Loop.TURN, target="Persisted")
    for _ in range(2):
        await table.orchestrator.finish_exchange(said.exchange_id, [done])
    assert await table.reader.checkpoints(table.scene.id) == []
    assert await table.reader.loop_state(Loop.TURN, said.id) == done


async def test_loop_state_is_the_last_transition(table: Table) -> None:
    one, two = make.new_id(), make.new_id()
    moves = [make.transition(one, 1), make.transition(two, 1), make.transition(one, 2, target="Finalizing")]
    for move in moves:
        await table.orchestrator.record_transition(move)
    assert await table.reader.loop_state(Loop.SCENE, one) == moves[2]
    assert await table.reader.loop_state(Loop.STORY, one) is None
    states = await table.reader.loop_states(Loop.SCENE, [one, two, make.new_id()])
    assert states == {one: moves[2], two: moves[1]}
    assert await table.reader.transitions(subject_id=one) == [moves[0], moves[2]]
    assert await table.reader.transitions(loop=Loop.SCENE, limit=2) == moves[1:]
    assert await table.reader.transitions(loop=Loop.MAIN) == []


# --- proposals --------------------------------------------------------------------------------------


async def test_resolution_is_stored_with_its_proposals_in_one_transaction(table: Table) -> None:
    said = await table.say("I jump.")
    sealed, proposals = make.resolution(said), [make.proposal(table.scene, said) for _ in range(2)]
    for _ in range(2):
        await table.resolver.seal(sealed, proposals)
    assert await table.reader.resolutions([said.id]) == [sealed]
    assert await table.reader.proposals(ProposalQuery(scene_id=table.scene.id)) == proposals


async def test_proposals_are_found_by_universe_story_and_scene(table: Table) -> None:
    other = make.scene(table.story, 2)
    await table.orchestrator.create_scene(other)
    here, there = make.proposal(table.scene), make.proposal(other)
    foreign = make.proposal(other, universe_id=make.new_id(), story_id=None, scene_id=None)
    await table.resolver.stage([there, foreign, here])
    assert await table.reader.proposals() == [there, foreign, here]
    assert await table.reader.proposals(ProposalQuery(last=2)) == [foreign, here]
    assert await table.reader.proposals(ProposalQuery(last=0)) == []
    assert await table.reader.proposals(ProposalQuery(scene_id=table.scene.id)) == [here]
    assert await table.reader.proposals(ProposalQuery(story_id=table.story.id)) == [there, here]
    assert await table.reader.proposals(ProposalQuery(universe_id=foreign.universe_id)) == [foreign]
    assert await table.reader.proposals(ProposalQuery(statuses=[])) == []
    assert await table.reader.proposals_by_id([here.id, make.new_id()]) == {here.id: here}


async def test_proposals_are_found_by_kind(table: Table) -> None:
    new = CreateEntity(entity_id=make.new_id(), entity_kind=EntityKind.CHARACTER, name="Sela")
    born, later = (make.proposal(table.scene, payload=new) for _ in range(2))
    await table.resolver.stage([born, make.proposal(table.scene), later, make.proposal(table.scene)])
    assert await table.reader.proposals(ProposalQuery(kind="create_entity")) == [born, later]
    assert await table.reader.proposals(ProposalQuery(kind="create_entity", last=1)) == [later]
    assert await table.reader.proposals(ProposalQuery(scene_id=table.scene.id, kind="retcon_fact")) == []
    assert await table.reader.proposals(ProposalQuery(statuses=[PENDING], kind="create_entity")) == [
        born,
        later,
    ]
    assert await table.reader.proposals(ProposalQuery(statuses=[WITHDRAWN], kind="create_entity")) == []


async def test_proposal_of_an_undone_turn_is_withdrawn(table: Table) -> None:
    root = await table.say("Root.")
    said = await table.say("I jump.", root)
    moved, on_scene = make.proposal(table.scene, said), make.proposal(table.scene)
    retcon = make.proposal(table.scene, unless_turn=said.id)
    await table.resolver.stage([moved, on_scene, retcon])

    async def shown() -> list[ProposalStatus]:
        return [p.status for p in await table.reader.proposals(ProposalQuery(scene_id=table.scene.id))]

    assert await shown() == [PENDING, PENDING, WITHDRAWN]
    await table.undo(root)
    assert await shown() == [WITHDRAWN, PENDING, PENDING]
    found = await table.reader.proposals(ProposalQuery(scene_id=table.scene.id, statuses=[WITHDRAWN]))
    assert [p.id for p in found] == [moved.id]
    found = await table.reader.proposals(ProposalQuery(scene_id=table.scene.id, statuses=[PENDING]))
    assert [p.id for p in found] == [on_scene.id, retcon.id]
    await table.redo()
    assert await shown() == [PENDING, PENDING, WITHDRAWN]


@pytest.mark.parametrize("status", [s for s in ProposalStatus if s is not WITHDRAWN])
async def test_proposal_closed_by_a_commit_is_never_withdrawn(table: Table, status: ProposalStatus) -> None:
    said = await table.say("I jump.")
    change = make.proposal(table.scene, said)
    await table.resolver.stage([change])
    await table.keeper.close_canonization(make.canonization(make.outcome(change, status), of=table.scene))
    await table.undo(None)
    open_ = status in (PENDING, ProposalStatus.DEFERRED, ProposalStatus.FAILED)
    assert await table.status(change.id) == (WITHDRAWN if open_ else status)


async def test_decision_may_be_removed_until_a_commit_closes(table: Table) -> None:
    change = make.proposal(table.scene)
    await table.resolver.stage([change])
    first, second = make.decision(Verdict.DEFER), make.decision(edited=change.payload, reason="yes")

    async def decided() -> Any:
        return (await table.reader.proposals_by_id([change.id]))[change.id]

    for decision in (first, None, second):
        await table.keeper.decide({change.id: decision})
        assert await decided() == change.model_copy(update={"decision": decision})

    done = make.canonization(make.outcome(await decided()), of=table.scene)
    await table.keeper.close_canonization(done)
    closed = {"decision": second, "status": ProposalStatus.ACCEPTED, "canonization_id": done.id}
    assert await decided() == change.model_copy(update=closed)
    await table.keeper.decide({change.id: second})
    with pytest.raises(StoreError, match="accepted already"):
        await table.keeper.decide({change.id: None})
    with pytest.raises(NotFound):
        await table.keeper.decide({make.new_id(): first})


async def test_proposal_that_failed_may_be_decided_again(table: Table) -> None:
    change = make.proposal(table.scene)
    await table.resolver.stage([change])
    failed = make.outcome(change, ProposalStatus.FAILED, error="no such fact")
    await table.keeper.close_canonization(make.canonization(failed, of=table.scene))
    again = make.decision(Verdict.REJECT)
    await table.keeper.decide({change.id: again})
    found = (await table.reader.proposals_by_id([change.id]))[change.id]
    assert (found.status, found.error, found.decision) == (ProposalStatus.FAILED, "no such fact", again)


async def test_decisions_are_all_or_nothing(table: Table) -> None:
    change = make.proposal(table.scene)
    await table.resolver.stage([change])
    with pytest.raises(NotFound):
        await table.keeper.decide({change.id: make.decision(), make.new_id(): make.decision()})
    assert (await table.reader.proposals_by_id([change.id]))[change.id] == change


# --- canonizations ----------------------------------------------------------------------------------


async def test_canonization_is_planned_written_and_closed(table: Table) -> None:
    change = make.proposal(table.scene)
    await table.resolver.stage([change])
    planned = make.canonization(make.outcome(change), of=table.scene)

    async def in_state(*states: CanonizationState) -> list[Id]:
        return [c.id for c in await table.reader.canonizations(universe_id=make.UNIVERSE, states=states)]

    await table.keeper.plan_canonization(planned)
    assert await table.reader.canonizations() == [planned]
    await table.keeper.mark_written(planned.id)
    assert await in_state(CanonizationState.PLANNED) == []
    assert await in_state(CanonizationState.PLANNED, CanonizationState.WRITTEN) == [planned.id]
    for outcomes in (["f1", "f2"], ["f2", "f3"]):
        await table.keeper.close_canonization(planned, outcomes)
    assert await in_state(CanonizationState.CLOSED) == [planned.id]
    assert (await table.reader.scene(table.scene.id)).canonical_outcomes == ("f1", "f2", "f3")
    assert await table.status(change.id) is ProposalStatus.ACCEPTED

    await table.keeper.plan_canonization(planned)
    await table.keeper.mark_written(planned.id)
    assert await in_state(CanonizationState.CLOSED) == [planned.id]
    with pytest.raises(NotFound):
        await table.keeper.mark_written(make.new_id())


async def test_canonization_states_are_read_without_batches(
    table: Table,
) -> None:
    commits = [make.canonization(of=table.scene, reason=f"commit {number}") for number in range(3)]
    elsewhere = make.canonization(universe_id=make.new_id())
    for commit in (*commits, elsewhere):
        await table.keeper.plan_canonization(commit)
    await table.keeper.mark_written(commits[1].id)
    await table.keeper.close_canonization(commits[0])
    asked = [commits[2].id, commits[0].id, make.new_id()]
    closed = commits[0].model_copy(update={"state": CanonizationState.CLOSED})
    assert await table.reader.canonizations(ids=asked) == [closed, commits[2]]
    assert await table.reader.canonizations(ids=asked, states=[CanonizationState.CLOSED]) == [closed]
    assert await table.reader.canonizations(ids=[]) == []
    assert await table.reader.canonization_states(make.UNIVERSE) == {
        commits[0].id: CanonizationState.CLOSED,
        commits[1].id: CanonizationState.WRITTEN,
        commits[2].id: CanonizationState.PLANNED,
    }
    assert await table.reader.canonization_states(make.new_id()) == {}


async def test_canon_version_changes_with_every_step_of_a_commit(table: Table) -> None:
    change = make.proposal(table.scene)
    await table.resolver.stage([change])
    planned = make.canonization(make.outcome(change), of=table.scene)
    seen = [await table.reader.canon_version(make.UNIVERSE)]
    for step in (
        table.keeper.plan_canonization(planned),
        table.keeper.mark_written(planned.id),
        table.keeper.close_canonization(planned, ["f1"]),
    ):
        await step
        seen.append(await table.reader.canon_version(make.UNIVERSE))
    assert len(set(seen)) == 4
    assert await table.reader.canon_version(make.UNIVERSE) == seen[-1]
    assert await table.reader.canon_version(make.new_id()) == seen[0]


async def test_canonization_dropped_leaves_proposals_open(table: Table) -> None:
    change = make.proposal(table.scene)
    await table.resolver.stage([change])
    planned = make.canonization(make.outcome(change), of=table.scene)
    await table.keeper.plan_canonization(planned)
    dropped = planned.model_copy(update={"state": CanonizationState.DROPPED})
    await table.keeper.close_canonization(dropped, ["f1"])
    assert await table.reader.canonizations() == [dropped]
    assert await table.status(change.id) is PENDING
    assert (await table.reader.scene(table.scene.id)).canonical_outcomes == ()


async def test_canonization_close_keeps_head_and_scene_text(table: Table) -> None:
    said = await table.say("Hello.")
    await table.keeper.close_canonization(make.canonization(of=table.scene), ["f1"])
    kept = table.scene.model_copy(update={"head": said.id, "canonical_outcomes": ("f1",)})
    assert await table.reader.scene(table.scene.id) == kept


# --- memory and sources -----------------------------------------------------------------------------


async def test_memories_and_summaries_are_replaced_by_put(table: Table, truth: Truth) -> None:
    handle, mara = truth.log(Role.MEMORY_MANAGER), make.entity()
    memories = [make.memory(mara, "First."), make.memory(mara, "Second.")]
    summaries = [make.summary(table.scene, "Warm."), make.summary(table.scene, "Cold.", kind="scene")]
    await handle.put_memories([*memories, make.memory(make.entity())])
    await handle.put_summaries(summaries)
    recalled = memories[0].model_copy(update={"access_count": 3})
    await handle.put_memories([recalled])
    assert await table.reader.memories(MemoryQuery(entity_id=mara.id)) == [recalled, memories[1]]
    assert await table.reader.summaries(table.scene.id) == summaries


async def test_snippets_are_in_document_order(table: Table, truth: Truth) -> None:
    handle, book = truth.log(Role.INGEST), make.source()
    snippets = [make.snippet(book, n, span=(n, n + 9), page=n) for n in range(12)]
    await handle.put_source(book)
    for _ in range(2):
        await handle.put_snippets(snippets[::-1])
    assert await table.reader.source(book.id) == book
    assert await table.reader.snippets(book.id) == snippets
    await handle.stage([make.proposal(table.scene, scene_id=None, story_id=None)])


# --- what was ruled, and what a universe lays down ---------------------------------------------------


async def test_notes_stay_after_undo(table: Table) -> None:
    said = await table.say("I knock.")
    before, on = make.note(table.scene, None, "Start slow."), make.note(table.scene, said)
    for note in (before, on, on):
        await table.orchestrator.add_note(note)
    await table.undo(None)
    assert await table.reader.notes(story_id=table.story.id) == [before, on]
    assert await table.reader.notes(turn_ids=[said.id]) == [on]
    assert await table.reader.notes(story_id=make.new_id()) == []
    assert await table.reader.notes(turn_ids=[]) == []


async def test_ruling_on_the_same_pair_is_replaced(table: Table) -> None:
    first, other = make.ruling(), make.ruling(("one", "two"))
    for _ in range(2):
        await table.keeper.put_ruling(first)
    await table.keeper.put_ruling(other)
    await table.keeper.put_ruling(make.ruling(universe_id=make.new_id(), id=make.new_id()))
    assert await table.reader.rulings(make.UNIVERSE) == [first, other]
    again = first.model_copy(update={"upheld": "old"})
    await table.keeper.put_ruling(again)
    assert await table.reader.rulings(make.UNIVERSE) == [again, other]


async def test_policy_is_one_per_universe(table: Table) -> None:
    assert await table.reader.policy(make.UNIVERSE) is None
    policy = make.policy()
    for put in (policy, policy.model_copy(update={"predicates": "adores: {}"})):
        await table.keeper.put_policy(put)
        assert await table.reader.policy(make.UNIVERSE) == put
    assert await table.reader.policy(make.new_id()) is None


@pytest.mark.parametrize("who", ["orchestrator", "narrator", "resolver"])
async def test_rulings_and_policies_are_written_by_the_canon_keeper_only(table: Table, who: str) -> None:
    handle = getattr(table, who)
    for write in (handle.put_ruling(make.ruling()), handle.put_policy(make.policy())):
        with pytest.raises(WriteDenied):
            await write


async def test_sources_are_listed_oldest_first(table: Table, truth: Truth) -> None:
    handle = truth.log(Role.INGEST)
    books = [make.source(title=title) for title in ("Zoology", "Alchemy", "Maps")]
    for book in (*books, make.source(universe_id=make.new_id())):
        await handle.put_source(book)
    renamed = books[0].model_copy(update={"title": "Beasts"})
    await handle.put_source(renamed)
    assert await table.reader.sources(make.UNIVERSE) == [renamed, *books[1:]]
    assert await table.reader.sources(make.new_id()) == []
