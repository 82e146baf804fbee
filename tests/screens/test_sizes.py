"""On every screen, at every size from 80x24 on, nothing that is needed is cut off."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.screen import Screen
from textual.widget import Widget

from agents.services.services import Services
from screens import routes
from screens.key_bar import WAY_BACK, KeyBar
from screens.navigation import SCREENS
from screens.play.scene_screen import SceneScreen
from stores.records.ids import Id
from tests.screens.screen_driver import ScreenDriver, real_services, started_app
from widgets.prompt import PlayPrompt
from widgets.transcript.transcript import Transcript

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

SIZES = [(80, 24), (100, 30), (120, 40), (160, 50), (200, 60)]
MIN_STORY_CELLS = 60
LINES = (
    "/fact Wenna Pike ally_of Ivo Tarrant",
    "/commit",
    "> Ivo lays the knife on the table between them.",
    "/fact Wenna Pike enemy_of Ivo Tarrant",
)
"""They leave a fact in canon, and one at the gate that contradicts it."""

DOCUMENT = (
    "# The Salt Coast\n\nCaptain Mara Venn rules over Salt Quay. Old Bram keeps the lamp of Salt Quay.\n"
)


async def read_routes(services: Services, scene_id: Id) -> list[routes.Route]:
    """Return a route to every screen, with what is in the library."""
    view = await services.play.scene(scene_id)
    universe_id = view.universe.id
    wenna, ivo = [
        (await services.world.list_entities(universe_id, name))[0].id
        for name in ("Wenna Pike", "Ivo Tarrant")
    ]
    (turn, *_) = await services.play.transcript(scene_id, 0, 1)
    card = await services.world.read_card(wenna)
    fact_id = next(iter(card.facts)).fact.id
    (conflict_id, *_) = [row.proposal.id for row in view.proposals if row.conflicts]
    source_id = (await services.ingest.start_text("Salt Coast", DOCUMENT, universe_id)).source_id
    branch = await services.branches.make_branch(scene_id, turn.turn.id, "The other way")
    return [
        routes.ToSetup(),
        routes.ToStories(),
        routes.ToImport(),
        routes.ToSources(universe_id),
        routes.ToSourcesBesidePlay(universe_id),
        routes.ToDocument(universe_id),
        routes.ToReview(source_id),
        routes.ToPage(source_id, 1),
        routes.ToStory(view.story.id),
        routes.ToScene(scene_id),
        routes.ToReading(turn.turn.id),
        routes.ToGate(scene_id),
        routes.ToConflict(conflict_id),
        routes.ToPolicy(universe_id),
        routes.ToUniverse(universe_id),
        routes.ToPicture(wenna),
        routes.ToGridMaps(universe_id),
        routes.ToRetcon(fact_id),
        routes.ToLookalikes(universe_id),
        routes.ToMerge(wenna, ivo),
        routes.ToHistory(fact_id),
        routes.ToMoment(universe_id),
        routes.ToCharts(universe_id),
        routes.ToLanes(universe_id),
        routes.ToTimeline(universe_id),
        routes.ToBranchMap(universe_id),
        routes.ToBranchComparison(universe_id, branch.copy.universe_id),
        routes.ToRelationMap(universe_id),
        routes.ToRelations(wenna),
        routes.ToRemovedCanon(universe_id),
        routes.ToCommitments(universe_id),
        routes.ToCharacters(universe_id),
        routes.ToQuery(universe_id),
        routes.ToXray(turn.turn.id),
        routes.ToBill(),
        routes.ToLlmSetup(),
        routes.ToPrompts(),
        routes.ToSystem(),
        routes.ToTables(universe_id),
        routes.ToSettings(),
        routes.ToHelp(),
    ]


def list_faults(screen: Screen[object]) -> Iterator[str]:
    """Yield what is cut off or out of sight on a screen."""
    key_bar = screen.query_one(KeyBar)
    keys = str(key_bar.render())
    if key_bar.region.bottom != screen.size.height or "more" not in keys:
        yield f"the line of keys: {keys}"
    if any(key.key == WAY_BACK for key in key_bar.keys) and "esc" not in keys:
        yield f"the way back: {keys}"
    focused = screen.focused
    if screen.focus_chain and (focused is None or not screen.find_widget(focused).visible_region.area):
        yield f"the focus: {focused}"
    for widget in screen.query("*"):
        if _is_shown(widget) and not widget.children and not _can_be_scrolled_to(widget):
            geometry = screen.find_widget(widget)
            if geometry.region.area and geometry.visible_region != geometry.region:
                yield f"{widget}: {geometry.region}, of which is seen {geometry.visible_region}"


def _is_shown(widget: Widget) -> bool:
    return widget.visible and all(
        node.display for node in widget.ancestors_with_self if isinstance(node, Widget)
    )


def _can_be_scrolled_to(widget: Widget) -> bool:
    return any(
        isinstance(node, Widget) and node is not widget and (node.max_scroll_y or node.max_scroll_x)
        for node in widget.ancestors
    )


async def visit(ui: ScreenDriver, route: routes.Route) -> str:
    ui.app.post_message(routes.Visit(route))
    await ui.settle()
    return ui.screen


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_nothing_needed_is_cut_off_on_any_screen(size: tuple[int, int], played_home: Path) -> None:
    async with started_app(real_services(played_home, 8), size) as ui:
        faults = [f"menu: {fault}" for fault in list_faults(ui.app.screen)]
        await ui.press("enter")
        for line in LINES:
            await ui.type(line)
        scene = ui.app.screen
        assert isinstance(scene, SceneScreen)
        visited = []
        for route in await read_routes(ui.services, scene.scene_id):
            await visit(ui, routes.ToMenu())
            entry = SCREENS[type(route)]
            assert await visit(ui, route) == entry.class_name, route
            visited.append(type(route))
            faults += [f"{entry.class_name}: {fault}" for fault in list_faults(ui.app.screen)]
            if isinstance(route, routes.ToStory):
                faults += list_play_faults(ui)
        assert set(visited) == set(SCREENS)
        assert faults == []


def list_play_faults(ui: ScreenDriver) -> list[str]:
    """Return what is wrong with the play screen: the prompt whole, and room for the story."""
    prompt = ui.app.screen.query_one(PlayPrompt)
    story_cells = ui.app.screen.query_one(Transcript).scrollable_content_region.width
    return [
        *(["the prompt"] if not ui.app.screen.region.contains_region(prompt.region) else []),
        *([f"{story_cells} cells for the story"] if story_cells < MIN_STORY_CELLS else []),
    ]
