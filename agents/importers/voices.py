"""Who speaks: the roles that logs have, and a guess from the speaker's name where they have none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from agents.importers.log_entries import ImportProblem, LogEntry, Voice

_ROLES: Final[Mapping[Voice, str]] = {
    Voice.PLAYER: "player user pc hero human me protagonist",
    Voice.GM: "gm dm mc narrator narration assistant storyteller keeper referee master game_master"
    " dungeon_master warden director ai model bot",
    Voice.NPC: "npc character other companion",
    Voice.ORACLE: "oracle dice roll result roller",
    Voice.SYSTEM: "system info tool function log",
    Voice.OOC: "ooc out_of_character meta table note comment aside",
    Voice.MARK: "scene session chapter mark heading",
}
_NAMES: Final[Mapping[Voice, tuple[str, ...]]] = {
    Voice.GM: (
        "gm",
        "dm",
        "mc",
        "game master",
        "dungeon master",
        "narrator",
        "storyteller",
        "keeper",
        "warden",
    ),
    Voice.PLAYER: ("you", "i", "me", "player", "pc", "user"),
    Voice.ORACLE: ("oracle", "dice", "roll", "dice roller"),
    Voice.SYSTEM: ("system",),
    Voice.OOC: ("ooc", "note", "out of character"),
}
_BY_ROLE: Final = {word: voice for voice, words in _ROLES.items() for word in words.split()}
_BY_NAME: Final = {name: voice for voice, names in _NAMES.items() for name in names}


def parse_role(role: str) -> Voice | None:
    """Return whose voice a log's word for a role is; None if there is no such role."""
    return _BY_ROLE.get(_plain(role).replace(" ", "_"))


def voice_from_name(name: str) -> Voice | None:
    """Return whose voice a speaker with this name has, if the name alone tells: `GM`, `You`, `Oracle`."""
    return _BY_NAME.get(_plain(name))


def assign_voices(entries: Sequence[LogEntry], hero: str = "") -> tuple[list[LogEntry], list[ImportProblem]]:
    """Give every entry a voice, and say whom the player's was given to.

    A role that the log names stands. Where it names none, the hero's words are the player's, and names such
    as `GM` speak for themselves. If nobody is the player then, it is whoever of the others speaks most often;
    the others are characters of the world. Words without a speaker are told.
    """
    voices = _speaker_voices(entries, hero)
    unassigned = [e for e in entries if e.voice is None]
    problems: list[ImportProblem] = []
    has_player = Voice.PLAYER in voices.values() or any(e.voice is Voice.PLAYER for e in entries)
    others = Counter(e.speaker for e in unassigned if e.speaker and e.speaker not in voices)
    if others and not has_player:
        busiest_speaker, _ = others.most_common(1)[0]
        voices[busiest_speaker] = Voice.PLAYER
        problems.append(
            ImportProblem(
                0, f"no role tells who plays: {busiest_speaker}, who speaks most, was taken for the player"
            )
        )
    return [e if e.voice else replace(e, voice=_entry_voice(e, voices)) for e in entries], problems


def _speaker_voices(entries: Sequence[LogEntry], hero: str) -> dict[str, Voice]:
    """What is known of each speaker: by name, or as the log has it elsewhere."""
    voice_counts: dict[str, Counter[Voice]] = {}
    for entry in entries:
        if entry.voice not in (None, Voice.OOC, Voice.MARK) and entry.speaker:
            voice_counts.setdefault(entry.speaker, Counter())[entry.voice] += 1
    voices = {name: counts.most_common(1)[0][0] for name, counts in voice_counts.items()}
    for name in {e.speaker for e in entries if e.speaker}:
        if hero and _plain(name) == _plain(hero):
            voices[name] = Voice.PLAYER
        elif (voice := voice_from_name(name)) is not None:
            voices.setdefault(name, voice)
    return voices


def _entry_voice(entry: LogEntry, voices: Mapping[str, Voice]) -> Voice:
    return voices.get(entry.speaker, Voice.NPC) if entry.speaker else Voice.GM


def _plain(words: str) -> str:
    return " ".join(words.casefold().replace("-", " ").replace("_", " ").split())


_WHOLE: Final = re.compile(
    r"""^\s*(?:
         \(\s*o\.?o\.?c\.?\s*\)[:.,]?(?P<after_round>.*)       # (ooc) brb
        |\(\s*o\.?o\.?c\b\.?[:,]?(?P<in_round>[^()]*)\)?       # (ooc: brb)
        |\[\s*o\.?o\.?c\.?\s*\][:.,]?(?P<after_square>.*)      # [ooc] brb
        |\[\s*o\.?o\.?c\b\.?[:,]?(?P<in_square>[^\[\]]*)\]?    # [ooc: brb]
        |o\.?o\.?c\.?\s*[:>](?P<named>.*)                      # OOC: brb
        |//(?!/)(?P<strokes>.*)                                # // brb
        |\(\((?P<double>(?:(?!\)\)).)*)(?:\)\))?               # ((brb))
        )\s*$""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_INSIDE: Final = re.compile(
    r"\(\((?P<double>(?:(?!\(\(|\)\)).)*)\)\)|[(\[]\s*ooc\b[:,]?(?P<named>[^()\[\]]+)[)\]]",
    re.IGNORECASE | re.DOTALL,
)


def split_asides(text: str) -> tuple[str, list[str]]:
    """Return the words of the story in a text, and those that are out of character.

    Out of character is a text that begins with `(ooc)`, `[ooc]`, `OOC:` or `//`; and what stands in double
    parentheses, `((so))`, or in `(ooc: so)`, wherever it stands.
    """
    if match := _WHOLE.match(text):
        return "", [word for word in [_captured_words(match)] if word]
    asides = [word for word in map(_captured_words, _INSIDE.finditer(text)) if word]
    story_text = _INSIDE.sub(" ", text)
    if story_text == text:
        return text, []
    return "\n".join(" ".join(line.split()) for line in story_text.split("\n")).strip(), asides


def _captured_words(match: re.Match[str]) -> str:
    return next((group for group in match.groups() if group is not None), "").strip()


def is_aside(text: str) -> bool:
    """Whether all of a text is out of character."""
    return _WHOLE.match(text) is not None
