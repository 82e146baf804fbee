"""Reads who has a thing, or where it lies, after somebody handed it over: `I leave the bell with Vess.` Pure.

Each is put as the sentence that is true afterwards, `Vess has the bell`, which is read as any other.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from agents.canon_keeper.fact_readings import LOCATED_IN, SUBJECT
from agents.canon_keeper.predicates import Catalogue
from agents.canon_keeper.sentences.tokens import build_name_book
from agents.declarations.coordinated_clauses import split_clauses
from agents.declarations.lasting_facts import Statement, build_stated_fact, read_lasting_facts
from agents.proposals.statements import STATED_PREDICATE
from agents.prose.called_names import find_called
from agents.prose.frames import find_framed_sentences
from agents.prose.hero_name import name_hero
from agents.prose.speech import SINGLE_QUOTED, strip_speech
from agents.prose.words import SHORT_TITLE_PATTERN, split_sentences
from stores.records.canon import AssertFact, Fact
from stores.records.ids import Id
from stores.records.world import ACTORS, Entity, EntityKind

_DET: Final = (
    r"(?:the|my|this|that|our|a|an|his|her|their|(?:[^\W\d_a-z][\w-]*[ -]){0,2}[^\W\d_a-z][\w-]*['’]s?) "
)
"""What stands before a thing: `the`, `his`, `Dob's`; whose it is said to be does not say who has it."""
_WORDS: Final = r"[\w'’-]+(?: [\w'’-]+){0,4}?"
_PERSON_WORDS: Final = (
    r"(?!(?:and|down|up|away|out|off|aside|back|over)\b)[\w'’-]+(?: (?!and\b)[\w'’-]+){0,4}?"
)
_THING: Final = rf"{_DET}(?P<thing>{_WORDS})"
_WHO: Final = rf"(?P<who>{SHORT_TITLE_PATTERN}{_PERSON_WORDS})"
_OWN_CLOTHES: Final = (
    r"(?:my|your|our) (?:own )?(?:neck|belt|pocket|bag|pack|sack|coat|cloak|boot|hat|sleeve|finger|purse)"
)
_FROM: Final = rf"(?P<from>(?!{_OWN_CLOTHES}\b){SHORT_TITLE_PATTERN}{_PERSON_WORDS})"
_WHERE: Final = rf"(?P<preposition>in|into|inside|at|on|under) (?P<place>(?:{_DET})?{_WORDS})"
_NAME_WORD: Final = r"[^\W\d_a-z][\w'’-]*"
_NAME: Final = (
    rf"(?P<actor>{SHORT_TITLE_PATTERN}{_NAME_WORD}(?: (?:of |the |de |von |van )?{_NAME_WORD}){{0,4}})"
)
_END: Final = (
    r"(?P<end>, .*| and (?:then|I|you) .*"
    r"| and (?:hides?|hid|tucks?|tucked|stows?|stowed|keeps?|kept|pockets?|pocketed) it\b.*)?"
)
_NEARBY: Final = (
    r"(?: (?:by|beside|near|behind|before|to|onto|on) the (?:[\w-]+ )?(?:door|fire|hearth|window|wall|stairs|"
    r"steps|table|bed|gate|well|floor|ground))?"
)
"""A part of the place where the scene is."""
_FOR_WHOM: Final = re.compile(rf" for {_NAME_WORD}(?: {_NAME_WORD})*$")
"""Whom a thing is for, behind it: `the letter for Emmet Crane`."""
_UNCERTAIN: Final = re.compile(
    r"[?:¶]|\b(?:if|unless|whether|tomorrow|tonight|later|soon|when|whenever|until|every|each|always|often|usually"
    r"|sometimes|never|almost|nearly)\b",
    re.IGNORECASE,
)
"""What asks, plans, repeats, doubts or quotes."""
_TAKES_BACK: Final = re.compile(r"\b(?:but|only|back|refus\w*|declin\w*|pretend\w*)\b", re.IGNORECASE)
"""What may undo the words before it, where it follows them."""
_HAS: Final = re.compile(
    rf"(?:The )?{_NAME} (?P<verb>has|(?:has )?stolen|stole|steals|takes|took) {_THING}(?: from {_FROM})?\."
)
"""A fact of who has a thing: it also says so that somebody stole it."""

_GIVE: Final = (
    "give gives gave", "hand hands handed", "pass passes passed", "lend lends lent", "toss tosses tossed",
    "throw throws threw", "slip slips slipped", "bring brings brought",
)  # fmt: skip
_GIVE_TO: Final = (*_GIVE, "return returns returned", "sell sells sold", "deliver delivers delivered")
_LEAVE: Final = ("leave leaves left",)
_ENTRUST: Final = (*_LEAVE, "entrust entrusts entrusted")
_TAKE: Final = ("take takes took", "grab grabs grabbed", "snatch snatches snatched")
_POCKET: Final = (*_TAKE, "pocket pockets pocketed")
_GET: Final = (*_TAKE, "get gets got", "receive receives received", "accept accepts accepted")
_HAVE: Final = ("have has has",)
_STEAL: Final = (
    "steal steals stole", "seize seizes seized", "swipe swipes swiped", "filch filches filched",
    "pinch pinches pinched", "wrest wrests wrested", "pilfer pilfers pilfered",
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
_ROB: Final = ("rob robs robbed", "relieve relieves relieved")
_PICK: Final = ("pick picks picked",)
_DROP: Final = ("drop drops dropped",)
_LOSE: Final = ("lose loses lost", "mislay mislays mislaid")
_LAY: Final = ("put puts put", "lay lays laid")
_PUT: Final = (
    *_LEAVE,
    *_LAY,
    "hide hides hid",
    "place places placed",
    "lock locks locked",
    "stow stows stowed",
)


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
    is_loss: bool = False
    """Whether the actor has the thing no more, wherever it is: if that is not known, its own words are the fact."""


_RULES: Final = (
    _Rule(_ENTRUST, rf"{_THING} (?:with|to) {_WHO}", "{who} has the {thing}"),
    _Rule(_GIVE_TO, rf"(?:back |over )?{_THING}(?: back| over)? to {_WHO}", "{who} has the {thing}"),
    _Rule(_GIVE, rf"(?:over )?{_WHO}(?: back| over)? {_THING}(?: back| over)?", "{who} has the {thing}"),
    _Rule(_GET, rf"(?:back )?{_THING} (?:back |away )?from {_FROM}", "{actor} has the {thing}", "{from}"),
    _Rule(
        _STEAL,
        rf"(?:back )?{_THING} (?:back )?(?:away )?from {_FROM}",
        "{actor} has the {thing}",
        "{from}",
        is_of_hero=True,
    ),
    _Rule(_ROB, rf"{_FROM} of {_THING}", "{actor} has the {thing}", "{from}", is_of_hero=True),
    _Rule(_STEAL, rf"{_THING}(?: back)?", "{actor} has the {thing}", "", is_of_hero=True),
    _Rule(_WIN_BACK, rf"{_THING} back", "{actor} has the {thing}", ""),
    _Rule(_WIN_BACK, rf"back {_THING}", "{actor} has the {thing}", ""),
    _Rule(_RECOVER, _THING, "{actor} has the {thing}", ""),
    _Rule(_WRENCH, rf"{_THING} (?:out of|from|off) {_GRIP}", "{actor} has the {thing}", ""),
    _Rule(_PICK, rf"up {_THING}(?: from {_FROM})?", "{actor} has the {thing}", ""),
    _Rule(_PICK, rf"{_THING} up(?: from {_FROM})?", "{actor} has the {thing}", ""),
    _Rule(_POCKET, _THING, "{actor} has the {thing}", ""),
    _Rule(_HAVE, rf"{_THING} (?:again|back|once more)", "{actor} has the {thing}", "", is_of_hero=True),
    _Rule(_LOSE, rf"{_THING}(?: {_WHERE})?", "", is_loss=True),
    _Rule(_DROP, rf"{_THING} (?:down )?{_WHERE}", "The {thing} is {preposition} {place}", is_loss=True),
    _Rule(_PUT, rf"{_THING} (?:down )?{_WHERE}", "The {thing} is {preposition} {place}"),
    _Rule(_LEAVE, rf"{_THING} (?:behind|here)", "The {thing} is in {here}"),
    _Rule(_LAY, rf"{_THING} down", "The {thing} is in {here}"),
    _Rule(_LAY, rf"down {_THING}", "The {thing} is in {here}"),
    _Rule(_DROP, rf"{_THING}{_NEARBY}", "The {thing} is in {here}", is_loss=True),
)
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
    """Who did it; empty for the hero."""
    holder_before: str = ""
    """Who had the thing until then; empty if the sentence does not say."""
    thing_name: str = ""
    """What the sentence calls the thing: `rope`; empty if it may be none."""
    loss: str = ""
    """Its own words, with the hero's name, where the actor has the thing no more: `Dob drops the bell in the well`."""


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
            sentence.strip(" .!")
            for position, sentence in enumerate(split_sentences(told_text))
            if position not in framed and not _UNCERTAIN.search(sentence)
        )
        return [handover for sentence in sentences for handover in self._read_sentence(sentence)]

    def _read_sentence(self, sentence: str) -> list[Handover]:
        """Return the handovers of a sentence, of each thing the last one: as a whole, or clause by clause."""
        whole = self._read_clause(sentence, sentence)
        clauses = split_clauses(sentence)
        # `I take the letter and run` takes no `letter and run`.
        if whole is not None and not (clauses and " and " in whole.thing_name):
            return [whole]
        handovers: dict[str, Handover] = {}
        for clause in clauses:
            handover = self._read_clause(clause.sentence, clause.quote)
            if handover is not None:
                handovers[handover.thing_name] = handover
            elif clause.is_on_same_thing and _TAKES_BACK.search(clause.sentence):
                return []
        return list(handovers.values())

    def _read_clause(self, clause: str, quote: str) -> Handover | None:
        """Return the handover of a clause, if it is one and all that it needs is known; `quote` are its words."""
        for rule in _RULES:
            for subject in (self._hero_words.subjects, *(() if rule.is_of_hero else ("",))):
                match = _rule_pattern(rule, subject).fullmatch(clause)
                if match is not None and not _TAKES_BACK.search(match["end"] or ""):
                    return self._build_handover(rule, match, is_hero=bool(subject), quote=quote)
        return None

    def _build_handover(
        self, rule: _Rule, match: re.Match[str], *, is_hero: bool, quote: str
    ) -> Handover | None:
        names = self._name_parts(match.groupdict(""))
        # `I give you the key` of the GM's does not say who speaks.
        if is_hero and match.groupdict("").get("who") in self._hero_words.objects:
            return None
        own_words = match.string[: match.start("end")] if match["end"] else match.string
        is_known = all(names[key] for key in re.findall(r"{(\w+)}", rule.sentence_after))
        sentence_after = rule.sentence_after.format_map(names) if is_known else ""
        loss = name_hero(own_words, self._hero_name) if rule.is_loss else ""
        if not sentence_after and not (loss and names["actor"]):
            return None
        return Handover(
            Statement(sentence_after, own_words if own_words in quote else quote),
            "" if is_hero else names["actor"],
            rule.holder_before.format_map(names),
            # What is put somewhere may be no thing: `I leave the house in a hurry.`
            "" if "{place}" in rule.sentence_after else names["thing"],
            loss,
        )

    def _name_parts(self, groups: Mapping[str, str]) -> dict[str, str]:
        who, preposition = groups.get("who", ""), groups.get("preposition", "")
        source = groups.get("from", "")
        return {
            "thing": _FOR_WHOM.sub("", groups["thing"]),
            "actor": groups.get("actor", self._hero_name),
            "who": self._hero_name if who in self._hero_words.objects else who,
            "from": self._hero_name if source in self._hero_words.objects else source,
            "preposition": _PREPOSITIONS.get(preposition, preposition),
            "place": groups.get("place", ""),
            # Where somebody else is who drops a thing is not said, unless they are in the scene.
            "here": self._place_name if groups.get("actor", "") in {"", *self._people_here} else "",
        }


class HandoverFact(NamedTuple):
    """A fact that a handover makes true."""

    fact: AssertFact
    quote: str
    thing: Entity
    is_mere_loss: bool = False
    """Whether it only says that somebody has the thing no more, in its own words."""


def read_handovers(
    handovers: Sequence[Handover], entities: Sequence[Entity], catalogue: Catalogue, tick: int
) -> list[HandoverFact]:
    """Return the facts about known things that the hero or known people handed over or lost."""
    people = [entity for entity in entities if entity.kind in ACTORS]
    kinds = {entity.id: entity.kind for entity in entities}
    facts = []
    for handover in handovers:
        if handover.actor_name and len(find_called(handover.actor_name, people)) != 1:
            continue
        lasting_facts = read_lasting_facts([handover.statement], entities, catalogue, tick)
        if lasting_facts and _is_of_thing(fact := lasting_facts[0].fact, kinds):
            facts.append(HandoverFact(fact, lasting_facts[0].quote, _thing_of(fact, entities)))
        elif handover.loss:
            fact = build_stated_fact(handover.loss, build_name_book(entities), entities, catalogue, tick)
            if _is_of_thing(fact, kinds):
                facts.append(
                    HandoverFact(fact, handover.statement.quote, _thing_of(fact, entities), is_mere_loss=True)
                )
    return facts


def _thing_of(fact: AssertFact, entities: Sequence[Entity]) -> Entity:
    """Return the thing that a fact of a handover is about."""
    roles = {involvement.entity_id: involvement.role for involvement in fact.involves}
    things = [e for e in entities if e.kind is EntityKind.OBJECT and e.id in roles]
    return min(things, key=lambda thing: roles[thing.id] != SUBJECT)


def find_other_holding(handover: Handover, entities: Sequence[Entity], moves: Sequence[Fact]) -> Fact | None:
    """Return the last of the thing's moves, if by it somebody has the thing who is not who hands it over."""
    givers = find_called(handover.holder_before, [e for e in entities if e.kind in ACTORS])
    if len(givers) != 1 or not moves or moves[-1].predicate == LOCATED_IN:
        return None
    is_held_by_giver = any(i.entity_id == givers[0].id for i in moves[-1].involves)
    return None if is_held_by_giver else moves[-1]


def moved_thing_id(fact: Fact, kinds: Mapping[Id, EntityKind]) -> Id | None:
    """Return what a fact says who has it, or where it or somebody is; None for any other fact."""
    if fact.predicate == LOCATED_IN:
        return fact.entity(SUBJECT)
    if fact.predicate != STATED_PREDICATE or not _HAS.fullmatch(fact.statement):
        return None
    return next((i.entity_id for i in fact.involves if kinds.get(i.entity_id) is EntityKind.OBJECT), None)


def find_ended_ids(fact: AssertFact, thing: Entity, facts: Iterable[Fact]) -> tuple[Id, ...]:
    """Return which facts no longer hold: where the thing lay that somebody took, who had what was put away."""
    moves = [f for f in facts if moved_thing_id(f, {thing.id: thing.kind}) == thing.id]
    if fact.predicate != LOCATED_IN:
        return tuple(f.id for f in moves if f.predicate == LOCATED_IN)
    # That somebody stole it stays so, wherever it lies by now.
    return tuple(f.id for f in moves if says_who_has_thing(f.statement))


def says_who_has_thing(statement: str) -> bool:
    """Say whether a statement is that somebody has a thing, and no deed by which they got it."""
    match = _HAS.fullmatch(statement)
    return match is not None and match["verb"] == "has"


@cache
def _rule_pattern(rule: _Rule, hero_subjects: str) -> re.Pattern[str]:
    """Return the pattern of sentences about the hero, or about somebody with a name if `hero_subjects` is empty."""
    forms = [form.split() for form in rule.verbs]
    verbs = "|".join(f"{base if hero_subjects else third}|{past}" for base, third, past in forms)
    subject = hero_subjects or _NAME
    return re.compile(
        rf"(?:(?:Now|Then|Finally|At last),? )?{subject} (?:now |then )?(?:{verbs}) {rule.rest}{_END}"
    )


def _is_of_thing(fact: AssertFact, kinds: Mapping[Id, EntityKind]) -> bool:
    """Return whether a fact says of a thing who has it, or at what place or in what thing it is."""
    fact_kinds = [kinds.get(involvement.entity_id) for involvement in fact.involves]
    if len(fact_kinds) != 2 or EntityKind.OBJECT not in fact_kinds:
        return False
    fact_kinds.remove(EntityKind.OBJECT)
    (other,) = fact_kinds
    return other in (*ACTORS, EntityKind.PLACE) or (
        other is EntityKind.OBJECT and fact.predicate == LOCATED_IN
    )
