"""Encodes what goes between the program and the process in which its background workers run.

A frame is a number, a length and that many bytes: a pickled message. Both ends are this program in one version, and
the pipe is theirs alone. From the process comes first frame 0: `Done` when it is ready, or a `Failure` that says
why it cannot be. Both ends number what they ask from 1, and an answer has the number of what was asked; answers
come in any order.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from agents.embeddings import Embedding
from agents.events import Event
from agents.jobs.worker import JobSubject
from agents.telemetry.spans import Span
from stores.errors import MonitorError
from stores.records.ids import Id
from stores.records.jobs import JobKind
from stores.records.memory import ArchivedLog, Memory, Summary
from stores.records.sources import Snippet, Source, SourcePage
from stores.records.workflow import ProposedChange

FRAME_HEADER: Final = struct.Struct("<II")
"""Number and length in bytes of a frame."""

READY_NUMBER: Final = 0


@dataclass(frozen=True, slots=True)
class ListSubjects:
    """Asks for a worker's `subjects`."""

    kind: JobKind


@dataclass(frozen=True, slots=True)
class NoteEvent:
    """Asks for a worker's `on_event`."""

    kind: JobKind
    event: Event


@dataclass(frozen=True, slots=True)
class Reconcile:
    """Asks for a worker's `reconcile`."""

    kind: JobKind
    subject_id: Id


@dataclass(frozen=True, slots=True)
class ConfirmComplete:
    """Asks for a worker's `confirm_complete`."""

    kind: JobKind


WorkRequest = ListSubjects | NoteEvent | Reconcile | ConfirmComplete
"""What the program asks of the process."""


@dataclass(frozen=True, slots=True)
class WorkAnswer:
    """What the worker returned: subjects, or for `Reconcile` how many items are left."""

    subjects: tuple[JobSubject, ...] = ()
    items_left: int = 0
    span: Span | None = field(default=None, compare=False)
    """How long the process took for a piece of work, and what it waited for meanwhile."""


@dataclass(frozen=True, slots=True)
class PutMemories:
    """Asks to have memories written."""

    memories: Sequence[Memory]


@dataclass(frozen=True, slots=True)
class PutSummaries:
    """Asks to have summaries written."""

    summaries: Sequence[Summary]


@dataclass(frozen=True, slots=True)
class MarkArchived:
    """Asks to have it written that a scene's log is archived."""

    archived: ArchivedLog


@dataclass(frozen=True, slots=True)
class PutSource:
    """Asks to have it written how far a document is."""

    source: Source


@dataclass(frozen=True, slots=True)
class PutPages:
    """Asks to have pages of a document written."""

    pages: Sequence[SourcePage]


@dataclass(frozen=True, slots=True)
class PutSnippets:
    """Asks to have chunks of a document written."""

    snippets: Sequence[Snippet]


@dataclass(frozen=True, slots=True)
class StageSnippets:
    """Asks to have chunks written with what was found in them, in one transaction."""

    snippets: Sequence[Snippet]
    proposals: Sequence[ProposedChange]


@dataclass(frozen=True, slots=True)
class WriteCursor:
    """Asks to have it written how far a worker has come."""

    kind: JobKind
    subject: JobSubject
    cursor: str


@dataclass(frozen=True, slots=True)
class PublishEvent:
    """Asks to have an event published."""

    event: Event


@dataclass(frozen=True, slots=True)
class EmbedTexts:
    """Asks for the vectors of texts: the program has the model, its budget and its bill."""

    texts: Sequence[str]
    universe_id: Id


@dataclass(frozen=True, slots=True)
class MarkVectorsComplete:
    """Asks to have searches use the vectors that were made."""


WriteRequest = (
    PutMemories
    | PutSummaries
    | MarkArchived
    | PutSource
    | PutPages
    | PutSnippets
    | StageSnippets
    | WriteCursor
    | PublishEvent
    | EmbedTexts
    | MarkVectorsComplete
)
"""What the process asks of the program, which alone writes the library and alone has the models."""


@dataclass(frozen=True, slots=True)
class Done:
    """It is written, or the process is ready."""


@dataclass(frozen=True, slots=True)
class TextEmbeddings:
    """Answers `EmbedTexts`: one embedding for each text."""

    embeddings: Sequence[Embedding]


@dataclass(frozen=True, slots=True)
class Postponed:
    """A worker raised RetryLater: the work cannot be done now, and nothing is wrong."""

    what: str
    seconds: float
    whole_kind: bool


@dataclass(frozen=True, slots=True)
class Failure:
    """What was raised in place of an answer."""

    what: str
    kept: str = ""
    todo: str = ""
    traceback: str = ""
    """For the log, of an error that is none of ours."""
    error_type: type[MonitorError] = MonitorError
    """What is raised where the answer arrives."""

    @classmethod
    def of(cls, error: MonitorError) -> Failure:
        is_words_alone = type(error).__init__ is MonitorError.__init__
        return cls(
            error.what,
            error.kept,
            error.todo,
            error_type=type(error) if is_words_alone else MonitorError,
        )

    def error(self) -> MonitorError:
        return self.error_type(self.what, kept=self.kept, todo=self.todo)


FromProgram = WorkRequest | Done | TextEmbeddings | Failure
FromProcess = WorkAnswer | Postponed | WriteRequest | Done | Failure


def pack_frame(number: int, message: FromProgram | FromProcess) -> bytes:
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return FRAME_HEADER.pack(number, len(data)) + data


def unpack_from_program(data: bytes) -> FromProgram:
    """Raises ValueError if the data is damaged."""
    message = _unpickle(data)
    if isinstance(
        message, ListSubjects | NoteEvent | Reconcile | ConfirmComplete | Done | TextEmbeddings | Failure
    ):
        return message
    raise ValueError("not a message of the program's")


def unpack_from_process(data: bytes) -> FromProcess:
    """Raises ValueError if the data is damaged."""
    message = _unpickle(data)
    if isinstance(message, WorkAnswer | Postponed | WriteRequest | Done | Failure):
        return message
    raise ValueError("not a message of the process's")


def _unpickle(data: bytes) -> object:
    try:
        return pickle.loads(data)
    except Exception as error:  # of damaged data, pickle raises whatever it stumbles over
        raise ValueError("not a message") from error
