"""Word lists for questions: stop words, equivalent words, and the predicates that words ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from agents.prose.words import stem
from agents.resolver.phrasings import word_set

STOP_WORDS: Final = word_set(
    "a an and any are as at be been being but by can could did do does for from had has have he her hers "
    "him his how i if in into is it its may me might more most must my no not of off on or our out over "
    "shall she should so some still than that the their them then there these they this those to up us was "
    "we were what when where which who whom whose why will with would you your ever about tell know known "
    "anything everything something somebody someone anyone happen happened happens exactly really actually "
    "just now currently also too very much many one s t m re ve ll d name named called call"
)
"""Words that carry no meaning by themselves, above all in questions."""

LOCATION_WORDS: Final = word_set(
    "in at on under inside behind beneath near beside above below outside within between upon aboard off"
)
"""Words of which a text needs one to say where something is."""

_EQUIVALENT_WORDS: Final[tuple[frozenset[str], ...]] = tuple(
    word_set(group)
    for group in (
        "be found stay stand live lives lived home located whereabouts place",
        "die died dies dead death alive killed kill kills slain",
        "say said says tell told tells claim claimed",
        "hide hid hidden hides hiding",
        "keep kept keeps keeping",
        "take took taken takes steal stole stolen steals theft thief",
        "give gave given gives gift",
        "go went gone goes leave left leaves",
        "come came comes arrive arrived",
        "know knew knows known",
        "meet met meets meeting",
        "see saw seen sees",
        "find found finds",
        "lose lost loses",
        "break broke broken breaks",
        "buy bought buys sell sold sells",
        "write wrote written letter",
        "swear swore sworn promise promised promises oath",
        "owe owes owed debt debts",
        "own owns owned owner belong belongs belonged",
        "carry carries carried hold holds held wear wears wore",
        "make made makes build built builds",
        "ring rang rung rings",
        "speak spoke spoken speaks",
        "send sent sends",
        "bring brought brings",
        "fight fought fights",
        "afraid fear fears feared",
        "lie lies lied lying",
        "mother father parent parents child children daughter son",
        "brother sister sibling siblings",
        "wife husband married marry spouse",
        "friend friends ally allies",
        "enemy enemies foe",
    )
)
"""Equivalent forms and near synonyms that stemming does not match; a word may be in several groups."""

PREDICATES_BY_WORD: Final[Mapping[str, tuple[str, ...]]] = {
    "where": ("located_in", "part_of", "contains", "connected_to", "buried_in"),
    "whose": ("owned_by", "owns"),
    "own": ("owned_by", "owns"),
    "belong": ("owned_by", "owns", "member_of"),
    "have": ("owned_by", "owns"),
    "has": ("owned_by", "owns"),
    "carry": ("owned_by", "owns"),
    "die": ("alive", "buried_in"),
    "friend": ("ally_of",),
    "foe": ("enemy_of",),
    "child": ("parent_of", "child_of"),
    "mother": ("parent_of", "child_of"),
    "brother": ("sibling_of",),
    "wife": ("married_to",),
    "promise": ("promised",),
    "owe": ("owes", "owed"),
    "work": ("serves", "member_of"),
    "rule": ("rules_over",),
}
"""Predicates that question words ask for, beside those whose own names contain the word."""

_NUMBER_WORDS: Final = "zero one two three four five six seven eight nine ten eleven twelve"
FIGURES_BY_WORD: Final = {word: str(n) for n, word in enumerate(_NUMBER_WORDS.split())}


def _build_form_table() -> dict[str, frozenset[str]]:
    forms_by_stem: dict[str, frozenset[str]] = {}
    for group in _EQUIVALENT_WORDS:
        group_stems = frozenset(map(stem, group))
        for word_stem in group_stems:
            forms_by_stem[word_stem] = forms_by_stem.get(word_stem, frozenset({word_stem})) | group_stems
    return forms_by_stem


FORMS_BY_STEM: Final = _build_form_table()
