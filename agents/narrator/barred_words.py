"""The words by which prose shows or mentions what stories often bar: harm, death, suicide, gore and the like.

`shown` finds it happening in the present, which a veil forbids; `mentioned` finds any word of it, which a line forbids.
Topics that are not listed here are found by their own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple


class TopicPatterns(NamedTuple):
    """Where prose has a topic."""

    shown: re.Pattern[str]
    """It happens now, before the player's eyes."""
    mentioned: re.Pattern[str]
    """It is there in any way; also finds all that `shown` does."""


class _Verb(NamedTuple):
    base: str
    third: str
    gerund: str
    past: str
    participle: str


def _read_verbs(table: str) -> tuple[_Verb, ...]:
    """Return verbs, one a line: `kill`, with the root of its forms (`stab stabb`), or its past and participle."""
    verbs = []
    for words in map(str.split, table.splitlines()):
        base = words[0]
        third = base + ("es" if base.endswith(("sh", "ch", "ss")) else "s")
        root = words[1] if len(words) == 2 else base.removesuffix("e")
        past, participle = words[1:] if len(words) == 3 else (f"{root}ed", f"{root}ed")
        verbs.append(_Verb(base, third, f"{root}ing", past, participle))
    return tuple(verbs)


_KILLING: Final = _read_verbs(
    "kill\nmurder\nslay slew slain\nbutcher\ndrown\nstrangle\nslaughter\nsmother\nthrottle\nbehead\nhang hanged hanged"
)
_HURTING: Final = _read_verbs(
    "beat beat beaten\nkick\nwhip whipp\nslap slapp\npunch\nstab stabb\nburn\nhurt hurt hurt\nharm\ntorture\ntorment\n"
    "choke\nmaim\nmutilate\nthrash\nflog flogg\nbatter\nabuse\nmolest\nwound\npoison\nstarve\ncane\nscald"
)
_VICTIMS: Final = {
    "child": r"(?:child(?:ren)?|kids?|(?:cabin[- ])?boys?|girls?|bab(?:y|ies)|infants?|toddlers?|newborns?)",
    "animal": (
        r"(?:animals?|dogs?|hounds?|pupp(?:y|ies)|cats?|kittens?|horses?|mares?|pon(?:y|ies)|mules?|donkeys?|goats?|"
        r"sheep|lambs?|cows?|oxen|ox|calf|calves|birds?|gulls?|fox(?:es)?|pets?|beasts?)"
    ),
}
_VICTIM_WORDS: Final = {
    **dict.fromkeys(
        ("child", "children", "kid", "kids", "minor", "minors", "baby", "babies", "infants"), "child"
    ),
    **dict.fromkeys(
        ("animal", "animals", "pet", "pets", "dog", "dogs", "cat", "cats", "horse", "horses"), "animal"
    ),
}
_DEATH_WORDS: Final = frozenset(
    ["death", "deaths", "dying", "die", "killing", "killings", "murder", "murders", "drowning"]
)  # fmt: skip
_HARM_WORDS: Final = frozenset(
    ["harm", "hurt", "violence", "abuse", "cruelty", "injury", "injuries", "mistreatment", "torture", "torment",
     "suffering", "beating"]
)  # fmt: skip
_BETWEEN: Final = (
    r"(?:\s+(?:an?|the|his|her|their|its|your|my|our|this|that|these|those|both|one|two|three|old|little|small|young|"
    r"poor|stray|lame|gr[ae]y|black|white|brown|sick|\w+ed|\w+ing)){0,4}\s+"
)


def find_victim(word: str) -> str:
    """Return the kind of victim that a word means; empty if it means none."""
    return _VICTIM_WORDS.get(word.casefold(), "")


def build_act_patterns(words: Iterable[str]) -> TopicPatterns | None:
    """Return the patterns of harm or death that somebody suffers (`harm to children`), or None for another topic."""
    folded_words = [word.casefold() for word in words]
    victims = list(dict.fromkeys(filter(None, map(find_victim, folded_words))))
    is_death, is_harm = _DEATH_WORDS.intersection(folded_words), _HARM_WORDS.intersection(folded_words)
    known_words = {w for w in folded_words if find_victim(w)} | is_death | is_harm
    if len(victims) != 1 or not (is_death or is_harm) or known_words != set(folded_words):
        return None
    victim = rf"(?:{_VICTIMS[victims[0]]})\b(?!['’]s)"
    verbs = (*_KILLING, *_HURTING) if is_harm else _KILLING
    now = _any_of(form for v in verbs for form in (v.base, v.third, v.gerund))
    ever = _any_of(form for v in verbs for form in (v.base, v.third, v.gerund, v.past))
    done = _any_of(v.participle for v in verbs)
    # `beats the boy at cards`, and what is done to something of theirs, is no harm.
    not_harm = r"(?!\s+(?:at|to\s+(?:it|the|a)\b|in\s+a\s+race))"
    shown = (
        rf"\b{now}{_BETWEEN}{victim}{not_harm}|"
        rf"\b{victim}\s+(?:is|are|gets?)\s+(?:being\s+)?(?:\w+ly\s+)?{done}\b"
    )
    mentioned = (
        rf"{shown}|\b{ever}{_BETWEEN}{victim}{not_harm}|"
        rf"\b{victim}\s+(?:who\s+)?(?:was|were|has\s+been|have\s+been|had\s+been|got|be)\s+(?:\w+ly\s+)?{done}\b|"
        rf"\b(?:murdered|beaten|strangled|slaughtered|butchered){_BETWEEN}{victim}|"
        rf"\b(?:murders?|killings?|harm|cruelty|violence|abuse|torture|beatings?)\s+"
        rf"(?:of|to|against|on|done\s+to){_BETWEEN}{victim}"
    )
    if is_death:
        dying = r"(?:(?:is|are)\s+(?:dying|drowning)|dies|drowns?|bleeds?\s+(?:out|to\s+death)|stops?\s+breathing)\b"
        shown += rf"|\b{victim}\s+(?:\w+ly\s+)?{dying}"
        mentioned += (
            rf"|\b{victim}\s+(?:\w+ly\s+)?{dying}|"
            rf"\b{victim}\s+(?:who\s+)?(?:had\s+)?(?:died|drowned|(?:is|are|was|were|lies?|lay)\s+dead)\b|"
            rf"\b(?:dead|drowned|dying){_BETWEEN}{victim}|\b(?:deaths?|corpses?)\s+of{_BETWEEN}{victim}|"
            rf"\b(?:{_VICTIMS[victims[0]]})['’]s?\s+(?:corpse|death|murder|dying)\b"
        )
    return _compile(shown, mentioned)


_SELF: Final = r"(?:himself|herself|themsel(?:f|ves)|yourself|myself)"
_OWN: Final = r"(?:his|her|their|your|my)\s+own"
_FAMILIES: Final = (
    (
        frozenset({"suicide", "suicides"}),
        rf"\b(?:kills?|hangs?|drowns?|shoots?|stabs?|poisons?)\s+{_SELF}\b|\b(?:takes?|ends?)\s+{_OWN}\s+li(?:fe|ves)\b|"
        rf"\b(?:slits?|opens?|cuts?)\s+{_OWN}\s+(?:wrists?|throat|veins?)\b|"
        rf"\b(?:commits?|committing)\s+suicide\b",
        rf"\bsuicid\w*|\b(?:killed|hanged|hung|drowned|shot|poisoned)\s+{_SELF}\b|"
        rf"\b(?:took|taken|ended)\s+{_OWN}\s+li(?:fe|ves)\b|\bkilling\s+{_SELF}\b",
    ),
    (
        frozenset({"self-harm", "self", "selfharm"}),
        rf"\b(?:cuts?|burns?|hurts?|scratches)\s+(?:{_SELF}|{_OWN}\s+(?:arms?|wrists?|skin|thighs?))\b",
        rf"\bself[- ]harm\w*|\b(?:cutting|hurting|burned)\s+{_SELF}\b",
    ),
    (
        frozenset(
            {
                "gore",
                "guts",
                "viscera",
                "mutilation",
                "dismemberment",
                "violence",
                "blood gore",
                "gore violence",
            }
        ),
        r"\b(?:entrails|intestines|viscera|innards|disembowel\w*|dismember\w*|eviscerat\w*)\b|"
        r"\b(?:his|her|their|its|your)\s+(?:guts|brains?)\s+(?:spills?|spray\w*|slid\w*|hang|burst)|"
        r"\b(?:spills?|spilling)\s+(?:his|her|their|its)\s+(?:guts|brains)\b|"
        r"\b(?:severed|hacked[- ]off)\s+(?:head|arm|leg|hand|limb|finger|foot)s?\b|"
        r"\bblood\s+(?:sprays?|spurts?|fountains?|gushes)\b",
        r"\bgore\b|\bgory\b|\bmutilat\w*",
    ),
    (
        frozenset({"rape", "sexual violence", "sexual assault", "sexual abuse", "molestation", "incest"}),
        r"\b(?:rapes?|raping|molests?|molesting)\b|\bforces?\s+(?:himself|herself|themselves)\s+(?:on|upon)\b",
        r"\b(?:raped|rapists?|molested)\b|\bforced\s+(?:himself|herself|themselves)\s+(?:on|upon)\b|"
        r"\bsexual(?:ly)?\s+(?:violence|assault\w*|abuse\w*)\b|\bincest\w*",
    ),
    (
        frozenset({"sex", "sexual", "nudity", "erotica", "sexuality"}),
        r"\b(?:have|has|having)\s+sex\b|\bmak(?:e|es|ing)\s+love\b|\b(?:naked|nude)\b|\bundress(?:es|ing)?\b",
        r"\bsex(?:ual|ually|y)?\b|\bmade\s+love\b|\berotic\w*|\borg(?:y|ies|asm\w*)\b",
    ),
    (
        frozenset({"torture"}),
        r"\btortur(?:es|ing)\b|\b(?:they|we|you|I|men|guards)\s+torture\b",
        r"\btortur(?:e|ed|ers?)\b|\bthumbscrews?\b",
    ),
    (
        frozenset({"cannibalism"}),
        r"\b(?:eats?|eating|chews?|devours?)\s+(?:human|man|men|the\s+dead)\b|\b(?:eats?|eating)\s+\w+\s+flesh\b",
        r"\bcannibal\w*|\bhuman\s+flesh\b|\bman[- ]?eat\w*",
    ),
    (
        frozenset({"slavery", "slaves", "slave"}),
        r"\benslav(?:es|ing)\b|\b(?:sells?|buys?)\s+(?:\w+\s+){0,2}slaves?\b",
        r"\bslaves?\b|\bslavery\b|\benslaved\b|\bslavers?\b",
    ),
)
"""Topics by what they are called, what shows them, and what else mentions them."""


def find_family(words: Iterable[str]) -> TopicPatterns | None:
    """Return the patterns of a common topic, or None for another one."""
    folded_text = " ".join(word.casefold() for word in words)
    for names, shown, others in _FAMILIES:
        if folded_text in names:
            return _compile(shown, f"{shown}|{others}")
    return None


def _any_of(forms: Iterable[str]) -> str:
    return rf"(?:{'|'.join(sorted(set(forms), key=len, reverse=True))})\b"


def _compile(shown: str, mentioned: str) -> TopicPatterns:
    return TopicPatterns(re.compile(shown, re.IGNORECASE), re.compile(mentioned, re.IGNORECASE))
