"""The screen of each route, one row each. A screen's module is imported on its first visit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib import import_module
from typing import TYPE_CHECKING, Final

from screens import routes
from screens.base import ServiceScreen

if TYPE_CHECKING:
    from agents.services.services import Services


@dataclass(frozen=True, slots=True)
class ScreenEntry:
    """A screen's class, which takes the services and the fields of its route by name."""

    module: str
    """Its module below `screens`."""
    class_name: str
    is_over_menu: bool = False
    """Whether it replaces everything that is open over the menu."""
    title: str = ""
    """What its title bar begins with, for screens to which the menu leads: it is shown until the screen is loaded."""


SCREENS: Final[Mapping[type, ScreenEntry]] = {
    routes.ToSetup: ScreenEntry("setup.setup_screen", "SetupScreen", title="Start a story"),
    routes.ToStories: ScreenEntry("setup.stories_screen", "StoriesScreen", title="Continue a story"),
    routes.ToImport: ScreenEntry("ingest.import_screen", "ImportScreen"),
    routes.ToSources: ScreenEntry(
        "ingest.sources_screen", "SourcesScreen", is_over_menu=True, title="Documents"
    ),
    routes.ToSourcesBesidePlay: ScreenEntry("ingest.sources_screen", "SourcesScreen"),
    routes.ToDocument: ScreenEntry("ingest.document_screen", "DocumentScreen"),
    routes.ToReview: ScreenEntry("ingest.review_screen", "ReviewScreen"),
    routes.ToPage: ScreenEntry("ingest.page_screen", "PageScreen"),
    routes.ToStory: ScreenEntry("play.scene_screen", "SceneScreen", is_over_menu=True),
    routes.ToScene: ScreenEntry("play.scene_screen", "SceneScreen", is_over_menu=True),
    routes.ToReading: ScreenEntry("play.reading_screen", "ReadingScreen"),
    routes.ToGate: ScreenEntry("gate.gate_screen", "GateScreen"),
    routes.ToConflict: ScreenEntry("gate.conflict_screen", "ConflictScreen"),
    routes.ToPolicy: ScreenEntry("gate.policy_screen", "PolicyScreen"),
    routes.ToUniverse: ScreenEntry("world.universe_screen", "UniverseScreen", title="Universe"),
    routes.ToPicture: ScreenEntry("world.picture_screen", "PictureScreen"),
    routes.ToRetcon: ScreenEntry("world.retcon_screen", "RetconScreen"),
    routes.ToLookalikes: ScreenEntry("world.lookalikes_screen", "LookalikesScreen"),
    routes.ToMerge: ScreenEntry("world.merge_screen", "MergeScreen"),
    routes.ToHistory: ScreenEntry("world.fact_history_screen", "FactHistoryScreen"),
    routes.ToMoment: ScreenEntry("world.moment_screen", "MomentScreen"),
    routes.ToCharts: ScreenEntry("world.charts_screen", "ChartsScreen"),
    routes.ToLanes: ScreenEntry("world.lanes_screen", "LanesScreen"),
    routes.ToTimeline: ScreenEntry("world.timeline_screen", "TimelineScreen"),
    routes.ToBranchMap: ScreenEntry("world.branch_map_screen", "BranchMapScreen"),
    routes.ToBranchComparison: ScreenEntry("world.branch_comparison_screen", "BranchComparisonScreen"),
    routes.ToRelationMap: ScreenEntry("world.relation_map_screen", "RelationMapScreen"),
    routes.ToGridMaps: ScreenEntry("world.grid_map_screen", "GridMapScreen"),
    routes.ToRelations: ScreenEntry("world.relations_screen", "RelationsScreen"),
    routes.ToRemovedCanon: ScreenEntry("world.removed_canon_screen", "RemovedCanonScreen"),
    routes.ToCommitments: ScreenEntry("world.commitments_screen", "CommitmentsScreen"),
    routes.ToCharacters: ScreenEntry("characters.characters_screen", "CharactersScreen", title="Characters"),
    routes.ToQuery: ScreenEntry("query.query_screen", "QueryScreen", title="Query"),
    routes.ToXray: ScreenEntry("llm.xray_screen", "XrayScreen"),
    routes.ToBill: ScreenEntry("llm.bill_screen", "BillScreen", title="Bill"),
    routes.ToLlmSetup: ScreenEntry("llm.llm_setup_screen", "LlmSetupScreen", title="Model"),
    routes.ToPrompts: ScreenEntry("llm.prompts_screen", "PromptsScreen"),
    routes.ToSystem: ScreenEntry("system.system_screen", "SystemScreen", title="System"),
    routes.ToTables: ScreenEntry("world.tables_screen", "TablesScreen", title="Tables"),
    routes.ToSettings: ScreenEntry("system.settings_screen", "SettingsScreen", title="Settings"),
    routes.ToHelp: ScreenEntry("system.help_screen", "HelpScreen", title="Help"),
}
"""Every route that opens a screen; the others (`ToMenu`, `Back`, `ToPrompt`) return to an open one."""


_loaded_classes: Final[dict[ScreenEntry, type[ServiceScreen[None]]]] = {}


def screen_class(entry: ScreenEntry) -> type[ServiceScreen[None]]:
    """Import the module of a screen and return its class."""
    loaded_class: type[ServiceScreen[None]] = getattr(
        import_module(f"screens.{entry.module}"), entry.class_name
    )
    _loaded_classes[entry] = loaded_class
    return loaded_class


def is_loaded(route: routes.Route) -> bool:
    """Return whether the screen of a route can be created without an import."""
    return SCREENS[type(route)] in _loaded_classes


def create_screen(services: Services, route: routes.Route) -> ServiceScreen[None]:
    """Return the screen that a route leads to."""
    values = {field.name: getattr(route, field.name) for field in fields(route)}
    return screen_class(SCREENS[type(route)])(services, **values)


def import_screens() -> None:
    """Import every screen, so that no visit costs an import and every key has its name."""
    for entry in SCREENS.values():
        screen_class(entry)
    import_module("screens.dialogs.jump_screen")  # no route leads there: a key opens it over any screen
