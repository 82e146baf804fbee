"""Whom a name in prose means: somebody of the scene, of canon, or whom this very turn brings in. Pure.

Source: design/ontology.md (names and aliases); design/authority.md, "same thing, other name".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rapidfuzz import fuzz

from agents.canon_keeper.canon_snapshot import SIMILAR_NAME_LIKENESS
from agents.canon_keeper.proposal_subjects import normalize_name
from agents.context_assembly.package import ContextPackage
from agents.prose.names import names_of
from stores.records.canon import CreateEntity
from stores.records.play import Turn
from stores.records.world import Entity

PLAYER_CHARACTER_WORDS: Final = frozenset(
    {"you", "the player", "player", "the player's character", "i", "pc"}
)
"""What the player's character is called beside its name."""


class NameResolver:
    """Whom a name means here: those of the scene, of canon, and those that this turn brings in."""

    def __init__(self, package: ContextPackage, entities_by_name: Mapping[str, Entity]) -> None:
        scene = package.scene
        self._pc = package.pc
        present_entities = {e.id: e for e in scene.entities.values()}
        present_entities |= {
            p.entity.id: p.entity for p in (*package.canonical.cast, *package.canonical.named)
        }
        self._by_full_name: dict[str, Entity] = dict(entities_by_name)
        self._by_name_part: dict[str, list[Entity]] = {}
        for entity in present_entities.values():
            self._add_entity(entity)

    def find(self, name: str) -> Entity | None:
        """Return whom the name means; None if nobody, or if it may be several."""
        bare_name = normalize_name(name)
        if name.strip().casefold() in PLAYER_CHARACTER_WORDS:
            return self._pc
        if bare_name in self._by_full_name:
            return self._by_full_name[bare_name]
        part_bearers = self._by_name_part.get(bare_name, [])
        if len(part_bearers) == 1:
            return part_bearers[0]
        return self.find_similar(name) if len(bare_name) > 4 else None

    def find_similar(self, name: str) -> Entity | None:
        """Return whom a name nearly means: the same but for a slip."""
        bare_name = normalize_name(name)
        return next(
            (
                e
                for full_name, e in self._by_full_name.items()
                if fuzz.ratio(bare_name, full_name) >= SIMILAR_NAME_LIKENESS
            ),
            None,
        )

    def add(self, change: CreateEntity, turn: Turn, package: ContextPackage) -> None:
        self._add_entity(
            Entity(
                id=change.entity_id,
                universe_id=package.scene.universe.id,
                kind=change.entity_kind,
                name=change.name,
                description=change.description,
                recorded_at=turn.created_at,
            )
        )

    def _add_entity(self, entity: Entity) -> None:
        self._by_full_name |= {normalize_name(name): entity for name in (entity.name, *entity.aliases)}
        for part in names_of(entity):
            bearers = self._by_name_part.setdefault(normalize_name(part), [])
            if all(bearer.id != entity.id for bearer in bearers):
                bearers.append(entity)
