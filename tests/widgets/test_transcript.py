"""The transcript by keyboard: what it fetches, where it stands, what it says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import pairwise
from typing import Self

import pytest
from textual.geometry import Region
from textual.pilot import Pilot
from textual.strip import Strip

from agents.views.turn_views import TurnView
from stores.errors import StoreError
from stores.records.play import Speaker
from tests.widgets.samples import story_line, turn_view
from tests.widgets.stage import Stage, screen_text
from widgets.transcript.transcript import Transcript
from widgets.transcript.turn_pages import PAGE_SIZE


class Source:
    """Gives the rows of a line and keeps what was asked for."""

    def __init__(self, line: list[TurnView], note_asking: Callable[[], object] = lambda: None) -> None:
        self.line = line
        self.note_asking = note_asking
        self.asked: list[tuple[int, int]] = []
        self.broken = False
        self.gate: asyncio.Event | None = None

    async def fetch(self, start: int, count: int) -> list[TurnView]:
        self.asked.append((start, count))
        self.note_asking()
        if self.gate is not None:
            await self.gate.wait()
        if self.broken:
            raise StoreError("The log cannot be read.")
        return self.line[start : start + count]


class CountedTranscript(Transcript):
    """Counts the frames that it was drawn in."""

    frame_count = 0

    def render_lines(self, crop: Region) -> list[Strip]:
        self.frame_count += 1
        return super().render_lines(crop)


async def opened(pilot: Pilot[None], source: Source) -> Transcript:
    transcript = pilot.app.query_one(Transcript)
    transcript.open_timeline(len(source.line), source.fetch)
    transcript.focus()
    await settled(pilot)
    return transcript


async def settled(pilot: Pilot[None]) -> None:
    """Wait until nothing more is read or laid out: what is near the view is read after the frame."""
    transcript, words_before = pilot.app.query_one(Transcript), None
    while True:
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        words = words_in(transcript)
        if words == words_before and not any(worker.is_running for worker in pilot.app.workers):
            return
        words_before = words


def words_in(transcript: Transcript) -> list[str]:
    return [transcript.render_line(y).text for y in range(transcript.size.height)]


def stage() -> Stage:
    return Stage(Transcript(empty="Say what you do."))


async def test_transcript_empty_line_says_what_to_do() -> None:
    app = stage()
    async with app.run_test(size=(60, 20)) as pilot:
        await opened(pilot, Source([]))
        assert "▌ Say what you do." in screen_text(app), "the bar shows where keys go"
        await pilot.press("up", "down", "pageup", "pagedown", "home", "end", "enter", "y")
        assert app.of(Transcript.TurnChosen) == []


async def test_ten_thousand_turns_open_at_the_end_with_one_page() -> None:
    app, source = stage(), Source(story_line(10_000))
    async with app.run_test(size=(80, 24)) as pilot:
        transcript = await opened(pilot, source)
        assert source.asked == [(9_950, PAGE_SIZE)]
        assert transcript.cursor == 9_999
        assert "leave it shut" in screen_text(app).splitlines()[-1]


async def test_keys_fetch_only_the_pages_they_come_to() -> None:
    app, source = stage(), Source(story_line(10_000))
    async with app.run_test(size=(80, 24)) as pilot:
        transcript = await opened(pilot, source)
        await pilot.press("home")
        await settled(pilot)
        assert source.asked == [(9_950, PAGE_SIZE), (0, PAGE_SIZE)]
        assert transcript.cursor == 0
        assert "try 0" in screen_text(app).splitlines()[0]
        await pilot.press("end")
        await settled(pilot)
        assert len(source.asked) == 2
        transcript.jump_to(5_000)
        await settled(pilot)
        assert {start for start, _ in source.asked[2:]} <= {4_950, 5_000}
        assert "try 5000" in screen_text(app)


async def test_page_near_the_view_is_asked_for_after_the_frame_that_a_key_waits_for() -> None:
    transcript = CountedTranscript()
    app = Stage(transcript)
    source = Source(story_line(2_000), lambda: frames_when_asked.append(transcript.frame_count))
    frames_when_asked: list[int] = []
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, source)
        frames_when_asked.clear()
        for _ in range(40):
            frames_before = transcript.frame_count
            await pilot.press("pageup")
            await settled(pilot)
            assert "…" not in screen_text(app), "what is in view was read before"
            assert all(frames > frames_before for frames in frames_when_asked)
            frames_when_asked.clear()
        assert len(source.asked) > 3


async def test_transcript_cursor_goes_turn_by_turn_and_says_where_it_stands() -> None:
    app, source = stage(), Source(story_line(40))
    async with app.run_test(size=(80, 24)) as pilot:
        transcript = await opened(pilot, source)
        await pilot.press("up", "k", "down", "enter")
        assert transcript.cursor == 38
        assert [m.view.turn.depth for m in app.of(Transcript.TurnHighlighted)][-3:] == [38, 37, 38]
        (chosen,) = app.of(Transcript.TurnChosen)
        assert (chosen.turn_id, chosen.depth) == ("turn-38", 38)


async def test_page_keys_read_through_the_whole_line() -> None:
    app, source = stage(), Source(story_line(60))
    async with app.run_test(size=(80, 24)) as pilot:
        transcript = await opened(pilot, source)
        seen = [transcript.cursor]
        for _ in range(8):
            await pilot.press("pageup")
            await settled(pilot)
            seen.append(transcript.cursor)
        assert seen == sorted(seen, reverse=True)  # type: ignore[type-var]
        assert seen[-1] == 0
        assert transcript.scroll_offset.y == 0
        await pilot.press(*["pagedown"] * 8)
        assert transcript.cursor == 59
        assert transcript.follow


async def test_transcript_view_follows_new_turns_only_from_the_end() -> None:
    app, source = stage(), Source(story_line(40))
    async with app.run_test(size=(80, 24)) as pilot:
        transcript = await opened(pilot, source)
        transcript.append(turn_view(40, Speaker.PLAYER, "I ring it."))
        await pilot.pause()
        assert "I ring it." in screen_text(app).splitlines()[-1]
        await pilot.press("pageup", "pageup")
        before = words_in(transcript)
        assert not transcript.follow
        for depth in range(41, 50):
            transcript.append(turn_view(depth))
        await pilot.pause()
        assert words_in(transcript) == before
        await pilot.press("end")
        assert transcript.follow
        assert transcript.cursor == 49


async def test_resizing_keeps_the_place() -> None:
    app, source = stage(), Source(story_line(400))
    async with app.run_test(size=(100, 24)) as pilot:
        transcript = await opened(pilot, source)
        transcript.jump_to(200)
        await settled(pilot)
        await pilot.resize_terminal(50, 20)
        await settled(pilot)
        assert "try 200" in screen_text(app)
        assert all(len(line) <= 50 for line in screen_text(app).splitlines())
        await pilot.press("end")
        await pilot.resize_terminal(90, 30)
        await settled(pilot)
        assert transcript.follow
        assert transcript.scroll_offset.y == transcript.max_scroll_y


@pytest.mark.slow
async def test_transcript_what_is_on_the_screen_does_not_jump_while_pages_come() -> None:
    """Text moves by just the lines asked for, however wrong the guesses above it were."""
    line = [turn_view(d, text=f"turn {d} " + "word " * (d * 37 % 400)) for d in range(400)]
    app, source = stage(), Source(line)
    async with app.run_test(size=(60, 20)) as pilot:
        transcript = await opened(pilot, source)
        for _ in range(200):
            before = words_in(transcript)
            transcript.scroll_relative(y=-3, animate=False)
            await app.workers.wait_for_complete()
            await pilot.pause(0)
            assert words_in(transcript)[3:] == before[:-3]


async def test_streamed_words_and_later_marks_are_drawn_in_place() -> None:
    app, source = stage(), Source(story_line(10))
    async with app.run_test(size=(80, 30)) as pilot:
        transcript = await opened(pilot, source)
        transcript.append(turn_view(10, text="The"))
        for words in ("The bell", "The bell is", "The bell is gone."):
            transcript.update_turn(turn_view(10, text=words))
        transcript.append(turn_view(2, text="A known turn, with facts.", made_count=7))
        await pilot.pause(0.1)
        assert "The bell is gone." in screen_text(app)
        assert "★7" in screen_text(app)
        assert transcript.total == 11


async def test_transcript_shorter_line_after_undo_reads_its_tail_again() -> None:
    app, source = stage(), Source(story_line(60))
    async with app.run_test(size=(80, 24)) as pilot:
        transcript = await opened(pilot, source)
        source.line = [*source.line[:56], turn_view(56, Speaker.PLAYER, "I leave it.")]
        source.asked.clear()
        transcript.reload(57)
        await settled(pilot)
        assert (50, 7) in source.asked
        assert transcript.total == 57
        assert transcript.cursor == 56
        assert "I leave it." in screen_text(app)


async def test_pages_of_an_older_line_are_thrown_away() -> None:
    app, old, new = stage(), Source(story_line(8)), Source([turn_view(0, Speaker.PLAYER, "Elsewhere.")])
    old.gate = asyncio.Event()
    async with app.run_test(size=(80, 24)) as pilot:
        transcript = app.query_one(Transcript)
        transcript.open_timeline(8, old.fetch)
        await pilot.pause()
        transcript.open_timeline(1, new.fetch)
        old.gate.set()
        await settled(pilot)
        assert "Elsewhere." in screen_text(app)
        assert "try" not in screen_text(app)


async def test_transcript_page_that_cannot_be_read_is_said_and_asked_for_again() -> None:
    app, source = stage(), Source(story_line(20))
    source.broken = True
    async with app.run_test(size=(80, 24)) as pilot:
        transcript = await opened(pilot, source)
        assert [str(m.error) for m in app.of(Transcript.FetchFailed)] == ["The log cannot be read."]
        source.broken = False
        await pilot.press("home")
        transcript.reload(20)
        await settled(pilot)
        assert "try 0" in screen_text(app)


async def test_transcript_story_alone_has_no_rolls_and_the_cursor_skips_them() -> None:
    app, source = stage(), Source(story_line(40))
    async with app.run_test(size=(80, 24)) as pilot:
        transcript = await opened(pilot, source)
        transcript.hide_mechanics = True
        await settled(pilot)
        assert "⚄" not in screen_text(app)
        assert "★" not in screen_text(app)
        for expected in (38, 36, 35):
            await pilot.press("up")
            assert transcript.cursor == expected
        transcript.hide_mechanics = False
        await settled(pilot)
        assert "⚄" in screen_text(app)


async def test_transcript_jump_marks_its_turn_without_the_focus_until_play_goes_on() -> None:
    app, source = stage(), Source(story_line(100))
    async with app.run_test(size=(80, 24)) as pilot:
        transcript = await opened(pilot, source)
        app.set_focus(None)
        await pilot.pause()
        assert "▌" not in screen_text(app)
        transcript.jump_to(20)
        await settled(pilot)
        assert next(line for line in screen_text(app).splitlines() if "try 20" in line).startswith("▌")
        transcript.append(turn_view(100))
        await pilot.pause()
        assert "▌" not in screen_text(app)


async def test_transcript_jump_stays_in_its_place_as_the_lines_around_the_story_are_laid_out() -> None:
    """A note or a line of keys may come before or after the jump: where the turn stands does not hang on it."""
    app, source = stage(), Source(story_line(100))
    async with app.run_test(size=(80, 30)) as pilot:
        transcript = await opened(pilot, source)
        transcript.jump_to(20)
        for height in (24, 12, 30):
            transcript.styles.height = height
            while transcript.size.height != height:
                await pilot.pause()
            await settled(pilot)
            assert "try 20" in words_in(transcript)[height // 3 + 1]
        # What is read on from there stays, too.
        transcript.scroll_relative(y=3, animate=False)
        await settled(pilot)
        before = words_in(transcript)
        transcript.styles.height = 24
        await settled(pilot)
        assert words_in(transcript) == before[:24]


async def test_transcript_turn_taller_than_the_view_is_read_through() -> None:
    app = stage()
    source = Source([turn_view(0, text="word " * 400), turn_view(1, text="after")])
    async with app.run_test(size=(40, 10)) as pilot:
        transcript = await opened(pilot, source)
        await pilot.press("home")
        tops = [transcript.scroll_offset.y]
        while transcript.cursor == 0:
            await pilot.press("down")
            tops.append(transcript.scroll_offset.y)
        assert tops == sorted(tops)
        assert max(b - a for a, b in pairwise(tops)) <= 5


@pytest.mark.parametrize("depth", [-5, 0, 39, 400])
async def test_jumps_are_kept_within_the_line(depth: int) -> None:
    app, source = stage(), Source(story_line(40))
    async with app.run_test(size=(80, 24)) as pilot:
        transcript = await opened(pilot, source)
        transcript.jump_to(depth)
        await settled(pilot)
        assert transcript.cursor == max(0, min(depth, 39))


async def test_copying_puts_the_turns_words_on_the_clipboard() -> None:
    app, source = stage(), Source(story_line(4))
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, source)
        await pilot.press("y")
        assert app.clipboard == "“You were told to leave it shut.”"


async def test_left_and_right_are_the_screens() -> None:
    """They walk the takes of a turn."""
    app, source = stage(), Source(story_line(4))
    async with app.run_test(size=(80, 24)) as pilot:
        transcript = await opened(pilot, source)
        assert not {"left", "right"} & {
            key for key, active in transcript.screen.active_bindings.items() if active.node is transcript
        }


class WatchedTranscript(Transcript):
    """A transcript that keeps which lines it was asked to draw again, and how often to lay the screen out."""

    def __init__(self) -> None:
        super().__init__()
        self.dirty_lines: set[int] = set()
        self.layout_count = 0

    def refresh(
        self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Self:
        self.layout_count += layout
        for region in regions or (Region(0, 0, 1, self.size.height),):
            self.dirty_lines |= set(range(region.y, region.bottom))
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)


@pytest.mark.slow
async def test_pages_that_arrive_out_of_view_draw_nothing_and_lay_nothing_out() -> None:
    transcript, source = WatchedTranscript(), Source(story_line(2_000))
    async with Stage(transcript).run_test(size=(80, 24)) as pilot:
        await opened(pilot, source)
        shown = dict(enumerate(words_in(transcript)))
        transcript.layout_count = 0
        undrawn_pages = 0
        for _ in range(20):
            source.gate = asyncio.Event()
            asked_before = len(source.asked)
            await pilot.press("pageup")
            await pilot.pause()
            shown |= {y: transcript.render_line(y).text for y in transcript.dirty_lines}
            transcript.dirty_lines.clear()
            source.gate.set()
            await settled(pilot)
            undrawn_pages += len(source.asked) > asked_before and not transcript.dirty_lines
            shown |= {y: transcript.render_line(y).text for y in transcript.dirty_lines}
            transcript.dirty_lines.clear()
            assert [shown[y] for y in range(transcript.size.height)] == words_in(transcript)
        assert undrawn_pages > 0
        assert transcript.layout_count == 0
