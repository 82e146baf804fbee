"""Whom a name in prose means: somebody of the scene, of canon, or whom this very turn brings in. Pure.

Source: design/ontology.md (names and aliases); design/authority.md, "same thing, other name".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rapidfuzz import fuzz

from agents.canon_keeper.naming import bare
from agents.canon_keeper.snapshot import ALIKE
from agents.context_assembly.package import ContextPackage
from agents.narrator.known import names_of
from stores.records.canon import CreateEntity
from stores.records.play import Turn
from stores.records.world import Entity

ONESELF: Final = frozenset({"you", "the player", "player", "the player's character", "i", "pc"})
"""What the player's character is called beside its name."""


class People:
    """Whom a name means here: those of the scene, of canon, and those that this turn brings in."""

    def __init__(self, package: ContextPackage, known: Mapping[str, Entity]) -> None:
        scene = package.scene
        self._pc = package.pc
        here = {e.id: e for e in scene.entities.values()}
        here |= {p.entity.id: p.entity for p in (*package.canonical.cast, *package.canonical.named)}
        self._whole: dict[str, Entity] = dict(known)
        self._parts: dict[str, list[Entity]] = {}
        for entity in here.values():
            self._put(entity)

    def find(self, name: str) -> Entity | None:
        """Return whom the name means; None if nobody, or if it may be several."""
        wanted = bare(name)
        if name.strip().casefold() in ONESELF:
            return self._pc
        if wanted in self._whole:
            return self._whole[wanted]
        parts = self._parts.get(wanted, [])
        if len(parts) == 1:
            return parts[0]
        return self.near(name) if len(wanted) > 4 else None

    def near(self, name: str) -> Entity | None:
        """Return whom a name nearly means: the same but for a slip."""
        wanted = bare(name)
        return next((e for known, e in self._whole.items() if fuzz.ratio(wanted, known) >= ALIKE), None)

    def add(self, change: CreateEntity, turn: Turn, package: ContextPackage) -> None:
        self._put(
            Entity(
                id=change.entity_id,
                universe_id=package.scene.universe.id,
                kind=change.entity_kind,
                name=change.name,
                description=change.description,
                recorded_at=turn.created_at,
            )
        )

    def _put(self, entity: Entity) -> None:
        self._whole |= {bare(name): entity for name in (entity.name, *entity.aliases)}
        for part in names_of(entity):
            bearers = self._parts.setdefault(bare(part), [])
            if all(bearer.id != entity.id for bearer in bearers):
                bearers.append(entity)
