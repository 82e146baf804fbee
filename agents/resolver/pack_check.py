"""Reads a check by the moves, numbers and dice of a rule pack.

    check    = [move | number] [target] modifier* (";" [degree ":"] effects)*
    modifier = ("+" | "-") number | ["vs"] number | "adv" | "dis" | "likely" | "even" | "unlikely"

`strike Orc`, `might`, `might 14`, `strike "Old Tam" +1 vs 14 adv`, `strike Orc; fail: Mara +hurt`.
Effects typed for a degree replace the pack's. Text that begins with no move or number is read as without a
pack (`2d6+2 vs 8`), so the generic check works in every system.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from agents.proposals.effects import Effect
from agents.resolver import check as generic
from agents.resolver.check import CheckSpec, Odds, whole_numbers
from agents.resolver.dice_formula import Beats, BinaryOperation, Constant, Formula, Node
from agents.resolver.ruleset_schema import NUMBER_PLACEHOLDER, CheckTerms, Pack, PackMove, spoken_key
from agents.resolver.sheets import Sheet, numbers_of, tags_of
from agents.resolver.templates import read_effects, read_formula, read_number, read_words
from agents.typed_numbers import number_label
from agents.typed_text import did_you_mean, plain_line, split_outside_quotes
from stores.errors import InputError
from stores.records.play import Degree

_EXAMPLES: Final = "strike NAME, might, might vs 14, strike NAME +1, or likely"
_ODDS_STEPS: Final = (Odds.UNLIKELY, Odds.EVEN, Odds.LIKELY)
_NAME_WORDS: Final = 20
"""Words at the beginning that may be the name of a move: it has at most 40 characters."""
_NAME_WITH_SIGN: Final = re.compile(r"(?P<name>[^+-]*[^+\s-])(?P<rest>[+-].*)")
_HAS_DICE: Final = re.compile(r"d[0-9%f]", re.IGNORECASE)
_VERSUS_NO_NUMBER: Final = re.compile(r'(?:[^"]*\s)?vs\.?(?:\s+(?P<words>[^"]*))?', re.IGNORECASE)
"""What is left of `might vs`: the number to reach was forgotten, and is not to be taken from the pack."""
_MODIFIER_AT_END: Final = re.compile(
    r"(?P<rest>.*?)(?:^|\s)(?:(?P<modifier>[+-] ?[0-9]{1,4})|vs\.? ?(?P<vs>[+-]?[0-9]{1,7})"
    r"|(?P<adv>adv(?:antage)?)|(?P<dis>dis(?:advantage)?)|(?P<odds>likely|even|unlikely))",
    re.IGNORECASE,
)


# --- reading ----------------------------------------------------------------------------------------


@dataclass(slots=True)
class _PackCheckQuery:
    """The parts of what was typed before the first semicolon."""

    move: PackMove | None = None
    number: str | None = None
    target_name: str = ""
    modifier: int | None = None
    vs: int | None = None
    adv: str | None = None
    dis: str | None = None
    odds: Odds | None = None


def read_pack_check(pack: Pack, typed_text: str, sheet: Sheet) -> CheckSpec:
    """Read what follows `/check` for the acting character, whose numbers, tags and name are on `sheet`.

    Raises InputError saying what was not understood and what would be.
    """
    if len(typed_text) > generic.MAX_LENGTH:
        raise _check_error(
            f"A check has at most {generic.MAX_LENGTH:,} characters; this has {len(typed_text):,}."
        )
    head, *clauses = split_outside_quotes(typed_text, ";")
    own_effects = generic.read_check(";".join(("even", *clauses)), {}).effects
    query = _parse_query(pack, plain_line(head), sheet)
    if query is None:
        return replace(_read_generic_check(pack, plain_line(head), sheet), effects=own_effects)
    return _build_spec(pack, query, sheet, own_effects)


def read_pack_move(pack: Pack, typed_text: str, sheet: Sheet) -> CheckSpec:
    """Read what follows `/move`: a check that begins with a move of the pack. Raises InputError."""
    head = plain_line(split_outside_quotes(typed_text, ";")[0])
    name, _ = _split_name(pack, head, sheet)
    moves = [spoken_key(move.key) for move in pack.moves]
    if name is None or spoken_key(name) not in moves:
        moves_help = f"There is: {', '.join(moves)}." if moves else "It has none; /check rolls its numbers."
        raise _check_error(
            f"{pack.name} has no move called {head[:60]!r}.", did_you_mean(head, moves) or moves_help
        )
    return read_pack_check(pack, typed_text, sheet)


def list_moves(pack: Pack, sheet: Sheet) -> tuple[str, ...]:
    """Ask which move, and list those of a pack: name, the number that is rolled with, what it is for."""
    numbers = numbers_of(pack, sheet)

    def describe_move(move: PackMove) -> str:
        number_words = f" ({number_label(move.number)} {numbers[move.number]})" if move.number else ""
        return f"{spoken_key(move.key)}{number_words}: {move.meaning}"

    moves = pack.moves
    return (
        (f"Which move? As in: /move {spoken_key(moves[0].key)}", *map(describe_move, moves)) if moves else ()
    )


def list_check_options(pack: Pack, sheet: Sheet) -> tuple[str, ...]:
    """Ask what a check is for, and list what it may begin with: the numbers that count, then the moves."""
    numbers = {number_label(key): value for key, value in numbers_of(pack, sheet).items()}
    moves = [spoken_key(move.key) for move in pack.moves]
    examples = " or ".join(f"/check {name}" for name in (*list(numbers)[:1], *moves[:1]))
    listed_numbers = ", ".join(f"{name} {value}" for name, value in numbers.items())
    return (
        f"Roll for what? As in: {examples}",
        *(
            f"{head}: {names}"
            for head, names in (("Numbers", listed_numbers), ("Moves", ", ".join(moves)))
            if names
        ),
    )


def _parse_query(pack: Pack, check_words: str, sheet: Sheet) -> _PackCheckQuery | None:
    """Return the parts of what was typed; None if it is no check of this pack."""
    name, rest = _split_name(pack, check_words, sheet)
    modifier_matches = []
    while match := _MODIFIER_AT_END.fullmatch(rest):
        modifier_matches.append(match)
        rest = match["rest"].strip()
    if name and (versus := _VERSUS_NO_NUMBER.fullmatch(rest)):
        raise _check_error(f"After vs comes the number to reach, not {versus['words'] or ''!r}.")
    is_bare_number = rest.isdecimal() and len(rest) < 8  # might 14
    is_dice = rest.startswith(("+", "-", "*", "/")) if name else bool(rest) and not is_bare_number
    if is_dice:
        return None
    query = _PackCheckQuery(move=next((m for m in pack.moves if m.key == name), None))
    query.number = query.move.number if query.move else name
    query.target_name = "" if is_bare_number else rest.strip('@" ')
    for match in modifier_matches:
        _add_modifier(query, match)
    if is_bare_number and query.vs is not None:
        raise _repetition_error(rest)
    query.vs = int(rest) if is_bare_number else query.vs
    is_plain_luck = name is None and query.odds is not None and pack.check.odds is None
    return None if is_plain_luck else query


def _split_name(pack: Pack, check_words: str, sheet: Sheet) -> tuple[str | None, str]:
    """Split off the move or number that the words begin with, in the pack's spelling."""
    own_keys = (*numbers_of(pack, sheet), *(move.key for move in pack.moves))
    names = {spoken_key(key): key for key in own_keys}
    words = check_words.split()
    for count in range(min(len(words), _NAME_WORDS), 0, -1):
        if key := names.get(spoken_key(" ".join(words[:count]))):
            return key, " ".join(words[count:])
    signed_name = _NAME_WITH_SIGN.fullmatch(check_words)  # might+1
    if signed_name and (key := names.get(spoken_key(signed_name["name"]))):
        return key, signed_name["rest"]
    return None, check_words


def _add_modifier(query: _PackCheckQuery, match: re.Match[str]) -> None:
    """Set one modifier of the check. Raises InputError if it is set already."""
    kind, word = next((k, v) for k, v in match.groupdict().items() if k != "rest" and v is not None)
    if getattr(query, kind) is not None:
        raise _repetition_error(match[0].removeprefix(match["rest"]).strip())
    value = (
        word if kind in ("adv", "dis") else Odds(word.casefold()) if kind == "odds" else _read_number(word)
    )
    setattr(query, kind, value)


def _read_generic_check(pack: Pack, check_words: str, sheet: Sheet) -> CheckSpec:
    """Read the generic check. Raises InputError that lists the pack's names, if it is none either."""
    numbers = numbers_of(pack, sheet)
    try:
        return generic.read_check(check_words, numbers)
    except InputError:
        if not check_words[:1].isalpha() or _HAS_DICE.match(check_words):
            raise
    pack_names = [spoken_key(key) for key in (*(move.key for move in pack.moves), *numbers)]
    raise _check_error(
        f"{pack.name} has no move or number called {check_words[:60]!r}.",
        did_you_mean(check_words, pack_names) or f"There is: {', '.join(pack_names)}.",
    )


# --- from pack and sheet to a check -----------------------------------------------------------------


def _build_spec(
    pack: Pack, query: _PackCheckQuery, sheet: Sheet, own_effects: Mapping[Degree, tuple[Effect, ...]]
) -> CheckSpec:
    check_terms = pack.terms_of(query.move)
    numbers = whole_numbers(numbers_of(pack, sheet))
    if query.number is not None and query.number not in numbers:
        raise _check_error(f"{query.number} is no number that can be rolled with.")
    numbers[NUMBER_PLACEHOLDER] = numbers[query.number] if query.number is not None else 0
    tags = [tag for tag in tags_of(pack, sheet) if tag.modifier]
    modifier = (query.modifier or 0) + sum(tag.modifier for tag in tags)
    outcomes = dict(check_terms.outcomes())
    spec = CheckSpec(
        rule=_rule_text(pack, query, [f"{tag.key} {tag.modifier:+d}" for tag in tags]),
        effects={
            **{
                d: read_effects(o.effects, numbers, actor=sheet.name, target=query.target_name)
                for d, o in outcomes.items()
            },
            **own_effects,
        },
        partial_within=0,
        says={d: read_words(o.says, actor=sheet.name, target=query.target_name) for d, o in outcomes.items()},
    )
    return (
        _spec_by_odds(spec, check_terms, query, modifier)
        if check_terms.odds
        else _spec_by_dice(spec, check_terms, query, modifier, numbers)
    )


def _spec_by_odds(
    spec: CheckSpec, check_terms: CheckTerms, query: _PackCheckQuery, modifier: int
) -> CheckSpec:
    """Return the check by odds; each +1 or -1 moves them a step up or down."""
    if query.vs is not None or query.adv or query.dis:
        raise _check_error(
            "This is a check by odds: it has no dice to change and no number to reach.", "Try likely or +1."
        )
    odds_step = _ODDS_STEPS.index(query.odds or check_terms.odds or Odds.EVEN) + modifier
    odds = _ODDS_STEPS[max(0, min(odds_step, len(_ODDS_STEPS) - 1))]
    return replace(spec, rule=f"{spec.rule}, {odds} odds", odds=odds)


def _spec_by_dice(
    spec: CheckSpec,
    check_terms: CheckTerms,
    query: _PackCheckQuery,
    modifier: int,
    numbers: Mapping[str, int],
) -> CheckSpec:
    if query.odds is not None:
        raise _check_error(
            f"This check is rolled with dice, not by odds that are {query.odds}.", "Try +1 or -1."
        )
    target = query.vs if query.vs is not None else read_number(check_terms.vs or "", numbers)
    low_wins = check_terms.wins == "low"
    extra_rules = [f"partial within {check_terms.partial_within}"] if check_terms.partial_within else []
    return replace(
        spec,
        rule=", ".join((f"{spec.rule} vs {target}", *extra_rules, *(["low wins"] if low_wins else []))),
        formula=_add_to_formula(
            read_formula(_choose_dice(check_terms, query), numbers), -modifier if low_wins else modifier
        ),
        target=target,
        partial_within=check_terms.partial_within or 0,
        low_wins=low_wins,
    )


def _choose_dice(check_terms: CheckTerms, query: _PackCheckQuery) -> str:
    """Return the dice to roll; advantage and disadvantage together cancel out."""
    field_name = "dice"
    if bool(query.adv) is not bool(query.dis):
        field_name = "advantage" if query.adv else "disadvantage"
    dice: str | None = getattr(check_terms, field_name)
    if dice is None:
        raise _check_error(f"This check knows no {field_name}.", "Try +1 or -1.")
    return dice


def _add_to_formula(formula: Formula, modifier: int) -> Formula:
    if modifier == 0:
        return formula
    sign: Literal["+", "-"] = "+" if modifier > 0 else "-"

    def add(node: Node) -> Node:
        if isinstance(
            node, Beats
        ):  # what beats the challenge dice is what is modified, not how many it beats
            return replace(node, action=add(node.action))
        return BinaryOperation(sign, node, Constant(abs(modifier)), 0)

    return replace(formula, root=add(formula.root))


def _rule_text(pack: Pack, query: _PackCheckQuery, tags: Iterable[str]) -> str:
    """Return the rule and all that went into it: `Hard Twenty: strike with might, hurt -1, +2, advantage`."""
    move = query.move.key if query.move else "check"
    number = f" with {spoken_key(query.number)}" if query.number else ""
    modifier_words = [f"{query.modifier:+d}"] if query.modifier else []
    advantage_words = [
        word for word, is_set in (("advantage", query.adv), ("disadvantage", query.dis)) if is_set
    ]
    return ", ".join((f"{pack.name}: {spoken_key(move)}{number}", *tags, *modifier_words, *advantage_words))


def _repetition_error(word: str) -> InputError:
    return _check_error(f"{word!r} sets something that is set already.")


def _read_number(word: str) -> int:
    return int(word.replace(" ", ""))


def _check_error(what: str, todo: str = "") -> InputError:
    return InputError(what, kept="Nothing was rolled.", todo=todo or f"Try {_EXAMPLES}.")
