"""The Orchestrator's side of `agents.world_desk`: its four parts, on the same stores."""

from __future__ import annotations

from dataclasses import dataclass

from agents.orchestrator.annals import Annals
from agents.orchestrator.ledger import Ledger
from agents.orchestrator.world_edits import Edits
from agents.orchestrator.world_previews import Previews


@dataclass(frozen=True, slots=True)
class Worlds:
    edits: Edits
    previews: Previews
    record: Annals
    ledger: Ledger
