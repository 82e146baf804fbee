"""Charts from records: tension and checks by scene, whether dice are fair, what a model cost, what the gate let in."""

from __future__ import annotations

import math
import random
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from agents.diagrams.charts import (
    Chart,
    ChartBar,
    ChartShape,
    Tone,
    make_check_chart,
    make_gate_charts,
    make_spending_charts,
    make_tension_chart,
)
from agents.diagrams.dice_fairness import chi_square_likelihood, measure_dice
from stores.ports import LlmSpending
from stores.records.canon import Authority, CreateEntity
from stores.records.llm import LlmCall, Persona, RecordedSection
from stores.records.play import Degree, Die, Resolution, Scene
from stores.records.story_journal import TensionEntry, UndoEntry, find_tension_changes
from stores.records.workflow import ProposalStatus
from stores.records.world import EntityKind
from tests.agents.diagrams.world_records import AT, WORLD, proposed
from widgets.chart_list import chart_lines


def scene(order: int) -> Scene:
    return Scene(id=f"s{order}", story_id="st", universe_id=WORLD, order=order, title="", created_at=AT)


def rolled(
    scene_id: str,
    degree: Degree = Degree.NONE,
    faces: tuple[int, ...] = (),
    *,
    sides: str = "6",
    **fields: object,
) -> Resolution:
    dice = [Die(sides=sides, face=face) for face in faces]
    values = {
        "id": f"{scene_id}{faces}",
        "scene_id": scene_id,
        "turn_id": "t",
        "rule": "",
        "intent": "",
        "created_at": AT,
    }
    return Resolution.model_validate({**values, "degree": degree, "dice": dice, **fields})


def test_tension_is_that_at_the_end_of_each_scene() -> None:
    entries = [
        TensionEntry(id="1", scene_id="s1", before=5, after=6, at=AT),
        TensionEntry(id="2", scene_id="s1", before=6, after=7, at=AT + timedelta(1)),
        TensionEntry(id="3", scene_id="s3", before=7, after=4, at=AT + timedelta(2)),
    ]
    scenes = [scene(n) for n in (1, 2, 3)]
    chart = make_tension_chart(scenes, find_tension_changes(entries), 4)
    assert [bar.amount for bar in chart.bars] == [7, 7, 4]
    assert chart.summary == "Now 4 of 9; the highest was 7."
    undo = UndoEntry(id="4", scene_id="s1", entry_id="2", is_undone=True, at=AT + timedelta(3))
    chart = make_tension_chart(scenes, find_tension_changes([*entries, undo]), 4)
    assert [bar.amount for bar in chart.bars] == [6, 6, 4]


def test_checks_count_by_scene_without_those_that_were_replaced() -> None:
    results = [
        rolled("s1", Degree.SUCCESS, turn_id="a"),
        rolled("s1", Degree.FAIL, turn_id="b"),
        rolled("s1", Degree.SUCCESS, turn_id="c", instead_of="b"),
        rolled("s2", Degree.PARTIAL, turn_id="d"),
        rolled("s2", Degree.NONE, turn_id="e"),
    ]
    chart = make_check_chart([scene(1), scene(2)], results)
    assert [bar.parts for bar in chart.bars] == [((Tone.GOOD, 2),), ((Tone.MIDDLE, 1),)]
    assert chart.summary.startswith("3 checks: success 2 (67")


# Source of the values: NIST/SEMATECH e-Handbook, table of upper critical values of chi-square.
@pytest.mark.parametrize(
    ("counts", "likelihood"),
    [([10, 10, 10], 1.0), ([20, 0], 7.744e-06), ([9, 11, 8, 12, 10, 10], 0.9626), ([8, 12], 0.3711)],
)
def test_chi_square_agrees_with_published_tables(counts: list[int], likelihood: float) -> None:
    assert chi_square_likelihood(counts) == pytest.approx(likelihood, rel=1e-3)


@given(st.lists(st.integers(0, 200), min_size=2, max_size=40).filter(any))
def test_chi_square_is_a_probability_that_no_order_changes(counts: list[int]) -> None:
    likelihood = chi_square_likelihood(counts)
    assert 0 <= likelihood <= 1
    assert math.isclose(likelihood, chi_square_likelihood(sorted(counts)), abs_tol=1e-9)


def test_dice_are_said_to_be_fair_uneven_or_too_few() -> None:
    fair = random.Random(5)
    even = [rolled("s1", faces=tuple(fair.randint(1, 20) for _ in range(400)), sides="20")]
    loaded = [rolled("s1", faces=(6,) * 30 + (1, 2, 3, 4, 5) * 8, by_hand=True)]
    few = [rolled("s1", faces=(3, 90), sides="%"), rolled("s1", faces=(4,), sides="100")]
    repeated = [rolled("s1", faces=(6,) * 500, instead_of="t")]
    measured = {
        m.name: m
        for m in measure_dice([*even, *loaded, *few, *repeated, rolled("s1", faces=(1,), sides="66a")])
    }
    assert set(measured) == {"d20", "d6 of your own", "d100"}
    assert measured["d20"].verdict.startswith("Fair: ")
    assert measured["d6 of your own"].verdict.startswith("Uneven: only 1 of ")
    assert measured["d100"].verdict == "3 throws are too few to tell."
    assert sum(count for _, count in measured["d100"].face_counts) == 3


def test_spending_is_summed_by_day_agent_and_section() -> None:
    def row(persona: str, day: str, tokens: int, micros: int) -> LlmSpending:
        return LlmSpending(WORLD, None, persona, "m", day, 1, tokens, 0, micros, 0)

    sections = (
        RecordedSection(name="facts", tokens=30),
        RecordedSection(name="cast", tokens=9, dropped="no room"),
    )
    call = LlmCall(id="c", universe_id=WORLD, persona=Persona.NARRATOR, model="m", sections=sections, at=AT)
    charts = make_spending_charts(
        [row("narrator", "2026-01-02", 1_500, 20_000), row("critic", "2026-01-01", 500, 0)], [call]
    )
    by_title = {chart.title: [(b.label, b.words) for b in chart.bars] for chart in charts}
    assert by_title["Tokens by day"] == [("01-01", "500"), ("01-02", "1.5k")]
    assert by_title["Money by day"] == [("01-01", "$0.00"), ("01-02", "$0.02")]
    assert by_title["Tokens and money by agent"][0] == ("Narrator", "1,500  $0.02")
    assert by_title["Tokens by section of the prompt"] == [("facts", "30")]


def test_gate_counts_what_was_accepted_by_kind_and_by_whose_word_it_is() -> None:
    def decided(number: int, status: ProposalStatus, authority: Authority = Authority.GM):  # type: ignore[no-untyped-def]
        change = CreateEntity(entity_id=str(number), entity_kind=EntityKind.PLACE, name=str(number))
        return proposed(change).model_copy(
            update={"status": status, "authority": authority, "scene_id": "s1"}
        )

    proposals = [
        decided(1, ProposalStatus.ACCEPTED),
        decided(2, ProposalStatus.ACCEPTED, Authority.SYSTEM),
        decided(3, ProposalStatus.REJECTED, Authority.SYSTEM),
        decided(4, ProposalStatus.PENDING),
        decided(5, ProposalStatus.WITHDRAWN),
    ]
    by_kind, by_origin, per_scene = make_gate_charts([scene(1), scene(2)], proposals)
    assert [(b.label, b.words) for b in by_kind.bars] == [("New entities", "2 of 3")]
    assert [(b.label, b.words) for b in by_origin.bars] == [
        ("Read from the story", "1 of 2"),
        ("You, as the GM", "1 of 1"),
    ]
    assert [b.amount for b in per_scene.bars] == [4, 0]


def test_charts_without_records_say_what_will_be_there() -> None:
    charts = [
        make_tension_chart([], [], 0),
        make_check_chart([], []),
        *make_spending_charts([], []),
        *make_gate_charts([], []),
    ]
    assert all(not chart.bars and chart.summary for chart in charts)


bars = st.builds(
    ChartBar,
    st.text(max_size=12),
    st.lists(st.tuples(st.sampled_from(list(Tone)), st.floats(0, 1e6)), max_size=3).map(tuple),
    st.text(alphabet="0123456789 $.k界", max_size=8),
)


def test_wide_letters_stand_under_their_column() -> None:
    bars = tuple(ChartBar(label, ((Tone.PLAIN, 1.0),), "界") for label in ("港口", "d6", "a long label"))
    lines = chart_lines(Chart("Harbour", ChartShape.COLUMNS, bars, "Words."), 60)
    assert {cell_len("".join(text for text, _ in line)) for line in lines[1:-2]} == {3 + 3 * 13}


def test_bar_far_below_what_is_expected_is_drawn() -> None:
    chart = Chart(
        "Dice", ChartShape.BARS, (ChartBar("1", ((Tone.PLAIN, 2e-313),), "0"),), "Words.", expected=1.0
    )
    assert not any("┆" in text for line in chart_lines(chart, 60) for text, _ in line)


@given(
    st.builds(
        Chart,
        st.just("Title"),
        st.sampled_from(list(ChartShape)),
        st.lists(bars, max_size=30).map(tuple),
        st.just("What it says."),
        expected=st.none() | st.floats(0, 1e6),
    ),
    st.integers(60, 160),
)
@settings(max_examples=30, deadline=None)
def test_chart_never_leaves_its_width(chart: Chart, width: int) -> None:
    lines = chart_lines(chart, width)
    assert all(cell_len("".join(text for text, _ in line)) <= width for line in lines)
    assert "Title" in lines[0][0][0]
