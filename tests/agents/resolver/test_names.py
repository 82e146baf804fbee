"""Who is meant by a typed name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agents.resolver.entity_names import EntityNameLookup
from stores.errors import InputError
from stores.records.world import Entity

MakeEntity = Callable[..., Entity]


def test_names_and_aliases_in_any_case(make_entity: MakeEntity) -> None:
    bell = make_entity("The Drowned  Bell", aliases=("Tor–Keth’s bell",))
    names = EntityNameLookup([bell])
    for typed in ("the drowned bell", " THE DROWNED BELL ", "Tor-Keth's Bell"):
        assert names.find_entity(typed) is bell


def test_a_name_goes_before_an_alias(make_entity: MakeEntity) -> None:
    captain, mara = make_entity("Captain"), make_entity("Mara", aliases=("captain",))
    assert EntityNameLookup([mara, captain]).find_entity("captain") is captain


def test_several_of_one_name_are_not_guessed_between(make_entity: MakeEntity) -> None:
    first, second = make_entity("Orc"), make_entity("orc")
    with pytest.raises(InputError, match="any of 2"):
        EntityNameLookup([first, second]).find_entity("Orc")


def test_the_same_one_twice_is_one(make_entity: MakeEntity) -> None:
    orc = make_entity("Orc", aliases=("Orc",))
    assert EntityNameLookup([orc, orc]).find_entity("Orc") is orc


def test_near_names_are_suggested(make_entity: MakeEntity) -> None:
    names = EntityNameLookup([make_entity("Mara"), make_entity("The Drowned Bell")])
    with pytest.raises(InputError, match="Did you mean Mara"):
        names.find_entity("Marra")
    with pytest.raises(InputError, match="Did you mean The Drowned Bell"):
        names.find_entity("drownd bell")
    with pytest.raises(InputError, match="Check the name"):
        EntityNameLookup([]).find_entity("Zyx")
