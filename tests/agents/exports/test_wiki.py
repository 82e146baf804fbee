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

VOID = {"meta", "link", "br", "input", "img"}
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


def show_in_browser(folder: Path, search: str, *options: str) -> tuple[str, str]:
    """Return the page that a browser makes of the wiki's first page and a search, and what it says on its errors."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium is installed (Debian: apt-get install chromium)")
    shown = subprocess.run(
        [
            browser,
            "--headless",
            "--no-sandbox",
            "--virtual-time-budget=5000",
            f"--user-data-dir={folder / 'profile'}",
            *options,
            "--dump-dom",
            f"{(folder / 'index.html').as_uri()}#search={search}",
        ],
        capture_output=True,
        check=True,
        timeout=120,
        text=True,
    )
    return shown.stdout, shown.stderr


def results_in(page: str) -> str:
    return page.partition('id="results"')[2].partition("</ul>")[0]


@pytest.mark.slow
def test_wiki_works_in_a_browser_from_the_disk(tmp_path: Path) -> None:
    for name, data in write_wiki(hostile_world()).items():
        (tmp_path / name).write_bytes(data)
    page, errors = show_in_browser(tmp_path, "omega", "--enable-logging=stderr")
    assert "Content Security Policy" not in errors
    assert "<title>owned" not in page
    assert "Ωmega" not in results_in(page), "a Greek letter is no Latin one"
    page, _ = show_in_browser(tmp_path, "%CF%89mega%20bold")
    assert "Ωmega 🜂" in results_in(page)
    assert "<b>" not in results_in(page)


@pytest.mark.slow
def test_wiki_search_shows_whole_words_around_the_one_found(tmp_path: Path) -> None:
    files = write_wiki(hostile_world())
    text = " ".join(f"word{n}" for n in range(60))
    index = json.dumps([["Wenna", "character", "index.html", text]])
    files["search-index.js"] = f"window.wikiIndex = {index};\n".encode()
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    page, _ = show_in_browser(tmp_path, "word30")
    excerpt = re.search(r"· ([^<]+)<", results_in(page))
    assert excerpt is not None
    before, *words, after = excerpt[1].split()
    assert (before, after) == ("…", "…")
    assert "word30" in words
    assert set(words) <= set(text.split())
