"""Tests of summaries: bounded length, anchored to turns, with decisions and promises in full."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.context_assembly import narrative_context
from agents.context_assembly.package_builder import ContextPackageBuilder
from agents.context_assembly.scene_context import SceneContextLoader
from agents.context_assembly.story_agenda import StoryAgendaReader
from agents.indexer.source_reader import SourceReader
from agents.jobs.job_store import JobStore
from agents.memory_manager.summary_texts import (
    DECIDED_PREFIX,
    LAST_SCENES_KEPT,
    MAX_GIST_CHARS,
    MAX_SUMMARY_CHARS,
    OWED_PREFIX,
    ROLL_UP_SIZE,
    SCENE_KIND,
    SCENE_LEVELS,
    STORY_KIND,
    plan_scene_levels,
    roll_up_summaries,
    shorten_text,
    summarise_scene,
    summarise_stretch,
)
from agents.memory_manager.summary_worker import SummaryWorker
from stores.authority import Role
from stores.records.ids import Id, SteppingClock, utc_now
from stores.records.llm import DecisionMark
from stores.records.memory import Summary
from stores.records.play import MoveKind, Speaker, Turn
from stores.records.workflow import Verdict
from tests.agents.memory_manager.memory_session import InMemoryCursors, MemorySession, open_memory_session
from tests.contract import builders as make
from tests.program import START

AT = datetime(2026, 1, 1, tzinfo=UTC)
WORDS = st.text(alphabet="abc .!?", min_size=0, max_size=400)


@pytest.fixture
async def session(tmp_path: Path) -> AsyncIterator[MemorySession]:
    async with open_memory_session(tmp_path) as opened_session:
        yield opened_session


def build_summary_worker(session: MemorySession) -> SummaryWorker:
    canon = session.program.stores.canon(Role.MEMORY_MANAGER)
    return SummaryWorker(session.log, session.log, canon, InMemoryCursors(), SteppingClock(START))


async def summarise(session: MemorySession, scene_id: Id | None = None) -> None:
    worker = build_summary_worker(session)
    while await worker.reconcile(scene_id or session.scene_id):
        pass


async def test_recap_of_a_story_that_is_over_becomes_a_summary_of_its_last_scene(
    session: MemorySession,
) -> None:
    await session.play("I wait.", "/promise Mara will bring the bell back", "/commit", "> It rains.")
    story_id = (await session.log.scene(session.scene_id)).story_id
    await summarise(session)
    assert await session.log.summaries(session.scene_id) == []
    report = await session.program.services.stories.complete_story(story_id, "The bell hung\nin the mud.")
    assert report.open_matters == ("Mara will bring the bell back.",)
    await summarise(session)
    texts_by_kind = {s.kind: s.text for s in await session.log.summaries(session.scene_id)}
    assert texts_by_kind["recap"] == "“A story” is over: The bell hung in the mud."
    assert texts_by_kind["scene"].startswith("Scene 1 “The yard”: ")


async def append_gm_turns(session: MemorySession, count: int, word: str = "Turn") -> None:
    """Append so many GM turns directly to the log."""
    scene = await session.log.scene(session.scene_id)
    last_turns = await session.log.line_tail(session.scene_id, 1)
    before = last_turns[0] if last_turns else None
    for _ in range(count):
        number = before.depth + 2 if before else 1
        turn = make.turn(scene, before, f"{word} {number}: rain.", speaker=Speaker.GM)
        await session.program.stores.log(Role.NARRATOR).append_gm_turn(turn)
        before = turn


@given(st.integers(min_value=0, max_value=5_000))
def test_summary_levels_cover_any_past_with_few_summaries(count: int) -> None:
    planned_levels = plan_scene_levels(count)
    assert [n for _, first, last in planned_levels for n in range(first, last + 1)] == list(range(count))
    assert all(
        last - first + 1 == ROLL_UP_SIZE**level and first % (last - first + 1) == 0
        for level, first, last in planned_levels
    )
    assert len(planned_levels) <= LAST_SCENES_KEPT + ROLL_UP_SIZE * len(SCENE_LEVELS)
    assert all(level == 0 for level, first, _ in planned_levels if first >= count - LAST_SCENES_KEPT)


@given(st.lists(WORDS, min_size=10, max_size=10), st.lists(st.text(alphabet="xyz", min_size=1), max_size=3))
def test_summary_roll_up_shortens_all_but_decisions_and_open_matters(
    texts: list[str], promises: list[str]
) -> None:
    lines = [f"{DECIDED_PREFIX}{p} is so." for p in promises] + [f"{OWED_PREFIX}{p}." for p in promises]
    children = [f"{text}\n" + "\n".join(lines) for text in texts]
    first, *marked_lines = roll_up_summaries("Scenes 1 to 10: ", children, promises[:1]).splitlines()
    assert len(first) <= len("Scenes 1 to 10: ") + ROLL_UP_SIZE * (MAX_GIST_CHARS + 1)
    assert {line for line in marked_lines if line.startswith(DECIDED_PREFIX)} == {
        line for line in lines if line.startswith(DECIDED_PREFIX)
    }
    assert all(
        line[len(OWED_PREFIX) :] == f"{promises[0]}." for line in marked_lines if line.startswith(OWED_PREFIX)
    )


@given(WORDS, st.integers(min_value=10, max_value=200))
def test_summary_shortening_never_lengthens(text: str, max_chars: int) -> None:
    assert len(shorten_text(text, max_chars)) <= max_chars


def test_summary_of_stretch_keeps_important_sentences_and_decisions() -> None:
    turns = [
        Turn(
            id=str(n),
            scene_id="s",
            parent_id=None,
            exchange_id=str(n),
            speaker=Speaker.GM,
            text="Bela dies on the stair."
            if n == 7
            else "It rains upon the yard, and nobody comes or goes at all.",
            depth=n,
            created_at=AT,
        )
        for n in range(20)
    ]
    reason = "The bell is moved " * 60
    mark = DecisionMark(
        id="d",
        universe_id="u",
        scene_id="s",
        turn_id="3",
        text="@DECISION(...)",
        reason=reason.strip(),
        at=AT,
    )
    text = summarise_stretch(turns, decisions=[mark], commitments=["Bela owes Tam a boat."])
    first, *marked_lines = text.splitlines()
    assert "Bela dies on the stair." in first
    assert len(first) < MAX_SUMMARY_CHARS + 100
    assert marked_lines == [DECIDED_PREFIX + reason.strip(), OWED_PREFIX + "Bela owes Tam a boat."]


async def test_summaries_of_stretches_follow_undo_and_branch(session: MemorySession) -> None:
    await append_gm_turns(session, 45)
    await summarise(session)
    shown_turn_ids = {t.id for t in await session.log.line_tail(session.scene_id, 5)}
    first, second = await narrative_context.read_scene_summary(session.log, session.scene_id, shown_turn_ids)
    assert first.startswith("Turns 1 to 20:")
    assert second.startswith("Turns 21 to 40:")
    (earlier_turn,) = await session.log.line_slice(session.scene_id, 29, 1)
    await session.program.stores.log(Role.ORCHESTRATOR).move_head(
        session.scene_id, earlier_turn.id, MoveKind.UNDO
    )
    assert await narrative_context.read_scene_summary(session.log, session.scene_id, ()) == (first,)
    await append_gm_turns(session, 12, "Elsewhere")
    await summarise(session)
    lines = await narrative_context.read_scene_summary(session.log, session.scene_id, ())
    assert lines[0] == first
    assert "Elsewhere" in lines[1]
    await summarise(session)
    assert await narrative_context.read_scene_summary(session.log, session.scene_id, ()) == lines


@pytest.mark.parametrize("count", [20, 200])
async def test_summary_of_stretch_has_what_is_declared_on_its_last_turn_later(
    session: MemorySession, count: int
) -> None:
    await append_gm_turns(session, count)
    await summarise(session)
    await session.play("/fact The bell hangs in the Net Loft")
    await summarise(session)
    (line,) = await narrative_context.read_scene_summary(session.log, session.scene_id, ())
    assert "The bell hangs in the Net Loft." in line


async def test_summaries_of_long_scene_are_few(session: MemorySession) -> None:
    await append_gm_turns(session, 230)
    await summarise(session)
    lines = await narrative_context.read_scene_summary(session.log, session.scene_id, ())
    assert [line.split(":")[0] for line in lines] == ["Turns 1 to 200", "Turns 201 to 220"]


@pytest.mark.slow
async def test_summaries_of_story_reach_next_scene(session: MemorySession) -> None:
    await session.play(
        "/npc here Bela Orsk: a smith",
        "> Bela gives you a horn and waves.",
        "/thing Horn: of a ram",
        "/fact Mara owns Horn",
        "/fact promise: Bela Orsk waits for Mara at the ford.",
        "/end The horn is yours",
        "/accept all",
    )
    before = session.scene_id
    await session.play("/commit")
    assert session.scene_id != before
    await summarise(session, before)
    stores = session.program.stores
    canon, log = stores.canon(Role.CONTEXT_ASSEMBLY), stores.log(Role.CONTEXT_ASSEMBLY)
    context = SceneContextLoader(canon, log)
    builder = ContextPackageBuilder(canon, log, context, StoryAgendaReader(canon, log))
    package = await builder.build_package(await context.load_context(session.scene_id))
    assert not package.narrative.summary_lines, "the scene before is wholly in view"
    await session.play(*(f"I walk {n}." for n in range(60)))
    package = await builder.build_package(await context.load_context(session.scene_id))
    scene, promise = [line for line in package.narrative.summary_lines if not line.startswith("Turns ")]
    assert scene.startswith("Scene 1 “The yard”: The horn is yours.")
    assert "Mara owns Horn." in scene
    assert promise == OWED_PREFIX + "Bela Orsk waits for Mara at the ford."


def test_scene_summary_never_leaves_out_a_death() -> None:
    """Thirty facts came before it, and each was told."""
    scene = make.scene(make.story())
    turn = make.turn(scene, None, "Ama lies in the snow.", speaker=Speaker.GM)
    facts = [f"Bastien Rook is in sledge shed number {n}." for n in range(30)]
    bullets = [f"Odile Ferrant counts the envelopes of bundle {n}." for n in range(30)]
    text = summarise_scene(scene, [turn], deaths=["Ama Tolland died."], facts=facts, bullets=bullets)
    assert "Ama Tolland died." in text


def test_summary_takes_what_weighs_most_in_its_order() -> None:
    scene = make.scene(make.story())
    turn = make.turn(scene, None, "It rains.", speaker=Speaker.GM)
    scenery = [f"The stove of room {n} ticks as it cools in the grey of the morning." for n in range(12)]
    facts = [*scenery[:6], "The seal is forged.", *scenery[6:]]
    bullets = ["Ivo rows out.", "Father Hesk kills Ama Tolland with the letter knife."]
    text = summarise_stretch([turn], facts=facts, bullets=bullets, weights={"The seal is forged.": 0.95})
    assert text.index("The seal is forged.") < text.index("Father Hesk kills Ama Tolland")
    assert sum(sentence in text for sentence in scenery) < len(scenery)


async def test_scene_summary_has_who_died_in_it_and_not_what_was_replaced(session: MemorySession) -> None:
    await session.play(
        "/npc here Ama Tolland: a clerk",
        "/place Sledge Shed",
        "/place Sill Station",
        "/fact Ama Tolland located_in Sledge Shed",
        "/fact Ama Tolland located_in Sill Station",
        *(f"/fact The envelope of bundle {n} is sealed with grey wax" for n in range(12)),
        "/state Ama.alive = false",
        "> Ama lies in the snow.",
        "/end It is late",
        "/accept all",
    )
    before = session.scene_id
    await session.play("/commit")
    await summarise(session, before)
    (text,) = [s.text for s in await session.log.summaries(before) if s.kind == "scene"]
    assert text.startswith("Scene 1 “The yard”: Ama Tolland died. It is late.")
    assert "Sledge Shed" not in text


async def test_end_that_was_taken_back_leaves_no_summary_until_it_is_brought_back(
    session: MemorySession,
) -> None:
    """“I ended it too early”: nothing that is searched says how the scene ended, however far it is played on."""
    scene_id = session.scene_id
    reader = SourceReader(
        session.program.stores.canon(Role.INDEXER), session.program.stores.log(Role.INDEXER)
    )

    async def read_told_texts() -> list[str]:
        await summarise(session, scene_id)
        return [s.text for s in await session.log.summaries(scene_id) if s.text]

    await session.play("I bar the gate.", "/end Mara slept", "/commit")
    next_id = session.scene_id
    ended_texts = await read_told_texts()
    assert len(ended_texts) == 2, "the scene, and the story up to it"
    for _ in range(2):
        await session.play("/undo yes")
        assert session.scene_id == scene_id
        assert await read_told_texts() == []
        assert (
            "Mara slept. I bar" not in (await reader.read_scene_item(await session.log.scene(scene_id))).text
        )
        assert await reader.find_scene(next_id) is None
        await session.play("/redo yes")
        assert session.scene_id == next_id
        assert await read_told_texts() == ended_texts
        assert await reader.find_scene(next_id) is not None
    await session.play("/undo yes", "I open the gate.", "/end Mara left", "/commit")
    texts = await read_told_texts()
    assert len(texts) == 2
    assert all("Mara left." in text and "Mara slept." not in text for text in texts)


async def test_story_summary_has_an_earlier_scene_whose_own_job_comes_later(session: MemorySession) -> None:
    scene_ids = [session.scene_id]
    for words in ("I bar the gate.", "I ring the bell."):
        await session.play(words, "/end That was that", "/commit")
        scene_ids.append(session.scene_id)
    first_id, second_id, _ = scene_ids
    await summarise(session, second_id)
    early = {s.kind: s.text for s in await session.log.summaries(second_id)}
    await summarise(session, first_id)
    await summarise(session, second_id)
    assert {s.kind: s.text for s in await session.log.summaries(second_id)} == early
    assert "I bar the gate." in early[STORY_KIND]


async def test_chapter_of_earlier_scenes_is_not_part_of_what_is_indexed_of_a_scene(
    session: MemorySession,
) -> None:
    await session.play("I bar the gate.")
    scene = await session.log.scene(session.scene_id)
    reader = SourceReader(
        session.program.stores.canon(Role.INDEXER), session.program.stores.log(Role.INDEXER)
    )
    before = await reader.read_scene_item(scene)
    for kind, text in (("chapter", "The bell was stolen long ago."), ("scene", "The gate is barred.")):
        summary = Summary(
            id=kind, scene_id=scene.id, kind=kind, text=text, last_turn=scene.head, created_at=START
        )
        await session.program.stores.log(Role.MEMORY_MANAGER).put_summaries([summary])
    after = await reader.read_scene_item(scene)
    assert after.text == f"{before.text}\nThe gate is barred."


async def test_what_is_indexed_of_a_scene_is_the_same_in_whatever_order_its_summaries_were_written(
    session: MemorySession,
) -> None:
    await session.play("I bar the gate.")
    scene = await session.log.scene(session.scene_id)
    reader = SourceReader(
        session.program.stores.canon(Role.INDEXER), session.program.stores.log(Role.INDEXER)
    )
    before = await reader.read_scene_item(scene)
    for kind, text in (("scene", "The gate is barred."), ("stretch", "Turns 1 to 20: a gate.")):
        summary = Summary(
            id=kind, scene_id=scene.id, kind=kind, text=text, last_turn=scene.head, created_at=START
        )
        await session.program.stores.log(Role.MEMORY_MANAGER).put_summaries([summary])
    after = await reader.read_scene_item(scene)
    assert after.text == f"{before.text}\nTurns 1 to 20: a gate.\nThe gate is barred."


async def test_summary_of_an_ended_scene_follows_a_decision_before_a_kill(session: MemorySession) -> None:
    worker = replace(
        build_summary_worker(session),
        cursors=JobStore(session.program.stores.log(Role.ORCHESTRATOR), utc_now),
    )
    ended_id = session.scene_id

    async def look_again() -> str:
        """Do what a program does at its start, which has heard of nothing that was done before."""
        scene = await session.log.scene(ended_id)
        for subject in (await worker.find_due([scene])).subjects:
            while await worker.reconcile(subject.id):
                pass
        assert (await worker.find_due([scene])).subjects == []
        return next(s.text for s in await session.log.summaries(ended_id) if s.kind == SCENE_KIND)

    await session.play("> Rain.", "/fact event: The bell rings", "/defer 1", "/end That was that", "/commit")
    assert session.scene_id != ended_id
    assert "The bell rings" in await look_again()
    gate = session.program.services.gate
    view = await gate.gate(None, await session.universe_id())
    bell_ids = [p.proposal.id for p in view.proposals if "bell" in str(p.proposal.change)]
    await gate.decide(bell_ids, Verdict.REJECT)
    assert "The bell rings" not in await look_again()
