"""Reads of which kind something is, of kinds of which none is another: a dagger is no spear, an elf no dwarf."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition, value_proposition
from agents.canon_keeper.propositions.thing_values import value_of_thing
from agents.canon_keeper.sentences.noun_phrases import PREPOSITIONS
from agents.canon_keeper.sentences.word_lists import number_of

_KINDS: Final = {
    "weapon": "sword dagger spear bow mace whip crossbow pistol rifle shotgun sling club trident",
    "beast": "wolf bear horse dog cat fox lion tiger snake spider bat owl crow raven eagle rat pig goat cow sheep",
    "vessel": "warship ferry barge yacht submarine trawler tanker canoe rowboat freighter gunboat",
    "building": "prison hospital church school theatre brothel lighthouse brewery library barracks monastery",
    "heavenly body": "planet star comet asteroid",
    "people": "elf dwarf orc goblin gnome halfling kobold centaur",
    "stone": "ruby emerald sapphire diamond pearl opal topaz amethyst",
    "instrument": "fiddle flute lute harp drum trumpet piano organ violin",
    "land": "island peninsula continent",
    "realm": "republic kingdom empire",
}  # fmt: skip
_KIND_OF: Final = {noun: kind for kind, nouns in _KINDS.items() for noun in nouns.split()}
_FIGURES: Final = frozenset({"beast", "weapon", "stone", "heavenly body", "instrument"})
"""Kinds that are said of people as figures: `Wick is a rat`."""
_NO_KINDS: Final = frozenset(
    {"toy", "model", "paper", "stuffed", "former", "half", "old", "kind", "sort", "like", "not"}
)


def read_kinds(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Yield `Dawnblade is a dagger`: of which kind something is now."""
    if (
        clause.verb != "be"
        or clause.is_passive
        or base.time is not ClauseTime.NOW
        or base.is_change
        or base.when
    ):
        return
    rest = list(clause.rest)
    end = next(
        (n for n, t in enumerate(rest) if t.word in PREPOSITIONS | {",", "and", "who", "which"}), len(rest)
    )
    words = [t.word for t in rest[:end]]
    if len(words) < 2 or words[0] not in ("a", "an") or any(t.entity for t in rest[:end]):
        return
    if (rest[end : end + 1] and rest[end].word in ("of", "or", "to", "among", "like")) or _NO_KINDS & set(
        words
    ):
        return
    kind = _KIND_OF.get(words[-1], "")
    is_somebody = bool(clause.subject) and clause.subject[-1].is_person
    if not kind or (is_somebody and kind in _FIGURES) or number_of(words[-1]) is not None:
        return
    for proposition in value_of_thing(base, f"kind of {kind}", clause.subject):
        yield value_proposition(proposition, proposition.value_of, words=frozenset({words[-1]}))
