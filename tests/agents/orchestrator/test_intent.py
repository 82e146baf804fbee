"""Commands said in plain words are found; words of the story never are."""

from __future__ import annotations

import pytest

from agents.orchestrator.intent import intent_of

COMMANDS = {
    "end the scene": "/end",
    "Please end this scene.": "/end",
    "end the scene: the bell is safe": "/end the bell is safe",
    "list the npcs": "/list character",
    "show me all the places we know": "/list place",
    "list everything": "/list",
    "undo that": "/undo",
    "give me a recap": "/recap",
    "what do we know about Old Tam?": "/show Old Tam",
    "create an NPC named Sister Ysolde: keeper of the light": "/npc Sister Ysolde: keeper of the light",
    "add a new place called The Salt Stair": "/place The Salt Stair",
    "make a clock: The tide comes in (6)": "/clock The tide comes in (6)",
    "show the open threads": "/thread",
    "list promises": "/promises",
    "rename the scene to Under the chapel": "/scene Under the chapel",
    "could you show me the bill?": "/bill",
}

STORY = [
    "I end the scene by walking out.",
    "I list the people I trust. It is a short list.",
    "I show Old Tam the key.",
    "Mara undoes the knot.",
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
]


@pytest.mark.parametrize(("words", "line"), COMMANDS.items())
def test_a_command_in_words_is_found(words: str, line: str) -> None:
    intent = intent_of(words)
    assert (intent.kind, intent.line) == ("operation", line)


@pytest.mark.parametrize("words", STORY)
def test_the_story_is_never_taken_for_a_command(words: str) -> None:
    """What merely looks like one may be asked about, and is the story's if nobody knows better."""
    assert intent_of(words).kind in ("narration", "unclear")
