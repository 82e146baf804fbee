"""The offered move on the play screen: Enter rolls, Esc tells it without a roll, and no line is lost."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual import events

from monitor_tui import typed_on, typed_run
from stores.records.play import Speaker
from tests.program import begin, opened
from tests.screens.screen_driver import NARROW, ScreenDriver, real_services, started_app
from widgets.prompt import PlayPrompt

LONG = 60.0
"""Seconds within which an Enter is one that bounced, however busy the machine is."""
LINE = "I attack the orc"
OFFERED = "I attack the orc /move strike Orc"


@pytest.fixture
async def ui(tmp_path: Path) -> AsyncIterator[ScreenDriver]:
    async with opened(tmp_path) as program:
        scene_id = await begin(program)
        for line in ("/system lantern_twos", "/creature here Orc (hp 6): big and hungry"):
            await program.services.play.submit(scene_id, line)
    async with started_app(real_services(tmp_path), NARROW) as ui:
        await ui.press("enter")
        assert ui.screen == "SceneScreen"
        yield ui


async def read_turns(ui: ScreenDriver) -> list[tuple[Speaker, str]]:
    (card,) = await ui.services.stories.stories()
    assert card.scene is not None
    rows = await ui.services.play.transcript(card.scene.id, 0, 100)
    return [(row.turn.speaker, row.turn.text) for row in rows]


@pytest.mark.slow
async def test_enter_rolls_the_offered_move(ui: ScreenDriver) -> None:
    await ui.type(LINE)
    assert ui.shows("Strike Orc: 2d6+1 vs 10", "Success: Orc: HP -4", OFFERED)

    await ui.press("enter")

    assert [speaker for speaker, _ in await read_turns(ui)] == [Speaker.PLAYER, Speaker.ORACLE]
    assert ui.shows(f"you {LINE}", "strike Orc · 2d6+1")


@pytest.mark.slow
async def test_enter_at_once_behind_the_line_rolls_nothing(
    ui: ScreenDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key that bounces, or is pressed twice, answers no offer that nobody can have read."""
    monkeypatch.setattr(typed_run, "TYPING_SECONDS", LONG)
    monkeypatch.setattr(typed_on, "BOUNCE_SECONDS", LONG)
    await ui.type(LINE)
    await ui.press("enter")
    assert await read_turns(ui) == []
    assert ui.shows(OFFERED)
    monkeypatch.setattr(typed_on, "BOUNCE_SECONDS", 0.0)
    await ui.press("enter")
    assert [speaker for speaker, _ in await read_turns(ui)] == [Speaker.PLAYER, Speaker.ORACLE]


async def test_escape_tells_it_without_a_roll(ui: ScreenDriver) -> None:
    await ui.type(LINE)
    assert ui.shows("esc No roll")
    await ui.press("escape")

    assert await read_turns(ui) == [(Speaker.PLAYER, LINE)]
    assert ui.shows("esc Back")
    assert ui.shows("what do you do?")
    assert not ui.shows("Enter rolls")


@pytest.mark.slow
async def test_another_line_tells_the_offered_one_without_a_roll_first(ui: ScreenDriver) -> None:
    """`I search the bar for the ring.` and then the GM's answer: the search stands before it."""
    await ui.type("I search the bar for the ring.")
    assert ui.shows("Esc, or typing on, tells it without a roll", "Typing on tells it without a roll")
    await ui.type("> There is nothing under the bar.")
    assert await read_turns(ui) == [
        (Speaker.PLAYER, "I search the bar for the ring."),
        (Speaker.GM, "There is nothing under the bar."),
    ]

    await ui.type("I search the yard for the ring.")
    await ui.press("ctrl+u")  # cleared, and not taken back
    await ui.type("I wait.")
    assert [text for _, text in (await read_turns(ui))[2:]] == ["I search the yard for the ring.", "I wait."]


@pytest.mark.slow
async def test_line_that_waits_for_dice_or_a_likelihood_is_told_before_the_next(
    ui: ScreenDriver, tmp_path: Path
) -> None:
    await ui.type("/dice physical")
    await ui.type("I jump the ditch. /check 2d6 vs 8")
    assert ui.shows("Roll 2d6, then type the result after the =.", "Esc, or another line, tells it without")
    await ui.press("ctrl+u")
    await ui.type("> It is wide.")
    told = [(Speaker.PLAYER, "I jump the ditch."), (Speaker.GM, "It is wide.")]
    assert await read_turns(ui) == told

    await ui.type("I climb out. /check 2d6 vs 8")
    await ui.type("4 5")
    told += [(Speaker.PLAYER, "I climb out.")]
    assert (await read_turns(ui))[:3] == told, "told once"
    assert (await read_turns(ui))[3][0] is Speaker.ORACLE

    await ui.type("/state Orc.alive = false")
    await ui.press("enter")  # committed now
    await ui.type("? Does the Orc shout")
    assert ui.shows("? impossible: Does the Orc shout?", "Esc, or another line, tells it without a roll.")
    await ui.type("> It does not.")  # typing replaces what is selected
    assert [text for _, text in await read_turns(ui)][-2:] == ["Does the Orc shout?", "It does not."]

    await ui.type("I leap. /check 2d6 vs 8")
    await ui.press("escape")
    assert (await read_turns(ui))[-1] == (Speaker.PLAYER, "I leap.")

    await ui.type("I swim. /check 2d6 vs 8")
    await ui.press("ctrl+q")
    async with started_app(real_services(tmp_path), NARROW) as again:
        await again.press("enter")
        assert again.shows("Not played yet: I swim.", "I swim. /check 2d6 vs 8 =")
        await again.type("1 2")
        assert [text for speaker, text in await read_turns(again) if speaker is Speaker.PLAYER][-2:] == [
            "I leap.",
            "I swim.",
        ]


@pytest.mark.slow
async def test_offered_line_that_is_edited_is_played_once(ui: ScreenDriver) -> None:
    for number, keys in enumerate((("right",), ("W", "up"), ("ctrl+u", "up", "up"))):
        line = f"I attack the orc {number}"
        await ui.type(line)
        await ui.press(*keys)
        await ui.press(*["backspace"] * (len(ui.app.screen.query_one(PlayPrompt).text) - len(line)))
        await ui.type(" with my lamp /roll d6")
        texts = [text for speaker, text in await read_turns(ui) if speaker is Speaker.PLAYER]
        assert texts[number:] == [f"{line} with my lamp"]


@pytest.mark.slow
async def test_offered_line_is_kept_through_undo_and_a_restart(ui: ScreenDriver, tmp_path: Path) -> None:
    await ui.type("I wait.")
    await ui.type(LINE)
    await ui.press("ctrl+z")
    await ui.type("> It growls", enter=False)
    await ui.press("ctrl+q")
    async with started_app(real_services(tmp_path), NARROW) as again:
        await again.press("enter")
        assert again.shows(f"Not played yet: {LINE}", "> It growls")
        await again.type(".")
        assert await read_turns(again) == [(Speaker.PLAYER, LINE), (Speaker.GM, "It growls.")]


@pytest.mark.slow
async def test_state_that_the_offer_asks_for_offers_the_roll_anew(ui: ScreenDriver) -> None:
    await ui.type("/npc here Bram: the miller")
    await ui.type("I attack Bram")
    await ui.type("/state Bram.hp = 6")
    assert await read_turns(ui) == []
    assert ui.shows("Success: Bram: HP -4", "I attack Bram /move strike Bram")


@pytest.mark.slow
async def test_escape_after_other_words_plays_nothing(ui: ScreenDriver) -> None:
    await ui.type(LINE)
    await ui.type("I wait.", enter=False)
    assert ui.shows("esc Back")
    await ui.press("escape")  # clears the note

    assert await read_turns(ui) == []
    assert ui.shows("> I wait.")


@pytest.mark.slow
async def test_a_line_is_played_when_the_next_one_is_being_written(ui: ScreenDriver) -> None:
    await ui.type(LINE, enter=False)
    ui.app.post_message(events.Key("enter", None))  # and the next letters before the reply is there
    await ui.type("I wait", enter=False)

    assert await read_turns(ui) == [(Speaker.PLAYER, LINE)]
    assert ui.shows("> I wait")


@pytest.mark.slow
async def test_attack_on_somebody_without_hp_is_said_before_the_roll(ui: ScreenDriver) -> None:
    await ui.type("/npc here Bram: the miller")
    await ui.type("I attack Bram")
    assert ui.shows("Strike Bram: 2d6+1", "Bram has no HP.", "/state Bram.hp = 10")
    await ui.press("enter")
    (card,) = await ui.services.stories.stories()
    assert card.scene is not None
    rows = (await ui.services.play.scene(card.scene.id)).proposals
    assert not [row.title for row in rows if "Bram" in row.title and "HP" in row.title]

    await ui.type("I strike again /move strike Bram")
    assert ui.shows("Bram has no HP.", "I strike again /move strike Bram")  # the words wait in the prompt
    await ui.press("ctrl+u")
    await ui.type("/state Bram.hp = 6")
    await ui.type("I attack Bram")
    assert not ui.shows("has no HP")
    assert ui.shows("Success: Bram: HP -4", "I attack Bram /move strike Bram")


@pytest.mark.slow
async def test_question_in_plain_words_says_who_answers_it(ui: ScreenDriver) -> None:
    """“Where is Gil?” and then nothing: the GM is the player, the oracle, or the record."""
    await ui.type("Where is Gil?")
    assert ui.shows("Nobody answers by itself", "> answers as the GM", "F8 asks the")
    await ui.type("> Nobody has seen him.")
    assert not ui.shows("Nobody answers by itself")
    await ui.type("help")
    assert ui.shows("That reads as /help: Enter does it")


async def test_line_that_answers_what_it_was_told_before_leaves_no_suggestion(ui: ScreenDriver) -> None:
    """The line that waited is told first, and names a place; the next makes it known: nothing is left to offer."""
    await ui.type("I search Upper Hut for the ring.")
    assert ui.shows("Esc, or typing on, tells it without a roll")
    await ui.type("/place Upper Hut: a hut of stone")
    assert [text for _, text in (await read_turns(ui))[:1]] == ["I search Upper Hut for the ring."]
    assert not ui.shows("Tab takes it")
