"""Checks narrated prose without a model: deterministic, and cautious about accusing.

Each finding quotes the words that it rests on. A false alarm costs a call and the player's trust, so doubtful
cases are warnings, or nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from agents.canon_keeper.checks.premise_check import SAME_ANSWER_LIKENESS
from agents.context_assembly.context_package import ContextPackage
from agents.narrator.lines_and_veils import BarredTopic, find_crossings, parse_barred_topics
from agents.narrator.record_checks import (
    AbsentPerson,
    PastClaim,
    collect_recorded_statements,
    find_absent_people,
    find_narrated_claims,
    find_past_claims,
    find_reopened_matters,
    find_rule_breaches,
    find_settled_matters,
    split_by_acquaintance,
)
from agents.narrator.secret_check import WatchedSecret, find_secret_leaks, find_watched_secrets
from agents.personas.narrator_brief import NarratorBrief
from agents.prose.actions import enters_scene, find_act, find_spoken_words
from agents.prose.names import any_name_pattern, names_of
from agents.prose.speech import SPEAKS, find_speaker, find_speeches, strip_speech
from agents.prose.words import split_sentences
from stores.records.play import GM_SPEAKERS

MIN_WORDS: Final = 6
"""Words below which a narration gets a warning."""

RUN_LENGTH: Final = 5
"""Words in a row that are compared with earlier turns."""
REPEATED_SHARE: Final = 0.5
"""Share of a narration's runs found in one earlier turn from which it is narrated again."""

ECHOED_SHARE: Final = 0.25
"""Share from which it gets a warning. Two narrations of one scene in other words share under a tenth."""
MIN_RUNS: Final = 20
"""Runs below which repetition is not checked."""

LOOK_BACK_TURNS: Final = 6
"""The GM's earlier turns that a narration is compared with."""

_DECIDES = re.compile(
    r"\byou (?:decide|choose|resolve|agree|promise|vow|swear|make up your mind|consent) (?:to|that|never)\b|"
    r"\byou (?:confess|admit) (?:that|to)\b",
    re.IGNORECASE,
)
_TALK_VERBS = (
    r"(?:ask|tell|answer|talk to|speak to|speak with|talk with|say to|whisper to|shout at|thank|greet|"
    r"question)"
)
_DEALING_VERBS = (
    r"(?:hit|attack|strike|stab|shoot|kiss|hug|give|hand|show|follow|help|push|grab|hold|bow to|wave to|"
    r"face)"
)
_CONDITIONAL = re.compile(
    r"\b(?:if|whether|when|before|until|unless|can|could|may|might|will|would|do|as)\b|\?", re.I
)


_PROMPT_MARKUP = re.compile(
    r"</?data>|^\[(?:result|oracle)\].*$|^## (?:The (?:world|story|last turns|sealed result)|This scene|Who is here|"
    r"Off stage|What (?:is true|came before|the player)|How (?:things stand|it is narrated)|"
    r"Rules of this world|Lines \()[^\n]*",
    re.MULTILINE,
)
"""The markup of a prompt's sections: see `agents/prompts/narrator.yaml`."""


class Severity(StrEnum):
    """`REWRITE` findings have the turn narrated again as another take; `WARN` findings are only shown."""

    REWRITE = "rewrite"
    WARN = "warn"


class ProseFindingKind(StrEnum):
    """The kinds of findings."""

    EMPTY = "empty"
    DEAD = "the_dead_act"
    ABSENT = "the_absent_act"
    INVENTED_MEETING = "invented_meeting"
    INVENTED_ANSWER = "invented_answer"
    ECHOES = "echoes_the_prompt"
    REPEATS = "repeats"
    PLAYER = "speaks_for_the_player"
    LINE = "crosses_a_line"
    RULE = "breaks_a_rule"
    SETTLED = "reopens_what_is_settled"
    SECRET = "lets_out_a_secret"


@dataclass(frozen=True, slots=True)
class ProseFinding:
    """One finding in the prose."""

    kind: ProseFindingKind
    quoted_text: str
    """The words of the prose."""

    reason: str
    """One line for the player and for the Narrator."""

    severity: Severity


@dataclass(frozen=True, slots=True)
class ProseCheckInput:
    """What prose is checked against."""

    player_text: str = ""
    """What the player typed."""

    player_names: tuple[str, ...] = ()
    """Names of the player's character."""

    absent_people: tuple[AbsentPerson, ...] = ()
    strangers: tuple[tuple[str, ...], ...] = ()
    """Names of each person present whom the player's character had not met before this scene."""

    acquaintances: tuple[tuple[str, ...], ...] = ()
    """Names of each other person present."""

    recorded_statements: tuple[str, ...] = ()
    """What the record has of what was said and promised."""

    recent_turns: tuple[str, ...] = ()
    """The GM's last turns, the newest last."""

    barred_topics: tuple[BarredTopic, ...] = ()
    rules: tuple[str, ...] = ()
    """Rules of the world."""

    settled_matters: tuple[tuple[str, frozenset[str]], ...] = ()
    """What was paid, kept or answered, with the names of those it is about."""

    watched_secrets: tuple[WatchedSecret, ...] = ()
    """Secrets that some of those here may know and others may not."""

    is_opening: bool = False
    """Whether nothing has been narrated in this scene yet."""


def build_prose_check_input(package: ContextPackage, brief: NarratorBrief) -> ProseCheckInput:
    """Return what the prose of this exchange is checked against."""
    strangers, acquaintances = split_by_acquaintance(package)
    turns = (*package.narrative.previous_scene_turns, *package.narrative.recent_turns)
    gm_turn_texts = [t.text for t in turns if t.speaker in GM_SPEAKERS]
    return ProseCheckInput(
        player_text=brief.player_text,
        player_names=names_of(package.player_character) if package.player_character else (),
        absent_people=find_absent_people(package),
        strangers=strangers,
        acquaintances=acquaintances,
        recorded_statements=collect_recorded_statements(package),
        recent_turns=tuple(gm_turn_texts[-LOOK_BACK_TURNS:]),
        barred_topics=parse_barred_topics(brief.lines_and_veils),
        rules=tuple(a.statement for a in package.canonical.axioms),
        settled_matters=find_settled_matters(package),
        watched_secrets=find_watched_secrets(package),
        is_opening=not package.narrative.recent_turns,
    )


def check_prose(text: str, check_input: ProseCheckInput) -> tuple[ProseFinding, ...]:
    """Return the findings in the prose, the most serious first."""
    if not any(c.isalpha() for c in text):
        return (
            ProseFinding(ProseFindingKind.EMPTY, text.strip(), "Nothing was narrated.", Severity.REWRITE),
        )
    findings = [
        *_check_absent_people(text, check_input),
        *_check_invented_past(text, check_input),
        *_check_barred_topics(text, check_input),
        *find_prompt_echo(text),
        *_check_repetition(text, check_input),
        *_check_record(text, check_input),
        *_check_player_agency(text, check_input),
    ]
    if len(text.split()) < MIN_WORDS:
        findings.append(
            ProseFinding(ProseFindingKind.EMPTY, text.strip(), "Hardly anything was narrated.", Severity.WARN)
        )
    return tuple(sorted(findings, key=lambda f: f.severity is not Severity.REWRITE))


def needs_rewrite(findings: Sequence[ProseFinding]) -> bool:
    """Return whether the prose has to be narrated again."""
    return any(f.severity is Severity.REWRITE for f in findings)


def rewrite_note(findings: Sequence[ProseFinding]) -> str:
    """Return the instructions for the Narrator on what to correct, in lines."""
    return "\n".join(
        f"- {f.reason} You wrote: “{f.quoted_text}”" for f in findings if f.severity is Severity.REWRITE
    )


def find_unfounded_claims(player_text: str, package: ContextPackage) -> tuple[str, ...]:
    """Return what the player's words assume without support in the record, one line each.

    That is a past meeting or answer, or an action of somebody dead or absent.
    """
    lines = [
        *_find_absent_addressees(player_text, find_absent_people(package)),
        *_find_assumed_past(player_text, package),
    ]
    return tuple(dict.fromkeys(lines))


# --- one function per kind of finding ----------------------------------------------------------------------------


def _check_absent_people(text: str, check_input: ProseCheckInput) -> Iterator[ProseFinding]:
    for person in check_input.absent_people:
        if person.is_dead:
            if quoted_text := find_spoken_words(text, person.names) or find_act(text, person.names):
                yield ProseFinding(
                    ProseFindingKind.DEAD,
                    quoted_text,
                    f"{person.names[0]} is dead and cannot do that.",
                    Severity.REWRITE,
                )
        elif not enters_scene(text, person.names):
            if quoted_text := find_spoken_words(text, person.names, is_near=True):
                yield ProseFinding(
                    ProseFindingKind.ABSENT,
                    quoted_text,
                    f"{person.names[0]} is not here to say that.",
                    Severity.REWRITE,
                )
            elif quoted_text := find_act(text, person.names):
                yield ProseFinding(
                    ProseFindingKind.ABSENT, quoted_text, f"{person.names[0]} is not here.", Severity.WARN
                )


def _check_invented_past(text: str, check_input: ProseCheckInput) -> Iterator[ProseFinding]:
    """Find a shared past that the record does not have, in speech to the player and in narration."""
    people = (*check_input.strangers, *check_input.acquaintances)
    claims: list[tuple[PastClaim, int | None]] = []
    for speech in find_speeches(text):
        if is_spoken_by_player(
            speech.surrounding_text, speech.paragraph[speech.end :], check_input.player_names
        ):
            continue
        speaker = find_speaker(speech, people)
        claims += [(claim, speaker) for claim in find_past_claims(speech.spoken_text)]
    for n, names in enumerate(people):
        claims += [(claim, n) for claim in find_narrated_claims(strip_speech(text), names)]
    for claim, speaker in claims:
        is_stranger = speaker is not None and speaker < len(check_input.strangers)
        if speaker is None:
            is_stranger = bool(check_input.strangers) and not check_input.acquaintances
        person_name = people[speaker][0] if speaker is not None else "anybody here"
        if is_stranger and (claim.is_meeting or claim.is_dated or check_input.is_opening):
            kind = ProseFindingKind.INVENTED_MEETING if claim.is_meeting else ProseFindingKind.INVENTED_ANSWER
            reason = f"No earlier meeting with {person_name} is on record."
            yield ProseFinding(kind, claim.sentence, reason, Severity.REWRITE)
        elif (
            not is_stranger and speaker is not None and _is_off_record(claim, check_input.recorded_statements)
        ):
            reason = f"No such words between {person_name} and the player's character are on record."
            yield ProseFinding(ProseFindingKind.INVENTED_ANSWER, claim.sentence, reason, Severity.WARN)


def is_spoken_by_player(surrounding_text: str, text_after: str, player_names: Sequence[str]) -> bool:
    """Return whether speech is attributed to the player's character, who may say what was typed."""
    you = rf"(?:\byou\b|{any_name_pattern(player_names)})"
    return (
        re.match(rf"\s*{you} {SPEAKS}\b", text_after) is not None
        or re.search(rf"{you} {SPEAKS}", surrounding_text) is not None
    )


def _check_barred_topics(text: str, check_input: ProseCheckInput) -> Iterator[ProseFinding]:
    for crossing in find_crossings(text, check_input.barred_topics):
        topic = crossing.topic
        is_in_player_text = any(find_crossings(check_input.player_text, (topic,)))
        severity = Severity.REWRITE if crossing.is_plain and not is_in_player_text else Severity.WARN
        barrier = "A veil: keep it out of sight" if topic.is_veil else "A line"
        yield ProseFinding(ProseFindingKind.LINE, crossing.sentence, f"{barrier}: {topic.text}.", severity)


def find_prompt_echo(text: str) -> Iterator[ProseFinding]:
    """Find fences and headings of the prompt, which small models tend to repeat."""
    if match := _PROMPT_MARKUP.search(text):
        yield ProseFinding(
            ProseFindingKind.ECHOES,
            match[0],
            "It repeats the prompt and narrates nothing.",
            Severity.REWRITE,
        )


def _check_record(text: str, check_input: ProseCheckInput) -> Iterator[ProseFinding]:
    for rule, sentence in find_rule_breaches(text, check_input.rules):
        yield ProseFinding(
            ProseFindingKind.RULE, sentence, f"It may break a rule of this world: {rule}", Severity.WARN
        )
    for statement, sentence in find_reopened_matters(text, check_input.settled_matters):
        yield ProseFinding(
            ProseFindingKind.SETTLED, sentence, f"On record that is settled: {statement}", Severity.WARN
        )
    for leak in find_secret_leaks(text, check_input.watched_secrets, check_input.player_text):
        yield ProseFinding(
            ProseFindingKind.SECRET,
            leak.sentence,
            f"{leak.name} may not know that secret: {leak.statement}",
            Severity.WARN,
        )


def _check_repetition(text: str, check_input: ProseCheckInput) -> Iterator[ProseFinding]:
    runs = _word_runs(text)
    if len(runs) < MIN_RUNS:
        return
    if 1 - len(set(runs)) / len(runs) >= REPEATED_SHARE:
        (run, _), *_ = Counter(runs).most_common(1)
        yield ProseFinding(ProseFindingKind.REPEATS, " ".join(run), "It repeats itself.", Severity.REWRITE)
        return
    for earlier in reversed(check_input.recent_turns):
        earlier_runs = set(_word_runs(earlier))
        shared_runs = [run for run in runs if run in earlier_runs]
        share = len(shared_runs) / len(runs)
        if share >= ECHOED_SHARE:
            severity = Severity.REWRITE if share >= REPEATED_SHARE else Severity.WARN
            reason = f"{share:.0%} of it repeats an earlier turn word for word."
            yield ProseFinding(ProseFindingKind.REPEATS, " ".join(shared_runs[0]), reason, severity)
            return


def _check_player_agency(text: str, check_input: ProseCheckInput) -> Iterator[ProseFinding]:
    from rapidfuzz import fuzz  # loaded when it is needed: three megabytes

    for speech in find_speeches(text):
        spoken_by_player = re.match(
            rf"\s*(?:\byou\b|{any_name_pattern(check_input.player_names)}) {SPEAKS}\b",
            speech.paragraph[speech.end :],
        )
        if (
            spoken_by_player
            and fuzz.partial_ratio(speech.spoken_text.casefold(), check_input.player_text.casefold())
            < SAME_ANSWER_LIKENESS
        ):
            reason = "It puts words into the mouth of the player's character."
            yield ProseFinding(ProseFindingKind.PLAYER, speech.spoken_text, reason, Severity.WARN)
            return
    for sentence in split_sentences(strip_speech(text)):
        match = _DECIDES.search(sentence)
        if match is None or _CONDITIONAL.search(sentence[: match.start()]) or sentence.endswith("?"):
            continue
        if fuzz.partial_ratio(match[0].casefold(), check_input.player_text.casefold()) < SAME_ANSWER_LIKENESS:
            reason = "It decides for the player's character."
            yield ProseFinding(ProseFindingKind.PLAYER, sentence, reason, Severity.WARN)
            return


# --- the player's own words -----------------------------------------------------------------------------


def _find_absent_addressees(player_text: str, absent_people: Iterable[AbsentPerson]) -> Iterator[str]:
    """Find people whom the player addresses who are dead or absent.

    The dead may be searched, carried or mourned.
    """
    for person in absent_people:
        name_pattern = any_name_pattern(person.names)
        is_spoken_to = re.search(
            rf"\b{_TALK_VERBS}s?(?: \w+)? {name_pattern}", player_text, re.IGNORECASE
        ) or re.search(rf"(?:^|[“”\"«.!?:])\s*{name_pattern}\s*[,!?]", player_text)
        if person.is_dead and is_spoken_to:
            yield f"{person.names[0]} is dead and cannot answer."
        elif (not person.is_dead and is_spoken_to) or (
            not person.is_dead
            and re.search(
                rf"\b(?:{_TALK_VERBS}|{_DEALING_VERBS})s?(?: \w+)? {name_pattern}", player_text, re.IGNORECASE
            )
        ):
            yield f"{person.names[0]} is not here."


def _find_assumed_past(player_text: str, package: ContextPackage) -> Iterator[str]:
    strangers, acquaintances = split_by_acquaintance(package)
    people = (*strangers, *acquaintances)
    named_indexes = [
        n for n, names in enumerate(people) if re.search(any_name_pattern(names), player_text, re.IGNORECASE)
    ]
    if not named_indexes and len(people) == 1:
        named_indexes = [0]
    hero_name = package.player_character.name if package.player_character else "the player's character"
    for n in named_indexes:
        name = people[n][0]
        for claim in (*find_past_claims(player_text), *find_narrated_claims(player_text, people[n])):
            if n < len(strangers) and (
                claim.is_meeting or claim.is_dated or not package.narrative.recent_turns
            ):
                yield f"No earlier meeting of {hero_name} and {name} is on record: “{claim.sentence}”"
            elif n >= len(strangers) and _is_off_record(claim, collect_recorded_statements(package)):
                yield f"The record has no such words between {hero_name} and {name}: “{claim.sentence}”"


def _is_off_record(claim: PastClaim, recorded_statements: Iterable[str]) -> bool:
    """Return whether words of an earlier day are claimed that nothing on record resembles."""
    from rapidfuzz import fuzz  # loaded when it is needed: three megabytes

    words = claim.sentence.casefold()
    is_close_to_record = any(
        fuzz.token_set_ratio(words, a.casefold()) >= SAME_ANSWER_LIKENESS - 20 and not _only_claims_past(a)
        for a in recorded_statements
    )
    return claim.is_dated and not claim.is_meeting and not is_close_to_record


def _only_claims_past(statement: str) -> bool:
    """Return whether each sentence claims an earlier talk, as `you told me yesterday`: that is no record of one."""
    sentences = split_sentences(statement)
    return len(list(find_past_claims(statement))) == len(sentences) > 0


def _word_runs(text: str) -> list[tuple[str, ...]]:
    words = re.findall(r"[\w'’]+", text.casefold())
    return [tuple(words[n : n + RUN_LENGTH]) for n in range(len(words) - RUN_LENGTH + 1)]
