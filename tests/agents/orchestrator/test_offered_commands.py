"""Every command that the program or its documents offer by name can be typed: the walk goes through all offers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from agents.orchestrator.commands.all_commands import COMMANDS

ROOT = Path(__file__).parents[3]
PACKAGES = ("agents", "screens", "widgets", "monitor_tui")
OFFER = re.compile(r"(?:^|(?<=[\s(“:,;`]))/([a-z]+)(?=$|[\s.,:;)”`])")
"""A slash and a word, as help and notes write a command."""
TYPEABLE = COMMANDS.names() | {command.name for command in COMMANDS.list_help()}
PLACES = {"dev", "tmp", "proc", "page", "static", "ws"}
"""Folders of a computer, and addresses of `monitor serve`, which look alike."""


def read_texts(path: Path) -> Iterator[str]:
    """Yield the strings of a module that are no docstrings, if any of it looks like an offer."""
    source = path.read_text(encoding="utf-8")
    if not re.search(r"[\s\"“(]/[a-z]", source):
        return
    nodes = list(ast.walk(ast.parse(source)))
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def find_offers(text: str) -> set[str]:
    return set(OFFER.findall(text)) - PLACES


def test_every_command_that_a_screen_or_reply_offers_can_be_typed() -> None:
    offers = {
        (offer, path.relative_to(ROOT).as_posix())
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        for text in read_texts(path)
        for offer in find_offers(text)
    }
    assert len({offer for offer, _ in offers}) > 30, "the walk finds them"
    assert {(offer, path) for offer, path in offers if offer not in TYPEABLE} == set()


def test_every_command_that_a_document_offers_can_be_typed() -> None:
    pages = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    offers = {
        (offer, page.name)
        for page in pages
        for code in re.findall(r"`([^`\n]+)`|^ {4,}(\S.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
        for offer in find_offers("".join(code))
    }
    assert {(offer, page) for offer, page in offers if offer not in TYPEABLE} == set()
