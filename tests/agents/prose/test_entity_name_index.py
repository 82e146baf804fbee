"""Names in a turn lead to who and what they name."""

from __future__ import annotations

from agents.prose.entity_name_index import EntityNameIndex
from stores.records.world import EntityKind, EntityNames

CHARACTER, OBJECT = EntityKind.CHARACTER, EntityKind.OBJECT
WENNA = EntityNames("wenna", CHARACTER, "Wenna Pike", ("the netmaker",))
GIL, GIL_THE_OTHER = EntityNames("gil", CHARACTER, "Gil Oakum"), EntityNames("marsh", CHARACTER, "Gil Marsh")
BELL = EntityNames("bell", OBJECT, "Glass Bell")
ROPE = EntityNames("rope", OBJECT, "Rope")
WILL = EntityNames("will", CHARACTER, "Will")
FERRYMAN = EntityNames("ferryman", CHARACTER, "The Ferryman")
SHRINE = EntityNames("shrine", EntityKind.PLACE, "St. Elmo's Rest")
INDEX = EntityNameIndex((WENNA, GIL, GIL_THE_OTHER, BELL, ROPE, WILL, FERRYMAN, SHRINE))


def find(text: str) -> list[tuple[str, str]]:
    return [(span.entity.id, text[span.start : span.end]) for span in INDEX.find(text)]


def test_names_stand_in_the_order_of_the_words() -> None:
    assert find("The glass bell rings; Wenna’s net is torn.") == [("bell", "glass bell"), ("wenna", "Wenna")]
    assert find("I ask the netmaker about Gil Marsh.") == [("wenna", "the netmaker"), ("marsh", "Gil Marsh")]


def test_first_name_that_two_have_names_nobody() -> None:
    assert find("Gil waves.") == []


def test_part_of_a_word_is_no_name() -> None:
    assert find("The glass bells and Wennaford and a Pike-woman.") == []


def test_word_that_is_also_a_name_needs_its_capital_for_a_person() -> None:
    assert find("I will take the rope to Will.") == [("rope", "rope"), ("will", "Will")]


def test_article_and_title_are_nobodys_first_name() -> None:
    assert find("The tide turns for the ferryman.") == [("ferryman", "the ferryman")]


def test_name_may_be_broken_over_lines_and_is_ended_by_a_full_stop() -> None:
    assert find("'Wenna\n      Pike', she says at St. Elmo's Rest.") == [
        ("wenna", "Wenna\n      Pike"),
        ("shrine", "St. Elmo's Rest"),
    ]
    assert find("There is glass. Bell it is not.") == []


def test_what_precedes_a_name_may_be_left_out() -> None:
    index = EntityNameIndex((EntityNames("grice", CHARACTER, "Old Mother Grice"),))
    (span,) = index.find("I ask Mother Grice.")
    assert (span.start, span.entity.id) == (6, "grice")
