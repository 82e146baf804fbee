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
from tests.screens.screen_driver import NARROW, ROOMY, ScreenDriver, real_services, started_app
from tests.screens.scripted_llm import start_sample_story

pytestmark = pytest.mark.slow

IN_CONFLICT = ("/fact Wenna Pike ally_of Ivo Tarrant", "/commit", "/fact Wenna Pike enemy_of Ivo Tarrant")
REJECTED = (*["/state Mara.luck +1"] * 20, *(f"/thing Pebble {number}" for number in range(6)))
ACCEPTED = ("/state Mara.hp -1", "/state Wenna.hp -1", *(f"/thing Rope {number}" for number in range(3)))


async def build_decided_story(home: Path) -> None:
    """Decide so much alike by hand that one rule is offered, and rule on one conflict."""
    services, close = await real_services(home, 4)()
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
async def ui(decided_home: Path) -> AsyncIterator[ScreenDriver]:
    """The gate rules, come to from the gate, on a small terminal."""
    async with started_app(real_services(decided_home, 8), NARROW) as ui:
        await ui.press("enter", "f3", "P")
        assert ui.screen == "PolicyScreen"
        yield ui


async def read_policy(ui: ScreenDriver) -> PolicyView:
    (universe,) = await ui.services.stories.universes()
    return await ui.services.policy.read_policy(universe.id)


async def read_rules(ui: ScreenDriver) -> dict[str, KindRule | None]:
    """Return the rules of the universe by kind of change."""
    return {kind.kind: kind.rule for kind in (await read_policy(ui)).rules}


async def test_policy_screen_offers_rules_first_and_enter_takes_one(ui: ScreenDriver) -> None:
    assert ui.shows(
        "Offered, from your own decisions", "✗ auto-reject numbers and tags (luck)", "you accepted 0 of 20"
    )
    assert ui.shows("no rules yet", "· no rule new entities", "you accepted 3 of 9")
    await ui.press("enter")
    assert await read_rules(ui) == {"state_change:luck": KindRule.REJECT}
    assert ui.shows("1 rule", "by you, 2026-01-")
    assert not ui.shows("Offered, from")


async def test_policy_screen_sets_and_takes_back_rules_by_one_key(ui: ScreenDriver) -> None:
    await ui.press("down")
    for key, rule in (("a", KindRule.ACCEPT), ("d", KindRule.ASK), ("r", KindRule.REJECT)):
        await ui.press(key)
        assert await read_rules(ui) == {"create_entity": rule}
    await ui.press("delete")
    assert await read_rules(ui) == {}
    assert ui.shows("no rules yet")


async def test_policy_screen_shows_keys_only_where_they_do_something(ui: ScreenDriver) -> None:
    assert ui.shows("⏎ Use the offer")
    await ui.press("down")
    assert not ui.shows("Use the offer")
    assert not ui.shows("No rule n New rule")
    await ui.press("end")
    assert not ui.shows("Auto-accept"), "a ruling on record is no rule"
    await ui.press("a")
    assert await read_rules(ui) == {}


async def test_policy_screen_rule_for_a_part_is_typed_and_selected(ui: ScreenDriver) -> None:
    await ui.press("n")
    await ui.type("state_change:hp")
    assert await read_rules(ui) == {"state_change:hp": KindRule.ASK}
    await ui.press("a")
    assert await read_rules(ui) == {"state_change:hp": KindRule.ACCEPT}


async def test_policy_screen_refuses_an_unknown_kind_and_keeps_it_typed(ui: ScreenDriver) -> None:
    await ui.press("n")
    await ui.type("weather")
    assert ui.shows("'weather' is not a kind of change.", "No rule was changed.")
    await ui.press("escape")
    assert ui.shows("weather")
    await ui.press("escape")
    assert ui.screen == "PolicyScreen"
    await ui.press("escape")
    assert ui.screen == "GateScreen"


async def test_predicates_screen_names_the_wrong_line_and_saves_when_mended(ui: ScreenDriver) -> None:
    await ui.press("K")
    assert ui.screen == "PredicatesScreen"
    await ui.type("a: {}", enter=True)
    await ui.type("b: {cardinality: two}", enter=False)
    await ui.press("ctrl+s")
    assert ui.shows("line 2 (b, cardinality)", "are unchanged", "b: {cardinality: two}")
    assert (await read_policy(ui)).predicates == ""
    await ui.press("escape")
    assert ui.shows("Leave without saving?")
    await ui.press("escape", "end", "left", "backspace", "backspace", "backspace")
    await ui.type("one", enter=False)
    await ui.press("ctrl+s")
    assert ui.shows("2 predicates of this world's own.")
    assert (await read_policy(ui)).predicates == "a: {}\nb: {cardinality: one}"
    await ui.press("escape")
    assert ui.screen == "PolicyScreen"


async def test_policy_screen_opens_from_the_universe_too(decided_home: Path) -> None:
    async with started_app(real_services(decided_home, 8), NARROW) as ui:
        await ui.press("3", "P")
        assert ui.screen == "PolicyScreen"
        assert ui.shows("Salt Coast", "you accepted 0 of 20")
        await ui.press("escape")
        assert ui.screen == "UniverseScreen"


async def test_policy_screen_shows_store_errors(ui: ScreenDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = ui.services.policy
    fail_once(monkeypatch, policy, "set_rule", StoreFull("The disk is full.", kept="No rule was changed."))
    await ui.press("enter")
    assert ui.shows("The disk is full.", "No rule was changed.")
    fail_once(monkeypatch, policy, "set_predicates", StoreFull("The disk is full."))
    await ui.press("escape", "K", "x", "ctrl+s")
    assert ui.shows("The disk is full.")
    await ui.press("escape", "enter")
    assert ui.screen == "PolicyScreen"
    assert await read_rules(ui) == {}
    assert (await read_policy(ui)).predicates == ""


async def test_gate_takes_back_what_policy_decided(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        await ui.type("/rules assert_fact auto-reject")
        await ui.type("/fact The gull has one red eye")
        assert ui.shows("by rule")
        await ui.type("/state Mara.hp -1")
        await ui.press("f3", "enter")
        assert ui.screen == "CommitReportDialog"
        await ui.press("enter", "f3")
        assert ui.shows("decided", "Mara Venn: HP")
        await ui.press("end")
        assert ui.shows("Committed with the rest, as ✓ marked it.", "u Retract")
        await ui.press("u", "escape")
        assert not ui.shows("Never true")
        await ui.press("u")
        assert ui.shows("Propose to retract it?", "It is in canon.")
        await ui.press("enter")
        assert ui.shows("Proposed: Never true: Mara Venn's HP is 9", "The next commit writes it.")
        await ui.press("u", "enter")
        assert ui.shows("That is proposed already.")


async def test_panel_says_retconned_of_what_is_no_longer_in_canon(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        await ui.type("/state Ivo +dead")
        await ui.press("enter")
        assert ui.shows("in canon")
        await ui.press("f3", "end", "u", "enter", "enter", "enter")
        assert ui.screen == "SceneScreen"
        assert ui.shows("★ retconned")
        await ui.press("f3")
        assert ui.shows("★ retconned")
        await ui.press("end", "u")
        assert not ui.shows("It is in canon")
        assert ui.shows("It was undone already.", "R in the universe restores it.")


async def test_ctrl_z_after_the_gate_puts_the_rows_back_and_ctrl_y_says_when_it_is_too_late(
    tmp_path: Path,
) -> None:
    """F3, Enter, Enter, Ctrl+Z, Enter: the rows stand at the gate, undecided, and nobody vanished."""
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        await ui.type("/npc here Maud Tesk: ferrywoman")
        await ui.type("/state Mara.hp -2")
        await ui.press("f3", "enter", "enter", "ctrl+z", "enter")
        assert ui.shows("Not canon any more: Maud Tesk", "HP 8*", "2 proposed")
        await ui.press("f3")
        assert not ui.shows("retconned")
        assert not ui.shows("Never true")
        assert ui.shows("2 accept")
        await ui.press("escape", "ctrl+y", "enter")
        assert ui.shows("Canon again: Maud Tesk")
        await ui.press("ctrl+z", "enter")
        await ui.type("I look at the door.")
        await ui.press("ctrl+y")
        assert ui.shows("It is proposed again and waits at the gate.", "(F3)")


async def test_panel_u_on_what_a_commit_rejected_leaves_it_undecided(tmp_path: Path) -> None:
    async with started_app(real_services(tmp_path), ROOMY, first="demo") as ui:
        await ui.type("/fact The gull has one red eye")
        story = (await ui.services.stories.stories())[0]
        assert story.scene is not None
        rows = (await ui.services.play.scene(story.scene.id)).proposals
        row = next(row for row in rows if "red eye" in row.title)
        await ui.type(f"/reject {row.number}")
        await ui.type("/commit")
        assert not ui.shows("proposals 0")
        for command in ("/accept", "/undecide"):
            await ui.type(f"{command} {row.number}")
            assert ui.shows("was rejected by a commit", "u on its row at the gate (F3)")
        await ui.press("f3", "end", "u")
        assert ui.shows("Undecided again: The gull has one red eye.")
        assert not ui.shows("eye..")
        rows = (await ui.services.play.scene(story.scene.id)).proposals
        outcomes = [(r.status.value, r.verdict) for r in rows if r.title == row.title]
        assert outcomes == [("rejected", Verdict.REJECT), ("pending", None)]
