"""What a sentence of narration states that lasts, without a program around it."""

from __future__ import annotations

import pytest

from agents.declarations.lasting_facts import find_statements, read_lasting_facts
from stores.records.canon import AssertFact
from stores.records.world import Entity, EntityKind
from tests.agents.canon_keeper import proposal_builders as kit
from tests.agents.orchestrator.narrated_sentences import LASTING, OF_THE_MOMENT

PEOPLE = ("Mara", "Dob Harrow", "Iselin Quay", "Tam", "Bela", "Captain Vess")
ENTITIES = (
    *(kit.entity(name, EntityKind.CHARACTER) for name in PEOPLE),
    kit.entity("Rat", EntityKind.CREATURE),
    *(kit.entity(name, EntityKind.PLACE) for name in ("Pier Nine", "Salvage Skiff", "Tower", "The Hall")),
    kit.entity("Glass Bell", EntityKind.OBJECT),
    kit.entity("The Red Sedge", EntityKind.FACTION),
)


def read(text: str, known: tuple[Entity, ...] = ENTITIES[:1]) -> list[AssertFact]:
    """Return what a text states, where only `known` are in the scene."""
    statements = find_statements(text, known)
    return [fact for fact, _ in read_lasting_facts(statements, ENTITIES, kit.CATALOGUE, 1)]


@pytest.mark.parametrize("sentence", LASTING)
def test_lasting_statement_is_read_whoever_is_in_the_scene(sentence: str) -> None:
    assert len(read(sentence)) == 1
    assert read(sentence, ENTITIES) == read(sentence)


@pytest.mark.parametrize("sentence", OF_THE_MOMENT)
def test_sentence_of_the_moment_states_nothing(sentence: str) -> None:
    assert read(sentence) == []
    assert read(sentence, ENTITIES) == []


def test_names_need_not_be_looked_up_for_a_line_that_states_nothing() -> None:
    texts = ("Iselin runs to the Tower.", "Old Wen looks at the bell.", "The wind howls over Pier Nine.")
    assert [find_statements(text, ENTITIES[:1]) for text in texts] == [[], [], []]


def test_statement_keeps_its_own_words_and_those_it_stands_in() -> None:
    (fact,) = read("The tide turns, and Bela, the mother of Tam, laughs. Tam never drinks; he sings.")
    assert fact.statement == "Tam never drinks."
    (statement,) = find_statements("Bela, the mother of Tam, laughs.", ENTITIES)
    assert statement == ("Bela is the mother of Tam", "Bela, the mother of Tam")


@pytest.mark.parametrize(
    "sentence",
    [
        "Captain Vess is Mara's rival.",
        "Vess is Mara's old rival.",
        "Captain Vess is a rival of Mara.",
        "Vess and Mara are rivals.",
        "Vess is Mara's nemesis.",
    ],
)
def test_rival_is_an_enemy_as_session_zero_has_it(sentence: str) -> None:
    (fact,) = read(sentence)
    assert (fact.predicate, len(fact.involves)) == ("enemy_of", 2)


@pytest.mark.parametrize(
    "sentence",
    ["Vess was Mara's rival.", "Vess is a rival.", "Vess has no rival.", "Vess rivals Mara at dice."],
)
def test_rival_of_nobody_or_of_the_past_states_nothing(sentence: str) -> None:
    assert read(sentence) == []


@pytest.mark.parametrize("sentence", ["Tam and Bela are dead.", "Tam and Bela are in the Tower."])
def test_what_is_said_of_two_is_no_fact_about_one_of_them(sentence: str) -> None:
    (fact,) = read(sentence)
    assert (fact.predicate, len({i.entity_id for i in fact.involves} & {e.id for e in ENTITIES[3:5]})) == (
        "stated",
        2,
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "Dob is not dead after all; he was only hurt.",
        "Dob is not dead, only hurt.",
        "Dob was only wounded, not dead.",
        "Dob is not really dead.",
        "Dob is alive after all.",
        "It turns out that Dob is alive.",
        "Dob turns out to be alive.",
    ],
)
def test_who_was_taken_for_dead_is_said_to_live(sentence: str) -> None:
    (fact,) = read(sentence)
    assert fact.statement in ("Dob is not dead.", "Dob is alive.")


@pytest.mark.parametrize(
    "sentence",
    [
        "Dob is not dead, only in his dreams.",
        "Bela says that Dob is not dead after all.",
        "If Dob is not dead after all, Bela will marry him.",
        "Dob was only hurt.",
        "Is Dob alive after all?",
    ],
)
def test_who_is_perhaps_alive_is_not_said_to_live(sentence: str) -> None:
    assert read(sentence) == []
