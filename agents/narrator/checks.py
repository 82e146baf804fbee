"""What cannot stand in told prose, found without a model: pure, deterministic, and slow to accuse.

Each finding names the words it rests on. A false alarm costs a call and the player's trust, so what may be
innocent is a warning, or nothing. Source: design/loops.md, node `critique`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from rapidfuzz import fuzz

from agents.canon_keeper.premises import SAME_WORDS
from agents.context_assembly.package import ContextPackage
from agents.narrator.known import Somebody, answers_of, gone_of, names_of, settled_of, split_by_acquaintance
from agents.narrator.lines import Barred, barred_by, crossings
from agents.narrator.past_claims import PastClaim, claims_in, told_of
from agents.narrator.settled import breaches, reopened
from agents.narrator.speech import SPEAKS, any_of, sentences, speaker_of, speeches, told
from agents.narrator.told_result import against_result
from agents.narrator.who_acts import acts, comes, speaks
from agents.personas.bound import Bound
from stores.records.play import Degree, Speaker

SHORTEST: Final = 6
"""Words below which a telling is pointed out as very short."""

RUN: Final = 5
"""Words in a row that are compared with earlier turns."""
REPEATED: Final = 0.5
ECHOED: Final = 0.25
"""Shares of a telling's runs that stand in one earlier turn: from the one it is told again, from the other it
is pointed out. Of 20 runs at least; two tellings of one scene in other words share under a tenth."""
FEWEST_RUNS: Final = 20
LOOK_BACK: Final = 6
"""The GM's turns that a telling is compared with."""

_DECIDES = re.compile(
    r"\byou (?:decide|choose|resolve|agree|promise|vow|swear|make up your mind|consent) (?:to|that|never)\b|"
    r"\byou (?:confess|admit) (?:that|to)\b",
    re.IGNORECASE,
)
_TALK = (
    r"(?:ask|tell|answer|talk to|speak to|speak with|talk with|say to|whisper to|shout at|thank|greet|"
    r"question)"
)
_DEAL = (
    r"(?:hit|attack|strike|stab|shoot|kiss|hug|give|hand|show|follow|help|push|grab|hold|bow to|wave to|"
    r"face)"
)
_OPEN = re.compile(
    r"\b(?:if|whether|when|before|until|unless|can|could|may|might|will|would|do|as)\b|\?", re.I
)


_PROMPT = re.compile(
    r"</?data>|^\[result\].*$|^## (?:The (?:world|story|last turns|sealed result)|This scene|Who is here|"
    r"What (?:is true|came before|the player)|How things stand|Rules of this world|Lines \()[^\n]*",
    re.MULTILINE,
)
"""How a prompt sets its sections out: see `agents/prompts/narrator.yaml`."""


class Severity(StrEnum):
    """`REWRITE`: it is told once more, as another take; `WARN`: it is shown, and stands."""

    REWRITE = "rewrite"
    WARN = "warn"


class Kind(StrEnum):
    EMPTY = "empty"
    RESULT = "against_the_result"
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


@dataclass(frozen=True, slots=True)
class Finding:
    """`words` are the text's own; `reason` is one line, fit to be shown and to be told to the Narrator."""

    kind: Kind
    words: str
    reason: str
    severity: Severity


@dataclass(frozen=True, slots=True)
class Against:
    """What prose is held against. `player` are the names of the player's character, `words` what was typed;
    `strangers` are those present whom it never met before, `acquaintances` the others, each by names;
    `answers` is what the record has of what was said and promised, `recent` the GM's last turns, the newest
    last. `rules` are the world's; `settled` what is paid, kept and answered, with the names of whom it is
    about. `opening`: nothing was said in this scene yet."""

    degree: Degree | None = None
    words: str = ""
    player: tuple[str, ...] = ()
    gone: tuple[Somebody, ...] = ()
    strangers: tuple[tuple[str, ...], ...] = ()
    acquaintances: tuple[tuple[str, ...], ...] = ()
    answers: tuple[str, ...] = ()
    recent: tuple[str, ...] = ()
    barred: tuple[Barred, ...] = ()
    rules: tuple[str, ...] = ()
    settled: tuple[tuple[str, frozenset[str]], ...] = ()
    opening: bool = False


def against(package: ContextPackage, bound: Bound) -> Against:
    """Return what prose for this exchange is held against."""
    strangers, acquaintances = split_by_acquaintance(package)
    turns = (*package.narrative.before, *package.narrative.line)
    recent = [t.text for t in turns if t.speaker in (Speaker.GM, Speaker.NPC)]
    return Against(
        degree=bound.degree,
        words=bound.words,
        player=names_of(package.pc) if package.pc else (),
        gone=gone_of(package),
        strangers=strangers,
        acquaintances=acquaintances,
        answers=answers_of(package),
        recent=tuple(recent[-LOOK_BACK:]),
        barred=barred_by(bound.lines_and_veils),
        rules=tuple(a.statement for a in package.canonical.axioms),
        settled=settled_of(package),
        opening=not package.narrative.line,
    )


def check(text: str, held: Against) -> tuple[Finding, ...]:
    """Return what is wrong with the prose, the gravest first."""
    if not any(c.isalpha() for c in text):
        return (Finding(Kind.EMPTY, text.strip(), "Nothing was told.", Severity.REWRITE),)
    found = [
        *_result(text, held),
        *_gone(text, held),
        *_invented(text, held),
        *_crossed(text, held),
        *_echoed(text),
        *_repeated(text, held),
        *_against_the_record(text, held),
        *_for_the_player(text, held),
    ]
    if len(text.split()) < SHORTEST:
        found.append(Finding(Kind.EMPTY, text.strip(), "Hardly anything was told.", Severity.WARN))
    return tuple(sorted(found, key=lambda f: f.severity is not Severity.REWRITE))


def wants_rewrite(findings: Sequence[Finding]) -> bool:
    return any(f.severity is Severity.REWRITE for f in findings)


def note_for_rewrite(findings: Sequence[Finding]) -> str:
    """Return what the Narrator is told to mend, in lines."""
    return "\n".join(
        f"- {f.reason} You wrote: “{f.words}”" for f in findings if f.severity is Severity.REWRITE
    )


def unfounded(words: str, package: ContextPackage) -> tuple[str, ...]:
    """Return what the player's words take for granted that the record does not hold, a line each: a past
    meeting or answer, somebody dead or not here. For the `validate` node, without a model."""
    lines = [
        *_spoken_to(words, gone_of(package)),
        *_taken_for_granted(words, package),
    ]
    return tuple(dict.fromkeys(lines))


# --- one function a kind ----------------------------------------------------------------------------


def _result(text: str, held: Against) -> Iterator[Finding]:
    if words := against_result(text, held.degree, held.player):
        was, told_as = ("success", "failure") if held.degree is Degree.SUCCESS else ("failure", "success")
        yield Finding(
            Kind.RESULT, words, f"The dice say {was}, and it is told as a {told_as}.", Severity.REWRITE
        )


def _gone(text: str, held: Against) -> Iterator[Finding]:
    for one in held.gone:
        if one.dead:
            if words := speaks(text, one.names) or acts(text, one.names):
                yield Finding(
                    Kind.DEAD, words, f"{one.names[0]} is dead and cannot do that.", Severity.REWRITE
                )
        elif not comes(text, one.names):
            if words := speaks(text, one.names):
                yield Finding(
                    Kind.ABSENT, words, f"{one.names[0]} is not here to say that.", Severity.REWRITE
                )
            elif words := acts(text, one.names):
                yield Finding(Kind.ABSENT, words, f"{one.names[0]} is not here.", Severity.WARN)


def _invented(text: str, held: Against) -> Iterator[Finding]:
    """Find a past that the record does not hold, in what is spoken to the player and in what is told."""
    people = (*held.strangers, *held.acquaintances)
    claims: list[tuple[PastClaim, int | None]] = []
    for speech in speeches(text):
        if speech_by_player(speech.around, speech.paragraph[speech.end :], held.player):
            continue
        speaker = speaker_of(speech, people)
        claims += [(claim, speaker) for claim in claims_in(speech.words)]
    for n, names in enumerate(people):
        claims += [(claim, n) for claim in told_of(told(text), names)]
    for claim, speaker in claims:
        stranger = speaker is not None and speaker < len(held.strangers)
        if speaker is None:
            stranger = bool(held.strangers) and not held.acquaintances
        who = people[speaker][0] if speaker is not None else "anybody here"
        if stranger and (claim.met or claim.timed or held.opening):
            kind = Kind.INVENTED_MEETING if claim.met else Kind.INVENTED_ANSWER
            reason = f"No earlier meeting with {who} is on record."
            yield Finding(kind, claim.words, reason, Severity.REWRITE)
        elif not stranger and speaker is not None and _is_unheard(claim, held.answers):
            reason = f"No such words between {who} and the player's character are on record."
            yield Finding(Kind.INVENTED_ANSWER, claim.words, reason, Severity.WARN)


def speech_by_player(around: str, behind: str, player: Sequence[str]) -> bool:
    """Say whether words are given to the player's character, who may say what was typed."""
    you = rf"(?:\byou\b|{any_of(player)})"
    return (
        re.match(rf"\s*{you} {SPEAKS}\b", behind) is not None
        or re.search(rf"{you} {SPEAKS}", around) is not None
    )


def _crossed(text: str, held: Against) -> Iterator[Finding]:
    for crossing in crossings(text, held.barred):
        line = crossing.barred
        typed = all(stem in held.words.casefold() for stem in line.stems)
        severity = Severity.REWRITE if crossing.plain and not typed else Severity.WARN
        what = "A veil: keep it out of sight" if line.veil else "A line"
        yield Finding(Kind.LINE, crossing.sentence, f"{what}: {line.words}.", severity)


def _echoed(text: str) -> Iterator[Finding]:
    """Find what small models give back: the fences and headings that they were told things in."""
    if match := _PROMPT.search(text):
        yield Finding(
            Kind.ECHOES, match[0], "It gives back what it was told, and tells nothing.", Severity.REWRITE
        )


def _against_the_record(text: str, held: Against) -> Iterator[Finding]:
    for rule, sentence in breaches(text, held.rules):
        yield Finding(Kind.RULE, sentence, f"It may break a rule of this world: {rule}", Severity.WARN)
    for statement, sentence in reopened(text, held.settled):
        yield Finding(Kind.SETTLED, sentence, f"On record that is settled: {statement}", Severity.WARN)


def _repeated(text: str, held: Against) -> Iterator[Finding]:
    runs = _runs(text)
    if len(runs) < FEWEST_RUNS:
        return
    if 1 - len(set(runs)) / len(runs) >= REPEATED:
        (run, _), *_ = Counter(runs).most_common(1)
        yield Finding(Kind.REPEATS, " ".join(run), "It goes round in a circle.", Severity.REWRITE)
        return
    for earlier in reversed(held.recent):
        there = set(_runs(earlier))
        same = [run for run in runs if run in there]
        share = len(same) / len(runs)
        if share >= ECHOED:
            severity = Severity.REWRITE if share >= REPEATED else Severity.WARN
            reason = f"{share:.0%} of it repeats an earlier turn word for word."
            yield Finding(Kind.REPEATS, " ".join(same[0]), reason, severity)
            return


def _for_the_player(text: str, held: Against) -> Iterator[Finding]:
    for speech in speeches(text):
        by_player = re.match(
            rf"\s*(?:\byou\b|{any_of(held.player)}) {SPEAKS}\b", speech.paragraph[speech.end :]
        )
        if by_player and fuzz.partial_ratio(speech.words.casefold(), held.words.casefold()) < SAME_WORDS:
            reason = "It puts words into the mouth of the player's character."
            yield Finding(Kind.PLAYER, speech.words, reason, Severity.WARN)
            return
    for sentence in sentences(told(text)):
        match = _DECIDES.search(sentence)
        if match is None or _OPEN.search(sentence[: match.start()]) or sentence.endswith("?"):
            continue
        if fuzz.partial_ratio(match[0].casefold(), held.words.casefold()) < SAME_WORDS:
            reason = "It decides for the player's character."
            yield Finding(Kind.PLAYER, sentence, reason, Severity.WARN)
            return


# --- the player's own words -----------------------------------------------------------------------------


def _spoken_to(words: str, gone: Iterable[Somebody]) -> Iterator[str]:
    """Find whom the player deals with who is dead or not here; the dead may be searched, carried, mourned."""
    for one in gone:
        who = any_of(one.names)
        if one.dead and re.search(rf"\b{_TALK}s?(?: \w+)? {who}", words, re.IGNORECASE):
            yield f"{one.names[0]} is dead and cannot answer."
        elif not one.dead and re.search(rf"\b(?:{_TALK}|{_DEAL})s?(?: \w+)? {who}", words, re.IGNORECASE):
            yield f"{one.names[0]} is not here."


def _taken_for_granted(words: str, package: ContextPackage) -> Iterator[str]:
    strangers, acquaintances = split_by_acquaintance(package)
    people = (*strangers, *acquaintances)
    meant = [n for n, names in enumerate(people) if re.search(any_of(names), words, re.IGNORECASE)]
    if not meant and len(people) == 1:
        meant = [0]
    hero = package.pc.name if package.pc else "the player's character"
    for n in meant:
        name = people[n][0]
        for claim in (*claims_in(words), *told_of(words, people[n])):
            if n < len(strangers) and (claim.met or claim.timed or not package.narrative.line):
                yield f"No earlier meeting of {hero} and {name} is on record: “{claim.words}”"
            elif n >= len(strangers) and _is_unheard(claim, answers_of(package)):
                yield f"The record has no such words between {hero} and {name}: “{claim.words}”"


def _is_unheard(claim: PastClaim, answers: Iterable[str]) -> bool:
    """Say whether words of another day are claimed that nothing on record comes near."""
    words = claim.words.casefold()
    near = any(fuzz.token_set_ratio(words, a.casefold()) >= SAME_WORDS - 20 for a in answers)
    return claim.timed and not claim.met and not near


def _runs(text: str) -> list[tuple[str, ...]]:
    words = re.findall(r"[\w'’]+", text.casefold())
    return [tuple(words[n : n + RUN]) for n in range(len(words) - RUN + 1)]
