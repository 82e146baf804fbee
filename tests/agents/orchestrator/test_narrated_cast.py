"""Who is here follows what the model tells; the dead and the absent neither speak nor act, whoever names them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from agents.llm.llm_port import LlmRequest
from agents.llm.scripted_model import ScriptedAnswer
from stores.records.llm import Persona
from tests.agents.orchestrator.scripted_program import PROSE, Script, ScriptedProgram, house, telling
from tests.played_scene import PlayedScene
from tests.program import begin, opened

PEOPLE = (
    "/npc Corvin Ferrant: a smuggler",
    "/fact Corvin Ferrant is dead",
    "/npc Hester Marrow: the harbour mistress",
    "/npc here Aldous Stint: a clerk",
    "/npc here Ivo Tarrant: a boatman",
    "/accept all",
    "/commit",
)


def chronicle(**cast: list[str]) -> str:
    return json.dumps({"summary": "They talk on the quay.", "changes": [], **cast})


def in_turn(*answers: str) -> Callable[[LlmRequest], ScriptedAnswer]:
    """Return the answers in turn; the last one repeats."""
    replies = list(answers)
    return lambda _: replies.pop(0) if len(replies) > 1 else replies[0]


@dataclass
class Table:
    scripted: ScriptedProgram

    async def say(self, *lines: str) -> tuple[str, ...]:
        replies: tuple[str, ...] = ()
        for line in lines:
            replies = (await self.scripted.program.services.play.submit(self.scripted.scene_id, line)).lines
        return replies

    async def cast(self) -> set[str]:
        view = await self.scripted.program.services.play.scene(self.scripted.scene_id)
        return {member.name for member in view.cast if not member.is_pc}

    def section(self, heading: str, persona: Persona = Persona.NARRATOR) -> str:
        """Return a section of the last prompt of a persona."""
        _, _, text = self.scripted.sent(persona).partition(f"## {heading}")
        return text.partition("\n## ")[0]

    @property
    def narrator_calls(self) -> int:
        return self.scripted.asked.count(Persona.NARRATOR)


@asynccontextmanager
async def seated(home: Path, script: Script) -> AsyncIterator[Table]:
    async with telling(home, script, house()) as scripted:
        table = Table(scripted)
        await table.say(*PEOPLE)
        yield table


# --- the dead and the absent --------------------------------------------------------------------------


@pytest.mark.slow
async def test_narrated_cast_first_name_of_the_dead_tells_the_model_that_they_are_dead(
    tmp_path: Path,
) -> None:
    async with seated(tmp_path, {}) as table:
        lines = await table.say("Corvin, if you have anything to say, say it now.")
        assert "Corvin Ferrant is dead" in table.section("How things stand now")
        assert "a smuggler" in table.section("Off stage")
        assert any("Corvin Ferrant is dead" in line for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("prose", "reason"),
    [
        ("“Took you long enough,” says Corvin Ferrant, and the lamp gutters low.", "Corvin Ferrant is dead"),
        (
            "“Took you long enough,” says Corvin, and the lamp gutters low on its hook.",
            "Corvin Ferrant is dead",
        ),
        (
            "“Not tonight,” Hester says from the stairs, and the lamp gutters low.",
            "Hester Marrow is not here",
        ),
    ],
)
async def test_narrated_cast_speech_of_the_dead_and_absent_is_told_again(
    tmp_path: Path, prose: str, reason: str
) -> None:
    """Nobody's words had named them, and they are not in the scene."""
    async with seated(tmp_path, {Persona.NARRATOR: in_turn(prose, PROSE)}) as table:
        await table.say("I wait for an answer.")
        assert table.narrator_calls == 2
        assert reason in table.section("The GM asks for this narration")
        assert (await table.scripted.last()).text == PROSE


async def test_narrated_cast_who_is_spoken_of_is_no_speaker(tmp_path: Path) -> None:
    prose = "“Corvin owed me for rope,” says Ivo Tarrant, and shrugs. Hester would know, he adds, and drinks."
    async with seated(tmp_path, {Persona.NARRATOR: prose}) as table:
        lines = await table.say("I wait for an answer.")
        assert table.narrator_calls == 1
        assert not [line for line in lines if line.startswith("⚠")]


# --- who comes and goes -------------------------------------------------------------------------------

ENTRANCE = (
    "The door bangs, and there is Hester Marrow with rain on her collar, holding out her hand for the book."
)
DEPARTURE = (
    "Stint and Ivo have had enough of it. The door falls shut behind the two of them, and it is quiet."
)


async def test_narrated_cast_moves_at_once_by_what_the_archivist_reads(tmp_path: Path) -> None:
    script = {
        Persona.NARRATOR: in_turn(ENTRANCE, DEPARTURE, PROSE),
        Persona.ARCHIVIST: in_turn(
            chronicle(here=["Hester Marrow", "Aldous Stint", "Ivo Tarrant"], came=["Hester"]),
            chronicle(here=["Hester Marrow"], left=["Aldous Stint", "Ivo"]),
            chronicle(here=["Hester Marrow"]),
        ),
    }
    async with seated(tmp_path, script) as table:
        gate = table.scripted.program.services.gate
        rows_before = (await gate.gate(table.scripted.scene_id)).proposals
        assert "Hester Marrow comes in." in await table.say("I hold up the book.")
        assert await table.cast() == {"Hester Marrow", "Aldous Stint", "Ivo Tarrant"}
        lines = await table.say("I nod.")
        assert {"Aldous Stint leaves.", "Ivo Tarrant leaves."} <= set(lines)
        assert await table.cast() == {"Hester Marrow"}
        assert (await gate.gate(table.scripted.scene_id)).proposals == rows_before
        await table.say("I ask Hester what is in it.")
        assert "Hester Marrow" in table.section("Who is here")
        assert "Stint" not in table.section("Who is here")
        assert "Hester Marrow is not here" not in table.section("How things stand now")
        assert "Aldous Stint is not here" in table.section("How things stand now")
        await table.say("/undo", "/undo")
        assert await table.cast() == {"Hester Marrow", "Aldous Stint", "Ivo Tarrant"}
        await table.say("/undo")
        assert await table.cast() == {"Aldous Stint", "Ivo Tarrant"}


async def test_narrated_cast_of_a_rejected_take_is_not_the_next_takes(tmp_path: Path) -> None:
    script = {
        Persona.NARRATOR: in_turn(ENTRANCE, PROSE),
        Persona.ARCHIVIST: in_turn(chronicle(came=["Hester Marrow"]), chronicle()),
    }
    async with seated(tmp_path, script) as table:
        await table.say("I hold up the book.")
        await table.scripted.program.services.play.narrate_again(table.scripted.scene_id, "nobody comes")
        assert "Hester" not in table.section("Who is here")
        assert await table.cast() == {"Aldous Stint", "Ivo Tarrant"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("prose", "cast"),
    [
        (PROSE, {"came": ["Hester Marrow"]}),  # the text has nothing of her
        (
            "The grave of Corvin Ferrant lies open on the hill, and the rain stands in it.",
            {"came": ["Corvin"]},
        ),
        (PROSE, {"came": ["Mara", "Nobody Known"], "left": ["Mara", "Hester Marrow"]}),
        (PROSE, {}),  # nothing is said of the cast
        (PROSE, {"here": ["Ivo Tarrant"]}),  # who is left out has not left
        (
            "Ivo Tarrant leaves the lamp where it is and sits down again by the wall.",
            {"here": ["Ivo Tarrant"]},
        ),
    ],
)
async def test_narrated_cast_stays_where_the_report_has_no_ground(
    tmp_path: Path, prose: str, cast: dict[str, list[str]]
) -> None:
    script = {Persona.NARRATOR: prose, Persona.ARCHIVIST: chronicle(**cast)}
    async with seated(tmp_path, script) as table:
        await table.say("I wait.")
        assert await table.cast() == {"Aldous Stint", "Ivo Tarrant"}


async def test_narrated_cast_has_newcomers_of_the_same_telling(tmp_path: Path) -> None:
    prose = "A girl is suddenly at your elbow: Wren Arrow, the keeper's daughter, wet to the knees and out of breath."
    new = {
        "kind": "new",
        "subject": "Wren Arrow",
        "predicate": "character",
        "object": "the keeper's daughter",
        "quote": "Wren Arrow, the keeper's daughter",
        "weight": 80,
    }
    answer = json.dumps(
        {"here": ["Wren Arrow"], "came": ["Wren Arrow"], "summary": "Wren comes.", "changes": [new]}
    )
    async with seated(tmp_path, {Persona.NARRATOR: prose, Persona.ARCHIVIST: answer}) as table:
        await table.say("I wait.")
        assert "Wren Arrow" in await table.cast()
        await table.say("/undo")
        assert "Wren Arrow" not in await table.cast()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "is_carried"),
    [
        ("We walk to the Inn together.", False),
        ("I walk to the Inn.", False),
        ("I go to the Inn with Pell.", False),
        ("I take Pell and Maud along to the Inn.", False),
        ("I step outside.", False),
        ("I drag Pell to the Inn.", True),
    ],
)
async def test_dead_stay_behind_unless_they_are_carried(tmp_path: Path, line: str, is_carried: bool) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        submit = program.services.play.submit
        for earlier_line in (
            "/npc here Maud Tesk: a ferrywoman",
            "/npc Pell: a thin man",
            "/place Inn: warm",
            "> Pell comes in.",
            "> Pell dies.",
        ):
            await submit(scene_id, earlier_line)
        reply = await submit(scene_id, line)
        assert ("The body of Pell stays behind." in reply.lines) is not is_carried
        assert ("Pell · dead" in (await submit(scene_id, "/cast")).lines) is is_carried
        await submit(scene_id, "/undo")
        assert "Pell · dead" in (await submit(scene_id, "/cast")).lines


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "moves"),
    [
        ("I follow Dr. Mora to the Moor.", ("The scene goes on in Moor.", "Dr. Mora is with you.")),
        ("I go to the Moor with Dr. Mora.", ("The scene goes on in Moor.", "Dr. Mora comes along.")),
        ("> Dr. Mora leaves.", ("Dr. Mora leaves.",)),
        ("> Dr. Mora steps out of the reeds.", ()),
        ("> Corin steps out of the reeds.", ("Corin Vale comes in.",)),
        ("> Corin comes in with a lantern.", ("Corin Vale comes in.",)),
        ("> Corin comes in with me.", ("Corin Vale comes along.",)),
        ("> Corin and Dr. Mora sit with me by the fire.", ("Corin Vale comes in.",)),
        ("> Next to me sits Corin.", ("Corin Vale comes in.",)),
        ("Corin and I go to the Moor.", ("The scene goes on in Moor.", "Corin Vale comes along.")),
        ("> Dr. Mora gives me the iron key.", ("Proposed: Mara has the iron key.",)),
        ("> Dr. Mora promises me to wait.", ("Proposed: Dr. Mora promised Mara to wait.",)),
    ],
)
async def test_line_about_people_with_titles_and_at_the_hero_is_read(
    tmp_path: Path, line: str, moves: tuple[str, ...]
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        submit = program.services.play.submit
        for earlier_line in (
            "/npc here Dr. Mora: a surgeon",
            "/npc Corin Vale: a boy",
            "/place Moor: wide",
            "/thing iron key",
            "I look.",
        ):
            await submit(scene_id, earlier_line)
        reply = await submit(scene_id, line)
        assert tuple(text for text in reply.lines if "stays behind" not in text) == moves


async def test_dream_moves_kills_and_hands_over_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say(
            "/npc Gil: a sailor", "/npc here Dob", "/thing Ring", "/accept all", "/commit", "I wait."
        )
        for line in (
            "> You dream. Gil comes in and stabs Dob to death.",
            "> You dream. Gil stole the ring. Dob is dead.",
            "> You sing a ballad of the flood. Dob drowns. Gil gives you the ring.",
        ):
            assert await table.say(line) == (), line
        assert await table.cast_names() == {"Dob"}
        assert await table.say('> The pictures hang crooked. "Come in," says Gil.') == ("Gil comes in.",)


async def test_who_comes_back_from_another_place_comes_in_here(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        submit = program.services.play.submit
        for line in ("/npc here Jory Perrin: a boy", "/place Sallow: a town", "> Jory leaves for Sallow."):
            await submit(scene_id, line)
        reply = await submit(scene_id, "> Jory comes back from Sallow with a purse of gold.")
        assert "Jory Perrin comes in." in reply.lines
        await submit(scene_id, "> Jory walks to Sallow.")
        assert (await submit(scene_id, "> Jory comes into the hall at Sallow.")).lines == ()


async def test_who_left_and_is_seen_going_does_not_come_in_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say(
            "/npc here Jorun: a drover", "/npc Dob: a reeve", "> Jorun walks away along the dyke."
        )
        assert await table.say("> Jorun whistles as she goes.") == ()
        assert await table.say("> Jorun waves and is gone.") == ()
        assert await table.say("> Jorun comes in, nods and leaves.") == ("Jorun comes in.", "Jorun leaves.")
        assert await table.say("> Dob nods and leaves.") == ("Dob comes in.", "Dob leaves."), (
            "he was not gone"
        )
        assert await table.say("> Jorun whistles.") == ("Jorun comes in.",)
        assert await table.say("> Jorun leaves. Jorun waves as she goes.") == ("Jorun leaves.",)
