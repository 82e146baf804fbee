"""A name that is nearly somebody's is asked about before a line makes somebody new of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.played_scene import PlayedScene
from tests.program import begin, opened


def asks(name: str, meant: str, command: str = "/npc") -> tuple[str, ...]:
    question = f" (is {meant} meant?)" if meant else ""
    return (
        f"“{name}” is not known in this world{question}: {command} {name} makes them known (Tab takes it).",
    )


async def reply_alone(table: PlayedScene, line: str) -> tuple[str, ...]:
    replies = await table.say(line)
    await table.say("/undo")
    return replies


@pytest.mark.parametrize("known_line", ["/npc here Captain Vess", "/npc Captain Vess"])
async def test_known_person_may_be_meant_by_a_name_a_letter_off(tmp_path: Path, known_line: str) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say(known_line)
        cast = await table.cast_names()
        assert await table.say("I go to Captian Vess.") == asks("Captian Vess", "Captain Vess")
        offered = (await table.view()).offers[0]
        assert offered.question == "“Captian Vess” is not known (is Captain Vess meant?):"
        assert await table.say("I ask Captian Vess about the ship.") == ()
        assert await table.cast_names() == cast


@pytest.mark.slow
async def test_names_that_are_nearly_those_of_people_and_places_are_asked_about(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        table = PlayedScene(program, await begin(program))
        await table.say("/npc Iselin Marr", "/npc Wenna Pike", "/npc Tam Marrow", "/place Kestermoor")
        await table.say("/npc Ivo Tarrant", "/npc Sister Dorrit", "/npc Sister Dorret", "/npc Tarrick")
        expected = {
            "> Isolin is my sister.": asks("Isolin", "Iselin Marr"),
            "I think of Wenna Pyke.": asks("Wenna Pyke", "Wenna Pike"),
            "I think of Ivor Tarrant.": asks("Ivor Tarrant", "Ivo Tarrant"),
            "I think of Sister Dorrat.": asks("Sister Dorrat", "Sister Dorrit or Sister Dorret"),
            "I go to Kestremoor.": (
                "“Kestremoor” is not known in this world (is Kestermoor meant?): /place Kestremoor makes it known "
                "(Tab takes it).",
            ),
            "I think of Iselyn and Dobbin Roe.": (
                "“Iselyn” (is Iselin Marr meant?) and “Dobbin Roe” are not known in this world: /npc Iselyn and "
                "/npc Dobbin Roe make them known (Tab takes it).",
            ),
            # Names that only rhyme, or are too short to be a slip, are somebody else's.
            "I wait for Warrick.": asks("Warrick", ""),
            "I wait for Tom.": asks("Tom", ""),
            "I wait for Iselda.": asks("Iselda", ""),
            "I think of Dorian Pike.": asks("Dorian Pike", ""),
        }
        assert {line: await reply_alone(table, line) for line in expected} == expected
