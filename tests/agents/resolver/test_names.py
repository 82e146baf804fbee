"""Who is meant by a typed name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agents.resolver.names import Names
from stores.errors import InputError
from stores.records.world import Entity

MakeEntity = Callable[..., Entity]


def test_names_and_aliases_in_any_case(make_entity: MakeEntity) -> None:
    bell = make_entity("The Drowned  Bell", aliases=("Tor–Keth’s bell",))
    names = Names([bell])
    for typed in ("the drowned bell", " THE DROWNED BELL ", "Tor-Keth's Bell"):
        assert names.find(typed) is bell


def test_a_name_goes_before_an_alias(make_entity: MakeEntity) -> None:
    captain, mara = make_entity("Captain"), make_entity("Mara", aliases=("captain",))
    assert Names([mara, captain]).find("captain") is captain


def test_several_of_one_name_are_not_guessed_between(make_entity: MakeEntity) -> None:
    first, second = make_entity("Orc"), make_entity("orc")
    with pytest.raises(InputError, match="any of 2"):
        Names([first, second]).find("Orc")


def test_the_same_one_twice_is_one(make_entity: MakeEntity) -> None:
    orc = make_entity("Orc", aliases=("Orc",))
    assert Names([orc, orc]).find("Orc") is orc


def test_near_names_are_suggested(make_entity: MakeEntity) -> None:
    names = Names([make_entity("Mara"), make_entity("The Drowned Bell")])
    with pytest.raises(InputError, match="Did you mean Mara"):
        names.find("Marra")
    with pytest.raises(InputError, match="Did you mean The Drowned Bell"):
        names.find("drownd bell")
    with pytest.raises(InputError, match="Check the name"):
        Names([]).find("Zyx")
