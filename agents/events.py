"""Defines the events that agents publish, and the bus that screens, the Indexer and tests subscribe to.

Events report that something has happened; they carry identifiers and short texts, never widgets or handles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from stores.records.ids import Id
from stores.records.play import Resolution, Turn
from stores.records.sources import LadderStage
from stores.records.workflow import Transition


@dataclass(frozen=True, slots=True)
class LoopStateChanged:
    """A loop made a transition to another state."""

    transition: Transition


@dataclass(frozen=True, slots=True)
class TurnAppended:
    """A turn was appended to the log."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class ResolutionSealed:
    """A roll or an oracle's answer was sealed."""

    resolution: Resolution


@dataclass(frozen=True, slots=True)
class HeadMoved:
    """The scene's head moved to another turn: undo, redo, another take, a branch."""

    scene_id: Id


@dataclass(frozen=True, slots=True)
class ProposalsChanged:
    """Proposals were staged, decided, withdrawn or committed: read the view again."""

    universe_id: Id
    scene_id: Id | None


@dataclass(frozen=True, slots=True)
class TriggerRaised:
    """A critical proposal is staged, and could be committed now."""

    scene_id: Id
    proposal_ids: tuple[Id, ...]
    """What a commit now would write."""

    reason: str
    """The reason in one line."""


@dataclass(frozen=True, slots=True)
class CanonCommitted:
    """Proposals were committed to canon."""

    canonization_id: Id
    universe_id: Id
    scene_id: Id | None
    fact_ids: tuple[Id, ...]
    failed_proposal_ids: tuple[Id, ...]
    """Proposals that could not be written."""


@dataclass(frozen=True, slots=True)
class PictureChanged:
    """An entity has another picture, or none any more."""

    universe_id: Id
    entity_id: Id


@dataclass(frozen=True, slots=True)
class SceneOpened:
    """A scene was opened."""

    scene_id: Id


@dataclass(frozen=True, slots=True)
class StepStateChanged:
    """A step of the exchange that is being played started or ended."""

    scene_id: Id
    run_id: Id
    step: str
    """Name of the step: `direct`, `narrate` ..."""

    state: Literal["running", "done", "skipped", "failed"]
    note: str = ""
    """One line on the outcome."""


@dataclass(frozen=True, slots=True)
class ExchangeRecorded:
    """What a narration changed was recorded beside play, after the reply to its line."""

    scene_id: Id
    lines: tuple[str, ...]
    """Lines for the player, and a line that Tab takes over, as a reply has them."""

    suggested_line: str = ""


@dataclass(frozen=True, slots=True)
class TextStreamed:
    """Text of a turn that is being narrated, as it arrives. `TurnAppended` follows when it is in the log."""

    scene_id: Id
    turn_id: Id
    text: str


@dataclass(frozen=True, slots=True)
class TextDiscarded:
    """The text that arrived for this turn is discarded (a rewrite, a failure)."""

    scene_id: Id
    turn_id: Id


@dataclass(frozen=True, slots=True)
class LlmCallRecorded:
    """A call of a model ended, with or without success, and is recorded."""

    call_id: Id
    story_id: Id | None


@dataclass(frozen=True, slots=True)
class BackgroundProgressed:
    """The amount of background work changed."""

    waiting_count: int
    """Items left to do."""

    current_work: str = ""
    poisoned_count: int = 0
    """Jobs that wait for the user."""


@dataclass(frozen=True, slots=True)
class ImportProgressed:
    """An import made progress; both numbers are 0 when none is running."""

    imported_turns: int = 0
    total_turns: int = 0


@dataclass(frozen=True, slots=True)
class MemoriesRead:
    """These memories were shown to a model or a player, which strengthens them."""

    memory_ids: tuple[Id, ...]
    tick: int


@dataclass(frozen=True, slots=True)
class MemoriesWritten:
    """Memories of the scene were written, changed or linked: read them again, and index them."""

    universe_id: Id
    scene_id: Id | None


@dataclass(frozen=True, slots=True)
class SourceAdded:
    """A document, or more chunks of it, was added to the universe or taken back: index them."""

    universe_id: Id
    source_id: Id


@dataclass(frozen=True, slots=True)
class IngestProgressed:
    """A document was begun, read further, paused, ended or withdrawn: read its progress again."""

    universe_id: Id
    source_id: Id


@dataclass(frozen=True, slots=True)
class ChunkFigures:
    """How the ladder served one chunk of a document."""

    stage: LadderStage
    """The stage that served it."""
    seconds_by_step: Mapping[str, float]
    """How long each step took: the stages that ran, and `finalize`."""
    is_timed_out: bool = False
    """Whether a model took too long."""
    is_emergency: bool = False
    """Whether a fault of a stage ended in the emergency minimum."""
    dropped_count: int = 0
    """Findings whose words are not in the chunk."""
    warning_count: int = 0
    """Relations that led nowhere."""


@dataclass(frozen=True, slots=True)
class ChunksServed:
    """Chunks of a document were served, and what they gave is stored."""

    chunks: tuple[ChunkFigures, ...]


@dataclass(frozen=True, slots=True)
class Notice:
    """A message for the user that is no part of the story."""

    text: str
    severity: Literal["information", "warning", "error"] = "information"


Event = (
    LoopStateChanged
    | TurnAppended
    | ResolutionSealed
    | HeadMoved
    | ProposalsChanged
    | TriggerRaised
    | CanonCommitted
    | PictureChanged
    | SceneOpened
    | StepStateChanged
    | ExchangeRecorded
    | TextStreamed
    | TextDiscarded
    | LlmCallRecorded
    | BackgroundProgressed
    | ImportProgressed
    | MemoriesRead
    | MemoriesWritten
    | SourceAdded
    | IngestProgressed
    | ChunksServed
    | Notice
)

TransientEvent = (
    LoopStateChanged
    | PictureChanged
    | SceneOpened
    | Notice
    | StepStateChanged
    | ExchangeRecorded
    | TextStreamed
    | TextDiscarded
    | LlmCallRecorded
    | BackgroundProgressed
    | ImportProgressed
    | MemoriesRead
    | MemoriesWritten
    | SourceAdded
    | IngestProgressed
    | ChunksServed
)
"""Events that change nothing that a view of the scene was read from."""

Listener = Callable[[Event], None]


class EventBus:
    """One stream of events. Listeners are called in the order of subscription and must not block."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Add `listener`. Calling the returned function removes it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def publish(self, event: Event) -> None:
        for listener in tuple(self._listeners):
            listener(event)
