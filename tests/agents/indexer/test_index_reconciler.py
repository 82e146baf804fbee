"""Tests of the Indexer: after any play, undo and interruption the index equals a rebuilt one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from agents.indexer.index_reconciler import Indexer
from agents.indexer.index_texts import TurnNeighbours
from agents.indexer.index_writers import TextIndexWriter
from agents.indexer.source_reader import SourceReader
from agents.memory_manager.memory_cursor import MemoryCursor
from stores.authority import Role
from stores.errors import StoreUnavailable
from stores.open import Stores
from stores.ports import TextIndexWithCursor
from stores.records.canon import FactChange, FactStatus
from stores.records.memory import Memory
from stores.records.play import MoveKind, Scene, Speaker, Turn
from tests.agents.indexer.dict_index_writer import DictIndexWriter
from tests.agents.indexer.memory_writes import write_memories
from tests.agents.indexer.rebuilt_index import non_empty_collections, rebuild_index, reconcile_all
from tests.contract import builders as make
from tests.examples import examples
from tests.libraries import library


@dataclass
class SceneFixture:
    """A universe with a story and one scene, and its turns in the order in which they were appended."""

    stores: Stores
    scene: Scene
    turns: list[Turn]

    @property
    def source_reader(self) -> SourceReader:
        return SourceReader(self.stores.canon(Role.INDEXER), self.stores.log(Role.INDEXER))

    async def append_turn(self, text: str, after: Turn | None, **fields: object) -> Turn:
        """Append a turn after `after`, wherever the head is."""
        log = self.stores.log(Role.ORCHESTRATOR)
        head = (await log.scene(self.scene.id)).head
        kind = MoveKind.APPEND if head == (after.id if after else None) else MoveKind.BRANCH
        turn = make.turn(self.scene, after, text, **fields)
        await log.append_turn(turn, kind)
        self.turns.append(turn)
        return turn

    async def read_line(self) -> list[Turn]:
        log = self.stores.log(Role.INDEXER)
        return await log.line_slice(self.scene.id, 0, await log.line_length(self.scene.id))

    async def remember(self, *memories: Memory, cursor: MemoryCursor | None = None) -> None:
        await write_memories(self.stores, self.scene, memories, cursor)

    async def undo_to(self, turn: Turn | None) -> None:
        await self.stores.log(Role.ORCHESTRATOR).move_head(
            self.scene.id, turn.id if turn else None, MoveKind.UNDO
        )


async def create_scene(stores: Stores) -> SceneFixture:
    universe = make.universe(id=make.new_id())
    mara = make.entity("Mara", universe_id=universe.id, is_pc=True)
    batch = make.batch(universe_id=universe.id, universe=universe, entities=(mara,))
    await stores.canon(Role.CANON_KEEPER).commit(batch)
    story = make.story(universe_id=universe.id, pc_id=mara.id)
    scene = make.scene(story, title="The ford", goal="Cross it")
    await stores.log(Role.ORCHESTRATOR).put_story(story)
    await stores.log(Role.ORCHESTRATOR).create_scene(scene)
    return SceneFixture(stores, scene, [])


@pytest.fixture
async def scene_fixture(tmp_path: Path) -> AsyncIterator[SceneFixture]:
    async with library(tmp_path / "home") as stores:
        yield await create_scene(stores)


def without_days(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if "onday" not in line)


async def test_word_index_holds_turn_with_both_neighbours_after_play_and_undo(
    scene_fixture: SceneFixture,
) -> None:
    index_writer = DictIndexWriter()
    indexer = Indexer(scene_fixture.source_reader, index_writer)

    async def indexed_texts() -> list[str]:
        await reconcile_all(indexer, scene_fixture.source_reader)
        turns = index_writer.items_by_collection["turns"]
        return [without_days(turns[turn.id].text) for turn in await scene_fixture.read_line()]

    first = await scene_fixture.append_turn("Who is here?", None, speaker=Speaker.SYSTEM)
    question = "Who is here?\nWho is here?"
    assert await indexed_texts() == [question]
    await scene_fixture.append_turn("Osk is.", first, speaker=Speaker.SYSTEM)
    assert await indexed_texts() == [f"{question}\nOsk is.", "Osk is.\nOsk is.\nWho is here?"]
    await scene_fixture.undo_to(first)
    assert await indexed_texts() == [question]
    await scene_fixture.append_turn("Nobody.", first, speaker=Speaker.SYSTEM)
    assert await indexed_texts() == [f"{question}\nNobody.", "Nobody.\nNobody.\nWho is here?"]


async def test_index_of_earlier_version_is_extended_with_following_turns(scene_fixture: SceneFixture) -> None:
    """Its scenes are sealed, and only their turns are written again."""
    first = await scene_fixture.append_turn("Who is here?", None)
    await scene_fixture.append_turn("Osk is.", first, speaker=Speaker.SYSTEM)
    index_writer = DictIndexWriter(neighbours=TurnNeighbours.PREVIOUS)
    await reconcile_all(Indexer(scene_fixture.source_reader, index_writer), scene_fixture.source_reader)
    assert index_writer.items_by_collection["turns"][first.id].text == "Mara: Who is here?"
    index_writer.neighbours = TurnNeighbours.BOTH
    await reconcile_all(Indexer(scene_fixture.source_reader, index_writer), scene_fixture.source_reader)
    text = index_writer.items_by_collection["turns"][first.id].text
    assert without_days(text) == "Mara: Who is here?\nMara: Who is here?\nOsk is."
    assert "worldday1" in text


async def test_word_index_of_earlier_version_counts_as_one_without_cursor(tmp_path: Path) -> None:
    async with library(tmp_path / "home") as stores:
        index = stores.words(Role.INDEXER)
        assert isinstance(index, TextIndexWithCursor)
        for cursor in ("7:42", "2/7:42"):
            await index.write_cursor(cursor)
            assert await TextIndexWriter(index).read_cursor() == ""
        await TextIndexWriter(index).write_cursor("8:42")
        assert await TextIndexWriter(index).read_cursor() == "8:42"


async def test_indexer_indexes_turn_with_speaker_and_previous_turn(scene_fixture: SceneFixture) -> None:
    first = await scene_fixture.append_turn("I wade in.", None)
    second = await scene_fixture.append_turn("The water is cold.", first, speaker=Speaker.SYSTEM)
    await scene_fixture.append_turn("   ", second)
    third = await scene_fixture.append_turn(
        "Go back!", scene_fixture.turns[-1], speaker=Speaker.SYSTEM, name="Tom"
    )
    index_writer = DictIndexWriter(neighbours=TurnNeighbours.PREVIOUS)
    await reconcile_all(Indexer(scene_fixture.source_reader, index_writer), scene_fixture.source_reader)
    turns = index_writer.items_by_collection["turns"]
    assert {id: item.text for id, item in turns.items()} == {
        first.id: "Mara: I wade in.",
        second.id: "The water is cold.\nMara: I wade in.",
        third.id: "Tom: Go back!",
    }
    scope = {
        "universe": scene_fixture.scene.universe_id,
        "story": scene_fixture.scene.story_id,
        "scene": scene_fixture.scene.id,
    }
    assert turns[first.id].scope == {**scope, "speaker": "player"}
    assert index_writer.items_by_collection["scenes"][scene_fixture.scene.id].text == "The ford\nCross it"


async def test_indexer_does_not_rewrite_valid_items(scene_fixture: SceneFixture) -> None:
    last = None
    for number in range(10):
        last = await scene_fixture.append_turn(f"Turn {number}", last)
    index_writer = DictIndexWriter()
    await reconcile_all(Indexer(scene_fixture.source_reader, index_writer), scene_fixture.source_reader)
    before = index_writer.writes
    restarted = Indexer(scene_fixture.source_reader, index_writer)
    assert await restarted.find_outdated_scenes(scene_fixture.scene.universe_id) == []
    await reconcile_all(restarted, scene_fixture.source_reader)
    assert await restarted.reconcile_scene(scene_fixture.scene.id) == 0
    assert index_writer.writes == before


async def test_indexer_cost_of_exchange_is_independent_of_scene_length(scene_fixture: SceneFixture) -> None:
    last = None
    for number in range(40):
        last = await scene_fixture.append_turn(f"Turn {number}", last)
    index_writer = DictIndexWriter(batch_size=50)
    indexer = Indexer(scene_fixture.source_reader, index_writer)
    await reconcile_all(indexer, scene_fixture.source_reader)
    before = index_writer.writes
    await scene_fixture.append_turn("And one more", last)
    await indexer.reconcile_scene(scene_fixture.scene.id)
    # Three writes: break the seal, put the turn, write the seal.
    assert index_writer.writes - before == 3
    assert index_writer.turns(scene_fixture.scene.id) == {turn.id for turn in scene_fixture.turns}


async def test_indexer_deletes_undone_turns_first(scene_fixture: SceneFixture) -> None:
    first = await scene_fixture.append_turn("I wade in.", None)
    undone_turn = await scene_fixture.append_turn("I swim.", first)
    index_writer = DictIndexWriter()
    indexer = Indexer(scene_fixture.source_reader, index_writer)
    await reconcile_all(indexer, scene_fixture.source_reader)
    await scene_fixture.undo_to(first)
    new_turn = await scene_fixture.append_turn("I turn round.", first)
    index_writer.fails_at = 3  # after the seal and the undone turn
    with pytest.raises(StoreUnavailable):
        await indexer.reconcile_scene(scene_fixture.scene.id)
    assert undone_turn.id not in index_writer.turns(scene_fixture.scene.id)
    while await indexer.reconcile_scene(scene_fixture.scene.id):
        pass
    assert index_writer.turns(scene_fixture.scene.id) == {first.id, new_turn.id}


@pytest.mark.parametrize("fails_at", [1, 2, 3])
@pytest.mark.parametrize("restarted", [False, True])
async def test_indexer_leaves_nothing_of_interrupted_and_undone_turns(
    scene_fixture: SceneFixture, fails_at: int, restarted: bool
) -> None:
    """The head is again where the old seal says: only because the seal was broken first are the surplus turns found."""
    first = await scene_fixture.append_turn("I wade in.", None)
    index_writer = DictIndexWriter()
    indexer = Indexer(scene_fixture.source_reader, index_writer)
    await reconcile_all(indexer, scene_fixture.source_reader)
    await scene_fixture.append_turn("I swim.", first)
    index_writer.fails_at = fails_at
    with pytest.raises(StoreUnavailable):
        await indexer.reconcile_scene(scene_fixture.scene.id)
    await scene_fixture.undo_to(first)
    indexer = Indexer(scene_fixture.source_reader, index_writer) if restarted else indexer
    while await indexer.reconcile_scene(scene_fixture.scene.id):
        pass
    assert index_writer.turns(scene_fixture.scene.id) == {first.id}


async def test_indexer_finds_surplus_and_missing_items_at_start(scene_fixture: SceneFixture) -> None:
    last = None
    for number in range(5):
        last = await scene_fixture.append_turn(f"Turn {number}", last)
    index_writer = DictIndexWriter()
    await reconcile_all(Indexer(scene_fixture.source_reader, index_writer), scene_fixture.source_reader)
    complete = {name: dict(items) for name, items in non_empty_collections(index_writer).items()}
    index_writer.items_by_collection["turns"].pop(scene_fixture.turns[2].id)
    await reconcile_all(Indexer(scene_fixture.source_reader, index_writer), scene_fixture.source_reader)
    assert non_empty_collections(index_writer) == complete
    surplus = index_writer.items_by_collection["turns"][scene_fixture.turns[1].id]._replace(id="surplus")
    index_writer.items_by_collection["turns"]["surplus"] = surplus
    await reconcile_all(Indexer(scene_fixture.source_reader, index_writer), scene_fixture.source_reader)
    assert non_empty_collections(index_writer) == complete


async def test_indexer_marks_current_and_ended_facts(scene_fixture: SceneFixture) -> None:
    universe_id = scene_fixture.scene.universe_id
    (mara,) = await scene_fixture.stores.canon(Role.INDEXER).entities(universe_id)
    keeper = scene_fixture.stores.canon(Role.CANON_KEEPER)
    facts = [
        make.fact(words, mara, universe_id=universe_id)
        for words in ("She limps.", "She swims.", "She flies.")
    ]
    await keeper.commit(make.batch(universe_id=universe_id, facts=tuple(facts)))
    index_writer, source_reader = DictIndexWriter(), scene_fixture.source_reader
    indexer = Indexer(source_reader, index_writer)
    await reconcile_all(indexer, source_reader)
    assert {item.text for item in index_writer.items_by_collection["facts"].values()} == {
        "She limps.\nMara",
        "She swims.\nMara",
        "She flies.\nMara",
    }
    changes = (
        FactChange(fact_id=facts[0].id, status=FactStatus.SUPERSEDED, valid_to=9),
        FactChange(fact_id=facts[2].id, status=FactStatus.RETCONNED),
    )
    await keeper.commit(make.batch(universe_id=universe_id, fact_changes=changes))
    indexer.recheck_universes([universe_id])
    while await indexer.reconcile_universe(universe_id):
        pass
    status = {id: item.scope["status"] for id, item in index_writer.items_by_collection["facts"].items()}
    assert status == {facts[0].id: "past", facts[1].id: "current"}
    assert non_empty_collections(index_writer) == await rebuild_index(source_reader)


async def test_indexer_renames_player_character_in_all_turns(scene_fixture: SceneFixture) -> None:
    await scene_fixture.append_turn("I wade in.", None)
    index_writer = DictIndexWriter()
    await reconcile_all(Indexer(scene_fixture.source_reader, index_writer), scene_fixture.source_reader)
    (mara,) = await scene_fixture.stores.canon(Role.INDEXER).entities(scene_fixture.scene.universe_id)
    renamed = mara.model_copy(update={"name": "Marra the Wet"})
    batch = make.batch(universe_id=mara.universe_id, entities=(renamed,))
    await scene_fixture.stores.canon(Role.CANON_KEEPER).commit(batch)
    await reconcile_all(Indexer(scene_fixture.source_reader, index_writer), scene_fixture.source_reader)
    assert [without_days(item.text) for item in index_writer.items_by_collection["turns"].values()] == [
        "Marra the Wet: I wade in.\nMarra the Wet: I wade in."
    ]
    assert non_empty_collections(index_writer) == await rebuild_index(scene_fixture.source_reader)


async def test_indexer_renames_player_character_between_pieces(
    scene_fixture: SceneFixture,
) -> None:
    last = None
    for number in range(7):
        last = await scene_fixture.append_turn(f"Turn {number}", last)
    index_writer = DictIndexWriter(batch_size=3)
    indexer = Indexer(scene_fixture.source_reader, index_writer)
    assert await indexer.reconcile_scene(scene_fixture.scene.id) == 4
    (mara,) = await scene_fixture.stores.canon(Role.INDEXER).entities(scene_fixture.scene.universe_id)
    batch = make.batch(universe_id=mara.universe_id, entities=(mara.model_copy(update={"name": "Marra"}),))
    await scene_fixture.stores.canon(Role.CANON_KEEPER).commit(batch)
    while await indexer.reconcile_scene(scene_fixture.scene.id):
        pass
    assert {item.text[:6] for item in index_writer.items_by_collection["turns"].values()} == {"Marra:"}
    assert (
        index_writer.items_by_collection["turns"]
        == (await rebuild_index(scene_fixture.source_reader))["turns"]
    )


async def test_indexer_indexes_memories_of_turns_on_line(scene_fixture: SceneFixture) -> None:
    (mara,) = await scene_fixture.stores.canon(Role.INDEXER).entities(scene_fixture.scene.universe_id)
    first = await scene_fixture.append_turn("I wade in.", None)
    second = await scene_fixture.append_turn("I swim.", first)
    scene_fields = {"scene_id": scene_fixture.scene.id}
    memories = [
        make.memory(mara, "The water was cold.", turn_id=first.id, **scene_fields),
        make.memory(mara, "I swam.", turn_id=second.id, **scene_fields),
        make.memory(mara, "My mother hummed."),
    ]
    await scene_fixture.stores.log(Role.MEMORY_MANAGER).put_memories(memories)
    index_writer = DictIndexWriter()
    indexer = Indexer(scene_fixture.source_reader, index_writer)
    await reconcile_all(indexer, scene_fixture.source_reader)
    assert index_writer.items_by_collection["memories"].keys() == {memory.id for memory in memories}
    assert index_writer.items_by_collection["memories"][memories[0].id].text == "Mara: The water was cold."
    await scene_fixture.undo_to(first)
    await indexer.reconcile_scene(scene_fixture.scene.id)
    assert index_writer.items_by_collection["memories"].keys() == {memories[0].id, memories[2].id}
    changed = memories[0].model_copy(update={"text": "The water was warm."})
    await scene_fixture.remember(changed)
    await indexer.reconcile_scene(scene_fixture.scene.id)
    assert index_writer.items_by_collection["memories"][changed.id].text == "Mara: The water was warm."


async def test_indexer_finds_memories_of_a_turn_that_was_redone(scene_fixture: SceneFixture) -> None:
    (mara,) = await scene_fixture.stores.canon(Role.INDEXER).entities(scene_fixture.scene.universe_id)
    first = await scene_fixture.append_turn("I wade in.", None)
    second = await scene_fixture.append_turn("I swim.", first)
    memory = make.memory(mara, "I swam.", turn_id=second.id, scene_id=scene_fixture.scene.id)
    await scene_fixture.stores.log(Role.MEMORY_MANAGER).put_memories([memory])
    index_writer = DictIndexWriter()
    indexer = Indexer(scene_fixture.source_reader, index_writer)
    await reconcile_all(indexer, scene_fixture.source_reader)
    for head, indexed_ids in ((first, set()), (second, {memory.id})):
        await scene_fixture.stores.log(Role.ORCHESTRATOR).move_head(
            scene_fixture.scene.id, head.id, MoveKind.UNDO if head is first else MoveKind.REDO
        )
        await indexer.reconcile_scene(scene_fixture.scene.id)
        assert index_writer.items_by_collection["memories"].keys() == indexed_ids


async def test_indexer_compares_memories_only_after_some_were_written(scene_fixture: SceneFixture) -> None:
    (mara,) = await scene_fixture.stores.canon(Role.INDEXER).entities(scene_fixture.scene.universe_id)
    turn = await scene_fixture.append_turn("I wade in.", None)
    cold, wet = (
        make.memory(mara, text, turn_id=turn.id, scene_id=scene_fixture.scene.id)
        for text in ("Cold.", "Wet.")
    )
    await scene_fixture.remember(cold)
    index_writer = DictIndexWriter()
    indexer = Indexer(scene_fixture.source_reader, index_writer)
    await reconcile_all(indexer, scene_fixture.source_reader)
    # Written without a word of it: only a comparison would find it.
    await scene_fixture.stores.log(Role.MEMORY_MANAGER).put_memories([wet])
    await scene_fixture.append_turn("I look back.", turn)
    await indexer.reconcile_scene(scene_fixture.scene.id)
    assert index_writer.items_by_collection["memories"].keys() == {cold.id}
    await scene_fixture.remember(wet)
    await indexer.reconcile_scene(scene_fixture.scene.id)
    assert index_writer.items_by_collection["memories"].keys() == {cold.id, wet.id}


async def test_indexer_compares_memories_until_their_change_is_over(scene_fixture: SceneFixture) -> None:
    """A process that ends between a change and its end leaves no index that lacks the change."""
    (mara,) = await scene_fixture.stores.canon(Role.INDEXER).entities(scene_fixture.scene.universe_id)
    turn = await scene_fixture.append_turn("I wade in.", None)
    memories = [
        make.memory(mara, text, turn_id=turn.id, scene_id=scene_fixture.scene.id)
        for text in ("Cold.", "Wet.", "Deep.")
    ]
    index_writer = DictIndexWriter()
    indexer = Indexer(scene_fixture.source_reader, index_writer)
    cursor = MemoryCursor(turn.id, 0, "before")
    for memory, next_cursor in zip(
        memories,
        (
            cursor,
            cursor._replace(fingerprint="after").start_change(),
            cursor._replace(fingerprint="last").start_change().end_change(),
        ),
        strict=True,
    ):
        await scene_fixture.remember(memory, cursor=next_cursor)
        await indexer.reconcile_scene(scene_fixture.scene.id)
        restarted = Indexer(scene_fixture.source_reader, index_writer)
        await reconcile_all(restarted, scene_fixture.source_reader)
        assert non_empty_collections(index_writer) == await rebuild_index(scene_fixture.source_reader)


async def test_indexer_finds_memories_written_before_restart(scene_fixture: SceneFixture) -> None:
    (mara,) = await scene_fixture.stores.canon(Role.INDEXER).entities(scene_fixture.scene.universe_id)
    first = await scene_fixture.append_turn("I wade in.", None)
    index_writer = DictIndexWriter()
    await reconcile_all(Indexer(scene_fixture.source_reader, index_writer), scene_fixture.source_reader)
    memory = make.memory(mara, "Cold.", scene_id=scene_fixture.scene.id, turn_id=first.id)
    await scene_fixture.remember(memory)
    await reconcile_all(Indexer(scene_fixture.source_reader, index_writer), scene_fixture.source_reader)
    assert memory.id in index_writer.items_by_collection["memories"]


async def test_indexer_indexes_summaries_until_undone(scene_fixture: SceneFixture) -> None:
    first = await scene_fixture.append_turn("I wade in.", None)
    second = await scene_fixture.append_turn("I swim.", first)
    summary = make.summary(scene_fixture.scene, "She swam.", first_turn=first.id, last_turn=second.id)
    await scene_fixture.stores.log(Role.MEMORY_MANAGER).put_summaries([summary])
    index_writer = DictIndexWriter()
    indexer = Indexer(scene_fixture.source_reader, index_writer)
    await reconcile_all(indexer, scene_fixture.source_reader)
    assert "She swam." in index_writer.items_by_collection["scenes"][scene_fixture.scene.id].text
    await scene_fixture.undo_to(first)
    await indexer.reconcile_scene(scene_fixture.scene.id)
    assert "She swam." not in index_writer.items_by_collection["scenes"][scene_fixture.scene.id].text


step = st.tuples(
    st.sampled_from(("say", "say", "undo", "branch", "reconcile", "interrupt", "restart")), st.integers(0, 99)
)


@given(st.lists(step, max_size=25))
# Interrupted in a long scene and started again: turns beyond the pass are in the index when all is undone.
@pytest.mark.slow
@example(
    steps=[
        *[("say", 0)] * 15,
        ("reconcile", 0),
        ("reconcile", 0),
        ("interrupt", 0),
        ("reconcile", 0),
        ("undo", 0),
    ]
)
@example(
    steps=[
        *[("say", 0)] * 15,
        ("reconcile", 0),
        ("reconcile", 0),
        ("interrupt", 0),
        ("reconcile", 0),
        ("undo", 4),
    ]
)
@settings(max_examples=examples(150, 12), deadline=None, suppress_health_check=list(HealthCheck))
def test_indexer_equals_rebuilt_index_after_interrupted_play(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]]
) -> None:
    asyncio.run(_play_and_interrupt(tmp_path_factory.mktemp("home"), steps))


async def _play_and_interrupt(home: Path, steps: list[tuple[str, int]]) -> None:
    async with library(home) as stores:
        scene_fixture = await create_scene(stores)
        index_writer = DictIndexWriter(batch_size=2)
        indexer = Indexer(scene_fixture.source_reader, index_writer)
        for action, number in steps:
            line = await scene_fixture.read_line()
            match action:
                case "say":
                    await scene_fixture.append_turn(f"Turn {number}", line[-1] if line else None)
                case "undo":
                    await scene_fixture.undo_to(line[number % len(line)] if line and number % 5 else None)
                case "branch" if scene_fixture.turns:
                    await scene_fixture.append_turn(
                        f"Or {number}", scene_fixture.turns[number % len(scene_fixture.turns)]
                    )
                case "reconcile":
                    await indexer.reconcile_scene(scene_fixture.scene.id)
                case "interrupt":
                    index_writer.fails_at = 1 + number % 3
                    with suppress(StoreUnavailable):
                        await indexer.reconcile_scene(scene_fixture.scene.id)
                    index_writer.fails_at = None
                case "restart":
                    indexer = Indexer(scene_fixture.source_reader, index_writer)
        if len(steps) % 2:
            indexer = Indexer(scene_fixture.source_reader, index_writer)
        await reconcile_all(indexer, scene_fixture.source_reader)
        assert index_writer.turns(scene_fixture.scene.id) == {
            turn.id for turn in await scene_fixture.read_line()
        }
        assert non_empty_collections(index_writer) == await rebuild_index(scene_fixture.source_reader)
