"""Story set-up: a world, rules, a hero, a story, an opening scene. Everything is suggested; Enter goes on.

Nothing is created before the last step but the sample world, so going away leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import ContentSwitcher, Input, Static

from agents.story_outline import Mode, NewCharacter, NewUniverse, StoryOutline
from agents.views.play_views import SystemView
from screens.key_bar import KeyBar
from screens.outline import bare, suggested
from screens.routes import ToMenu, ToScene, Visit
from screens.setup_hero import NewHeroPage
from screens.setup_opening import OpeningPage
from screens.setup_pages import NewWorldPage, PickPage, Row, StoryPage
from screens.setup_rows import NEW, WORDS, heroes_to_pick, rules_to_pick
from screens.setup_words import ASKING, FILLED, WHOM, WordsScreen
from stores.errors import InputError, MonitorError
from stores.records.ids import Id
from stores.records.world import Entity, Universe

if TYPE_CHECKING:
    from agents.personas.outputs import StoryIdea
    from agents.services.services import Services

STEPS = ("World", "Rules", "Hero", "Story", "Opening")
STEP_OF = {"world": 0, "new-world": 0, "rules": 1, "hero": 2, "new-hero": 2, "story": 3, "opening": 4}
BEFORE = {
    "new-world": "world",
    "rules": "world",
    "hero": "rules",
    "new-hero": "hero",
    "story": "hero",
    "opening": "story",
}
SAMPLE = "sample"
USUAL = "lantern_twos"
"""The rules that are suggested where the world itself suggests none."""


@dataclass(frozen=True, slots=True)
class World:
    """Where the story is set: a universe that exists, or one to create when the story begins."""

    universe: Universe | NewUniverse
    characters: Sequence[Entity] = ()
    places: Sequence[Entity] = ()
    opening: StoryOutline | None = None
    """The story that the world itself suggests; the sample has one."""


class SetupScreen(WordsScreen):
    """Five steps from nothing to the first scene."""

    CSS_PATH = "setup.tcss"
    AUTO_FOCUS = "#world Picker"
    BINDING_GROUP_TITLE = "Start a story"
    BINDINGS = [
        Binding("enter", "next", "Go on", id="setup.next", tooltip="On to the next step", key_display="⏎"),
        Binding("escape", "back", "Back", id="setup.back", tooltip="Back to the step before"),
    ]

    @dataclass
    class Universes(Message):
        """The universes and the rule packs that there are."""

        universes: list[Universe]
        systems: tuple[SystemView, ...]

    @dataclass
    class WorldRead(Message):
        """Who and what is in the world that was picked."""

        world: World

    @dataclass
    class Started(Message):
        """The story stands, and its first scene is open."""

        scene_id: Id

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._entered = False
        self._universes: dict[Id, Universe] = {}
        self._systems: dict[str, SystemView] = {}
        self._system: SystemView | None = None
        self._world: World | None = None
        self._outline: StoryOutline | None = None
        self._pc: Entity | NewCharacter | None = None
        self._idea: StoryIdea | None = None
        self._suggested_for: tuple[World, Entity | NewCharacter | None, StoryIdea | None] | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="progress", markup=False)
        with ContentSwitcher(initial="world", id="pages"):
            yield PickPage("Which world is it set in?", id="world")
        yield Static(id="problem", markup=False)
        yield KeyBar()

    def on_mount(self) -> None:
        self._show_progress()

    async def _add_pages(self) -> None:
        """Mount the pages after the first one, which is enough for the first frame."""
        rules = PickPage("By which rules do you play?", id="rules")
        hero = PickPage("Whom do you play?", id="hero")
        pages = (NewWorldPage(), rules, hero, NewHeroPage(), StoryPage(), OpeningPage())
        for page in pages:
            page.display = False
        await self.query_one("#pages").mount_all(pages)

    # --- the world ---------------------------------------------------------------------------------

    async def read(self) -> None:
        if not self._entered:
            await self.services.stories.enter(Mode.START_STORY)
            self._entered = True
        self.post_message(
            self.Universes(await self.services.stories.universes(), await self.services.stories.systems())
        )

    @on(Universes)
    async def _offer_worlds(self, message: Universes) -> None:
        if not self.query(StoryPage):
            await self._add_pages()
        self._universes = {u.id: u for u in message.universes}
        self._systems = {s.id or f"file:{s.name}": s for s in message.systems}
        known = [Row(u.id, u.name, u.genre, u.description) for u in message.universes]
        new = Row(NEW, "+ A new world", "you name it", "An empty world. What is in it is found in play.")
        sample = Row(
            SAMPLE,
            "◆ The sample world",
            "ready to play",
            "Comes with MONITOR: a coast, its people, a drowned bell and two secrets.",
        )
        self.query_one("#world", PickPage).show([*known, new, sample] if known else [sample, new])

    @on(PickPage.Picked)
    async def _picked(self, message: PickPage.Picked) -> None:
        message.stop()
        if message.page.id == "rules":
            await self._take_rules(self._systems.get(message.row_id))
        elif message.row_id == WORDS:
            self.action_in_words()
        elif message.row_id == NEW:
            self._turn_to(f"new-{message.page.id}")
        elif message.page.id == "world":
            self._read_world(self._universes.get(message.row_id))
        else:
            self._take_hero(next((c for c in self._people if c.id == message.row_id), None))

    @work(exclusive=True, group="world", exit_on_error=False)
    async def _read_world(self, universe: Universe | None) -> None:
        """Read who and what is in the world; None brings in the sample."""
        found = universe or await self.services.stories.add_sample()
        people, places = (
            await self.services.stories.characters(found.id),
            await self.services.stories.places(found.id),
        )
        opening = await self.services.stories.sample_outline()
        its_own = opening if opening.universe_id == found.id else None
        self.post_message(self.WorldRead(World(found, people, places, its_own)))

    @on(WorldRead)
    def _world_read(self, message: WorldRead) -> None:
        self._take_world(message.world)

    def _take_world(self, world: World) -> None:
        self._world, self._idea = world, None
        heroes = heroes_to_pick(world.characters, world.opening, in_words=self.services.llm.on)
        self.query_one("#hero", PickPage).show(heroes)
        first = world.opening.system if world.opening else ""
        self.query_one("#rules", PickPage).show(rules_to_pick(self._systems), first=first or USUAL)
        self._turn_to("rules")

    # --- the rules ---------------------------------------------------------------------------------

    async def _take_rules(self, system: SystemView | None) -> None:
        """Play by these rules (None: none); a file that cannot be used says why and stays unpicked."""
        if system is not None and system.problem:
            self.say(f"{system.name}: {system.problem}")
            return
        self._system = system
        await self.query_one(NewHeroPage).ask_for(system)
        self._turn_to("hero")

    # --- the hero ----------------------------------------------------------------------------------

    @property
    def _people(self) -> Sequence[Entity]:
        return self._world.characters if self._world else ()

    def _take_hero(self, pc: Entity | NewCharacter | None) -> None:
        """Suggest a story for this hero in this world; what was typed for the same two stays."""
        if self._world is None:
            return
        world, idea, self._pc = self._world, self._idea, pc
        if (world, pc, idea) != self._suggested_for:
            self._suggested_for = (world, pc, idea)
            opening = world.opening if idea is None else None
            outline = suggested(world.universe, world.characters, world.places, pc, opening)
            self._outline = outline if idea is None else bare(outline)
            self.query_one(StoryPage).suggest(self._outline)
            self.query_one(OpeningPage).suggest(self._outline, world.characters, world.places)
            if idea is not None:
                self._fill(idea)
        self._turn_to("story")

    # --- in words ----------------------------------------------------------------------------------

    @property
    def fillable(self) -> Universe | NewUniverse | None:
        return self._world.universe if self._world and STEP_OF[self.page] >= STEP_OF["hero"] else None

    @on(WordsScreen.Imagined)
    def _imagined(self, message: WordsScreen.Imagined) -> None:
        """Before a hero is chosen the idea is about that, too; after, it fills in what it has a field for."""
        idea = message.idea
        if self._world is None or self.fillable is None:
            self.say("")  # they went back to another world or other rules: it was not for those
        elif self._world and self._outline and self.page in ("story", "opening"):
            self._idea = idea
            self._suggested_for = (self._world, self._pc, idea)
            self._outline = replace(self._outline, prose=())
            self._fill(idea)
            self.say(FILLED)
        else:
            self._idea = idea
            self._offer_hero(idea)

    def _offer_hero(self, idea: StoryIdea) -> None:
        """On to whom the idea is about: somebody known, somebody new, or nobody that it names."""
        name = idea.hero_name.casefold()
        known = next((c for c in self._people if name in (n.casefold() for n in (c.name, *c.aliases))), None)
        if known is not None:
            self._take_hero(known)
        elif name:
            self.query_one(NewHeroPage).fill(idea)
            self._turn_to("new-hero")
        else:
            self._turn_to("hero")
        self.say(FILLED if name else WHOM)

    def _fill(self, idea: StoryIdea) -> None:
        self.query_one(StoryPage).fill(idea)
        self.query_one(OpeningPage).fill(idea, self._pc.name if self._pc else idea.hero_name)

    # --- the story ---------------------------------------------------------------------------------

    async def _begin(self, world: World, outline: StoryOutline) -> None:
        """Create what is still to be created, then the story."""
        universe = world.universe
        if isinstance(universe, NewUniverse):
            universe = await self.services.stories.create_universe(universe)
            self._world = World(universe)
        system = self._system.id if self._system else ""
        scene_id = await self.services.stories.start_story(
            replace(outline, universe_id=universe.id, system=system)
        )
        self.post_message(self.Started(scene_id))

    @on(Started)
    def _started(self, message: Started) -> None:
        self.post_message(Visit(ToScene(message.scene_id)))

    # --- walking -----------------------------------------------------------------------------------

    @property
    def page(self) -> str:
        return self.query_one("#pages", ContentSwitcher).current or "world"

    def _turn_to(self, page: str) -> None:
        pages = self.query_one("#pages", ContentSwitcher)
        pages.current = page
        self.say(ASKING if self.asking else "")
        self._show_progress()
        self.refresh_bindings()
        self.call_after_refresh(pages.get_child_by_id(page).query("Picker, Entry").first().focus)

    def _show_progress(self) -> None:
        step = STEP_OF[self.page]
        parts = [Content.styled("Start a story", "bold")]
        for i, name in enumerate(STEPS):
            mark, style = ("✓", "$text-success") if i < step else ("●", "bold") if i == step else ("○", "dim")
            parts.append(Content.styled(f"   {mark} {name}", style))
        self.query_one("#progress", Static).update(Content("").join(parts))

    def action_back(self) -> None:
        if self.stop_asking():
            return
        if self.page in BEFORE:
            self._turn_to(BEFORE[self.page])
        else:
            self.post_message(Visit(ToMenu()))

    @on(Input.Submitted)
    def _entry_submitted(self, message: Input.Submitted) -> None:
        message.stop()
        self.action_next()

    def action_next(self) -> None:
        """Take what this page says and go on; say what is wrong with it and stay."""
        try:
            match self.page:
                case "new-world":
                    self._take_world(World(self.query_one(NewWorldPage).new_universe()))
                case "new-hero":
                    self._take_hero(self.query_one(NewHeroPage).new_character())
                case "story" if self._outline:
                    self._outline = self.query_one(StoryPage).outlined(self._outline)
                    self._turn_to("opening")
                case "opening" if self._outline and self._world:
                    self.say("Beginning …")
                    outline = self.query_one(OpeningPage).outlined(self._outline)
                    self.change(self._begin(self._world, outline), "begin")
        except InputError as error:
            self.say(str(error))

    def say(self, text: str) -> None:
        self.query_one("#problem", Static).update(text)

    def refused(self, error: BaseException, worker: str) -> None:
        if isinstance(error, MonitorError):
            self.say(str(error))
        else:
            super().refused(error, worker)
