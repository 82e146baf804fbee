"""A narration that ends otherwise than the dice is shown with its sentence, by a model that was not told the dice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agents.narrator.result_check import find_reported_contradiction
from stores.records.llm import Persona
from stores.records.play import Degree
from tests.agents.orchestrator.scripted_program import house, telling

KEPT = "You have it. You fold it against your ribs, and nobody in the room has looked up."
LOST = "The page tears in your hand, and every head in the room turns to you."
FAILS = "I take the letter from under the lamp. /check 1 vs 99; fail: Mara.hp -1"
SUCCEEDS = "I take the letter from under the lamp. /check 1 vs 1"


def chronicle(outcome: str, quote: str) -> str:
    return json.dumps({"outcome": outcome, "outcome_quote": quote, "summary": "A letter.", "changes": []})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "prose", "outcome", "quote", "warning"),
    [
        (
            FAILS,
            KEPT,
            "succeeded",
            "You have it.",
            "The dice say failure, and it reads as a success: “You have it",
        ),
        (
            SUCCEEDS,
            LOST,
            "failed",
            "The page tears in your hand",
            "The dice say success, and it reads as a failure",
        ),
        (FAILS, KEPT, "succeeded", "You take it and run.", ""),  # no sentence of the text
        (FAILS, KEPT, "succeeded", "", ""),
        (FAILS, LOST, "failed", "The page tears in your hand", ""),
        (SUCCEEDS, KEPT, "succeeded", "You have it.", ""),
        (SUCCEEDS, KEPT, "both", "You have it.", ""),
        (FAILS, KEPT, "open", "You have it.", ""),
        ("I take the letter from under the lamp.", KEPT, "succeeded", "You have it.", ""),  # no dice
    ],
)
async def test_narrated_result_against_the_dice_is_shown_with_its_sentence(
    tmp_path: Path, line: str, prose: str, outcome: str, quote: str, warning: str
) -> None:
    script = {Persona.NARRATOR: prose, Persona.ARCHIVIST: chronicle(outcome, quote)}
    async with telling(tmp_path, script, house()) as scripted:
        reply = await scripted.program.services.play.submit(scripted.scene_id, line)
        warnings = [one for one in reply.lines if one.startswith("⚠")]
        assert [warning in one for one in warnings] == ([True] if warning else [])
        assert scripted.asked == [Persona.NARRATOR, Persona.ARCHIVIST]
        assert (await scripted.last()).text == prose


async def test_narrated_result_is_read_without_knowing_the_dice(tmp_path: Path) -> None:
    async with telling(tmp_path, {Persona.NARRATOR: KEPT}, house()) as scripted:
        await scripted.program.services.play.submit(scripted.scene_id, FAILS)
        told, read = scripted.sent(Persona.NARRATOR), scripted.sent(Persona.ARCHIVIST)
        assert "It FAILED" in told
        assert "FAILED" not in read
        assert "The sealed result" not in read
        assert "vs 99" not in read.replace(FAILS, "")
        assert KEPT in read
        assert "HP" in read.partition("## Recorded already")[2].upper()


async def test_narrated_result_without_the_archivist_is_left_to_the_player(tmp_path: Path) -> None:
    async with telling(tmp_path, {Persona.NARRATOR: KEPT}, house(off=(Persona.ARCHIVIST,))) as scripted:
        reply = await scripted.program.services.play.submit(scripted.scene_id, FAILS)
        assert not [line for line in reply.lines if line.startswith("⚠")]


def test_narrated_result_counts_with_a_quote_that_stands_in_the_text() -> None:
    assert find_reported_contradiction(KEPT, Degree.FAIL, "Success", "you fold it") == ""
    assert find_reported_contradiction(KEPT, Degree.FAIL, "Success", "You fold it") == "You fold it"
    assert find_reported_contradiction(KEPT, Degree.NONE, "success", "You fold it") == ""
