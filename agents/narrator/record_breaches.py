"""Prose against the record's own words: rules of the world that forbid, and matters that are settled.

Pure, and slow to accuse: a sentence counts only if it has all that matters of a rule's words, or plainly
tells of a debt that was paid as of one that is owed. What says it otherwise is left to the Critic and the GM.
Source: design/loops.md, node `critique`; design/authority.md, "Contradictions".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from agents.prose.speech import strip_speech
from agents.prose.words import split_sentences, stem

MIN_RULE_WORDS: Final = 3
"""Words that a rule must have beside its `never`: two may well stand together by chance."""
MIN_SHARED_WORDS: Final = 2
"""Words that a sentence must have of a settled matter, beside who it is about."""

_FORBIDS = re.compile(
    r"\b(?:no|not|never|nobody|nothing|none|no one|cannot|neither)\b|n['’]t\b", re.IGNORECASE
)
_HEDGED = re.compile(
    r"\b(?:no|not|never|nobody|nothing|none|no one|cannot|neither|without|if|would|could|might|may|"
    r"as if|as though|almost|nearly|tries|try|try to|trying|tried|stops?|refuses?|until|before|"
    r"rather than|instead of|stories|story|tale|song|dream\w*|legend|say that|says that|rule)\b|n['’]t\b|\?",
    re.IGNORECASE,
)
_OUTSTANDING = re.compile(
    r"\b(?:still (?:owe|owes|owing|owed|waiting|wait|waits|open|unpaid)|(?:have|has) yet to|"
    r"never (?:paid|brought|kept|gave|returned)|(?:have|has) not (?:paid|brought|kept|given|returned)|"
    r"(?:haven|hasn)['’]t (?:paid|brought|kept|given|returned)|(?:you|he|she|they) owes? me|owed still)\b",
    re.IGNORECASE,
)
_STOP_WORDS: Final = frozenset(
    {
        *(
            "the",
            "and",
            "for",
            "from",
            "with",
            "that",
            "this",
            "its",
            "are",
            "was",
            "were",
            "been",
            "will",
            "can",
        ),
        *("may", "must", "any", "one", "who", "whom", "which", "what", "she", "they", "his", "her", "their"),
        *("them", "you", "your", "our", "ever", "again", "has", "have", "had", "does", "did"),
    }
)


def find_rule_breaches(text: str, rules: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield rules that forbid, each with the sentence that does what it forbids."""
    narrated_sentences = split_sentences(strip_speech(text))
    for rule in rules:
        if _FORBIDS.search(rule) is None:
            continue
        rule_stems = _stems(_FORBIDS.sub(" ", rule))
        if len(rule_stems) < MIN_RULE_WORDS:
            continue
        for sentence in narrated_sentences:
            if _has_all_stems(sentence, rule_stems):
                yield rule, sentence
                break


def _has_all_stems(sentence: str, required_stems: set[str]) -> bool:
    """Say whether a sentence has all these words, and nothing up to the last of them that takes it back."""
    word_ends = {stem(m[0].casefold()): m.end() for m in reversed(list(re.finditer(r"[^\W\d_]+", sentence)))}
    return required_stems <= word_ends.keys() and not _HEDGED.search(
        sentence[: max(word_ends[word] for word in required_stems)]
    )


def find_reopened_matters(
    text: str, settled_matters: Iterable[tuple[str, frozenset[str]]]
) -> Iterator[tuple[str, str]]:
    """Yield settled matters, each with the sentence that tells of it as of one that is open. `settled` are
    statements, each with the names of whom it is about."""
    owed_sentences = [
        (sentence, _stems(sentence)) for sentence in split_sentences(text) if _OUTSTANDING.search(sentence)
    ]
    for statement, names in settled_matters:
        name_stems = {part for name in names for part in _stems(name)}
        matter_stems = _stems(statement) - name_stems - _VERBS
        for sentence, stems in owed_sentences:
            if len(matter_stems & stems) >= min(MIN_SHARED_WORDS, len(matter_stems)) and matter_stems:
                yield statement, sentence
                break


def _stems(text: str) -> set[str]:
    words = re.findall(r"[^\W\d_]+", text.casefold())
    return {stem(word) for word in words if word not in _STOP_WORDS and len(word) > 2}


_VERBS: Final = frozenset(map(stem, ("promised", "promise", "owes", "owe", "swore", "bring", "back", "pay")))
