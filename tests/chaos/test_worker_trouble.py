"""The process behind play hangs, runs out of memory, is stopped with the program, or survives it."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agents.events import Event, Notice
from agents.jobs.worker import MAX_FAILURES
from agents.jobs.worker_process import WorkerProcess
from monitor_tui import workers_behind_play
from monitor_tui.background_mode import BackgroundMode
from stores.records.ids import Id
from stores.records.jobs import JobKind
from tests.chaos import worker_player
from tests.chaos.behind_play import (
    LOST_TEXT,
    WAIT_SECONDS,
    assert_derived_like,
    catch_up,
    derive_anew,
    open_without_vectors,
    pids_behind,
    process_of,
    read_derived,
    until_it_runs,
)
from tests.chaos.test_kill import entries_of, look_at_everything
from tests.processes import child_pids
from tests.program import begin

HANG_ANSWER_SECONDS = 2.0

SLEEP_SECONDS = float(os.environ.get("MONITOR_CHAOS_SLEEP_SECONDS", "6"))
SLEEP_ANSWER_SECONDS = 0.6 * SLEEP_SECONDS
"""After this time a process that is awake counts as hanging."""

pytestmark = pytest.mark.chaos


async def test_worker_that_hangs_is_said_once_and_all_is_caught_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, children = tmp_path / "home", child_pids()
    impatient = partial(WorkerProcess, answer_seconds=HANG_ANSWER_SECONDS)
    monkeypatch.setattr(workers_behind_play, "WorkerProcess", impatient)
    program = await open_without_vectors(home, BackgroundMode.PLAY)
    published: list[Event] = []
    program.services.events.subscribe(published.append)
    try:
        program.services.jobs.start()
        scene_id = await begin(program)
        for round_number in range(2):
            pid = await until_it_runs(program)
            os.kill(pid, signal.SIGSTOP)
            line_number = 0
            async with asyncio.timeout(WAIT_SECONDS):
                while process_of(program).pid in (None, pid):  # it hangs, or is being started again
                    line_number += 1
                    await program.services.play.submit(scene_id, f"I do thing {round_number}-{line_number}.")
                    await asyncio.sleep(0.05)
            assert line_number > 1
            assert pid not in pids_behind(home)
        await catch_up(program)
        derived = await read_derived(program)
    finally:
        await program.close()
    assert notice_texts(published, "unexpectedly") == [LOST_TEXT]
    assert child_pids() == children
    assert len(derived.word_fingerprints["turns"]) >= 4
    assert_derived_like(derived, await derive_anew(home, tmp_path / "anew"))


async def test_subject_that_takes_all_memory_is_poisoned_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    fatal_id, greedy_id, *other_ids = await play_scenes(home, 4)

    def start_dying(arguments: tuple[str, ...], **rest: Any) -> WorkerProcess:
        return WorkerProcess(("-m", "tests.chaos.dying_worker", str(home), fatal_id, greedy_id), **rest)

    monkeypatch.setattr(workers_behind_play, "WorkerProcess", start_dying)
    program = await open_without_vectors(home, BackgroundMode.PLAY)
    published: list[Event] = []
    program.services.events.subscribe(published.append)
    jobs = program.services.jobs
    try:
        jobs.start()
        async with asyncio.timeout(WAIT_SECONDS):
            while len(jobs.current_status().poisoned) < 2 or jobs.current_status().items_left:  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        view = await jobs.read_status()
        error_by_subject = {(job.kind, job.subject_id): job.error for job in view.poisoned}
        assert error_by_subject.keys() == {(JobKind.INDEX, fatal_id), (JobKind.INDEX, greedy_id)}
        assert "ended while it worked on this" in error_by_subject[JobKind.INDEX, fatal_id]
        assert "MemoryError" in error_by_subject[JobKind.INDEX, greedy_id]
        assert {job.attempts for job in view.poisoned} == {MAX_FAILURES}
        assert view.names.keys() >= {fatal_id, greedy_id}
        indexed_ids = (await read_derived(program)).word_fingerprints["scenes"].keys()
        assert indexed_ids >= set(other_ids)
        (home / "mended").touch()
        for job in view.poisoned:
            await jobs.retry(job.id)
        await catch_up(program)
        derived = await read_derived(program)
    finally:
        await program.close()
    assert notice_texts(published, "unexpectedly") == [LOST_TEXT]
    assert len(notice_texts(published, "failed 5 times")) == 2
    assert_derived_like(derived, await derive_anew(home, tmp_path / "anew"))


async def test_program_and_worker_that_sleep_notice_nothing(tmp_path: Path) -> None:
    home, notes = tmp_path / "home", tmp_path / "notes"
    dice = random.Random(20_261_125)
    with playing(home, notes, SLEEP_ANSWER_SECONDS) as player:
        for round_number in range(2):
            worker_pid = await wait_for_worker(notes)
            await wait_for_lines(notes, 20 * (round_number + 1))
            pids = [player.pid, worker_pid]
            dice.shuffle(pids)
            for pid in pids:
                os.kill(pid, signal.SIGSTOP)
            size = notes.stat().st_size
            await asyncio.sleep(SLEEP_SECONDS)
            assert notes.stat().st_size == size
            dice.shuffle(pids)
            for pid in pids:
                os.kill(pid, signal.SIGCONT)
        await wait_for_lines(notes, len(acknowledged(notes)) + 50)
        assert player.is_alive()
        assert pids_behind(home) == [worker_pid]
    entries = entries_of(notes)
    assert [entry["pid"] for entry in entries if entry["kind"] == "worker"] == [worker_pid]
    assert [entry["text"] for entry in entries if entry["kind"] == "notice"] == []
    await check_next_program(home, notes, tmp_path / "anew")


async def test_worker_ends_with_its_killed_program_and_the_next_one_catches_up(tmp_path: Path) -> None:
    home, notes = tmp_path / "home", tmp_path / "notes"
    dice = random.Random(20_261_126)
    for round_number in range(3):
        line_count = len(acknowledged(notes))
        with playing(home, notes, answer_seconds=60.0, seed=round_number):
            await wait_for_lines(notes, line_count + dice.randrange(5, 30))
            worker_pid = await wait_for_worker(notes)
        if round_number < 2:
            continue  # the next program is opened while the process of this one may still run
        async with asyncio.timeout(WAIT_SECONDS):
            while worker_pid in pids_behind(home):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    await check_next_program(home, notes, tmp_path / "anew")


async def check_next_program(home: Path, notes: Path, copied_home: Path) -> None:
    """Open the library again after its program was killed: all is there, and all is caught up with."""
    program = await open_without_vectors(home, BackgroundMode.PLAY)
    try:
        await look_at_everything(program, entries_of(notes))
        program.services.jobs.start()
        await catch_up(program)
        derived = await read_derived(program)
    finally:
        await program.close()
    assert pids_behind(home) == []
    assert_derived_like(derived, await derive_anew(home, copied_home))


@contextmanager
def playing(home: Path, notes: Path, answer_seconds: float, seed: int = 0) -> Iterator[Any]:
    """Have a program of its own play; at the end it is killed."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.chaos.worker_player"])
    arguments = (str(home), str(notes), seed, answer_seconds)
    player = context.Process(target=worker_player.run, args=arguments)
    player.start()
    try:
        yield player
        assert player.is_alive(), "the player ended by itself: see its error above"
    finally:
        player.kill()
        player.join()


async def wait_for_lines(notes: Path, count: int) -> None:
    await _wait_until(lambda: len(acknowledged(notes)) >= count)


async def wait_for_worker(notes: Path) -> int:
    """Return the process that was noted last."""

    def worker_pids() -> list[int]:
        return [entry["pid"] for entry in _read_entries(notes) if entry["kind"] == "worker"]

    await _wait_until(lambda: bool(worker_pids()))
    return worker_pids()[-1]


def acknowledged(notes: Path) -> list[Any]:
    return [entry for entry in _read_entries(notes) if entry["kind"] == "acknowledged"]


def notice_texts(published: list[Event], words: str) -> list[str]:
    return [event.text for event in published if isinstance(event, Notice) and words in event.text]


async def play_scenes(home: Path, count: int) -> list[Id]:
    """Play some scenes without anything behind it; returns them."""
    program = await open_without_vectors(home, BackgroundMode.OFF)
    try:
        scene_ids = [await begin(program, name=f"World {number}") for number in range(count)]
        for scene_id in scene_ids:
            for line in ("I bar the gate.", "> Tam comes running.", "/fact Tam is in the yard"):
                await program.services.play.submit(scene_id, line)
        return scene_ids
    finally:
        await program.close()


def _read_entries(notes: Path) -> list[dict[str, Any]]:
    return entries_of(notes) if notes.exists() else []


async def _wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)
