"""Finds prose that narrates a failure as a success, or the reverse.

By rule only where it is said in so many words (`you manage to`), and only of the player's own attempt: not what others
fail at, what is spoken, what almost happened, or what the same passage takes back. How an attempt ends in other words,
a model reads; that counts with a sentence of the prose to show for it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.prose.names import any_name_pattern
from agents.prose.quotes import find_quote
from agents.prose.speech import strip_speech
from agents.prose.words import split_sentences
from stores.records.play import Degree

_ATTACK_NOUNS = (
    r"(?:blow|strike|swing|cut|thrust|stroke|shot|arrow|bolt|blade|sword|knife|dagger|axe|fist|"
    r"punch|kick|throw|"
    r"attack|stab|lunge|spear|bullet)"
)
_FAILS = (
    r"{you} (?:\w+ly )?(?:fails?|failed|misses|miss|missed)\b(?! (?:him|her|them|home|"
    r"(?-i:[A-Z])))(?! to (?:notice|see|hear|spot|"
    r"suppress|hide|stifle|"
    r"mask|mention|catch|realise|realize|understand|recognise|recognize|remember))",
    r"{you} (?:cannot|can't|could not|couldn't|(?:are|is|were|was) unable to|do(?:es)? not manage|"
    r"don't manage|"
    r"doesn't manage|did not manage|didn't manage|do(?:es)? not succeed|don't succeed|did not succeed)\b"
    r"(?! (?:help|but|see|hear|tell|say|know|believe|remember|shake|ignore|stop|resist|deny|quite|"
    r"yet|go back|turn back|linger|stay|rest|wait|undo))",
    r"{your} (?:attempt|effort|try|plan|trick|lie|bluff|plea)s? (?:\w+ly )?(?:fails?|failed|comes? "
    r"to nothing|came to "
    r"nothing|falls? (?:flat|short)|fell (?:flat|short))",
    rf"{{your}} {_ATTACK_NOUNS} (?:\w+ly )?(?:misses|missed|goes wide|went wide|glances off|glanced off|"
    rf"finds (?:only|nothing "
    r"but) air|cuts (?:only|nothing but) air|meets (?:only|nothing but) air)",
    r"{you}\b[^,;:]*\b(?:to no avail|in vain|without success)\b",
)
_SUCCEEDS = (
    r"{you} (?:\w+ly )?(?:succeeds?|succeeded)\b(?! only)",
    r"{you} (?:\w+ly )?(?:manages?|managed) (?:to|it)\b",
    rf"{{your}} {_ATTACK_NOUNS} (?:\w+ly )?(?:land(?:s|ed)(?= home|[.,;!]| (?:hard|true|square|clean))|"
    rf"strikes true|struck true|hits home|hit home|"
    rf"finds its mark|found its "
    r"mark|bites deep|bit deep|connects|connected)",
    r"{your} (?:attempt|effort|plan|trick|lie|bluff|plea)s? (?:\w+ly )?(?:works?|worked|succeeds?|"
    r"succeeded)\b",
    r"{you} (?:\w+ )?successfully\b",
)
_HEDGES = re.compile(
    r"\b(?:not|never|no|nobody|nothing|almost|nearly|barely|hardly|scarcely|only|if|unless|would|"
    r"could have|might|may|"
    r"until|before|lest|as if|as though|seems?|seemed|think|thought|expects?|fears?|feared|hopes?|"
    r"hoped|had|once|"
    r"yesterday|ago|last time|earlier|again and again|wonders?|whether|try to|trying to)\b|n't\b|\?",
    re.IGNORECASE,
)
"""Words that make it something other than a present event."""
_REVERSALS = re.compile(
    r"\b(?:but|yet|then|until|finally|at last|still|though|however|instead|suddenly|in the end|a "
    r"moment later|this "
    r"time|except|before)\b"
)


def find_result_contradiction(text: str, degree: Degree | None, player_names: Sequence[str]) -> str:
    """Return the sentence that contradicts the rolled result; empty if there is none.

    `player_names` are names of the player's character besides `you`.
    """
    if degree not in (Degree.SUCCESS, Degree.FAIL):
        return ""
    contradicting_patterns, agreeing_patterns = (
        (_FAILS, _SUCCEEDS) if degree is Degree.SUCCESS else (_SUCCEEDS, _FAILS)
    )
    you = rf"(?:\byou\b|{any_name_pattern(player_names)})"
    your = rf"(?:\byour\b|{any_name_pattern(player_names)}['’]s)"
    narrated_sentences = split_sentences(strip_speech(text))
    if any(_find_claim(s, agreeing_patterns, you, your) for s in narrated_sentences):
        return ""
    for n, sentence in enumerate(narrated_sentences):
        match = _find_claim(sentence, contradicting_patterns, you, your)
        if match is None or _is_taken_back(narrated_sentences, n, match):
            continue
        return sentence
    return ""


def find_reported_contradiction(text: str, degree: Degree | None, outcome: str, quoted_text: str) -> str:
    """Return the sentence by which, as a model reads it, prose ends otherwise than the dice; empty if there is none.

    The model was not told the result. What it quotes must stand in the prose.
    """
    opposite_beginning = {Degree.SUCCESS: "fail", Degree.FAIL: "succe"}.get(degree or Degree.NONE)
    if opposite_beginning is None or not outcome.strip().casefold().startswith(opposite_beginning):
        return ""
    quote = find_quote(quoted_text, text) if quoted_text.strip() else None
    return quote.text if quote else ""


def _find_claim(sentence: str, patterns: Sequence[str], you: str, your: str) -> re.Match[str] | None:
    """Return where the sentence plainly says so of the player."""
    for pattern in patterns:
        match = re.search(pattern.replace("{your}", your).replace("{you}", you), sentence, re.IGNORECASE)
        if match is not None and _is_plain(sentence, match):
            return match
    return None


def _is_plain(sentence: str, match: re.Match[str]) -> bool:
    """Return whether nothing in the clause before the words hedges them."""
    text_before = re.split(r"[,;:—]", sentence[: match.start()])[-1]
    plain_match = re.sub(
        r"cannot|can't|could not|couldn't|do(?:es)? not|do(?:es)?n't|did not|didn't|no avail", "", match[0]
    )
    text_after = sentence[match.end() : match.end() + 12]
    if re.search(r"\b(?:perhaps|maybe)\b", sentence, re.IGNORECASE):
        return False
    hedge = _HEDGES.search(f"{text_before} {plain_match}") or _HEDGES.match(text_after.strip())
    return hedge is None and not sentence.rstrip().endswith("?")


def _is_taken_back(narrated_sentences: Sequence[str], n: int, match: re.Match[str]) -> bool:
    """Return whether the rest of the sentence, or the start of the next one, takes it back."""
    text_after = narrated_sentences[n][match.end() :]
    following = " ".join(narrated_sentences[n + 1].split()[:6]) if n + 1 < len(narrated_sentences) else ""
    return _REVERSALS.search(f"{text_after} {following}".casefold()) is not None
