"""Which thing a name of a document means: one of canon, or one that the document itself proposes. Pure.

One thing has one identifier over the whole document, whatever chunk names it, in whatever order they are read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from agents.canon_keeper.proposal_subjects import normalize_name
from agents.ingest.names.name_words import load_name_words
from stores.records.ids import Id, derive_id
from stores.records.world import Entity, EntityKind

TITLES: Final = frozenset(
    {
        *(
            "captain",
            "lord",
            "lady",
            "sir",
            "dame",
            "king",
            "queen",
            "prince",
            "princess",
            "master",
            "mistress",
        ),
        *("mr", "mrs", "ms", "miss", "dr", "doctor", "professor", "father", "mother", "brother", "sister"),
        *(
            "saint",
            "st",
            "old",
            "young",
            "count",
            "countess",
            "baron",
            "baroness",
            "duke",
            "duchess",
            "judge",
        ),
    }
)
"""Words before a name that are no part of it."""


@dataclass(frozen=True, slots=True)
class NamedThing:
    """What a name means."""

    id: Id
    name: str
    """Its main name."""
    entity: Entity | None = None
    """The entity of canon, if it is one."""


@dataclass(frozen=True, slots=True)
class LookalikeNames:
    """Two proposed things that may be one: the shorter name is a part of only one longer one."""

    longer: str
    shorter: str


@dataclass(slots=True)
class SourceNames:
    """Resolves the names of one document."""

    source_id: Id
    _canon: dict[str, Entity | None] = field(default_factory=dict)
    """Entities by their compared names and aliases; None for a name that several have."""
    _main_names: dict[str, str] = field(default_factory=dict)
    """Main names by the compared names of their clusters."""

    @classmethod
    def create(
        cls, source_id: Id, canon_entities: Iterable[Entity] = (), clusters: Iterable[Sequence[str]] = ()
    ) -> SourceNames:
        """Return the names with what canon has, and names of the document that mean one thing, the main name first.

        A name that two things share means neither.
        """
        names = cls(source_id)
        for entity in canon_entities:
            for key in {normalize_name(name) for name in (entity.name, *entity.aliases)}:
                names._canon[key] = None if key in names._canon else entity
        shared_keys: set[str] = set()
        for cluster in clusters:
            for key in {normalize_name(name) for name in cluster}:
                if names._main_names.get(key, cluster[0]) != cluster[0]:
                    shared_keys.add(key)
                names._main_names[key] = cluster[0]
        for key in shared_keys:
            del names._main_names[key]
        return names

    def find(self, name: str) -> NamedThing:
        """Return what a name means; what nobody knows yet is a thing of its own."""
        main_name = self._main_names.get(normalize_name(name), name)
        for known_name in (main_name, name):
            entity = self._canon.get(normalize_name(known_name))
            if entity is not None:
                return NamedThing(entity.id, entity.name, entity)
        key = normalize_name(main_name)
        return NamedThing(derive_id("source entity", self.source_id, key), main_name)

    def aliases_in(self, name: str, aliases: Iterable[str]) -> tuple[str, ...]:
        """Return the names beside its main one that a thing is given by a mention under `name` with `aliases`."""
        thing = self.find(name)
        known_keys = {normalize_name(thing.name)}
        if thing.entity is not None:
            known_keys |= {normalize_name(alias) for alias in thing.entity.aliases}
        new_names: dict[str, str] = {}
        for alias in (name, *aliases):
            key = normalize_name(alias)
            if key and key not in known_keys and self.find(alias).entity in (None, thing.entity):
                new_names.setdefault(key, alias)
        return tuple(new_names.values())


def find_lookalikes(
    named_kinds: Iterable[tuple[str, EntityKind]], introduced_names: Collection[str] = ()
) -> Iterator[LookalikeNames]:
    """Yield pairs of names of which one ends or begins the other, without titles, and no third one.

    `Venn` and `Captain Mara Venn` are such a pair, unless there is a `Bela Venn` too. Of two kinds none is, but one
    that is a mere concept may be anything. What is introduced by its shorter name is somebody of its own, and a
    common word (`Eel`) is a part of any name.
    """
    introduced_keys = {normalize_name(name) for name in introduced_names}
    name_words = load_name_words()

    def is_of_its_own(shorter: str) -> bool:
        key = normalize_name(shorter)
        return key in introduced_keys or name_words.is_common(key)

    entries = [(name, kind, words) for name, kind in named_kinds if (words := _words_of(name))]
    by_edge: dict[tuple[str, ...], list[tuple[str, EntityKind]]] = {}
    for name, kind, words in entries:
        edges = {words[:n] for n in range(1, len(words))} | {words[-n:] for n in range(1, len(words))}
        for edge in edges:
            by_edge.setdefault(edge, []).append((name, kind))
    by_words: dict[tuple[str, ...], list[tuple[str, EntityKind]]] = {}
    for name, kind, words in entries:
        by_words.setdefault(words, []).append((name, kind))
    for same in by_words.values():
        for name, kind in same[1:]:
            longer, shorter = sorted((same[0][0], name), key=lambda n: (-len(n), n))
            if _may_be_one(kind, same[0][1]) and not is_of_its_own(shorter):
                yield LookalikeNames(longer, shorter)
    for name, kind, words in entries:
        longer_names = by_edge.get(words, [])
        if len(longer_names) == 1 and not is_of_its_own(name) and _may_be_one(kind, longer_names[0][1]):
            yield LookalikeNames(longer_names[0][0], name)


def _words_of(name: str) -> tuple[str, ...]:
    words = normalize_name(name).split()
    while len(words) > 1 and words[0] in TITLES:
        words = words[1:]
    return tuple(words)


def _may_be_one(kind: EntityKind, other: EntityKind) -> bool:
    """Return whether two kinds may be of one thing. Of two terms (`Huge Objects`, `Objects`) each is its own."""
    if EntityKind.CONCEPT in (kind, other):
        return kind is not other
    return kind is other
