"""Contrast in our own themes: of the pairs they define, and of every cell that is drawn with them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.color import ColorType
from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.color import Color
from textual.containers import Horizontal
from textual.screen import Screen
from textual.theme import BUILTIN_THEMES, Theme
from textual.widgets import (
    Button,
    Checkbox,
    DataTable,
    Footer,
    Header,
    Input,
    Label,
    OptionList,
    RadioButton,
    RadioSet,
    Select,
    TabbedContent,
    TabPane,
    TextArea,
)
from textual.widgets.option_list import Option

from monitor_tui.theme import CONTRAST, DARK, LIGHT, THEMES, register_themes
from tests.screens.screen_driver import real_services
from tests.screens.scripted_llm import ScriptedLlm, build_narrated_story
from tests.widgets.gallery import PlayGallery, WorldGallery
from tests.widgets.samples import proposal
from tests.widgets.stage import Stage, screen_text
from widgets.bill_list import BillList
from widgets.llm_settings_list import LlmSettingsList
from widgets.long_text import LongText
from widgets.prompt import PlayPrompt
from widgets.proposal_list import ProposalList, ProposalPanel
from widgets.transcript.transcript import Transcript
from widgets.xray_list import XrayList

LEAST = 4.5

TEXTS = (
    "foreground",
    "text-muted",
    "text-disabled",
    "text-primary",
    "text-secondary",
    "text-accent",
    "text-success",
    "text-warning",
    "text-error",
    "primary",
    "accent",
)
GROUNDS = ("background", "surface", "panel")
PAIRS = (
    ("block-cursor-foreground", "block-cursor-background"),
    ("block-cursor-blurred-foreground", "block-cursor-blurred-background"),
    ("input-selection-foreground", "input-selection-background"),
    ("input-cursor-foreground", "input-cursor-background"),
    ("footer-key-foreground", "footer-background"),
    ("footer-description-foreground", "footer-background"),
    ("button-color-foreground", "primary"),
    ("button-color-foreground", "success"),
    ("button-color-foreground", "warning"),
    ("button-color-foreground", "error"),
)


def colours(theme: Theme) -> dict[str, str]:
    return theme.to_color_system().generate() | theme.variables


def contrast(text: Color, ground: Color) -> float:
    """Return the contrast as WCAG 2 defines it; a translucent text is laid on its ground first."""
    darker, lighter = sorted((_luminance(ground), _luminance(ground + text)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Color) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("text", TEXTS)
def test_contrast_of_text_on_every_background(theme: Theme, text: str, ground: str) -> None:
    known = colours(theme)
    assert contrast(Color.parse(known[text]), Color.parse(known[ground])) >= LEAST


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
@pytest.mark.parametrize(("text", "ground"), PAIRS)
def test_contrast_of_color_pairs(theme: Theme, text: str, ground: str) -> None:
    known = colours(theme)
    assert contrast(Color.parse(known[text]), Color.parse(known[ground])) >= LEAST


class StockGallery(App[None]):
    """Textual's own widgets as screens use them."""

    CSS_PATH = CONTRAST
    BINDINGS = [("f1", "nothing", "Help"), ("f2", "nothing", "Proposals")]

    def __init__(self, theme: str) -> None:
        super().__init__()
        register_themes(self)
        self.theme = theme

    def compose(self) -> ComposeResult:
        yield Header()
        yield Input(placeholder="Name of the universe")
        yield Input("typed", disabled=False)
        with Horizontal():
            for variant in ("default", "primary", "success", "warning", "error"):
                yield Button(variant.title(), variant=variant)
        yield OptionList("One", "Two", Option("Three", disabled=True))
        yield Checkbox("Lines", value=True)
        with RadioSet():
            yield RadioButton("copilot", value=True)
            yield RadioButton("autopilot")
        yield Select([("a", 1), ("b", 2)], prompt="Choose")
        yield Label("muted")
        with TabbedContent():
            with TabPane("canon"):
                yield TextArea("words\nmore")
            with TabPane("recall"):
                yield Label("x")
        table: DataTable[str] = DataTable()
        table.add_columns("when", "what")
        table.add_rows([("Day 1", "arrived"), ("Day 2", "left")])
        yield table
        yield Footer()


def cells_too_faint(screen: Screen[object]) -> Iterator[str]:
    """Yield each run of letters or digits whose ink is too near its ground."""
    for strip in screen._compositor.render_strips():
        for segment in strip:
            ratio = _contrast_of(segment)
            if ratio is not None and ratio < LEAST:
                yield f"{segment.text.strip()!r}: {ratio:.2f} {segment.style}"


def _contrast_of(segment: Segment) -> float | None:
    style = segment.style
    if style is None or style.color is None or style.bgcolor is None:
        return None
    if not any(character.isalnum() or character in "★⚠✓✗‖·◉▸…❝■✂←–~" for character in segment.text):
        return None  # rules and boxes are decoration
    if ColorType.DEFAULT in (style.color.type, style.bgcolor.type):
        return None
    text, ground = Color.from_rich_color(style.color), Color.from_rich_color(style.bgcolor)
    return contrast(text, ground)


@pytest.mark.slow
@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
async def test_contrast_of_stock_widgets(theme: Theme) -> None:
    app = StockGallery(theme.name)
    app.animation_level = "none"
    async with app.run_test(size=(100, 60)) as pilot:
        faint = set(cells_too_faint(app.screen))
        for _ in range(14):
            await pilot.press("tab")
            await pilot.pause()
            faint |= set(cells_too_faint(app.screen))
        assert faint == set()


@pytest.mark.slow
@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
async def test_contrast_of_own_widgets(theme: Theme) -> None:
    app: App[None] = PlayGallery(theme.name, trigger="The Hidden Chamber is new")
    async with app.run_test(size=(100, 40)) as pilot:
        faint = set(cells_too_faint(app.screen))
        panel = app.query_one(ProposalPanel)
        panel.show_proposals(
            [*panel.proposal_list.views, proposal(9, verdict="reject"), proposal(10, verdict="defer")]
        )
        app.query_one(PlayPrompt).text = "/ch"
        for target in (Transcript, ProposalList):
            app.query_one(target).focus()
            for _ in range(6):
                await pilot.press("up" if target is Transcript else "down")
                await pilot.pause()
                faint |= set(cells_too_faint(app.screen))
        assert faint == set()
    app = WorldGallery(theme.name)
    async with app.run_test(size=(120, 40)) as pilot:
        faint = set(cells_too_faint(app.screen))
        for _ in range(5):
            await pilot.press("tab", "down")
            await pilot.pause()
            faint |= set(cells_too_faint(app.screen))
        assert faint == set()


@pytest.mark.slow
@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
async def test_contrast_of_xray_bill_and_model_setup(theme: Theme, tmp_path: Path) -> None:
    scene_id = await build_narrated_story(tmp_path)
    services, close = await real_services(tmp_path, 8, model=ScriptedLlm())()
    turn = (await services.play.transcript(scene_id, 0, 100))[-1].turn
    widgets = XrayList(), BillList(), LlmSettingsList(), LongText("You tell what happens."), Transcript()
    app = Stage(*widgets, theme=theme.name)
    async with app.run_test(size=(100, 120)) as pilot:
        xray, bill, setup, _, transcript = widgets
        xray.show_xray(await services.llm.read_xray(turn.id))
        bill.show_bill(await services.llm.read_bill(), "call")
        setup.show_setup(await services.llm.read_setup())
        transcript.add_narrated_text("t", "The tide turns.")
        faint: set[str] = set()
        for widget in widgets:
            widget.focus()
            for key in ("down", "down", "end"):
                await pilot.press(key)
                await pilot.pause()
                faint |= set(cells_too_faint(app.screen))
        assert "The tide turns." in screen_text(app)
        assert faint == set()
    await close()


def test_themes_are_dark_light_and_those_of_textual() -> None:
    app: App[None] = App()
    register_themes(app)
    assert {DARK.name, LIGHT.name, *BUILTIN_THEMES} <= set(app.available_themes)
    assert DARK.dark
    assert not LIGHT.dark


@pytest.mark.slow
async def test_own_widgets_draw_in_every_stock_theme() -> None:
    app = PlayGallery()
    async with app.run_test(size=(80, 24)) as pilot:
        app.query_one(Transcript).focus()
        for name in BUILTIN_THEMES:
            app.theme = name
            await pilot.pause()
            assert "Old Ferryman Oss" in screen_text(app)
