"""Works out what others hear of the answer to a whisper: next to nothing.

An answer to words that only some could hear is theirs as well, whatever it says of how low it is spoken. Others notice
what somebody else says or does in it, what is said aloud, and what is told to them by name: to hide too much does less
harm than to reveal it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from agents.memory_manager.whispers import NamesById
from agents.prose.names import any_name_pattern
from agents.prose.speech import SAYS, find_speeches, is_spoken_by, strip_speech
from agents.prose.words import split_sentences
from stores.records.ids import Id
from stores.records.play import Speaker, Turn

_ALOUD: Final = re.compile(
    r"\b(?:aloud|out loud|loudly|shout(?:s|ed)?|yell(?:s|ed)?|bellow(?:s|ed)?|scream(?:s|ed)?|call(?:s|ed)? out|"
    r"for all to hear|to the (?:whole )?room|raises? (?:his|her|their) voice)\b",
    re.IGNORECASE,
)


def find_whispered_exchanges(turns: Iterable[Turn], pc_id: Id | None) -> dict[Id, frozenset[Id]]:
    """Return by exchange who alone heard the player's words, the player character among them.

    A thought is answered by what everybody sees, so that it is no such exchange.
    """
    return {
        turn.exchange_id: frozenset((*turn.hearers, *((pc_id,) if pc_id else ())))
        for turn in turns
        if turn.speaker is Speaker.PLAYER and set(turn.hearers) - {pc_id}
    }


def hear_answer(
    turn: Turn, hearer_id: Id, insider_ids: Collection[Id], names_by_id: NamesById, speaker_id: Id | None
) -> str:
    """Return what somebody hears and sees of a turn that answers a whisper among the insiders; empty for nothing."""
    if hearer_id in insider_ids or _is_told_by_name(turn.text, names_by_id.get(hearer_id, ())):
        return turn.text
    if turn.speaker is Speaker.NPC:
        return "" if speaker_id is None or speaker_id in insider_ids else turn.text
    return (
        turn.text if turn.speaker is Speaker.ORACLE else _hear_from_afar(turn.text, insider_ids, names_by_id)
    )


def _is_told_by_name(text: str, names: Sequence[str]) -> bool:
    says_to = rf"\b(?:{SAYS}|tells?|told|confid(?:es?|ed))\s+(?:to\s+|in\s+)?{any_name_pattern(names)}"
    return re.search(says_to, strip_speech(text)) is not None


def _hear_from_afar(text: str, insider_ids: Collection[Id], names_by_id: Mapping[Id, tuple[str, ...]]) -> str:
    others = [names for i, names in names_by_id.items() if i not in insider_ids and names]
    other_pattern = any_name_pattern(name for names in others for name in names)
    insider_pattern = any_name_pattern(name for i in insider_ids for name in names_by_id.get(i, ()))
    says_it = re.compile(rf"(?:{insider_pattern}|\b(?:I|you|he|she|they)\b)\s+(?:\w+ly\s+)?{SAYS}\b")
    heard_parts: list[str] = []
    for speech in find_speeches(text):
        attribution = strip_speech(speech.paragraph[max(0, speech.start - 60) : speech.end + 60])
        speaker_names = next((names for names in others if is_spoken_by(speech, names)), None)
        if speaker_names or _ALOUD.search(attribution):
            heard_parts.append(f"{f'{speaker_names[0]}: ' if speaker_names else ''}“{speech.spoken_text}”")
    for sentence in split_sentences(strip_speech(text)):
        begins_with_other = re.match(rf"\W*(?:[Tt]he\s+)?{other_pattern}", sentence)
        if begins_with_other and "¶" not in sentence and not says_it.search(sentence):
            heard_parts.append(sentence)
    return " ".join(heard_parts)
