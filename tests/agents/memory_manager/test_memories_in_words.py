"""Memories hold what happened in words, whatever was rolled, changed or typed in the scene."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.memory_manager.memory_cursor import MemoryCursor
from agents.memory_manager.memory_extraction import derive_memory_id
from agents.memory_manager.memory_worker import MemoryManager
from agents.memory_manager.scene_reader import SceneReader
from stores.authority import Role
from stores.errors import InputError
from stores.queries import MemoryQuery
from stores.records.ids import SteppingClock
from stores.records.memory import Memory
from stores.records.play import Speaker
from tests.agents.memory_manager.memory_session import (
    InMemoryCursors,
    MemorySession,
    open_memory_session,
    read_catalogue,
)
from tests.examples import examples
from tests.program import START

PEOPLE = (
    "/npc here Captain Vess: a captain (hp 8, luck 2)",
    "/creature here Rat: scarred (hp 4)",
    "/thing Bell: of glass",
)
BOOKKEEPING = (
    re.compile(r"\d*d\d|\[\d|\bvs\b|\d = \d|·|[●○]", re.IGNORECASE),
    re.compile(r"\b(?:hp|might|luck|tension|clock)\b[^.]*\d|\d\s*(?:hp|damage)\b|\d\s*/\s*\d", re.IGNORECASE),
    re.compile(r"^\s*[/?]|\s/[a-z]|\w\.\w+ *[-+=]", re.IGNORECASE),
)
LINES = (
    "/check 2d6+9 vs 5",
    "I stamp on the rat. /check 2d6+9 vs 5; success: Rat.hp -4; fail: Mara.hp -2",
    "I swear to bring the bell back! /check might vs 8; success: Vess +grateful",
    "I attack the rat with my knife 2d6+9 vs 5",
    "/roll 2d6+9",
    "/roll 4d6kh3",
    "? Is Captain Vess a traitor?",
    "? likely: Was the bell stolen by the rat?",
    "/spark",
    "/react Captain Vess",
    "/state Mara.hp -3",
    "/state Mara.hp = 4",
    "/state Mara.hp +5, Rat.hp = 0",
    "/state Captain Vess.luck -1",
    "/state Captain Vess +wounded",
    "/clock The thaw 6",
    "/clock The thaw +2",
    "/thread Who stole the bell?",
    "/tension up",
    "/decide We never kill the rat.",
    "/time +2h",
    "/fact Mara's hp is 5",
    "/fact The clock of the thaw is at 3/6.",
    "/fact promise: Mara will bring the bell back.",
    "/fact Rat is dead",
    "/fact question: Who stole the bell?",
    "/cast - Captain Vess",
    "/cast + Captain Vess",
    "> Vess loses 3 hp and bleeds.",
    "> The rat bites you. (hp 4)",
    "> Vess gives you the bell. Mara.hp = 10",
    '> "Give me the bell or I kill you," says Vess. 2d6+3 vs 8',
    "I promise Vess the bell.",
    "/whisper Captain Vess: I stole the bell; you have 2 hp.",
    "/undo",
    "/redo",
    "/commit",
)


def find_bookkeeping(memories: Sequence[Memory]) -> list[str]:
    return [m.text for m in memories if any(pattern.search(m.text) for pattern in BOOKKEEPING)]


@pytest.fixture
async def session(tmp_path: Path) -> AsyncIterator[MemorySession]:
    async with open_memory_session(tmp_path) as opened_session:
        await opened_session.play(*PEOPLE)
        yield opened_session


async def texts_of(session: MemorySession, name: str) -> list[str]:
    return [m.text for m in await session.knowledge.filter_valid(await session.memories_of(name))]


@pytest.mark.slow
@settings(max_examples=examples(40, 6))
@given(lines=st.lists(st.sampled_from(LINES), min_size=8, max_size=20))
def test_memories_hold_no_bookkeeping_after_any_play(lines: list[str]) -> None:
    asyncio.run(play_and_check(lines))


async def play_and_check(lines: Sequence[str]) -> None:
    with TemporaryDirectory() as home:
        async with open_memory_session(Path(home)) as session:
            await session.play(*PEOPLE)
            for line in lines:
                with suppress(InputError):  # a clock that is there already, nobody to leave
                    await session.play(line)
                await session.remember()
            universe_id = await session.universe_id()
            assert find_bookkeeping(await session.log.memories(MemoryQuery(universe_id=universe_id))) == []


async def test_memories_of_every_kind_of_line_hold_no_bookkeeping(session: MemorySession) -> None:
    for line in LINES:
        with suppress(InputError):
            await session.play(line)
    await session.remember()
    memories = await session.log.memories(MemoryQuery(universe_id=await session.universe_id()))
    assert find_bookkeeping(memories) == []
    assert len(memories) > 20


async def test_witness_remembers_promise_death_gift_and_wound(session: MemorySession) -> None:
    await session.play(
        "I look Vess in the eye.",
        "/promise Mara will bring the bell back",
        "> Vess gives you the bell.",
        "I stamp on the rat. /check 2d6+9 vs 5; success: Rat.hp -3",
        "/state Captain Vess.hp = 3",
        "/state Captain Vess.hp = 6",
        "> The rat lies still.",
        "/fact Rat is dead",
    )
    await session.remember()
    assert await texts_of(session, "Captain Vess") == [
        "Mara promised to bring the bell back.",
        "Vess gives you the bell.",
        "Rat was wounded.",
        "Captain Vess was wounded.",
        "Captain Vess was healed.",
        "Mara tried to stamp on the rat, and it succeeded.",
        "Rat died.",
    ]


async def test_wound_is_remembered_after_its_number_is_canon(session: MemorySession) -> None:
    await session.play("> The rat bites Vess.", "/state Captain Vess.hp -2")
    for command in ("/accept all", "/commit"):
        with suppress(InputError):
            await session.play(command)
    await session.remember()
    texts = await texts_of(session, "Captain Vess")
    assert "Captain Vess was wounded." in texts
    assert not any(m.linked_fact_id for m in await session.memories_of("Captain Vess") if "wounded" in m.text)


async def test_bare_roll_after_prose_leaves_no_memory(session: MemorySession) -> None:
    await session.play("> The gulls circle.", "/check 2d6+9 vs 5", "/check might vs 4")
    await session.remember()
    assert await texts_of(session, "Captain Vess") == []


async def test_rejected_change_on_a_roll_leaves_no_dice_in_memory(session: MemorySession) -> None:
    await session.play("> Rain.", "/check 2d6+9 vs 5; success: Rat +stunned")
    await session.remember()
    assert await texts_of(session, "Captain Vess") == ["Rat is stunned."]
    await session.play("/reject Rat is stunned")
    await session.remember()
    assert await texts_of(session, "Captain Vess") == []


async def test_death_beside_an_unrelated_declaration_is_remembered(session: MemorySession) -> None:
    await session.play("> Rain.", "> The mate falls dead.", "/fact Captain Vess owns Bell")
    await session.remember()
    assert await texts_of(session, "Captain Vess") == ["Captain Vess owns Bell.", "The mate falls dead."]


async def test_attempt_is_remembered_with_what_was_tried(session: MemorySession) -> None:
    await session.play(
        "I look Vess in the eye.",
        "I try to swim the weir. /check 2d6+9 vs 5",
        "I throw the knife at the rat! /check 2d6 vs 30",
        "I grab the rope and jump. /check 2d6+9 vs 5",
        "I hide my lamp. /check 2d6+9 vs 5",
        "I could jump that gap. /check 2d6+9 vs 5",
    )
    await session.remember()
    assert await texts_of(session, "Captain Vess") == [
        "Mara tried to swim the weir, and it succeeded.",
        "Mara tried to throw the knife at the rat, and it failed.",
        "Mara: I grab the rope and jump. It succeeded.",
        "Mara: I hide my lamp. It succeeded.",
        "Mara: I could jump that gap. It succeeded.",
    ]


@pytest.mark.parametrize(
    ("said", "rolled", "remembered"),
    [
        ("/whisper Captain Vess: my brother killed the mate", "/check 2d6 vs 30", None),
        ("/whisper Captain Vess: my brother killed the mate", "/check 2d6+9 vs 5; fail: Mara.hp -3", None),
        ("I swing at the rat.", "/check 2d6 vs 30", "Mara tried to swing at the rat, and it failed."),
        ("I beg Captain Vess to turn the boat.", "/check 2d6 vs 30", "and it failed."),
    ],
)
async def test_whisper_is_nothing_that_dice_decided(
    session: MemorySession, said: str, rolled: str, remembered: str | None
) -> None:
    await session.play("> Rain.", said, rolled)
    await session.remember()
    ends = [text for text in await texts_of(session, "Captain Vess") if re.search(r"failed|succeeded", text)]
    assert len(ends) == (remembered is not None)
    assert all(text.endswith(remembered or "") for text in ends)


async def test_move_that_names_whom_it_is_done_to_is_remembered_as_that(session: MemorySession) -> None:
    """A move without a name, and a check, belong to the line before; a move behind words belongs to these."""
    await session.play(
        "/system lantern_twos",
        "I duck behind a barrel.",
        "/move strike Rat",
        "> The gulls circle.",
        "/move strike rat adv",
        "I creep past.",
        "/move slip",
        "I lunge at it. /move strike Rat",
        "I swing.",
        "/check might vs 3",
    )
    await session.remember()
    outcome = re.compile(r", and it (?:half )?(?:succeeded|failed)\.")
    texts = [outcome.sub("", text) for text in await texts_of(session, "Captain Vess")]
    assert [text for text in texts if "wounded" not in text] == [
        "Mara tried to strike Rat",
        "Mara tried to strike Rat",
        "Mara tried to creep past",
        "Mara tried to lunge at it",
        "Mara tried to swing",
    ]


async def test_arrival_is_remembered_in_the_words_that_tell_of_it_alone(session: MemorySession) -> None:
    await session.play("> Rain.", "/cast - Captain Vess", "> Wind.", "/cast + Captain Vess", "> Fog.")
    await session.play("/cast - Captain Vess", "> Captain Vess comes in with a lamp.")
    await session.remember()
    assert await texts_of(session, "Rat") == ["Captain Vess comes in with a lamp."]
    assert await texts_of(session, "Captain Vess") == ["Captain Vess comes in with a lamp."]


async def test_bookkeeping_of_an_earlier_version_is_replaced(session: MemorySession) -> None:
    """An earlier version wrote dice and numbers, and its cursor names no version of the words."""
    await session.play("> The gulls circle.", "/check 2d6+9 vs 5", "> Vess swears to mend the gate.")
    head = (await session.log.scene(session.scene_id)).head or ""
    turns = await session.log.line_slice(session.scene_id, 0, 10)
    (oracle_turn,) = [t for t in turns if t.speaker is Speaker.ORACLE]
    vess_id = (await session.ids_by_name())["Captain Vess"]
    old_memory = Memory(
        id=derive_memory_id(oracle_turn.id, vess_id, "0"),
        entity_id=vess_id,
        universe_id=await session.universe_id(),
        scene_id=session.scene_id,
        turn_id=oracle_turn.id,
        text=oracle_turn.text,
        created_at=START,
    )
    await session.log.put_memories([old_memory])
    cursors = InMemoryCursors()
    cursors.cursors[session.scene_id] = f"{head} {turns[-1].depth} 0123456789abcdef 4"
    assert MemoryCursor.parse(cursors.cursors[session.scene_id]).is_behind(head)
    assert MemoryCursor.parse(cursors.cursors[session.scene_id]).edition == 4
    scene_reader = SceneReader(session.program.stores.canon(Role.MEMORY_MANAGER), session.log, read_catalogue)
    manager = MemoryManager(
        session.log, session.log, scene_reader, cursors, SteppingClock(START), session.program.services.events
    )
    while await manager.reconcile(session.scene_id):
        pass
    assert await texts_of(session, "Captain Vess") == ["Captain Vess promised to mend the gate."]
    cursor = MemoryCursor.parse(cursors.cursors[session.scene_id])
    assert not cursor.is_behind(head)
    assert cursor.edition == 6


async def test_memories_have_what_somebody_here_said_from_them(session: MemorySession) -> None:
    await session.play("/npc here Teodor Ash: a smuggler", "/npc here Old Tam: the keeper", "/commit")
    await session.play("Teodor: The glass bell was stolen by Old Tam.")
    await session.remember()
    memories = await session.memories_of("Old Tam")
    told = [(m.text, m.told_by) for m in memories if "glass bell" in m.text]
    assert told == [("The glass bell was stolen by Old Tam.", (await session.ids_by_name())["Teodor Ash"])]
