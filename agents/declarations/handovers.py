"""Reads where the hero leaves a thing, or to whom: `I leave the glass bell with Vess.` Pure.

Each is put as the sentence that is true afterwards, `Vess has the glass bell`, which is read as any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from agents.declarations.lasting_facts import LastingFact, Statement
from agents.prose.speech import strip_speech
from agents.prose.words import split_sentences
from stores.records.world import ACTORS, Entity, EntityKind

_DET: Final = r"(?:the|my|this|that|our|a|an|his|her|their) "
_THING: Final = rf"{_DET}(?P<thing>[\w'’-]+(?: [\w'’-]+){{0,4}}?)"
_NAME: Final = r"[\w'’-]+(?: [\w'’-]+){0,4}?"
_END: Final = r"(?:, .*| and (?:then|I) .*)?"
_TO_SOMEBODY: Final = (
    rf"(?:leave|left|entrust|entrusted) {_THING} (?:with|to) (?P<who>{_NAME})",
    rf"(?:give|gave|hand|handed|pass|passed|lend|lent|return|returned|sell|sold)(?: back)? {_THING}(?: back| over)?"
    rf" to (?P<who>{_NAME})",
    rf"(?:give|gave|hand|handed|pass|passed|lend|lent) (?P<who>{_NAME})(?: back)? {_THING}(?: back)?",
)
_TO_HERO: Final = (rf"(?:take|took|get|got) {_THING} (?:back )?from {_NAME}",)
_TO_PLACE: Final = (
    rf"(?:leave|left|drop|dropped|put|hide|hid|place|placed|lay|laid) {_THING} (?:down )?(?P<where>in|at|inside) "
    rf"(?P<place>{_DET}?{_NAME})",
)
_HERE: Final = (
    rf"(?:leave|left) {_THING} (?:behind|here)",
    rf"(?:drop|dropped) {_THING}",
    rf"(?:put|lay|laid) {_THING} down",
)


def find_handovers(text: str, hero_name: str, place_name: str) -> list[Statement]:
    """Return what is true after the hero handed over, left or took back a thing; empty names are not known."""
    return [
        Statement(sentence_after, sentence.strip(" .!"))
        for sentence in split_sentences(strip_speech(text))
        for sentence_after in _sentences_after(sentence.strip(" .!"), hero_name, place_name)
    ]


def _sentences_after(sentence: str, hero_name: str, place_name: str) -> Iterator[str]:
    """Yield the one sentence that is true after it, if it says so."""
    if match := _match(_TO_SOMEBODY, sentence):
        yield f"{match['who']} has the {match['thing']}"
    elif (match := _match(_TO_HERO, sentence)) and hero_name:
        yield f"{hero_name} has the {match['thing']}"
    elif match := _match(_TO_PLACE, sentence):
        yield f"The {match['thing']} is {'at' if match['where'] == 'at' else 'in'} {match['place']}"
    elif (match := _match(_HERE, sentence)) and place_name:
        yield f"The {match['thing']} is in {place_name}"


def _match(patterns: Sequence[str], sentence: str) -> re.Match[str] | None:
    matches = (re.fullmatch(rf"I (?:now |then )?{pattern}{_END}", sentence) for pattern in patterns)
    return next(filter(None, matches), None)


def is_of_thing(lasting_fact: LastingFact, entities: Sequence[Entity]) -> bool:
    """Return whether a fact is about one thing, and somebody or a place: `I leave the Tower with Vess` is not."""
    kinds = {entity.id: entity.kind for entity in entities}
    fact_kinds = [kinds.get(involvement.entity_id) for involvement in lasting_fact.fact.involves]
    others = [kind for kind in fact_kinds if kind is not EntityKind.OBJECT]
    is_end = all(kind in ACTORS or kind is EntityKind.PLACE for kind in others)
    return len(fact_kinds) - len(others) == 1 and len(others) == 1 and is_end
