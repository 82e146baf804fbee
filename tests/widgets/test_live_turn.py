"""Words that stream into the transcript: as they come, and as the turn that they become."""

from __future__ import annotations

import random

import pytest
from textual.pilot import Pilot
from textual.strip import Strip

from agents.views.turn_views import TurnView
from stores.records.play import Speaker
from tests.widgets.samples import PROSE, story_line, turn_view
from tests.widgets.stage import Stage, screen_text
from widgets.ink import UNSTYLED_INKS, Inks, Line, draw_line
from widgets.safe_text import PlainStream, plain_text
from widgets.transcript.live_turn import LiveTurn
from widgets.transcript.transcript import Transcript
from widgets.transcript.turn_lines import turn_strips

TEXTS = (
    PROSE,
    f"{PROSE}\n\n{PROSE}  Then   nothing.\n",
    "  “Go home,” she says, and there is a wordwithoutanyspacesatallthatislongerthanthewholelineofthis.",
    "海の底で鐘が鳴っている。" * 9,
    "[bold red]no markup[/] [link='x']at all[/link]",
    "\x1b[31mred\x1b[0m and \x1b]0;a title\x07still \x1b]8;;http://x\x1b\\here\x1b]8;;\x1b\\.",
)


def pieces(text: str, seed: int) -> list[str]:
    """Cut the text into pieces of a few characters, anywhere."""
    dice, cut = random.Random(seed), 0
    found = []
    while cut < len(text):
        size = dice.randint(1, 5)
        found.append(text[cut : cut + size])
        cut += size
    return found


def drawn(live: LiveTurn, width: int) -> list[str]:
    return [row.text.rstrip() for row in live.draw_strips(width, UNSTYLED_INKS)]


def finished(text: str, width: int, name: str = "") -> list[str]:
    """The lines that the finished turn is drawn with."""
    view = turn_view(3, Speaker.NPC if name else Speaker.GM, plain_text(text), name=name)
    return [row.text.rstrip() for row in turn_strips(view, width, UNSTYLED_INKS)]


@pytest.mark.parametrize("width", [20, 41, 78, 130])
@pytest.mark.parametrize("text", TEXTS)
def test_live_turn_what_streamed_in_looks_just_like_the_finished_turn(text: str, width: int) -> None:
    live = LiveTurn("t")
    for piece in pieces(text, width):
        live.add_text(piece)
        drawn(live, width)
    assert drawn(live, width) == finished(text, width)


def test_live_turn_what_opens_an_exchange_stands_apart() -> None:
    live = LiveTurn("turn-3", opens_exchange=True)
    live.add_text(PROSE)
    own = TurnView(turn_view(3).turn.model_copy(update={"exchange_id": "turn-3"}))
    assert drawn(live, 50) == [row.text.rstrip() for row in turn_strips(own, 50, UNSTYLED_INKS)]


def test_live_turn_another_width_wraps_it_all_anew() -> None:
    live = LiveTurn("t")
    for piece in pieces(PROSE * 3, 2):
        live.add_text(piece)
    assert drawn(live, 60) == finished(PROSE * 3, 60)
    assert drawn(live, 33) == finished(PROSE * 3, 33)


def test_live_turn_word_more_draws_no_more_lines_at_the_end_than_at_the_beginning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[Line] = []

    def counted(line: Line, inks: Inks, width: int) -> Strip:
        made.append(line)
        return draw_line(line, inks, width)

    monkeypatch.setattr("widgets.transcript.live_turn.draw_line", counted)
    live = LiveTurn("t")
    most = 0
    for word in (PROSE * 50).split(" "):
        live.add_text(f"{word} ")
        made.clear()
        live.draw_strips(80, UNSTYLED_INKS)
        most = max(most, len(made))
    assert most <= 2


def test_escapes_cut_in_two_never_come_through() -> None:
    parts = ["a", " ", "\n", "\x1b", "[", "]", "31", "m", "\x07", "\\", "\x9b", "\x9c", "P", "\u202e", "\t"]
    parts += ["\x1b]0;title\x07", "\x1b[31m", "0" * 90, "\x1b]" + "x" * 90, "\x00", "\ud800"]
    dice = random.Random(7)
    for seed in range(3_000):
        text = "".join(dice.choices(parts, k=10))
        stream = PlainStream()
        shown = "".join(map(stream.feed, pieces(text, seed)))
        assert plain_text(text).startswith(shown)
        assert not any(c in shown for c in "\x1b\x07\x9b\x9c\u202e\x00\ud800")


def test_line_breaks_of_any_kind_are_one_break_wherever_they_are_cut() -> None:
    stream = PlainStream()
    assert [stream.feed(piece) for piece in ("a\r", "\nb", "\r", "c")] == ["a", "\nb", "", "\nc"]


# --- in the transcript ------------------------------------------------------------------------------


async def opened(pilot: Pilot[None], line: list[TurnView]) -> Transcript:
    async def fetch(start: int, count: int) -> list[TurnView]:
        return line[start : start + count]

    transcript = pilot.app.query_one(Transcript)
    transcript.open_timeline(len(line), fetch)
    await drawn_out(pilot)
    return transcript


async def drawn_out(pilot: Pilot[None]) -> None:
    """Wait until everything that came is drawn: words that come fast are drawn a few times a second."""
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()
    while pilot.app.query_one(Transcript)._flush_timer is not None:
        await pilot.pause(0.01)


def words_in(transcript: Transcript) -> list[str]:
    """What it shows, without its scrollbar."""
    return [transcript.render_line(y).text for y in range(transcript.size.height)]


def stage() -> Stage:
    return Stage(Transcript(empty="Nothing yet."))


async def test_live_turn_words_grow_at_the_end_and_become_the_turn() -> None:
    app = stage()
    async with app.run_test(size=(80, 24)) as pilot:
        transcript = await opened(pilot, story_line(30))
        transcript.add_narrated_text("turn-30", "The tide ")
        await pilot.pause()
        assert screen_text(app).rstrip().endswith("gm   The tide")
        transcript.add_narrated_text("turn-30", "turns, \x1b[")
        transcript.add_narrated_text("turn-30", "2Jand the bell with it. " + PROSE)
        await drawn_out(pilot)
        before = screen_text(app)
        assert "gm   The tide turns, and the bell with it. The hinges" in before
        assert transcript.follow
        text = "The tide turns, and the bell with it. " + PROSE
        transcript.append(turn_view(30, text=text))
        await pilot.pause()
        assert screen_text(app) == before
        assert not transcript.is_narrating
        assert transcript.total == 31


async def test_live_turn_words_that_are_not_kept_go_away() -> None:
    app = stage()
    async with app.run_test(size=(80, 24)) as pilot:
        transcript = await opened(pilot, story_line(6))
        before = screen_text(app)
        transcript.add_narrated_text("turn-6", "He rises from the dead.")
        await pilot.pause()
        assert "He rises" in screen_text(app)
        transcript.drop_narrated_text("turn-6")
        await pilot.pause()
        assert screen_text(app) == before


async def test_live_turn_who_reads_further_up_is_left_there() -> None:
    app = stage()
    async with app.run_test(size=(80, 24)) as pilot:
        transcript = await opened(pilot, story_line(60))
        transcript.focus()
        await pilot.press("pageup")
        await pilot.pause()
        before = words_in(transcript)
        for _ in range(30):
            transcript.add_narrated_text("turn-60", PROSE)
        await drawn_out(pilot)
        assert words_in(transcript) == before
        transcript.append(turn_view(60, text=PROSE * 30))
        await pilot.pause()
        assert words_in(transcript) == before
        await pilot.press("end")
        await pilot.pause()
        assert screen_text(app).rstrip().endswith("ought to be still.")


async def test_live_turn_first_words_of_a_scene_take_the_place_of_what_an_empty_one_says() -> None:
    app = stage()
    async with app.run_test(size=(60, 10)) as pilot:
        transcript = await opened(pilot, [])
        assert "Nothing yet." in screen_text(app)
        transcript.add_narrated_text("turn-0", PROSE * 8)
        await drawn_out(pilot)
        assert "Nothing yet." not in screen_text(app)
        assert screen_text(app).rstrip().endswith("ought to be still.")
