"""What is said in a turn, and by whom: the sentences that somebody in the world is told. Pure.

Quoted words go to whom the prose gives them; reported ones (`I tell Bela that ...`, `Tam says that ...`) to
their subject. Without either, all that an NPC's turn holds is said by the NPC. Source: design/product.md,
"Truth against belief: who knows what, since when, told by whom".
"""

from __future__ import annotations

import re
from typing import NamedTuple

from agents.memory_manager.whispers import People
from agents.narrator.speech import any_of, sentences, speaker_of, speeches, told
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
    ids, names = list(people), list(people.values())
    found: list[Saying] = []
    own = _own(turn, people, pc_id)
    for speech in speeches(turn.text):
        at = speaker_of(speech, names)
        by = ids[at] if at is not None else None
        if turn.speaker is Speaker.PLAYER or re.search(r"\byou\s+\w+[^.!?]{0,40}$", speech.around[-80:]):
            by = pc_id if by is None or turn.speaker is Speaker.PLAYER else by
        found += (Saying(s, own if turn.speaker is not Speaker.GM else by) for s in sentences(speech.words))
    if found:
        return found
    if turn.speaker is Speaker.NPC:
        return [Saying(s, own) for s in sentences(turn.text)]
    return list(_reported(told(turn.text), turn.speaker, people, pc_id))


def _own(turn: Turn, people: People, pc_id: Id | None) -> Id | None:
    if turn.speaker is Speaker.PLAYER:
        return pc_id
    return next((i for i, names in people.items() if turn.name and turn.name in names), None)


def _reported(text: str, speaker: Speaker, people: People, pc_id: Id | None) -> list[Saying]:
    who = any_of(name for names in people.values() for name in names)
    subject = r"\b(?:I|you)\b" if speaker is Speaker.PLAYER else rf"(?:{who}|\byou\b)"
    pattern = re.compile(
        rf"(?P<by>{subject})\s+(?:\w+ly\s+)?{_REPORTS}\s+"
        rf"(?:(?:to\s+)?(?P<to>(?:{who}|\b(?:you|me|everyone|them|him|her)\b)"
        rf"(?:\s*(?:,|and)\s*(?:{who}))*)(?:['’]s ear)?)?\s*(?::\s*|,?\s*that\s+)(?P<words>.+)",
        re.IGNORECASE | re.DOTALL,
    )
    colon = re.compile(r"[^.!?]*:\s*", re.DOTALL)
    found: list[Saying] = []
    for part in [text] if colon.match(text) else sentences(text):
        match = pattern.search(part)
        if match is None:
            continue
        by = _meant(match["by"], people, pc_id)
        to = tuple(
            i
            for i, names in people.items()
            if match["to"] and re.search(any_of(names), match["to"], re.IGNORECASE)
        )
        found += (Saying(s, by[0] if by else None, to) for s in sentences(match["words"]))
    return found


def _meant(words: str, people: People, pc_id: Id | None) -> list[Id]:
    if words.casefold() in ("i", "you"):
        return [pc_id] if pc_id else []
    return [i for i, names in people.items() if re.search(any_of(names), words, re.IGNORECASE)]
