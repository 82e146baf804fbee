"""Says whether a predicate shows whom it is said of to be in the scene, though it brings nobody in: `begs for water`.

What somebody is, has, wants, owes, did for good, or does on a journey says nothing of where they are.
"""

from __future__ import annotations

import re
from typing import Final

from agents.prose import cast_words as words
from agents.prose.verb_forms import PAST_VERB, past_form, present_forms

_ELSEWHERE_VERBS: Final = (
    "know want need love hate like fear own owe keep live work serve rule belong mean believe think hope wish "
    "trust distrust remember forget dream deserve seem appear plan intend hail come remain stay miss expect "
    "become die cost send write get travel head return arrive do have can be hear learn inherit steal kill "
    "murder poison rob betray marry burn forge buy sell found kidnap imprison prefer resemble understand doubt "
    "suspect envy admire respect worship study hold rest run build earn spend save lose win pay lead teach "
    "train collect claim swear let make use grow breed hunt fish bake brew trade deal born call name raise "
    "support haunt command govern guard manage visit meet find tell say ask promise will must may"
)


def _forms(verb: str) -> str:
    return f"{present_forms(verb)}|{past_form(verb)}|{verb.removesuffix('e')}ing"


_SAYS_NOT_WHERE: Final = re.compile(
    rf"(?:{'|'.join(map(_forms, _ELSEWHERE_VERBS.split()))}|is|are|am|was|were|has|does)\b"
)
_IS_DOING: Final = re.compile(r"(?:is|are|was|were)\s+(?:still\s+|\w+ly\s+)?(?=[a-z]+ing\b)")
_IS_NOW: Final = re.compile(
    r"(?:is|are|looks?|seems?)\s+(?:still\s+|very\s+|so\s+)?"
    r"(?:hungry|thirsty|cold|tired|exhausted|wet|soaked|awake|silent|quiet|pale|feverish|restless|hoarse|shivering|bound"
    r"|tied|gagged|breathless|in\s+tears|at\s+my\s+side|beside\s+@[HW]@|behind\s+@[HW]@|with\s+@[HW]@)\b"
)
"""How somebody is for the moment, as those see who are with them."""
_SOMEWHERE: Final = re.compile(
    r"\b(?:in|inside|at|outside|near|behind|beyond|under|on)\s+(?:the|an?|his|her|their|its)\b"
)
"""Words for a place: `is waiting at the mill`, `sits on the chapel step and polishes the hilt`."""
_DOES_NOW: Final = re.compile(r"[a-z]+s\b")
_DO_NOW: Final = re.compile(r"(?!(?:of|in|at|on|from|to|for|by|with|and|or|as|not|no|all|both)\b)[a-z]+\b")


def shows_here(predicate: str, sentence: str, *, is_plural: bool = False) -> bool:
    """Say whether a predicate tells what only those see who are there, now or in a story told in the past.

    Not if its sentence has words for a place, which may be another.
    """
    if _IS_NOW.match(predicate):
        return True
    if _SOMEWHERE.search(sentence):
        return False
    doing = _IS_DOING.match(predicate)
    verb = predicate[doing.end() :] if doing else predicate
    if _SAYS_NOT_WHERE.match(verb) or words.GOES.match(verb) or words.LEAVES.match(predicate):
        return False
    does_now = _DO_NOW if is_plural else _DOES_NOW
    return bool(doing or does_now.match(verb) or PAST_VERB.match(verb))
