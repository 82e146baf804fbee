"""Immutable files under their own SHA-256: `objects/<collection>/<first two digits>/<the rest>`.

A file system has no roles, so this adapter itself checks the write matrix. The operating system refuses changes of
an object: every object is made read-only (0444) before it gets its name. Its name is the hash of its content, so a
change that is made anyhow is found at the next read.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stores.authority import COLLECTIONS, Operation, Role, Store, find_grants
from stores.durable_files import TEMPORARY_SUFFIX, AtomicFile, is_disk_full, make_folders
from stores.errors import NotFound, StoreError, StoreFull, WriteDenied
from stores.small_files import is_no_file

_KEY = re.compile(r"[0-9a-f]{64}")
_READ_ONLY = 0o444
_TEMPORARY_FOLDER = ".unfinished"
"""The folder beside the collections where an object is written until it is complete."""


class EmbeddedObjectStore:
    """The objects below `root` as `role` may use them; `None` is the owner (import and restore).

    Errors: `WriteDenied` without the grant, `NotFound` for no such object, `StoreFull`, and `StoreError`
    for an object that no longer is what its key says.
    """

    def __init__(self, root: Path, role: Role | None) -> None:
        self._root = root
        self._role = role

    async def put(self, collection: str, data: bytes) -> str:
        """Store `data` durably and return its key; this repairs an object that was damaged."""
        folder = self._folder(collection)
        if self._role and not find_grants(self._role, Store.OBJECTS, collection, Operation.INSERT):
            raise WriteDenied(
                f"The {self._role} may not write to the {collection}.", kept="Nothing was written."
            )
        return await asyncio.to_thread(_write_object, folder, data)

    async def get(self, collection: str, key: str) -> bytes:
        """Return the object's bytes, checked against its key."""
        return await asyncio.to_thread(_read_object, self._folder(collection), key)

    async def exists(self, collection: str, key: str) -> bool:
        return await asyncio.to_thread(_object_path(self._folder(collection), key).is_file)

    async def keys(self, collection: str) -> list[str]:
        """Return every key of the collection, in order."""
        return await asyncio.to_thread(_list_keys, self._folder(collection))

    def _folder(self, collection: str) -> Path:
        if collection not in COLLECTIONS[Store.OBJECTS]:
            raise StoreError(f"There is no object collection called {collection!r}.")
        return self._root / collection


def _write_object(folder: Path, data: bytes) -> str:
    key = hashlib.sha256(data).hexdigest()
    target = _object_path(folder, key)
    with _translate_os_errors():
        if not _is_intact(target, key):
            _write_durably(target, data, folder.parent / _TEMPORARY_FOLDER)
    return key


def _read_object(folder: Path, key: str) -> bytes:
    with _translate_os_errors():
        path = _object_path(folder, key)
        try:
            data = b"" if is_no_file(path) else path.read_bytes()
        except FileNotFoundError:
            raise NotFound(f"There is no object {key} in the {folder.name}.") from None
    if hashlib.sha256(data).hexdigest() != key:
        raise StoreError(
            f"Object {key} in the {folder.name} is damaged: its content is not what its name says.",
            kept="It was left as it is.",
            todo="Add the original document again, or restore it from a backup.",
        )
    return data


def _list_keys(folder: Path) -> list[str]:
    names = (f"{file.parent.name}{file.name}" for file in folder.glob("??/*"))
    return sorted(name for name in names if _KEY.fullmatch(name))


def _object_path(folder: Path, key: str) -> Path:
    """Return the object's path; raise for a key that is not 64 hex digits, so that none leads out of the folder."""
    if not _KEY.fullmatch(key):
        raise NotFound(f"{key!r} is not the key of an object.")
    return folder / key[:2] / key[2:]


def _is_intact(target: Path, key: str) -> bool:
    if is_no_file(target):
        return False
    try:
        with target.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == key
    except FileNotFoundError:
        return False


def _refuse_link(folder: Path) -> None:
    """Raise StoreError for a folder that is a link, which could lead to files of others."""
    if folder.is_symlink():
        raise StoreError(
            f"{folder} is a link to another folder, and MONITOR writes only inside its own.",
            kept="Nothing was written or removed.",
            todo="Put the folder itself there in place of the link.",
        )


def _write_durably(target: Path, data: bytes, temporary_folder: Path) -> None:
    for folder in (target.parent.parent, target.parent, temporary_folder):
        _refuse_link(folder)
    make_folders(target.parent)
    make_folders(temporary_folder)
    new_file = AtomicFile(target, temporary_folder)
    try:
        new_file.file.write(data)
        new_file.commit(_READ_ONLY)
    finally:
        new_file.discard()


def remove_temporary_files(root: Path) -> None:
    """Remove the files that a crash left unfinished. Only while nobody else writes there."""
    with _translate_os_errors():
        folder = root / _TEMPORARY_FOLDER
        _refuse_link(folder)
        for file in folder.glob(f".*{TEMPORARY_SUFFIX}"):
            file.unlink()


@contextmanager
def _translate_os_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if is_disk_full(error):
            raise StoreFull(
                "The disk is full.", kept="Nothing was half written.", todo="Free some space and try again."
            ) from error
        raise StoreError(f"The object store cannot be used: {error.strerror or error}.") from error
