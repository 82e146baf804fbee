"""Gate rules by keyboard: offers, rules by kind, predicates, and rulings on record."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agents.views.conflict_views import PolicyView, RulingRequest
from stores.errors import StoreFull
from stores.records.workflow import KindRule, Verdict
from tests.screens.faults import fail_once
from tests.screens.libraries import CopyLibrary
from tests.screens.scripted_llm import start_sample_story
from tests.screens.screen_driver import NARROW, ROOMY, Table, real_desk, seated

IN_CONFLICT = ("/fact Wenna Pike ally_of Ivo Tarrant", "/commit", "/fact Wenna Pike enemy_of Ivo Tarrant")
REJECTED = (*["/state Mara.luck +1"] * 20, *(f"/thing Pebble {number}" for number in range(6)))
ACCEPTED = ("/state Mara.hp -1", "/state Wenna.hp -1", *(f"/thing Rope {number}" for number in range(3)))


async def build_decided_story(home: Path) -> None:
    """Decide so much alike by hand that one rule is offered, and rule on one conflict."""
    services, close = await real_desk(home, 4)()
    scene_id = await start_sample_story(services, *IN_CONFLICT)
    (row,) = (row for row in (await services.gate.gate(scene_id)).proposals if row.conflicts)
    (conflict,) = (await services.conflicts.read_conflicts(row.proposal.id)).conflicts
    await services.conflicts.make_ruling(RulingRequest(row.proposal.id, conflict.against, "old"))
    for lines, verdict in ((REJECTED, Verdict.REJECT), (ACCEPTED, Verdict.ACCEPT)):
        for line in lines:
            await services.play.submit(scene_id, line)
        proposals = (await services.play.scene(scene_id)).proposals
        open_ids = [view.proposal.id for view in proposals if view.verdict is None]
        await services.gate.decide(open_ids, verdict)
    await services.gate.commit(scene_id)
    await services.stories.suspend()
    await close()


@pytest.fixture
def decided_home(copy_library: CopyLibrary) -> Path:
    return copy_library(build_decided_story)


@pytest.fixture
async def table(decided_home: Path) -> AsyncIterator[Table]:
    """The gate rules, come to from the gate, on a small terminal."""
    async with seated(real_desk(decided_home, 8), NARROW) as table:
        await table.press("enter", "f3", "p")
        assert table.screen == "PolicyScreen"
        yield table


async def read_policy(table: Table) -> PolicyView:
    (universe,) = await table.services.stories.universes()
    return await table.services.policy.read_policy(universe.id)


async def read_rules(table: Table) -> dict[str, KindRule | None]:
    """Return the rules of the universe by kind of change."""
    return {kind.kind: kind.rule for kind in (await read_policy(table)).rules}


async def test_policy_screen_offers_rules_first_and_enter_takes_one(table: Table) -> None:
    assert table.shows(
        "Offered, from your own decisions", "✗ auto-reject numbers and tags (luck)", "you accepted 0 of 20"
    )
    assert table.shows("no rules yet", "· no rule new entities", "you accepted 3 of 9")
    await table.press("enter")
    assert await read_rules(table) == {"state_change:luck": KindRule.REJECT}
    assert table.shows("1 rule", "by you, 2026-01-")
    assert not table.shows("Offered, from")


async def test_policy_screen_sets_and_takes_back_rules_by_one_key(table: Table) -> None:
    await table.press("down")
    for key, rule in (("a", KindRule.ACCEPT), ("s", KindRule.ASK), ("r", KindRule.REJECT)):
        await table.press(key)
        assert await read_rules(table) == {"create_entity": rule}
    await table.press("u")
    assert await read_rules(table) == {}
    assert table.shows("no rules yet")


async def test_policy_screen_shows_keys_only_where_they_do_something(table: Table) -> None:
    assert table.shows("⏎ Use the offer")
    await table.press("down")
    assert not table.shows("Use the offer")
    assert not table.shows("No rule n New rule")
    await table.press("end")
    assert not table.shows("Auto-accept"), "a ruling on record is no rule"
    await table.press("a")
    assert await read_rules(table) == {}


async def test_policy_screen_rule_for_a_part_is_typed_and_selected(table: Table) -> None:
    await table.press("n")
    await table.type("state_change:hp")
    assert await read_rules(table) == {"state_change:hp": KindRule.ASK}
    await table.press("a")
    assert await read_rules(table) == {"state_change:hp": KindRule.ACCEPT}


async def test_policy_screen_refuses_an_unknown_kind_and_keeps_it_typed(table: Table) -> None:
    await table.press("n")
    await table.type("weather")
    assert table.shows("'weather' is not a kind of change.", "No rule was changed.")
    await table.press("escape")
    assert table.shows("weather")
    await table.press("escape")
    assert table.screen == "PolicyScreen"
    await table.press("escape")
    assert table.screen == "GateScreen"


async def test_predicates_screen_names_the_wrong_line_and_saves_when_mended(table: Table) -> None:
    await table.press("p")
    assert table.screen == "PredicatesScreen"
    await table.type("a: {}", enter=True)
    await table.type("b: {cardinality: two}", enter=False)
    await table.press("ctrl+s")
    assert table.shows("line 2 (b, cardinality)", "are unchanged", "b: {cardinality: two}")
    assert (await read_policy(table)).predicates == ""
    await table.press("escape")
    assert table.shows("Leave without saving?")
    await table.press("escape", "end", "left", "backspace", "backspace", "backspace")
    await table.type("one", enter=False)
    await table.press("ctrl+s")
    assert table.shows("2 predicates of this world's own.")
    assert (await read_policy(table)).predicates == "a: {}\nb: {cardinality: one}"
    await table.press("escape")
    assert table.screen == "PolicyScreen"


async def test_policy_screen_opens_from_the_universe_too(decided_home: Path) -> None:
    async with seated(real_desk(decided_home, 8), NARROW) as table:
        await table.press("3", "P")
        assert table.screen == "PolicyScreen"
        assert table.shows("Salt Coast", "you accepted 0 of 20")
        await table.press("escape")
        assert table.screen == "UniverseScreen"


async def test_policy_screen_shows_store_errors(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = table.services.policy
    fail_once(monkeypatch, policy, "set_rule", StoreFull("The disk is full.", kept="No rule was changed."))
    await table.press("enter")
    assert table.shows("The disk is full.", "No rule was changed.")
    fail_once(monkeypatch, policy, "set_predicates", StoreFull("The disk is full."))
    await table.press("escape", "p", "x", "ctrl+s")
    assert table.shows("The disk is full.")
    await table.press("escape", "enter")
    assert table.screen == "PolicyScreen"
    assert await read_rules(table) == {}
    assert (await read_policy(table)).predicates == ""


async def test_gate_takes_back_what_policy_decided(tmp_path: Path) -> None:
    async with seated(real_desk(tmp_path), ROOMY, first="demo") as table:
        await table.type("/rules assert_fact auto-reject")
        await table.type("/fact The gull has one red eye")
        assert table.shows("by rule")
        await table.type("/state Mara.hp -1")
        await table.press("f3", "enter")
        assert table.screen == "CommitReportDialog"
        await table.press("enter", "f3")
        assert table.shows("decided", "Mara Venn: HP")
        await table.press("end")
        assert table.shows("Committed automatically", "u Undo")
        await table.press("u")
        assert table.shows("Proposed: Never true: Mara Venn's HP is 9", "The next commit writes it.")
        await table.press("u")
        assert table.shows("That is proposed already.")
