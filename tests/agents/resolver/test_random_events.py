"""Random events pick only given candidates; scenes begin and end by the tension."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.resolver.oracle import TENSIONS
from agents.resolver.random_events import (
    Candidate,
    SceneStartKind,
    draw_random_event,
    event_candidates,
    roll_scene_check,
    scene_odds,
    tension_after,
)
from agents.resolver.random_tables import RowAim, add_tables, bundled_tables
from stores.errors import InputError
from stores.records.story_journal import Thread
from stores.records.world import Entity, EntityKind
from tests.examples import examples

TABLES = bundled_tables()
BELL = Candidate("t1", "Who moved the bell?", 3)
DEBT = Candidate("t2", "Gil's debt", 1)
WENNA = Candidate("n1", "Wenna Pike")
CHAPEL = Candidate("p1", "The Tally Chapel")


@st.composite
def candidate_lists(draw: st.DrawFn) -> dict[RowAim, list[Candidate]]:
    def some(aim: RowAim) -> list[Candidate]:
        weights = draw(st.lists(st.integers(0, 3), max_size=4))
        return [Candidate(f"{aim}{i}", f"{aim} {i}", weight) for i, weight in enumerate(weights)]

    return {aim: some(aim) for aim in draw(st.sets(st.sampled_from(RowAim)))}


@given(candidate_lists(), st.integers())
def test_random_event_target_is_a_candidate(candidates: dict[RowAim, list[Candidate]], seed: int) -> None:
    event = draw_random_event(candidates, TABLES, random.Random(seed))
    if event.aim is None:
        assert event.target is None
        assert event.target_roll is None
    else:
        assert event.target in candidates[event.aim]
        assert event.target.weight > 0
    assert len(event.spark.words) == 2
    assert event == draw_random_event(candidates, TABLES, random.Random(seed))


def test_random_event_without_candidates_has_no_target() -> None:
    events = [draw_random_event({}, TABLES, random.Random(seed)) for seed in range(50)]
    assert {event.target for event in events} == {None}
    assert {event.focus.dice[0].sides for event in events} == {"15"}


def test_random_event_skips_rows_without_candidates() -> None:
    rng = random.Random(3)
    aims = {draw_random_event({RowAim.THREAD: [BELL], RowAim.NPC: []}, TABLES, rng).aim for _ in range(200)}
    assert aims == {RowAim.THREAD, None}


def test_random_event_has_text_and_dice() -> None:
    event = draw_random_event({RowAim.THREAD: [BELL]}, TABLES, random.Random(3))
    assert event.about == "“Who moved the bell?” moves on by itself"
    dice_texts = [f"d{die.sides} {die.face}" for die in event.dice]
    assert [die.sides for die in event.dice] == ["51", "3", "100", "100"]
    assert event.text == f"event · {', '.join(dice_texts)} · {event.about} · {' / '.join(event.spark.words)}"
    people = (draw_random_event({RowAim.NPC: [WENNA]}, TABLES, random.Random(seed)) for seed in range(20))
    assert any(event.about.startswith("Wenna Pike ") for event in people)


@pytest.mark.whole
def test_random_event_targets_follow_weights() -> None:
    rng = random.Random(5)
    events = (
        draw_random_event({RowAim.THREAD: [BELL, DEBT]}, TABLES, rng) for _ in range(examples(8_000, 2_000))
    )
    counts = Counter(event.target for event in events if event.target)
    total = counts.total()
    chi_squared = sum(
        (counts[one] - total * one.weight / 4) ** 2 / (total * one.weight / 4) for one in (BELL, DEBT)
    )
    assert chi_squared < 10.83


@pytest.mark.whole
def test_random_event_rows_follow_weights() -> None:
    rng, sample_size = random.Random(8), examples(8_000, 2_000)
    candidates = {RowAim.THREAD: [BELL], RowAim.NPC: [WENNA], RowAim.PLACE: [CHAPEL]}
    counts = Counter(draw_random_event(candidates, TABLES, rng).focus.row for _ in range(sample_size))
    rows = TABLES.tables["events"].rows
    chi_squared = sum(
        (counts[row] - sample_size * row.weight / 100) ** 2 / (sample_size * row.weight / 100) for row in rows
    )
    assert chi_squared < 36.12  # one in a thousand for 14 degrees of freedom


def test_random_event_refuses_table_without_usable_rows() -> None:
    only_people = "title: E\nlicence: CC0\nattribution: Me.\nrows: [{text: sings, aim: npc}]\n"
    tables = add_tables({"events": only_people}, TABLES)
    assert draw_random_event({RowAim.NPC: [WENNA]}, tables, random.Random(1)).about == "Wenna Pike sings"
    with pytest.raises(InputError, match="nothing that an event could be about"):
        draw_random_event({RowAim.NPC: []}, tables, random.Random(1))


def test_random_event_candidates_are_open_threads_npcs_and_places(make_entity: Callable[..., Entity]) -> None:
    threads = [
        Thread(id="t1", story_id="s", name="Who moved the bell?", weight=3),
        Thread(id="t2", story_id="s", name="The flood", closed_at=5),
    ]
    mara, wenna, tam = make_entity("Mara", is_pc=True), make_entity("Wenna"), make_entity("Tam")
    inn = make_entity("The Slack Tide", kind=EntityKind.PLACE)
    assert event_candidates(threads, [(mara, 1), (wenna, 3), (tam, 0)], [inn]) == {
        RowAim.THREAD: [BELL],
        RowAim.NPC: [Candidate(wenna.id, "Wenna", 3), Candidate(tam.id, "Tam", 0)],
        RowAim.PLACE: [Candidate(inn.id, "The Slack Tide")],
    }


# --- scenes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("tension", list(TENSIONS))
def test_scene_check_faces_match_published_odds(tension: int) -> None:
    published = scene_odds(tension)
    assert sum(published.values()) == 100
    counts = Counter(roll_scene_check(tension, random.Random(), faces=[face]).start for face in range(1, 101))
    assert counts == published


def test_scene_check_trouble_grows_with_tension() -> None:
    for start in (SceneStartKind.INTERRUPTED, SceneStartKind.ALTERED):
        chances = [scene_odds(tension)[start] for tension in TENSIONS]
        assert chances == sorted(set(chances))


@pytest.mark.whole
@pytest.mark.parametrize("tension", [1, 5, 9])
def test_scene_check_samples_match_published_odds(tension: int) -> None:
    sample_size, rng = examples(10_000, 2_500), random.Random(tension)
    counts = Counter(roll_scene_check(tension, rng).start for _ in range(sample_size))
    chi_squared = sum(
        (counts[s] - sample_size * n / 100) ** 2 / (sample_size * n / 100)
        for s, n in scene_odds(tension).items()
    )
    assert chi_squared < 13.82


def test_scene_check_has_text_and_rule() -> None:
    check = roll_scene_check(5, random.Random(1), faces=[12])
    assert check.text == "scene check · tension 5 · d100 12 · altered"
    assert (check.rule, check.dice[0].face) == ("scene check, tension 5", 12)
    with pytest.raises(InputError):
        roll_scene_check(0, random.Random(1))


@pytest.mark.parametrize(
    ("tension", "in_control", "after"),
    [(5, True, 4), (5, False, 6), (5, None, 5), (1, True, 1), (9, False, 9), (1, False, 2), (9, True, 8)],
)
def test_tension_changes_at_scene_end(tension: int, in_control: bool | None, after: int) -> None:
    assert tension_after(tension, in_control) == after


def test_tension_after_scene_refuses_invalid_tension() -> None:
    with pytest.raises(InputError):
        tension_after(10, True)
