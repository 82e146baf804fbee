"""Autopilot without a model: what policy accepts is canon at once, and a scene passes its gate by itself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from agents.story_outline import NewCharacter, NewUniverse, StoryOutline
from agents.views.replies import Reply
from monitor_tui.compose import Program
from stores.records.ids import Id
from stores.records.play import StoryMode
from stores.records.workflow import ProposalStatus
from tests.program import opened


@dataclass
class AutopilotStory:
    """A story in autopilot, in the scene that is played now."""

    program: Program
    scene_id: Id

    async def say(self, line: str) -> Reply:
        reply = await self.program.services.play.submit(self.scene_id, line)
        if reply.goto == "scene" and reply.subject:
            self.scene_id = reply.subject
        return reply

    async def waiting_titles(self) -> list[str]:
        view = await self.program.services.play.scene(self.scene_id)
        return [row.title for row in view.proposals if row.status is not ProposalStatus.ACCEPTED]


@pytest.fixture
async def story(tmp_path: Path) -> AsyncIterator[AutopilotStory]:
    async with opened(tmp_path) as program:
        universe = await program.services.stories.create_universe(NewUniverse("Test"))
        outline = StoryOutline(
            universe.id,
            "By itself",
            NewCharacter("Mara", numbers=(("hp", 10),)),
            mode=StoryMode.AUTOPILOT,
            place="Yard",
        )
        yield AutopilotStory(program, await program.services.stories.start_story(outline))


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("/npc Old Tam: keeps the bell", "Canon: Old Tam (character)"),
        ("/fact Mara owes the well a coin", "Canon: Mara owes the well a coin."),
        ("/state Mara.hp -3", "Canon: Mara's HP is 7."),
        ("I jump. /check 2d6+20 vs 5; success: Mara +proud", "Canon: Mara is proud."),
        ("/clock Tide 6", "Canon: The clock “Tide” stands at 0 of 6."),
    ],
)
async def test_autopilot_commits_any_line_at_once(story: AutopilotStory, line: str, written: str) -> None:
    await story.say("I wait.")
    reply = await story.say(line)
    assert written in reply.lines
    assert await story.waiting_titles() == []


async def test_autopilot_leaves_a_contradiction_to_the_player(story: AutopilotStory) -> None:
    for line in ("I wait.", "/npc Old Tam: keeps the bell", "/fact Old Tam is dead"):
        await story.say(line)
    reply = await story.say("/fact event: Old Tam rings the bell.")
    assert not any("rings" in line for line in reply.lines if line.startswith("Canon"))
    assert await story.waiting_titles() == ["Old Tam rings the bell."]
    quiet_reply = await story.say("I listen.")
    assert not any(line.startswith("Canon") for line in quiet_reply.lines)


async def test_autopilot_ends_a_scene_without_the_gate(story: AutopilotStory) -> None:
    first_scene_id = story.scene_id
    await story.say("I look into the well.")
    reply = await story.say("/end Mara found the well dry")
    assert "Canon: Mara found the well dry." in reply.lines
    assert reply.goto == "scene"
    assert story.scene_id != first_scene_id
    view = await story.program.services.play.scene(story.scene_id)
    assert (view.state, view.scene.order) == ("active", 2)
    assert (await story.program.services.play.scene(first_scene_id)).state == "completed"


async def test_autopilot_undo_offers_to_take_back_what_it_wrote(story: AutopilotStory) -> None:
    for line in ("I wait.", "I find a coin.", "/fact Mara owns a coin of bronze"):
        await story.say(line)
    reply = await story.say("/undo")
    assert reply.confirm_line
    assert "Mara owns a coin of bronze" in " ".join(reply.lines)
