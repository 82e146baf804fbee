"""Tests of imported logs: their records, interruption and resumption, and continued play."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from agents.importers.import_views import ImportPreview, ImportProgress, ImportRequest, ImportResult
from agents.story_outline import NewUniverse
from monitor_tui.compose import Program
from stores.archive import export_campaign, import_campaign, verify_campaign
from stores.authority import Role
from stores.errors import InputError
from stores.open import open_stores
from stores.records.base import Record
from stores.records.ids import Id
from stores.records.play import Note, Scene, Speaker, Story, Turn
from tests.program import begin, opened

TURNS = 120
SCENES = 6


@pytest.fixture
async def program(tmp_path: Path) -> AsyncIterator[Program]:
    async with opened(tmp_path / "home") as records:
        yield records


def import_request(**changes: Any) -> ImportRequest:
    return ImportRequest(**{"name": "the_long-road.jsonl", "data": log_bytes(), "hero": "Mira", **changes})


def log_bytes(turns: int = TURNS, words: str = "Words") -> bytes:
    """Return a log of days with twenty turns each; every tenth turn has words out of character."""
    speakers = (("Mira", "player"), ("GM", "gm"), ("Ostrick", "npc"))
    lines = []
    for n in range(turns):
        speaker, role = speakers[n % 3]
        aside = f" ((aside {n}))" if n % 10 == 5 else ""
        fields = {"turn": f"D{n // 20}:{n}", "speaker": speaker, "role": role, "text": f"{words} {n}.{aside}"}
        lines.append(json.dumps({**fields, "time": f"2023-05-{1 + n // 20:02d}T19:{n % 20:02d}"}))
        if n == 50:
            lines.append(json.dumps({"turn": "x", "speaker": "Sam", "role": "ooc", "text": "Pizza?"}))
    return "\n".join(lines).encode()


async def read_universe(program: Program, universe_id: Id) -> dict[str, list[Record]]:
    """Return all records of the universe by collection."""
    records_by_collection: dict[str, list[Record]] = {}

    def take(collection: str, records: Iterator[Record]) -> None:
        records_by_collection[collection] = list(records)

    await program.stores.history.dump(universe_id, take)
    return records_by_collection


def comparable_records(records_by_collection: dict[str, list[Record]]) -> dict[str, list[dict[str, Any]]]:
    """Return the imported records without times of creation, sorted."""
    imported_collections = (
        "story_nodes",
        "scene_nodes",
        "stories",
        "scenes",
        "turns",
        "head_moves",
        "notes",
        "transitions",
    )
    return {
        name: sorted(
            (
                record.model_dump(mode="json", exclude={"created_at", "at"})
                for record in records_by_collection[name]
            ),
            key=lambda fields: json.dumps(fields, sort_keys=True),
        )
        for name in imported_collections
    }


async def test_import_makes_story_with_scenes_and_turns_but_no_canon(program: Program) -> None:
    reports: list[ImportProgress] = []
    result = await program.services.imports.import_log(import_request(), reports.append)
    assert (result.universe, result.story, result.turns, result.scenes) == ("The long road",) * 2 + (
        TURNS,
        SCENES,
    )
    assert (result.notes, result.resumed_at, result.was_already_complete, result.problems) == (
        13,
        0,
        False,
        (),
    )
    assert [h.turns for h in reports] == [20, 40, 60, 80, 100, 120]

    log = program.stores.log(Role.CONTEXT_ASSEMBLY)
    scenes = await log.scenes(result.story_id)
    assert [s.title for s in scenes][:2] == ["Session of 1 May 2023", "Session of 2 May 2023"]
    turns = [turn for scene in scenes for turn in await log.line_slice(scene.id, 0, 100)]
    assert [t.ref for t in turns] == [f"D{n // 20}:{n}" for n in range(TURNS)]
    assert [t.text for t in turns] == [f"Words {n}." for n in range(TURNS)]
    assert [(t.speaker, t.name) for t in turns[:3]] == [
        (Speaker.PLAYER, "Mira"),
        (Speaker.GM, "GM"),
        (Speaker.NPC, "Ostrick"),
    ]
    assert turns[21].time_text == "2023-05-02T19:01"
    ticks = [t.tick for t in turns]
    assert ticks == sorted(set(ticks))
    assert ticks[20] - ticks[0] == 24 * 60

    records = await read_universe(program, result.universe_id)
    assert not records["facts"]
    assert not [p for p in records["proposed_changes"] if "Mira" not in p.model_dump_json()]
    assert [str(getattr(entity, "name", "")) for entity in records["entities"]] == ["Mira"]


async def test_import_turns_out_of_character_talk_into_notes(program: Program) -> None:
    result = await program.services.imports.import_log(import_request())
    records = await read_universe(program, result.universe_id)
    turns = [turn for turn in records["turns"] if isinstance(turn, Turn)]
    assert not [turn for turn in turns if "aside" in turn.text or "Pizza" in turn.text or "(" in turn.text]
    notes = [note for note in records["notes"] if isinstance(note, Note)]
    assert sorted(note.text for note in notes) == sorted(
        ["Sam: Pizza?", *(f"{('Mira', 'GM', 'Ostrick')[n % 3]}: aside {n}" for n in range(5, TURNS, 10))]
    )
    at = {turn.id: turn.text for turn in turns}
    assert {at[note.turn_id or ""] for note in notes if "aside 25" in note.text} == {"Words 25."}


async def test_import_story_can_be_continued_exported_and_archived(program: Program, tmp_path: Path) -> None:
    services = program.services
    result = await services.imports.import_log(import_request())
    (card,) = await services.stories.stories()
    assert (card.state, card.scene_state, card.scene_count) == ("active", "active", SCENES)
    scene_id = await services.stories.resume(result.story_id)
    assert scene_id == result.last_scene
    rows = await services.play.transcript(scene_id, 0, 100)
    assert [row.turn.text for row in rows] == [f"Words {n}." for n in range(100, 120)]
    assert rows[5].notes == ("Mira: aside 105",)

    await services.play.submit(scene_id, "I walk on.")
    await services.play.submit(scene_id, "> The road bends.")
    await services.play.submit(scene_id, "/undo")
    await services.play.submit(scene_id, "/undo")
    assert [row.turn.text for row in await services.play.transcript(scene_id, 18, 9)] == [
        "Words 118.",
        "Words 119.",
    ]
    await services.play.submit(scene_id, "I walk back.")
    await services.gate.end_scene(scene_id, "Mira turns back.")
    following = (await services.gate.commit(scene_id)).next_scene_id
    assert following is not None
    assert (await services.play.scene(following)).scene.order == SCENES + 1
    assert await services.stories.recover() == ()

    story_record = await services.stories.story_record(result.story_id)
    assert len(story_record.scenes) == SCENES + 1
    path = tmp_path / "campaign.zip"
    await export_campaign(program.stores, result.universe_id, path)
    assert verify_campaign(path).counts["turns"] > TURNS
    assert [f async for f in program.stores.doctor.findings() if f.state == "bad"] == []
    other_stores = await open_stores(tmp_path / "other")
    try:
        assert (await import_campaign(other_stores, path)).name == "The long road"
    finally:
        await other_stores.close()


@pytest.mark.parametrize("after", [0, 1, 3, SCENES - 1])
async def test_import_resumes_after_interruption_with_same_result(
    program: Program, tmp_path: Path, after: int
) -> None:
    """The import is cancelled while any scene is written, and the same request is made again."""
    await _cancel_import(program, after)
    before = await program.services.stories.stories()
    assert [card.scene_state for card in before if card.scene] == ["active"] * len(before)
    assert await program.services.stories.recover() == ()
    result = await program.services.imports.import_log(import_request())
    assert result.resumed_at == (20 * len((await _scenes(program, result))[:after]) + 1 if after else 0)

    async with opened(tmp_path / "home2") as other_program:
        await other_program.services.stories.create_universe(NewUniverse("The long road"))
        uninterrupted_result = await other_program.services.imports.import_log(import_request())
        cut, uncut = (
            await read_universe(program, result.universe_id),
            await read_universe(other_program, uninterrupted_result.universe_id),
        )
    assert [len(rows) for rows in comparable_records(cut).values()] == [
        len(rows) for rows in comparable_records(uncut).values()
    ]
    assert [(t.ref, t.text, t.tick, t.depth) for t in turns_of(cut)] == [
        (t.ref, t.text, t.tick, t.depth) for t in turns_of(uncut)
    ]
    second_result = await program.services.imports.import_log(import_request())
    assert second_result.was_already_complete
    assert comparable_records(await read_universe(program, result.universe_id)) == comparable_records(cut)
    assert [f async for f in program.stores.doctor.findings() if f.state == "bad"] == []


async def _cancel_import(program: Program, after: int) -> None:
    """Cancel an import after so many scenes."""
    came = asyncio.Event()

    def hear(progress: ImportProgress) -> None:
        if progress.scenes == after:
            came.set()
            task.cancel()

    task = asyncio.ensure_future(program.services.imports.import_log(import_request(), hear))
    if after == 0:
        await asyncio.sleep(0)
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("moments", [2, 9, 30, 77])
async def test_import_can_be_cancelled_at_any_moment(program: Program, moments: int) -> None:
    """Even cancelled repeatedly in the middle of a write, no scene is incomplete, and in the end all are there."""
    for _ in range(40):
        task = asyncio.ensure_future(program.services.imports.import_log(import_request()))
        for _ in range(moments):
            await asyncio.sleep(0.0005)
        if task.done():
            break
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        for scene in [
            s for card in await program.services.stories.stories() for s in await _of(program, card.story.id)
        ]:
            assert len(await program.services.play.transcript(scene.id, 0, 100)) == 20
    result = await program.services.imports.import_log(import_request())
    assert [t.ref for t in turns_of(await read_universe(program, result.universe_id))] == [
        f"D{n // 20}:{n}" for n in range(TURNS)
    ]
    assert [universe.id for universe in await program.services.stories.universes()] == [result.universe_id]


async def _of(program: Program, story_id: Id) -> list[Scene]:
    return await program.stores.log(Role.CONTEXT_ASSEMBLY).scenes(story_id)


async def _scenes(program: Program, result: ImportResult) -> list[Scene]:
    return await _of(program, result.story_id)


def turns_of(records_by_collection: dict[str, list[Record]]) -> list[Turn]:
    return [turn for turn in records_by_collection["turns"] if isinstance(turn, Turn)]


async def test_import_refuses_story_that_was_continued(program: Program) -> None:
    services = program.services
    await _cancel_import(program, 2)
    (card,) = await services.stories.stories()
    scene_id = await services.stories.resume(card.story.id)
    await services.play.submit(scene_id, "I go my own way.")
    with pytest.raises(InputError, match="was played on since its import was cut off") as faulty_request:
        await services.imports.import_log(import_request())
    assert "--story" in faulty_request.value.todo
    beside = await services.imports.import_log(import_request(story="The long road, again"))
    assert beside.turns == TURNS


async def test_import_lets_play_continue(program: Program) -> None:
    services = program.services
    scene_id = await begin(program)
    running_import = asyncio.ensure_future(services.imports.import_log(import_request(data=log_bytes(600))))
    turn_count = 0
    while not running_import.done():
        await services.play.submit(scene_id, f"Act {turn_count}.")
        turn_count += 1
    result = await running_import
    assert result.turns == 600
    assert turn_count > 1
    assert [row.turn.text for row in await services.play.transcript(scene_id, 0, 1_000)] == [
        f"Act {n}." for n in range(turn_count)
    ]


async def test_import_puts_known_speakers_into_cast(program: Program) -> None:
    services = program.services
    universe = await services.stories.create_universe(NewUniverse("Coast"))
    first = await services.imports.import_log(import_request(universe="coast", hero="Ostrick", story="One"))
    assert first.universe_id == universe.id
    second = await services.imports.import_log(import_request(universe=universe.id, story="Two"))
    (ostrick,) = [e for e in await services.stories.characters(universe.id) if e.name == "Ostrick"]
    (mira,) = [e for e in await services.stories.characters(universe.id) if e.name == "Mira"]
    assert [scene.cast for scene in await _scenes(program, second)] == [(mira.id, ostrick.id)] * SCENES
    story = next(c.story for c in await services.stories.stories() if c.story.id == second.story_id)
    assert isinstance(story, Story)
    assert story.pc_id == mira.id


async def test_import_preview_writes_nothing(program: Program) -> None:
    faulty_data = log_bytes() + b"\nnot json"
    preview = await program.services.imports.preview(
        import_request(data=faulty_data, universe="Elsewhere", story="A tale")
    )
    assert isinstance(preview, ImportPreview)
    assert (preview.universe, preview.new_universe, preview.story) == ("Elsewhere", True, "A tale")
    assert (preview.turns, preview.scenes, preview.notes, preview.turns_already_in) == (TURNS, SCENES, 13, 0)
    assert preview.speakers[0] == ("Mira", "player", 40)
    assert [p.line for p in preview.problems] == [TURNS + 2]
    assert await program.services.stories.universes() == []
    for faulty_request in (
        import_request(data=b"%PDF-1.7"),
        import_request(hero="H" * 121),
        import_request(universe="U" * 121),
    ):
        with pytest.raises(InputError):
            await program.services.imports.import_log(faulty_request)
    assert await program.services.stories.universes() == []


async def test_import_creates_universe_unless_one_is_named(
    program: Program,
) -> None:
    imports = program.services.imports
    first = await imports.import_log(import_request())
    other_data = log_bytes(40, "Other words")
    preview = await imports.preview(import_request(data=other_data))
    assert (preview.universe, preview.new_universe) == ("The long road (2)", True)
    second = await imports.import_log(import_request(data=other_data))
    assert (first.universe, second.universe) == ("The long road", "The long road (2)")
    second_result = await imports.import_log(import_request(data=other_data))
    assert (second_result.universe_id, second_result.was_already_complete) == (second.universe_id, True)
    assert (await imports.import_log(import_request())).universe_id == first.universe_id
    result_in_named_universe = await imports.import_log(
        import_request(data=log_bytes(20, "More"), universe="the long road")
    )
    assert result_in_named_universe.universe_id == first.universe_id


async def test_import_leaves_the_story_to_go_on_with_as_it_was(tmp_path: Path) -> None:
    """Go on is where the player was, whatever was imported since, and whether or not the program was closed."""
    async with opened(tmp_path / "home") as program:
        own_scene_id = await begin(program)
        await program.services.play.submit(own_scene_id, "I walk.")
        await program.services.stories.suspend()
        own_story_id = (await program.services.stories.stories())[0].story.id
        other = await program.services.imports.import_log(import_request())
        await program.services.stories.resume(other.story_id)
        await program.services.stories.resume(own_story_id)
    for name in ("one.txt", "two.txt"):
        async with opened(tmp_path / "home", seed=len(name) + ord(name[0])) as program:
            await program.services.stories.recover()
            await program.services.imports.import_log(
                import_request(name=name, data=f"GM: {name}\nA: Yes.".encode())
            )
            menu = await program.services.stories.menu()
            assert menu.resume_story is not None
            assert menu.resume_story.story.id == own_story_id
