"""Says whether a turn answers a question: what was asked stands together in it, not somewhere in its length. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from agents.prose.names import HONORIFICS, find_names
from agents.prose.words import split_sentences
from agents.search.question import (
    ASKING_AUXILIARIES,
    MIN_WORD_SHARE,
    SAYING_WORDS,
    QuestionMatch,
    RecordQuestion,
    has_word_like,
    match_question,
    normalize_word,
    word_forms,
)

WINDOW_SENTENCES: Final = 2
"""Neighbouring sentences of a turn that are read together."""
CONTEXT_SENTENCES: Final = 2
"""Sentences before these, of the turn or of the one that it answers, which may say whom it is about."""
MAX_WORDS_OF_CONTEXT: Final = 60
"""A turn up to this long is context as a whole."""

_WORD: Final = re.compile(r"[^\W_]+")
_SUBJECT_PRONOUNS: Final = frozenset({"i", "we", "you", "he", "she", "they"})
_ARTICLES: Final = frozenset({"the", "a", "an"})
_WHO: Final = "who"
_ASKS_NUMBER: Final = re.compile(r"\bhow (?:many|much|old|tall|deep|far|long|high|big)\b", re.IGNORECASE)
_NUMBER: Final = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|\w+teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|(?:hundred|thousand|million|dozen)s?|half|once|twice|none)\b"
    r"|\ban? (?:minute|hour|day|night|week|month|year|penny|coin|couple|pair)\b",
    re.IGNORECASE,
)
_ASKS_NAME: Final = re.compile(
    r"^(?:what|which|who)\b.*\b(?:(?:sur|nick)?name|called|named|christened)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class TurnMatch:
    """How far a turn answers a question."""

    match: QuestionMatch
    """Of the whole turn."""
    is_answer: bool


def match_turn(question: RecordQuestion, text: str, speaker_name: str, previous_text: str) -> TurnMatch:
    """Match what a turn states; `speaker_name` is empty where it is not about who speaks.

    Two neighbouring sentences must say it: they have more than half of the question's words, among them what
    somebody is asked to have done, and a number or a name if it asks for one. Whom it is about may be said
    shortly before.
    """
    whole_match = match_question(question, f"{speaker_name} {text}")
    context = _last_sentences(previous_text)
    if not match_question(question, " ".join((*context, speaker_name, text))).is_match:
        return TurnMatch(whole_match, is_answer=False)
    deed, sentences = find_asked_deed(question), [*context, *split_sentences(text)]
    first = len(context)
    is_answer = any(
        _says_it(question, deed, f"{speaker_name} {' '.join(sentences[start : start + WINDOW_SENTENCES])}")
        and match_question(
            question,
            " ".join(
                (speaker_name, *sentences[max(0, start - CONTEXT_SENTENCES) : start + WINDOW_SENTENCES])
            ),
        ).is_match
        for start in range(first, max(first + 1, len(sentences) - WINDOW_SENTENCES + 1))
    )
    return TurnMatch(whole_match, is_answer)


def _says_it(question: RecordQuestion, deed: str, text: str) -> bool:
    """Say whether a text has enough of a question's own words, and what it asks for.

    Half of the words of a question stand in many turns; short statements of canon are held to half.
    """
    match = match_question(question, text)
    has_words = match.word_share > MIN_WORD_SHARE if question.content_words else match.name_share > 0
    has_deed = not deed or has_word_like(deed, word_forms(text))
    return has_words and has_deed and _has_what_is_asked(question, text)


def find_asked_deed(question: RecordQuestion) -> str:
    """Return what somebody is asked to have done: `sell` in `Why did Dame Astrid sell the house?`, in normal form.

    Empty if that is not plain, or if it is to speak: words are quoted without saying so.
    """
    words = [word.casefold() for word in _WORD.findall(question.text.replace("’", "'").replace("'s ", " "))]
    name_words = {word for name in question.names for word in name.normalized_words}
    is_subject_read = False
    for n, word in enumerate(words):
        normalized_word = normalize_word(word)
        is_subject = normalized_word in name_words or word in _SUBJECT_PRONOUNS
        if n == 0 and word == _WHO:
            is_subject_read = True
        elif not is_subject_read:
            is_subject_read = is_subject and _follows_auxiliary(words[:n], name_words)
        elif not is_subject and word not in ASKING_AUXILIARIES:
            is_deed = normalized_word in question.content_words and word not in SAYING_WORDS
            return normalized_word if is_deed else ""
    return ""


def _has_what_is_asked(question: RecordQuestion, text: str) -> bool:
    """Say whether a text has a number or a name that the question does not have, if it asks for one."""
    if _ASKS_NUMBER.search(question.text):
        return _NUMBER.search(text) is not None
    if _ASKS_NAME.match(question.text):
        asked_forms = word_forms(question.text)
        return any(not word_forms(name) <= asked_forms for name in find_names(text))
    return True


def _follows_auxiliary(words_before: list[str], name_words: set[str]) -> bool:
    """Say whether a subject after these words does what is asked: `did`, then nothing but its article and title."""
    other_words = [
        word
        for word in words_before
        if normalize_word(word) not in name_words and word not in _ARTICLES and word not in HONORIFICS
    ]
    return bool(other_words) and other_words[-1] in ASKING_AUXILIARIES


def _last_sentences(text: str) -> list[str]:
    return [text] if len(text.split()) <= MAX_WORDS_OF_CONTEXT else split_sentences(text)[-CONTEXT_SENTENCES:]
