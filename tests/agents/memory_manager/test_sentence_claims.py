"""What a fact claims is kept, and read again when a name or its words change."""

from __future__ import annotations

from agents.canon_keeper.predicates import load_catalogue
from agents.memory_manager.sentence_claims import ClaimReader, SentenceClaim
from tests.contract import builders as make


def test_claims_of_a_sentence_follow_its_names_and_its_speaker() -> None:
    reader = ClaimReader(load_catalogue())
    names = {"mara": "mara", "dob": "dob", "the bell": "bell"}
    place = SentenceClaim("owned_by|bell", "mara")
    assert place in reader.read_claims("Mara owns The Bell.", names)
    assert place in reader.read_claims("I own The Bell.", names, "mara")
    assert SentenceClaim("owned_by|bell", "dob") in reader.read_claims("I own The Bell.", dict(names), "dob")
    renamed = reader.read_claims("Mara owns The Bell.", names | {"mara": "someone else"})
    assert SentenceClaim("owned_by|bell", "someone else") in renamed
    assert place not in renamed
    assert place in reader.read_claims("Mara owns The Bell.", names)


def test_claims_of_a_fact_follow_its_names_and_its_words() -> None:
    reader = ClaimReader(load_catalogue())
    fact = make.fact("Mara owns The Bell.", make.entity("Somebody"))
    place = SentenceClaim("owned_by|bell", "mara")
    assert place in reader.read_fact_claims(fact, {"mara": "mara", "the bell": "bell"})
    assert place in reader.read_fact_claims(fact, {"mara": "mara", "the bell": "bell"})
    renamed = reader.read_fact_claims(fact, {"mara": "someone else", "the bell": "bell"})
    assert SentenceClaim("owned_by|bell", "someone else") in renamed
    assert place not in renamed
    reworded = fact.model_copy(update={"statement": "Mara does not own The Bell."})
    assert place not in reader.read_fact_claims(reworded, {"mara": "mara", "the bell": "bell"})
