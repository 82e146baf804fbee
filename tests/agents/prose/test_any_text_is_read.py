"""Whatever is typed, the readers of plain words read it without failing, and find nobody who is not there."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.canon_keeper.sentences.reader import read_statement
from agents.canon_keeper.sentences.tokens import build_name_book
from agents.declarations.lasting_facts import find_statements
from agents.memory_manager.memory_words import strip_bookkeeping
from agents.prose.cast_reader import CastReader
from agents.prose.cast_reading import CastState
from agents.prose.hero_name import name_hero
from agents.prose.hero_words import find_hero_sentences
from agents.prose.mentions import Figure
from agents.prose.plain_decisions import find_decisions
from agents.prose.plain_promises import find_promises_of_gm, find_promises_of_player
from agents.prose.settled_words import breaks_promise, drops_decision, find_best_match, goes_against
from stores.records.world import Entity, EntityKind
from tests.examples import examples
from tests.program import START

PEOPLE = (Figure(("Tom",)), Figure(("Captain Old Tam", "Old Tam"), roles=("captain", "c(")))
WORDS = st.sampled_from(
    [
        "@99@",
        "@0@",
        "@W@",
        "@H@",
        "@0,7@",
        "@²@",
        "@",
        "leaves",
        "comes",
        "goes",
        "in",
        "out",
        "dies.",
        "Tom",
        "Old",
        "Tam",
        "and",
        "I",
        "we",
        "you",
        "never",
        "kill",
        "promised",
        "to",
        "is",
        "not",
        "the",
        "captain",
        "everyone",
        "alone",
        "with",
        "except",
        "“",
        "”",
        '"',
        "'",
        "(",
        ")",
        "[",
        "²0",
        "٣",
        "77777777777777777777",
        "/fact",
        ">",
        "?",
        ":",
        ";",
        "—",
        "…",
    ]
)
TEXTS = st.one_of(st.text(max_size=120), st.lists(WORDS, max_size=14).map(" ".join))


@settings(max_examples=examples(2_000, 100))
@given(text=TEXTS, is_gm=st.booleans(), present=st.frozensets(st.integers(0, 1)))
def test_any_text_moves_nobody_who_is_not_known(text: str, is_gm: bool, present: frozenset[int]) -> None:
    reader = CastReader(PEOPLE, ("Mara",), ("Hall",))
    state = CastState(present=present)
    assert all(number in (0, 1) for _, number in reader.read(text, state, is_gm=is_gm))
    assert reader.find_companions(text, state, is_gm=is_gm) <= {0, 1}


@settings(max_examples=examples(2_000, 100))
@given(text=TEXTS)
def test_any_text_is_read_for_claims_promises_and_decisions(text: str) -> None:
    entities = [make_person("Tom"), make_person("Old Tam")]
    names = build_name_book(entities)
    ids = {entity.id for entity in entities}
    claims = read_statement(text, names).claims
    assert {claim.subject.entity for claim in claims if claim.subject.entity} <= ids
    assert all(statement.sentence for statement in find_statements(text, entities))
    hero_sentences = [sentence.text for sentence in find_hero_sentences(text)]
    assert not (drops_decision(hero_sentences) and not hero_sentences)
    assert not (breaks_promise(hero_sentences) and not hero_sentences)
    assert all(decision.words for decision in find_decisions(text))
    assert all(promise.words for promise in find_promises_of_player(text))
    assert all(promise.words for promise in find_promises_of_gm(text, [("Tom",), ("Old Tam",)]))
    assert find_best_match(text, ()) is None
    assert not any(goes_against(sentence, "We ring the bell.") for sentence in hero_sentences)
    assert len(strip_bookkeeping(text)) <= len(text) + 20
    assert name_hero("", "Mara") == ""
    assert "Mara" in name_hero(f"I go. {text}", "Mara")


def make_person(name: str) -> Entity:
    return Entity(id=name, universe_id="u", kind=EntityKind.CHARACTER, name=name, recorded_at=START)
