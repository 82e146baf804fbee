"""No name from outside steers the terminal: not on any screen, and not in what any command prints."""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.color import Color
from textual.filter import LineFilter

from monitor_tui.app import MonitorApp
from monitor_tui.cli.plain_output import PlainOutput
from stores.archive import export_campaign, import_campaign
from stores.open import open_stores
from tests.campaign import play_campaign
from tests.screens.screen_driver import real_services, started_app
from tests.test_archive_hostile import Forge
from widgets.plain_line_filter import PlainLineFilter

pytestmark = pytest.mark.slow

EVIL = "\x1b]52;c;cm0gLXJm\x07Salt\x9b2J Coast\u202e"
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]")


@pytest.fixture(scope="module")
def evil_archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the archive of a world in which every name and title steers the terminal."""
    folder = tmp_path_factory.mktemp("evil")

    async def make() -> Path:
        stores = await open_stores(folder / "elsewhere")
        try:
            universe_id = await play_campaign(stores)
            await export_campaign(stores, universe_id, folder / "evil.monitor.zip")
        finally:
            await stores.close()
        forge = Forge(folder / "evil.monitor.zip", universe_id)
        for collection, field in (
            ("universes", "name"),
            ("stories", "title"),
            ("scenes", "title"),
            ("entities", "name"),
        ):
            forge.set_rows(
                collection, [row | {field: f"{EVIL}{n}"} for n, row in enumerate(forge.rows(collection))]
            )
        forge.set_rows("turns", [row | {"text": f"{EVIL}{row['text']}"} for row in forge.rows("turns")])
        forge.set_rows(
            "facts", [row | {"statement": f"{EVIL}{row['statement']}"} for row in forge.rows("facts")]
        )
        forge.manifest["name"] = EVIL
        return forge.write()

    return asyncio.run(make())


@pytest.fixture
def evil_home(evil_archive: Path, tmp_path: Path) -> Path:
    async def bring_in() -> None:
        stores = await open_stores(tmp_path / "home")
        try:
            await import_campaign(stores, evil_archive)
        finally:
            await stores.close()

    asyncio.run(bring_in())
    return tmp_path / "home"


SCREEN_KEYS = (
    (), ("2", "enter", "escape", "enter"),
    ("enter",), ("enter", "f2"), ("enter", "f3"), ("enter", "f5"), ("enter", "f8"),
    ("1",), ("2",), ("3",),
    ("3", "enter"), ("4",), ("5",), ("6",), ("7",), ("b",),
)  # fmt: skip
"""Keys from the menu to the screens that show names."""


@pytest.mark.parametrize("keys", SCREEN_KEYS, ids="-".join)
def test_screen_draws_no_control_character_of_an_imported_name(
    keys: tuple[str, ...], evil_home: Path
) -> None:
    async def look() -> str:
        async with started_app(real_services(evil_home)) as ui:
            await ui.press(*keys)
            return ui.text

    drawn = asyncio.run(look())
    assert "Coast" in drawn or keys in ((), ("1",), ("5",), ("6",), ("7",), ("b",))
    assert not CONTROL.search(drawn)


@pytest.mark.parametrize(
    "arguments",
    [
        ("verify", "ARCHIVE"),
        ("import", "ARCHIVE"),
        ("export", "nothing of this name"),
        ("story", "nothing of this name"),
        ("query", "Who is there?", "--no-model"),
        ("query", "Who is there?", "--no-model", "--json"),
        ("doctor",),
    ],
    ids=" ".join,
)
def test_command_prints_no_control_character_of_an_imported_name(
    arguments: tuple[str, ...], evil_archive: Path, evil_home: Path
) -> None:
    home = evil_home if arguments[0] != "import" else evil_home.parent / "new home"
    given_arguments = [str(evil_archive) if each == "ARCHIVE" else each for each in arguments]
    done = subprocess.run(
        [sys.executable, "-m", "monitor_tui", "--home", str(home), *given_arguments],
        env={**os.environ, "MONITOR_EMBEDDING_MODEL": "none"},
        capture_output=True,
        timeout=120,
        check=False,
    )
    printed = (done.stdout + done.stderr).decode()
    assert printed.strip()
    assert "Traceback" not in printed
    assert not CONTROL.search(printed)


def test_command_prints_to_a_terminal_that_knows_ascii_alone(evil_home: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "monitor_tui",
            "--home",
            str(evil_home),
            "query",
            "Who is Wenna Pärn?",
            "--no-model",
        ],
        env={**os.environ, "MONITOR_EMBEDDING_MODEL": "none", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0
    assert "Traceback" not in done.stderr.decode("ascii")
    assert done.stdout.decode("ascii").strip()


@given(st.text(max_size=40))
def test_plain_line_filter_lets_no_control_character_through(text: str) -> None:
    (segment,) = PlainLineFilter().apply([Segment(text)], Color.parse("black"))
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", segment.text)


def test_plain_line_filter_applies_the_filters_before_it_and_then_itself() -> None:
    class AddEscape(LineFilter):
        def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
            return [Segment(f"\x1b[31m{segment.text.upper()}") for segment in segments]

    (segment,) = PlainLineFilter([AddEscape()]).apply([Segment("bell")], Color.parse("black"))
    assert segment.text == "BELL"


def test_program_draws_each_line_through_one_filter_that_does_what_textuals_do() -> None:
    app, black = MonitorApp(real_services(Path("nowhere"))), Color.parse("black")
    expected = drawn = [Segment("bell\x1b[31m", Style(color="red"))]
    for theme in ("monitor-dark", "monitor-light"):
        app.theme = theme
        for line_filter in App.get_line_filters(app):
            expected = line_filter.apply(expected, black)
        (joined,) = app.get_line_filters()
        assert app.get_line_filters() == [joined], "the results of a filter are remembered by the filter"
        drawn = joined.apply(drawn, black)
        assert drawn == [Segment("bell", segment.style) for segment in expected]
        assert drawn[0].style != Style(color="red"), "Textual makes a terminal's own colours the theme's"


@given(st.text(max_size=40))
def test_plain_output_writes_no_control_character_but_colours(text: str) -> None:
    stream = io.StringIO()
    PlainOutput(stream).write(text)
    assert not CONTROL.search(re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue()))


@given(st.text(max_size=40))
def test_plain_output_keeps_json_the_same(text: str) -> None:
    stream = io.StringIO()
    PlainOutput(stream).write(json.dumps({"name": text}, ensure_ascii=False))
    assert json.loads(stream.getvalue()) == {"name": text}
