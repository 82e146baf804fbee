"""Facts that cannot be true beside another are found by what they are about, without comparing each with each."""

from __future__ import annotations

from itertools import permutations

from agents.canon_keeper.predicates import load_catalogue
from agents.canon_keeper.propositions.proposition_comparison import PropositionComparison
from agents.canon_keeper.sentence_index import SentenceIndex, claims_of_fact, propositions_of_fact
from agents.canon_keeper.sentences.comparison import ClaimComparison
from agents.canon_keeper.sentences.tokens import build_name_book
from agents.canon_keeper.sentences.word_lists import load_word_lists
from stores.records.canon import Fact
from tests.contract import builders as make

SENTENCES = (
    "It rains on roof 1.",
    "It rains on roof 2.",
    "It never rains on roof 2.",
    "Mara sings in the hall.",
    "Mara sings at night.",
    "Only Mara sings in the hall.",
    "Tom sings in the hall.",
    "Mara does not sing.",
    "Mara loves Tom.",
    "Mara hates Tom.",
    "Mara killed Tom.",
    "Bea killed Tom.",
    "Mara died in spring.",
    "Mara died in winter.",
    "Mara is dead.",
    "Mara sleeps in the barn.",
    "Nobody sleeps in the barn.",
    "Bea is blind.",
    "Bea reads the letter.",
    "Tom never weeps.",
    "Tom wept at the grave.",
    "The river is frozen over.",
    "The river flows fast.",
    "The grey mule belongs to Mara.",
    "The grey mule is Tom's.",
)


def test_sentence_index_finds_what_comparing_each_with_each_finds() -> None:
    people = [make.entity(name) for name in ("Mara", "Tom", "Bea")]
    facts = [make.fact(sentence) for sentence in SENTENCES]
    catalogue, names = load_catalogue(), build_name_book(people)
    index = SentenceIndex(catalogue, lambda one, other: False)
    index.add_entities(people)
    for fact in facts:
        index.add_fact(fact)
    comparison = ClaimComparison(catalogue, load_word_lists(), lambda one, other: False, names.places)
    proposition_comparison = PropositionComparison(lambda one, other: False)

    def contradicts(fact: Fact, other: Fact) -> bool:
        claims = (claims_of_fact(one, names, catalogue) for one in (other, fact))
        propositions = (propositions_of_fact(one, names) for one in (other, fact))
        return (
            comparison.find_contradiction(*claims) is not None
            or proposition_comparison.find_opposed(*propositions) is not None
        )

    found = {(fact.statement, rival.fact.statement) for fact in facts for rival in index.find_rivals(fact)}
    pairs = permutations(facts, 2)
    assert found == {(one.statement, other.statement) for one, other in pairs if contradicts(one, other)}
    assert ("It rains on roof 2.", "It never rains on roof 2.") in found
    assert ("Mara killed Tom.", "Bea killed Tom.") in found
    assert ("Bea is blind.", "Bea reads the letter.") in found
    assert ("The river is frozen over.", "The river flows fast.") in found


def test_sentence_index_compares_no_plain_deed_with_its_like() -> None:
    comparison = ClaimComparison(load_catalogue(), load_word_lists(), lambda one, other: False)
    names = build_name_book([make.entity("Mara")])

    def is_plain(sentence: str) -> bool:
        claims = claims_of_fact(make.fact(sentence), names, load_catalogue())
        return any(map(comparison.is_plain_deed, claims))

    assert is_plain("It rains on roof 1.")
    assert not any(map(is_plain, ("It never rains on roof 1.", "Mara killed Tom.")))
