"""Defines background workers: each brings one kind of derived data up to date, one subject at a time.

For authors of a worker:

*Level-triggered.* A worker is not told what to do, only where to look: it compares what is there with what
should be there and makes up the difference. So a crash, an undo, a restart or an import need no code of
their own. `reconcile` of an up-to-date subject is cheap and writes nothing.

*Where to look.* At the start the runner calls `subjects()` once: everything that may be out of date among what
changed since the worker's cursor; without one, among everything (a cheap question per scene, not a walk over its
turns). From then on every event of the EventBus goes to every worker's `on_event`, in order, one at a time; the
subjects that it names are requested again. A (kind, subject) requested twice before it starts is done once; requested
while it runs, it is done once more after.
Events that carry what nothing else tells (MemoriesRead) may be kept in memory by `on_event`, for `reconcile`.

*All done.* When nothing is left to do and for a moment nothing happens, the runner has each worker
`confirm_complete`: it stores up to which change of the library it is done, and the next start begins there. Workers of
scenes leave this to `agents.jobs.followed_scenes`.

*Pieces.* `reconcile` does a bounded piece (at most about a second, or some hundred records) and returns how
many items are left of its subject, as far as it knows; 0 means done. The runner calls it again after others
had their turn. So nothing waits long behind a large subject, a stop loses one piece at most, and the backlog
is counted. It may be cancelled at any await; a piece must be idempotent.

*Order.* Workers of one queue run one at a time: what play just touched, then the universe next in turn (by their
shares), within it the highest `priority`, then what was requested first. A piece that asks a model is postponed while
the budgets of its universe do not allow its `tokens`. Queues run beside each other: `WORDS` and
`VECTORS` are the Indexer's, `PLAIN` is for work of milliseconds, `MODEL` for calls to a provider, which may
take a minute, `RECORD` for those that play needs soon, and `INGEST` for documents, which may take many. When
REMEMBER or SUMMARISE is done with a scene, the
runner has the Indexer look at it (`follow_ups`). Other code that changes memories raises the edition in their scene's
MemoryCursor and publishes MemoriesWritten, and code that adds a source publishes SourceAdded.

*Failing.* `RetryLater` means that the work is impossible now and nothing is wrong (a budget is used up, a
model is starting): it is tried again after that time and not counted. So is `StoreUnavailable`. After an event that
raises it, `subjects` is called again. Any other
exception is a failure: logged, recorded, tried again after 1, 2, 4, 8 ... seconds, and after MAX_FAILURES
poisoned: shown on the System screen until the user retries it, or an event touches it again.

*Cursors.* What cannot be compared cheaply (how far the memories of a scene were written) is stored with
`Cursors`: a few words per subject, durable when the call returns.
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
INGEST_QUEUE: Final = "ingest"
RECORD_QUEUE: Final = "record"

MAX_FAILURES: Final = 5
"""Failures in a row after which a job is poisoned."""


class RetryLater(MonitorError):
    """The work cannot be done now, for no fault: it is tried again after `seconds` and not counted.

    With `whole_kind`, the worker's other subjects are not tried until then either.
    """

    def __init__(self, what: str, *, seconds: float = 30.0, whole_kind: bool = False) -> None:
        super().__init__(what)
        self.seconds = seconds
        self.whole_kind = whole_kind


class JobSubject(NamedTuple):
    """What is brought up to date (a scene, a story, a universe), and the universe whose turn it uses."""

    id: Id
    universe_id: Id
    items: int = 1
    """How much there is to do, as far as known without looking closer."""
    tokens: int = 0
    """Tokens of a model that the next piece is expected to take (0: it asks none)."""


class Worker(Protocol):
    """Brings one kind of derived data up to date. See the module's contract."""

    @property
    def kind(self) -> JobKind:
        """The kind of job; one worker per kind."""
        ...

    @property
    def queue(self) -> str:
        """PLAIN_QUEUE, WORDS_QUEUE, VECTORS_QUEUE, MODEL_QUEUE, RECORD_QUEUE or INGEST_QUEUE."""
        ...

    @property
    def priority(self) -> int:
        """Higher goes first within a queue and universe: RECORD 40, REMEMBER 30, SUMMARISE 10, ARCHIVE 0."""
        ...

    async def subjects(self) -> Collection[JobSubject]:
        """Return everything that may be out of date, the most urgent first.

        Raises StoreError: asked again later.
        """
        ...

    async def on_event(self, event: Event) -> Collection[JobSubject]:
        """Return what this event may have put out of date. Quick: most events need no work."""
        ...

    async def reconcile(self, subject_id: Id) -> int:
        """Do one piece of work and return how many items are left.

        A subject that no longer exists is done.
        """
        ...

    async def confirm_complete(self) -> Collection[JobSubject]:
        """Store that everything is done up to now, or return what is not. Called when no subject is left."""
        ...


class Cursors(Protocol):
    """Stores how far a worker has come with its subjects, across restarts."""

    async def read_cursor(self, kind: JobKind, subject_id: Id) -> str:
        """Return what was stored last; empty if nothing was."""
        ...

    async def write_cursor(self, kind: JobKind, subject: JobSubject, cursor: str) -> None: ...


class JobRequests(Protocol):
    """Requests background work from code that is no worker (an import that ended, a command)."""

    def request(self, kind: JobKind, subject: JobSubject, *, urgent: bool = False) -> None:
        """Have the subject looked at; `urgent` goes first in its queue. Returns at once."""
        ...
