"""Reads that somebody is killed in other words: `cuts Aldwin's throat`, `runs him through`. Pure.

What is only wished, threatened, ordered, supposed, asked or denied is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final

from agents.prose.clauses import UNREAL
from agents.prose.death_phrases import (
    KILLS,
    KILLS_IN_PART,
    is_not_done,
    is_way_of_speaking,
)
from agents.prose.names import find_names
from agents.prose.phrases import PhrasePattern
from agents.prose.trades import is_trade
from agents.prose.words import split_sentences
from agents.search.asked_things import SOMEBODY
from agents.search.marked_names import MARK, mark_names
from agents.search.normal_words import word_forms

_MAY_KILL: Final = re.compile(
    r"\b(?:neck|throat|life|hearts?|skull|head|brains|to (?:death|the sword|h\w+ (?:death|grave|maker))|dead|through"
    r"|off|alive|apart|asunder|limb|pieces|shreds|bits|ribbons|two|half|slay\w*|slew|murder\w*|behead\w*|decapitat\w*|execut\w*"
    r"|assassinat\w*|strangl\w*|garrott?\w*|drown\w*|smother\w*|hang(?:s|ed)?|hung|devour\w*|butcher\w*|slaughter\w*"
    r"|lynch\w*|crucif\w*|impale\w*|disembowel\w*|incinerat\w*|electrocut\w*|suffocat\w*|end(?:s|ed)?|eats?|ate|dies|died|down)\b",
    re.IGNORECASE,
)
"""Words without one of which no text tells of a killing in other words."""
_PIERCES: Final = PhrasePattern(
    r"""
    [run] @\d+@ (right |clean |straight )?through(?=\s*(?:$|[.,;:!…—–]|with\b|and\b))
    [stab run shoot strike] @\d+@ ((right|clean|straight) )?(through|in) (the|his|her|their) heart\b
    [run shoot strike] @\d+@ ((right|clean|straight) )?through (the|his|her|their) (head|neck|throat|brain)\b
    [cut gun mow hew] (down @\d+@|@\d+@ down)(?! (from|off)\b)
    [drive plunge thrust ram bury sink push] (a|an|the|my|your|his|
        her|their) (\w+ ){1,3}((deep|straight) )?(into|in|through) @\d+@['’]s (heart|throat)\b
    [garrotte] @\d+@(?!['’])
    (?<=,)\s+(\w+ly )?(cutting|slitting) @\d+@['’]s throat\b
    (?<=,)\s+(\w+ly )?(breaking|snapping) @\d+@['’]s neck\b
    """
)
_FOUND_DEAD: Final = "who2"
_WISHES: Final = re.compile(
    r"\b(?:wish\w*|let(?:['’]s)?|wants?|orders?|ordered|tells?|told|dares?|dared)\b", re.IGNORECASE
)
_COMES_TO_IT: Final = re.compile(r"\b(?:manage[sd]?|comes?|came|help(?:s|ed)?) to $")
_NO_SUBJECT: Final = re.compile(r"(?:^|[“\"‘!:—–])\s*(?:(?:now|go|just|and|then),?\s+)?$", re.IGNORECASE)
"""Before a verb that is an order."""
_WORD: Final = re.compile(r"[^\W_]+")
_CALLED: Final = re.compile(
    r"\b(?:the|an?|his|her|their|my|your|our) ([a-z]+)(?: ([a-z]+))?\b", re.IGNORECASE
)
"""What somebody is called: `the guard`."""
_ARTICLE_OF_MARK: Final = re.compile(r"\b(?:the|an?) (?:[a-z]+ )?(?=@\d+@)", re.IGNORECASE)
_ATTACKS: Final = PhrasePattern(
    r"""
    [shoot stab strike hit cut slash spear pierce bite maul crush club knife throttle choke poison push
        throw] (?P<who>@\d+@)(?!['’])
    """
)
"""What may kill somebody: it did if they die then."""
_THEN_DIES: Final = re.compile(
    r"\W*(?:then |and |who |(?P<mark>@\d+@) |he |she |they |it )+(?:dies|died|falls (?:down )?dead|fell dead"
    r"|drops dead|is dead|was dead|bleeds to death|bled to death|drowns|drowned)\b",
    re.IGNORECASE,
)
"""How somebody ends who was attacked in the sentence before: `He dies on the carpet.`"""
_ENDS_AS_DEAD: Final = re.compile(
    r",? (?:who|and (?:he|she|they)) (?:dies|died|falls dead|fell dead|drops dead|bleeds to death|bled to death)\b",
    re.IGNORECASE,
)
"""The same in one sentence: `stabs Osk, who dies`."""
_HIS_OR_HIM: Final = re.compile(
    r"\b(?P<his>his|her|their)(?=\s+(?:neck|throat|life|heart|skull|head|brains)\b)"
    r"|\b(?:him|her)(?=\s*(?:$|[.,;:!?…—–]|(?:to death|through|dead|with|in|on|at|and|by|from|off|down)\b))",
    re.IGNORECASE,
)
_OPENS_WITH_PRONOUN: Final = re.compile(r"\W*(?:he|she|they|it)\b", re.IGNORECASE)


def say_killing_plainly(text: str, names: Sequence[frozenset[str]]) -> str:
    """Return a text with `kills Aldwin` for what kills him in other words.

    `names` are the words of the names of those who are asked about, in normal form.
    """
    if not names or "@" in text or not _MAY_KILL.search(text):
        return text
    spoken: dict[str, str] = {}
    sentences: list[str] = []
    marked_sentences = [mark_names(sentence, names, spoken) for sentence in split_sentences(text)]
    for marked, following in zip_longest(marked_sentences, marked_sentences[1:], fillvalue=""):
        before = sentences[-1] if sentences else ""
        meant = _ARTICLE_OF_MARK.sub("", _mark_pronouns(marked, before) if len(names) == 1 else marked)
        plain = _name_deadly_attack(_name_killing(meant), following)
        sentences.append(marked if plain == meant else plain)
    return MARK.sub(lambda match: spoken[match[0]], " ".join(sentences))


def find_who_may_be_killed(text: str, killer_words: frozenset[str]) -> tuple[frozenset[str], ...]:
    """Return the words of the names and callings of those of whom a text speaks, but for whoever kills.

    They are in normal form: Sukh's, and those of `the guard`.
    """
    if not _MAY_KILL.search(text):
        return ()
    callings = [
        word
        for words in _CALLED.findall(text)
        for word in words
        if SOMEBODY.fullmatch(word) or is_trade(word)
    ]
    words_of_each = (word_forms(one) for one in (*find_names(text), *callings))
    return tuple(dict.fromkeys(words for words in words_of_each if words and words.isdisjoint(killer_words)))


def _mark_pronouns(sentence: str, sentence_before: str) -> str:
    """Return a marked sentence with the mark for `him` and `his`, where that can mean nobody else who is named."""

    def mark(match: re.Match[str]) -> str:
        before = sentence[: match.start()]
        marks = list(MARK.finditer(before))
        if marks:
            is_meant = not before.lstrip().startswith(marks[0][0]) and not find_names(
                f"then {before[marks[-1].end() :]}"
            )
        else:
            is_meant = (
                MARK.search(sentence_before) is not None
                and not find_names(MARK.sub("", sentence_before))
                and len(find_names(before)) <= 1
                and _OPENS_WITH_PRONOUN.match(sentence) is None
            )
        if not is_meant:
            return match[0]
        return "@0@'s" if match["his"] else "@0@"

    return _HIS_OR_HIM.sub(mark, sentence)


def _name_killing(sentence: str) -> str:
    """Return a marked sentence with `kills @0@` for what kills in other words."""
    if not MARK.search(sentence) or UNREAL.search(sentence) or sentence.rstrip("”\"’' ").endswith("?"):
        return sentence
    for match in list(_find_killings(sentence))[::-1]:
        if _is_done(sentence, match) and (mark := _find_killed(match)):
            sentence = f"{sentence[: match.start()].rstrip()} kills {mark}{sentence[match.end() :]}"
    return sentence


def _name_deadly_attack(sentence: str, following: str) -> str:
    """Return a marked sentence with `kills @0@` for an attack on somebody who then dies."""
    attack = max(_ATTACKS.finditer(sentence), key=lambda m: m.start(), default=None)
    if attack is None or UNREAL.search(sentence) or not _is_done(sentence, attack):
        return sentence
    rest = sentence[attack.end() :]
    end = _THEN_DIES.match(following) or _ENDS_AS_DEAD.search(rest)
    if end is None or end.groupdict().get("mark") not in (None, attack["who"]):
        return sentence
    return f"{sentence[: attack.start()].rstrip()} kills {attack['who']}{rest}"


def _find_killings(sentence: str) -> Iterator[re.Match[str]]:
    """Yield what kills in a marked sentence, in order, each once."""
    matches = [match for pattern in (KILLS, KILLS_IN_PART, _PIERCES) for match in pattern.finditer(sentence)]
    end = 0
    for match in sorted(matches, key=lambda m: m.start()):
        begins_word = not (match.start() and sentence[match.start() - 1].isalnum())
        if begins_word and match.start() >= end:
            end = match.end()
            yield match


def _find_killed(match: re.Match[str]) -> str:
    """Return the mark of who is killed; empty if it is found dead, or is somebody's: `strangles @0@'s dog`."""
    whole = {key: mark for key, mark in match.groupdict().items() if mark}
    if not whole:
        mark = MARK.search(match[0])
        return mark[0] if mark is not None else ""
    (key, killed), *_ = whole.items()
    is_owner = match.string[match.end(key) :].startswith(("'", "’"))
    return "" if is_owner or key == _FOUND_DEAD else killed


def _is_done(sentence: str, match: re.Match[str]) -> bool:
    before = sentence[: match.start()]
    first_word = _WORD.search(match[0])
    is_order = (
        first_word is not None
        and not first_word[0].casefold().endswith(("s", "ed", "ing"))
        and _NO_SUBJECT.search(before) is not None
    )
    if is_order or is_way_of_speaking(before) or _WISHES.search(before):
        return False
    return not is_not_done(_COMES_TO_IT.sub("", before))
