"""Finds the entities of canon that a text names and that are not here, by any of the names that mean them alone."""

from __future__ import annotations

import re
from asyncio import gather
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from agents.context_assembly.context_package import ScenePerson
from agents.context_assembly.scene_context import SceneContext, SceneContextLoader
from agents.prose.names import HONORIFICS, NON_NAME_WORDS, find_names, names_of
from stores.ports import CanonReader
from stores.records.ids import Id
from stores.records.story_journal import Awareness
from stores.records.world import ACTORS, Entity, EntityStatus, fold_name

MAX_NAMES: Final = 6
"""Names in the player's words that are looked up."""
MAX_SHORT_NAMES: Final = 12
"""Single words of a text that are looked up among the parts of names."""
MAX_SAME_WORD: Final = 20
"""Entities with one word in their names that are read."""
_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_CAPITALISED_WORD: Final = re.compile(r"(?<![\w’'])[^\W\d_a-z][\w-]{2,}")

MIN_PLAIN_LENGTH: Final = 4
"""Letters of a word by which names are looked up that stand in small letters."""
MAX_PLAIN_WORDS: Final = 30
"""How many such words of a text are looked up, the longest first."""


@dataclass(frozen=True, slots=True)
class NamedEntityFinder:
    """Finds who and what a text names."""

    canon: CanonReader
    context_loader: SceneContextLoader

    async def find_elsewhere(
        self, scene: SceneContext, text: str, cast_ids: Collection[Id]
    ) -> tuple[ScenePerson, ...]:
        """Return the entities that the text names and that are neither in the cast nor this place. Raises StoreError.

        A full name may mean anything, written in small letters, too, if it has several words (`the stamped sacking`); a
        word of a name (`Corvin` for Corvin Ferrant, also where a sentence begins) means somebody if it is part of
        nobody else's.
        """
        named_entities, plainly_named, called_people = await gather(
            self._find_by_name(scene, text),
            self._find_by_plain_name(scene, text),
            self._find_by_short_name(scene, text),
        )
        entities = {entity.id: entity for entity in (*named_entities, *plainly_named, *called_people)}
        place_id = scene.place.id if scene.place else None
        return tuple(
            build_scene_person(scene, entity, is_here=False)
            for entity in entities.values()
            if entity.id not in cast_ids and entity.id != place_id
        )

    async def _find_by_name(self, scene: SceneContext, text: str) -> Iterable[Entity]:
        names = find_names(text)[:MAX_NAMES]
        matches_by_name = await gather(
            *(self.context_loader.find_entities(scene, name, allow_partial=True) for name in names)
        )
        return [entities[0] for entities in matches_by_name if len(entities) == 1]

    async def _find_by_plain_name(self, scene: SceneContext, text: str) -> Iterable[Entity]:
        """Return what the text names in small letters, too, by a name of several words."""
        text_words = _WORD.findall(fold_name(text))
        folded_text = f" {' '.join(text_words)} "
        telling_words = sorted({w for w in text_words if len(w) >= MIN_PLAIN_LENGTH}, key=len, reverse=True)
        names = await self.canon.names_with_words(scene.universe.id, telling_words[:MAX_PLAIN_WORDS])
        canon_ids = {i for name, i in names if _is_said(name, folded_text)} - scene.entities.keys()
        canon_entities = await self.canon.entities_by_id(canon_ids) if canon_ids else {}
        staged_entities = (e for e in scene.entities.values() if _is_said(e.name, folded_text))
        return [
            entity
            for entity in (*canon_entities.values(), *staged_entities)
            if entity.status is not EntityStatus.RETCONNED and not entity.merged_into
        ][:MAX_NAMES]

    async def _find_by_short_name(self, scene: SceneContext, text: str) -> Iterable[Entity]:
        words = [
            word
            for word in dict.fromkeys(_CAPITALISED_WORD.findall(text))
            if word.casefold() not in NON_NAME_WORDS | HONORIFICS
        ][:MAX_SHORT_NAMES]
        if not words:
            return []
        ids_by_word = await self._read_ids_by_word(scene.universe.id, words)
        candidate_ids = {i for word in words for i in [*ids_by_word.get(fold_name(word), ())][:MAX_SAME_WORD]}
        missing_ids = candidate_ids - scene.entities.keys()
        canon_entities = await self.canon.entities_by_id(missing_ids) if missing_ids else {}
        people = [
            entity
            for entity in {**canon_entities, **scene.entities}.values()
            if entity.kind in ACTORS
            and entity.status is not EntityStatus.RETCONNED
            and not entity.merged_into
        ]
        names_by_id = {entity.id: frozenset(map(str.casefold, names_of(entity))) for entity in people}
        matches_by_word = ([e for e in people if word.casefold() in names_by_id[e.id]] for word in words)
        return [matches[0] for matches in matches_by_word if len(matches) == 1]

    async def _read_ids_by_word(self, universe_id: Id, words: Iterable[str]) -> Mapping[str, Collection[Id]]:
        """Return the entities of canon by each of the words that their names have."""
        folded_words = {fold_name(word) for word in words}
        ids_by_word: dict[str, dict[Id, None]] = {}
        for name, entity_id in await self.canon.names_with_words(universe_id, folded_words):
            for word in folded_words.intersection(name.split()):
                ids_by_word.setdefault(word, {})[entity_id] = None
        return ids_by_word


def _is_said(name: str, folded_text: str) -> bool:
    """Return whether a name of several words, without its article, stands in a text of folded words."""
    words = _words_of_name(name)
    return len(words) > 1 and f" {' '.join(words)} " in folded_text


def _words_of_name(name: str) -> tuple[str, ...]:
    """Return the words of a name as they are compared, without an article before it."""
    words = tuple(_WORD.findall(fold_name(name)))
    return words[1:] if words[:1] in (("the",), ("a",), ("an",)) else words


def build_scene_person(scene: SceneContext, entity: Entity, *, is_here: bool = True) -> ScenePerson:
    """Return somebody as they are in this scene: dead by canon, by what is proposed, or by what was narrated here."""
    last_entry = scene.last_presence_entries().get(entity.id)
    is_dead = scene.is_dead(entity) or (last_entry is not None and last_entry.awareness is Awareness.DEAD)
    return ScenePerson(entity, scene.working_state(entity), is_here, is_dead=is_dead)
