"""Imports a log: reads it, previews it, and writes it one scene at a time, so that it can be interrupted.

Each scene is written completely or not at all, and importing the same file again continues after the scenes
that are there. Nothing becomes canon; what the log's tags and links say of the world is proposed in its last scene.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from itertools import accumulate
from pathlib import PurePath
from typing import Final, NamedTuple, TypeVar

from agents.events import EventBus, HeadMoved, SceneOpened
from agents.importers.import_records import StoryImport, story_id_of, universe_id_of
from agents.importers.import_views import ImportPreview, ImportProgress, ImportRequest, ImportResult
from agents.importers.log_entries import ParsedLog, Voice
from agents.importers.log_process import read_log_beside_play
from agents.importers.scenes import ImportedScene, split_scenes
from agents.importers.tag_proposer import TagProposals, TagProposer
from agents.proposals.proposals import Proposals
from agents.sanitize import clean, require_title
from agents.story_outline import NewCharacter, NewUniverse
from stores.errors import InputError, parse_field
from stores.history import History
from stores.ports import CanonReader, LogReader
from stores.records.ids import Clock, Id
from stores.records.play import Scene, Story
from stores.records.workflow import Loop
from stores.records.world import EntityKind, Universe

T = TypeVar("T")

MAX_SPEAKERS: Final = 500
"""Speakers that are looked up in canon; a log with more is no log of one group."""

CreateUniverse = Callable[[NewUniverse, Id | None], Awaitable[Universe]]
"""Creates a universe on the GM's authority, or returns the one with that identifier."""

CreateHero = Callable[[Universe, NewCharacter], Awaitable[Id]]
"""Creates a player character on the GM's authority, as story set-up does."""

OnProgress = Callable[[ImportProgress], None]


class _ReadLog(NamedTuple):
    log: ParsedLog
    parts: list[ImportedScene]

    @property
    def turns(self) -> int:
        return sum(part.turns for part in self.parts)

    @property
    def notes(self) -> int:
        return sum(len(part.entries) - part.turns for part in self.parts)


@dataclass(frozen=True, slots=True)
class Importer:
    """Imports logs. It keeps no state: the library itself shows how far an import has come."""

    history: History
    log: LogReader
    canon: CanonReader
    create_universe: CreateUniverse
    create_hero: CreateHero
    tags: TagProposer
    proposals: Proposals
    exclusive: Callable[[], AbstractAsyncContextManager[None]]
    clock: Clock
    events: EventBus

    async def preview(self, request: ImportRequest) -> ImportPreview:
        """Return what the file contains and where it would go. Nothing is changed. Raises InputError."""
        universe, universe_name = await self._find_universe(request)
        story = await self._find_story(request, universe)
        read_result = await self._read_log(request, story)
        name = _hero_name(request)
        hero = await self._find_hero(universe, name) if name else None
        existing_scenes = len(await self.log.scenes(story.id)) if story else 0
        speaker_counts = Counter(
            (entry.speaker, entry.voice.value)
            for part in read_result.parts
            for entry in part.entries
            if entry.voice is not None and entry.voice is not Voice.OOC
        )
        proposed = await self._preview_proposals(request, universe, story, read_result)
        return ImportPreview(
            form=read_result.log.form,
            universe=universe_name,
            new_universe=universe is None,
            story=story.title if story else _story_title(request),
            hero=name,
            new_hero=bool(name) and hero is None,
            scenes=len(read_result.parts),
            turns=read_result.turns,
            notes=read_result.notes,
            turns_already_in=sum(part.turns for part in read_result.parts[:existing_scenes]),
            titles=tuple(part.title for part in read_result.parts),
            speakers=tuple(
                (name, voice, turn_count) for (name, voice), turn_count in speaker_counts.most_common()
            ),
            problems=read_result.log.problems,
            proposal_count=len(proposed.changes),
            undecided_names=proposed.undecided_names,
        )

    async def import_log(
        self, request: ImportRequest, on_progress: OnProgress = lambda progress: None
    ) -> ImportResult:
        """Import the log, or continue where an earlier import stopped.

        To cancel it, cancel the task: what was imported stays, and the same request continues from there.
        Raises InputError (nothing more was written) or StoreError.
        """
        universe, universe_name = await self._find_universe(request)
        # The whole file is read before anything is written.
        read_result = await self._read_log(request, await self._find_story(request, universe))
        if universe is None:
            own_id = None if _universe_name(request) else universe_id_of(request.digest)
            universe = await finish_despite_cancel(self.create_universe(NewUniverse(universe_name), own_id))
        story_import = await self._build_import(request, universe, read_result)
        scenes_done = await self._count_imported_scenes(story_import)
        turn_totals = list(accumulate((part.turns for part in story_import.scenes), initial=0))
        # The last scene is written again: a store without transactions may have only part of it.
        start = max(scenes_done - 1, 0) if scenes_done < len(story_import.scenes) else scenes_done
        for scene_index in range(start, len(story_import.scenes)):
            await self._import_scene(story_import, scene_index, is_continuing=scene_index > start)
            name = story_import.scenes[scene_index].title
            on_progress(
                ImportProgress(
                    turn_totals[scene_index + 1],
                    turn_totals[-1],
                    scene_index + 1,
                    len(story_import.scenes),
                    name,
                )
            )
        proposed = await self._propose_tags(story_import)
        return ImportResult(
            universe_id=universe.id,
            universe=universe.name,
            story_id=story_import.story.id,
            story=story_import.story.title,
            scenes=len(story_import.scenes),
            turns=turn_totals[-1],
            notes=read_result.notes,
            resumed_at=turn_totals[scenes_done] + 1 if scenes_done else 0,
            was_already_complete=scenes_done == len(story_import.scenes),
            last_scene=story_import.last_scene_id,
            problems=read_result.log.problems,
            proposal_count=len(proposed.changes),
            undecided_names=proposed.undecided_names,
        )

    # --- internals -------------------------------------------------------------------------------------

    async def _import_scene(
        self, story_import: StoryImport, scene_index: int, *, is_continuing: bool
    ) -> None:
        records = await asyncio.to_thread(story_import.records, scene_index)
        async with self.exclusive():
            # Play continues during an import, possibly in this very story.
            if is_continuing and not await self._is_untouched(story_import, scene_index - 1):
                raise _played_on_error(story_import, scene_index - 1)
            await self.history.load(records, mentioned_ids=(), finish_partial=True)
        self.events.publish(HeadMoved(story_import.scene_id(scene_index)))
        if scene_index == len(story_import.scenes) - 1:
            self.events.publish(SceneOpened(story_import.scene_id(scene_index)))

    async def _propose_tags(self, story_import: StoryImport) -> TagProposals:
        """Stage what the tags propose, and return it; nothing if the story was played on since.

        What was proposed before is left as it was decided.
        """
        proposed = await self.tags.build(story_import)
        async with self.exclusive():
            is_untouched = await self._is_untouched(story_import, len(story_import.scenes) - 1)
            if not proposed.changes or not is_untouched:
                return TagProposals([])
            await self.proposals.stage(proposed.changes)
        return proposed

    async def _preview_proposals(
        self, request: ImportRequest, universe: Universe | None, story: Story | None, read_result: _ReadLog
    ) -> TagProposals:
        universe_id = universe.id if universe else universe_id_of(request.digest)
        planned_story = story or Story(
            id=story_id_of(universe_id, request.digest, _story_title(request), ""),
            universe_id=universe_id,
            title=_story_title(request),
            created_at=self.clock(),
        )
        story_import = StoryImport(planned_story, read_result.parts, {})
        return await self.tags.build(story_import, new_hero=_hero_name(request))

    async def _read_log(self, request: ImportRequest, story: Story | None) -> _ReadLog:
        hero = await self._read_entity_name(story.pc_id) if story else _hero_name(request)
        log = await read_log_beside_play(request.data, form=request.form, hero=hero)
        return _ReadLog(log, await asyncio.to_thread(split_scenes, log.entries))

    async def _build_import(
        self, request: ImportRequest, universe: Universe, read_result: _ReadLog
    ) -> StoryImport:
        story = await self._find_story(request, universe)
        if story is None:
            story = Story(
                id=self._story_id(request, universe),
                universe_id=universe.id,
                title=_story_title(request),
                pc_id=await self._ensure_hero(universe, name) if (name := _hero_name(request)) else None,
                created_at=self.clock(),
            )
        return StoryImport(story, read_result.parts, await self._find_cast(universe, read_result))

    async def _is_untouched(self, story_import: StoryImport, scene_index: int) -> bool:
        """Return whether the scene imported last is as the import left it."""
        last_transition = await self.log.loop_state(Loop.SCENE, story_import.scene_id(scene_index))
        scene = await self.log.scene(story_import.scene_id(scene_index))
        return (
            _is_as_imported(story_import, scene_index, scene)
            and last_transition is not None
            and last_transition.target == "active"
        )

    async def _count_imported_scenes(self, story_import: StoryImport) -> int:
        """Return how many scenes are in. Raises InputError if the story was changed since."""
        existing_scenes = await self.log.scenes(story_import.story.id)
        states = await self.log.loop_states(Loop.SCENE, [scene.id for scene in existing_scenes])
        if len(existing_scenes) >= len(story_import.scenes):
            return len(story_import.scenes)
        for scene_index, scene in enumerate(existing_scenes):
            last_transition = states.get(scene.id)
            is_ended = last_transition is not None and last_transition.target == "completed"
            if not _is_as_imported(story_import, scene_index, scene) or is_ended != (
                scene_index < len(existing_scenes) - 1
            ):
                raise _played_on_error(story_import, scene_index)
        story_transition = await self.log.loop_state(Loop.STORY, story_import.story.id)
        if existing_scenes and (story_transition is None or story_transition.target != "active"):
            raise _played_on_error(story_import, max(len(existing_scenes) - 1, 0))
        return len(existing_scenes)

    async def _find_universe(self, request: ImportRequest) -> tuple[Universe | None, str]:
        """Return the universe that the log goes to (None: it is created) and its name.

        Only a universe that was named is shared with existing play: two files of one name are seldom of one
        world.
        """
        requested_name, universes = _universe_name(request), await self.canon.universes()
        for universe in universes if requested_name else ():
            if requested_name.casefold() in (universe.name.casefold(), universe.id):
                return universe, universe.name
        if requested_name:
            return None, requested_name
        own_id = universe_id_of(request.digest)
        begun_story_ids = {story.id for story in await self.log.stories()}
        for universe in universes:
            if universe.id == own_id or self._story_id(request, universe) in begun_story_ids:
                return universe, universe.name
        _, own_name = request.own_titles
        name = own_name or _name_from_file(request)
        taken_names = {universe.name.casefold() for universe in universes}
        names = (name, *(f"{name} ({number})" for number in range(2, len(taken_names) + 3)))
        return None, next(name for name in names if name.casefold() not in taken_names)

    async def _find_story(self, request: ImportRequest, universe: Universe | None) -> Story | None:
        """Return the story that this file already became here, if its import was begun."""
        if universe is None:
            return None
        story_id = self._story_id(request, universe)
        return next((s for s in await self.log.stories(universe.id) if s.id == story_id), None)

    def _story_id(self, request: ImportRequest, universe: Universe) -> Id:
        form = request.form.value if request.form else ""
        return story_id_of(universe.id, request.digest, _story_title(request), form)

    async def _ensure_hero(self, universe: Universe, name: str) -> Id:
        if hero_id := await self._find_hero(universe, name):
            return hero_id
        return await finish_despite_cancel(self.create_hero(universe, NewCharacter(name)))

    async def _find_hero(self, universe: Universe | None, name: str) -> Id | None:
        if universe is None:
            return None
        people = [
            entity
            for entity in await self.canon.find_entity(universe.id, name)
            if entity.kind is EntityKind.CHARACTER
        ]
        if len(people) > 1:
            raise InputError(
                f"There are {len(people)} characters called {name!r} in {universe.name}.",
                kept="Nothing was imported.",
                todo="Give one of them another name first, or leave the player character out.",
                field="hero",
            )
        return people[0].id if people else None

    async def _read_entity_name(self, entity_id: Id | None) -> str:
        if entity_id is None:
            return ""
        entities = await self.canon.entities_by_id([entity_id])
        return entities[entity_id].name if entity_id in entities else ""

    async def _find_cast(self, universe: Universe, read_result: _ReadLog) -> dict[str, Id]:
        """Return which of the speakers are in canon."""
        names = Counter(e.speaker for part in read_result.parts for e in part.entries if e.speaker)
        cast: dict[str, Id] = {}
        for name, _ in names.most_common(MAX_SPEAKERS):
            entities = await self.canon.find_entity(universe.id, name)
            actors = [e for e in entities if e.kind in (EntityKind.CHARACTER, EntityKind.CREATURE)]
            if len(actors) == 1:
                cast[name] = actors[0].id
        return cast


async def finish_despite_cancel(work: Awaitable[T]) -> T:
    """Finish the work even if cancelled, so that what was created is found by the next import."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


def _is_as_imported(story_import: StoryImport, scene_index: int, scene: Scene) -> bool:
    return scene.id == story_import.scene_id(scene_index) and scene.head == story_import.head(scene_index)


def _universe_name(request: ImportRequest) -> str:
    """Return the name that was given, or nothing."""
    return " ".join(clean(request.universe).split())


def _story_title(request: ImportRequest) -> str:
    title, _ = request.own_titles
    return " ".join(clean(request.story).split())[:120] or title or _name_from_file(request)


def _hero_name(request: ImportRequest) -> str:
    """Return the name that was given, or nothing. Raises InputError if it is too long."""
    return parse_field("hero", require_title, request.hero, "") if clean(request.hero) else ""


def _name_from_file(request: ImportRequest) -> str:
    """Return a name made from the file's: `the_long-road.jsonl` becomes “The long road”."""
    stem = clean(PurePath(request.name).stem).replace("_", " ").replace("-", " ")
    name = " ".join(stem.split())[:120]
    return name[:1].upper() + name[1:] if name else "Imported log"


def _played_on_error(story_import: StoryImport, scene_index: int) -> InputError:
    turn_count = sum(part.turns for part in story_import.scenes[: scene_index + 1])
    return InputError(
        f"“{story_import.story.title}” was played on since its import was cut off, so the rest cannot be added.",
        kept=f"What was played is kept, and so are the {turn_count:,} turns that were imported.",
        todo="Import the whole log as another story, with another title (--story).",
    )
