"""A story as a Lonelog, and what comes back of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.exports.story_lonelog import write_lonelog
from agents.exports.story_values import StoryRecord, StoryThread
from agents.importers.log_entries import LogFormat, TagKind, Voice
from agents.importers.log_reading import read_log
from agents.sanitize import clean
from stores.records.clocks import ProgressClock
from stores.records.play import Speaker
from stores.records.world import EntityKind
from tests.agents.exports.hostile_world import hostile_world
from tests.agents.orchestrator.recorded_story import the_drowned_bell
from tests.contract import builders as make
from tests.examples import examples


def told_again(record: StoryRecord) -> list[tuple[Voice | None, str]]:
    log = read_log(write_lonelog(record).encode())
    assert log.form is LogFormat.LONELOG
    return [(entry.voice, entry.text) for entry in log.entries]


def test_lonelog_round_trip_tells_the_same_story() -> None:
    record = the_drowned_bell()
    entries = told_again(record)
    voices = {Speaker.PLAYER: Voice.PLAYER, Speaker.GM: Voice.GM, Speaker.NPC: Voice.NPC}
    prose = [
        (voices[row.turn.speaker], " ".join(row.turn.text.split()))
        for part in record.scenes
        for row in part.rows
        if row.turn.speaker in voices and row.turn.text != "Is she lying?"
    ]
    told = [(voice, " ".join(text.split())) for voice, text in entries]
    assert [entry for entry in told if entry in prose] == prose
    assert (Voice.ORACLE, "Is she lying?") in entries
    assert any(voice is Voice.ORACLE and "2d6+1" in text for voice, text in entries)
    assert [text for voice, text in entries if voice is Voice.MARK] == [
        "The Slack Tide, The Slack Tide, Day 3, dusk",
        "Under the chapel, The Tally Chapel, Day 3, night",
    ]


def test_lonelog_tags_come_back_as_what_was_known() -> None:
    record = replace(
        the_drowned_bell(),
        cast=(
            make.entity("Hester", tags=("wary",)),
            make.entity("Tally | Chapel]", kind=EntityKind.PLACE),
        ),
        threads=(StoryThread("Who moved the bell?", is_open=True), StoryThread("The boots", is_open=False)),
        clocks=(ProgressClock(name="Tide", filled=2, size=6),),
    )
    tags = [tag for entry in read_log(write_lonelog(record).encode()).entries for tag in entry.tags]
    assert [(tag.kind, tag.name, tag.details, tag.steps) for tag in tags] == [
        (TagKind.CHARACTER, "Hester", ("wary",), None),
        (TagKind.PLACE, "Tally | Chapel]", (), None),
        (TagKind.THREAD, "Who moved the bell?", ("Open",), None),
        (TagKind.THREAD, "The boots", ("Closed",), None),
        (TagKind.CLOCK, "Tide", (), (2, 6)),
    ]


ODD_NAMES = (
    'Mara "the Knife" Venn', "O'Hara's Kin", "Jory [of] the Pier", "Anna (Nan) Pell", "Соляной берег", "塩の家",
    "בית המלח", "Tally: the elder", "A | B", "Ælf -> Brand", "@home", "#1", "Clock 2/6", "Unit 7", "Café\u0301", "🜂",
)  # fmt: skip


def test_lonelog_round_trip_keeps_odd_names() -> None:
    record = replace(
        the_drowned_bell(),
        cast=tuple(make.entity(name, tags=(name,)) for name in ODD_NAMES),
        threads=tuple(StoryThread(f"{name}?", is_open=True) for name in ODD_NAMES),
        clocks=tuple(ProgressClock(name=name, filled=2, size=6) for name in ODD_NAMES),
    )
    tags = [tag for entry in read_log(write_lonelog(record).encode()).entries for tag in entry.tags]
    for kind, end in ((TagKind.CHARACTER, ""), (TagKind.THREAD, "?"), (TagKind.CLOCK, "")):
        assert [tag.name for tag in tags if tag.kind is kind] == [f"{name}{end}" for name in ODD_NAMES]
    states = {tag.name: tag.details for tag in tags if tag.kind is TagKind.CHARACTER}
    assert states.pop("Ælf -> Brand") == ("Brand",)  # of a state, an arrow leads to what it is now
    assert states == {name: (name,) for name in ODD_NAMES if "->" not in name}
    assert {tag.steps for tag in tags if tag.kind is TagKind.CLOCK} == {(2, 6)}


@pytest.mark.parametrize("name", ODD_NAMES)
def test_lonelog_round_trip_keeps_who_spoke(name: str) -> None:
    record = the_drowned_bell()
    part = record.scenes[0]
    turn = part.rows[0].turn.model_copy(
        update={"speaker": Speaker.NPC, "name": name, "text": "No: not here."}
    )
    row = replace(part.rows[0], turn=turn)
    log = read_log(write_lonelog(replace(record, scenes=[replace(part, rows=[row])])).encode())
    assert [(e.speaker, e.text) for e in log.entries if e.voice is Voice.NPC] == [(name, "No: not here.")]


def test_hostile_words_stay_in_their_entries() -> None:
    (story,) = hostile_world().stories
    entries = told_again(story)
    assert len([voice for voice, _ in entries if voice is Voice.MARK]) == 1
    assert sum("bold" in text and voice is Voice.GM for voice, text in entries) == 1


@settings(max_examples=examples(200, 15), deadline=None)
@given(st.text(alphabet=st.sampled_from("ab ->=>@?d:S1()N\n*_#"), min_size=1, max_size=60))
def test_any_prose_of_the_gm_is_one_entry(words: str) -> None:
    text = f"Rain. {words} Rain."
    record = the_drowned_bell()
    part = record.scenes[0]
    row = replace(part.rows[0], turn=part.rows[0].turn.model_copy(update={"text": clean(text)}))
    log = read_log(write_lonelog(replace(record, scenes=[replace(part, rows=[row])])).encode())
    assert len([entry for entry in log.entries if entry.voice in (Voice.GM, Voice.NPC)]) == 1
