"""Reads EPUB: the chapters in the order of the spine, each a page with its title as label.

Its XML is read by an HTML parser, which knows no entities of the document's own and fetches nothing.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from typing import Final
from urllib.parse import unquote, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from agents.ingest.documents.child.html_markdown import convert_to_markdown
from agents.ingest.documents.child.html_pages import close_xhtml_elements, decode_html, parse_html
from agents.ingest.documents.child.open_document import describe_pictures, no_text_error
from agents.ingest.documents.child.text_pages import first_heading
from agents.ingest.documents.child.zip_bounds import BoundedZip
from agents.ingest.documents.document import Page
from agents.ingest.documents.errors import damaged_document_error, unreadable_document_error
from agents.ingest.documents.formats import MediaType
from agents.ingest.documents.limits import ReadingLimits
from agents.sanitize import clean
from stores.errors import InputError

_CONTAINER: Final = "META-INF/container.xml"
_ENCRYPTION: Final = "META-INF/encryption.xml"
_CHAPTER_TYPES: Final = ("application/xhtml+xml", "text/html")


class EpubDocument:
    media_type = MediaType.EPUB
    picture_pages: Sequence[int] = ()

    def __init__(self, data: bytes, limits: ReadingLimits) -> None:
        self._limits = limits
        self._zip = BoundedZip(data, "EPUB", limits)
        self._picture_count = 0
        self._missing: list[str] = []
        package_path = self._package_path()
        package = self._parse(package_path)
        self._folder = posixpath.dirname(package_path)
        self.title = next(
            (clean(node.text()) for node in _nodes(package, "dc:title") if node.text().strip()), ""
        )
        self._chapters = self._spine(package)
        if not self._chapters:
            raise unreadable_document_error("it lists no chapters", "Get it anew, or save it as HTML or PDF")
        self._check_protection()
        self._labels = self._chapter_labels(package)

    @property
    def page_count(self) -> int:
        return len(self._chapters)

    def read_page(self, index: int) -> Page:
        path = self._chapters[index]
        html = self._parse(path)
        markdown, pictures = convert_to_markdown(html.body)
        self._picture_count += pictures
        text = clean(markdown.replace("\f", ""))
        return Page(index + 1, text, self._labels.get(path) or first_heading(text)[:120])

    def describe_omissions(self) -> Sequence[str]:
        notes = describe_pictures(self._picture_count)
        if self._missing:
            noun = "chapter that it lists is" if len(self._missing) == 1 else "chapters that it lists are"
            notes.append(f"{len(self._missing):,} {noun} not in it.")
        return notes

    def no_text_error(self) -> InputError:
        return no_text_error()

    def _parse(self, path: str) -> LexborHTMLParser:
        text, _ = decode_html(self._zip.read(path))
        return parse_html(close_xhtml_elements(text), self._limits.nesting)

    def _package_path(self) -> str:
        if _CONTAINER in self._zip:
            for node in _nodes(self._parse(_CONTAINER), "rootfile"):
                path = self._resolve("", node.attributes.get("full-path") or "")
                if path in self._zip:
                    return path
        raise damaged_document_error("EPUB")

    def _spine(self, package: LexborHTMLParser) -> list[str]:
        """Return the paths of the chapters that are in the archive."""
        hrefs = {
            node.attributes.get("id") or "": node.attributes.get("href") or ""
            for node in _nodes(package, "item")
            if (node.attributes.get("media-type") or "") in _CHAPTER_TYPES
        }
        chapters = []
        for node in _nodes(package, "itemref"):
            href = hrefs.get(node.attributes.get("idref") or "")
            path = self._resolve(self._folder, href) if href else ""
            if path in self._zip:
                chapters.append(path)
            elif href:
                self._missing.append(href)
        return chapters

    def _chapter_labels(self, package: LexborHTMLParser) -> dict[str, str]:
        """Return the titles of chapters by path, from the table of contents (EPUB 3, else EPUB 2)."""
        labels: dict[str, str] = {}
        for item in _nodes(package, "item"):
            is_contents = "nav" in (item.attributes.get("properties") or "").split()
            is_ncx = item.attributes.get("media-type") == "application/x-dtbncx+xml"
            path = self._resolve(self._folder, item.attributes.get("href") or "")
            if not (is_contents or is_ncx) or path not in self._zip:
                continue
            contents, folder = self._parse(path), posixpath.dirname(path)
            if is_contents:
                links = [(a.attributes.get("href") or "", a.text()) for a in contents.css("nav a")]
            else:
                links = [
                    (source.attributes.get("src") or "", label.text())
                    for point in _nodes(contents, "navpoint")
                    if (source := point.css_first("content")) is not None
                    and (label := point.css_first("text")) is not None
                ]
            for href, words in links:
                labels.setdefault(self._resolve(folder, href), " ".join(clean(words).split())[:120])
        return labels

    def _check_protection(self) -> None:
        """Refuse chapters that are encrypted; fonts may be, since they are not read."""
        if _ENCRYPTION not in self._zip:
            return
        encrypted = {
            self._resolve("", node.attributes.get("uri") or "")
            for node in self._parse(_ENCRYPTION).css("*")
            if (node.tag or "").endswith("cipherreference")
        }
        if encrypted.intersection(self._chapters):
            raise unreadable_document_error(
                "it is protected against copying", "Choose a copy without protection"
            )

    def _resolve(self, folder: str, href: str) -> str:
        """Return the path within the archive; nothing outside of it can be meant, since nothing else is opened."""
        return posixpath.normpath(posixpath.join(folder, unquote(urlsplit(href).path)))


def _nodes(parser: LexborHTMLParser, tag: str) -> list[LexborNode]:
    return [node for node in parser.css("*") if node.tag == tag]
