"""Reads who has a thing, or where it lies, after somebody handed it over: `I leave the bell with Vess.` Pure.

Each is put as the sentence that is true afterwards, `Vess has the bell`, which is read as any other.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from agents.canon_keeper.fact_readings import LOCATED_IN, SUBJECT
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.sentences.tokens import build_name_book
from agents.declarations.amounts import SUM_OF_MONEY
from agents.declarations.coordinated_clauses import split_clauses, split_things
from agents.declarations.handed_names import split_receiver
from agents.declarations.lasting_facts import build_stated_fact, read_lasting_facts
from agents.declarations.said_in_passing import Statement
from agents.declarations.thing_moves import (
    DETERMINER,
    IS_MISSING,
    LIES,
    NAME,
    NAME_WORD,
    PROPER_NAME,
    THING,
    WORDS,
    ThingMove,
    ThingMoveKind,
    tells_loss_by_nobody,
)
from agents.prose.called_names import find_called
from agents.prose.clauses import MEANWHILE
from agents.prose.frames import find_framed_sentences
from agents.prose.giving import (
    ENTRUSTING_VERBS,
    GIVING_VERBS,
    LAYING_VERBS,
    LEAVING_VERBS,
    PUTTING_VERBS,
)
from agents.prose.hero_name import name_hero
from agents.prose.introductions import drop_introduction
from agents.prose.speech import SINGLE_QUOTED, strip_speech
from agents.prose.unsaid_hero import add_hero
from agents.prose.words import SHORT_TITLE_PATTERN, split_sentences
from stores.records.canon import AssertFact, Fact
from stores.records.ids import Id
from stores.records.world import ACTORS, Entity, EntityKind

_PERSON_WORDS: Final = (
    r"(?!(?:and|down|up|away|out|off|aside|back|over)\b)[\w'’-]+(?: (?!and\b)[\w'’-]+){0,4}?"
)
_WHO: Final = rf"(?P<who>{SHORT_TITLE_PATTERN}{_PERSON_WORDS})"
_OWN_CLOTHES: Final = (
    r"(?:my|your|our) (?:own )?(?:neck|belt|pocket|bag|pack|sack|coat|cloak|boot|hat|sleeve|finger|purse)"
)
_FROM: Final = rf"(?P<from>(?!{_OWN_CLOTHES}\b){SHORT_TITLE_PATTERN}{_PERSON_WORDS})"
_VICTIM: Final = rf"(?:me|you|{SHORT_TITLE_PATTERN}{NAME_WORD}(?: {NAME_WORD})*)"
_WHERE: Final = rf"(?P<preposition>in|into|inside|at|on|under|beneath) (?P<place>(?:{DETERMINER})?{WORDS})"
_AT_DEED: Final = (
    r" (?:just |right |shortly )?(?:before|after|while|as) "
    rf"(?:I|we|you|he|she|it|they|(?:the|my|his|her|our|their) [a-z][\w'’-]*|{NAME_WORD}) "
    r"(?!(?:and|or|of|with|from)\b)[a-z].*"
)
"""What happened then, too: `before we reach the corner`, `as Dob looks away`."""
_MANNER: Final = (
    r" without (?:an?|any|another|so much|saying|looking|asking|waiting)\b.*| as an? [a-z].*| home| at once"
    r"| in (?:silence|secret|private|passing|return|exchange|payment|thanks|haste)\b.*"
    r"| (?:under|across|over) the (?:table|counter|bar|desk)"
)
"""How somebody hands a thing over, and what as: `without a word`, `as a keepsake`."""
_END: Final = (
    # What is paid, or what for: `for two crowns`, `for safe keeping`; with a capital it is for whom.
    r"(?P<end>, .*| now| for [a-z0-9].*| and (?:then|I|you) .*| and (?:he|she|they) (?!.*\b(?:it|them)\b).*"
    r"| and (?:hides?|hid|tucks?|tucked|stows?|stowed|keeps?|kept|pockets?|pocketed) it\b.*"
    rf"|{_MANNER}|{_AT_DEED})?"
)
_NEARBY: Final = (
    r"(?: (?:by|beside|near|behind|before|to|onto|on) the (?:[\w-]+ )?(?:door|fire|hearth|window|wall|stairs|"
    r"steps|table|bed|gate|well|floor|ground))?"
)
"""A part of the place where the scene is."""
_BEHIND_THING: Final = re.compile(
    rf" (?:for {NAME_WORD}(?: {NAME_WORD})*"
    rf"|(?:over|across|through|past|off|out of|by|near|beside|behind|among|amid|beneath) {DETERMINER}.+"
    r"|(?:that|which) .+|(?:that |which )?(?:I|we|you|he|she|they) [a-z].*)$"
)
"""Whom a thing is for, which way it goes, where it was or what is told of it: `the letter for Emmet Crane`."""
_AND_PART: Final = re.compile(
    r" and (?:half|most|some|part|a (?:bit|piece|part|third|quarter|share|little|handful)) (?:of )?"
    r"(?:the|my|your|our|his|her|their) [\w'’-]+(?: [\w'’-]+)?(?=$|[.,;!])"
    rf"|,? and {SUM_OF_MONEY}(?=$|[.,;!])|(?<= ){SUM_OF_MONEY} and (?=(?:the|an?|my|your|our|his|her|their) )"
)
"""Beside a thing, what has no name: `and half of my bread`, `and fifty silver`."""
_UNCERTAIN: Final = re.compile(
    r"[?:¶]|\b(?:if|unless|whether|tomorrow|tonight|later|soon|when|whenever|until|every|each|always|often|usually"
    r"|sometimes|never|almost|nearly)\b",
    re.IGNORECASE,
)
"""What asks, plans, repeats, doubts or quotes."""
_COMES_BACK: Final = re.compile(
    r"(?:\band|\bthen|\bbut|,)\s+(?:(?:then|quickly|who|he|she|they|I|you|[A-Z][\w'’-]+)\s+){0,2}"
    r"(?:(?:gives?|gave|hands?|handed|pass(?:es|ed)?|puts?|takes?|took|gets?|got|throws?|threw|toss(?:es|ed)?)\s+"
    r"(?:it|them)\s+(?:right\s+|straight\s+)?back\b|(?:finds?|found)\s+(?:it|them)\s+again\b)"
)
"""What was taken, given or lost before in the sentence is where it was: `turns it over, and gives it back to me`."""
_PASSED_ON: Final = re.compile(
    r"(?<= to )[^,;]{1,60}, who (?:then |at once |\w+ly )?(?:hands?|handed|gives?|gave|pass(?:es|ed)?|brings?|brought"
    r"|delivers?|delivered|slips?|slipped) (?:it|them) (?:on |over |along |back |straight )?to (?=[\w'’ -]{1,60}$)"
)
"""By whose hands a thing goes to somebody: `to Emmet, who hands it to` me."""
_TAKES_BACK: Final = re.compile(r"\b(?:but|only|back|refus\w*|declin\w*|pretend\w*)\b", re.IGNORECASE)
"""What may undo the words before it, where it follows them."""
_GIVE_TO: Final = (*GIVING_VERBS, "deliver delivers delivered")
_TAKE: Final = ("take takes took", "grab grabs grabbed", "snatch snatches snatched")
_POCKET: Final = (*_TAKE, "pocket pockets pocketed")
_BORROW: Final = ("borrow borrows borrowed",)
_GET: Final = (
    *_TAKE, *_BORROW, "get gets got", "receive receives received", "accept accepts accepted", "buy buys bought",
    "purchase purchases purchased",
)  # fmt: skip
_HAVE: Final = ("have has has",)
_STEAL: Final = (
    "steal steals stole", "seize seizes seized", "swipe swipes swiped", "filch filches filched",
    "pinch pinches pinched", "wrest wrests wrested", "pilfer pilfers pilfered",
)  # fmt: skip
_CONFISCATE: Final = (
    "confiscate confiscates confiscated", "impound impounds impounded", "seize seizes seized",
    "requisition requisitions requisitioned",
)  # fmt: skip
_RECOVER: Final = (
    "recover recovers recovered", "retrieve retrieves retrieved", "regain regains regained",
    "reclaim reclaims reclaimed",
)  # fmt: skip
_WIN_BACK: Final = (*_GET, "win wins won", "steal steals stole")
_WRENCH: Final = (
    *_TAKE, "wrest wrests wrested", "wrench wrenches wrenched", "tear tears tore", "pull pulls pulled",
    "pry pries pried", "rip rips ripped", "yank yanks yanked",
)  # fmt: skip
_GRIP: Final = (
    r"(?:his|her|their|(?P<from>[^\W\d_a-z][\w-]*(?: [\w-]+){0,3}?)['’]s?) "
    r"(?:hands?|grip|grasp|fingers|arms|belt|pocket)"
)
_MAKE_OFF: Final = (
    "run runs ran", "make makes made", "walk walks walked", "go goes went", "get gets got", "ride rides rode",
    "slip slips slipped", "sneak sneaks sneaked", "steal steals stole", "hurry hurries hurried", "dash dashes dashed",
    "sail sails sailed", "drive drives drove", "scurry scurries scurried", "march marches marched",
)  # fmt: skip
_FLEE: Final = (
    "flee flees fled", "escape escapes escaped", "vanish vanishes vanished", "disappear disappears disappeared",
    "abscond absconds absconded", "bolt bolts bolted", "leave leaves left",
)  # fmt: skip
_WITH_THING: Final = (
    rf"with {THING}"
    r"(?: (?:in|into|to|towards?|through|across|over|along|down|up|under|on|by|at|before|while|as) [a-z].*)?"
)
_ROB: Final = ("rob robs robbed", "relieve relieves relieved")
_PICK: Final = ("pick picks picked",)
_CARRY: Final = ("carry carries carried", "bear bears bore")
_WEAR: Final = (*_CARRY, "wear wears wore", "keep keeps kept", "have has had", "hold holds held")
_ON_THE_BODY: Final = (
    r"(?:on|at|in|from|by|a?round|about) "
    r"(?:an? (?:[a-z]+ )?(?:cord|chain|string|thong|ribbon|ring|rope|pouch|purse|sheath) "
    r"(?:on|at|in|from|a?round|about) )?(?:his|her|their|my) (?:[a-z]+ )?"
    r"(?:neck|belt|wrists?|arm|fingers?|thumb|waist|hips?|shoulders?|back|chest|breast|boots?|pockets?|coat|cloak"
    r"|sleeve|hands?)"
)
_DROP: Final = ("drop drops dropped",)
_FIND: Final = ("find finds found",)
_LOSE: Final = ("lose loses lost", "mislay mislays mislaid")
_THROW: Final = (
    "throw throws threw", "hurl hurls hurled", "fling flings flung", "toss tosses tossed", "cast casts cast",
    "chuck chucks chucked", "pitch pitches pitched", "heave heaves heaved",
)  # fmt: skip
_INTO: Final = rf"(?P<preposition>in|into) (?P<place>(?:{DETERMINER})?{WORDS})"
_OUT_OF_REACH: Final = (
    rf"(?:overboard|(?:off|over|out of|through|down) {DETERMINER}(?:(?!to )[\w'’-]+ ?){{1,4}})"
)
_DESTROY: Final = (
    "burn burns (?:burned|burnt)", "destroy destroys destroyed", "incinerate incinerates incinerated",
    "smash smashes smashed", "shatter shatters shattered",
)  # fmt: skip
_TEAR: Final = ("tear tears tore", "rip rips ripped")


class _Rule(NamedTuple):
    """What follows the subject of a sentence, and the sentence that is true after it."""

    verbs: tuple[str, ...]
    """Each as `base third-person past`."""
    rest: str
    sentence_after: str
    holder_before: str = "{actor}"
    """Who had the thing until then; empty if nobody need have."""
    is_of_hero: bool = False
    """Whether only the hero is meant: that somebody else stole a thing is a fact in its own words."""
    is_of_stranger: bool = False
    """Whether only somebody without a name is meant: who has the thing then is not known."""
    is_loss: bool = False
    """Whether the actor has the thing no more, wherever it is: if that is not known, its own words are the fact."""
    is_finding: bool = False
    """Whether the actor has it only if it was lost: who finds a door does not carry it."""

    @property
    def is_giving(self) -> bool:
        """Whether somebody else has it then, whoever gives it."""
        return "{who}" in self.sentence_after


_RULES: Final = (
    # Before what is thrown to somebody.
    _Rule(_THROW, rf"{THING} away", "", is_loss=True),
    _Rule(_THROW, rf"away {THING}", "", is_loss=True),
    _Rule((*_THROW, *_DROP), rf"{THING} {_OUT_OF_REACH}", "", is_loss=True),
    _Rule(_THROW, rf"{THING} {_INTO}", "{thing} is {preposition} {place}", is_loss=True),
    _Rule(ENTRUSTING_VERBS, rf"{THING} (?:with|to) {_WHO}", "{who} has {thing}"),
    _Rule(_GIVE_TO, rf"(?:back |over )?{THING}(?: back| over)? to {_WHO}", "{who} has {thing}"),
    _Rule(
        GIVING_VERBS,
        # What a thing is for: `the key to the cellar`, `a letter from Vess`.
        rf"(?:over )?{_WHO}(?: back| over)? {THING}(?: back| over)?(?: (?:to|from|with) .+)?",
        "{who} has {thing}",
    ),
    _Rule(_GET, rf"(?:back )?{THING} (?:back |away )?from {_FROM}", "{actor} has {thing}", "{from}"),
    _Rule(
        _STEAL,
        rf"(?:back )?{THING} (?:back )?(?:away )?from {_FROM}",
        "{actor} has {thing}",
        "{from}",
        is_of_hero=True,
    ),
    _Rule(
        (*_STEAL, "snatch snatches snatched"),
        rf"{THING}(?: from {_VICTIM})?(?: (?:in|at|during|from) [a-z].*)?",
        "{thing} was stolen",
        "",
        is_of_stranger=True,
    ),
    *(
        rule
        for verbs, rest in ((_MAKE_OFF, rf"(?:off|away) {_WITH_THING}"), (_FLEE, _WITH_THING))
        for rule in (
            _Rule(verbs, rest, "{actor} has {thing}", ""),
            _Rule(verbs, rest, "{thing} was stolen", "", is_of_stranger=True),
        )
    ),
    _Rule(_ROB, rf"{_FROM} of {THING}", "{actor} has {thing}", "{from}", is_of_hero=True),
    _Rule(_STEAL, rf"{THING}(?: back)?", "{actor} has {thing}", "", is_of_hero=True),
    _Rule(_CONFISCATE, rf"{THING} from {_FROM}", "{actor} has {thing}", "{from}"),
    _Rule(_CONFISCATE, THING, "{actor} has {thing}", ""),
    _Rule(_WIN_BACK, rf"{THING} back", "{actor} has {thing}", ""),
    _Rule(_WIN_BACK, rf"back {THING}", "{actor} has {thing}", ""),
    _Rule(_RECOVER, THING, "{actor} has {thing}", ""),
    _Rule(_WRENCH, rf"{THING} (?:out of|from|off) {_GRIP}", "{actor} has {thing}", ""),
    _Rule(_CARRY, rf"{THING} (?:off|away)", "{actor} has {thing}", ""),
    _Rule(_CARRY, rf"(?:off|away) {THING}", "{actor} has {thing}", ""),
    _Rule(_PICK, rf"up {THING}(?: from {_FROM})?", "{actor} has {thing}", ""),
    _Rule(_PICK, rf"{THING} up(?: from {_FROM})?", "{actor} has {thing}", ""),
    _Rule(_POCKET, THING, "{actor} has {thing}", ""),
    _Rule(_BORROW, THING, "{actor} has {thing}", ""),
    _Rule(_HAVE, rf"{THING} (?:again|back|once more)", "{actor} has {thing}", ""),
    _Rule(_WEAR, rf"(?!an? ){THING} {_ON_THE_BODY}", "{actor} has {thing}", ""),
    _Rule(_HAVE, rf"(?!an? ){THING}", "{actor} has {thing}", "", is_of_hero=True),
    _Rule(
        _FIND,
        rf"{THING}(?: again)?(?: {_WHERE})?(?: again)?",
        "{actor} has {thing}",
        "",
        is_finding=True,
    ),
    _Rule(_LOSE, rf"{THING}(?: {_WHERE})?", "", is_loss=True),
    _Rule(_TEAR, rf"{THING} (?:up|(?:in)?to (?:pieces|shreds))", "", is_loss=True),
    _Rule(_TEAR, rf"up {THING}", "", is_loss=True),
    _Rule(_DESTROY, rf"{THING}(?: (?:in|on|with|to) {WORDS})?", "", is_loss=True),
    _Rule(_DROP, rf"{THING} (?:down )?{_WHERE}", "{thing} is {preposition} {place}", is_loss=True),
    _Rule(PUTTING_VERBS, rf"{THING} (?:down )?{_WHERE}", "{thing} is {preposition} {place}"),
    _Rule(LEAVING_VERBS, rf"{THING} (?:behind|here)", "{thing} is in {here}"),
    _Rule(LAYING_VERBS, rf"{THING} down", "{thing} is in {here}"),
    _Rule(LAYING_VERBS, rf"down {THING}", "{thing} is in {here}"),
    _Rule(_DROP, rf"{THING}{_NEARBY}", "{thing} is in {here}", is_loss=True),
)
_GOES_MISSING: Final = re.compile(
    rf"(?:(?:{DETERMINER.replace('(?:the', '(?i:the', 1)})(?P<thing>{WORDS})|(?P<proper_name>{PROPER_NAME}))"
    r"(?: (?:slips|slipped|slides|slid|falls|fell|drops|dropped|rolls|rolled|tumbles|tumbled|sinks|sank)"
    r"(?: [\w'’-]+){1,7}?,? and(?: then)?)? "
    rf"(?P<missing>{IS_MISSING})"
)
"""That a thing is lost, by nobody's deed: `The ring slips from my boot and is lost in the snow`."""
_OWNED: Final = re.compile(r"[^\W\d_a-z][\w-]*['’]s? $")
"""Before a thing, whose it is by name."""
_ANOTHERS: Final = re.compile(rf"(?:{_OWNED.pattern.removesuffix('$')}|\b(?:his|her|their) )$")
"""Before a thing, that it is not the hero's."""
_HAVE_GOT: Final = re.compile(r"\bI(?:['’]ve| have)(?: got)?\b")
_ITS_OWN: Final = re.compile(r"\b(?:an?|his|her|their) $")
"""Before a thing that somebody may have had all along."""
_OF_ROLE: Final = re.compile(r"[a-z][\w-]+['’]s? ")
"""In what a thing is called, who has it: `the captain's sword`."""
_STRANGER: Final = (
    r"(?:Somebody|Someone|(?:An?|The|(?:One|Two|Some) of the) (?:[a-z][\w'’-]+ ){0,2}[a-z][\w'’-]+)"
)
"""Somebody who gives or steals something and has no name: `A tired messenger`."""
_STRANGER_ACTOR: Final = rf"(?P<actor>{_STRANGER})"
_ANY_ONE: Final = re.compile(r"\ban? $")
"""Before a thing that nobody is said to have had."""
_PREPOSITIONS: Final = {"into": "in", "inside": "in"}


class _HeroWords(NamedTuple):
    """What means the hero: as the subject of a sentence, by pattern, and as who is given something."""

    subjects: str
    objects: tuple[str, ...]


_PLAYER_HERO_WORDS: Final = _HeroWords("I", ("me",))
_GM_HERO_WORDS: Final = _HeroWords("(?:You|I)", ("you", "me"))
"""Who plays alone tells as the GM of `you` or goes on in the first person."""


class Handover(NamedTuple):
    """What is true after a thing changed hands or places."""

    statement: Statement
    """Empty where only `loss` says what is true: whoever lost a thing has it no more."""
    actor_name: str
    """Who did it; empty for the hero. Who has no name is called as the sentence does: `A messenger`."""
    holder_before: str = ""
    """Who had the thing until then; empty if the sentence does not say."""
    thing_name: str = ""
    """What the sentence calls the thing: `rope`; empty if it may be none."""
    loss: str = ""
    """Its own words, with the hero's name, where the actor has the thing no more: `Dob drops the bell in the well`."""
    is_finding: bool = False
    """Whether somebody has the thing only if it was lost."""
    is_gone: bool = False
    """Whether the thing is stolen or lost by it, and not only given, put down or picked up."""
    is_destruction: bool = False
    """Whether the thing is no more by it."""
    proper_name: str = ""
    """The name of the thing, if it stands without an article: `Oathkeeper`. It may yet be that of somebody."""

    @property
    def is_by_stranger(self) -> bool:
        """Whether somebody without a name did it."""
        return re.fullmatch(_STRANGER, self.actor_name) is not None


class HandoverReader:
    """Reads what the hero (`I`, and in words of the GM also `you`) or somebody with a name does with a thing.

    The name of a hero or place that is not known is empty.
    """

    def __init__(
        self, hero_name: str, place_name: str, *, is_gm: bool, people_here: Collection[str] = ()
    ) -> None:
        """`people_here` are the names of those who are in the scene: what they drop is there."""
        self._people_here = frozenset(people_here)
        self._hero_name = hero_name
        self._place_name = place_name
        self._is_gm = is_gm
        self._hero_words = _GM_HERO_WORDS if is_gm else _PLAYER_HERO_WORDS

    def find(self, text: str) -> list[Handover]:
        """Return what is true after the sentences of a text that say who has a thing, or where it is."""
        return [handover for handover in self.find_moves(text) if handover.statement.sentence]

    def find_moves(self, text: str) -> list[Handover]:
        """Return the handovers of a text, with those by which somebody only has a thing no more.

        Nothing is looked up for this.
        """
        if SINGLE_QUOTED.search(text):
            return []
        told_text = strip_speech(text)
        framed = find_framed_sentences(told_text)
        sentences = (
            sentence.strip(" .")
            for position, sentence in enumerate(split_sentences(told_text))
            if position not in framed and not _UNCERTAIN.search(sentence)
        )
        return [handover for sentence in sentences for handover in self._read_written(sentence)]

    def _read_written(self, sentence: str) -> list[Handover]:
        """Return the handovers of a sentence as it stands in the text; in a player's notes it may leave out `I`.

        What comes back within the sentence is where it was, unless it is read who has it by that.
        """
        told = sentence if self._is_gm else add_hero(sentence)
        handovers = self._read_sentence(told.strip(" .!"))
        if _COMES_BACK.search(sentence):
            handovers = [h for h in handovers if "back" in h.statement.quote]
        if told == sentence:
            return handovers
        return [_quote_as_written(handover, sentence) for handover in handovers]

    def _read_sentence(self, sentence: str) -> list[Handover]:
        """Return the handovers of a sentence, of each thing the last one: as a whole, or clause by clause."""
        told = _PASSED_ON.sub("", sentence, count=1)
        told = drop_introduction(MEANWHILE.sub("", _HAVE_GOT.sub("I have", _AND_PART.sub("", told))))
        each_thing = [self._read_clause(one, sentence, is_whole=True) for one in split_things(told)]
        if each_thing and None not in each_thing:
            return [handover for handover in each_thing if handover is not None]
        whole = self._read_clause(told, sentence, is_whole=True)
        clauses = split_clauses(told)
        # `I take the letter and run` takes no `letter and run`.
        if whole is not None and not (clauses and " and " in whole.thing_name):
            return [whole]
        handovers: dict[str, Handover] = {}
        for clause in clauses:
            quote = clause.quote if clause.quote in sentence else sentence
            handover = self._read_clause(clause.sentence, quote)
            if handover is not None:
                handovers[handover.thing_name] = handover
            elif clause.is_on_same_thing and _TAKES_BACK.search(clause.sentence):
                return []
        return list(handovers.values())

    def _read_clause(self, clause: str, quote: str, *, is_whole: bool = False) -> Handover | None:
        """Return the handover of a clause, if it is one and all that it needs is known; `quote` are its words."""
        for rule in _RULES:
            for subject in self._list_subjects(rule):
                is_hero = subject is self._hero_words.subjects
                match = _rule_pattern(rule, subject, is_hero=is_hero).fullmatch(clause)
                if match is not None and not _TAKES_BACK.search(match["end"] or ""):
                    return self._build_handover(rule, match, is_hero=is_hero, is_whole=is_whole, quote=quote)
        return _read_missing_thing(clause, quote)

    def _list_subjects(self, rule: _Rule) -> tuple[str, ...]:
        """Return who may do what a rule reads, as patterns."""
        if rule.is_of_stranger:
            return (_STRANGER_ACTOR,)
        if rule.is_of_hero:
            return (self._hero_words.subjects,)
        return (self._hero_words.subjects, NAME, *((_STRANGER_ACTOR,) if rule.is_giving else ()))

    def _build_handover(
        self, rule: _Rule, match: re.Match[str], *, is_hero: bool, is_whole: bool, quote: str
    ) -> Handover | None:
        names = self._name_parts(self._read_groups(match))
        # `I give you the key` of the GM's does not say who speaks.
        if is_hero and match.groupdict("").get("who") in self._hero_words.objects:
            return None
        own_words = match.string[: match.start("end")] if match["end"] else match.string
        is_known = all(names[key] for key in re.findall(r"{(\w+)}", rule.sentence_after))
        sentence_after = rule.sentence_after.format_map(names) if is_known else ""
        sentence_after = re.sub(r"^the ", "The ", sentence_after)
        loss = name_hero(own_words, self._hero_name) if rule.is_loss else ""
        if not sentence_after and not (loss and names["actor"]):
            return None
        # What is put somewhere may be no thing: `I leave the house in a hurry.`
        may_be_no_thing = "{place}" in rule.sentence_after and not rule.is_loss
        is_by_stranger = re.fullmatch(_STRANGER, names["actor"]) is not None
        return Handover(
            Statement(sentence_after, own_words if own_words in quote else quote),
            actor_name="" if is_hero else names["actor"],
            holder_before="" if is_by_stranger else rule.holder_before.format_map(names),
            thing_name="" if may_be_no_thing else names["noun"],
            loss=loss,
            is_finding=rule.is_finding,
            is_gone=_is_gone(rule, match, is_hero=is_hero, is_whole=is_whole),
            is_destruction=rule.verbs in (_DESTROY, _TEAR),
            proper_name=names["proper_name"],
        )

    def _read_groups(self, match: re.Match[str]) -> dict[str, str]:
        """Return the parts of a sentence, of who is given a thing without an article the whole name."""
        groups = match.groupdict("")
        if not groups["proper_name"] or match.end("who" if "who" in groups else 0) + 1 != match.start(
            "proper_name"
        ):
            return groups
        split = split_receiver(f"{groups['who']} {groups['proper_name']}", self._people_here)
        return groups | {"who": split[0], "proper_name": split[1]} if split else groups

    def _name_parts(self, groups: Mapping[str, str]) -> dict[str, str]:
        who, preposition = groups.get("who", ""), groups.get("preposition", "")
        source = groups.get("from", "")
        noun, proper_name = _BEHIND_THING.sub("", groups["thing"]), groups["proper_name"]
        return {
            "noun": noun,
            "proper_name": proper_name,
            "thing": proper_name or f"the {noun}",
            "actor": groups.get("actor", self._hero_name),
            "who": self._hero_name if who in self._hero_words.objects else who,
            "from": self._hero_name if source in self._hero_words.objects else source,
            "preposition": _PREPOSITIONS.get(preposition, preposition),
            # Where something was put is known from then on: `under a loose floorboard` is under that one.
            "place": re.sub(r"^an? ", "the ", groups.get("place", "")),
            # Where somebody else is who drops a thing is not said, unless they are in the scene.
            "here": self._place_name if groups.get("actor", "") in {"", *self._people_here} else "",
        }


def _is_gone(rule: _Rule, match: re.Match[str], *, is_hero: bool, is_whole: bool) -> bool:
    """Say whether the thing is stolen or lost by what a rule reads, and not only given, put down or picked up."""
    if rule.is_loss:
        return "{here}" not in rule.sentence_after
    if rule.verbs in (_MAKE_OFF, _FLEE):
        # `rides off with her bow` goes with what is her own.
        return _ITS_OWN.search(match.string, 0, match.start("thing")) is None
    if rule.is_of_stranger:
        return _ANY_ONE.search(match.string, 0, match.start("thing")) is None
    if rule.verbs is _POCKET:
        # What others take is another's, if no more is said or it says whose; not so: `takes the cup and drinks`.
        return (is_whole and not is_hero) or _is_anothers(match, is_hero=is_hero)
    return rule.is_of_hero and rule.verbs is not _HAVE


def _is_anothers(match: re.Match[str], *, is_hero: bool) -> bool:
    """Say whether words before a thing say that it is not of who takes it."""
    is_of_name = (_ANOTHERS if is_hero else _OWNED).search(match.string, 0, match.start("thing")) is not None
    return is_of_name or _OF_ROLE.match(match["thing"] or "") is not None


def _quote_as_written(handover: Handover, sentence: str) -> Handover:
    """Return a handover that was read with `I` before the sentence, with the words that stand there."""
    quote = handover.statement.quote.removeprefix("I ")
    if quote[:1] == sentence[:1].lower():
        quote = sentence[:1] + quote[1:]
    return handover._replace(statement=handover.statement._replace(quote=quote))


def _read_missing_thing(clause: str, quote: str) -> Handover | None:
    """Return that a thing is lost, if a clause says so."""
    match = _GOES_MISSING.fullmatch(clause)
    if match is None:
        return None
    noun, name = match["thing"] or "", match["proper_name"] or ""
    subject = f"The {noun}" if noun else name
    return Handover(
        Statement("", clause if clause in quote else quote),
        actor_name="",
        thing_name=noun,
        loss=f"{subject} {match['missing']}",
        is_gone=True,
        proper_name=name,
    )


class HandoverFact(NamedTuple):
    """A fact that a handover makes true."""

    fact: AssertFact
    quote: str
    thing: Entity
    is_mere_loss: bool = False
    """Whether it only says that somebody has the thing no more, in its own words."""
    is_finding: bool = False
    """Whether somebody has the thing only if it was lost."""
    is_destruction: bool = False
    """Whether the thing is no more by it, whoever had it."""

    def changes_nothing(self, moves: Sequence[ThingMove], *, is_owned: bool) -> bool:
        """Say whether it tells nothing new after the moves of the thing: nobody loses what nobody is known to have.

        Whoever owns a thing may lose it, though nothing says where it is.
        """
        last_kind = moves[-1].kind if moves else None
        is_lost = last_kind in (ThingMoveKind.IS_LOST, ThingMoveKind.IS_MISSING)
        if self.is_destruction:
            return False
        is_told_of = bool(moves) or is_owned or tells_loss_by_nobody(self.fact)
        return (self.is_mere_loss and (is_lost or not is_told_of)) or (self.is_finding and not is_lost)


def read_handovers(
    handovers: Sequence[Handover], entities: Sequence[Entity], catalogue: Catalogue, tick: int
) -> list[HandoverFact]:
    """Return the facts about known things that the hero or known people handed over or lost."""
    people = [entity for entity in entities if entity.kind in ACTORS]
    kinds = {entity.id: entity.kind for entity in entities}
    facts = []
    for handover in handovers:
        is_of_known = not handover.actor_name or len(find_called(handover.actor_name, people)) == 1
        if is_of_known and handover.is_by_stranger and handover.is_gone:
            continue  # `The miller steals the bell` says who has it
        if not (is_of_known or handover.is_by_stranger) or not _is_of_named_thing(handover, entities):
            continue
        lasting_facts = read_lasting_facts([handover.statement], entities, catalogue, tick)
        # Where a thing was dropped in a place that is not known, the words themselves say more.
        is_read = bool(lasting_facts) and not (handover.loss and len(lasting_facts[0].fact.involves) == 1)
        if is_read and _is_of_thing(fact := lasting_facts[0].fact, kinds):
            facts.append(
                HandoverFact(
                    fact,
                    lasting_facts[0].quote,
                    _thing_of(fact, entities),
                    is_finding=handover.is_finding,
                )
            )
        elif handover.loss:
            fact = build_stated_fact(handover.loss, build_name_book(entities), entities, catalogue, tick)
            if _is_of_thing(fact, kinds):
                facts.append(
                    HandoverFact(
                        fact,
                        handover.statement.quote,
                        _thing_of(fact, entities),
                        is_mere_loss=True,
                        is_destruction=handover.is_destruction,
                    )
                )
    return facts


def _is_of_named_thing(handover: Handover, entities: Sequence[Entity]) -> bool:
    """Say whether the name of what is handed over, if it stands without an article, is that of a thing."""
    called = find_called(handover.proper_name, entities) if handover.proper_name else []
    return not handover.proper_name or [e.kind for e in called] == [EntityKind.OBJECT]


def _thing_of(fact: AssertFact, entities: Sequence[Entity]) -> Entity:
    """Return the thing that a fact of a handover is about."""
    roles = {involvement.entity_id: involvement.role for involvement in fact.involves}
    things = [e for e in entities if e.kind is EntityKind.OBJECT and e.id in roles]
    return min(things, key=lambda thing: roles[thing.id] != SUBJECT)


def find_other_holding(
    handover: Handover, entities: Sequence[Entity], moves: Sequence[ThingMove]
) -> Fact | None:
    """Return the last of the thing's moves, if by it somebody has the thing who is not who hands it over."""
    givers = find_called(handover.holder_before, [e for e in entities if e.kind in ACTORS])
    is_held = bool(moves) and moves[-1].kind in (ThingMoveKind.IS_HELD, ThingMoveKind.IS_TAKEN)
    if len(givers) != 1 or not is_held:
        return None
    holding = moves[-1].fact
    is_held_by_giver = any(i.entity_id == givers[0].id for i in holding.involves)
    return None if is_held_by_giver else holding


@cache
def _rule_pattern(rule: _Rule, subject: str, *, is_hero: bool) -> re.Pattern[str]:
    """Return the pattern of sentences about a subject: of the hero the verb has no ending."""
    forms = [form.split() for form in rule.verbs]
    verbs = "|".join(f"{base if is_hero else third}|{past}" for base, third, past in forms)
    return re.compile(
        rf"(?:(?:Now|Then|Finally|At last),? )?{subject} (?:now |then )?(?:{verbs}) {rule.rest}{_END}"
    )


def _is_of_thing(fact: AssertFact, kinds: Mapping[Id, EntityKind]) -> bool:
    """Return whether a fact says of a thing who has it, or at what place or in what thing it is."""
    fact_kinds = [kinds.get(involvement.entity_id) for involvement in fact.involves]
    if fact_kinds == [EntityKind.OBJECT]:
        return LIES.match(fact.statement) is not None or tells_loss_by_nobody(fact)
    if len(fact_kinds) != 2 or EntityKind.OBJECT not in fact_kinds:
        return False
    fact_kinds.remove(EntityKind.OBJECT)
    (other,) = fact_kinds
    return other in (*ACTORS, EntityKind.PLACE) or (
        other is EntityKind.OBJECT and fact.predicate == LOCATED_IN
    )
