"""What a typed name means: the whole name, without its article, its beginning, words from within."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.name_matching import find_similar_names, match_names

NAMES = ("The Undersinger", "Old Tam", "Tam Lin", "Mara Venn", "Marabel", "The thaw", "The thaw feast")


@pytest.mark.parametrize(
    ("typed_name", "meant"),
    [
        ("the undersinger", ["The Undersinger"]),
        ("Undersinger", ["The Undersinger"]),
        ("unders", ["The Undersinger"]),
        ("the under", ["The Undersinger"]),
        ("Old T", ["Old Tam"]),
        ("tam", ["Tam Lin"]),
        ("Lin", ["Tam Lin"]),
        ("Mara V", ["Mara Venn"]),
        ("Mara", ["Mara Venn", "Marabel"]),
        ("thaw", ["The thaw"]),
        ("The thaw f", ["The thaw feast"]),
        ("m", []),
        ("dersing", []),
        ("", []),
    ],
)
def test_match_names_in_a_players_words(typed_name: str, meant: list[str]) -> None:
    assert match_names(typed_name, [(name, name) for name in NAMES]) == meant


@given(st.sampled_from(NAMES), st.sampled_from([str.upper, str.lower, str.title]))
def test_match_names_takes_every_whole_name_in_any_case(name: str, spelled: Callable[[str], str]) -> None:
    assert match_names(spelled(name), [(other, other) for other in NAMES]) == [name]


def test_similar_names_share_words_or_letters() -> None:
    assert find_similar_names("Boat House", ["Rat", "Boat Shed", "Iselin Quay"]) == ["Boat Shed"]
    assert find_similar_names("Iseln Quay", ["Rat", "Boat Shed", "Iselin Quay"]) == ["Iselin Quay"]
    assert find_similar_names("Undersingr", ["The Undersinger", "Rat"]) == ["The Undersinger"]
    assert find_similar_names("Xq", ["Rat", "Boat Shed"]) == []
