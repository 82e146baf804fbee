"""Says whether a sentence of a story states a fact that holds from then on: who is where, dead, or whose mother.

A story mostly tells of the moment (`Mara runs to the gate`), and only what it states is to be proposed. So a sentence
counts only if it is understood as a whole, is about somebody or something with a name, and says something that lasts.
What is in doubt does not count: a fact that is missed costs less than a flood of false ones.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.canon_keeper.sentences.claims import ALIVE, LOCATED_IN, Claim, ClaimTime
from agents.canon_keeper.sentences.clause_reader import ClauseReader
from agents.canon_keeper.sentences.clauses import Clause
from agents.canon_keeper.sentences.interpretation import Interpreter
from agents.canon_keeper.sentences.noun_phrases import ARTICLES, POSSESSIVES, PRONOUNS, NounPhrase
from agents.canon_keeper.sentences.tokens import NameBook, Token, read_tokens, split_words
from agents.canon_keeper.sentences.word_lists import WordLists, load_word_lists
from agents.name_forms import is_capitalised

_OPEN_WORDS: Final = (
    PRONOUNS
    | POSSESSIVES
    | frozenset(
        [
            *("hers", "theirs", "mine", "yours", "ours", "this", "that", "these", "those", "here", "there"),
            *("himself", "herself", "itself", "themselves", "someone", "somebody", "something"),
            *("who", "whom", "whose", "which", "what", "where", "when", "while", "why", "how", "because"),
            *("before", "after", "since", "as", "like", "than", "though", "although", "if"),
            *("whether", "let", "once", "¶", ":", "(", ")"),
        ]
    )
)
"""Words that mean something outside of the sentence, or make a part of it a condition or a comparison."""
_NO_REPORT: Final = frozenset({"lie"})
"""Verbs of reporting that are other verbs as well: a key lies in a chest."""

_TIES: Final = frozenset(
    ["owned_by", "owns", "ally_of", "enemy_of", "parent_of", "sibling_of", "married_to", "member_of", "rules_over",
     "serves", "knows"]
)  # fmt: skip
_BLOOD_TIES: Final = frozenset(["parent_of", "sibling_of"])
_FEELINGS: Final = frozenset(["verb:love", "verb:hate", "verb:trust", "verb:distrust", "verb:fear"])
_FEELINGS_OF_BEING: Final = {"in love": "verb:love", "afraid of": "verb:fear"}
"""What somebody feels by being so: `in love with Tam`, `afraid of Tam`."""
_LEADING: Final = frozenset(["verb:lead", "verb:command"])
_PERSON_PLACES: Final = frozenset({"in", "at", "inside", "within", "aboard"})
_THING_PLACES: Final = _PERSON_PLACES | {"on", "under", "beneath"}
_HIDING_PLACES: Final = frozenset({"in", "inside", "within", "under", "beneath"})
"""Where something is kept or hidden; what is on a table is there for the moment."""
_NO_PLACES: Final = frozenset(
    ["air", "dark", "darkness", "light", "middle", "moonlight", "open", "rain", "shade", "shadow", "shadows", "story",
     "sun", "sunlight", "water", "way", "wind"]
)  # fmt: skip
"""What something is in for the moment, or only so to speak."""
_RESTING_VERBS: Final = frozenset({"lie", "stand", "hang", "rest"})
"""Verbs that say where a thing is; of somebody they tell of the moment."""
_LASTING_STATES: Final = frozenset(
    ["marriage", "parentage", "sight", "hearing", "speech", "guilt", "literacy", "genuineness", "wealth", "debt",
     "liberty", "pregnancy", "nobility", "hand", "loyalty", "existence"]
)  # fmt: skip
_LASTING_STATES_OF_THINGS: Final = frozenset({"wholeness", "occupancy", "newness"})
_LASTING_DEEDS: Final = frozenset(
    ["steal", "kill", "give", "sell", "purchase", "betray", "destroy", "burn", "sink", "break", "shatter", "found",
     "construct", "forge", "inherit", "rob", "poison", "marry", "wed", "abduct", "imprison", "banish", "exile",
     "bequeath", "lend", "adopt", "raise", "join", "desert", "behead", "hang", "bury", "arrest", "capture",
     "jail", "lose"]
)  # fmt: skip
"""What was done and leaves something different from then on, told in the past."""
_DEEDS_TO_THINGS: Final = frozenset({"destroy", "burn", "sink", "break", "shatter", "bury", "lose"})
"""Deeds that are meant otherwise where they are done to somebody: `burned Vess with a look`."""
_PRESENT_DEEDS: Final = frozenset(
    ["steal", "kill", "betray", "destroy", "inherit", "marry", "wed", "abduct", "burn", "sink", "adopt", "arrest",
     "imprison", "jail", "banish", "exile", "lose", "rob", "poison"]
)  # fmt: skip
"""What leaves something different also where the story tells it in the present."""
_BEFALLS_PEOPLE: Final = frozenset(
    {"kill", "behead", "hang", "imprison", "banish", "exile", "bury", "arrest", "jail"}
)
_BEFALLS_THINGS: Final = frozenset(
    {"steal", "sell", "destroy", "burn", "sink", "break", "shatter", "lose", "bury"}
)
"""What lasts although it is not said who did it."""
_SOMEBODY: Final = ("somebody", "someone")
_DESTROYING_DEEDS: Final = frozenset({"destroy", "burn", "sink", "shatter"})
_SHIPS: Final = frozenset(
    ["boat", "ship", "skiff", "ferry", "barge", "raft", "canoe", "galley", "cog", "brig", "sloop", "schooner", "punt",
     "dinghy", "rowboat", "lifeboat", "longboat", "longship", "vessel", "trawler", "frigate", "galleon", "cutter",
     "yacht", "steamer", "hulk", "wherry", "lugger", "smack", "tug", "submarine"]
)  # fmt: skip
"""What sinks and is gone; the sun sinks, and hearts do."""
_BURNS_LOW: Final = frozenset(
    {"candle", "fire", "torch", "lamp", "lantern", "log", "wick", "taper", "match", "flame"}
)
"""What burns down and is lit again, or was to burn."""
_TO_THE_END: Final = frozenset(
    ["", "to the bottom", "to the ground", "to the waterline", "to ashes", "to cinders", "up", "with all hands",
     "beneath the waves", "under the waves", "beneath the water", "under the water", "without a trace",
     "with man and mouse"]
)  # fmt: skip
"""What follows a verb of sinking or burning by which something is no more: not `low in the water`."""
_BREAKS_UP: Final = frozenset(
    ["", "to pieces", "into pieces", "into a thousand pieces", "into a hundred pieces", "into shards",
     "into splinters", "into fragments", "to splinters", "to shards"]
)  # fmt: skip
"""What follows `shatters` where nothing else is shattered by it."""
_MELTS: Final = frozenset(["", "away", "down", "to slag", "to nothing", "in the fire", "in the heat"])
_ENDS_BY_VERB: Final = {
    "sink": _TO_THE_END - {"up"},
    "burn": _TO_THE_END - {""},
    "shatter": _BREAKS_UP,
    "melt": _MELTS,
}
"""What may follow each verb by which a thing is no more; what only burns may be put out."""
_BONDS: Final = frozenset(
    ["prisoner", "captive", "hostage", "slave", "servant", "apprentice", "pupil", "squire", "ward", "heir", "heiress",
     "bodyguard", "steward", "deputy", "successor", "tutor", "mentor", "lover", "mistress", "widow", "widower",
     "tenant"]
)  # fmt: skip
"""What one person is of another for longer than a moment: `Dace's apprentice`."""
_HABITS: Final = frozenset(
    ["eat", "drink", "lie", "steal", "kill", "cheat", "gamble", "pray", "swear", "swim", "sail", "sleep",
     "sell", "lend", "borrow", "forgive", "forget", "trust", "marry", "work", "travel", "ride", "hunt",
     "fish", "trade", "betray", "visit", "enter", "cross", "serve", "own", "smoke", "dance", "sing", "write", "read"]
)  # fmt: skip
"""What somebody who never does it does not do, in this scene or another."""
_HABITS_TO_NAMED: Final = frozenset({"leave", "quit", "abandon", "desert", "obey", "harm", "wear"})
"""The same, where it is said of what or whom: `never leaves` may be of the moment."""

_PARTICLES: Final = frozenset({"out", "down", "over", "off", "away", "up", "back", "inside"})
"""Words that make another verb of one: `dies down`, `drowned out`."""
_LOCKING_UP: Final = frozenset({"lock", "imprison", "jail", "chain", "cage"})
_SKILLS: Final = frozenset({"swim", "read", "write", "ride", "sail", "fly", "lie", "die"})
_LOST_PART: Final = re.compile(
    r"(?P<who>[\w'’. -]+?) (?:(?:has|have) (?:just |already |now |also )?lost|loses?|lost) "
    r"(?:(?:an?|one|two|three|four|five|both|all|his|her|their|its|the)(?: of (?:his|her|their|its))? "
    r"(?:(?:left|right|good|bad|front|hind|index|middle|little|ring|big|sword) )?"
    r"(?:eyes?|ears?|arms?|legs?|feet|foot|fingers?|thumbs?|toes?|nose|tail|wings?|paws?)"
    r"|(?:both|his|her|their|the left|the right|one of his|one of her)(?: left| right| sword)? hands?)"
    r"(?: (?:to|in|at|under|during) (?:the|an?|his|her) (?!(?:race|game|match|bet|wager|deal|bargain|cards?|dice)\b)"
    r"[\w'’-]+(?: [\w'’-]+)?)?"
)
"""A part of the body that somebody has no more: `Vess has lost an eye`; not `an eye for detail`."""
_SENSES: Final = frozenset({"see", "hear", "feel", "smell", "reach", "help", "stop", "save", "answer", "say"})


class LastingStatementReader:
    """Reads sentences by the names that exist.

    With `guesses_things`, what has a definite article passes for something with a name: `the glass bell`. That tells
    whether it is worth while to look names up.
    """

    def __init__(self, names: NameBook, *, guesses_things: bool = False) -> None:
        self._names = names
        self._lists = load_word_lists()
        self._guesses_things = guesses_things

    def states_fact(self, sentence: str) -> bool:
        """Say whether the sentence states something that holds from then on, and nothing else."""
        tokens = read_tokens(sentence, self._names.restricted_to(sentence))
        if self._tells_lost_part(sentence):
            return True
        is_by_somebody = bool(tokens) and tokens[0].word in _SOMEBODY
        if not _OPEN_WORDS.isdisjoint(t.word for t in tokens[is_by_somebody:]):
            return False
        clauses = ClauseReader(self._lists, self._names).read(tokens)
        if not clauses or len({clause.spoken[1] for clause in clauses}) != 1:
            return False
        interpreter = Interpreter(self._lists, self._names)
        if is_by_somebody and not all(
            any(_is_destroyed_by_somebody(clause, claim) for claim in interpreter.claims_of(clause))
            for clause in clauses
        ):
            return False
        has_name = any(token.entity for token in tokens)
        # Without a name only a death is guessed at, and what is destroyed or stolen: `The rat dies.`
        return all(
            self._is_lasting(
                clause,
                [c for c in interpreter.claims_of(clause) if has_name or _is_guessed_without_name(clause, c)],
            )
            for clause in clauses
        )

    def _tells_lost_part(self, sentence: str) -> bool:
        """Say whether somebody with a name has lost a part of the body, and the sentence tells nothing else."""
        match = _LOST_PART.fullmatch(sentence.rstrip(" ."))
        if match is None:
            return False
        who = read_tokens(match["who"], self._names.restricted_to(match["who"]))
        entities = [token.entity for token in who if token.word != "the"]
        return len(entities) == 1 and entities[0] in self._names.people

    def _is_lasting(self, clause: Clause, claims: Sequence[Claim]) -> bool:
        if clause.is_progressive or (clause.classes and "*pair" not in clause.adverbs):
            return False
        if clause.can:
            return any(self._is_lasting_ability(clause, claim) for claim in claims)
        return any(self._lasts(clause, claim, claims) for claim in claims)

    def _lasts(self, clause: Clause, claim: Claim, claims: Sequence[Claim]) -> bool:
        """Say whether a claim of the clause lasts and is about what has a name."""
        if not self._is_named(claim.subject) and not claim.relation.startswith("verb:"):
            return False
        relation = claim.relation
        # Nobody stops being kin by blood: who says so disowns them, or is mistaken.
        if clause.negation == "no longer" and self._is_kin_by_blood(relation):
            return False
        if _tells_end_of_thing(clause, claim):
            return self._is_thing_that_ends(clause, claim)
        if relation == ALIVE:
            return self._is_certain_life(clause, claim)
        if relation.startswith("verb:"):
            return self._is_lasting_deed(clause, claim)
        if relation == "owes":
            # In a story told in the past a debt is still to be paid.
            is_earlier = clause.tense == "perfect" or "had" in clause.spoken[1].split()
            return self._is_named(claim.object) and not is_earlier and not clause.when
        if relation in ("met", "visited"):
            return (
                self._is_named(claim.object)
                and claim.time is not ClaimTime.NOW
                and clause.negation == "never"
            )
        if relation == "born":
            return bool(claim.adjuncts)
        if relation == "married_to" and clause.verb in ("marry", "wed") and clause.tense == "past":
            return self._is_named(claim.object)
        is_become = clause.verb == "become" and "had" not in clause.spoken[1].split()
        # Whose father somebody was, he still is to the story; `the captain was Bram's friend` may be over.
        is_blood = relation in _BLOOD_TIES and clause.form == "be" and "had" not in clause.spoken[1].split()
        if (clause.tense == "past" and not (is_become or is_blood)) or (
            clause.when and "always" not in clause.adverbs
        ):
            return False
        if relation == LOCATED_IN:
            return self._is_lasting_place(clause, claim, claims)
        if relation in _TIES:
            is_whole = (
                clause.form == "be" or is_become or _is_short(clause) or self._is_guessed_whole(clause, claim)
            )
            is_of_its_kind = self._guesses_things and relation == "owns" and _has_article(claim.object)
            return (self._is_named(claim.object) or is_of_its_kind) and is_whole
        if relation == "lives_in":
            return claim.object is not None and (
                self._is_named(claim.object) or bool(claim.object.entities())
            )
        if relation.startswith(("role:", "noun:", "kin:")):
            return self._is_lasting_noun(clause, claim)
        if relation == "has":
            # A subject alone presupposes: `Dob's boat is gone` takes for granted that Dob has one.
            is_own = clause.form in ("have", "be") and claim.subject != clause.subject.owner
            return is_own and self._is_named(claim.object)
        if relation.startswith("count:"):
            return self._is_lasting_count(clause, claim)
        if relation.startswith("state:"):
            return self._is_lasting_state(clause, claim)
        if relation == "is_same":
            return self._guesses_things  # `the Reeve of Kestermoor` may be no name
        if relation in ("buried_in", "comes_from"):
            return self._is_named(claim.object)
        if relation.startswith("side of "):
            return claim.subject.entity not in self._names.people and self._is_named(claim.object)
        return relation in ("made_of", "named") or (relation == "measure" and claim.value.startswith("year"))

    def _is_kin_by_blood(self, relation: str) -> bool:
        kind, _, noun = relation.partition(":")
        return relation in _BLOOD_TIES or (kind == "kin" and self._lists.kin.get(noun) != "spouse")

    def _is_certain_life(self, clause: Clause, claim: Claim) -> bool:
        """Say whether somebody is said to be dead or alive, and not that they are buried in work or hung over."""
        if not self._guesses_things and claim.subject.entity not in self._names.people:
            return False
        words = [token.word for token in clause.tail]
        if (words and words[0] in _PARTICLES) or clause.spelling == "hung":
            return False
        if clause.verb == "bury" and not any(token.entity for token in clause.tail):
            return False
        is_dead = claim.value == "false" and not (clause.form == "be" and clause.when)
        return is_dead or (claim.time is ClaimTime.NOW and not clause.when)

    def _is_lasting_deed(self, clause: Clause, claim: Claim) -> bool:
        verb = claim.relation.removeprefix("verb:")
        feeling = _FEELINGS_OF_BEING.get(" ".join(token.word for token in clause.tail[:2]))
        if clause.form == "be" and feeling is not None:
            is_felt = claim.relation == feeling and self._is_named(claim.subject)
            return is_felt and self._is_named(claim.object) and clause.tense == "now" and not clause.negation
        if verb != self._lists.synonyms.get(clause.verb, clause.verb):
            return False  # what only follows from the words is less than they say
        has_doer, has_object = self._is_named(claim.subject), self._is_named(claim.object)
        if claim.relation in _FEELINGS | _LEADING and clause.tense == "now" and not clause.when:
            is_led = (
                claim.relation in _FEELINGS
                or (claim.object is not None and claim.object.entity in self._names.factions)
                or self._guesses_things
            )
            return has_doer and has_object and is_led and (clause.negation != "not") and _is_short(clause)
        is_never = clause.negation == "never" and not clause.is_passive
        if is_never and verb in _HABITS_TO_NAMED and clause.tense in ("now", "perfect"):
            return has_doer and has_object and not clause.when and "still" not in clause.adverbs
        if is_never and clause.tense == "now":
            is_idle = "still" in clause.adverbs or (verb == "lie" and bool(clause.tail))
            return has_doer and verb in _HABITS and not clause.when and not is_idle
        if clause.is_passive and not has_doer and claim.subject.determiner == "some":
            befalling = _BEFALLS_PEOPLE if self._is_person(claim.object) else _BEFALLS_THINGS
            words = [token.word for token in clause.tail]
            is_whole = not words or words[0] == "to" or any(token.entity for token in clause.tail)
            return has_object and verb in befalling and is_whole and not clause.negation
        if _is_destroyed_by_somebody(clause, claim):
            return has_object and not self._is_person(claim.object)
        if not has_doer or not has_object:
            return False
        if verb == "join":
            is_faction = claim.object is not None and claim.object.entity in self._names.factions
            is_of_now = clause.tense == "now" and (
                clause.negation or claim.adjuncts
            )  # `joins them at the table`
            return not is_of_now and (is_faction or self._guesses_things)
        if clause.tense == "now" and not clause.is_passive:
            is_given = verb in ("give", "sell", "bequeath") and any(
                preposition == "to" and self._is_named(whom) for preposition, whom in claim.adjuncts
            )
            is_meant = verb in _PRESENT_DEEDS and not (
                verb in _DEEDS_TO_THINGS and self._is_person(claim.object)
            )
            return not clause.negation and (is_meant or is_given)
        return verb in (
            _LASTING_DEEDS - _DEEDS_TO_THINGS if self._is_person(claim.object) else _LASTING_DEEDS
        )

    def _is_thing_that_ends(self, clause: Clause, claim: Claim) -> bool:
        """Say whether what burns down, sinks or breaks is something with a name that is no more then."""
        subject = claim.subject
        if not self._is_named(subject) or subject.entity in self._names.people | self._names.factions:
            return False
        name = self._names.full_names.get(subject.entity, "")
        nouns = {subject.head, *name.casefold().split()}
        if clause.verb == "sink":
            return not subject.entity or not nouns.isdisjoint(_SHIPS) or is_capitalised(name)
        return clause.verb == "shatter" or nouns.isdisjoint(_BURNS_LOW)

    def _is_person(self, phrase: NounPhrase | None) -> bool:
        return phrase is not None and phrase.entity in self._names.people

    def _is_lasting_ability(self, clause: Clause, claim: Claim) -> bool:
        """Say whether it is what somebody has learnt or not, or what only one can do: `Only Tam can open the vault`."""
        verb = claim.relation.removeprefix("verb:")
        if not self._is_named(claim.subject) or clause.when or claim.relation == verb:
            return False
        if claim.is_only_subject:
            return self._is_named(claim.object) and verb not in _SENSES
        return verb in _SKILLS and not clause.tail

    def _is_lasting_place(self, clause: Clause, claim: Claim, claims: Sequence[Claim]) -> bool:
        first = next(c for c in claims if c.relation == LOCATED_IN)
        if clause.subject != claim.subject or claim.object is None:
            return False
        if claim.subject.entity in self._names.people:
            is_there = clause.form == "be" and first.object is not None and self._is_named(first.object)
            return is_there and claim.value in _PERSON_PLACES
        is_resting = clause.form == "be" or clause.verb in _RESTING_VERBS
        is_by_name = self._is_named(claim.object) or bool(claim.object.entities())
        # The boathouse need not be known for a thing with a name to be hidden there.
        is_kept_there = (
            claim.subject.entity not in self._names.places | self._names.factions
            and claim.object.determiner == "the"
            and claim.value in _HIDING_PLACES
            and claim.object.head not in _NO_PLACES
            and (clause.form == "be" or clause.verb in ("lie", "rest"))
        )
        return is_resting and ((is_by_name and claim.value in _THING_PLACES) or is_kept_there)

    def _is_lasting_noun(self, clause: Clause, claim: Claim) -> bool:
        """Say whether a noun binds two: `the captain of the guard`, `Tam's sister`, `Tam's boat`; not `Tam's match`."""
        kind, _, noun = claim.relation.partition(":")
        other = claim.object
        if kind == "role" or other is None:
            # A part of the name of what somebody leads is enough: `captain of the Thornholt guard`.
            return other is not None and any(token.entity for token in clause.tail)
        if kind == "kin":
            return self._is_named(other)
        people = self._names.people
        is_between_people = claim.subject.entity in people and bool(other.entities() & people)
        return bool(other.entities()) and (noun in _BONDS or not is_between_people)

    def _is_lasting_count(self, clause: Clause, claim: Claim) -> bool:
        head = claim.relation.partition(":")[2]
        if claim.number == 0 and clause.form == "have" and claim.subject.entity not in self._names.people:
            return claim.subject == clause.subject  # a place or a group lacks it, and not for a moment
        if clause.form != "have" or claim.subject != clause.subject or claim.number is None or claim.adjuncts:
            return False
        is_of_body = head in self._lists.kin or head in self._lists.body_parts
        return is_of_body or (claim.number == 1 and head in self._lists.roles)

    def _is_lasting_state(self, clause: Clause, claim: Claim) -> bool:
        dimension = claim.relation.partition(":")[2]
        is_person = claim.subject.entity in self._names.people
        if claim.subject.entity != clause.subject.entity:
            return False
        if clause.is_passive and is_person and clause.verb in _LOCKING_UP:
            return any(token.entity for token in clause.tail)
        if claim.value == "0:free":
            return False
        if "always" in clause.adverbs or (clause.negation == "never" and clause.form == "be"):
            return True
        if claim.when and claim.when not in _BREAKS_UP:  # `is smashed to pieces`
            return False
        is_thing = not is_person and claim.subject.entity not in self._names.factions
        return dimension in _LASTING_STATES or (is_thing and dimension in _LASTING_STATES_OF_THINGS)

    def _is_guessed_whole(self, clause: Clause, claim: Claim) -> bool:
        """Say whether all that follows the verb may be one name of several words: `owns the glass bell`."""
        phrase = claim.object
        if not self._guesses_things or phrase is None or phrase.entity:
            return False
        words = [token.word for token in clause.tail if token.word not in ARTICLES | {"to", "over"}]
        return words[-1:] == [phrase.head] and set(words[:-1]) <= phrase.modifiers

    def _is_named(self, phrase: NounPhrase | None) -> bool:
        if phrase is None or phrase.is_general:
            return False
        return bool(phrase.entity) or (self._guesses_things and phrase.determiner == "the")


def _has_article(phrase: NounPhrase | None) -> bool:
    return phrase is not None and phrase.determiner == "a" and not phrase.is_general


def _is_guessed_without_name(clause: Clause, claim: Claim) -> bool:
    """Say whether a claim about what has only an article may mean what has a name: `The letter is ash`."""
    verb = claim.relation.removeprefix("verb:")
    return (
        claim.relation in (ALIVE, LOCATED_IN, "made_of", "state:wholeness")
        or (clause.is_passive and verb in _BEFALLS_THINGS)
        or _tells_end_of_thing(clause, claim)
        or _is_destroyed_by_somebody(clause, claim)
    )


def _tells_end_of_thing(clause: Clause, claim: Claim) -> bool:
    """Say whether something burns down, sinks, shatters or melts, now or before, and is no more since."""
    if clause.negation or clause.is_passive or clause.can or "had" in clause.spoken[1].split():
        return False
    if claim.relation == "state:existence":
        return claim.value == "1:gone" and clause.verb == "burn"
    tail = " ".join(token.word for token in clause.tail)
    is_end = tail in _ENDS_BY_VERB.get(clause.verb, ())
    return (
        claim.relation in (f"verb:{clause.verb}", f"verb:{clause.verb} {tail}")
        and claim.object is None
        and is_end
    )


def _is_destroyed_by_somebody(clause: Clause, claim: Claim) -> bool:
    """Say whether somebody who is not named destroyed something: `Somebody burned the skiff`."""
    doer = claim.subject
    return (
        claim.relation.removeprefix("verb:") in _DESTROYING_DEEDS
        and claim.relation == f"verb:{clause.verb}"
        and (doer.determiner, doer.head) == ("some", "person")
        and not (clause.is_passive or clause.negation)
        and claim.object is not None
    )


def _is_short(clause: Clause) -> bool:
    """Say whether only a name follows the verb: `serves Tam`, `owns a tin drum`, not `serves Tam a cup of wine`."""
    return len([token for token in clause.tail if token.word not in ("the", "a", "an", "to", "over")]) == 1


def reports_words(sentence: str, lists: WordLists | None = None) -> bool:
    """Say whether a sentence tells what somebody says, thinks or wants: then the rest of it may be theirs."""
    lists = lists or load_word_lists()
    # Within a sentence a capital is of a name: Corvin Tell.
    words = [t for n, t in enumerate(split_words(sentence)) if n == 0 or not t.text[0].isupper()]
    return any(_is_reporting(token, lists) for token in words)


def _is_reporting(token: Token, lists: WordLists) -> bool:
    # `sworn enemies` swear nothing: a mere participle stands before a noun.
    lemmas = {reading.lemma for reading in lists.readings_as_verb(token.word) if reading.tag != "part"}
    return not lemmas.isdisjoint(lists.reporting_verbs - _NO_REPORT)
