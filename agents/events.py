"""What the Orchestrator publishes: events that screens, the Indexer and tests listen to.

Events say that something is so; they carry identifiers and short words, never widgets or handles.
Source: design/architecture.md, "How one exchange flows"; AGENT_ORCHESTRATION, "Event Publishing".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from stores.records.ids import Id
from stores.records.ledger import Transition
from stores.records.play import Resolution, Turn


@dataclass(frozen=True, slots=True)
class LoopMoved:
    transition: Transition


@dataclass(frozen=True, slots=True)
class TurnAppended:
    turn: Turn


@dataclass(frozen=True, slots=True)
class ResolutionSealed:
    resolution: Resolution


@dataclass(frozen=True, slots=True)
class LineMoved:
    """The head moved to another turn: undo, redo, another take, a branch."""

    scene_id: Id


@dataclass(frozen=True, slots=True)
class ProposalsChanged:
    """Staged, decided, withdrawn or committed: ask for the view again."""

    universe_id: Id
    scene_id: Id | None


@dataclass(frozen=True, slots=True)
class TriggerRaised:
    """Something critical is staged; `why` is one line, `proposal_ids` what a commit now would write."""

    scene_id: Id
    proposal_ids: tuple[Id, ...]
    why: str


@dataclass(frozen=True, slots=True)
class CanonCommitted:
    canonization_id: Id
    universe_id: Id
    scene_id: Id | None
    fact_ids: tuple[Id, ...]
    failed: tuple[Id, ...]


@dataclass(frozen=True, slots=True)
class SceneOpened:
    scene_id: Id


@dataclass(frozen=True, slots=True)
class StepMoved:
    """A step of an exchange that is being played: `direct`, `narrate` ... `note` is one line on it."""

    scene_id: Id
    beat_id: Id
    step: str
    state: Literal["running", "done", "skipped", "failed"]
    note: str = ""


@dataclass(frozen=True, slots=True)
class WordsCame:
    """Words of a turn that is being told, as they arrive. It is in the log once `TurnAppended` says so."""

    scene_id: Id
    turn_id: Id
    text: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class WordsDropped:
    """The words that came for this turn are not kept: nothing of them is told (a rewrite, a failure)."""

    scene_id: Id
    turn_id: Id


@dataclass(frozen=True, slots=True)
class ModelCalled:
    """A call of a model ended, well or not, and stands on the bill."""

    call_id: Id
    story_id: Id | None


@dataclass(frozen=True, slots=True)
class BackgroundMoved:
    """How much is left to do behind play: `waiting` items, `poisoned` jobs that wait for the user."""

    waiting: int
    doing: str = ""
    poisoned: int = 0


@dataclass(frozen=True, slots=True)
class ImportMoved:
    """A log is being brought in: so many of its turns are; both 0 when none is (any more)."""

    turns: int = 0
    of_turns: int = 0


@dataclass(frozen=True, slots=True)
class MemoriesRead:
    """These memories were shown to a model or a player: recalling strengthens them."""

    memory_ids: tuple[Id, ...]
    tick: int


@dataclass(frozen=True, slots=True)
class MemoriesWritten:
    """Memories of the scene were written, changed or linked: ask again, and index them."""

    universe_id: Id
    scene_id: Id | None


@dataclass(frozen=True, slots=True)
class SourceCame:
    """A document came into the universe, or more chunks of it are in the log: index them."""

    universe_id: Id
    source_id: Id


@dataclass(frozen=True, slots=True)
class Notice:
    """A line for the user that is no part of the story."""

    text: str
    severity: Literal["information", "warning", "error"] = "information"


Event = (
    LoopMoved
    | TurnAppended
    | ResolutionSealed
    | LineMoved
    | ProposalsChanged
    | TriggerRaised
    | CanonCommitted
    | SceneOpened
    | StepMoved
    | WordsCame
    | WordsDropped
    | ModelCalled
    | BackgroundMoved
    | ImportMoved
    | MemoriesRead
    | MemoriesWritten
    | SourceCame
    | Notice
)

Passing = (
    LoopMoved
    | SceneOpened
    | Notice
    | StepMoved
    | WordsCame
    | WordsDropped
    | ModelCalled
    | BackgroundMoved
    | ImportMoved
    | MemoriesRead
    | MemoriesWritten
    | SourceCame
)
"""Events that come and go and change nothing that a view of the scene was read from."""

Listener = Callable[[Event], None]


class EventBus:
    """One stream of events up. Listeners are called in the order they subscribed and must not block."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Add `listener`; the returned function takes it off again."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def publish(self, event: Event) -> None:
        for listener in tuple(self._listeners):
            listener(event)
