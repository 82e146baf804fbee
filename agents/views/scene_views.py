"""Values that the play screen draws: the scene, who is in it, its threads and what its lines offer.

A view has no handle; read it again after an event.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from agents.views.proposal_views import ProposalView
from stores.records.clocks import ProgressClock
from stores.records.ids import Id
from stores.records.play import Scene, Story
from stores.records.world import Number, Universe


@dataclass(frozen=True, slots=True)
class CastMember:
    """Somebody in the scene with their working state: canon with what is staged on this line."""

    entity_id: Id
    name: str
    is_pc: bool
    numbers: dict[str, Number] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    changed_keys: tuple[str, ...] = ()
    """Names of numbers and tags that differ from canon."""
    note: str = ""
    """Why they neither act nor hear, if so: `asleep`, `out of earshot`, `dead`."""
    is_note_staged: bool = False
    """Whether `note` rests on what is not canon yet."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A command that is offered for what a line says."""

    question: str
    """Why, without a full stop: `Time passes?`, `Vess is not here:`."""
    command: str
    """The whole line that does it."""

    @property
    def text(self) -> str:
        return f"{self.question} {self.command}"

    @property
    def ends_scene(self) -> bool:
        return self.command.split()[0] == "/end"


@dataclass(frozen=True, slots=True)
class ThreadView:
    """Something left open in the story."""

    id: Id
    number: int
    """The number that `/thread` takes."""

    name: str
    weight: int = 1
    kind: str = ""
    """The commitment that it shows; empty: a thread of the GM's own."""

    age: str = ""
    """Its age, in words."""

    is_open: bool = True
    closed_at: str = ""
    outcome: str = ""
    """When it was closed, in words."""

    is_proposed: bool = False
    """Whether it is not canon yet."""

    is_paying_off: bool = False
    """Whether its pay-off is proposed."""


@dataclass(frozen=True, slots=True)
class TensionSuggestion:
    """A change of tension that the scene's sealed results suggest."""

    before: int
    after: int
    reason: str


@dataclass(frozen=True, slots=True)
class SceneView:
    """Everything that the play screen shows besides the transcript."""

    universe: Universe
    story: Story
    scene: Scene
    when: str
    """World time in words."""

    state: str
    """State of the scene loop."""

    turn_count: int
    place: str
    cast: tuple[CastMember, ...]
    proposals: tuple[ProposalView, ...]
    trigger_reason: str = ""
    """Why a commit is offered now; empty: it is not."""

    offer_ids: tuple[Id, ...] = ()
    """The proposals that it would write."""

    is_offer_lapsed: bool = False
    """Whether something else was done since, so that a bare Enter does not mean it."""

    can_undo: bool = False
    can_redo: bool = False
    unfinished_count: int = 0
    """Number of exchanges whose narration was interrupted."""

    stalled_note: str = ""
    """How to go on, if the scene stands at its gate or an exchange unfinished for too long."""

    threads: tuple[ThreadView, ...] = ()
    clocks: tuple[ProgressClock, ...] = ()
    """Clocks that are open."""

    tracks: tuple[ProgressClock, ...] = ()
    """Progress tracks that are open."""

    opening_hint: str = ""
    """A suggestion for how the scene begins, until somebody acts."""

    offers: tuple[Offer, ...] = ()
    """What lines of the scene offered and nobody answered yet, the newest first."""


@dataclass(frozen=True, slots=True)
class ActionIdeas:
    """What the player's character could do next, as lines that could be typed."""

    actions: tuple[str, ...]
    note: str = ""
    """Why they are not the model's, if one was asked."""
