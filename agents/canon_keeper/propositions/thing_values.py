"""Reads what a thing has one of, named or not: its owner, price, size, language, material, and number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition, value_proposition
from agents.canon_keeper.propositions.quantities import Quantity, quantity_at, unit_of
from agents.canon_keeper.sentences.noun_phrases import ARTICLES, POSSESSIVES, PREPOSITIONS
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.word_lists import load_word_lists, number_of, singular

_OWNING_VERBS: Final = frozenset({"own", "possess"})
_PRICES: Final = frozenset(
    ["price", "ransom", "reward", "fee", "toll", "fare", "bounty", "rent", "wage", "fine", "debt", "cost", "tax",
     "dowry"]
)  # fmt: skip
_DIMENSIONS: Final = {
    "high": "high", "tall": "high", "deep": "deep", "long": "long", "wide": "wide", "broad": "wide", "thick": "thick",
    "old": "old", "away": "away",
}  # fmt: skip
_MATERIAL_ADJECTIVES: Final = {
    "wooden": "wood", "golden": "gold", "woollen": "wool", "leaden": "lead", "waxen": "wax", "oaken": "oak",
    "brazen": "brass", "earthen": "clay",
}  # fmt: skip
_RESTING_VERBS: Final = frozenset(
    {"stand", "live", "sit", "wait", "work", "serve", "lie", "sleep", "dwell", "hang"}
)

_ON_AND_OFF: Final = {"on": "on", "off": "off", "out": "off"}
_UP_AND_DOWN: Final = {"up": "on", "down": "off"}
_UP_OR_DOWN: Final = frozenset(
    {"shield", "network", "grid", "system", "link", "barrier", "firewall", "comm", "server"}
)
_DEVICES: Final = frozenset(
    ["light", "lamp", "power", "electricity", "gas", "heating", "engine", "motor", "radio", "computer", "machine",
     "reactor", "generator", "alarm", "siren", "television", "tv", "phone", "screen", "camera", "torch", "fan", "oven",
     "beacon", "headlight", "streetlight", "microphone", "tracker", "autopilot", "gravity", "transponder", *_UP_OR_DOWN]
)  # fmt: skip
_FLOORS: Final = frozenset({"floor", "storey", "deck"})
_NAMED_FLOORS: Final = {
    "cellar": "cellar", "basement": "cellar", "vault": "cellar", "attic": "attic", "loft": "attic", "garret": "attic",
}  # fmt: skip
_MAKING_VERBS: Final = frozenset(
    ["make", "carve", "cut", "cast", "forge", "build", "hew", "sculpt", "mould", "weave", "shape", "craft", "fashion",
     "whittle", "hammer", "turn", "chisel"]
)  # fmt: skip
_IDLE_BEFORE_MATERIAL: Final = frozenset(
    ["of", "from", "in", "solid", "pure", "entirely", "good", "made", "plain", "simple", "cheap", "common", "fine",
     "polished", "a", "block", "single", "piece", "lump", "black", "white", "dark", "pale", "old", "all"]
)  # fmt: skip
_WRITINGS: Final = frozenset(
    ["entries", "text", "writing", "words", "inscription", "script", "pages", "letters", "lettering", "notes", "runes"]
)  # fmt: skip
"""What is written in or on a thing, so that its language is that of the thing."""
_IDLE_BEFORE_LANGUAGE: Final = frozenset({"plain", "good", "old", "perfect", "bad", "broken"})
_GUARDING_VERBS: Final = frozenset({"guard", "watch", "defend", "man", "protect"})


def read_thing_values(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Yield the values that an affirmed clause says a thing has now."""
    if base.is_ability or base.is_change:
        return
    yield from _materials(clause, base)
    if base.time is not ClauseTime.NOW:
        return
    yield from _debts(clause, base)
    yield from _owners(clause, base)
    yield from _prices(clause, base)
    yield from _sizes(clause, base)
    yield from _numbers_there(clause, base)
    yield from _floors(clause, base)
    yield from _needs(clause, base)
    yield from _switches(clause, base)
    yield from _languages(clause, base)


def value_of_thing(
    base: Proposition,
    attribute: str,
    phrase: Sequence[Token],
    value: str = "",
    quantity: Quantity | None = None,
) -> Iterator[Proposition]:
    """Yield a value of what a definite phrase means: of `the meeting with Stoker`; a phrase with `a` means any."""
    words = [t.word for t in phrase]
    names = frozenset(t.entity for t in phrase if t.entity)
    is_definite = words[:1] == ["the"] or "'s" in words or (bool(phrase) and bool(phrase[0].entity))
    if not is_definite or base.general or base.part:
        return
    nouns = sorted(
        singular(t.word)
        for t in phrase
        if not t.entity and t.word.isalpha() and t.word not in ARTICLES | POSSESSIVES
    )
    if names or nouns:
        yield value_proposition(
            base, attribute, doers=names, others=frozenset(), owners=frozenset(), thing=" ".join(nouns),
            quantity=quantity, words=frozenset({value}) - {""}, is_event=False,
        )  # fmt: skip


def count_of_parts(
    base: Proposition, noun: str, whole: Sequence[Token], quantity: Quantity
) -> Iterator[Proposition]:
    """Yield how many of some part a thing or place has, also of what is denied: none is a number."""
    for proposition in value_of_thing(base, f"parts {noun}", whole, quantity=quantity):
        yield value_proposition(
            proposition,
            proposition.value_of,
            is_affirmed=True,
            is_denial=False,
            words=frozenset(),
            is_event=False,
        )


def _owners(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read whose the one thing is that has no name: `The black mare belongs to Hob`, `is Vera's`."""
    rest = clause.rest
    words = [t.word for t in rest]
    if clause.verb == "belong" and words[:1] == ["to"] and len(rest) == 2:
        owner, owned = rest[1].entity, clause.subject
    elif clause.verb == "be" and len(rest) == 2 and rest[0].is_person and words[1] == "'s":
        owner, owned = rest[0].entity, clause.subject
    elif clause.verb in _OWNING_VERBS and len(clause.subject) == 1 and words[:1] == ["the"]:
        owner, owned = clause.subject[0].entity, rest
    else:
        return
    if owner and not any(t.entity for t in owned):
        yield from value_of_thing(base, "owner", owned, owner)


def _prices(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    words = [t.word for t in clause.rest]
    is_price = bool(clause.subject) and any(t.word in _PRICES for t in clause.subject)
    if not (is_price and clause.verb == "be") and clause.verb != "cost":
        return
    found = quantity_at(words, 0)
    if found is not None:
        quantity, end = found
        unit = singular(words[end]) if end < len(words) else ""
        yield from value_of_thing(base, "price", clause.subject, quantity=quantity._replace(unit=unit))


def read_price_paid(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read what was paid for a thing: `Ray paid ten pounds for the tape`, `The tape cost Ray ten pounds`."""
    if base.time is not ClauseTime.PAST or base.is_ability or base.when or base.general:
        return
    words = [t.word for t in clause.rest]
    if clause.verb == "cost":
        start, thing = (1 if clause.rest and clause.rest[0].is_person else 0), list(clause.subject)
    elif clause.verb in ("pay", "buy") and "for" in words and not clause.is_passive:
        at = words.index("for")
        start, thing = (
            (0, list(clause.rest[at + 1 :])) if clause.verb == "pay" else (at + 1, list(clause.rest[:at]))
        )
    else:
        return
    found = quantity_at(words, start)
    if found is None or any(t.word in PREPOSITIONS for t in thing):
        return
    quantity, end = found
    unit = singular(words[end]) if end < len(words) else ""
    if unit and (end + 1 == len(words) or words[end + 1] == "for"):
        yield from value_of_thing(base, "paid", thing, quantity=quantity._replace(unit=unit))


def _sizes(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read how high, deep or long something is that has no name; `numbers_said` reads it of names."""
    if clause.verb not in ("be", "measure", "stand") or len(base.doers) == 1:
        return
    words = [t.word for t in clause.rest]
    for index in range(min(len(words), 3)):
        found = quantity_at(words, index)
        if found is None and words[index] in ("a", "an"):
            found = Quantity(1, 1, ""), index + 1  # `a mile high`
        if found is None:
            continue
        quantity, end = found
        following = words[end : end + 2]
        if len(following) == 2 and (unit := unit_of(following[0])) and following[1] in _DIMENSIONS:
            unit = f"{unit} {_DIMENSIONS[following[1]]}"
            yield from value_of_thing(base, "size", clause.subject, quantity=quantity._replace(unit=unit))
        return


def _numbers_there(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read how many are somewhere: `Four guards stand at the gate`, `A single guard stands at the gate`."""
    words = [t.word for t in clause.subject]
    if clause.verb in _GUARDING_VERBS:
        yield from _guards(clause, base)
        return
    if clause.verb not in _RESTING_VERBS or clause.is_passive or len(words) not in (2, 3) or base.is_denial:
        return
    is_alone = words[0] in ("a", "one") and words[1] in ("single", "lone", "solitary")
    number = 1 if is_alone else number_of(words[0]) if len(words) == 2 else None
    rest = [t for t in clause.rest if t.word != "the"]
    if number is None or len(rest) < 2 or rest[0].word not in ("at", "in", "on", "before"):
        return
    place = " ".join(t.entity or t.word for t in rest)
    quantity = Quantity(number, number, "somebody", is_exact=True)
    yield value_proposition(
        base, "number there", doers=frozenset(t.entity for t in rest if t.entity), others=frozenset(),
        owners=frozenset(), thing=f"{singular(words[-1])} {clause.verb} {place}", quantity=quantity,
        words=frozenset(), when=base.when,
    )  # fmt: skip


def _guards(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read how many guard something: `Six men guard the gate`, `The gate is guarded by a lone sentry`."""
    words = [t.word for t in clause.rest]
    if clause.is_passive:
        guards, guarded = (words[1:] if words[:1] == ["by"] else []), list(clause.subject)
    else:
        guards, guarded = [t.word for t in clause.subject], list(clause.rest)
    is_alone = guards[:1] in (["a"], ["one"]) and guards[1:2] and guards[1] in ("single", "lone", "solitary")
    number = 1 if is_alone and len(guards) == 3 else number_of(guards[0]) if len(guards) == 2 else None
    if number is not None and not base.is_denial and not any(t.word in PREPOSITIONS for t in guarded):
        quantity = Quantity(number, number, "somebody", is_exact=True)
        yield from value_of_thing(base, "number there", guarded, quantity=quantity)


def _floors(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read on which floor somebody lives or something is: `Nora's office is on the third floor`."""
    if clause.verb not in ("be", "live", "work", "lie", "sleep") or clause.is_passive:
        return
    rest = [t for t in clause.rest if t.word not in ("the", "down", "up")]
    words = [t.word for t in rest]
    is_on_floor = len(words) > 2 and words[0] == "on" and words[2] in _FLOORS and words[1].isalpha()
    is_named = len(words) > 1 and words[0] in ("in", "under") and words[1] in _NAMED_FLOORS
    end = 3 if is_on_floor else 2
    is_whole = len(words) == end or (
        len(words) == end + 2 and words[end] in ("of", "in", "at") and rest[-1].entity
    )
    if not (is_on_floor or is_named) or not is_whole:
        return
    floor = words[1] if is_on_floor else _NAMED_FLOORS[words[1]]
    deck = "deck" if words[2:3] == ["deck"] else "floor"
    subject = list(clause.subject)
    names = [t for t in subject if t.entity]
    if len(names) > 1 and subject[-1].entity:
        at = -3 if subject[-2].word == "the" else -2
        if subject[at].word in ("in", "at"):
            subject = subject[:at]
        elif subject[-2].word == "'s":
            subject = subject[-1:]  # `the Astoria's Room Twelve`
    be = "be" if clause.verb in ("be", "lie") else clause.verb
    yield from value_of_thing(base, f"{deck} {be}", subject, floor)


def _switches(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read whether something is on or off: `The lights are off`, `The power is out`, `The shields are down`."""
    words = [t.word for t in clause.rest]
    if clause.verb != "be" or clause.is_passive or len(words) != 1 or not clause.subject:
        return
    noun = singular(clause.subject[-1].word)
    meaning = (_ON_AND_OFF.get(words[0], "") if noun in _DEVICES else "") or (
        _UP_AND_DOWN.get(words[0], "") if noun in _UP_OR_DOWN else ""
    )
    if meaning and not clause.subject[-1].is_person:
        yield from value_of_thing(base, "switch", clause.subject, meaning)


def _needs(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read how many of something a thing needs: `The ritual needs three people`."""
    words = [t.word for t in clause.rest]
    if (
        clause.verb not in ("need", "require")
        or clause.is_passive
        or (found := quantity_at(words, 0)) is None
    ):
        return
    quantity, end = found
    if len(words) == end + 1:
        unit = singular(words[end])
        yield from value_of_thing(
            base, f"needs {unit}", clause.subject, quantity=quantity._replace(unit=unit)
        )


def _languages(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read in which language something is written: `The ledger is written in Dwarvish`."""
    words = [t.word for t in clause.rest]
    is_written = clause.verb in ("write", "carve", "inscribe") and clause.is_passive
    thing = list(clause.subject)
    if not is_written and clause.verb == "be" and not clause.is_passive and words[:1] == ["in"]:
        thing = _thing_written(thing)
        is_written = bool(thing)
    language = [t for t in clause.rest[1:] if t.word not in _IDLE_BEFORE_LANGUAGE]
    if is_written and words[:1] == ["in"] and len(language) == 1 and language[0].text[:1].isupper():
        yield from value_of_thing(base, "written in", thing, language[0].word)


def _thing_written(subject: list[Token]) -> list[Token]:
    """Return what the writing is in that a subject means: the ledger of `the entries in the ledger`."""
    words = [t.word for t in subject]
    is_writing = (
        len(words) > 3 and words[0] == "the" and words[1] in _WRITINGS and words[2] in ("in", "of", "on")
    )
    return subject[3:] if is_writing else []


def _materials(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read of what a thing is made: `The gate of Castle Dorn is wooden`."""
    words = [t.word for t in clause.rest]
    is_made = clause.verb in _MAKING_VERBS and clause.is_passive and words[:1] in (["of"], ["from"], ["in"])
    is_made = is_made or (clause.verb == "be" and words[:2] == ["made", "of"])
    is_so_now = base.time is ClauseTime.NOW and clause.tag == "be"
    if not is_made and not is_so_now:
        return
    words = [w for w in words if w not in _IDLE_BEFORE_MATERIAL]
    if len(words) != 1:
        return
    material = _MATERIAL_ADJECTIVES.get(words[0], words[0])
    if material in load_word_lists().exclusive_groups["material"]:
        yield from value_of_thing(base, "material", clause.subject, material)


def _debts(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read how much somebody owes whom: `Mick owes Big Sal fifty dollars`, `Mick is fifty dollars in debt to Sal`."""
    rest = [t for t in clause.rest if t.word != "the"]
    words = [t.word for t in rest]
    debtors = base.doers & base.people
    if clause.verb == "owe" and not clause.is_passive and rest and rest[0].is_person:
        creditor, words = rest[0].entity, words[1:]
    elif rest and rest[-1].is_person and "to" in words[-2:] and (clause.verb == "owe" or "debt" in words):
        creditor = rest[-1].entity
        words = [w for w in words[:-2] if w not in ("in", "debt")]
    else:
        return
    found = quantity_at(words, 1 if words[:1] and words[0] in ("only", "exactly") else 0)
    if found is None or len(debtors) != 1 or base.is_denial:
        return
    quantity, end = found
    if len(words) == end + 1:
        yield value_proposition(
            base, "debt", doers=debtors, others=frozenset(), owners=frozenset(), thing=creditor, words=frozenset(),
            quantity=quantity._replace(unit=singular(words[end])), is_event=False,
        )  # fmt: skip
