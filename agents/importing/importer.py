"""Bringing a log in: read, shown, and written a scene at a time, so that it can be cut off and gone on with.

Each scene comes whole or not at all, and a second run of the same file goes on behind what is there. Nothing
of it is canon, and nothing is proposed. Source: the issue "Context that remembers" ("Import of existing
play").
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from itertools import accumulate
from pathlib import PurePath
from typing import Final, NamedTuple, TypeVar

from agents.clean import clean
from agents.desk import NewCharacter, NewUniverse
from agents.importing.entries import Log, Voice
from agents.importing.reading import read_log
from agents.importing.scenes import Part, parts_of
from agents.importing.views import ImportDone, ImportOrder, ImportPreview, ImportProgress
from agents.importing.writing import Book, story_id_of, universe_id_of
from agents.messages import EventBus, LineMoved, SceneOpened
from agents.orchestrator.story import title
from stores.errors import InputError
from stores.history import History
from stores.ports import CanonReader, LogReader
from stores.records.ids import Clock, Id
from stores.records.ledger import Loop
from stores.records.play import Scene, Story
from stores.records.world import EntityKind, Universe

T = TypeVar("T")

MOST_SPEAKERS: Final = 500
"""Speakers that are looked for in canon; a log with more is no log of one table."""

Founding = Callable[[NewUniverse, Id | None], Awaitable[Universe]]
"""Makes a universe on the GM's word, or gives the one of that identifier."""

Naming = Callable[[Universe, NewCharacter], Awaitable[Id]]
"""Makes a player character on the GM's word, as story set-up does."""

Hear = Callable[[ImportProgress], None]


class _Read(NamedTuple):
    log: Log
    parts: list[Part]

    @property
    def turns(self) -> int:
        return sum(part.turns for part in self.parts)

    @property
    def notes(self) -> int:
        return sum(len(part.entries) - part.turns for part in self.parts)


class Importer:
    """Stateless: how far an import has come is what of it is in the library."""

    def __init__(
        self,
        history: History,
        log: LogReader,
        canon: CanonReader,
        found: Founding,
        name_hero: Naming,
        turnstile: asyncio.Lock,
        clock: Clock,
        events: EventBus,
    ) -> None:
        self._history = history
        self._log = log
        self._canon = canon
        self._found = found
        self._name_hero = name_hero
        self._turnstile = turnstile
        self._clock = clock
        self._events = events

    async def look(self, order: ImportOrder) -> ImportPreview:
        """Say what the file holds and where it would go; changes nothing. Raises InputError."""
        universe, universe_name = await self._universe(order)
        story = await self._story(order, universe)
        read = await self._read(order, story)
        name = _hero_name(order)
        hero = await self._hero_in(universe, name) if name else None
        begun = len(await self._log.scenes(story.id)) if story else 0
        counted = Counter(
            (entry.speaker, entry.voice.value)
            for part in read.parts
            for entry in part.entries
            if entry.voice is not None and entry.voice is not Voice.OOC
        )
        return ImportPreview(
            form=read.log.form,
            universe=universe_name,
            new_universe=universe is None,
            story=story.title if story else _story_title(order),
            hero=name,
            new_hero=bool(name) and hero is None,
            scenes=len(read.parts),
            turns=read.turns,
            notes=read.notes,
            begun=sum(part.turns for part in read.parts[:begun]),
            titles=tuple(part.title for part in read.parts),
            speakers=tuple((name, voice, times) for (name, voice), times in counted.most_common()),
            problems=read.log.problems,
        )

    async def bring(self, order: ImportOrder, hear: Hear = lambda progress: None) -> ImportDone:
        """Bring the log in, or go on where it was cut off. To cancel it, cancel the task: what is in stays,
        and the same order goes on from there. Raises InputError (nothing more was written), StoreError.
        """
        universe, universe_name = await self._universe(order)
        # The whole file is read before the first word of it is written.
        read = await self._read(order, await self._story(order, universe))
        if universe is None:
            own_id = None if _universe_name(order) else universe_id_of(order.digest)
            universe = await _to_its_end(self._found(NewUniverse(universe_name), own_id))
        book = await self._book(order, universe, read)
        done = await self._come_so_far(book)
        came = list(accumulate((part.turns for part in book.parts), initial=0))
        # The last scene again: a store that cannot write everything at once may have it in part.
        start = max(done - 1, 0) if done < len(book.parts) else done
        for place in range(start, len(book.parts)):
            await self._bring(book, place, goes_on=place > start)
            name = book.parts[place].title
            hear(ImportProgress(came[place + 1], came[-1], place + 1, len(book.parts), name))
        return ImportDone(
            universe_id=universe.id,
            universe=universe.name,
            story_id=book.story.id,
            story=book.story.title,
            scenes=len(book.parts),
            turns=came[-1],
            notes=read.notes,
            resumed_at=came[done] + 1 if done else 0,
            whole=done == len(book.parts),
            last_scene=book.scene_id(len(book.parts) - 1),
            problems=read.log.problems,
        )

    # --- inside -------------------------------------------------------------------------------------

    async def _bring(self, book: Book, place: int, *, goes_on: bool) -> None:
        records = await asyncio.to_thread(book.records, place)
        async with self._turnstile:
            # Play goes on beside an import, and might have gone on in this very story.
            if goes_on and not await self._stands(book, place - 1):
                raise _played_on(book, place - 1)
            await self._history.load(records, naming=(), finish=True)
        self._events.publish(LineMoved(book.scene_id(place)))
        if place == len(book.parts) - 1:
            self._events.publish(SceneOpened(book.scene_id(place)))

    async def _read(self, order: ImportOrder, story: Story | None) -> _Read:
        hero = await self._name_of(story.pc_id) if story else _hero_name(order)
        log = await asyncio.to_thread(read_log, order.data, form=order.form, hero=hero)
        return _Read(log, await asyncio.to_thread(parts_of, log.entries))

    async def _book(self, order: ImportOrder, universe: Universe, read: _Read) -> Book:
        story = await self._story(order, universe)
        if story is None:
            story = Story(
                id=self._story_id(order, universe),
                universe_id=universe.id,
                title=_story_title(order),
                pc_id=await self._hero(universe, name) if (name := _hero_name(order)) else None,
                created_at=self._clock(),
            )
        return Book(story, read.parts, await self._cast(universe, read))

    async def _stands(self, book: Book, place: int) -> bool:
        """Whether the scene that came last is as the import left it."""
        moved = await self._log.loop_state(Loop.SCENE, book.scene_id(place))
        scene = await self._log.scene(book.scene_id(place))
        return _as_left(book, place, scene) and moved is not None and moved.target == "active"

    async def _come_so_far(self, book: Book) -> int:
        """Return how many scenes are in. Raises InputError if the story is no longer what the import left."""
        there = await self._log.scenes(book.story.id)
        states = await self._log.loop_states(Loop.SCENE, [scene.id for scene in there])
        if len(there) >= len(book.parts):
            return len(book.parts)
        for place, scene in enumerate(there):
            moved = states.get(scene.id)
            ended = moved is not None and moved.target == "completed"
            if not _as_left(book, place, scene) or ended != (place < len(there) - 1):
                raise _played_on(book, place)
        story = await self._log.loop_state(Loop.STORY, book.story.id)
        if there and (story is None or story.target != "active"):
            raise _played_on(book, max(len(there) - 1, 0))
        return len(there)

    async def _universe(self, order: ImportOrder) -> tuple[Universe | None, str]:
        """Return where the log goes, and what that is called; None: it is made. Only a universe that was
        named is shared with what is there: two files of one name are seldom of one world."""
        named, universes = _universe_name(order), await self._canon.universes()
        for universe in universes if named else ():
            if named.casefold() in (universe.name.casefold(), universe.id):
                return universe, universe.name
        if named:
            return None, named
        own_id = universe_id_of(order.digest)
        begun = {story.id for story in await self._log.stories()}
        for universe in universes:
            if universe.id == own_id or self._story_id(order, universe) in begun:
                return universe, universe.name
        own, taken = _from_file(order), {universe.name.casefold() for universe in universes}
        names = (own, *(f"{own} ({number})" for number in range(2, len(taken) + 3)))
        return None, next(name for name in names if name.casefold() not in taken)

    async def _story(self, order: ImportOrder, universe: Universe | None) -> Story | None:
        """Return the story that this very file became here, if it was begun."""
        if universe is None:
            return None
        wanted = self._story_id(order, universe)
        return next((s for s in await self._log.stories(universe.id) if s.id == wanted), None)

    def _story_id(self, order: ImportOrder, universe: Universe) -> Id:
        form = order.form.value if order.form else ""
        return story_id_of(universe.id, order.digest, _story_title(order), form)

    async def _hero(self, universe: Universe, name: str) -> Id:
        if known := await self._hero_in(universe, name):
            return known
        return await _to_its_end(self._name_hero(universe, NewCharacter(name)))

    async def _hero_in(self, universe: Universe | None, name: str) -> Id | None:
        if universe is None:
            return None
        people = [
            entity
            for entity in await self._canon.find_entity(universe.id, name)
            if entity.kind is EntityKind.CHARACTER
        ]
        if len(people) > 1:
            raise InputError(
                f"There are {len(people)} characters called {name!r} in {universe.name}.",
                kept="Nothing was brought in.",
                todo="Give one of them another name first, or leave the player character out.",
            )
        return people[0].id if people else None

    async def _name_of(self, entity_id: Id | None) -> str:
        if entity_id is None:
            return ""
        found = await self._canon.entities_by_id([entity_id])
        return found[entity_id].name if entity_id in found else ""

    async def _cast(self, universe: Universe, read: _Read) -> dict[str, Id]:
        """Who of those who speak is in canon: they were there."""
        names = Counter(e.speaker for part in read.parts for e in part.entries if e.speaker)
        cast: dict[str, Id] = {}
        for name, _ in names.most_common(MOST_SPEAKERS):
            found = await self._canon.find_entity(universe.id, name)
            actors = [e for e in found if e.kind in (EntityKind.CHARACTER, EntityKind.CREATURE)]
            if len(actors) == 1:
                cast[name] = actors[0].id
        return cast


async def _to_its_end(work: Awaitable[T]) -> T:
    """Return what comes of it. Cancelling waits for it: what is being made on the GM's word is made, and
    whoever imports next finds it."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


def _as_left(book: Book, place: int, scene: Scene) -> bool:
    return scene.id == book.scene_id(place) and scene.head == book.head(place)


def _universe_name(order: ImportOrder) -> str:
    """Return the name that was given, or nothing."""
    return " ".join(clean(order.universe).split())


def _story_title(order: ImportOrder) -> str:
    return " ".join(clean(order.story).split())[:120] or _from_file(order)


def _hero_name(order: ImportOrder) -> str:
    """Return the name, or nothing. Raises InputError if it is too long for one."""
    return title(order.hero, "") if clean(order.hero) else ""


def _from_file(order: ImportOrder) -> str:
    """Return a name made of the file's: `the_long-road.jsonl` is “The long road”."""
    stem = clean(PurePath(order.name).stem).replace("_", " ").replace("-", " ")
    name = " ".join(stem.split())[:120]
    return name[:1].upper() + name[1:] if name else "Imported log"


def _played_on(book: Book, place: int) -> InputError:
    so_far = sum(part.turns for part in book.parts[: place + 1])
    return InputError(
        f"“{book.story.title}” was played on since its import was cut off, so the rest cannot follow.",
        kept=f"What was played is kept, and so are the {so_far:,} turns that were brought in.",
        todo="Bring the whole log in beside it under another title, with --story.",
    )
