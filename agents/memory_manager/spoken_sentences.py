"""Finds the sentences that are spoken in a turn, with their speakers.

Quoted sentences belong to the speaker whom the prose names; reported ones (`I tell Bela that ...`, `Tam
says that ...`) to their subject. Without either, all sentences of an NPC's turn are the NPC's.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from agents.canon_keeper.sentences.word_lists import load_word_lists
from agents.memory_manager.spoken_pronouns import means_listener, means_speaker
from agents.memory_manager.whispers import NamesById, find_whispers
from agents.prose.confidences import drop_confidence
from agents.prose.hearsay import read_told_words
from agents.prose.names import any_name_pattern
from agents.prose.speech import Speech, find_speaker, find_speeches, strip_speech
from agents.prose.unsaid_hero import add_hero
from agents.prose.words import split_sentences
from stores.records.ids import Id
from stores.records.play import Speaker, Turn

_REPORTING_VERBS = (
    r"(?:tells?|told|says?|said|informs?|informed|explains?|explained|warns?|warned|confess(?:es|ed)?|"
    r"admits?|admitted|swears?|swore|claims?|claimed|lies?|lied|reports?|reported|reveals?|revealed|"
    r"whispers?|whispered|murmurs?|murmured|mutters?|muttered|confid(?:es?|ed)|mentions?|mentioned|answers?|answered|insists?|insisted)"
)

_CONFIDES_IN: Final = r"(?:(?<=confide\s)|(?<=confides\s)|(?<=confided\s))in"
_OBJECT_NAME = (
    r"(?<!\band\s)(?<!\bbut\s)(?<!\bthen\s)(?<!\bwhile\s)(?<!\bwhen\s)(?<!\bas\s)(?<!,\s)(?-i:[A-Z][\w'’-]*)"
)
"""A name that is no subject of what follows."""
_DOES_BEFORE: Final = (
    r"(?P<before>(?!(?:that|if|who|whom|which|not|never|would|could|might|wants?|"
    + _REPORTING_VERBS
    + r")\b)"
    r"(?-i:[a-z]+)(?:,?\s+(?!"
    + _REPORTING_VERBS
    + rf"\b|that\b|who\b|if\b)(?:(?-i:[a-z][a-z'’-]*)|{_OBJECT_NAME})){{0,8}}?,?\s+(?:and|then)\s+(?:then\s+)?)?"
)
"""What somebody does before they speak, in the same sentence: `Osric comes down and tells us ...`."""
_ONE_OF_BEFORE: Final = re.compile(r"him|her|them", re.IGNORECASE)
"""Whom those words named who are told something: `I take Bodil aside and tell her`."""
_CLAUSE_BREAK: Final = re.compile(
    r"[,;:.!?—–…]|\b(?:and|but|then|so|while|when|as|until|after|before|because|that)\b", re.IGNORECASE
)
_EVERYBODY: Final = (
    r"(?:(?:everyone|everybody)(?:\s+else)?|the\s+(?:others|rest)(?:\s+of\s+(?:us|them|you))?)"
)
_TO_ALL: Final = re.compile(
    rf"(?:.*\band\s+)?(?:us(?:\s+all)?|all\s+of\s+us|you\s+all|{_EVERYBODY})", re.IGNORECASE | re.DOTALL
)

REPORTS_WORDS: Final = re.compile(rf"\b(?:{_REPORTING_VERBS}|lets?\b.{{1,40}}?\bknow)\b", re.IGNORECASE)
"""Words of a text that may report what somebody says."""

_TELLING_VERBS = (
    r"(?:tells?|told|informs?|informed|warns?|warned|explains?|explained|confess(?:es|ed)?|admits?|admitted|"
    r"reports?|reported|reveals?|revealed|whispers?|whispered|recounts?|recounted|speaks?|spoke|talks?|talked)"
)

_STATES = (
    r"(?!(?:in|on|at|by|with|for|from|under|behind|beside|near|into|over|there|down|back)\b)"
    r"(?=(?:(?!\b(?:that|who|whom|whose|which|what|where|when|why|how|whether|if|to|about|of)\b)[^.,;:!?])+?\s"
    r"(?:is|are|was|were|has|have|had|will|can|must|owns?|owned|belongs?|belonged|knows?|knew|killed|stole|hid|took|lives?|lived"
    r"|lies|died|comes?|came|goes|went|fell|sank|ran|wants?|wanted|needs?|needed|began|stands|stood|hangs|sleeps|slept|waits"
    r"|waited|holds|held|keeps|kept|broke)\b|(?:he|she|they|we)\s+(?:\w+ly\s+|never\s+)?(?:saw|heard|found|met|saved|lost|sold|gave|made)\s"
    r"|(?:the|my|his|her|their|our|your)\s+(?:\w+\s+)?\w+['’]s\s+(?:an?|the|not|no|been|gone|dead|alive|here|there|in|at)\b)"
)
"""Before a statement without `that`: `I tell Dob the bell is cracked`, not `I tell Dob the truth`."""

_TAKES_CLAUSE: Final = re.compile(
    r"(?:says?|said|explains?|explained|confess(?:es|ed)?|admits?|admitted|swears?|swore|claims?|claimed|reveals?|revealed"
    r"|mentions?|mentioned|insists?|insisted)",
    re.IGNORECASE,
)
"""Verbs behind which a name begins what is said, and is not whom it is said to."""
_NEEDS_LISTENER: Final = re.compile(r"tells?|told|informs?|informed", re.IGNORECASE)
"""Verbs that are said with whom it is told: whoever stands behind them is no part of what is said."""
_FINITE_TAGS: Final = frozenset({"s", "past"})

_SAYS_THAT_IT_LIES: Final = re.compile(
    r"\b(?:(?:I|you) lie|lies|lied)\b(?!\s+(?:in|on|at|under|down|there|here)\b)"
)
_BY_WAY_OF: Final = (
    r"(?:(?<!lie\s)(?<!lies\s)(?<!lied\s)\s*\b(?:over|into|through|on|from|across|in|at|with|during)\s+(?:the|an?|his|her|their|my|our)\s+[a-z]+"
    r"(?:\s+[a-z]+)?(?=,?\s+that\s+(?!(?:is|was|are|were|has|had)\b)))?"
)
"""How or where something is said, before `that`: `over the speaker`."""
_SAYS_ON: Final = (
    r"(?:,?\s*(?:\b(?:and|by)\s+)?\b(?:says?|said|tells?|told|claims?|claimed|swears?|swore|insists?|insisted"
    r"|saying|telling|claiming|swearing|insisting)\b(?:\s+(?:to\s+)?(?:me|us|you|him|her|them)\b)?)?"
)
"""What follows before the words of a lie or an oath, as in `Osric lies to me and says that ...`."""
_IS_NO_STATEMENT: Final = re.compile(
    r"\?|^(?:I|he|she|we|they)(?:['’]ll|\s+(?:will|shall|would))\b|^(?:to|what|how|why|where|when|who|if|whether)\b"
    r"|\b(?:if|would|could|might|may|perhaps|maybe)\b",
    re.IGNORECASE,
)
"""Words of what is asked, promised, wished or only possible, which is no news."""

_IS_PLAN: Final = re.compile(
    r"(?:I|we)(?:['’]ll|\s+(?:will|shall))\s+"
    r"(?!.*\b(?:if|unless|until|would|could|might|may|perhaps|maybe)\b)[^?]+",
    re.IGNORECASE | re.DOTALL,
)
"""What the hero says will be, without a condition: `we'll pay him by harvest`."""


class SpokenSentence(NamedTuple):
    """One spoken sentence, as it stands in the turn."""

    text: str
    speaker_id: Id | None
    """None if the turn does not say who."""
    addressee_ids: tuple[Id, ...] = ()
    """Those whom the sentence names."""
    is_hearsay: bool = False
    """Whether the prose tells of it as news for somebody, or as a lie: it is remembered, whatever it says."""
    first_person_id: Id | None = None
    """Whom `I` in hearsay means: the speaker in direct words, the hero in a report."""
    is_of_gm: bool = False
    """Whether the GM's own words report it, in which `you` means the hero as `I` does."""
    retold_from_id: Id | None = None
    """Whose words are told on without being given, as in `I tell Hela what Sten said`."""
    pronoun_name: str = ""
    """The name of whom a `he`, `she`, `his` or `her` means that the words begin with; empty if that is not clear."""
    listener_pronoun: str = ""
    """Whether a `him` or `her` in the words means who is told them: `he` or `she`; empty if that is not clear."""


def find_spoken_sentences(turn: Turn, names_by_id: NamesById, pc_id: Id | None) -> list[SpokenSentence]:
    """Return the spoken sentences of a turn."""
    if turn.speaker not in (Speaker.PLAYER, Speaker.GM, Speaker.NPC):
        return []
    spoken_sentences: list[SpokenSentence] = []
    turn_speaker_id = _find_turn_speaker(turn, names_by_id, pc_id)
    turn_whispers = find_whispers(turn.text, turn.speaker, turn.name, names_by_id, pc_id)
    for speech in find_speeches(turn.text):
        speaker_id = (
            turn_speaker_id
            if turn.speaker is not Speaker.GM
            else _find_quote_speaker(speech, names_by_id, pc_id)
        )
        for whisper in turn_whispers:
            is_known = whisper.is_talk and speaker_id is not None
            if (
                not is_known
                and speech.spoken_text
                and speech.spoken_text in turn.text[whisper.start : whisper.end]
            ):
                speaker_id = whisper.speaker_id
        spoken_sentences += (SpokenSentence(s, speaker_id) for s in split_sentences(speech.spoken_text))
    if spoken_sentences:
        is_lie = _SAYS_THAT_IT_LIES.search(strip_speech(turn.text)) is not None
        return [s._replace(is_hearsay=is_lie, first_person_id=s.speaker_id) for s in spoken_sentences]
    if turn.speaker is Speaker.NPC:
        return [SpokenSentence(s, turn_speaker_id) for s in split_sentences(turn.text)]
    text = strip_speech(turn.text)
    if turn.speaker is Speaker.PLAYER:
        text = add_hero(text)
    return _find_reported_sentences(text, names_by_id, pc_id, is_gm=turn.speaker is Speaker.GM)


def find_teller(sentence: str, names_by_id: NamesById, pc_id: Id | None) -> Id | None:
    """Return who tells of something in a sentence that does not give the words: `Iselin tells you about the murder`."""
    name_pattern = any_name_pattern(name for names in names_by_id.values() for name in names)
    match = re.match(
        rf"\W*(?P<by>{name_pattern}|(?:I|you)\b)\s+(?:\w+ly\s+)?{_TELLING_VERBS}\b[^.,;:!?]*?"
        r"\b(?:about|of|how|why|what|where|when|who|whom|whose|whether|everything|all|truth|story|secret|news)\b",
        strip_speech(sentence),
        re.IGNORECASE,
    )
    teller_ids = _resolve_speakers(match["by"], names_by_id, pc_id) if match else []
    return teller_ids[0] if len(teller_ids) == 1 else None


def _find_quote_speaker(speech: Speech, names_by_id: NamesById, pc_id: Id | None) -> Id | None:
    """Return the speaker of a quote; None if the prose does not say."""
    text_after, text_before = speech.paragraph[speech.end :][:80], speech.paragraph[: speech.start][-80:]
    hero_pattern = rf"\b(?:I|you)\s+(?:\w+ly\s+)?{_REPORTING_VERBS}\b"
    if re.match(rf"\s*{hero_pattern}", text_after, re.IGNORECASE) or re.search(
        rf"{hero_pattern}[^.!?]*$", text_before, re.IGNORECASE
    ):
        return pc_id
    for entity_id, names in names_by_id.items():
        tells_pattern = rf"{any_name_pattern(names)}\s+(?:\w+ly\s+)?{_REPORTING_VERBS}\b"
        if re.match(rf"\s*{tells_pattern}", text_after) or re.search(
            rf"{tells_pattern}[^.!?]{{0,40}}[,:]\s*$", text_before
        ):
            return entity_id
    speaker_index = find_speaker(speech, list(names_by_id.values()))
    return list(names_by_id)[speaker_index] if speaker_index is not None else None


def _find_turn_speaker(turn: Turn, names_by_id: NamesById, pc_id: Id | None) -> Id | None:
    if turn.speaker is Speaker.PLAYER:
        return pc_id
    return next((i for i, names in names_by_id.items() if turn.name and turn.name in names), None)


def _find_reported_sentences(
    text: str, names_by_id: NamesById, pc_id: Id | None, *, is_gm: bool
) -> list[SpokenSentence]:
    name_pattern = any_name_pattern(name for names in names_by_id.values() for name in names)
    subject_pattern = rf"(?:{name_pattern}|\b(?:I|you)\b)"
    listeners = (
        rf"(?:{name_pattern}|\b(?:you\s+all|you|me|us\s+all|us|all\s+of\s+us|{_EVERYBODY}|them|him|her"
        rf"|(?:the|my|your)\s+\w+)\b)"
        rf"(?:\s*(?:,\s*and\b|,|and)\s*(?:{name_pattern}))*"
        rf"(?:\s*,?\s*and\s+(?:you|me|us|{_EVERYBODY}|(?:the|my|your)\s+\w+)\b(?:\s+else\b)?)?"
    )
    pattern = re.compile(
        rf"(?P<by>{subject_pattern})\s+{_DOES_BEFORE}(?:\w+ly\s+)?"
        rf"(?:(?P<says>{_REPORTING_VERBS})\s+"
        rf"(?:(?:(?:to|{_CONFIDES_IN})\s+)?(?P<to>{listeners})(?:['’]s ear|(?!['’]s\b)))?{_SAYS_ON}{_BY_WAY_OF}"
        rf"|lets?\s+(?P<to_know>{listeners})\s+know)\s*"
        rf"(?P<link>:\s*|,?\s*that\s+|{_STATES}"
        rf"|(?=(?-i:{name_pattern})\s+(?:never\s+|once\s+|also\s+|\w+ly\s+)?(?P<verb>[a-z]+)\b))(?P<words>.+)",
        re.IGNORECASE | re.DOTALL,
    )
    retelling_pattern = re.compile(
        rf"(?P<by>{subject_pattern})\s+{_DOES_BEFORE}(?:\w+ly\s+)?(?P<says>{_REPORTING_VERBS})\s+(?:to\s+)?(?P<to>{listeners})"
        rf"\s+(?P<link>)(?P<to_know>)(?P<words>(?:about\s+)?(?:what|everything|all)\s+(?:that\s+)?"
        rf"(?P<source>{name_pattern})\s+(?:had\s+|has\s+)?(?:said|says|told\s+(?:me|us)|confessed|revealed|reported)\b.*)",
        re.IGNORECASE | re.DOTALL,
    )
    colon_pattern = re.compile(r"[^.!?]*:\s*", re.DOTALL)
    spoken_sentences: list[SpokenSentence] = []
    parts = [text] if colon_pattern.match(text) else split_sentences(text)
    parts = [drop_confidence(part) for part in parts]
    for position, part in enumerate(parts):
        match = _find_report(retelling_pattern, subject_pattern, part) or _find_report(
            pattern, subject_pattern, part
        )
        if match is None:
            continue
        is_retold = "source" in match.groupdict()
        if not (is_retold or match["link"] or _begins_clause(match)):
            continue
        speaker_ids = _resolve_speakers(match["by"], names_by_id, pc_id)
        listener_names = match["to"] or match["to_know"]
        if match["before"] and _ONE_OF_BEFORE.fullmatch(listener_names or ""):
            listener_names = match["before"]
        addressee_ids = tuple(
            i
            for i, names in names_by_id.items()
            if listener_names
            and (
                re.search(any_name_pattern(names), listener_names, re.IGNORECASE)
                or (i == pc_id and re.search(r"\b(?:me|you)\b", listener_names))
            )
        )
        speaker_id = speaker_ids[0] if speaker_ids else None
        if is_retold:
            sources = _resolve_speakers(match["source"], names_by_id, None)
            spoken_sentences.append(
                SpokenSentence(
                    match["words"].strip(" .!…"),
                    speaker_id,
                    addressee_ids,
                    is_hearsay=bool(addressee_ids and sources),
                    first_person_id=pc_id,
                    retold_from_id=sources[0] if sources else None,
                )
            )
            continue
        words, is_direct = read_told_words(match["words"]), ":" in match["link"]
        first_person_id = speaker_id if is_direct else pc_id
        is_to_all = _TO_ALL.fullmatch(listener_names or "") is not None
        if is_to_all:  # `Vess and the others`
            addressee_ids = ()
        is_news = (
            is_to_all
            or bool(addressee_ids)
            or _names_another(words, speaker_id, names_by_id, first_person_id)
        )
        before = " ".join((*parts[:position], part[: match.start("words")]))
        is_of_speaker = (
            speaker_id not in (None, pc_id)
            and not is_direct
            and means_speaker(words, before, names_by_id.get(speaker_id or "", ()), match["says"] or "")
        )
        listener_pronoun = ""
        if speaker_id == pc_id and not is_direct and len(addressee_ids) == 1:
            told_before = " ".join((*parts[:position], part[: match.start("to")])) if match["to"] else ""
            others = [n for i, ns in names_by_id.items() if i not in (pc_id, *addressee_ids) for n in ns]
            listener_pronoun = means_listener(words, told_before, names_by_id[addressee_ids[0]], others)
        # What the hero swears is promised, and no news.
        is_told = (
            speaker_id == pc_id
            and not is_direct
            and _NEEDS_LISTENER.fullmatch(match["says"] or "") is not None
        )
        spoken_sentences += (
            SpokenSentence(
                s,
                speaker_id,
                addressee_ids,
                is_hearsay=is_news and (not _IS_NO_STATEMENT.search(s) or (is_told and _tells_plan(s))),
                first_person_id=first_person_id,
                is_of_gm=is_gm and not is_direct,
                pronoun_name=match["by"] if is_of_speaker and index == 0 else "",
                listener_pronoun=listener_pronoun if index == 0 else "",
            )
            for index, s in enumerate(split_sentences(words))
        )
    return spoken_sentences


def _find_report(pattern: re.Pattern[str], subject_pattern: str, sentence: str) -> re.Match[str] | None:
    """Return where somebody tells something; who does something else before that is the subject of its clause."""
    match = pattern.search(sentence)
    while match is not None and match["before"]:
        words_before = _CLAUSE_BREAK.split(sentence[: match.start("by")])[-1]
        if not re.search(subject_pattern, words_before, re.IGNORECASE):
            break
        match = pattern.search(sentence, match.end("by"))
    return match


def _tells_plan(words: str) -> bool:
    """Return whether words say what the hero will do, without a condition."""
    return _IS_PLAN.fullmatch(words) is not None


def _begins_clause(match: re.Match[str]) -> bool:
    """Say whether a report without `that` goes on with a clause: `Nab says Rusk rode in`, not `Nab tells Rusk lies`."""
    is_told_to = bool(match["to"] or match["to_know"])
    if not match["verb"]:
        return is_told_to or _NEEDS_LISTENER.fullmatch(match["says"]) is None
    readings = load_word_lists().readings_as_verb(match["verb"])
    is_finite = any(reading.tag in _FINITE_TAGS for reading in readings)
    return is_finite and (is_told_to or _TAKES_CLAUSE.fullmatch(match["says"]) is not None)


def _names_another(
    words: str, speaker_id: Id | None, names_by_id: NamesById, first_person_id: Id | None
) -> bool:
    """Say whether words name somebody beside the one who says them."""
    if first_person_id != speaker_id and re.search(r"\b(?:I|me|my)\b", words):
        return True
    return any(i != speaker_id and re.search(any_name_pattern(n), words) for i, n in names_by_id.items())


def _resolve_speakers(name_text: str, names_by_id: NamesById, pc_id: Id | None) -> list[Id]:
    if name_text.casefold() in ("i", "you"):
        return [pc_id] if pc_id else []
    return [
        i for i, names in names_by_id.items() if re.search(any_name_pattern(names), name_text, re.IGNORECASE)
    ]
