"""What is read of each format."""

from __future__ import annotations

import pytest

from agents.ingest.documents.child.page_sample import choose_sample
from agents.ingest.documents.child.reading import DocumentPages, read_document
from tests.agents.ingest.documents.document_files import docx_paragraph, write_docx, write_epub
from tests.agents.ingest.documents.pdf_files import PdfPage, wrap, write_pdf

GATE = "Ser Aldric Vane keeps the drowned gate of Marrow Keep and never lets the tide pass. "
GUILD = "The Lantern Guild owns nine boats and a tower of salt, and its masters cannot be bribed. "


def test_pdf_is_read_by_page_with_headings_and_labels() -> None:
    first, second = PdfPage(), PdfPage()
    first.write(60, 740, "The Drowned Keep", size=24, bold=True)
    first.write_column(60, 700, wrap(GATE * 4, 95))
    second.write_column(60, 700, wrap(GUILD * 4, 95))
    document = read_document(write_pdf([first, second], title="Keep of Salt", first_roman=1), "keep.pdf")
    assert (document.title, document.media_type) == ("Keep of Salt", "application/pdf")
    assert [(page.number, page.label) for page in document.pages] == [(1, "i"), (2, "1")]
    assert document.pages[0].text.startswith("# The Drowned Keep\n\nSer Aldric Vane keeps")
    assert GUILD.strip() in document.pages[1].text


def test_pdf_columns_are_read_one_after_the_other() -> None:
    page = PdfPage()
    page.write_column(60, 700, wrap(GATE * 6, 46))
    page.write_column(330, 700, wrap(GUILD * 6, 46))
    text = " ".join(read_document(write_pdf([page]), "keep.pdf").pages[0].text.split())
    assert text == f"{GATE * 6}{GUILD * 6}".strip()


def test_pdf_table_becomes_a_pipe_table() -> None:
    page = PdfPage()
    below = page.write_column(60, 700, wrap(GATE * 3, 95))
    rows = [["d6", "Rumour"], ["1", "A drowned bell"], ["2-3", "Lamps at sea"], ["4-6", "The gate opens"]]
    below = page.write_table(60, below - 10, rows, width=150)
    page.write_column(60, below - 20, wrap(GUILD * 3, 95))
    text = read_document(write_pdf([page]), "keep.pdf").pages[0].text
    assert "| d6 | Rumour |\n|---|---|\n| 1 | A drowned bell |\n| 2-3 | Lamps at sea |" in text.replace(
        "**", ""
    )


def test_pdf_pictures_and_scanned_pages_are_noted() -> None:
    text, scanned, blank = PdfPage(), PdfPage(), PdfPage()
    text.write_column(60, 700, wrap(GATE, 95))
    text.draw_picture(60, 100, 200, 200)
    scanned.draw_picture(0, 0, 612, 792)
    document = read_document(write_pdf([text, scanned, blank, scanned, scanned]), "keep.pdf")
    assert document.notes == (
        "1 picture was left out.",
        "Pages 2, 4-5 are pictures without text, and left out.",
    )
    assert [bool(page.text) for page in document.pages] == [True, False, False, False, False]


def test_epub_chapters_are_pages_in_the_order_of_the_spine() -> None:
    data = write_epub(
        [
            ("Chapter 1: The Gate", f"<h1>The Gate</h1><p>{GATE}</p><img src='a.png'/>"),
            ("", f"<h2>Guild</h2>{GUILD}"),
        ]
    )
    document = read_document(data, "keep.epub")
    assert document.title == "The Drowned Keep"
    assert [(page.number, page.label) for page in document.pages] == [
        (1, "Chapter 1: The Gate"),
        (2, "Guild"),
    ]
    assert document.pages[0].text == f"# The Gate\n\n{GATE.strip()}"
    assert document.notes == ("1 picture was left out.",)


def test_epub_of_the_second_edition_takes_labels_from_its_ncx() -> None:
    ncx = (
        "<ncx><navMap><navPoint><navLabel><text>The Gate</text></navLabel><content src='c1.xhtml#a'/></navPoint>"
        "</navMap></ncx>"
    )
    data = write_epub([("", f"<p>{GATE}</p>")], more={"OEBPS/toc.ncx": ncx})
    package = '<item id="x" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    data = write_epub(
        [("", f"<p>{GATE}</p>")],
        title=f"Keep</dc:title></metadata>{package}<x><y>",
        more={"OEBPS/toc.ncx": ncx},
    )
    assert [page.label for page in read_document(data, "keep.epub").pages] == ["The Gate"]


HTML = """<!doctype html><html><head><title>The  Keep</title><style>p{}</style></head><body>
<script>alert("no")</script><h1>The <em>Hall</em></h1>
<p><b>Armor Class</b> 15<br>Hit&nbsp;Points 20 &amp; more</p>
<ul><li>one<li>two</ul><ol><li>first</ol>
<dl><dt>Rage<dd>It is anger.<dt>Calm<dd>It is none.</dl>
<table><caption>Rumours</caption><tr><th>d6<th>What<th>Where</tr><tr><td>1<td colspan=2>a|b</tr></table>
<blockquote><p>Never</p><p>again</p></blockquote><p hidden>unseen</p>
<a href="javascript:alert(1)">a door</a> <img src="data:image/png;base64,AAAA"></body></html>"""


def test_html_becomes_markdown() -> None:
    document = read_document(HTML.encode(), "keep.html")
    assert document.title == "The Keep"
    assert document.pages[0].text.split("\n\n") == [
        "# The Hall",
        "**Armor Class** 15\nHit Points 20 & more",
        "- one\n- two\n1. first",
        "Rage\n: It is anger.",
        "Calm\n: It is none.",
        "Rumours",
        "| d6 | What | Where |\n|---|---|---|\n| 1 | a\\|b |  |",
        "> Never\n>\n> again",
        "a door",
    ]
    assert document.notes == ("1 picture was left out.",)


def test_html_reads_the_encoding_that_it_declares() -> None:
    data = "<meta charset='iso-8859-2'><p>Zamek nad Łabą leży daleko.</p>".encode("iso-8859-2")
    document = read_document(data, "keep.html")
    assert document.pages[0].text == "Zamek nad Łabą leży daleko."
    assert document.notes == ("It is not in UTF-8; it was read as ISO8859-2.",)


def test_docx_pages_are_those_that_word_laid_out() -> None:
    laid_out = "<w:lastRenderedPageBreak/>"
    set_by_author = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>'
    body = docx_paragraph("The Keep", style="Heading1") + docx_paragraph(GATE) + set_by_author
    body += docx_paragraph(GUILD, before=laid_out) + docx_paragraph("The end", before=laid_out)
    document = read_document(write_docx(body, title="Salt &amp; Tide"), "keep.docx")
    assert document.title == "Salt & Tide"
    assert [page.text for page in document.pages] == [
        f"# The Keep\n\n{GATE.strip()}",
        GUILD.strip(),
        "The end",
    ]


def test_docx_table_becomes_a_pipe_table_and_author_breaks_are_pages() -> None:
    cells = "".join(f"<w:tc>{docx_paragraph(text)}</w:tc>" for text in ("d6", "Rumour"))
    body = f"<w:tbl><w:tr>{cells}</w:tr><w:tr>{cells}</w:tr></w:tbl>"
    body += docx_paragraph("Second page", before='<w:br w:type="page"/>')
    document = read_document(write_docx(body), "The Keep.docx")
    assert document.title == "The Keep"
    assert [page.text for page in document.pages] == [
        "| d6 | Rumour |\n|---|---|\n| d6 | Rumour |",
        "Second page",
    ]


def test_markdown_front_matter_is_metadata_and_links_become_words() -> None:
    text = (
        "---\ntitle: The Drowned Keep\ntags: [keep]\n---\n# Hall\n\n[[Ser Aldric|Aldric]] keeps [[Marrow Keep]] and "
        "[the gate](https://example.org/gate_(sea)). ![[map.png]] ![x](data:image/png;base64,AA)\n\n%%a secret%%"
        "<script>alert(1)</script>The end."
    )
    document = read_document(text.encode(), "hall.md")
    assert document.title == "The Drowned Keep"
    assert document.pages[0].text.startswith("# Hall\n\nAldric keeps Marrow Keep and the gate.")
    assert document.pages[0].text.endswith("\n\nThe end.")
    assert document.notes == ("2 pictures were left out.",)


@pytest.mark.parametrize(
    ("text", "name", "title"),
    [
        ("# The *Hall*\n\nWords.", "hall.md", "The *Hall"),
        ("Words.", "The Hall.md", "The Hall"),
        ("---\n- no mapping\n---\nWords.", "Hall.md", "Hall"),
        ("---\na: &x [1]\nb: *x\n---\nWords.", "Hall.md", "Hall"),
    ],
)
def test_title_is_the_first_heading_else_the_file_name(text: str, name: str, title: str) -> None:
    assert read_document(text.encode(), name).title == title


def test_title_of_a_sample_is_that_of_the_whole_document() -> None:
    pages = ["# The Salt Coast\n\nsome words", *(f"## Reactions {n}\n\nsome words" for n in range(40))]
    document = DocumentPages("\f".join(pages).encode(), "srd.md")
    assert [page.number for page in document.read(sample_pages=3)] != [1]
    assert document.summarize().title == "The Salt Coast"


@pytest.mark.parametrize("title", ["Untitled", "Keep_v7.indd", "Microsoft Word - keep.doc"])
def test_title_that_a_program_wrote_by_itself_is_none(title: str) -> None:
    page = PdfPage()
    page.write(60, 740, "The Drowned Keep", size=24, bold=True)
    page.write_column(60, 700, wrap(GATE * 4, 95))
    assert read_document(write_pdf([page], title=title), "k.pdf").title == "The Drowned Keep"


def test_text_form_feeds_are_pages() -> None:
    document = read_document(b"One.\fTwo.\f\fFour.", "keep.txt")
    assert [page.text for page in document.pages] == ["One.", "Two.", "", "Four."]


def test_text_without_pages_is_cut_at_paragraphs_of_about_a_page() -> None:
    paragraphs = [f"Paragraph {number}. {GATE * 5}".strip() for number in range(60)]
    pages = read_document("\n\n".join(paragraphs).encode(), "keep.txt").pages
    assert all(1_500 <= len(page.text) <= 3_750 for page in pages)
    assert "\n\n".join(page.text for page in pages) == "\n\n".join(paragraphs)
    assert [page.number for page in pages] == list(range(1, len(pages) + 1))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_text_byte_order_mark_decides_the_encoding(encoding: str) -> None:
    document = read_document("Die Küste ist “fern”.".encode(encoding), "keep.txt")
    assert (document.pages[0].text, document.notes) == ("Die Küste ist “fern”.", ())


def test_text_in_latin_1_is_read_with_a_note() -> None:
    document = read_document("Die Küste".encode("latin-1"), "keep.txt")
    assert document.pages[0].text == "Die Küste"
    assert document.notes == ("It is not in UTF-8; it was read as Windows-1252.",)


@pytest.mark.parametrize(
    ("page_count", "sample", "indexes"),
    [(3, 0, [0, 1, 2]), (3, 20, [0, 1, 2]), (100, 4, [12, 37, 62, 87]), (5, 4, [0, 1, 3, 4])],
)
def test_sample_is_spread_over_the_document(page_count: int, sample: int, indexes: list[int]) -> None:
    assert list(choose_sample(page_count, sample)) == indexes
