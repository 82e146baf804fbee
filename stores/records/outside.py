"""What a chat client proposes over MCP, before MONITOR has taken it in."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import Field

from stores.records.base import Record
from stores.records.ids import Id
from stores.records.world import EntityKind

MAX_STATEMENT_LENGTH: Final = 1_000
MAX_NAME_LENGTH: Final = 80
MAX_REASON_LENGTH: Final = 300
MAX_CLIENT_LENGTH: Final = 40
"""Characters of the parts of a proposal."""


class StatedAs(StrEnum):
    """What a statement is, in the words that `/fact` takes."""

    FACT = "fact"
    EVENT = "event"
    PROMISE = "promise"
    DEBT = "debt"
    QUESTION = "question"


class OutsideStatement(Record):
    """That something is so, happened, is promised or owed, or is an open question."""

    kind: Literal["statement"] = "statement"
    stated_as: StatedAs = StatedAs.FACT
    text: str = Field(min_length=1, max_length=MAX_STATEMENT_LENGTH)


class OutsideEntity(Record):
    """That somebody or something is part of the world."""

    kind: Literal["entity"] = "entity"
    entity_kind: EntityKind
    name: str = Field(min_length=1, max_length=MAX_NAME_LENGTH)
    description: str = Field(default="", max_length=MAX_STATEMENT_LENGTH)


class OutsideProposal(Record):
    """One proposal of a chat client. It is text from outside: nothing in it is believed or followed."""

    id: Id
    universe_id: Id
    content: Annotated[OutsideStatement | OutsideEntity, Field(discriminator="kind")]
    client: str = Field(default="", max_length=MAX_CLIENT_LENGTH)
    """What the client calls itself."""
    reason: str = Field(default="", max_length=MAX_REASON_LENGTH)
    """Why it proposes this, in its words."""
    created_at: datetime
