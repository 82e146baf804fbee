"""Puts the hero's name in the place of `I`, `me` and `my` in words that a player types about the hero. Pure.

`I own my boat` becomes `Mara owns Mara's boat`. What is quoted stays as it was said, and so does what is no pronoun:
the ship `My Love`, `Pier I`.
"""

from __future__ import annotations

import re
from typing import Final

HERO_PRONOUNS: Final = frozenset({"i", "me", "myself"})
"""Words that mean the hero where a name is typed."""

CONTEXT_LENGTH: Final = 80
"""Characters around a pronoun that are read."""
_QUOTED: Final = re.compile(r"(“[^”]*”?|\"[^\"]*\"?|«[^»]*»?)")
_CONTRACTIONS: Final = {"m": "is", "ve": "has", "ll": "will", "d": "would"}
_I: Final = re.compile(
    r"(?P<before>\b(?:do|am|have)\s+)?(?<![\w'’-])(?P<i>[Ii])(?![\w-])(?!['’](?!m\b|ve\b|ll\b|d\b))"
    r"(?:['’](?P<short>m|ve|ll|d)\b)?",
    re.IGNORECASE,
)
_ADVERB: Final = (
    r"(?:never|always|often|also|still|now|only|just|soon|ever|already|hereby|no\s+longer|once|then|again"
    r"|\w+ly)"
)
_VERB: Final = re.compile(
    rf"(?P<space>\s+(?:{_ADVERB}\s+)*)(?P<verb>[A-Za-z]+?)(?:(?P<nt>n['’]t)\b|(?![A-Za-z'’]))"
)
_SECOND_VERB: Final = re.compile(
    rf"\b(?P<joint>(?:and|but|or)\s+(?:then\s+)?(?:{_ADVERB}\s+)*)(?P<verb>[a-z]+)\b(?!['’])"
)
_AFTER_AND: Final = re.compile(r"(?<!,)\s(?:and|or|nor)\s*$", re.IGNORECASE)
"""Before `I`: somebody else does it, too, as in `Vess and I are allies`."""
_INVERTED: Final = re.compile(
    r"\b(?:will|would|shall|should|can|could|may|might|must|did|was|were|had)\s*$", re.IGNORECASE
)
"""Before `I`: the verb of the clause stands there, as in `never again will I sail`."""
_NUMBER_BEFORE: Final = re.compile(r"[a-z,;]\s+[A-Z][\w'’-]*\s*$")
_NUMERAL_AFTER: Final = re.compile(r"\s+(?:is|has|does|of|and\s+I{2})\b")
_MY: Final = re.compile(r"(?<![\w'’-])(?P<my>[Mm]y)(?=\s+(?P<next>\w))")
_MINE: Final = re.compile(
    r"(?P<before>\b(?:is|of|are|was|were|been)\s+(?:(?:not|never|now|still|always|once|all|only|really|truly|rightfully)\s+)*)"
    r"mine\b(?=\s*(?:[.,;:!?]|$|and\b|but\b|now\b|alone\b))"
)
_ME: Final = re.compile(r"(?<![\w'’-])(?:[Mm]e|[Mm]yself)(?![\w'’-])")
_OWN_FORMS: Final = {"am": "is", "have": "has", "do": "does", "are": "is", "were": "was"}
_UNCHANGED: Final = frozenset(
    word
    for line in (
        "will would shall should can could cannot may might must ought was did had went came saw gave took",
        "told said made knew thought found got left felt kept held brought bought stood heard ran sat fell",
        "lost met paid sent built spoke broke wrote rode drove drank ate swore stole hid fought caught taught",
        "sought slept led fled won wore tore bore chose drew grew threw flew blew began rang sang sank swam",
        "sprang stuck struck dug hung clung swung spent lent bent meant dealt dreamt burnt learnt woke shook",
        "forgot forgave understood became overcame withdrew rose shot sold slid spun swept wept crept knelt",
        "bled fed bred lit bit swung strode forswore cut put set hit let shut hurt cast split quit read",
        "spread burst bet rid is has does and or nor but with without in at of on who whom whose alone too as",
        "for from to the a an that this not by if when while because so than",
    )
    for word in line.split()
)
"""Words behind `I` that stay as they are: pasts, auxiliaries, and what is no verb."""
_ENDS_IN_ED: Final = frozenset(
    [
        "need",
        "feed",
        "heed",
        "bleed",
        "breed",
        "speed",
        "proceed",
        "succeed",
        "exceed",
        "weed",
        "seed",
        "shed",
        "wed",
    ]
)
_PLAIN_SECOND_VERBS: Final = frozenset(
    word
    for line in (
        "am have do go take leave come give keep bring tell find see hear know make get become lose carry",
        "throw swear owe own pay send steal forgive forget obey protect avenge serve follow betray hide sell",
        "eat drink sleep speak say ask write sing begin choose never",
    )
    for word in line.split()
)
"""Verbs that are read behind `and`, where other words may be nouns: `the bell and rope`."""
_FIRST_PERSON: Final = (
    (re.compile(r"(?:^|(?<=\band )|(?<=\bbut ))[Yy]ou(?=\s+(?!and\b)[a-z])"), "I"),
    (re.compile(r"\b[Yy]our\b"), "my"),
    (re.compile(r"\byours\b"), "mine"),
    (re.compile(r"\byou\b"), "me"),
)
_WITH_ES: Final = ("ss", "sh", "ch", "x", "z", "o")


def name_hero(text: str, hero_name: str) -> str:
    """Return the text with the hero's name for every first person that is not quoted."""
    if not hero_name:
        return text
    parts = _QUOTED.split(text)
    return "".join(
        part if index % 2 else _name_in_prose(part, hero_name, is_start=index == 0)
        for index, part in enumerate(parts)
    )


def as_first_person(sentence: str) -> str:
    """Return a sentence of the GM's with `I` and `my` for `you` and `your`."""
    for pattern, word in _FIRST_PERSON:
        sentence = pattern.sub(word, sentence)
    return sentence


def _name_in_prose(text: str, hero_name: str, *, is_start: bool) -> str:
    text = _replace_subjects(text, hero_name)
    text = _ME.sub(hero_name, text)
    text = _MINE.sub(lambda match: f"{match['before']}{hero_name}'s", text)

    def replace_my(match: re.Match[str]) -> str:
        before = text[max(0, match.start() - CONTEXT_LENGTH) : match.start()].rstrip()
        begins_sentence = (is_start and not before) or before.endswith((".", "!", "?", ":"))
        is_name = match["my"] == "My" and match["next"].isupper() and not begins_sentence
        return match["my"] if is_name else f"{hero_name}'s"

    return _MY.sub(replace_my, text)


def _replace_subjects(text: str, hero_name: str) -> str:
    """Replace `I`, with the verb that belongs to it in the third person."""
    pieces, position, last_end, is_in_clause = [], 0, 0, False
    while match := _I.search(text, position):
        position = match.end()
        before = text[max(0, match.start("i") - CONTEXT_LENGTH) : match.start("i")]
        after = text[match.end() : match.end() + CONTEXT_LENGTH]
        if match["i"] == "i" and not _is_word_of_its_own(before, after, match["short"]):
            continue
        if _NUMBER_BEFORE.search(before) or (not match["short"] and _NUMERAL_AFTER.match(after)):
            continue
        auxiliary = match["before"] or ""
        replaced = f"{_conjugate_word(auxiliary.strip())} " if auxiliary else ""
        replaced += hero_name
        if match["short"]:
            replaced += f" {_CONTRACTIONS[match['short'].casefold()]}"
        pieces += [text[last_end : match.start()], replaced]
        last_end = match.end()
        is_one_of_several = _AFTER_AND.search(before) and not is_in_clause
        is_subject = not (match["short"] or auxiliary or _INVERTED.search(before))
        verb = _VERB.match(after) if is_subject else None
        if verb and (verb["verb"] == "am" or not is_one_of_several):
            is_in_clause = True
            conjugated, is_present = _conjugate(verb)
            pieces.append(conjugated)
            last_end = position = match.end() + verb.end()
            if is_present:
                rest, length = _conjugate_second_verbs(text[last_end:])
                pieces.append(rest)
                last_end = position = last_end + length
    return "".join((*pieces, text[last_end:]))


def _is_word_of_its_own(before: str, after: str, short: str | None) -> bool:
    """Say whether a small `i` is the pronoun: typed in haste, and no letter of a list."""
    return (not before.strip() or before[-1:].isspace()) and (short is not None or after[:1].isspace())


def _conjugate(verb: re.Match[str]) -> tuple[str, bool]:
    """Return a verb with its adverbs in the third person, and whether it is in the present."""
    word = verb["verb"]
    if verb["nt"]:
        stem = {"do": "does", "have": "has", "were": "was"}.get(word.casefold(), word)
        return f"{verb['space']}{stem}{verb['nt']}", False
    conjugated = _conjugate_word(word)
    return f"{verb['space']}{conjugated}", conjugated != word and word not in ("am", "have", "do", "were")


def _conjugate_second_verbs(text: str) -> tuple[str, int]:
    """Return the rest of a sentence with the verbs behind `and` in the third person, and its length before."""
    sentence = re.split(r"(?<=[.;!?])|\b(?=[Ii]\b)", text, maxsplit=1)[0]

    def conjugate(match: re.Match[str]) -> str:
        word = match["verb"]
        return match["joint"] + (_conjugate_word(word) if word in _PLAIN_SECOND_VERBS else word)

    return _SECOND_VERB.sub(conjugate, sentence), len(sentence)


def _conjugate_word(word: str) -> str:
    """Return a verb of the first person in the third; pasts and auxiliaries stay as they are."""
    folded = word.casefold()
    if folded in _OWN_FORMS:
        return _OWN_FORMS[folded]
    is_past = folded.endswith("ed") and folded not in _ENDS_IN_ED
    is_third_person = folded.endswith("s") and not folded.endswith("ss")
    if folded in _UNCHANGED or is_past or is_third_person or folded == "never":
        return word
    if folded.endswith(_WITH_ES):
        return f"{word}es"
    if folded.endswith("y") and folded[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}s"
