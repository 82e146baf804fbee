"""Says whom the pronoun means that reported words begin with: `Hela comes in and says she is cold`. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

from agents.canon_keeper.propositions.vocabulary import load_nouns_for_people
from agents.prose.mentions import is_of_other_sex
from agents.prose.names import any_name_pattern, find_name_spans
from agents.prose.words import split_sentences

_PRONOUN: Final = re.compile(r"(?P<subject>(?P<he>he)|she)\b|(?:(?P<his>his)|her)(?=\s+[a-z])", re.IGNORECASE)
_CONFESSES: Final = re.compile(r"(?:admit|confess)(?:s|es|ed|ted)?", re.IGNORECASE)
"""What one says of oneself."""
_FEELS: Final = re.compile(
    r"(?:he|she)(?:['’]s| is| was| feels?| felt)(?: (?:so|very|too|still|only|just|rather|quite|not))*"
    r" (?:cold|hungry|thirsty|tired|weary|exhausted|sleepy|afraid|scared|frightened|sorry|ashamed|glad|lonely)\b",
    re.IGNORECASE,
)
_OWN: Final = (
    r"(?:head|hands?|eyes?|face|hair|shoulders?|arms?|lips|voice|throat|breath|teeth|knees?|feet|coat|cloak|hood|hat"
    r"|gloves?|boots?|seat|cup|glass)\b"
)
"""What is the speaker's own where they shake it, raise it or put it down."""
_OTHERS: Final = {
    "he": re.compile(rf"\b(?:he|him|himself)\b|\bhis\b(?!\s+{_OWN})", re.IGNORECASE),
    "she": re.compile(rf"\b(?:she|herself)\b|\bhers?\b(?!\s+{_OWN})", re.IGNORECASE),
}
_HAS_OWN: Final = {
    "he": re.compile(rf"\bhis\s+{_OWN}", re.IGNORECASE),
    "she": re.compile(rf"\bher\s+{_OWN}", re.IGNORECASE),
}
_FEELS_FOR: Final = re.compile(
    r"I (?:(?:do not|don['’]t|never|no longer|still|always|also|now|will|truly|fully|\w+ly) )*"
    r"(?:forgive|trust|distrust|love|hate|thank|owe|need|miss|blame|pity|pardon|admire|respect|fear|envy|despise|like"
    r"|believe|understand|forgave|trusted|loved|hated|needed|missed|blamed|pitied|admired|feared|liked|believed)"
    r" (?:him|(?P<her>her(?= (?:for|with|and|but|again|still|too|now)\b|\W*$)))\b",
)
"""What the hero says of whom they tell it, in reported words: nobody else is told that one is forgiven."""
_ANY_OF: Final = {
    "he": re.compile(r"\b(?:he|him|his|himself)\b", re.IGNORECASE),
    "she": re.compile(r"\b(?:she|hers?|herself)\b", re.IGNORECASE),
}
_BEGINS_WITH_PRONOUN: Final = re.compile(r"\W*(?:he|she|his|her)\b", re.IGNORECASE)
_RECENT_TEXTS: Final = 2
_FOR_WHOM: Final = re.compile(r"\b(?:him|her)\b")
_DEAD: Final = re.compile(r"\b(?:body|corpse)\b")
_TITLES: Final = {"he": "lord", "she": "lady"}


def name_pronoun(words: str, name: str) -> str:
    """Return words with a name for the `he`, `she`, `his` or `her` that they begin with."""
    pronoun = _PRONOUN.match(words) if name else None
    if pronoun is None:
        return words
    named = name if pronoun["subject"] else f"{name}'s"
    return named + words[pronoun.end() :]


def name_listener(words: str, name: str) -> str:
    """Return words with a name for the first `him` or `her`, which was found to mean who is told them."""
    return _FOR_WHOM.sub(lambda _: name, words, count=1) if name else words


def means_listener(words: str, before: str, listener_names: Sequence[str], other_names: Sequence[str]) -> str:
    """Return the pronoun (`he` or `she`) of the listener if by `him` or `her` the hero means them: `I forgive him`.

    Empty if another may be meant, who is named or stands before them, or if the listener's title tells otherwise.
    """
    match = _FEELS_FOR.match(words)
    if match is None:
        return ""
    sex = "she" if match["her"] else "he"
    rest = re.sub(any_name_pattern(listener_names), "", before)
    is_unclear = (
        _is_other_meant(rest, sex, other_names)
        or _is_other_meant(words[match.end() :], sex, other_names)
        or is_of_other_sex(_TITLES[sex], listener_names)
    )
    return "" if is_unclear else sex


def may_be_called(
    pronoun: str,
    names: Sequence[str],
    hero_names: Sequence[str],
    other_names: Sequence[str],
    texts: Sequence[str],
) -> bool:
    """Say whether `he` or `she` means somebody whose sex nothing tells, by the texts before, the last one last.

    A sentence that begins with their name tells it: `Ilka wipes her hands.` Otherwise nobody else was named of late.
    """
    begins_with_name = re.compile(rf"\W*(?:The |Old |Young )?{any_name_pattern(names)}")
    other = "she" if pronoun == "he" else "he"
    is_called_so = False
    for text in texts:
        sentences = split_sentences(text)
        for sentence, following in zip_longest(sentences, sentences[1:], fillvalue=""):
            if begins_with_name.match(sentence):
                words = f"{sentence} {following if re.match(_BEGINS_WITH_PRONOUN, following) else ''}"
                if _ANY_OF[other].search(words):
                    return False
                is_called_so |= _ANY_OF[pronoun].search(words) is not None
    own_names = any_name_pattern((*names, *hero_names))
    return is_called_so or not any(
        _is_other_meant(re.sub(own_names, "", text), pronoun, other_names) for text in texts[-_RECENT_TEXTS:]
    )


def means_speaker(words: str, before: str, speaker_names: Sequence[str], verb: str = "") -> bool:
    """Say whether words begin with a pronoun that can mean only the speaker, by what stands before them.

    They say how somebody feels, which is said of oneself (`Hela says he is a smith` may answer who another is), or are
    admitted, or of what the speaker has who was just seen with something of their own (`rubs her eyes`); nobody else
    is meant before, and the title of the speaker does not tell otherwise.
    """
    pronoun = _PRONOUN.match(words)
    if pronoun is None:
        return False
    sex = "he" if pronoun["he"] or pronoun["his"] else "she"
    rest = re.sub(any_name_pattern(speaker_names), "", before)
    is_known_to_have = pronoun["subject"] is None and _HAS_OWN[sex].search(rest) is not None
    # `Bodil admits that he is her brother`
    is_confession = _CONFESSES.fullmatch(verb) and not _OTHERS["she" if sex == "he" else "he"].search(words)
    if not (_FEELS.match(words) or is_confession or is_known_to_have):
        return False
    return not _is_other_meant(rest, sex) and not is_of_other_sex(_TITLES[sex], speaker_names)


def _is_other_meant(words: str, sex: str, other_names: Sequence[str] = ()) -> bool:
    """Say whether words name or mention somebody whom a pronoun may mean, of `other_names` or not."""
    nouns = load_nouns_for_people()
    return (
        any(find_name_spans(words))
        or (bool(other_names) and re.search(any_name_pattern(other_names), words) is not None)
        or _OTHERS[sex].search(words) is not None
        or _DEAD.search(words) is not None
        or any(w in nouns or w.removesuffix("s") in nouns for w in re.findall(r"[a-z]+", words))
    )
