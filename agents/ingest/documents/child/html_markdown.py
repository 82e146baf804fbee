"""Writes the elements of HTML as Markdown; what could act, and pictures, are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from selectolax.lexbor import LexborNode

PAGE_BREAK: Final = "\f"
"""Stands in the Markdown where the document breaks its page."""

_SKIPPED: Final = frozenset(
    [
        "script",
        "style",
        "noscript",
        "template",
        "head",
        "iframe",
        "object",
        "embed",
        "applet",
        "canvas",
        "audio",
        "video",
        "svg",
        "map",
        "form",
        "button",
        "select",
        "input",
        "textarea",
        "rt",
        "rp",
        "noframes",
        "-comment",
    ]
)

_HEADINGS: Final = {f"h{level}": "#" * level + " " for level in range(1, 7)}

_BLOCKS: Final = frozenset(
    [
        "address",
        "article",
        "aside",
        "body",
        "center",
        "details",
        "div",
        "dl",
        "dt",
        "dd",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "header",
        "hgroup",
        "html",
        "legend",
        "main",
        "nav",
        "ol",
        "p",
        "section",
        "summary",
        "ul",
    ]
)

_MAX_COLUMNS: Final = 50
_SPACES: Final = re.compile(r"[\s\u00a0]+")


def convert_to_markdown(node: LexborNode | None) -> tuple[str, int]:
    """Return the Markdown of an element, and how many pictures were left out."""
    writer = _MarkdownWriter()
    if node is not None:
        writer.write_children(node)
        writer.end_block()
    return "\n\n".join(writer.blocks), writer.picture_count


class _MarkdownWriter:
    """Collects blocks of Markdown; the words of a block gather until it ends."""

    def __init__(self) -> None:
        self.blocks: list[str] = []
        self.picture_count = 0
        self._words: list[str] = []
        self._list_depth = 0

    def end_block(self, prefix: str = "") -> None:
        lines = (_SPACES.sub(" ", line).strip() for line in "".join(self._words).split("\n"))
        text = "\n".join(filter(None, lines))
        self._words.clear()
        if text:
            self.blocks.append(prefix + (text.replace("\n", " ") if prefix.startswith("#") else text))

    def write_children(self, node: LexborNode) -> None:
        for child in _children(node):
            tag = child.tag or ""
            if child.is_text_node:
                self._words.append(_SPACES.sub(" ", child.text_content or ""))
            elif tag not in _SKIPPED and "hidden" not in child.attributes:
                self._write_element(child, tag)

    def _write_element(self, node: LexborNode, tag: str) -> None:
        if tag == "br":
            self._words.append("\n")
        elif tag in ("img", "picture"):
            self.picture_count += 1
        elif tag == "hr":
            self.end_block()
            self.blocks.append(PAGE_BREAK if "page-break" in (node.attributes.get("class") or "") else "---")
        elif tag in ("b", "strong"):
            self._write_bold(node)
        elif tag == "table":
            self.end_block()
            self._write_table(node)
        elif tag == "pre":
            self.end_block()
            text = node.text(deep=True).strip("\n")
            self.blocks.append(f"```\n{text}\n```")
        elif tag == "blockquote":
            self.end_block()
            self._write_quote(node)
        elif tag in _HEADINGS:
            self._write_block(node, _HEADINGS[tag])
        elif tag == "li":
            is_numbered = node.parent is not None and node.parent.tag == "ol"
            self._write_item(node, "1. " if is_numbered else "- ")
        elif tag == "dd":
            self._write_definition(node)
        elif tag in _BLOCKS:
            self._write_block(node)
        else:
            self.write_children(node)

    def _write_block(self, node: LexborNode, prefix: str = "") -> None:
        self.end_block()
        self.write_children(node)
        self.end_block(prefix)

    def _write_bold(self, node: LexborNode) -> None:
        words, self._words = self._words, []
        block_count = len(self.blocks)
        self.write_children(node)
        text = "".join(self._words)
        is_one_line = block_count == len(self.blocks) and text.strip() and "\n" not in text
        self._words = [*words, f"**{text.strip()}** " if is_one_line else text]

    def _write_item(self, node: LexborNode, marker: str) -> None:
        """Write a list item: its first block takes the marker, the others stand below it."""
        self.end_block()
        first = len(self.blocks)
        self._list_depth += 1
        self.write_children(node)
        self.end_block()
        self._list_depth -= 1
        if len(self.blocks) > first:
            indent = "  " * self._list_depth
            item = indent + marker + self.blocks[first].lstrip("- ")
            # Items of one list stand together, without blank lines between.
            if first and re.match(r" *(?:- |1\. )", self.blocks[first - 1].rsplit("\n", 1)[-1]):
                self.blocks[first - 1 : first + 1] = [self.blocks[first - 1] + "\n" + item]
            else:
                self.blocks[first] = item

    def _write_definition(self, node: LexborNode) -> None:
        """Write `: words` below its term, as in Markdown Extra."""
        self.end_block()
        first = len(self.blocks)
        self.write_children(node)
        self.end_block()
        definition = " ".join(block.replace("\n", " ") for block in self.blocks[first:])
        if definition:
            term = self.blocks[first - 1 : first]
            self.blocks[max(0, first - 1) :] = ["\n".join([*term, f": {definition}"])]

    def _write_quote(self, node: LexborNode) -> None:
        first = len(self.blocks)
        self.write_children(node)
        self.end_block()
        quoted = "\n\n".join(self.blocks[first:]).split("\n")
        if len(self.blocks) > first:
            self.blocks[first:] = ["\n".join(f"> {line}".rstrip() for line in quoted)]

    def _write_table(self, table: LexborNode) -> None:
        rows = list(_rows(table))
        if max((sum(1 for _ in _cells(row)) for row in rows), default=0) < 2:
            self.write_children(table)  # it only lays out the page
            self.end_block()
            return
        written: list[list[str]] = []
        breaks = 0
        for row in rows:
            cells: list[str] = []
            for cell in _cells(row):
                text, pictures = convert_to_markdown(cell)
                self.picture_count += pictures
                breaks += text.count(PAGE_BREAK)
                cells.append(" ".join(text.replace(PAGE_BREAK, " ").replace("|", r"\|").split()))
                span = cell.attributes.get("colspan") or ""
                cells += [""] * (min(int(span), _MAX_COLUMNS) - 1 if span.isdecimal() else 0)
            if any(cells):
                written.append(cells[:_MAX_COLUMNS])
        caption = next((one for one in _children(table) if one.tag == "caption"), None)
        if caption is not None:
            self._write_block(caption)
        self.blocks += filter(None, [format_table(written)])
        self.blocks += [PAGE_BREAK] * breaks


def format_table(rows: list[list[str]]) -> str:
    """Return a pipe table, whose first row is its head; every row gets as many cells as the longest."""
    width = max((len(row) for row in rows), default=0)
    lines = ["| " + " | ".join(row + [""] * (width - len(row))) + " |" for row in rows]
    return "\n".join([*lines[:1], "|" + "---|" * width, *lines[1:]]) if lines else ""


def _children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.first_child
    while child is not None:
        yield child
        child = child.next


def _rows(table: LexborNode) -> Iterator[LexborNode]:
    for child in _children(table):
        if child.tag == "tr":
            yield child
        elif child.tag in ("thead", "tbody", "tfoot"):
            yield from (row for row in _children(child) if row.tag == "tr")


def _cells(row: LexborNode) -> Iterator[LexborNode]:
    return (cell for cell in _children(row) if cell.tag in ("td", "th"))
