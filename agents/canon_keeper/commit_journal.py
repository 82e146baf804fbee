"""Writes commits, and says what to do when that is cut off.

Where canon and log are one database, a commit is one transaction. Where they are two, it is planned in the log,
written in canon and closed in the log. A plan holds the whole batch in absolute values and derived ids, so that
writing it again changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from agents.canon_keeper.commit_results import CommitResult, build_commit_result, count_in_words
from agents.canon_keeper.conflicts.ruling_withdrawal import set_withdrawn
from agents.telemetry.spans import NO_TELEMETRY, MeasuredOperation, SpanRecords, Telemetry
from stores.errors import StoreError
from stores.ports import CanonKeeperLog, CanonWriter, CommitWriter
from stores.records.canon import CanonBatch
from stores.records.ids import Id
from stores.records.workflow import Canonization, CanonizationState

_UNFINISHED_STATES = (CanonizationState.PLANNED, CanonizationState.WRITTEN)


class CommitJournal:
    """Writes commit plans to the log, and finishes or drops those that were interrupted."""

    def __init__(
        self,
        canon: CanonWriter,
        log: CanonKeeperLog,
        commits: CommitWriter | None = None,
        telemetry: Telemetry = NO_TELEMETRY,
    ) -> None:
        self._canon = canon
        self._log = log
        self._commits = commits
        self._telemetry = telemetry
        self.commit_count = 0
        """Writes to canon that were begun since the program started."""

    async def write_commit(self, canonization: Canonization) -> CommitResult:
        """Write it whole, in one transaction, or plan, write and close it. Raises StoreError.

        From the plan on, `settle_unfinished` knows how to go on. One that takes another back is always planned: rulings
        change with it, too.
        """
        if self._commits is not None and canonization.undoes is None:
            with self._measure(canonization):
                return await self._write_whole(self._commits, canonization)
        await self._log.plan_canonization(canonization)
        return await self.finish_commit(canonization)

    async def finish_commit(self, canonization: Canonization) -> CommitResult:
        """Write a planned batch and close over it. Raises StoreError, with everything kept."""
        with self._measure(canonization):
            return await self._write_and_close(canonization)

    @contextmanager
    def _measure(self, canonization: Canonization) -> Iterator[None]:
        with self._telemetry.span(MeasuredOperation.CANON_WRITE, records=_records_of(canonization)) as span:
            span.amount = len(canonization.batch.facts)
            yield

    async def _write_whole(self, commits: CommitWriter, canonization: Canonization) -> CommitResult:
        self.commit_count += 1
        try:
            await commits.write_commit(canonization, _outcome_fact_ids(canonization))
        except StoreError as error:
            raise type(error)(
                f"Canon could not be written: {error.what}",
                kept="Nothing was written, and every proposal is kept with its decision.",
                todo=error.todo or "Commit again, or start MONITOR again.",
            ) from error
        return build_commit_result(canonization)

    async def _write_and_close(self, canonization: Canonization) -> CommitResult:
        try:
            if canonization.state is CanonizationState.PLANNED:
                self.commit_count += 1
                await self._canon.commit(canonization.batch)
                if not _leaves_trace(canonization.batch):
                    await self._log.mark_written(canonization.id)
            # Before it is closed, so that a commit that was cut off here is finished with it.
            await self._settle_rulings(canonization)
            await self._log.close_canonization(canonization, _outcome_fact_ids(canonization))
        except StoreError as error:
            raise type(error)(
                f"Canon could not be written: {error.what}",
                kept="The whole commit is kept in the log, and every proposal with its decision.",
                todo=error.todo or "Commit again, or start MONITOR again.",
            ) from error
        return build_commit_result(canonization)

    async def _settle_rulings(self, canonization: Canonization) -> None:
        """Withdraw the rulings of a commit that this takes back; those of one that it brings back hold again."""
        first_commit, is_withdrawn = canonization, False
        while first_commit.undoes is not None:
            (first_commit,) = await self._log.canonizations(ids=[first_commit.undoes])
            is_withdrawn = not is_withdrawn
        if first_commit is not canonization:
            decided_at = {o.decision.at for o in first_commit.outcomes if o.decision is not None}
            await set_withdrawn(self._log, canonization.universe_id, decided_at, is_withdrawn=is_withdrawn)

    async def read_unfinished(self, universe_ids: Iterable[Id | None] = (None,)) -> list[Canonization]:
        """Return commits that were begun and not closed, oldest first; None means of any universe."""
        unfinished_commits = [
            canonization
            for universe_id in universe_ids
            for canonization in await self._log.canonizations(
                universe_id=universe_id, states=_UNFINISHED_STATES
            )
        ]
        return sorted(unfinished_commits, key=lambda c: (c.created_at, c.id))

    async def settle_unfinished(self, universe_ids: Iterable[Id]) -> list[CommitResult]:
        """Leave no commit of these universes half done: close what canon has, drop what it never saw.

        What is dropped is pending again, with its decisions. It must be done before the next plan is
        made: written after a later one, a batch would undo it. Raises StoreError.
        """
        results = []
        for canonization in await self.read_unfinished(universe_ids):
            if await self._must_finish(canonization):
                results.append(await self.finish_commit(canonization))
            else:
                await self._drop_commit(canonization)
        return results

    async def recover(self) -> list[str]:
        """Finish what a crash left half done; a line for the user for each. Never raises StoreError.

        A scene's commit that canon never saw is dropped instead: its gate opens again with every
        decision kept. What has no gate is finished.
        """
        lines = []
        for canonization in await self.read_unfinished():
            try:
                lines.append(await self._recover_commit(canonization))
            except StoreError as error:
                lines.append(f"The commit “{canonization.reason}” is not finished yet. {error}")
        return lines

    async def _recover_commit(self, canonization: Canonization) -> str:
        if canonization.scene_id is not None and not await self._must_finish(canonization):
            await self._drop_commit(canonization)
            return f"The commit “{canonization.reason}” was cut off before canon; your decisions are kept."
        return f"Finished the commit “{canonization.reason}”: {count_in_words(await self.finish_commit(canonization))}."

    async def _drop_commit(self, canonization: Canonization) -> None:
        dropped_commit = canonization.model_copy(update={"state": CanonizationState.DROPPED})
        await self._log.close_canonization(dropped_commit)

    async def _must_finish(self, canonization: Canonization) -> bool:
        """Say whether a commit is written on: canon has it, or it takes back another, which often leaves no trace.

        What it takes back was named and confirmed, and writing it twice is writing it once.
        """
        return canonization.undoes is not None or await self._is_in_canon(canonization)

    async def _is_in_canon(self, canonization: Canonization) -> bool:
        """Say whether the batch was written: it is there whole or not at all.

        A batch that adds nothing shows no trace: a mark says that it was written. Cut off before the mark it is
        dropped, and to commit it again changes nothing either.
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


def _outcome_fact_ids(canonization: Canonization) -> list[Id]:
    return [fact.id for fact in canonization.batch.facts] if canonization.scene_id else []


def _records_of(canonization: Canonization) -> SpanRecords:
    return SpanRecords(canonization.universe_id, canonization.story_id or "", canonization.scene_id or "")


def _leaves_trace(batch: CanonBatch) -> bool:
    """Say whether canon shows that a batch was written: then nobody waits for a mark in the log."""
    return bool(batch.facts or batch.supports)
