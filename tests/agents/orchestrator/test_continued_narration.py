"""A narration that the model cut off goes on as another take; a retake can be another model's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agents.llm.llm_port import LlmRequest, Usage
from agents.llm.scripted_model import ScriptedReply
from agents.llm.wire_format import request_from_json, request_to_json
from agents.orchestrator.narration.continued_text import join_continuation
from agents.orchestrator.narration.narration import split_model_name
from stores.authority import Role
from stores.records.llm import Persona
from stores.records.play import Speaker
from tests.agents.orchestrator.scripted_program import PROSE, house, persona_of, telling

CUT = ScriptedReply(("The hinges give with a shriek, and behind the ",), Usage(900, 9, finish="length"))


@pytest.mark.parametrize(
    ("text", "rest", "whole"),
    [
        ("The door gives", "way at last.", "The door gives way at last."),
        ("The door gives", "The door gives way at last.", "The door gives way at last."),
        ("Salt. The old door gives", "…the old door gives way.", "Salt. The old door gives way."),
        ("Behind it the dar", "dark smells of rope.", "Behind it the dark smells of rope."),
        ("Behind it the dark", ", and rope.", "Behind it the dark, and rope."),
        ("It is dark.", "\n\nMara waits.", "It is dark.\n\nMara waits."),
        ("The bell tolls and tolls.", "And tolls.", "The bell tolls and tolls. And tolls."),
        ("The old bell tolls.", "The old bell tolls. Nobody comes.", "The old bell tolls. Nobody comes."),
        ("The door gives", "", "The door gives"),
    ],
)
def test_join_continuation_tells_everything_once(text: str, rest: str, whole: str) -> None:
    assert join_continuation(text, rest) == whole


def test_split_model_name_takes_known_models_only() -> None:
    models = ("openai/small", "groq/llama@https://models.example.org")
    assert split_model_name("groq/llama: less gore", models) == (models[1], "less gore")
    assert split_model_name("openai/small", models) == ("openai/small", "")
    assert split_model_name("less gore", models) == ("", "less gore")


async def test_cut_narration_that_repeats_the_prompt_says_so(tmp_path: Path) -> None:
    """A small model wrote its own prompt until it was cut off: to go on with that leads nowhere."""
    echo = ScriptedReply(("## The world\n<data>\nThe Abbey of",), Usage(900, 9, finish="length"))
    script = {Persona.NARRATOR: lambda _: echo}
    async with telling(tmp_path, script, house(backend="inmemory")) as scripted:
        reply = await scripted.program.services.play.submit(scripted.scene_id, "I force the iron door.")
        assert "⚠ It repeats the prompt and narrates nothing." in reply.lines


async def test_continue_goes_on_with_a_cut_narration_as_a_take(tmp_path: Path) -> None:
    """I press F7 when the GM was cut off in mid-sentence: the sentence goes on, and Ctrl+Z brings the cut one back."""
    answers: list[ScriptedReply | str] = [CUT, "behind the door the dark smells of salt.", "The bell tolls."]
    script = {Persona.NARRATOR: lambda _: answers.pop(0)}
    async with telling(tmp_path, script, house(backend="inmemory")) as scripted:
        play, scene_id = scripted.program.services.play, scripted.scene_id
        reply = await play.submit(scene_id, "I force the iron door.")
        assert any("F7 goes on" in line for line in reply.lines)
        cut = await scripted.last()
        await play.continue_narration(scene_id, "let it be short")
        whole = await scripted.last()
        assert whole.text == "The hinges give with a shriek, and behind the door the dark smells of salt."
        assert (whole.speaker, whole.take, whole.parent_id) == (Speaker.GM, 2, cut.parent_id)
        sent = scripted.sent(Persona.NARRATOR)
        assert f"GM: {cut.text}" in sent
        assert "let it be short" in sent
        await play.undo(scene_id)
        assert (await scripted.last()).id == cut.id
        await play.redo(scene_id)
        # What is whole is not gone on with: the story is.
        await play.continue_narration(scene_id)
        assert [t.text for t in await scripted.line()][-2:] == [whole.text, "The bell tolls."]


async def test_retake_can_be_another_models(tmp_path: Path) -> None:
    """I type /again and the name of another model, and that one narrates the take; the next turn is the usual one's."""

    def narrate(request: LlmRequest) -> str:
        return f"{request.model} says: {PROSE}"

    settings = house(
        backend="inmemory",
        model={"name": "scripted/good", "others": ["scripted/bold"]},
        narrator={"top_p": 0.9, "stop": "###,\\n\\n"},
    )
    async with telling(tmp_path, {Persona.NARRATOR: narrate}, settings) as scripted:
        play, scene_id = scripted.program.services.play, scripted.scene_id
        await play.submit(scene_id, "I force the iron door.")
        await play.narrate_again(scene_id, "scripted/bold less gore")
        assert (await scripted.last()).text.startswith("scripted/bold says")
        requests = [r for r in scripted.model.requests if persona_of(r) is Persona.NARRATOR]
        assert {(r.top_p, r.stop) for r in requests} == {(0.9, ("###", "\n\n"))}
        assert request_from_json(json.loads(json.dumps(request_to_json(requests[-1])))) == requests[-1]
        assert "less gore" in scripted.sent(Persona.NARRATOR)
        await play.narrate_again(scene_id, "scripted gore")
        assert (await scripted.last()).text.startswith("scripted/good says")


async def test_reworded_narration_is_what_the_model_reads_from_then_on(tmp_path: Path) -> None:
    """I mend what the GM said two lines ago: the next narration follows from my words, and the old are on record."""
    settings = house(backend="inmemory", off=(Persona.ARCHIVIST,))
    async with telling(tmp_path, {Persona.NARRATOR: "The old door holds."}, settings) as scripted:
        play, scene_id = scripted.program.services.play, scripted.scene_id
        await play.submit(scene_id, "I push.")
        told = await scripted.last()
        await play.submit(scene_id, "I push harder.")
        await play.edit_turn(scene_id, told.id, "The door of salt holds.")
        await play.submit(scene_id, "I kick it.")
        sent = scripted.sent(Persona.NARRATOR)
        assert "GM: The door of salt holds." in sent
        assert sent.count("GM: The old door holds.") == 1
        rows = await play.transcript(scene_id, 0, 9)
        assert [row.turn.id for row in rows if row.is_reworded] == [told.id]
        record = scripted.program.stores.log(Role.CONTEXT_ASSEMBLY)
        assert (await record.turn(told.id)).text == "The old door holds."
