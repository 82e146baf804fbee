"""Finds the things that somebody uses in a text: nobody reads the letter that is burnt. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final

from agents.canon_keeper.sentences.tokens import NameBook, build_name_book, read_tokens
from agents.prose.clauses import UNREAL
from agents.prose.frames import find_framed_sentences
from agents.prose.speech import SINGLE_QUOTED, strip_speech
from agents.prose.words import split_sentences
from stores.records.ids import Id
from stores.records.world import Entity, EntityKind

_VERBS: Final = (
    "read open close take give hand wear sell steal burn destroy smash hold hide play drink eat draw use "
    "lift show grab seize drop put lay raise pocket lose throw ring unfold carry"
)
_VERBS_OF_VEHICLES: Final = "sail row ride drive board steer moor launch paddle pilot"


def _list_forms(verbs: str) -> frozenset[str]:
    return frozenset(
        form for verb in verbs.split() for form in (verb, "carries" if verb == "carry" else f"{verb}s")
    )


_USES_OF_VEHICLES: Final = _list_forms(_VERBS_OF_VEHICLES)
"""What is done to a vehicle, which may be known as a place: `sail the skiff`."""
_USES: Final = _list_forms(_VERBS) | _USES_OF_VEHICLES
"""What is told as it happens; in the past it may have been before."""
_BETWEEN: Final = frozenset(
    ["the", "my", "his", "her", "their", "our", "up", "out", "back", "down", "me", "him", "them"]
)


def may_use_things(text: str) -> bool:
    """Say whether a text has a verb of using things, so that it is worth while to look names up."""
    return not _USES.isdisjoint(text.split())


def find_used_things(text: str, entities: Sequence[Entity]) -> list[Id]:
    """Return the things, each once, to which a text has somebody do now what can only be done to a thing that is."""
    if SINGLE_QUOTED.search(text):
        return []
    told_text = strip_speech(text)
    framed = find_framed_sentences(told_text)
    names = build_name_book(entities)
    uses = {
        entity.id: _USES if entity.kind is EntityKind.OBJECT else _USES_OF_VEHICLES
        for entity in entities
        if entity.kind in (EntityKind.OBJECT, EntityKind.PLACE)
    }
    used = [
        thing_id
        for position, sentence in enumerate(split_sentences(told_text))
        if position not in framed and not UNREAL.search(sentence) and not sentence.rstrip().endswith("?")
        for thing_id in _find_used_in(sentence, names, uses)
    ]
    return list(dict.fromkeys(used))


def _find_used_in(sentence: str, names: NameBook, uses: Mapping[Id, Set[str]]) -> Iterator[Id]:
    tokens = read_tokens(sentence, names.restricted_to(sentence))
    for position, token in enumerate(tokens):
        if token.entity not in uses:
            continue
        before = position - 1
        while before >= 0 and (tokens[before].word in _BETWEEN or tokens[before].is_person):
            before -= 1
        if before >= 0 and tokens[before].word in uses[token.entity]:
            yield token.entity
