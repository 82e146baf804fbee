"""Tells a name from a word that only begins a sentence: `Greta smiles`, `Night comes`. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.prose.names import NameSpan
from agents.prose.verb_forms import PAST_VERB
from stores.records.world import fold_name

_BEGINS_SENTENCE: Final = re.compile(r"(?:^|[.!?…:;“”\"»*\n])\s*$")
_NO_PEOPLE_WORDS: Final = (
    "night dawn dusk day morning evening noon midnight winter spring summer autumn rain snow hail wind thunder "
    "lightning fog mist smoke fire water sunlight moonlight starlight light darkness silence death fate fortune luck "
    "time blood dust ash steel sand cold heat pain fear grief anger hope sleep steam music laughter word help news "
    "evil magic panic chaos dinner supper breakfast lunch tea"
)
NO_PEOPLE: Final = frozenset(_NO_PEOPLE_WORDS.split())
"""What comes, goes, whispers and answers at the beginning of a sentence, and is nobody."""


def begins_sentence(text: str, start: int) -> bool:
    """Say whether what stands at a place of a text begins a sentence."""
    return _BEGINS_SENTENCE.search(text, 0, start) is not None


def is_surely_name(name: str, spans: Sequence[NameSpan], text: str) -> bool:
    """Say whether a name of some `spans` has several words, stands within a sentence, or is who does something."""
    return (
        " " in name
        or any(s.name == name and not begins_sentence(text, s.start) for s in spans)
        or _acts_alone(name, text)
    )


def _acts_alone(name: str, text: str) -> bool:
    """Say whether a word that only begins sentences is somebody who does something: not `Night comes`."""
    if fold_name(name) in NO_PEOPLE:
        return False
    verbs: Sequence[str] = re.findall(rf"\b{re.escape(name)}\s+(?:[a-z]+ly\s+)?([a-z]+)", text)
    # `Tam and Ume are enemies`
    is_in_pair = re.search(rf"\b{re.escape(name)}\s+and\s+[^\W\d_a-z]", text) is not None
    return is_in_pair or any(verb.endswith("s") or PAST_VERB.match(verb) for verb in verbs)
