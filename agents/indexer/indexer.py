"""The Indexer: compares what should be in an index with what is, and makes up the difference, in pieces.

A scene's own item is the seal on its turns: its mark says up to which head they were brought. Before turns
of a scene change in the index the seal is broken, and it is put back last; so wherever it stands whole, the
turns are right, whatever was killed when. With it, what play adds or takes back is found without reading the
scene: only what lies between that head and the present one is looked at.

What it remembers between pieces (how far it came) may be lost at any time. Source: the issue "Context that
remembers"; design/architecture.md ("The Indexer follows by events"); AGENT_ORCHESTRATION, Indexer.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from agents.indexer.comparing import AT_ONCE, by_the, differing
from agents.indexer.shelves import Shelf
from agents.indexer.texts import BEGUN, Stand, printed, stand_of
from agents.indexer.truth import Truth
from agents.indexer.universes import Universes
from stores.ports import TextItem
from stores.records.ids import Id
from stores.records.play import Scene

LONGEST_WAY: Final = 1_000
"""Turns that are followed back from where the index stood; a longer way is the scene walked whole."""


MANY: Final = 20
"""Scenes without a seal from which on it is not worth counting what they have."""

FORM: Final = "1"
"""Another one whenever the words that stand for a turn change: then all are put anew."""


@dataclass(slots=True)
class _Walk:
    """How far a scene has come: its line up to depth `done`, where `at` stands, is right; how many of its
    turns are in the index, and a print of what they were put with (`_print_of`)."""

    done: int = 0
    at: Id | None = None
    turns: int = 0
    hero: str = ""


class Indexer:
    """One index (words, or one model's vectors) brought up to the truth."""

    def __init__(self, truth: Truth, shelf: Shelf) -> None:
        self._truth = truth
        self._shelf = shelf
        self._walks: dict[Id, _Walk] = {}
        self._universes = Universes(truth, shelf)
        self._suspect: set[Id] = set()
        self._look: set[Id] = set()

    # --- where to look -------------------------------------------------------------------------------

    async def behind(self, universe_id: Id) -> list[tuple[Scene, int]]:
        """Scenes that are not sealed as they stand, with how many turns they lack about; for a few questions
        a scene, at any number of turns. If the seals do not add up to what is there, every scene."""
        scenes = await self._truth.scenes(universe_id)
        marks = await self._shelf.marks("scenes", scope={"universe": universe_id})
        remembered, heroes = await self._truth.remembered(), dict[Id, str]()
        found, counted = dict[Id, int](), 0
        for scene in scenes:
            if scene.story_id not in heroes:
                heroes[scene.story_id] = _print_of(await self._truth.hero(scene))
            stand = stand_of(marks.get(scene.id))
            if stand is None:
                found[scene.id] = 0
                continue
            counted += stand.turns
            item = await self._truth.scene_item(scene)
            memories = remembered.get(scene.id, "")
            if stand != Stand(item.mark, heroes[scene.story_id], scene.head, stand.turns, memories):
                found[scene.id] = stand.turns
        for gone in marks.keys() - {scene.id for scene in scenes}:
            await self._forget(gone)
        unsealed = [scene.id for scene in scenes if stand_of(marks.get(scene.id)) is None]
        if len(unsealed) > MANY:
            # Nothing adds up yet. Those are walked whole; the others are counted at the next start.
            return await self._lacking(scenes, found)
        for scene_id in unsealed:
            found[scene_id] = await self._shelf.count("turns", {"scene": scene_id})
            counted += found[scene_id]
        if counted != await self._shelf.count("turns", {"universe": universe_id}):
            found = dict.fromkeys((scene.id for scene in scenes), 0)
            self.doubt(found)
        return await self._lacking(scenes, found)

    async def _lacking(self, scenes: Sequence[Scene], found: dict[Id, int]) -> list[tuple[Scene, int]]:
        length = self._truth.log.line_length
        return [(s, max(1, await length(s.id) - found[s.id])) for s in scenes if s.id in found]

    def doubt(self, ids: Collection[Id]) -> None:
        """Walk these scenes whole when they are next brought up, and look through these universes anew."""
        self._suspect |= set(ids)
        for one in ids:
            self._walks.pop(one, None)
            self._universes.forget(one)

    def renew(self, universe_ids: Collection[Id]) -> None:
        """Compare all that canon, sources and memories of these universes hold."""
        for universe_id in universe_ids:
            self._universes.renew(universe_id)

    def committed(self, universe_id: Id, canonization_id: Id = "") -> None:
        """Commits may have been written: compare what they wrote. This one was, if one is named."""
        self._universes.committed(universe_id, canonization_id)

    def waits_for_commit(self, universe_id: Id) -> bool:
        """Say whether a commit was half done when it was last looked at."""
        return self._universes.waits_for_commit(universe_id)

    def source_came(self, universe_id: Id, source_id: Id) -> None:
        """A source came into the universe, or more of it."""
        self._universes.source_came(universe_id, source_id)

    def look_at_memories_of_no_scene(self, universe_id: Id) -> None:
        """Memories of no scene have changed."""
        self._universes.remembered(universe_id)

    def look_at_memories(self, scene_id: Id) -> None:
        """Memories of this scene have changed."""
        self._look.add(scene_id)

    # --- a scene -------------------------------------------------------------------------------------

    async def scene(self, scene_id: Id) -> int:
        """Bring a scene's turns, memories and its own item a piece further; returns how many turns are
        left."""
        scene = await self._truth.scene(scene_id)
        if scene is None:
            await self._forget(scene_id)
            return 0
        hero, item = await self._truth.hero(scene), await self._truth.scene_item(scene)
        memories = (await self._truth.remembered([scene.id])).get(scene.id, "")
        has = (await self._shelf.marks("scenes", ids=[scene.id])).get(scene.id)
        known = None if scene.id in self._suspect else stand_of(has)
        if known == Stand(item.mark, _print_of(hero), scene.head, known.turns if known else 0, memories):
            self._walks.pop(scene.id, None)
            if scene.id in self._look:
                await self._memories(scene)
            return 0
        if has is not None and has != BEGUN:
            await self._shelf.put("scenes", [item._replace(mark=BEGUN)])
        try:
            walk = await self._walk(scene, known, _print_of(hero))
            if left := await self._further(scene, hero, walk):
                return left
        except BaseException:
            # What came of it is not sure: without a seal and a walk, the scene is gone through whole.
            self._walks.pop(scene.id, None)
            raise
        await self._memories(scene)
        await self._shelf.put("scenes", [sealed(item, hero, walk.at, walk.turns, memories)])
        self._walks.pop(scene.id, None)
        self._suspect.discard(scene.id)
        return 0

    async def _walk(self, scene: Scene, known: Stand | None, hero: str) -> _Walk:
        """Find up to where the scene's turns are right, and take out what is not on the line."""
        walk = self._walks.get(scene.id)
        if known is not None and known.hero != hero:
            known = None
        if walk is not None and walk.hero != hero:
            walk = None  # who is played got another name since: those that were put bear the old one
        at = walk.at if walk else known.head if known else None
        turns = walk.turns if walk else known.turns if known else 0
        if walk is None and known is None:
            walk = _Walk(turns=await self._take_out_strangers(scene))
        elif at is not None and at != scene.head:
            walk = await self._back_to_the_line(scene, at, turns)
        elif walk is None:
            walk = await self._at(at, turns)
        walk.hero = hero
        self._walks[scene.id] = walk
        return walk

    async def _back_to_the_line(self, scene: Scene, at: Id, turns: int) -> _Walk:
        """Go back from where the index stood to a turn that is on the line, taking out what is not."""
        off: list[Id] = []
        where: Id | None = at
        while where is not None and where not in await self._truth.log.on_line(scene.id, [where]):
            off.append(where)
            if len(off) > LONGEST_WAY:
                return _Walk(turns=await self._take_out_strangers(scene))
            where = (await self._truth.log.turn(where)).parent_id
        if off:
            turns -= len(await self._shelf.marks("turns", ids=off))
            await self._shelf.delete("turns", off)
        return await self._at(where, turns)

    async def _at(self, turn_id: Id | None, turns: int) -> _Walk:
        depth = (await self._truth.log.turn(turn_id)).depth + 1 if turn_id is not None else 0
        return _Walk(depth, turn_id, turns)

    async def _further(self, scene: Scene, hero: str, walk: _Walk) -> int:
        """Put the next piece of the line; returns how many turns are left."""
        stretch = await self._truth.turns(scene, hero, walk.done, self._shelf.piece)
        if stretch.read:
            if stretch.after != walk.at:
                return 1  # the line went another way since the walk began: look again
            walk.turns += await self._put_missing("turns", stretch.items)
            walk.done, walk.at = walk.done + stretch.read, stretch.last
        return max(0, await self._truth.log.line_length(scene.id) - walk.done)

    async def _take_out_strangers(self, scene: Scene) -> int:
        """Take out every turn of the scene that is not on its line; returns how many are left."""
        there = await self._shelf.marks("turns", scope={"scene": scene.id})
        ids, left = iter(there), len(there)
        while some := list(islice(ids, AT_ONCE)):
            if off := set(some) - await self._truth.log.on_line(scene.id, some):
                await self._shelf.delete("turns", off)
                left -= len(off)
        return left

    async def _memories(self, scene: Scene) -> None:
        self._look.discard(scene.id)
        try:
            wanted = await self._truth.memories(scene.id)
            lacking = await differing(self._shelf, "memories", wanted, {"scene": scene.id})
            for some in by_the(AT_ONCE, lacking):
                await self._shelf.put("memories", some)
        except BaseException:
            self._look.add(scene.id)
            raise

    async def _forget(self, scene_id: Id) -> None:
        for collection in ("turns", "memories"):
            marks = await self._shelf.marks(collection, scope={"scene": scene_id})
            await self._shelf.delete(collection, list(marks))
        await self._shelf.delete("scenes", [scene_id])
        self._walks.pop(scene_id, None)

    # --- a universe ----------------------------------------------------------------------------------

    async def universe(self, universe_id: Id) -> int:
        """Bring what canon, sources and memories of no scene hold a piece further; returns what is left."""
        return await self._universes.bring(universe_id, self._look_again)

    async def _look_again(self, scene_id: Id) -> int:
        self.look_at_memories(scene_id)
        return await self.scene(scene_id)

    # --- both ----------------------------------------------------------------------------------------

    async def _put_missing(self, collection: str, items: Sequence[TextItem]) -> int:
        """Put what is not there as it should be; returns how many were not there at all."""
        marks = await self._shelf.marks(collection, ids=[item.id for item in items])
        await self._shelf.put(collection, [item for item in items if marks.get(item.id) != item.mark])
        return sum(item.id not in marks for item in items)


def sealed(item: TextItem, hero: str, head: Id | None, turns: int, memories: str) -> TextItem:
    """A scene's own item, as the seal on its turns up to `head`."""
    return item._replace(mark=Stand(item.mark, _print_of(hero), head, turns, memories).mark())


def _print_of(hero: str) -> str:
    """Turns are put anew where this is another: the hero has a new name, or turns are indexed otherwise."""
    return printed(FORM, hero)[:8]
