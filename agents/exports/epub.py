"""Writes a story as a book: EPUB 3 (https://www.w3.org/TR/epub-33/). Pure."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from typing import Final

from agents.exports.fact_citations import join_parts
from agents.exports.html_text import escape_html, read_asset, write_element, write_paragraphs
from agents.exports.story_html import StoryHtmlWriter
from agents.exports.story_values import StoryRecord

MEDIA_TYPE: Final = "application/epub+zip"
_XML: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'
_ZIP_DATE: Final = (1980, 1, 1, 0, 0, 0)
"""The earliest that a zip can say: the same story gives the same bytes."""

_UNKNOWN_LANGUAGE: Final = "und"
_CONTAINER: Final = (
    f'{_XML}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">\n'
    '<rootfiles><rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/></rootfiles>\n'
    "</container>\n"
)


def write_epub(record: StoryRecord, *, with_mechanics: bool) -> bytes:
    """Return the book: a title page, and a chapter for each scene."""
    title = escape_html(record.story.title) or "A story"
    subtitle = join_parts((record.universe_name, record.hero_name))
    title_blocks = [write_element("h1", title)]
    if subtitle:
        title_blocks.append(write_element("p", escape_html(subtitle), {"class": "subtitle"}))
    chapters = [("title", title, title_blocks)]
    scenes = StoryHtmlWriter(record, with_mechanics=with_mechanics).write_begun_scenes()
    for number, (heading, blocks) in enumerate(scenes, 1):
        heading = escape_html(heading)
        chapters.append((f"scene-{number:03}", heading, [write_element("h2", heading), *blocks]))
    if record.story.recap:
        heading = "What came of it"
        recap = [write_element("h2", heading), *write_paragraphs(record.story.recap)]
        chapters.append(("recap", heading, recap))
    parts = {
        "META-INF/container.xml": _CONTAINER,
        "EPUB/package.opf": _write_package(record, title, [name for name, _, _ in chapters]),
        "EPUB/nav.xhtml": _write_navigation(title, chapters),
        "EPUB/book.css": read_asset("book.css"),
        **{f"EPUB/{name}.xhtml": _write_page(heading, blocks) for name, heading, blocks in chapters},
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        # What kind of file it is stands first, and as it is: by that readers know it.
        archive.writestr(zipfile.ZipInfo("mimetype", _ZIP_DATE), MEDIA_TYPE, zipfile.ZIP_STORED)
        for name, text in parts.items():
            info = zipfile.ZipInfo(name, _ZIP_DATE)
            archive.writestr(info, text.encode("utf-8", "replace"), zipfile.ZIP_DEFLATED)
    return file.getvalue()


def _write_package(record: StoryRecord, title: str, names: Sequence[str]) -> str:
    last_change = max([record.story.created_at, *(r.turn.created_at for s in record.scenes for r in s.rows)])
    items = "\n".join(
        f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml"/>' for name in names
    )
    spine = "\n".join(f'<itemref idref="{name}"/>' for name in names)
    return (
        f'{_XML}<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">\n'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">\n'
        f'<dc:identifier id="id">urn:uuid:{record.story.id}</dc:identifier>\n'
        f"<dc:title>{title}</dc:title>\n<dc:language>{_UNKNOWN_LANGUAGE}</dc:language>\n"
        f'<meta property="dcterms:modified">{last_change:%Y-%m-%dT%H:%M:%SZ}</meta>\n</metadata>\n<manifest>\n'
        '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>\n'
        f'<item id="style" href="book.css" media-type="text/css"/>\n{items}\n</manifest>\n'
        f"<spine>\n{spine}\n</spine>\n</package>\n"
    )


def _write_navigation(title: str, chapters: Sequence[tuple[str, str, list[str]]]) -> str:
    items = "\n".join(f'<li><a href="{name}.xhtml">{heading}</a></li>' for name, heading, _ in chapters)
    contents = f'<nav epub:type="toc" id="toc">\n<h1>Contents</h1>\n<ol>\n{items}\n</ol>\n</nav>'
    return _write_page(title, [contents])


def _write_page(heading: str, blocks: Sequence[str]) -> str:
    joined = "\n".join(blocks)
    return (
        f'{_XML}<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" '
        'xmlns:epub="http://www.idpf.org/2007/ops">\n'
        f'<head>\n<title>{heading}</title>\n<link rel="stylesheet" type="text/css" href="book.css"/>\n</head>\n'
        f"<body>\n{joined}\n</body>\n</html>\n"
    )
