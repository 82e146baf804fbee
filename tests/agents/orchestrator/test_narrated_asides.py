"""What somebody tells another aside, in a narration or by the GM's words, is remembered by the two alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.llm.llm_settings import AppSettings
from stores.authority import Role
from stores.queries import MemoryQuery
from stores.records.llm import Persona
from stores.records.memory import MemoryOrigin
from tests.agents.orchestrator.scripted_program import Script, ScriptedProgram, house, telling

PEOPLE = ("/npc here Bodil: a ferrywoman", "/npc here Lisk: a child", "/npc here Osric: a miller")


@pytest.mark.parametrize(
    ("words", "hearers"),
    [
        ("Bodil takes Lisk aside and tells her that the boat is sold.", {"Lisk"}),
        ("Bodil takes you aside and tells you that the boat is sold.", {"Mara"}),
        ("Bodil tells Lisk in confidence that the boat is sold.", {"Lisk"}),
        ("Bodil tells Lisk that the boat is sold.", {"Lisk", "Mara", "Osric"}),
    ],
)
@pytest.mark.parametrize("is_narrated", [True, False], ids=["model", "GM"])
async def test_who_is_told_aside_alone_remembers_it(
    tmp_path: Path, words: str, hearers: set[str], is_narrated: bool
) -> None:
    script: Script = {Persona.NARRATOR: f"Bodil looks round. {words}"}
    async with telling(tmp_path, script, house(embedding={"model": "none"})) as scripted:
        lines = ("I wait at the landing.",) if is_narrated else (f"> {words}",)
        for line in (*PEOPLE, *lines):
            await scripted.program.services.play.submit(scripted.scene_id, line)
        await scripted.program.services.jobs.wait_until_idle()
        assert await read_told(scripted) == {(hearer, "The boat is sold.") for hearer in hearers}


@pytest.mark.parametrize(
    ("line", "hearers"),
    [
        ("I confide in Bodil that the boat is sold.", {"Bodil"}),
        ("I tell Bodil in confidence that the boat is sold.", {"Bodil"}),
        ("I privately warn Bodil that the boat is sold.", {"Bodil"}),
        ("I tell Bodil, so low that nobody else hears, that the boat is sold.", {"Bodil"}),
        ("confide in Bodil that the boat is sold", {"Bodil"}),
        ("tell Bodil that the boat is sold", {"Bodil", "Lisk", "Osric"}),
        ("> Bodil confides to me that the boat is sold.", {"Mara"}),
        ("> Bodil mutters to Lisk that the boat is sold.", {"Lisk"}),
        ("> Bodil tells Lisk behind Osric's back that the boat is sold.", {"Lisk"}),
        ("I tell Bodil that the boat is in private hands.", {"Bodil", "Lisk", "Osric"}),
    ],
)
async def test_confidence_is_remembered_by_whom_it_is_told(
    tmp_path: Path, line: str, hearers: set[str]
) -> None:
    async with telling(tmp_path, settings=AppSettings()) as scripted:
        for typed_line in (*PEOPLE, line):
            await scripted.program.services.play.submit(scripted.scene_id, typed_line)
        await scripted.program.services.jobs.wait_until_idle()
        assert {hearer for hearer, _ in await read_told(scripted)} == hearers


async def test_who_is_told_something_by_name_after_a_whisper_to_another_hears_it(tmp_path: Path) -> None:
    async with telling(tmp_path, settings=AppSettings()) as scripted:
        lines = ("I whisper to Bodil: the cow is dead.", "> Bodil tells Lisk that the boat is sold.")
        for line in (*PEOPLE, *lines):
            await scripted.program.services.play.submit(scripted.scene_id, line)
        await scripted.program.services.jobs.wait_until_idle()
        told = await read_told(scripted)
        assert ("Lisk", "The boat is sold.") in told
        assert {hearer for hearer, text in told if text == "The cow is dead."} == {"Bodil"}


async def read_told(scripted: ScriptedProgram) -> set[tuple[str, str]]:
    """Return who was told what, as they remember it."""
    log = scripted.program.stores.log(Role.INDEXER)
    memories = await log.memories(MemoryQuery(scene_id=scripted.scene_id))
    cast = (await scripted.program.services.play.scene(scripted.scene_id)).cast
    names = {member.entity_id: member.name for member in cast}
    return {(names[m.entity_id], m.text) for m in memories if m.how is MemoryOrigin.TOLD}
