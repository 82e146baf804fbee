"""Reads from prose who comes, who leaves, who stays behind, who falls asleep, wakes or dies: cautiously.

Only what a sentence says of the scene's present counts. Questions, plans, conditions, what is negated, told, hoped,
remembered or dreamt, and what happens elsewhere, move nobody.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from agents.prose import cast_words as words
from agents.prose import death_phrases as deaths
from agents.prose import sentence_phrases as turns
from agents.prose.cast_reading import CastMove, CastReading, CastState
from agents.prose.clauses import (
    CLEARLY_ELSEWHERE,
    ELSEWHERE,
    UNREAL,
    MarkedClause,
    drop_unmarked_company,
    find_clauses,
    leave_told_words,
)
from agents.prose.dealings import find_asked, find_dealt_with
from agents.prose.frames import find_framed_sentences
from agents.prose.hero_acts import HeroActs, read_others_going
from agents.prose.mentions import COMPANY, EVERYONE, HERO, Figure, Gender, MarkedSentence, MentionReader
from agents.prose.names import NON_NAME_WORDS
from agents.prose.phrases import PhrasePattern
from agents.prose.place_patterns import compile_place_patterns
from agents.prose.sentence_phrases import who_of
from agents.prose.shown_here import shows_here
from agents.prose.speech import SINGLE_QUOTED, drop_said_after_colon, strip_speech
from agents.prose.unsaid_hero import add_hero
from agents.prose.verb_forms import PAST_VERB
from agents.prose.who_is_meant import figures_of
from agents.prose.words import split_sentences

_NO_SUBJECT_AFTER: Final = re.compile(
    r"(?:\b(?:of|than|like|what|how|where|who|whom|whose|that|which|whether|why|to|for|with|from|by|behind|beside|about|at|"
    r"without|neither|nor|no|not|never|only|towards?|against|near|over|under|between|past|into|onto|on|see|watch|let|make|"
    r"help|hear|feel|sees|watches|lets|makes|helps|hears|feels|have|had|or|before|until|because|lest)|@[^@]+@)\s*$",
    re.IGNORECASE,
)
"""Behind one of these words stands nobody who does something."""
_LEAVES_PLACE: Final = re.compile(
    r"\b(?:leav(?:es?|ing)|quits?|exits?|departs?|flees?|abandons?|from|(?:out|sight|earshot|view)\s+of|outside|off|"
    r"past|beyond|behind)"
    r"(?:\s+(?:of|the|this|that|our|my|old|\w+ed))*\s*$",
    re.IGNORECASE,
)
"""Before the name of the place, words by which somebody goes away from there."""
_GOING_ON: Final = ("and", "but", "then", "and then", "but then")
_DOES_SO_TOO: Final = re.compile(
    r"\s*(?:[Ss]o\s+(?:is|are|was|were|does|do|did|has|have)\s+@([\d,]+)@|@([\d,]+)@\s*,?\s+(?:too|also|likewise))[\s.!,]*"
)
"""A clause that says of somebody what was said last: `@0@ is here, and @1@ too`, `so is @1@`."""
_OTHER_BEGINNING: Final = re.compile(
    r"\s*(?:@|(?:the|an?|in|on|at|by|with|from|to|for|after|before|behind|beside|as|when|while|there|it|this|that|outside|inside|"
    r"through|down|up|out|off|not|no|his|her|their|my|your|our|some|two|three|one|even|only|soon|now|later|so|still|again|once|"
    r"[a-z]+ly)\b)",
    re.IGNORECASE,
)
"""Behind `and`, what does not begin with a verb whose subject is the last one."""
_STRANGER_BEGINS: Final = re.compile(
    r"\s*(?:(?:and|but|then|[a-z]+ly),?\s+)*(?:he|she)\s+(?!and\b)", re.IGNORECASE
)
"""A subject that means nobody on record, or it would be a mark."""
_OWES_BY_PRONOUN: Final = re.compile(
    r"(?:^|[,;] (?:(?:and|so|but) )?| )(?:now )?@(?:[\d,]+,)?H@ owe @(?P<who>\d+)@ (?P<what>[^@,;:?]+?)[.!…]*$"
)
"""What the hero owes somebody: `@H@ thank @0@, and @H@ owe @0@ fifty dollars.`"""
_OWES_HERO: Final = re.compile(
    r"[,;] (?:(?:and|so|but) )?(?:now )?@(?P<who>\d+)@ (?:now )?owes @H@ (?P<what>[^@,;:?]+?)[.!…]*$"
)
"""What somebody owes the hero: `@H@ pay the bill of @0@, so now @0@ owes @H@ six crowns.`"""
_KILLS_BY_PRONOUN: Final = re.compile(
    r"\W*@(?P<killer>\d+)@ (?:then |[a-z]+ly )?(?:kill(?:s|ed)|murder(?:s|ed)|poison(?:s|ed)|strangle[sd]|slays|slew) "
    r"@(?P<victim>\d+)@(?: (?:with|in|at|by|for|from|on) [^@,;:?]*)?[\s.!…]*"
)
"""Somebody kills somebody: `@0@ killed @1@ with a stone.`"""
_NUMBER_MARK: Final = re.compile(r"@[\d,]+@|@[WA]@")
_LEADING_ADVERBS: Final = re.compile(rf"^(?:{words.REAL_ADVERB}\s+|then\s+|again\s+|also\s+|now\s+)*")
_SINGULAR_VERB: Final = re.compile(r"(?!is\b|has\b)[a-z]+(?<!s)s\b")
_AT_REST: Final = re.compile(r"(?:is|are|wait|stand|stood|sit|sat|kneel|knelt|lean|crouch|lie|lay)")
"""The beginning of a predicate that may be said of a body, too."""
_ALSO_GOES: Final = PhrasePattern(
    "[lead escort carry walk march drag follow take see show usher bear hurry help]"
)
"""Verbs of making somebody leave, whose subject leaves as well."""
_LEADS_SOMEBODY: Final = PhrasePattern(r"[lead take guide bring drag carry escort] @(?P<who>[^@]+)@")
_TAKES: Final = PhrasePattern("[take lead drag carry pull]")
_SEES_OFF: Final = PhrasePattern(r"""
    to the (door|gate)
    [see show] @[^@]+@ (out|off)
    """)
_SLEEPS_HERE: Final = re.compile(
    r"(?:(?:is|are)\s+(?:\w+\s+)?(?:asleep|sleeping|snoring)|sleeps?|snores?)"
    r"(?:\s+(?:inside|here|there|(?:by|at|on|before|beside|under)\s+the\s+\w+))?\s*[.!,;]?\s*$"
)
"""Who sleeps where the scene is, as far as the words say."""
_SLAMS_DOOR: Final = PhrasePattern(r"\s*[slam bang shut close pull lock bolt] .*\b(door|gate|hatch)\b")
"""What somebody does on the way out: `leaves and slams the door`."""
_OPENS_WITH_TIME: Final = re.compile(
    r"\W*(?:(?:and|but)\s+)?(?:when(?:ever)?|once|as\s+soon\s+as)\b", re.IGNORECASE
)
"""The beginning of a sentence that may say of a death that it is to come, or was long ago."""
_COMES_WITH_HERO: Final = re.compile(
    r"follow|(?:come|came|join|catch|caught)\w*\s[^.;]{0,20}(?:@(?:H|W)@|along|too\b|with\s*(?:[.,;!]|$))"
)
_TELLS_PRESENT: Final = re.compile(
    rf"\b(?:is|are|am|has|have|does|do)\b|@[\d,]+@{words.ADVERBS}(?!was\b|does\b)[a-z]+s\b"
    rf"|(?:^|[,;:—]\s*|\band\s+|\bthen\s+)@[HW]@{words.ADVERBS}(?!{PAST_VERB.pattern}|had\b|did\b|[a-z]+ing\b)[a-z]+\b"
)
"""What is told in the present; what stands beside it in the past was so before."""


_TELLS_OF_OATH: Final = re.compile(
    r"(?:swore|promised|vowed|pledged|agreed|offered)\s+(?:(?:once|solemnly|long\s+ago)\s+)?"
    r"(?:(?:to|that|never|not|revenge|vengeance|loyalty|fealty)\b(?!\s+@H@)|to\s+@[^@]+@\s+(?:that|to|never|not)\b)"
    r"|(?:promised|offered)\s+@[^@]+@"
)
"""What somebody swore to do or promised another is told of them, wherever they did."""


class NarratedFate(NamedTuple):
    """Who dies by a text, or lives after all, and the words that say so."""

    number: int | None
    """The number of a figure; None for the hero."""
    quote: str


class TurnReading(NamedTuple):
    """What the words of a turn move."""

    moves: list[tuple[CastMove, int]]
    """What becomes of whom, in order, by the numbers of the figures."""
    destination: int | None
    """The number of the place that the hero goes to; None if none is named."""
    met_again: frozenset[int] = frozenset()
    """Those who were left behind, and are met as the hero goes back to no place by its name."""
    acting_dead: frozenset[int] = frozenset()
    """Those who were dead before, and come in, come along or are brought as only the living do."""
    unknown_site: str = ""
    """Where the hero would go, if it were known which place that is: `old pier`; empty if they go to no such place."""
    missed: frozenset[int] = frozenset()
    """Those who are spoken to or fought, and neither were here then nor come in later; the dead among them.

    Not who is said once more to be killed."""
    shown: frozenset[int] = frozenset()
    """Those who do what is seen where they are, and neither were here then nor come in: `begs for water`."""

    goes_back_alone: bool = False
    """Whether the hero goes back to those who were left behind, and the words name nobody besides."""

    def without_figures(self, numbers: Collection[int]) -> TurnReading:
        """Return what the words move of all others."""
        return self._replace(
            moves=[(move, number) for move, number in self.moves if number not in numbers],
            met_again=self.met_again.difference(numbers),
            acting_dead=self.acting_dead.difference(numbers),
            missed=self.missed.difference(numbers),
            shown=self.shown.difference(numbers),
        )


class PronounDebt(NamedTuple):
    """What the hero and somebody, who is meant by a pronoun, owe each other."""

    number: int
    """Who that is."""
    what: str
    is_owed_to_hero: bool


class CastReader:
    """Reads the moves of people in successive texts of one scene."""

    def __init__(
        self,
        figures: Sequence[Figure],
        hero_names: Sequence[str] = (),
        other_places: Collection[str] = (),
        here_names: Collection[str] = (),
        places: Sequence[Sequence[str]] = (),
        hero_gender: Gender = "",
    ) -> None:
        """`here_names` are the names of the place that the scene is in; `places` those of each that there is."""
        self._mentions = MentionReader(
            figures, hero_names, [*here_names, *other_places], hero_gender=hero_gender
        )
        self._places = compile_place_patterns(
            frozenset(here_names), frozenset(other_places), tuple(tuple(names) for names in places)
        )
        self._hero_acts = HeroActs(self._places)

    def pass_over(self, text: str, *, is_gm: bool) -> None:
        """Read an earlier text for the pronouns of the next."""
        self._mentions.read(text, is_gm=is_gm)

    def read(self, text: str, state: CastState, *, is_gm: bool) -> list[tuple[CastMove, int]]:
        """Return what becomes of whom, in order, by the numbers of the figures."""
        return self.read_turn(text, state, is_gm=is_gm).moves

    def read_turn(self, text: str, state: CastState, *, is_gm: bool) -> TurnReading:
        """Return what becomes of whom, and the place that the hero goes to."""
        reading = self._read_text(text, state, is_gm)
        reading.settle_exit()
        goes_back_alone = reading.goes_back_alone and not reading.names_somebody
        return TurnReading(
            reading.moves,
            reading.destination,
            frozenset(reading.met_again),
            frozenset(reading.acting_dead & state.dead),
            "" if reading.destination is not None else reading.unknown_site,
            frozenset(reading.missed - reading.present - reading.departed - reading.killed_again),
            frozenset(reading.shown - reading.present - reading.departed - reading.dead),
            goes_back_alone,
        )

    def find_pronoun_subjects(self, text: str, *, is_gm: bool) -> dict[int, int]:
        """Return whom `he` or `she` means at the beginning of sentences, by their positions, if nobody else may be."""
        sentences = self._mentions.read(text, is_gm=is_gm)
        subjects = ((n, s, re.match(r"@(\d+)@", s.text)) for n, s in enumerate(sentences) if s.is_clear)
        return {n: int(m[1]) for n, s, m in subjects if m is not None and int(m[1]) in s.unnamed}

    def find_pronoun_victims(self, text: str, *, is_gm: bool) -> dict[int, int]:
        """Return whom `him` or `her` means whom somebody named killed, by the position of the sentence.

        Where somebody else may be meant, nobody is.
        """
        sentences = self._mentions.read(text, is_gm=is_gm)
        killings = (
            (n, s, _KILLS_BY_PRONOUN.fullmatch(s.text))
            for n, s in enumerate(sentences)
            if s.is_clear and not s.is_question
        )
        return {
            n: int(m["victim"])
            for n, s, m in killings
            if m is not None and int(m["victim"]) in s.unnamed and int(m["killer"]) not in s.unnamed
        }

    def find_debts(self, text: str, *, is_gm: bool) -> dict[int, PronounDebt]:
        """Return what the hero and those whom a pronoun means owe each other, by the position of the sentence.

        Where somebody else may be meant, nobody is.
        """
        sentences = self._mentions.read(text, is_gm=is_gm)
        debts = {n: _read_debt(s.text) for n, s in enumerate(sentences) if s.is_clear}
        return {n: debt for n, debt in debts.items() if debt is not None}

    def find_companions(self, text: str, state: CastState, *, is_gm: bool) -> set[int]:
        """Return who comes along with the hero, by a text that may not say that the hero goes."""
        reading = self._read_text(text, state, is_gm)
        company = state.present & reading.present - reading.staying if reading.company_goes else frozenset()
        return reading.companions | company

    def find_deaths(
        self, text: str, *, is_gm: bool, gone: frozenset[int] = frozenset()
    ) -> list[NarratedFate]:
        """Return who dies by a text, here or elsewhere, with the words that say so: each once.

        By a pronoun alone nobody dies of those who are `gone`, unless the text names them.
        """
        if not deaths.TELLS_DEATH.search(text):
            self.pass_over(text, is_gm=is_gm)
            return []
        return _quote_fates(
            self._read_text(text, CastState(gone=gone), is_gm, is_of_scene=False).deaths,
            text,
            deaths.TELLS_DEATH,
        )

    def find_survivors(self, text: str, *, is_gm: bool) -> list[NarratedFate]:
        """Return who lives after all by a text, with the words that say so: each once."""
        if not deaths.TELLS_LIFE.search(text):
            self.pass_over(text, is_gm=is_gm)
            return []
        reading = self._read_text(text, CastState(), is_gm, is_of_scene=False)
        dead_marks = {mark for mark, _ in reading.deaths}
        survivals = [(mark, position) for mark, position in reading.survivals if mark not in dead_marks]
        return _quote_fates(survivals, text, deaths.TELLS_LIFE)

    def _read_text(
        self, text: str, state: CastState, is_gm: bool, *, is_of_scene: bool = True
    ) -> CastReading:
        text = drop_said_after_colon(text)
        reading = CastReading.begin(state)
        reading.genders = self._mentions.genders
        met = state.present | state.gone | state.left_behind | state.out_of_earshot | state.bodies
        sentences = self._mentions.read(text, is_gm=is_gm, met=met if is_of_scene else None)
        if not is_gm:
            sentences = [_with_hero(sentence) for sentence in sentences]
        reading.is_told_in_present = any(_TELLS_PRESENT.search(sentence.text) for sentence in sentences)
        reading.names_somebody = any(_NUMBER_MARK.search(sentence.text) for sentence in sentences)
        framed = find_framed_sentences(strip_speech(SINGLE_QUOTED.sub(" ¶ ", text)))
        for position, sentence in enumerate(sentences):
            reading.sentence_position = position
            if position not in framed:
                self._read_sentence(sentence, reading)
        return reading

    # --- sentences -----------------------------------------------------------------------------------

    def _read_sentence(self, sentence: MarkedSentence, reading: CastReading) -> None:
        if sentence.is_question:
            return
        text = drop_unmarked_company(leave_told_words(sentence.text))
        if text != sentence.text:
            sentence = replace(sentence, text=text, owned_text="")
        if UNREAL.search(text):
            reading.deal_with(figures_of(find_asked(text), reading))
            return
        reading.begin_sentence(
            {int(n) for m in turns.EXCEPTED.finditer(text) for n in re.findall(r"\d+", m["who"])},
            is_within_place=self._is_within_place(text),
            absent=sentence.absent,
            unnamed=sentence.unnamed,
            named=_list_named(sentence),
            says_same=_DOES_SO_TOO.fullmatch(text) is not None,
        )
        if mark := deaths.find_whose_body(text, is_behind_body=reading.sees_body):
            reading.sees_body = False
            reading.note_deaths([mark])
            reading.move(CastMove.DIES, figures_of(mark, reading))
            return
        if reading.sees_body and deaths.MAY_BE_WHO.search(text):
            return
        reading.sees_body = deaths.tells_of_body(text)
        for match in turns.GOES_WITHOUT.finditer(text):
            reading.staying.update(figures_of(who_of(match), reading))
        for match in turns.CARRIES.finditer(text):
            reading.carried.update(figures_of(who_of(match), reading))
        for match in turns.TAKES_BY_HAND_AND_GOES.finditer(sentence.owned_text or text):
            reading.companions.update(figures_of(who_of(match), reading))
        self._read_whole_sentence(text, reading)
        self._read_deaths(sentence, reading)
        for clause in find_clauses(text):
            reading.deal_with(figures_of(find_dealt_with(clause, text), reading))
            self._read_clause(clause, text, reading)
        if reading.exit_cast is not None or reading.company_goes:
            for match in turns.LEAVING_BEHIND.finditer(text):
                reading.move(CastMove.STAYS_BEHIND, figures_of(who_of(match), reading))

    def _read_deaths(self, sentence: MarkedSentence, reading: CastReading) -> None:
        """Read who dies by what the sentence says of what kills them, or of what belongs to them."""
        if _OPENS_WITH_TIME.match(sentence.text):
            return
        owned_text = "" if deaths.tells_heart_goes_on(sentence.owned_text) else sentence.owned_text
        marks = [
            *(m for clause in find_clauses(sentence.text) for m in deaths.find_killed(_with_claim(clause))),
            *(
                m
                for clause in (find_clauses(owned_text) if owned_text else ())
                for m in deaths.find_killed_in_part(clause.text)
            ),
        ]
        reading.note_deaths(marks)
        reading.move(CastMove.DIES, [n for mark in marks for n in figures_of(mark, reading)])

    def _is_within_place(self, sentence: str) -> bool:
        return self._places.elsewhere.search(sentence) is None and any(
            _LEAVES_PLACE.search(sentence, 0, match.start()) is None
            for match in self._places.here.finditer(sentence)
        )

    def _read_whole_sentence(self, text: str, reading: CastReading) -> None:
        """Read what takes several clauses to say, and who is quoted."""
        for speech in turns.SPEAKS_HERE.finditer(text):
            if not ELSEWHERE.search(text):
                reading.act_here(figures_of(who_of(speech), reading))
        if match := turns.ONLY_LEFT.search(text):
            remaining = figures_of(who_of(match), reading)
            reading.move(CastMove.LEAVES, sorted(reading.present - set(remaining)))
        for pattern in (
            turns.AWAY_ABOARD,
            turns.LED_AWAY,
            turns.DOOR_CLOSES,
            turns.WITH_GONE,
            turns.STAGE_EXIT,
            turns.TAKES_AND_LEAVES,
        ):
            if match := pattern.search(text):
                reading.move(CastMove.LEAVES, figures_of(who_of(match), reading))
        if match := turns.STAGE_ENTRANCE.search(text):
            reading.bring_in(figures_of(who_of(match), reading))
        if match := turns.WAITED_OUT.search(text):
            act, numbers = match["act"] or match["act2"], figures_of(who_of(match), reading)
            if words.FALLS_ASLEEP.match(act):
                reading.move(CastMove.FALLS_ASLEEP, numbers)
            elif words.LEAVES.match(act) or re.match(
                r"(?:go|went|leave|left)\b|(?:is|are)\s+(?:out|gone)\b", act
            ):
                reading.move(CastMove.LEAVES, numbers)

    def _read_clause(self, clause: MarkedClause, sentence: str, reading: CastReading) -> None:
        text = clause.text
        if self._read_turn_of_phrase(text, sentence, reading):
            return
        if reading.last_predicate and (same := _DOES_SO_TOO.fullmatch(text)):
            self._read_predicate(same[1] or same[2], reading.last_predicate, sentence, reading)
            return
        if reading.last_move and (name := re.fullmatch(r"\s*@([\d,]+)@[\s.!]*", text)):
            reading.move(reading.last_move, figures_of(name[1], reading))  # `..., then @1@`
        if subject_and_rest := _find_subject(clause, reading):
            subject, rest = subject_and_rest
            reading.last_predicate = rest if subject[0].isdigit() else ""
            reading.last_move = self._read_predicate(subject, rest, sentence, reading) or reading.last_move
        self._read_attached(text, reading)

    def _read_turn_of_phrase(self, text: str, sentence: str, reading: CastReading) -> bool:
        """Read a clause whose subject does not come first; return whether it is one."""
        if match := turns.ALONE.search(text):
            company = {
                n
                for mark in re.findall(r"@([^@]+)@", match["with"] or match["with2"] or "")
                for n in figures_of(mark, reading)
            }
            is_company_alone = match[0].startswith("@W@") and not company
            if not is_company_alone and not re.search(r"\bnot\b", text):
                reading.move(CastMove.COMES, sorted(company))
                reading.move(CastMove.LEAVES, sorted(reading.present - company))
            return match["with2"] is None
        if match := turns.LEFT_WITHOUT.search(text):
            reading.move(CastMove.LEAVES, figures_of(who_of(match), reading))
            return True
        if match := turns.GOES_OUT_INVERTED.search(text):
            reading.subject = who_of(match)
            reading.move(CastMove.LEAVES, figures_of(reading.subject, reading))
            return True
        if match := turns.COMES_IN_INVERTED.search(text):
            reading.subject = who_of(match)
            if not self._is_elsewhere(text, sentence):
                reading.bring_in(figures_of(reading.subject, reading))
            return True
        if match := turns.IT_IS_WHO.search(text):
            reading.last_move = self._read_predicate(who_of(match), text[match.end() :], sentence, reading)
            return True
        if match := turns.IT_IS.search(text) or turns.DOOR_SHOWS.search(text):
            reading.subject = who_of(match)
            reading.move(CastMove.COMES, figures_of(reading.subject, reading))
            return True
        match = turns.STRANGERS_ACT.match(text) or _find_named_stranger(text)
        if match is not None and _does_nothing(match[0], text[match.end() :]):
            return True
        rest = text[match.end() :] if match else text.lstrip() if reading.is_about_strangers else ""
        reading.is_about_strangers = match is not None or turns.STRANGERS_DO.match(text) is not None
        return self._read_act_on_others(rest, reading) is not None

    # --- who does what -------------------------------------------------------------------------------

    def _read_predicate(
        self, subject: str, rest: str, sentence: str, reading: CastReading
    ) -> CastMove | None:
        """Move whom a predicate moves; return whether its subject comes or leaves."""
        if reading.is_told_in_present and PAST_VERB.match(rest):
            return None
        numbers = figures_of(subject, reading)
        if HERO in subject.split(",") and deaths.DIES.match(rest):
            reading.note_deaths([*numbers, HERO])
        if deaths.LIVES.match(rest):
            reading.note_survivals([*numbers, *([HERO] if HERO in subject.split(",") else [])])
        if subject == COMPANY or HERO in subject.split(","):
            return self._hero_acts.read(subject, numbers, rest, reading)
        if subject.startswith(EVERYONE):
            return _read_acts_of_all(numbers, rest, reading)
        if "," in subject and _SINGULAR_VERB.match(rest):
            numbers = numbers[-1:]  # `I hug @1@ and @2@ leaves`: two clauses that look like one list
        if self._read_life(numbers, rest, sentence, reading):
            return None
        if words.REMAINS.match(rest) or words.STAYS.match(rest):
            reading.staying.update(numbers)
        if self._is_found_waiting(numbers, rest, sentence, reading):
            reading.move(CastMove.COMES, numbers)
            return CastMove.COMES
        if match := words.STAYS.match(rest):
            if reading.exit_cast is not None or reading.company_goes or words.AWAY_FROM_HERE.search(match[0]):
                reading.move(CastMove.STAYS_BEHIND, numbers)
            return None
        if (match := words.TAKES_ASIDE.match(rest)) and HERO in who_of(match).split(","):
            reading.move(CastMove.COMES, numbers)
            reading.move(CastMove.GOES_OUT_OF_EARSHOT, sorted(reading.present - set(numbers)))
            return None
        if act := self._read_act_on_others(rest, reading):
            if act is CastMove.COMES or (_ALSO_GOES.match(rest) and not _SEES_OFF.search(rest)):
                reading.move(act, numbers)
            return act
        is_led = _LEADS_SOMEBODY.match(rest)
        is_hero_led = is_led is not None and HERO in is_led["who"].split(",")
        if is_hero_led and self._hero_acts.read_destination(rest, reading):
            reading.companions.update(numbers)
            reading.leave_with_hero()
            return None
        if match := words.LEADS_HERO.match(rest):
            reading.companions.update(numbers)
            if match["hero"] == HERO:
                reading.leave_with_hero()
            return None
        goes_after = words.GOES_AFTER.match(rest)
        if goes_after and reading.departed.intersection(figures_of(who_of(goes_after), reading)):
            reading.move(CastMove.LEAVES, numbers)
            return CastMove.LEAVES
        if read_others_going(rest, reading):
            return None
        if self._is_entering(numbers, rest, sentence, reading):
            if _AT_REST.match(rest):
                reading.move(CastMove.COMES, numbers)
            else:
                reading.bring_in(numbers)
            if _COMES_WITH_HERO.match(rest):
                reading.companions.update(numbers)
                reading.move(CastMove.COMES_ALONG, numbers)
            return CastMove.COMES
        is_leaving = (
            self._hero_acts.is_leaving(rest)
            or self._places.leaves_here.match(rest)
            or _goes_home_or_aboard(rest, sentence)
        )
        if reading.present.intersection(numbers) and is_leaving and not reading.is_within_place:
            reading.move(CastMove.LEAVES, numbers)
            return CastMove.LEAVES
        is_gone_already = is_leaving and not reading.is_within_place and reading.present.isdisjoint(numbers)
        is_elsewhere = ELSEWHERE.search(sentence) or self._places.elsewhere.search(sentence)
        if words.FALLS_DOWN.match(rest) and not is_elsewhere:
            reading.note_shown(numbers)
            return None
        if is_gone_already or is_elsewhere or _TELLS_OF_OATH.match(rest):
            return None
        if words.ACTS.match(rest):
            is_way_out = reading.last_move is CastMove.LEAVES and _SLAMS_DOOR.match(rest)
            gone = reading.departed if is_way_out else set()
            reading.act_here(n for n in numbers if n not in reading.senseless | gone)
        elif words.CLIMBS_OUT.match(rest):
            # Who fell in where they are climbs out there.
            reading.act_here(n for n in numbers if n not in reading.senseless | reading.shown)
        elif shows_here(rest, sentence, is_plural="," in subject):
            reading.note_shown(numbers)
        return None

    def _read_life(self, numbers: Sequence[int], rest: str, sentence: str, reading: CastReading) -> bool:
        """Read who dies, falls asleep or wakes; return whether the predicate says nothing else."""
        is_end = deaths.DIES.match(rest) or self._is_broken(numbers, rest, sentence)
        if is_end and not _OPENS_WITH_TIME.match(sentence):
            reading.note_deaths(numbers)
            reading.move(CastMove.DIES, numbers)
            return True
        if words.FALLS_ASLEEP.match(rest):
            if not ELSEWHERE.search(sentence):
                reading.move(CastMove.FALLS_ASLEEP, numbers)
                if _SLEEPS_HERE.match(rest):
                    reading.deal_with(numbers)
            return True
        if words.WAKES.match(rest):
            reading.move(CastMove.WAKES, numbers)
        return False

    def _is_broken(self, numbers: Sequence[int], rest: str, sentence: str) -> bool:
        """Say whether creatures come to their end by what breaks them, and are not made whole."""
        return (
            deaths.BREAKS.match(rest) is not None
            and deaths.IS_WHOLE_AGAIN.search(sentence) is None
            and all(self._mentions.figures[number].is_creature for number in numbers)
        )

    def _read_act_on_others(self, rest: str, reading: CastReading) -> CastMove | None:
        """Read what is done to others; return whether they come or leave by it."""
        for pattern, move in (
            (deaths.KILLS, CastMove.DIES),
            (words.STUNS, CastMove.FALLS_ASLEEP),
            (words.ROUSES, CastMove.WAKES),
            (words.SENDS_AWAY, CastMove.LEAVES),
            (words.BRINGS, CastMove.COMES),
        ):
            match = pattern.match(rest)
            if match is not None and move is CastMove.DIES:
                reading.note_deaths(who_of(match).split(","))
            if match is None or HERO in who_of(match).split(","):
                continue
            if move is CastMove.COMES and reading.last_move is CastMove.LEAVES and _TAKES.match(rest):
                move = CastMove.LEAVES  # `leaves and takes @1@ with her`
            numbers = figures_of(who_of(match), reading)
            if move is CastMove.COMES:
                reading.bring_in(numbers)
            else:
                reading.move(move, numbers)
            return move
        return None

    def _is_found_waiting(
        self, numbers: Sequence[int], rest: str, sentence: str, reading: CastReading
    ) -> bool:
        """Say whether somebody waits where the hero is or arrives, and not where they went or were left."""
        went = reading.departed | reading.left_behind | (reading.exit_cast or set())
        if reading.exit_cast is None:
            went |= reading.gone
        match = words.WAITS_THERE.match(rest)
        return (
            match is not None
            and (reading.present | went).isdisjoint(numbers)
            and self._is_entering(numbers, rest, sentence, reading)
        )

    def _is_entering(self, numbers: Sequence[int], rest: str, sentence: str, reading: CastReading) -> bool:
        match = words.ENTERS.match(rest)
        if self._places.is_here.match(rest) and not CLEARLY_ELSEWHERE.search(sentence):
            return not reading.present.issuperset(numbers)
        if match is None or self._is_elsewhere(rest, sentence):
            return False
        if _AT_REST.match(rest) and ELSEWHERE.search(sentence):
            return False
        is_away = all(
            n not in reading.present or n in reading.out_of_earshot or n in reading.arrived for n in numbers
        )
        return is_away or not (words.LEAVES.match(rest) or _goes_home_or_aboard(rest, sentence))

    def _is_elsewhere(self, clause: str, sentence: str) -> bool:
        return (
            CLEARLY_ELSEWHERE.search(sentence) is not None
            or self._places.happens_elsewhere.search(clause) is not None
            or (
                self._places.happens_elsewhere.search(sentence) is not None
                and re.search(r"\b(?:in|at)\b", sentence, re.IGNORECASE) is not None
            )
        )

    def _read_attached(self, text: str, reading: CastReading) -> None:
        """Move those whom a clause attaches to somebody who moves: `followed by`, `with ... in tow`."""
        if reading.last_move is not None:
            for match in turns.ATTACHED.finditer(text):
                if not _is_company(text, match):
                    continue
                numbers = figures_of(who_of(match), reading)
                if reading.last_move is CastMove.COMES:
                    reading.bring_in(numbers)
                else:
                    reading.move(reading.last_move, numbers)
        if reading.exit_cast is not None:
            for match in turns.COMES_ALONG.finditer(text):
                if not _is_company(text, match):
                    continue
                companions = figures_of(who_of(match), reading)
                reading.bring_in(companions)
                reading.companions.update(companions)
                reading.names_company |= match["who4"] is not None


def _quote_fates(fates: Iterable[tuple[str, int]], text: str, telling: re.Pattern[str]) -> list[NarratedFate]:
    """Return fates by their marks and the positions of their sentences, with the words that tell of each."""
    sentences = split_sentences(strip_speech(SINGLE_QUOTED.sub(" ¶ ", text)))
    quotes_by_mark: dict[str, str] = {}
    for mark, position in fates:
        sentence = sentences[position] if position < len(sentences) else text
        parts = [part.strip(" ,.!…") for part in sentence.split("¶")]
        quotes_by_mark.setdefault(mark, next(filter(telling.search, parts), parts[-1]))
    return [
        NarratedFate(None if mark == HERO else int(mark), quote) for mark, quote in quotes_by_mark.items()
    ]


def _list_named(sentence: MarkedSentence) -> set[int]:
    """Return those whom a sentence names, and does not only mean by a pronoun."""
    marks = "".join(_NUMBER_MARK.findall(sentence.text))
    return set(map(int, re.findall(r"\d+", marks))) - sentence.unnamed


def _with_claim(clause: MarkedClause) -> str:
    """Return a clause with what stands behind it if that is `claims @1@`, which a fever does, too."""
    is_claim = clause.report.startswith("claim") and "@" not in clause.text
    return f"{clause.text.removesuffix(' ¶')} {clause.report}" if is_claim else clause.text


def _find_named_stranger(text: str) -> re.Match[str] | None:
    match = turns.NAMED_STRANGER_ACTS.match(text)
    is_name = match is not None and NON_NAME_WORDS.isdisjoint(match["name"].casefold().split())
    return match if is_name else None


def _does_nothing(doer: str, rest: str) -> bool:
    """Say whether words before a deed deny it, or it is a joke or a grief that kills."""
    is_killing = deaths.KILLS.match(rest) is not None
    return deaths.is_not_done(doer) or (is_killing and deaths.is_way_of_speaking(doer))


def _goes_home_or_aboard(rest: str, sentence: str) -> bool:
    """Say whether somebody goes where they live, into a house whose door they shut, or aboard behind a farewell."""
    is_shut_in = (
        words.GOES_INTO_HOUSE.match(rest) is not None and words.SHUTS_DOOR.search(sentence) is not None
    )
    goes_aboard = words.GOES_ABOARD.match(rest) is not None and words.FAREWELL.search(sentence) is not None
    return is_shut_in or goes_aboard or words.GOES_HOME.match(rest) is not None


def _is_company(clause: str, match: re.Match[str]) -> bool:
    """Say whether who a pattern finds in a clause moves along, and is not only spoken with and the like."""
    who = next(key for key, mark in match.groupdict().items() if key.startswith("who") and mark)
    return turns.is_company(clause, match.start(who))


def _read_debt(marked: str) -> PronounDebt | None:
    """Return the debt of a marked sentence between the hero and somebody."""
    if match := _OWES_BY_PRONOUN.search(marked):
        return PronounDebt(int(match["who"]), match["what"], is_owed_to_hero=False)
    if match := _OWES_HERO.search(marked):
        return PronounDebt(int(match["who"]), match["what"], is_owed_to_hero=True)
    return None


def _with_hero(sentence: MarkedSentence) -> MarkedSentence:
    """Return a player's sentence that begins with what the hero does, with the hero before it: `go to the Tarn`."""
    text = add_hero(sentence.text, f"@{HERO}@")
    return sentence if text == sentence.text else replace(sentence, text=text)


def _find_subject(clause: MarkedClause, reading: CastReading) -> tuple[str, str] | None:
    """Return the mark of who does something in a clause, and what follows it; the last subject if none is named."""
    text = clause.text
    if name_alone := re.fullmatch(r"\s*@([^@]+)@\s*", text):
        reading.subject = name_alone[1]  # `a girl, @1@, steps in`: what she does is in the next clause
        return None
    if _STRANGER_BEGINS.match(text):
        reading.subject = ""  # `He hands @0@ a letter and leaves`
        return None
    goes_on = clause.opener in _GOING_ON and reading.subject and _OTHER_BEGINNING.match(text) is None
    for match in () if goes_on else re.finditer(r"@([^@]+)@", text):
        rest = text[match.end() :]
        adverbs = re.match(words.ADVERBS, rest)
        if adverbs is not None and not _NO_SUBJECT_AFTER.search(text[: match.start()]):
            reading.subject = match[1]
            return match[1], rest[adverbs.end() :]
    if reading.subject and not text.lstrip().startswith("@"):
        return reading.subject, _LEADING_ADVERBS.sub("", text.lstrip())
    return None


def _read_acts_of_all(numbers: Sequence[int], rest: str, reading: CastReading) -> CastMove | None:
    """Read what everybody does."""
    if words.FALLS_ASLEEP.match(rest):
        reading.move(CastMove.FALLS_ASLEEP, numbers)
    elif words.WAKES.match(rest):
        reading.move(CastMove.WAKES, numbers)
    elif re.match(r"(?:follow|come|came|join)", rest) and words.ENTERS.match(rest):
        reading.companions.update(numbers)
        reading.move(CastMove.COMES, sorted(reading.left_behind | reading.out_of_earshot))
    elif words.STAYS.match(rest):
        if reading.exit_cast is not None:
            reading.move(CastMove.STAYS_BEHIND, numbers)
    elif words.LEAVES.match(rest):
        reading.move(CastMove.LEAVES, numbers)
        return CastMove.LEAVES
    return None
