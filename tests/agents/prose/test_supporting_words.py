"""Table of which words of a turn support which statement."""

from __future__ import annotations

import pytest

from agents.prose.supporting_words import mentions_name, mentions_person, supports_statement


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("Dob Harrow falls from the pier and lies dead.", "Dob Harrow died."),
        ("I kill Harrow with the boat hook.", "Dob Harrow died."),
        ("Vess hands the bell to Mara.", "Mara owns Glass Bell."),
        ("You take the glass bell from its hook.", "Mara owns Glass Bell."),
        ("I swear to Vess that I bring the bell back.", "Mara will bring the bell back to Captain Vess."),
        ("Iselin climbs into Pier Nine's loft.", "Iselin Quay is in Pier Nine."),
        ("“Dob never stole it,” says Vess.", "Dob Harrow never stole the bell."),
        ("Tam says: the password is Heron.", "The password is Heron."),
        ("The bell was moved in the night, they say.", "The bell was moved."),
        ("The chapel door is open, and it is red.", "The chapel door is red."),
        ("Marrow sells me the skiff.", "Marrow sold Mara the skiff."),
        ("Vess comes in. He stole the lamp last night.", "Vess stole the lamp."),
        ("I lost my skiff in Marrow's fire.", "Mara lost the skiff to Marrow's fire."),
        ("Vess limps; the wound bleeds.", "Captain Vess: wounded"),
    ],
)
def test_supporting_words_support(text: str, statement: str) -> None:
    assert supports_statement(text, statement, "Mara")


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("2d6+9 [2,4]+9 = 15 vs 5 · success", "Dob Harrow died."),
        ("I stamp.", "Dob Harrow died."),
        ("Dob Harrow waves from the pier.", "Dob Harrow died."),
        ("The rat lies dead.", "Dob Harrow died."),
        ("Dob Harrow stole the bell.", "Dob Harrow never stole the bell."),
        ("Dob Harrow never stole the bell.", "Dob Harrow stole the bell."),
        ("Iselin walks along the shore.", "Iselin Quay is in Pier Nine."),
        ("You take the glass bell.", "Vess owns Glass Bell."),
        ("The bell rings.", "The bell of the chapel was moved at night."),
        ("An old door creaks.", "Old Tam is a traitor."),
        ("The chapel door is open across the water.", "The chapel door is red."),
        ("The chapel door is open. The boat is red.", "The chapel door is red."),
        ("Is the chapel door red?", "The chapel door is red."),
        ("Marrow sells me the skiff.", "Mara lost the skiff to Marrow's fire."),
        ("Dob Harrow waves. The rat lies dead.", "Dob Harrow died."),
        ("Vess looks at the lamp.", "Vess stole the lamp."),
        ("", "Dob Harrow died."),
        ("The rat lies dead.", ""),
    ],
)
def test_supporting_words_do_not_support(text: str, statement: str) -> None:
    assert not supports_statement(text, statement, "Mara")


def test_name_is_mentioned_by_its_last_word_or_as_it_is_written() -> None:
    assert mentions_name("The captain, Vess, nods.", "Captain Vess")
    assert mentions_name("Dob's hat", "Dob Harrow")
    assert mentions_name("a rat squeals", "Rat")
    assert not mentions_name("An old door creaks.", "Old Tam")


def test_way_that_is_called_as_somebody_is_no_mention_of_them() -> None:
    assert not mentions_person("I walk along the frozen quay.", "Teodor Quay")
    assert not mentions_person("I run across a narrow old ford.", "Jonas Ford")
    for text in (
        "Teodor waits on the quay.",
        "The Quay brothers laugh.",
        "i meet teodor quay",
        "i walk on, and quay waits.",
    ):
        assert mentions_person(text, "Teodor Quay"), text
    assert mentions_person("The warden nods.", "Gate Warden")
    assert mentions_person("A hooded stranger comes in.", "The hooded stranger")
