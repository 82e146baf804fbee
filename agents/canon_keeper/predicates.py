"""The catalogue of predicates: how each kind of statement behaves. Data, read from `predicates.yaml`.

Source: design/ontology.md, "Predicates are a catalogue"; design/authority.md, "Contradictions".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Literal

from pydantic import ValidationError

from agents import marked_yaml
from stores.errors import InputError
from stores.records.base import Record
from stores.records.canon import Literalish
from stores.records.world import EntityKind


class Predicate(Record):
    """What `predicates.yaml` says of one predicate; the fields are explained there."""

    name: str
    cardinality: Literal["one", "many"] = "many"
    symmetric: bool = False
    inverse_of: str | None = None
    excludes: tuple[str, ...] = ()
    subjects: tuple[EntityKind, ...] = ()
    objects: tuple[EntityKind, ...] = ()
    critical: bool | tuple[Literalish, ...] = False
    irreversible: tuple[Literalish, ...] = ()
    origin: bool = False
    deed: bool = False
    passive: bool = False
    from_afar: bool = False
    tags: dict[str, str] = {}
    statement: str | dict[str, str] = ""

    def is_critical(self, value: Literalish | None) -> bool:
        """Say whether taking this value asks to be committed at once."""
        if isinstance(self.critical, bool):
            return self.critical
        return any(same_value(value, critical) for critical in self.critical)

    def is_final(self, value: Literalish | None) -> bool:
        """Say whether time alone does not change this value again."""
        return any(same_value(value, final) for final in self.irreversible)

    @property
    def about_two(self) -> bool:
        """Whether it is said of two entities."""
        return isinstance(self.statement, str) and "{object}" in self.statement

    def tag(self, value: Literalish | None) -> str | None:
        """Return the tag that an entity bears while this value holds."""
        return self.tags.get(words_of(value))


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Every predicate that is known. An unknown name gives a predicate that forbids nothing."""

    predicates: Mapping[str, Predicate]

    def __getitem__(self, name: str) -> Predicate:
        return self.predicates.get(name) or _unknown(name)

    def names(self) -> frozenset[str]:
        return frozenset(self.predicates)

    def origins(self) -> tuple[str, ...]:
        """Return the predicates that tell since when somebody or something is there."""
        return tuple(p.name for p in self.predicates.values() if p.origin)

    def excluded_by(self, name: str) -> frozenset[str]:
        """Return what cannot be said at once with `name`, of the same two."""
        declared = (p.name for p in self.predicates.values() if name in p.excludes)
        return frozenset((*self[name].excludes, *declared))

    def inverses(self, name: str) -> frozenset[str]:
        """Return the other readings of `name`: `contains` for `located_in`."""
        return frozenset(p.name for p in self.predicates.values() if p.inverse_of == name)

    def is_critical(self, name: str, value: Literalish | None) -> bool:
        """Say whether `name` taking this value asks to be committed at once."""
        return self[name].is_critical(value)

    def related(self, name: str) -> frozenset[str]:
        """Return every predicate whose facts can meet one of `name`: itself, inverses, exclusions."""
        canonical = self[name].inverse_of or name
        roots = {canonical, *self.excluded_by(canonical)}
        return frozenset(roots.union(*map(self.inverses, roots)))

    def phrase(self, name: str, subject: str, other: str = "", value: Literalish | None = None) -> str:
        """Return the sentence for a statement; `other` is the object's name or the value in words."""
        predicate, words = self[name], other or words_of(value)
        template = predicate.statement
        if isinstance(template, dict):
            template = template.get(words, "")
        template = template or _plain(name, bool(other))
        return template.format(subject=subject, object=words, value=words)


def load_catalogue() -> Catalogue:
    """Read the bundled catalogue. Raises InputError if it is not well-formed."""
    return read_catalogue(files(__package__).joinpath("predicates.yaml").read_text(encoding="utf-8"))


def read_catalogue(text: str) -> Catalogue:
    """Read a catalogue. Raises InputError that names what is wrong."""
    try:
        data = marked_yaml.load(text).data
        if not isinstance(data, dict):
            raise _refused("predicates and their fields should stand here")
        catalogue = Catalogue(
            {name: Predicate.model_validate({"name": name, **(body or {})}) for name, body in data.items()}
        )
    except marked_yaml.Unreadable as error:
        raise _refused(str(error)) from None
    except ValidationError as error:
        raise _refused(f"{error.errors()[0]['loc']}: {error.errors()[0]['msg']}") from None
    for predicate in catalogue.predicates.values():
        for other in (*predicate.excludes, *filter(None, [predicate.inverse_of])):
            if other not in catalogue.predicates:
                raise _refused(f"{predicate.name} names {other!r}, which is not in the catalogue")
    return catalogue


@lru_cache(maxsize=1_000)
def _unknown(name: str) -> Predicate:
    return Predicate(name=name)


def same_value(one: Literalish | None, other: Literalish | None) -> bool:
    """Compare plain values: `False` is not `0`, `7` is `7.0`, words are compared without case."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, str) and isinstance(other, str):
        return one.casefold() == other.casefold()
    return one == other


def words_of(value: Literalish | None) -> str:
    """Return a plain value in words: `true`, `7`, `grim`."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _plain(name: str, about_two: bool) -> str:
    words = name.replace("_", " ").replace("{", "{{").replace("}", "}}")
    return f"{{subject}} {words} {{object}}." if about_two else f"{{subject}}'s {words} is {{value}}."


def _refused(why: str) -> InputError:
    return InputError(f"The catalogue of predicates cannot be used: {why}.")
