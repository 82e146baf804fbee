"""Exports worlds into folders, and brings back what was edited there as proposals."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from agents.exports.folder_plan import (
    MANIFEST_NAME,
    FolderFile,
    FolderPlan,
    Manifest,
    ManifestFile,
    digest,
    plan_folder,
    read_manifest,
    write_manifest,
)
from agents.exports.lorebook_file import write_lorebook
from agents.exports.statblock_file import write_statblocks
from agents.exports.vault import write_vault
from agents.exports.vault_folder import VAULT_FORM, plan_vault
from agents.exports.wiki import WIKI_FORM, write_wiki
from agents.exports.world_values import ExportedPicture
from agents.ingest.picture_files import PICTURE_ENDINGS
from agents.services.vault_sync import SyncReport, VaultSync
from agents.services.world_record import WorldRecordReader
from agents.views.picture_views import EntityPicture
from stores.errors import InputError
from stores.ports import LogReader
from stores.queries import ProposalQuery
from stores.records.ids import Id
from stores.records.workflow import OPEN_STATUSES
from stores.records.world import ACTORS

MAX_LISTED: Final = 20
"""Files that a report lists by name."""


class ExportFolder(Protocol):
    """A folder of the player's that exports are written into. Each method raises ArchiveError."""

    @property
    def name(self) -> str: ...

    def read_manifest(self) -> bytes | None:
        """Return the manifest; None if there is none."""
        ...

    def read_files(self, digest_paths: Collection[str]) -> Mapping[str, FolderFile]:
        """Return what is in the folder; of files that are no notes, `digest_paths` alone are read."""
        ...

    def apply(self, plan: FolderPlan, manifest: bytes) -> None:
        """Write and remove what is planned, each file whole or not at all, and then the manifest."""
        ...

    def write_manifest(self, manifest: bytes) -> None: ...


class PictureReader(Protocol):
    """Reads the pictures of entities."""

    async def list_pictures(self, universe_id: Id) -> dict[Id, EntityPicture]: ...

    async def read_original(self, picture: EntityPicture) -> bytes: ...


@dataclass(frozen=True, slots=True)
class FolderReport:
    """What an export wrote into a folder, and what it left."""

    folder: str
    plan: FolderPlan

    @property
    def lines(self) -> tuple[str, ...]:
        """The result in lines for the user."""
        plan = self.plan
        counts = (
            (len(plan.writes), "written"),
            (len(plan.removals), "removed"),
            (plan.unchanged_count, "as it was"),
        )
        counted = ", ".join(f"{count:,} {words}" for count, words in counts if count)
        lines = [f"Exported to {self.folder}: {counted or 'nothing'}."]
        lines += [f"Left as it is: {left.path} ({left.why})." for left in plan.left[:MAX_LISTED]]
        if len(plan.left) > MAX_LISTED:
            lines.append(f"... and {len(plan.left) - MAX_LISTED:,} more were left as they are.")
        return tuple(lines)


class WorldExports:
    """Writes worlds into folders, never over what the player wrote there."""

    def __init__(
        self,
        records: WorldRecordReader,
        log: LogReader,
        vault_sync: VaultSync,
        pictures: PictureReader,
        open_folder: Callable[[str], ExportFolder],
        name_folder: Callable[[str, str], str],
        save_file: Callable[[str, str, bytes], Awaitable[str]],
    ) -> None:
        """`name_folder` says where a world of a name goes in a form, if the player names no other folder.

        `save_file` writes a file of a name with an ending anew, and returns its path.
        """
        self._records = records
        self._log = log
        self._vault_sync = vault_sync
        self._pictures = pictures
        self._open_folder = open_folder
        self.name_folder = name_folder
        self._save_file = save_file

    async def export_vault(
        self, universe_id: Id, folder_path: str, *, with_secrets: bool = False
    ) -> FolderReport:
        """Write the world as an Obsidian vault. Raises InputError, ArchiveError, StoreError."""
        record = await self._records.read_world_record(universe_id, with_secrets=with_secrets)
        open_proposals = await self._log.proposals(
            ProposalQuery(universe_id=universe_id, statuses=OPEN_STATUSES)
        )
        open_ids = {proposal.id for proposal in open_proposals}
        pictures = await self._read_pictures(universe_id)

        def export() -> FolderReport:
            folder = self._open_folder(folder_path)
            before = self._read_manifest(folder, VAULT_FORM, universe_id)
            vault = write_vault(record, pictures)
            existing = folder.read_files({*vault.notes, *vault.pictures, *(before.files if before else ())})
            plan = plan_vault(vault, universe_id, before, existing, open_ids, with_secrets=with_secrets)
            folder.apply(plan, write_manifest(plan.manifest))
            return FolderReport(folder.name, plan)

        return await asyncio.to_thread(export)

    async def export_wiki(
        self, universe_id: Id, folder_path: str, *, with_secrets: bool = False
    ) -> FolderReport:
        """Write the world as a web site of plain files. Raises InputError, ArchiveError, StoreError."""
        record = await self._records.read_world_record(universe_id, with_secrets=with_secrets)
        pictures = await self._read_pictures(universe_id)

        def export() -> FolderReport:
            folder = self._open_folder(folder_path)
            before = self._read_manifest(folder, WIKI_FORM, universe_id)
            files = write_wiki(record, pictures)
            entries = {path: ManifestFile(sha256=digest(data)) for path, data in files.items()}
            manifest = Manifest(
                form=WIKI_FORM, universe_id=universe_id, with_secrets=with_secrets, files=entries
            )
            existing = folder.read_files({*files, *(before.files if before else ())})
            plan = plan_folder(files, manifest, before, existing)
            folder.apply(plan, write_manifest(plan.manifest))
            return FolderReport(folder.name, plan)

        return await asyncio.to_thread(export)

    async def export_lorebook(self, universe_id: Id, *, with_secrets: bool = False) -> str:
        """Write the world's lore entries to a new file as a lorebook; return its path. Raises InputError."""
        universe, data = await self.write_lorebook(universe_id, with_secrets=with_secrets)
        return await self._save_file(universe, ".json", data)

    async def write_lorebook(self, universe_id: Id, *, with_secrets: bool = False) -> tuple[str, bytes]:
        """Return the world's name and its lorebook. Raises InputError if it has no lore entry; StoreError."""
        universe, facts = await self._records.read_lore(universe_id)
        shown_facts = [fact for fact in facts if with_secrets or not fact.is_secret]
        if not shown_facts:
            raise InputError(
                f"{universe.name} has no lore entry.",
                kept="Nothing was written.",
                todo="/lore KEY: TEXT proposes one in play.",
            )
        return universe.name, write_lorebook(universe.name, shown_facts)

    async def export_statblocks(self, universe_id: Id, *, with_secrets: bool = False) -> str:
        """Write the world's people and beasts to a new file as stat blocks; return its path. Raises InputError."""
        universe, data = await self.write_statblocks(universe_id, with_secrets=with_secrets)
        return await self._save_file(universe, ".statblocks.json", data)

    async def write_statblocks(self, universe_id: Id, *, with_secrets: bool = False) -> tuple[str, bytes]:
        """Return the world's name and its stat blocks. Raises InputError if nobody lives in it; StoreError."""
        record = await self._records.read_world_record(universe_id, with_secrets=with_secrets)
        if not any(exported.entity.kind in ACTORS for exported in record.entities):
            raise InputError(
                f"{record.universe.name} has no characters or creatures.",
                kept="Nothing was written.",
                todo="/npc NAME: who they are proposes somebody in play.",
            )
        name = record.universe.name
        return name, await asyncio.to_thread(write_statblocks, name, record.entities)

    async def sync_vault(self, folder_path: str) -> SyncReport:
        """Propose what was edited in a vault. Raises InputError, ArchiveError, StoreError."""
        folder = self._open_folder(folder_path)
        manifest = read_manifest(await asyncio.to_thread(folder.read_manifest), folder=folder.name)
        if manifest is None or manifest.form != VAULT_FORM:
            raise InputError(
                f"{folder.name} is no vault that MONITOR wrote.",
                kept="Nothing was proposed.",
                todo="Write one first: monitor export WORLD --vault FOLDER.",
            )
        existing = await asyncio.to_thread(folder.read_files, manifest.files)
        report = await self._vault_sync.propose_edits(manifest, existing)
        if report.manifest != manifest:
            await asyncio.to_thread(folder.write_manifest, write_manifest(report.manifest))
        return report

    async def _read_pictures(self, universe_id: Id) -> dict[Id, ExportedPicture]:
        return {
            entity_id: ExportedPicture(
                PICTURE_ENDINGS[picture.media_type], await self._pictures.read_original(picture)
            )
            for entity_id, picture in (await self._pictures.list_pictures(universe_id)).items()
            if picture.media_type in PICTURE_ENDINGS
        }

    def _read_manifest(self, folder: ExportFolder, form: str, universe_id: Id) -> Manifest | None:
        """Return the folder's manifest. Raises InputError if another export or another world is in the folder."""
        manifest = read_manifest(folder.read_manifest(), folder=folder.name)
        if manifest is not None and (manifest.form, manifest.universe_id) != (form, universe_id):
            what = "another world" if manifest.form == form else f"a {manifest.form}"
            raise InputError(
                f"{folder.name} has {what} in it ({MANIFEST_NAME} says so).",
                kept="Nothing was written.",
                todo="Export into another folder.",
            )
        return manifest
