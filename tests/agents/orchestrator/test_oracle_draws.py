"""The oracle and its like, asked on the Scene screen: sealed, on the line, and undone with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.solo.oracle_draws import OracleDraws
from monitor_tui.compose import Program
from stores.records.ids import Id
from stores.records.play import Resolution, Speaker
from tests.program import begin, opened


async def last_result(program: Program, scene_id: Id) -> Resolution:
    view = await program.services.play.scene(scene_id)
    (row,) = await program.services.play.transcript(scene_id, view.turn_count - 1, 1)
    assert row.turn.speaker is Speaker.ORACLE
    assert row.resolution
    assert row.turn.text == row.resolution.text
    return row.resolution


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("? Does it rain", "oracle"),
        ("? likely: Does it rain?", "oracle"),
        ("/oracle unlikely is it late", "oracle"),
        ("/howmuch", "how much"),
        ("/howmuch +2", "how much"),
        ("/react Tom", "reaction"),
        ("/react Tom -1", "reaction"),
        ("/spark", "spark"),
        ("/event", "event"),
    ],
)
async def test_oracle_what_chance_says_is_sealed_on_the_line_and_undone_with_it(
    tmp_path: Path, line: str, rule: str
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "/npc here Tom: the well's keeper")
        await program.services.play.submit(scene_id, "/commit")
        await program.services.play.submit(scene_id, line)
        rows = await program.services.play.transcript(scene_id, 0, 10)
        # The first result: an oracle's answer may bring a random event behind it.
        result = next(row.resolution for row in rows if row.resolution)
        assert result
        assert rule in f"{result.rule} {result.text}".casefold()
        assert result.dice
        await program.services.play.submit(scene_id, "/undo")
        assert (await program.services.play.scene(scene_id)).turn_count == 0
        # Before what was drawn, Tom came in, and that is canon by now: undo asks first. That he is here goes last.
        reply = await program.services.play.submit(scene_id, "/undo")
        assert reply.confirm_line == "/undo yes"
        await program.services.play.submit(scene_id, reply.confirm_line)
        await program.services.play.submit(scene_id, "/undo")
        assert not (await program.services.play.scene(scene_id)).can_undo


async def test_oracle_question_is_the_players_turn_and_shows_before_its_answer(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "? certain: Is the well dry")
        question, answer = (await program.services.play.transcript(scene_id, 0, 2))[:2]
        assert (question.turn.speaker, question.turn.text) == (Speaker.PLAYER, "Is the well dry?")
        assert "certain" in answer.turn.text
        assert "tension 5" in answer.turn.text


async def test_canon_suggests_and_the_player_decides(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        died = "/state Tom Weaver.alive = false"
        for line in ("/npc Tom Weaver: the well's keeper", "/commit", died, "/commit"):
            await program.services.play.submit(scene_id, line)
        reply = await program.services.play.submit(scene_id, "? Does Tom help me?")
        assert reply.kind == "operation"
        assert "Tom Weaver died" in reply.lines[0]
        assert reply.prompt_text == "? impossible: Does Tom help me?"
        assert (await program.services.play.scene(scene_id)).turn_count == 0, (
            "nothing is asked before the player says so"
        )
        await program.services.play.submit(scene_id, reply.prompt_text)
        _, answer = (await program.services.play.transcript(scene_id, 0, 10))[:2]
        assert answer.turn.text.startswith("impossible ·")
        for question, why in (
            ("who sent Tom", "it asks for more than yes or no; /spark gives words to build on"),
            ("is the bell with Tom or with me", "it asks for one of two: ask for each"),
        ):
            reply = await program.services.play.submit(scene_id, f"? {question}")
            assert reply.lines[0] == f"Asked at even: {why}."


@pytest.mark.slow
async def test_oracle_answer_may_bring_a_random_event_about_our_own(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "/tension 9")
        for number in range(60):
            await program.services.play.submit(scene_id, f"? even: Is it {number}")
        rows = await program.services.play.transcript(scene_id, 0, 500)
        events = [n for n, row in enumerate(rows) if row.turn.text.startswith("event ·")]
        assert events
        assert all(rows[n - 1].turn.text.startswith("even ·") for n in events)
        asked = {rows[n].turn.exchange_id for n in events}
        assert asked == {rows[n - 2].turn.id for n in events}, "question, answer and event are one exchange"
        assert len(rows) == 120 + len(events)


async def test_time_passes_on_the_line(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "I wait.")
        before = await program.services.play.scene(scene_id)
        await program.services.play.submit(scene_id, "/time +1d")
        after = await program.services.play.scene(scene_id)
        assert (before.when, after.when) == ("Day 1, morning", "Day 2, morning")
        await program.services.play.submit(scene_id, "/fact event: The rain came")
        (row,) = after.proposals or (await program.services.play.scene(scene_id)).proposals
        assert row.proposal.tick == before.scene.tick + 1 + 24 * 60
        await program.services.play.submit(scene_id, "/undo")
        assert (await program.services.play.scene(scene_id)).proposals == ()
        await program.services.play.submit(scene_id, "/undo")
        assert (await program.services.play.scene(scene_id)).when == before.when


async def test_oracle_users_own_tables_are_read_from_the_home_folder(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    table = "title: My smells\nlicence: CC0-1.0\nattribution: me\nrows:\n  - burnt sugar\n"
    (tmp_path / "tables" / "smells.yaml").write_text(table, encoding="utf-8")
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "/spark smells")
        assert "burnt sugar" in (await last_result(program, scene_id)).text


async def test_oracle_story_plays_by_its_rule_pack(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        universe = await program.services.stories.add_sample()
        outline = await program.services.stories.sample_outline()
        assert outline.system in {pack.id for pack in await program.services.stories.systems()}
        scene_id = await program.services.stories.start_story(outline)
        await program.services.play.submit(scene_id, "I shoulder the door. /check force")
        result = await last_result(program, scene_id)
        assert "Lantern Twos" in result.rule
        assert result.target == 10
        assert universe.id == outline.universe_id


async def test_bad_packs_and_tables_of_ones_own_are_said_on_the_menu(tmp_path: Path) -> None:
    for folder in ("systems", "tables"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "bad.yaml").write_text("id: [", encoding="utf-8")
    (tmp_path / "systems" / "strange.yaml").write_bytes(b"\xff\xfe\x00")
    async with opened(tmp_path) as program:
        notes = (await program.services.stories.menu()).notes
        assert [note.partition(":")[0] for note in notes] == [
            "bad.yaml",
            "strange.yaml",
            "The table 'bad' cannot be used",
        ]


async def test_oracle_event_that_an_answer_brings_survives_a_crash_and_goes_with_its_question(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, "/tension 9")
        before = 0
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(OracleDraws, "_prepare_event", _cut)
            for number in range(60):
                before = (await program.services.play.scene(scene_id)).turn_count
                try:
                    await program.services.play.submit(scene_id, f"? even: Is it {number}")
                except Cut:
                    break
            else:
                raise AssertionError("no answer brought an event")
        assert (await program.services.play.scene(scene_id)).turn_count == before + 2, "asked and answered"
    async with opened(tmp_path, seed=2) as again:
        await again.services.stories.recover()
        rows = await again.services.play.transcript(scene_id, before, 9)
        assert [row.turn.text.split(" · ")[0] for row in rows][1:] == ["even", "event"]
        await again.services.play.submit(scene_id, "/undo")
        assert (await again.services.play.scene(scene_id)).turn_count == before


class Cut(Exception):
    """The process ends here."""


async def _cut(*_: object) -> None:
    raise Cut
