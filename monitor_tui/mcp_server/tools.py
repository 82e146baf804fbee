"""The tools of the MCP server: some read, and some propose.

A reading tool gets a library that refuses every write; a proposing tool only says what would be proposed. There is no
third kind: none decides, commits, retracts or changes a setting.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from pydantic import BaseModel

from monitor_tui.mcp_server import readings, story_readings
from monitor_tui.mcp_server.campaign import Campaign, ClientWords
from monitor_tui.mcp_server.parameters import (
    AskParameters,
    EntityParameters,
    FactParameters,
    KnowledgeParameters,
    NewEntityParameters,
    NoParameters,
    Parameters,
    SearchParameters,
    StatementParameters,
    StoryParameters,
    TimelineParameters,
    TranscriptParameters,
)
from stores.records.ids import Id, utc_now
from stores.records.outside import OutsideEntity, OutsideProposal, OutsideStatement

Content = OutsideStatement | OutsideEntity
P = TypeVar("P", bound=Parameters)


@dataclass(frozen=True, slots=True)
class ListTool:
    """Lists the universes, before one is chosen."""

    name: str
    title: str
    description: str
    parameters: type[BaseModel] = NoParameters


@dataclass(frozen=True)
class ReadTool(Generic[P]):
    """Reads one universe."""

    name: str
    title: str
    description: str
    parameters: type[P]
    read: Callable[[Campaign, P], Awaitable[list[str]]]


@dataclass(frozen=True)
class ProposeTool(Generic[P]):
    """Proposes a change of one universe, which waits until the player decides it in MONITOR."""

    name: str
    title: str
    description: str
    parameters: type[P]
    build_content: Callable[[P], Content]
    read_reason: Callable[[P], str]


Tool = ListTool | ReadTool[Any] | ProposeTool[Any]


async def check_statement(campaign: Campaign, parameters: StatementParameters) -> list[str]:
    """Return what a statement contradicts, by the checks of the gate; nothing is proposed."""
    statement = OutsideStatement(text=parameters.statement)
    row = await campaign.services.outside.preview(build_proposal(campaign.universe.id, statement))
    conflicts = readings.list_conflicts(campaign, row)
    lines = [ClientWords(f"Read as: {row.title}"), *(f"contradicts: {conflict}" for conflict in conflicts)]
    return lines if conflicts else [*lines, "No check of the gate finds anything against it."]


def build_proposal(
    universe_id: Id, content: Content, *, proposal_id: Id = "", client: str = "", reason: str = ""
) -> OutsideProposal:
    """Return a proposal of a client; without an identifier one that is only looked at."""
    return OutsideProposal(
        id=proposal_id,
        universe_id=universe_id,
        content=content,
        client=client,
        reason=reason,
        created_at=utc_now(),
    )


_WAITS: Final = "It waits until the player decides it in MONITOR, and is not true before."

TOOLS: Final[tuple[Tool, ...]] = (
    ListTool("list_universes", "Universes and stories", "List the universes and stories that can be read."),
    ReadTool[AskParameters](
        "ask",
        "Ask the record",
        "Answer a question from the record, by standing: canon is true in the world; proposed waits for the "
        "player; on record was said in play; believed is somebody's memory and may be wrong; unknown is unknown.",
        AskParameters,
        lambda campaign, p: readings.ask(campaign, p.question),
    ),
    ReadTool[SearchParameters](
        "search",
        "Search what was played",
        "Find the turns of play that bear on something, by words and meaning, the best first.",
        SearchParameters,
        lambda campaign, p: readings.search(campaign, p.query, p.limit),
    ),
    ReadTool[EntityParameters](
        "entity_card",
        "Card of an entity",
        "Read what canon says of a person, place, thing or faction: facts, relations, what is no longer true.",
        EntityParameters,
        lambda campaign, p: readings.read_card(campaign, p.name),
    ),
    ReadTool[TimelineParameters](
        "timeline",
        "Timeline",
        "Read the scenes, events, deaths and promises of the universe in the order of world time.",
        TimelineParameters,
        lambda campaign, p: readings.read_timeline(campaign, p.search, p.limit),
    ),
    ReadTool[StoryParameters](
        "open_threads",
        "Open threads",
        "Read what is open: promises, debts, questions, threads, clocks and tracks.",
        StoryParameters,
        lambda campaign, p: readings.read_open_threads(campaign, p.story),
    ),
    ReadTool[StoryParameters](
        "decisions",
        "Decisions",
        "Read what the player decided in a story and what holds.",
        StoryParameters,
        lambda campaign, p: readings.read_decisions(campaign, p.story),
    ),
    ReadTool[KnowledgeParameters](
        "who_knows",
        "What somebody knows",
        "Read what somebody of the world saw, was told or concluded; they may be mistaken.",
        KnowledgeParameters,
        lambda campaign, p: readings.who_knows(campaign, p.name, p.about),
    ),
    ReadTool[StoryParameters](
        "story_so_far",
        "Story so far",
        "Read what each scene came to, where the story stands, who is there, and the last words.",
        StoryParameters,
        lambda campaign, p: story_readings.read_story_so_far(campaign, p.story),
    ),
    ReadTool[TranscriptParameters](
        "transcript",
        "Transcript of a scene",
        "Read the last turns of a scene as they were played.",
        TranscriptParameters,
        lambda campaign, p: story_readings.read_transcript(campaign, p.scene, p.story, p.limit),
    ),
    ReadTool[Parameters](
        "list_proposals",
        "What waits",
        "List what is proposed and waits for the player; nothing of it is true yet.",
        Parameters,
        lambda campaign, p: readings.read_proposals(campaign),
    ),
    ReadTool[StatementParameters](
        "check_statement",
        "What contradicts this?",
        "Say what a statement would contradict in canon, by the checks of the gate. Nothing is proposed.",
        StatementParameters,
        check_statement,
    ),
    ProposeTool[FactParameters](
        "propose_fact",
        "Propose a fact",
        f"Propose that something is so, happened, was promised or owed, or is an open question. {_WAITS}",
        FactParameters,
        lambda p: OutsideStatement(text=p.statement, stated_as=p.stated_as),
        lambda p: p.reason,
    ),
    ProposeTool[NewEntityParameters](
        "propose_entity",
        "Propose somebody or something",
        f"Propose somebody, a place, a thing or a faction as part of the world. {_WAITS}",
        NewEntityParameters,
        lambda p: OutsideEntity(entity_kind=p.kind, name=p.name, description=p.description),
        lambda p: p.reason,
    ),
)


def find_tool(name: str) -> Tool | None:
    return next((tool for tool in TOOLS if tool.name == name), None)
