"""The Orchestrator's side of `agents.world_desk`: its four parts, on the same stores."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from agents.orchestrator.annals import Annals
from agents.orchestrator.ledger import Ledger
from agents.orchestrator.world_edits import Edits
from agents.orchestrator.world_previews import Previews
from stores.records.ids import Id


@dataclass(frozen=True, slots=True)
class Worlds:
    """`export` writes a universe to an archive, and returns where."""

    edits: Edits
    previews: Previews
    record: Annals
    ledger: Ledger
    export: Callable[[Id], Awaitable[str]]
