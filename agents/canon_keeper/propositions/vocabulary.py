"""The words of the sentence reader with many more verbs, and the nouns for people and things."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from typing import Final

from agents.canon_keeper.sentences.word_lists import VerbForm, WordLists, load_word_lists, regular_forms

_VOWELS: Final = frozenset("aeiou")
_MORE_PEOPLE: Final = frozenset(
    ["person", "people", "man", "woman", "mortal", "soul", "someone", "somebody", "anyone", "anybody", "nobody", "boy",
     "girl", "child", "guard", "caravan", "folk", "pedlar", "crowd", "army", "crew", "family",
     "traveller", "neighbour", "councillor", "counsellor", "jeweller", "labourer", "townsfolk", "villager", "crewman",
     "household", "couple", "gang", "tribe", "weaver", "smith"]
)  # fmt: skip
_CALLINGS: Final = frozenset(
    ["abbess", "acrobat", "agent", "alchemist", "archduke", "archer", "armourer", "astronaut", "auntie", "bailiff",
     "baker", "bard", "barmaid", "barman", "baron", "beekeeper", "bookseller", "bosun", "bouncer", "bowman",
     "boyfriend", "brewer", "brigand", "burgher", "busker", "butcher", "cabbie", "cabman", "candlemaker", "carter",
     "cartographer", "cellmate", "chamberlain", "chancellor", "chaplain", "chauffeur", "clockmaker", "coachman",
     "colonist", "conscript", "cooper", "cosmonaut", "countess", "cowherd", "crewmate", "curate", "cutpurse",
     "deckhand", "deserter", "docker", "dressmaker", "druid", "duchess", "emperor", "empress", "enchantress",
     "exorcist", "falconer", "farrier", "ferryman", "fiancee", "fiddler", "firefighter", "flatmate", "footman",
     "forger", "fortune-teller", "foundling", "friar", "gamekeeper", "gaoler", "gatekeeper", "glassblower",
     "goatherd", "goddaughter", "godfather", "godmother", "godson", "goon", "grandpa", "gravedigger", "grenadier",
     "gunsmith", "hag", "half-brother", "half-sister", "hangman", "harbourmaster", "harpist", "heiress", "helmsman",
     "henchman", "herbalist", "hermit", "hitman", "hostage", "housekeeper", "huntsman", "imam", "innkeeper",
     "jailer", "jester", "juggler", "lancer", "landlady", "laundress", "locksmith", "lodger", "lord", "lumberjack",
     "mage", "marauder", "marquis", "mason", "medic", "midwife", "miller", "mom", "moneylender", "mum", "musketeer",
     "nanny", "necromancer", "newborn", "nightwatchman", "nobleman", "noblewoman", "paladin", "paramedic", "parolee",
     "pawnbroker", "photographer", "pickpocket", "pikeman", "ploughman", "poacher", "princess", "prior", "prioress",
     "programmer", "prospector", "psychic", "quartermaster", "queen", "raider", "ranger", "regent", "roommate",
     "saddler", "scribe", "scullion", "seamstress", "sexton", "sharpshooter", "shipmate", "shipwright", "shoemaker",
     "sibyl", "silversmith", "sorceress", "spinster", "stableboy", "stepdaughter", "stepson", "stevedore",
     "stowaway", "swineherd", "swordsman", "swordsmith", "tailor", "tanner", "tax-collector", "teen", "thatcher",
     "thug", "toddler", "torturer", "tracker", "trucker", "tsar", "turnkey", "viceroy", "vintner", "viscount",
     "waif", "warder", "warlock", "washerwoman", "wheelwright", "woodcutter"]
)  # fmt: skip
"""More nouns for what somebody is."""
_IRREGULAR: Final = {"lain": VerbForm("lie", "part"), "done": VerbForm("do", "part")}


@lru_cache(maxsize=1)
def load_vocabulary() -> WordLists:
    """Return the word lists with the verbs of `wordnet_words.txt`."""
    lists = load_word_lists()
    forms: defaultdict[str, tuple[VerbForm, ...]] = defaultdict(tuple, lists.verb_forms)
    for lemma in _load_words()["verbs"]:
        for spelling, form in regular_forms(lemma, doubled=_is_doubled(lemma)):
            forms[spelling] += (form,)
    for lemma in sorted({form.lemma for readings in forms.values() for form in readings}):
        if _may_be_doubled(lemma):
            for spelling, form in regular_forms(lemma, doubled=True):
                if form.tag in ("past", "part", "ing") and form not in forms[spelling]:
                    forms[spelling] += (form,)
    for spelling, form in _IRREGULAR.items():
        forms[spelling] += (form,)
    return replace(lists, verb_forms=dict(forms))


@lru_cache(maxsize=1)
def load_nouns_for_people() -> frozenset[str]:
    """Return the nouns that mean somebody."""
    return frozenset(_load_words()["people"]) | _MORE_PEOPLE | _CALLINGS


@lru_cache(maxsize=1)
def load_nouns_for_things() -> frozenset[str]:
    """Return the nouns that mean what can be carried or led away."""
    return frozenset(_load_words()["things"])


@lru_cache(maxsize=1)
def _load_words() -> dict[str, list[str]]:
    words: defaultdict[str, list[str]] = defaultdict(list)
    section = ""
    text = files(__package__).joinpath("wordnet_words.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif not line.startswith("#"):
            words[section] += line.split()
    return words


def _may_be_doubled(lemma: str) -> bool:
    """Say whether a verb of several syllables may double its last letter: `admitted`, `travelled`."""
    lemma = lemma.replace("qu", "q")
    vowels = sum(letter in _VOWELS for letter in lemma)
    ends = len(lemma) > 3 and lemma[-1] in "bdglmnprt" and lemma[-2] in _VOWELS and lemma[-3] not in _VOWELS
    return vowels > 1 and ends


def _is_doubled(lemma: str) -> bool:
    """Say whether the last letter is doubled: `wedged`, but `bragged`."""
    vowels = sum(letter in _VOWELS for letter in lemma)
    return vowels == 1 and lemma[-2] in _VOWELS and lemma[-1] not in _VOWELS | frozenset("wxy")
