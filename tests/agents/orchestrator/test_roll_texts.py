"""A roll says who tried what, on screen and in what is exported."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.exports.story_journal import write_journal
from agents.exports.story_markdown import write_markdown
from monitor_tui.compose import Program
from stores.records.ids import Id
from tests.program import begin, opened


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[tuple[Program, Id]]:
    async with opened(tmp_path) as program:
        yield program, await begin(program)


async def last_text(program: Program, scene_id: Id, *lines: str) -> str:
    for line in lines:
        await program.services.play.submit(scene_id, line)
    return (await program.services.play.transcript(scene_id, 0, 50))[-1].turn.text


async def test_roll_without_words_says_who_tried_what(scene: tuple[Program, Id]) -> None:
    text = await last_text(*scene, "I wait.", "> The door holds.", "/check might vs 3")
    assert text.startswith("Mara: might · 2d6+1 ")


async def test_roll_with_words_leaves_it_to_the_words(scene: tuple[Program, Id]) -> None:
    assert (await last_text(*scene, "I push the door. /check might vs 3")).startswith("2d6+1 ")


async def test_picked_result_says_who_tried_what_too(scene: tuple[Program, Id]) -> None:
    text = await last_text(*scene, "I wait.", "> The door holds.", "/check might vs 3", "/pick fail")
    assert text.startswith("Mara: might · 2d6+1 ")
    assert "picked" in text


async def test_reaction_says_whose_it_is(scene: tuple[Program, Id]) -> None:
    text = await last_text(*scene, "/npc here Old Tam: a net-mender", "/react tam +1")
    assert text.startswith("reaction of Old Tam · 2d6+1 ")


async def test_move_says_what_was_tried_on_whom(scene: tuple[Program, Id]) -> None:
    program, scene_id = scene
    text = await last_text(
        program, scene_id, "/system Lantern Twos", "/creature Pane-Hound (hp 6)", "/move strike Pane-Hound"
    )
    assert text.startswith("Mara: strike Pane-Hound · 2d6")
    assert (await last_text(program, scene_id, "I swing. /move strike Pane-Hound")).startswith(
        "strike Pane-Hound · 2d6"
    )
    record = await program.services.stories.story_record(
        (await program.services.play.scene(scene_id)).story.id
    )
    assert "Mara: strike Pane-Hound" in write_markdown(record)
    assert "d: Mara: strike Pane-Hound · 2d6" in write_journal(record)
