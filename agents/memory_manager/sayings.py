"""What is said in a turn, and by whom: the sentences that somebody in the world is told. Pure.

Quoted words go to whom the prose gives them; reported ones (`I tell Bela that ...`, `Tam says that ...`) to
their subject. Without either, all that an NPC's turn holds is said by the NPC. Source: design/product.md,
"Truth against belief: who knows what, since when, told by whom".
"""

from __future__ import annotations

import re
from typing import NamedTuple

from agents.memory_manager.whispers import People, whispers
from agents.prose.names import any_name_pattern
from agents.prose.speech import Speech, find_speaker, find_speeches, strip_speech
from agents.prose.words import split_sentences
from stores.records.ids import Id
from stores.records.play import Speaker, Turn

_REPORTS = (
    r"(?:tells?|told|says?|said|informs?|informed|explains?|explained|warns?|warned|confess(?:es|ed)?|"
    r"admits?|admitted|swears?|swore|claims?|claimed|lies?|lied|reports?|reported|reveals?|revealed|"
    r"whispers?|whispered|mentions?|mentioned|answers?|answered|insists?|insisted)"
)


class Saying(NamedTuple):
    """One sentence, as it stands in the turn. `by` None: it does not say who. `to` are whom it names."""

    words: str
    by: Id | None
    to: tuple[Id, ...] = ()


def sayings(turn: Turn, people: People, pc_id: Id | None) -> list[Saying]:
    """Return what is said in a turn, sentence by sentence."""
    if turn.speaker not in (Speaker.PLAYER, Speaker.GM, Speaker.NPC):
        return []
    found: list[Saying] = []
    own = _own(turn, people, pc_id)
    spoken = whispers(turn.text, turn.speaker, turn.name, people, pc_id)
    for speech in find_speeches(turn.text):
        by = own if turn.speaker is not Speaker.GM else _speaker(speech, people, pc_id)
        for whisper in spoken:
            if speech.spoken_text and speech.spoken_text in turn.text[whisper.start : whisper.end]:
                by = whisper.by
        found += (Saying(s, by) for s in split_sentences(speech.spoken_text))
    if found:
        return found
    if turn.speaker is Speaker.NPC:
        return [Saying(s, own) for s in split_sentences(turn.text)]
    return list(_reported(strip_speech(turn.text), turn.speaker, people, pc_id))


def _speaker(speech: Speech, people: People, pc_id: Id | None) -> Id | None:
    """Return who says what prose quotes; None if it does not say."""
    behind, before = speech.paragraph[speech.end :][:80], speech.paragraph[: speech.start][-80:]
    you = rf"\byou\s+(?:\w+ly\s+)?{_REPORTS}\b"
    if re.match(rf"\s*{you}", behind, re.IGNORECASE) or re.search(rf"{you}[^.!?]*$", before, re.IGNORECASE):
        return pc_id
    for entity_id, names in people.items():
        tells = rf"{any_name_pattern(names)}\s+(?:\w+ly\s+)?{_REPORTS}\b"
        if re.match(rf"\s*{tells}", behind) or re.search(rf"{tells}[^.!?]{{0,40}}[,:]\s*$", before):
            return entity_id
    at = find_speaker(speech, list(people.values()))
    return list(people)[at] if at is not None else None


def _own(turn: Turn, people: People, pc_id: Id | None) -> Id | None:
    if turn.speaker is Speaker.PLAYER:
        return pc_id
    return next((i for i, names in people.items() if turn.name and turn.name in names), None)


def _reported(text: str, speaker: Speaker, people: People, pc_id: Id | None) -> list[Saying]:
    who = any_name_pattern(name for names in people.values() for name in names)
    subject = r"\b(?:I|you)\b" if speaker is Speaker.PLAYER else rf"(?:{who}|\byou\b)"
    pattern = re.compile(
        rf"(?P<by>{subject})\s+(?:\w+ly\s+)?{_REPORTS}\s+"
        rf"(?:(?:to\s+)?(?P<to>(?:{who}|\b(?:you|me|everyone|them|him|her|(?:the|my|your)\s+\w+)\b)"
        rf"(?:\s*(?:,|and)\s*(?:{who}))*)(?:['’]s ear)?)?\s*(?::\s*|,?\s*that\s+)(?P<words>.+)",
        re.IGNORECASE | re.DOTALL,
    )
    colon = re.compile(r"[^.!?]*:\s*", re.DOTALL)
    found: list[Saying] = []
    for part in [text] if colon.match(text) else split_sentences(text):
        match = pattern.search(part)
        if match is None:
            continue
        by = _meant(match["by"], people, pc_id)
        to = tuple(
            i
            for i, names in people.items()
            if match["to"] and re.search(any_name_pattern(names), match["to"], re.IGNORECASE)
        )
        found += (Saying(s, by[0] if by else None, to) for s in split_sentences(match["words"]))
    return found


def _meant(words: str, people: People, pc_id: Id | None) -> list[Id]:
    if words.casefold() in ("i", "you"):
        return [pc_id] if pc_id else []
    return [i for i, names in people.items() if re.search(any_name_pattern(names), words, re.IGNORECASE)]
