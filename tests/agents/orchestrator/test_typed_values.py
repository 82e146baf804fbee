"""Values are checked where they are typed: true or false where only these fit, numbers where there are numbers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from monitor_tui.compose import Program
from stores.errors import InputError
from stores.records.ids import Id
from tests.program import begin, opened


@pytest.fixture
async def rat_scene(tmp_path: Path) -> AsyncIterator[tuple[Program, Id]]:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in ("I look round.", "/creature Rat: small (hp 1)"):
            await program.services.play.submit(scene_id, line)
        yield program, scene_id


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("/state Rat.alive = maybe", "alive is true or false; maybe is neither"),
        ("/state Rat.alive = False> It squeaks once.", "is neither"),
        ("/state Rat.alive = 3", "alive is true or false; 3 is neither"),
        ("/state Rat.alive -1", "alive is true or false, and no number"),
        ("/state Rat.hp = lots", "HP of Rat is a number; lots is none"),
        ("/state Rat.HP = yes", "HP of Rat is a number; true is none"),
        ("/fact Rat alive perhaps", "alive is true or false; perhaps is neither"),
        ("I stamp. /check 2d6+9 vs 5; success: Rat.alive = perhaps", "perhaps is neither"),
        ("I stamp. /check 2d6+9 vs 5; success: Rat.hp = much", "much is none"),
    ],
)
async def test_value_that_does_not_fit_is_refused_and_nothing_is_played(
    rat_scene: tuple[Program, Id], line: str, problem: str
) -> None:
    program, scene_id = rat_scene
    before = await program.services.play.scene(scene_id)
    with pytest.raises(InputError, match=problem):
        await program.services.play.submit(scene_id, line)
    after = await program.services.play.scene(scene_id)
    assert (after.turn_count, after.proposals) == (before.turn_count, before.proposals)


@pytest.mark.parametrize("word", ["false", "no", "dead", "Dead"])
async def test_value_of_alive_is_read_in_plain_words(rat_scene: tuple[Program, Id], word: str) -> None:
    program, scene_id = rat_scene
    reply = await program.services.play.submit(scene_id, f"/state Rat.alive = {word}")
    assert reply.lines == ("Proposed: Rat died",)


async def test_value_edited_at_the_gate_is_checked_too(rat_scene: tuple[Program, Id]) -> None:
    program, scene_id = rat_scene
    for line in ("/state Rat.alive = no", "/state Rat.hp = 0"):
        await program.services.play.submit(scene_id, line)
    _, death, wound = (await program.services.play.scene(scene_id)).proposals
    with pytest.raises(InputError, match="maybe is neither"):
        await program.services.gate.edit_text(death.proposal.id, "maybe")
    with pytest.raises(InputError, match="few is none"):
        await program.services.gate.edit_text(wound.proposal.id, "few")
    await program.services.gate.edit_text(wound.proposal.id, "1")


@pytest.mark.parametrize(
    ("line", "label", "statement"),
    [
        ("/fact open question: Where is Teodor", "open question", "Where is Teodor?"),
        ("/fact question: Who rang the bell?", "open question", "Who rang the bell?"),
        ("/fact Where is the glass bell from?", "open question", "Where is the glass bell from?"),
        ("/fact where is the glass bell from?", "open question", "Where is the glass bell from?"),
        ("/fact Is Gil dead?", "open question", "Is Gil dead?"),
        ("/fact In which house does Gil live?", "open question", "In which house does Gil live?"),
        ("/fact And who rang the bell?", "open question", "And who rang the bell?"),
        ("/fact event: Who rang the bell?", "event", "Who rang the bell?"),
        ("/fact Where the bell hangs it is dark", "fact", "Where the bell hangs it is dark."),
        ("/fact The sign asks who goes there?", "fact", "The sign asks who goes there?"),
        ("/fact Gil asked: where is the bell?", "fact", "Gil asked: where is the bell?"),
        ("/fact Debt: Mara owes Gil a coat", "debt", "Mara owes Gil a coat."),
        ("/fact promise: Mara promised Gil a coat", "promise", "Mara promised Gil a coat."),
        ("/fact event: The dog barked", "event", "The dog barked."),
        ("/fact fact: Mara is tall", "fact", "Mara is tall."),
    ],
)
async def test_kind_of_fact_is_understood_in_the_words_of_the_screen(
    rat_scene: tuple[Program, Id], line: str, label: str, statement: str
) -> None:
    program, scene_id = rat_scene
    await program.services.play.submit(scene_id, line)
    row = (await program.services.play.scene(scene_id)).proposals[-1]
    assert (row.label, row.title) == (label, statement)
    assert "promise" not in [name for name, _, _ in row.diff] or label == "promise"


@pytest.mark.parametrize(
    "line",
    [
        "I hand her the letter. /fact Rat owns a letter",
        "> \u201cTake it,\u201d she says. /state Rat.hp = 1",
        "I look round.\n/fact Rat owns a letter",
    ],
)
async def test_command_behind_words_is_refused_and_not_played_as_words(
    rat_scene: tuple[Program, Id], line: str
) -> None:
    program, scene_id = rat_scene
    before = await program.services.play.scene(scene_id)
    with pytest.raises(InputError, match="a command has a line of its own"):
        await program.services.play.submit(scene_id, line)
    assert await program.services.play.scene(scene_id) == before


@pytest.mark.parametrize("line", ["I count the lot and/or fact it.", "I go to the inn /fact or not, I say."])
async def test_slash_within_a_sentence_is_a_slash(rat_scene: tuple[Program, Id], line: str) -> None:
    program, scene_id = rat_scene
    await program.services.play.submit(scene_id, line)
    view = await program.services.play.scene(scene_id)
    assert view.turn_count == 2
