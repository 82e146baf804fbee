"""The catalogue of predicates: how each kind of statement behaves. Data, read from `predicates.yaml`.

Source: design/ontology.md, "Predicates are a catalogue"; design/authority.md, "Contradictions".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from string import Formatter
from typing import Literal

from pydantic import ValidationError

from agents import marked_yaml
from stores.errors import InputError
from stores.records.base import Record
from stores.records.canon import Literalish
from stores.records.world import EntityKind

OURS = frozenset({"alive", "is", "is_not"})
"""Predicates that no universe may word anew: states and deaths are read by them."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")
_FILLED = ("subject", "object", "value")


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
    """Read a catalogue. Raises InputError that names what is wrong, and the line."""
    return _checked(_read(text), {})


def extended(base: Catalogue, text: str) -> Catalogue:
    """Return the catalogue with a universe's own predicates laid over it.

    Raises InputError that names what is wrong, and the line.
    """
    if not text.strip():
        return base
    marked = _read(text)
    assert isinstance(marked.data, dict)
    if untouchable := sorted(name for name in marked.data if name in OURS):
        raise _refused(f"{marked.where((untouchable[0],))}: the program itself relies on {untouchable[0]!r}")
    return _checked(marked, base.predicates)


def _read(text: str) -> marked_yaml.Marked:
    try:
        marked = marked_yaml.load(text)
    except marked_yaml.Unreadable as error:
        raise _refused(str(error)) from None
    if not isinstance(marked.data, dict):
        raise _refused(f"{marked.where(())}: predicates and their fields should stand here")
    return marked


def _checked(marked: marked_yaml.Marked, base: Mapping[str, Predicate]) -> Catalogue:
    assert isinstance(marked.data, dict)
    faults: list[tuple[str, str]] = []
    found: dict[str, Predicate] = {}
    for name, body in marked.data.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            faults.append((marked.where((str(name),)), f"{name!r} is no name: small letters, digits and _"))
        elif not isinstance(body, dict | None):
            faults.append((marked.where((name,)), "fields and their values should stand here"))
        else:
            try:
                found[name] = Predicate.model_validate({**(body or {}), "name": name})
            except ValidationError as error:
                faults += [(marked.where((name, *e["loc"])), e["msg"]) for e in error.errors()]
    together = {**base, **found}
    for predicate in found.values():
        faults += [
            (marked.where((predicate.name, field)), why) for field, why in _faults(predicate, together)
        ]
    if faults:
        raise _refused(marked_yaml.told(faults))
    return Catalogue(together)


def _faults(predicate: Predicate, known: Mapping[str, Predicate]) -> Iterator[tuple[str, str]]:
    """Yield the fields that do not fit the other predicates, and why."""
    for other in predicate.excludes:
        if other not in known:
            yield "excludes", f"{predicate.name} names {other!r}, which is not in the catalogue"
    inverse = predicate.inverse_of
    if inverse is not None and inverse not in known:
        yield "inverse_of", f"{predicate.name} names {inverse!r}, which is not in the catalogue"
    elif inverse is not None and (inverse == predicate.name or known[inverse].inverse_of):
        yield "inverse_of", f"{inverse!r} is an inverse itself"
    templates = (
        predicate.statement.values() if isinstance(predicate.statement, dict) else [predicate.statement]
    )
    for template in templates:
        if why := _fault_of_template(template):
            yield "statement", why


def _fault_of_template(template: str) -> str:
    """Say what is wrong with a sentence: only plain names are filled in, so that it reaches nothing else."""
    try:
        fields = [part[1:] for part in Formatter().parse(template) if part[1] is not None]
    except ValueError as error:
        return f"{template!r} cannot be filled in ({error})"
    odd = [name for name, form, turn in fields if name not in _FILLED or form or turn]
    return f"{{{odd[0]}}} is not filled in: {{subject}}, {{object}} and {{value}} are" if odd else ""


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
