"""Lists the documents of a folder or an Obsidian vault: which would be read, and which not and why."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agents.ingest.documents.errors import READABLE_FORMATS, unreadable_document_error
from agents.ingest.documents.formats import MediaType, media_type_of_name
from agents.ingest.documents.limits import DEFAULT_LIMITS, MEGABYTE, ReadingLimits

MAX_DOCUMENTS: Final = 2_000
MAX_FILES_SEEN: Final = 50_000
MAX_DEPTH: Final = 20
"""Folders inside each other."""


@dataclass(frozen=True, slots=True)
class ListedDocument:
    path: Path
    name: str
    """Its path within the folder."""
    media_type: MediaType
    size: int
    """Bytes."""


@dataclass(frozen=True, slots=True)
class SkippedFile:
    name: str
    """Its path within the folder."""
    reason: str
    """Ends the sentence "It is not read: "."""


@dataclass(frozen=True, slots=True)
class DocumentListing:
    documents: tuple[ListedDocument, ...]
    skipped: tuple[SkippedFile, ...]
    is_vault: bool = False
    """Whether it is an Obsidian vault."""


def list_documents(path: Path, limits: ReadingLimits = DEFAULT_LIMITS) -> DocumentListing:
    """List a folder's documents by name, or a single one. Raises InputError if there is no such path."""
    if path.is_file():
        path, candidates = path.parent, iter([path])
    elif path.is_dir():
        candidates = _walk(path, path)
    else:
        raise unreadable_document_error(f"there is no file or folder {path.name}", "Check its path")
    documents: list[ListedDocument] = []
    skipped: list[SkippedFile] = []
    for number, candidate in enumerate(candidates, 1):
        name = candidate.relative_to(path).as_posix()
        if number > MAX_FILES_SEEN:
            skipped.append(SkippedFile(name, f"only the first {MAX_FILES_SEEN:,} files were looked at"))
            break
        reason, media_type, size = _examine(candidate, path, len(documents), limits)
        if media_type is None or reason:
            skipped.append(SkippedFile(name, reason))
        else:
            documents.append(ListedDocument(candidate, name, media_type, size))
    return DocumentListing(tuple(documents), tuple(skipped), (path / ".obsidian").is_dir())


def _walk(folder: Path, root: Path) -> Iterator[Path]:
    """Yield files in the order of their names, then those of folders; hidden and linked folders as themselves."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name.casefold())
    except OSError:
        yield folder
        return
    subfolders = []
    for entry in entries:
        is_open_folder = entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".")
        if is_open_folder and len(Path(entry.path).relative_to(root).parts) <= MAX_DEPTH:
            subfolders.append(Path(entry.path))
        else:
            yield Path(entry.path)
    for subfolder in subfolders:
        yield from _walk(subfolder, root)


def _examine(
    path: Path, root: Path, document_count: int, limits: ReadingLimits
) -> tuple[str, MediaType | None, int]:
    """Return why a file is not read (empty if it is), its format and its size."""
    media_type = media_type_of_name(path.name)
    try:
        size = path.stat().st_size
        is_outside = path.is_symlink() and not path.resolve().is_relative_to(root.resolve())
        reason = _reason_to_skip(path, is_outside, media_type, size, limits)
    except OSError as error:
        return (error.strerror or "it cannot be opened").lower(), media_type, 0
    if not reason and document_count >= MAX_DOCUMENTS:
        reason = f"a folder's first {MAX_DOCUMENTS:,} documents are the most"
    return reason, media_type, size


def _reason_to_skip(
    path: Path, is_outside: bool, media_type: MediaType | None, size: int, limits: ReadingLimits
) -> str:
    if path.name.startswith("."):
        return "it is hidden"
    if path.is_symlink():
        return "it is a link out of the folder" if is_outside else "it is a link to what is listed itself"
    if path.is_dir():
        if os.access(path, os.R_OK | os.X_OK):
            return f"it is more than {MAX_DEPTH} folders deep"
        return "it may not be opened"
    if media_type is None:
        return f"its format is not one of {READABLE_FORMATS}"
    if not path.is_file():
        return "it is no file"
    if not size:
        return "it is empty"
    if size > limits.file_bytes:
        return f"it has more than {limits.file_bytes / MEGABYTE:,.0f} MB"
    return ""
