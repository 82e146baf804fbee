"""Background jobs, stored so that they go on after a restart.

A job brings one subject (a scene, a universe) up to date. Its identifier is derived from its kind and subject, so
there is at most one for each.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from stores.records.base import Record
from stores.records.ids import Id, derive_id


class JobKind(StrEnum):
    """What a job does: INDEX indexes words, EMBED vectors; INGEST reads documents, ENRICH asks a model about them.

    RECORD has a model record what narrations changed, EXTRACT what the GM's own prose changes.
    """

    INDEX = "index"
    EMBED = "embed"
    REMEMBER = "remember"
    SUMMARISE = "summarise"
    ARCHIVE = "archive"
    IMPORT = "import"
    DOUBT = "doubt"
    INGEST = "ingest"
    ENRICH = "enrich"
    RECORD = "record"
    EXTRACT = "extract"


class JobState(StrEnum):
    """How far a job is. POISONED: it failed too often, and waits for the user."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    POISONED = "poisoned"


class Job(Record):
    """Work in the background on one subject, and how far it has come."""

    id: Id
    kind: JobKind
    subject_id: Id
    universe_id: Id
    state: JobState = JobState.WAITING
    cursor: str = Field(default="", validation_alias="reached")
    """Where the subject stood when the job was last done (a head, a version), in the worker's own format."""
    priority: int = 0
    """Order within a universe: higher first."""
    estimate: int = Field(default=0, ge=0)
    """Expected cost in tokens of a model (0: none)."""
    attempts: int = Field(default=0, ge=0)
    error: str = ""
    due: datetime
    """When it may be tried (again)."""
    lease: datetime | None = None
    """Until when a run of it counts as alive."""
    updated_at: datetime


def derive_job_id(kind: JobKind, subject_id: Id) -> Id:
    """Return the identifier of the one job of this kind for the subject."""
    return derive_id("job", kind, subject_id)
