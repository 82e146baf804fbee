"""Names of notes, links in texts, and what of a note is read back."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agents.exports.file_names import UniqueNames, fold_file_name, safe_file_name
from agents.exports.name_links import NameFinder
from agents.exports.vault import write_vault
from agents.exports.vault_changes import (
    AddedFact,
    RemovedFact,
    RewordedFact,
    compare_note,
    complete_sentence,
    find_unread_words,
)
from agents.exports.vault_notes import OWN_PART_MARK
from agents.exports.vault_reading import read_note, split_note
from agents.exports.world_values import ExportedEntity, WorldRecord
from agents.sanitize import clean
from agents.views.card_views import EntityCard, FactView
from tests.contract import builders as make
from tests.examples import examples

NOTE = """\
---
monitor: "019b76da-bf70-7000-bc5d-f8281fb85162"
kind: "character"
aliases: ["The Lamp"]
status: "alive"
where: "[[Yard]]"
tags: ["wet"]
---
# Mara \\*Venn\\*

A lay sister.

## Facts

- Mara rang the [[Glass Bell|bell]].[^aaaaaaaaaa]
- Mara is tired.[^bbbbbbbbbb]

## Relations

- is an ally of [[Bela]][^cccccccccc]

## Memories

- The bell rang. *(saw)*

[^aaaaaaaaaa]: Day 1.
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Mara Venn", "Mara Venn"),
        ("AC/DC: the \\ band?", "AC DC the band"),
        ("[[Link]]|#^", "Link"),
        ("con", "con_"),
        ("LPT1.txt", "LPT1.txt_"),
        ("../../etc/passwd", "etc passwd"),
        (".hidden.", "hidden"),
        ("trailing. . ", "trailing"),
        ("e\u0301cole", "école"),
        ("\u202eevil\x1b[31m", "evil"),
        ("???", "Thing"),
        ("", "Thing"),
    ],
)
def test_file_name_is_safe_on_every_system(name: str, expected: str) -> None:
    assert safe_file_name(name, "Thing") == expected


def test_file_name_is_short_in_bytes_and_whole_in_characters() -> None:
    name = safe_file_name("界" * 500, "Thing")
    assert 0 < len(name.encode()) <= 180
    assert set(name) == {"界"}


def test_file_names_are_unique_whatever_their_case_and_accents() -> None:
    names = UniqueNames(["Index"])
    taken = [names.take(name) for name in ("Mara", "MARA", "mara", "Straße", "STRASSE", "index", "ﬁn", "fin")]
    assert taken == ["Mara", "MARA (2)", "mara (3)", "Straße", "STRASSE (2)", "index (2)", "ﬁn", "fin (2)"]
    assert len({fold_file_name(name) for name in taken}) == len(taken)


def test_names_are_linked_once_whole_and_the_longest_first() -> None:
    mara, bell = make.entity("Mara Venn", aliases=("Mara",)), make.entity("Glass Bell")
    finder = NameFinder([mara, bell, make.entity("Tam"), make.entity("Tam")])
    pieces = list(finder.split("Mara Venn, Maram and Tam see the Glass Bell; Mara laughs."))
    assert [(p.text, p.entity_id) for p in pieces if p.entity_id] == [
        ("Mara Venn", mara.id),
        ("Glass Bell", bell.id),
    ]
    assert (
        "".join(piece.text for piece in pieces) == "Mara Venn, Maram and Tam see the Glass Bell; Mara laughs."
    )


def test_note_is_read_as_it_was_written() -> None:
    note = read_note(NOTE)
    assert (note.title, note.description, note.place, note.status) == (
        "Mara *Venn*",
        "A lay sister.",
        "Yard",
        "alive",
    )
    assert (note.aliases, note.tags) == (("The Lamp",), ("wet",))
    assert [line.content for line in note.facts] == [
        ("Mara rang the bell.", "aaaaaaaaaa"),
        ("Mara is tired.", "bbbbbbbbbb"),
    ]
    assert note.problems == []
    assert compare_note(note, read_note(NOTE.replace("\n", "\r\n")), "Mara", "Mara").edits == []


def test_changed_lines_are_added_reworded_and_removed_facts() -> None:
    now = (
        NOTE.replace("- Mara is tired.[^bbbbbbbbbb]\n", "- She fears\n  the [[Yard]].\n")
        .replace("rang the [[Glass Bell|bell]]", "broke the [[Glass Bell]]")
        .replace("is an ally of", "~~is an ally of")
        .replace("[[Bela]][", "[[Bela]]~~[")
    )
    changes = compare_note(read_note(NOTE), read_note(now), "Mara", "Mara")
    assert changes.edits == [
        RewordedFact(15, "aaaaaaaaaa", "Mara broke the Glass Bell."),
        RemovedFact(21, "cccccccccc", "is an ally of Bela"),
        AddedFact(16, "Mara *Venn* fears the Yard."),
        RemovedFact(16, "bbbbbbbbbb", "Mara is tired."),
    ]
    assert changes.problems == []


def test_fact_without_its_footnote_is_the_same_fact() -> None:
    now = NOTE.replace("is tired.[^bbbbbbbbbb]", "is very tired.")
    assert compare_note(read_note(NOTE), read_note(now), "Mara", "Mara").edits == [
        RewordedFact(16, "bbbbbbbbbb", "Mara is very tired.")
    ]


def test_what_cannot_be_read_is_said_with_its_line() -> None:
    now = (
        NOTE.replace('kind: "character"', 'kind: "place"')
        .replace('status: "alive"', "status: sulking")
        .replace("The bell rang.", "The bell sang.")
        .replace("## Memories", "## Secret plans\n- Burn it.\n\n## Memories")
    )
    changes = compare_note(read_note(NOTE), read_note(now), "Mara", "Mara")
    assert changes.edits == []
    assert [line for line, _ in changes.problems] == [3, 5, 22, 27]


@pytest.mark.parametrize(
    ("front_matter", "problem"),
    [
        ("a: [", "properties cannot be read"),
        ("- one", "no list of names"),
        ("a: &x 1\nb: *x", "cannot be read"),
    ],
)
def test_broken_properties_are_a_problem_and_the_rest_is_read(front_matter: str, problem: str) -> None:
    note = read_note(f"---\n{front_matter}\n---\n# Mara\n\n## Facts\n- Mara is wet.\n")
    assert problem in note.problems[0][1]
    assert [line.text for line in note.facts] == ["Mara is wet."]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("She fears the tide.", "Mara fears the tide."),
        ("fears the tide", "Mara fears the tide"),
        ("Her boat is gone.", "Mara's boat is gone."),
        ("Rumour: Bela lies.", "Bela lies."),
        ("promise: Mara will come back", "promise: Mara will come back"),
        ("[ ] Who cut the rope?", "question: Who cut the rope?"),
        ("The tide is high.", "The tide is high."),
    ],
)
def test_line_of_a_note_says_whom_it_is_about(line: str, sentence: str) -> None:
    assert complete_sentence(line, "Mara") == sentence


def test_players_own_part_and_properties_stay_with_the_note() -> None:
    edited = NOTE.replace("tags:", "cssclasses:\n  - wide\n  - tall\nrating: 5\ntags:")
    own = split_note(f"{edited}\n\n{OWN_PART_MARK}\n\n## Prep\n- mine\n")
    assert own.text == NOTE
    again = split_note(own.around(NOTE.replace("tired", "awake")))
    assert (again.text, again.own_part) == (NOTE.replace("tired", "awake"), own.own_part)
    assert again.own_properties == "cssclasses:\n  - wide\n  - tall\nrating: 5\n"
    assert again.around(again.text) == own.around(NOTE.replace("tired", "awake"))


NASTY = st.lists(
    st.sampled_from([*"ab. -#*_[]()`>|!\\$&%=+:~^<1d'\"\n", "[[", "]]", "[^", "%%", "é", "界", "---"]),
    max_size=30,
).map("".join)


@settings(max_examples=examples(600, 40), deadline=None)
@given(NASTY, NASTY, NASTY)
@example("", "", "\n!")
def test_words_of_a_note_are_read_as_they_were_written(name: str, description: str, statement: str) -> None:
    entity = make.entity(f"N{name}", description=f"D{description}")
    fact = FactView(make.fact(f"S{statement}", entity), True, "")
    card = EntityCard(entity, (fact,), (), (), (), ())
    (text,) = (
        text
        for path, text in write_vault(WorldRecord(make.universe(), [ExportedEntity(card)])).notes.items()
        if path.startswith("Characters/")
    )
    note = read_note(text)
    assert note.title == " ".join(clean(entity.name).split())
    assert [line.text for line in note.facts] == [" ".join(clean(fact.fact.statement).split())]
    assert squeeze(note.description) == squeeze(clean(entity.description))
    assert (note.problems, note.unread) == ([], [])


def squeeze(text: str) -> str:
    """Return a text with one space where it has space, and one empty line where it has some."""
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def test_word_that_nothing_reads_is_said_with_its_line() -> None:
    now = NOTE.replace("tags:", "rating: 5\ntags:").replace(
        "[^aaaaaaaaaa]: Day 1.", "[^aaaaaaaaaa]: Day 1, I think."
    )
    changes = compare_note(read_note(NOTE), read_note(now), "Mara", "Mara")
    assert (changes.edits, changes.problems) == ([], [])
    ((line, why),) = find_unread_words(NOTE, split_note(now).text, now, changes)
    assert now.split("\n")[line - 1] == "[^aaaaaaaaaa]: Day 1, I think."
    assert why.startswith("“i” is not read here")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("## Memories", "## Numbers\n\n- HP: 9\n\n## Memories"),
        ("A lay sister.", "A lay sister.\n\n## facts\n\n- Mara owns a brass key."),
        ("A lay sister.", "A lay sister.\n\n## Relations\n"),
        ("status:", "tags: [deaf]\nstatus:"),
    ],
)
def test_section_or_property_that_a_note_had_not_is_read_with_what_stands_in_it(old: str, new: str) -> None:
    """Mara's note has no facts yet: I write `## Facts` in Obsidian, and what she owns, and nothing is unread."""
    before = re.sub(r"(?s)## Facts.*?(?=## Memories)|tags: .*?\n", "", NOTE)
    now = before.replace(old, new)
    changes = compare_note(read_note(before), read_note(now), "Mara", "Mara")
    assert changes.problems == []
    assert find_unread_words(before, split_note(now).text, now, changes) == []
