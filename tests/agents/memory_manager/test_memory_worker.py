"""Tests of the MemoryManager: repeated runs, undo, corrections, recalls, misremembering."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.events import MemoriesWritten
from agents.jobs.job_store import JobStore
from agents.jobs.worker import Cursors, JobSubject
from agents.memory_manager.fact_knowledge import KnowledgeReader
from agents.memory_manager.memory_changes import find_changed_memories
from agents.memory_manager.memory_cursor import MemoryCursor
from agents.memory_manager.memory_decay import compute_retention
from agents.memory_manager.memory_extraction import extract_memories
from agents.memory_manager.memory_worker import TURNS_PER_PIECE, MemoryManager
from agents.memory_manager.scene_reader import SceneReader
from stores.authority import Role
from stores.errors import InputError
from stores.queries import MemoryQuery
from stores.records.ids import SteppingClock, utc_now
from stores.records.jobs import JobKind
from stores.records.memory import Memory, MemoryOrigin
from stores.records.play import Speaker
from tests.agents.memory_manager.memory_session import (
    InMemoryCursors,
    MemorySession,
    open_memory_session,
    read_catalogue,
)
from tests.program import START, opened

DAY = 24 * 60
RUNG = "/fact event: Mara rings the bell"
PEOPLE = ("/npc here Bela Orsk: a smith", "/npc here Old Tam: a keeper")


@pytest.fixture
async def session(tmp_path: Path) -> AsyncIterator[MemorySession]:
    async with open_memory_session(tmp_path) as opened_session:
        await opened_session.play(*PEOPLE)
        yield opened_session


def restarted_manager(session: MemorySession, cursors: Cursors | None = None) -> MemoryManager:
    """Return a MemoryManager as after a restart, by default one that lost the first one's cursors."""
    canon, log = session.program.stores.canon(Role.MEMORY_MANAGER), session.log
    scene_reader = SceneReader(canon, log, read_catalogue)
    clock, events = SteppingClock(START), session.program.services.events
    return MemoryManager(log, log, scene_reader, cursors or InMemoryCursors(), clock, events)


class CursorsOfKilledProcess(InMemoryCursors):
    """Stores nothing from the first change of memories on: there the process was killed."""

    async def write_cursor(self, kind: JobKind, subject: JobSubject, cursor: str) -> None:
        if MemoryCursor.parse(self.cursors.get(subject.id, "")).is_changing:
            raise OSError("killed")
        await super().write_cursor(kind, subject, cursor)


async def valid_memories(session: MemorySession, name: str) -> list[Memory]:
    return await session.knowledge.filter_valid(await session.memories_of(name))


async def test_memory_worker_is_idempotent(session: MemorySession) -> None:
    await session.play(
        "> Bela swears to mend the gate.", "/fact promise: Bela Orsk mends the gate.", "> Rain."
    )
    await session.remember()
    first = await session.log.memories(MemoryQuery(universe_id=await session.universe_id()))
    session.published_events.clear()
    manager = restarted_manager(session)
    while await manager.reconcile(session.scene_id):
        pass
    assert await session.log.memories(MemoryQuery(universe_id=await session.universe_id())) == first
    assert not [e for e in session.published_events if isinstance(e, MemoriesWritten)]


async def test_memories_written_before_a_kill_have_an_edition_of_their_own(session: MemorySession) -> None:
    """The Indexer sees by the edition what it has to compare; the repeated work finds nothing left to change."""
    await session.play("> Bela swears to mend the gate.")
    cursors = CursorsOfKilledProcess()
    with pytest.raises(OSError, match="killed"):
        await restarted_manager(session, cursors).reconcile(session.scene_id)
    written = await session.log.memories(MemoryQuery(universe_id=await session.universe_id()))
    assert written
    killed_cursor = MemoryCursor.parse(cursors.cursors[session.scene_id])
    assert killed_cursor.is_behind((await session.log.scene(session.scene_id)).head or "")
    cursors_after = InMemoryCursors()
    cursors_after.cursors = cursors.cursors
    await restarted_manager(session, cursors_after).reconcile(session.scene_id)
    assert await session.log.memories(MemoryQuery(universe_id=await session.universe_id())) == written
    cursor = MemoryCursor.parse(cursors_after.cursors[session.scene_id])
    assert not cursor.is_changing
    assert cursor.edition > killed_cursor.edition


@pytest.mark.slow
async def test_memories_of_a_long_scene_are_announced_once(session: MemorySession) -> None:
    """The Indexer compares all memories of a scene when it is told of some: once, and not after each piece."""
    await session.play(
        *(f'> "I swear to mend gate {number}," says Bela.' for number in range(2 * TURNS_PER_PIECE))
    )
    session.published_events.clear()
    pieces = 1
    while await session.manager.reconcile(session.scene_id):
        assert not [e for e in session.published_events if isinstance(e, MemoriesWritten)]
        pieces += 1
    assert pieces > 1
    assert len([e for e in session.published_events if isinstance(e, MemoriesWritten)]) == 1


async def test_memory_worker_keeps_recalls_when_rewriting(session: MemorySession) -> None:
    await session.play("> Bela swears by the fire to mend the gate.")
    await session.remember()
    (memory,) = await session.memories_of("Old Tam")
    await session.strengthen(memory.id, tick=memory.tick + 10 * DAY)
    await session.play("/fact promise: Bela Orsk will mend the gate.")
    await session.remember()
    (linked,) = await session.memories_of("Old Tam")
    assert linked.id == memory.id
    assert linked.linked_fact_id is not None
    assert (linked.access_count, linked.recalled) == (1, memory.tick + 10 * DAY)
    assert linked.strength > 1


async def test_memory_worker_follows_undo_and_redo(session: MemorySession) -> None:
    await session.play("> Rain.", "> Bela swears by the sea.")
    await session.remember()
    assert len(await valid_memories(session, "Old Tam")) == 1
    await session.play("/undo")
    await session.remember()
    assert await valid_memories(session, "Old Tam") == []
    await session.play("> Bela saves you from the guild.")
    await session.remember()
    assert [m.text for m in await valid_memories(session, "Old Tam")] == ["Bela saves you from the guild."]


async def test_memory_worker_keeps_heard_words_of_rejected_proposal(session: MemorySession) -> None:
    await session.play("> Bela shows you a ring of silver.", "/thing Ring: of silver", "/fact Mara owns Ring")
    await session.remember()
    fact_id = await session.fact_id("Mara owns Ring.")
    assert len(await session.knowledge.find_who_knows(fact_id)) == 3
    await session.play("/reject 4")
    await session.remember()
    assert await session.knowledge.find_who_knows(fact_id) == []
    (memory,) = await valid_memories(session, "Old Tam")
    assert memory.text == "Bela shows you a ring of silver."


async def test_memory_worker_skips_unimportant_turns(session: MemorySession) -> None:
    await session.play(*("> It is a grey day." for _ in range(5)), "> Bela dies.")
    await session.remember()
    assert len(await session.memories_of("Old Tam")) == 1


async def test_memory_correction_replaces_error_without_repeating_it(session: MemorySession) -> None:
    await session.play(
        "/cast - Old Tam",
        "> You find the key under the hearth.",
        "/fact The key is under the hearth.",
        "/cast + Old Tam",
        '"The key is under the bed," I tell Tam.',
        '"I lied. The key is not under the bed, it is under the hearth," I tell Tam.',
        '"The key is under the hearth," I tell Tam.',
    )
    await session.remember()
    error, *_ = [m for m in await session.memories_of("Old Tam") if "bed" in m.text]
    now = error.tick + 30 * DAY
    before = compute_retention(error, now)
    valid = await valid_memories(session, "Old Tam")
    assert error.id not in {m.id for m in valid}
    correction = next(m for m in valid if m.corrects == error.id)
    # Neither recalling nor repeating the correction, nor reading both, strengthens the error.
    for day in (5, 10, 20):
        await session.strengthen(correction.id, error.id, tick=error.tick + day * DAY)
    await session.play("/cast - Bela Orsk", '> "The key is under the hearth," Tam tells you.')
    await session.remember()
    (error,) = await session.log.memories(MemoryQuery(ids=[error.id]))
    assert (compute_retention(error, now), error.access_count) == (before, 0)
    (correction,) = await session.log.memories(MemoryQuery(ids=[correction.id]))
    assert correction.access_count == 3
    tam = (await session.ids_by_name())["Old Tam"]
    (tams_knowledge,) = [
        k
        for k in await session.knowledge.find_who_knows(await session.fact_id("The key is under the hearth."))
        if k.entity_id == tam
    ]
    assert not tams_knowledge.is_mistaken


async def test_memory_correction_that_is_undone_leaves_error(session: MemorySession) -> None:
    await session.play(
        "/cast - Old Tam",
        "> You find the key under the hearth.",
        "/fact The key is under the hearth.",
        "/cast + Old Tam",
        '"The key is under the bed," I tell Tam.',
        '"I lied. The key is under the hearth," I tell Tam.',
    )
    await session.remember()
    assert [m.text for m in await valid_memories(session, "Old Tam")] == ["The key is under the hearth."]
    await session.play("/undo")
    assert [m.text for m in await valid_memories(session, "Old Tam")] == ["The key is under the bed."]


async def test_memory_of_what_was_seen_is_not_corrected_by_words(session: MemorySession) -> None:
    await session.play(
        "> You find the key under the hearth.",
        "/fact The key is under the hearth.",
        '"No, the key is under the bed," I tell Tam.',
    )
    await session.remember()
    seen_memory, told_memory = await valid_memories(session, "Old Tam")
    assert (seen_memory.how, told_memory.how, told_memory.corrects) == (
        MemoryOrigin.SAW,
        MemoryOrigin.TOLD,
        None,
    )


async def test_memory_misremembered_by_gm_is_separate(session: MemorySession) -> None:
    await session.play("> Bela gives you a ring.", "/thing Ring: of silver", "/fact Mara owns Ring")
    await session.remember()
    fact_id = await session.fact_id("Mara owns Ring.")
    (lived,) = await session.memories_of("Old Tam")
    await session.manager.misremember(lived.id, "Bela Orsk owns Ring.")
    tam = lived.entity_id
    (tams_knowledge,) = [k for k in await session.knowledge.find_who_knows(fact_id) if k.entity_id == tam]
    assert tams_knowledge.is_mistaken
    assert [m.text for m in await valid_memories(session, "Old Tam")] == ["Bela Orsk owns Ring."]
    assert await session.fact_id("Mara owns Ring.") == fact_id
    # Extracting again keeps the change, and the GM can take it back.
    await restarted_manager(session).reconcile(session.scene_id)
    (changed,) = await valid_memories(session, "Old Tam")
    assert changed.text == "Bela Orsk owns Ring."
    await session.manager.misremember(changed.id, "")
    (tams_knowledge,) = [k for k in await session.knowledge.find_who_knows(fact_id) if k.entity_id == tam]
    assert not tams_knowledge.is_mistaken


@pytest.mark.parametrize("death", ["Bela bleeds to death.", "Old Tam kills Bela with the axe."])
async def test_nobody_remembers_their_own_death_also_if_it_is_replaced_or_taken_back(
    session: MemorySession, death: str
) -> None:
    """Replaced by a later sentence of the same commit; taken back with the commit; and decided once more."""
    await session.play(f"> {death}", "/fact Bela rows the ferry every day", "/accept all", "/end")
    await session.remember()
    first_scene = session.scene_id
    for lines in (("/commit", "/scene"), ("/undo",), ("/end", "/accept all", "/commit")):
        await session.play(*lines)
        await restarted_manager(session).reconcile(first_scene)
        texts = {m.text for m in await session.memories_of("Bela Orsk")}
        assert texts == {"Bela rows the ferry every day."}, lines
        assert death in {m.text for m in await session.memories_of("Old Tam")}


@pytest.mark.parametrize(
    ("outcome", "is_remembered"),
    [
        ("Bela drowned under the bridge, and Old Tam sang", False),
        ("Old Tam sang while Bela drowned", False),
        ("After Bela drowned, Old Tam sang", False),
        ("Bela fell from the bridge and drowned, and Old Tam sang", False),
        ("Bela nearly drowned, and Old Tam sang", True),
        ("Old Tam drowned under the bridge, and Bela sang", True),
    ],
)
async def test_nobody_remembers_their_own_death_among_other_things_of_a_sentence(
    session: MemorySession, outcome: str, is_remembered: bool
) -> None:
    ended_scene = session.scene_id
    await session.play("> Rain falls.", f"/end {outcome}", "/accept all", "/commit", "/scene")
    await restarted_manager(session).reconcile(ended_scene)
    assert (f"{outcome}." in {m.text for m in await session.memories_of("Bela Orsk")}) is is_remembered


async def test_memory_worker_writes_no_second_memory_in_restored_copy(session: MemorySession) -> None:
    """A copy has other identifiers, and the MemoryManager processes its scenes again."""
    await session.play("> Bela dies.", "/fact Bela Orsk is dead")
    await session.remember()
    originals = await session.memories_of("Old Tam")
    copied = [
        m.model_copy(update={"id": f"00000000-0000-7000-8000-00000000000{n}"})
        for n, m in enumerate(originals)
    ]
    manager = restarted_manager(session)
    stretch = await manager._scene_reader.read_stretch(
        await manager._scene_reader.read_setting(session.scene_id),
        await session.log.line_slice(session.scene_id, 0, 10),
    )
    extracted = [m for m in extract_memories(stretch, START) if m.entity_id == originals[0].entity_id]
    assert extracted
    assert find_changed_memories(extracted, copied, stretch) == []


async def test_whisper_command_reaches_only_its_hearer(session: MemorySession) -> None:
    await session.play("> Rain.", "/whisper bela orsk, Old Tam: the tide turns")
    (turn,) = await session.log.line_tail(session.scene_id, 1)
    ids_by_name = await session.ids_by_name()
    assert turn.speaker is Speaker.PLAYER
    assert turn.text == "I whisper to Bela Orsk and Old Tam: the tide turns"
    assert turn.hearers == (ids_by_name["Bela Orsk"], ids_by_name["Old Tam"])
    await session.play("I whisper to Bela: the tide has turned")
    (turn,) = await session.log.line_tail(session.scene_id, 1)
    assert turn.hearers == (ids_by_name["Bela Orsk"],)


@pytest.mark.parametrize(
    ("typed_line", "reason"),
    [
        ("/whisper Bela", "who hears what"),
        ("/whisper : run", "who hears what"),
        ("/whisper Bela:", "who hears what"),
        ("/whisper Nobody: run", "no 'Nobody'"),
        ("/whisper Old Tam: run", "not here"),
        ("/whisper Mara: run", "who you play"),
    ],
)
async def test_whisper_command_without_hearer_is_refused(
    session: MemorySession, typed_line: str, reason: str
) -> None:
    await session.play("> Rain.", "/cast - Old Tam")
    with pytest.raises(InputError) as refusal:
        await session.play(typed_line)
    assert reason in str(refusal.value)
    assert len(await session.log.line_tail(session.scene_id, 9)) == 1


async def test_beliefs_are_shown_beside_canon(session: MemorySession) -> None:
    await session.play(
        "/thing Ring: of silver",
        "> Bela takes the ring.",
        "/fact Bela Orsk owns Ring",
        "/cast - Old Tam",
        "/commit",
        "> Bela gives you the ring.",
        "/fact Mara owns Ring",
        "/commit",
    )
    await session.remember()
    ids_by_name = await session.ids_by_name()
    beliefs = await session.knowledge.read_beliefs(ids_by_name["Old Tam"])
    (belief,) = [b for b in beliefs if "owns" in b.memory.text]
    assert belief.current_fact is not None
    assert (belief.current_fact.statement, belief.agrees_with_canon) == ("Mara owns Ring.", False)
    assert isinstance(session.knowledge, KnowledgeReader)


async def test_memory_worker_runs_in_background_and_resumes(tmp_path: Path) -> None:
    async with open_memory_session(tmp_path) as first:
        await first.play(*PEOPLE, "> Bela swears by the fire.", "> Rain.")
        await first.program.services.jobs.wait_until_idle()
        assert len(await first.memories_of("Old Tam")) == 1
        await first.play("> Bela swears by the sea.")
        scene_id = first.scene_id
    async with opened(tmp_path, seed=2) as second:
        await second.services.jobs.wait_until_idle()
        memories = await second.stores.log(Role.MEMORY_MANAGER).memories(MemoryQuery(scene_id=scene_id))
        texts = {m.text for m in memories}
        assert texts == {"Bela swears by the fire.", "Bela swears by the sea."}
        assert len(memories) == 6


@pytest.mark.parametrize(
    ("lines", "last_line", "remembered"),
    [
        ((), RUNG, True),
        ((RUNG,), "/reject the bell", False),
        ((RUNG,), "/undo", False),
        ((RUNG, "/undo"), "/redo", True),
    ],
    ids=["proposed", "rejected", "undone", "redone"],
)
async def test_memories_follow_what_was_done_last_before_a_kill(
    session: MemorySession, lines: tuple[str, ...], last_line: str, remembered: bool
) -> None:
    async def look_again() -> None:
        """Do what a program does at its start, which has heard of nothing that was done before."""
        manager = restarted_manager(session, JobStore(session.program.stores.log(Role.ORCHESTRATOR), utc_now))
        scene = await session.log.scene(session.scene_id)
        for subject in (await manager.find_due([scene])).subjects:
            while await manager.reconcile(subject.id):
                pass
        assert (await manager.find_due([scene])).subjects == []

    await session.play("> It rains on the yard.", *lines)
    await look_again()
    await session.play(last_line)
    await look_again()
    memories = await session.log.memories(MemoryQuery(scene_id=session.scene_id))
    assert any("rings the bell" in m.text and m.linked_fact_id for m in memories) is remembered
