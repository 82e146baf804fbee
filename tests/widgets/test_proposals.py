"""Proposals by keyboard: deciding, marking several, grouping, filtering, and staying in place."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len
from textual import events

from agents.views.proposal_views import ConflictView, ProposalView
from stores.records.workflow import ProposalStatus, Verdict
from tests.widgets.samples import proposal, proposals
from tests.widgets.stage import Stage, screen_text
from widgets.ink import Ink
from widgets.proposal_detail import detail_lines
from widgets.proposal_list import ProposalList, ProposalPanel
from widgets.proposal_rows import Grouping, proposal_line


def decided(app: Stage) -> list[tuple[tuple[str, ...], Verdict | None]]:
    return [(message.ids, message.verdict) for message in app.of(ProposalList.Decided)]


def ids(*numbers: int) -> tuple[str, ...]:
    return tuple(f"proposal-{n}" for n in numbers)


def many(count: int) -> list[ProposalView]:
    return [proposal(n, group=f"group {n % 7}") for n in range(1, count + 1)]


def stage(views: list[ProposalView], **more: object) -> tuple[Stage, ProposalList]:
    listing = ProposalList(**more)  # type: ignore[arg-type]
    listing.show_proposals(views)
    return Stage(listing), listing


@pytest.mark.parametrize(
    ("key", "verdict"),
    [
        ("a", Verdict.ACCEPT),
        ("r", Verdict.REJECT),
        ("c", Verdict.FLAVOUR),
        ("d", Verdict.DEFER),
    ],
)
async def test_proposal_one_key_decides_the_row_under_the_cursor(key: str, verdict: Verdict) -> None:
    app, _ = stage(proposals())
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("j", key)
        assert decided(app) == [(ids(2), verdict)]


async def test_proposal_rows_show_the_numbers_that_commands_take() -> None:
    app, _ = stage([proposal(n, title=f"change {n}") for n in range(1, 13)])
    async with app.run_test(size=(60, 20)):
        lines = [" ".join(line.split()) for line in screen_text(app).splitlines()]
        for number in (1, 2, 12):
            assert any(f" {number} " in line and line.count(f"change {number} ") for line in lines), number


async def test_proposal_decision_is_taken_back_where_there_is_one() -> None:
    app, _ = stage([proposal(1, verdict=Verdict.REJECT), proposal(2)])
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("u", "down", "u")
        assert decided(app) == [(ids(1), None)]


async def test_proposal_cursor_goes_on_to_the_next_undecided_row() -> None:
    views = [proposal(n, verdict=Verdict.ACCEPT if n in (2, 3) else None) for n in range(1, 6)]
    app, listing = stage(views)
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("a", "r", "d")
        assert decided(app) == [
            (ids(1), Verdict.ACCEPT),
            (ids(4), Verdict.REJECT),
            (ids(5), Verdict.DEFER),
        ]
        assert listing.current is not None
        assert listing.current.number == 5


@pytest.mark.parametrize("verdict", ["a", "r", "c", "d"])
async def test_proposal_cursor_leaves_the_last_of_several_marked_rows(verdict: str) -> None:
    views = [proposal(n, verdict=Verdict.ACCEPT if n == 3 else None) for n in range(1, 6)]
    app, listing = stage(views)
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("space", "space", verdict)
        assert listing.current is not None
        assert listing.current.number == 4, "the cursor was on 3, which is decided"
        await pilot.press("home", "space", "down", "down", "space", "up", "up", verdict)
        assert listing.current.number == 5, "it was on 3, and 4 was marked and is decided now"


async def test_proposal_cursor_stays_where_several_marked_rows_leave_it_on_an_undecided_one() -> None:
    app, listing = stage([proposal(n) for n in range(1, 6)])
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("space", "space", "a")
        assert listing.current is not None
        assert listing.current.number == 3
        await pilot.press("end", "space", "r")
        assert listing.current.number == 5, "nothing below is undecided"


async def test_proposal_cursor_goes_on_to_what_accept_all_left() -> None:
    app, listing = stage([proposal(1), proposal(2), proposal(3, mark="hold"), proposal(4)])
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("A")
        assert listing.current is not None
        assert listing.current.number == 3


async def test_proposal_undo_stays_on_the_row_it_undid() -> None:
    views = [proposal(n, verdict=Verdict.ACCEPT if n == 2 else None) for n in range(1, 4)]
    app, listing = stage(views)
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("down", "u")
        assert decided(app) == [(ids(2), None)]
        assert listing.current is not None
        assert listing.current.number == 2


async def test_proposal_hundred_rows_are_decided_with_a_hundred_keys() -> None:
    app, _ = stage(many(100))
    async with app.run_test(size=(60, 20)) as pilot:
        for key in "aarcdaaara" * 10:
            app.post_message(events.Key(key, key))
        await pilot.pause()
        assert [message.ids for message in app.of(ProposalList.Decided)] == [ids(n) for n in range(1, 101)]


async def test_several_marked_rows_are_decided_at_once() -> None:
    app, listing = stage(proposals())
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("space", "down", "space")
        assert [view.number for view in listing.selected_views] == [1, 3]
        assert "●" in screen_text(app)
        await pilot.press("r")
        assert decided(app) == [(ids(1, 3), Verdict.REJECT)]
        assert listing.selected_views == ()


async def test_space_again_takes_the_mark_off() -> None:
    app, listing = stage(proposals())
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("space", "up", "space", "a")
        assert listing.selected_views == ()
        assert decided(app) == [(ids(2), Verdict.ACCEPT)]


async def test_accept_all_takes_what_policy_ticks_but_not_the_marked() -> None:
    app, listing = stage([*proposals(), proposal(5), proposal(6, verdict=Verdict.REJECT)])
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("A")
        assert [message.ids for message in app.of(ProposalList.AllAccepted)] == [ids(1, 5)]
        await pilot.press("A")
        assert len(app.of(ProposalList.AllAccepted)) == 1, "they are shown as accepted at once"
        listing.show_proposals([*proposals(), proposal(5)])
        await pilot.press("home", "space", "A")
        assert [message.ids for message in app.of(ProposalList.AllAccepted)][1:] == [ids(5)]


async def test_proposal_gates_accept_all_takes_everything_but_conflicts_and_the_marked() -> None:
    app, _ = stage(proposals(), accept_all="unmarked")
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("space", "A")
        assert [message.ids for message in app.of(ProposalList.AllAccepted)] == [ids(2, 4)]


async def test_edit_and_evidence_name_the_row() -> None:
    app, _ = stage(proposals())
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("down", "e", "x", "enter")
        assert [message.view.number for message in app.of(ProposalList.EditRequested)] == [2]
        assert [message.view.number for message in app.of(ProposalList.ProposalEvidenceRequested)] == [2, 2]


async def test_proposal_what_is_in_canon_can_no_longer_be_decided() -> None:
    app, _ = stage([proposal(1, status=ProposalStatus.ACCEPTED, verdict=Verdict.ACCEPT)])
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("a", "r", "u", "e", "space", "A")
        assert decided(app) == []
        assert app.of(ProposalList.EditRequested) == []
        assert "in canon" in screen_text(app)


async def test_proposal_what_was_deferred_or_failed_waits_again() -> None:
    app, _ = stage([proposal(1, status=ProposalStatus.DEFERRED), proposal(2, status=ProposalStatus.FAILED)])
    async with app.run_test(size=(60, 20)) as pilot:
        assert "deferred" not in screen_text(app)  # nobody deferred it: it was undecided when its scene ended
        assert "failed" in screen_text(app)
        await pilot.press("a", "a")
        assert decided(app) == [(ids(1), Verdict.ACCEPT), (ids(2), Verdict.ACCEPT)]


async def test_cursor_and_marks_stay_on_their_rows_when_others_come_and_go() -> None:
    app, listing = stage(many(20))
    async with app.run_test(size=(60, 10)) as pilot:
        await pilot.press("down", "space", "down", "down")
        listing.show_proposals(
            [replace(view, verdict=Verdict.ACCEPT) for view in many(30) if view.number != 1]
        )
        await pilot.pause()
        assert listing.current is not None
        assert listing.current.number == 5
        assert [view.number for view in listing.selected_views] == [2]
        listing.show_proposals([view for view in many(30) if view.number > 10])
        assert listing.current.number == 14  # the row that stands where it stood
        listing.show_proposals([])
        assert listing.current is None
        assert listing.selected_views == ()


async def test_groups_have_headings_and_conflicts_come_first() -> None:
    app, listing = stage(proposals())
    async with app.run_test(size=(60, 20)) as pilot:
        listing.grouping = Grouping.GROUP
        await pilot.pause()
        shown = [line.strip() for line in screen_text(app).splitlines() if line.strip()]
        assert shown[0].split() == ["in", "conflict", "1", "⚠1"]
        assert "The bell was moved" in shown[1]
        await pilot.press("home", "down", "a")
        assert decided(app) == [(ids(2), Verdict.ACCEPT)]  # the heading between is passed over
        listing.grouping = Grouping.LABEL
        await pilot.pause()
        assert screen_text(app).splitlines()[0].split() == ["in", "conflict", "1", "⚠1"]
        assert any(line.split() == ["fact", "1"] for line in screen_text(app).splitlines())


async def test_proposal_filter_narrows_by_every_word() -> None:
    app, listing = stage(proposals())
    async with app.run_test(size=(60, 20)) as pilot:
        listing.filter_text = "FACT salt"
        await pilot.pause()
        assert "Oss fears the salt pans" in screen_text(app)
        assert "Hidden Chamber" not in screen_text(app)
        await pilot.press("A")
        assert app.of(ProposalList.AllAccepted) == []  # what is not shown is not accepted
        listing.filter_text = ""
        await pilot.pause()
        assert "Hidden Chamber" in screen_text(app)


async def test_rows_say_their_state_without_colour() -> None:
    app, _ = stage(
        [
            proposal(1, title="sure", confidence=1.0),
            proposal(2, title="torn", mark="hold", conflicts=proposals()[2].conflicts),
            proposal(3, title="grave", is_critical=True, mark="defer"),
            proposal(4, title="kept", verdict=Verdict.ACCEPT),
            proposal(5, title="thrown", verdict=Verdict.REJECT),
            proposal(6, title="painted", verdict=Verdict.FLAVOUR),
            proposal(7, title="later", verdict=Verdict.DEFER),
        ]
    )
    async with app.run_test(size=(40, 12)):
        rows = [line.replace(" ", "") for line in screen_text(app).splitlines()]
        assert rows[:7] == [
            "▸✓1factsure1.0",
            "⚠2facttorn⚠1.80",
            "·3factgrave★.80",
            "✓4factkeptaccepted",
            "✗5factthrownrejected",
            "✗6factpaintedjustflavour",
            "‖7factlaterdeferred",
        ]


async def test_proposal_row_of_a_model_doubt_has_a_mark_of_its_own() -> None:
    doubt = ConflictView(
        "model_doubt", "The model doubts it: cannot be true beside “Dob sleeps by day”", is_model_doubt=True
    )
    alike = ConflictView("alike", "The name is like Dob.", is_certain=False)
    app, the_list = stage([replace(proposal(1), similar_matches=(doubt, alike), conflicts=())])
    async with app.run_test(size=(100, 20)):
        assert "≈1 ?1" in screen_text(app)
        assert "⚠" not in screen_text(app)
        assert the_list.check_action("resolve", ())


async def test_proposal_empty_list_says_what_will_come() -> None:
    app, _ = stage([])
    async with app.run_test(size=(60, 20)) as pilot:
        assert "No proposals yet" in screen_text(app)
        await pilot.press(*"arecdAxu", "space", "up", "down", "home", "end", "pageup", "pagedown")
        assert decided(app) == []


async def test_page_keys_and_edges_go_through_a_long_list() -> None:
    app, listing = stage(many(200))
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("end")
        assert listing.current is not None
        assert listing.current.number == 200
        await pilot.press("pageup", "pageup")
        assert listing.current.number == 162
        await pilot.press("home", "pagedown")
        assert listing.current.number == 20
        assert "moved, 20" in screen_text(app)


async def test_proposal_panel_counts_what_waits_and_shows_what_a_row_rests_on() -> None:
    panel = ProposalPanel()
    app = Stage(panel)
    async with app.run_test(size=(40, 20)) as pilot:
        assert "No proposals yet" in screen_text(app)
        panel.show_proposals([*proposals(), proposal(5, verdict=Verdict.ACCEPT)])
        panel.focus_list()
        await pilot.pause()
        text = screen_text(app)
        assert "proposals 4" in text
        assert "1 decided" in text
        assert "drag marks in the silt" in text
        assert "turn 11" in text
        await pilot.press("down", "down")
        await pilot.pause()
        assert "Canon has the bell in the tower" in screen_text(app)
        assert "inferred from the telling" in screen_text(app)


@pytest.mark.parametrize("label", ["character", "open question", "relation", "settled"])
def test_proposal_row_writes_out_what_kind_it_is_at_every_width(label: str) -> None:
    """A row that says `chara…` or `settl…` has to be guessed."""
    view = proposal(12, label=label, title="Wenna Pike promised to bring the bell back by the thaw")
    for width in range(34, 101):
        text = "".join(part for part, _ in proposal_line(view, width, label_cells=9, number_cells=2))
        assert f" {label} " in text
        assert "Wen" in text
        assert cell_len(text) == width


@pytest.mark.parametrize(
    "more", [{"verdict": Verdict.REJECT}, {"verdict": Verdict.FLAVOUR}, {"mark": "reject"}]
)
def test_proposal_that_stays_out_of_canon_is_struck_out(more: dict[str, object]) -> None:
    line = proposal_line(proposal(1, title="A stranger", **more), 60)
    assert ("A stranger", Ink.STRUCK) in line
    assert ("A stranger", Ink.PROSE) in proposal_line(proposal(1, title="A stranger"), 60)


def test_detail_of_a_rejected_proposal_says_so() -> None:
    for verdict in (None, Verdict.ACCEPT, Verdict.REJECT):
        lines = detail_lines(proposal(1, verdict=verdict), 60, with_change=True)
        text = "\n".join("".join(part for part, _ in line) for line in lines)
        assert ("✗ Rejected: a commit leaves canon as it is." in text) is (verdict is Verdict.REJECT)


async def test_row_keeps_its_place_when_its_conflict_is_decided() -> None:
    """It jumped from the conflicts to its own group, from under the cursor."""
    before = [proposal(n, group=f"group {n}") for n in range(1, 4)]
    clash = ConflictView(check_name="functional", text="Canon has the bell in the tower")
    views = [before[0], before[1], replace(before[2], conflicts=(clash,), mark="hold")]
    app, listing = stage(views)
    async with app.run_test(size=(60, 20)) as pilot:
        listing.grouping = Grouping.GROUP
        await pilot.pause()
        order = [row.value.number for row in listing.rows if row.value]
        assert order == [3, 1, 2]
        decided_views = [before[0], before[1], replace(before[2], verdict=Verdict.ACCEPT)]
        listing.show_proposals(decided_views)
        assert [row.value.number for row in listing.rows if row.value] == order
        listing.show_proposals([*before[:2], replace(before[2], status=ProposalStatus.ACCEPTED)])
        assert [row.value.number for row in listing.rows if row.value] == [1, 2, 3], "a commit closed it"
        listing.show_proposals(before)
        assert [row.value.number for row in listing.rows if row.value] == [1, 2, 3], "it was in no conflict"
