"""Reads parts of a zip archive (EPUB, DOCX) within bounds; nothing is written to the disk."""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import Final

from agents.ingest.documents.errors import damaged_document_error, unreadable_document_error
from agents.ingest.documents.limits import MEGABYTE, ReadingLimits

_ENCRYPTED_FLAG: Final = 0x1


class BoundedZip:
    """A zip archive whose sizes were checked. Raises InputError wherever it is damaged or too large."""

    def __init__(self, data: bytes, format_name: str, limits: ReadingLimits) -> None:
        self._format_name = format_name
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, EOFError) as error:
            raise damaged_document_error(format_name) from error
        self._parts = {part.filename: part for part in self._archive.infolist()}
        self._check(limits)

    def __contains__(self, name: str) -> bool:
        return name in self._parts

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._parts)

    def read(self, name: str) -> bytes:
        """Return a part's bytes; never more than the archive says, which was checked."""
        part = self._parts[name]
        if part.flag_bits & _ENCRYPTED_FLAG:
            raise unreadable_document_error("it is protected by a password", "Save it without one")
        try:
            with self._archive.open(part) as file:
                data = file.read(part.file_size + 1)
        except (zipfile.BadZipFile, zlib.error, ValueError, OSError, NotImplementedError, EOFError) as error:
            raise damaged_document_error(self._format_name) from error
        return data

    def _check(self, limits: ReadingLimits) -> None:
        if len(self._archive.infolist()) > limits.packed_files:
            raise unreadable_document_error(
                f"{len(self._archive.infolist()):,} files are packed in it, and {limits.packed_files:,} are the most",
                "Save its text as a document of its own",
            )
        total = sum(part.file_size for part in self._archive.infolist())
        is_bomb = any(
            part.file_size > MEGABYTE and part.file_size > limits.unpacked_ratio * max(1, part.compress_size)
            for part in self._archive.infolist()
        )
        if is_bomb or total > limits.unpacked_bytes:
            raise unreadable_document_error(
                f"unpacked it would take {total / MEGABYTE:,.0f} MB, which no {self._format_name} of this size does",
                "Do not use it, or save its text as a document of its own",
            )
