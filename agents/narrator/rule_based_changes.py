"""Finds changes in prose by a few plain rules, for when no model reads it.

Only three kinds, each with a high bar: a newcomer with a name, a death, and a promise. Anything less plain is
left to the GM.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from agents.canon_keeper.sentences.reader import read_statement
from agents.canon_keeper.sentences.tokens import NameBook, split_words
from agents.personas.outputs import ReportedChange
from agents.prose.names import any_name_pattern, find_name_spans, has_title
from agents.prose.speech import SAYS, find_speaker, find_speeches, strip_speech
from agents.prose.words import split_sentences

MAX_CHANGES: Final = 6

_PLACE_PREPOSITION = re.compile(
    r"\b(?:in|at|to|into|through|from|toward|towards|near|outside|inside|beyond|of)\s+(?:the\s+)?$", re.I
)
_INTRODUCTION = re.compile(
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


def find_plain_changes(text: str, people_names: Sequence[Sequence[str]]) -> tuple[ReportedChange, ...]:
    """Return what the prose plainly says has changed.

    `people_names` are the people who matter here, each by names with the full one first; only they die or
    promise.
    """
    changes = [
        *_find_deaths(text, people_names),
        *_find_promises(text, people_names),
        *_find_narrated_promises(text, people_names),
        *_find_newcomers(text),
    ]
    return tuple(changes[:MAX_CHANGES])


def _find_deaths(text: str, people_names: Sequence[Sequence[str]]) -> Iterator[ReportedChange]:
    for names in people_names:
        for sentence in split_sentences(strip_speech(text)):
            match = re.search(
                rf"{any_name_pattern(names)}(?:,[^,]{{1,40}},)?\s+(?:\w+ly\s+)?{_DIES}\b", sentence
            )
            if match and not _HEDGED.search(sentence) and "¶" not in sentence:
                yield ReportedChange(kind="died", subject=names[0], quote=sentence[:300], weight=95)
                break


def _find_promises(text: str, people_names: Sequence[Sequence[str]]) -> Iterator[ReportedChange]:
    for speech in find_speeches(text):
        speaker = find_speaker(speech, people_names)
        if speaker is None:
            continue
        for sentence in split_sentences(speech.spoken_text):
            if _PROMISES.search(sentence) and not _HEDGED.search(_PROMISES.sub("", sentence)):
                promise_text = sentence.strip(" ,.")
                name = people_names[speaker][0]
                yield ReportedChange(
                    kind="promise",
                    subject=name,
                    object=f"“{promise_text[:180]}”",
                    quote=promise_text[:300],
                    weight=70,
                )


def _find_narrated_promises(text: str, people_names: Sequence[Sequence[str]]) -> Iterator[ReportedChange]:
    """Yield the promises that the prose tells of: `Captain Hark promises Tam a boat`."""
    spellings = frozenset(
        (tuple(token.word for token in split_words(name)), names[0], True)
        for names in people_names
        for name in names
    )
    book = NameBook(spellings, full_names={names[0]: names[0] for names in people_names})
    for sentence in split_sentences(strip_speech(text)):
        if "¶" in sentence or _HEDGED.search(sentence):
            continue
        reading = read_statement(sentence, book)
        for claim in reading.claims:
            if claim.relation == "promised" and claim.is_affirmed and claim.subject.entity and reading.words:
                content = " ".join((*reading.words[0][1].split()[1:], reading.words[0][2])).strip()
                if claim.object is not None and content.startswith(claim.object.entity):
                    content = (
                        f"{content.removeprefix(claim.object.entity).strip()} (to {claim.object.entity})"
                    )
                yield ReportedChange(
                    kind="promise",
                    subject=claim.subject.entity,
                    object=content[:180],
                    quote=sentence[:300],
                    weight=70,
                )
                break


def _find_newcomers(text: str) -> Iterator[ReportedChange]:
    """Yield names with some weight: named twice, titled, introduced, or speaking."""
    spans = find_name_spans(text)
    mention_counts = Counter(span.name for span in spans)
    for name in mention_counts:
        first = next(span for span in spans if span.name == name)
        text_before, text_after = text[: first.start], text[first.end : first.end + 60]
        is_speaking = (
            re.search(rf"{any_name_pattern([name])}\s+{SAYS}\b|{SAYS}\s+{any_name_pattern([name])}", text)
            is not None
        )
        is_introduced = _INTRODUCTION.search(text_before[-40:]) is not None
        apposition = re.match(r",\s+((?:the|a|an)\s[^,.;!?”\"]{3,80})[,.]", text_after)
        weight = 15 * min(mention_counts[name], 3) + 25 * has_title(name) + 15 * (" " in name)
        weight += 25 * is_speaking + 30 * is_introduced + 20 * (apposition is not None)
        is_place = (
            _PLACE_PREPOSITION.search(text_before[-20:]) is not None
            and not is_speaking
            and not has_title(name)
        )
        yield ReportedChange(
            kind="new",
            subject=name,
            predicate="place" if is_place and not is_introduced else "character",
            object=apposition[1].strip() if apposition else "",
            quote=_sentence_at(text, first.start)[:300],
            weight=min(weight, 100),
        )


def _sentence_at(text: str, place: int) -> str:
    """Return the sentence around a position, verbatim."""
    start = max((m.end() for m in re.finditer(r"[.!?…]+[”\"’]?\s+|\n", text[:place])), default=0)
    end = re.search(r"[.!?…]+|\n|$", text[place:])
    return text[start : place + (end.end() if end else 0)].strip()
