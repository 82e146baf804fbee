"""Says whether a text tells that somebody said something, and to whom: who told Vess of the tide. Pure.

`"Late again," says Dob.` beside Vess and the tide does not say who told Vess of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.prose.speech import find_speeches, strip_speech
from agents.prose.words import split_sentences
from agents.resolver.phrasings import word_set
from agents.search.asked_deeds import AskedDeed
from agents.search.normal_words import has_word_like, normalize_word, word_forms
from agents.search.question import SPEECH_WORDS, RecordQuestion
from agents.search.question_names import QuestionName
from agents.search.told_deeds import is_denied, presupposes_deed, tells_deed

_TELLS: Final = frozenset(
    map(
        normalize_word,
        SPEECH_WORDS
        | word_set(
            "whisper whispers whispered murmur murmurs murmured mutter mutters muttered warn warns warned "
            "explain explains explained confess confesses confessed admit admits admitted reveal reveals revealed "
            "report reports reported inform informs informed announce announces announced confide confides confided "
            "remark remarks remarked boast boasts boasted blurts blurted reply replies replied"
        ),
    )
)
_ASKS_WHO_TOLD: Final = re.compile(
    r"(?:and |but |so )?who (?:first |has |had |also )*(?P<verb>[^\W_]+) (?:to )?(?:the )?(?P<hearer>.+)",
    re.IGNORECASE,
)
_TOKEN: Final = re.compile(r"[^\W_]+|[.,;:!?—¶]")
_ASKER: Final = frozenset({"me", "us"})
_MEANS_ASKER: Final = frozenset({"me", "us", "you"})
_SOMEBODY: Final = frozenset({"him", "her", "them"})
_BEFORE_HEARER: Final = frozenset({"to", "the", "in", "softly", "quietly"})
_MAX_WORDS_TO_HEARER: Final = 3


def tells_asked_deed(question: RecordQuestion, deed: AskedDeed, text: str) -> bool:
    """Say whether a text tells of the deed that is asked; of something said, that it was said to whom is asked."""
    if not deed.is_saying:
        return tells_deed(question, deed, text)
    hearer = _read_hearer(question, deed)
    if hearer is not None:
        return _is_said_to(question, deed, text, *hearer)
    if find_speeches(text):
        return True
    return any(
        not (presupposes_deed(question) and is_denied(tokens, n)) for tokens, n in _find_tellings(text)
    )


def _read_hearer(question: RecordQuestion, deed: AskedDeed) -> tuple[QuestionName | None] | None:
    """Return who is asked to have been told something, without a name if it is the asker; None if nobody is."""
    asked = _ASKS_WHO_TOLD.match(question.text.strip())
    if deed.subject_words or asked is None or normalize_word(asked["verb"].casefold()) != deed.verb:
        return None
    words = [word.casefold() for word in _TOKEN.findall(asked["hearer"])]
    if words[0] in _ASKER:
        return (None,)
    first_words = set(map(normalize_word, words[:2]))
    name = next((name for name in question.names if name.normalized_words & first_words), None)
    return None if name is None else (name,)


def _is_said_to(question: RecordQuestion, deed: AskedDeed, text: str, hearer: QuestionName | None) -> bool:
    """Say whether a text has somebody say something of what is asked to whom it is asked for."""
    matter_words = question.content_words - {deed.verb}
    matter_names = [name for name in question.names if name != hearer]

    def is_on_matter(said_text: str) -> bool:
        forms = word_forms(said_text)
        return (
            not (matter_words or matter_names)
            or any(has_word_like(word, forms) for word in matter_words)
            or any(name.is_in(said_text, forms) for name in matter_names)
        )

    hearers = [_find_hearer(question, tokens, n, hearer) for tokens, n in _find_tellings(text)]
    for (tokens, n), is_asked_hearer in zip(_find_tellings(text), hearers, strict=True):
        said_text = " ".join(tokens[n + 1 :])
        if is_asked_hearer and not is_denied(tokens, n) and is_on_matter(said_text):
            return True
    spoken_text = " ".join(speech.spoken_text for speech in find_speeches(text))
    if not spoken_text or not is_on_matter(spoken_text) or False in hearers:
        return False
    return hearer is None or True in hearers or hearer.is_in(spoken_text, word_forms(spoken_text))


def _find_tellings(text: str) -> list[tuple[Sequence[str], int]]:
    """Return the tokens of each sentence with a verb of saying outside of speech, and where it stands."""
    return [
        (tokens, n)
        for sentence in split_sentences(strip_speech(text))
        for tokens in [_TOKEN.findall(sentence)]
        for n, token in enumerate(tokens)
        if normalize_word(token.casefold()) in _TELLS
    ]


def _find_hearer(
    question: RecordQuestion, tokens: Sequence[str], verb: int, hearer: QuestionName | None
) -> bool | None:
    """Say whether it is said to whom is asked for, where the sentence names to whom; None where it does not."""
    following = tokens[verb + 1 : verb + 1 + _MAX_WORDS_TO_HEARER]
    is_behind_to = False
    for token in following:
        word = token.casefold()
        if word in _BEFORE_HEARER:
            is_behind_to = is_behind_to or word == "to"
            continue
        if word in _MEANS_ASKER:
            return hearer is None
        if word in _SOMEBODY:
            return hearer is not None
        if not token[:1].isupper():
            return None
        is_spoken_by = not is_behind_to and verb > 0 and tokens[verb - 1] in ("¶", ",")
        if is_spoken_by:  # `"Late," says Dob to Vess.`
            is_to = "to" in map(str.casefold, tokens[verb + 1 :])
            behind = " ".join(tokens[verb + 2 :]) if is_to else ""
            return None if not behind else _is_named(question, behind, hearer)
        return _is_named(question, token, hearer)
    return None


def _is_named(question: RecordQuestion, words: str, hearer: QuestionName | None) -> bool:
    forms = word_forms(words)
    names = (hearer,) if hearer is not None else question.asker_names
    return any(not (name.normalized_words | name.lone_words).isdisjoint(forms) for name in names)
