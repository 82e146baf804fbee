"""The timeline of a world, in a player's own words: four scenes, two deaths, a promise made and kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.views.card_views import FactView
from agents.views.replies import CommandTopic
from agents.views.world_views import TimelineEvent
from monitor_tui.compose import Program
from stores.records.ids import Id
from tests.program import begin, opened


async def play_scene(program: Program, scene_id: Id, outcome: str, *lines: str) -> Id:
    """Play the lines, end the scene with all it proposed, and return the next one."""
    for line in (*lines, "I wait.", f"/end {outcome}"):
        await program.services.play.submit(scene_id, line)
    await program.services.gate.commit(scene_id)
    scene = (await program.services.play.scene(scene_id)).scene
    cards = await program.services.stories.stories()
    next_scene_id = await program.services.stories.resume(cards[0].story.id)
    assert next_scene_id != scene.id
    return next_scene_id


def words(event: TimelineEvent) -> str:
    mentioned = event.mentioned
    return mentioned.fact.statement if isinstance(mentioned, FactView) else mentioned.title


async def test_timeline_tells_scenes_deaths_and_promises_in_order(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        scene_id = await play_scene(
            program,
            scene_id,
            "The bell is gone",
            "/npc Dob Harrow: the pier-keeper",
            "/npc Ruk: a rat catcher",
            "/fact promise: Mara promised Ruk to bring back the bell",
            "/fact Dob Harrow is dead",
        )
        scene_id = await play_scene(
            program,
            scene_id,
            "The bell is back",
            "/fact event: The tower fell",
            "/fact open question: Where is Teodor",
            "/paid Mara promised",
            "/fact Ruk died",
        )
        (universe,) = await program.services.stories.universes()
        events = await program.services.world.timeline.read_timeline(universe.id)
        told = [words(event) for event in events]
        expected = [
            "Scene 1 “The yard”",
            "Mara promised Ruk to bring back the bell.",
            "Dob Harrow died.",
            "The tower fell.",
            "Open question: Where is Teodor?",
            "Kept: Mara promised Ruk to bring back the bell.",
            "Ruk died.",
        ]
        assert [line for line in told if line in expected] == expected
        assert sum(line.startswith("Scene ") for line in told) == 2
        assert events[0].note == "The bell is gone"
        found = await program.services.world.timeline.read_timeline(universe.id, "ruk died")
        assert [words(event) for event in found] == ["Ruk died."]


async def test_characters_lists_the_dead_last_and_says_so(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await play_scene(
            program, scene_id, "", "/npc Dob Harrow: the pier-keeper", "/npc Zed", "/fact Dob Harrow died"
        )
        (universe,) = await program.services.stories.universes()
        rows = await program.services.characters.list_characters(universe.id)
        assert [(row.entity.name, row.is_dead) for row in rows] == [
            ("Mara", False),
            ("Zed", False),
            ("Dob Harrow", True),
        ]


async def test_help_has_every_command_under_one_topic(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        commands = program.services.play.commands()
        by_topic = {topic: [c.name for c in commands if c.topic is topic] for topic in CommandTopic}
        assert all(by_topic.values())
        assert sum(map(len, by_topic.values())) == len(commands)
        assert {"narrate", "undo"} <= set(by_topic[CommandTopic.PLAY])
        assert {"check", "oracle", "reroll"} <= set(by_topic[CommandTopic.DICE])
        assert {"npc", "place", "fact"} <= set(by_topic[CommandTopic.WORLD])


@pytest.mark.slow
async def test_lanes_have_nobody_in_a_scene_whose_coming_was_undone(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in ("/npc Dob Harrow", "/npc Zed", "/commit", "> Dob comes in.", "> Zed comes in.", "/undo"):
            await program.services.play.submit(scene_id, line)
        (universe,) = await program.services.stories.universes()
        lanes = await program.services.world.timeline.read_lanes(universe.id)
        names = {lane.name for lane in lanes.lanes}
        assert "Dob Harrow" in names
        assert "Zed" not in names


@pytest.mark.slow
async def test_lanes_have_a_scene_where_it_was_played_and_not_where_it_only_opened(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)

        async def play_scene(*lines: str) -> None:
            nonlocal scene_id
            for line in (*lines, "/accept all", "/end"):
                await program.services.play.submit(scene_id, line)
            scene_id = (await program.services.gate.commit(scene_id)).next_scene_id or scene_id

        await play_scene("/place Pier", "/place Shed", "I look round.", "I wait.", "/go Pier", "I rest.")
        await play_scene("I go to the Shed.", "I look round.")
        await play_scene("I go to the Pier.", "I look round.")
        await play_scene("I look round.")
        await program.services.play.submit(scene_id, "I look round again.")
        (universe,) = await program.services.stories.universes()
        lanes = await program.services.world.timeline.read_lanes(universe.id)
        scenes_by_place = {
            lane.name: [mark.text.partition(" ")[2][:1] for mark in lane.marks]
            for lane in lanes.lanes
            if lane.group == "Places"
        }
        assert scenes_by_place == {"Yard": ["1"], "Pier": ["1", "3", "4", "5"], "Shed": ["2"]}
