"""Reads which turns the player character sleeps through, by the words of the turns before them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from agents.prose.cast_words import FALLS_ASLEEP
from agents.prose.names import any_name_pattern
from agents.prose.speech import strip_speech
from agents.prose.words import split_sentences
from stores.records.ids import Id
from stores.records.play import Speaker, Turn

MAX_MINUTES_SLEPT: Final = 60
"""World time after which somebody is taken to be awake again, though nothing says so."""

_WAKES: Final = re.compile(
    r"\b(?:wak\w*|woke\w*|awak\w*|awoke\w*|rouse\w*|stirs?|morning|dawn\w*|daybreak|day(?:light)?|sunrise|first light"
    r"|noon|midday|later|scream\w*|shout\w*|shriek\w*|yell\w*|crash\w*|bangs?|thunder\w*|explo\w+|alarm|bells?)\b",
    re.IGNORECASE,
)
"""What wakes somebody, or says that the night is over: to lose what was seen is worse than to remember too much."""
_SLEEPS_ON: Final = re.compile(
    r"\W*I\s+(?:\w+ly\s+|still\s+)?(?:sleep|snore|am\s+(?:still\s+)?(?:asleep|unconscious)|"
    r"(?:do\s+not|don['’]t)\s+(?:wake|notice|hear|stir))\b",
    re.IGNORECASE,
)
_ONLY_PERHAPS: Final = re.compile(r"\b(?:if|when|until|till|before|unless|lest|that|as)\s*$", re.IGNORECASE)

_ADVERBS: Final = re.compile(r"\s+(?:(?:\w+ly|then|soon|finally|at last|at once)\s+)*")


def find_turns_slept_through(turns: Iterable[Turn], hero_names: Sequence[str]) -> set[Id]:
    """Return the turns of one line, in its order, that tell what happens while the hero sleeps.

    The hero sleeps from the words that say so until a turn of the player's, until the words of a turn have them do
    something or say what would wake them, or until an hour has passed.
    """
    slept_ids: set[Id] = set()
    is_asleep, tick = False, 0
    for turn in turns:
        if turn.speaker in (Speaker.ORACLE, Speaker.SYSTEM):
            continue
        words = strip_speech(turn.text)
        is_players = turn.speaker is Speaker.PLAYER
        hero = rf"(?:\bI\b|{any_name_pattern(hero_names)}" + (")" if is_players else r"|\b[Yy]ou\b)")
        if is_asleep and re.search(rf"{hero}\s+(?:\w+ly\s+)?dream", words):
            continue
        if is_players:
            is_asleep = is_asleep and _SLEEPS_ON.match(words) is not None
        elif is_asleep and (turn.tick - tick >= MAX_MINUTES_SLEPT or _is_awake(words, hero)):
            is_asleep = False
        if is_asleep and not is_players:
            slept_ids.add(turn.id)
        elif not is_asleep and _falls_asleep(words, hero):
            is_asleep, tick = True, turn.tick
    return slept_ids


def _is_awake(words: str, hero: str) -> bool:
    does_something = rf"{hero}\s+(?!and\b|or\b|then\b|with\b|while\b|as\b)[a-z]"
    return _WAKES.search(words) is not None or re.search(does_something, words) is not None


def _falls_asleep(words: str, hero: str) -> bool:
    """Say whether the hero is asleep at the end of a text, by its words."""
    is_asleep = False
    for sentence in split_sentences(words):
        position = _find_falling_asleep(sentence, hero)
        if position is None:
            is_asleep = is_asleep and not _is_awake(sentence, hero)
        else:
            is_asleep = not _is_awake(sentence[position:], hero)
    return is_asleep


def _find_falling_asleep(sentence: str, hero: str) -> int | None:
    """Return where the words end by which the hero falls asleep in a sentence; None if they do not."""
    for subject in re.finditer(hero, sentence):
        if _ONLY_PERHAPS.search(sentence[: subject.start()]):
            continue
        starts = [
            subject.end(),
            *(
                subject.end() + m.end()
                for m in re.finditer(r"(?:,|\band|\bthen)(?=\s)", sentence[subject.end() :])
            ),
        ]
        for start in starts:
            adverbs = _ADVERBS.match(sentence, start)
            if adverbs and (match := FALLS_ASLEEP.match(sentence, adverbs.end())):
                return match.end()
    return None
