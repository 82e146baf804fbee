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
        assert asked.lines[-1].startswith("Answer those you like: Tab, then your answer.")
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
            assert not text or "Tab, then your answer: " in reply.lines[-1]
        assert text == ""
        assert reply.lines[-1] == "Still open: theme. /zero shows them."
        view = await program.services.play.scene(scene_id)
        assert (view.story.tone, view.story.theme) == ("quiet dread", "")
        assert view.story.lines_and_veils == "no harm to animals"
        assert [t.name for t in view.threads] == ["The village drowns", "Who moved the bell?"]
        assert [(c.name, c.per_scene) for c in view.clocks] == [("Spring tide", 1)]
        assert [m.name for m in view.cast] == ["Mara"]  # a friend and a rival are known, not present
        again = await program.services.play.submit(scene_id, "/zero")
        assert [line for line in again.lines if line.startswith("·")] == [
            "· What is it about, underneath?  /zero theme what the living owe the dead"
        ]
        assert again.suggested_line == "/zero theme "


async def test_session_zero_asks_no_question_again_that_has_its_answer(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in ("/zero lines no harm to animals", "/zero theme what the living owe the dead"):
            await program.services.play.submit(scene_id, line)
        reply = await program.services.play.submit(scene_id, "/zero tone quiet dread")
        assert reply.suggested_line == "/zero stakes "


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("/zero tonne quiet", "Did you mean tone"),
        ("/zero tone " + "x" * 1_001, "1,000 is the most"),
        ("/zero clock whenever", "no clock 'whenever'"),
        ("/zero friend : no name", "needs a name"),
        ("/zero rival Mara", "Mara is who you play"),
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


async def test_session_zero_ties_friend_and_rival_to_the_hero(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in (
            "/zero friend Dob Harrow, the pier-keeper",
            "/zero rival Captain Vess: of the salvage crew",
        ):
            reply = await program.services.play.submit(scene_id, line)
        assert "Captain Vess and Mara are enemies." in " ".join(reply.lines)
        view = await program.services.play.scene(scene_id)
        assert [row.title for row in view.proposals] == [
            "Dob Harrow",
            "Dob Harrow and Mara are allies.",
            "Captain Vess",
            "Captain Vess and Mara are enemies.",
        ]
        assert view.proposals[0].diff[1][2] == "the pier-keeper"
        await program.services.play.submit(scene_id, "/undo")
        assert len((await program.services.play.scene(scene_id)).proposals) == 2


async def test_session_zero_does_not_ask_again_for_the_absent_friend(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        answers = {
            "friend": "✓ Who is on Mara's side, if not always?  Wenna",
            "rival": "✓ Who is in Mara's way?  Vess",
        }
        await program.services.play.submit(scene_id, "I look.")
        await program.services.play.submit(scene_id, "/zero rival Vess: a captain")
        lines = (await program.services.play.submit(scene_id, "/zero")).lines
        assert answers["rival"] in lines
        assert answers["friend"] not in lines
        await program.services.play.submit(scene_id, "/zero friend Wenna: a pilot")
        for line in ("/commit", "/end"):
            lines = (await program.services.play.submit(scene_id, "/zero")).lines
            assert set(answers.values()) <= set(lines)
            await program.services.play.submit(scene_id, line)
        report = await program.services.gate.commit(scene_id)
        assert report.next_scene_id is not None
        lines = (await program.services.play.submit(report.next_scene_id, "/zero")).lines
        assert set(answers.values()) <= set(lines)


async def test_session_zero_takes_somebody_who_is_known_already(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in ("/npc Tam: keeper of the bell", "/zero friend tam"):
            await program.services.play.submit(scene_id, line)
        titles = [row.title for row in (await program.services.play.scene(scene_id)).proposals]
        assert titles == ["Tam", "Tam and Mara are allies."]


async def test_last_question_alone_says_what_happened_and_what_is_open(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        reply = await program.services.play.submit(scene_id, "/zero rival")
        assert reply.lines == (
            "Skipped, and nothing was changed: Who is in Mara's way?",
            "Still open: tone, lines, theme, stakes, thread, clock, friend, rival. /zero shows them.",
        )
        reply = await program.services.play.submit(scene_id, "/zero rival Captain Vess")
        assert reply.lines[:2] == ("Proposed: Captain Vess", "Proposed: Captain Vess and Mara are enemies.")
        assert reply.lines[-1].startswith("Still open: tone, lines, ")
        assert "rival" not in reply.lines[-1]


async def test_skipped_question_says_so_before_the_next_one(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        reply = await program.services.play.submit(await begin(program), "/zero tone")
        assert reply.lines[0] == "Skipped, and nothing was changed: What is it like?"
        assert reply.suggested_line == "/zero lines "


async def test_last_answer_of_all_says_that_it_was_all(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        answers = {
            "tone": "dread",
            "lines": "none",
            "theme": "debt",
            "stakes": "The harvest",
            "thread": "Who?",
        }
        for key, answer in answers.items():
            await program.services.play.submit(scene_id, f"/zero {key} {answer}")
        for line in ("/zero clock Snow 6", "/zero friend Wenna: a pilot"):
            await program.services.play.submit(scene_id, line)
        reply = await program.services.play.submit(scene_id, "/zero Rival: Vess")
        assert reply.lines[-1] == "That was all. /zero shows it again."


@pytest.mark.parametrize("commits", [False, True])
async def test_session_zero_proposes_no_tie_twice(tmp_path: Path, commits: bool) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in ("I look.", "/zero rival Vess: a captain", *(["/commit"] if commits else [])):
            await program.services.play.submit(scene_id, line)
        rows = (await program.services.play.scene(scene_id)).proposals
        with pytest.raises(InputError) as refused:
            await program.services.play.submit(scene_id, "/zero rival Vess")
        assert refused.value.what == "That is so, or proposed, already: Vess and Mara are enemies."
        assert len((await program.services.play.scene(scene_id)).proposals) == len(rows)
        reply = await program.services.play.submit(scene_id, "/zero friend Vess")
        assert "Proposed: Vess and Mara are allies." in reply.lines


async def test_session_zero_asks_by_the_heros_name_and_suggests_no_names_of_another_world(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        text = "\n".join((await program.services.play.submit(scene_id, "/zero")).lines)
        assert "Who is on Mara's side" in text
        assert not [name for name in ("Old Tam", "Ilse", "Spring tide", "bell") if name in text]


@pytest.mark.parametrize(
    ("line", "name", "description"),
    [
        ("/npc Dob Harrow, the pier-keeper", "Dob Harrow", "the pier-keeper"),
        ("/npc Teodor Quay, my lost brother (hp 4)", "Teodor Quay", "Mara's lost brother"),
        ("/npc Harl, Lord of the Pans", "Harl, Lord of the Pans", ""),
        ("/npc Harl, Lord of the Pans: he owns them", "Harl, Lord of the Pans", "he owns them"),
    ],
)
async def test_name_ends_where_a_comma_begins_to_say_who_it_is(
    tmp_path: Path, line: str, name: str, description: str
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, line)
        (row,) = (await program.services.play.scene(scene_id)).proposals
        assert row.title == name
        assert {key: after for key, _, after in row.diff}.get("description", "") == description


@pytest.mark.parametrize(
    ("lines", "answers"),
    [
        (("/zero thread Where is my brother",), {"thread": "Where is my brother"}),
        (("/zero stakes Who dies?",), {"stakes": "Who dies?"}),
        (
            ("/zero thread Where is my brother", "/zero stakes The village drowns"),
            {"stakes": "The village drowns", "thread": "Where is my brother"},
        ),
        (
            ("/thread The village drowns", "/zero thread Where is he"),
            {"stakes": "The village drowns", "thread": "Where is he"},
        ),
        (
            ("/thread The village drowns", "/thread Who moved it?"),
            {"stakes": "The village drowns", "thread": "Who moved it?"},
        ),
        (("/zero thread Where is he", "/undo"), {}),
    ],
)
async def test_thread_answers_the_question_that_it_was_typed_for(
    tmp_path: Path, lines: tuple[str, ...], answers: dict[str, str]
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in lines:
            await program.services.play.submit(scene_id, line)
        listed = (await program.services.play.submit(scene_id, "/zero")).lines
        texts = {
            "stakes": "What is lost if Mara does nothing?",
            "thread": "Which question is open as it begins?",
        }
        found = {
            key: line.removeprefix(f"✓ {text}  ")
            for key, text in texts.items()
            for line in listed
            if line.startswith(f"✓ {text}")
        }
        assert found == answers
