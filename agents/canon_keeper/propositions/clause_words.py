"""Which words of a clause carry meaning, and which names in it are meant as themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agents.canon_keeper.propositions.vocabulary import load_nouns_for_people
from agents.canon_keeper.sentences.clause_times import is_duration
from agents.canon_keeper.sentences.noun_phrases import ARTICLES, POSSESSIVES, PREPOSITIONS, PRONOUNS
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.verb_finder import BE, CAN, DO, HAVE
from agents.canon_keeper.sentences.word_lists import load_word_lists, number_of

NEGATIONS: Final = frozenset(
    {"not", "never", "no", "nobody", "none", "nothing", "neither", "nor", "without", "nowhere"}
)
DENYING_VERBS: Final = frozenset({"fail", "refuse", "decline", "neglect", "forget", "omit", "lack"})
NOBODY: Final = frozenset({"nobody", "none"})
EVERYBODY: Final = frozenset({"everyone", "everybody"})
OTHER_WORDS: Final = frozenset(
    {"other", "another", "different", "#first", "second", "third", "next", "former"}
)
"""Words that make another thing of one."""
_MEASURES: Final = load_word_lists().measures | {"line", "ring", "row", "lot", "bit"}
_MINIMA: Final = frozenset(
    {
        "stroke",
        "jot",
        "bit",
        "whit",
        "inch",
        "scrap",
        "shred",
        "blink",
        "note",
        "finger",
        "cent",
        "penny",
        "dime",
        "farthing",
    }
)
"""What a denial says that there is not even one of: `cannot swim a stroke`."""
PERSON: Final = "person"
PERSON_NOUNS: Final = load_nouns_for_people()
_ANY_PERSON: Final = frozenset(
    ["person", "people", "mortal", "soul", "someone", "somebody", "anyone", "anybody", "nobody"]
)
_TIMES_OF_LIFE: Final = frozenset({"birth", "childhood", "boyhood", "girlhood", "youth", "infancy"})
_CLASS_NOUNS: Final = frozenset(
    ["city", "town", "village", "hamlet", "port", "planet", "island", "isle", "kingdom", "land", "realm", "duchy",
     "county", "river", "lake", "mount", "castle", "fort", "forest", "valley", "house", "clan", "order", "guild",
     "ship", "world", "moon", "colony", "station", "province", "empire"]
)  # fmt: skip
"""Nouns after which `of` and a name say the name itself: `the city of Asher`."""
_BEFORE_OF_SOMEBODY: Final = frozenset(
    ["out", "rid", "afraid", "fond", "jealous", "proud", "tired", "sick", "scared", "terrified", "wary", "unaware",
     "aware", "ashamed", "envious", "suspicious", "heard", "hear", "hears", "speaks", "spoke", "thinks", "thought",
     "dreams", "frightened", "ignorant"]
)  # fmt: skip
"""Words after which `of` and a name mean whoever is named, and not whose something is: `is afraid of Nora`."""
LIGHT_WORDS: Final = (
    BE | HAVE | DO | CAN | ARTICLES | POSSESSIVES | PREPOSITIONS | PRONOUNS | (NEGATIONS - {"nobody"}) | EVERYBODY
    | DENYING_VERBS | _TIMES_OF_LIFE
    | frozenset(
        ["of", "'s", "and", "or", "but", "ever", "any", "anything", "every", "all", "each", "both", "this", "that",
         "these", "those", "there", "one", "else", "more", "such", "own", "same", "stand", "make", "do", "take", "get",
         "give", "strike", "go", "come", "keep", "put", "single", "just", "only", "very", "so", "too", "still", "now",
         "always", "already", "also", "even", "anywhere", "everywhere", "once", "again", "then", "since", "before",
         "after", "until", "during", "while", "as", "than", "when", "longer", "thing", "something", "(", ")", ",",
         "life", "time", "year", "day", "night", "alone", "himself", "herself", "itself", "yet", "everything", "have",
         "be", "bear", "ago", "word", "lie", "hang", "sit", "remain", "use", "back", "away", "able", "part", "hand",
         "sole", "may", "will", "single", "solely"]
    )
)  # fmt: skip
"""Words that say nothing of what a clause is about."""
_IDLE_IN_TIMES: Final = ARTICLES | {"of", "whole", "on", "at", "that", "very", "all"}
_WHOLE_NIGHT: Final = (
    "all night", "all that night", "the whole night", "the entire night", "through the night", "during the night",
    "all through the night", "until dawn", "till dawn", "until morning", "till morning", "until sunrise",
)  # fmt: skip
"""What is told of the same night, if it is told as past."""
_WORDS_OF_NIGHT: Final = frozenset(
    {"night", "dawn", "morning", "sunrise", "until", "till", "through", "during", "long", "entire"}
)
_ALL_TIME_PHRASES: Final = (
    "all his life", "all her life", "all their lives", "from birth", "since birth", "to this day", "from the first",
    "in his life", "in her life", "since childhood", "through and through",
)  # fmt: skip


def is_content(token: Token, forms: frozenset[str]) -> bool:
    """Say whether a word says what a clause is about."""
    word = token.word
    if token.entity or not forms or not forms.isdisjoint(LIGHT_WORDS) or not word[:1].isalpha():
        return False
    return number_of(word) is None and not (word.endswith("ly") and len(word) > 4)


def word_of(forms: frozenset[str]) -> str:
    """Return the word that stands for all forms of it; `person` for any word for somebody."""
    return PERSON if not forms.isdisjoint(_ANY_PERSON) else min(sorted(forms), key=len)


def content_words(
    tokens: Sequence[Token], lemmas: Sequence[frozenset[str]], without: set[int]
) -> frozenset[str]:
    """Return the words that say what a clause is about, but for those at the positions `without`."""
    is_denied = not NEGATIONS.isdisjoint(t.word for t in tokens)
    return frozenset(
        _word_at(tokens, n, lemmas[n])
        for n, token in enumerate(tokens)
        if n not in without
        and is_content(token, lemmas[n])
        and not (is_denied and token.word in _MINIMA)
        and not _is_measure(tokens, n)
        and not (token.word in ("other", "another") and n and tokens[n - 1].word in ("each", "one"))
    )


def _is_measure(tokens: Sequence[Token], index: int) -> bool:
    """Say whether a word only says how much there is of the next: the slice of `a third slice of mutton`."""
    following = [t.word for t in tokens[index + 1 : index + 3]]
    word = tokens[index].word
    if word in OTHER_WORDS and following[:1]:
        return following[0] in _MEASURES and following[1:] == ["of"]
    return word in _MEASURES and following[:1] == ["of"]


def _word_at(tokens: Sequence[Token], index: int, forms: frozenset[str]) -> str:
    """Return what a word stands for: whose something is (`her father's`) is another than who (`her father`)."""
    if tokens[index].word == "first" and _is_before_noun(tokens, index):
        return "#first"
    if tokens[index].word in ("man", "woman") and index and tokens[index - 1].word in ("any", "no"):
        return PERSON
    is_owner = index + 1 < len(tokens) and tokens[index + 1].word == "'s"
    return f"{min(sorted(forms), key=len)}'s" if is_owner else word_of(forms)


def _is_before_noun(tokens: Sequence[Token], index: int) -> bool:
    following = tokens[index + 1].word if index + 1 < len(tokens) else ","
    return following.isalpha() and following not in PREPOSITIONS


def names_meant(tokens: Sequence[Token]) -> frozenset[str]:
    """Return those named as themselves, and not to say whose or of what something is."""
    names: set[str] = set()
    for index, token in enumerate(tokens):
        following = tokens[index + 1].word if index + 1 < len(tokens) else ""
        before = index - 1 if index and tokens[index - 1].word not in ARTICLES else index - 2
        is_of = (
            before >= 0
            and tokens[before].word == "of"
            and not (before and tokens[before - 1].word in _BEFORE_OF_SOMEBODY)
        )
        is_class = is_of and before > 0 and tokens[before - 1].word in _CLASS_NOUNS
        if token.entity and following != "'s" and (not is_of or is_class):
            names.add(token.entity)
    return frozenset(names)


def phrase_after(tokens: Sequence[Token], word: str) -> list[Token]:
    """Return the phrase behind a preposition; nothing if it is not there."""
    words = [t.word for t in tokens]
    if word not in words:
        return []
    start = words.index(word) + 1
    end = next((n for n in range(start, len(words)) if words[n] in PREPOSITIONS | {","}), len(words))
    return list(tokens[start:end])


def means_all_time(words: Sequence[str]) -> bool:
    """Say whether the words mean the whole time until now."""
    text = f" {' '.join(words)} "
    is_said = not {"never", "ever", "always"}.isdisjoint(words)
    return is_said or any(f" {phrase} " in text for phrase in _ALL_TIME_PHRASES)


def reaches_now(words: Sequence[str]) -> bool:
    """Say whether it is so for a time that reaches to now: `for six years`, `since the war`."""
    units = {"years", "months", "weeks", "days", "decades", "centuries"}
    return "since" in words or any(
        w == "for" and units & set(words[n + 1 : n + 4]) for n, w in enumerate(words)
    )


def plain_time(when: str) -> str:
    """Return what names the time, without words that only join it: `night fire` for `on the night of the fire`."""
    if is_duration(when) or when in ("to this day", "these days"):
        return ""
    return " ".join(w for w in when.split() if w not in _IDLE_IN_TIMES)


def names_whole_night(words: Sequence[str], when: str) -> bool:
    """Say whether words mean the whole of one night, `all night`, `until dawn`; `when` is the time that they name."""
    if _WORDS_OF_NIGHT.isdisjoint(words) or not _WORDS_OF_NIGHT.issuperset(when.split()):
        return False
    text = f" {' '.join(words)} "
    return any(f" {phrase} " in text for phrase in _WHOLE_NIGHT)
