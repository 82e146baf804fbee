"""What a background worker is: something that brings one subject to where it should stand now.

For those who write one (the Indexer's, the MemoryManager's):

*Level-triggered.* A worker is never told what to do, only where to look: it compares what is there with what
should be there and makes up the difference, so that a crash, an undo, a restart or an import need nothing of
their own. `bring` of a subject that stands right already is cheap and writes nothing.

*Where to look.* At the start the runner asks `subjects()` once: all that may be behind (a cheap question a
scene, not a walk over its turns). From then on every event of the EventBus is given to every worker's
`touched`, in order, one at a time; what it names is asked for again. The same (kind, subject) asked for twice
before it was begun is done once; asked for while it runs, it is done once more after. Events that carry
what nothing else tells (MemoriesRead) may be noted in `touched`, in the worker's own memory, for `bring`.

*Pieces.* `bring` does a bounded piece (about a second's work at most, some hundred records) and returns how
many items are left of its subject, as far as it knows: 0 is done. The runner calls it again, when others had
their turn. So nothing waits long behind a large subject, a stop loses a piece at most, and the backlog is
counted. It may be cancelled at any await; a piece must be idempotent.

*Order.* Workers of one `lane` run one at a time: what play just touched, then the universe next in turn,
within it the highest `priority`, within that what was asked for first. The lanes run beside each other:
`WORDS` and `VECTORS` are the Indexer's, `PLAIN` is for what takes milliseconds, `MODEL` for what asks a
provider and may take a minute. When REMEMBER or SUMMARISE is done with a scene, the runner has the Indexer
look at that scene (`then`); whoever changes memories otherwise publishes MemoriesWritten, and whoever brings
a source in SourceCame.

*Failing.* `Later` means that it cannot be now and nothing is wrong (a budget is used up, a model sleeps):
it is tried again after that time, and not counted. So is `StoreUnavailable`. Any other exception is a
failure: logged, recorded, tried again after 1, 2, 4, 8 ... seconds, and after FAILURES of them poisoned:
shown in System until the user has it tried again, or an event touches it anew.

*Cursors.* What cannot be compared cheaply (how far memories of a scene were written) is remembered by
`Cursors`: a few words of the worker's own a subject, durable when it returns.

Source: design/loops.md, "Background".
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, NamedTuple, Protocol

from agents.events import Event
from stores.errors import MonitorError
from stores.records.ids import Id
from stores.records.jobs import JobKind

PLAIN_QUEUE: Final = "plain"
WORDS_QUEUE: Final = "words"
VECTORS_QUEUE: Final = "vectors"
MODEL_QUEUE: Final = "model"

MAX_FAILURES: Final = 5
"""After so many in a row a job is poisoned."""


class RetryLater(MonitorError):
    """It cannot be done now; `seconds` is when to try again. No failure, and not counted as one.

    `everything`: nor can any other subject of the same worker; they are not tried either till then.
    """

    def __init__(self, what: str, *, seconds: float = 30.0, whole_kind: bool = False) -> None:
        super().__init__(what)
        self.seconds = seconds
        self.whole_kind = whole_kind


class JobSubject(NamedTuple):
    """What is brought up to date (a scene, a story, a universe), and whose turn that uses up. `items` is how
    much there is to do about it, as far as that is known without looking closer."""

    id: Id
    universe_id: Id
    items: int = 1


class Worker(Protocol):
    @property
    def kind(self) -> JobKind:
        """What it does; one worker a kind."""
        ...

    @property
    def queue(self) -> str:
        """PLAIN, WORDS, VECTORS or MODEL."""
        ...

    @property
    def priority(self) -> int:
        """Higher goes first within a lane and universe. REMEMBER 30, SUMMARISE 10, ARCHIVE 0."""
        ...

    async def subjects(self) -> Collection[JobSubject]:
        """All that may be behind, the most urgent first. Raises StoreError: asked again later."""
        ...

    async def on_event(self, event: Event) -> Collection[JobSubject]:
        """What may be behind now because of this. Quick: most events touch nothing."""
        ...

    async def reconcile(self, subject_id: Id) -> int:
        """Do a piece; return how many items are left. A subject that is gone is done."""
        ...


class Cursors(Protocol):
    """How far a worker came with its subjects, as a stop does not forget it."""

    async def read_cursor(self, kind: JobKind, subject_id: Id) -> str:
        """Return what was last remembered (nothing: an empty string)."""
        ...

    async def write_cursor(self, kind: JobKind, subject: JobSubject, cursor: str) -> None: ...


class JobRequests(Protocol):
    """The way to the background for those who are no worker (an import that ended, a command)."""

    def request(self, kind: JobKind, subject: JobSubject, *, urgent: bool = False) -> None:
        """Have the subject looked at; `urgent` goes before everything of its lane. Returns at once."""
        ...
