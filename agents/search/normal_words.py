"""Words in normal form, and which of them say the same: `stole` and `steals`, `teeth` and `tooth`. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from agents.prose.words import stem
from agents.resolver.phrasings import word_set
from agents.typed_text import plain_line

STOP_WORDS: Final = word_set(
    "a an and any are as at be been being but by can could did do does for from had has have he her hers "
    "him his how i if in into is it its may me might more most must my no not of off on or our out over "
    "shall she should so some still than that the their them then there these they this those to up us was "
    "we were what when where which who whom whose why will with would you your ever about tell know known "
    "anything everything something somebody someone anyone happen happened happens exactly really actually "
    "just now currently also too very much many one s t m re ve ll d name named called call done each other "
    "don didn doesn isn wasn aren weren hasn haven hadn couldn wouldn shouldn wo ca "
    "before after against under back again while since until everybody everyone"
)
"""Words that carry no meaning by themselves, above all in questions."""

LOCATION_WORDS: Final = word_set(
    "in at on under inside behind beneath near beside above below outside within between upon aboard off"
)
"""Words of which a text needs one to say where something is."""

_IMPLYING_WORDS: Final = tuple(
    (word_set(implied), word_set(implying))
    for implied, implying in (
        ("take took taken takes", "steal stole stolen steals"),
        ("owe owes owed debt debts", "lend lends lent"),
        (
            "own owns owned owner belong belongs belonged",
            "give gives gave given sell sells sold buy buys bought inherit inherits inherited",
        ),
        ("exist exists existed standing stand stands", "destroy destroyed destroys burn burnt burned"),
    )
)
"""Words that are implied by others, and do not imply them: who stole a thing has taken it."""
_KILLING_WORDS: Final = word_set(
    "kill killed kills killing slay slays slew slain murder murders murdered strangle strangles strangled "
    "stab stabs stabbed poison poisons poisoned"
)
"""Of who killed somebody: that they are dead does not say it."""

_IRREGULAR_PLURALS: Final[Mapping[str, str]] = {
    "men": "man",
    "women": "woman",
    "children": "child",
    "feet": "foot",
    "teeth": "tooth",
    "geese": "goose",
    "mice": "mouse",
    "wives": "wife",
    "wolves": "wolf",
    "knives": "knife",
    "thieves": "thief",
}

_NUMBER_WORDS: Final = "zero one two three four five six seven eight nine ten eleven twelve"
FIGURES_BY_WORD: Final = {word: str(n) for n, word in enumerate(_NUMBER_WORDS.split())}

_GROUPS_FILE: Final = Path(__file__).with_name("word_groups.txt")
_WORD: Final = re.compile(r"[^\W_]+")
_NOT: Final = re.compile(r"n['’]t\b", re.IGNORECASE)
_POSSESSIVE: Final = re.compile(r"['’]s?\b")


def has_word_like(word: str, text_forms: Collection[str]) -> bool:
    """Say whether a text has a word in any form, or one that means the same; all are in normal form."""
    return any(word_form in text_forms for word_form in equivalent_forms(word))


def word_forms(text: str) -> frozenset[str]:
    """Return the words of a text in normal form."""
    return frozenset(
        normalize_word(word.casefold())
        for word in _WORD.findall(_POSSESSIVE.sub(" ", _NOT.sub(" not", plain_line(text))))
    )


def normalize_word(word: str) -> str:
    """Return a word in normal form: stemmed, one of several, number words as figures."""
    if figure := FIGURES_BY_WORD.get(word):
        return figure
    if word.endswith("ied") and len(word) > 4:
        return word.removesuffix("ied") + "y"
    word_stem = stem(_IRREGULAR_PLURALS.get(word, word))
    # `tripped` and `trips` are `trip`.
    is_doubled = len(word_stem) > 3 and word_stem[-1] == word_stem[-2] and word_stem[-1] not in "aeiou"
    return word_stem[:-1] if is_doubled else word_stem


def equivalent_forms(word: str) -> frozenset[str]:
    """Return the forms of words that say what a word says, its own among them; all are in normal form."""
    return _forms_by_word().get(word, frozenset({word}))


def inflected_forms(word: str) -> frozenset[str]:
    """Return the forms of a word itself, in normal form: `gave` and `giv`, as of `gives`, for `give`."""
    return _own_forms_by_word().get(word, frozenset()) | _inflect(word) | {word}


@cache
def _own_forms_by_word() -> Mapping[str, frozenset[str]]:
    own_forms: dict[str, frozenset[str]] = {}
    for line in _GROUPS_FILE.read_text("utf-8").splitlines():
        words = line.split()
        if words[:1] == ["="]:
            forms = frozenset().union(*map(_inflect, words[1:]))
            own_forms |= {form: own_forms.get(form, frozenset()) | forms for form in forms}
    return own_forms


@cache
def _forms_by_word() -> Mapping[str, frozenset[str]]:
    own_forms = _own_forms_by_word()
    sayings: list[tuple[str, Sequence[str]]] = []
    groups: list[frozenset[str]] = []
    for line in _GROUPS_FILE.read_text("utf-8").splitlines():
        words = line.split()
        if words[:1] == ["~"]:
            groups.append(frozenset(map(normalize_word, words[1:])))
        elif words and words[0] not in ("#", "="):
            sayings.append((words[0], words))
    forms_by_word = dict(own_forms)
    for asked_word, saying_words in sayings:
        forms = _all_forms(saying_words, own_forms)
        for form in _all_forms([asked_word], own_forms):
            forms_by_word[form] = forms_by_word.get(form, frozenset({form})) | forms
    forms_by_word |= _turn_lines_round(sayings, own_forms)
    for group_forms in groups:
        for form in group_forms:
            forms_by_word[form] = forms_by_word.get(form, frozenset({form})) | group_forms
    for implied_words, implying_words in _IMPLYING_WORDS:
        for form in map(normalize_word, implied_words):
            forms_by_word[form] |= frozenset(map(normalize_word, implying_words))
    killing_forms = frozenset(map(normalize_word, _KILLING_WORDS))
    return forms_by_word | dict.fromkeys(killing_forms, killing_forms)


def _turn_lines_round(
    sayings: Sequence[tuple[str, Sequence[str]]], own_forms: Mapping[str, frozenset[str]]
) -> Mapping[str, frozenset[str]]:
    """Return what says each word that has no line of its own and stands in one only: the words of that line.

    `Shove` stands beside `push`, and says the same; `eye` stands in several lines, and what is said there differs.
    """
    forms_of_lines = [_all_forms(saying_words, own_forms) for _, saying_words in sayings]
    line_counts = Counter(form for forms in forms_of_lines for form in forms)
    with_line = _all_forms([asked_word for asked_word, _ in sayings], own_forms)
    return {
        form: forms | own_forms.get(form, frozenset())
        for forms in forms_of_lines
        for form in forms - with_line
        if line_counts[form] == 1
    }


def _all_forms(words: Iterable[str], own_forms: Mapping[str, frozenset[str]]) -> frozenset[str]:
    return frozenset().union(
        *(_inflect(word) | own_forms.get(normalize_word(word), frozenset()) for word in words)
    )


def _inflect(word: str) -> frozenset[str]:
    """Return the normal forms of a word with its regular endings."""
    root = word.removesuffix("e")
    return frozenset(map(normalize_word, (word, f"{word}s", f"{root}ed", f"{root}ing"))) - STOP_WORDS
