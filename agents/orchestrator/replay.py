"""Replaying a session from its log: the same canon comes of it, and no model is asked a second time.

Canon is what commits wrote, and the log holds every commit whole (`Canonization.batch`), so that replaying
the commits in their order must give the canon that the library holds. A session that is played again line by
line finds its model's answers on record: a call's identifier follows from the exchange that it was made for
(`agents.llm.model_calls`). The dice fall before anything is narrated, so that another model's words move no
result either.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping
from dataclasses import dataclass

from agents.llm.errors import ModelUnset
from agents.llm.llm_port import LlmRequest, TextChunk, Usage
from agents.llm.scripted_model import ScriptedModel
from stores.ports import CanonReader, CanonWriter, ContainerWriter, LogReader, NarratorLog
from stores.queries import FactQuery
from stores.records.ids import Id
from stores.records.llm import LlmCall
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


async def load_recorded_calls(calls: Iterable[LlmCall], log: NarratorLog) -> int:
    """Put recorded calls into a library that a session is to be replayed in; returns how many they are.

    To be done before its first line is typed. Raises StoreError.
    """
    count = 0
    for call in calls:
        await log.record_call(call)
        count += 1
    return count


class RecordedCallsOnly(ScriptedModel):
    """A model for replays that has no words of its own.

    It raises ModelUnset for every call, since all calls should be on record. `requests` then holds the first
    call in which the session differs from its record.
    """

    def __init__(self) -> None:
        super().__init__([""])

    async def stream(self, request: LlmRequest) -> AsyncGenerator[TextChunk | Usage, None]:
        self.requests.append(request)
        raise ModelUnset(
            "The record of this session holds no such call.",
            todo="It was typed otherwise here, or its record is not whole.",
        )
        yield TextChunk("")  # a generator, as the port has it
