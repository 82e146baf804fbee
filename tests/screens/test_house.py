"""House rules by keyboard: offers, rules by kind, predicates, and what was ruled."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from stores.errors import StoreFull
from stores.records.workflow import KindRule
from tests.screens.table import NARROW, ROOMY, Table, real_desk, seated, twin_desk
from tests.screens.twin import TwinDesk


@pytest.fixture
def twin() -> TwinDesk:
    return TwinDesk()


@pytest.fixture
async def house(twin: TwinDesk) -> AsyncIterator[Table]:
    """The house, come to from the gate, on a small terminal."""
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("enter", "f3", "p")
        assert table.screen == "PolicyScreen"
        yield table


async def test_offers_come_first_with_their_figures_and_enter_takes_one(house: Table, twin: TwinDesk) -> None:
    assert house.shows(
        "Offered, from your own decisions", "✗ auto-reject facts (weather)", "you accepted 0 of 20"
    )
    assert house.shows("no rules yet", "· no rule new entities", "you accepted 3 of 9")
    await house.press("enter")
    assert twin.called("set_rule") == [("assert_fact:weather", KindRule.REJECT)]
    assert house.shows("1 rule", "by you, 2026-01-01 20:00")
    assert not house.shows("Offered, from")


async def test_rules_are_set_and_taken_back_by_one_key(house: Table, twin: TwinDesk) -> None:
    await house.press("down", "a", "s", "r", "u")
    assert twin.called("set_rule") == [
        ("create_entity", KindRule.ACCEPT),
        ("create_entity", KindRule.ASK),
        ("create_entity", KindRule.REJECT),
        ("create_entity", None),
    ]
    assert house.shows("no rules yet")


async def test_keys_are_shown_only_where_they_do_something(house: Table, twin: TwinDesk) -> None:
    assert house.shows("⏎ Use the offer")
    await house.press("down")
    assert not house.shows("Use the offer")
    assert not house.shows("No rule n New rule")
    await house.press("end")
    assert not house.shows("Auto-accept"), "a ruling on record is no rule"
    await house.press("a")
    assert not twin.called("set_rule")


async def test_a_rule_for_a_part_is_typed_and_stood_on(house: Table, twin: TwinDesk) -> None:
    await house.press("n")
    await house.type("state_change:hp")
    assert twin.called("set_rule") == [("state_change:hp", KindRule.ASK)]
    await house.press("a")
    assert twin.called("set_rule")[1] == ("state_change:hp", KindRule.ACCEPT)


async def test_a_kind_that_is_none_is_refused_and_stays_typed(house: Table) -> None:
    await house.press("n")
    await house.type("weather")
    assert house.shows("'weather' is not a kind of change.", "No rule was changed.")
    await house.press("escape")
    assert house.shows("weather")
    await house.press("escape")
    assert house.screen == "PolicyScreen"
    await house.press("escape")
    assert house.screen == "GateScreen"


async def test_predicates_are_refused_by_their_line_and_kept_when_mended(
    house: Table, twin: TwinDesk
) -> None:
    await house.press("p")
    assert house.screen == "PredicatesScreen"
    await house.type("a: {}", enter=True)
    await house.type("b: {cardinality: two}", enter=False)
    await house.press("ctrl+s")
    assert house.shows("line 2 (cardinality)", "are as they were", "b: {cardinality: two}")
    await house.press("escape")
    assert house.shows("Leave without saving?")
    await house.press("escape", "end", "left", "backspace", "backspace", "backspace")
    await house.type("one", enter=False)
    await house.press("ctrl+s")
    assert house.shows("Kept: 3 predicates of this world's own.")
    assert twin.bench.house.predicates == "a: {}\nb: {cardinality: one}"
    await house.press("escape")
    assert house.screen == "PolicyScreen"


async def test_the_house_is_open_from_the_universe_too(twin: TwinDesk) -> None:
    async with seated(twin_desk(twin), NARROW) as table:
        await table.press("3", "P")
        assert table.screen == "PolicyScreen"
        assert twin.called("house")[0] == (twin.universe.id,)
        await table.press("escape")
        assert table.screen == "UniverseScreen"


async def test_what_cannot_be_kept_says_why(house: Table, twin: TwinDesk) -> None:
    twin.fail("set_rule", StoreFull("The disk is full.", kept="No rule was changed."))
    await house.press("enter")
    assert house.shows("The disk is full.", "No rule was changed.")
    twin.fail("set_predicates", StoreFull("The disk is full."))
    await house.press("escape", "p", "x", "ctrl+s")
    assert house.shows("The disk is full.")
    await house.press("escape", "enter")
    assert house.screen == "PolicyScreen"


async def test_what_policy_decided_is_taken_back_at_the_gate(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), ROOMY, first="demo") as table:
        await table.type("/rules assert_fact auto-reject")
        await table.type("/fact The gull has one red eye")
        assert table.shows("by rule")
        await table.type("/state Mara.hp -1")
        await table.press("f3", "enter")
        assert table.screen == "CommitReportDialog"
        await table.press("enter", "f3")
        assert table.shows("decided", "Mara Venn.hp")
        await table.press("end")
        assert table.shows("Committed automatically", "u Undo")
        await table.press("u")
        assert table.shows("Proposed: Never so: Mara Venn's hp is 9", "The next commit writes it.")
        await table.press("u")
        assert table.shows("That is proposed already.")
