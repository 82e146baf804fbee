"""Stages manual edits: proposals on the GM's word that rest on the edit itself, outside any scene.

They wait at the universe's gate like all other proposals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.orchestrator.dispatcher import Dispatcher
from agents.orchestrator.scene_views import SceneViewBuilder
from agents.proposals.decisions import is_rejected
from agents.proposals.proposals import Proposals, ProposalSite
from agents.services.universe_gate import UniverseGate
from agents.views.world_views import StagedEdits
from stores.errors import InputError
from stores.ports import LogReader
from stores.queries import ProposalQuery
from stores.records.canon import Authority, Evidence, Payload
from stores.records.ids import Id
from stores.records.workflow import OPEN_STATUSES, ProposedChange

NOTHING_STAGED = "Nothing was proposed."


@dataclass(frozen=True, slots=True)
class Edit:
    """One change with its words; `evidence` is cited besides the edit."""

    change: Payload
    description: str
    evidence: tuple[Evidence, ...] = ()
    is_critical: bool = False
    authority: Authority = Authority.GM
    """Whose word it is: what only follows from the GM's word is the program's."""


class ManualEdits:
    """Stages manual edits."""

    def __init__(
        self,
        log: LogReader,
        proposals: Proposals,
        gate: UniverseGate,
        views: SceneViewBuilder,
        dispatcher: Dispatcher,
    ) -> None:
        self._log = log
        self._proposals = proposals
        self._gate = gate
        self._views = views
        self._dispatcher = dispatcher

    async def stage_edits(self, universe_id: Id, edits: Sequence[Edit], *, tick: int | None) -> StagedEdits:
        """Propose the edits at world time `tick` (None: at no particular time).

        Raises InputError if nothing would change, or if one of them waits already; StoreError.
        """
        if not edits:
            raise InputError("It is like that already.", kept=NOTHING_STAGED)
        async with self._dispatcher.exclusive():
            new_edits = await self._drop_waiting(universe_id, edits)
            site = ProposalSite(universe_id, tick=tick)
            proposals = [
                self._proposals.build(
                    edit.change,
                    edit.description,
                    edit.authority,
                    site,
                    evidence=edit.evidence,
                    critical=edit.is_critical,
                    is_quotation=False,
                )
                for edit in new_edits
            ]
            # One command of their own, so that undo in play takes them back together.
            stamp = {"command_id": proposals[0].id}
            proposals = [proposal.model_copy(update=stamp) for proposal in proposals]
            await self._proposals.stage(proposals)
        return await self.describe_staged(proposals)

    async def describe_staged(self, proposals: Sequence[ProposedChange]) -> StagedEdits:
        """Return lines on proposals that were just staged."""
        rows = await self._views.build_proposal_rows(proposals)
        waiting_proposals, _ = await self._gate.list_waiting(proposals[0].universe_id)
        return StagedEdits(
            tuple(p.id for p in proposals), tuple(row.title for row in rows), len(waiting_proposals)
        )

    async def _drop_waiting(self, universe_id: Id, edits: Sequence[Edit]) -> list[Edit]:
        """Return the edits that do not wait already, so that a key pressed twice proposes once."""
        waiting_changes = await self.list_waiting_changes(universe_id)
        new_edits = [edit for edit in edits if edit.change not in waiting_changes]
        if not new_edits:
            raise InputError(
                "That is proposed already.", kept=NOTHING_STAGED, todo="g goes there, to decide it."
            )
        return new_edits

    async def list_waiting_changes(self, universe_id: Id) -> list[Payload]:
        """Return the changes that wait at any gate of the universe and are not rejected."""
        open_proposals = await self._log.proposals(
            ProposalQuery(universe_id=universe_id, statuses=OPEN_STATUSES)
        )
        return [p.change for p in open_proposals if not is_rejected(p)]


async def read_present_tick(log: LogReader, universe_id: Id) -> int | None:
    """Return the latest tick of play in a universe; None where nothing was played."""
    ticks = []
    for story in (await log.readable_stories(universe_id)).records:
        scenes = await log.scenes(story.id)
        head_turns = await log.turns([scene.head for scene in scenes if scene.head])
        ticks += [head_turns[s.head].tick if s.head in head_turns else s.tick for s in scenes]
    return max(ticks, default=None)
