"""Random tables: read as a whole or refused with the line; rows follow their weights."""

from __future__ import annotations

import os
import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.resolver import random_tables
from agents.resolver.random_tables import (
    MAX_ROWS,
    RandomTable,
    RowAim,
    TableLibrary,
    TableRow,
    add_tables,
    bundled_tables,
    called_names,
    draw_row,
    list_results,
    read_table,
    read_tables,
    row_at,
)
from stores.errors import InputError

HEAD = "title: Sky\nlicence: CC0\nattribution: Me.\n"
SKY = HEAD + "rows:\n  - rain\n  - {text: sun, weight: 3}\n  - {text: hides, aim: npc}\n"


def refused(text: str) -> str:
    with pytest.raises(InputError) as caught:
        read_table("sky", text)
    assert caught.value.what.startswith("The table 'sky' cannot be used: ")
    assert caught.value.kept == "The other tables are not touched."
    assert caught.value.todo
    return caught.value.what


def table(*weights: int, die: str | None = None) -> RandomTable:
    rows = tuple(TableRow(text=f"row {i}", weight=weight) for i, weight in enumerate(weights))
    return RandomTable(name="t", title="T", licence="CC0", attribution="Me.", rows=rows, die=die)


# --- reading ----------------------------------------------------------------------------------------


def test_random_table_reads_licence_and_weights() -> None:
    sky = read_table("sky", SKY)
    assert (sky.name, sky.title, sky.licence, sky.attribution) == ("sky", "Sky", "CC0", "Me.")
    assert sky.rows == (
        TableRow(text="rain"),
        TableRow(text="sun", weight=3),
        TableRow(text="hides", aim=RowAim.NPC),
    )
    assert sky.total == 5


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "it is empty"),
        ("just words", "line 1: fields such as title and rows should stand here"),
        ("title: [", "line 1"),
        ("licence: CC0\nattribution: Me.\nrows: [a]\n", "line 1: 'title' is missing"),
        (HEAD, "line 1: 'rows' is missing"),
        (HEAD + "rows: []\n", "line 4 (rows): a table has 1 to 1,000 rows; this has 0"),
        (HEAD + "rows: rain\n", "line 4 (rows): "),
        (
            HEAD + "rows:\n  - rain\n  - no\n",
            "line 6 (rows, entry 2): a row is words, or text with a weight; put False in quotes",
        ),
        (HEAD + "rows:\n  - rain\n  - 12\n", "line 6 (rows, entry 2): a row is words"),
        (HEAD + "rows:\n  - rain\n  - \n", "line 6 (rows, entry 2): a row is words"),
        (HEAD + "rows:\n  - [rain]\n", "line 5 (rows, entry 1): a row is words"),
        (HEAD + "rows:\n  - ''\n", "line 5 (rows, entry 1)"),
        (
            HEAD + "rows:\n  - {text: no}\n",
            "line 5 (rows, entry 1, text): words should stand here; put them in quotes",
        ),
        (HEAD + "rows:\n  - {text: rain, weight: 0}\n", "line 5 (rows, entry 1, weight): "),
        (HEAD + "rows:\n  - {text: rain, weight: 1.5}\n", "line 5 (rows, entry 1, weight): "),
        (HEAD + "rows:\n  - {text: rain, weight: 99999}\n", "line 5 (rows, entry 1, weight): "),
        (HEAD + "rows:\n  - {text: rain, aim: pet}\n", "line 5 (rows, entry 1, aim): "),
        (
            HEAD + "rows:\n  - {text: rain, odds: 1}\n",
            "line 5 (rows, entry 1, odds): 'odds' is not a field of a table",
        ),
        (HEAD + "rows:\n  - {text: rain\n", "line 5"),
        (HEAD + "rows: [rain]\nname: other\n", "line 5 (name): a table is named by its file"),
        (HEAD + "rows: [rain]\ndie: 2x6\n", "line 5 (die): a die is written d20, d100, 2d6 or d66"),
        (HEAD + "rows: [rain]\ndie: d20\n", "line 5 (die): d20 has 20 faces, and the rows come to 1"),
        (HEAD + "die: d66\nrows: [rain]\n", "line 4 (die): d66 has 36 faces, and the rows come to 1"),
        (HEAD + "rows: [rain]\nextra: 1\n", "line 5 (extra): 'extra' is not a field of a table"),
        (HEAD + "rows: [rain]\ntitle: Twice\n", "line 5, column 1: 'title' is given twice"),
        (HEAD + "rows: &a [rain]\nabout: *a\n", "aliases (*name) are not read here"),
        (
            HEAD + f"rows: [{'rain, ' * (MAX_ROWS + 1)}]\n",
            "line 4 (rows): a table has 1 to 1,000 rows; this has 1,001",
        ),
        (
            HEAD + f"rows: [{'{text: rain, weight: 1000}, ' * 11}]\n",
            "line 4 (rows): the weights come to 11,000",
        ),
        (HEAD + f"rows: ['{'x' * 501}']\n", "line 4 (rows, entry 1): string should have at most 500"),
        (HEAD + "rows: !!python/object/apply:os.getcwd []\n", "line 4"),
    ],
    ids=lambda value: value[-40:],
)
def test_random_table_error_names_line(text: str, complaint: str) -> None:
    assert complaint in refused(text)


def test_random_table_error_lists_all_faults() -> None:
    assert refused("title: Sky\nrows:\n  - no\n  - 12\n").count("line") == 3


def test_random_table_drops_control_characters() -> None:
    sky = read_table("sky", HEAD + 'rows: ["ra\\e[31min\\u202e", "sun\\nshine"]\n')
    assert [row.text for row in sky.rows] == ["rain", "sun shine"]
    assert "line 4" in refused(HEAD + 'rows: ["\\e[31m"]\n')


# --- drawing ----------------------------------------------------------------------------------------


@given(st.lists(st.integers(1, 1_000), min_size=1, max_size=10))
def test_random_table_row_has_faces_of_its_weight(weights: list[int]) -> None:
    weighted_table = table(*weights)
    faces = Counter(row_at(weighted_table, place).text for place in range(1, weighted_table.total + 1))
    assert faces == {f"row {i}": weight for i, weight in enumerate(weights)}


@given(st.lists(st.integers(1, 300), min_size=1, max_size=33), st.integers())
def test_random_table_draw_uses_fitting_die(weights: list[int], seed: int) -> None:
    weighted_table = table(*weights)
    draw = draw_row(weighted_table, random.Random(seed))
    (die,) = draw.dice
    assert die.sides == str(weighted_table.total)
    assert draw.row is row_at(weighted_table, die.face)
    assert draw_row(weighted_table, random.Random(0), faces=[die.face]).row is draw.row


def test_random_table_of_66_rows_is_not_read_by_digits() -> None:
    """A die of that many sides is one die; only a table that says so is read digit by digit."""
    assert draw_row(table(*[1] * 66), random.Random(1), faces=[40]).row.text == "row 39"
    by_digits = table(*[1] * 36, die="d66")
    assert draw_row(by_digits, random.Random(1), faces=[1, 1]).row.text == "row 0"
    assert draw_row(by_digits, random.Random(1), faces=[6, 6]).row.text == "row 35"
    assert len(draw_row(by_digits, random.Random(1)).dice) == 2


def test_random_table_draw_has_text_and_rule() -> None:
    draw = draw_row(read_table("sky", SKY), random.Random(1), faces=[4])
    assert (draw.text, draw.rule) == ("Sky · d5 4 · sun", "table sky")


def test_random_table_draw_refuses_impossible_faces() -> None:
    for faces in ([6], [0], [], [1, 2]):
        with pytest.raises(InputError):
            draw_row(read_table("sky", SKY), random.Random(1), faces=faces)


def test_random_table_filters_rows() -> None:
    sky = read_table("sky", SKY)
    without = sky.filter_rows(lambda row: row.aim is None)
    assert without is not None
    assert (without.total, without.die) == (4, None)
    assert sky.filter_rows(lambda row: False) is None


# --- libraries --------------------------------------------------------------------------------------


def test_random_table_of_user_replaces_bundled_one() -> None:
    ours = bundled_tables()
    mine = add_tables({"weather": SKY, "moons": SKY}, ours)
    assert mine.tables["weather"].title == "Sky"
    assert mine.notes == ("Your table weather (Sky) is used in place of Weather.",)
    assert set(mine.tables) == {*ours.tables, "moons"}
    assert ours.tables["weather"].title == "Weather"


def test_random_table_with_fault_replaces_nothing() -> None:
    ours = bundled_tables()
    mine = add_tables({"weather": HEAD, "moons": SKY}, ours)
    assert mine.tables["weather"] is ours.tables["weather"]
    assert "moons" in mine.tables
    (error,) = mine.errors
    assert "The table 'weather' cannot be used: line 1: 'rows' is missing." in str(error)


def test_random_tables_are_named_by_files(tmp_path: Path) -> None:
    (tmp_path / "Moons.yaml").write_text("\ufeff" + SKY, encoding="utf-8")
    (tmp_path / "latin.yaml").write_bytes(HEAD.encode() + b"rows: [\xe9]\n")
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "huge.yaml").write_text("#" * 4_000_001, encoding="utf-8")
    os.mkfifo(tmp_path / "pipe.yaml")
    library = read_tables([*tmp_path.glob("*.yaml"), tmp_path / "gone.yaml"], TableLibrary({}))
    assert list(library.tables) == ["moons"]
    assert sorted(str(error).split("'")[1] for error in library.errors) == [
        "folder",
        "gone",
        "huge",
        "latin",
        "pipe",
    ]


def test_random_tables_limit_number_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_tables, "MAX_TABLES", 2)
    for name in "abc":
        (tmp_path / f"{name}.yaml").write_text(SKY, encoding="utf-8")
    library = read_tables(tmp_path.iterdir(), TableLibrary({}))
    assert list(library.tables) == ["a", "b"]
    assert "more than 2 tables are not read" in str(library.errors[0])


# --- the bundled tables -----------------------------------------------------------------------------


def test_random_tables_bundled_are_complete() -> None:
    tables = bundled_tables().tables
    assert {"actions", "themes", "descriptors", "events", "weather", "place_moods"} <= set(tables)
    for one in tables.values():
        assert (one.licence, one.attribution) == ("MIT", "Written for MONITOR, and licensed with it.")
        assert one.about
        assert one.die
        assert len({row.text for row in one.rows}) == len(one.rows)


@pytest.mark.parametrize("name", ["actions", "themes", "descriptors"])
def test_random_tables_for_sparks_have_100_rows(name: str) -> None:
    assert len(bundled_tables().tables[name].rows) == bundled_tables().tables[name].total == 100


# --- tables that call tables ------------------------------------------------------------------------------

CALLING = read_table("pass", HEAD + 'die: d2\nrows:\n  - "fog, and {wild beast} in it; {sky}"\n  - nothing\n')
BEASTS = read_table("wild_beast", HEAD + 'die: 2d4\nrows:\n  - {text: "a wolf under {sky}", weight: 7}\n')
TABLES = {"wild_beast": BEASTS, "sky": read_table("sky", SKY)}


def test_row_is_filled_with_what_the_tables_give_that_it_calls() -> None:
    draw = draw_row(CALLING, random.Random(1), (1, 2, 3, 1, 5), TABLES)
    assert draw.words == "fog, and a wolf under rain in it; hides"
    assert [(die.sides, die.face) for die in draw.dice] == [("2", 1), ("4", 2), ("4", 3), ("5", 1), ("5", 5)]
    assert draw.text == "Sky · d2 1 · fog, and a wolf under rain in it; hides"


def test_faces_that_fit_no_called_table_are_thrown_instead() -> None:
    draw = draw_row(CALLING, random.Random(1), (1, 4, 4, 9), TABLES)
    assert [die.face for die in draw.dice][:3] == [1, 4, 4]
    assert len(draw.dice) == 5


def test_tables_that_call_each_other_end() -> None:
    loop = read_table("loop", HEAD + 'rows: ["again, {loop}"]\n')
    assert draw_row(loop, random.Random(1), tables={"loop": loop}).words.count("again") == 6


def test_call_of_no_table_stays_a_name() -> None:
    assert draw_row(CALLING, random.Random(1), (1,), {}).words == "fog, and {wild beast} in it; {sky}"
    assert called_names(CALLING) == ("wild_beast", "sky")


def test_table_lists_what_the_dice_show_for_each_row() -> None:
    assert list_results(read_table("sky", SKY)) == ("1", "2-4", "5")
    assert list_results(BEASTS) == ("2-8",)
