"""Where the hero goes first, in a world of which no place is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.story_outline import NewCharacter, NewUniverse, StoryOutline
from tests.program import opened


async def offered(home: Path, line: str) -> list[str]:
    """Play a line in the first scene of a new world, and return what is said of places."""
    async with opened(home) as program:
        stories, play = program.services.stories, program.services.play
        universe = await stories.create_universe(NewUniverse("The Marches"))
        await stories.start_story(StoryOutline(universe.id, "The Salt Road", NewCharacter("Mara")))
        card = (await stories.menu()).resume_story
        assert card is not None
        reply = await play.submit(await stories.resume(card.story.id), line)
        return [text for text in reply.lines if "/place" in text]


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("I walk to the harbour.", "Harbour"),
        ("We ride to the old mill.", "Old Mill"),
        ("> We reach the Old Mill.", "Old Mill"),
        ("I walk to Harrow.", "Harrow"),
    ],
)
async def test_first_destination_is_offered_as_a_place(tmp_path: Path, line: str, place: str) -> None:
    known_by = f"“{place}” is not known in this world: /place {place} makes it known (Tab takes it)."
    assert await offered(tmp_path / "home", line) == [known_by]


@pytest.mark.parametrize(
    "line",
    [
        "I walk to the door.",
        "I walk to her.",
        "I go to the window.",
        "I go to bed.",
        "I walk over to the bar.",
        "I go to the table.",
        "I walk to the old woman.",
        "I run to the fire.",
        "I look at the harbour.",
        "I do not walk to the harbour.",
        "I could walk to the harbour.",
    ],
)
async def test_words_that_lead_to_no_other_place_offer_none(tmp_path: Path, line: str) -> None:
    assert await offered(tmp_path / "home", line) == []
