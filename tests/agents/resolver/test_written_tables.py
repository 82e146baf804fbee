"""Tables as documents have them: what is read, and which line is at fault.

Source: docs/ingest.md, "Tables to roll on".
"""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.proposals.editing import apply_text_edit
from agents.proposals.written_tables import (
    TABLE_PREDICATE,
    WrittenRow,
    format_written_table,
    read_written_table,
)
from agents.resolver.random_tables import (
    TableLibrary,
    add_written_tables,
    draw_row,
    lowest_faces_of,
    table_from_document,
)
from stores.errors import InputError
from stores.records.canon import AssertFact, FactKind

WEATHER = "Weather on the coast (d6)\n1-3: fog off the water\n4. hard frost\n5–6  clear"
OMENS = "Omens (2d6)\n2: a drowned bell\n3-11: gulls\n12: a second moon"


def test_written_table_is_read_with_its_name_dice_and_rows() -> None:
    table = read_written_table(WEATHER)
    assert (table.title, table.name, str(table.dice)) == (
        "Weather on the coast",
        "weather_on_the_coast",
        "d6",
    )
    assert table.rows == (
        WrittenRow(1, 3, "fog off the water"),
        WrittenRow(4, 4, "hard frost"),
        WrittenRow(5, 6, "clear"),
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Weather\n1-6: rain", "line 1: a title and the dice in brackets"),
        ("Weather (d6+1)\n1-6: rain", "line 1: a title and the dice in brackets"),
        ("Weather (d6)", "line 2: the rows should stand here"),
        ("Weather (d6)\n1-3: rain\nsomething else", "line 3: this is no row"),
        ("Weather (d6)\n1-3: rain\n5-6: snow", "line 3: 4 is missing before it"),
        ("Weather (d6)\n1-3: rain\n3-6: snow", "line 3: 3 stands in an earlier row too"),
        ("Weather (d6)\n1-3: rain", "line 2: 4 is missing after it"),
        ("Weather (d6)\n1-7: rain", "line 2: d6 does not show 1-7"),
        ("Weather (2d6)\n1-12: rain", "line 2: 2d6 does not show 1-12"),
        ("Weather (d6)\n4-1: rain", "line 2: d6 does not show 4-1"),
        ("", "line 1"),
    ],
)
def test_bad_table_is_refused_with_line_and_remedy(text: str, fault: str) -> None:
    with pytest.raises(InputError) as refusal:
        read_written_table(text)
    assert fault in refusal.value.what
    assert refusal.value.todo


def test_two_dice_of_a_table_are_summed() -> None:
    table = table_from_document(read_written_table(OMENS))
    rng = random.Random(3)
    draws = [draw_row(table, rng) for _ in range(2_000)]
    counts = Counter(draw.row.text for draw in draws)
    assert all(len(draw.dice) == 2 for draw in draws)
    assert 20 < counts["a drowned bell"] < 100, "one in 36, and not one in three"
    assert draw_row(table, rng, (6, 6)).row.text == "a second moon"
    assert draw_row(table, rng, (1, 1)).text == "Omens · 2d6 2 · a drowned bell"


@pytest.mark.parametrize("dice", ["d6", "d66", "2d6", "3d4", "d100"])
def test_lowest_faces_of_a_row_draw_it(dice: str) -> None:
    results = read_written_table(f"T ({dice})\n" + _one_row_each(dice)).dice.results()
    table = table_from_document(read_written_table(f"T ({dice})\n" + _one_row_each(dice)))
    assert len(table.rows) == len(results)
    for row in table.rows:
        assert draw_row(table, random.Random(1), lowest_faces_of(table, row)).row == row


def _one_row_each(dice: str) -> str:
    results = {
        "d6": range(1, 7),
        "d66": [10 * t + o for t in range(1, 7) for o in range(1, 7)],
        "2d6": range(2, 13),
        "3d4": range(3, 13),
        "d100": range(1, 101),
    }[dice]
    return "\n".join(f"{result}: row {result}" for result in results)


def test_percentile_tables_may_end_in_double_zero() -> None:
    table = read_written_table("Loot (d%)\n01-50: nothing\n51-00: a coin")
    assert table.rows[-1] == WrittenRow(51, 100, "a coin")


@given(st.lists(st.text(min_size=1, max_size=30), min_size=2, max_size=12))
def test_written_table_is_read_as_it_was_formatted(texts: list[str]) -> None:
    words = [" ".join(filter(str.isalnum, text)) or "x" for text in texts]
    rows = [WrittenRow(n, n, text) for n, text in enumerate(words, 1)]
    text = format_written_table("Any", f"d{len(rows)}", rows)
    table = read_written_table(text)
    assert format_written_table(table.title, str(table.dice), table.rows) == text


def test_faulty_tables_are_named_and_the_others_are_there() -> None:
    library = add_written_tables([WEATHER, "Broken (d4)\n1: x", OMENS], TableLibrary({}))
    assert list(library.tables) == ["weather_on_the_coast", "omens"]
    (error,) = library.errors
    assert "'Broken'" in error.what
    assert "line 2" in error.what


def test_edit_of_a_proposed_table_keeps_its_lines_and_refuses_a_bad_one() -> None:
    change = AssertFact(fact_kind=FactKind.LORE, predicate=TABLE_PREDICATE, statement=WEATHER)
    edited = apply_text_edit(change, OMENS)
    assert isinstance(edited, AssertFact)
    assert edited.statement == OMENS
    with pytest.raises(InputError, match="line 3: 5 is missing"):
        apply_text_edit(change, "Weather (d6)\n1-4: rain\n6: snow")
