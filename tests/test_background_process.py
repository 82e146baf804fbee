"""The process that remembers, summarises and indexes beside play: what it leaves, and what becomes of its end."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest

from agents.events import Event, Notice
from agents.indexer.source_reader import SourceReader
from agents.jobs.running_process import RunningProcess
from monitor_tui.background_mode import BackgroundMode
from monitor_tui.compose import Program, open_program
from stores.authority import COLLECTIONS, Role, Store
from stores.errors import LibraryInUse, WriteDenied
from stores.open import open_stores, open_stores_behind_play
from stores.queries import MemoryQuery
from stores.records.ids import Id, utc_now
from stores.records.jobs import Job, JobKind, JobState, derive_job_id
from stores.records.memory import Memory, MemoryOrigin
from tests.agents.indexer.fake_embedder import FakeEmbedder
from tests.program import begin, opened

LINES = (
    "I bar the gate and call for Tam.",
    "> Tam comes running. Mara is afraid.",
    "/npc Tam: the smith's boy",
    "/fact Tam is in the yard",
    "I tell Tam that the bell was stolen.",
    "> Tam says he saw who took it.",
)

pytestmark = pytest.mark.slow


async def play(home: Path, lines: tuple[str, ...] = LINES) -> Id:
    """Play a scene without anything behind it; returns the scene."""
    async with opened(home) as program:
        scene_id = await begin(program)
        for line in lines:
            await program.services.play.submit(scene_id, line)
    return scene_id


async def finish(home: Path, mode: BackgroundMode, meanwhile: Callable[[Program], Any] | None = None) -> Any:
    """Do what is left to do behind play; returns what is in the memories and in the word index then."""
    (home / "settings.toml").write_text('[embedding]\nmodel = "none"\n')
    program = await open_program(home, mode=mode)
    try:
        program.services.jobs.start()
        if meanwhile is not None:
            await meanwhile(program)
        await program.services.jobs.wait_until_idle()
        assert program.services.jobs.current_status().poisoned == ()
        return await read_derived(program)
    finally:
        await program.close()


async def read_derived(program: Program) -> Any:
    log, words = program.stores.log(Role.INDEXER), program.stores.words(Role.INDEXER)
    memories = [
        memory
        for story in await log.stories()
        for scene in await log.scenes(story.id)
        for memory in await log.memories(MemoryQuery(scene_id=scene.id))
    ]
    fingerprints = {name: await words.fingerprints(name) for name in COLLECTIONS[Store.WORDS]}
    return {memory.id: _undated(memory) for memory in memories}, fingerprints


def _undated(memory: Memory) -> dict[str, Any]:
    return {name: value for name, value in memory.model_dump().items() if not name.endswith("_at")}


def a_job(scene_id: Id) -> Job:
    now = utc_now()
    return Job(
        id=derive_job_id(JobKind.INDEX, scene_id),
        kind=JobKind.INDEX,
        subject_id=scene_id,
        universe_id="",
        state=JobState.DONE,
        due=now,
        updated_at=now,
    )


def worker_pid(program: Program) -> int | None:
    assert program.background_jobs is not None
    assert program.background_jobs.process is not None
    return program.background_jobs.process.pid


async def until_it_runs(program: Program, killed_pids: Collection[int] = ()) -> int:
    """Return the process that runs, and not one of those whose death the program has not noticed yet."""
    async with asyncio.timeout(30):
        while (pid := worker_pid(program)) is None or pid in killed_pids:  # noqa: ASYNC110 - nothing tells of its start
            await asyncio.sleep(0.01)
    return pid


async def test_process_leaves_what_the_program_itself_would_leave(tmp_path: Path) -> None:
    await play(tmp_path / "beside")
    shutil.copytree(tmp_path / "beside", tmp_path / "within")
    beside = await finish(tmp_path / "beside", BackgroundMode.PLAY)
    assert beside == await finish(tmp_path / "within", BackgroundMode.OFF)
    memories, fingerprints = beside
    assert len(memories) > 2
    assert len(fingerprints["turns"]) >= 4


async def index_vectors(home: Path, mode: BackgroundMode, embedder: FakeEmbedder) -> Any:
    """Do what is left to do behind play; returns what is in the vector index of each model."""
    program = await open_program(home, mode=mode, embedder=embedder)
    try:
        program.services.jobs.start()
        await program.services.jobs.wait_until_idle()
        assert program.services.jobs.current_status().poisoned == ()
        vectors = program.stores.vectors(Role.INDEXER)
        return {
            (name, model): await vectors.fingerprints(name, model=model)
            for name in COLLECTIONS[Store.VECTORS]
            for model in await vectors.models(name)
        }
    finally:
        await program.close()


async def test_process_writes_the_vectors_that_the_programs_model_makes(tmp_path: Path) -> None:
    await play(tmp_path / "beside")
    shutil.copytree(tmp_path / "beside", tmp_path / "within")
    embedder = FakeEmbedder()
    with pytest.MonkeyPatch.context() as patch:
        # The process that plays reads nothing of what is indexed, and compares nothing.
        patch.setattr(SourceReader, "read_universe_ids", forbidden)
        beside = await index_vectors(tmp_path / "beside", BackgroundMode.PLAY, embedder)
    assert beside == await index_vectors(tmp_path / "within", BackgroundMode.OFF, FakeEmbedder())
    assert len(beside["turns", "fake-a"]) >= 4
    assert "I bar the gate and call for Tam." in " ".join(embedder.embedded_texts)
    assert len(embedder.charged_universe_ids) == 1


async def test_process_takes_the_vectors_of_another_model_away_when_its_own_are_whole(tmp_path: Path) -> None:
    await play(tmp_path)
    await index_vectors(tmp_path, BackgroundMode.PLAY, FakeEmbedder("fake-a"))
    unavailable = FakeEmbedder("fake-b", rotation=1)
    unavailable.max_texts = 3
    both = await index_vectors(tmp_path, BackgroundMode.OFF, unavailable)
    assert {model for _, model in both} == {"fake-a", "fake-b"}
    # It is set back: nothing is new, and what the other had made goes, without a process.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunningProcess, "start", forbidden)
        back = await index_vectors(tmp_path, BackgroundMode.PLAY, FakeEmbedder("fake-a"))
    assert {model for _, model in back} == {"fake-a"}
    changed = await index_vectors(tmp_path, BackgroundMode.PLAY, FakeEmbedder("fake-b", rotation=1))
    assert {model for _, model in changed} == {"fake-b"}


async def forbidden(*_: Any) -> Any:
    raise AssertionError("the process that plays is not to do this")


async def test_start_with_nothing_new_starts_no_process(tmp_path: Path) -> None:
    scene_id = await play(tmp_path / "home")
    before = await finish(tmp_path / "home", BackgroundMode.PLAY)

    async def wait_and_play_on(program: Program) -> None:
        await program.services.jobs.wait_until_idle()
        assert process_starts == 0
        await program.services.play.submit(scene_id, "> Tam runs off.")
        await program.services.jobs.wait_until_idle()
        assert process_starts == 1

    process_starts = 0
    start_process = RunningProcess.start

    async def count_start(*arguments: Any) -> RunningProcess:
        nonlocal process_starts
        process_starts += 1
        return await start_process(*arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunningProcess, "start", count_start)
        after = await finish(tmp_path / "home", BackgroundMode.PLAY, wait_and_play_on)
    assert len(after[1]["turns"]) == len(before[1]["turns"]) + 1
    shutil.copytree(tmp_path / "home", tmp_path / "again")
    (tmp_path / "again" / "index.db").unlink()
    assert after == await finish(tmp_path / "again", BackgroundMode.OFF)


async def test_process_killed_in_play_is_said_once_and_leaves_nothing_out(tmp_path: Path) -> None:
    scene_id = await play(tmp_path / "home", LINES[:2])
    published: list[Event] = []

    async def play_on_while_it_is_killed(program: Program) -> None:
        program.services.events.subscribe(published.append)
        killed_pids: list[int] = []
        for line in LINES[2:]:
            killed_pids.append(await until_it_runs(program, killed_pids))
            os.kill(killed_pids[-1], signal.SIGKILL)
            reply = await program.services.play.submit(scene_id, line)
            assert reply is not None

    memories, fingerprints = await finish(tmp_path / "home", BackgroundMode.PLAY, play_on_while_it_is_killed)
    notices = [event.text for event in published if isinstance(event, Notice)]
    assert [text for text in notices if "background process" in text] == [
        "The background process ended unexpectedly and is started again. Nothing is lost."
    ]
    shutil.copytree(tmp_path / "home", tmp_path / "again")
    (tmp_path / "again" / "index.db").unlink()
    assert (memories, fingerprints) == await finish(tmp_path / "again", BackgroundMode.OFF)


async def test_stores_behind_play_see_each_write_and_refuse_their_own(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        behind = await open_stores_behind_play(tmp_path)
        try:
            await program.services.play.submit(scene_id, "I bar the gate.")
            (*_, turn) = await behind.log.line_tail(scene_id, 5)
            assert turn.text == "I bar the gate."
            with pytest.raises(WriteDenied, match="only read here"):
                await behind.log.put_job(a_job(scene_id))
            with pytest.raises(LibraryInUse):
                await open_stores_behind_play(tmp_path)
        finally:
            await behind.close()


async def test_program_killed_beside_its_process_leaves_a_whole_library(tmp_path: Path) -> None:
    code = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from tests.program import begin, opened\n"
        "async def main():\n"
        "    async with opened(Path(sys.argv[1])) as program:\n"
        "        scene_id = await begin(program)\n"
        "        await program.services.play.submit(scene_id, 'I bar the gate.')\n"
        "        print(scene_id, flush=True)\n"
        "        await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    player = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, str(tmp_path), stdout=asyncio.subprocess.PIPE
    )
    assert player.stdout is not None
    scene_id = (await player.stdout.readline()).decode().strip()
    behind = await open_stores_behind_play(tmp_path)
    await behind.log.line_tail(scene_id, 5)
    player.kill()
    await player.wait()
    await behind.close()  # the last to close it
    stores = await open_stores(tmp_path)
    try:
        assert [turn.text for turn in await stores.log(Role.INDEXER).line_tail(scene_id, 5)][-1] == (
            "I bar the gate."
        )
    finally:
        await stores.close()


async def test_process_has_nobody_hear_what_the_line_itself_tells_aside(tmp_path: Path) -> None:
    """The process is told of each line as it is played, and has read it before the next."""
    (tmp_path / "settings.toml").write_text('[embedding]\nmodel = "none"\n')
    program = await open_program(tmp_path, mode=BackgroundMode.PLAY)
    try:
        program.services.jobs.start()
        scene_id = await begin(program)
        for line in (
            "I look round.",
            "/npc here Bodil: a ferrywoman",
            "/npc here Lisk: a child",
            "I take Bodil aside and tell her that I sold the boat.",
            "> Nobody comes.",
        ):
            await program.services.play.submit(scene_id, line)
            await program.services.jobs.wait_until_idle()
        async with asyncio.timeout(60):
            while not (told := await read_told(program, scene_id)):
                await asyncio.sleep(0.1)
                await program.services.jobs.wait_until_idle()
        assert told == {("Bodil", "Mara sold the boat.")}
    finally:
        await program.close()


async def read_told(program: Program, scene_id: Id) -> set[tuple[str, str]]:
    """Return who was told what, as they remember it."""
    memories = await program.stores.log(Role.INDEXER).memories(MemoryQuery(scene_id=scene_id))
    names = {member.entity_id: member.name for member in (await program.services.play.scene(scene_id)).cast}
    return {(names[m.entity_id], m.text) for m in memories if m.how is MemoryOrigin.TOLD}
