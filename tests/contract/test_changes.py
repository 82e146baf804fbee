"""The numbered changes of log and canon, and the cursors that indexes keep, on every adapter that has them."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from stores.authority import Role
from stores.changes import Change, ChangeCursor, ChangeReader, RecordKind
from stores.embedded.changes import KEPT_CHANGES
from stores.embedded.history import EmbeddedHistory
from stores.embedded.library import open_library
from stores.errors import WriteDenied
from stores.ports import TextIndexWithCursor, VectorIndexWithCursor
from stores.records.canon import FactChange, FactStatus
from stores.records.jobs import JobKind
from stores.records.play import HeadMove, MoveKind
from stores.records.sources import LadderStage, SourceState
from stores.records.workflow import Loop
from tests.contract import builders as make
from tests.contract.conftest import Derived, Truth, embedded


@pytest.fixture
def changes(truth: Truth) -> ChangeReader:
    if truth.changes is None:
        pytest.skip("this adapter does not number its changes, and indexes are compared")
    return truth.changes


async def read_new(changes: ChangeReader, cursor: ChangeCursor) -> list[Change]:
    return await changes.changes_after(cursor, limit=100)


def kinds_and_ids(found_changes: list[Change]) -> list[tuple[RecordKind, str]]:
    return [(change.kind, change.id) for change in found_changes]


async def test_every_write_that_an_index_shows_is_a_change(truth: Truth, changes: ChangeReader) -> None:
    async def kinds_of(cursor: ChangeCursor) -> list[tuple[RecordKind, str]]:
        return kinds_and_ids(await read_new(changes, cursor))

    canon, log = truth.canon(Role.CANON_KEEPER), truth.log(Role.ORCHESTRATOR)
    universe = make.universe()
    hero = make.entity("Mara", universe_id=universe.id)
    fact = make.fact("She swims.", hero, universe_id=universe.id)
    cursor = await changes.last_change()
    await canon.commit(
        make.batch(universe_id=universe.id, universe=universe, entities=(hero,), facts=(fact,))
    )
    assert await kinds_of(cursor) == [(RecordKind.ENTITY, hero.id), (RecordKind.FACT, fact.id)]
    cursor = await changes.last_change()
    retcon = FactChange(fact_id=fact.id, status=FactStatus.RETCONNED)
    await canon.commit(make.batch(universe_id=universe.id, fact_changes=(retcon,)))
    assert await kinds_of(cursor) == [(RecordKind.FACT, fact.id)]

    story = make.story(universe_id=universe.id, pc_id=hero.id)
    scene = make.scene(story)
    turn = make.turn(scene, None, "I wade in.")
    await log.put_story(story)
    for write in (
        partial(log.create_scene, scene),
        partial(log.append_turn, turn),
        partial(log.move_head, scene.id, None, MoveKind.UNDO),
        partial(log.update_scene, scene.model_copy(update={"title": "Cold"})),
        partial(truth.log(Role.MEMORY_MANAGER).put_summaries, [make.summary(scene, last_turn=turn.id)]),
        partial(log.put_story, story.model_copy(update={"pc_id": make.new_id()})),
        partial(log.append_turn, make.turn(scene, None, "I wade out.")),
        partial(log.record_transition, make.transition(scene.id)),
        partial(log.record_transition, make.transition(story.id, loop=Loop.STORY)),
        partial(log.put_job, make.job(scene.id, cursor="turn 1", universe_id=universe.id)),
        partial(log.put_job, make.job(scene.id, cursor="turn 2", universe_id=universe.id)),
    ):
        cursor = await changes.last_change()
        await write()
        assert await kinds_of(cursor) == [(RecordKind.SCENE, scene.id)]
    cursor = await changes.last_change()
    for job in (
        make.job(scene.id, cursor="turn 2", universe_id=universe.id, attempts=1),
        make.job(scene.id, JobKind.SUMMARISE, cursor="turn 2", universe_id=universe.id),
        make.job("all scenes", cursor="7:1", universe_id=""),
    ):
        await log.put_job(job)
    assert await changes.last_change() == cursor
    await log.put_story(story.model_copy(update={"pc_id": make.new_id(), "title": "Other"}))
    memory = make.memory(hero, "Cold.", universe_id=universe.id, scene_id=scene.id)
    await truth.log(Role.MEMORY_MANAGER).put_memories([memory])
    source = make.source(universe_id=universe.id)
    await truth.log(Role.INGEST).put_source(source)
    await truth.log(Role.INGEST).put_snippets([make.snippet(source, 0), make.snippet(source, 1)])
    scene_change, memory_change, source_change = await read_new(changes, cursor)
    assert memory_change[1:] == (RecordKind.MEMORY, memory.id, universe.id, scene.id)
    assert source_change[1:] == (RecordKind.SOURCE, source.id, universe.id, None)
    assert scene_change.universe_id == universe.id


async def test_progress_with_a_document_is_no_change_of_it(truth: Truth, changes: ChangeReader) -> None:
    ingest, source = truth.log(Role.INGEST), make.source()
    snippet = make.snippet(source)
    await ingest.put_source(source)
    await ingest.put_snippets([snippet])
    cursor = await changes.last_change()
    await ingest.put_source(source.model_copy(update={"pages_read": 3, "page_count": 9}))
    await ingest.stage_snippets([snippet.model_copy(update={"stage": LadderStage.FORCED})], [])
    assert await read_new(changes, cursor) == []
    await ingest.put_source(source.model_copy(update={"state": SourceState.WITHDRAWN}))
    assert kinds_and_ids(await read_new(changes, cursor)) == [(RecordKind.SOURCE, source.id)]
    cursor = await changes.last_change()
    await ingest.put_snippets([snippet.model_copy(update={"edition": 2})])
    assert kinds_and_ids(await read_new(changes, cursor)) == [(RecordKind.SOURCE, source.id)]


async def test_changes_come_in_order_each_record_once(truth: Truth, changes: ChangeReader) -> None:
    canon, cursor = truth.canon(Role.CANON_KEEPER), await changes.last_change()
    universe = make.universe()
    people = [make.entity(f"Tom {number}", universe_id=universe.id) for number in range(5)]
    await canon.commit(make.batch(universe_id=universe.id, universe=universe, entities=tuple(people)))
    await canon.commit(make.batch(universe_id=universe.id, entities=(people[0],)))
    pages = list[Change]()
    while page := await changes.changes_after(pages[-1].cursor if pages else cursor, limit=2):
        pages += page
    assert [change.id for change in pages] == [person.id for person in (*people[1:], people[0])]
    assert pages[-1].cursor == await changes.last_change()
    assert await read_new(changes, pages[-1].cursor) == []


async def test_cursor_of_another_library_is_not_known(
    truth: Truth, changes: ChangeReader, tmp_path: Path
) -> None:
    canon, universe = truth.canon(Role.CANON_KEEPER), make.universe()
    await canon.commit(make.batch(universe_id=universe.id, universe=universe))
    cursor = await changes.last_change()
    assert await changes.knows(cursor)
    assert not await changes.knows(cursor._replace(tag=cursor.tag + 1))
    assert not await changes.knows(cursor._replace(number=cursor.number + 1))
    async with embedded(tmp_path / "other") as other:
        assert other.changes is not None
        assert not await other.changes.knows(cursor)


async def test_replaced_changes_are_removed_once_far_back(truth: Truth, changes: ChangeReader) -> None:
    canon, universe = truth.canon(Role.CANON_KEEPER), make.universe()
    tom = make.entity("Tom", universe_id=universe.id)
    await canon.commit(make.batch(universe_id=universe.id, universe=universe, entities=(tom,)))
    first = await changes.last_change()
    await canon.commit(make.batch(universe_id=universe.id, entities=(tom,)))
    assert await changes.knows(first)
    others = tuple(make.entity(f"Tom {number}", universe_id=universe.id) for number in range(KEPT_CHANGES))
    await canon.commit(make.batch(universe_id=universe.id, entities=others))
    await canon.commit(make.batch(universe_id=universe.id, entities=(tom,)))
    assert not await changes.knows(first)
    assert [change.id for change in await changes.changes_after(first, limit=9_999)][-1] == tom.id


async def test_replaced_changes_are_removed_by_a_load(tmp_path: Path) -> None:
    """So that the first write of play in a world that was brought in does not remove thousands."""
    universe = make.universe()
    toms = [make.entity("Tom", universe_id=universe.id) for _ in range(2 * KEPT_CHANGES)]
    story = make.story(universe_id=universe.id)
    scene = make.scene(story)
    turns = [make.turn(scene, None, f"I wait {number} hours.") for number in range(KEPT_CHANGES)]
    moves = [
        HeadMove(
            scene_id=scene.id, seq=seq, kind=MoveKind.APPEND, from_turn=None, to_turn=turn.id, at=make.now()
        )
        for seq, turn in enumerate(turns)
    ]
    db = await open_library(tmp_path / "library.db")
    try:
        await EmbeddedHistory(db).load(
            [
                ("universes", [universe]),
                ("stories", [story]),
                ("scenes", [scene]),
                ("turns", turns),
                ("head_moves", moves),
                ("memories", []),
                ("entities", toms),
            ],
            mentioned_ids=(),
        )
        count = "SELECT count(*), count(DISTINCT id) FROM changes WHERE kind = 'scene'"
        assert await db.read(lambda connection: connection.execute(count).fetchall()) == [(1, 1)]
    finally:
        await db.close()


async def test_index_keeps_its_cursor(derived: Derived) -> None:
    words, vectors = derived.words(Role.INDEXER), derived.vectors(Role.INDEXER)
    if not isinstance(words, TextIndexWithCursor) or not isinstance(vectors, VectorIndexWithCursor):
        pytest.skip("this index keeps no cursor, and is compared at a start")
    assert (await words.read_cursor(), await vectors.read_cursor(model="m")) == ("", "")
    await words.write_cursor("7:1")
    await vectors.write_cursor("8:1", model="m")
    await vectors.write_cursor("9:1", model="n")
    assert await words.read_cursor() == "7:1"
    assert await vectors.read_cursor(model="m") == "8:1"
    await vectors.drop("turns", model="m")
    assert (await vectors.read_cursor(model="m"), await vectors.read_cursor(model="n")) == ("", "9:1")
    narrator_words = derived.words(Role.NARRATOR)
    assert isinstance(narrator_words, TextIndexWithCursor)
    with pytest.raises(WriteDenied):
        await narrator_words.write_cursor("1:1")


@pytest.mark.parametrize("role", [Role.ORCHESTRATOR, Role.CANON_KEEPER, Role.MEMORY_MANAGER])
@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO changes(kind, id) VALUES ('fact', 'x')",
        "UPDATE changes SET number = number + 1",
        "DELETE FROM changes",
    ],
)
async def test_no_role_writes_changes_itself(role: Role, statement: str, tmp_path: Path) -> None:
    db = await open_library(tmp_path / "library.db")
    try:
        with pytest.raises(WriteDenied):
            await db.write(role, lambda connection: connection.execute(statement))
    finally:
        await db.close()
