"""Recognizes questions that a decision of the player's answers: `Do we kill?`, `May I lie to the queen?`. Pure."""

from __future__ import annotations

import re
from typing import Final

from agents.resolver.phrasings import word_set
from agents.search.normal_words import has_word_like, normalize_word, word_forms
from agents.search.question import RecordQuestion

_ASKS_WHAT_IS_DONE: Final = re.compile(
    r"(?:and |but |so |then )?(?:do|may|might|can|could|must|should|shall|will|would|ought) (?:we|i)\b"
    r"(?! (?:still |ever |also |even |really )?(?:have|know|own|owe|need|see|hear|remember|recogni[sz]e|carry|mean|"
    r"find|look|live|seem|get)\b)",
    re.IGNORECASE,
)
"""What we do, or may do: not what we have, know or see."""
_ASKS_WHAT_IS_ALLOWED: Final = re.compile(
    r"\b(?:are|am|were|was) (?:we|i) (?:still |ever |even |really )?"
    r"(?:allowed|permitted|forbidden|free|supposed|bound|sworn|willing|going)\b"
    r"|^(?:is|was) (?:it|this|that|\w+ing)\b.* (?:allowed|permitted|forbidden|off limits)\b",
    re.IGNORECASE,
)
_ASKS_WHAT_WAS_DECIDED: Final = re.compile(
    r"\b(?:did|have|had|has) (?:we|i) (?:ever |already |not |never )?"
    r"(?:decided?|agreed?|resolved?|sworn?|swear|vow(?:ed)?|settled?|choose|chosen|ruled?)\b"
    r"|\b(?:our|my|the|any|which) (?:decisions?|rules?)\b",
    re.IGNORECASE,
)
_ASKS_WHICH_DECISIONS: Final = re.compile(
    r"\b(?:what|which) (?:decisions?|rules?|resolutions?|vows?) (?:(?:do|did|have|had|has) )?(?:we|i)\b",
    re.IGNORECASE,
)
_MAKING_WORDS: Final = frozenset(
    map(normalize_word, word_set("make made take took taken set have had keep kept"))
)
"""What is done with a decision: `What decisions have I made?`."""
_ASKING_WORDS: Final = frozenset(
    map(
        normalize_word,
        word_set(
            "decide decided decision decisions agree agreed resolve resolved swear swore sworn vow vowed settle "
            "settled choose chosen rule rules ruled allow allowed permit permitted forbid forbidden free suppose "
            "supposed bound willing going limits ought ever already still even resolution resolutions vows"
        ),
    )
)
"""Words that ask for a decision and are no part of what it is about."""


def asks_about_decision(question: RecordQuestion) -> bool:
    """Say whether a question asks what the player does, may do or has decided."""
    text = question.text.strip()
    return bool(
        _ASKS_WHAT_IS_DONE.match(text)
        or _ASKS_WHAT_IS_ALLOWED.search(text)
        or _ASKS_WHAT_WAS_DECIDED.search(text)
        or _ASKS_WHICH_DECISIONS.search(text)
    )


def is_answered_by_decision(question: RecordQuestion, decision: str) -> bool:
    """Say whether a decision answers a question that asks for one: it is on the same matter.

    A question without a matter of its own (`What did we decide?`) is answered by each, one that only names somebody
    by those that name them.
    """
    decision_forms = word_forms(decision)
    matter_words = question.content_words - _ASKING_WORDS
    if _ASKS_WHICH_DECISIONS.search(question.text):
        matter_words -= _MAKING_WORDS
    if matter_words:
        return any(has_word_like(word, decision_forms) for word in matter_words)
    return not question.names or any(name.normalized_words & decision_forms for name in question.names)
