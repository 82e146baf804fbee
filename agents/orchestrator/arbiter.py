"""Decides between what agents propose to come next. Pure.

A proposal's score is 0.3 urgency + 0.4 dependency + 0.3 the player's intent, each out of 100. The highest score of
at least the threshold is offered with its reason; nothing is done unasked. What the player's words ask for outright
wins over every score, and words that ask for play to go on win over every offer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from agents.views.scene_views import Offer
from stores.records.workflow import Transition, TransitionProposal

OFFER_THRESHOLD = 50
"""Lowest score that is offered."""


@dataclass(frozen=True, slots=True)
class Arbitration:
    """What was weighed, the best first, and what won."""

    weighed: tuple[TransitionProposal, ...] = ()
    winner: TransitionProposal | None = None
    """None: nothing reached the threshold, and play goes on."""

    @property
    def offered_command(self) -> str:
        """The line that is offered; empty if play simply goes on."""
        return self.winner.command if self.winner else ""

    @property
    def player_lines(self) -> tuple[str, ...]:
        """The offer in words."""
        if self.winner is None or not self.winner.command:
            return ()
        return (f"Next? {self.winner.command}: {self.winner.reason}.",)

    @property
    def offers(self) -> tuple[Offer, ...]:
        """The offer, which waits until it is answered."""
        if self.winner is None or not self.winner.command:
            return ()
        reason = self.winner.reason
        return (Offer(f"{reason[:1].upper()}{reason[1:]}:", self.winner.command),)

    @property
    def summary(self) -> str:
        """The result in one line, for the X-ray."""
        if not self.offered_command or self.winner is None:
            return "go on"
        more_count = len(self.weighed) - 1
        rivals = f", before {more_count} more" if more_count else ""
        return f"{self.offered_command} ({self.winner.score} of 100{rivals})"

    def record_on(self, transition: Transition) -> Transition:
        """Return the transition that ends the exchange, with what was weighed on record."""
        update: dict[str, Any] = {"weighed": self.weighed}
        if self.winner is not None:
            update |= {"proposer": self.winner.proposer, "score": float(self.winner.score)}
        return transition.model_copy(update=update)


NO_ARBITRATION: Final = Arbitration()


def arbitrate(proposals: Iterable[TransitionProposal]) -> Arbitration:
    """Weigh the proposals. Among equals the more confident wins, then the first."""
    weighed = tuple(sorted(proposals, key=lambda p: (not p.is_explicit, -p.score, -p.confidence)))
    best = weighed[0] if weighed else None
    if best is None or not (best.is_explicit or best.score >= OFFER_THRESHOLD):
        return Arbitration(weighed)
    return Arbitration(weighed, best)


def find_winner(transition: Transition | None) -> TransitionProposal | None:
    """Return the proposal that won as an exchange ended, from the transition that ended it."""
    if transition is None or transition.score is None or not transition.weighed:
        return None
    return transition.weighed[0]
