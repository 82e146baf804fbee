"""Says whether a text tells of a deed the other way round, or denies it. Pure.

`I give Vess my lantern` does not say what Vess gave me, and `Dob never killed Osk` not who did.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import takewhile
from typing import Final, NamedTuple

from agents.prose.names import HONORIFICS
from agents.prose.speech import strip_speech
from agents.prose.words import split_sentences
from agents.resolver.phrasings import word_set
from agents.search.asked_deeds import ARTICLES, AskedDeed, find_asked_deed
from agents.search.normal_words import has_word_like, normalize_word
from agents.search.question import ASKING_AUXILIARIES, RecordQuestion
from agents.search.question_names import QuestionName
from agents.search.told_deeds import BEFORE_OTHERS, DENIES, PASSIVES, SPEECH
from stores.records.ids import Id

_TOKEN: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[.,;:!?—“”\"¶]")
_ASKS: Final = re.compile(
    r"^(?:and |but |so )?(?P<pronoun>who|when|where|why|how|whom|what|which)\b", re.IGNORECASE
)
_SPEAKER_OPENS: Final = re.compile(
    r"(?P<name>(?:[Tt]he )?[A-ZÀ-Þ][^\W_]+(?: (?:of |the )?[A-ZÀ-Þ][^\W_]+){0,4}): "
)
_ASKER_WORDS: Final = frozenset({"i", "we", "me", "us"})
_FIRST_PERSON: Final = frozenset({"i", "we"})
_ASKED_OBJECTS: Final = _ASKER_WORDS - _FIRST_PERSON
_NO_NAMES: Final = frozenset(map(normalize_word, HONORIFICS | {"the"}))
_BEFORE_RECEIVER: Final = frozenset({"to", "from", "about", "against"})
_SKIPPED: Final = ASKING_AUXILIARIES | word_set(
    "ever also already still really once first then just now even again"
)
"""Words between whoever does something and the verb."""
_DENIALS: Final = frozenset({"not", "never"})
_BEFORE_NO_DOER: Final = BEFORE_OTHERS | {"or", "but"}
"""After these a name is not that of who does something, or not theirs alone."""
_MUTUAL: Final = frozenset(
    map(
        normalize_word,
        word_set(
            "fight fights fought meet meets met marry marries married wed kiss kisses kissed talk talks talked "
            "speak speaks spoke spoken trade trades traded argue argued quarrel quarrelled dance danced duel "
            "embrace embraced befriend befriended know knows knew share shared play played"
        ),
    )
)
"""What two do with each other: it is told of both, whoever is named first."""
_OWNING: Final = frozenset(
    map(normalize_word, word_set("own owns owned belong belongs belonged have has had"))
)
"""What has somebody for its owner is said the other way round, too: `the mill belongs to Dob`."""
_CONVERSE: Final = frozenset(
    map(
        normalize_word,
        word_set(
            "receive receives received get gets got gotten buy buys bought borrow borrows borrowed lend lends lent "
            "take takes took taken accept accepts accepted inherit inherits inherited obtain earn win wins won "
            "hear hears heard learn learns learned"
        ),
    )
)
"""Words for a deed as the other side does it: who lends me a coin is owed it."""


class _AskedRoles(NamedTuple):
    """Who does it, and to whom, in the words of a question."""

    doers: frozenset[str]
    """Whoever does it; empty if that is asked for."""
    receivers: frozenset[str]


def is_told_otherwise(question: RecordQuestion, statement: str) -> bool:
    """Say whether all that a statement tells of the deed is the reverse of what is asked, or that it was not done."""
    return _tells_only(question, statement, (), reads_denials=True)


def is_told_in_reverse(question: RecordQuestion, text: str, speaker_ids: Collection[Id] = ()) -> bool:
    """Say whether all that a text tells of the deed is the reverse of what is asked.

    `speaker_ids` are those whom `I` means. What is quoted may be anybody's word, and is not read.
    """
    return _tells_only(question, text, speaker_ids, reads_denials=False)


def _tells_only(
    question: RecordQuestion, text: str, speaker_ids: Collection[Id], *, reads_denials: bool
) -> bool:
    asking = _ASKS.match(question.text.strip())
    deed = find_asked_deed(question)
    if asking is None or deed is None or deed.verb in _MUTUAL | _OWNING or DENIES.search(question.text):
        return False
    roles = _read_roles(question, deed, asking["pronoun"].casefold())
    if roles is None:
        return False
    if (opening := _SPEAKER_OPENS.match(text)) is not None:
        text = text[opening.end() :]
        speaker_ids = _read_name(question, _TOKEN.findall(opening["name"]), frozenset())
    tellings = [
        (tokens, n)
        for sentence in split_sentences(strip_speech(text))
        for tokens in [_TOKEN.findall(sentence)]
        for n, token in enumerate(tokens)
        if _is_telling(deed, token)
    ]
    return bool(tellings) and all(
        (reads_denials and _is_denied(tokens, n))
        or _is_reverse(
            roles,
            _find_doer(question, deed, tokens, n, frozenset(speaker_ids)),
            _find_object(question, tokens, n, frozenset(speaker_ids)),
        )
        for tokens, n in tellings
    )


def _read_roles(question: RecordQuestion, deed: AskedDeed, pronoun: str) -> _AskedRoles | None:
    """Return the roles in a question; None if it is passive, or says them by pronouns."""
    tokens = [token.casefold() for token in _TOKEN.findall(question.text)]
    words = [normalize_word(token.removesuffix("'s").removesuffix("’s")) for token in tokens]
    verb = next((n for n, word in enumerate(words) if n and word == deed.verb), None)
    if verb is None or tokens[0].endswith(("'s", "’s")) or not PASSIVES.isdisjoint(tokens[:verb]):
        return None
    doers = {key for name in _find_names(question, words[:verb]) for key in _keys(name)}
    if not _FIRST_PERSON.isdisjoint(tokens[:verb]):
        doers |= question.asker_ids
    if not doers and pronoun != "who":
        return None
    receivers: set[str] = set()
    for n in range(verb + 1, len(tokens)):
        before = [w for w in tokens[verb:n] if w not in ARTICLES and w not in HONORIFICS]
        if len(before) != 1 and before[-1] not in _BEFORE_RECEIVER:
            continue
        if tokens[n] in _ASKER_WORDS:
            receivers |= question.asker_ids
        elif not _is_owner(tokens, n):
            receivers.update(key for name in _find_names(question, words[n : n + 1]) for key in _keys(name))
    return _AskedRoles(frozenset(doers), frozenset(receivers - doers))


def _is_owner(tokens: Sequence[str], position: int) -> bool:
    """Say whether a name in a question owns what is meant: `Osk's dog`, `Captain Osk's dog`."""
    return any(token.endswith(("'s", "’s")) for token in tokens[position : position + 2])


def _is_reverse(roles: _AskedRoles, doer: frozenset[str], done_to: frozenset[str]) -> bool:
    """Say whether it is done by whom it was done to in the question, or to who did it there."""
    return bool(doer & roles.receivers or done_to & roles.doers) and not doer & roles.doers


def _is_telling(deed: AskedDeed, token: str) -> bool:
    word = normalize_word(token.casefold())
    if deed.is_saying:
        return word in SPEECH
    return word == deed.verb or (word not in _CONVERSE and has_word_like(deed.verb, {word}))


def _find_doer(
    question: RecordQuestion,
    deed: AskedDeed,
    tokens: Sequence[str],
    verb: int,
    speaker_ids: frozenset[str],
) -> frozenset[str]:
    """Return who does something in a sentence, if the question names them or they speak; else nobody."""
    subject = verb - 1
    while subject >= 0 and _is_skipped(tokens[subject]):
        subject -= 1
    if not PASSIVES.isdisjoint(token.casefold() for token in tokens[max(0, subject) : verb]):
        return _find_agent(question, tokens[verb + 1 :], speaker_ids)
    if subject < 0 or (deed.is_saying and not tokens[subject][0].isalnum()):
        # `"Take it," says Mara to Vess.`
        return (
            _read_name(question, _take_name(tokens[verb + 1 :]), speaker_ids)
            if deed.is_saying
            else frozenset()
        )
    first = subject
    while first > 0 and tokens[subject][0].isupper() and tokens[first - 1][0].isupper():
        first -= 1
    before = tokens[first - 1].casefold() if first else ""
    if before in _BEFORE_NO_DOER | ARTICLES:
        return frozenset()  # `the Green Vial hidden in the loft` does nothing itself
    return _read_name(question, tokens[first : subject + 1], speaker_ids)


def _find_object(
    question: RecordQuestion, tokens: Sequence[str], verb: int, speaker_ids: frozenset[str]
) -> frozenset[str]:
    """Return to whom something is done who stands beside the verb, if the question names them: `kills Osk`.

    What is theirs is not they: `kills Osk's dog`.
    """
    following = [t for t in tokens[verb + 1 :] if t.casefold() not in ARTICLES | HONORIFICS]
    name = list(takewhile(lambda token: token[0].isupper(), following)) or [
        t for t in following[:1] if t.casefold() in _ASKED_OBJECTS
    ]
    if not name or _is_owner(name, len(name) - 1):
        return frozenset()
    return _read_name(question, name, speaker_ids)


def _find_agent(
    question: RecordQuestion, following: Sequence[str], speaker_ids: frozenset[str]
) -> frozenset[str]:
    """Return by whom something is done: `was killed by Osk`."""
    words = [token.casefold() for token in following]
    if "by" not in words:
        return frozenset()
    agent = [t for t in following[words.index("by") + 1 :] if t.casefold() not in ARTICLES | HONORIFICS]
    return _read_name(question, _take_name(agent), speaker_ids)


def _read_name(
    question: RecordQuestion, tokens: Sequence[str], speaker_ids: frozenset[str]
) -> frozenset[str]:
    """Return whom a word means: somebody whom the question names, or who speaks."""
    if [token.casefold() for token in tokens[-1:]] in (["i"], ["we"], ["me"], ["us"]):
        return speaker_ids
    words = {normalize_word(token.casefold()) for token in tokens if token[:1].isupper()} - _NO_NAMES
    return frozenset(
        key
        for name in (*question.names, *question.asker_names)
        if words and _is_named(name, words)
        for key in _keys(name)
    )


def _is_named(name: QuestionName, words: set[str]) -> bool:
    """Say whether capitalised words are a name: Vess is Captain Vess, and Harl is not the Harl Salt Company."""
    name_words = (name.normalized_words | name.lone_words) - _NO_NAMES
    is_whole = name.normalized_words - _NO_NAMES <= words or not name.lone_words.isdisjoint(words)
    return is_whole and 2 * len(words & name_words) >= len(words)


def _take_name(tokens: Sequence[str]) -> list[str]:
    """Return the words of the name with which these begin, or the first word."""
    name = list(takewhile(lambda token: token[0].isupper(), tokens))
    return name or list(tokens[:1])


def _is_denied(tokens: Sequence[str], verb: int) -> bool:
    n = verb - 1
    while n >= 0 and _is_skipped(tokens[n]):
        if tokens[n].casefold() in _DENIALS or tokens[n].casefold().endswith(("n't", "n’t")):
            return True
        n -= 1
    return False


def _is_skipped(token: str) -> bool:
    word = token.casefold()
    return (
        word in _SKIPPED
        or word in _DENIALS
        or word in PASSIVES
        or word.endswith(("n't", "n’t"))
        or (token.islower() and word.endswith("ly"))
    )


def _find_names(question: RecordQuestion, words: Collection[str]) -> list[QuestionName]:
    return [
        name
        for name in (*question.names, *question.asker_names)
        if not (name.normalized_words | name.lone_words).isdisjoint(words)
    ]


def _keys(name: QuestionName) -> frozenset[str]:
    """Return what tells somebody from others: their records, or the words of a name that canon has not."""
    return name.entity_ids or name.normalized_words
