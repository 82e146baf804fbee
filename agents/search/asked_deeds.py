"""Reads what somebody is asked to have done, and whether a text tells that they did it, not somebody else. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from typing import Final

from agents.prose.names import HONORIFICS
from agents.prose.words import split_sentences
from agents.resolver.phrasings import word_set
from agents.search.normal_words import LOCATION_WORDS, has_word_like, normalize_word, word_forms
from agents.search.question import ASKING_AUXILIARIES, SPEECH_WORDS, RecordQuestion

_WORD: Final = re.compile(r"[^\W_]+")
_OWNING_WORD: Final = re.compile(r"(?P<word>[^\W_]+)(?P<owns>['’]s?(?= ))?")
_ASKS_WHO_HAS: Final = re.compile(
    r"^(?:and |but |so )?who (?:now |still )?(?:has|have|had) "
    r"(?:(?:the|an?|my|our|your|his|her|their)\b|[^\W_]+['’]s? )",
    re.IGNORECASE,
)
"""Who has a thing is asked for, and nothing that is done with it."""
_SUBJECT_PRONOUNS: Final = frozenset({"i", "we", "you", "he", "she", "they"})
_ARTICLES: Final = frozenset({"the", "a", "an"})
_WHO: Final = "who"
_WHO_OR_WHAT: Final = frozenset({"who", "what"})
_PASSIVE_AUXILIARIES: Final = frozenset({"was", "were", "is", "are"})
_PASSIVES: Final = _PASSIVE_AUXILIARIES | {"be", "been", "being", "gets", "got"}
_ASKS_TO_WHOM: Final = re.compile(
    r"^(?:and |but |so )?who(?: all)?(?:['’]s| is| was| are| were| (?:has|have|had) been| got)\b",
    re.IGNORECASE,
)
"""Who was poisoned is asked, and not who did it."""
_SPEECH: Final = frozenset(map(normalize_word, SPEECH_WORDS))
_QUOTES: Final = re.compile(r"[“”\"]")
_ADVERBS: Final = word_set("ever never also already still really once not first last then just now")
_MEANS_TO: Final = word_set("want mean have need intend plan hope try ought going manage come get")
"""Verbs that another follows with `to`."""
_MOVES: Final = frozenset(
    map(normalize_word, word_set("go come run ride flee travel walk sail hide end stay sleep spend"))
)
"""What somebody did who then is somewhere: to a question where, their being there answers."""
_ASKS_WHERE: Final = re.compile(r"^(?:and |but |so )?where\b", re.IGNORECASE)
_TO_A_PLACE: Final = re.compile(
    r"\b(?:to|into|onto|towards?) (?:the|an?|my|our|your|his|her|their|its|[A-ZÀ-Þ][^\W_]+)\b"
)
_AFTER_INTRANSITIVE: Final = LOCATION_WORDS | word_set(
    "with for to from after when before while then afterwards since"
)
_THIRD_PERSON: Final = re.compile(r"\b(?:he|she|they|him|her|them|his|their)\b", re.IGNORECASE)
_PRESUPPOSES: Final = re.compile(
    r"^(?:and |but |so )?(?:when|where|why|how|who|whom|whose|what|which)\b", re.IGNORECASE
)
_DENIES: Final = re.compile(r"\b(?:no|not|never|nobody|nothing)\b|n['’]t\b", re.IGNORECASE)
_DENYING_WORDS: Final = frozenset({"no", "not", "never", "nobody", "nothing", "without"})
_OPENERS: Final = word_set("the a an and but so then i when after before as in on at if now there here")
_BEFORE_OTHERS: Final = word_set("in at on to of from with for by about under near and into onto over")
"""After these a name is not that of who does something."""
_TOKEN: Final = re.compile(r"[^\W_]+|[.,;:!?—“”\"]")
MIN_WORDS_TO_WHOM: Final = 4
"""Words that a question has at least that asks to whom somebody did something: `Who did Vess rob?`."""
_WORDS_BEFORE_DEED: Final = 4
_WORDS_AFTER_DENIAL: Final = 6
"""Words within which a denial is of a deed: `has not once in thirty years walked out`."""


@dataclass(frozen=True, slots=True)
class AskedDeed:
    """What somebody is asked to have done."""

    verb: str
    """In normal form."""
    subject_words: frozenset[str]
    """The words of the name of who did it, in normal form; empty where that is asked for, or said by a pronoun."""
    is_saying: bool
    """Whether it is to speak: words are quoted without saying so."""
    is_intransitive: bool = False
    """Whether nothing follows to which it is done: `Where did Dob hide with the book?`."""


def find_asked_deed(question: RecordQuestion) -> AskedDeed | None:
    """Return what somebody is asked to have done: to `sell` in `Why did Dame Astrid sell the house?`.

    None if that is not plain.
    """
    name_words = frozenset(word for name in question.names for word in name.normalized_words)
    return _read_deed(question.text, name_words, question.content_words)


@lru_cache(maxsize=64)
def _read_deed(
    question_text: str, name_words: frozenset[str], content_words: frozenset[str]
) -> AskedDeed | None:
    tokens = [(m["word"].casefold(), bool(m["owns"])) for m in _OWNING_WORD.finditer(question_text)]
    words = [word for word, _ in tokens]
    if _ASKS_WHO_HAS.match(question_text):
        return None
    subject_words: set[str] = set()
    is_subject_read = is_passive = False
    asks_to_whom = _asks_to_whom_it_is_done(words, name_words)
    for n, word in enumerate(words):
        normalized_word = normalize_word(word)
        is_subject = normalized_word in name_words or word in _SUBJECT_PRONOUNS
        if is_subject and tokens[n][1] and not is_subject_read:
            # Of `Where does Maddow's house stand?` the house is the subject.
            return None
        if n == 0 and word == _WHO:
            is_subject_read = not asks_to_whom
        elif not is_subject_read:
            is_subject_read = is_subject and _follows_auxiliary(words[:n], name_words)
            is_passive = is_subject_read and not _PASSIVE_AUXILIARIES.isdisjoint(words[:n])
            subject_words |= {normalized_word} if is_subject_read and normalized_word in name_words else set()
        elif is_subject and n and normalize_word(words[n - 1]) in subject_words:
            subject_words.add(normalized_word)
        elif word in _PASSIVE_AUXILIARIES and words[0] in _WHO_OR_WHAT and "by" in words[n:]:
            continue
        elif not is_subject and word not in ASKING_AUXILIARIES | _ADVERBS:
            if (word in _MEANS_TO and words[n + 1 : n + 2] == ["to"]) or (
                word == "to" and words[n - 1] in _MEANS_TO
            ):
                continue
            if normalized_word not in content_words and word not in SPEECH_WORDS:
                return None
            following = words[n + 1] if n + 1 < len(words) else ""
            if following == "by" and words[0] in _WHO_OR_WHAT and words[1] in _PASSIVE_AUXILIARIES:
                # `Who was robbed by Dob?`
                is_passive = False
                subject_words = {w for w in map(normalize_word, words[n + 2 :]) if w in name_words}
            return AskedDeed(
                normalized_word,
                frozenset() if is_passive else frozenset(subject_words),
                word in SPEECH_WORDS,
                is_intransitive=not following or following in _AFTER_INTRANSITIVE,
            )
    return None


def asks_where_by_deed(question: RecordQuestion, deed: AskedDeed) -> bool:
    """Say whether it is asked where somebody went, or the like: that they were somewhere answers it."""
    return deed.verb in _MOVES and deed.is_intransitive and _ASKS_WHERE.match(question.text) is not None


def asks_only_what_was_said(question: RecordQuestion) -> bool:
    """Say whether it asks what somebody told, and of no matter: `What did Vess tell me?`."""
    deed = find_asked_deed(question)
    return deed is not None and deed.is_saying and not question.content_words


def tells_deed(question: RecordQuestion, deed: AskedDeed, text: str) -> bool:
    """Say whether a text tells of the deed, and not only that somebody else did it, or that nobody did."""
    if asks_where_by_deed(question, deed):
        return not LOCATION_WORDS.isdisjoint(word_forms(text)) or _TO_A_PLACE.search(text) is not None
    # A thing's name is no deed: the Blue Letter does not say who wrote it.
    name_words = frozenset(word for name in question.names for word in name.normalized_words) - {deed.verb}
    forms = word_forms(text)
    if deed.is_saying and (_QUOTES.search(text) or not _SPEECH.isdisjoint(forms)):
        return True
    if not has_word_like(deed.verb, forms - name_words):
        return False
    presupposes = presupposes_deed(question)
    return any(
        not _is_of_another(question, deed, tokens, n) and not (presupposes and is_denied(tokens, n))
        for tokens in map(_TOKEN.findall, split_sentences(text))
        for n, token in enumerate(tokens)
        if has_word_like(deed.verb, {normalize_word(token.casefold())} - name_words)
    )


def presupposes_deed(question: RecordQuestion) -> bool:
    """Say whether a question takes for granted that it was done: `Who robbed Vess?`, and not `Did Dob rob Vess?`."""
    return _PRESUPPOSES.match(question.text) is not None and not _DENIES.search(question.text)


def leaves_doer_unnamed(question: RecordQuestion, deed: AskedDeed, text: str) -> bool:
    """Say whether a text only says that something is done, where it is asked who did it: `the well is poisoned`."""
    if _ASKS_TO_WHOM.match(question.text):
        return False
    tellings = [
        (tokens, n)
        for tokens in map(_TOKEN.findall, split_sentences(text))
        for n, token in enumerate(tokens)
        if has_word_like(deed.verb, {normalize_word(token.casefold())})
    ]
    return bool(tellings) and all(_is_done_by_nobody(tokens, n) for tokens, n in tellings)


def names_subject(question: RecordQuestion, deed: AskedDeed, text: str) -> bool:
    """Say whether a text names whoever is asked to have done it, or has a pronoun for them."""
    if not deed.subject_words:
        return True
    return bool(deed.subject_words & word_forms(text)) or _THIRD_PERSON.search(text) is not None


def _is_of_another(question: RecordQuestion, deed: AskedDeed, tokens: Sequence[str], position: int) -> bool:
    """Say whether the name shortly before a verb, within its clause, is another's than of whom it is asked."""
    if not deed.subject_words or _is_by(deed, tokens[position + 1 :]):
        return False
    run: set[str] = set()
    for n in range(position - 1, max(-1, position - 1 - _WORDS_BEFORE_DEED), -1):
        token, word = tokens[n], tokens[n].casefold()
        is_of_name = token[:1].isupper() and (
            word in question.known_name_words or (n > 0 and word not in _OPENERS)
        )
        if run and not is_of_name:
            return word not in _BEFORE_OTHERS and run.isdisjoint(deed.subject_words)
        if not token[0].isalnum() or word in _SUBJECT_PRONOUNS:
            return False
        if is_of_name:
            run.add(normalize_word(word))
    return bool(run) and run.isdisjoint(deed.subject_words)


def _is_done_by_nobody(tokens: Sequence[str], position: int) -> bool:
    """Say whether a verb is passive, and no `by` follows in its clause."""
    before = [token.casefold() for token in tokens[max(0, position - _WORDS_BEFORE_DEED) : position]]
    while before and (before[-1] in _ADVERBS or before[-1].endswith("ly") or before[-1] == "now"):
        before.pop()
    clause = takewhile(lambda token: token[0].isalnum(), tokens[position + 1 :])
    return bool(before) and before[-1] in _PASSIVES and "by" not in map(str.casefold, clause)


def is_denied(tokens: Sequence[str], position: int) -> bool:
    """Say whether a verb in a sentence is denied: `has not once in thirty years walked out`."""
    near = tokens[max(0, position - _WORDS_AFTER_DENIAL) : position + 2]
    if "since" in tokens[position:]:
        return False  # `Nobody has seen him since Monday.`
    return not _DENYING_WORDS.isdisjoint(token.casefold() for token in near)


def _is_by(deed: AskedDeed, following: Sequence[str]) -> bool:
    words = [normalize_word(token.casefold()) for token in following[:_WORDS_BEFORE_DEED]]
    return "by" in words and not deed.subject_words.isdisjoint(words)


def _asks_to_whom_it_is_done(words: Sequence[str], name_words: Collection[str]) -> bool:
    """Say whether `who` is to whom something is done: `Who did Captain Vess rob?`, and not `Who robbed Vess?`."""
    if words[:1] != [_WHO] or len(words) < MIN_WORDS_TO_WHOM or words[1] not in ASKING_AUXILIARIES:
        return False
    subject = next((w for w in words[2:] if w not in _ARTICLES and w not in HONORIFICS), "")
    return subject in _SUBJECT_PRONOUNS or normalize_word(subject) in name_words


def _follows_auxiliary(words_before: list[str], name_words: Collection[str]) -> bool:
    """Say whether a subject after these words does what is asked: `did`, then nothing but its article and title."""
    other_words = [
        word
        for word in words_before
        if normalize_word(word) not in name_words and word not in _ARTICLES and word not in HONORIFICS
    ]
    return bool(other_words) and other_words[-1] in ASKING_AUXILIARIES | _PASSIVE_AUXILIARIES
