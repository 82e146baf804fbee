"""Whom a declared sentence names."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.declarations.reader import find_mentioned_entities
from stores.records.world import Entity
from tests.contract import builders as make
from tests.program import begin, opened

KNOWN = [make.entity(name) for name in ("Sella Brand", "Lorne", "Salt and Iron", "The Heron House", "Tib")]


async def find(name: str) -> Entity | None:
    """As in play, a word of a name will do for those who are present."""
    wanted = name.casefold()
    exact = [e for e in KNOWN if e.name.casefold() == wanted]
    part = [e for e in KNOWN if wanted in e.name.casefold().split()]
    found = exact or part
    return found[0] if len(found) == 1 else None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Sella Brand and Lorne met", ["Sella Brand", "Lorne"]),
        ("Tib and Sella Brand and Lorne rowed home.", ["Tib", "Sella Brand", "Lorne"]),
        ("Lorne owes Salt and Iron a boat", ["Lorne", "Salt and Iron"]),
        ("At the Heron House Tib waited for Sella", ["The Heron House", "Tib", "Sella Brand"]),
        ("The water rose, and Nobody saw it", []),
        ("Of the two, Lorne was first", ["Lorne"]),
    ],
)
async def test_declaration_every_name_in_a_sentence_is_found_in_its_order(
    text: str, names: list[str]
) -> None:
    assert [e.name for e in await find_mentioned_entities(text, find)] == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Tib left an oar in the Heron House", ["Tib", "The Heron House"]),
        ("the Heron House burned", ["The Heron House"]),
        ("then the Tib of the song rowed", ["Tib"]),
        ("there was another House of the Heron", []),
    ],
)
async def test_declaration_article_may_be_part_of_a_name_or_none(text: str, names: list[str]) -> None:
    async def exactly(name: str) -> Entity | None:
        return next((e for e in KNOWN if e.name.casefold() == name.casefold()), None)

    assert [e.name for e in await find_mentioned_entities(text, exactly)] == names


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("promise: Mara will be back by dusk", "promise: Mara will be back by dusk."),
        ("debt: Mara is four marks short", "debt: Mara is four marks short."),
        ("question: who moved the bell", "open question: Who moved the bell?"),
    ],
)
async def test_declaration_ledger_knows_a_debt_from_a_promise(tmp_path: Path, typed: str, shown: str) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in (f"/fact {typed}", "/commit"):
            await program.services.play.submit(scene_id, line)
        (entry,) = (await program.services.play.submit(scene_id, "/promises")).lines
        assert shown in entry


@pytest.mark.parametrize(
    ("line", "label"),
    [
        ("open question: Where is Teodor", "open question"),
        ("Open Question : Where is Teodor", "open question"),
        ("question: Where is Teodor", "open question"),
        ("debt: Mara owes Tom a boat", "debt"),
        ("promise: Mara promised Tom a boat", "promise"),
    ],
)
async def test_declaration_of_a_commitment_in_the_words_of_the_screen(
    tmp_path: Path, line: str, label: str
) -> None:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        await program.services.play.submit(scene_id, f"/fact {line}")
        (row,) = (await program.services.gate.gate(scene_id)).proposals
        assert row.label == label
        assert ":" not in row.title
