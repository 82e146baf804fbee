"""Reads rule packs: those that come with the program, and the user's own from the home folder.

A faulty pack is rejected as a whole, with the lines and entries that are wrong, and why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Final

from pydantic import ValidationError

from agents import yaml_with_lines as marked_yaml
from agents.resolver.ruleset_schema import (
    CHECK_WORDS,
    DICE_FIELDS,
    NUMBER_PLACEHOLDER,
    CheckTerms,
    Pack,
    PackOutcome,
    spoken_key,
)
from agents.resolver.templates import read_effects, read_formula, read_number, read_words
from agents.typed_text import did_you_mean
from agents.yaml_with_lines import ValuePath
from stores.errors import InputError

MAX_PACKS: Final = 100
"""The user's own packs that are read."""
MAX_CHARS: Final = 100_000
"""Characters in one pack; the largest bundled one has about 6,000."""

_RESERVED_KEYS: Final = frozenset({"actor", "target", NUMBER_PLACEHOLDER, *CHECK_WORDS})


@dataclass(frozen=True, slots=True)
class PackLibrary:
    """Packs by id, in the order in which they are offered."""

    packs: Mapping[str, Pack]
    notes: tuple[str, ...] = ()
    """Which packs were replaced or left out."""

    user_pack_ids: frozenset[str] = frozenset()
    errors_by_file: Mapping[str, str] = field(default_factory=dict)
    """Why a file was left out."""

    def find_pack(self, wanted_name: str) -> Pack:
        """Return the pack of this id or name.

        Raises InputError that lists the packs, or says what is wrong with the file of that name.
        """
        for pack in self.packs.values():
            if spoken_key(wanted_name) in (spoken_key(pack.id), spoken_key(pack.name)):
                return pack
        for name, reason in self.errors_by_file.items():
            if spoken_key(wanted_name) in (spoken_key(name), spoken_key(name.rpartition(".")[0])):
                raise InputError(f"{name}: {reason}")
        raise InputError(
            f"There is no rule system called {wanted_name[:60]!r}.",
            kept="Nothing was changed.",
            todo=did_you_mean(wanted_name, self.packs) or f"There is: {', '.join(self.packs)}.",
        )


@cache
def load_bundled_packs() -> PackLibrary:
    """Return the packs that come with the program."""
    folder = files(__package__).joinpath("systems")
    texts = {
        file.name: file.read_text(encoding="utf-8") for file in folder.iterdir() if file.name[-5:] == ".yaml"
    }
    packs = [read_pack(texts[name]) for name in sorted(texts)]
    return PackLibrary({pack.id: pack for pack in packs})


def add_user_packs(library: PackLibrary, texts: Mapping[str, str]) -> PackLibrary:
    """Return the library with the user's packs added.

    `texts` are their files (`home/systems/*.yaml`) by name. A pack replaces the one with the same id; a faulty
    one is left out. A note says so: no file keeps the program from opening.
    """
    packs, notes = dict(library.packs), list(library.notes)
    user_pack_ids, errors_by_file = set(library.user_pack_ids), dict(library.errors_by_file)
    names = sorted(texts)
    for name in names[:MAX_PACKS]:
        try:
            pack = read_pack(texts[name])
        except InputError as error:
            notes.append(f"{name}: {error}")
            errors_by_file[name] = str(error)
            continue
        if replaced_pack := packs.get(pack.id):
            notes.append(
                f"{name}: {pack.name!r} replaces {replaced_pack.name!r}; both have the id {pack.id}."
            )
        packs[pack.id] = pack
        user_pack_ids.add(pack.id)
    if len(names) > MAX_PACKS:
        notes.append(f"{len(names) - MAX_PACKS} more packs were left out: {MAX_PACKS} are read.")
    return PackLibrary(packs, tuple(notes), frozenset(user_pack_ids), errors_by_file)


def read_pack(text: str) -> Pack:
    """Read a rule pack. Raises InputError that names the faulty lines and entries, and why."""
    if len(text) > MAX_CHARS:
        raise _pack_error(f"it has {len(text):,} characters, and {MAX_CHARS:,} is the most that is read")
    try:
        document = marked_yaml.load_yaml(text)
    except marked_yaml.UnreadableYaml as error:
        raise _pack_error(str(error)) from None
    try:
        pack = Pack.model_validate(document.data)
        faults = list(_consistency_faults(pack))
    except ValidationError as error:
        faults = [(f["loc"], _plain_fault(f["type"], f["msg"], f["loc"])) for f in error.errors()]
    if faults:
        raise _pack_error(
            marked_yaml.describe_faults((document.line_of(loc), words) for loc, words in faults)
        )
    return pack


# --- faults between entries ------------------------------------------------------------------

_Fault = tuple[ValuePath, str]


def _consistency_faults(pack: Pack) -> Iterator[_Fault]:
    """Yield where the entries of a well-formed pack do not fit each other."""
    yield from _key_faults(pack)
    for i, number in enumerate(pack.numbers):
        low, high = number.min, number.max
        if (low is not None and number.default < low) or (high is not None and number.default > high):
            yield ("numbers", i, "default"), "it is not between min and max"
    defaults = {number.key: number.default for number in pack.numbers}
    for i, track in enumerate(pack.tracks):
        loc: ValuePath = ("tracks", i, "max")
        try:
            if read_number(track.max, defaults) < 1:
                yield loc, "a track needs room for at least 1"
        except InputError as error:
            yield loc, _error_text(error)
    yield from _outcome_faults(pack)
    yield from _growth_faults(pack, defaults)
    yield from _check_faults(("check",), pack.check, pack.check, pack)
    for i, move in enumerate(pack.moves):
        if move.number is not None and move.number not in pack.number_keys():
            hint = did_you_mean(move.number, pack.number_keys())
            yield ("moves", i, "number"), f"{move.number!r} is no number of this pack. {hint}".strip()
        yield from _check_faults(("moves", i), move, pack.terms_of(move), pack)


def _growth_faults(pack: Pack, defaults: Mapping[str, int]) -> Iterator[_Fault]:
    """Yield the faults of what is carried, of creation and of advancement."""
    if pack.carries is not None:
        yield from _template_faults(("carries",), read_number, pack.carries, defaults)
    if (creation := pack.creation) is not None:
        loc: ValuePath = ("creation",)
        for i, key in enumerate(creation.numbers):
            if key not in defaults:
                hint = did_you_mean(key, defaults)
                yield (*loc, "numbers", i), f"{key!r} is no number of this pack. {hint}".strip()
        if not creation.array and creation.roll is None:
            yield loc, "say an 'array' to hand out, a 'roll', or both"
        if creation.array and len(creation.array) != len(creation.numbers):
            yield (
                (*loc, "array"),
                f"it has {len(creation.array)} values for {len(creation.numbers)} numbers: one each",
            )
        if creation.roll is not None:
            yield from _template_faults((*loc, "roll"), read_formula, creation.roll, {})
    if (advancement := pack.advancement) is not None:
        keys = pack.number_keys()
        if advancement.experience not in keys:
            hint = did_you_mean(advancement.experience, keys)
            yield (
                ("advancement", "experience"),
                f"{advancement.experience!r} is no number of this pack. {hint}".strip(),
            )
        yield from _duplicate_keys(
            (("advancement", "steps", i, "key"), spoken_key(s.key)) for i, s in enumerate(advancement.steps)
        )
        for i, step in enumerate(advancement.steps):
            loc = ("advancement", "steps", i)
            yield from _template_faults((*loc, "cost"), read_number, step.cost, dict.fromkeys(keys, 1))
            yield from _faults_of_outcome(loc, PackOutcome(effects=step.effects), pack, target="")


def _template_faults(
    loc: ValuePath,
    read: Callable[[str, Mapping[str, int]], object],
    template: str,
    numbers: Mapping[str, int],
) -> Iterator[_Fault]:
    try:
        read(template, numbers)
    except InputError as error:
        yield loc, _error_text(error)


def _key_faults(pack: Pack) -> Iterator[_Fault]:
    """Yield duplicate keys, and keys that mean something else in a check."""
    numbers = [(("numbers", i, "key"), n.key) for i, n in enumerate(pack.numbers)]
    tracks = [(("tracks", i, "key"), t.key) for i, t in enumerate(pack.tracks)]
    moves = [(("moves", i, "key"), spoken_key(m.key)) for i, m in enumerate(pack.moves)]
    yield from _duplicate_keys([*numbers, *tracks])
    yield from _duplicate_keys(moves)
    yield from _duplicate_keys((("tags", i, "key"), spoken_key(t.key)) for i, t in enumerate(pack.tags))
    yield from _duplicate_keys((("rests", i, "key"), spoken_key(r.key)) for i, r in enumerate(pack.rests))
    for loc, key in (*numbers, *tracks, *moves):
        if key in _RESERVED_KEYS:
            yield loc, f"{key!r} means something else in a check; choose another"


def _duplicate_keys(located_keys: Iterable[tuple[ValuePath, str]]) -> Iterator[_Fault]:
    seen_keys: set[str] = set()
    for loc, key in located_keys:
        if key in seen_keys:
            yield loc, f"{key!r} stands in this pack twice"
        seen_keys.add(key)


def _outcome_faults(pack: Pack) -> Iterator[_Fault]:
    """Yield the faults in words and effects outside of checks."""
    for section in ("numbers", "tracks"):
        for i, gauge in enumerate(getattr(pack, section)):
            for field_name in ("at_zero", "at_zero_pc", "at_full"):
                yield from _faults_of_outcome(
                    (section, i, field_name), getattr(gauge, field_name, None), pack, target=""
                )
    for i, rest in enumerate(pack.rests):
        yield from _faults_of_outcome(("rests", i), PackOutcome(effects=rest.effects), pack, target="")


def _check_faults(
    loc: ValuePath, own_terms: CheckTerms, full_terms: CheckTerms, pack: Pack
) -> Iterator[_Fault]:
    """Yield the faults of a check; its own terms are at `loc`, the full ones include the pack's."""
    for degree, outcome in own_terms.outcomes():
        yield from _faults_of_outcome((*loc, degree.value), outcome, pack, target="Somebody")
    if (full_terms.dice is None) == (full_terms.odds is None):
        yield loc, "it is rolled with 'dice' against 'vs', or by 'odds': say one of the two"
        return
    if full_terms.odds is not None:
        for field_name in DICE_FIELDS:
            if getattr(own_terms, field_name) is not None:
                yield (*loc, field_name), "a check by odds has no dice of its own"
        return
    if full_terms.vs is None:
        yield loc, "'vs' is missing: the number to reach"
    numbers = {**dict.fromkeys(pack.number_keys(), 1), NUMBER_PLACEHOLDER: 1}
    for field_name in ("dice", "advantage", "disadvantage", "vs"):
        if template := getattr(own_terms, field_name):
            try:
                (read_number if field_name == "vs" else read_formula)(template, numbers)
            except InputError as error:
                yield (*loc, field_name), _error_text(error)


def _faults_of_outcome(
    loc: ValuePath, outcome: PackOutcome | None, pack: Pack, *, target: str
) -> Iterator[_Fault]:
    if outcome is None:
        return
    numbers = dict.fromkeys(pack.number_keys(), 1)
    try:
        read_effects(outcome.effects, numbers, actor="Somebody", target=target)
        if not target and "{target}" in outcome.effects + outcome.says:
            yield (*loc, "effects"), "nobody is a {target} here"
    except InputError as error:
        yield (*loc, "effects"), _error_text(error)
    try:
        read_words(outcome.says, actor="Somebody", target=target)
    except InputError as error:
        yield (*loc, "says"), _error_text(error)


# --- errors ------------------------------------------------------------------------


def _pack_error(reason: str) -> InputError:
    return InputError(
        f"This rule pack cannot be used: {reason.removesuffix('.')}.",
        kept="It was left out; nothing else was changed.",
        todo="Correct the file (docs/rule-packs.md explains each field) and open MONITOR again.",
    )


def _error_text(error: InputError) -> str:
    """Return what is wrong, and the nearest name if one was looked for."""
    hint = f". {error.todo}" if error.todo.startswith("Did you mean") else ""
    return f"{error.what.removesuffix('.')}{hint}"


def _plain_fault(kind: str, message: str, loc: ValuePath) -> str:
    """Describe a pydantic fault in plain words."""
    field_name = loc[-1] if loc else "it"
    match kind:
        case "missing":
            return f"{field_name!r} is missing"
        case "extra_forbidden":
            return f"{field_name!r} is not a field that is read here"
        case "string_pattern_mismatch" if "_]*$" in message:
            return "a key is small letters, digits and _, and begins with a letter"
        case "string_pattern_mismatch":
            return "a name is words without signs, and begins with a letter"
        case "model_type" | "dict_type":
            return "fields and their values should stand here"
        case "tuple_type":
            return "a list should stand here, each entry behind a dash"
        case _:
            return message[:1].lower() + message[1:]
