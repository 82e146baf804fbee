"""Names by which two people may be meant."""

from __future__ import annotations

import pytest

from agents.declarations.shared_names import describe_shared_name, find_shared_names
from stores.records.world import EntityKind
from tests.contract import builders as make

PEOPLE = [make.entity(name) for name in ("Greta Vey", "Greta Moll", "Dob Harrow")]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Greta owns the bell", ["Greta"]),
        ("I give the bell to Greta.", ["Greta"]),
        ("Greta Vey owns the bell", []),
        ("Greta Vey gives the bell to Greta", ["Greta"]),
        ("Dob owns the bell", []),
        ("The gretas are birds", []),
        ("Greta Perrin owns the bell", []),
        ("Greta Perrin is the mother of Greta", ["Greta"]),
        ("Old Greta Perrin is the sister of Greta Perrin's mother", []),
        ("Captain Greta owns the bell", ["Greta"]),
        ("Poor Greta owns the bell", ["Greta"]),
        ("Suddenly Greta owns the bell", ["Greta"]),
        ("Greta of Hollow owns the bell", ["Greta"]),
    ],
)
def test_shared_name_is_found_unless_it_is_part_of_a_whole_name(text: str, names: list[str]) -> None:
    assert [shared_name.name for shared_name in find_shared_names(text, PEOPLE)] == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Maud Quay is the mother of Iselin Quay", []),
        ("Captain Quay is the mother of Iselin Quay", ["Quay"]),
        ("Quay is dead", ["Quay"]),
    ],
)
def test_shared_surname_in_the_whole_name_of_somebody_new_asks_nothing(text: str, names: list[str]) -> None:
    known = [make.entity(name) for name in ("Iselin Quay", "Teodor Quay")]
    assert [shared_name.name for shared_name in find_shared_names(text, known)] == names


def test_shared_whole_name_is_described_by_who_they_are() -> None:
    known = [make.entity("Greta", description=who) for who in ("a miller", "a baker")]
    (shared_name,) = find_shared_names("Greta is dead", known)
    assert describe_shared_name(shared_name) == (
        "“Greta” may be Greta (a miller) or Greta (a baker): nothing is noted of them. "
        "Give one of them another name first."
    )


def test_shared_role_is_found() -> None:
    known = [make.entity(name, description="a miller") for name in ("Bela", "Tam")]
    (shared_name,) = find_shared_names("The miller is dead", known)
    assert describe_shared_name(shared_name).startswith("“the miller” may be Bela or Tam: ")
    assert find_shared_names("The miller is dead", known[:1]) == []
    assert find_shared_names("The mill is old", known) == []


def test_shared_name_of_a_place_is_no_persons() -> None:
    known = [make.entity("Greta Vey"), make.entity("Greta Moll", kind=EntityKind.PLACE)]
    assert find_shared_names("Greta is dead", known) == []
