"""Says whom the pronoun means that reported words begin with: `Hela comes in and says she is cold`. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.canon_keeper.propositions.vocabulary import load_nouns_for_people
from agents.prose.mentions import is_of_other_sex
from agents.prose.names import any_name_pattern, find_name_spans

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
_DEAD: Final = re.compile(r"\b(?:body|corpse)\b")
_TITLES: Final = {"he": "lord", "she": "lady"}


def name_pronoun(words: str, name: str) -> str:
    """Return words with a name for the `he`, `she`, `his` or `her` that they begin with."""
    pronoun = _PRONOUN.match(words) if name else None
    if pronoun is None:
        return words
    named = name if pronoun["subject"] else f"{name}'s"
    return named + words[pronoun.end() :]


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
    nouns = load_nouns_for_people()
    is_other_meant = (
        any(find_name_spans(rest))
        or _OTHERS[sex].search(rest) is not None
        or _DEAD.search(rest) is not None
        or any(w in nouns or w.removesuffix("s") in nouns for w in re.findall(r"[a-z]+", rest))
    )
    return not is_other_meant and not is_of_other_sex(_TITLES[sex], speaker_names)
