"""A session replays to the same canon from its record, and canon does not hang on which model tells."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from agents.llm.llm_port import LlmRequest
from agents.llm.scripted_model import ScriptedModel
from monitor_tui.compose import Program, open_program
from stores.authority import Role
from stores.queries import FactQuery, ProposalQuery
from stores.records.base import Record
from stores.records.ids import Id, SeededIdGenerator
from stores.records.llm import LlmCall, Persona
from tests.agents.orchestrator.recorded_calls import RecordedCallsOnly, load_recorded_calls
from tests.agents.orchestrator.scripted_program import house, persona_of
from tests.program import START, begin

pytestmark = pytest.mark.slow

ON = (Persona.DIRECTOR, Persona.CRITIC, Persona.CHARACTER)
LINES = (
    "I force the iron door. /check might vs 7; fail: Mara.hp -1",
    "/npc here Wenna Pike: the keeper",
    "I ask Wenna Pike for a light.",
    "/again less gore",
    "I go down the stair. /check might vs 9",
    "/continue",
    "/undo",
    "I wait.",
    "/accept all",
    "/commit",
    "I look round once more. /check might vs 8; success: Mara +bold",
    "/end Mara went down",
    "/accept all",
    "/commit",
)

NAMES = [
    a + b + c for a in ("ka", "mo", "ri", "zu") for b in ("bel", "dor", "fin") for c in ("a", "us", "eth")
]
"""Endings that make other names: what is nearly the same name is taken for the same one."""


class LineClock:
    """A clock that stands still while a line is played: a call that is not made takes no time."""

    def __init__(self) -> None:
        self.now: datetime = START

    def __call__(self) -> datetime:
        return self.now

    def go_on(self) -> None:
        self.now += timedelta(minutes=1)


def telling(voice: str) -> ScriptedModel:
    """Return a model whose words are other ones for each request, in its own voice."""
    count = 0

    def answer(ask: LlmRequest) -> str:
        nonlocal count
        count += 1
        match persona_of(ask):
            case Persona.NARRATOR:
                sister = f"Sister Ysold{NAMES[count]}"
                return f"{voice} {count} lamps burn on the stair. {sister} bars the way, and waits."
            case Persona.CHARACTER:
                return f"{voice}: take this one, says the keeper, number {count}."
            case Persona.ARCHIVIST:
                name = re.findall(r"Sister Ysold\w+", ask.messages[-1].text)[-1]
                quote = f"{name} bars the way"
                change = {"kind": "new", "subject": name, "object": "character", "quote": quote, "weight": 90}
                return json.dumps({"summary": f"{name} waits.", "changes": [change]})
            case Persona.CRITIC:
                return json.dumps({"faults": []})
            case Persona.DIRECTOR:
                return json.dumps({"beats": [f"lamp {count}"], "assumptions": []})
            case _:
                return json.dumps({"warnings": []})

    return ScriptedModel(answer)


@asynccontextmanager
async def opened_program(
    home: Path, model: ScriptedModel, backend: str
) -> AsyncIterator[tuple[Program, LineClock]]:
    clock = LineClock()
    program = await open_program(
        home, clock=clock, ids=SeededIdGenerator(7, clock), model=model, settings=house(*ON, backend=backend)
    )
    try:
        yield program, clock
    finally:
        await program.close()


async def play(program: Program, clock: LineClock, lines: Iterable[str] = LINES) -> Id:
    scene_id = await begin(program)
    for line in lines:
        clock.go_on()
        await program.services.play.submit(scene_id, line)
    return scene_id


async def left_by(program: Program) -> dict[str, list[str]]:
    """Return what a session has left, as the stores hold it."""
    log, canon = program.stores.log(Role.CONTEXT_ASSEMBLY), program.stores.canon(Role.CONTEXT_ASSEMBLY)
    universe = (await canon.universes())[0]
    story = (await log.stories())[0]
    scenes = await log.scenes(story.id)
    turns = [turn for scene in scenes for turn in await log.all_turns(scene.id)]
    facts = await canon.facts(universe.id, FactQuery(history=True))
    records: dict[str, Sequence[Record]] = {
        "scenes": scenes,
        "turns": turns,
        "results": await log.resolutions([turn.id for turn in turns]),
        "proposals": await log.proposals(ProposalQuery(universe_id=universe.id)),
        "summaries": [s for scene in scenes for s in await log.summaries(scene.id)],
        "entities": await canon.entities(universe.id),
        "facts": facts,
        "evidence": [e for fact in facts for e in await canon.evidence_of(fact.id)],
    }
    return {kind: [record.model_dump_json() for record in found] for kind, found in records.items()}


async def calls_of(program: Program) -> list[LlmCall]:
    return await program.stores.log(Role.CONTEXT_ASSEMBLY).llm_calls()


@pytest.mark.parametrize("engines", [("langgraph", "langgraph"), ("langgraph", "inmemory")])
async def test_replay_session_replays_from_its_record(tmp_path: Path, engines: tuple[str, str]) -> None:
    async with opened_program(tmp_path / "first", telling("Once"), engines[0]) as (first, clock):
        await play(first, clock)
        left, calls = await left_by(first), await calls_of(first)
    assert {call.persona for call in calls} >= {Persona.NARRATOR, Persona.ARCHIVIST, *ON}
    assert any("Ysold" in proposal for proposal in left["proposals"])
    assert any("Ysold" in entity for entity in left["entities"]), "what was told has come into canon"
    nobody = RecordedCallsOnly()
    async with opened_program(tmp_path / "again", nobody, engines[1]) as (again, clock):
        assert await load_recorded_calls(calls, again.stores.log(Role.NARRATOR)) == len(calls)
        await play(again, clock)
        assert nobody.requests == [], "what is on record is asked of nobody"
        assert await left_by(again) == left
        assert len(await calls_of(again)) == len(calls), "and paid for once"


async def test_replay_what_is_typed_otherwise_is_said_of_and_loses_nothing(tmp_path: Path) -> None:
    nobody = RecordedCallsOnly()
    async with opened_program(tmp_path, nobody, "inmemory") as (program, clock):
        scene_id = await begin(program)
        clock.go_on()
        reply = await program.services.play.submit(scene_id, "I force the iron door.")
        assert nobody.requests
        assert any("no such call" in line for line in reply.lines)
        assert [row.turn.text for row in await program.services.play.transcript(scene_id, 0, 9)] == [
            "I force the iron door."
        ]


async def test_replay_told_again_by_another_model_canon_stays_as_it_is(tmp_path: Path) -> None:
    played = LINES[: LINES.index("/commit") + 1]
    async with opened_program(tmp_path, telling("Once"), "inmemory") as (first, clock):
        scene_id = await play(first, clock, played)
        before = await left_by(first)
    clock = LineClock()
    clock.now = START + timedelta(days=1)
    program = await open_program(
        tmp_path,
        clock=clock,
        ids=SeededIdGenerator(8, clock),
        model=telling("Otherwise"),
        settings=house(*ON),
    )
    try:
        await program.services.stories.recover()
        await program.services.play.narrate_again(scene_id, "as a letter")
        rows = await program.services.play.transcript(scene_id, 0, 50)
        assert rows[-1].turn.text.startswith("Otherwise")
        after = await left_by(program)
        assert {k: after[k] for k in ("entities", "facts", "evidence", "results")} == {
            k: before[k] for k in ("entities", "facts", "evidence", "results")
        }
        waiting = set(after["proposals"]) - set(before["proposals"])
        assert waiting, "what the other model told waits to be decided"
        assert all(json.loads(p)["decision"] is None for p in waiting)
    finally:
        await program.close()
