"""A folder that exports are written into. Nothing is read or written through a link, and nothing outside it."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Final

from agents.exports.folder_plan import MANIFEST_NAME, FolderFile, FolderPlan, digest, is_inside
from stores.durable_files import TEMPORARY_SUFFIX
from stores.errors import ArchiveError

NOTE_ENDING: Final = ".md"
MAX_FILE_BYTES: Final = 20_000_000
"""A larger file is none that MONITOR wrote."""

MAX_FILES: Final = 200_000


class DiskExportFolder:
    """An `ExportFolder` on the disk."""

    def __init__(self, path: str) -> None:
        self._folder = Path(path).expanduser()
        if self._folder.exists() and not self._folder.is_dir():
            raise ArchiveError(
                f"{self.name} is no folder.", kept="Nothing was written.", todo="Name a folder."
            )

    @property
    def name(self) -> str:
        return str(self._folder)

    def read_manifest(self) -> bytes | None:
        try:
            return _read_regular(self._folder / MANIFEST_NAME)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unreadable(error) from error

    def read_files(self, digest_paths: Collection[str]) -> Mapping[str, FolderFile]:
        """Return what is in the folder; a link, or what is no file, has no content that anything could equal."""
        files: dict[str, FolderFile] = {}
        try:
            for path, entry in self._walk(self._folder, ""):
                is_note = path.endswith(NOTE_ENDING)
                data = None
                if (is_note or path in digest_paths) and entry.is_file(follow_symlinks=False):
                    data = _read_regular(Path(entry.path))
                text = _decode(data) if is_note and data is not None else None
                files[path] = FolderFile("" if data is None else digest(data), text)
                if len(files) > MAX_FILES:
                    raise ArchiveError(
                        f"{self.name} has over {MAX_FILES:,} files.",
                        kept="Nothing was written.",
                        todo="Name a folder of its own for the export.",
                    )
        except OSError as error:
            raise self._unreadable(error) from error
        return files

    def apply(self, plan: FolderPlan, manifest: bytes) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            for path, data in plan.writes.items():
                self._replace(path, data)
            written = {self._folder / path for path in plan.writes}
            for path in plan.removals:
                self._remove(path, written)
            self.write_manifest(manifest)
        except OSError as error:
            raise ArchiveError(
                f"{error.filename or self.name} cannot be written: {error.strerror}.",
                kept="What was there before is there, or its new text; no file is half written.",
                todo="Make room or check who may write there, and export again.",
            ) from error

    def write_manifest(self, manifest: bytes) -> None:
        if self.read_manifest() != manifest:
            self._replace(MANIFEST_NAME, manifest)

    def _walk(self, folder: Path, prefix: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Yield every file, and every link, with its path; what begins with a dot is another program's."""
        if not folder.is_dir():
            return
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.name.startswith("."):
                    continue
                path = f"{prefix}{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    yield from self._walk(Path(entry.path), f"{path}/")
                else:
                    yield path, entry

    def _replace(self, path: str, data: bytes) -> None:
        target = self._inside(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=TEMPORARY_SUFFIX)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(name).chmod(0o644)
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def _remove(self, path: str, written: Collection[Path]) -> None:
        target = self._inside(path)
        if not target.exists() or any(
            target.samefile(other) for other in written if other.parent == target.parent
        ):
            return  # On some file systems a name in other capitals is the same file.
        target.unlink()

    def _inside(self, path: str) -> Path:
        """Return the path in the folder. Raises ArchiveError if it would lead out of it, or through a link."""
        parents = [self._folder.joinpath(*path.split("/")[:depth]) for depth in range(1, path.count("/") + 1)]
        if not is_inside(path) or any(parent.is_symlink() for parent in parents):
            raise ArchiveError(
                f"{path!r} leads out of {self.name}.",
                kept="Nothing was written there.",
                todo="Remove the link.",
            )
        return self._folder.joinpath(*path.split("/"))

    def _unreadable(self, error: OSError) -> ArchiveError:
        return ArchiveError(
            f"{error.filename or self.name} cannot be read: {error.strerror}.",
            kept="Nothing was written.",
            todo="Check the folder, and who may read it.",
        )


def _decode(data: bytes) -> str | None:
    """Return a note's text; None if it is in another encoding, of which a part could be lost."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _read_regular(path: Path) -> bytes | None:
    """Return the content of a file that is one, and no link; None of anything else, or of one too large."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE_BYTES:
            return None
        return file.read()
