"""What the MemoryManager writes and leaves: done again, undone, corrected, recalled, misremembered."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.events import MemoriesWritten
from agents.memory_manager.fact_knowledge import KnowledgeReader
from agents.memory_manager.memory_changes import find_changed_memories
from agents.memory_manager.memory_decay import compute_retention
from agents.memory_manager.memory_extraction import extract_memories
from agents.memory_manager.memory_worker import MemoryManager
from agents.memory_manager.scene_reader import SceneReader
from stores.authority import Role
from stores.errors import InputError
from stores.queries import MemoryQuery
from stores.records.ids import SteppingClock
from stores.records.memory import Memory, MemoryOrigin
from stores.records.play import Speaker
from tests.agents.memory_manager.memory_play import Noted, Remembering, catalogue_of, remembering
from tests.program import START, opened

DAY = 24 * 60
PEOPLE = ("/npc Bela Orsk: a smith", "/npc Old Tam: a keeper")


@pytest.fixture
async def played(tmp_path: Path) -> AsyncIterator[Remembering]:
    async with remembering(tmp_path) as found:
        await found.play(*PEOPLE)
        yield found


def another(played: Remembering) -> MemoryManager:
    """A MemoryManager that knows nothing of the first one's cursors, as after a restart without them."""
    canon, log = played.program.stores.canon(Role.MEMORY_MANAGER), played.log
    scenes = SceneReader(canon, log, catalogue_of)
    return MemoryManager(log, scenes, Noted(), SteppingClock(START), played.program.services.events)


async def counting(played: Remembering, name: str) -> list[Memory]:
    return await played.knowledge.filter_valid(await played.of(name))


async def test_memory_worker_is_idempotent(played: Remembering) -> None:
    await played.play(
        "> Bela swears to mend the gate.", "/fact promise: Bela Orsk mends the gate.", "> Rain."
    )
    await played.remember()
    first = await played.log.memories(MemoryQuery(universe_id=await played.universe()))
    played.published.clear()
    manager = another(played)
    while await manager.reconcile(played.scene_id):
        pass
    assert await played.log.memories(MemoryQuery(universe_id=await played.universe())) == first
    assert not [e for e in played.published if isinstance(e, MemoriesWritten)]


async def test_memory_worker_keeps_recalls_when_rewriting(played: Remembering) -> None:
    await played.play("> Bela swears by the fire to mend the gate.")
    await played.remember()
    (memory,) = await played.of("Old Tam")
    await played.read(memory.id, tick=memory.tick + 10 * DAY)
    await played.play("/fact promise: Bela Orsk will mend the gate.")
    await played.remember()
    (linked,) = await played.of("Old Tam")
    assert linked.id == memory.id
    assert linked.linked_fact_id is not None
    assert (linked.access_count, linked.recalled) == (1, memory.tick + 10 * DAY)
    assert linked.strength > 1


async def test_memory_worker_follows_undo_and_redo(played: Remembering) -> None:
    await played.play("> Rain.", "> Bela betrays you to the guild.")
    await played.remember()
    assert len(await counting(played, "Old Tam")) == 1
    await played.play("/undo")
    await played.remember()
    assert await counting(played, "Old Tam") == []
    await played.play("> Bela saves you from the guild.")
    await played.remember()
    assert [m.text for m in await counting(played, "Old Tam")] == ["Bela saves you from the guild."]


async def test_memory_worker_keeps_heard_words_of_rejected_proposal(played: Remembering) -> None:
    await played.play("> Bela gives you a ring of silver.", "/thing Ring: of silver", "/fact Mara owns Ring")
    await played.remember()
    fact_id = await played.fact("Mara owns Ring.")
    assert len(await played.knowledge.find_who_knows(fact_id)) == 3
    await played.play("/reject 4")
    await played.remember()
    assert await played.knowledge.find_who_knows(fact_id) == []
    (memory,) = await counting(played, "Old Tam")
    assert memory.text == "Bela gives you a ring of silver."


async def test_memory_worker_skips_unimportant_turns(played: Remembering) -> None:
    await played.play(*("> It is a grey day." for _ in range(5)), "> Bela dies.")
    await played.remember()
    assert len(await played.of("Old Tam")) == 1


async def test_memory_correction_replaces_error_without_repeating_it(played: Remembering) -> None:
    await played.play(
        "/cast - Old Tam",
        "> You find the key under the hearth.",
        "/fact The key is under the hearth.",
        "/cast + Old Tam",
        '"The key is under the bed," I tell Tam.',
        '"I lied. The key is not under the bed, it is under the hearth," I tell Tam.',
        '"The key is under the hearth," I tell Tam.',
    )
    await played.remember()
    error, *_ = [m for m in await played.of("Old Tam") if "bed" in m.text]
    now = error.tick + 30 * DAY
    before = compute_retention(error, now)
    counted = await counting(played, "Old Tam")
    assert error.id not in {m.id for m in counted}
    correction = next(m for m in counted if m.corrects == error.id)
    # To recall the correction, retell it or read both does not make the error any fresher.
    for day in (5, 10, 20):
        await played.read(correction.id, error.id, tick=error.tick + day * DAY)
    await played.play("/cast - Bela Orsk", '> "The key is under the hearth," Tam tells you.')
    await played.remember()
    (error,) = await played.log.memories(MemoryQuery(ids=[error.id]))
    assert (compute_retention(error, now), error.access_count) == (before, 0)
    (correction,) = await played.log.memories(MemoryQuery(ids=[correction.id]))
    assert correction.access_count == 3
    tam = (await played.everyone())["Old Tam"]
    (knows,) = [
        k
        for k in await played.knowledge.find_who_knows(await played.fact("The key is under the hearth."))
        if k.entity_id == tam
    ]
    assert not knows.is_mistaken


async def test_memory_correction_that_is_undone_leaves_error(played: Remembering) -> None:
    await played.play(
        "/cast - Old Tam",
        "> You find the key under the hearth.",
        "/fact The key is under the hearth.",
        "/cast + Old Tam",
        '"The key is under the bed," I tell Tam.',
        '"I lied. The key is under the hearth," I tell Tam.',
    )
    await played.remember()
    assert [m.text for m in await counting(played, "Old Tam")] == ["The key is under the hearth."]
    await played.play("/undo")
    assert [m.text for m in await counting(played, "Old Tam")] == ["The key is under the bed."]


async def test_memory_of_what_was_seen_is_not_corrected_by_words(played: Remembering) -> None:
    await played.play(
        "> You find the key under the hearth.",
        "/fact The key is under the hearth.",
        '"No, the key is under the bed," I tell Tam.',
    )
    await played.remember()
    saw, told = await counting(played, "Old Tam")
    assert (saw.how, told.how, told.corrects) == (MemoryOrigin.SAW, MemoryOrigin.TOLD, None)


async def test_memory_misremembered_by_gm_is_separate(played: Remembering) -> None:
    await played.play("> Bela gives you a ring.", "/thing Ring: of silver", "/fact Mara owns Ring")
    await played.remember()
    fact_id = await played.fact("Mara owns Ring.")
    (lived,) = await played.of("Old Tam")
    await played.manager.misremember(lived.id, "Bela Orsk owns Ring.")
    tam = lived.entity_id
    (knows,) = [k for k in await played.knowledge.find_who_knows(fact_id) if k.entity_id == tam]
    assert knows.is_mistaken
    assert [m.text for m in await counting(played, "Old Tam")] == ["Bela Orsk owns Ring."]
    assert await played.fact("Mara owns Ring.") == fact_id
    # Written again, it stays; and it can be put back.
    await another(played).reconcile(played.scene_id)
    (changed,) = await counting(played, "Old Tam")
    assert changed.text == "Bela Orsk owns Ring."
    await played.manager.misremember(changed.id, "")
    (knows,) = [k for k in await played.knowledge.find_who_knows(fact_id) if k.entity_id == tam]
    assert not knows.is_mistaken


async def test_memory_worker_writes_no_second_memory_in_restored_copy(played: Remembering) -> None:
    """A copy has other identifiers, and the MemoryManager goes through its scenes anew."""
    await played.play("> Bela dies.", "/fact Bela Orsk is dead")
    await played.remember()
    own = await played.of("Old Tam")
    copied = [
        m.model_copy(update={"id": f"00000000-0000-7000-8000-00000000000{n}"}) for n, m in enumerate(own)
    ]
    made = another(played)
    lived = await made._scene_reader.read_stretch(
        await made._scene_reader.read_setting(played.scene_id),
        await played.log.line_slice(played.scene_id, 0, 10),
    )
    tams = [m for m in extract_memories(lived, START) if m.entity_id == own[0].entity_id]
    assert tams
    assert find_changed_memories(tams, copied, lived) == []


async def test_whisper_command_reaches_only_its_hearer(played: Remembering) -> None:
    await played.play("> Rain.", "/whisper bela orsk, Old Tam: the tide turns")
    (turn,) = await played.log.line_tail(played.scene_id, 1)
    everyone = await played.everyone()
    assert turn.speaker is Speaker.PLAYER
    assert turn.text == "I whisper to Bela Orsk and Old Tam: the tide turns"
    assert turn.hearers == (everyone["Bela Orsk"], everyone["Old Tam"])
    await played.play("I whisper to Bela: the tide has turned")
    (turn,) = await played.log.line_tail(played.scene_id, 1)
    assert turn.hearers == (everyone["Bela Orsk"],)


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("/whisper Bela", "who hears what"),
        ("/whisper : run", "who hears what"),
        ("/whisper Bela:", "who hears what"),
        ("/whisper Nobody: run", "no 'Nobody'"),
        ("/whisper Old Tam: run", "not here"),
        ("/whisper Mara: run", "who you play"),
    ],
)
async def test_whisper_command_without_hearer_is_refused(played: Remembering, typed: str, why: str) -> None:
    await played.play("> Rain.", "/cast - Old Tam")
    with pytest.raises(InputError) as refused:
        await played.play(typed)
    assert why in str(refused.value)
    assert len(await played.log.line_tail(played.scene_id, 9)) == 1


async def test_beliefs_are_shown_beside_canon(played: Remembering) -> None:
    await played.play(
        "/thing Ring: of silver",
        "> Bela takes the ring.",
        "/fact Bela Orsk owns Ring",
        "/cast - Old Tam",
        "/commit",
        "> Bela gives you the ring.",
        "/fact Mara owns Ring",
        "/commit",
    )
    await played.remember()
    everyone = await played.everyone()
    beliefs = await played.knowledge.read_beliefs(everyone["Old Tam"])
    (belief,) = [b for b in beliefs if "owns" in b.memory.text]
    assert belief.current_fact is not None
    assert (belief.current_fact.statement, belief.agrees_with_canon) == ("Mara owns Ring.", False)
    assert isinstance(played.knowledge, KnowledgeReader)


async def test_memory_worker_runs_in_background_and_resumes(tmp_path: Path) -> None:
    async with remembering(tmp_path) as first:
        await first.play(*PEOPLE, "> Bela swears by the fire.", "> Rain.")
        await first.program.services.jobs.wait_until_idle()
        assert len(await first.of("Old Tam")) == 1
        await first.play("> Bela betrays you to the guild.")
        scene_id = first.scene_id
    async with opened(tmp_path, seed=2) as second:
        await second.services.jobs.wait_until_idle()
        memories = await second.stores.log(Role.MEMORY_MANAGER).memories(MemoryQuery(scene_id=scene_id))
        texts = {m.text for m in memories}
        assert texts == {"Bela swears by the fire.", "Bela betrays you to the guild."}
        assert len(memories) == 6
