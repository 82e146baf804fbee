"""Tests of reading logs in every format and encoding, and of refusing other files."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.exports.story_journal import write_journal
from agents.exports.story_values import ExportedScene, StoryRecord
from agents.importers.log_decoding import MAX_FILE, decode
from agents.importers.log_entries import LogEntry, LogFormat, ParsedLog, Voice
from agents.importers.log_reading import read_log, read_title
from agents.importers.scenes import find_heading
from agents.importers.voices import split_asides
from agents.sanitize import MAX_LINE_LENGTH, clean
from agents.views.turn_views import TurnView
from agents.world_time.log_times import describe_said_time, parse_time
from stores.errors import InputError
from stores.records.play import Scene, Speaker, Story, Turn
from tests.examples import examples

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def local_moment(
    year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0
) -> datetime:
    """Return a moment in the local time zone."""
    return datetime(year, month, day, hour, minute, second)  # noqa: DTZ001


def log_of(*lines: str, form: LogFormat | None = None, hero: str = "") -> ParsedLog:
    return read_log("\n".join(lines).encode(), form=form, hero=hero)


def voice_rows(log: ParsedLog) -> list[tuple[str, str, str]]:
    return [(e.voice.value if e.voice else "", e.speaker, e.text) for e in log.entries]


def json_line(**fields: Any) -> str:
    return json.dumps(fields)


def refusal(data: bytes, form: LogFormat | None = None) -> InputError:
    with pytest.raises(InputError) as raised:
        read_log(data, form=form)
    assert raised.value.kept == "Nothing was imported."
    assert raised.value.todo
    return raised.value


# --- JSON lines -------------------------------------------------------------------------------------


def test_json_lines_keep_ids_names_texts_and_times() -> None:
    log = log_of(
        json_line(
            turn=1, speaker="Mira", role="player", text="I go in.", time="2023-05-08T19:30", mood="bold"
        ),
        json_line(turn="D1:2", speaker="GM", role="gm", text="It is dark.", time="1:56 pm on 8 May, 2023"),
        json_line(turn=3, speaker="Ostrick", role="npc", text="Who goes there?"),
    )
    assert log.form is LogFormat.JSON
    assert log.problems == ()
    assert [e.ref for e in log.entries] == ["1", "D1:2", "3"]
    assert voice_rows(log) == [
        ("player", "Mira", "I go in."),
        ("gm", "GM", "It is dark."),
        ("npc", "Ostrick", "Who goes there?"),
    ]
    assert [e.moment for e in log.entries] == [
        local_moment(2023, 5, 8, 19, 30),
        local_moment(2023, 5, 8, 13, 56),
        None,
    ]
    assert log.entries[1].time_text == "1:56 pm on 8 May, 2023"


@pytest.mark.parametrize("indent", [None, 2])
def test_json_array_is_read_like_lines(indent: int | None) -> None:
    entries = [{"turn": n, "speaker": "Mira", "role": "player", "text": f"Words {n}"} for n in range(3)]
    for document in (entries, {"messages": entries}):
        log = read_log(json.dumps(document, indent=indent).encode())
        assert [(e.ref, e.text) for e in log.entries] == [(str(n), f"Words {n}") for n in range(3)]


def test_json_array_cut_off_gives_complete_lines() -> None:
    log = log_of(
        "[", json_line(turn=1, text="One") + ",", json_line(turn=2, text="Two") + ",", '{"turn": 3, "te'
    )
    assert [e.text for e in log.entries] == ["One", "Two"]
    assert [str(p) for p in log.problems] == ["line 4: it is not whole JSON at column 13; left out"]


def test_json_bad_lines_are_reported_and_others_read() -> None:
    log = log_of(
        json_line(turn=1, role="player", text="Good"),
        "not json",
        json_line(turn=3, role="gm"),
        json_line(turn=4, role="gm", text=["a", {"text": "b"}]),
        json_line(turn=5, role="gm", text={"a": 1}),
        "[1, 2]",
        json_line(turn=7, role="gm", text="  \x1b[31m "),
        json_line(turn=8, role="bard", speaker="Lu", text="La"),
        "[" * 100_000,
    )
    assert [e.ref for e in log.entries] == ["1", "4", "8"]
    assert [str(p) for p in log.problems] == [
        "line 2: it is not whole JSON at column 1; left out",
        "line 3: it has no text; left out",
        "line 5: its text is an object; left out",
        "line 6: it is a list and no object with a turn's fields; left out",
        "line 8: there is no role “bard”; guessed from the name",
        "line 9: it is nested too deep; left out",
        "line 7: it has no words; left out",
    ]


def test_voices_from_foreign_roles_and_guesses() -> None:
    log = log_of(
        json_line(role="user", text="I look."),
        json_line(role="assistant", text="You see."),
        json_line(speaker="Narrator", text="Rain."),
        json_line(speaker="Mira", text="Hm."),
        json_line(speaker="Mira", text="So."),
        json_line(speaker="Oracle", text="Yes, and"),
        json_line(text="Told by nobody."),
    )
    assert [e.voice for e in log.entries] == [
        Voice.PLAYER,
        Voice.GM,
        Voice.GM,
        Voice.NPC,
        Voice.NPC,
        Voice.ORACLE,
        Voice.GM,
    ]


def test_voices_without_roles_use_hero_or_busiest_speaker() -> None:
    lines = [
        json_line(speaker=name, text=f"Words {n}") for n, name in enumerate(["Lu", "Mira", "Mira", "GM"])
    ]
    assert [e.voice for e in log_of(*lines).entries] == [Voice.NPC, Voice.PLAYER, Voice.PLAYER, Voice.GM]
    log_with_hero = log_of(*lines, hero="lu")
    assert [e.voice for e in log_with_hero.entries] == [Voice.PLAYER, Voice.NPC, Voice.NPC, Voice.GM]
    assert log_with_hero.problems == ()


def test_log_repeated_ids_are_kept_and_reported() -> None:
    log = log_of(
        *(json_line(turn=ref, role="gm", text=f"Words {n}") for n, ref in enumerate([1, 2, 2, 2, 1]))
    )
    assert [e.ref for e in log.entries] == ["1", "2", "2", "2", "1"]
    assert [str(p) for p in log.problems] == [
        "2 turn ids stand in the log more than once (“2”, “1”); all those turns are kept"
    ]


def test_log_long_line_is_split_and_huge_one_dropped() -> None:
    words = "word " * (MAX_LINE_LENGTH // 4)
    log = log_of(
        json_line(turn=1, role="gm", text=words),
        json_line(turn=2, role="gm", text="x" * 1_000_001),
        json_line(turn=3, role="gm", text="y" * (MAX_LINE_LENGTH + 1)),
    )
    assert [e.ref for e in log.entries] == ["1", "1", "3", "3"]
    assert " ".join(e.text for e in log.entries[:2]) == words.strip()
    assert all(len(e.text) <= MAX_LINE_LENGTH for e in log.entries)
    assert [p.line for p in log.problems] == [2, 1, 3]
    assert "1,000,0" in str(log.problems[0])


# --- out of character -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "story", "asides"),
    [
        ("(ooc) brb :)", "", ["brb :)"]),
        ("(OOC: back in five)", "", ["back in five"]),
        ("[ooc] tea", "", ["tea"]),
        ("OOC: tea", "", ["tea"]),
        ("// nice one", "", ["nice one"]),
        ("((pizza is here))", "", ["pizza is here"]),
        ("I go in. ((brb)) Slowly.", "I go in. Slowly.", ["brb"]),
        ("I go in. (ooc: brb)", "I go in.", ["brb"]),
        ("((a)) I go. ((b))", "I go.", ["a", "b"]),
        ("See https://example.org // there", "See https://example.org // there", []),
        ("A sum: (1 + (2))", "A sum: (1 + (2))", []),
        ("/// a comment of code", "/// a comment of code", []),
    ],
)
def test_asides_are_split_from_story(text: str, story: str, asides: list[str]) -> None:
    story_text, aside = split_asides(text)
    if text.startswith("((a))"):
        assert aside  # a text that begins out of character is all out of character
    else:
        assert (story_text, aside) == (story, asides)


# --- plain text -------------------------------------------------------------------------------------

PLAIN = """\
=== Session 1: The quay ===
8 May 2023
[19:30] GM: Rain on the roofs.
It drums.

The door opens.
[19:32] Mira: I go in. ((brb, tea))
He said: nothing at all.
// that was fun
Ostrick the Grey: "Who goes there?"
  He does not wait.
https://example.org: no name
---
Session 2
**Mira:** I'm back.
<Ostrick> So you are.
"""


def test_plain_text_log_has_marks_stamps_and_asides() -> None:
    log = read_log(PLAIN.encode(), hero="Mira")
    assert log.form is LogFormat.TEXT
    assert log.problems == ()
    assert voice_rows(log) == [
        ("mark", "", "Session 1: The quay"),
        ("mark", "", "8 May 2023"),
        ("gm", "GM", "Rain on the roofs.\nIt drums."),
        ("gm", "GM", "The door opens."),
        ("player", "Mira", "I go in.\nHe said: nothing at all."),
        ("ooc", "Mira", "brb, tea"),
        ("ooc", "", "that was fun"),
        ("npc", "Ostrick the Grey", '"Who goes there?"\nHe does not wait.\nhttps://example.org: no name'),
        ("mark", "", ""),
        ("mark", "", "Session 2"),
        ("player", "Mira", "I'm back."),
        ("npc", "Ostrick", "So you are."),
    ]
    assert [e.moment for e in log.entries[2:5]] == [
        local_moment(2023, 5, 8, 19, 30),
        None,
        local_moment(2023, 5, 8, 19, 32),
    ]
    assert log.entries[3].time_text == "8 May 2023"


def test_plain_text_accepts_frequent_lower_case_names() -> None:
    log = log_of("mira: hello", "mira: are you there", "mira: hm", "gm: yes")
    assert voice_rows(log) == [
        ("player", "mira", "hello"),
        ("player", "mira", "are you there"),
        ("player", "mira", "hm"),
        ("gm", "gm", "yes"),
    ]


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("# The yard", "The yard"),
        ("### The yard ###", "The yard"),
        ("=== Session 1: The quay ===", "Session 1: The quay"),
        ("--- The quay ---", "The quay"),
        ("Scene 3: The yard", "Scene 3: The yard"),
        ("Chapter Two", "Chapter Two"),
        ("* * *", ""),
        ("-----", ""),
        ("Scene stealers: nobody likes them", None),
        ("The scene is set.", None),
        ("- a list", None),
    ],
)
def test_scene_headings_are_recognised(line: str, title: str | None) -> None:
    assert find_heading(line) == title


def test_plain_text_prose_is_narration_if_format_is_given() -> None:
    prose = b"It was raining. Nobody came.\n\nIn the morning it had stopped."
    assert "no line of it says who speaks" in str(refusal(prose))
    assert [voice for voice, _, _ in voice_rows(read_log(prose, form=LogFormat.TEXT))] == ["gm", "gm"]


# --- Lonelog ----------------------------------------------------------------------------------------

SOLO = """\
# The Lighthouse
S1 *The tower, dusk*
@ Sneak past the guard d: Stealth 4 vs 5 -> Fail => He turns. [N:Guard|alert]
N (Guard): "Who's there?"
PC: "Only the wind."
? Is anyone upstairs? -> Yes, but...
=> They sleep.
[N:Jonah|friendly]
(note: remember the map)
\\---
A long prose.

Two lines.
---\\
S2 *The cellar*
@ Go down
"""


def test_lonelog_is_read_sign_by_sign() -> None:
    log = read_log(SOLO.encode(), hero="Mira")
    assert (log.form, read_title(SOLO.encode())[0]) == (LogFormat.LONELOG, "The Lighthouse")
    assert voice_rows(log) == [
        ("mark", "", "The tower, dusk"),
        ("player", "Mira", "Sneak past the guard"),
        ("oracle", "", "Stealth 4 vs 5 -> Fail"),
        ("gm", "", "He turns. Guard (alert)"),
        ("npc", "Guard", '"Who\'s there?"'),
        ("player", "Mira", '"Only the wind."'),
        ("oracle", "", "Is anyone upstairs?"),
        ("oracle", "", "Yes, but..."),
        ("gm", "", "They sleep."),
        ("system", "", "Jonah (friendly)"),
        ("ooc", "", "remember the map"),
        ("gm", "", "A long prose.\n\nTwo lines."),
        ("mark", "", "The cellar"),
        ("player", "Mira", "Go down"),
    ]


_WORDS = st.text(st.characters(codec="utf-8", categories=["L", "N", "Zs"]), min_size=1, max_size=40).map(
    lambda text: " ".join(clean(f"w {text}").split())
)


@settings(max_examples=examples(60))
@given(
    st.lists(st.tuples(st.sampled_from(["player", "gm", "npc", "oracle"]), _WORDS), min_size=1, max_size=12)
)
def test_lonelog_reads_exported_journal(spoken_lines: list[tuple[str, str]]) -> None:
    turns = [
        Turn(
            id=f"t{n}",
            scene_id="c",
            parent_id=None,
            exchange_id="e",
            speaker=Speaker(speaker),
            text=text,
            name="Ostrick" if speaker == "npc" else "",
            depth=n,
            created_at=NOW,
        )
        for n, (speaker, text) in enumerate(spoken_lines)
    ]
    scene = Scene(id="c", story_id="s", universe_id="u", order=1, title="The yard", created_at=NOW)
    story = Story(id="s", universe_id="u", title="A story", created_at=NOW)
    part = ExportedScene(scene, [TurnView(turn=turn) for turn in turns])
    journal = write_journal(StoryRecord(story, [part], universe_name="World", hero_name="Mira"))
    log = read_log(journal.encode(), form=LogFormat.LONELOG)
    assert [(e.voice, e.text) for e in log.entries if e.voice is not Voice.MARK] == [
        (Voice(turn.speaker.value), turn.text) for turn in turns
    ]
    assert {e.speaker for e in log.entries if e.voice is Voice.PLAYER} <= {"Mira"}


# --- bytes ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"]
)
def test_log_decoding_gives_same_text_in_any_encoding(encoding: str) -> None:
    text = "GM: Größe, naïve café – “ok”.\r\nMira: Plain.\r\nGM: Again."
    log = read_log(text.encode(encoding))
    assert [e.text for e in log.entries] == ["Größe, naïve café – “ok”.", "Plain.", "Again."]


def test_log_decoding_handles_mixed_encodings_and_reports_them() -> None:
    data = "GM: Größe\n".encode() + "Mira: naïve\n".encode("latin-1") + b"GM: odd \x81 byte\n"
    log = read_log(data)
    assert [e.text for e in log.entries] == ["Größe", "naïve", "odd \ufffd byte"]
    assert [str(p) for p in log.problems[:2]] == [
        "2 lines are not in UTF-8 (the first is line 2); read as Windows-1252",
        "1 character is none of Windows-1252, and became \ufffd",
    ]


def test_log_entries_have_no_control_characters() -> None:
    log = log_of("GM: \x1b[31mred\x1b[0m \x07bell \u202eback", "Mira\x1b[2J: I look\x00.")
    assert [(e.speaker, e.text) for e in log.entries] == [("GM", "red bell back"), ("Mira", "I look.")]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "it is empty"),
        (b"\xef\xbb\xbf \r\n\r\n", "it is empty"),
        (b"%PDF-1.7\n%\xe2\xe3", "it is a PDF"),
        (b"PK\x03\x04\x14\x00", "it is a zip archive"),
        (b"\x89PNG\r\n\x1a\n", "it is a picture"),
        (b"<!DOCTYPE html><html><body>GM: hi</body></html>", "it is a page of HTML"),
        (b"  <html>\nGM: hi", "it is a page of HTML"),
        (bytes(range(256)) * 20, "it is no text"),
        (b'{"turn": 1}\n{"turn": 2}', "line 1: it has no text"),
        (b'{"turn": 1, "role": "ooc", "text": "only this"}', "nothing in it could be read"),
        (b"a,b,c\n1,2,3\n", "no line of it says who speaks"),
        (b"- turn: 1\n  speaker: Mira\n  text: hm\n" * 5, "no line of it says who speaks"),
    ],
)
def test_log_decoding_rejects_files_that_are_no_log(data: bytes, says: str) -> None:
    assert says in str(refusal(data))


def test_aside_with_nothing_to_see_is_left_out_and_said() -> None:
    log = read_log("GM: It rains.\n((\ud7a4".encode())
    assert [(entry.voice, entry.text) for entry in log.entries] == [(Voice.GM, "It rains.")]
    assert [str(problem) for problem in log.problems] == ["line 2: it has no words; left out"]


def test_log_decoding_rejects_too_large_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.importers.log_decoding.MAX_FILE", 100)
    assert MAX_FILE > 100_000_000
    with pytest.raises(InputError, match="are the most"):
        decode(b"x" * 101)


# --- anything ---------------------------------------------------------------------------------------


def is_log_or_refused(data: bytes, form: LogFormat | None) -> None:
    try:
        log = read_log(data, form=form)
    except InputError:
        refusal(data, form)
        return
    for entry in log.entries:
        assert entry.voice is not None
        assert entry.text == clean(entry.text)
        assert entry.text or entry.voice is Voice.MARK
        assert "\n" not in entry.speaker + entry.ref + entry.time_text
    assert all(str(problem) == clean(str(problem)) for problem in log.problems)


_FORMS = st.sampled_from([None, *LogFormat])
_SIGNS = r"""GM:|Mira:|@|=>|->|?|d:|S1|((|))|//|(ooc)|[12:30]|---|#|8 May 2023|(note:|\---|---\|[N:a]|{|}
"text":|"|words|é|:|31/31/2023|99:99|[Date]|(|)|[|]"""
_SPACES = [" ", "\n", "\n\n", "    ", "\x1b[2J", "\u202e"]
_PIECES = st.sampled_from([*_SIGNS.replace("\n", "|").split("|"), *_SPACES])


@settings(max_examples=examples(400, 60))
@given(st.lists(_PIECES | st.text(max_size=5), max_size=30).map("".join), _FORMS)
def test_log_reading_survives_any_text(text: str, form: LogFormat | None) -> None:
    is_log_or_refused(text.encode("utf-8", errors="replace"), form)


@settings(max_examples=examples(400, 60))
@given(st.binary(max_size=200), _FORMS)
def test_log_reading_survives_any_bytes(data: bytes, form: LogFormat | None) -> None:
    is_log_or_refused(data, form)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
_FIELDS = st.sampled_from(["turn", "speaker", "role", "text", "time", "scene", "content", "name"])


@settings(max_examples=examples(400, 60))
@given(st.lists(st.dictionaries(_FIELDS, _JSON, max_size=6), min_size=1, max_size=4))
def test_log_reading_survives_any_json_fields(objects: list[dict[str, Any]]) -> None:
    is_log_or_refused("\n".join(map(json.dumps, objects)).encode(), None)


@settings(max_examples=examples(200, 40))
@given(st.lists(st.tuples(_WORDS, _WORDS, st.integers(0, 10**9)), min_size=1, max_size=8))
def test_json_lines_preserve_ids_and_texts(spoken_lines: list[tuple[str, str, int]]) -> None:
    log = log_of(
        *(json_line(turn=ref, speaker=name, role="npc", text=text) for name, text, ref in spoken_lines)
    )
    assert [(e.speaker, e.text, e.ref) for e in log.entries] == [
        (name[:80], text, str(ref)) for name, text, ref in spoken_lines
    ]


# --- times ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("2023-05-08", local_moment(2023, 5, 8)),
        ("2023-05-08T13:56:02Z", local_moment(2023, 5, 8, 13, 56, 2)),
        ("2023-05-08 13:56+02:00", local_moment(2023, 5, 8, 13, 56)),
        ("1:56 pm on 8 May, 2023", local_moment(2023, 5, 8, 13, 56)),
        ("12:05 am, May 8th 2023", local_moment(2023, 5, 8, 0, 5)),
        ("Monday, 8th of May 2023, 9 p.m.", local_moment(2023, 5, 8, 21)),
        ("8.5.2023 07:30", local_moment(2023, 5, 8, 7, 30)),
        ("05/08/2023", local_moment(2023, 5, 8)),
        ("25/12/2023", local_moment(2023, 12, 25)),
        (1_683_554_160, local_moment(2023, 5, 8, 13, 56)),
        ("1683554160000", local_moment(2023, 5, 8, 13, 56)),
        ("31/31/2023", None),
        ("30 February 2023", None),
        ("Day 3, dusk", None),
        ("3E 427", None),
        (7, None),
        (float("nan"), None),
        (10**400, None),
        (None, None),
        (True, None),
    ],
)
def test_log_times_are_parsed_where_possible(value: object, moment: datetime | None) -> None:
    time_text, parsed_moment = parse_time(value)
    assert parsed_moment == moment
    assert len(time_text) <= 80


@pytest.mark.parametrize(
    ("ref", "time_text", "title", "words"),
    [
        ("1", "2023-05-08T13:56", "The quay", "8 May 2023 (2023-05-08T13:56)"),
        ("1", "1:56 pm on 8 May, 2023", "The quay", "8 May 2023 (1:56 pm on 8 May, 2023)"),
        ("1", "8 May 2023 19:30", "The quay", "8 May 2023 19:30"),
        ("1", "Day 3, dusk", "The quay", "Day 3, dusk"),
        ("1", "", "Session of 8 May 2023 (2)", "8 May 2023"),
        ("1", "", "The quay", ""),
        ("", "", "Session of 8 May 2023", ""),
    ],
)
def test_log_times_are_described_in_searchable_words(
    ref: str, time_text: str, title: str, words: str
) -> None:
    scene = Scene(id="c", story_id="s", universe_id="u", order=1, title=title, created_at=NOW)
    turn = Turn(
        id="t",
        scene_id="c",
        parent_id=None,
        exchange_id="t",
        speaker=Speaker.GM,
        text="Words",
        depth=0,
        ref=ref,
        time_text=time_text,
        created_at=NOW,
    )
    assert describe_said_time(turn, scene) == words


def test_log_problem_names_its_line() -> None:
    log = log_of("", json_line(turn="x", role="gm", text="Words"))
    assert log.entries == (LogEntry(line=2, ref="x", text="Words", voice=Voice.GM),)
