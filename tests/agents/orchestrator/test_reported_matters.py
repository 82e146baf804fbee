"""What a model reports of one matter in several steps is one row of the gate, decided, committed and undone as such."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agents.llm.llm_port import LlmRequest
from agents.llm.scripted_model import ScriptedAnswer
from agents.views.proposal_views import ProposalView
from stores.authority import Role
from stores.queries import FactQuery
from stores.records.llm import Persona
from stores.records.workflow import Verdict
from tests.agents.orchestrator.scripted_program import ScriptedProgram, telling

PEOPLE = (
    "/npc here Wenna Pike: a keeper",
    "/npc here Bastien Rook: a carter",
    "/thing Brass Seal: of the post",
)
WENNA = "Bastien Rook hands the Brass Seal to Wenna Pike over the counter."
BASTIEN = "Bastien Rook snatches the Brass Seal back and pockets it."
PROMISE = "“I will open the cellar at low water,” says Wenna Pike."
BROKEN = "Wenna Pike bolts the cellar, and that is that."


@dataclass
class Table:
    scripted: ScriptedProgram
    prose: str = ""
    changes: list[dict[str, Any]] = field(default_factory=list)

    async def say(self, line: str, prose: str = "", **change: object) -> tuple[str, ...]:
        self.prose = prose
        self.changes = [{"quote": prose, "weight": 70, **change}] if change else []
        reply = await self.scripted.program.services.play.submit(self.scripted.scene_id, line)
        return reply.lines

    async def rows(self) -> tuple[ProposalView, ...]:
        return (await self.scripted.program.services.gate.gate(self.scripted.scene_id)).proposals

    async def row(self, words: str) -> ProposalView:
        (row,) = [row for row in await self.rows() if words in row.title]
        return row

    async def statements(self) -> set[str]:
        view = await self.scripted.program.services.play.scene(self.scripted.scene_id)
        canon = self.scripted.program.stores.canon(Role.CONTEXT_ASSEMBLY)
        return {f.statement for f in await canon.facts(view.scene.universe_id, FactQuery())}


@asynccontextmanager
async def seated(home: Path) -> AsyncIterator[Table]:
    tables: list[Table] = []

    def narrate(_: LlmRequest) -> ScriptedAnswer:
        return tables[0].prose

    def record(_: LlmRequest) -> ScriptedAnswer:
        return json.dumps({"summary": tables[0].prose, "changes": tables[0].changes})

    async with telling(home, {Persona.NARRATOR: narrate, Persona.ARCHIVIST: record}) as scripted:
        tables.append(Table(scripted))
        for line in PEOPLE:
            await tables[0].say(line)
        yield tables[0]


async def hand_over_twice(table: Table) -> None:
    await table.say("I watch.", WENNA, kind="holds", subject="Wenna Pike", object="Brass Seal")
    await table.say("I wait.", BASTIEN, kind="holds", subject="Bastien Rook", object="the Brass Seal")


async def test_reported_holder_is_the_last_one_in_the_next_prompt(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        await hand_over_twice(table)
        await table.say("I go on.", "The tide turns.")
        prompt = table.scripted.sent(Persona.NARRATOR)
        assert "Bastien Rook has the Brass Seal. (proposed)" in prompt
        assert "Wenna Pike has the Brass Seal" not in prompt


async def test_reported_chain_is_one_row_and_one_decision(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        await hand_over_twice(table)
        row = await table.row("Brass Seal.")
        assert row.title == "Bastien Rook has the Brass Seal."
        assert len(row.member_ids) == 2
        assert "Wenna Pike has the Brass Seal; Bastien Rook has the Brass Seal" in " ".join(row.reasons)
        await table.say("/accept all")
        await table.say("/commit")
        statements = await table.statements()
        assert "Bastien Rook has the Brass Seal." in statements
        assert "Wenna Pike has the Brass Seal." not in statements


async def test_reported_chain_loses_its_last_step_with_undo(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        await hand_over_twice(table)
        await table.say("/undo")
        row = await table.row("Brass Seal.")
        assert (row.title, len(row.member_ids)) == ("Wenna Pike has the Brass Seal.", 1)


async def test_reported_chain_is_rejected_whole(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        await hand_over_twice(table)
        row = await table.row("Brass Seal.")
        await table.say(f"/reject {row.number}")
        assert (await table.row("Brass Seal.")).verdict is Verdict.REJECT
        await table.say("/commit")
        assert not any("has the Brass Seal" in s for s in await table.statements())


async def test_promise_that_is_broken_says_so_at_the_gate_and_in_the_prompt(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        await table.say(
            "I ask.", PROMISE, kind="promise", subject="Wenna Pike", object="to open the cellar at low water"
        )
        await table.say(
            "I wait.",
            BROKEN,
            kind="ended",
            subject="Wenna Pike",
            predicate="broken",
            object="Wenna Pike promised: to open the cellar at low water",
        )
        row = await table.row("cellar")
        assert row.title == "Broken: Wenna Pike promised: to open the cellar at low water."
        await table.say("I go on.", "The tide turns.")
        prompt = table.scripted.sent(Persona.NARRATOR)
        assert "Broken: Wenna Pike promised: to open the cellar at low water. (it is over)" in prompt
        await table.say("/accept all")
        await table.say("/commit")
        assert "Broken: Wenna Pike promised: to open the cellar at low water." in await table.statements()


async def test_weighty_report_is_ticked_and_the_rest_waits(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        await table.say("I watch.", WENNA, kind="holds", subject="Wenna Pike", object="Brass Seal", weight=60)
        await table.say(
            "I ask.", PROMISE, kind="promise", subject="Wenna Pike", object="to open the cellar", weight=85
        )
        marks = {row.title: row.mark for row in await table.rows() if row.proposal.weight}
        assert marks == {
            "Wenna Pike promised: to open the cellar.": "accept",
            "Wenna Pike has the Brass Seal.": "defer",
        }
        assert list(marks) == ["Wenna Pike promised: to open the cellar.", "Wenna Pike has the Brass Seal."]
        assert "It weighs 85 of 100" in " ".join((await table.row("cellar")).reasons)


@pytest.mark.slow
async def test_scenery_is_one_unticked_row_and_one_decision(tmp_path: Path) -> None:
    """Weather and smells of places that a model holds for minor wait in one row, whatever else it found has its own."""
    shed, station = "Sledge Shed smells of tar.", "Snow lies knee-deep around Sill Station."
    bridge, limp = "The bridge at Sill Station has fallen.", "Wenna Pike limps."
    async with seated(tmp_path) as table:
        await table.say("/place Sledge Shed: a shed")
        await table.say("/place Sill Station: a stop")
        shed_words = {"kind": "fact", "subject": "Sledge Shed", "predicate": "smells of", "object": "tar"}
        station_words = {"kind": "fact", "subject": "Sill Station", "predicate": "lies in", "object": "snow"}
        await table.say("I sniff.", shed, **shed_words, weight=45)
        await table.say("I look.", station, **station_words, weight=50)
        fallen = {"kind": "fact", "subject": "Sill Station", "predicate": "has lost", "object": "its bridge"}
        await table.say("I walk on.", bridge, **fallen, weight=75)
        await table.say("I wait.", limp, kind="fact", subject="Wenna Pike", predicate="limps", weight=45)
        row = await table.row("Scenery: ")
        assert row.title == "Scenery: Sledge Shed smells of tar. Sill Station lies in snow."
        assert (row.mark, len(row.member_ids)) == ("defer", 2)
        assert "(Sledge Shed smells of tar; Sill Station lies in snow)" in " ".join(row.reasons)
        assert len((await table.row("its bridge")).member_ids) == 1
        assert len((await table.row("limps")).member_ids) == 1
        await table.say("/undo", "")
        await table.say(f"/reject {row.number}")
        assert (await table.row("Scenery: ")).verdict is Verdict.REJECT
        await table.say("/undo")
        await table.say(f"/accept {row.number}")
        await table.say("/commit")
        assert {"Sledge Shed smells of tar.", "Sill Station lies in snow."} <= await table.statements()


@pytest.mark.slow
async def test_edit_of_scenery_is_of_its_last_detail_and_the_others_wait(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        await table.say("/place Sledge Shed: a shed")
        await table.say("/place Sill Station: a stop")
        shed_words = {"kind": "fact", "subject": "Sledge Shed", "predicate": "smells of", "object": "tar"}
        station_words = {"kind": "fact", "subject": "Sill Station", "predicate": "lies in", "object": "snow"}
        await table.say("I sniff.", "Sledge Shed smells of tar.", **shed_words, weight=45)
        await table.say("I look.", "Snow lies knee-deep around Sill Station.", **station_words, weight=50)
        row = await table.row("Scenery: ")
        await table.scripted.program.services.gate.edit_text(
            row.proposal.id, "Sill Station lies in deep snow"
        )
        titles = {row.title: row.verdict for row in await table.rows() if "S" in row.title}
        assert titles["Sill Station lies in deep snow."] is Verdict.ACCEPT
        assert titles["Sledge Shed smells of tar."] is None
