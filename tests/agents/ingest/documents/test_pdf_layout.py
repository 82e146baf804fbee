"""Columns, tables, headings and paragraphs of PDF pages as rulebooks have them."""

from __future__ import annotations

import pytest

from agents.ingest.documents.child.reading import read_document
from tests.agents.ingest.documents.pdf_files import PdfPage, wrap, write_pdf

LEFT = "Ser Aldric Vane keeps the drowned gate of Marrow Keep and never lets the tide pass. "
RIGHT = "The Lantern Guild owns nine boats and a tower of salt, and nobody can bribe its masters. "
TABLE = [["d6", "Rumour"], ["1", "A drowned bell"], ["2-3", "Lamps at sea"], ["4-6", "The gate opens"]]
PIPES = "| d6 | Rumour |\n|---|---|\n| 1 | A drowned bell |\n| 2-3 | Lamps at sea |\n| 4-6 | The gate opens |"


def read_text(*pages: PdfPage) -> str:
    return "\f".join(page.text for page in read_document(write_pdf(pages), "keep.pdf").pages)


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("is_ruled", [True, False])
def test_table_inside_a_column_keeps_its_rows_and_the_columns_their_order(is_ruled: bool) -> None:
    page = PdfPage()
    y = page.write_column(60, 700, wrap(LEFT * 5, 46))
    if is_ruled:
        y = page.write_table(60, y - 10, TABLE, width=110) - 20
    else:
        for first, second in TABLE:
            page.write(60, y - 12, first)
            page.write(130, y - 12, second)
            y -= 12
        y -= 24
    page.write_column(60, y, wrap(LEFT * 4, 46))
    page.write_column(330, 703, wrap(RIGHT * 9, 46))
    blocks = read_text(page).replace("**", "").split("\n\n")
    assert [words(block) for block in blocks] == [
        (LEFT * 5).strip(),
        words(PIPES),
        (LEFT * 4).strip(),
        (RIGHT * 9).strip(),
    ]
    assert blocks[1] == PIPES


def test_heading_over_both_columns_is_read_before_them() -> None:
    page = PdfPage()
    page.write(60, 740, "The Keep of the Long and Very Wide Heading", size=22, bold=True)
    page.write_column(60, 700, wrap(LEFT * 5, 46))
    page.write_column(330, 700, wrap(RIGHT * 5, 46))
    page.write(60, 460, "A second heading that stands over both of the columns", size=17, bold=True)
    page.write_column(60, 430, wrap(RIGHT * 5, 46))
    page.write_column(330, 430, wrap(LEFT * 5, 46))
    assert [words(block) for block in read_text(page).split("\n\n")] == [
        "# The Keep of the Long and Very Wide Heading",
        (LEFT * 5).strip(),
        (RIGHT * 5).strip(),
        "## A second heading that stands over both of the columns",
        (RIGHT * 5).strip(),
        (LEFT * 5).strip(),
    ]


def test_long_dice_table_is_read_by_rows() -> None:
    page = PdfPage()
    for number in range(1, 21):
        page.write(60, 720 - 12 * number, str(number))
        page.write(200, 720 - 12 * number, f"Rumour number {number}")
    assert read_text(page).split("\n")[2:] == [
        f"| {number} | Rumour number {number} |" for number in range(2, 21)
    ]


def test_tables_side_by_side_are_two_tables() -> None:
    page = PdfPage()
    page.write_table(50, 700, TABLE, width=120)
    page.write_table(320, 700, [["d4", "Sign"], ["1", "Salt"], ["2", "Gulls"], ["3-4", "Fog"]], width=120)
    assert (
        read_text(page).replace("**", "")
        == f"{PIPES}\n\n| d4 | Sign |\n|---|---|\n| 1 | Salt |\n| 2 | Gulls |\n| 3-4 | Fog |"
    )


def test_stat_block_lines_stand_alone_with_their_terms_in_bold() -> None:
    page = PdfPage()
    for place, (term, value) in enumerate(
        [("Armor Class", "15 (plate)"), ("Hit Points", "45 (6d8)"), ("Speed", "30 ft.")]
    ):
        page.write(60, 700 - 12 * place, term, bold=True)
        page.write(63 + 6 * len(term), 700 - 12 * place, value)
    assert read_text(page) == "**Armor Class** 15 (plate)\n\n**Hit Points** 45 (6d8)\n\n**Speed** 30 ft."


def test_words_cut_at_the_end_of_a_line_are_whole_and_paragraphs_stay_apart() -> None:
    page = PdfPage()
    page.write_column(60, 700, ["The lantern-", "keeper calls light-", "ning. He", "cannot stop."])
    page.write_column(60, 630, ["A new paragraph begins", "after a gap."])
    assert (
        read_text(page)
        == "The lanternkeeper calls lightning. He cannot stop.\n\nA new paragraph begins after a gap."
    )


def test_running_heads_and_page_numbers_are_left_out() -> None:
    pages = []
    for number in range(1, 9):
        page = PdfPage()
        page.write(60, 770, f"Chapter {number}: The Drowned Keep", size=8)
        page.write(300, 25, str(number), size=8)
        page.write_column(60, 700, wrap(f"Page {number} says: {LEFT}", 90))
        pages.append(page)
    texts = read_text(*pages).split("\f")
    assert [words(text) for text in texts] == [
        f"Page {number} says: {LEFT}".strip() for number in range(1, 9)
    ]


def test_words_of_one_page_alone_in_its_margin_stay() -> None:
    page = PdfPage()
    page.write(60, 770, "The Drowned Keep")
    page.write_column(60, 700, wrap(LEFT, 90))
    assert read_text(page).startswith("The Drowned Keep\n\n")


def test_contents_are_read_entry_by_entry() -> None:
    page = PdfPage()
    for place, (entry, number) in enumerate([("The Gate", 3), ("The Guild", 12)]):
        page.write(60, 700 - 12 * place, f"{entry} . . . . . . . . . . . . {number}")
    assert read_text(page) == "The Gate … 3\n\nThe Guild … 12"


def test_short_last_column_is_read_after_the_first() -> None:
    book = []
    for _ in range(4):
        page = PdfPage()
        page.write_column(60, 700, wrap(LEFT * 6, 46))
        page.write_column(330, 700, wrap(RIGHT * 6, 46))
        book.append(page)
    last = PdfPage()
    last.write_column(60, 700, wrap(LEFT * 6, 46))
    last.write_column(330, 700, ["The end of", "the book."])
    text = read_text(*book, last).split("\f")[-1]
    assert words(text) == f"{LEFT * 6}The end of the book."
