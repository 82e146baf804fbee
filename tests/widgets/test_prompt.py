"""The prompt by keyboard: sending, breaking lines, history, completion, and losing nothing."""

from __future__ import annotations

import pytest
from rich.segment import Segment
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.pilot import Pilot
from textual.widgets import TextArea
from textual.widgets.text_area import TextAreaTheme

from tests.widgets.samples import COMMANDS, NAMES
from tests.widgets.stage import Stage, screen_text
from widgets.prompt import MAX_PASTE_LENGTH, PlayPrompt, PromptArea


class PromptStage(Stage):
    """Keeps the keys that the prompt leaves to the screen."""

    BINDINGS = [
        Binding(key, f"left_over('{key}')")
        for key in ("left", "right", "enter", "ctrl+z", "ctrl+y", "escape", "alt+d")
    ]

    def __init__(self) -> None:
        super().__init__()
        self.left_over: list[str] = []

    def compose(self) -> ComposeResult:
        yield PlayPrompt(commands=COMMANDS, names=NAMES, hint="Say what you do")

    def action_left_over(self, key: str) -> None:
        self.left_over.append(key)

    @property
    def prompt(self) -> PlayPrompt:
        return self.query_one(PlayPrompt)

    @property
    def sent(self) -> list[str]:
        return [message.text for message in self.of(PlayPrompt.LineSubmitted)]


async def typed(pilot: Pilot[None], text: str) -> None:
    """Type without waiting for a frame at each key."""
    for character in text:
        name = {"\n": "ctrl+j"}.get(character, character)
        pilot.app.query_one(PromptArea).post_message(
            events.Key(name, character if character.isprintable() else None)
        )
    await pilot.pause()


async def test_enter_sends_and_empties_the_prompt() -> None:
    app = PromptStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await typed(pilot, "  I ring the bell, 日本 ⚄ é  ")
        await pilot.press("enter")
        assert app.sent == ["I ring the bell, 日本 ⚄ é"]
        assert app.prompt.text == ""


async def test_enter_sends_what_was_typed_before_it_however_fast_one_types() -> None:
    app = PromptStage()
    async with app.run_test(size=(80, 24)) as pilot:
        area = app.query_one(PromptArea)
        for key in ("a", "b", "enter", "c", "d", "left", "x"):
            area.post_message(events.Key(key, key if len(key) == 1 else None))
        await pilot.pause()
        assert app.sent == ["ab"]
        assert app.prompt.text == "cxd"


async def test_prompt_nothing_typed_sends_nothing_and_leaves_keys_to_the_screen() -> None:
    app = PromptStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter", "left", "right", "ctrl+z", "ctrl+y", "escape")
        assert app.sent == []
        assert app.left_over == ["enter", "left", "right", "ctrl+z", "ctrl+y", "escape"]
        await pilot.press("a", "left", "right", "ctrl+z")
        assert app.left_over[6:] == ["ctrl+z"]  # undo is the screen's, whatever is typed
        assert app.prompt.text == "a"
        app.query_one(PromptArea).post_message(events.Key("alt+z", "z"))  # as a terminal sends it
        await pilot.pause()
        assert app.prompt.text == ""
        await pilot.press("alt+y")
        assert app.prompt.text == "a"


async def test_keys_with_alt_are_the_screens_and_type_no_letter() -> None:
    app = PromptStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("a")
        app.post_message(events.Key("alt+d", "d"))  # as a terminal sends it
        await pilot.pause()
        await pilot.pause()
        assert app.prompt.text == "a"
        assert app.left_over == ["alt+d"]


@pytest.mark.slow
async def test_lines_are_broken_and_the_prompt_grows_to_five() -> None:
    app = PromptStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("a", "ctrl+j", "b", "shift+enter", "c")
        assert app.prompt.text == "a\nb\nc"
        assert app.prompt.size.height == 3
        await pilot.press(*["ctrl+j"] * 6)
        assert app.prompt.size.height == 5
        await pilot.press("enter")
        assert app.sent == ["a\nb\nc"]


async def test_history_goes_back_and_forth_and_keeps_the_draft() -> None:
    app = PromptStage()
    async with app.run_test(size=(80, 24)) as pilot:
        for line in ("one", "two", "two"):
            await typed(pilot, line)
            await pilot.press("enter")
        await typed(pilot, "draft")
        await pilot.press("up")
        assert app.prompt.text == "two"
        await pilot.press("up", "up")
        assert app.prompt.text == "one"
        await pilot.press("down", "down", "down")
        assert app.prompt.text == "draft"


async def test_up_and_down_move_within_several_lines_first() -> None:
    app = PromptStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await typed(pilot, "older")
        await pilot.press("enter")
        await typed(pilot, "first\nsecond")
        await pilot.press("up")
        assert app.prompt.text == "first\nsecond"
        await pilot.press("up")
        assert app.prompt.text == "older"
        await pilot.press("down")
        assert app.prompt.text == "first\nsecond"


async def test_tab_walks_the_commands_that_fit() -> None:
    app = PromptStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await typed(pilot, "/c")
        assert "/check  /commit" in screen_text(app)
        await pilot.press("tab")
        assert app.prompt.text == "/check "
        await pilot.press("tab")
        assert app.prompt.text == "/commit "
        await pilot.press("tab")
        assert app.prompt.text == "/check "
        await typed(pilot, "might 9")
        assert "roll a stat against a target" in screen_text(app)
        await pilot.press("enter")
        assert app.sent == ["/check might 9"]


async def test_tab_completes_a_name_in_the_middle_of_a_line() -> None:
    app = PromptStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await typed(pilot, "I follow @anh home")
        await pilot.press(*["left"] * 5, "tab")
        assert app.prompt.text == "I follow Sister Anhelm home"


async def test_word_typed_behind_a_completed_name_is_a_word_of_its_own() -> None:
    """`Sister Anhelmabout it` is nobody; a comma and an 's stand right behind the name."""
    for words, line in (
        ("about it", "I ask Sister Anhelm about it"),
        (" about it", "I ask Sister Anhelm about it"),
        (", who nods", "I ask Sister Anhelm, who nods"),
        ("'s dog", "I ask Sister Anhelm's dog"),
    ):
        app = PromptStage()
        async with app.run_test(size=(80, 24)) as pilot:
            await typed(pilot, "I ask @anh")
            await pilot.press("tab")
            await typed(pilot, words)
            assert app.prompt.text == line


async def test_prompt_rest_of_a_command_is_shown_and_right_takes_it() -> None:
    app = PromptStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await typed(pilot, "/und")
        assert "> /undo" in screen_text(app)
        assert app.prompt.text == "/und"
        await pilot.press("right")
        assert app.prompt.text == "/undo "


async def test_prompt_tab_leaves_the_empty_prompt_for_the_next_widget() -> None:
    app = PromptStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await app.mount(other := PlayPrompt())
        await pilot.press("tab")
        assert other.input_has_focus


async def test_prompt_refused_line_comes_back_selected_and_typing_replaces_it() -> None:
    app = PromptStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await typed(pilot, "/cast + Undersinger")
        await pilot.press("enter")
        app.prompt.restore_text("/cast + Undersinger")
        assert app.prompt.text == "/cast + Undersinger"
        await typed(pilot, "I come back")
        assert app.prompt.text == "I come back"


async def test_prompt_refused_line_never_fuses_with_what_was_typed_since() -> None:
    app = PromptStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await typed(pilot, "I go")
        await pilot.press("enter")
        await typed(pilot, "and wait")
        app.prompt.restore_text("I go")
        assert app.prompt.text == "and wait"
        await pilot.press("enter", "up", "up")
        assert app.prompt.text == "I go"


async def test_prompt_line_that_lacks_something_is_gone_on_with() -> None:
    app = PromptStage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.prompt.restore_text("/roll 2d6 = ")
        await typed(pilot, "5 4")
        assert app.prompt.text == "/roll 2d6 = 5 4"


async def test_prompt_suggestion_is_no_text_until_tab_takes_it() -> None:
    app = PromptStage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.prompt.suggest_line("/state Rat.alive = false")
        await pilot.pause()
        assert "/state Rat.alive = false   Tab takes it" in screen_text(app)
        assert app.prompt.text == ""
        await typed(pilot, "> It squeaks once.")
        await pilot.press("enter")
        assert app.sent == ["> It squeaks once."]
        assert "Rat.alive" not in screen_text(app)
        app.prompt.suggest_line("/rest ")
        await pilot.press("tab")
        await typed(pilot, "night")
        assert app.prompt.text == "/rest night"


async def test_prompt_tab_with_text_never_leaves_it() -> None:
    app = PromptStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await typed(pilot, "Tomorrow the")
        await pilot.press("tab", "tab")
        await typed(pilot, "n")
        assert app.prompt.text == "Tomorrow then"


async def test_prompt_ctrl_u_clears_every_line_and_up_brings_them_back() -> None:
    app = PromptStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await typed(pilot, "first\nsecond " + "word " * 40)
        text = app.prompt.text
        await pilot.press("ctrl+u")
        assert app.prompt.text == ""
        await pilot.press("up")
        assert app.prompt.text == text
        await pilot.press("ctrl+u", "alt+z")
        assert app.prompt.text == text


async def test_prompt_completed_command_ends_in_a_space() -> None:
    app = PromptStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await typed(pilot, "/und")
        await pilot.press("tab")
        await typed(pilot, "The")
        assert app.prompt.text == "/undo The"


async def test_prompt_busy_prompt_keeps_the_words_and_takes_more() -> None:
    app = PromptStage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.prompt.busy = True
        await typed(pilot, "soon")
        await pilot.press("enter")
        assert app.sent == []
        assert len(app.of(PlayPrompt.LineRefused)) == 1
        app.prompt.busy = False
        await typed(pilot, "er")
        await pilot.press("enter")
        assert app.sent == ["sooner"]


async def test_prompt_draft_outlives_being_disabled() -> None:
    app = PromptStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await typed(pilot, "a draft")
        app.prompt.disabled = True
        await pilot.pause()
        app.prompt.disabled = False
        app.prompt.focus_input()
        await pilot.pause()
        assert app.prompt.text == "a draft"


async def test_prompt_hundred_kilobytes_are_pasted_and_sent_whole() -> None:
    app = PromptStage()
    async with app.run_test(size=(80, 24)) as pilot:
        text = "salt " * 20_000
        app.query_one(PromptArea).post_message(events.Paste(text))
        await pilot.pause()
        await pilot.press("enter")
        assert app.sent == [text.strip()]


async def test_prompt_paste_beyond_reason_is_refused_with_its_size() -> None:
    app = PromptStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await typed(pilot, "kept")
        app.query_one(PromptArea).post_message(events.Paste("x" * (MAX_PASTE_LENGTH + 1)))
        await pilot.pause()
        assert app.prompt.text == "kept"
        assert "200,001 characters are too many" in screen_text(app)
        await typed(pilot, "!")
        assert "Say what you do" in screen_text(app)


async def test_prompt_long_line_wraps_and_the_prompt_grows_with_it() -> None:
    app = PromptStage()
    async with app.run_test(size=(40, 24)) as pilot:
        await typed(pilot, "the salt road " * 6)
        await pilot.pause()
        assert app.prompt.size.height == 3
        assert screen_text(app).count("the salt road") >= 4


@pytest.mark.parametrize(
    ("pasted", "kept"), [("\x1b[31mred\x1b[0m", "red"), ("a\r\nb", "a\nb"), ("[b]x[/b]", "[b]x[/b]")]
)
async def test_pasted_escapes_are_dropped_and_markup_is_text(pasted: str, kept: str) -> None:
    app = PromptStage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.query_one(PromptArea).post_message(events.Paste(pasted))
        await pilot.pause()
        assert app.prompt.text == kept


async def test_hint_and_status_stand_in_the_border() -> None:
    app = PromptStage()
    async with app.run_test(size=(80, 24)) as pilot:
        assert "Say what you do" in screen_text(app)
        app.prompt.status = "context ✓ resolver …"
        await pilot.pause()
        assert "context ✓ resolver …" in screen_text(app)
        await typed(pilot, "/roll 2d6")
        assert "roll dice" in screen_text(app)
        assert "Say what you do" not in screen_text(app)


async def test_prompt_reads_its_styles_once_for_many_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    read_count = 0
    read_styles = TextAreaTheme.apply_css

    def count(theme: TextAreaTheme, text_area: TextArea) -> None:
        nonlocal read_count
        read_count += 1
        read_styles(theme, text_area)

    monkeypatch.setattr(TextAreaTheme, "apply_css", count)
    app = PromptStage()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("a")
        assert read_count > 0
        read_count = 0
        for letter in "bell":
            await pilot.press(letter)
            assert app.prompt.text.endswith(letter)
        assert read_count == 0


def drawn_prompt(app: PromptStage) -> list[list[Segment]]:
    """Return the rows of the prompt with their colours."""
    region = app.prompt.region
    return [list(strip) for strip in app.screen._compositor.render_strips()[region.y : region.bottom]]


@pytest.mark.slow
async def test_prompt_in_another_theme_is_drawn_as_one_that_began_in_it() -> None:
    pictures = {}
    for themes in (("monitor-light",), ("monitor-dark", "monitor-light"), ("monitor-dark",)):
        app = PromptStage()
        app.theme = themes[0]
        async with app.run_test(size=(80, 24)) as pilot:
            app.query_one(PromptArea).cursor_blink = False
            await pilot.press(*"bell", "shift+left")
            for theme in themes[1:]:
                app.theme = theme
                await pilot.pause()
            pictures[themes] = drawn_prompt(app)
    assert pictures["monitor-dark", "monitor-light"] == pictures["monitor-light",]
    assert pictures["monitor-dark",] != pictures["monitor-light",]


async def test_prompt_that_loses_the_focus_and_gets_it_back_is_drawn_as_before() -> None:
    app = PromptStage()
    async with app.run_test(size=(80, 24)) as pilot:
        area = app.query_one(PromptArea)
        area.cursor_blink = False
        await pilot.press(*"bell", "shift+left")
        focused = drawn_prompt(app)
        app.set_focus(None)
        await pilot.pause()
        assert drawn_prompt(app) != focused
        area.focus()
        await pilot.pause()
        assert drawn_prompt(app) == focused
