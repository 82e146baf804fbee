"""The catalogue of predicates: how each kind of statement behaves. Data, read from `predicates.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources import files
from string import Formatter
from typing import TYPE_CHECKING, Literal

from pydantic import ValidationError

from agents.typed_numbers import number_label
from stores.errors import InputError
from stores.records.base import Record
from stores.records.canon import FactValue
from stores.records.world import EntityKind

if TYPE_CHECKING:
    from agents import yaml_with_lines as marked_yaml

RESERVED_PREDICATES = frozenset({"alive", "is", "is_not"})
"""Predicates that no universe may word anew: states and deaths are read by them."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")
_TEMPLATE_FIELDS = ("subject", "object", "value")


class Predicate(Record):
    """What `predicates.yaml` says of one predicate; the fields are explained there."""

    name: str
    label: str = ""
    reverse_label: str = ""
    cardinality: Literal["one", "many"] = "many"
    symmetric: bool = False
    inverse_of: str | None = None
    excludes: tuple[str, ...] = ()
    subjects: tuple[EntityKind, ...] = ()
    objects: tuple[EntityKind, ...] = ()
    critical: bool | tuple[FactValue, ...] = False
    irreversible: tuple[FactValue, ...] = ()
    origin: bool = False
    deed: bool = False
    passive: bool = False
    from_afar: bool = False
    tags: dict[str, str] = {}
    statement: str | dict[str, str] = ""

    def is_critical(self, value: FactValue | None) -> bool:
        """Say whether taking this value asks to be committed at once."""
        if isinstance(self.critical, bool):
            return self.critical
        return any(same_value(value, critical) for critical in self.critical)

    def is_final(self, value: FactValue | None) -> bool:
        """Say whether time alone does not change this value again."""
        return any(same_value(value, final) for final in self.irreversible)

    @property
    def about_two(self) -> bool:
        """Whether it is said of two entities."""
        return isinstance(self.statement, str) and "{object}" in self.statement

    def tag(self, value: FactValue | None) -> str | None:
        """Return the tag that an entity bears while this value holds."""
        return self.tags.get(value_in_words(value))


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Every predicate that is known. An unknown name gives a predicate that forbids nothing."""

    predicates: Mapping[str, Predicate]
    _exclusions: dict[str, frozenset[str]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )
    """What `excluded_by` returned, which each check asks for many times."""
    _related_predicates: dict[str, frozenset[str]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )
    """What `related_predicates` returned, for which each proposal asks."""

    def __getitem__(self, name: str) -> Predicate:
        return self.predicates.get(name) or _default_predicate(name)

    def names(self) -> frozenset[str]:
        return frozenset(self.predicates)

    def origin_predicates(self) -> tuple[str, ...]:
        """Return the predicates that tell since when somebody or something is there."""
        return tuple(p.name for p in self.predicates.values() if p.origin)

    def excluded_by(self, name: str) -> frozenset[str]:
        """Return what cannot be said at once with `name`, of the same two."""
        if name not in self._exclusions:
            declared = (p.name for p in self.predicates.values() if name in p.excludes)
            self._exclusions[name] = frozenset((*self[name].excludes, *declared))
        return self._exclusions[name]

    def inverse_predicates(self, name: str) -> frozenset[str]:
        """Return the other readings of `name`: `contains` for `located_in`."""
        return frozenset(p.name for p in self.predicates.values() if p.inverse_of == name)

    def is_critical(self, name: str, value: FactValue | None) -> bool:
        """Say whether `name` taking this value asks to be committed at once."""
        return self[name].is_critical(value)

    def related_predicates(self, name: str) -> frozenset[str]:
        """Return every predicate whose facts can meet one of `name`: itself, inverses, exclusions."""
        if name not in self._related_predicates:
            canonical = self[name].inverse_of or name
            roots = {canonical, *self.excluded_by(canonical)}
            self._related_predicates[name] = frozenset(roots.union(*map(self.inverse_predicates, roots)))
        return self._related_predicates[name]

    def label(self, name: str, *, is_reversed: bool = False) -> str:
        """Return the words for a predicate on screens; `is_reversed` reads it from its object's end."""
        predicate = self[name]
        label = predicate.label or number_label(name)
        if not is_reversed or predicate.symmetric:
            return label
        return predicate.reverse_label or f"← {label}"

    def phrase(self, name: str, subject: str, other: str = "", value: FactValue | None = None) -> str:
        """Return the sentence for a statement; `other` is the object's name or the value in words."""
        predicate, words = self[name], other or value_in_words(value)
        template = predicate.statement
        if isinstance(template, dict):
            template = template.get(words, "")
        template = template or _default_template(name, bool(other))
        return template.format(subject=subject, object=words, value=words)


@cache
def load_catalogue() -> Catalogue:
    """Read the bundled catalogue. Raises InputError if it is not well-formed."""
    return read_catalogue(files(__package__).joinpath("predicates.yaml").read_text(encoding="utf-8"))


def read_catalogue(text: str) -> Catalogue:
    """Read a catalogue. Raises InputError that names what is wrong, and the line."""
    return _validate(_load_yaml(text), {})


def extend_catalogue(base: Catalogue, text: str) -> Catalogue:
    """Return the catalogue with a universe's own predicates laid over it.

    Raises InputError that names what is wrong, and the line.
    """
    if not text.strip():
        return base
    document = _load_yaml(text)
    assert isinstance(document.data, dict)
    if reserved_names := sorted(name for name in document.data if name in RESERVED_PREDICATES):
        raise _catalogue_error(
            f"{document.line_of((reserved_names[0],))}: the program itself relies on {reserved_names[0]!r}"
        )
    return _validate(document, base.predicates)


def _load_yaml(text: str) -> marked_yaml.YamlDocument:
    from agents import (
        yaml_with_lines as marked_yaml,  # what reads YAML is not loaded before the menu is filled
    )

    try:
        document = marked_yaml.load_yaml(text)
    except marked_yaml.UnreadableYaml as error:
        raise _catalogue_error(str(error)) from None
    if not isinstance(document.data, dict):
        raise _catalogue_error(f"{document.line_of(())}: predicates and their fields should stand here")
    return document


def _validate(document: marked_yaml.YamlDocument, base: Mapping[str, Predicate]) -> Catalogue:
    from agents import yaml_with_lines as marked_yaml

    assert isinstance(document.data, dict)
    faults: list[tuple[str, str]] = []
    new_predicates: dict[str, Predicate] = {}
    for name, body in document.data.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            faults.append(
                (document.line_of((str(name),)), f"{name!r} is not a name: use small letters, digits and _")
            )
        elif not isinstance(body, dict | None):
            faults.append((document.line_of((name,)), "fields and their values should stand here"))
        else:
            try:
                new_predicates[name] = Predicate.model_validate({**(body or {}), "name": name})
            except ValidationError as error:
                faults += [(document.line_of((name, *e["loc"])), e["msg"]) for e in error.errors()]
    all_predicates = {**base, **new_predicates}
    for predicate in new_predicates.values():
        faults += [
            (document.line_of((predicate.name, field)), why)
            for field, why in _predicate_faults(predicate, all_predicates)
        ]
    if faults:
        raise _catalogue_error(marked_yaml.describe_faults(faults))
    return Catalogue(all_predicates)


def _predicate_faults(
    predicate: Predicate, all_predicates: Mapping[str, Predicate]
) -> Iterator[tuple[str, str]]:
    """Yield the fields that do not fit the other predicates, and why."""
    for other in predicate.excludes:
        if other not in all_predicates:
            yield "excludes", f"{predicate.name} names {other!r}, which is not in the catalogue"
    inverse = predicate.inverse_of
    if inverse is not None and inverse not in all_predicates:
        yield "inverse_of", f"{predicate.name} names {inverse!r}, which is not in the catalogue"
    elif inverse is not None and (inverse == predicate.name or all_predicates[inverse].inverse_of):
        yield "inverse_of", f"{inverse!r} is an inverse itself"
    templates = (
        predicate.statement.values() if isinstance(predicate.statement, dict) else [predicate.statement]
    )
    for template in templates:
        if why := _template_fault(template):
            yield "statement", why


def _template_fault(template: str) -> str:
    """Say what is wrong with a sentence: only plain names are filled in, so that it reaches nothing else."""
    try:
        fields = [part[1:] for part in Formatter().parse(template) if part[1] is not None]
    except ValueError as error:
        return f"{template!r} cannot be filled in ({error})"
    unknown_fields = [
        name for name, form, conversion in fields if name not in _TEMPLATE_FIELDS or form or conversion
    ]
    return (
        f"{{{unknown_fields[0]}}} is not filled in: {{subject}}, {{object}} and {{value}} are"
        if unknown_fields
        else ""
    )


@lru_cache(maxsize=1_000)
def _default_predicate(name: str) -> Predicate:
    return Predicate(name=name)


def same_value(one: FactValue | None, other: FactValue | None) -> bool:
    """Compare plain values: `False` is not `0`, `7` is `7.0`, words are compared without case."""
    return comparable_value(one) == comparable_value(other)


def comparable_value(value: FactValue | None) -> tuple[str, FactValue | None]:
    """Return what is equal, and has the same hash, for values that are the same."""
    match value:
        case bool():
            return "truth", value
        case str():
            return "words", value.casefold()
        case _:
            return "number", value


def value_in_words(value: FactValue | None) -> str:
    """Return a plain value in words: `true`, `7`, `grim`."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _default_template(name: str, about_two: bool) -> str:
    words = number_label(name).replace("{", "{{").replace("}", "}}")
    return f"{{subject}} {words} {{object}}." if about_two else f"{{subject}}'s {words} is {{value}}."


def _catalogue_error(why: str) -> InputError:
    return InputError(f"These kinds of fact cannot be used: {why}.")
