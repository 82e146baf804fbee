"""Looking up entities by typed names."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agents.resolver.entity_names import EntityNameLookup
from stores.errors import InputError
from stores.records.world import Entity

MakeEntity = Callable[..., Entity]


def test_entity_name_lookup_ignores_case(make_entity: MakeEntity) -> None:
    bell = make_entity("The Drowned  Bell", aliases=("Tor–Keth’s bell",))
    names = EntityNameLookup([bell])
    for typed_name in ("the drowned bell", " THE DROWNED BELL ", "Tor-Keth's Bell"):
        assert names.find_entity(typed_name) is bell


def test_entity_name_lookup_prefers_name_to_alias(make_entity: MakeEntity) -> None:
    captain, mara = make_entity("Captain"), make_entity("Mara", aliases=("captain",))
    assert EntityNameLookup([mara, captain]).find_entity("captain") is captain


def test_entity_name_lookup_refuses_ambiguous_name(make_entity: MakeEntity) -> None:
    first, second = make_entity("Orc"), make_entity("orc")
    with pytest.raises(InputError, match="any of 2"):
        EntityNameLookup([first, second]).find_entity("Orc")


def test_entity_name_lookup_counts_entity_once(make_entity: MakeEntity) -> None:
    orc = make_entity("Orc", aliases=("Orc",))
    assert EntityNameLookup([orc, orc]).find_entity("Orc") is orc


def test_entity_name_lookup_suggests_near_names(make_entity: MakeEntity) -> None:
    names = EntityNameLookup([make_entity("Mara"), make_entity("The Drowned Bell")])
    with pytest.raises(InputError, match="Did you mean Mara"):
        names.find_entity("Marra")
    with pytest.raises(InputError, match="Did you mean The Drowned Bell"):
        names.find_entity("drownd bell")
    with pytest.raises(InputError, match="Check the name"):
        EntityNameLookup([]).find_entity("Zyx")


def test_entity_name_lookup_reads_short_names_as_prose_does(make_entity: MakeEntity) -> None:
    lady, brother = make_entity("Lady Isolde Marr"), make_entity("Corrin Marr")
    names = EntityNameLookup([lady, brother])
    assert names.find_entity("lady marr") is lady
    assert names.find_entity("Corrin") is brother
    with pytest.raises(InputError, match="any of 2"):
        names.find_entity("Marr")
