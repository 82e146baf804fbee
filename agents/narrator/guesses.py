"""What prose says has changed, read by a few plain rules, for when no model reads it. Pure.

Three things alone, each with a high bar: somebody new with a name, somebody who dies, and a promise that
somebody gives. What is less plain is left to the GM. Source: design/loops.md, node `extract`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from agents.context_assembly.spans import is_titled, spans_in
from agents.narrator.speech import SAYS, any_of, sentences, speaker_of, speeches, told
from agents.personas.outputs import Change

MOST: Final = 6

_PLACED = re.compile(
    r"\b(?:in|at|to|into|through|from|toward|towards|near|outside|inside|beyond|of)\s+(?:the\s+)?$", re.I
)
_INTRODUCED = re.compile(
    r"\b(?:named|called|known as|introduces (?:himself|herself|themselves) as|name is|i am|i['’]m)\s+$", re.I
)
_DIES = (
    r"(?:dies|drops dead|falls dead|is dead|lies dead|is slain|is killed|breathes (?:his|her|their|its) last|"
    r"bleeds out|draws (?:his|her|their|its) last breath)"
)
_HEDGED = re.compile(
    r"\b(?:if|would|could|might|may|must|should|unless|until|before|almost|nearly|as if|as though|like|when|"
    r"not|never|think\w*|fear\w*|seem\w*|pretend\w*|play\w*|dream\w*|imagin\w*|once|ago|story|tale|song|soon|"
    r"believ\w*|rumou?r\w*|hop\w*)\b|n['’]t\b|\?",
    re.IGNORECASE,
)
_PROMISES = re.compile(
    r"\b(?:i (?:promise|swear|vow)|you have my word|i give you my word|on my (?:oath|word))\b", re.I
)


def guessed(text: str, known: Sequence[Sequence[str]]) -> tuple[Change, ...]:
    """Return what the prose plainly says has changed. `known` are those on record who matter here, each by
    names, the full one first; only they die or promise."""
    found = [*_deaths(text, known), *_promises(text, known), *_newcomers(text)]
    return tuple(found[:MOST])


def _deaths(text: str, known: Sequence[Sequence[str]]) -> Iterator[Change]:
    for names in known:
        for sentence in sentences(told(text)):
            match = re.search(rf"{any_of(names)}(?:,[^,]{{1,40}},)?\s+(?:\w+ly\s+)?{_DIES}\b", sentence)
            if match and not _HEDGED.search(sentence) and "¶" not in sentence:
                yield Change(kind="died", subject=names[0], quote=sentence[:300], weight=95)
                break


def _promises(text: str, known: Sequence[Sequence[str]]) -> Iterator[Change]:
    for speech in speeches(text):
        speaker = speaker_of(speech, known)
        if speaker is None:
            continue
        for sentence in sentences(speech.words):
            if _PROMISES.search(sentence) and not _HEDGED.search(_PROMISES.sub("", sentence)):
                words = sentence.strip(" ,.")
                name = known[speaker][0]
                yield Change(
                    kind="promise", subject=name, object=f"“{words[:180]}”", quote=words[:300], weight=70
                )


def _newcomers(text: str) -> Iterator[Change]:
    """Yield names that carry some weight: named twice, titled, introduced as somebody, or speaking."""
    spans = spans_in(text)
    times = Counter(span.name for span in spans)
    for name in times:
        first = next(span for span in spans if span.name == name)
        before, behind = text[: first.start], text[first.end : first.end + 60]
        speaks = re.search(rf"{any_of([name])}\s+{SAYS}\b|{SAYS}\s+{any_of([name])}", text) is not None
        introduced = _INTRODUCED.search(before[-40:]) is not None
        about = re.match(r",\s+((?:the|a|an)\s[^,.;!?”\"]{3,80})[,.]", behind)
        weight = 15 * min(times[name], 3) + 25 * is_titled(name) + 15 * (" " in name)
        weight += 25 * speaks + 30 * introduced + 20 * (about is not None)
        placed = _PLACED.search(before[-20:]) is not None and not speaks and not is_titled(name)
        yield Change(
            kind="new",
            subject=name,
            predicate="place" if placed and not introduced else "character",
            object=about[1].strip() if about else "",
            quote=_sentence_at(text, first.start)[:300],
            weight=min(weight, 100),
        )


def _sentence_at(text: str, place: int) -> str:
    """Return the sentence around a place, in the text's own words."""
    start = max((m.end() for m in re.finditer(r"[.!?…]+[”\"’]?\s+|\n", text[:place])), default=0)
    end = re.search(r"[.!?…]+|\n|$", text[place:])
    return text[start : place + (end.end() if end else 0)].strip()
