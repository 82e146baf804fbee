"""Reads the map of a world: its main line and branches, each under the scene that it left, with takes and ways."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from agents.context_assembly.scene_context import is_scene_end_turn
from agents.count_words import count_noun
from agents.orchestrator.branch_maker import branch_name_of, find_family, find_root
from agents.orchestrator.undo_words import shorten
from agents.views.branch_views import BranchMap, MapRow, MapRowKind
from stores.ports import CanonReader, LogReader
from stores.records.ids import Id
from stores.records.play import Scene, Story, Turn
from stores.records.workflow import Loop
from stores.records.world import Universe, key_of

_PLAYED_STATES = ("created", "active", "finalizing")


@dataclass(frozen=True, slots=True)
class _Line:
    """A world of the family: the main line or a branch."""

    universe: Universe
    stories: Sequence[tuple[Story, Sequence[Scene]]]
    """Its stories, the oldest first, with the scenes that are its own: those of a branch from where it left on."""
    heads: dict[Id, Turn]
    states: dict[Id, str]
    """The states of the scene and story loops."""
    fact_count: int
    left_scene_id: Id | None
    """The scene of the world it left, if that is in this library."""

    @property
    def main_story_id(self) -> Id | None:
        """The story that was branched, or the newest."""
        return self.stories[0][0].id if self.stories else None


class BranchMapReader:
    """Reads maps. Read-only."""

    def __init__(self, canon: CanonReader, log: LogReader) -> None:
        self._canon = canon
        self._log = log

    async def read_map(self, universe_id: Id, *, opened_scene_ids: frozenset[Id] = frozenset()) -> BranchMap:
        """Return the map of the world's family, from `universe_id`; of opened scenes with their ways and takes."""
        universe = await self._canon.universe(universe_id)
        universes = (await self._canon.readable_universes()).records
        family = find_family(universe, universes)
        lines = [await self._read_line(one, universes) for one in family]
        ways = {
            scene.id: await self._read_ways(line, story, scene)
            for line in lines
            for story, scenes in line.stories
            for scene in scenes
            if scene.id in opened_scene_ids
        }
        root = find_root(universe, universes)
        rows = _MapBuilder(lines, ways, universe_id).build_rows(root)
        return BranchMap(root.name, len(family) - 1, tuple(rows))

    async def _read_line(self, universe: Universe, universes: Sequence[Universe]) -> _Line:
        stories = sorted((await self._log.readable_stories(universe.id)).records, key=lambda s: s.created_at)
        scenes_by_story = [(story, await self._log.scenes(story.id)) for story in stories]
        left_scene = await self._read_left_scene(universe, universes)
        if universe.branch is not None and left_scene is not None:
            own = [(story, _own_scenes(scenes, universe, left_scene)) for story, scenes in scenes_by_story]
            # The story that was branched first: play goes on in it.
            own.sort(key=lambda each: not any(_is_copy(s, left_scene) for s in each[1]))
            scenes_by_story = [(story, scenes) for story, scenes in own if scenes]
        scenes = [scene for _, each in scenes_by_story for scene in each]
        scene_states = await self._log.loop_states(Loop.SCENE, [s.id for s in scenes])
        story_states = await self._log.loop_states(Loop.STORY, [s.id for s in stories])
        _, fact_count = await self._canon.count(universe.id)
        return _Line(
            universe,
            scenes_by_story,
            await self._log.turns([s.head for s in scenes if s.head]),
            {subject: move.target for subject, move in (scene_states | story_states).items()},
            fact_count,
            left_scene.id if left_scene else None,
        )

    async def _read_left_scene(self, universe: Universe, universes: Sequence[Universe]) -> Scene | None:
        origin = universe.branch
        parent = next((u for u in universes if origin and key_of(u.id) == origin.parent_key), None)
        if origin is None or parent is None:
            return None
        scene_id = _as_id(origin.scene_key)
        return (await self._log.scenes_by_id([scene_id])).get(scene_id)

    async def _read_ways(self, line: _Line, story: Story, scene: Scene) -> list[MapRow]:
        """Return what a scene's turn tree holds besides its line: other ways it went, and other takes."""
        turns = [t for t in await self._log.all_turns(scene.id) if not is_scene_end_turn(t)]
        on_line_ids = await self._log.on_line(scene.id, [t.id for t in turns])
        takes: defaultdict[tuple[Id | None, Id, str], list[Turn]] = defaultdict(list)
        for turn in turns:
            takes[turn.parent_id, turn.exchange_id, turn.speaker].append(turn)
        parent_ids = {turn.parent_id for turn in turns}
        is_played = _is_played(line, story, scene)
        rows = []
        for turn in turns:
            siblings = takes[turn.parent_id, turn.exchange_id, turn.speaker]
            is_take = len(siblings) > 1 and any(t.id in on_line_ids for t in siblings)
            if turn.id in on_line_ids or not (is_take or turn.id not in parent_ids):
                continue
            kind = MapRowKind.TAKE if is_take else MapRowKind.WAY
            number = siblings.index(turn) + 1
            place = (
                f"turn {turn.depth + 1}, take {number} of {len(siblings)}"
                if is_take
                else f"another way, {count_noun(turn.depth + 1, 'turn')}"
            )
            rows.append(
                MapRow(
                    kind,
                    0,
                    f"{place}: {shorten(turn.text)}",
                    line.universe,
                    story_id=story.id,
                    scene_id=scene.id,
                    turn_id=turn.id,
                    is_played=is_played,
                )
            )
        return rows


class _MapBuilder:
    """Lays lines out as rows, each branch below the scene that it left. Pure."""

    def __init__(self, lines: Sequence[_Line], ways: dict[Id, list[MapRow]], here_id: Id) -> None:
        self._lines = {line.universe.id: line for line in lines}
        self._ways = ways
        self._here_id = here_id

    def build_rows(self, root: Universe) -> Iterator[MapRow]:
        yield from self._line_rows(self._lines[root.id], 0)

    def _line_rows(self, line: _Line, depth: int) -> Iterator[MapRow]:
        is_here = line.universe.id == self._here_id
        yield MapRow(
            MapRowKind.BRANCH,
            depth,
            branch_name_of(line.universe),
            line.universe,
            _line_note(line),
            story_id=line.main_story_id,
            is_here=is_here,
        )
        branches = self._branches_of(line)
        own_scene_ids = {scene.id for _, scenes in line.stories for scene in scenes}
        for branch in branches:
            if branch.left_scene_id not in own_scene_ids:
                yield from self._line_rows(branch, depth + 1)
        for story, scenes in line.stories:
            if len(line.stories) > 1:
                yield MapRow(
                    MapRowKind.STORY, depth + 1, story.title, line.universe, "story", story_id=story.id
                )
            for scene in scenes:
                yield _scene_row(line, story, scene, depth + 1, is_here)
                yield from (replace(row, depth=depth + 2) for row in self._ways.get(scene.id, ()))
                for branch in branches:
                    if branch.left_scene_id == scene.id:
                        yield from self._line_rows(branch, depth + 2)

    def _branches_of(self, line: _Line) -> list[_Line]:
        key = key_of(line.universe.id)
        return [
            one
            for one in self._lines.values()
            if one.universe.branch is not None and one.universe.branch.parent_key == key
        ]


def _scene_row(line: _Line, story: Story, scene: Scene, depth: int, is_here: bool) -> MapRow:
    head = line.heads.get(scene.head or "")
    is_played = _is_played(line, story, scene)
    parts = [count_noun(head.depth + 1 if head else 0, "turn")]
    if scene.canonical_outcomes:
        parts.append(f"{count_noun(len(scene.canonical_outcomes), 'fact')} made true")
    if not is_played:
        parts.append("ended")
    return MapRow(
        MapRowKind.SCENE,
        depth,
        scene.label,
        line.universe,
        " · ".join(parts),
        story_id=story.id,
        scene_id=scene.id,
        turn_id=scene.head,
        is_here=is_here and is_played,
        is_played=is_played,
    )


def _is_played(line: _Line, story: Story, scene: Scene) -> bool:
    is_last = any(s is story and scenes[-1].id == scene.id for s, scenes in line.stories if scenes)
    state = line.states.get(scene.id, "created")
    return (
        is_last and state in _PLAYED_STATES and line.states.get(story.id, "active") in ("created", "active")
    )


def _line_note(line: _Line) -> str:
    origin = line.universe.branch
    facts = f"{count_noun(line.fact_count, 'fact')} on record"
    if origin is None:
        return facts
    if line.left_scene_id is None:
        return f"from {origin.place_in_words} · {facts}"
    return (
        f"from turn {origin.turn_number} · {facts}" if origin.turn_number else f"from its beginning · {facts}"
    )


def _own_scenes(scenes: Sequence[Scene], universe: Universe, left_scene: Scene) -> list[Scene]:
    """Return the scenes of a branch that are not the other line's as well: the one that it left, and later ones."""
    assert universe.branch is not None
    is_branched_story = any(_is_copy(s, left_scene) for s in scenes)
    return [
        s
        for s in scenes
        if s.created_at > universe.branch.at or (is_branched_story and s.order >= left_scene.order)
    ]


def _is_copy(scene: Scene, left_scene: Scene) -> bool:
    return (scene.order, scene.created_at) == (left_scene.order, left_scene.created_at)


def _as_id(key: str) -> Id:
    """Return the identifier that `key_of` took the hyphens from."""
    return "-".join((key[:8], key[8:12], key[12:16], key[16:20], key[20:]))
