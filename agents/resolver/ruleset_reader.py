"""Reading a rule pack: whole, or refused with the lines and entries that are wrong, and why.

Source: design/product.md ("a pack is a YAML file with its licence"); design/authority.md, "Security".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from pydantic import ValidationError

from agents import marked_yaml
from agents.marked_yaml import Loc
from agents.resolver.ruleset_schema import NUMBER, OF_DICE, WORDS_OF_CHECKS, Outcome, Pack, Terms, spoken
from agents.resolver.templates import read_effects, read_formula, read_number, read_words
from agents.resolver.words import did_you_mean
from stores.errors import InputError

MAX_CHARS: Final = 100_000
"""Characters in one pack. Our largest has about 6,000."""

_RESERVED: Final = frozenset({"actor", "target", NUMBER, *WORDS_OF_CHECKS})


def read_pack(text: str) -> Pack:
    """Read a rule pack. Raises InputError that names the lines and entries that are wrong, and why."""
    if len(text) > MAX_CHARS:
        raise _refused(f"it has {len(text):,} characters, and {MAX_CHARS:,} is the most that is read")
    try:
        document = marked_yaml.load(text)
    except marked_yaml.Unreadable as error:
        raise _refused(str(error)) from None
    try:
        pack = Pack.model_validate(document.data)
        faults = list(_disagreements(pack))
    except ValidationError as error:
        faults = [(f["loc"], _plain(f["type"], f["msg"], f["loc"])) for f in error.errors()]
    if faults:
        raise _refused(marked_yaml.told((document.where(loc), words) for loc, words in faults))
    return pack


# --- what no single entry can know ------------------------------------------------------------------

_Fault = tuple[Loc, str]


def _disagreements(pack: Pack) -> Iterator[_Fault]:
    """Yield where the entries of a well-formed pack do not fit each other."""
    yield from _names(pack)
    for i, number in enumerate(pack.numbers):
        low, high = number.min, number.max
        if (low is not None and number.default < low) or (high is not None and number.default > high):
            yield ("numbers", i, "default"), "it is not between min and max"
    defaults = {number.key: number.default for number in pack.numbers}
    for i, track in enumerate(pack.tracks):
        loc: Loc = ("tracks", i, "max")
        try:
            if read_number(track.max, defaults) < 1:
                yield loc, "a track needs room for at least 1"
        except InputError as error:
            yield loc, _said(error)
    yield from _outcomes(pack)
    yield from _terms(("check",), pack.check, pack.check, pack)
    for i, move in enumerate(pack.moves):
        if move.number is not None and move.number not in pack.number_keys():
            near = did_you_mean(move.number, pack.number_keys())
            yield ("moves", i, "number"), f"{move.number!r} is no number of this pack. {near}".strip()
        yield from _terms(("moves", i), move, pack.terms(move), pack)


def _names(pack: Pack) -> Iterator[_Fault]:
    """Yield keys that stand twice where one is looked up, and keys that mean something else already."""
    numbers = [(("numbers", i, "key"), n.key) for i, n in enumerate(pack.numbers)]
    tracks = [(("tracks", i, "key"), t.key) for i, t in enumerate(pack.tracks)]
    moves = [(("moves", i, "key"), spoken(m.key)) for i, m in enumerate(pack.moves)]
    yield from _repeated([*numbers, *tracks])
    yield from _repeated(moves)
    yield from _repeated((("tags", i, "key"), spoken(t.key)) for i, t in enumerate(pack.tags))
    yield from _repeated((("rests", i, "key"), spoken(r.key)) for i, r in enumerate(pack.rests))
    for loc, key in (*numbers, *tracks, *moves):
        if key in _RESERVED:
            yield loc, f"{key!r} means something else in a check; choose another"


def _repeated(named: Iterable[tuple[Loc, str]]) -> Iterator[_Fault]:
    seen: set[str] = set()
    for loc, key in named:
        if key in seen:
            yield loc, f"{key!r} stands in this pack twice"
        seen.add(key)


def _outcomes(pack: Pack) -> Iterator[_Fault]:
    """Yield the words and effects that cannot be read, outside of checks."""
    for section in ("numbers", "tracks"):
        for i, gauge in enumerate(getattr(pack, section)):
            for field in ("at_zero", "at_zero_pc", "at_full"):
                yield from _outcome((section, i, field), getattr(gauge, field, None), pack, target="")
    for i, rest in enumerate(pack.rests):
        yield from _outcome(("rests", i), Outcome(effects=rest.effects), pack, target="")


def _terms(loc: Loc, own: Terms, whole: Terms, pack: Pack) -> Iterator[_Fault]:
    """Yield what is wrong with a check: `own` is what stands at `loc`, `whole` what it comes to."""
    for degree, outcome in own.outcomes():
        yield from _outcome((*loc, degree.value), outcome, pack, target="Somebody")
    if (whole.dice is None) == (whole.odds is None):
        yield loc, "it is rolled with 'dice' against 'vs', or by 'odds': say one of the two"
        return
    if whole.odds is not None:
        for field in OF_DICE:
            if getattr(own, field) is not None:
                yield (*loc, field), "a check by odds has no dice of its own"
        return
    if whole.vs is None:
        yield loc, "'vs' is missing: the number to reach"
    numbers = {**dict.fromkeys(pack.number_keys(), 1), NUMBER: 1}
    for field in ("dice", "advantage", "disadvantage", "vs"):
        if template := getattr(own, field):
            try:
                (read_number if field == "vs" else read_formula)(template, numbers)
            except InputError as error:
                yield (*loc, field), _said(error)


def _outcome(loc: Loc, outcome: Outcome | None, pack: Pack, *, target: str) -> Iterator[_Fault]:
    if outcome is None:
        return
    numbers = dict.fromkeys(pack.number_keys(), 1)
    try:
        read_effects(outcome.effects, numbers, actor="Somebody", target=target)
        if not target and "{target}" in outcome.effects + outcome.says:
            yield (*loc, "effects"), "nobody is a {target} here"
    except InputError as error:
        yield (*loc, "effects"), _said(error)
    try:
        read_words(outcome.says, actor="Somebody", target=target)
    except InputError as error:
        yield (*loc, "says"), _said(error)


# --- words for what is wrong ------------------------------------------------------------------------


def _refused(why: str) -> InputError:
    return InputError(
        f"This rule pack cannot be used: {why.removesuffix('.')}.",
        kept="It was left out; nothing else was changed.",
        todo="Correct the file (docs/rule-packs.md explains each field) and open MONITOR again.",
    )


def _said(error: InputError) -> str:
    return error.what.removesuffix(".")


def _plain(kind: str, message: str, loc: Loc) -> str:
    """Say a pydantic fault in words for somebody who writes a file, not a program."""
    field = loc[-1] if loc else "it"
    match kind:
        case "missing":
            return f"{field!r} is missing"
        case "extra_forbidden":
            return f"{field!r} is not a field that is read here"
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
