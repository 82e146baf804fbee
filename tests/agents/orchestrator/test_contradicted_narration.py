"""Narration that proposes nothing is compared with what is known, too: the reply says what it tells against."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from agents.declarations.contradicted_sentences import (
    find_contradicted_facts,
    find_named_ids,
    split_told_sentences,
)
from stores.records.canon import Fact, FactKind, Involvement
from stores.records.world import Entity, EntityKind
from tests.agents.canon_keeper import proposal_builders as kit
from tests.agents.orchestrator.test_plain_claims import seated

KNOWN = (
    "> The Salvage Skiff is destroyed.",
    "> Tam never eats meat.",
    "> Bela has no children.",
    "> Captain Vess has no left hand.",
    "> No marsh-wight can cross a line of salt.",
    "> No flame will burn in the Tower.",
)
AGAINST = {
    "> The Salvage Skiff sails past the pier.": "The Salvage Skiff is destroyed.",
    "> Tam helps himself to a third slice of roast mutton.": "Tam never eats meat.",
    "> Bela's small son peers in at the door and asks why everyone is crying.": "Bela has no children.",
    "> Captain Vess rubs his two hands together.": "Captain Vess has no left hand.",
    "> A marsh-wight steps across the salt and laughs.": "No marsh-wight can cross a line of salt.",
    "> A candle burns in the Tower.": "No flame will burn in the Tower.",
}
INNOCENT = (
    "> Dob looks at what is left of the Salvage Skiff.",
    "> Tam helps himself to a third slice of bread.",
    "> Bela's small nephew peers in at the door.",
    "> Captain Vess raises his right hand.",
    "> In a dream the Salvage Skiff sails past the pier.",
    "> Dob says that Tam eats mutton.",
    "> A marsh-wight walks along the line of salt.",
    "> A goat steps across the salt.",
    "> A candle burns in the Hall.",
    "> Does Tam eat mutton?",
)
ENTITIES = (
    *(kit.entity(name) for name in ("Dob Harrow", "Tam", "Bela", "Captain Vess")),
    *(kit.entity(name, EntityKind.PLACE) for name in ("Salvage Skiff", "Tower", "Hall")),
)


def _fact(fact_id: str, statement: str) -> Fact:
    involves = tuple(
        Involvement(role="participant", entity_id=i) for i in find_named_ids([statement], ENTITIES)
    )
    return kit.fact("stated", ENTITIES[0], statement=statement, involves=involves).model_copy(
        update={"id": fact_id, "kind": FactKind.ATTRIBUTE}
    )


def _find_statements(line: str, entities: Sequence[Entity] = ENTITIES) -> list[str]:
    facts = [_fact(f"known {number}", line.removeprefix("> ")) for number, line in enumerate(KNOWN)]
    sentences = split_told_sentences(line.removeprefix("> "))
    contradicted = find_contradicted_facts(sentences, facts[0], facts, entities, kit.CATALOGUE)
    return [fact.statement for fact, _ in contradicted]


def test_contradicted_sentences_are_found_and_look_alikes_are_not() -> None:
    assert {line: _find_statements(line) for line in AGAINST} == {
        line: [known] for line, known in AGAINST.items()
    }
    assert {line: _find_statements(line) for line in INNOCENT} == {line: [] for line in INNOCENT}


@pytest.mark.slow
async def test_contradicted_narration_is_said_and_proposes_nothing(tmp_path: Path) -> None:
    async with seated(tmp_path) as table:
        for line in KNOWN:
            await table.play(line)
        await table.accept_all()
        row_count = len(await table.rows())
        for line, statement in AGAINST.items():
            reply = await table.play(line)
            warnings = [text for text in reply.lines if text.startswith("⚠")]
            assert len(warnings) == 1, (line, reply.lines)
            assert warnings[0].startswith(f"⚠ Canon says “{statement}”")
        for line in INNOCENT:
            reply = await table.play(line)
            assert not any("⚠" in text for text in reply.lines), (line, reply.lines)
        assert len(await table.rows()) == row_count


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Tam laughs. “I am dead,” says Bela.", ["Tam laughs."]),
        ("Is Tam dead?", []),
        ("Bela thinks that Tam is dead.", []),
        ("Vess, the captain of the skiff, laughs.", ["Vess is the captain of the skiff"]),
    ],
)
def test_told_sentences_are_no_speech_question_or_thought(text: str, sentences: list[str]) -> None:
    assert set(sentences) <= set(split_told_sentences(text))
    assert not any("dead" in sentence for sentence in split_told_sentences(text))
