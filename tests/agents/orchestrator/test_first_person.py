"""`I`, `me` and `my` mean the hero in the GM's words as in the player's own, for every reader of plain lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.story_outline import NewCharacter, NewUniverse, StoryOutline
from agents.views.replies import Reply
from stores.records.canon import AssertFact, ChangeSecrecy
from tests.agents.orchestrator.test_plain_claims import Table
from tests.examples import first_few
from tests.program import begin, opened

WORLD = (
    "/npc here Maud Tesk: a ferrywoman",
    "/npc here Bela: a miller",
    "/npc Pell: a thin man",
    "/thing iron key",
    "/secret Bela: Maud opened the sluice",
    "/commit",
    "I look round.",
)


async def _read_line(home: Path, *lines: str) -> tuple[list[str], Reply]:
    """Return the titles of what the lines propose, and the reply to the last."""
    async with opened(home) as program:
        table = Table(program, await begin(program))
        for line in (*WORLD, *lines[:-1]):
            await table.play(line)
        reply = await table.play(lines[-1])
        rows = (await program.services.play.scene(table.scene_id)).proposals
        titles = [
            r.title
            for r in rows
            if r.verdict is None and isinstance(r.proposal.change, AssertFact | ChangeSecrecy)
        ]
        return titles, reply


@pytest.mark.parametrize(
    ("line", "title"),
    first_few(
        [
            # Handovers
            ("> Maud gives me the iron key.", "Mara has the iron key."),
            ("Maud gives me the iron key.", "Mara has the iron key."),
            ("> Maud gives Mara the iron key.", "Mara has the iron key."),
            ("> I take the iron key.", "Mara has the iron key."),
            ("I take the iron key.", "Mara has the iron key."),
            ("> I hand Maud the iron key.", "Maud has the iron key."),
            # Promises
            ("> Maud promises me to wait.", "Maud Tesk promised Mara to wait."),
            ("Maud promises me to wait.", "Maud Tesk promised Mara to wait."),
            ("> I promise Maud to mend her net.", "Mara promised Maud Tesk to mend her net."),
            ("> You promise Maud to mend her net.", "Mara promised Maud Tesk to mend her net."),
            # Deaths
            ("> Maud dies in my arms.", "Maud Tesk died."),
            ("> I kill Maud.", "Maud Tesk died."),
            ("> Bela kills me.", "Mara died."),
            ("> I am dead.", "Mara died."),
            # Secrets
            ("> Bela tells me her secret.", "Mara may know: Maud opened the sluice"),
            ("Bela tells me that Maud opened the sluice.", "Mara may know: Maud opened the sluice"),
            ("> Only I know that the well is dry.", "The well is dry."),
            # What holds from then on
            ("> Maud owes me three coins.", "Maud owes Mara three coins."),
            ("> Maud owes you three coins.", "Maud owes Mara three coins."),
            ("> Bela is my sister.", "Bela is Mara's sister."),
            ("> Bela is your sister.", "Bela is Mara's sister."),
            ("> I never drink.", "Mara never drinks."),
            ("> The iron key is mine.", "The iron key is Mara's."),
        ]
    ),
)
async def test_first_person_proposes_what_it_says_of_the_hero(tmp_path: Path, line: str, title: str) -> None:
    assert (await _read_line(tmp_path, line))[0] == [title]


@pytest.mark.parametrize(
    "line",
    first_few(
        [
            "I take a breath.",
            "> I take a breath.",
            "> I give you the iron key.",
            "> Maud gives me a smile.",
            '> Maud says: "Give me the iron key."',
            '> "Bela gives me the iron key," says Maud.',
            "> Maud would give me the iron key.",
            "> Maud never promised me to wait.",
            "> I am dead tired.",
            "> You are tired.",
            "> I am in the Yard.",
            "> Maud looks at me.",
            '> "Bela is my sister," says Maud.',
        ]
    ),
)
async def test_first_person_that_changes_nothing_proposes_nothing(tmp_path: Path, line: str) -> None:
    assert (await _read_line(tmp_path, line))[0] == []


@pytest.mark.slow
@pytest.mark.parametrize("said_first", ["> Maud gives me the iron key.", "> Maud gives Mara the iron key."])
@pytest.mark.parametrize(
    "said_again",
    ["> Maud hands you the iron key.", "> Maud gives Mara the iron key.", "I take the iron key."],
)
async def test_handover_that_is_said_again_is_one_row(
    tmp_path: Path, said_first: str, said_again: str
) -> None:
    assert (await _read_line(tmp_path, said_first, said_again))[0] == ["Mara has the iron key."]


@pytest.mark.parametrize(
    ("line", "move"),
    [
        ("> Pell comes up to me.", "Pell comes along."),
        ("Pell joins me.", "Pell comes along."),
        ("> I send Maud away.", "Maud Tesk leaves."),
        ("Maud leaves me.", "Maud Tesk leaves."),
    ],
)
async def test_first_person_moves_the_cast(tmp_path: Path, line: str, move: str) -> None:
    assert (await _read_line(tmp_path, line))[1].lines == (move,)


async def test_handover_to_the_hero_by_first_name_is_the_same_row(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        universe = await program.services.stories.create_universe(NewUniverse("Marches"))
        outline = StoryOutline(universe.id, "A story", NewCharacter("Sable Orrin"), place="Heron")
        table = Table(program, await program.services.stories.start_story(outline))
        for line in ("/npc here Maud Tesk", "/thing iron key", "> Maud gives me the iron key."):
            await table.play(line)
        await table.play("> Maud gives Sable the iron key.")
        assert await table.titles() == ["Sable Orrin has the iron key."]
