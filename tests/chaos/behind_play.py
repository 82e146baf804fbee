"""Helpers for tests of the process behind play: who runs, when all is done, and what was derived."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from agents.jobs.worker_process import WorkerProcess
from agents.llm.llm_settings import NO_EMBEDDING, AppSettings, EmbeddingSettings
from monitor_tui.background_mode import BackgroundMode
from monitor_tui.compose import Program, open_program
from stores.authority import COLLECTIONS, Role, Store
from stores.ports import LogReader
from stores.queries import MemoryQuery
from stores.records.ids import Id
from stores.records.memory import Memory, Summary
from tests.processes import child_pids

WAIT_SECONDS = 120.0
"""For what takes seconds: a busy machine takes many times that."""

LOST_TEXT = "The background process ended unexpectedly and is started again. Nothing is lost."


class Derived(NamedTuple):
    """What the background made of the lines that play stands on, without the dates at which it was made."""

    memories: dict[Id, Any]
    summaries: dict[Id, Any]
    word_fingerprints: dict[str, dict[Id, str]]


async def open_without_vectors(home: Path, mode: BackgroundMode) -> Program:
    settings = AppSettings(embedding=EmbeddingSettings(model=NO_EMBEDDING))
    return await open_program(home, mode=mode, settings=settings)


def process_of(program: Program) -> WorkerProcess:
    assert program.background_jobs is not None
    assert program.background_jobs.process is not None
    return program.background_jobs.process


async def until_it_runs(program: Program) -> int:
    """Wait until the process behind play is ready; returns its number."""
    async with asyncio.timeout(WAIT_SECONDS):
        while (pid := process_of(program).pid) is None:  # noqa: ASYNC110 - nothing tells of its start
            await asyncio.sleep(0.005)
    return pid


async def retry_given_up(program: Program) -> None:
    """Try again what was given up: five kills in a row may hit the same job, and that is no loss."""
    jobs = program.services.jobs
    async with asyncio.timeout(WAIT_SECONDS):
        await jobs.wait_until_idle()
    for job in jobs.current_status().poisoned:
        await jobs.retry(job.id)


async def catch_up(program: Program) -> None:
    """Wait until nothing is left to do, and see that nothing waits for the player."""
    jobs = program.services.jobs
    async with asyncio.timeout(WAIT_SECONDS):
        await jobs.wait_until_idle()
        while jobs.current_status().items_left:  # what waits for a process counts as idle
            await asyncio.sleep(0.05)
            await jobs.wait_until_idle()
    assert jobs.current_status().poisoned == ()


def pids_behind(home: Path) -> list[int]:
    """Return the processes that run, start or end behind play on this home folder, whoever started them."""
    return [pid for path in Path("/proc").glob("[0-9]*") if _is_behind(pid := int(path.name), home)]


def child_pids_behind(home: Path) -> list[int]:
    """Return those of them that this process started; looks at few processes."""
    return [pid for pid in child_pids() if _is_behind(pid, home)]


def _is_behind(pid: int, home: Path) -> bool:
    try:
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:  # it has ended
        return False
    return str(home).encode() in arguments and b"-P" in arguments


async def read_derived(program: Program) -> Derived:
    log, words = program.stores.log(Role.INDEXER), program.stores.words(Role.INDEXER)
    memories, summaries = dict[Id, Any](), dict[Id, Any]()
    for story in await log.stories():
        for scene in await log.scenes(story.id):
            for memory in await log.memories(MemoryQuery(scene_id=scene.id)):
                if await _counts(log, scene.id, memory.turn_id):
                    memories[memory.id] = _undated(memory)
            for summary in await log.summaries(scene.id):
                # That of an end which was taken back is emptied; derived anew, it would never have been.
                if summary.text and await _counts(log, scene.id, summary.last_turn):
                    summaries[summary.id] = _undated(summary)
    fingerprints = {name: await words.fingerprints(name) for name in COLLECTIONS[Store.WORDS]}
    # The last part of a scene's fingerprint says how often its memories were written.
    fingerprints["scenes"] = {id: mark.rpartition(":")[0] for id, mark in fingerprints["scenes"].items()}
    return Derived(memories, summaries, fingerprints)


def assert_derived_like(derived: Derived, anew: Derived) -> None:
    """See that nothing is missing, doubled or out of date in what was derived bit by bit.

    A memory of something that was rejected later is faded to the words that were heard; derived anew, it would
    never have been.
    """
    surplus_memories = {id: memory for id, memory in derived.memories.items() if id not in anew.memories}
    faded_ids = {id for id, memory in surplus_memories.items() if memory["importance"] == 0.0}
    assert surplus_memories.keys() == faded_ids, surplus_memories
    kept_memories = {id: derived.memories[id] for id in derived.memories.keys() - faded_ids}
    differing = {
        id: (kept_memories.get(id), anew.memories.get(id))
        for id in kept_memories.keys() | anew.memories.keys()
        if kept_memories.get(id) != anew.memories.get(id)
    }
    assert differing == {}, differing
    assert derived.summaries == anew.summaries
    for name, fingerprints in derived.word_fingerprints.items():
        surplus_ids = faded_ids if name == "memories" else set[Id]()
        assert {id: fingerprints[id] for id in fingerprints.keys() - surplus_ids} == anew.word_fingerprints[
            name
        ]


async def derive_anew(home: Path, copied_home: Path) -> Derived:
    """Return what the program itself derives from a copy of the library that has nothing of it."""
    shutil.copytree(home, copied_home)
    (copied_home / "index.db").unlink()
    with closing(sqlite3.connect(copied_home / "library.db")) as connection, connection:
        connection.create_function("monitor_may", -1, lambda *of_what: True)  # what the triggers ask
        for table in ("memories", "summaries", "jobs"):
            connection.execute(f"DELETE FROM {table}")
    program = await open_without_vectors(copied_home, BackgroundMode.OFF)
    try:
        await program.services.jobs.wait_until_idle()
        return await read_derived(program)
    finally:
        await program.close()


def count_surplus_rows(home: Path) -> int:
    """Return how many rows of the word index belong to no item."""
    with closing(sqlite3.connect(home / "index.db")) as connection:
        return sum(
            connection.execute(
                f"SELECT count(*) FROM words_{name}_docsize WHERE id NOT IN (SELECT row FROM words_{name}_rows)"
            ).fetchone()[0]
            for name in COLLECTIONS[Store.WORDS]
        )


async def _counts(log: LogReader, scene_id: Id, turn_id: Id | None) -> bool:
    """Say whether what is anchored to the turn counts: an undone turn keeps what was made of it."""
    return turn_id is None or bool(await log.on_line(scene_id, [turn_id]))


def _undated(record: Memory | Summary) -> dict[str, Any]:
    return {name: value for name, value in record.model_dump().items() if not name.endswith("_at")}
