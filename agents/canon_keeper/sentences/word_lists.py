"""The words by which sentences are read, from `word_lists.yaml`: forms of verbs, synonyms, opposites, states."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

from agents import yaml_with_lines

NUMBERS: Final[Mapping[str, int]] = {
    word: number
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
} | {
    **{
        word: 10 * n
        for n, word in enumerate(["thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 3)
    },
    "hundred": 100,
    "thousand": 1000,
    "dozen": 12,
    "both": 2,
}

_IRREGULAR_NOUNS: Final = {
    "men": "man",
    "women": "woman",
    "children": "child",
    "wolves": "wolf",
    "thieves": "thief",
    "wives": "wife",
    "knives": "knife",
    "feet": "foot",
    "teeth": "tooth",
    "mice": "mouse",
    "geese": "goose",
    "lives": "life",
    "leaves": "leaf",
    "brethren": "brother",
    "people": "people",
    "sheep": "sheep",
    "loaves": "loaf",
    "halves": "half",
    "keys": "key",
    "shoes": "shoe",
    "toes": "toe",
    "elves": "elf",
    "dwarves": "dwarf",
    "oxen": "ox",
    "scarves": "scarf",
    "selves": "self",
}


class VerbForm(NamedTuple):
    """One reading of a word as a verb; `tag` is base, s, past, part (past participle) or ing."""

    lemma: str
    tag: str


@dataclass(frozen=True)
class WordLists:
    """Every table, ready to be looked up."""

    verb_forms: Mapping[str, tuple[VerbForm, ...]]
    synonyms: Mapping[str, str]
    verb_opposites: Mapping[str, frozenset[str]]
    denying_verbs: frozenset[str]
    affirming_verbs: frozenset[str]
    open_verbs: frozenset[str]
    reporting_verbs: frozenset[str]
    deeds_of_living: frozenset[str]
    states: Mapping[str, tuple[tuple[str, int], ...]]
    """Words of a state -> its dimensions, and on which side of each they stand."""
    exclusive_groups: Mapping[str, frozenset[str]]
    """Colours, materials and the like: a name of the group -> its words."""
    kin: Mapping[str, str]
    """Words for relatives -> parent, child, sibling, spouse, elder or younger."""
    verb_implications: Mapping[str, frozenset[str]]
    """Verbs -> what whoever does so does as well."""
    single_deeds: frozenset[str]
    one_valued: frozenset[str]
    sole_holders: frozenset[str]
    qualities: frozenset[str]
    lasting_opposites: frozenset[str]
    deaths: frozenset[str]
    weather: frozenset[str]
    adjective_relations: Mapping[str, str]
    states_deny: Mapping[str, frozenset[str]]
    """States -> verbs of what somebody in them does not do."""
    states_lack: Mapping[str, frozenset[str]]
    """States -> what somebody in them does not have."""
    body_parts: frozenset[str]
    measures: frozenset[str]
    manners: frozenset[str]
    degrees: frozenset[str]
    adverbs: frozenset[str]
    plain_adverbs: frozenset[str]
    """Adverbs that leave what is said as it is."""
    uncertain_words: frozenset[str]
    uncertain_phrases: tuple[str, ...]
    time_nouns: frozenset[str]
    openers: frozenset[str]
    titles: frozenset[str]
    turns_of_phrase: Mapping[str, tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]]
    """By their verb, turns of phrase with what they say in plain words; the longest come first."""
    deaths_of_violence: frozenset[str]
    killing_verbs: frozenset[str]
    kinds_of_things: Mapping[str, frozenset[str]]
    doers: Mapping[str, str]
    """Words for people with the verb of what they do."""
    seeming_deaths: frozenset[str]
    men: frozenset[str]
    women: frozenset[str]
    allies: frozenset[str]
    enemies: frozenset[str]
    roles: frozenset[str]
    inner_places: frozenset[str]
    buildings: frozenset[str]

    def readings_as_verb(self, word: str) -> tuple[VerbForm, ...]:
        return self.verb_forms.get(word, ())


@lru_cache(maxsize=1)
def load_word_lists() -> WordLists:
    text = files(__package__).joinpath("word_lists.yaml").read_text(encoding="utf-8")
    data = yaml_with_lines.load_yaml(text).data
    assert isinstance(data, dict)

    def words(key: str) -> frozenset[str]:
        return frozenset(str(data[key]).split())

    synonyms = {
        word: line.split()[0] for line in str(data["verb_synonyms"]).splitlines() for word in line.split()
    }
    opposites: defaultdict[str, set[str]] = defaultdict(set)
    for pair in _comma_list(data["verb_opposites"]):
        one, other = (synonyms.get(word, word) for word in pair.split())
        opposites[one].add(other)
        opposites[other].add(one)
    implications: defaultdict[str, set[str]] = defaultdict(set)
    for pair in _comma_list(data["verb_implications"]):
        verb, implied = pair.split()
        implications[synonyms.get(verb, verb)].add(implied)
    states: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for dimension, sides in data["states"].items():
        for number, side in enumerate(str(sides).split("|")):
            for state in _comma_list(side):
                states[state].append((str(dimension), number))
    kin_names = {
        "parents": "parent", "children": "child", "siblings": "sibling", "spouses": "spouse",
        "elders": "elder", "youngers": "younger",
    }  # fmt: skip
    return WordLists(
        verb_forms=_build_verb_forms(data),
        synonyms=synonyms,
        verb_opposites={verb: frozenset(others) for verb, others in opposites.items()},
        denying_verbs=words("denying_verbs"),
        affirming_verbs=words("affirming_verbs"),
        open_verbs=words("open_verbs"),
        reporting_verbs=words("reporting_verbs"),
        deeds_of_living=words("deeds_of_living"),
        states={state: tuple(places) for state, places in states.items()},
        exclusive_groups={
            "colour": words("colours"),
            "material": words("materials"),
            "weekday": frozenset(word.casefold() for word in words("weekdays")),
            "season": words("seasons"),
        },
        kin={word: kind for key, kind in kin_names.items() for word in words(key)},
        verb_implications={verb: frozenset(implied) for verb, implied in implications.items()},
        single_deeds=words("single_deeds"),
        one_valued=words("one_valued"),
        sole_holders=words("sole_holders"),
        qualities=words("qualities"),
        lasting_opposites=words("lasting_opposites"),
        deaths=words("deaths"),
        weather=words("weather"),
        adjective_relations={str(k): str(v) for k, v in data["adjective_relations"].items()},
        states_deny={str(k): frozenset(str(v).split()) for k, v in data["states_deny"].items()},
        states_lack={str(k): frozenset(str(v).split()) for k, v in data["states_lack"].items()},
        body_parts=words("body_parts"),
        measures=words("measures"),
        manners=words("manners"),
        degrees=words("degrees"),
        adverbs=words("adverbs"),
        plain_adverbs=words("plain_adverbs"),
        uncertain_words=words("uncertain_words"),
        uncertain_phrases=tuple(str(phrase) for phrase in data["uncertain_phrases"]),
        time_nouns=words("time_nouns"),
        openers=words("openers"),
        titles=words("titles"),
        turns_of_phrase=_read_turns(data["turns_of_phrase"]),
        deaths_of_violence=words("deaths_of_violence"),
        killing_verbs=words("killing_verbs"),
        doers={pair[0]: pair[1] for pair in map(str.split, _comma_list(data["doers"]))},
        kinds_of_things={str(k): frozenset(str(v).split()) for k, v in data["kinds_of_things"].items()},
        seeming_deaths=words("seeming_deaths"),
        men=words("men"),
        women=words("women"),
        allies=words("allies"),
        enemies=words("enemies"),
        roles=words("roles"),
        inner_places=words("inner_places"),
        buildings=words("buildings"),
    )


def _read_turns(turns: Mapping[str, str]) -> dict[str, tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]]:
    turns_by_verb: defaultdict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = defaultdict(list)
    for phrase, plain in turns.items():
        words = tuple(str(phrase).split())
        verb = words[1] if words[0] == "not" else words[0]
        turns_by_verb[verb].append((words, tuple(str(plain).split())))
    return {
        verb: tuple(sorted(pairs, key=lambda pair: -len(pair[0]))) for verb, pairs in turns_by_verb.items()
    }


def _comma_list(text: object) -> list[str]:
    return [" ".join(part.split()) for part in str(text).split(",") if part.strip()]


def _build_verb_forms(data: Mapping[str, object]) -> dict[str, tuple[VerbForm, ...]]:
    forms: defaultdict[str, dict[VerbForm, None]] = defaultdict(dict)

    def add(lemma: str, tag: str, spellings: Iterable[str]) -> None:
        for spelling in spellings:
            forms[spelling].setdefault(VerbForm(lemma, tag))

    doubling = frozenset(str(data["doubling_verbs"]).split())
    irregular = [entry.split() for entry in _comma_list(data["irregular_verbs"])]
    for lemma, past, participle in irregular:
        add(lemma, "past", past.split("/"))
        add(lemma, "part", participle.split("/"))
    irregular_lemmas = {entry[0] for entry in irregular}
    regular_lemmas = (frozenset(str(data["verbs"]).split()) | doubling) - irregular_lemmas
    for lemma in sorted(irregular_lemmas | regular_lemmas):
        stem = lemma + lemma[-1] if lemma in doubling or lemma in _DOUBLING_IRREGULARS else lemma
        add(lemma, "base", [lemma])
        add(lemma, "s", [_with_s(lemma)])
        add(lemma, "ing", [_with_ing(stem)])
        if lemma in regular_lemmas:
            add(lemma, "past", [_with_ed(stem)])
            add(lemma, "part", [_with_ed(stem)])
    add("bear", "part", ["born"])
    return {spelling: tuple(readings) for spelling, readings in forms.items()}


_DOUBLING_IRREGULARS: Final = frozenset(
    [
        "run",
        "sit",
        "win",
        "swim",
        "cut",
        "put",
        "set",
        "shut",
        "dig",
        "spin",
        "let",
        "get",
        "hit",
        "rid",
        "quit",
        "begin",
        "forget",
    ]
)


def regular_forms(lemma: str, *, doubled: bool = False) -> list[tuple[str, VerbForm]]:
    """Return the spellings of a regular verb with what each is; `doubled`: its last letter is (`bragged`)."""
    stem = lemma + lemma[-1] if doubled else lemma
    past = _with_ed(stem)
    spellings = [
        (lemma, "base"),
        (_with_s(lemma), "s"),
        (_with_ing(stem), "ing"),
        (past, "past"),
        (past, "part"),
    ]
    return [(spelling, VerbForm(lemma, tag)) for spelling, tag in spellings]


def _with_s(lemma: str) -> str:
    if lemma.endswith(("s", "x", "z", "ch", "sh", "o")):
        return lemma + "es"
    if lemma.endswith("y") and lemma[-2] not in "aeiou":
        return lemma[:-1] + "ies"
    return lemma + "s"


def _with_ed(stem: str) -> str:
    if stem.endswith("e"):
        return stem + "d"
    if stem.endswith("y") and stem[-2] not in "aeiou":
        return stem[:-1] + "ied"
    return stem + "ed"


def _with_ing(stem: str) -> str:
    if stem.endswith("ie"):
        return stem[:-2] + "ying"
    if stem.endswith("e") and not stem.endswith(("ee", "oe", "ye")):
        return stem[:-1] + "ing"
    return stem + "ing"


@lru_cache(maxsize=20_000)
def singular(noun: str) -> str:
    """Return a noun without the ending of its plural."""
    if noun in _IRREGULAR_NOUNS:
        return _IRREGULAR_NOUNS[noun]
    if len(noun) < 4 or noun.endswith(("ss", "us", "is", "'s")):
        return noun
    if noun.endswith("ies"):
        return noun[:-3] + "y"
    if noun.endswith(("ches", "shes", "sses", "xes", "zes")):
        return noun[:-2]
    return noun.removesuffix("s")


def number_of(word: str) -> int | None:
    """Return the number that a word or digits say."""
    if word.isdecimal():
        return int(word)
    tens, _, ones = word.partition("-")
    if ones in NUMBERS and tens in NUMBERS and NUMBERS[tens] >= 20:
        return NUMBERS[tens] + NUMBERS[ones]
    return NUMBERS.get(word)
