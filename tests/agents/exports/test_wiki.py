"""The wiki: whole without a server, searchable, and safe whatever the names and the prose are."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

from agents.exports.wiki import CONTENT_POLICY, write_wiki
from tests.agents.exports.hostile_world import hostile_world

VOID = {"meta", "link", "br", "input"}
ALLOWED = VOID | {
    *(
        "html",
        "head",
        "title",
        "body",
        "header",
        "nav",
        "a",
        "form",
        "button",
        "ul",
        "li",
        "main",
        "h1",
        "h2",
        "p",
    ),
    *("details", "summary", "strong", "em", "div", "span", "script"),
}


class Page(HTMLParser):
    """The elements of a page; fails on one that is not closed where it should be."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.policy = self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        assert tag in ALLOWED, tag
        assert not [name for name in given if name.startswith("on") or name == "style"]
        self.links += [value for name in ("href", "src") if (value := given.get(name))]
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"] or ""
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        assert not (self.open and self.open[-1] == "script"), "no script stands in a page"
        self.text += data


def test_wiki_pages_are_well_formed_and_lead_to_each_other_whatever_the_names() -> None:
    files = write_wiki(hostile_world())
    pages = {name: Page(data.decode()) for name, data in files.items() if name.endswith(".html")}
    assert len({name.casefold() for name in files}) == len(files) == 17
    for page in pages.values():
        assert page.policy == CONTENT_POLICY
        assert [link for link in page.links if unquote(link) not in files] == []
    assert "<b>bold</b>" in pages["index.html"].text
    assert all(re.fullmatch(r"[^/\\:*?\"<>|]+", name) for name in files)


def test_wiki_is_the_same_for_the_same_world() -> None:
    world = hostile_world()
    assert write_wiki(world) == write_wiki(world)


def test_wiki_search_index_is_data_that_ends_no_script() -> None:
    script = write_wiki(hostile_world())["search-index.js"].decode()
    assert "<" not in script
    assert script.isascii()
    rows = json.loads(script.removeprefix("window.wikiIndex = ").removesuffix(";\n"))
    assert any("<b>bold</b>" in words for *_, words in rows)


@pytest.mark.slow
def test_wiki_works_in_a_browser_from_the_disk(tmp_path: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium is installed (Debian: apt-get install chromium)")
    for name, data in write_wiki(hostile_world()).items():
        (tmp_path / name).write_bytes(data)
    address = (tmp_path / "index.html").as_uri()
    options = (
        "--headless",
        "--no-sandbox",
        "--virtual-time-budget=5000",
        f"--user-data-dir={tmp_path / 'profile'}",
    )
    shown = subprocess.run(
        [browser, *options, "--enable-logging=stderr", "--dump-dom", f"{address}#search=omega"],
        capture_output=True,
        check=True,
        timeout=120,
        text=True,
    )
    assert "Content Security Policy" not in shown.stderr
    assert "<title>owned" not in shown.stdout
    results = shown.stdout.partition('id="results"')[2].partition("</ul>")[0]
    assert "Ωmega" not in results, "a Greek letter is no Latin one"
    again = subprocess.run(
        [browser, *options, "--dump-dom", f"{address}#search=%CF%89mega%20bold"],
        capture_output=True,
        check=True,
        timeout=120,
        text=True,
    )
    results = again.stdout.partition('id="results"')[2].partition("</ul>")[0]
    assert "Ωmega 🜂" in results
    assert "<b>" not in results
