"""What tools and prompts of the MCP server take: checked, bounded, and refused in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agents.search.question import MAX_QUESTION_LENGTH
from monitor_tui.mcp_server.story_readings import MAX_TURNS
from stores.errors import InputError
from stores.records.outside import (
    MAX_NAME_LENGTH,
    MAX_REASON_LENGTH,
    MAX_STATEMENT_LENGTH,
    StatedAs,
)
from stores.records.world import EntityKind

MAX_TITLE_LENGTH: Final = 120
MAX_FOUND: Final = 50
MAX_EVENTS: Final = 500
_MAX_NAMED_FAULTS: Final = 5

Title = Annotated[str, Field(max_length=MAX_TITLE_LENGTH)]
Question = Annotated[str, Field(min_length=1, max_length=MAX_QUESTION_LENGTH)]
Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME_LENGTH)]
Statement = Annotated[str, Field(min_length=1, max_length=MAX_STATEMENT_LENGTH)]


class Parameters(BaseModel):
    """What every tool takes that reads one universe."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    universe: Title = Field(
        default="", description="Which universe, by its name; needed if there are several."
    )


class NoParameters(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AskParameters(Parameters):
    question: Question = Field(description="What you want to know, as in: Who has the iron key?")


class SearchParameters(Parameters):
    query: Question = Field(description="Words, or what it was about.")
    limit: int = Field(default=10, ge=1, le=MAX_FOUND, description="How many turns.")


class EntityParameters(Parameters):
    name: Name = Field(description="The name of somebody, a place, a thing or a faction.")


class KnowledgeParameters(Parameters):
    name: Name = Field(description="Whose memories.")
    about: Title = Field(default="", description="Only what is about this.")


class TimelineParameters(Parameters):
    search: Title = Field(default="", description="Only what has all these words.")
    limit: int = Field(default=100, ge=1, le=MAX_EVENTS, description="How many lines: the last ones.")


class StoryParameters(Parameters):
    story: Title = Field(default="", description="Which story, by its title; else the one played last.")


class TranscriptParameters(StoryParameters):
    scene: int | None = Field(default=None, ge=1, description="The number of the scene; else the last.")
    limit: int = Field(default=60, ge=1, le=MAX_TURNS, description="How many turns: the last ones.")


class StatementParameters(Parameters):
    statement: Statement = Field(description="One plain sentence, with the names that the world has.")


class FactParameters(StatementParameters):
    stated_as: StatedAs = Field(default=StatedAs.FACT, description="What it is.")
    reason: str = Field(
        default="", max_length=MAX_REASON_LENGTH, description="Why, for the player who decides."
    )


class NewEntityParameters(Parameters):
    kind: EntityKind = Field(description="What it is.")
    name: Name = Field(description="Its name.")
    description: str = Field(
        default="", max_length=MAX_STATEMENT_LENGTH, description="Who or what that is, in a sentence."
    )
    reason: str = Field(
        default="", max_length=MAX_REASON_LENGTH, description="Why, for the player who decides."
    )


class ContinueParameters(StoryParameters):
    wish: Title = Field(default="", description="What should happen, if you know.")


AnyParameters = TypeVar("AnyParameters", bound=BaseModel)


def read_parameters(model: type[AnyParameters], arguments: Mapping[str, Any] | None) -> AnyParameters:
    """Return what a client passed. Raises InputError that names what is wrong."""
    try:
        return model.model_validate(dict(arguments or {}))
    except ValidationError as error:
        faults = "; ".join(_describe_faults(error))
        names = ", ".join(model.model_fields) or "nothing"
        raise InputError(
            f"That cannot be asked so: {faults}.", kept="Nothing was done.", todo=f"It takes: {names}."
        ) from None


def _describe_faults(error: ValidationError) -> Iterator[str]:
    for fault in error.errors(include_input=False, include_url=False)[:_MAX_NAMED_FAULTS]:
        name = str(fault["loc"][0])[:MAX_NAME_LENGTH] if fault["loc"] else "it"
        yield f"“{name}” {_describe_fault(fault['type'], fault.get('ctx', {}))}"


def _describe_fault(kind: str, context: Mapping[str, Any]) -> str:
    match kind:
        case "missing":
            return "is missing"
        case "extra_forbidden":
            return "is nothing that it takes"
        case "string_too_long":
            return f"is longer than {context['max_length']:,} characters"
        case "string_too_short":
            return "is empty"
        case "string_type" | "string_unicode":
            return "is no text"
        case "int_type" | "int_parsing" | "int_from_float" | "int_parsing_size":
            return "is no whole number"
        case "greater_than_equal":
            return f"is less than {context['ge']}"
        case "less_than_equal":
            return f"is more than {context['le']}"
        case "enum":
            return f"is none of {context['expected']}"
        case _:
            return "cannot be read"
