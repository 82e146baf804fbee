"""Says whether a turn or a statement answers a question: what was asked stands together in it. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from agents.prose.names import find_names
from agents.prose.words import split_sentences
from agents.resolver.phrasings import word_set
from agents.search.asked_deeds import (
    AskedDeed,
    asks_where_by_deed,
    find_asked_deed,
)
from agents.search.asked_owners import is_owned_by_another
from agents.search.asked_shares import EVEN_RARITY, Rarity, measure_shares
from agents.search.asked_things import find_text_before_measure, has_asked_thing
from agents.search.commitment_questions import asks_for_commitment
from agents.search.normal_words import (
    LOCATION_WORDS,
    has_word_like,
    inflected_forms,
    normalize_word,
    word_forms,
)
from agents.search.place_questions import PUTTING_WORDS, SoughtOne, read_put_thing, tells_whereabouts
from agents.search.question import (
    ASKS_INDIRECTLY,
    QuestionMatch,
    RecordQuestion,
    find_place_names,
    match_question,
    says_what_came_after,
)
from agents.search.relatives import find_asked_relatives, speaks_of_relatives
from agents.search.told_deeds import (
    leaves_doer_unnamed,
    names_only_weapons,
    names_subject,
    tells_only_of_others,
)
from agents.search.told_speech import tells_asked_deed
from stores.records.ids import Id

WINDOW_SENTENCES: Final = 2
"""Neighbouring sentences of a turn that are read together."""
CONTEXT_SENTENCES: Final = 4
"""Sentences before these, of the turn or of the one that it answers, which may say whom it is about."""
MAX_WORDS_OF_CONTEXT: Final = 60
"""A turn up to this long is context as a whole."""
MIN_OWN_SHARE: Final = 0.7
MIN_WHOLE_SHARE: Final = 0.8
"""The least share of what is asked that two neighbouring sentences say, and that they say with what is before them."""
_MEANS_SOMEBODY: Final = re.compile(r"\b(?:he|she|they|him|her|them|his|their)\b", re.IGNORECASE)
_REFERS_BACK: Final = re.compile(
    r"\b(?:he|she|they|it|him|her|them|his|their|its|there|that|this)\b", re.IGNORECASE
)
_MEANS_SOMETHING: Final = re.compile(r"it|them|him|her|one|this|that", re.IGNORECASE)
_NAMES_DOER: Final = re.compile(
    r"\b(?:by|who|whose|whom|that|which|I|me|my|you|your|he|him|his|she|her|they|them|their|the)\b",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W_]+")
_LIGHT_DEEDS: Final = frozenset(map(normalize_word, word_set("spend earn get have make take do find become")))
"""Verbs that say little by themselves: `How many years did Bram spend in the mines?`."""
MIN_OTHER_WORDS: Final = 3
"""Words of a question beside its deed that make up for the deed in other words, if a text has all of them."""
_ASKS_OF_ASKER: Final = re.compile(r"\b(?:did|do|was|am|were|are|have|had|must|should|may|can) (?:I|we)\b")
_ASKS_WHO: Final = re.compile(r"^(?:and |but |so )?who\b", re.IGNORECASE)
_SAYS_ASKER: Final = re.compile(r"\b(?:I|me|my|you|your|we|us|our)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TurnMatch:
    """How far a turn answers a question."""

    match: QuestionMatch
    """Of the whole turn."""
    is_answer: bool
    says_all: bool = False
    """Whether two sentences that answer have all names and words of the question themselves."""


def match_turn(
    question: RecordQuestion,
    text: str,
    speaker_name: str,
    previous_texts: Sequence[str] = (),
    implied_ids: Collection[Id] = (),
    rarity: Rarity = EVEN_RARITY,
    *,
    continued_text: str = "",
    goes_on: bool = False,
) -> TurnMatch:
    """Match what a turn states; `speaker_name` is empty where it is not about who speaks.

    Two neighbouring sentences must say it: most of what is asked, the rarer the more, among it what somebody is asked
    to have done, and a number, a name or the like if it asks for one. Whom it is about may be said shortly before, in
    the turn or in `previous_texts` (the last first), or be among `implied_ids` (the place of the scene). What the turn
    before asks is part of the answer to it, and so is what the player did in it, where the GM tells what came of it
    (`continued_text`). A player who goes on after what they asked (`goes_on`) answers it only if it was on those named.
    """
    deed = find_asked_deed(question)
    question = _without_place_deed(question, deed)
    whole_match = match_question(question, f"{speaker_name} {text}", implied_ids)
    sentences = split_sentences(text) or [""]
    last_text = previous_texts[0] if previous_texts else ""
    asked_before = " ".join(
        s
        for s in _last_sentences(last_text)
        if s in continued_text
        or (("?" in s or ASKS_INDIRECTLY.search(s)) and not (goes_on and _is_on_others(question, s)))
    )
    context = " ".join(" ".join(_last_sentences(previous)) for previous in reversed(previous_texts))
    answering_windows = [
        window
        for start in range(max(1, len(sentences) - WINDOW_SENTENCES + 1))
        if _answers(
            question,
            deed,
            rarity,
            window=(window := f"{speaker_name} {' '.join(sentences[start : start + WINDOW_SENTENCES])}"),
            asked_before=asked_before if start == 0 else "",
            context=" ".join((context, speaker_name, *sentences[max(0, start - CONTEXT_SENTENCES) : start])),
            last_text=last_text,
            implied_ids=implied_ids,
        )
    ]
    if says_what_came_after(question):
        answering_windows = [window for window in answering_windows if _says_all(question, window)]
    return TurnMatch(
        whole_match,
        is_answer=bool(answering_windows),
        says_all=(deed is None or not deed.is_saying)
        and any(_says_all(question, window) for window in answering_windows),
    )


def match_statement(
    question: RecordQuestion, text: str, involved_ids: Collection[Id] = (), *, predicate: str = ""
) -> QuestionMatch:
    """Match a short statement, a fact or a memory: it must have the deed, and what is asked for.

    A fact of a predicate that is asked for has both by that.
    """
    deed = find_asked_deed(question)
    question = _without_saying(_without_place_deed(question, deed), deed)
    match = match_question(question, text, involved_ids, predicate=predicate)
    if not match.is_match or predicate in question.wanted_predicates:
        return match
    has_deed = deed is None or tells_asked_deed(question, deed, text) or _has_all_else(question, deed, text)
    is_doer_missing = (
        deed is not None and _asks_who_did_it(question, deed) and leaves_doer_unnamed(question, deed, text)
    )
    return replace(match, is_match=has_deed and not is_doer_missing and has_asked_thing(question, text))


def speaks_of_deed(question: RecordQuestion, text: str) -> bool:
    """Say whether a text speaks of what is asked to have been done, and not only of a pistol, if that is a shot."""
    deed = find_asked_deed(question)
    return deed is None or not names_only_weapons(deed, text)


def may_name_doer(question: RecordQuestion, description: str) -> bool:
    """Say whether the description of a thing may say who did what is asked; yes if nobody who did it is asked for."""
    deed = find_asked_deed(question)
    return (
        deed is None
        or not _asks_who_did_it(question, deed)
        or bool(find_names(description))
        or _NAMES_DOER.search(description) is not None
    )


def tells_deed_to_something_else(question: RecordQuestion, text: str) -> bool:
    """Say whether a text has what was done, and nothing of to what: `lost umbrellas` of where somebody lost an eye.

    A pronoun behind the deed may mean it: `She pawned it.`
    """
    deed = find_asked_deed(question)
    if deed is None or deed.is_intransitive or deed.is_saying or deed.verb in _LIGHT_DEEDS:
        return False
    other_words = question.content_words - {deed.verb}
    text_forms = word_forms(text)
    if not other_words or any(has_word_like(word, text_forms) for word in other_words):
        return False
    return not any(
        has_word_like(deed.verb, word_forms(before)) and _MEANS_SOMETHING.fullmatch(after)
        for before, after in pairwise(_WORD.findall(text))
    )


def _answers(
    question: RecordQuestion,
    deed: AskedDeed | None,
    rarity: Rarity,
    *,
    window: str,
    asked_before: str,
    context: str,
    last_text: str,
    implied_ids: Collection[Id],
) -> bool:
    own_words = f"{asked_before} {window}"
    if not has_asked_thing(question, window) or not _names_asker(question, f"{last_text} {own_words}"):
        return False
    if not speaks_of_relatives(find_asked_relatives(question.text), own_words):
        return False
    if is_owned_by_another(question, own_words):
        return False
    if not question.content_words or asks_for_commitment(question) or not _REFERS_BACK.search(window):
        # Whom it is about is all that is asked, or who promised whom: it must be said here. So must it where no
        # pronoun is left for somebody named before.
        context = last_text
    if not _has_names(question, f"{context} {own_words}", implied_ids):
        return False
    put_thing = read_put_thing(question)
    is_where_put = put_thing is not None and _tells_where_put(deed, put_thing, own_words)
    if put_thing is not None and deed is None and not is_where_put:
        return False
    if deed is not None:
        if not names_subject(question, deed, own_words):
            return False
        # Who did it is asked: what the line before tells is answered by that line itself.
        deed_text = (
            f"{_keep_questions(asked_before)} {window}" if _asks_who_did_it(question, deed) else own_words
        )
        if not (
            tells_asked_deed(question, deed, deed_text)
            or is_where_put
            or (
                deed.verb in _LIGHT_DEEDS
                and len(question.content_words) > 1
                and not tells_only_of_others(question, deed, deed_text)
            )
            or _has_all_else(question, deed, own_words)
        ):
            return False
        if deed.is_saying or (deed.verb in _LIGHT_DEEDS and len(question.content_words) > 1):
            question = replace(question, content_words=question.content_words - {deed.verb})
    if not question.content_words:
        if deed is not None and _MEANS_SOMEBODY.search(window) and not find_names(window):
            # `He` is who was named last.
            own_words = " ".join((*find_names(context)[-1:], own_words))
        return match_question(question, own_words, implied_ids).name_share == 1.0
    shares = measure_shares(
        question,
        rarity,
        own_words,
        context,
        implied_ids,
        refers_back=_MEANS_SOMEBODY.search(window) is not None,
    )
    return shares.own >= MIN_OWN_SHARE and shares.whole >= MIN_WHOLE_SHARE


def _says_all(question: RecordQuestion, text: str) -> bool:
    """Say whether a text has all names of a question, and all its words, and no others that say the same.

    Of a measure, as how old somebody is, the name stands before it.
    """
    if not question.content_words:
        text = find_text_before_measure(question, text)
    forms = word_forms(text)
    has_words = all(not forms.isdisjoint(inflected_forms(word)) for word in question.content_words)
    return has_words and all(name.is_in(text, forms) for name in question.names)


def _tells_where_put(deed: AskedDeed | None, thing: SoughtOne, text: str) -> bool:
    """Say whether a text tells where a thing is or was put, and names who is asked to have put it there."""
    forms = word_forms(text)
    is_of_subject = deed is None or not deed.subject_words or not deed.subject_words.isdisjoint(forms)
    has_place = not (LOCATION_WORDS | {"into", "onto"}).isdisjoint(forms)
    return is_of_subject and has_place and tells_whereabouts(thing, text)


def _is_on_others(question: RecordQuestion, text: str) -> bool:
    """Say whether a text has none of the names of a question."""
    forms = word_forms(text)
    return bool(question.names) and not any(name.is_in(text, forms) for name in question.names)


def _asks_who_did_it(question: RecordQuestion, deed: AskedDeed) -> bool:
    return (
        not deed.subject_words
        and _ASKS_WHO.match(question.text) is not None
        and not _ASKS_OF_ASKER.search(question.text)
    )


def _keep_questions(text: str) -> str:
    """Return what a text asks, directly or not."""
    return " ".join(s for s in split_sentences(text) if "?" in s or ASKS_INDIRECTLY.search(s))


def _has_names(question: RecordQuestion, text: str, implied_ids: Collection[Id]) -> bool:
    """Say whether a text has all names of a question; where it was need not be said."""
    forms = word_forms(text)
    return all(
        name.is_in(text, forms) or name.entity_ids.intersection(implied_ids)
        for name in frozenset(question.names) - find_place_names(question)
    )


def _has_all_else(question: RecordQuestion, deed: AskedDeed, text: str) -> bool:
    """Say whether a text has all that a question names beside the deed, if that is much."""
    other_words = question.content_words - {deed.verb}
    text_forms = word_forms(text)
    return len(other_words) >= MIN_OTHER_WORDS and all(
        has_word_like(word, text_forms) for word in other_words
    )


def _names_asker(question: RecordQuestion, text: str) -> bool:
    """Say whether a text is on the player's character, if that is whose doing is asked for (`How long was I away?`)."""
    if not _ASKS_OF_ASKER.search(question.text):
        return True
    text_forms = word_forms(text)
    return _SAYS_ASKER.search(text) is not None or any(
        name.normalized_words <= text_forms for name in question.asker_names
    )


def _without_place_deed(question: RecordQuestion, deed: AskedDeed | None) -> RecordQuestion:
    """Return a question where somebody went, or put something, without that: that it was somewhere answers it."""
    if read_put_thing(question) is not None:
        return replace(question, content_words=question.content_words - PUTTING_WORDS)
    if deed is None or not asks_where_by_deed(question, deed):
        return question
    return replace(question, content_words=question.content_words - {deed.verb})


def _without_saying(question: RecordQuestion, deed: AskedDeed | None) -> RecordQuestion:
    """Return a question without the verb of saying: the matter must be said, where it asks of one."""
    if deed is None or not deed.is_saying or len(question.content_words) == 1:
        return question
    return replace(question, content_words=question.content_words - {deed.verb})


def _last_sentences(text: str) -> Sequence[str]:
    sentences = split_sentences(text)
    return sentences if len(text.split()) <= MAX_WORDS_OF_CONTEXT else sentences[-CONTEXT_SENTENCES:]
