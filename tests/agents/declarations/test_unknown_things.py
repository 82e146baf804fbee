"""Tests of the things and places that words tell of and nobody has made known."""

from __future__ import annotations

import pytest

from agents.declarations.unknown_names import UnknownName, find_unknown
from agents.declarations.unknown_things import find_unknown_things, hands_over_amount
from stores.records.world import EntityKind
from tests.agents.canon_keeper import proposal_builders as kit

KNOWN = [
    kit.entity("Jonas Reed", EntityKind.CHARACTER),
    kit.entity("Glass Monks", EntityKind.FACTION),
    kit.entity("Lantern Inn", EntityKind.PLACE),
    kit.entity("Mistletoe", EntityKind.OBJECT),
]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Jonas Reed stole the parcel.", ["parcel"]),
        ("Jonas burned the silver bowl in the night.", ["silver bowl"]),
        ("The glass bell was stolen.", ["glass bell"]),
        ("Only Jonas can open the crypt.", ["Crypt"]),
        ("Jonas steals my brass lantern.", ["brass lantern"]),
        ("Jonas owns the inn.", []),  # it is known
        ("Jonas stole the show.", []),
        ("Jonas sits by the fire.", []),
        ("“Jonas stole the parcel.”", []),
    ],
)
def test_thing_of_a_lasting_fact_is_found(text: str, names: list[str]) -> None:
    assert [one.name for one in find_unknown_things(text, KNOWN, "Mara")] == names


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("I travel to the Monastery of Glass.", "Monastery of Glass", EntityKind.PLACE),
        ("I go to Bram's Mill.", "Bram's Mill", EntityKind.PLACE),
        ("Jonas drinks from the Silver Bowl.", "Silver Bowl", EntityKind.OBJECT),
        ("I greet Jack Bell.", "Jack Bell", EntityKind.CHARACTER),
        ("Gorran and Jonas are enemies.", "Gorran", EntityKind.CHARACTER),
        ("I walk to Old Ferry.", "Old Ferry", EntityKind.PLACE),
        ("I ride to Saint Bride Abbey.", "Saint Bride Abbey", EntityKind.PLACE),
        ("I journey on to Brackwater.", "Brackwater", EntityKind.PLACE),
        ("I walk to Old Tam.", "Old Tam", EntityKind.CHARACTER),
        ("I hand Jonas Reed Oathkeeper.", "Oathkeeper", EntityKind.OBJECT),
        ("Jonas hands me Whisperwind.", "Whisperwind", EntityKind.OBJECT),
        ("I give Goldberry to Jonas.", "Goldberry", EntityKind.OBJECT),
        ("I give Jonas Perrin the key.", "Jonas Perrin", EntityKind.CHARACTER),
        ("Jonas looks up at Harrow and nods.", "Harrow", EntityKind.CHARACTER),
        ("Jonas throws a stone at Harrow.", "Harrow", EntityKind.CHARACTER),
        ("Jonas waits at Harrow.", "Harrow", EntityKind.PLACE),
        ("Jonas waves from the deck at Harrow.", "Harrow", EntityKind.PLACE),
        ("I bring Dagny Holt Mistletoe.", "Dagny Holt", EntityKind.CHARACTER),
    ],
)
def test_unknown_name_is_found_whole(text: str, name: str, kind: EntityKind) -> None:
    assert [(one.name, one.kind) for one in find_unknown(text, KNOWN)] == [(name, kind)]


@pytest.mark.parametrize(
    ("text", "name", "kind", "may_be_place"),
    [
        ("I buy Jonas a cup of ale and ask him about Harrow.", "Harrow", EntityKind.CHARACTER, True),
        ("I hear the voice of Tam.", "Tam", EntityKind.CHARACTER, False),
        ("Jonas tells me of Harrow.", "Harrow", EntityKind.CHARACTER, True),
        ("I ask Jonas about the smith of Harrow.", "Harrow", EntityKind.PLACE, False),
        ("The reeve of Harrow frowns.", "Harrow", EntityKind.PLACE, False),
        # The words tell somebody.
        ("I ask Jonas about Dace Holloway.", "Dace Holloway", EntityKind.CHARACTER, False),
        ("I ask Jonas about Harrow. Harrow frowns.", "Harrow", EntityKind.CHARACTER, False),
        ("I ask Jonas about Tam, who works here.", "Tam", EntityKind.CHARACTER, False),
        ("I ask Jonas about Tam's death.", "Tam", EntityKind.CHARACTER, False),
        ("I ask Jonas about the widow of Tam.", "Tam", EntityKind.CHARACTER, False),
        ("I ask Jonas about the murderer of Tam.", "Tam", EntityKind.CHARACTER, False),
        ("I think of the death of Tam.", "Tam", EntityKind.CHARACTER, False),
        ("The captain of the Red Sedge waves.", "Red Sedge", EntityKind.CHARACTER, False),
    ],
)
def test_name_of_an_office_or_of_a_topic_may_be_a_place(
    text: str, name: str, kind: EntityKind, may_be_place: bool
) -> None:
    assert find_unknown(text, KNOWN) == [UnknownName(name, kind, may_be_place=may_be_place)]


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        ("give Dagny two silver pennies for the bed", True),
        ("takes my money and runs", True),
        ("hands Tib three arrows", True),
        ("take two steps", False),
        ("give him the choice", False),
        ("lose two hours", False),
    ],
)
def test_amount_that_changes_hands_is_told_from_what_is_no_thing(predicate: str, expected: bool) -> None:
    assert hands_over_amount(predicate) is expected


def test_office_of_a_known_people_is_no_name() -> None:
    assert find_unknown("I greet the Reeve of the Glass Monks.", KNOWN) == []
