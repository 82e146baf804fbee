"""Finds where somebody in prose says a secret that they may not know.

Cautious: a sentence has to have nearly all words of the secret and whom it is about. What is asked, denied, supposed or
wished is no leak, nor is what one who knows says in the same text, or what the player typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, NamedTuple

from agents.context_assembly.context_package import ContextPackage, KnownSecret
from agents.prose.names import any_name_pattern, names_of
from agents.prose.speech import Speech, find_speaker, find_speeches, strip_speech
from agents.prose.words import split_sentences
from agents.search.question_cues import content_stems
from stores.records.world import Entity

MIN_STEMS: Final = 2
"""Words of a secret, names aside, below which it is not looked for: one word may be said of anything."""
MAX_ATTRIBUTION: Final = 40
"""Characters between two pieces of speech that are one person's: `,” says Wenna Pike. “`."""
MIN_SHARE: Final = 0.75
"""The share of those words that a sentence must have."""

_REPORTS: Final = (
    r"(?:says?|tells?|told|knows?|reveals?|explains?|admits?|mentions?|whispers?|declares?|announces?|insists?"
    r"|reminds?|accuses?|swears?)"
)
_NOT_STATED: Final = re.compile(
    r"\b(?:if|whether|unless|must|should|shall|will|would|could|can|may|might|let|perhaps|maybe|as though|as if"
    r"|not|never|nobody|no one|nothing|did|does|do)\b|n['’]t\b|\?",
    re.IGNORECASE,
)
_SOMEBODY: Final = r"\b(?:you|he|she|they|it was)\b"


@dataclass(frozen=True, slots=True)
class WatchedSecret:
    """A secret with those present who may know it and those who may not, each by names."""

    statement: str
    stems: frozenset[str]
    """Its words, without names."""
    subject_names: tuple[str, ...]
    """Names of those it is about."""
    knowers: tuple[tuple[str, ...], ...]
    others: tuple[tuple[str, ...], ...]


class SecretLeak(NamedTuple):
    """Who says a secret that they may not know, and where."""

    name: str
    statement: str
    sentence: str


def find_watched_secrets(package: ContextPackage) -> tuple[WatchedSecret, ...]:
    """Return the secrets of those here that others here may not know."""
    people = [p.entity for p in package.present_npcs()]
    entities = {p.entity.id: p.entity for p in (*package.canonical.cast, *package.canonical.named_elsewhere)}
    watched = (
        _watch(secret, people, [e for i in secret.fact.involves if (e := entities.get(i.entity_id))])
        for secret in package.canonical.secrets
    )
    return tuple(w for w in watched if w.others and len(w.stems) >= MIN_STEMS)


def find_secret_leaks(text: str, secrets: Iterable[WatchedSecret], player_text: str) -> Iterator[SecretLeak]:
    """Yield for each secret the first sentence of somebody who may not know it."""
    for secret in secrets:
        if _tells(player_text, secret, needs_subject=False):
            continue
        if any(True for _ in _find_sayings(text, secret, secret.knowers)):
            continue  # whoever is here hears it
        leak = next(_find_sayings(text, secret, secret.others), None)
        if leak is not None:
            yield leak


def _find_sayings(
    text: str, secret: WatchedSecret, people: Sequence[tuple[str, ...]]
) -> Iterator[SecretLeak]:
    """Yield where one of these people says a secret, in speech or as narrated."""
    everybody = (*secret.knowers, *secret.others)
    for speech in _join_broken_speeches(find_speeches(text)):
        speaker = find_speaker(speech, everybody)
        if speaker is None or everybody[speaker] not in people:
            continue
        sentences = split_sentences(speech.spoken_text)
        for sentence in (*sentences, *map(" ".join, pairwise(sentences))):
            # One who knows says `I`; whoever else does speaks of themselves.
            if _tells(sentence, secret, needs_subject=everybody[speaker] not in secret.knowers):
                yield SecretLeak(everybody[speaker][0], secret.statement, sentence)
    for sentence in split_sentences(strip_speech(text)):
        for names in people:
            reports = re.match(rf"\W*{any_name_pattern(names)}.{{0,40}}?\b{_REPORTS}\b", sentence)
            if reports and _tells(sentence[reports.end() :], secret, needs_subject=True):
                yield SecretLeak(names[0], secret.statement, sentence)


def _join_broken_speeches(speeches: Sequence[Speech]) -> list[Speech]:
    """Return the speeches, those of one paragraph that is nobody else's as one (`“He did,” she says. “At night.”`)."""
    joined: list[Speech] = []
    for speech in speeches:
        last = joined[-1] if joined else None
        between = speech.paragraph[last.end : speech.start] if last else ""
        if last and last.paragraph == speech.paragraph and len(between) <= MAX_ATTRIBUTION:
            # A comma before `says Ama.` ends a sentence, one before `says Ama,` does not.
            is_ended = between.rstrip().endswith((".", "!", "?"))
            spoken_before = re.sub(r",\s*$", ".", last.spoken_text) if is_ended else last.spoken_text
            text = f"{spoken_before} {speech.spoken_text}"
            joined[-1] = replace(last, spoken_text=text, end=last.end)
        else:
            joined.append(speech)
    return joined


def _tells(sentence: str, secret: WatchedSecret, *, needs_subject: bool) -> bool:
    """Return whether a sentence states a secret."""
    if _NOT_STATED.search(sentence) and not _NOT_STATED.search(secret.statement):
        return False
    shared_count = len(secret.stems.intersection(content_stems(sentence)))
    if shared_count < MIN_SHARE * len(secret.stems):
        return False
    subject_pattern = rf"{_SOMEBODY}|{any_name_pattern(secret.subject_names)}"
    return (
        not needs_subject
        or not secret.subject_names
        or re.search(subject_pattern, sentence, re.IGNORECASE) is not None
    )


def _watch(secret: KnownSecret, people: Sequence[Entity], subjects: Sequence[Entity]) -> WatchedSecret:
    subject_names = tuple(name for entity in subjects for name in names_of(entity))
    name_stems = {stem for name in subject_names for stem in content_stems(name)}
    knowers = [p for p in people if secret.fact.is_known_to_any({p.id})]
    return WatchedSecret(
        statement=secret.fact.statement,
        stems=frozenset(content_stems(secret.fact.statement)) - name_stems,
        subject_names=subject_names,
        knowers=tuple(names_of(p) for p in knowers),
        others=tuple(names_of(p) for p in people if p not in knowers),
    )
