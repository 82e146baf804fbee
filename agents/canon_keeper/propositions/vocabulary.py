"""The words of the sentence reader with many more verbs, so that the verb of a clause is found."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from typing import Final

from agents.canon_keeper.sentences.word_lists import VerbForm, WordLists, load_word_lists, regular_forms

_VOWELS: Final = frozenset("aeiou")
_IRREGULAR: Final = {"lain": VerbForm("lie", "part"), "done": VerbForm("do", "part")}


@lru_cache(maxsize=1)
def load_vocabulary() -> WordLists:
    """Return the word lists with the verbs of `verbs.txt`."""
    lists = load_word_lists()
    forms: defaultdict[str, tuple[VerbForm, ...]] = defaultdict(tuple, lists.verb_forms)
    text = files(__package__).joinpath("verbs.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        for lemma in line.split() if not line.startswith("#") else ():
            for spelling, form in regular_forms(lemma, doubled=_is_doubled(lemma)):
                forms[spelling] += (form,)
    for spelling, form in _IRREGULAR.items():
        forms[spelling] += (form,)
    return replace(lists, verb_forms=dict(forms))


def _is_doubled(lemma: str) -> bool:
    """Say whether the last letter is doubled: `wedged`, but `bragged`."""
    vowels = sum(letter in _VOWELS for letter in lemma)
    return vowels == 1 and lemma[-2] in _VOWELS and lemma[-1] not in _VOWELS | frozenset("wxy")
