"""Tests who witnessed which line of scenes that were written without knowledge of the program.

`pytest -s tests/agents/memory_manager/test_who_knows.py` prints how many answers are right.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from agents.memory_manager.scene_reader import mark_unheard_turns
from agents.story_outline import NewCharacter, NewUniverse, StoryOutline
from monitor_tui.compose import Program
from stores.errors import MonitorError
from stores.records.play import Speaker, Turn
from tests.agents.memory_manager.memory_session import MemorySession, session_in_scene
from tests.program import opened

pytestmark = pytest.mark.slow

SCENES_FILE = Path(__file__).parent / "data" / "who_knows.yaml"
MIN_SHARE_RIGHT = 0.93
MIN_SHARE_CAST_RIGHT = 0.8


@dataclass
class Score:
    """How many answers were right, and which were not."""

    asked_count: int = 0
    right_count: int = 0
    scene_count: int = 0
    right_cast_count: int = 0
    wrong_answers: list[str] = field(default_factory=list)

    @property
    def share_right(self) -> float:
        return self.right_count / self.asked_count

    @property
    def share_of_casts_right(self) -> float:
        return self.right_cast_count / self.scene_count


@dataclass(frozen=True)
class PlayedScene:
    """A scene that was played, and the turn of each of its lines."""

    session: MemorySession
    turns_by_line: dict[int, Turn]

    async def list_hearers(self, line_number: int) -> set[str]:
        """Return the names of those who heard all of a line."""
        turn = self.turns_by_line.get(line_number)
        if turn is None:
            return set()
        setting = await self.session.scene_reader.read_setting(self.session.scene_id)
        line_turns = await self.session.log.line_slice(self.session.scene_id, 0, 1_000)
        heard_texts = mark_unheard_turns(setting.attendance, line_turns).heard_texts(turn)
        return {setting.entities[i].name for i, text in heard_texts.items() if text == turn.text}


async def play_scene(program: Program, scene: dict[str, Any]) -> PlayedScene:
    """Play a scene of the table from its set-up on, as it would be typed."""
    universe = await program.services.stories.create_universe(NewUniverse(scene["id"]))
    scene_id = await program.services.stories.start_story(
        StoryOutline(
            universe.id,
            "A story",
            NewCharacter(scene["pc"]),
            scene_title=scene["id"],
            place=scene["place"] or None,
        )
    )
    session = session_in_scene(program, scene_id)
    others = dict.fromkeys((*scene["known"], *scene["dead"]))
    await session.play(
        *(f"/place {name}" for name in scene["places"] if name != scene["place"]),
        *(f"/npc here {name}" for name in scene["here"]),
        *(f"/npc {name}" for name in others if name not in scene["here"]),
        *(f"/fact {name} is dead" for name in scene["dead"]),
    )
    turns_by_line: dict[int, Turn] = {}
    for number, line in enumerate(scene["lines"], start=1):
        turn_count = await session.log.line_length(scene_id)
        try:
            await session.play(line)
        except MonitorError as error:
            print(scene["id"], number, error.what)
            continue
        new_turns = await session.log.line_slice(scene_id, turn_count, 10)
        word_turns = [t for t in new_turns if t.speaker in (Speaker.PLAYER, Speaker.GM)]
        if word_turns:
            turns_by_line[number] = word_turns[0]
    return PlayedScene(session, turns_by_line)


async def score_scene(program: Program, scene: dict[str, Any], score: Score) -> None:
    """Play a scene and compare who knows what, and who is there at its end."""
    played = await play_scene(program, scene)
    for question in scene["ask"]:
        knows = question["who"] in await played.list_hearers(question["line"])
        score.asked_count += 1
        if knows is question["knows"]:
            score.right_count += 1
        else:
            score.wrong_answers.append(
                f"{scene['id']} line {question['line']}: {question['who']} knows: {knows}"
            )
    view = await program.services.play.scene(played.session.scene_id)
    cast = {member.name for member in view.cast if member.note != "dead"} - {scene["pc"]}
    score.scene_count += 1
    if cast == set(scene["cast_at_end"]) - {scene["pc"]}:
        score.right_cast_count += 1
    else:
        score.wrong_answers.append(f"{scene['id']}: the cast at the end is {sorted(cast)}")


async def test_attendance_is_right_about_who_witnessed_what(tmp_path: Path) -> None:
    scenes = yaml.safe_load(SCENES_FILE.read_text(encoding="utf-8"))
    scores = {"tune": Score(), "held": Score()}
    async with opened(tmp_path) as program:
        for scene in scenes:
            await score_scene(program, scene, scores[scene["half"]])
    for half, score in scores.items():
        print(
            f"\n{half}: {score.right_count} of {score.asked_count} answers right ({score.share_right:.1%}), "
            f"{score.right_cast_count} of {score.scene_count} casts"
        )
    assert sum(score.asked_count for score in scores.values()) >= 200
    tune = scores["tune"]
    assert not tune.wrong_answers, "\n".join(tune.wrong_answers)
    for score in scores.values():
        assert score.share_right >= MIN_SHARE_RIGHT
        assert score.share_of_casts_right >= MIN_SHARE_CAST_RIGHT
