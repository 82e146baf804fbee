"""Tells whether anything was proposed, decided or undone in a scene since its proposals were read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Final

from stores.records.workflow import ProposalStatus, ProposedChange

FINGERPRINT_CHARACTERS: Final = 16


def fingerprint_proposals(proposals: Iterable[ProposedChange]) -> str:
    """Return a fingerprint of what was proposed in a scene and how it was decided, without what was undone."""
    decisions = [describe_decision(p) for p in proposals if p.status is not ProposalStatus.WITHDRAWN]
    return hashlib.sha256("\n".join(decisions).encode()).hexdigest()[:FINGERPRINT_CHARACTERS]


def describe_decision(proposal: ProposedChange) -> str:
    """Return how a proposal was decided, and on which turn it stands, in words that differ with each."""
    verdict = proposal.decision.verdict if proposal.decision else ""
    return f"{proposal.id} {proposal.status} {verdict} {proposal.turn_id}"
