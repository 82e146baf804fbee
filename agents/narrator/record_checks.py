"""Compares prose with the record: an invented past, broken rules of the world, reopened matters, the absent.

All of it is cautious. A past is only claimed in plain words: what is denied, asked, supposed or said of
others is no claim. A rule is only broken by a sentence with all its significant words. Everything else is
left to the Critic and the GM.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from agents.context_assembly.context_package import ContextPackage, ScenePerson
from agents.context_assembly.live_facts import LiveFact, find_live_facts, find_stay
from agents.prose.names import any_name_pattern, names_of
from agents.prose.speech import strip_speech
from agents.prose.words import split_sentences, stem
from agents.resolver.bonds import is_current
from stores.records.canon import FactKind
from stores.records.ids import Id
from stores.records.play import Speaker
from stores.records.world import ACTORS

_TIME: Final = re.compile(
    r"\b(?:yesterday|last (?:night|week|month|year|time|winter|summer|spring|autumn|fall)|the other "
    r"(?:day|night|week)|(?:days?|weeks?|months?|years?|nights?|winters?|summers?) (?:ago|back)|back then|"
    r"when (?:we|you|i) (?:last|first|met|were)|last we (?:met|spoke)|once before|all those years)\b",
    re.IGNORECASE,
)
_MEETING: Final = re.compile(
    r"\b(?:(?:last|first) time (?:we|you and i) (?:met|spoke|talked|saw)|"
    r"(?:when|since|the day|the night) (?:we|you and i) (?:last |first )?(?:met|spoke|talked|parted)|"
    r"the last time (?:i saw you|you saw me|you were here|you came)|last time (?:i saw you|you were "
    r"here|you came)|"
    r"(?:we|you and i)(?:['’]ve| have) met (?:before|once|already)|"
    r"(?:we|you and i) (?:met|spoke|talked) (?:once|before|yesterday|last|years ago|long ago|the other)|"
    r"(?:good|nice|glad|pleased|happy|strange|surprised) (?:it is )?to (?:see|meet|have) you "
    r"(?:here )?again|remember (?:when|the time|how) (?:we|you and i)|"
    r"i (?:last )?(?:met|saw|spoke (?:to|with)|talked (?:to|with)) (?:you|{who}) (?:yesterday|last|"
    r"once|before|"
    r"years ago|the other))\b".replace("{who}", r"(?-i:(?:[A-Z]\w+ ){0,2}[A-Z]\w+)"),
    re.IGNORECASE,
)
_AGAIN: Final = re.compile(r"^\W*(?:(?:ah|oh|well|so|not|what)\W+)?you again\b", re.IGNORECASE)
_GIVEN_WORD: Final = re.compile(
    r"\b(?:you|i) (?:once |already |yourself |myself )?(?:told|promised|warned|assured|swore to|"
    r"gave) (?:me|us|you)\b|"
    r"\b(?:as|like|what) (?:you|i) (?:once )?(?:said|told|promised|swore)\b|"
    r"\byou said (?:that )?you(?:['’]d| would|['’]ll| will)\b|"
    r"\b(?:your|my) (?:promise|oath|word) (?:to me|to you|of)\b",
    re.IGNORECASE,
)
_NOT_CLAIMED: Final = re.compile(
    r"\b(?:never|not|nobody|no one|nothing|none|if|as if|as though|unless|would have|could have|"
    r"should have|suppose|"
    r"pretend|imagine|wish|lie|lied|lying|claim|wrong|mistake[ns]?|confus\w*|someone else|stranger|whoever|"
    r"don['’]t know you|first time)\b|(?:did|have|has|had|was|were|is|do|does|could|would|are|ca)n['’]t\b",
    re.IGNORECASE,
)
_QUESTION: Final = re.compile(
    r"^\W*(?:have|has|had|did|do|does|were|was|are|is|could|can|what|who|where|when|why|how)\b", re.I
)
_REMEMBER: Final = re.compile(r"\b(?:don['’]t|do) you remember\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PastClaim:
    """A claim about an earlier time with somebody else."""

    sentence: str
    is_meeting: bool
    """Whether it claims a meeting; otherwise words that were given."""

    is_dated: bool
    """Whether it is about another day than this scene's."""


def find_past_claims(text: str) -> Iterator[PastClaim]:
    """Yield what somebody says, in the first and second person, of an earlier time with the other."""
    for sentence in split_sentences(text):
        statement = _REMEMBER.sub("remember", sentence)
        if _NOT_CLAIMED.search(statement) or (
            sentence.rstrip('”" ').endswith("?") and _QUESTION.match(statement)
        ):
            continue
        is_dated = _TIME.search(statement) is not None
        if match := _MEETING.search(statement) or _AGAIN.search(statement):
            yield PastClaim(sentence.strip(), True, is_dated or match is not None)
        elif _GIVEN_WORD.search(statement):
            yield PastClaim(sentence.strip(), False, is_dated)


def find_narrated_claims(text: str, names: Sequence[str]) -> Iterator[PastClaim]:
    """Yield what is narrated of an earlier time with one of these names: `as Tam told you yesterday`."""
    name_pattern = any_name_pattern(names)
    promise_pattern = re.compile(
        rf"{name_pattern}(?: had| once)* (?:told|promised|warned|assured|swore to|gave) (?:you|me)\b|"
        rf"(?:remind|reminds|reminding) {name_pattern} (?:of|that|about) (?:his|her|their|its|he|she|they|what)\b|"
        rf"{name_pattern}['’]s (?:promise|oath|word) to (?:you|me)\b|"
        rf"{name_pattern} (?:for|about|of) (?:what|that|which|the \w+) (?:he|she|they) (?:had |once )?"
        r"(?:told|promised|warned|assured|swore to|gave) (?:you|me)\b"
    )
    meeting_pattern = re.compile(
        rf"(?:last|first) time (?:you|i) (?:met|saw|spoke (?:to|with)) {name_pattern}|(?:you|i) met {name_pattern} "
        rf"(?:yesterday|last|once|before|years ago)|(?:when|since) (?:you|i) (?:last|first) (?:met|"
        rf"saw) {name_pattern}",
        re.IGNORECASE,
    )
    for sentence in split_sentences(text):
        if _NOT_CLAIMED.search(sentence) or sentence.rstrip().endswith("?"):
            continue
        is_dated = _TIME.search(sentence) is not None or "once" in sentence.casefold().split()
        if meeting_pattern.search(sentence):
            yield PastClaim(sentence.strip(), True, True)
        elif promise_pattern.search(sentence):
            yield PastClaim(sentence.strip(), False, is_dated)


MIN_RULE_WORDS: Final = 3
"""Words that a rule must have besides its `never`: two may stand together by chance."""
MIN_SHARED_WORDS: Final = 2
"""Words that a sentence must share with a settled matter, besides the names."""

_FORBIDS = re.compile(
    r"\b(?:no|not|never|nobody|nothing|none|no one|cannot|neither)\b|n['’]t\b", re.IGNORECASE
)
_HEDGED = re.compile(
    r"\b(?:no|not|never|nobody|nothing|none|no one|cannot|neither|without|if|would|could|might|may|"
    r"as if|as though|almost|nearly|tries|try|try to|trying|tried|stops?|refuses?|until|before|"
    r"rather than|instead of|stories|story|tale|song|dream\w*|legend|say that|says that|rule)\b|n['’]t\b|\?",
    re.IGNORECASE,
)
_OUTSTANDING = re.compile(
    r"\b(?:still (?:owe|owes|owing|owed|waiting|wait|waits|open|unpaid)|(?:have|has) yet to|"
    r"never (?:paid|brought|kept|gave|returned)|(?:have|has) not (?:paid|brought|kept|given|returned)|"
    r"(?:haven|hasn)['’]t (?:paid|brought|kept|given|returned)|(?:you|he|she|they) owes? me|owed still)\b",
    re.IGNORECASE,
)
_STOP_WORDS: Final = frozenset(
    {
        *(
            "the",
            "and",
            "for",
            "from",
            "with",
            "that",
            "this",
            "its",
            "are",
            "was",
            "were",
            "been",
            "will",
            "can",
        ),
        *("may", "must", "any", "one", "who", "whom", "which", "what", "she", "they", "his", "her", "their"),
        *("them", "you", "your", "our", "ever", "again", "has", "have", "had", "does", "did"),
    }
)


def find_rule_breaches(text: str, rules: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each forbidding rule with the sentence that breaks it."""
    narrated_sentences = split_sentences(strip_speech(text))
    for rule in rules:
        if _FORBIDS.search(rule) is None:
            continue
        rule_stems = _significant_stems(_FORBIDS.sub(" ", rule))
        if len(rule_stems) < MIN_RULE_WORDS:
            continue
        hedges_of_rule = {match[0].casefold() for match in _HEDGED.finditer(_FORBIDS.sub(" ", rule))}
        for sentence in narrated_sentences:
            if _has_all_stems(sentence, rule_stems, hedges_of_rule):
                yield rule, sentence
                break


def _has_all_stems(sentence: str, required_stems: set[str], hedges_of_rule: Collection[str]) -> bool:
    """Return whether a sentence has all these words, with nothing before the last one that negates them.

    A hedge that the rule has itself (`before high water`) negates nothing.
    """
    word_ends = {stem(m[0].casefold()): m.end() for m in reversed(list(re.finditer(r"[^\W\d_]+", sentence)))}
    if not required_stems <= word_ends.keys():
        return False
    hedges = _HEDGED.finditer(sentence[: max(word_ends[word] for word in required_stems)])
    return all(hedge[0].casefold() in hedges_of_rule for hedge in hedges)


def find_reopened_matters(
    text: str, settled_matters: Iterable[tuple[str, frozenset[str]]]
) -> Iterator[tuple[str, str]]:
    """Yield each settled matter with a sentence that narrates it as still open.

    `settled_matters` are statements, each with the names of those it is about.
    """
    owed_sentences = [
        (sentence, _significant_stems(sentence))
        for sentence in split_sentences(text)
        if _OUTSTANDING.search(sentence)
    ]
    for statement, names in settled_matters:
        name_stems = {part for name in names for part in _significant_stems(name)}
        matter_stems = _significant_stems(statement) - name_stems - _VERBS
        for sentence, stems in owed_sentences:
            if len(matter_stems & stems) >= min(MIN_SHARED_WORDS, len(matter_stems)) and matter_stems:
                yield statement, sentence
                break


def _significant_stems(text: str) -> set[str]:
    words = re.findall(r"[^\W\d_]+", text.casefold())
    return {stem(word) for word in words if word not in _STOP_WORDS and len(word) > 2}


_VERBS: Final = frozenset(map(stem, ("promised", "promise", "owes", "owe", "swore", "bring", "back", "pay")))


# --- what the record has --------------------------------------------------------------------------

LONG_SCENE_TICKS: Final = 8 * 60
"""World time (ticks) from which a scene is so long that its start may be spoken of as past."""

_WALKING_DEAD: Final = frozenset(
    {
        "undead",
        "ghost",
        "spirit",
        "revenant",
        "zombie",
        "vampire",
        "lich",
        "wraith",
        "spectre",
        "risen",
        "skeleton",
    }
)
"""Tags of the dead who act all the same."""


@dataclass(frozen=True, slots=True)
class AbsentPerson:
    """Somebody who cannot act: dead, or not in the scene."""

    names: tuple[str, ...]
    """All names, the full one first."""

    is_dead: bool


def find_absent_people(package: ContextPackage) -> tuple[AbsentPerson, ...]:
    """Return who is dead or not present, by names that mean nobody else in view."""
    people = (*package.canonical.cast, *package.canonical.named_elsewhere)
    entities = {p.entity.id: p.entity for p in (*people, *package.canonical.off_stage)}
    name_counts = Counter(name for entity in entities.values() for name in set(names_of(entity)))
    live_facts = find_live_facts(package)
    absent_entities = (
        p
        for p in people
        if p.entity.kind in ACTORS and (p.is_dead or not p.is_here) and not _is_walking_dead(p)
    )
    candidates = (
        AbsentPerson(tuple(n for n in names_of(p.entity) if name_counts[n] == 1), p.is_dead)
        for p in absent_entities
        if p.is_dead or not (_may_have_come(p, package) or _is_met_at_place(p, package, live_facts))
    )
    return tuple(person for person in candidates if person.names)


def _is_met_at_place(person: ScenePerson, package: ContextPackage, live_facts: Sequence[LiveFact]) -> bool:
    """Return whether the record has somebody where the scene is, who neither left it nor was left behind."""
    place, scene = package.scene.place, package.scene
    if place is None or person.entity.id in scene.last_presence_entries():
        return False
    stay = find_stay(live_facts, person.entity.id)
    return stay is not None and stay.entity("object") == place.id


def _may_have_come(person: ScenePerson, package: ContextPackage) -> bool:
    """Return whether a narration names somebody of which it is not recorded yet who came in it."""
    name_pattern = re.compile(any_name_pattern(names_of(person.entity)))
    return any(name_pattern.search(turn.text) for turn in package.unrecorded_narrations)


def split_by_acquaintance(
    package: ContextPackage,
) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
    """Return the names of those present in two groups: strangers to the player's character, and the others."""
    acquaintance_ids = _acquaintance_ids(package)
    present = package.present_npcs()
    strangers = tuple(names_of(p.entity) for p in present if p.entity.id not in acquaintance_ids)
    return strangers, tuple(names_of(p.entity) for p in present if p.entity.id in acquaintance_ids)


def collect_recorded_statements(package: ContextPackage) -> tuple[str, ...]:
    """Return what the record has of what was said, promised, decided and remembered."""
    assertions = [f.statement for f in (*package.canonical.assertions, *package.canonical.encounters)]
    commitments = [f.statement for f in package.agenda.commitments.values()]
    memory_texts = [m.text for memories in package.recalled.memories_by_entity.values() for m in memories]
    turns = [
        t.text
        for t in (*package.narrative.previous_scene_turns, *package.narrative.recent_turns)
        if t.speaker is not Speaker.SYSTEM
    ]
    recalled_texts = [p.turn.text for p in package.recalled.passages]
    return (
        *assertions,
        *commitments,
        *memory_texts,
        *package.narrative.summary_lines,
        *recalled_texts,
        *turns,
    )


def find_settled_matters(package: ContextPackage) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return promises, debts and questions that are settled, each with the names of everybody in view."""
    people = (*package.canonical.cast, *package.canonical.named_elsewhere)
    names = frozenset(n for p in people for n in names_of(p.entity))
    return tuple((fact.statement, names) for fact in package.settled_commitments())


def _acquaintance_ids(package: ContextPackage) -> set[Id]:
    """Return who may know the player's character from before.

    That follows from an earlier scene, a fact, a memory or a description; in a very long scene, everybody
    may.
    """
    pc = package.player_character
    present_ids = {p.entity.id for p in package.present_npcs()}
    if pc is None or package.scene.tick - package.scene.scene.tick >= LONG_SCENE_TICKS:
        return present_ids
    acquaintance_ids = set(package.narrative.met_before_ids)
    canon = package.canonical
    scene_start = package.scene.scene.tick
    for fact in (*canon.relations, *canon.encounters, *canon.assertions, *canon.facts):
        involved_ids = {i.entity_id for i in fact.involves}
        is_earlier = (
            fact.kind is not FactKind.ENCOUNTER or fact.valid_from is None or fact.valid_from < scene_start
        )
        if pc.id in involved_ids and is_earlier and is_current(fact, package.scene.tick):
            acquaintance_ids |= involved_ids
    hero_pattern = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in names_of(pc)))
    for person in package.present_npcs():
        memories = package.memories_of(person.entity.id)
        known_texts = (
            person.entity.description,
            *(m.text for m in memories if m.scene_id != package.scene.scene.id),
        )
        if any(hero_pattern.search(text) for text in known_texts) or (person.entity.name in pc.description):
            acquaintance_ids.add(person.entity.id)
    return acquaintance_ids


def _is_walking_dead(person: ScenePerson) -> bool:
    tags = {tag.casefold() for tag in (*person.entity.tags, *person.state.tags)}
    return bool(tags & _WALKING_DEAD)
