"""Writes outside text into HTML that is XML too, so that it reads as written and never becomes markup. Pure."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files
from typing import Final

from agents.sanitize import clean

_NO_XML: Final = re.compile("[\ufffe\uffff\ud800-\udfff]")
_LINE_ENDS: Final = re.compile(r"[\n\u2028\u2029]")
_EMPTY_LINES: Final = re.compile(r"\n{2,}")


def escape_html(text: str) -> str:
    """Return a text for an element or an attribute between quotes."""
    return html.escape(_NO_XML.sub("", clean(text)))


def write_paragraphs(text: str, css_class: str = "", escape: Callable[[str], str] = escape_html) -> list[str]:
    """Return a paragraph for each of the text's; `escape` is another way to escape a line, as one that makes links."""
    lines = [line.strip() for line in _LINE_ENDS.split(clean(text))]
    parts = _EMPTY_LINES.split("\n".join(lines).strip("\n"))
    return [
        write_element("p", "<br/>".join(map(escape, part.split("\n"))), {"class": css_class})
        for part in parts
        if part
    ]


def write_element(name: str, content: str, attributes: Mapping[str, str] | None = None) -> str:
    """Return an element with finished content; attributes without a value are left out."""
    written = "".join(f' {key}="{escape_html(value)}"' for key, value in (attributes or {}).items() if value)
    return f"<{name}{written}>{content}</{name}>"


def write_list(items: Iterable[str]) -> str:
    """Return a list of finished items; empty if there are none."""
    joined = "\n".join(write_element("li", item) for item in items)
    return f"<ul>\n{joined}\n</ul>" if joined else ""


def read_asset(name: str) -> str:
    """Return a style or a script that pages come with."""
    return files(__package__).joinpath("assets", name).read_text(encoding="utf-8")
