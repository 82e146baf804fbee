"""The CanonKeeper: the one agent that writes what is true.

Source: AGENT_ORCHESTRATION, "CanonKeeper Agent"; design/authority.md; design/loops.md, "Recovery".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from agents.canon_keeper.policy import NO_RULES, Judgement, KindRules
from agents.canon_keeper.predicates import Catalogue
from agents.views import CommitReport, ProposalView
from stores.ports import CanonKeeperLog, CanonWriter
from stores.records.ids import Clock, Id, IdMaker
from stores.records.ledger import Decision, ProposedChange
from stores.records.play import Scene
from stores.records.world import Universe

CommitResult = CommitReport
"""`failed` pairs a proposal's id with the reason, in words; `next_scene_id` is the Orchestrator's to fill."""


class CanonKeeper:
    """Judges, decides and commits proposals. Stateless: all it knows is in the stores."""

    def __init__(
        self, canon: CanonWriter, log: CanonKeeperLog, catalogue: Catalogue, ids: IdMaker, clock: Clock
    ) -> None:
        self._canon = canon
        self._log = log
        self._catalogue = catalogue
        self._ids = ids
        self._clock = clock

    async def judge(
        self, proposals: Sequence[ProposedChange], *, rules: KindRules = NO_RULES
    ) -> dict[Id, Judgement]:
        """Say of each proposal what a commit would do with it if it stayed undecided, and why."""
        raise NotImplementedError

    async def views(
        self,
        proposals: Sequence[ProposedChange],
        *,
        turn_numbers: Mapping[Id, int] | None = None,
        rules: KindRules = NO_RULES,
    ) -> tuple[ProposalView, ...]:
        """Return the proposals as rows draw them, numbered from 1 in the order given."""
        raise NotImplementedError

    async def decide(self, ids: Collection[Id], decision: Decision | None) -> None:
        """Set a decision, or with None take it back.

        Raises InputError for a proposal that is unknown, off the line, or closed by a commit.
        """
        raise NotImplementedError

    async def commit(
        self,
        proposals: Sequence[ProposedChange],
        *,
        reason: str,
        scene: Scene | None = None,
        story_id: Id | None = None,
        universe_id: Id | None = None,
        close_scene: bool = False,
        complete_story: bool = False,
        undecided: Literal["defer", "leave"] = "defer",
        rules: KindRules = NO_RULES,
    ) -> CommitResult:
        """Write what is accepted or pre-ticked: planned, written, closed.

        Raises StoreError if a store fails: everything is kept, and committing again (or `recover`)
        finishes it.
        """
        raise NotImplementedError

    async def found(self, universe: Universe, proposals: Sequence[ProposedChange] = ()) -> CommitResult:
        """Create the universe's node and commit what it begins with (staged before), in one commit."""
        raise NotImplementedError

    async def retry(self, universe_id: Id | None = None) -> list[CommitResult]:
        """Finish every commit that was begun and not closed. Raises StoreError if a store still fails."""
        raise NotImplementedError

    async def recover(self) -> list[str]:
        """Finish what a crash left half done; a line for the user for each. Never raises StoreError."""
        raise NotImplementedError

    def critical(self, proposals: Sequence[ProposedChange]) -> list[ProposedChange]:
        """Return the staged proposals that ask to be committed at once."""
        raise NotImplementedError

    def trigger_batch(
        self, proposals: Sequence[ProposedChange], critical: Sequence[ProposedChange]
    ) -> list[ProposedChange]:
        """Return `critical` with the open proposals of the same turns and all that these depend on."""
        raise NotImplementedError
