"""The tools that a model is given to report what stands in a chunk, with bounds on every field.

Each tool is a field of `ChunkToolCalls`, so that one schema, and one answer, holds all calls on a chunk. Whether a
model calls them, writes them into its prose, or plain rules make the calls: from here on they are the same `ToolCall`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final, assert_never

from pydantic import BaseModel, ConfigDict, Field

from agents.ingest.findings import (
    Finding,
    FoundEntity,
    FoundRelation,
    FoundRule,
    FoundStatement,
    FoundTable,
    FoundTableRow,
    Observation,
)
from agents.proposals.statements import MAX_NAME_LENGTH
from stores.records.sources import LadderStage
from stores.records.world import EntityKind

MAX_QUOTE_CHARACTERS: Final = 300
MAX_NUMBER: Final = 1_000_000
"""The highest value of a stat block, and the lowest below zero."""


class ToolName(StrEnum):
    """Every tool. Calls are executed in this order."""

    ADD_OBSERVATIONS = "add_observations"
    CREATE_ENTITIES = "create_entities"
    STATE_FACTS = "state_facts"
    STATE_RULES = "state_rules"
    ADD_TABLES = "add_tables"
    CREATE_RELATIONS = "create_relations"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool with what it reports, from whichever stage it comes."""

    tool: ToolName
    findings: tuple[Finding, ...]
    stage: LadderStage


Name = Annotated[str, Field(max_length=MAX_NAME_LENGTH)]
QuotedWords = Annotated[str, Field(max_length=MAX_QUOTE_CHARACTERS)]
Sentence = Annotated[str, Field(max_length=300)]
BoundedInteger = Annotated[int, Field(ge=-MAX_NUMBER, le=MAX_NUMBER)]


class ToolArgument(BaseModel):
    """One entry of a tool call. Unknown fields are ignored, because models add fields freely."""

    # The schemas are built at the first chunk, not at the program's start.
    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)


class ObservationArgument(ToolArgument):
    about: Name = ""
    quote: QuotedWords


class NumberArgument(ToolArgument):
    name: Annotated[str, Field(max_length=40)]
    value: BoundedInteger


class EntityArgument(ToolArgument):
    name: Name
    kind: EntityKind
    quote: QuotedWords
    aliases: tuple[Name, ...] = Field(default=(), max_length=6)
    description: Sentence = ""
    numbers: tuple[NumberArgument, ...] = Field(default=(), max_length=30)


class FactArgument(ToolArgument):
    subject: Name
    statement: Sentence
    quote: QuotedWords


class RuleArgument(ToolArgument):
    statement: Sentence
    quote: QuotedWords


class TableRowArgument(ToolArgument):
    lowest: Annotated[int, Field(ge=0, le=1_000)]
    highest: Annotated[int, Field(ge=0, le=1_000)]
    text: Sentence


class TableArgument(ToolArgument):
    title: Name
    dice: Annotated[str, Field(max_length=12)]
    rows: tuple[TableRowArgument, ...] = Field(max_length=100)
    quote: QuotedWords


class RelationArgument(ToolArgument):
    subject: Name
    predicate: Annotated[str, Field(max_length=60)]
    object: Name
    quote: QuotedWords


class ChunkToolCalls(ToolArgument):
    """Every call on one chunk: a field a tool."""

    add_observations: tuple[ObservationArgument, ...] = Field(default=(), max_length=8)
    create_entities: tuple[EntityArgument, ...] = Field(default=(), max_length=20)
    state_facts: tuple[FactArgument, ...] = Field(default=(), max_length=20)
    state_rules: tuple[RuleArgument, ...] = Field(default=(), max_length=10)
    add_tables: tuple[TableArgument, ...] = Field(default=(), max_length=4)
    create_relations: tuple[RelationArgument, ...] = Field(default=(), max_length=20)

    def in_short(self) -> str:
        """Return the calls in one line, for the X-ray."""
        counts = ((tool, len(getattr(self, tool))) for tool in ToolName)
        called = ", ".join(f"{tool.value.replace('_', ' ')}: {count}" for tool, count in counts if count)
        return called or "no tool was called"

    def tool_calls(self, stage: LadderStage) -> tuple[ToolCall, ...]:
        """Return one call for each tool that reports something."""
        return tuple(
            ToolCall(tool, findings, stage)
            for tool in ToolName
            if (findings := tuple(finding_of_argument(argument) for argument in getattr(self, tool)))
        )


AnyArgument = (
    ObservationArgument | EntityArgument | FactArgument | RuleArgument | TableArgument | RelationArgument
)

ARGUMENT_TYPES: Final[Mapping[ToolName, type[AnyArgument]]] = {
    ToolName.ADD_OBSERVATIONS: ObservationArgument,
    ToolName.CREATE_ENTITIES: EntityArgument,
    ToolName.STATE_FACTS: FactArgument,
    ToolName.STATE_RULES: RuleArgument,
    ToolName.ADD_TABLES: TableArgument,
    ToolName.CREATE_RELATIONS: RelationArgument,
}
"""What an entry of each tool's call is."""


def calls_of_findings(findings: Iterable[Finding], stage: LadderStage) -> tuple[ToolCall, ...]:
    """Return the tool calls that report these findings, in the order of execution."""
    findings_by_tool: dict[ToolName, list[Finding]] = {}
    for finding in findings:
        findings_by_tool.setdefault(_tool_for(finding), []).append(finding)
    return order_tool_calls(ToolCall(tool, tuple(group), stage) for tool, group in findings_by_tool.items())


def order_tool_calls(calls: Iterable[ToolCall]) -> tuple[ToolCall, ...]:
    """Return the calls as they are executed: observations, entities, others, relations. Equals keep their order.

    A relation needs the entities that it is between.
    """
    ranks = {tool: rank for rank, tool in enumerate(ToolName)}
    return tuple(sorted(calls, key=lambda call: ranks[call.tool]))


def names_in(finding: Finding) -> Iterator[str]:
    """Yield the names that a finding is about."""
    match finding:
        case FoundEntity():
            yield finding.name
        case FoundStatement():
            yield finding.subject
        case FoundRelation():
            yield finding.subject
            yield finding.object
        case Observation():
            yield finding.about
        case FoundRule() | FoundTable():
            return
        case _:
            assert_never(finding)


def _tool_for(finding: Finding) -> ToolName:
    match finding:
        case Observation():
            return ToolName.ADD_OBSERVATIONS
        case FoundEntity():
            return ToolName.CREATE_ENTITIES
        case FoundStatement():
            return ToolName.STATE_FACTS
        case FoundRule():
            return ToolName.STATE_RULES
        case FoundTable():
            return ToolName.ADD_TABLES
        case FoundRelation():
            return ToolName.CREATE_RELATIONS
        case _:
            assert_never(finding)


def finding_of_argument(argument: AnyArgument) -> Finding:
    """Return what one entry of a call reports."""
    match argument:
        case ObservationArgument():
            return Observation(argument.about, argument.quote)
        case EntityArgument():
            return FoundEntity(
                argument.name,
                argument.kind,
                argument.quote,
                argument.aliases,
                argument.description,
                tuple((number.name, number.value) for number in argument.numbers),
            )
        case FactArgument():
            return FoundStatement(argument.subject, argument.statement, argument.quote)
        case RuleArgument():
            return FoundRule(argument.statement, argument.quote)
        case TableArgument():
            rows = tuple(FoundTableRow(row.lowest, row.highest, row.text) for row in argument.rows)
            return FoundTable(argument.title, argument.dice, rows, argument.quote)
        case RelationArgument():
            return FoundRelation(argument.subject, argument.predicate, argument.object, argument.quote)
        case _:
            assert_never(argument)
