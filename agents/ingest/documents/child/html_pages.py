"""Reads HTML: its encoding, its nesting, its title; nothing is fetched and nothing active stays."""

from __future__ import annotations

import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from agents.ingest.documents.child.html_markdown import convert_to_markdown
from agents.ingest.documents.child.open_document import ReadPages, describe_pictures
from agents.ingest.documents.child.text_pages import decode_text, split_into_pages
from agents.ingest.documents.errors import unreadable_document_error
from agents.ingest.documents.formats import MediaType

_VOID: Final = frozenset(
    [
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
    ]
)
_END_IMPLIED: Final = frozenset(
    [
        "p",
        "li",
        "dt",
        "dd",
        "td",
        "th",
        "tr",
        "thead",
        "tbody",
        "tfoot",
        "option",
        "optgroup",
        "colgroup",
        "html",
        "head",
        "body",
        "rt",
        "rp",
    ]
)
"""Elements whose end tag may be left out; they do not nest without another element between."""

_TAGS: Final = re.compile(r"<(/?)([a-zA-Z][^\s/<>]*)(?:[^<>]*?)(/?)>")
_SPACES: Final = re.compile(r"[\s\u00a0]+")
_CHARSET: Final = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)""", re.IGNORECASE)
_XML_ENCODING: Final = re.compile(rb"""\A\s*<\?xml[^>]+encoding\s*=\s*["']([\w-]+)""")


def open_html(data: bytes, nesting: int) -> ReadPages:
    text, notes = decode_html(data)
    html = parse_html(text, nesting)
    title_node = html.css_first("title")
    title = _SPACES.sub(" ", title_node.text()).strip() if title_node is not None else ""
    markdown, picture_count = convert_to_markdown(html.body)
    pages = split_into_pages(markdown)
    return ReadPages(title, MediaType.HTML, pages, (*notes, *describe_pictures(picture_count)))


def decode_html(data: bytes) -> tuple[str, list[str]]:
    declared = _CHARSET.search(data[:4_096]) or _XML_ENCODING.search(data[:4_096])
    return decode_text(data, declared.group(1).decode("ascii", "replace") if declared else "")


def parse_html(text: str, nesting: int) -> LexborHTMLParser:
    """Parse HTML or XHTML. Raises InputError if its elements are nested too deeply.

    The depth is counted before, since the parser takes time by its square.
    """
    depth = deepest = 0
    for end, name, closed in _TAGS.findall(text):
        if name.lower() in _VOID or name.lower() in _END_IMPLIED or closed:
            continue
        depth = max(0, depth - 1) if end else depth + 1
        deepest = max(deepest, depth)
    if deepest > nesting:
        raise unreadable_document_error(
            f"its parts are nested {deepest:,} deep, and {nesting:,} is the most",
            "Save it as plain text, and choose that",
        )
    return LexborHTMLParser(text)


def close_xhtml_elements(text: str) -> str:
    """Return XHTML with `<title/>` as `<title></title>`: an HTML parser takes it as open, to the end of the file."""
    return _TAGS.sub(
        lambda tag: (
            f"{tag.group(0)[:-2]}></{tag.group(2)}>"
            if tag.group(3) and tag.group(2).lower() not in _VOID
            else tag.group(0)
        ),
        text,
    )
