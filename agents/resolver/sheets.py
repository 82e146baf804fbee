"""Character sheets by a rule pack: new sheets, the lines to show, depletions and rests.

A sheet is an entity's own numbers and tags; the pack says what they mean. A number that the entity does not
have counts as the pack's default.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, Protocol

from agents.proposals.effects import Effect
from agents.resolver.check import whole_numbers
from agents.resolver.ruleset_schema import (
    AdvanceStep,
    Pack,
    PackOutcome,
    SheetNumber,
    SheetTag,
    Track,
    spoken_key,
)
from agents.resolver.templates import read_effects, read_number, read_words
from agents.typed_numbers import number_label
from agents.typed_text import did_you_mean, fold_name
from stores.errors import InputError
from stores.records.canon import StateOp
from stores.records.world import Number

USUAL_HP: Final = 8
"""HP that is suggested for somebody who has none, where the rules say nothing."""


class Sheet(Protocol):
    """Numbers and tags under a name: an `Entity`, a `CastMember`, a `NewSheet`."""

    @property
    def name(self) -> str: ...

    @property
    def is_pc(self) -> bool: ...

    @property
    def numbers(self) -> Mapping[str, Number]: ...

    @property
    def tags(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class NewSheet:
    """A sheet without an entity: a new one, or one with changes folded in."""

    name: str = ""
    is_pc: bool = True
    numbers: Mapping[str, Number] = field(default_factory=dict)
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SheetLine:
    """One line of a sheet, such as `hp`, `7/10`, and its meaning."""

    kind: Literal["number", "track", "tag"]
    label: str
    value: str
    """Empty for a tag."""

    meaning: str
    key: str = ""
    """Its name in an effect."""

    number: Number | None = None
    low: Number | None = None
    high: Number | None = None
    own: bool = True
    """Whether it is on the sheet itself, and not only in the pack."""

    is_gear: bool = False
    """Whether a tag is something that is carried."""


@dataclass(frozen=True, slots=True)
class SheetSuggestion:
    """What the rules suggest for somebody, in words and effects."""

    cause: str
    """Why, in a few words."""

    says: str
    effects: tuple[Effect, ...]


@dataclass(frozen=True, slots=True)
class Recovery:
    """What a rest does."""

    minutes: int
    """The world time that passes."""

    effects: tuple[Effect, ...]


# --- showing ----------------------------------------------------------------------------------------


def new_sheet(pack: Pack, name: str = "", *, is_pc: bool = True) -> NewSheet:
    """Return the numbers and tags that a character begins with."""
    return build_sheet(pack, name, {}, (), is_pc=is_pc)


def build_sheet(
    pack: Pack, name: str, numbers: Mapping[str, Number], tags: Iterable[str], *, is_pc: bool = True
) -> NewSheet:
    """Return what a character begins with: these numbers and tags, and the pack's defaults for the rest."""
    own_numbers = {fold_name(key): (key, value) for key, value in numbers.items()}
    sheet_numbers: dict[str, Number] = {
        n.key: own_numbers.pop(n.key, (n.key, n.default))[1] for n in pack.numbers
    }
    tracks = {
        t.key: own_numbers.pop(t.key, (t.key, track_maximum(t, sheet_numbers) if t.starts == "full" else 0))[
            1
        ]
        for t in pack.tracks
    }
    sheet_tags = {fold_name(tag): tag for tag in tags}
    starting_tags = {fold_name(tag.key): tag.key for tag in pack.tags if tag.starts}
    return NewSheet(
        name,
        is_pc,
        {**sheet_numbers, **tracks, **dict(own_numbers.values())},
        tuple((starting_tags | sheet_tags).values()),
    )


def numbers_of(pack: Pack, sheet: Sheet) -> dict[str, Number]:
    """Return every number that counts, the pack's first: the sheet's own, or else the default."""
    own_numbers = {fold_name(key): (key, value) for key, value in sheet.numbers.items()}
    default_numbers = new_sheet(pack).numbers
    all_numbers: dict[str, Number] = {
        key: own_numbers.pop(key, (key, value))[1] for key, value in default_numbers.items()
    }
    return all_numbers | dict(own_numbers.values())


def track_maximum(track: Track, numbers: Mapping[str, Number]) -> int:
    """Return the maximum of a track for somebody with these numbers; 1 if they make no sense."""
    try:
        return max(1, read_number(track.max, whole_numbers(numbers)))
    except InputError:
        return 1


def tags_of(pack: Pack, sheet: Sheet) -> list[SheetTag]:
    """Return the pack's tags that are on the sheet, in the pack's order."""
    sheet_tags = set(map(fold_name, sheet.tags))
    return [tag for tag in pack.tags if fold_name(tag.key) in sheet_tags]


def sheet_lines(pack: Pack | None, sheet: Sheet, *, whole: bool = False) -> tuple[SheetLine, ...]:
    """Return the lines of a sheet, in order: numbers, tracks, numbers that the pack does not have, then tags.

    A number that is only a track's maximum is in that track's line; with `whole`, it has a line of its own
    too. Without a pack, the lines are the sheet's own numbers and tags.
    """
    if pack is None:
        return (*(_number_line(k, v) for k, v in sheet.numbers.items()), *map(_tag_line, sheet.tags))
    numbers, tags = numbers_of(pack, sheet), tags_of(pack, sheet)
    track_maximum_keys = () if whole else {track.max.strip("{}") for track in pack.tracks}
    pack_keys = set(pack.number_keys())
    pack_tags = {fold_name(tag.key) for tag in tags}
    own_keys = {fold_name(key): key for key in sheet.numbers}
    return (
        *(
            replace(
                _number_line(own_keys.get(n.key, n.key), numbers[n.key]),
                label=number_label(n.key),
                meaning=n.meaning,
                low=n.min,
                high=n.max,
                own=n.key in own_keys,
            )
            for n in pack.numbers
            if n.key not in track_maximum_keys
        ),
        *(_track_line(t, own_keys, numbers) for t in pack.tracks),
        *(_number_line(key, value) for key, value in numbers.items() if key not in pack_keys),
        *(SheetLine("tag", tag.key, "", tag.meaning, tag.key) for tag in tags if tag.kind != "gear"),
        *(_tag_line(tag) for tag in sheet.tags if fold_name(tag) not in pack_tags),
        *(
            SheetLine("tag", tag.key, "", tag.meaning, tag.key, is_gear=True)
            for tag in tags
            if tag.kind == "gear"
        ),
    )


def _number_line(key: str, value: Number) -> SheetLine:
    return SheetLine("number", key, _show_number(value), "", key, value)


def _tag_line(tag: str) -> SheetLine:
    return SheetLine("tag", tag, "", "", tag)


def _track_line(track: Track, own_keys: Mapping[str, str], numbers: Mapping[str, Number]) -> SheetLine:
    value, high = numbers[track.key], track_maximum(track, numbers)
    return SheetLine(
        kind="track",
        label=number_label(track.key),
        value=f"{_show_number(value)}/{high}",
        meaning=track.meaning,
        key=own_keys.get(track.key, track.key),
        number=value,
        low=0,
        high=high,
        own=track.key in own_keys,
    )


# --- gear and advancement ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Load:
    """How many slots the gear on a sheet takes, and how many there are (None: the rules set no limit)."""

    slots: int
    room: int | None


def read_load(pack: Pack, sheet: Sheet) -> Load:
    """Return how much somebody carries of the pack's gear."""
    room = None
    if pack.carries is not None:
        room = read_number(pack.carries, whole_numbers(numbers_of(pack, sheet)))
    return Load(sum(tag.slots for tag in tags_of(pack, sheet) if tag.kind == "gear"), room)


def list_advances(pack: Pack, sheet: Sheet) -> tuple[tuple[AdvanceStep, int], ...]:
    """Return the steps of the pack's advancement, each with what it costs somebody now."""
    if pack.advancement is None:
        return ()
    numbers = whole_numbers(numbers_of(pack, sheet))
    return tuple((step, read_number(step.cost, numbers)) for step in pack.advancement.steps)


def take_advance(pack: Pack, key: str, sheet: Sheet) -> tuple[Effect, ...]:
    """Return what a step of advancement changes, its cost included, within the limits of the sheet.

    Raises InputError for a step that the pack has not, that costs too much, or that changes nothing any more.
    """
    costs = {spoken_key(step.key): (step, cost) for step, cost in list_advances(pack, sheet)}
    if pack.advancement is None or spoken_key(key) not in costs:
        raise InputError(
            f"{pack.name} has no advance called {key[:60]!r}.",
            kept="Nothing was changed.",
            todo=did_you_mean(key, costs) or (f"There is: {', '.join(costs)}." if costs else "It has none."),
        )
    step, cost = costs[spoken_key(key)]
    numbers = numbers_of(pack, sheet)
    experience = pack.advancement.experience
    if numbers[experience] < cost:
        raise InputError(
            f"{step.key} costs {cost} {number_label(experience)}, and {sheet.name} has "
            f"{_show_number(numbers[experience])}.",
            kept="Nothing was changed.",
            todo=f"/state {sheet.name}.{experience} +1 adds some.",
        )
    effects = read_effects(step.effects, whole_numbers(numbers), actor=sheet.name)
    changes = tuple(_effective_changes(pack, effects, sheet))
    if not changes:
        raise InputError(
            f"{step.key} changes nothing any more: {sheet.name} is at the most.", kept="Nothing was changed."
        )
    payment = Effect(sheet.name, experience, StateOp.ADD, -cost)
    return (*((payment,) if cost else ()), *changes)


# --- depletions and rests --------------------------------------------------------------------------


def find_crossings(pack: Pack, before: Sheet, after: Sheet) -> tuple[SheetSuggestion, ...]:
    """Return what the pack suggests because a number came down to 0, or a track filled up.

    Only numbers that were on the sheet before count: without hp, one cannot run out of it.
    """
    keys_before = {fold_name(key) for key in before.numbers}
    numbers_before, numbers_after = numbers_of(pack, before), numbers_of(pack, after)
    suggestions = []
    for gauge in pack.gauges():
        outcome, cause = _crossing_outcome(gauge, numbers_before, numbers_after, after)
        if outcome is not None and gauge.key in keys_before:
            effects = read_effects(outcome.effects, whole_numbers(numbers_after), actor=after.name)
            suggestions.append(
                SheetSuggestion(
                    cause=f"{number_label(gauge.key)} {cause}",
                    says=read_words(outcome.says, actor=after.name),
                    effects=tuple(_effective_changes(pack, effects, after)),
                )
            )
    return tuple(suggestions)


def suggestions_at_ends(pack: Pack, sheet: Sheet) -> tuple[SheetSuggestion, ...]:
    """Return what the pack suggests for the numbers that are at 0 or full, whatever they were before."""
    before = NewSheet(sheet.name, sheet.is_pc, dict.fromkeys(sheet.numbers, 1), sheet.tags)
    return find_crossings(pack, before, sheet)


def find_floor(pack: Pack | None, key: str) -> Number | None:
    """Return what a number does not go below: by the pack, or else 0 for a number called hp; None: no limit."""
    for gauge in pack.gauges() if pack is not None else ():
        if fold_name(gauge.key) == fold_name(key):
            return 0 if isinstance(gauge, Track) else gauge.min
    return 0 if fold_name(key) == "hp" else None


def find_missing_number(pack: Pack | None, effect: Effect, numbers: Mapping[str, Number]) -> Effect | None:
    """Return the effect that sets the number which `effect` adds to or takes from, if nobody has set it.

    `numbers` are those of the effect's target. A number that begins at 0, or that no rules know, counts from 0; HP and
    what the pack begins with are something that somebody has or has not.
    """
    key = fold_name(effect.key)
    if effect.op is not StateOp.ADD or key in map(fold_name, numbers):
        return None
    first_numbers = new_sheet(pack).numbers if pack is not None else {}
    first_number = next((n for k, n in first_numbers.items() if fold_name(k) == key), 0)
    if not first_number and key == "hp":
        first_number = USUAL_HP
    return Effect(effect.name, effect.key, StateOp.SET, first_number) if first_number else None


def describe_missing_number(missing: Effect) -> str:
    """Return `Bram has no HP.` for the effect that would set it."""
    return f"{missing.name} has no {number_label(missing.key)}."


def take_rest(pack: Pack, key: str, sheet: Sheet) -> Recovery:
    """Return what the rest called `key` does for somebody, within the limits of the sheet.

    Raises InputError that lists the rests.
    """
    rests = {spoken_key(r.key): r for r in pack.rests}
    pack_rest = rests.get(spoken_key(key))
    if pack_rest is None:
        rests_help = f"There is: {', '.join(rests)}." if rests else "It has none."
        raise InputError(
            f"{pack.name} has no rest called {key!r}.",
            kept="Nothing was changed.",
            todo=did_you_mean(key, rests) or rests_help,
        )
    effects = read_effects(pack_rest.effects, whole_numbers(numbers_of(pack, sheet)), actor=sheet.name)
    return Recovery(pack_rest.minutes, tuple(_effective_changes(pack, effects, sheet)))


def _crossing_outcome(
    gauge: SheetNumber | Track,
    numbers_before: Mapping[str, Number],
    numbers_after: Mapping[str, Number],
    sheet: Sheet,
) -> tuple[PackOutcome | None, str]:
    if numbers_after[gauge.key] <= 0 < numbers_before[gauge.key]:
        zero_outcome = (gauge.at_zero_pc if sheet.is_pc else None) or gauge.at_zero
        return zero_outcome, f"is at {_show_number(numbers_after[gauge.key])}"
    if (
        isinstance(gauge, Track)
        and numbers_before[gauge.key]
        < (full := track_maximum(gauge, numbers_after))
        <= numbers_after[gauge.key]
    ):
        return gauge.at_full, f"is at {full}"
    return None, ""


def _effective_changes(pack: Pack, effects: tuple[Effect, ...], sheet: Sheet) -> Iterator[Effect]:
    """Yield the effects that change something, within the limits of the sheet."""
    numbers, tags = numbers_of(pack, sheet), set(map(fold_name, sheet.tags))
    for effect in effects:
        match effect.op:
            case StateOp.TAG | StateOp.UNTAG:
                if (effect.op is StateOp.TAG) is not (fold_name(effect.key) in tags):
                    yield effect
            case StateOp.ADD if isinstance(effect.value, int | float):
                bounded_value = _bounded_change(pack, effect.key, numbers, effect.value)
                numbers[effect.key] = numbers.get(effect.key, 0) + bounded_value
                if bounded_value:
                    yield replace(effect, value=bounded_value)
            case _:
                if numbers.get(effect.key) != effect.value:
                    yield effect


def _bounded_change(pack: Pack, key: str, numbers: Mapping[str, Number], by: Number) -> Number:
    """Return how much of `by` there is room for; a value beyond its limit stays there."""
    low, high = _limits_of(pack, key, numbers)
    current_value = numbers.get(key, 0)
    if by > 0:
        return by if high is None else max(0, min(by, high - current_value))
    return by if low is None else min(0, max(by, low - current_value))


def _limits_of(pack: Pack, key: str, numbers: Mapping[str, Number]) -> tuple[Number | None, Number | None]:
    for gauge in pack.gauges():
        if gauge.key == key:
            return (0, track_maximum(gauge, numbers)) if isinstance(gauge, Track) else (gauge.min, gauge.max)
    return None, None


def _show_number(value: Number) -> str:
    # 9.7 + 0.1 is 9.799999999999999 to the machine and 9.8 to a player.
    return f"{value:.10g}" if isinstance(value, float) else str(value)
