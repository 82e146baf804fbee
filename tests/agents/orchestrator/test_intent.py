"""Commands said in plain words are found; words of the story never are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agents.orchestrator.input.intent import read_intent
from stores.errors import InputError
from stores.records.llm import Persona
from tests.agents.orchestrator.scripted_program import house, telling
from tests.program import begin, opened

COMMANDS = {
    "end the scene": "/end",
    "Please end this scene.": "/end",
    "end the scene: the bell is safe": "/end the bell is safe",
    "list the npcs": "/list character",
    "show me all the places we know": "/list place",
    "list everything": "/list",
    "undo that": "/undo",
    "help": "/help",
    "Help?": "/help",
    "what can I do?": "/help",
    "How do I play?": "/help",
    "give me a recap": "/recap",
    "what do we know about Old Tam?": "/show Old Tam",
    "create an NPC named Sister Ysolde: keeper of the light": "/npc Sister Ysolde: keeper of the light",
    "add a new place called The Salt Stair": "/place The Salt Stair",
    "make a clock: The tide comes in (6)": "/clock The tide comes in (6)",
    "show the open threads": "/thread",
    "list promises": "/promises",
    "rename the scene to Under the chapel": "/scene Under the chapel",
    "could you show me the bill?": "/bill",
    "Roll 2d6+1.": "/roll 2d6+1",
    "I roll 2d6+1": "/roll 2d6+1",
    "please roll d20 vs 12": "/check d20 vs 12",
}

STORY = [
    "I end the scene by walking out.",
    "I list the people I trust. It is a short list.",
    "I show Old Tam the key.",
    "Mara undoes the knot.",
    "Help!",
    "Help me with the rope.",
    "What can I do for you, Tam?",
    '"End the scene," says the stage master.',
    '"Show me the places you know," I say.',
    "Undo the knot around his wrists.",
    "What do we know? Nothing, says Tam.",
    "I commit it to memory.",
    "Create a diversion by the north door.",
    "Make a run for it!",
    "Add salt to the water and wait.",
    "Give me a hand here, Tam.",
    "Show me the map, I tell her.",
    "I call the scene off.",
    "End it.",
    "Set the lamp on the sill.",
    "Roll 2d6 barrels down the hill.",
    "Throw the die into the river.",
]


@pytest.mark.parametrize(("words", "line"), COMMANDS.items())
def test_intent_command_in_words_is_found(words: str, line: str) -> None:
    intent = read_intent(words)
    assert (intent.kind, intent.command_line) == ("operation", line)


@pytest.mark.parametrize("words", STORY)
def test_intent_story_is_never_taken_for_a_command(words: str) -> None:
    """What merely looks like one may be asked about, and is the story's if nobody knows better."""
    assert read_intent(words).kind in ("narration", "unclear")


async def test_monitor_does_what_the_words_mean(tmp_path: Path) -> None:
    routing = json.dumps({"mode": "operation", "command": "npc", "argument": "Bram: a ferryman"})
    script = {Persona.MONITOR: routing}
    async with telling(tmp_path, script, house(Persona.MONITOR)) as scripted:
        services = scripted.program.services
        listed = await services.play.submit(scripted.scene_id, "/monitor list the characters")
        assert listed.lines[0] == "/list character"
        assert any("Mara" in line for line in listed.lines)
        assert scripted.asked == []
        made = await services.play.submit(scripted.scene_id, "/monitor I want a ferryman called Bram about")
        assert made.lines[0] == "/npc Bram: a ferryman"
        assert any("Bram" in p.title for p in (await services.play.scene(scripted.scene_id)).proposals)


async def test_intent_without_a_model_monitor_says_what_it_does_not_know(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        with pytest.raises(InputError, match="No command is known"):
            await program.services.play.submit(scene_id, "/monitor do the thing")
        reply = await program.services.play.submit(scene_id, "/transcript")
        assert reply.lines == ("Nothing was played yet.",)
        await program.services.play.submit(scene_id, "I wait.")
        reply = await program.services.play.submit(scene_id, "/transcript 5")
        assert reply.lines == ("1 player: I wait.",)
