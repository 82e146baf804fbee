"""Plans a vault into a folder, and reads what the player changed in one. Pure.

A note is known by its `monitor` property, wherever it was moved; what the player wrote below the mark, and properties
of their own, go with it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from agents.exports.file_names import fold_file_name
from agents.exports.folder_plan import (
    NOT_WRITTEN,
    FolderFile,
    FolderPlan,
    LeftFile,
    Manifest,
    ManifestFile,
    digest,
    plan_folder,
)
from agents.exports.vault import Vault
from agents.exports.vault_changes import (
    NoteChanges,
    NoteEdit,
    compare_note,
    edit_key,
    find_unread_words,
    read_new_note,
)
from agents.exports.vault_names import ENTITY_FOLDERS, NOTE_ENDING
from agents.exports.vault_notes import ID_KEY
from agents.exports.vault_reading import ReadNote, SplitNote, read_note, redirect_links, split_note
from agents.sanitize import clean
from stores.records.ids import Id, derive_id
from stores.records.world import EntityKind

VAULT_FORM: Final = "vault"
_ID: Final = re.compile(rf"^{ID_KEY}:\s*[\"']?([0-9a-fA-F-]{{36}})[\"']?\s*$", re.MULTILINE)
_FRONT_MATTER_CHARS: Final = 20_000


@dataclass(frozen=True, slots=True)
class EditedNote:
    """A note with edits that were not proposed yet, or with what cannot be read."""

    path: str
    owner: Id
    changes: NoteChanges


@dataclass(frozen=True, slots=True)
class NewNote:
    """A note of the player's own about something that canon may not have."""

    path: str
    owner: Id
    kind: EntityKind
    name: str
    note: ReadNote
    changes: NoteChanges
    is_proposed: bool
    """Whether an earlier sync proposed it: what is new then are facts."""


@dataclass(slots=True)
class ProposedNote:
    """What a sync proposed of a note: the edits that could be read, and their proposals."""

    owner: Id
    edits: list[NoteEdit] = field(default_factory=list)
    proposal_ids: list[Id] = field(default_factory=list)


@dataclass(slots=True)
class VaultEdits:
    """What the player changed in a vault since it was written or read last."""

    edited: list[EditedNote] = field(default_factory=list)
    new: list[NewNote] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    """Notes that are not there any more."""
    changed_read_only: list[str] = field(default_factory=list)
    """Files that are not read back, and were changed."""
    ignored_count: int = 0
    """Notes of the player's own that are about no entity."""


# --- export -----------------------------------------------------------------------------------------


def plan_vault(
    vault: Vault,
    universe_id: Id,
    before: Manifest | None,
    existing: Mapping[str, FolderFile],
    open_proposal_ids: Collection[Id] = (),
    *,
    with_secrets: bool = False,
) -> FolderPlan:
    """Plan the vault into a folder: what the player edited is left until it was synced and decided."""
    present_notes = _find_present_notes(before, existing)
    old_names = _old_names({path: entry for path, entry, _ in present_notes.values()})
    left = [
        LeftFile(path, why)
        for owner, (path, entry, file) in present_notes.items()
        if owner in set(vault.owners.values())
        and (why := _why_left(entry, path, file, open_proposal_ids, old_names))
    ]
    left_paths = {one.path for one in left}
    # While a note waits under the name that the player gave it, links lead there.
    waiting_names = {
        fold_file_name(entry.stem): _stem(path)
        for path, entry, _ in present_notes.values()
        if path in left_paths and entry.stem
    }
    files: dict[str, bytes] = {}
    entries: dict[str, ManifestFile] = {}
    unedited: set[str] = set()
    for planned_path, text in vault.notes.items():
        owner = vault.owners.get(planned_path)
        path, data = planned_path, redirect_links(text, waiting_names)
        if owner is None:
            if _differs_in_links(path, before, existing, old_names):
                unedited.add(path)
        elif owner in present_notes:
            present, _, file = present_notes[owner]
            if present in left_paths:
                continue
            unedited.add(present)
            path = present if _stem(present) == _stem(planned_path) else planned_path
            data = split_note(file.text or "").around(data)
        else:
            data = SplitNote("").around(data)
        files[path] = data.encode()
        entries[path] = ManifestFile(sha256=digest(files[path]), owner=owner, text=text if owner else "")
    for path, picture in vault.pictures.items():
        files[path] = picture
        entries[path] = ManifestFile(sha256=digest(picture))
    if before is not None:
        before = _follow_moves(before, existing)
        left += _left_of_gone(before, existing, set(vault.owners.values()))
    manifest = Manifest(
        form=VAULT_FORM,
        universe_id=universe_id,
        with_secrets=with_secrets,
        facts=vault.fact_ids,
        files=entries,
    )
    return plan_folder(files, manifest, before, existing, unedited=unedited, left=left)


def _find_present_notes(
    before: Manifest | None, existing: Mapping[str, FolderFile]
) -> dict[Id, tuple[str, ManifestFile, FolderFile]]:
    """Return by owner the notes that are in the folder, wherever they were moved."""
    files = _follow_moves(before, existing).files if before is not None else {}
    return {
        entry.owner: (path, entry, existing[path])
        for path, entry in files.items()
        if entry.owner is not None and path in existing
    }


def _why_left(
    entry: ManifestFile,
    path: str,
    file: FolderFile,
    open_proposal_ids: Collection[Id],
    old_names: Mapping[str, str],
) -> str:
    """Return why a note is left as it is; empty if it may be written."""
    if not set(entry.proposals).isdisjoint(open_proposal_ids):
        return "what you changed in it waits at the gate"
    if _is_as_written(entry, path, file):
        return ""
    changes = _read_changes(entry, path, file, old_names)
    if changes.problems:
        return f"line {changes.problems[0][0]} cannot be read: {changes.problems[0][1]}"
    if any(edit_key(edit) not in entry.proposed for edit in changes.edits):
        return "you changed it since it was written; monitor sync brings that to the gate"
    return ""


def _left_of_gone(
    before: Manifest, existing: Mapping[str, FolderFile], owners: Collection[Id]
) -> Iterator[LeftFile]:
    """Yield notes of what is in the world no more that hold words of the player's own."""
    for path, entry in before.files.items():
        if entry.owner is None or entry.owner in owners or path not in existing:
            continue
        if not entry.sha256:
            yield LeftFile(path, NOT_WRITTEN)
        elif split_note(existing[path].text or "").has_own_words:
            yield LeftFile(path, "what it is about is gone from canon, and you wrote into it")


# --- sync -------------------------------------------------------------------------------------------


def read_vault_edits(before: Manifest, existing: Mapping[str, FolderFile]) -> VaultEdits:
    """Return what the player changed in a vault, without what was proposed already."""
    followed = _follow_moves(before, existing)
    old_names = _old_names(followed.files)
    edits = VaultEdits()
    owned_paths: set[str] = set()
    for path, entry in sorted(followed.files.items()):
        file = existing.get(path)
        owned_paths.add(path)
        if file is None:
            edits.gone.append(path)
        elif not entry.sha256:
            if (new := _read_new(path, file, before, entry, old_names)) is not None:
                edits.new.append(new)
        elif entry.owner is None:
            if file.sha256 != entry.sha256 and not _differs_in_links(path, followed, existing, old_names):
                edits.changed_read_only.append(path)
        elif not _is_as_written(entry, path, file):
            changes = _read_changes(entry, path, file, old_names)
            fresh = [edit for edit in changes.edits if edit_key(edit) not in entry.proposed]
            if fresh or changes.problems:
                edits.edited.append(EditedNote(path, entry.owner, NoteChanges(fresh, changes.problems)))
    for path, file in sorted(existing.items()):
        if path.endswith(NOTE_ENDING) and path not in owned_paths:
            new = _read_new(path, file, before, None, old_names)
            if new is None:
                edits.ignored_count += 1
            else:
                edits.new.append(new)
    return edits


def record_sync(
    before: Manifest, existing: Mapping[str, FolderFile], proposed_notes: Mapping[str, ProposedNote]
) -> Manifest:
    """Return the manifest that knows what a sync proposed, by the paths of the notes."""
    files = dict(_follow_moves(before, existing).files)
    for path, note in proposed_notes.items():
        entry = files.get(path, ManifestFile(owner=note.owner))
        keys = dict.fromkeys((*entry.proposed, *map(edit_key, note.edits)))
        ids = dict.fromkeys((*entry.proposals, *note.proposal_ids))
        files[path] = entry.model_copy(update={"proposed": tuple(keys), "proposals": tuple(ids)})
    return before.model_copy(update={"files": files})


def _follow_moves(manifest: Manifest, existing: Mapping[str, FolderFile]) -> Manifest:
    """Return the manifest with the paths at which notes are now that the player renamed or moved."""
    missing = {f.owner: path for path, f in manifest.files.items() if f.owner and path not in existing}
    files = dict(manifest.files)
    for path, file in sorted(existing.items()):
        if missing and path not in files and path.endswith(NOTE_ENDING):
            owner = _read_id(file.text or "")
            if old_path := missing.pop(owner, None):
                entry = files.pop(old_path)
                files[path] = entry.model_copy(update={"stem": entry.stem or _stem(old_path)})
    return manifest.model_copy(update={"files": files})


def _old_names(files: Mapping[str, ManifestFile]) -> dict[str, str]:
    """Return the name that each note had which the player renamed, by the name that it has now."""
    return {fold_file_name(_stem(path)): entry.stem for path, entry in files.items() if entry.stem}


def _differs_in_links(
    path: str,
    manifest: Manifest | None,
    existing: Mapping[str, FolderFile],
    old_names: Mapping[str, str],
) -> bool:
    """Return whether nothing but links to renamed notes is other than it was written."""
    entry = manifest.files.get(path) if manifest is not None else None
    if entry is None or path not in existing:
        return False
    written = redirect_links(existing[path].text or "", old_names)
    return digest(written.encode()) == entry.sha256


def _is_as_written(entry: ManifestFile, path: str, file: FolderFile) -> bool:
    return entry.sha256 == file.sha256 and entry.stem in ("", _stem(path))


def _read_changes(
    entry: ManifestFile, path: str, file: FolderFile, old_names: Mapping[str, str]
) -> NoteChanges:
    if file.text is None:
        return NoteChanges(problems=[(1, "it is no text in UTF-8")])
    text = redirect_links(file.text, old_names)
    now = read_note(text)
    if not entry.sha256:
        changes = read_new_note(now, now.title or _stem(path))
    else:
        changes = compare_note(read_note(entry.text), now, entry.stem or _stem(path), _stem(path))
    if not changes.problems:
        changes.problems += find_unread_words(entry.text, split_note(text).text, text, changes)
    return changes


def _read_new(
    path: str,
    file: FolderFile,
    manifest: Manifest,
    entry: ManifestFile | None,
    old_names: Mapping[str, str],
) -> NewNote | None:
    """Return the note of something new; None if it is about no entity, or says nothing that was not proposed."""
    note = read_note(redirect_links(file.text or "", old_names))
    kind = _kind_of(path, note)
    if kind is None or note.entity_id:
        return None
    name = note.title or " ".join(clean(_stem(path)).split())
    changes = read_new_note(note, name)
    proposed = entry.proposed if entry else ()
    fresh = [edit for edit in changes.edits if edit_key(edit) not in proposed]
    if entry is not None and not fresh and not changes.problems:
        return None
    owner = (entry.owner if entry else None) or derive_id("vault note", manifest.universe_id, name.casefold())
    return NewNote(path, owner, kind, name, note, NoteChanges(fresh, changes.problems), entry is not None)


def _kind_of(path: str, note: ReadNote) -> EntityKind | None:
    """Return what a note is about, by its property or by its folder."""
    if note.kind:
        return next((kind for kind in EntityKind if kind.value == note.kind), None)
    folder = path.rpartition("/")[0].rpartition("/")[2]
    return next((kind for kind, name in ENTITY_FOLDERS.items() if name.casefold() == folder.casefold()), None)


def _read_id(text: str) -> str:
    match = _ID.search(text[:_FRONT_MATTER_CHARS]) if text.lstrip("\ufeff").startswith("---") else None
    return match[1] if match else ""


def _stem(path: str) -> str:
    return PurePosixPath(path).name.removesuffix(NOTE_ENDING)
