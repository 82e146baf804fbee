"""Proposes what the player changed in the notes of a vault. Nothing of it is canon before it is decided at the gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from agents.declarations.entity_lookup import universe_entity_finder
from agents.declarations.reader import FindEntity
from agents.exports.folder_plan import FolderFile, Manifest
from agents.exports.vault_folder import NewNote, read_vault_edits, record_sync
from agents.services.manual_edits import Edit, ManualEdits, read_present_tick
from agents.services.note_edits import NoteEditReader, NoteProblem, SyncPlan
from agents.services.world_edits import WorldEditor
from agents.views.world_views import StagedEdits
from stores.ports import CanonReader, LogReader
from stores.records.ids import Id
from stores.records.world import Entity, fold_name


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync proposed, and what it could not read."""

    staged: StagedEdits | None
    problems: tuple[NoteProblem, ...]
    gone: tuple[str, ...]
    ignored_count: int
    manifest: Manifest

    @property
    def lines(self) -> tuple[str, ...]:
        """The result in lines for the user."""
        lines = list(self.staged.lines) if self.staged else ["Nothing new to propose."]
        lines += [f"Not read: {problem}" for problem in self.problems]
        lines += [
            f"Gone: {path}. Nothing is proposed for that; the next export writes it again."
            for path in self.gone
        ]
        if self.ignored_count:
            lines.append(f"Your own notes, which are about no entity: {self.ignored_count:,}.")
        return tuple(filter(None, lines))


class VaultSync:
    """Reads edited notes and proposes their changes, each with its note and line as evidence."""

    def __init__(
        self, canon: CanonReader, log: LogReader, editor: WorldEditor, manual_edits: ManualEdits
    ) -> None:
        self._canon = canon
        self._log = log
        self._editor = editor
        self._manual_edits = manual_edits

    async def propose_edits(self, manifest: Manifest, existing: Mapping[str, FolderFile]) -> SyncReport:
        """Stage what changed since the vault was written or read last. Raises StoreError, NotFound."""
        universe = await self._canon.universe(manifest.universe_id)
        vault_edits = read_vault_edits(manifest, existing)
        tick = await read_present_tick(self._log, universe.id)
        find_entity = await self._build_finder(manifest, universe.id, vault_edits.new)
        plan = SyncPlan()
        reader = NoteEditReader(self._canon, self._editor, manifest, tick, find_entity, plan)
        for new in vault_edits.new:
            await reader.read_new(new)
        for edited in vault_edits.edited:
            await reader.read_edited(edited)
        plan.problems += [
            NoteProblem(path, 1, "it is written anew by each export; nothing is read from it")
            for path in vault_edits.changed_read_only
        ]
        staged = await self._stage(universe.id, plan, tick)
        return SyncReport(
            staged,
            tuple(plan.problems),
            tuple(vault_edits.gone),
            vault_edits.ignored_count,
            record_sync(manifest, existing, plan.notes),
        )

    async def _build_finder(
        self, manifest: Manifest, universe_id: Id, new_notes: Sequence[NewNote]
    ) -> FindEntity:
        """Return a function that finds who has a name in canon, among proposals, or in a new note of the vault."""
        find_known = await universe_entity_finder(universe_id, self._canon, self._log)
        recorded_at = (await self._canon.universe(universe_id)).recorded_at
        owners = await self._canon.entities_by_id({f.owner for f in manifest.files.values() if f.owner})
        new_entities = {
            fold_name(name): Entity(
                id=new.owner, universe_id=universe_id, kind=new.kind, name=new.name, recorded_at=recorded_at
            )
            for new in new_notes
            for name in (new.name, *new.note.aliases)
        }

        # A link reads as the name of its note, which is not always that of whom it is about.
        noted_entities = {
            fold_name(name): owners[entry.owner]
            for path, entry in manifest.files.items()
            if entry.owner in owners
            for name in (PurePosixPath(path).stem, entry.stem)
            if name
        }

        async def find(name: str) -> Entity | None:
            folded_name = fold_name(name)
            return await find_known(name) or noted_entities.get(folded_name) or new_entities.get(folded_name)

        return find

    async def _stage(self, universe_id: Id, plan: SyncPlan, tick: int | None) -> StagedEdits | None:
        """Stage the edits that do not wait already, and note the proposals of each note."""
        waiting_changes = await self._manual_edits.list_waiting_changes(universe_id)
        edits: list[Edit] = []
        paths: list[str] = []
        for path, edit in plan.edits:
            if edit.change not in waiting_changes and edit.change not in [e.change for e in edits]:
                edits.append(edit)
                paths.append(path)
        if not edits:
            return None
        staged = await self._manual_edits.stage_edits(universe_id, edits, tick=tick)
        proposals = await self._log.proposals_by_id(staged.proposal_ids)
        for proposal in proposals.values():
            for path, edit in zip(paths, edits, strict=True):
                if edit.change == proposal.payload:
                    plan.notes[path].proposal_ids.append(proposal.id)
        return staged
