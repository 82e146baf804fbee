"""What the GM keeps in the story's books: open threads, who matters in it, who is here, how tense it is.

An entry is made once and never changed; what stands is worked out from those that count.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from stores.records.base import Record
from stores.records.ids import Id

Weight = Annotated[int, Field(ge=1, le=3)]
"""How often chance picks it, beside the others."""


class Thread(Record):
    """Something that the story has left open, as it stands. `since` and `closed_at` are world times
    (ticks; `since` None: nobody knows).

    `fact_id` names the commitment that it shows, if it is one of canon's or proposed to be.
    """

    id: Id
    story_id: Id
    name: str = Field(min_length=1)
    weight: Weight = 1
    since: int | None = 0
    closed_at: int | None = None
    fact_id: Id | None = None

    @property
    def is_open(self) -> bool:
        return self.closed_at is None


class _JournalEntryBase(Record):
    """It counts while `turn_id` is on its scene's line (None: it hangs on the scene itself). `tick` is
    the world time that play stood at."""

    id: Id
    scene_id: Id
    turn_id: Id | None = None
    tick: int = 0
    at: datetime


class ThreadAction(StrEnum):
    OPEN = "open"
    CLOSE = "close"
    REOPEN = "reopen"
    WEIGH = "weigh"
    RENAME = "rename"


class ThreadEntry(_JournalEntryBase):
    """What was done to a thread. `name` goes with OPEN and RENAME, `by` with WEIGH."""

    kind: Literal["thread"] = "thread"
    thread_id: Id
    act: ThreadAction
    name: str = ""
    by: int = 0


class CharacterWeightEntry(_JournalEntryBase):
    """How much somebody matters in the story: 0 keeps them off its list, and out of random events."""

    kind: Literal["person"] = "person"
    entity_id: Id
    weight: int = Field(ge=0, le=3)


class PresenceEntry(_JournalEntryBase):
    """Somebody came into the scene, or left it."""

    kind: Literal["presence"] = "presence"
    entity_id: Id
    here: bool


class TensionEntry(_JournalEntryBase):
    """The tension was moved, and why. The story's dial is where it was moved to, whatever is undone."""

    kind: Literal["tension"] = "tension"
    before: int
    after: int
    why: str = ""


JournalEntry = Annotated[
    ThreadEntry | CharacterWeightEntry | PresenceEntry | TensionEntry, Field(discriminator="kind")
]
