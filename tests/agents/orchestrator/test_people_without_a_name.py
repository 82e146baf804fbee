"""`The boy` is somebody without a name: nobody known comes in for him, and running after him leaves nobody behind."""

from __future__ import annotations

from pathlib import Path

from agents.story_outline import NewCharacter, NewUniverse, StoryOutline
from monitor_tui.compose import Program
from stores.records.ids import Id
from tests.program import opened

DOB_IS_HERE = "/npc here Dob Harrow: pier-keeper"


async def begin(program: Program) -> Id:
    universe = await program.services.stories.create_universe(NewUniverse("Ribs"))
    outline = StoryOutline(
        universe.id, "A story", NewCharacter("Iselin Quay"), scene_title="Shore", place="Shore"
    )
    return await program.services.stories.start_story(outline)


async def play(home: Path, *lines: str) -> tuple[tuple[str, ...], list[str]]:
    """Play lines, and return the last reply and who is with the hero then."""
    async with opened(home) as program:
        scene_id = await begin(program)
        for line in lines:
            reply = await program.services.play.submit(scene_id, line)
        view = await program.services.play.scene(scene_id)
        return reply.lines, [member.name for member in view.cast if not member.is_pc]


async def test_brother_elsewhere_does_not_come_in_for_the_boy(tmp_path: Path) -> None:
    lines, names = await play(
        tmp_path,
        DOB_IS_HERE,
        "/npc Teodor Quay: my brother",
        "> Teodor is my brother.",
        "> The boy hides behind a stack of crab pots.",
        "I run after the boy and grab him by the collar.",
    )
    assert lines == ()
    assert names == ["Dob Harrow"]


async def test_brother_who_is_called_a_boy_is_meant_by_the_boy(tmp_path: Path) -> None:
    lines, names = await play(
        tmp_path,
        "/npc Teodor Quay: a boy of ten",
        "> Teodor is my brother.",
        "I run after the boy and grab him by the collar.",
    )
    assert lines == ("Teodor Quay comes in.",)
    assert names == ["Teodor Quay"]


async def test_running_after_somebody_unknown_leaves_nobody_behind(tmp_path: Path) -> None:
    _, names = await play(tmp_path, DOB_IS_HERE, "/npc here Hanna Roe", "I run after the thief.")
    assert names == ["Dob Harrow", "Hanna Roe"]


async def test_running_after_somebody_known_who_left_leaves_the_others_behind(tmp_path: Path) -> None:
    _, names = await play(
        tmp_path, DOB_IS_HERE, "/npc here Hanna Roe", "> Hanna runs out.", "I run after Hanna."
    )
    assert names == ["Hanna Roe"]


async def test_companion_with_whom_a_girl_is_left_stays_behind_and_she_is_no_thing(tmp_path: Path) -> None:
    lines, names = await play(
        tmp_path,
        DOB_IS_HERE,
        "/place Mill",
        "/place Cove",
        "I walk to the cove with Dob.",
        "I leave the girl with Dob and go to the mill.",
    )
    assert lines == (
        "The scene goes on in Mill.",
        "Dob Harrow stays behind: /cast + Dob Harrow brings them along.",
    )
    assert names == []


async def test_unknown_thing_that_is_left_with_somebody_is_still_named(tmp_path: Path) -> None:
    lines, _ = await play(tmp_path, DOB_IS_HERE, "I hand Dob the rope.")
    assert lines == ("“rope” is not known in this world: /thing rope makes it known (Tab takes it).",)


async def test_scene_goes_to_a_place_made_known_after_the_companion(tmp_path: Path) -> None:
    lines, names = await play(
        tmp_path, "I walk to the mill with Hanna.", "/npc here Hanna Roe", "/place Mill: white, a cold wheel"
    )
    assert lines == ("Proposed: Mill", "Proposed: Iselin Quay is in Mill.", "Hanna Roe comes along.")
    assert names == ["Hanna Roe"]


async def test_scene_waits_for_go_if_whoever_came_in_is_no_companion(tmp_path: Path) -> None:
    lines, _ = await play(tmp_path, "I walk to the mill to meet Hanna.", "/npc here Hanna Roe", "/place Mill")
    assert lines == ("Proposed: Mill", "/go Mill goes there.")
