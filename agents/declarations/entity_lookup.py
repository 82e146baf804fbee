"""Finds the entity that a name means, in a scene or in its universe."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from agents.canon_keeper.proposed_records import build_entity
from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.declarations.reader import FindEntity
from agents.prose.names import names_of
from stores.ports import CanonReader, LogReader
from stores.queries import ProposalQuery
from stores.records.canon import CreateEntity
from stores.records.ids import Id
from stores.records.workflow import OPEN_STATUSES, ProposalStatus, ProposedChange
from stores.records.world import Entity, EntityKind, fold_name

MAX_SPAN_WORDS: Final = 8
"""The most words of a text that are looked up as one name beforehand."""


class NamedInText:
    """Finds the entities of a universe by whole names, and reads all that stand in a text with the first of them."""

    def __init__(self, canon: CanonReader, universe_id: Id, text: str) -> None:
        self._canon = canon
        self._universe_id = universe_id
        self._spans = _read_spans(text)
        self._entities_by_name: dict[str, list[Entity]] | None = None

    async def find(self, name: str) -> list[Entity]:
        """Return the entities with exactly this name. Raises StoreError."""
        folded_name = fold_name(name)
        if folded_name not in self._spans:
            return await self._canon.find_entity(self._universe_id, name)
        if self._entities_by_name is None:
            self._entities_by_name = {}
            for entity in await self._canon.entities_named(self._universe_id, self._spans):
                for folded in {fold_name(one) for one in (entity.name, *entity.aliases)}:
                    self._entities_by_name.setdefault(folded, []).append(entity)
        return self._entities_by_name.get(folded_name, [])


def _read_spans(text: str) -> frozenset[str]:
    """Return what may be a name in the text: up to some words in a row, also without a full stop or an article."""
    words = text.split()
    spans = {
        " ".join(words[start:end])
        for start in range(len(words))
        for end in range(start + 1, min(start + MAX_SPAN_WORDS, len(words)) + 1)
    }
    spans |= {span.strip(".,;:!?\"'()") for span in spans}
    return frozenset(fold_name(name) for span in spans for name in (span, f"the {span}"))


def scene_entity_finder(
    context: SceneContext,
    contexts: SceneContextLoader,
    *,
    text: str = "",
    guess: bool = False,
    guess_people: bool = False,
) -> FindEntity:
    """Return a function that finds the one entity of a name in the scene or its universe.

    With `guess`, a word of the name of somebody present will do; with `guess_people`, only the name by which
    somebody is called for short: `Dob` for Dob Harrow. What is looked for in a `text` is read at once.
    """
    find_named = NamedInText(contexts.canon, context.universe.id, text).find

    async def find(name: str) -> Entity | None:
        matches = await contexts.find_entities(context, name, allow_partial=guess, find_named=find_named)
        if matches or not guess_people or not name[:1].isupper():
            return _single_entity(matches)
        person = _single_entity(
            await contexts.find_entities(context, name, allow_partial=True, find_named=find_named)
        )
        is_called_so = person is not None and person.kind in _PEOPLE and _is_short_name(name, person)
        return person if is_called_so else None

    return find


async def universe_entity_finder(
    universe_id: Id, canon: CanonReader, log: LogReader, source_id: Id | None = None
) -> FindEntity:
    """Return a function that finds the one entity of a name, in canon or among proposed entities.

    With `source_id` also among those that this document proposes.
    """
    proposed_entities = await _read_proposed_entities(universe_id, log, [ProposalStatus.PENDING])
    if source_id is not None:
        of_source = ProposalQuery(source_id=source_id, statuses=OPEN_STATUSES, kind="create_entity")
        proposed_entities += _entities_of(await log.proposals(of_source))

    async def find(name: str) -> Entity | None:
        canon_matches = await canon.find_entity(universe_id, name)
        return _single_entity(
            canon_matches
            or [e for e in proposed_entities if name.casefold() in map(str.casefold, (e.name, *e.aliases))]
        )

    return find


async def read_entities_by_id(
    universe_id: Id, ids: Collection[Id], canon: CanonReader, log: LogReader
) -> dict[Id, Entity]:
    """Return the entities from canon or from open proposals; ids of neither are left out."""
    canon_entities = await canon.entities_by_id(ids)
    if all(id in canon_entities for id in ids):
        return canon_entities
    proposed_entities = await _read_proposed_entities(universe_id, log, OPEN_STATUSES)
    return {entity.id: entity for entity in proposed_entities if entity.id in ids} | canon_entities


async def _read_proposed_entities(
    universe_id: Id, log: LogReader, statuses: Collection[ProposalStatus]
) -> list[Entity]:
    creation_proposals = await log.proposals(ProposalQuery(universe_id=universe_id, statuses=statuses))
    return _entities_of(creation_proposals)


def _entities_of(proposals: Iterable[ProposedChange]) -> list[Entity]:
    return [build_entity(p, p.change) for p in proposals if isinstance(p.change, CreateEntity)]


_PEOPLE = (EntityKind.CHARACTER, EntityKind.CREATURE)


def _is_short_name(name: str, person: Entity) -> bool:
    """Say whether somebody is called so for short: by one part of the name, or by a title with it."""
    title, _, rest = name.rpartition(" ")
    return rest in names_of(person) and (not title or title in person.name.split())


def _single_entity(matches: list[Entity]) -> Entity | None:
    return matches[0] if len(matches) == 1 else None
