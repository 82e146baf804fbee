"""Finds who speaks in a log: by role, by name, or by guess, and what is out of character."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
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
_DICE_BOT: Final = re.compile(
    r"(?:the )?(?:dice|die|d20|roll(?:er|ing)?|rng|oracle)[ ]?(?:bot|maiden|golem|cloud|parser|witch|roller)"
    r"|avrae|rollem|roll20|rpbot|tupperbox dice|sidekick bot|ttrpg bot|fate bot|mythic bot"
)
"""Programs that roll in chats: they are nobody in the story."""

_BY_ROLE: Final = {word: voice for voice, words in _ROLES.items() for word in words.split()}
_BY_NAME: Final = {name: voice for voice, names in _NAMES.items() for name in names}


def parse_role(role: str) -> Voice | None:
    """Return the voice that a log's word for a role means, or None."""
    return _BY_ROLE.get(_normalize_words(role).replace(" ", "_"))


def voice_from_name(name: str) -> Voice | None:
    """Return the voice of a speaker whose name alone shows it: `GM`, `You`, `Oracle`, or a bot that rolls dice."""
    words = _normalize_words(name)
    return Voice.ORACLE if _DICE_BOT.fullmatch(words) else _BY_NAME.get(words)


def assign_voices(
    entries: Sequence[LogEntry],
    hero: str = "",
    *,
    played_names: Collection[str] = (),
    unplayed_names: Collection[str] = (),
) -> tuple[list[LogEntry], list[ImportProblem]]:
    """Give every entry a voice, and report whom the player's was given to.

    A role in the log decides. Without one, the hero's words are the player's, and names such as `GM` decide
    for themselves. If that leaves no player, it is the speaker with most turns; the others are NPCs. Words
    without a speaker are narration. `played_names` are those whom the log says to be played, and
    `unplayed_names`, folded, those who are taken for no player.
    """
    voices = _speaker_voices(entries, hero)
    voices |= dict.fromkeys(played_names, Voice.PLAYER)
    unassigned = [e for e in entries if e.voice is None]
    problems: list[ImportProblem] = []
    has_player = Voice.PLAYER in voices.values() or any(e.voice is Voice.PLAYER for e in entries)
    turn_counts = Counter(
        e.speaker
        for e in unassigned
        if e.speaker and e.speaker not in voices and e.speaker.casefold() not in unplayed_names
    )
    if turn_counts and not has_player:
        busiest_speaker, _ = turn_counts.most_common(1)[0]
        voices[busiest_speaker] = Voice.PLAYER
        problems.append(
            ImportProblem(
                0, f"no role tells who plays: {busiest_speaker}, who speaks most, was taken for the player"
            )
        )
    return [e if e.voice else replace(e, voice=_entry_voice(e, voices)) for e in entries], problems


def _speaker_voices(entries: Sequence[LogEntry], hero: str) -> dict[str, Voice]:
    """Return the voice of each speaker that is known by name, or from elsewhere in the log."""
    voice_counts: dict[str, Counter[Voice]] = {}
    for entry in entries:
        if entry.voice not in (None, Voice.OOC, Voice.MARK) and entry.speaker:
            voice_counts.setdefault(entry.speaker, Counter())[entry.voice] += 1
    voices = {name: counts.most_common(1)[0][0] for name, counts in voice_counts.items()}
    for name in {e.speaker for e in entries if e.speaker}:
        if hero and _normalize_words(name) == _normalize_words(hero):
            voices[name] = Voice.PLAYER
        elif (voice := voice_from_name(name)) is not None:
            voices.setdefault(name, voice)
    return voices


def _entry_voice(entry: LogEntry, voices: Mapping[str, Voice]) -> Voice:
    return voices.get(entry.speaker, Voice.NPC) if entry.speaker else Voice.GM


def _normalize_words(words: str) -> str:
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
    """Return the words of a text that belong to the story, and those that are out of character.

    Out of character are a text that begins with `(ooc)`, `[ooc]`, `OOC:` or `//`, and anything in double
    parentheses or in `(ooc: ...)`.
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
    """Return whether a whole text is out of character."""
    return _WHOLE.match(text) is not None
