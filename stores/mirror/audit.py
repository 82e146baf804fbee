"""Whether a server that has caught up tells the same as the copy, of the scenes that were played meanwhile.

A write that was given up for lost may still be carried out there, behind later ones. Everything but the
head survives that, for records are added once and later ones are sent again; so the heads are looked at.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stores.authority import Role
from stores.errors import NotFound
from stores.mirror.calls import unpack
from stores.mirror.link import Link
from stores.mirror.loads import LOAD
from stores.mirror.outbox import Letter
from stores.ports import LogReader
from stores.records.ids import Id

MOST = 50
"""Scenes that are looked at after one outage."""


def scene_of(letter: Letter) -> Id | None:
    """Return the scene whose line a letter may move."""
    if letter.method == LOAD:
        return None
    arguments = unpack(letter.store, letter.method, letter.arguments)
    turn = arguments.get("turn")
    found: Id | None = turn.scene_id if turn else arguments.get("scene_id")
    return found


async def differing(here: LogReader, there: Link, scenes: Iterable[Id]) -> list[Id]:
    """Return the scenes of which the two tell otherwise. Raises Outage."""
    return [scene for scene in scenes if await _of_here(here, scene) != await _of_there(there, scene)]


async def _of_here(log: LogReader, scene_id: Id) -> Any:
    try:
        return await log.scene(scene_id), await log.head_moves(scene_id)
    except NotFound:
        return None


async def _of_there(link: Link, scene_id: Id) -> Any:
    try:
        scene = await link.read(Role.CONTEXT_ASSEMBLY, "scene", scene_id)
        return scene, await link.read(Role.CONTEXT_ASSEMBLY, "head_moves", scene_id)
    except NotFound:
        return None
