"""A title with a surname, a first name, a full name of an earlier line: names mean the same wherever they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.declarations.unknown_names import expand_name, find_unknown
from agents.prose.called_names import find_called
from stores.records.world import EntityKind
from tests.agents.canon_keeper import proposal_builders as kit
from tests.agents.orchestrator.test_one_owner import begin_in_thornwick
from tests.program import opened

LADY = kit.entity("Lady Isolde Marr", EntityKind.CHARACTER)
CORRIN = kit.entity("Corrin Vale", EntityKind.CHARACTER)
THORNWICK = kit.entity("Thornwick", EntityKind.PLACE)
KNOWN = [LADY, CORRIN, THORNWICK]
PERSON, PLACE = EntityKind.CHARACTER, EntityKind.PLACE


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("Lady Isolde Marr", LADY),
        ("Lady Marr", LADY),
        ("lady marr", LADY),
        ("Lady Isolde", LADY),
        ("Isolde", LADY),
        ("Captain Vale", CORRIN),
        ("Corrin", CORRIN),
        ("Lord Marr", None),
        ("Mrs. Corrin Vane", None),
        ("Lady", None),
    ],
)
def test_name_in_prose_means_one_of_those_known(name: str, called: object) -> None:
    assert find_called(name, KNOWN) == ([] if called is None else [called])


def test_name_that_two_have_means_both() -> None:
    sister = kit.entity("Lady Berit Marr", EntityKind.CHARACTER)
    assert find_called("Lady Marr", [LADY, sister]) == [LADY, sister]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "Snow lies over Thornwick. The Three Pins is the only inn, and Dace Holloway keeps it.",
            [("Three Pins", PLACE), ("Dace Holloway", PERSON)],
        ),
        ('Hask scratches his beard. "That is Emmet Crane, the clerk."', [("Emmet Crane", PERSON)]),
        ("Captain Hask is in the cells.", [("Captain Hask", PERSON)]),
        (
            "Lady Isolde Marr lives at Marr Hall with Bran Tull.",
            [("Marr Hall", PLACE), ("Bran Tull", PERSON)],
        ),
        ("Corrin and a hired knife called Grue are inside.", [("Grue", PERSON)]),
        ("I walk north through the snow to Calder Gate.", [("Calder Gate", PLACE)]),
        ("The Three Pins burned down last winter.", [("Three Pins", PLACE)]),
        ("Dace nods. Dace Holloway pours.", [("Dace Holloway", PERSON)]),
        ("Night comes. Guards come in. Rain whispers.", []),
        ("Emmet died at Michaelmas, on a Monday in March.", [("Emmet", PERSON)]),
        ("Lady Marr gives Captain Vale the letter.", []),
        ("I make a Stealth roll in Kestrel March.", []),
        ("Isolde's brother waits.", []),
    ],
)
def test_name_that_nobody_has_is_told_with_what_it_may_be(
    text: str, names: list[tuple[str, EntityKind]]
) -> None:
    unknown = find_unknown(text, KNOWN, ("stealth", "Kestrel March"))
    assert [(one.name, one.kind) for one in unknown] == names


def test_short_name_is_read_as_the_full_one_of_an_earlier_line() -> None:
    assert expand_name("Dace", ["Thornwick", "Dace Holloway"]) == "Dace Holloway"
    assert expand_name("Lady Marr", ["Lady Isolde Marr"]) == "Lady Isolde Marr"
    assert expand_name("Dace", ["Dace Holloway", "Dace Orme"]) == "Dace"


@pytest.mark.slow
async def test_lady_is_met_named_and_given_things_by_title_and_surname(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        inn = await begin_in_thornwick(program)
        is_away = "Lady Isolde Marr is not here: /cast + Lady Isolde Marr brings them in (Tab takes it)."
        assert await inn.say("Lady Marr receives me in the long hall.") == (is_away,)
        assert await inn.say('"You are the carrier," says Lady Marr.') == ("Lady Isolde Marr comes in.",)
        await inn.say("/cast - Lady Marr")
        assert await inn.say("/cast + Lady Marr, Emmet Crane") == (
            "Lady Isolde Marr comes in.",
            "Emmet Crane comes in.",
        )
        assert "Proposed: Pip has the silver key." in await inn.say("> Lady Marr gives Pip the silver key.")


@pytest.mark.slow
async def test_unknown_names_are_told_once_a_scene_and_in_full(tmp_path: Path) -> None:
    async with opened(tmp_path) as program:
        inn = await begin_in_thornwick(program)
        assert await inn.say("> The Three Pins is the best inn, and Wat Orme keeps it.") == (
            "“Three Pins” and “Wat Orme” are not known in this world: /place Three Pins and /npc Wat Orme make them "
            "known (Tab takes it).",
        )
        assert await inn.say("I think of Wat and the Three Pins.") == ()
        assert await inn.say("I ask Wat for something hot.") == (
            "“Wat Orme” is not known in this world: /npc here Wat Orme brings them in (Tab takes it).",
        )
        assert await inn.say("I ask Wat for something hot.") == ()
        await inn.say("/npc here Wat Orme")
        assert await inn.say("> Wat gives Ansa a silver cup.") == (
            "“silver cup” is not known in this world: /thing silver cup makes it known (Tab takes it).",
        )
        assert "Proposed: Ansa has a silver cup." in await inn.say("/thing silver cup") or await inn.titles()
