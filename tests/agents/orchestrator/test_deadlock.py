"""Going in circles is said with three ways out, with a model and without; a player who just talks is left alone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from agents.orchestrator.deadlock import (
    FINALIZING_LIMIT,
    GENERATING_LIMIT,
    STUCK_LINES,
    describe_stalled_loop,
    find_repeated_lines,
)
from monitor_tui.compose import Program, open_program
from stores.authority import Role
from stores.records.ids import Id, SteppingClock
from stores.records.llm import Persona
from stores.records.play import Speaker, Turn
from stores.records.workflow import Loop
from tests.agents.orchestrator.scripted_program import PROSE, telling
from tests.contract import builders as make
from tests.program import START, begin, opened

SCENE = make.scene(make.story())


def line(*spoken: tuple[Speaker, str]) -> list[Turn]:
    return [make.turn(SCENE, None, text, speaker=speaker) for speaker, text in spoken]


def test_same_line_with_the_same_failure_is_a_circle() -> None:
    spoken = [
        (speaker, text)
        for n in range(STUCK_LINES)
        for speaker, text in (
            (Speaker.PLAYER, "I force the door." if n % 2 else "I force the door!"),
            (Speaker.ORACLE, f"might {n + 2}+1 = {n + 3} vs 40: fail"),
        )
    ]
    assert "“I force the door.” five times with the same result" in find_repeated_lines(
        [*line(*spoken[:-2]), *line(*spoken[2:4])]
    )


PUSHES = (
    "I push the door.",
    "I push at the door again.",
    "I try pushing the door once more.",
    "I give the door another push.",
    "Again I push against the door!",
)


def test_same_deed_in_other_wordings_is_a_circle() -> None:
    spoken = [(Speaker.PLAYER, text) for text in PUSHES]
    assert "door!” five times in other words, and no new fact" in find_repeated_lines(line(*spoken))


@pytest.mark.parametrize(
    "words",
    ["I push the door with the bench.", "I pull the door.", "I push Dob.", "“I push the door!” I shout."],
)
def test_other_deed_in_like_words_is_no_circle(words: str) -> None:
    spoken = [(Speaker.PLAYER, text) for text in (*PUSHES[:4], words)]
    assert find_repeated_lines(line(*spoken)) == ""


@pytest.mark.parametrize(
    "spoken",
    [
        [(Speaker.PLAYER, f"I say something else, number {n}.") for n in range(STUCK_LINES)],
        [(Speaker.PLAYER, "I wait.")] * (STUCK_LINES - 1),
        [
            turn
            for degree in ("fail", "fail", "partial", "fail", "success")
            for turn in ((Speaker.PLAYER, "I climb."), (Speaker.ORACLE, f"might 3 vs 8: {degree}"))
        ],
        [
            turn
            for answer in (
                "The gulls rise.",
                "A lamp burns.",
                "Steps outside.",
                "Silence falls.",
                "It rains.",
            )
            for turn in ((Speaker.PLAYER, "I wait."), (Speaker.GM, answer))
        ],
    ],
    ids=["talk", "too few", "dice fall differently", "answers differ"],
)
def test_innocent_lines_are_no_circle(spoken: list[tuple[Speaker, str]]) -> None:
    assert find_repeated_lines(line(*spoken)) == ""


# --- in play ----------------------------------------------------------------------------------------------


async def play(program: Program, scene_id: Id, *lines: str) -> list[str]:
    """Play lines, and return those of the replies that speak of circles."""
    replies = [await program.services.play.submit(scene_id, one) for one in lines]
    return [text for reply in replies for text in reply.lines if "circles" in text]


async def test_circle_without_a_model_is_said_once_with_three_ways_out(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        circles = await play(program, scene_id, *["I listen at the door."] * (2 * STUCK_LINES - 1))
        assert len(circles) == 1, circles
        assert "“I listen at the door.” five times" in circles[0]
        assert all(way in circles[0] for way in ("/event", "? asks", "/end"))
        turn = (await program.services.play.transcript(scene_id, 0, 200))[STUCK_LINES - 1].turn
        ended = await program.stores.log(Role.CONTEXT_ASSEMBLY).loop_state(Loop.TURN, turn.id)
        assert ended is not None
        assert ended.detail.startswith("“I listen at the door.”")


async def test_circle_is_said_of_the_lines_that_stand(tmp_path: Path) -> None:
    """Lines that were undone count in no row: they must not make it pass by the number at which turns are read."""
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        assert await play(program, scene_id, *["I knock."] * 3, "/undo", *["I knock."] * 4) == []
        assert len(await play(program, scene_id, "I knock.")) == 1
        # The key of each line is that of its deed, however it is worded.
        assert len(await play(program, scene_id, *PUSHES)) == 1


async def test_innocent_play_is_never_called_a_circle(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        talk = ["“Where were you?” I ask.", "“And then?”", "“Who saw you?”", "“Alone?”", "“I see.”", "“Why?”"]
        assert await play(program, scene_id, *talk) == []
        # A step of a clock, a note on record or another place between the same lines is news.
        between = [
            "/clock Tide 6",
            "/clock Tide +1",
            "/fact Mara owns a lamp",
            "/clock Tide +1",
            "/thread Why?",
        ]
        news = [one for command in between for one in ("I wait.", command)]
        assert await play(program, scene_id, *news, "I wait.") == []
        # The GM answers the same line in other words.
        told = [
            "> Gulls rise from the quay.",
            "> A lamp goes by.",
            "> Steps on the stair.",
            "> Rain.",
            "> Bells.",
        ]
        assert await play(program, scene_id, *(one for answer in told for one in ("I listen.", answer))) == []
        # Undone lines are not on record.
        assert await play(program, scene_id, *(one for _ in range(6) for one in ("I knock.", "/undo"))) == []


@pytest.mark.slow
@pytest.mark.parametrize("varied", [True, False])
async def test_narrations_that_repeat_are_said(tmp_path: Path, varied: bool) -> None:
    narrations = _varied() if varied else _same()
    async with telling(tmp_path, {Persona.NARRATOR: lambda ask: next(narrations)}) as scripted:
        is_said = False
        for _ in range(STUCK_LINES + 1):
            reply = await scripted.program.services.play.submit(scripted.scene_id, "I wait.")
            is_said = any("Going in circles" in line and "/event" in line for line in reply.lines)
        assert is_said is not varied


def _same() -> Iterator[str]:
    while True:
        yield PROSE


def _varied() -> Iterator[str]:
    words = ("tide", "lantern", "gulls", "chapel", "silver", "ropes", "smoke", "thunder", "fiddle", "market")
    for n in range(100):
        one, two, three = (words[(n * 3 + k) % len(words)] for k in range(3))
        yield f"Number {n}: {one} {two}{n} {three}{n} beyond{n} stirring{n} where{n} nobody{n} looked{n}."


async def test_scene_that_was_left_at_its_gate_says_how_to_go_on(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "/end Mara sleeps.")
        gate = await program.services.gate.gate(scene_id)
        assert not any("stood at its gate" in one for one in gate.scene_end_lines)
    clock = SteppingClock(START + 2 * FINALIZING_LIMIT)
    program = await open_program(tmp_path, clock=clock)
    try:
        gate = await program.services.gate.gate(scene_id)
        assert any("/reopen goes back to play" in one for one in gate.scene_end_lines)
    finally:
        await program.close()


# --- loops that stand still -------------------------------------------------------------------------------


def test_loop_past_its_limit_names_its_recovery() -> None:
    minute = timedelta(minutes=1)
    assert "Enter at the gate writes it again" in describe_stalled_loop("failed", START, [], START)
    at_gate = describe_stalled_loop("finalizing", START, [], START + FINALIZING_LIMIT)
    assert "/reopen" in at_gate
    assert "2026-01-01" in at_gate
    assert describe_stalled_loop("finalizing", START, [], START + FINALIZING_LIMIT - minute) == ""
    unfinished = describe_stalled_loop("active", START, [START], START + GENERATING_LIMIT)
    assert "unfinished for 5 minutes" in unfinished
    assert "your next line finishes it" in unfinished
    assert describe_stalled_loop("active", START, [START], START + minute) == ""
    assert describe_stalled_loop("active", START, [], START + 10 * FINALIZING_LIMIT) == ""
