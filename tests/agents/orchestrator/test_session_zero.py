"""Session zero: a few questions, each answered by a line and each skippable; nothing kept but the answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from stores.errors import InputError
from tests.program import begin, opened


async def test_session_zero_questions_lead_from_one_to_the_next(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        asked = await program.services.play.submit(scene_id, "/zero")
        assert len([line for line in asked.lines if line.startswith("·")]) == 8
        assert asked.suggested_line == "/zero tone "
        answers = (
            "quiet dread",
            "no harm to animals",
            "",
            "The village drowns",
            "Who moved the bell?",
            "Spring tide 6 per scene 1",
            "Old Tam: keeper of the salt bell",
            "Ilse Karr: harbour master",
        )
        text = asked.suggested_line
        for answer in answers:
            reply = await program.services.play.submit(scene_id, f"{text}{answer}".strip())
            text = reply.suggested_line
        assert text == ""
        assert "That was all" in reply.lines[-1]
        view = await program.services.play.scene(scene_id)
        assert (view.story.tone, view.story.theme) == ("quiet dread", "")
        assert view.story.lines_and_veils == "no harm to animals"
        assert [t.name for t in view.threads] == ["The village drowns", "Who moved the bell?"]
        assert [(c.name, c.per_scene) for c in view.clocks] == [("Spring tide", 1)]
        assert [m.name for m in view.cast] == ["Mara", "Old Tam", "Ilse Karr"]
        again = await program.services.play.submit(scene_id, "/zero")
        assert [line for line in again.lines if line.startswith("·")] == [
            "· What is it about, underneath?  /zero theme what the living owe the dead"
        ]
        assert again.suggested_line == "/zero theme "


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("/zero tonne quiet", "Did you mean tone"),
        ("/zero tone " + "x" * 1_001, "1,000 is the most"),
        ("/zero clock whenever", "no clock 'whenever'"),
        ("/zero friend : no name", "needs a name"),
    ],
)
async def test_session_zero_nonsense_is_refused_and_changes_nothing(
    tmp_path: Path, line: str, words: str
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        before = await program.services.play.scene(scene_id)
        with pytest.raises(InputError, match=words):
            await program.services.play.submit(scene_id, line)
        assert await program.services.play.scene(scene_id) == before
