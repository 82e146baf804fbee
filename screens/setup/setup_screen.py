"""Story set-up: a universe, rules, a hero, a story, a first scene. Everything is suggested; Enter goes on.

Nothing is created before the last step except the sample universe, so leaving leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.events import Key
from textual.message import Message
from textual.widget import Widget
from textual.widgets import ContentSwitcher, Input, Static

from agents.services.world_now import WorldNow
from agents.story_outline import MainMode, NewCharacter, NewUniverse, StoryOutline
from agents.views.sheet_views import RulePackView
from screens.base import ServiceScreen
from screens.dialogs.field_problems import clear_field_problem, show_field_problem
from screens.dialogs.form_fields import FieldInput, Picker
from screens.folder import SCREENS_FOLDER
from screens.key_bar import KeyBar
from screens.routes import ToDocument, ToMenu, ToScene, Visit
from screens.setup.hero_page import NewHeroPage
from screens.setup.opening_page import OpeningPage
from screens.setup.setup_choices import STORY_IDEA_ROW_ID, hero_rows, rule_rows
from screens.setup.setup_pages import NEW_ROW_ID, NewWorldPage, PickPage, PickRow, StoryPage
from screens.setup.story_idea_panel import ASKING_TEXT, CHOOSE_HERO_TEXT, FILLED_TEXT, StoryIdeaPanel
from screens.setup.story_outline import NOTHING_PLAYED, clear_outline, suggest_outline
from screens.typed_ahead import TypedAheadDropped, TypedAheadReady, type_ahead
from stores.errors import InputError, MonitorError
from stores.records.ids import Id
from stores.records.world import Entity, Universe

if TYPE_CHECKING:
    from agents.personas.outputs import StoryIdea
    from agents.services.services import Services

SETUP_STEPS = ("World", "Rules", "Hero", "Story", "Opening")
STEP_BY_PAGE = {"world": 0, "new-world": 0, "rules": 1, "hero": 2, "new-hero": 2, "story": 3, "opening": 4}
PREVIOUS_PAGE = {
    "new-world": "world",
    "rules": "world",
    "hero": "rules",
    "new-hero": "hero",
    "story": "hero",
    "opening": "story",
}
NAME_FIELDS = {"new-world": "#world-name", "new-hero": "#hero-name"}
SAMPLE_ROW_ID = "sample"
DOCUMENT_ROW_ID = "document"
DEFAULT_SYSTEM_ID = "lantern_twos"
"""The rules that are suggested where the universe suggests none."""


@dataclass(frozen=True, slots=True)
class StoryWorld:
    """The universe of the story: one that exists, or one to create when the story begins."""

    universe: Universe | NewUniverse
    characters: Sequence[Entity] = ()
    dead_ids: frozenset[Id] = frozenset()
    """Which of them are dead."""
    places: Sequence[Entity] = ()
    now: WorldNow = NOTHING_PLAYED
    """Its time, its stories, and where people are."""
    suggested_outline: StoryOutline | None = None
    """The story that the universe itself suggests; the sample has one."""


class SetupScreen(ServiceScreen[None]):
    """Five steps from nothing to the first scene."""

    CSS_PATH = SCREENS_FOLDER / "setup/setup_screen.tcss"
    AUTO_FOCUS = "#world Picker"
    BINDING_GROUP_TITLE = "Start a story"
    PANELS = (StoryIdeaPanel,)
    BINDINGS = [
        Binding("enter", "next", "Go on", id="setup.next", tooltip="On to the next step", key_display="⏎"),
        Binding("escape", "back", "Back", id="setup.back", tooltip="Back to the step before"),
    ]

    @dataclass
    class UniversesLoaded(Message):
        """The universes and the rule packs."""

        universes: list[Universe]
        systems: tuple[RulePackView, ...]

    @dataclass
    class WorldLoaded(Message):
        """The contents of the universe that was picked."""

        world: StoryWorld

    @dataclass
    class StoryStarted(Message):
        """The story is created, and its first scene is open."""

        scene_id: Id

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._idea_panel = StoryIdeaPanel(services.llm)
        self._has_entered_mode = False
        self._is_page_coming = True
        """Whether the keys that are pressed now are meant for a page which is not there yet."""
        self._universes: dict[Id, Universe] = {}
        self._rule_systems: dict[str, RulePackView] = {}
        self._rule_system: RulePackView | None = None
        self._world: StoryWorld | None = None
        self._outline: StoryOutline | None = None
        self._player_character: Entity | NewCharacter | None = None
        self._idea: StoryIdea | None = None
        self._suggestion_basis: tuple[StoryWorld, Entity | NewCharacter | None, StoryIdea | None] | None = (
            None
        )

    def compose(self) -> ComposeResult:
        yield Static(id="progress", markup=False)
        with self._idea_panel, ContentSwitcher(initial="world", id="pages"):
            yield PickPage("Which world is it set in?", id="world")
        yield Static(id="problem", markup=False)
        yield KeyBar()

    def on_mount(self) -> None:
        self._show_progress()

    async def _mount_later_pages(self) -> None:
        """Mount the pages after the first one, which is enough for the first frame."""
        rules = PickPage("By which rules do you play?", id="rules")
        hero = PickPage("Whom do you play?", id="hero")
        pages = (NewWorldPage(), rules, hero, NewHeroPage(), StoryPage(), OpeningPage())
        for page in pages:
            page.display = False
        await self.query_one("#pages").mount_all(pages)

    # --- the world ---------------------------------------------------------------------------------

    async def load_view(self) -> None:
        if not self._has_entered_mode:
            await self.services.stories.enter(MainMode.START_STORY)
            self._has_entered_mode = True
        self.post_message(
            self.UniversesLoaded(
                await self.services.stories.universes(), await self.services.stories.systems()
            )
        )

    @on(UniversesLoaded)
    async def _show_universes(self, message: UniversesLoaded) -> None:
        is_first_time = not self.query(StoryPage)
        if is_first_time:
            await self._mount_later_pages()
        self._universes = {u.id: u for u in message.universes}
        self._rule_systems = {s.id or f"file:{s.name}": s for s in message.systems}
        universe_rows = [PickRow(u.id, u.name, u.genre, u.description) for u in message.universes]
        new_world_row = PickRow(
            NEW_ROW_ID, "+ A new world", "you name it", "An empty world. You fill it in play."
        )
        sample_row = PickRow(
            SAMPLE_ROW_ID,
            "◆ The sample world",
            "ready to play",
            "Comes with MONITOR: a coast, its people, a drowned bell and two secrets.",
        )
        document_row = PickRow(
            DOCUMENT_ROW_ID,
            "¶ From a document",
            "a rulebook, a setting, notes",
            "Read in what you have: a world is made of it, and what it says waits for you to accept it.",
        )
        self.query_one("#world", PickPage).show_rows(
            [*universe_rows, new_world_row, document_row, sample_row]
            if universe_rows
            else [sample_row, new_world_row, document_row]
        )
        if is_first_time:
            self.call_after_refresh(self._enter_page)

    @on(PickPage.RowPicked)
    async def _apply_pick(self, message: PickPage.RowPicked) -> None:
        message.stop()
        self._is_page_coming = False
        if message.page.id == "rules":
            await self._choose_rules(self._rule_systems.get(message.row_id))
        elif message.row_id == STORY_IDEA_ROW_ID:
            self._idea_panel.action_in_words()
        elif message.row_id == NEW_ROW_ID:
            self._show_page(f"new-{message.page.id}")
        elif message.row_id == DOCUMENT_ROW_ID:
            self.post_message(Visit(ToDocument()))
        elif message.page.id == "world":
            self._is_page_coming = True
            self._load_world(self._universes.get(message.row_id))
        else:
            self._choose_hero(next((c for c in self._characters if c.id == message.row_id), None))
        self._press_typed_ahead()

    @on(PickPage.NameTyped)
    def _begin_name(self, message: PickPage.NameTyped) -> None:
        """Show the form of something new with the name typed so far; more may come before it has the focus."""
        message.stop()
        new_page = f"new-{message.page.id}"
        name_field = self.query_one(NAME_FIELDS[new_page], FieldInput)
        has_begun = self.current_page == new_page
        if not has_begun:
            name_field.select_on_focus = False
            self._show_page(new_page)
        name_field.value = name_field.value + message.character if has_begun else message.character
        name_field.cursor_position = len(name_field.value)

    @work(exclusive=True, group="world", exit_on_error=False)
    async def _load_world(self, universe: Universe | None) -> None:
        """Read the contents of the universe; None adds the sample."""
        chosen_universe = universe or await self.services.stories.add_sample()
        people, dead_ids, places, now = (
            await self.services.stories.characters(chosen_universe.id),
            await self.services.stories.read_dead_ids(chosen_universe.id),
            await self.services.stories.places(chosen_universe.id),
            await self.services.stories.read_world_now(chosen_universe.id),
        )
        sample_outline = await self.services.stories.sample_outline()
        own_outline = sample_outline if sample_outline.universe_id == chosen_universe.id else None
        self.post_message(
            self.WorldLoaded(StoryWorld(chosen_universe, people, dead_ids, places, now, own_outline))
        )

    @on(WorldLoaded)
    def _world_loaded(self, message: WorldLoaded) -> None:
        self._choose_world(message.world)

    def _choose_world(self, world: StoryWorld) -> None:
        self._world, self._idea = world, None
        hero_choices = hero_rows(
            world.characters,
            world.suggested_outline,
            dead_ids=world.dead_ids,
            with_story_idea=self.services.llm.is_on,
        )
        self.query_one("#hero", PickPage).show_rows(hero_choices)
        suggested_system = world.suggested_outline.system if world.suggested_outline else ""
        self.query_one("#rules", PickPage).show_rows(
            rule_rows(self._rule_systems), first_id=suggested_system or DEFAULT_SYSTEM_ID
        )
        self._show_page("rules")

    # --- the rules ---------------------------------------------------------------------------------

    async def _choose_rules(self, system: RulePackView | None) -> None:
        """Use these rules (None: none); a file that cannot be used says why and is not picked."""
        if system is not None and system.problem:
            self._show_status(f"{system.name}: {system.problem}")
            return
        self._rule_system = system
        await self.query_one(NewHeroPage).show_sheet_fields(system)
        self._show_page("hero")

    # --- the hero ----------------------------------------------------------------------------------

    @property
    def _characters(self) -> Sequence[Entity]:
        return self._world.characters if self._world else ()

    def _choose_hero(self, player_character: Entity | NewCharacter | None) -> None:
        """Suggest a story for this hero in this universe; what was typed stays."""
        if self._world is None:
            return
        world, idea, self._player_character = self._world, self._idea, player_character
        if (world, player_character, idea) != self._suggestion_basis:
            self._suggestion_basis = (world, player_character, idea)
            world_outline = world.suggested_outline if idea is None else None
            outline = suggest_outline(
                world.universe, world.places, player_character, world_outline, world.now
            )
            outline = replace(outline, cast=tuple(c for c in outline.cast if c not in world.dead_ids))
            self._outline = outline if idea is None else clear_outline(outline)
            self.query_one(StoryPage).fill_from_outline(self._outline)
            self.query_one(OpeningPage).fill_from_outline(
                self._outline, world.characters, world.places, world.dead_ids
            )
            if idea is not None:
                self._fill_pages(idea)
        self._show_page("story")

    # --- in words ----------------------------------------------------------------------------------

    @property
    def _world_to_fill(self) -> Universe | NewUniverse | None:
        """The universe that the form is about; None while there is no form to fill in."""
        has_form = STEP_BY_PAGE[self.current_page] >= STEP_BY_PAGE["hero"]
        return self._world.universe if self._world and has_form else None

    @on(StoryIdeaPanel.AskingStarted)
    def _show_asking(self) -> None:
        self._show_status(ASKING_TEXT)

    @on(StoryIdeaPanel.StoryIdeaReady)
    def _apply_idea(self, message: StoryIdeaPanel.StoryIdeaReady) -> None:
        """Fill the form from the model's idea; before a hero is chosen the idea chooses one, too."""
        idea = message.idea
        if self._world is None or self._world_to_fill is None:
            self._show_status("")  # they went back to another world or other rules: it was not for those
        elif self._world and self._outline and self.current_page in ("story", "opening"):
            self._idea = idea
            self._suggestion_basis = (self._world, self._player_character, idea)
            self._outline = replace(self._outline, prose=())
            self._fill_pages(idea)
            self._show_status(FILLED_TEXT)
        else:
            self._idea = idea
            self._suggest_hero(idea)

    def _suggest_hero(self, idea: StoryIdea) -> None:
        """Go on to the hero of the idea: a known character, a new one, or nobody that it names."""
        name = idea.hero_name.casefold()
        matching_character = next(
            (c for c in self._characters if name in (n.casefold() for n in (c.name, *c.aliases))), None
        )
        if matching_character is not None:
            self._choose_hero(matching_character)
        elif name:
            self.query_one(NewHeroPage).fill_from_idea(idea)
            self._show_page("new-hero")
        else:
            self._show_page("hero")
        self._show_status(FILLED_TEXT if name else CHOOSE_HERO_TEXT)

    def _fill_pages(self, idea: StoryIdea) -> None:
        self.query_one(StoryPage).fill_from_idea(idea)
        self.query_one(OpeningPage).fill_from_idea(
            idea, self._player_character.name if self._player_character else idea.hero_name
        )

    # --- the story ---------------------------------------------------------------------------------

    async def _start_story(self, world: StoryWorld, outline: StoryOutline) -> None:
        """Create the universe and hero if new, then the story."""
        universe = world.universe
        if isinstance(universe, NewUniverse):
            universe = await self.services.stories.create_universe(universe)
            self._world = StoryWorld(universe)
        system = self._rule_system.id if self._rule_system else ""
        scene_id = await self.services.stories.start_story(
            replace(outline, universe_id=universe.id, system=system)
        )
        self.post_message(self.StoryStarted(scene_id))

    @on(StoryStarted)
    def _open_first_scene(self, message: StoryStarted) -> None:
        self.post_message(Visit(ToScene(message.scene_id)))

    # --- walking -----------------------------------------------------------------------------------

    @property
    def current_page(self) -> str:
        return self.query_one("#pages", ContentSwitcher).current or "world"

    @property
    def _shown_page(self) -> Widget:
        return self.query_one("#pages").get_child_by_id(self.current_page, Widget)

    def _show_page(self, page: str) -> None:
        self._is_page_coming = True
        self.set_focus(None)  # what is typed is not for the page before
        self.query_one("#pages", ContentSwitcher).current = page
        self._idea_panel.show_world(self._world_to_fill)
        self._show_status(ASKING_TEXT if self._idea_panel.is_asking else "")
        self._show_progress()
        self.refresh_bindings()
        self.call_after_refresh(self._enter_page)

    def _enter_page(self) -> None:
        """Give the page that is shown the focus, and the keys that were pressed for it."""
        self.set_focus(self._shown_page.query("Picker, FieldInput").first())
        self._is_page_coming = False
        self._press_typed_ahead()

    def _press_typed_ahead(self) -> None:
        """Have the keys pressed that were kept for this page, unless another one comes."""
        if not self._is_page_coming:
            self.post_message(TypedAheadReady())

    def on_key(self, event: Key) -> None:
        """Keep a key for the page that comes; Escape leads back from the one that is shown."""
        if self._is_page_coming:
            if event.key != "escape":
                type_ahead(self, event)
        elif self._goes_on(event.key):
            self._is_page_coming = True  # until it is known what comes of it

    def _goes_on(self, key: str) -> bool:
        """Return whether a key takes what this page has and goes on."""
        active = self.active_bindings.get(key)
        if active is None or active.binding.action not in ("select", "submit", "next"):
            return False
        return not (isinstance(active.node, Picker) and active.node.highlighted is None)

    def _show_progress(self) -> None:
        step = STEP_BY_PAGE[self.current_page]
        parts = [Content.styled("Start a story", "bold")]
        for i, name in enumerate(SETUP_STEPS):
            mark, style = ("✓", "$text-success") if i < step else ("●", "bold") if i == step else ("○", "dim")
            parts.append(Content.styled(f"   {mark} {name}", style))
        self.query_one("#progress", Static).update(Content("").join(parts))

    def action_back(self) -> None:
        if self._idea_panel.stop_asking():
            return
        if self.current_page in PREVIOUS_PAGE:
            self._show_page(PREVIOUS_PAGE[self.current_page])
        else:
            self.post_message(Visit(ToMenu()))

    @on(Input.Submitted)
    def _field_submitted(self, message: Input.Submitted) -> None:
        message.stop()
        self.action_next()

    def action_next(self) -> None:
        """Read this page and go on, or say at its field what is wrong and stay."""
        clear_field_problem(self)
        self._is_page_coming = False
        try:
            match self.current_page:
                case "new-world":
                    self._choose_world(StoryWorld(self._read_new_universe()))
                case "new-hero":
                    self._choose_hero(self.query_one(NewHeroPage).read_character())
                case "story" if self._outline:
                    self._outline = self.query_one(StoryPage).read_into_outline(self._outline)
                    self._show_page("opening")
                case "opening" if self._outline and self._world:
                    self._show_status("Starting …")
                    outline = self.query_one(OpeningPage).read_into_outline(self._outline)
                    self.start_change(partial(self._start_story, self._world, outline), "begin")
        except InputError as error:
            self._show_status("")
            if not show_field_problem(self._shown_page, error):
                self._show_status(str(error))
        self._press_typed_ahead()

    def _read_new_universe(self) -> NewUniverse:
        names = [universe.name for universe in self._universes.values()]
        return self.query_one(NewWorldPage).read_universe(names)

    def _show_status(self, text: str) -> None:
        self.query_one("#problem", Static).update(text)

    def handle_error(self, error: BaseException, worker: str) -> None:
        self._is_page_coming = False
        self.post_message(TypedAheadDropped())
        if isinstance(error, MonitorError):
            self._show_status(str(error))
        else:
            super().handle_error(error, worker)
