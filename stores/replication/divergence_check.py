"""Compares the scenes that were played during an outage, on the server and in the copy.

A write that timed out may still be carried out on the server, after later ones. That can only change the head
of a scene, as records are added once and later writes are sent again; so the heads are compared.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from stores.authority import Role
from stores.errors import NotFound
from stores.ports import LogReader
from stores.records.ids import Id
from stores.records.play import HeadMove, Scene
from stores.replication.connection import ServerConnection
from stores.replication.import_files import IMPORT_METHOD
from stores.replication.outbox import OutboxEntry
from stores.replication.port_calls import parse_arguments
from stores.stores import AnyLog

MAX_SCENES = 50
"""Scenes that are compared after one outage."""


def find_moved_scene(entry: OutboxEntry) -> Id | None:
    """Return the scene whose head the write may move, if any."""
    if entry.method == IMPORT_METHOD:
        return None
    arguments = parse_arguments(entry.store, entry.method, entry.arguments)
    turn = arguments.get("turn")
    scene_id: Id | None = turn.scene_id if turn else arguments.get("scene_id")
    return scene_id


async def find_differing_scenes(
    local_log: LogReader, connection: ServerConnection[AnyLog], scenes: Iterable[Id]
) -> list[Id]:
    """Return the scenes that differ. Raises ServerOutage."""
    differing_scenes = []
    for scene_id in scenes:
        server_scene = await connection.read(Role.CONTEXT_ASSEMBLY, partial(_read_scene, scene_id=scene_id))
        if server_scene != await _read_scene(local_log, scene_id):
            differing_scenes.append(scene_id)
    return differing_scenes


async def _read_scene(log: LogReader, scene_id: Id) -> tuple[Scene, list[HeadMove]] | None:
    """Return a scene and how its head moved; None if the log does not have it."""
    try:
        return await log.scene(scene_id), await log.head_moves(scene_id)
    except NotFound:
        return None
