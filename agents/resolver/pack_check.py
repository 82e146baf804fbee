"""A check by a rule pack: what is typed, read by its moves and numbers, and resolved by its dice.

    check = [move | number] [whom] how* (";" [degree ":"] effects)*
    how   = ("+" | "-") number | ["vs"] number | "adv" | "dis" | "likely" | "even" | "unlikely"

`strike Orc`, `might`, `might 14`, `strike "Old Tam" +1 vs 14 adv`, `strike Orc; fail: Mara +hurt`.
Effects typed for a degree stand in for the pack's. What no move or number begins is read as without a
pack (`2d6+2 vs 8`), so the generic check works in every system.

Source: design/product.md ("Rule systems are data"); AGENT_ORCHESTRATION, Resolver.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from agents.resolver import check as generic
from agents.resolver.check import CheckSpec, Odds, whole_numbers
from agents.resolver.dice_formula import Constant, Formula, Operation
from agents.resolver.effects import Effect
from agents.resolver.ruleset_schema import NUMBER, Move, Pack, Terms, spoken
from agents.resolver.sheets import Sheet, numbers_of, tags_of
from agents.resolver.templates import read_effects, read_formula, read_number, read_words
from agents.resolver.words import did_you_mean, plain, split_outside_quotes
from stores.errors import InputError
from stores.records.play import Degree

_EXAMPLES: Final = "strike Orc, might, might vs 14, strike Orc +1, or likely"
_STEPS: Final = (Odds.UNLIKELY, Odds.EVEN, Odds.LIKELY)
_NAME_WORDS: Final = 20
"""Words at the beginning that may be the name of a move: it has at most 40 characters."""
_GLUED: Final = re.compile(r"(?P<name>[^+-]*[^+\s-])(?P<rest>[+-].*)")
_HAS_DICE: Final = re.compile(r"d[0-9%f]", re.IGNORECASE)
_HOW: Final = re.compile(
    r"(?P<rest>.*?)(?:^|\s)(?:(?P<modifier>[+-] ?[0-9]{1,4})|vs\.? ?(?P<vs>[+-]?[0-9]{1,7})"
    r"|(?P<adv>adv(?:antage)?)|(?P<dis>dis(?:advantage)?)|(?P<odds>likely|even|unlikely))",
    re.IGNORECASE,
)


# --- reading ----------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Asked:
    """What was typed before the first semicolon, taken apart."""

    move: Move | None = None
    number: str | None = None
    whom: str = ""
    modifier: int | None = None
    vs: int | None = None
    adv: str | None = None
    dis: str | None = None
    odds: Odds | None = None


def read_check(pack: Pack, typed: str, sheet: Sheet) -> CheckSpec:
    """Read what follows `/check` for the acting character, whose numbers, tags and name are on `sheet`.

    Raises InputError saying what was not understood and what would be.
    """
    if len(typed) > generic.MAX_LENGTH:
        raise _error(f"A check has at most {generic.MAX_LENGTH:,} characters; this has {len(typed):,}.")
    head, *clauses = split_outside_quotes(typed, ";")
    own_effects = generic.read_check(";".join(("even", *clauses)), {}).effects
    asked = _ask(pack, plain(head), sheet)
    if asked is None:
        return replace(_without_pack(pack, plain(head), sheet), effects=own_effects)
    return _spec(pack, asked, sheet, own_effects)


def read_move(pack: Pack, typed: str, sheet: Sheet) -> CheckSpec:
    """Read what follows `/move`: a check that begins with a move of the pack. Raises InputError."""
    head = plain(split_outside_quotes(typed, ";")[0])
    name, _ = _split_name(pack, head, sheet)
    moves = [spoken(move.key) for move in pack.moves]
    if name is None or spoken(name) not in moves:
        known = f"There is: {', '.join(moves)}." if moves else "It has none; /check rolls its numbers."
        raise _error(f"{pack.name} has no move called {head[:60]!r}.", did_you_mean(head, moves) or known)
    return read_check(pack, typed, sheet)


def moves_of(pack: Pack, sheet: Sheet) -> tuple[str, ...]:
    """List the moves of a pack, a line each: name, the number it is rolled with, what it is for."""
    numbers = numbers_of(pack, sheet)

    def line(move: Move) -> str:
        rolled = f" ({spoken(move.number)} {numbers[move.number]})" if move.number else ""
        return f"{spoken(move.key)}{rolled}: {move.meaning}"

    return tuple(map(line, pack.moves))


def what_to_check(pack: Pack, sheet: Sheet) -> tuple[str, ...]:
    """List what a check may be made with: the numbers that count, then the moves."""
    numbers = ", ".join(f"{spoken(key)} {value}" for key, value in numbers_of(pack, sheet).items())
    moves = ", ".join(spoken(move.key) for move in pack.moves)
    return tuple(f"{name}: {there}" for name, there in (("Numbers", numbers), ("Moves", moves)) if there)


def _ask(pack: Pack, what: str, sheet: Sheet) -> _Asked | None:
    """Take apart what was typed; None if it is no check of this pack."""
    name, rest = _split_name(pack, what, sheet)
    said = []
    while found := _HOW.fullmatch(rest):
        said.append(found)
        rest = found["rest"].strip()
    alone = rest.isdecimal() and len(rest) < 8  # might 14
    of_dice = rest.startswith(("+", "-", "*", "/")) if name else bool(rest) and not alone
    if of_dice:
        return None
    asked = _Asked(move=next((m for m in pack.moves if m.key == name), None))
    asked.number = asked.move.number if asked.move else name
    asked.whom = "" if alone else rest.strip('@" ')
    for found in said:
        _note(asked, found)
    if alone and asked.vs is not None:
        raise _too_many(rest)
    asked.vs = int(rest) if alone else asked.vs
    plain_luck = name is None and asked.odds is not None and pack.check.odds is None
    return None if plain_luck else asked


def _split_name(pack: Pack, what: str, sheet: Sheet) -> tuple[str | None, str]:
    """Part the move or number that `what` begins with, in its own spelling, from the rest."""
    own = (*numbers_of(pack, sheet), *(move.key for move in pack.moves))
    names = {spoken(key): key for key in own}
    words = what.split()
    for count in range(min(len(words), _NAME_WORDS), 0, -1):
        if key := names.get(spoken(" ".join(words[:count]))):
            return key, " ".join(words[count:])
    glued = _GLUED.fullmatch(what)  # might+1
    if glued and (key := names.get(spoken(glued["name"]))):
        return key, glued["rest"]
    return None, what


def _note(asked: _Asked, found: re.Match[str]) -> None:
    """Keep one word of how it is rolled. Raises InputError if it was said before."""
    kind, word = next((k, v) for k, v in found.groupdict().items() if k != "rest" and v is not None)
    if getattr(asked, kind) is not None:
        raise _too_many(found[0].removeprefix(found["rest"]).strip())
    value = word if kind in ("adv", "dis") else Odds(word.casefold()) if kind == "odds" else _number(word)
    setattr(asked, kind, value)


def _without_pack(pack: Pack, what: str, sheet: Sheet) -> CheckSpec:
    """Read the generic check; if it is none either, say what the pack would have understood."""
    numbers = numbers_of(pack, sheet)
    try:
        return generic.read_check(what, numbers)
    except InputError:
        if not what[:1].isalpha() or _HAS_DICE.match(what):
            raise
    known = [spoken(key) for key in (*(move.key for move in pack.moves), *numbers)]
    raise _error(
        f"{pack.name} has no move or number called {what[:60]!r}.",
        did_you_mean(what, known) or f"There is: {', '.join(known)}.",
    )


# --- from pack and sheet to a check -----------------------------------------------------------------


def _spec(
    pack: Pack, asked: _Asked, sheet: Sheet, own_effects: Mapping[Degree, tuple[Effect, ...]]
) -> CheckSpec:
    terms = pack.terms(asked.move)
    numbers = whole_numbers(numbers_of(pack, sheet))
    if asked.number is not None and asked.number not in numbers:
        raise _error(f"{asked.number} is no number that can be rolled with.")
    numbers[NUMBER] = numbers[asked.number] if asked.number is not None else 0
    tags = [tag for tag in tags_of(pack, sheet) if tag.modifier]
    modifier = (asked.modifier or 0) + sum(tag.modifier for tag in tags)
    outcomes = dict(terms.outcomes())
    spec = CheckSpec(
        rule=_rule(pack, asked, [f"{tag.key} {tag.modifier:+d}" for tag in tags]),
        effects={
            **{
                d: read_effects(o.effects, numbers, actor=sheet.name, target=asked.whom)
                for d, o in outcomes.items()
            },
            **own_effects,
        },
        partial_within=0,
        says={d: read_words(o.says, actor=sheet.name, target=asked.whom) for d, o in outcomes.items()},
    )
    return (
        _by_odds(spec, terms, asked, modifier)
        if terms.odds
        else _by_dice(spec, terms, asked, modifier, numbers)
    )


def _by_odds(spec: CheckSpec, terms: Terms, asked: _Asked, modifier: int) -> CheckSpec:
    """Help moves the odds a step for each +1, hindrance the other way."""
    if asked.vs is not None or asked.adv or asked.dis:
        raise _error(
            "This is a check by odds: it has no dice to change and no number to reach.", "Try likely or +1."
        )
    step = _STEPS.index(asked.odds or terms.odds or Odds.EVEN) + modifier
    odds = _STEPS[max(0, min(step, len(_STEPS) - 1))]
    return replace(spec, rule=f"{spec.rule}, {odds} odds", odds=odds)


def _by_dice(
    spec: CheckSpec, terms: Terms, asked: _Asked, modifier: int, numbers: Mapping[str, int]
) -> CheckSpec:
    if asked.odds is not None:
        raise _error(f"This check is rolled with dice, not by odds that are {asked.odds}.", "Try +1 or -1.")
    target = asked.vs if asked.vs is not None else read_number(terms.vs or "", numbers)
    low_wins = terms.wins == "low"
    also = [f"partial within {terms.partial_within}"] if terms.partial_within else []
    return replace(
        spec,
        rule=", ".join((f"{spec.rule} vs {target}", *also, *(["low wins"] if low_wins else []))),
        formula=_plus(read_formula(_dice(terms, asked), numbers), -modifier if low_wins else modifier),
        target=target,
        partial_within=terms.partial_within or 0,
        low_wins=low_wins,
    )


def _dice(terms: Terms, asked: _Asked) -> str:
    """Return the dice to roll. Advantage and disadvantage together are neither."""
    wanted = "dice"
    if bool(asked.adv) is not bool(asked.dis):
        wanted = "advantage" if asked.adv else "disadvantage"
    dice: str | None = getattr(terms, wanted)
    if dice is None:
        raise _error(f"This check knows no {wanted}.", "Try +1 or -1.")
    return dice


def _plus(formula: Formula, modifier: int) -> Formula:
    if modifier == 0:
        return formula
    sign: Literal["+", "-"] = "+" if modifier > 0 else "-"
    return replace(formula, root=Operation(sign, formula.root, Constant(abs(modifier)), 0))


def _rule(pack: Pack, asked: _Asked, tags: Iterable[str]) -> str:
    """Name the rule and all that went into it: `Hard Twenty: strike with might, hurt -1, +2, adv`."""
    move = asked.move.key if asked.move else "check"
    number = f" with {spoken(asked.number)}" if asked.number else ""
    typed = [f"{asked.modifier:+d}"] if asked.modifier else []
    ways = [word for word, there in (("advantage", asked.adv), ("disadvantage", asked.dis)) if there]
    return ", ".join((f"{pack.name}: {spoken(move)}{number}", *tags, *typed, *ways))


def _too_many(word: str) -> InputError:
    return _error(f"{word!r} is one too many of its kind.")


def _number(word: str) -> int:
    return int(word.replace(" ", ""))


def _error(what: str, todo: str = "") -> InputError:
    return InputError(what, kept="Nothing was rolled.", todo=todo or f"Try {_EXAMPLES}.")
