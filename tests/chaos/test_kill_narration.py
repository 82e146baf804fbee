"""A real process is killed while a model tells, between nodes and in the middle of a stream: nothing is lost,
nothing is there twice, and no call that is on record is asked again.

See docs/decisions/0014..
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import random
import re
import signal
from collections import Counter
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

import pytest

from agents.orchestrator.narration.state import NARRATION_STEPS
from stores.authority import Role
from stores.open import open_stores
from stores.queries import ProposalQuery
from stores.records.ids import derive_id
from stores.records.llm import CallOutcome
from stores.records.play import Speaker
from stores.stores import AnyLog
from tests.chaos import narration_player
from tests.chaos.test_kill import entries_of, wait_for_more

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(600)]  # a minute on an idle machine

Key = tuple[int, str, int]

STREAMS = ("word:narrator:1", "word:narrator:7", "word:archivist:2", "word:critic:1", "word:director:1")
POINTS = (
    *(f"{when}:{node}" for node in NARRATION_STEPS for when in ("before", "after")),
    *STREAMS,
    "end:narrator",
    "end:archivist",
)
BY_CLOCK = 12
LONGEST = 0.8
"""Seconds that a process plays which is killed by the clock, at most."""


def test_narration_kills_lose_nothing(tmp_path: Path) -> None:
    home, notes = tmp_path / "home", tmp_path / "notes"
    dice = random.Random(20_261_122)
    points = [*POINTS, *["clock"] * BY_CLOCK]
    dice.shuffle(points)
    allowed = Counter[Key]()
    known: set[Key] = set()
    for nth, point in enumerate(points):
        engine = ("langgraph", "inmemory")[nth % 2]
        began = len(entries_of(notes)) if notes.exists() else 0
        first = 1 + max((e["number"] for e in _of(notes, "typed")), default=0)
        process = _started(home, notes, engine, first, point)
        if point == "clock":
            _wait_until_playing(process, notes, began)
            process.join(dice.uniform(0.0, LONGEST))
            assert process.pid is not None
            os.kill(process.pid, signal.SIGKILL)
        process.join(60)
        assert process.exitcode == -signal.SIGKILL, f"{point} ({engine}) was never come to"
        asked = [_key(e) for e in entries_of(notes)[began:] if e["kind"] == "asked"]
        twice = known.intersection(asked)
        assert not twice, f"on record before, and asked again after {point}: {twice}"
        known = asyncio.run(_on_record(home))
        # A call that was cut off has no record, so it may be asked once more: by the next process.
        allowed.update(key for key in set(asked) if key not in known)
    last = _started(home, notes, "langgraph", 0, narration_player.NEVER)
    last.join(60)
    assert last.exitcode == 0
    asked_times = Counter(_key(e) for e in _of(notes, "asked"))
    assert asked_times == {key: 1 + allowed[key] for key in asked_times}
    # What was typed into a process that was killed before it had it in the log was never acknowledged.
    acknowledged = {e["number"] for e in _of(notes, "acknowledged")} | {number for number, *_ in asked_times}
    exchanges = asyncio.run(_all_is_there_once(home, set(asked_times), acknowledged))
    kinds = Counter(point.partition(":")[0] for point in points)
    again = sum(allowed.values())
    print(
        f"{len(points)} kills ({dict(kinds)}) in {exchanges} exchanges: {len(asked_times)} calls on record, "
        f"each asked once but {again} that were cut off before they could be"
    )
    assert again >= len(STREAMS), "no kill fell into a stream: the test would show nothing"


def _started(home: Path, notes: Path, backend: str, first: int, point: str) -> ForkServerProcess:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        ["tests.chaos.narration_player", "agents.orchestrator.narration.langgraph_engine"]
    )
    size = notes.stat().st_size if notes.exists() else 0
    process = context.Process(
        target=narration_player.run, args=(str(home), str(notes), backend, first, point)
    )
    process.start()
    wait_for_more(notes, size)
    return process


def _wait_until_playing(process: ForkServerProcess, notes: Path, began: int) -> None:
    for _ in range(6_000):
        if any(e["kind"] == "typed" for e in entries_of(notes)[began:]):
            return
        process.join(0.01)
        assert process.is_alive(), "the player ended by itself: see its error above"
    raise AssertionError("the player did not begin")


def _of(notes: Path, kind: str) -> list[dict[str, Any]]:
    return [e for e in entries_of(notes) if e["kind"] == kind] if notes.exists() else []


def _key(entry: dict[str, Any]) -> Key:
    number, persona, nth = entry["key"]
    return number, persona, nth


async def _on_record(home: Path) -> set[Key]:
    """Return the calls that the log holds, as the kill left it."""
    stores = await open_stores(home)
    try:
        return {key for key, _ in await _calls(stores.log(Role.CONTEXT_ASSEMBLY))}
    finally:
        await stores.close()


async def _calls(log: AnyLog) -> list[tuple[Key, CallOutcome]]:
    found = []
    for call in await log.llm_calls():
        assert call.run_id
        words = await log.turn(call.run_id)
        number = int(re.findall(r"I do thing (\d+)\.", words.text)[0])
        nth = next(n for n in (1, 2) if call.id == derive_id("llm_call", call.run_id, call.persona.value, n))
        found.append(((number, call.persona.value, nth), call.outcome))
    return found


async def _all_is_there_once(home: Path, asked: set[Key], acknowledged: set[int]) -> int:
    """Each exchange has its words, its roll, its telling and its proposal, once. Returns how many."""
    stores = await open_stores(home)
    try:
        log = stores.log(Role.CONTEXT_ASSEMBLY)
        story = (await log.stories())[0]
        scene = (await log.scenes(story.id))[0]
        assert await log.checkpoints(scene.id) == []
        calls = await _calls(log)
        assert Counter(key for key, _ in calls) == dict.fromkeys(asked, 1)
        assert {outcome for _, outcome in calls} == {CallOutcome.DONE}
        line = await log.line_slice(scene.id, 0, await log.line_length(scene.id))
        numbers = [int(n) for t in line for n in re.findall(r"I do thing (\d+)\.", t.text)]
        assert numbers == sorted(set(numbers)), "words are there twice"
        assert acknowledged <= set(numbers), "words were lost"
        speakers = [t.speaker for t in line]
        assert speakers == [Speaker.PLAYER, Speaker.ORACLE, Speaker.GM] * len(numbers)
        told = [t.text for t in line if t.speaker is Speaker.GM]
        again = [n % narration_player.AGAIN_EVERY == 0 for n in numbers]
        assert told == [narration_player.said(n, again=a) for n, a in zip(numbers, again, strict=True)]
        tree = Counter(t.text for t in await log.all_turns(scene.id) if t.speaker is Speaker.GM)
        assert tree.total() == len(numbers) + sum(again)
        assert set(tree.values()) == {1}
        proposals = await log.proposals(ProposalQuery(universe_id=scene.universe_id))
        statements = Counter(
            json.loads(p.payload.model_dump_json()).get("statement", "")
            for p in proposals
            if p.scene_id == scene.id and p.turn_id in {t.id for t in line}
        )
        promised = {n: s for n in numbers for s in statements if f" {n} bells" in s}
        assert set(promised) == set(numbers), sorted(statements)
        assert set(statements.values()) == {1}
        return len(numbers)
    finally:
        await stores.close()
