"""A real process is killed at random moments of play and commit, 200 times; nothing acknowledged is lost."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import random
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from monitor_tui.compose import Program, open_program
from stores.authority import Role
from stores.queries import FactQuery, ProposalQuery
from stores.records.canon import FactStatus
from stores.records.workflow import CanonizationState, Loop, ProposalStatus
from tests.chaos import player

KILLS = int(os.environ.get("MONITOR_CHAOS_KILLS", "200"))
LONGEST = 0.6
"""Seconds from a process's start to its end, at most; most of them are killed while they play.

Where a line takes long, on a busy machine, it is as long as `LINES_WITHIN` of them take.
"""
LINES_WITHIN = 6

pytestmark = pytest.mark.chaos


def test_kills_lose_nothing(tmp_path: Path) -> None:
    home, notes = tmp_path / "home", tmp_path / "notes"
    dice = random.Random(20_261_121)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.chaos.player"])
    killed = Counter[str]()
    longest = max(LONGEST, LINES_WITHIN * measure_line(context, home, notes))
    for round_number in range(KILLS):
        began = notes.stat().st_size if notes.exists() else 0
        process = context.Process(target=player.run, args=(str(home), str(notes), dice.getrandbits(32)))
        process.start()
        try:
            wait_for_more(notes, began)
            process.join(dice.uniform(0.0, longest))
            assert process.is_alive(), "the player ended by itself: see its error above"
        finally:
            if process.pid is not None and process.is_alive():
                os.kill(process.pid, signal.SIGKILL)
            process.join()
        entries = entries_of(notes)
        killed[str(entries[-1]["kind"])] += 1
        asyncio.run(_check(home, entries), debug=False)
        assert round_number < KILLS
    typed = [e for e in entries_of(notes) if e["kind"] == "acknowledged"]
    print(
        f"{KILLS} kills, last noted before them: {dict(killed)}; {len(typed)} lines acknowledged, none lost"
    )
    assert killed["typed"], "no kill fell into an exchange: the test would show nothing"
    assert len(typed) > KILLS


def measure_line(context: multiprocessing.context.BaseContext, home: Path, notes: Path) -> float:
    """Return the seconds until a player's first two lines are acknowledged, halved; then kill it."""
    process = context.Process(target=player.run, args=(str(home), str(notes), 0))  # type: ignore[attr-defined]
    process.start()
    try:
        wait_for_more(notes, 0)
        began = time.monotonic()
        while sum(e["kind"] == "acknowledged" for e in entries_of(notes)) < 2:
            assert time.monotonic() < began + 120, "the player acknowledged nothing"
            time.sleep(0.002)
        return (time.monotonic() - began) / 2
    finally:
        process.kill()
        process.join()


def wait_for_more(notes: Path, size: int) -> None:
    """Wait until the player has begun to write (it is a new process: its start takes a moment)."""
    deadline = time.monotonic() + 120
    while not (notes.exists() and notes.stat().st_size > size):
        assert time.monotonic() < deadline, "the player did not start"
        time.sleep(0.002)


def entries_of(notes: Path) -> list[dict[str, Any]]:
    """Read the notes; the last line may be cut by the kill."""
    entries = []
    for line in notes.read_text().splitlines():
        try:
            entries.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return entries


async def _check(home: Path, entries: list[dict[str, Any]]) -> None:
    """Restart, recover, and look at everything."""
    program = await open_program(home)
    try:
        await look_at_everything(program, entries)
    finally:
        await program.close()


async def look_at_everything(program: Program, entries: list[dict[str, Any]]) -> None:
    """Recover, and see that all that was acknowledged is there, once, and that play can go on."""
    await program.services.stories.recover()
    await _no_turn_lost(program, entries)
    await _lines_whole(program)
    await _loops_resumed(program)
    await _canon_whole(program, entries)


async def _no_turn_lost(program: Program, entries: list[dict[str, Any]]) -> None:
    """Every typed line of the story that was acknowledged is in the log, once."""
    log, canon = program.stores.log(Role.CONTEXT_ASSEMBLY), program.stores.canon(Role.CONTEXT_ASSEMBLY)
    texts = Counter[str]()
    for story in await log.stories():
        # Scenes that began with an end which was taken back are in no list, and on record all the same.
        for node in await canon.scene_nodes(story.id):
            texts.update(t.text for t in await log.all_turns(node.id))
    for entry in entries:
        line = str(entry.get("line", ""))
        if entry["kind"] == "acknowledged" and line.startswith(("I ", "> ")):
            words = line.removeprefix("> ").split(" /check")[0]
            assert texts[words] == 1, f"{words!r} is there {texts[words]} times"


async def _lines_whole(program: Program) -> None:
    """The line of each scene is the path from its head to its first turn."""
    log = program.stores.log(Role.CONTEXT_ASSEMBLY)
    for story in await log.stories():
        for scene in await log.scenes(story.id):
            line = await log.line_slice(scene.id, 0, await log.line_length(scene.id))
            by_id = {t.id: t for t in await log.all_turns(scene.id)}
            path, at = [], scene.head
            while at is not None:
                path.append(at)
                at = by_id[at].parent_id
            assert [t.id for t in line] == path[::-1]


async def _loops_resumed(program: Program) -> None:
    """No exchange hangs, the last scene is playable or at the gate, the session is at rest."""
    log = program.stores.log(Role.CONTEXT_ASSEMBLY)
    for story in await log.stories():
        scenes = await log.scenes(story.id)
        for scene in scenes:
            assert await log.checkpoints(scene.id) == []
            for turn in await log.all_turns(scene.id):
                state = await log.loop_state(Loop.TURN, turn.id)
                assert state is None or state.target in ("persisted", "dropped")
        states = [await log.loop_state(Loop.SCENE, s.id) for s in scenes]
        assert all(s and s.target == "completed" for s in states[:-1])
        assert not states or (states[-1] and states[-1].target in ("active", "finalizing"))


async def _canon_whole(program: Program, entries: list[dict[str, Any]]) -> None:
    """Every commit is closed; a fact has evidence, an accepted proposal, and no twin."""
    log = program.stores.log(Role.CONTEXT_ASSEMBLY)
    canon = program.stores.canon(Role.CONTEXT_ASSEMBLY)
    done = (CanonizationState.CLOSED, CanonizationState.DROPPED)
    commits = await log.canonizations()
    assert all(c.state in done for c in commits)
    # What an undone commit took from canon is proposed again; a hand may restore the fact all the same.
    reopened_ids = {
        o.proposal_id
        for commit in commits
        if commit.undoes is not None
        for o in commit.outcomes
        if o.status is ProposalStatus.PENDING
    }
    for universe in await canon.universes():
        facts = await canon.facts(universe.id, FactQuery(history=True, limit=1_000_000))
        proposals = {p.id: p for p in await log.proposals(ProposalQuery(universe_id=universe.id))}
        for fact in facts:
            assert await canon.evidence_of(fact.id), f"{fact.statement} rests on nothing"
            # A number that changes for the first time leaves its old value behind as a fact of its own.
            if fact.proposal_id is not None and fact.proposal_id not in reopened_ids:
                assert proposals[fact.proposal_id].status is ProposalStatus.ACCEPTED
        twins = Counter(f.statement for f in facts if f.statement.startswith("Fact "))
        assert not [s for s, n in twins.items() if n > 1]
        by_proposal = {f.proposal_id for f in facts}
        for proposal in proposals.values():
            if proposal.status is ProposalStatus.ACCEPTED and proposal.payload.kind == "assert_fact":
                assert proposal.id in by_proposal, "accepted, but not in canon"
        known = {f.statement for f in facts if f.status is not FactStatus.SUPERSEDED}
        for entry in entries:
            for says in entry.get("says", ()):
                if str(says).startswith("Canon: Fact "):
                    assert str(says).removeprefix("Canon: ") in known
