"""Reads DOCX: mammoth makes HTML of it, which is read as any other.

Where Word noted its page breaks when it last laid the document out, those are the pages; else the breaks
that the author set; else pages are made by length.
"""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any, Final
from xml.parsers.expat import ExpatError

import mammoth  # type: ignore[import-untyped]

from agents.ingest.documents.child.html_markdown import convert_to_markdown
from agents.ingest.documents.child.html_pages import parse_html
from agents.ingest.documents.child.open_document import ReadPages, describe_pictures
from agents.ingest.documents.child.text_pages import split_into_pages
from agents.ingest.documents.child.zip_bounds import BoundedZip
from agents.ingest.documents.errors import damaged_document_error, unreadable_document_error
from agents.ingest.documents.formats import MediaType
from agents.ingest.documents.limits import ReadingLimits

_STYLES: Final = "br[type='page'] => hr.page-break"
_AUTHORS_BREAK: Final = re.compile(rb"""<w:br\b[^<>]*w:type=["']page["'][^<>]*/>""")
_LAID_OUT_BREAK: Final = re.compile(rb"<w:lastRenderedPageBreak\s*/>")
_TITLE: Final = re.compile(rb"<dc:title>([^<]+)</dc:title>")
_DECLARATION: Final = re.compile(rb"<!\s*(?:DOCTYPE|ENTITY)", re.IGNORECASE)


def open_docx(data: bytes, limits: ReadingLimits) -> ReadPages:
    parts = BoundedZip(data, "DOCX", limits)
    title = _TITLE.search(parts.read("docProps/core.xml")) if "docProps/core.xml" in parts else None
    pictures = 0

    def leave_out(_: Any) -> list[Any]:
        nonlocal pictures
        pictures += 1
        return []

    try:
        html = mammoth.convert_to_html(
            _copy_text_parts(parts),
            style_map=_STYLES,
            convert_image=leave_out,
            include_embedded_style_map=False,
            external_file_access=False,
        ).value
    except RecursionError as error:
        raise unreadable_document_error(
            "its parts are nested too deeply", "Save it as plain text, and choose that"
        ) from error
    except (ExpatError, OSError, KeyError, ValueError, AttributeError) as error:
        raise damaged_document_error("DOCX") from error
    markdown, _ = convert_to_markdown(parse_html(html, limits.nesting).body)
    title_text = parse_html(title.group(1).decode("utf-8", "replace"), limits.nesting).text() if title else ""
    return ReadPages(
        title_text.strip(), MediaType.DOCX, split_into_pages(markdown), describe_pictures(pictures)
    )


def _copy_text_parts(parts: BoundedZip) -> io.BytesIO:
    """Return the document without its media, and with one kind of page breaks."""
    copy = io.BytesIO()
    with zipfile.ZipFile(copy, "w") as archive:
        for name in parts.names:
            if name.endswith(("/", ".xml", ".rels")):
                xml = parts.read(name)
                if _DECLARATION.search(xml):
                    raise unreadable_document_error(
                        "it declares entities, which no word processor does", "Do not use it"
                    )
                if name == "word/document.xml" and _LAID_OUT_BREAK.search(xml):
                    xml = _LAID_OUT_BREAK.sub(b'<w:br w:type="page"/>', _AUTHORS_BREAK.sub(b"", xml))
                archive.writestr(name, xml)
            elif name.startswith("word/media/"):
                archive.writestr(name, b"")
    copy.seek(0)
    return copy
