"""Names in the lines of a turn, as they are drawn."""

from __future__ import annotations

import pytest
from rich.segment import Segment
from textual.pilot import Pilot
from textual.strip import Strip

from agents.prose.entity_name_index import EntityNameIndex
from stores.records.world import EntityKind, EntityNames
from tests.widgets.samples import turn_view
from tests.widgets.stage import Stage, screen_text
from widgets.transcript.name_links import LINK_STYLE, LinkPiece, find_links, link_at, mark_link, put_label
from widgets.transcript.transcript import Transcript

WENNA = EntityNames("wenna", EntityKind.CHARACTER, "Wenna Pike")
NAMES = EntityNameIndex((WENNA,))
CLICK, HOVER = Pilot.click, Pilot.hover
"""As they are before this folder forbids the mouse: names are the one thing here that it leads to."""


def lines(*texts: str) -> list[Strip]:
    return [Strip([Segment(text)]) for text in texts]


def test_name_broken_over_two_lines_is_one_link() -> None:
    (link,) = find_links(
        lines(" gm   She looks at Wenna", "      Pike, and away.", "      Nobody else is here."), NAMES
    )
    assert link.pieces == (LinkPiece(0, 19, 24), LinkPiece(1, 6, 10))
    assert link_at([link], 1, 6) == link
    assert link_at([link], 1, 5) is None


def test_link_is_placed_by_cells_after_wide_characters() -> None:
    (link,) = find_links(lines(" gm   漢字 Wenna."), NAMES)
    assert link.pieces == (LinkPiece(0, 11, 16),)


def test_marked_line_keeps_its_words_and_its_width() -> None:
    strips = lines(" gm   Wenna’s net.   ")
    (link,) = find_links(strips, NAMES)
    marked = mark_link(strips[0], link, 0, LINK_STYLE)
    assert marked.text == strips[0].text
    assert [s.text for s in marked if s.style and s.style.underline] == ["Wenna"]
    assert put_label(strips[0], " card ").text == " gm   Wenna’s n card "


@pytest.mark.slow
async def test_pointer_over_a_name_tells_who_it_is_and_a_click_asks_for_the_card() -> None:
    app = Stage(Transcript())
    async with app.run_test(size=(60, 12)) as pilot:
        transcript = app.query_one(Transcript)
        transcript.append(turn_view(0, text="I nod to Wenna, and go."))
        transcript.set_names(NAMES)
        await pilot.pause()
        x = transcript.render_line(0).text.index("Wenna")
        await HOVER(pilot, transcript, (x + 1, 0))
        assert "Wenna Pike, character · click: card" in screen_text(app)
        await HOVER(pilot, transcript, (x - 2, 0))
        assert "card" not in screen_text(app)
        await CLICK(pilot, transcript, (x - 2, 0))
        assert app.of(Transcript.NameChosen) == []
        await CLICK(pilot, transcript, (x + 1, 0))
        assert [message.entity_id for message in app.of(Transcript.NameChosen)] == ["wenna"]


async def test_steps_go_through_the_names_on_the_screen_and_round() -> None:
    app = Stage(Transcript())
    async with app.run_test(size=(60, 4)) as pilot:
        transcript = app.query_one(Transcript)
        for depth in range(6):
            transcript.append(turn_view(depth, text=f"{depth}: Wenna waits."))
        transcript.set_names(NAMES)
        await pilot.pause()
        transcript.focus()
        await pilot.pause()
        rows = []
        for _ in range(5):
            await pilot.press("right_square_bracket")
            rows.append(transcript.cursor)
        assert rows == [5, 2, 3, 4, 5]
        await pilot.press("left_square_bracket", "enter")
        assert transcript.cursor == 4
        assert len(app.of(Transcript.NameChosen)) == 1
        assert app.of(Transcript.TurnChosen) == []
        await pilot.press("down", "enter")
        assert len(app.of(Transcript.TurnChosen)) == 1
