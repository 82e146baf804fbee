"""Makes branches that have canon of their own: a universe beside the one that they leave.

The caller holds the session lock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from agents.events import EventBus, HeadMoved, SceneOpened
from agents.sanitize import require_title
from stores.branching.branch_copy import CopiedBranch
from stores.branching.cut import BranchPoint
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.records.ids import Clock, Id, IdGenerator
from stores.records.play import Story
from stores.records.world import BranchOrigin, Universe, key_of

MAIN_LINE: Final = "main line"
"""What the universe is called that its branches left."""

MAX_BRANCH_NAME: Final = 60


class CopyBranch(Protocol):
    async def __call__(
        self, universe_id: Id, point: BranchPoint, *, name: str, origin: BranchOrigin
    ) -> CopiedBranch:
        """Copy the universe as it was at the point; see `stores.branching.branch_copy`."""
        ...


@dataclass(frozen=True, slots=True)
class MadeBranch:
    """A branch that was just made, and in words where it begins."""

    copy: CopiedBranch
    name: str
    place_in_words: str


def branch_name_of(universe: Universe) -> str:
    """Return what the player calls the line that the universe is."""
    return universe.branch.name if universe.branch else MAIN_LINE


def find_root(universe: Universe, universes: list[Universe]) -> Universe:
    """Return the universe from which this one was branched, over any number of branches, as far as it is here."""
    by_key = {key_of(u.id): u for u in universes}
    while universe.branch is not None and universe.branch.parent_key in by_key:
        universe = by_key[universe.branch.parent_key]
    return universe


def find_family(universe: Universe, universes: list[Universe]) -> list[Universe]:
    """Return the universe's main line and all of its branches, the oldest first."""
    root = find_root(universe, universes)
    return [u for u in universes if find_root(u, universes).id == root.id]


class BranchMaker:
    """Makes and names branches."""

    def __init__(
        self,
        canon: CanonReader,
        log: LogReader,
        copy_branch: CopyBranch,
        ids: IdGenerator,
        clock: Clock,
        events: EventBus,
    ) -> None:
        self._canon = canon
        self._log = log
        self._copy_branch = copy_branch
        self._ids = ids
        self._clock = clock
        self._events = events

    async def make_branch(self, scene_id: Id, turn_id: Id | None, typed_name: str) -> MadeBranch:
        """Make a branch from a turn of a scene (None: from before its first turn). Raises InputError, StoreError."""
        scene = await self._log.scene(scene_id)
        universe = await self._canon.universe(scene.universe_id)
        name, universe_name = await self.require_free_name(universe, typed_name)
        last_scene = (await self._log.scenes(scene.story_id))[-1]
        is_present = scene.id == last_scene.id and scene.head == turn_id
        turn = await self._log.turn(turn_id) if turn_id is not None else None
        if turn is not None and turn.scene_id != scene_id:
            raise InputError("That turn belongs to another scene.", kept="Nothing was changed.")
        origin = BranchOrigin(
            name=name,
            parent_key=key_of(universe.id),
            scene_key=key_of(scene_id),
            scene_label=scene.label,
            turn_number=turn.depth + 1 if turn else 0,
            copy_key=key_of(self._ids.new()),
            at=self._clock(),
        )
        copy = await self._copy_branch(
            universe.id,
            BranchPoint(scene_id, turn_id, is_present),
            name=universe_name,
            origin=origin,
        )
        for copied_scene_id in copy.scene_ids:
            self._events.publish(HeadMoved(copied_scene_id))
        self._events.publish(SceneOpened(copy.scene_id))
        return MadeBranch(copy, name, origin.place_in_words)

    async def make_branch_after(self, scene_id: Id, typed_name: str) -> MadeBranch:
        """Make a branch from the end of a scene, where the next one begins; of the last scene, from its last turn."""
        scene = await self._log.scene(scene_id)
        scenes = await self._log.scenes(scene.story_id)
        next_scene = next((s for s in scenes if s.order == scene.order + 1), None)
        if next_scene is None:
            return await self.make_branch(scene_id, scene.head, typed_name)
        return await self.make_branch(next_scene.id, None, typed_name)

    async def find_story(self, story: Story, typed_name: str) -> Story:
        """Return the same story on the branch of that name. Raises InputError if there is no such branch."""
        universe = await self._canon.universe(story.universe_id)
        family = find_family(universe, (await self._canon.readable_universes()).records)
        names = {branch_name_of(u).casefold(): u for u in family}
        branch = names.get(" ".join(typed_name.split()).casefold())
        if branch is None:
            raise InputError(
                f"There is no branch called “{typed_name[:MAX_BRANCH_NAME]}”.",
                kept="Nothing was changed.",
                todo=f"There are: {', '.join(branch_name_of(u) for u in family)}.",
            )
        stories = (await self._log.readable_stories(branch.id)).records
        same_story = next((s for s in stories if s.created_at == story.created_at), None)
        if same_story is None and not stories:
            raise InputError(
                f"Nothing was played on “{branch_name_of(branch)}” yet.", kept="Nothing was changed."
            )
        return same_story or stories[0]

    async def require_free_name(self, universe: Universe, typed_name: str) -> tuple[str, str]:
        """Return a new branch's name, and that of its universe. Raises InputError if one of them is taken."""
        name = require_title(typed_name, "A branch needs a name.")
        if len(name) > MAX_BRANCH_NAME:
            raise InputError(
                f"That has {len(name)} characters; the name of a branch has at most {MAX_BRANCH_NAME}.",
                kept="Nothing was changed.",
            )
        universes = (await self._canon.readable_universes()).records
        root = find_root(universe, universes)
        universe_name = f"{root.name} · {name}"
        taken_names = {branch_name_of(u).casefold() for u in find_family(universe, universes)} | {"main"}
        if name.casefold() in taken_names or universe_name.casefold() in {
            u.name.casefold() for u in universes
        }:
            raise InputError(
                f"There is a branch called “{name}” already.",
                kept="Nothing was changed.",
                todo="Choose another name; /map shows the branches.",
            )
        return name, universe_name
