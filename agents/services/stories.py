"""Universes and stories: set-up, the menu, opening and leaving a story, and its end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, replace

from agents.events import EventBus, SceneOpened
from agents.exports.story_form import StoryForm
from agents.exports.story_values import StoryRecord, without_secrets
from agents.orchestrator.dispatcher import Dispatcher
from agents.orchestrator.play_tools import PlayTools
from agents.orchestrator.session import SessionLoop
from agents.orchestrator.session_reader import SESSION_ID, SessionReader
from agents.orchestrator.story_loop import StoryLoop
from agents.orchestrator.story_start import StoryStart
from agents.services.bill import describe_cost
from agents.services.dead_people import read_dead_ids
from agents.services.menu import MenuReader
from agents.services.story_record import StoryRecordReader
from agents.services.world_import import WorldSeed, build_world_proposals
from agents.services.world_now import WorldNow, WorldNowReader
from agents.story_outline import MainMode, NewUniverse, StoryOutline
from agents.telemetry.spans import NO_TELEMETRY, MeasuredOperation, SpanRecords, Telemetry
from agents.views.gate_views import CommitReport
from agents.views.llm_views import BillRow
from agents.views.menu_views import MenuView, StoryCard
from agents.views.sheet_views import RulePackView
from stores.errors import NotFound
from stores.ports import CanonReader
from stores.records.ids import Clock, Id, derive_id
from stores.records.workflow import Loop
from stores.records.world import Entity, EntityKind, Universe

SAMPLE_UNIVERSE_ID = derive_id("universe", "sample")
"""The bundled universe has the same id in every library, so that it exists once however often it is added."""

SAMPLE_SYSTEM = "lantern_twos"
"""The rule pack of the sample's characters."""


SaveStory = Callable[[str, str, bytes], Awaitable[str]]
"""Writes a story of this title to a new file with this ending; returns its path."""


ReadStoryCosts = Callable[[Id], Awaitable[BillRow]]
"""Returns what a story's calls of a model have cost, in sum."""


@dataclass(frozen=True, slots=True)
class StartupReaders:
    """What the menu and the sample world are read from, outside the stores."""

    read_notes: Callable[[], tuple[str, ...]]
    """Returns lines on problems in the user's own files; may read files."""
    load_sample: Callable[[], WorldSeed]
    count_waiting_prose: Callable[[Collection[Id]], Awaitable[int]]
    """Counts the turns of the GM's in scenes that wait for a model, while none reads them."""


class StoryService:
    """Starts, opens and ends stories. Raises `stores.errors.MonitorError` with words for the player."""

    def __init__(
        self,
        *,
        dispatcher: Dispatcher,
        session: SessionLoop,
        session_reader: SessionReader,
        menu_reader: MenuReader,
        stories: StoryLoop,
        story_start: StoryStart,
        story_record_reader: StoryRecordReader,
        play_tools: PlayTools,
        canon: CanonReader,
        world_now_reader: WorldNowReader,
        startup: StartupReaders,
        save_story: SaveStory,
        read_costs: ReadStoryCosts,
        clock: Clock,
        events: EventBus,
        telemetry: Telemetry = NO_TELEMETRY,
    ) -> None:
        self._telemetry = telemetry
        self._dispatcher = dispatcher
        self._session = session
        self._session_reader = session_reader
        self._menu_reader = menu_reader
        self._stories = stories
        self._story_start = story_start
        self._story_record_reader = story_record_reader
        self._play_tools = play_tools
        self._canon = canon
        self._world_now_reader = world_now_reader
        self._startup = startup
        self._save_story = save_story
        self._read_costs = read_costs
        self._clock = clock
        self._events = events
        self._open_story_id: Id | None = None
        self._recovery_lines: tuple[str, ...] = ()

    async def recover(self) -> tuple[str, ...]:
        """Finish what a crash left half done; return a line for each thing. Call once."""
        self._recovery_lines = tuple(await self._session.recover())
        return self._recovery_lines

    async def enter(self, mode: MainMode) -> None:
        """Move the Main Loop from Idle to Executing(mode)."""
        with self._telemetry.span(MeasuredOperation.MODE, mode):
            async with self._dispatcher.exclusive():
                await self._session.enter_mode(mode)

    async def leave(self) -> None:
        """Move the Main Loop back to Idle."""
        with self._telemetry.span(MeasuredOperation.MODE, "leave"):
            async with self._dispatcher.exclusive():
                await self._session.leave_mode()
                self._open_story_id = None

    async def menu(self) -> MenuView:
        notes = await asyncio.to_thread(self._startup.read_notes)
        return await self._menu_reader.read_menu((*self._recovery_lines, *notes))

    async def count_waiting_prose(self) -> int:
        """Return how many lines of the GM's wait for a model in the scenes that are open; 0 while one reads them."""
        scene_ids = [card.scene.id for card in await self.stories() if card.scene is not None]
        return await self._startup.count_waiting_prose(scene_ids)

    async def read_main_state(self) -> str:
        """Return the state of the Main Loop."""
        return await self._session_reader.read_state(Loop.MAIN, SESSION_ID)

    async def universes(self) -> list[Universe]:
        """Return the universes that can be read; `recover` names the others."""
        return (await self._canon.readable_universes()).records

    async def add_sample(self) -> Universe:
        """Add the bundled sample universe; a second call returns the same one."""
        sample = self._startup.load_sample()
        universe, proposals, _ = build_world_proposals(sample, SAMPLE_UNIVERSE_ID, clock=self._clock)
        async with self._dispatcher.exclusive():
            try:
                return await self._canon.universe(universe.id)
            except NotFound:
                await self._stories.import_universe(universe, proposals)
        return await self._canon.universe(universe.id)

    async def systems(self) -> tuple[RulePackView, ...]:
        """Return the rule packs, then the user's files that cannot be used, with the reason."""
        return await self._play_tools.settings.list_rule_packs()

    async def sample_outline(self) -> StoryOutline:
        """Return the sample's suggested story and first scene; its universe must be there already."""
        sample = self._startup.load_sample()
        universe, _, opening = build_world_proposals(sample, SAMPLE_UNIVERSE_ID, clock=self._clock)
        return StoryOutline(
            universe_id=universe.id,
            title=opening.title,
            pc=opening.pc_id,
            theme=opening.theme,
            tone=opening.tone,
            constraints=opening.constraints,
            lines_and_veils=opening.lines_and_veils,
            system=SAMPLE_SYSTEM,
            scene_title=opening.scene_title,
            scene_goal=opening.scene_goal,
            place=opening.place_id,
            cast=opening.cast,
            tick=opening.tick,
            prose=opening.prose,
        )

    async def create_universe(self, new_universe: NewUniverse) -> Universe:
        async with self._dispatcher.exclusive():
            return await self._stories.create_universe(new_universe)

    async def characters(self, universe_id: Id) -> list[Entity]:
        """Return the universe's characters, player characters first."""
        character_entities = await self._canon.entities(universe_id, kind=EntityKind.CHARACTER)
        return sorted(character_entities, key=lambda e: not e.is_pc)

    async def read_dead_ids(self, universe_id: Id) -> frozenset[Id]:
        """Return who of a universe is dead by canon."""
        return await read_dead_ids(self._canon, universe_id)

    async def read_world_now(self, universe_id: Id) -> WorldNow:
        """Return how a universe stands when another story begins in it."""
        return await self._world_now_reader.read(universe_id)

    async def places(self, universe_id: Id) -> list[Entity]:
        return await self._canon.entities(universe_id, kind=EntityKind.PLACE)

    async def start_story(self, outline: StoryOutline) -> Id:
        """Create the story, its player character if new, and its first scene, Active; return the scene's id."""
        pack = await self._play_tools.settings.find_pack(outline.system)
        outline = replace(
            self._play_tools.sheets.add_starting_sheet(outline, pack), system=pack.id if pack else ""
        )
        async with self._dispatcher.exclusive():
            await self._session.enter_mode(MainMode.START_STORY)
            scene = await self._story_start.start(outline)
            self._open_story_id = scene.story_id
        self._events.publish(SceneOpened(scene.id))
        return scene.id

    async def stories(self) -> list[StoryCard]:
        return await self._session_reader.build_story_cards()

    async def find_last_universe_id(self) -> Id | None:
        """Return the world that was played last, or else the first; None in an empty library."""
        played_ids = [card.universe.id for card in await self.stories()]
        return next(iter((*played_ids, *(universe.id for universe in await self.universes()))), None)

    async def resume(self, story_id: Id) -> Id:
        """Open the story where it was left, and return the scene's id. Finishes a half-done exchange first."""
        with self._telemetry.span(MeasuredOperation.MODE, "resume", SpanRecords(story_id=story_id)):
            async with self._dispatcher.exclusive():
                scene = await self._session.resume_story(story_id)
                self._open_story_id = story_id
        self._events.publish(SceneOpened(scene.id))
        return scene.id

    async def suspend(self) -> None:
        """Leave the open story as it is (Main Loop: Suspended)."""
        with self._telemetry.span(MeasuredOperation.MODE, "suspend"):
            async with self._dispatcher.exclusive():
                await self._session.suspend(self._open_story_id)
                self._open_story_id = None

    async def abandon(self, story_id: Id) -> None:
        async with self._dispatcher.exclusive():
            await self._stories.abandon_story(story_id)

    async def story_record(self, story_id: Id) -> StoryRecord:
        """Return everything that an exported story contains."""
        return await self._story_record_reader.read_story_record(story_id)

    async def export_story(
        self,
        story_id: Id,
        form: StoryForm = StoryForm.MARKDOWN,
        *,
        with_mechanics: bool = False,
        for_players: bool = False,
    ) -> str:
        """Write a story to a new file; return its path. Raises ArchiveError.

        Books and pages have its prose alone unless `with_mechanics`. What is written for players has no secrets and no
        notes.
        """
        data = await self.write_story(story_id, form, with_mechanics=with_mechanics, for_players=for_players)
        return await self._save_story(
            await self._story_record_reader.read_title(story_id), form.file_ending, data
        )

    async def write_story(
        self, story_id: Id, form: StoryForm, *, with_mechanics: bool = False, for_players: bool = False
    ) -> bytes:
        """Return a story as `export_story` writes it."""
        # Imported here: few sessions export, and all of them start.
        from agents.exports.story_writing import write_story

        record = await self.story_record(story_id)
        if for_players:
            record = without_secrets(record)
        return await asyncio.to_thread(write_story, record, form, with_mechanics=with_mechanics)

    async def draft_closure(self, story_id: Id) -> str:
        """Return the lines that a story's end is edited from: what it leaves open, and who is where."""
        return await self._stories.draft_closure(story_id)

    async def complete_story(self, story_id: Id, text: str = "") -> CommitReport:
        """Close a story by its edited draft, or by a recap alone; the report says what the model cost in it.

        Raises InputError for a line of the draft that cannot be read.
        """
        async with self._dispatcher.exclusive():
            report = await self._stories.complete_story(story_id, text)
        return replace(report, cost_line=describe_cost(await self._read_costs(story_id)))
