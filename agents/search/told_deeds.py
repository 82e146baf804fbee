"""Says whether a text tells that somebody did what is asked, and not that another did it or only meant to. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from agents.prose.words import split_sentences
from agents.resolver.phrasings import word_set
from agents.search.asked_deeds import (
    ADVERBS,
    ARTICLES,
    PASSIVE_AUXILIARIES,
    SUBJECT_PRONOUNS,
    AskedDeed,
    asks_where_by_deed,
)
from agents.search.normal_words import (
    LOCATION_WORDS,
    has_word_like,
    inflected_forms,
    normalize_word,
    word_forms,
)
from agents.search.question import SPEECH_WORDS, RecordQuestion

_BEFORE_THINGS: Final = word_set("the a an my your his its our their")
PASSIVES: Final = PASSIVE_AUXILIARIES | {"be", "been", "being", "gets", "got"}
_ASKS_TO_WHOM: Final = re.compile(
    r"^(?:and |but |so )?who(?: all)?(?:['’]s| is| was| are| were| (?:has|have|had) been| got)\b",
    re.IGNORECASE,
)
"""Who was poisoned is asked, and not who did it."""
SPEECH: Final = frozenset(map(normalize_word, SPEECH_WORDS))
_QUOTES: Final = re.compile(r"[“”\"]")
_MEANS_ONLY: Final = word_set(
    "want wants wanted wish wishes wished hope hopes hoped plan plans planned intend intends intended mean means meant "
    "like likes liked love ask asks asked beg begs begged order orders ordered tell tells told offer offers offered "
    "promise promises promised swear swears swore vow vows vowed refuse refuses refused threaten threatens threatened "
    "agree agrees agreed decide decides decided try tries tried fail fails failed afraid ready about going"
)
"""Words before `to` and a deed that is not done by that."""
_MODALS: Final = word_set("will would can could may might must shall should ll cannot")
_ASKS_OF_THE_PAST: Final = re.compile(r"\b(?:did|was|were|has|have|had)\b", re.IGNORECASE)
_ASKS_WHAT_IS_MEANT: Final = re.compile(r"\b(?:want|mean|intend|plan|hope|try|going) to\b", re.IGNORECASE)
"""Who is asked what they wanted to do need not have done it."""
_OF_TWO: Final = frozenset(
    map(
        normalize_word,
        word_set(
            "give gave tell told show showed lend lent sell sold hand handed bring brought pay paid teach taught send "
            "sent offer offered promise promised owe owed ask asked buy bought"
        ),
    )
)
"""Deeds with somebody beside what is given or told."""
_TO_A_PLACE: Final = re.compile(
    r"\b(?:to|into|onto|towards?) (?:the|an?|my|our|your|his|her|their|its|[A-ZÀ-Þ][^\W_]+)\b"
)
_THIRD_PERSON: Final = re.compile(r"\b(?:he|she|they|him|her|them|his|their)\b", re.IGNORECASE)
_PRESUPPOSES: Final = re.compile(
    r"^(?:and |but |so )?(?:when|where|why|how|who|whom|whose|what|which)\b", re.IGNORECASE
)
DENIES: Final = re.compile(r"\b(?:no|not|never|nobody|nothing)\b|n['’]t\b", re.IGNORECASE)
_DENYING_WORDS: Final = frozenset({"no", "not", "never", "nobody", "nothing", "without"})
_OPENERS: Final = word_set("the a an and but so then i when after before as in on at if now there here")
BEFORE_OTHERS: Final = word_set("in at on to of from with for by about under near and into onto over")
"""After these a name is not that of who does something."""
_TOKEN: Final = re.compile(r"[^\W_]+|[.,;:!?—“”\"]")
_COUNTED: Final = re.compile(
    r"\b(?P<count>one|two|three|four|five|six|seven|eight|nine|ten|twelve|single|double|multi|\d+)-(?=[a-z])",
    re.IGNORECASE,
)
"""What makes a word of number and deed that of a thing: a `two-shot pistol` shoots nobody."""
_SHOOTS: Final = inflected_forms(normalize_word("shoot"))
_SHOT_WITH: Final = frozenset(map(normalize_word, ("pistol", "gun", "arrow", "bolt", "bullet")))
_SHOOTS_WITH_IT: Final = re.compile(
    r"\b(?:fire[sd]?|firing|discharge[sd]?|loose[sd]?|aim(?:s|ed)?|hits?|str(?:ikes?|uck)|pierce[sd]?|graze[sd]?"
    r"|kill(?:s|ed)?|wound(?:s|ed)?|trigger|goes off|went off|(?:sticks?|stuck|lodges?|lodged|buried|stands?) in"
    r"|(?:arrow|bolt|bullet)s? (?:takes?|took|in|through|from))\b",
    re.IGNORECASE,
)
"""What is done with a weapon or befalls by it, and not only to it: `Dob hands me the pistol` tells of no shot."""
_WORDS_BEFORE_DEED: Final = 4
_WORDS_OF_OWNED: Final = 3
_WORDS_AFTER_DENIAL: Final = 6
"""Words within which a denial is of a deed: `has not once in thirty years walked out`."""


def tells_deed(question: RecordQuestion, deed: AskedDeed, text: str) -> bool:
    """Say whether a text tells of the deed, and not only that somebody else did it, or that nobody did."""
    if asks_where_by_deed(question, deed):
        return not LOCATION_WORDS.isdisjoint(word_forms(text)) or _TO_A_PLACE.search(text) is not None
    name_words = _name_words(question, deed)
    forms = word_forms(text)
    if deed.is_saying and (_QUOTES.search(text) or not SPEECH.isdisjoint(forms)):
        return True
    if not has_word_like(deed.verb, forms - name_words):
        return False
    presupposes = presupposes_deed(question)
    was_done = (
        presupposes
        and _ASKS_OF_THE_PAST.search(question.text) is not None
        and not _ASKS_WHAT_IS_MEANT.search(question.text)
    )
    return any(
        not _is_of_another(question, deed, tokens, n)
        and not _is_done_to_another(question, deed, tokens, n)
        and not (presupposes and is_denied(tokens, n))
        and not (was_done and _is_only_meant(tokens, n))
        for tokens, n in _find_tellings(deed, text, name_words)
    )


def presupposes_deed(question: RecordQuestion) -> bool:
    """Say whether a question takes for granted that it was done: `Who robbed Vess?`, and not `Did Dob rob Vess?`."""
    return _PRESUPPOSES.match(question.text) is not None and not DENIES.search(question.text)


def leaves_doer_unnamed(question: RecordQuestion, deed: AskedDeed, text: str) -> bool:
    """Say whether a text only says that something is done, where it is asked who did it: `the well is poisoned`."""
    if _ASKS_TO_WHOM.match(question.text):
        return False
    tellings = _find_tellings(deed, text)
    return bool(tellings) and all(_is_done_by_nobody(tokens, n) for tokens, n in tellings)


def names_only_weapons(deed: AskedDeed, text: str) -> bool:
    """Say whether a text has of a shot only what shoots, and no use of it: `Dob drops the pistol`."""
    words = _list_tokens_like(deed.verb, text)
    return bool(words) and all(_is_only_weapon(deed, tokens, n) for tokens, n in words)


def tells_only_of_others(question: RecordQuestion, deed: AskedDeed, text: str) -> bool:
    """Say whether a text has the verb, and only of what others did, or of what was done to others."""
    tellings = _find_tellings(deed, text, _name_words(question, deed))
    return bool(tellings) and all(
        _is_of_another(question, deed, tokens, n) or _is_done_to_another(question, deed, tokens, n)
        for tokens, n in tellings
    )


def _name_words(question: RecordQuestion, deed: AskedDeed) -> frozenset[str]:
    """Return the words of the names in a question: the Blue Letter does not say who wrote it."""
    return frozenset(word for name in question.names for word in name.normalized_words) - {deed.verb}


def _find_tellings(
    deed: AskedDeed, text: str, name_words: frozenset[str] = frozenset()
) -> list[tuple[list[str], int]]:
    """Return the tokens of each sentence with the verb of a deed, or another word for it, and where it stands."""
    return [
        (tokens, n)
        for tokens, n in _list_tokens_like(deed.verb, text)
        if normalize_word(tokens[n].casefold()) not in name_words and not _is_only_weapon(deed, tokens, n)
    ]


def _list_tokens_like(verb: str, text: str) -> list[tuple[list[str], int]]:
    """Return the tokens of each sentence with a verb, or another word for it, and where it stands."""
    return [
        (tokens, n)
        for tokens in map(_TOKEN.findall, split_sentences(_COUNTED.sub(r"\g<count>", text)))
        for n, token in enumerate(tokens)
        if has_word_like(verb, {normalize_word(token.casefold())})
    ]


def _is_only_weapon(deed: AskedDeed, tokens: Sequence[str], position: int) -> bool:
    """Say whether a word is what shoots, and the sentence tells of no use of it."""
    is_weapon = deed.verb in _SHOOTS and normalize_word(tokens[position].casefold()) in _SHOT_WITH
    return is_weapon and _SHOOTS_WITH_IT.search(" ".join(tokens)) is None


def names_subject(question: RecordQuestion, deed: AskedDeed, text: str) -> bool:
    """Say whether a text names whoever is asked to have done it, or has a pronoun for them."""
    if not deed.subject_words:
        return True
    return bool(deed.subject_words & word_forms(text)) or _THIRD_PERSON.search(text) is not None


def _is_of_another(question: RecordQuestion, deed: AskedDeed, tokens: Sequence[str], position: int) -> bool:
    """Say whether the name shortly before a verb, within its clause, is another's than of whom it is asked."""
    is_of_asker = deed.is_of_asker and presupposes_deed(question)
    subject_words = deed.subject_words or (_asker_words(question) if is_of_asker else frozenset())
    if not (subject_words or is_of_asker) or _is_by(deed, tokens[position + 1 :]):
        return False
    if tokens[position - 1 : position] in (["and"], ["or"], ["then"]):
        return False  # `I take the Pelham Will and put it away.`
    run: set[str] = set()
    for n in range(position - 1, max(-1, position - 1 - _WORDS_BEFORE_DEED), -1):
        token, word = tokens[n], tokens[n].casefold()
        is_of_name = token[:1].isupper() and (
            word in question.known_name_words or (n > 0 and word not in _OPENERS)
        )
        if run and not is_of_name:
            return word not in BEFORE_OTHERS and run.isdisjoint(subject_words)
        if not token[0].isalnum() or word in SUBJECT_PRONOUNS:
            return False
        if is_of_name:
            run.add(normalize_word(word))
    return bool(run) and run.isdisjoint(subject_words)


def _asker_words(question: RecordQuestion) -> frozenset[str]:
    return frozenset(w for name in question.asker_names for w in name.normalized_words | name.lone_words)


def _is_done_to_another(
    question: RecordQuestion, deed: AskedDeed, tokens: Sequence[str], position: int
) -> bool:
    """Say whether the name to which it is done, behind the verb or before a passive, is not the one asked for."""
    if not deed.object_words or deed.verb in _OF_TWO:
        return False
    following = [t for t in tokens[position + 1 :] if t.casefold() not in ARTICLES]
    names = list(takewhile(lambda t: t[0].isupper() and t.casefold() not in SUBJECT_PRONOUNS, following))
    if names and following[len(names) : len(names) + 1] == ["s"]:
        # Of `I get Pask's pistol` it is the pistol.
        names += takewhile(lambda t: t[0].isalnum(), following[len(names) + 1 :][:_WORDS_OF_OWNED])
    if not names and _is_passive(tokens, position):
        before = [t for t in tokens[:position] if t.casefold() not in PASSIVES | ADVERBS]
        names = list(takewhile(lambda t: t[0].isupper() and _is_name_word(question, t), reversed(before)))
    is_thing = tokens[position + 1 : position + 2] and tokens[position + 1].casefold() in _BEFORE_THINGS
    done_to = names or (tokens if is_thing else [])
    return bool(done_to) and deed.object_words.isdisjoint(normalize_word(t.casefold()) for t in done_to)


def _is_name_word(question: RecordQuestion, token: str) -> bool:
    return (
        token.casefold() in question.known_name_words or token.casefold() not in _OPENERS | SUBJECT_PRONOUNS
    )


def _is_passive(tokens: Sequence[str], position: int) -> bool:
    return any(t.casefold() in PASSIVES for t in tokens[max(0, position - 2) : position])


def _is_only_meant(tokens: Sequence[str], position: int) -> bool:
    """Say whether it is wished, asked or allowed, and not done: `wanted to marry him`, `so that he can bury him`."""
    before = [t.casefold() for t in tokens[max(0, position - _WORDS_BEFORE_DEED) : position]]
    while before and (before[-1] in ADVERBS or before[-1].endswith("ly") or before[-1] == "be"):
        before.pop()
    if not before:
        return False
    if before[-1] == "to":
        return not _MEANS_ONLY.isdisjoint(before[-3:-1])
    return before[-1] in _MODALS


def _is_done_by_nobody(tokens: Sequence[str], position: int) -> bool:
    """Say whether a verb is passive, and no `by` follows in its clause."""
    before = [token.casefold() for token in tokens[max(0, position - _WORDS_BEFORE_DEED) : position]]
    while before and (before[-1] in ADVERBS or before[-1].endswith("ly") or before[-1] == "now"):
        before.pop()
    clause = takewhile(lambda token: token[0].isalnum(), tokens[position + 1 :])
    return bool(before) and before[-1] in PASSIVES and "by" not in map(str.casefold, clause)


def is_denied(tokens: Sequence[str], position: int) -> bool:
    """Say whether a verb in a sentence is denied: `has not once in thirty years walked out`."""
    near = tokens[max(0, position - _WORDS_AFTER_DENIAL) : position + 2]
    if "since" in tokens[position:]:
        return False  # `Nobody has seen him since Monday.`
    return not _DENYING_WORDS.isdisjoint(token.casefold() for token in near)


def _is_by(deed: AskedDeed, following: Sequence[str]) -> bool:
    words = [normalize_word(token.casefold()) for token in following[:_WORDS_BEFORE_DEED]]
    return "by" in words and not deed.subject_words.isdisjoint(words)
