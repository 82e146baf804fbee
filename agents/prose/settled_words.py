"""Finds words that say a promise is kept or broken or a decision dropped, and which of several they mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.prose.hero_name import name_hero
from agents.prose.words import stem

_KEEPS: Final = re.compile(
    r"\b[Aa]s (?:I|we|he|she|they|[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?)(?: had| have| has)?(?: once)? "
    r"(?:promised|swore|sworn|vowed|pledged)\b"
    r"(?=$|[,.;:!]| (?:to |that )?(?:you|him|her|them|and|(?:I|he|she|they) would|[A-Z]))"
    r"|\b(?:keeps?|kept|(?:have|has) (?:now )?kept) (?:my|his|her|their|our) (?:promise|oath|word|vow|pledge)\b"
    r"|\bmy (?:promise|oath|word|vow)(?: to [A-Z][\w'’-]+)? is kept\b"
)
_BREAKS: Final = re.compile(
    r"\b(?:breaks?|broke|broken) (?:my|his|her|their|our|the) (?:promise|oath|word|vow|pledge)\b"
    r"|\bpromised\b.*\b(?:have|has) (?:now |since )?failed\b"
)
_DROPS: Final = re.compile(
    r"\bI (?:hereby |now )?(?:drop|lift|take back|give up|abandon|revoke|go back on|let go of)\b[^.;!?]*"
    r"\b(?:rule|decision|decided|resolve|resolution|resolved|vow|swore|vowed)\b"
    r"|\bI no longer (?:hold|keep) to\b"
)
_NO_PAYMENT: Final = (
    r"(?:a visit|a call|a compliment|attention|heed|court|(?:no )?mind|(?:my|his|her|their) respects)"
)
_PAYS: Final = re.compile(
    r"(?<!to )\b(?:pays?|paid|repays?|repaid|settles?|settled|clears?|cleared)\b"
    rf"(?!(?: [\w'’-]+){{0,2}} {_NO_PAYMENT}\b)"
)
_FORGIVES: Final = re.compile(
    r"(?<!to )\b(?:forgives?|forgave|forgiven|waives?|waived|cancels?|cancelled|canceled|writes? off|wrote off)\b"
)
_GIVES_BACK: Final = re.compile(
    r"(?<!to )\b(?:gives?|gave|hands?|handed|returns?|returned|brings?|brought|delivers?|delivered|sends?|sent)\b"
)
_TO_GIVE_BACK: Final = re.compile(
    r"\bpromised\b.*\b(?:give|hand|return|bring|deliver|send|fetch)\b", re.DOTALL
)
_GIVES_PROMISED: Final = re.compile(
    r"(?<!to )\b(?:gives?|gave|hands?|handed|brings?|brought|delivers?|delivered|sends?|sent)\b"
    r"(?=[^.;:!?]{1,80} (?:I|we|you)(?: had| have)?(?: once)? promised(?:$|[.,;:!]| (?:to )?(?:him|her|them|[A-Z])))"
)
"""What is given is what was promised: `give Wick the boots I promised`."""
_PROMISED: Final = re.compile(r"\bpromised\b")
_OWES: Final = re.compile(r"\bowes?\b")
_NAME: Final = r"[A-Z][\w'’-]*(?: (?:of |the )?[A-Z][\w'’-]*)*"
_PARTIES: Final = re.compile(
    rf"^(?P<debtor>{_NAME}) (?:owes|promised)(?: to)?(?: (?:re)?pay(?: back)?)? "
    rf"(?P<creditor>{_NAME}(?:(?:, {_NAME}){{0,3}},? and {_NAME})?)"
)
_TO_PAY: Final = re.compile(r"\bpromised\b.*\b(?:re)?pay\b", re.DOTALL)
_WHOLE_DEBT: Final = re.compile(
    r"\b(?:(?:my|our|his|her|their|the) debt|what (?:I|we|he|she|they) owed?s?)\b"
    rf"|\b(?:repa(?:y|ys|id) (?:{_NAME}|me|you)(?: back)?|pa(?:y|ys|id) (?:{_NAME}|me|you|him|her) back)"
    r"(?: in full| at last| to the last (?:coin|penny))?[.!]?$"
)
"""Says that all is paid that is owed, whatever that is."""
_NAME_OF_DOER: Final = re.compile(r"\b[A-Z]")
_RECEIVER: Final = re.compile(rf"\s+(?:back\s+)?(?P<name>{_NAME})\b(?![\w'’]| debts?\b)")
_OTHER_DOER: Final = re.compile(
    r"\b(?:I|we|you|he|she|they)\b|\b(?:is|are|was|were|been|gets?|got)(?: \w+ly)? $", re.IGNORECASE
)
"""Who else may do what the verb after it says, and the passive."""
MIN_WORDS_OF_DEBT: Final = 3
"""Words of a debt that a payment names: who, to whom, how much."""
MIN_WORDS_OF_WHOLE_DEBT: Final = 1
"""The same, where all is paid that is owed: to whom."""
MIN_WORDS_OF_THING: Final = 2
"""Words of a promise that who brings something back names: to whom, what."""
_UNSURE: Final = re.compile(
    r"\b(?:[Ii]f|[Uu]nless|whether|not|never|cannot|would|could|might|may|should|must|will|shall|want|hope|wish|"
    r"dream\w*|try|mean to|going to|almost|nearly)\b|n['’]t\b|['’]ll\b"
)
_FORBIDS: Final = re.compile(
    r"\b(?:never|not|no longer)\s+(?:again\s+|ever\s+|\w+ly\s+)*(?P<verb>[a-z]{3,})\b(?P<rest>[^.;:,]*)",
    re.IGNORECASE,
)
_DOES: Final = re.compile(
    r"\b(?:I|[Ww]e)\s+(?:\w+ly\s+|then\s+)*(?P<verb>[a-z]{3,})\b(?!\s+(?:nobody|nothing|no one|none|no)\b)"
)
_COMMON_WORDS: Final = frozenset(
    {
        *("promise", "promised", "oath", "word", "swear", "swore", "vow", "rule", "decide", "decided"),
        *("decision", "never", "will", "shall", "that", "this", "with", "from", "have", "has", "had", "what"),
        *("when", "then", "than", "them", "they", "their", "there", "here", "into", "over", "upon", "your"),
        *("you", "and", "the", "for", "now", "not", "again", "still", "back", "take", "took", "drop", "kept"),
        *("keep", "about", "would", "once", "more", "some", "any"),
    }
)
"""Words that are in too many promises and decisions to tell them apart."""
MIN_LETTERS: Final = 3
"""Letters of a word that is compared."""


def keeps_promise(sentences: Sequence[str]) -> bool:
    """Say whether a sentence plainly says that a promise is kept."""
    return _has_plain(_KEEPS, sentences)


def breaks_promise(sentences: Sequence[str]) -> bool:
    """Say whether a sentence plainly says that a promise is broken."""
    return _has_plain(_BREAKS, sentences)


def settles_commitment(sentences: Sequence[str]) -> bool:
    """Say whether a sentence plainly says that something is paid, forgiven or brought: it may settle a commitment."""
    return any(_has_plain(pattern, sentences) for pattern in (_PAYS, _FORGIVES, _GIVES_BACK))


def forgives_debt(sentences: Sequence[str]) -> bool:
    """Say whether a sentence plainly says that a debt is forgiven."""
    return any(_has_plain(_FORGIVES, [s]) and _WHOLE_DEBT.search(s) is not None for s in sentences)


def find_settled(sentences: Sequence[str], statements: Sequence[str], hero_name: str = "") -> int | None:
    """Return the index of the debt that is plainly paid or forgiven, or of the promise to pay or bring what is.

    `hero_name` is who `I` and `me` are. None if there is none, or several fit as well.
    """
    for pattern, settles, minimum in (
        (_PAYS, _OWES, MIN_WORDS_OF_DEBT),
        (_FORGIVES, _OWES, MIN_WORDS_OF_DEBT),
        (_GIVES_BACK, _OWES, MIN_WORDS_OF_DEBT),
        (_PAYS, _TO_PAY, MIN_WORDS_OF_DEBT),
        (_GIVES_BACK, _TO_GIVE_BACK, MIN_WORDS_OF_THING),
        (_GIVES_PROMISED, _PROMISED, MIN_WORDS_OF_THING),
    ):
        plain = [sentence for sentence in sentences if _has_plain(pattern, [sentence])]
        candidates = [n for n, statement in enumerate(statements) if settles.search(statement)]
        for sentence in plain:
            texts = [statements[n] for n in candidates]
            if pattern is _GIVES_BACK and settles is _OWES:
                # What is owed is given, and not what it is owed for: who hands over the lamp pays no debt for it.
                texts = [text.partition(" for ")[0] for text in texts]
            is_whole = settles in (_OWES, _TO_PAY) and _WHOLE_DEBT.search(sentence) is not None
            # All that one owes is one's own; of a sum, `I pay Vess what Dob owes her` says whose it is.
            named = name_hero(sentence, hero_name) if is_whole and pattern is _PAYS else sentence
            index = find_best_match(sentence, texts)
            index = find_best_match(named, texts) if index is None else index
            if index is not None and (
                _is_done_by_other(pattern, named, texts[index])
                or _goes_to_another(pattern, named, texts[index])
            ):
                continue
            least = MIN_WORDS_OF_WHOLE_DEBT if is_whole else minimum
            if index is not None and len(_stems(sentence) & _stems(texts[index])) >= least:
                return candidates[index]
    return None


def _is_done_by_other(pattern: re.Pattern[str], sentence: str, statement: str) -> bool:
    """Say whether somebody else gives it than who promised it: `Dob hands me the ring` keeps no promise of mine."""
    parties, deed = _PARTIES.match(statement), pattern.search(sentence)
    if parties is None or deed is None:
        return False
    text_before = sentence[: deed.start()]
    return (
        _NAME_OF_DOER.search(text_before) is not None
        and _stems(text_before).isdisjoint(_stems(parties[_doer_of(pattern)]))
        and _OTHER_DOER.search(text_before) is None
    )


def _goes_to_another(pattern: re.Pattern[str], sentence: str, statement: str) -> bool:
    """Say whether somebody else is given it than who is owed it: `Dace pays Hask` settles no debt to Mara."""
    parties, deed = _PARTIES.match(statement), pattern.search(sentence)
    if parties is None or deed is None:
        return False
    receiver = _RECEIVER.match(sentence, deed.end())
    other_party = "debtor" if _doer_of(pattern) == "creditor" else "creditor"
    return receiver is not None and _stems(receiver["name"]).isdisjoint(_stems(parties[other_party]))


def _doer_of(pattern: re.Pattern[str]) -> str:
    """Return which party to a debt does what settles it: who is owed it forgives it."""
    return "creditor" if pattern is _FORGIVES else "debtor"


def drops_decision(sentences: Sequence[str]) -> bool:
    """Say whether a sentence of the player's plainly says that a decision is dropped."""
    return _has_plain(_DROPS, sentences)


def goes_against(sentence: str, decision: str) -> bool:
    """Say whether a sentence of the hero's plainly does what a decision says is never done.

    `I kill Vess.` goes against `We never kill.` and not against `We never kill a child.`
    """
    forbidden = _FORBIDS.search(decision)
    if forbidden is None or sentence.rstrip().endswith("?"):
        return False
    objects = _stems(forbidden["rest"])
    return any(
        stem(match["verb"]) == stem(forbidden["verb"].casefold())
        and not _UNSURE.search(sentence[: match.start()])
        and (not objects or not objects.isdisjoint(_stems(sentence[match.end() :])))
        for match in _DOES.finditer(sentence)
    )


def find_best_match(text: str, candidates: Sequence[str]) -> int | None:
    """Return the index of the candidate that shares the most words with the text; None if several do, or none."""
    words = _stems(text)
    scores = [len(words & _stems(candidate)) for candidate in candidates]
    best = max(scores, default=0)
    return scores.index(best) if best and scores.count(best) == 1 else None


def _has_plain(pattern: re.Pattern[str], sentences: Sequence[str]) -> bool:
    matches = ((sentence, pattern.search(sentence)) for sentence in sentences)
    return any(
        match and not sentence.rstrip().endswith("?") and not _UNSURE.search(sentence[: match.start()])
        for sentence, match in matches
    )


def _stems(text: str) -> set[str]:
    words = (word.casefold().removesuffix("'s").removesuffix("’s") for word in re.findall(r"[\w'’-]+", text))
    return {stem(word) for word in words if len(word) >= MIN_LETTERS and word not in _COMMON_WORDS}
