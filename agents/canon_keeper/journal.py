"""The write-ahead record of commits: planned, written, closed, and what to do when that is cut off.

A plan holds the whole batch in absolute values and derived ids, so that writing it again changes
nothing. Source: design/loops.md, "Recovery"; design/ontology.md, `canonizations`.
"""

from __future__ import annotations

from collections.abc import Iterable

from agents.canon_keeper.results import CommitResult, counted, result_of
from stores.errors import StoreError
from stores.ports import CanonKeeperLog, CanonWriter
from stores.records.ids import Id
from stores.records.ledger import Canonization, CanonizationState

_UNFINISHED = (CanonizationState.PLANNED, CanonizationState.WRITTEN)


class Journal:
    """Writes plans, and finishes or drops those that were cut off. Stateless: the log remembers."""

    def __init__(self, canon: CanonWriter, log: CanonKeeperLog) -> None:
        self._canon = canon
        self._log = log

    async def write(self, canonization: Canonization) -> CommitResult:
        """Plan, write and close. Raises StoreError; from the plan on, `settle` knows how to go on."""
        await self._log.plan_canonization(canonization)
        return await self.finish(canonization)

    async def finish(self, canonization: Canonization) -> CommitResult:
        """Write a planned batch and close over it. Raises StoreError, with everything kept."""
        try:
            if canonization.state is CanonizationState.PLANNED:
                await self._canon.commit(canonization.batch)
                await self._log.mark_written(canonization.id)
            outcomes = [fact.id for fact in canonization.batch.facts] if canonization.scene_id else []
            await self._log.close_canonization(canonization, outcomes)
        except StoreError as error:
            raise type(error)(
                f"Canon could not be written: {error.what}",
                kept="The whole commit is kept in the log, and every proposal with its decision.",
                todo=error.todo or "Commit again, or start MONITOR again.",
            ) from error
        return result_of(canonization)

    async def unfinished(self, universe_ids: Iterable[Id | None] = (None,)) -> list[Canonization]:
        """Return commits that were begun and not closed, oldest first; None means of any universe."""
        found = [
            canonization
            for universe_id in universe_ids
            for canonization in await self._log.canonizations(universe_id=universe_id, states=_UNFINISHED)
        ]
        return sorted(found, key=lambda c: (c.created_at, c.id))

    async def settle(self, universe_ids: Iterable[Id]) -> list[CommitResult]:
        """Leave no commit of these universes half done: close what canon has, drop what it never saw.

        What is dropped is pending again, with its decisions. It must be done before the next plan is
        made: written after a later one, a batch would undo it. Raises StoreError.
        """
        results = []
        for canonization in await self.unfinished(universe_ids):
            if await self._is_in_canon(canonization):
                results.append(await self.finish(canonization))
            else:
                await self._drop(canonization)
        return results

    async def recover(self) -> list[str]:
        """Finish what a crash left half done; a line for the user for each. Never raises StoreError.

        A scene's commit that canon never saw is dropped instead: its gate opens again with every
        decision kept. What has no gate is finished.
        """
        lines = []
        for canonization in await self.unfinished():
            try:
                lines.append(await self._recovered(canonization))
            except StoreError as error:
                lines.append(f"The commit “{canonization.reason}” is not finished yet. {error}")
        return lines

    async def _recovered(self, canonization: Canonization) -> str:
        if canonization.scene_id is not None and not await self._is_in_canon(canonization):
            await self._drop(canonization)
            return f"The commit “{canonization.reason}” was cut off before canon; your decisions are kept."
        return f"Finished the commit “{canonization.reason}”: {counted(await self.finish(canonization))}."

    async def _drop(self, canonization: Canonization) -> None:
        dropped = canonization.model_copy(update={"state": CanonizationState.DROPPED})
        await self._log.close_canonization(dropped)

    async def _is_in_canon(self, canonization: Canonization) -> bool:
        """Say whether the batch was written: it is there whole or not at all.

        A batch that adds nothing shows no trace; to drop it and commit again changes nothing either.
        """
        batch = canonization.batch
        if canonization.state is CanonizationState.WRITTEN:
            return True
        if batch.facts:
            return bool(await self._canon.facts_by_id([fact.id for fact in batch.facts]))
        if batch.supports:
            first = batch.supports[0]
            return first.evidence_id in {e.id for e in await self._canon.evidence_of(first.subject_id)}
        return False
