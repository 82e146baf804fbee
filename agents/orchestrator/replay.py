"""Replays a story's log: its commits, in their order, must give the canon that the library holds.

The log holds every commit whole (`Canonization.batch`). The dice fall before anything is narrated, so that
another model's words change no result and no canon.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stores.ports import CanonReader, CanonWriter, ContainerWriter, LogReader
from stores.queries import FactQuery
from stores.records.ids import Id
from stores.records.workflow import CanonizationState
from stores.records.world import StoryNode

CanonRecords = Mapping[str, str]
"""The canon of a universe: each record as JSON, by its kind and identifier."""


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """The result of a replay."""

    commit_count: int
    record_count: int
    """Records of canon that were compared."""
    differences: tuple[str, ...]
    """A line for each record that differs."""
    narrated_text: str = ""
    """What another model narrated, if one was asked."""


async def replay_commits(
    log: LogReader,
    canon: CanonReader,
    scratch: CanonWriter,
    scratch_containers: ContainerWriter,
    universe_id: Id,
) -> int:
    """Write every commit in a universe's log into the canon of an empty library; return their number.

    Stories and scenes, which no commit creates, are created first. Raises StoreError.
    """
    written = (CanonizationState.WRITTEN, CanonizationState.CLOSED)
    canonizations = await log.canonizations(universe_id=universe_id, states=written)
    for index, canonization in enumerate(canonizations):
        await scratch.commit(canonization.batch)
        if index == 0:  # the commit that creates the universe
            await _create_containers(log, canon, scratch_containers, universe_id)
    return len(canonizations)


async def _create_containers(
    log: LogReader, canon: CanonReader, scratch: ContainerWriter, universe_id: Id
) -> None:
    """Create the containers of the universe's stories and scenes, as they were at their beginning."""
    for story in await log.stories(universe_id):
        await scratch.create_story_node(StoryNode(id=story.id, universe_id=universe_id, title=story.title))
        for node in await canon.scene_nodes(story.id):
            await scratch.create_scene_node(node.model_copy(update={"status": "active"}))


async def read_canon(canon: CanonReader, universe_id: Id) -> dict[str, str]:
    """Return a universe's entities, facts with their history, and evidence."""
    facts = await canon.facts(universe_id, FactQuery(history=True))
    records = {f"entity {each.id}": each.model_dump_json() for each in await canon.entities(universe_id)}
    records |= {f"fact {fact.id}": fact.model_dump_json() for fact in facts}
    for fact in facts:
        evidence = await canon.evidence_of(fact.id)
        records |= {f"evidence {each.id}": each.model_dump_json() for each in evidence}
    return records


def compare_canon(before: CanonRecords, after: CanonRecords) -> list[str]:
    """Return a line for each record that is missing on one side or differs."""
    lines = [f"missing in the replay: {key}" for key in sorted(before.keys() - after.keys())]
    lines += [f"only in the replay: {key}" for key in sorted(after.keys() - before.keys())]
    common = sorted(before.keys() & after.keys())
    lines += [
        f"not the same: {key}: {before[key]} / {after[key]}" for key in common if before[key] != after[key]
    ]
    return lines
