"""The status bar at every width, and the line that asks about what is critical."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stores.records.play import Scene, Story
from stores.records.world import Universe
from tests.widgets.samples import NOW, scene_view
from tests.widgets.stage import Stage, screen_text
from tests.widgets.test_safe_text import TEXTS, is_safe
from widgets.cast_box import CastBox
from widgets.entity_card import EntityCardView
from widgets.entity_tree import EntityTree
from widgets.evidence_list import EvidenceList
from widgets.helpable import Helpable
from widgets.prompt import PlayPrompt
from widgets.proposal_detail import ProposalDetail
from widgets.proposal_list import ProposalList
from widgets.status_bar import StatusBar, status_content
from widgets.transcript.transcript import Transcript
from widgets.trigger_bar import TriggerBar


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (
            110,
            " Salt Coast · The Drowned Bell · scene 3 “Under the chapel” · The Drowned Chapel",
        ),
        (100, " The Drowned Bell · scene 3 “Under the chapel” · The Drowned Chapel"),
        (80, " The Drowned Bell · scene 3 · The Drowned Chapel"),
        (66, " The Drowned Bell · scene 3 “Under the…”"),
        (56, " The Drowned Bell · scene 3"),
        (40, " The Drowned Bell · scene 3"),
        (32, " The Dro… · scene 3"),
    ],
)
def test_bar_header_gives_up_its_parts_in_order(width: int, line: str) -> None:
    text = status_content(scene_view(), width).plain
    assert len(text) == width
    assert text.startswith(line + " ")
    assert text.rstrip().endswith("Day 3, dusk" if width <= 40 else "tension 5")


@pytest.mark.slow
@given(TEXTS, TEXTS, TEXTS, st.integers(20, 160))
def test_bar_header_takes_one_line_of_the_width(universe: str, story: str, title: str, width: int) -> None:
    content = status_content(
        scene_view(
            universe=Universe(id="u", name=universe, recorded_at=NOW),
            story=Story(id="s", universe_id="u", title=story, created_at=NOW),
            scene=Scene(id="c", story_id="s", universe_id="u", order=12, title=title, created_at=NOW),
        ),
        width,
    )
    assert is_safe(content.plain)
    assert "\n" not in content.plain
    assert content.cell_length <= width


@given(TEXTS, st.integers(20, 160), st.sampled_from(("", "indexing 3", "remembering 1,234,567")))
def test_bar_header_keeps_its_width_whatever_is_done_behind_play(title: str, width: int, behind: str) -> None:
    scene = Scene(id="c", story_id="s", universe_id="u", order=12, title=title, created_at=NOW)
    content = status_content(scene_view(scene=scene), width, "$0.04", behind)
    assert content.cell_length <= width
    if width >= 80:
        assert content.plain.rstrip().endswith(behind or "$0.04")


async def test_bar_header_follows_the_scene() -> None:
    bar = StatusBar()
    app = Stage(bar)
    async with app.run_test(size=(130, 5)) as pilot:
        bar.view = scene_view()
        bar.extra = "$0.04"
        await pilot.pause()
        line = screen_text(app).splitlines()[0]
        assert line.startswith(" Salt Coast · The Drowned Bell")
        assert line.endswith("Day 3, dusk   tension 5   $0.04")


async def test_bar_what_is_critical_is_asked_in_the_bar_and_answered_by_key() -> None:
    bar = TriggerBar()
    app = Stage(bar)
    async with app.run_test(size=(100, 5)) as pilot:
        assert not bar.display
        bar.why = "The Hidden Chamber is new"
        await pilot.pause()
        assert (
            "★ The Hidden Chamber is new   Enter: make it canon now · Esc: decide at scene end"
            in screen_text(app)
        )
        bar.focus()
        await pilot.press("escape", "enter")
        assert len(app.of(TriggerBar.Dismissed)) == 1
        assert len(app.of(TriggerBar.CommitRequested)) == 1
        bar.why = ""
        await pilot.pause()
        assert not bar.display


@pytest.mark.parametrize("size", [(50, 9), (80, 24), (100, 30)])
async def test_bar_is_readable_whole_where_it_is_narrow(size: tuple[int, int]) -> None:
    bar = TriggerBar()
    app = Stage(bar)
    why = (
        "Critical: Captain Vess of the Salvage Skiff is killed by Old Tam Weaver on the stair of the Tower; "
        "the Hidden Chamber is a discovery (with what this needs: Mara is in the Hidden Chamber)"
    )
    async with app.run_test(size=size) as pilot:
        bar.why = why
        await pilot.pause()
        lines = [line.strip() for line in screen_text(app).splitlines() if line.strip()]
        assert " ".join(lines).startswith(f"★ {why} Enter: ")
        assert "…" not in " ".join(lines)
        assert lines[-1].endswith(("Esc: later", "Esc: decide at scene end"))


@pytest.mark.parametrize(
    "widget",
    [
        Transcript,
        PlayPrompt,
        ProposalList,
        TriggerBar,
        EntityTree,
        EntityCardView,
        EvidenceList,
        ProposalDetail,
        CastBox,
    ],
)
async def test_widgets_explain_themselves(widget: type) -> None:
    made = widget()
    assert isinstance(made, Helpable)
    assert made.HELP_TITLE
    assert made.HELP_TEXT
