"""The documents' examples of plain sentences as players put them: in the past, by first names, in another order."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents.orchestrator.test_plain_claims import Table, seated
from tests.examples import first_few

pytestmark = pytest.mark.slow

PRESENCE = (
    ("> Vess came in, followed by Bela.", ("Captain Vess comes in.", "Bela comes in.")),
    ("> Followed by Bela, the captain comes in.", ("Captain Vess comes in.", "Bela comes in.")),
    ("> In came Vess.", ("Captain Vess comes in.",)),
    ("> The captain slammed the table.", ("Captain Vess comes in.",)),
    ('> "Who goes there?" asked Vess.', ("Captain Vess comes in.",)),
    ("> Dob stormed out.", ("Dob Harrow leaves.",)),
    ("> Out stormed Dob.", ("Dob Harrow leaves.",)),
    ("> Dob nodded. He left the room.", ("Dob Harrow leaves.",)),
    ("I sent Dob to the harbour.", ("Dob Harrow leaves.",)),
    ("I stepped outside.", ("Dob Harrow stays behind: /cast + Dob Harrow brings them along.",)),
    ("> Dob fell asleep.", ("Dob Harrow sleeps, and hears nothing.",)),
)
HANDOVERS = (
    ("I left the bell with Vess.", "Vess has the bell."),
    ("I took the bell from Vess.", "Mara has the bell."),
    ("I picked up the bell.", "Mara has the bell."),
    ("I put down the bell.", "The bell is in Yard."),
    ("I gave Captain Vess the bell.", "Captain Vess has the bell."),
    ("> Vess handed you the bell.", "Mara has the bell."),
    ("> Then Vess handed Bela the bell.", "Bela has the bell."),
    ("> Dob took the bell.", "Dob has the bell."),
    ("> Bela received the bell from Vess.", "Bela has the bell."),
    ("> Dob dropped the bell in the Tower.", "The bell is in the Tower."),
    ("> Vess gave the bell to Bela.", "Bela has the bell."),
    ("> Dob stole the bell.", "Dob stole the bell."),
    ("> Tam owed Bela three coins.", "Tam owed Bela three coins."),
)
PROMISES = (
    ("I promised Tam to bring the bell back.", "Mara promised Tam to bring the bell back."),
    ("I swore to bring the bell back.", "Mara promised to bring the bell back."),
    (
        '"I swear to bring the bell back," I told Iselin.',
        "Mara promised Iselin Quay to bring the bell back.",
    ),
    (
        'I told Iselin: "I swear to bring the bell back."',
        "Mara promised Iselin Quay to bring the bell back.",
    ),
    ("I gave Tam my word that the boat would float.", "Mara promised Tam: “The boat would float.”"),
    ("> Tam promised Iselin to mend her net.", "Tam promised Iselin Quay to mend her net."),
    ("> Tam swore to Iselin to mend her net.", "Tam promised Iselin Quay to mend her net."),
    (
        '> "You shall have a boat, I promise you that," said Tam.',
        "Tam promised Mara: “You shall have a boat.”",
    ),
)
SECRETS = (
    ("> Only Vess knew that Bela opened the sluice.", "Bela opened the sluice."),
    ("> Vess alone knows that Bela opened the sluice.", "Bela opened the sluice."),
    ("> Nobody but Vess and Bela knew that the well was dry.", "The well was dry."),
)
TELLINGS = (
    ("> Vess told Dob about the sluice.", "Dob Harrow may know: Bela opened the sluice"),
    ("> Vess confided in Dob that Bela opened the sluice.", "Dob Harrow may know: Bela opened the sluice"),
    ("> Captain Vess told you her secret.", "Mara may know: Bela opened the sluice"),
    ("> Now everybody knows that Bela opened the sluice.", "No longer a secret: Bela opened the sluice"),
    ("> Everybody knew now that Bela opened the sluice.", "No longer a secret: Bela opened the sluice"),
)
NOTHING = (
    "> Dob had taken the bell.",
    "> Dob took a breath.",
    "> Dob took a seat.",
    "> Dob took the stairs.",
    "I took a breath.",
    "I took the stairs.",
    "> Dob gave Vess a nod.",
    "> Dob took the bell every night.",
    "> Dob almost took the bell.",
    "> Tam said that Dob took the bell.",
    "> Tam had owed Bela three coins.",
    "> Tam owed Bela three coins last year.",
    "> Tam had promised Iselin to mend her net.",
    "> Tam promised nothing.",
    "> Did Tam promise to mend the net?",
    "I did as I promised to do.",
    "> Vess had come in.",
    "> The captain's father came in.",
)


async def said(table: Table, line: str) -> tuple[str, ...]:
    return (await table.play(line)).lines


@pytest.mark.parametrize(("line", "moves"), first_few(PRESENCE))
async def test_example_of_presence_retold_moves_the_cast(
    tmp_path: Path, line: str, moves: tuple[str, ...]
) -> None:
    async with seated(tmp_path) as table:
        assert await said(table, line) == moves


@pytest.mark.parametrize(("line", "title"), first_few([*HANDOVERS, *PROMISES, *SECRETS]))
async def test_example_of_a_fact_retold_is_proposed_once(tmp_path: Path, line: str, title: str) -> None:
    async with seated(tmp_path) as table:
        for before in ("/cast + Tam", "I nod."):
            await table.play(before)
        replies = await said(table, line)
        assert [text for text in replies if text.startswith("Proposed")] == [f"Proposed: {title}"]
        assert await table.titles() == [title]


@pytest.mark.parametrize(("line", "title"), TELLINGS)
async def test_example_of_a_telling_retold_is_proposed(tmp_path: Path, line: str, title: str) -> None:
    async with seated(tmp_path) as table:
        for before in ("/cast + Vess, Bela", "/secret Vess: Bela opened the sluice", "I nod."):
            await table.play(before)
        assert f"Proposed: {title}" in await said(table, line)


async def test_what_only_sounds_like_an_example_proposes_nothing(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        for line in NOTHING:
            assert not [text for text in await said(table, line) if text.startswith("Proposed")], line
            assert await table.titles() == [], line
            await table.play("/undo")
