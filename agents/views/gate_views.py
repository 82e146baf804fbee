"""Values that the gate draws: what waits at the end of a scene, and what a commit wrote and left open.

A view has no handle; read it again after an event.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from agents.views.proposal_views import ProposalView
from agents.views.scene_views import TensionSuggestion
from agents.views.turn_views import TurnView
from stores.records.canon import Fact
from stores.records.ids import Id
from stores.records.play import Scene
from stores.records.workflow import ProposalStatus
from stores.records.world import Entity, Universe


@dataclass(frozen=True, slots=True)
class SceneEnd:
    """The last turns of the scene before."""

    title: str
    turns: tuple[TurnView, ...]


@dataclass(frozen=True, slots=True)
class GateView:
    """The proposals at a gate: of one scene or, without a scene, of the universe."""

    title: str
    universe: Universe
    scene: Scene | None
    is_finalizing: bool
    """Whether the scene is ending."""

    proposals: tuple[ProposalView, ...]
    elsewhere_count: int = 0
    """Number of proposals at the gates of scenes that are being played."""

    scene_end_lines: tuple[str, ...] = ()
    """What the end of the scene proposed by itself, and how to go on if it has stood for too long, in lines."""

    tension_suggestion: TensionSuggestion | None = None
    """A change of tension that its results suggest."""


WAITING_PLACE: Final = "Decide at the gate of the world: 3 on the menu, then g."
"""Where what a scene's end left open waits, and the keys that lead there."""


SCENE_GOES_ON: Final = "The outcome is canon, and the scene goes on: /end ends it."
"""Said when the outcome of a scene was committed while the scene was open again: by Escape at its gate."""


@dataclass(frozen=True, slots=True)
class LeftOpen:
    """How many rows of the gate a commit left open, by why."""

    conflict_count: int = 0
    undecided_count: int = 0
    deferred_count: int = 0

    def describe(self) -> str:
        """Return it in words, as `2 left open: 1 in conflict, 1 not decided`; empty if nothing was left."""
        counts = (
            (self.conflict_count, "in conflict"),
            (self.undecided_count, "not decided"),
            (self.deferred_count, "deferred"),
        )
        reasons = ", ".join(f"{count} {word}" for count, word in counts if count)
        return f"{sum(count for count, _ in counts)} left open: {reasons}" if reasons else ""

    def describe_after_end(self) -> str:
        """Return it in words with where it waits once its scene is over; empty if nothing was left."""
        description = self.describe()
        return f"{description}. {WAITING_PLACE}" if description else ""


@dataclass(frozen=True, slots=True)
class CommitReport:
    """The result of one commit."""

    canonization_id: Id | None
    facts: tuple[Fact, ...]
    entities: tuple[Entity, ...]
    accepted_count: int
    rejected_count: int
    deferred_count: int
    held_count: int
    """Proposals left open because of a conflict."""

    left_open: LeftOpen = LeftOpen()
    """What the commit did not close, in rows."""

    failures: tuple[tuple[str, str], ...] = ()
    """Title and reason of each proposal that could not be written."""

    changes: tuple[str, ...] = ()
    """What was changed of what canon had, in words: retcons, ends, names, protection, merges."""

    replaced: tuple[tuple[Id, str], ...] = ()
    """Proposal and words of each accepted change that a later one of the same commit replaced."""

    repeated: tuple[str, ...] = ()
    """What was accepted and is in canon in the same words or meaning already."""

    statuses: Mapping[Id, ProposalStatus] = field(default_factory=dict)
    """What the commit made of each proposal that it did not leave as it was."""

    next_scene_id: Id | None = None
    has_outcome_of_open_scene: bool = False
    """Whether the outcome of a scene is among what is canon, and the scene goes on: it was not ended with it."""

    open_matters: tuple[str, ...] = ()
    """What a story that is over promised, owed or asked and left open, for the GM to decide."""

    cost_line: str = ""
    """What the model cost in a story that is over, in words; empty if none was asked."""

    def describe_open_scene(self) -> str:
        """Return that the scene goes on although its outcome is canon, and how it is ended; empty if it does not."""
        return SCENE_GOES_ON if self.has_outcome_of_open_scene else ""

    def describe_accepted(self) -> str:
        """Return how many were accepted and what became of them; empty if none was.

        As in `14 accepted: 12 in canon, 2 replaced by later ones in the same commit`.
        """
        if not self.accepted_count:
            return ""
        replaced_count, repeated_count = len(self.replaced), len(self.repeated)
        replaced_words = "a later one" if replaced_count == 1 else "later ones"
        parts = (
            (self.accepted_count - replaced_count - repeated_count, "in canon"),
            (replaced_count, f"replaced by {replaced_words} in the same commit"),
            (repeated_count, "said already"),
        )
        counted = ", ".join(f"{count} {words}" for count, words in parts if count)
        return f"{self.accepted_count} accepted" + (
            f": {counted}" if replaced_count or repeated_count else ""
        )
