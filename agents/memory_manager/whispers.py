"""Finds whispers in prose, the words that only some could hear.

It understands whispers to somebody by name (or to you, and me): `I whisper to Bela: run`, `Bela whispers to
Mara, “...”`, `“...,” Bela whispers to Mara`, `Bela leans over to Mara and whispers that ...`. A whisper to
nobody in particular is a low voice that everybody hears; one to `him` or `her` is heard by the whisperer
and the player character alone: hiding words from too many does less harm than revealing them to all.

What somebody says in confidence, or having taken another aside, is a whisper too. Whom the player character
takes aside, or is taken aside by, is read by `agents.prose.hero_acts`: the others are out of earshot then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agents.prose.confidences import IN_PRIVATE
from agents.prose.names import any_name_pattern
from agents.prose.speech import SAYS
from agents.prose.words import NO_TITLE_BEFORE, split_sentences
from stores.records.ids import Id
from stores.records.play import Speaker

NamesById = Mapping[Id, tuple[str, ...]]
"""Those who may be meant, each with the names that prose may use."""

NOT_HEARD = "…"
"""Replaces words that were whispered to others."""

_QUOTE = re.compile(r"[“«„]([^”»\n]*)[”»]?|(?<!\w)\"([^\"\n]*)(?:\"|$)", re.MULTILINE)
_WHISPER_VERB = (
    r"(?:whisper(?:s|ed|ing)?|confid(?:es?|ed|ing)|"
    r"(?:murmur|mutter|breathe|hiss)(?:e?s|e?d|ing)?(?=[^.!?“”\"«»]{0,40}\b(?:to|ears?)\b)|"
    r"(?:say|speak)(?:s|ing)?(?=[^.!?“”\"«»]{0,40}\bears?\b))"
)
_TELLS = (
    r"(?:(?:tell|warn|assure|promise|remind|inform|admit|explain|say|speak)(?:s|ed)?|confess(?:es|ed)?|"
    r"told|said|spoke)"
)
_TAKES = (
    r"(?:(?:take|draw|pull|lead|steer|beckon|call|tug|drag)s?|"
    r"took|drew|pulled|led|steered|beckoned|called|tugged|dragged)"
)
_STEP = r"(?:step|go|move|walk|draw|slip|huddle|withdraw|went|drew|withdrew)(?:s|ed|ped)?"
_APART = (
    r"(?:aside|apart|to\s+one\s+side|(?:off\s+)?into\s+(?:a|the)\s+(?:\w+\s+)?(?:corner|alcove|niche|nook)|"
    r"out\s+of\s+(?:[\w'’]+\s+)?(?:earshot|hearing)|a\s+(?:few|little)\s+(?:steps|paces|way)\s+(?:away|off|apart|aside)|"
    r"away\s+from\s+the\s+(?:others|rest|group|fire|table))"
)
_MAY_BE_PRIVATE = re.compile(rf"{_WHISPER_VERB}|\b{IN_PRIVATE}\b|\b{_APART}\b", re.IGNORECASE)
_FIRST_PERSON = frozenset({"me", "my"})
_PRONOUNS = r"(?:your?|me|my|us|him|his|hers?|them)"
_SENTENCE_END = re.compile(rf"[.!?…]{NO_TITLE_BEFORE}(?=\s|$)|\n|$")


@dataclass(frozen=True, slots=True)
class Whisper:
    """Whispered words in a text."""

    start: int
    end: int
    hearer_ids: frozenset[Id]
    """Those who heard them, besides the whisperer."""
    speaker_id: Id | None
    """Who whispered; None if the text does not say."""
    is_talk: bool = False
    """Whether it is talk apart from the others, in which the hearer may answer."""


def find_whispers(
    text: str, speaker: Speaker, name: str, names_by_id: NamesById, pc_id: Id | None
) -> list[Whisper]:
    """Return the whispers to somebody in a turn's text, in order."""
    if _MAY_BE_PRIVATE.search(text) is None:
        return []
    name_pattern = _any_name_pattern(names_by_id)
    talk_matches = list(_build_talk_pattern(name_pattern).finditer(text))
    direct_matches = [
        *_build_to_pattern(name_pattern).finditer(text),
        *_build_tells_pattern(name_pattern).finditer(text),
    ]
    leaning_matches = list(_build_leans_pattern(name_pattern).finditer(text))
    # `leans over to Bela and whispers in her ear` is one whisper, and says by name to whom.
    direct_matches = [
        m
        for m in direct_matches
        if not any(leaning.start() <= m.start() < leaning.end() for leaning in leaning_matches)
    ]
    quoted_positions = {position for quote in _QUOTE.finditer(text) for position in range(*quote.span())}
    whisper_list: list[Whisper] = []
    for match in sorted((*talk_matches, *direct_matches, *leaning_matches), key=lambda m: m.start()):
        if match.start() in quoted_positions or any(w.start <= match.start() < w.end for w in whisper_list):
            continue
        speaker_id = _find_whisperer(text, match, speaker, name, names_by_id, pc_id)
        hearer_ids = _find_hearers(match["who"], speaker, speaker_id, names_by_id, pc_id)
        is_talk = match in talk_matches
        spans = (
            _find_talk_spans(text, match, [names_by_id.get(i, ()) for i in (*hearer_ids, speaker_id or "")])
            if is_talk
            else _find_whispered_spans(text, match)
        )
        whisper_list += (Whisper(*span, hearer_ids, speaker_id, is_talk) for span in spans)
    return whisper_list


def _build_to_pattern(name_pattern: str) -> re.Pattern[str]:
    return re.compile(
        rf"\b{_WHISPER_VERB}\b(?P<mid>[^.!?…:\n“”\"«»]{{0,40}}?)(?:\b(?:to|in|into)\s+)"
        rf"(?P<who>{_join_names(name_pattern)})(?:['’]s?\b)?(?:\s+ears?\b)?",
        re.IGNORECASE,
    )


def _build_leans_pattern(name_pattern: str) -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:to|toward|towards|close to|over to)\s+(?P<who>{name_pattern})(?:['’]s?\b)?(?:\s+ears?)?"
        rf"[^.!?…:\n“”\"«»]{{0,30}}?\b{_WHISPER_VERB}\b(?P<mid>)",
        re.IGNORECASE,
    )


def _build_tells_pattern(name_pattern: str) -> re.Pattern[str]:
    return re.compile(
        rf"\b(?P<privately>(?:privately|secretly)\s+)?{_TELLS}\s+(?:to\s+)?(?P<who>{_join_names(name_pattern)})(?P<mid>)"
        rf"(?(privately)|\s*,?\s*{IN_PRIVATE}\b)",
        re.IGNORECASE,
    )


def _build_talk_pattern(name_pattern: str) -> re.Pattern[str]:
    names = _join_names(name_pattern)
    several_names = rf"{name_pattern}(?:,|\s*(?:and|&))\s*{name_pattern}"
    return re.compile(
        rf"\b(?:(?P<takes>{_TAKES}\s+)|(?={several_names}))(?P<who>{names})(?P<mid>)"
        rf"(?(takes)(?:\s+by\s+(?:the|his|her)\s+\w+(?:\s+and\s+{_TAKES}\s+(?:him|her|them))?)?|\s+{_STEP})\s+{_APART}\b",
        re.IGNORECASE,
    )


def _join_names(name_pattern: str) -> str:
    """Return the pattern of one name or several."""
    return rf"{name_pattern}(?:\s*(?:,\s*and|,|and|&)\s*{name_pattern})*"


def mask_unheard_whispers(
    text: str, turn_whispers: Iterable[Whisper], hearer_id: Id, pc_id: Id | None
) -> str:
    """Return the text as somebody present heard it: without whispers to others."""
    for whisper in sorted(turn_whispers, key=lambda w: w.start, reverse=True):
        is_unclear = not whisper.hearer_ids or (whisper.speaker_id is None and not whisper.is_talk)
        if (
            hearer_id in whisper.hearer_ids
            or hearer_id == whisper.speaker_id
            or (is_unclear and hearer_id == pc_id)
        ):
            continue
        text = text[: whisper.start] + NOT_HEARD + text[whisper.end :]
    return text


def find_whisper_hearers(text: str, names_by_id: NamesById, pc_id: Id | None) -> tuple[Id, ...]:
    """Return who alone hears what the player types.

    It is empty unless all of the text, from its first word on, is a whisper to characters on record.
    """
    if not re.match(rf"\s*(?:I\s+)?(?:\w+ly\s+)?{_WHISPER_VERB}\b", text, re.IGNORECASE):
        return ()
    typed_whispers = find_whispers(text, Speaker.PLAYER, "", names_by_id, pc_id)
    if not typed_whispers or any(not w.hearer_ids for w in typed_whispers):
        return ()
    # What follows the whisper is an act that all can see, or words that all can hear.
    if re.search(r"\w", text[max(w.end for w in typed_whispers) :]):
        return ()
    hearer_ids = frozenset[Id]().union(*(w.hearer_ids for w in typed_whispers))
    return tuple(i for i in names_by_id if i in hearer_ids and i != pc_id)


def _any_name_pattern(names_by_id: NamesById) -> str:
    any_name = any_name_pattern(name for names in names_by_id.values() for name in names)
    return rf"(?:(?:the\s+)?{any_name}|\b{_PRONOUNS}\b)" if names_by_id else rf"(?:\b{_PRONOUNS}\b)"


def _find_whisperer(
    text: str, match: re.Match[str], speaker: Speaker, name: str, names_by_id: NamesById, pc_id: Id | None
) -> Id | None:
    """Return who whispers: the last name before the verb, the player, or the speaker of the turn."""
    sentence = re.split(r"[.!?…\n]\s", text[: match.start()])[-1]
    unquoted_text = _QUOTE.sub(" ", sentence)
    addressee_text = match["who"]
    if speaker is Speaker.PLAYER and _words_for_hero(speaker).isdisjoint(_fold_words(addressee_text)):
        return pc_id
    if re.search(r"\b(?:you|I)(?:\s+\w+){0,6}\s*$", unquoted_text, re.IGNORECASE) and not re.search(
        r"\b(?:your|my)\b", unquoted_text[-12:], re.IGNORECASE
    ):
        return pc_id
    name_positions = [
        (name_match.end(), i)
        for i, names in names_by_id.items()
        for name_match in re.finditer(any_name_pattern(names), unquoted_text, re.IGNORECASE)
        if not re.fullmatch(any_name_pattern(names), addressee_text, re.IGNORECASE)
    ]
    text_after = match["mid"] or ""
    name_positions += [
        (10**6, i)
        for i, names in names_by_id.items()
        if text_after and re.search(any_name_pattern(names), text_after, re.IGNORECASE)
    ]
    if name_positions:
        return max(name_positions)[1]
    if speaker is Speaker.NPC:
        return next((i for i, names in names_by_id.items() if name in names), None)
    return None


def _find_hearers(
    addressee_text: str, speaker: Speaker, speaker_id: Id | None, names_by_id: NamesById, pc_id: Id | None
) -> frozenset[Id]:
    hearer_ids = {
        i
        for i, names in names_by_id.items()
        if re.search(any_name_pattern(names), addressee_text, re.IGNORECASE)
    }
    if pc_id and not _words_for_hero(speaker).isdisjoint(_fold_words(addressee_text)):
        hearer_ids.add(pc_id)
    return frozenset(hearer_ids - {speaker_id})


def _words_for_hero(speaker: Speaker) -> frozenset[str]:
    """Return what means the hero as who is whispered to: a player's `you` is who listens."""
    return _FIRST_PERSON if speaker is Speaker.PLAYER else _FIRST_PERSON | {"you", "your"}


def _fold_words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def _find_talk_spans(
    text: str, match: re.Match[str], talker_names: Iterable[Sequence[str]]
) -> Sequence[tuple[int, int]]:
    """Return where the talk stands: what follows in the paragraph, up to a sentence that begins with somebody else."""
    names_pattern = any_name_pattern(name for names in talker_names for name in names)
    end = text.find("\n", match.end())
    talk = text[match.end() : end if end >= 0 else len(text)]
    length = 0
    for sentence in split_sentences(talk):
        if length and not re.match(
            rf"\W*(?:{names_pattern}|(?:he|she|they|her|his|their)\b)|[“«„\"]", sentence, re.IGNORECASE
        ):
            break
        length = talk.index(sentence, length) + len(sentence)
    return [(match.end(), match.end() + length)] if re.search(r"\w", talk[:length]) else []


def _find_whispered_spans(text: str, match: re.Match[str]) -> Sequence[tuple[int, int]]:
    """Return where the whispered words stand: the quotes beside the verb, or what follows it."""
    start = text.rfind("\n", 0, match.start()) + 1
    end = text.find("\n", match.end())
    end = len(text) if end < 0 else end
    quotes = [(m.start(), m.end()) for m in _QUOTE.finditer(text, start, end)]
    quotes_after = [q for q in quotes if q[0] >= match.end()]
    quotes_before = [q for q in quotes if q[1] <= match.start()]
    spans: list[tuple[int, int]] = []
    if quotes_before and not re.search(r"[.!?…\n]\s", text[quotes_before[-1][1] : match.start()]):
        spans.append(quotes_before[-1])
    if quotes_after and not re.search(r"[.!?…]\s", text[match.end() : quotes_after[0][0]]):
        spans.append(quotes_after[0])
    if spans:
        last_end = max(span[1] for span in spans)
        for quote in quotes_after:
            if quote[0] < last_end:
                continue
            text_between = text[last_end : quote[0]].replace(match[0], "") + text[quote[1] : end][:40]
            if re.search(rf"\b(?:{SAYS})\b", text_between, re.IGNORECASE):
                break  # somebody else's words
            spans.append(quote)
            last_end = quote[1]
        return spans
    text_after = text[match.end() : end]
    if colon_match := re.match(r"\s*:\s*", text_after):
        return [(match.end() + colon_match.end(), end)] if text_after[colon_match.end() :].strip() else []
    if joined_match := re.match(r"\s*,?\s*(?:that|about|of|where|who|what|how|why|when)\b\s*", text_after):
        sentence_end = _SENTENCE_END.search(text_after, joined_match.end())
        return [
            (
                match.end() + joined_match.start(),
                match.end() + (sentence_end.start() if sentence_end else len(text_after)),
            )
        ]
    return []
