"""Collections and their aliases, each collection a shard of Qdrant's engine in a folder of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import threading
from pathlib import Path
from typing import Any

from tools.servers.qdrant_front import translate
from tools.servers.qdrant_front.translate import Json, WrongInput, edge

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]{0,254}")


class NoSuchCollection(Exception):
    """No collection and no alias has this name."""


class NameTaken(Exception):
    """There is one of this name already."""


class Collection:
    """One collection. The engine is entered by one thread at a time."""

    def __init__(self, folder: Path, body: Json, shard: Any) -> None:
        self.folder = folder
        self.body = body
        self.shard = shard
        self.lock = threading.RLock()
        self.operations = 0

    def update(self, *operations: Any) -> Json:
        """Apply operations in order; each is in the engine's write-ahead log when this returns."""
        with self.lock:
            for operation in operations:
                self.shard.update(operation)
                self.operations += 1
            return {"operation_id": self.operations, "status": "completed"}

    def info(self) -> Json:
        with self.lock:
            info = self.shard.info()
        schema = {
            name: {"data_type": _type_name(index.data_type), "points": index.points}
            for name, index in info.payload_schema.items()
        }
        params = {"vectors": self.body.get("vectors") or {}, "shard_number": 1, "replication_factor": 1}
        if self.body.get("sparse_vectors"):
            params["sparse_vectors"] = self.body["sparse_vectors"]
        return {
            "status": "green",
            "optimizer_status": "ok",
            "indexed_vectors_count": info.indexed_vectors_count,
            "points_count": info.points_count,
            "segments_count": info.segments_count,
            "config": {
                "params": {**params, "write_consistency_factor": 1, "on_disk_payload": True},
                "hnsw_config": {"m": 16, "ef_construct": 100, "full_scan_threshold": 10000},
                "optimizer_config": {
                    "deleted_threshold": 0.2,
                    "vacuum_min_vector_number": 1000,
                    "default_segment_number": 0,
                    "flush_interval_sec": 5,
                },
                "wal_config": {"wal_capacity_mb": 32, "wal_segments_ahead": 0},
                "metadata": self.body.get("metadata"),
            },
            "payload_schema": schema,
        }


def _type_name(kind: Any) -> str:
    return str(kind).rsplit(".", 1)[-1].lower()


class CollectionsFolder:
    """All collections under one folder, opened when the server starts."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.RLock()
        self._aliases_file = folder / "aliases.json"
        folder.mkdir(parents=True, exist_ok=True)
        self.aliases: dict[str, str] = _read(self._aliases_file) or {}
        self.collections = {
            file.parent.name: Collection(
                file.parent, _read(file), edge.EdgeShard.load(str(file.parent / "shard"))
            )
            for file in sorted(folder.glob("*/collection.json"))
        }

    def get(self, name: str) -> Collection:
        with self._lock:
            collection = self.collections.get(self.aliases.get(name, name))
        if collection is None:
            raise NoSuchCollection(name)
        return collection

    def create(self, name: str, body: Json) -> None:
        if not _NAME.fullmatch(name):
            raise WrongInput(f"{name!r} cannot name a collection")
        with self._lock:
            if name in self.collections or name in self.aliases:
                raise NameTaken(name)
            folder = self._folder / name
            shutil.rmtree(folder, ignore_errors=True)  # what a crash left half made
            (folder / "shard").mkdir(parents=True)
            shard = edge.EdgeShard.create(str(folder / "shard"), translate.make_config(body))
            _write(folder / "collection.json", body)
            self.collections[name] = Collection(folder, body, shard)

    def delete(self, name: str) -> bool:
        with self._lock:
            collection = self.collections.pop(name, None)
            if collection is None:
                return False
            self.aliases = {alias: of for alias, of in self.aliases.items() if of != name}
            _write(self._aliases_file, self.aliases)
            (collection.folder / "collection.json").unlink()
            with collection.lock:
                collection.shard.close()
            shutil.rmtree(collection.folder)
            return True

    def change_aliases(self, actions: list[Json]) -> None:
        """All of the actions or none, as Qdrant does: a reader never sees a name that leads nowhere."""
        with self._lock:
            new_aliases = dict(self.aliases)
            for action in actions:
                self._change(new_aliases, action)
            _write(self._aliases_file, new_aliases)
            self.aliases = new_aliases

    def _change(self, aliases: dict[str, str], action: Json) -> None:
        if creation := action.get("create_alias"):
            if creation["collection_name"] not in self.collections:
                raise NoSuchCollection(creation["collection_name"])
            if creation["alias_name"] in self.collections:
                raise NameTaken(creation["alias_name"])
            aliases[creation["alias_name"]] = creation["collection_name"]
        elif deletion := action.get("delete_alias"):
            if aliases.pop(deletion["alias_name"], None) is None:
                raise NoSuchCollection(deletion["alias_name"])
        elif renaming := action.get("rename_alias"):
            if renaming["old_alias_name"] not in aliases:
                raise NoSuchCollection(renaming["old_alias_name"])
            aliases[renaming["new_alias_name"]] = aliases.pop(renaming["old_alias_name"])

    def close(self) -> None:
        with self._lock:
            for collection in self.collections.values():
                with collection.lock:
                    collection.shard.flush()
                    collection.shard.close()


def _read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None


def _write(file: Path, value: Any) -> None:
    new_file = file.with_suffix(".new")
    with new_file.open("w", encoding="utf-8") as out:
        json.dump(value, out)
        out.flush()
        os.fsync(out.fileno())
    new_file.replace(file)
