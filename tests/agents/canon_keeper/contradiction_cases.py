"""What a gate that guards the truth has to catch, and the innocent cases that look just like it.

Innocent alarms are as bad as misses. Ticks are minutes of world time; "now" is tick 100 unless a case says
otherwise.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from stores.records.canon import Authority as By
from stores.records.canon import (
    AxiomForm,
    EndFact,
    Evidence,
    EvidenceKind,
    Fact,
    FactKind,
    FactStatus,
    NoteAxiom,
    Requirement,
    Standing,
)
from stores.records.ids import derive_id
from stores.records.workflow import ProposedChange
from stores.records.world import Entity, EntityKind
from tests.agents.canon_keeper.proposal_builders import (
    CHAPEL,
    CRYPT,
    EVERYONE,
    JON,
    LANTERN,
    MARA,
    ORC,
    SCENE,
    creates,
    dies,
    entity,
    fact,
    hurt,
    involves,
    new_id,
    proposal,
    says,
    state,
    tagged,
)

DAY = 24 * 60
OTHER_SCENE = derive_id("kit", "other scene")
HARBOUR = entity("Harbour", EntityKind.PLACE)
OLD_KING = entity("Old King", tags=("dead",))
GHOUL = entity("Ghoul", EntityKind.CREATURE, tags=("undead",))
TEMPLE = entity("Temple", EntityKind.PLACE, tags=("holy",))
GUILD = entity("Salt Guild", EntityKind.FACTION)
HEIR = entity("Heir")
PEOPLE = (*EVERYONE, HARBOUR, OLD_KING, GHOUL, TEMPLE, GUILD, HEIR)


class Case(NamedTuple):
    """`rule` is what the last proposal has to meet ("": it is innocent). `before` is committed first."""

    name: str
    rule: str
    canon: list[Fact]
    proposals: list[ProposedChange]
    before: tuple[ProposedChange, ...] = ()


# --- saying it briefly --------------------------------------------------------------------------------

Who = Entity


def _roles(who: Who, other: Who | None, at: Who | None, instrument: Who | None = None) -> Any:
    named = (("subject", who), ("object", other), ("location", at), ("instrument", instrument))
    return involves(*((role, e) for role, e in named if e is not None))


def did(who: Who, words: str, *, at: Who | None = None, to: Who | None = None, **given: Any) -> Fact:
    """A deed in canon."""
    filled = {"kind": FactKind.EVENT, "statement": words, "involves": _roles(who, to, at)}
    return fact("event", who, **filled | given)


def does(
    who: Who,
    words: str,
    *,
    at: Who | None = None,
    to: Who | None = None,
    by: Who | None = None,
    predicate: str = "event",
    **given: Any,
) -> ProposedChange:
    """A deed that is proposed; `by` is the thing it is done with."""
    filled = {"fact_kind": FactKind.EVENT, "statement": words, "involves": _roles(who, to, at, by)}
    return says(predicate, who, **filled | given)


def met(one: Who, other: Who, *, at: Who | None = None, **given: Any) -> Fact:
    words = f"{one.name} met {other.name}."
    roles = _roles(one, other, at)
    return fact("met", one, **{"kind": FactKind.ENCOUNTER, "statement": words, "involves": roles} | given)


def meets(one: Who, other: Who, *, at: Who | None = None, **given: Any) -> ProposedChange:
    words = f"{one.name} met {other.name}."
    filled = {"fact_kind": FactKind.ENCOUNTER, "statement": words, "involves": _roles(one, other, at)}
    return says("met", one, **filled | given)


def told(who: Who, words: str, **given: Any) -> Fact:
    """An answer in canon."""
    return fact("said", who, **{"kind": FactKind.ASSERTION, "statement": f"{who.name} said: {words}"} | given)


def tells(who: Who, words: str, **given: Any) -> ProposedChange:
    filled = {"fact_kind": FactKind.ASSERTION, "statement": f"{who.name} said: {words}"}
    return says("said", who, **filled | given)


def rule(words: str, form: AxiomForm | None = None, **given: Any) -> Fact:
    filled = {"kind": FactKind.AXIOM, "statement": words, "involves": (), "form": form, "severity": "must"}
    return fact("axiom", MARA, **filled | given)


def came_to(who: Who, words: str, **given: Any) -> ProposedChange:
    """A scene's outcome: it rests on the scene."""
    scene_id = given.setdefault("scene_id", SCENE)
    resting = Evidence(id=new_id(), kind=EvidenceKind.SCENE, ref_id=scene_id, scene_id=scene_id)
    filled: dict[str, Any] = {"evidence": (resting,), "tick": 105}
    return does(who, words, **filled | given)


def ends(ended: Fact, at: int, **given: Any) -> ProposedChange:
    return proposal(EndFact(fact_id=ended.id, at=at), **given)


def was(held: Fact) -> Fact:
    """The fact as one that a later one ended."""
    return held.model_copy(update={"status": FactStatus.SUPERSEDED})


def book(**given: Any) -> dict[str, Any]:
    """On the word of a book: of no scene and no turn."""
    return {"authority": By.SOURCE, "scene_id": None, "turn_id": None, "tick": None} | given


# --- canon --------------------------------------------------------------------------------------------

IN_CHAPEL = fact("located_in", MARA, CHAPEL, valid_from=50)
WAS_IN_CHAPEL = was(fact("located_in", MARA, CHAPEL, valid_from=50, valid_to=80))
JON_IN_HARBOUR = fact("located_in", JON, HARBOUR, valid_from=10)
CRYPT_IN_CHAPEL = fact("part_of", CRYPT, CHAPEL)
OWNED = fact("owned_by", LANTERN, MARA, valid_from=0)
ALLIES = fact("ally_of", MARA, JON, valid_from=0)
DEAD_ORC = fact("alive", ORC, value=False, valid_from=60)
WAS_DEAD = was(fact("alive", ORC, value=False, valid_from=20, valid_to=40))
BORN = fact("born", HEIR, valid_from=90, value=True, statement="The heir was born.")
MADE = fact("made", LANTERN, valid_from=90, value=True, statement="The lantern was made.")
MOOD = fact("mood", MARA, value="grim", valid_from=50)
RANG = did(MARA, "Mara rang the bell.", at=CHAPEL, valid_from=100)
FIRE = did(JON, "Jon lit the fire.", valid_from=70)
FLOOD = did(ORC, "The orc broke the dam.", valid_from=95)
MET_LAST_WEEK = met(MARA, JON, valid_from=-7 * DAY)
MET_YESTERDAY = met(MARA, JON, valid_from=-DAY)
FOUGHT = did(MARA, "Mara fought the orc.", to=ORC, valid_from=-DAY)
SAID = told(JON, "the bell was moved at night", valid_from=-DAY)

NO_UNDEAD = rule(
    "The undead cannot enter holy ground.",
    AxiomForm(predicate="located_in", subject_tag="undead", object_tag="holy"),
)
NO_GRIM = rule("Nobody here is cursed.", AxiomForm(predicate="is", value="cursed"))
ONLY_GUILD = rule(
    "Only members of the guild own places.",
    AxiomForm(
        predicate="owns",
        object_kind=EntityKind.PLACE,
        unless=Requirement(predicate="member_of", object_id=GUILD.id),
    ),
)
JON_RULES_NOT = rule("Jon rules over nobody.", AxiomForm(predicate="rules_over", subject_id=JON.id))
NO_SALT = rule("The dead cannot cross salt.")
BETTER_NOT = rule("Nobody should be cursed.", AxiomForm(predicate="is", value="cursed"), severity="should")
LATER: dict[str, Any] = {"tick": 200}
SAY: dict[str, Any] = {"authority": By.SYSTEM}

ONE_VALUE = [
    Case(
        "two places at the same time",
        "one_value",
        [IN_CHAPEL],
        [says("located_in", MARA, CRYPT, valid_from=50)],
    ),
    Case("another place before", "one_value", [IN_CHAPEL], [says("located_in", MARA, CRYPT, valid_from=20)]),
    Case(
        "a later place, but from a book",
        "one_value",
        [IN_CHAPEL],
        [says("located_in", MARA, CRYPT, valid_from=60, **book())],
    ),
    Case(
        "she was elsewhere then",
        "one_value",
        [WAS_IN_CHAPEL],
        [says("located_in", MARA, CRYPT, valid_from=60)],
    ),
    Case("read from the other end", "one_value", [IN_CHAPEL], [says("contains", CRYPT, MARA, valid_from=50)]),
    Case("two owners", "one_value", [OWNED], [says("owns", JON, LANTERN, valid_from=0)]),
    Case("two moods at once", "one_value", [MOOD], [says("mood", MARA, value="merry", valid_from=50)]),
    Case(
        "a stay that reaches into another",
        "one_value",
        [WAS_IN_CHAPEL],
        [says("located_in", MARA, CRYPT, valid_from=40, valid_to=60)],
    ),
    Case(
        "two pending places",
        "one_value",
        [],
        [says("located_in", MARA, CHAPEL), says("located_in", MARA, CRYPT)],
    ),
    Case("a move", "", [IN_CHAPEL], [says("located_in", MARA, CRYPT, valid_from=60)]),
    Case("a stay that was over", "", [WAS_IN_CHAPEL], [says("located_in", MARA, CRYPT, valid_from=80)]),
    Case("somebody else's place", "", [IN_CHAPEL], [says("located_in", JON, CRYPT, valid_from=50)]),
    Case(
        "a room within the house",
        "",
        [IN_CHAPEL, CRYPT_IN_CHAPEL],
        [says("located_in", MARA, CRYPT, valid_from=50)],
    ),
    Case(
        "a rumour of another place",
        "",
        [IN_CHAPEL],
        [says("located_in", MARA, CRYPT, valid_from=50, standing=Standing.RUMOUR)],
    ),
    Case("two things of one owner", "", [OWNED], [says("owns", MARA, CHAPEL, valid_from=0)]),
    Case("a mood that changes", "", [MOOD], [state(MARA, "mood", "merry")]),
]

EXCLUSIVE = [
    Case("ally and enemy", "exclusive", [ALLIES], [says("enemy_of", MARA, JON)]),
    Case("ally and enemy, the other way round", "exclusive", [ALLIES], [says("enemy_of", JON, MARA)]),
    Case("alive again by a value", "irreversible", [DEAD_ORC], [state(ORC, "alive", True, tick=200)]),
    Case("alive again by a fact", "irreversible", [DEAD_ORC], [says("alive", ORC, value=True, **LATER)]),
    Case("enemy of another", "", [ALLIES], [says("enemy_of", MARA, ORC)]),
    Case("the alliance ends with it", "", [ALLIES], [says("enemy_of", MARA, JON, ends=(ALLIES.id,))]),
    Case(
        "enemies before they were allies",
        "",
        [fact("ally_of", MARA, JON, valid_from=50)],
        [says("enemy_of", MARA, JON, valid_from=0, valid_to=50)],
    ),
    Case(
        "alive before the death", "", [DEAD_ORC], [says("alive", ORC, value=True, valid_from=0, valid_to=60)]
    ),
]

DEAD = [
    Case("a dead fighter", "dead_do_not_act", [DEAD_ORC], [does(ORC, "The orc fought.", **LATER)]),
    Case("a dead one meets somebody", "dead_do_not_act", [DEAD_ORC], [meets(ORC, MARA, **LATER)]),
    Case("a dead one is hurt", "dead_do_not_act", [DEAD_ORC], [hurt(ORC, 2, **LATER)]),
    Case("a dead one speaks", "dead_do_not_act", [DEAD_ORC], [tells(ORC, "I yield", **LATER)]),
    Case(
        "a dead one promises",
        "dead_do_not_act",
        [DEAD_ORC],
        [
            says(
                "promised",
                ORC,
                MARA,
                fact_kind=FactKind.COMMITMENT,
                statement="The orc promised gold.",
                **LATER,
            )
        ],
    ),
    Case("dead since ever, by a tag", "dead_do_not_act", [], [does(OLD_KING, "The king rode out.", **LATER)]),
    Case(
        "a deed told later of a time after the death",
        "dead_do_not_act",
        [DEAD_ORC],
        [does(ORC, "The orc fought.", valid_from=80, **LATER)],
    ),
    Case(
        "a deed while dead, by one who was raised since",
        "dead_do_not_act",
        [WAS_DEAD],
        [does(ORC, "The orc fought.", valid_from=30, **LATER)],
    ),
    Case(
        "a death that comes before a recorded deed",
        "dead_do_not_act",
        [did(JON, "Jon rang the bell.", valid_from=80)],
        [says("alive", JON, value=False, valid_from=70, **LATER)],
    ),
    Case(
        "the dead of this scene",
        "dead_do_not_act",
        [],
        [dies(ORC, tick=100), does(ORC, "The orc fought.", tick=101)],
    ),
    Case(
        "an outcome with somebody who died before the scene",
        "dead_do_not_act",
        [DEAD_ORC],
        [came_to(ORC, "The orc fled.")],
    ),
    Case(
        "an outcome with the dead of another scene",
        "dead_do_not_act",
        [],
        [dies(ORC, scene_id=OTHER_SCENE), came_to(ORC, "The orc fled.")],
    ),
    Case("an outcome with one who was always dead", "dead_do_not_act", [], [came_to(OLD_KING, "He rode.")]),
    Case("an outcome tells of a death of its scene", "", [], [dies(ORC), came_to(ORC, "The orc was slain.")]),
    Case(
        "an outcome tells of a death that was committed in mid-scene",
        "",
        [],
        [came_to(ORC, "The orc was slain.")],
        (dies(ORC),),
    ),
    Case("a deed before the death", "", [DEAD_ORC], [does(ORC, "The orc fought.", tick=50)]),
    Case("a deed told later", "", [DEAD_ORC], [does(ORC, "The orc fought.", valid_from=40, **LATER)]),
    Case("found dead", "", [DEAD_ORC], [meets(MARA, ORC, **LATER)]),
    Case("buried", "", [DEAD_ORC], [does(ORC, "They buried the orc.", predicate="buried_in", **LATER)]),
    Case("carried away", "", [DEAD_ORC], [says("located_in", ORC, CRYPT, **LATER)]),
    Case("the body is stripped", "", [DEAD_ORC], [tagged(ORC, "looted", **LATER)]),
    Case("spoken of", "", [DEAD_ORC], [tells(MARA, "the orc is gone", **LATER)]),
    Case("raised since", "", [WAS_DEAD], [does(ORC, "The orc fought.")]),
    Case("what a dead one was", "", [DEAD_ORC], [says("member_of", ORC, GUILD, **LATER)]),
    Case(
        "said to be dead, but it was a lie",
        "",
        [fact("alive", ORC, value=False, valid_from=60, standing=Standing.LIE)],
        [does(ORC, "The orc fought.", **LATER)],
    ),
    Case(
        "it is only told that the dead walked",
        "",
        [DEAD_ORC],
        [does(ORC, "The orc walked.", standing=Standing.RUMOUR, **LATER)],
    ),
]

UNBORN = [
    Case("a deed before birth", "not_yet_born", [BORN], [does(HEIR, "The heir spoke.", tick=80)]),
    Case("a meeting before birth", "not_yet_born", [BORN], [meets(HEIR, MARA, tick=80)]),
    Case(
        "a thing used before it was made",
        "not_yet_born",
        [MADE],
        [does(MARA, "Mara lit the way.", by=LANTERN, tick=80)],
    ),
    Case(
        "a birth after what was done",
        "not_yet_born",
        [did(HEIR, "The heir spoke.", valid_from=80)],
        [says("born", HEIR, value=True, statement="The heir was born.", valid_from=90, **LATER)],
    ),
    Case("a wound before birth", "not_yet_born", [BORN], [hurt(HEIR, 1, tick=80)]),
    Case("a deed after birth", "", [BORN], [does(HEIR, "The heir spoke.", tick=95)]),
    Case("foretold before birth", "", [BORN], [does(MARA, "Mara foretold the heir.", to=HEIR, tick=80)]),
    Case("born at an unknown time", "", [fact("born", HEIR, value=True)], [does(HEIR, "The heir spoke.")]),
    Case("a thing used since it was made", "", [MADE], [does(MARA, "Mara lit the way.", by=LANTERN)]),
]

ABSENT = [
    Case("acts where she is not", "absent_do_not_act", [IN_CHAPEL], [does(MARA, "Mara dug.", at=HARBOUR)]),
    Case(
        "acted where she was not",
        "absent_do_not_act",
        [WAS_IN_CHAPEL],
        [does(MARA, "Mara dug.", at=HARBOUR, valid_from=60)],
    ),
    Case("a meeting over a distance", "absent_do_not_act", [IN_CHAPEL, JON_IN_HARBOUR], [meets(MARA, JON)]),
    Case(
        "meets somebody who is not there", "absent_do_not_act", [JON_IN_HARBOUR], [meets(MARA, JON, at=CRYPT)]
    ),
    Case(
        "two deeds in two places",
        "two_places",
        [RANG],
        [does(MARA, "Mara dug.", at=HARBOUR, scene_id=OTHER_SCENE)],
    ),
    Case(
        "two deeds in two places, by a book",
        "two_places",
        [RANG],
        [does(MARA, "Mara dug.", at=HARBOUR, valid_from=100, **book())],
    ),
    Case(
        "a stay that a deed elsewhere falls into",
        "two_places",
        [RANG],
        [says("located_in", MARA, HARBOUR, valid_from=90, valid_to=150, **LATER)],
    ),
    Case("acts where she is", "", [IN_CHAPEL], [does(MARA, "Mara dug.", at=CHAPEL)]),
    Case(
        "acts in a room of the house", "", [IN_CHAPEL, CRYPT_IN_CHAPEL], [does(MARA, "Mara dug.", at=CRYPT)]
    ),
    Case(
        "acts in the house around the room",
        "",
        [fact("located_in", MARA, CRYPT, valid_from=50), CRYPT_IN_CHAPEL],
        [does(MARA, "Mara dug.", at=CHAPEL)],
    ),
    Case(
        "writes a letter",
        "",
        [JON_IN_HARBOUR],
        [does(JON, "Jon wrote to Mara.", at=CHAPEL, to=MARA, predicate="wrote_to")],
    ),
    Case(
        "moved in between",
        "",
        [IN_CHAPEL],
        [says("located_in", MARA, HARBOUR, valid_from=90), does(MARA, "Mara dug.", at=HARBOUR)],
    ),
    Case(
        "came and did it at that minute",
        "",
        [IN_CHAPEL],
        [says("located_in", MARA, HARBOUR, valid_from=100), does(MARA, "Mara dug.", at=HARBOUR)],
    ),
    Case("had left by then", "", [WAS_IN_CHAPEL], [does(MARA, "Mara dug.", at=HARBOUR, valid_from=80)]),
    Case("whose place is unknown", "", [], [does(MARA, "Mara dug.", at=HARBOUR)]),
    Case(
        "a meeting in one place",
        "",
        [IN_CHAPEL, fact("located_in", JON, CHAPEL, valid_from=10)],
        [meets(MARA, JON)],
    ),
    Case(
        "a quick errand within the scene",
        "",
        [],
        [does(MARA, "Mara rang.", at=CHAPEL), does(MARA, "Mara dug.", at=HARBOUR)],
    ),
    Case(
        "a quick errand after a commit in mid-scene",
        "",
        [],
        [does(MARA, "Mara dug.", at=HARBOUR)],
        (does(MARA, "Mara rang the bell.", at=CHAPEL),),
    ),
    Case(
        "another's deed at that time", "", [RANG], [does(JON, "Jon dug.", at=HARBOUR, scene_id=OTHER_SCENE)]
    ),
    Case(
        "a stay that begins after the deed",
        "",
        [RANG],
        [says("located_in", MARA, HARBOUR, valid_from=100, **LATER)],
    ),
    Case("is spoken of elsewhere", "", [IN_CHAPEL], [does(JON, "Jon cursed Mara.", at=HARBOUR, to=MARA)]),
]

CAUSES = [
    Case(
        "its cause came later",
        "effect_before_cause",
        [FLOOD],
        [does(MARA, "Mara drowned in the flood.", valid_from=90, because=(FLOOD.id,))],
    ),
    Case(
        "a change caused by what is yet to come",
        "effect_before_cause",
        [FLOOD],
        [
            says(
                "change",
                JON,
                fact_kind=FactKind.CHANGE,
                statement="The town fled.",
                valid_from=80,
                because=(FLOOD.id,),
            )
        ],
    ),
    Case("it ends before it began", "effect_before_cause", [MOOD], [ends(MOOD, 20)]),
    Case(
        "a new value ends what began later",
        "effect_before_cause",
        [MOOD],
        [says("mood", MARA, value="merry", valid_from=20, ends=(MOOD.id,))],
    ),
    Case(
        "an end before the beginning",
        "effect_before_cause",
        [],
        [says("mood", MARA, value="merry", valid_from=80, valid_to=60)],
    ),
    Case(
        "a cause that never was",
        "no_such_cause",
        [FIRE.model_copy(update={"status": FactStatus.RETCONNED})],
        [does(MARA, "Mara woke of the smoke.", because=(FIRE.id,))],
    ),
    Case("its cause came before", "", [FIRE], [does(MARA, "Mara woke of the smoke.", because=(FIRE.id,))]),
    Case(
        "cause and effect in one minute",
        "",
        [FIRE],
        [does(MARA, "Mara woke of the smoke.", tick=70, because=(FIRE.id,))],
    ),
    Case(
        "a cause of unknown time",
        "",
        [FIRE.model_copy(update={"valid_from": None})],
        [does(MARA, "Mara woke of the smoke.", because=(FIRE.id,))],
    ),
    Case("it ends after it began", "", [MOOD], [ends(MOOD, 70)]),
]

AXIOMS = [
    Case("a rule of kinds and tags", "breaks_axiom", [NO_UNDEAD], [says("located_in", GHOUL, TEMPLE)]),
    Case("read from the other end", "breaks_axiom", [NO_UNDEAD], [says("contains", TEMPLE, GHOUL)]),
    Case("a tag that none may bear", "breaks_axiom", [NO_GRIM], [tagged(MARA, "cursed")]),
    Case(
        "born with a tag that none may bear",
        "breaks_axiom",
        [NO_GRIM],
        [creates("Witch", EntityKind.CHARACTER, tags=("cursed",))],
    ),
    Case("allowed to others only", "breaks_axiom", [ONLY_GUILD], [says("owns", MARA, HARBOUR)]),
    Case("a rule about one", "breaks_axiom", [JON_RULES_NOT], [says("rules_over", JON, GUILD)]),
    Case(
        "a new rule that canon breaks already",
        "breaks_axiom",
        [OWNED],
        [proposal(NoteAxiom(statement="No one owns things.", form=AxiomForm(predicate="owns")))],
    ),
    Case("another place", "", [NO_UNDEAD], [says("located_in", GHOUL, HARBOUR)]),
    Case("somebody who is alive", "", [NO_UNDEAD], [says("located_in", MARA, TEMPLE)]),
    Case("a member may", "", [ONLY_GUILD, fact("member_of", MARA, GUILD)], [says("owns", MARA, HARBOUR)]),
    Case(
        "becomes a member first",
        "",
        [ONLY_GUILD],
        [says("member_of", MARA, GUILD), says("owns", MARA, HARBOUR)],
    ),
    Case("a thing is no place", "", [ONLY_GUILD], [says("owns", MARA, LANTERN)]),
    Case(
        "the rule was ended", "", [was(NO_GRIM.model_copy(update={"valid_to": 50}))], [tagged(MARA, "cursed")]
    ),
    Case("a rule that only a reader can check", "", [NO_SALT], [does(GHOUL, "The ghoul crossed the salt.")]),
    Case("a rule that is only wished for", "", [BETTER_NOT], [tagged(MARA, "cursed")]),
    Case("others rule", "", [JON_RULES_NOT], [says("rules_over", MARA, GUILD)]),
    Case("a lie about it", "", [JON_RULES_NOT], [says("rules_over", JON, GUILD, standing=Standing.LIE)]),
]

PREMISES = [
    Case("a meeting that never was", "no_such_encounter", [], [meets(MARA, JON, valid_from=-DAY, **SAY)]),
    Case(
        "a meeting of another week",
        "no_such_encounter",
        [MET_LAST_WEEK],
        [meets(MARA, JON, valid_from=-DAY, **SAY)],
    ),
    Case("a meeting with another", "no_such_encounter", [MET_YESTERDAY], [meets(MARA, ORC, valid_from=-DAY)]),
    Case(
        "an answer never given",
        "no_such_assertion",
        [],
        [tells(JON, "the key is in the well", valid_from=-DAY, **SAY)],
    ),
    Case(
        "another answer was given",
        "no_such_assertion",
        [SAID],
        [tells(JON, "the key is in the well", valid_from=-DAY, **SAY)],
    ),
    Case(
        "the answer of another",
        "no_such_assertion",
        [SAID],
        [tells(MARA, "the bell was moved at night", valid_from=-DAY, **SAY)],
    ),
    Case(
        "a retconned meeting",
        "no_such_encounter",
        [MET_YESTERDAY.model_copy(update={"status": FactStatus.RETCONNED})],
        [meets(MARA, JON, valid_from=-DAY + 1, **SAY)],
    ),
    Case("a meeting that happens now", "", [], [meets(MARA, JON)]),
    Case("a meeting of that day", "", [MET_YESTERDAY], [meets(JON, MARA, valid_from=-DAY + 90, **SAY)]),
    Case("they fought that day", "", [FOUGHT], [meets(MARA, ORC, valid_from=-DAY, **SAY)]),
    Case("a book tells of a meeting", "", [], [meets(MARA, JON, valid_from=-DAY, authority=By.SOURCE)]),
    Case("the GM tells of a meeting", "", [], [meets(MARA, JON, valid_from=-DAY, authority=By.GM)]),
    Case("an answer that is given now", "", [], [tells(JON, "the key is in the well")]),
    Case(
        "an answer in nearly those words",
        "",
        [SAID],
        [tells(JON, "that the bell was moved, at night", valid_from=-DAY, **SAY)],
    ),
    Case(
        "a meeting at a time nobody noted",
        "",
        [met(MARA, JON, valid_from=None)],
        [meets(MARA, JON, valid_from=-DAY, **SAY)],
    ),
]

NAMES = [
    Case("the same name", "same_name", [], [creates("MARA", EntityKind.CHARACTER)]),
    Case("a known name as an alias", "same_name", [], [creates("Nave", aliases=("chapel",))]),
    Case("the same name with an article", "same_name", [], [creates("the Chapel")]),
    Case(
        "two new ones of one name",
        "same_name",
        [],
        [creates("Guard", EntityKind.CHARACTER, entity_id=new_id()) for _ in range(2)],
    ),
    Case("a new name", "", [], [creates("Lighthouse")]),
    Case("a name that is only like it", "", [], [creates("Harbours")]),
    Case("a name that begins the same", "", [], [creates("Chapel Hill")]),
]

CASES = [*ONE_VALUE, *EXCLUSIVE, *DEAD, *UNBORN, *ABSENT, *CAUSES, *AXIOMS, *PREMISES, *NAMES]
