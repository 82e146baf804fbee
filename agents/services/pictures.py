"""Pictures of entities: attached, replaced, removed, undone, and read for the screen and for exports.

A picture claims nothing that anybody could read: it is no part of canon, and passes no gate.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

from agents.events import EventBus, PictureChanged
from agents.ingest.documents.limits import MAX_PICTURE_BYTES, MEGABYTE
from agents.ingest.picture_files import detect_picture_type
from agents.ingest.ports import OriginalStore, PictureShrinker
from agents.sanitize import MAX_TITLE_LENGTH, clean
from agents.typed_text import one_line
from agents.views.picture_views import EntityPicture
from stores.errors import InputError
from stores.ports import CanonReader, LogReader
from stores.records.ids import Clock, Id
from stores.records.sources import Source, picture_source_id
from stores.small_files import read_small_file

MAX_CACHED: Final = 16
"""Pictures, as small as a screen needs them, that are kept in memory."""

_CHECKED_PIXELS: Final = 16
"""Side of the picture that is made of a file to see whether all of it can be read."""


class PictureLog(LogReader, Protocol):
    """The log as the pictures of entities use it."""

    async def put_source(self, source: Source) -> None: ...


class PictureService:
    """The pictures of entities. Each entity has one at most, and what it had before can be brought back."""

    def __init__(
        self,
        canon: CanonReader,
        log: PictureLog,
        originals: OriginalStore,
        shrinker: PictureShrinker,
        clock: Clock,
        events: EventBus,
    ) -> None:
        self._canon = canon
        self._log = log
        self._originals = originals
        self._shrinker = shrinker
        self._clock = clock
        self._events = events
        self._lock = asyncio.Lock()
        self._small_pictures: OrderedDict[tuple[str, int, int], bytes] = OrderedDict()

    async def find_picture(self, entity_id: Id) -> EntityPicture:
        """Return the picture of an entity, or that it has none."""
        return _view_of(entity_id, await self._find_source(entity_id))

    async def attach_picture(self, entity_id: Id, path: str) -> EntityPicture:
        """Keep a PNG or JPEG as the picture of an entity, in place of the one before. Raises InputError."""
        entity = await self._canon.entity(entity_id)
        file_name, data = await asyncio.to_thread(_read_picture_file, _unquote(path))
        media_type = detect_picture_type(data)
        await self._shrinker.shrink_picture(data, _CHECKED_PIXELS, _CHECKED_PIXELS)
        key = await self._originals.put("originals", data)
        name = one_line(clean(file_name))[:MAX_TITLE_LENGTH]

        def attach(stored: Source | None) -> Source:
            if stored is None:
                return Source(
                    id=picture_source_id(entity_id),
                    universe_id=entity.universe_id,
                    pictured_id=entity_id,
                    title=entity.name,
                    object_key=key,
                    media_type=media_type,
                    file_name=name,
                    recorded_at=self._clock(),
                )
            if stored.object_key == key:
                raise InputError(f"{entity.name} has that picture already.", kept="Nothing was changed.")
            return _with_object(stored, key, media_type, name)

        return await self._change(entity_id, attach)

    async def remove_picture(self, entity_id: Id) -> EntityPicture:
        """Take the picture of an entity away; it is kept, and undo brings it back. Raises InputError."""

        def remove(stored: Source | None) -> Source:
            if stored is None or not stored.object_key:
                raise InputError("There is no picture to remove.", kept="Nothing was changed.")
            return _with_object(stored, "", "", "")

        return await self._change(entity_id, remove)

    async def undo_picture(self, entity_id: Id) -> EntityPicture:
        """Undo what was done last with the picture of an entity. Raises InputError if nothing was."""
        stored = await self._find_source(entity_id)
        earlier_key = (
            stored.earlier_object_keys[-1] if stored is not None and stored.earlier_object_keys else ""
        )
        media_type = (
            detect_picture_type(await self._originals.get("originals", earlier_key)) if earlier_key else ""
        )

        def undo(present: Source | None) -> Source:
            if present is None or present != stored or not _can_undo(present):
                raise InputError("There is nothing to undo.", kept="Nothing was changed.")
            return present.model_copy(
                update={
                    "object_key": earlier_key,
                    "earlier_object_keys": present.earlier_object_keys[:-1],
                    "media_type": media_type,
                    "file_name": "",
                }
            )

        return await self._change(entity_id, undo)

    async def read_small(self, picture: EntityPicture, max_width: int, max_height: int) -> bytes:
        """Return a picture as PNG that fits into so many pixels. Raises InputError, StoreError."""
        box = (picture.key, max_width, max_height)
        if box not in self._small_pictures:
            original = await self.read_original(picture)
            self._small_pictures[box] = await self._shrinker.shrink_picture(original, max_width, max_height)
            while len(self._small_pictures) > MAX_CACHED:
                self._small_pictures.popitem(last=False)
        return self._small_pictures[box]

    async def read_original(self, picture: EntityPicture) -> bytes:
        """Return the file as it was attached. Raises StoreError."""
        return await self._originals.get("originals", picture.key)

    async def list_pictures(self, universe_id: Id) -> dict[Id, EntityPicture]:
        """Return the pictures of a universe by their entity."""
        sources = await self._read_sources(universe_id)
        views = {entity_id: _view_of(entity_id, source) for entity_id, source in sources.items()}
        return {entity_id: view for entity_id, view in views.items() if view.key}

    async def _find_source(self, entity_id: Id) -> Source | None:
        """Return what is stored of an entity's picture; else what is of one that was merged into it."""
        source_id = picture_source_id(entity_id)
        if own := (await self._log.sources_by_id([source_id])).get(source_id):
            return own
        entity = await self._canon.entity(entity_id)
        return (await self._read_sources(entity.universe_id)).get(entity_id)

    async def _read_sources(self, universe_id: Id) -> dict[Id, Source]:
        """Return by entity what is stored of its picture; those of merged ones count for what they were merged into."""
        sources = {
            s.pictured_id: s for s in await self._log.sources(universe_id) if s.pictured_id is not None
        }
        adopted: dict[Id, Source] = {}
        entities = await self._canon.entities_by_id(sources)
        for entity_id, source in sources.items():
            entity = entities.get(entity_id)
            while entity is not None and entity.merged_into:
                kept_id = entity.merged_into
                if kept_id not in sources:
                    own = {"id": picture_source_id(kept_id), "pictured_id": kept_id}
                    adopted.setdefault(kept_id, source.model_copy(update=own))
                entity = (await self._canon.entities_by_id([kept_id])).get(kept_id)
        return {**adopted, **sources}

    async def _change(self, entity_id: Id, change: Callable[[Source | None], Source]) -> EntityPicture:
        async with self._lock:
            changed = change(await self._find_source(entity_id))
            await self._log.put_source(changed)
        self._events.publish(PictureChanged(changed.universe_id, entity_id))
        return _view_of(entity_id, changed)


def _with_object(source: Source, key: str, media_type: str, file_name: str) -> Source:
    """Return the source with another object, or none (an empty key), in place of the present one, which is kept."""
    return source.model_copy(
        update={
            "object_key": key,
            "earlier_object_keys": (*source.earlier_object_keys, source.object_key),
            "edition": source.edition + 1,
            "media_type": media_type,
            "file_name": file_name,
        }
    )


def _can_undo(source: Source) -> bool:
    return bool(source.object_key or source.earlier_object_keys)


def _view_of(entity_id: Id, source: Source | None) -> EntityPicture:
    if source is None:
        return EntityPicture(entity_id)
    return EntityPicture(entity_id, source.object_key, source.media_type, source.file_name, _can_undo(source))


def _unquote(path: str) -> str:
    """Return a typed path without quotation marks around it, which shells and file managers put there."""
    path = path.strip()
    return path[1:-1] if len(path) > 1 and path[0] == path[-1] and path[0] in "\"'" else path


def _read_picture_file(typed_path: str) -> tuple[str, bytes]:
    """Return the name and the bytes of a file. Raises InputError."""
    try:
        path = Path(typed_path).expanduser()
        return path.name, read_small_file(path, MAX_PICTURE_BYTES)
    except OSError as error:
        reason = (error.strerror or "it cannot be opened").lower()
    except RuntimeError:  # `~` of nobody
        reason = "there is no such home folder"
    except ValueError as error:
        reason = str(error).replace(f"{MAX_PICTURE_BYTES:,} bytes", f"{MAX_PICTURE_BYTES / MEGABYTE:,.0f} MB")
    raise InputError(
        f"{one_line(clean(typed_path))[:200]} cannot be read: {reason}.",
        kept="Nothing was changed.",
        todo="Choose a PNG or JPEG.",
    )
