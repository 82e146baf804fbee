"""Finds who does in a story what the state they are in denies them: the blind who read. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from agents.canon_keeper.sentences.reader import read_statement
from agents.canon_keeper.sentences.tokens import build_name_book
from agents.canon_keeper.sentences.word_lists import load_word_lists
from agents.proposals.statements import as_sentence
from agents.prose.speech import SINGLE_QUOTED, strip_speech
from agents.prose.words import split_sentences
from stores.records.ids import Id
from stores.records.world import Entity

MAX_SENTENCES: Final = 40
"""Sentences of one text that are read."""
_UNREAL: Final = re.compile(
    r"[?¶]|\b(?:if|would|could|might|dream|dreams|dreamt|remember|remembers|once|had)\b", re.IGNORECASE
)
_PAST_FORMS: Final = {"see": "saw", "hear": "heard", "speak": "spoke", "sing": "sang", "ring": "rang", "ride": "rode",
                      "run": "ran", "write": "wrote", "tell": "told", "drink": "drank", "die": "dying"}  # fmt: skip


class Deed(NamedTuple):
    """Who does what, as a relation of claims: `verb:read`."""

    who_id: Id
    relation: str


def find_deniable_deeds(text: str, people: Sequence[Entity]) -> list[Deed]:
    """Return what people do in a text that some state denies: what the blind, the deaf or the mute do not do."""
    if not _deniable_pattern().search(text) or SINGLE_QUOTED.search(text):
        return []
    deeds: list[Deed] = []
    names, relations, ids = build_name_book(people), _deniable_relations(), {entity.id for entity in people}
    for sentence in split_sentences(strip_speech(text))[:MAX_SENTENCES]:
        if _UNREAL.search(sentence) or not _deniable_pattern().search(sentence):
            continue
        deeds += (
            Deed(claim.subject.entity, claim.relation)
            for claim in read_statement(as_sentence(sentence), names).claims
            if claim.relation in relations
            and claim.is_affirmed
            and not claim.is_ability
            and claim.object is not None
            and claim.subject.entity in ids
        )
    return list(dict.fromkeys(deeds))


def denies_deed(statement: str, deed: Deed, people: Sequence[Entity]) -> bool:
    """Say whether a statement puts somebody into a state in which they do not do a thing: `The Reeve is blind`."""
    claims = read_statement(statement, build_name_book(people)).claims
    is_state = any(c.relation.startswith("state:") and c.subject.entity == deed.who_id for c in claims)
    return is_state and any(
        c.relation == deed.relation
        and c.subject.entity == deed.who_id
        and not c.is_affirmed
        and c.object is None
        and not c.when
        for c in claims
    )


@lru_cache(maxsize=1)
def _deniable_verbs() -> frozenset[str]:
    return frozenset(verb for verbs in load_word_lists().states_deny.values() for verb in verbs)


@lru_cache(maxsize=1)
def _deniable_relations() -> frozenset[str]:
    return frozenset(f"verb:{verb}" for verb in _deniable_verbs())


@lru_cache(maxsize=1)
def _deniable_pattern() -> re.Pattern[str]:
    """Match any form of the verbs, so that most texts are not read."""
    forms: Iterable[str] = (
        form for verb in _deniable_verbs() for form in (verb, _PAST_FORMS.get(verb, verb), verb.rstrip("e"))
    )
    return re.compile(rf"\b(?:{'|'.join(sorted(set(forms), reverse=True))})\w{{0,3}}\b", re.IGNORECASE)
