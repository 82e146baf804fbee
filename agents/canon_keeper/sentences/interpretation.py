"""Turns clauses into claims: which relation of the catalogue, which state or which deed a verb stands for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from agents.canon_keeper.sentences.claims import ALIVE, LOCATED_IN, Claim, ClaimTime
from agents.canon_keeper.sentences.clauses import Clause
from agents.canon_keeper.sentences.noun_phrases import PREPOSITIONS, NounPhrase, read_noun_phrase
from agents.canon_keeper.sentences.tokens import NameBook, Token
from agents.canon_keeper.sentences.word_lists import WordLists, number_of, singular

_PLACE_PREPOSITIONS: Final = frozenset(
    ["in", "at", "inside", "within", "on", "under", "beneath", "behind", "underneath", "atop", "aboard", "beside", "below", "above", "among", "underground"]
)
_LYING_VERBS: Final = frozenset(["rest", "lie", "stand", "sit", "wait", "stay", "remain", "sleep", "hide", "lurk", "hang", "float"])
_HOME_VERBS: Final = frozenset({"dwell", "live", "reside"})
_DEATHS: Final = frozenset({"die", "perish", "drown", "starve", "suffocate"})
_KILLINGS: Final = frozenset(
    {"kill", "behead", "execute", "hang", "strangle", "drown", "poison", "burn", "stab"}
)
_FATAL_WHEN_PASSIVE: Final = frozenset({"kill", "behead", "execute", "bury"})
_HOLDING_VERBS: Final = frozenset({"have", "own", "hold", "keep", "carry"})
_GIVING_VERBS: Final = frozenset({"give", "sell", "hand", "lend", "send", "return", "deliver", "bequeath"})
_CHANGE_VERBS: Final = frozenset({"become", "grow", "turn", "get", "go", "fall"})
_LEAVING_VERBS: Final = frozenset({"leave", "flee", "depart", "quit", "escape", "desert", "abandon"})
_COMING_VERBS: Final = frozenset(
    {"come", "arrive", "return", "go", "travel", "reach", "enter", "move", "sail", "ride"}
)
_IRREGULAR_COMPARATIVES: Final = {
    "elder": "old", "better": "good", "worse": "bad", "further": "far", "farther": "far", "eldest": "old",
    "best": "good", "worst": "bad", "less": "little", "drier": "dry",
}  # fmt: skip
_OPPOSITE_ADJECTIVES: Final = {
    "young": "old", "short": "tall", "small": "big", "little": "big", "large": "big", "weak": "strong",
    "poor": "rich", "slow": "fast", "new": "old", "bad": "good", "light": "heavy", "narrow": "wide", "low": "high",
    "shallow": "deep", "cold": "hot", "foolish": "wise",
}  # fmt: skip
_STATE_LINKS: Final = frozenset({"in", "of", "at", "on", "out", "without", "under"})
_DEAD_PHRASES: Final = frozenset(
    {"dead", "deceased", "long dead", "dead and buried", "in the grave", "in his grave", "in her grave", "no more",
     "slain", "in their grave", "dead and gone", "a corpse", "among the dead", "stone dead", "long gone and buried"}
)  # fmt: skip
_ALIVE_PHRASES: Final = frozenset(
    {
        "alive",
        "living",
        "alive and well",
        "among the living",
        "in the land of the living",
        "alive and kicking",
    }
)


class Interpreter:
    """Turns clauses into claims."""

    def __init__(self, lists: WordLists, names: NameBook) -> None:
        self._lists = lists
        self._names = names

    def claims_of(self, clause: Clause) -> list[Claim]:
        """Return what a clause claims. Words that are not understood claim nothing."""
        subject = clause.subject
        if subject.head.startswith("*") or (not subject.entity and not subject.head):
            return []
        if any(token.word.startswith("~") for token in clause.tail[:1]):
            return []
        claims = [*self._claims(clause), *self._presupposed(clause)]
        finished = [self._finish(claim, clause) for claim in claims]
        return [c for c in finished if c is not None]

    def _finish(self, claim: Claim, clause: Clause) -> Claim | None:
        """Add what the clause says of every claim: denied or not, when, and of whom only."""
        adverbs = clause.adverbs
        is_affirmed = claim.is_affirmed if not clause.negation else not claim.is_affirmed
        subject = claim.subject
        time = claim.time if claim.time is not ClaimTime.NOW else _time(clause, claim)
        if (
            (clause.negation == "never"
            and time is not ClaimTime.NOW)
            or (clause.negation == "never" and not claim.is_state)
        ):
            time = ClaimTime.ALWAYS
        if clause.negation == "never" and claim.is_state:
            time = ClaimTime.ALWAYS
        is_only = claim.is_only_subject or subject.is_only or ("only" in adverbs and not clause.tail)
        if subject.is_nobody:
            if subject.excepted is not None:
                subject, is_only = subject.excepted, True
            else:
                subject, is_affirmed = replace(subject, determiner="any"), not is_affirmed
        thing = claim.object
        if thing is not None and thing.is_nobody:
            if thing.excepted is not None:
                claim = replace(claim, object=thing.excepted, is_only_object=True)
            else:
                claim = replace(claim, object=replace(thing, determiner="any"))
                is_affirmed = not is_affirmed
        if is_only and not is_affirmed:
            return None
        is_change = (
            claim.is_change or "now" in adverbs or clause.negation == "no longer" or "anymore" in adverbs
        )
        if clause.is_cleft:
            is_only = True
        return replace(
            claim,
            subject=replace(subject, is_only=False),
            is_affirmed=is_affirmed,
            time=time,
            when=" ".join(f"{claim.when} {clause.when}".split()),
            is_only_subject=is_only,
            is_only_object=claim.is_only_object or (claim.object is not None and claim.object.is_only),
            is_ability=clause.can,
            is_change=is_change,
            is_lasting="still" in adverbs,
            classes=clause.classes if "*pair" not in adverbs else (),
        )

    def _presupposed(self, clause: Clause) -> Iterator[Claim]:
        """Read what the subject takes for granted: `both of Mungo's eyes`, `Griselda's husband is waiting`."""
        subject = clause.subject
        owner = subject.owner or subject.of
        if owner is None or clause.tense == "past":
            return
        is_affirmed = not clause.negation
        if subject.number is not None and subject.head:
            yield Claim(
                f"count:{subject.head}", owner, replace(subject, owner=None, of=None), number=subject.number,
                is_only_object=True, is_affirmed=is_affirmed,
            )  # fmt: skip
        if self._lists.kin.get(subject.head) == "spouse" and not subject.modifiers & {
            "late",
            "dead",
            "former",
        }:
            is_dead = any(t.word in ("dead", "died") for t in clause.tail) or clause.verb in _DEATHS
            if not is_dead:
                yield Claim("state:marriage", owner, value="0:married", is_affirmed=is_affirmed)

    def _claims(self, clause: Clause) -> Iterator[Claim]:
        if clause.form == "be":
            yield from self._being(clause)
        elif clause.form == "have":
            yield from self._having(clause)
        elif clause.is_passive:
            yield from self._passive(clause)
        else:
            yield from self._doing(clause)

    # --- what somebody is -------------------------------------------------------------------------------

    def _being(self, clause: Clause) -> Iterator[Claim]:
        subject, tail = clause.subject, list(clause.tail)
        words = [t.word for t in tail]
        if not tail:
            if "alive" in clause.adverbs:
                yield Claim(ALIVE, subject, value="true")
            return
        is_only = False
        while words and words[0] in (
            "only",
            "just",
            "merely",
            "both",
            "all",
            "quite",
            "still",
            "now",
            "very",
            "already",
            "indeed",
            "one",
        ):
            if words[0] == "one":
                break
            is_only = is_only or words[0] == "only"
            tail, words = tail[1:], words[1:]
        if not tail:
            return
        if "*pair" in clause.adverbs:
            yield from self._pair(clause, words)
            return
        if words[:2] == ["at", "least"] or (is_only and words[0] in PREPOSITIONS):
            return
        phrase = " ".join(words)
        own_phrase = re.sub(r"\b(?:his|her|their|its)\b", "his", phrase)
        if phrase in _ALIVE_PHRASES or own_phrase in _ALIVE_PHRASES:
            yield Claim(ALIVE, subject, value="true")
            return
        if (
            phrase in _DEAD_PHRASES
            or own_phrase.replace("his", "the") in _DEAD_PHRASES
            or (words[0] == "dead" and len(words) <= 3)
        ):
            yield Claim(ALIVE, subject, value="false")
            return
        if words[0] in ("nowhere", "far") and len(words) > 2 and words[1] in ("near", "from"):
            yield from self._location(subject, tail[2:], is_affirmed=False)
            return
        if state_claims := list(self._states(subject, tail, words)):
            yield from state_claims
            return
        if comparison := self._comparison(subject, tail, words):
            yield comparison
            return
        if words[0] in PREPOSITIONS:
            yield from self._being_somewhere(subject, tail, words)
            return
        yield from self._being_something(clause, subject, tail, words)

    def _pair(self, clause: Clause, words: list[str]) -> Iterator[Claim]:
        """Read `A and B are enemies`."""
        other = clause.classes[0]
        noun = singular(words[-1])
        if len(words) > 2:
            return
        relation = (
            "ally_of" if noun in self._lists.allies
            else "enemy_of" if noun in self._lists.enemies
            else "married_to" if words[-1] == "married" or self._lists.kin.get(noun) == "spouse"
            else "sibling_of" if self._lists.kin.get(noun) == "sibling"
            else ""
        )  # fmt: skip
        if relation:
            yield Claim(relation, clause.subject, other)

    def _states(self, subject: NounPhrase, tail: Sequence[Token], words: list[str]) -> Iterator[Claim]:
        """Read words of the table of states, such as `wide open` or `in one piece`, and what `un-` denies."""
        phrase = " ".join(
            w
            for w in words
            if w not in ("very", "quite", "completely", "entirely", "perfectly", "utterly", "too")
        )
        if words[:2] == ["full", "of"] and len(words) > 2:
            content = read_noun_phrase(tail[2:], subject)
            if content is not None and content.head:
                yield Claim("state:filling", subject, value="1:full")
                yield Claim("has", subject, content)
                return
        candidates = [
            phrase,
            words[0]
            if len(words) > 1 and words[1] in (*PREPOSITIONS, "and") and words[0] not in PREPOSITIONS
            else "",
        ]
        if len(words) == 2 and words[0].endswith("ly"):
            candidates.append(words[1])
        if words[0] in ("a", "an") and len(words) == 2 and f"a {words[1]}" in self._lists.states:
            candidates.append(f"a {words[1]}")
        for candidate in candidates:
            places = self._lists.states.get(candidate, ())
            for dimension, side in places:
                yield Claim(f"state:{dimension}", subject, value=f"{side}:{candidate}")
            if places:
                return
        if len(words) == 1:
            for group, members in self._lists.exclusive_groups.items():
                if words[0] in members and group == "colour":
                    yield Claim(f"group:{group}", subject, value=words[0])
                    return
            if words[0].startswith(("un", "non-")) and len(words[0]) > 5:
                yield Claim(
                    "is", subject, value=words[0].removeprefix("un").removeprefix("non-"), is_affirmed=False
                )

    def _comparison(self, subject: NounPhrase, tail: Sequence[Token], words: list[str]) -> Claim | None:
        """Read `a head taller than Dob`, `the eldest of the king's children`."""
        if "than" in words:
            index = words.index("than")
            other = read_noun_phrase(tail[index + 1 :], subject)
            word = words[index - 1] if index else ""
            adjective = _base_adjective(word, "er")
            if index > 1 and words[index - 2] in ("more", "less"):
                adjective = word
            if other is None or not adjective or words[0] in ("no", "not") or other.number is not None:
                return None
            is_less = index > 1 and words[index - 2] == "less"
            opposite = _OPPOSITE_ADJECTIVES.get(adjective)
            if (opposite is not None) is not is_less:
                return Claim(f"more:{opposite or adjective}", other, subject)
            return Claim(f"more:{adjective}", subject, other)
        superlative = next((n for n, w in enumerate(words[:3]) if _base_adjective(w, "est")), None)
        if superlative is not None and (words[0] == "the" or (tail[0].entity and words[1] == "'s")):
            adjective = _base_adjective(words[superlative], "est")
            if superlative and words[superlative - 1] in ("second", "third", "next", "youngest"):
                return None
            rest = tail[superlative + 1 :]
            if rest and rest[0].word == "of":
                rest = rest[1:]
            among = read_noun_phrase(rest, subject) if rest else None
            owner = read_noun_phrase(tail[:1], subject) if words[0] != "the" else None
            if among is not None and owner is not None:
                among = replace(among, owner=owner)
            if among is None:
                return None
            return Claim(f"most:{adjective}", subject, among)
        return None

    def _being_somewhere(
        self, subject: NounPhrase, tail: Sequence[Token], words: list[str]
    ) -> Iterator[Claim]:
        prepositions = ("up", "down", "out", "over", "back", "off")
        while len(words) > 2 and words[0] in prepositions and words[1] in PREPOSITIONS:
            tail, words = tail[1:], words[1:]
        phrase = read_noun_phrase(tail[1:], subject)
        if words[:3] == ["in", "the", "hands"] and len(words) > 4:
            holder = read_noun_phrase(tail[4:], subject)
            if holder is not None:
                yield Claim("has", holder, subject)
            return
        if words[:2] == ["in", "league"] and words[2:3] == ["with"]:
            other = read_noun_phrase(tail[3:], subject)
            if other is not None:
                yield Claim("ally_of", subject, other)
            return
        if words[:3] == ["at", "war", "with"]:
            other = read_noun_phrase(tail[3:], subject)
            if other is not None:
                yield Claim("enemy_of", subject, other)
            return
        if words[0] == "of" and phrase is not None and phrase.entity in self._names.factions:
            yield Claim("member_of", subject, phrase)
            return
        if words[0] in _PLACE_PREPOSITIONS and phrase is not None:
            if self._is_place(phrase):
                yield from self._location(subject, tail[1:], preposition=words[0])
                return
        if words[0] == "from" and phrase is not None and phrase.entity:
            yield Claim("comes_from", subject, phrase)
            return
        if len(words) <= 4 and all(not t.entity for t in tail):
            yield Claim("is", subject, value=" ".join(words))
        elif phrase is not None and phrase.entity and len(tail) == 2:
            yield Claim(f"is {words[0]}", subject, phrase)

    def _is_place(self, phrase: NounPhrase) -> bool:
        """Say whether somebody can be in it: a place that is named, or something with an article."""
        if phrase.entity:
            return phrase.entity not in self._names.people and phrase.entity not in self._names.factions
        return phrase.determiner in ("the", "own", "a") and phrase.head not in (
            "way", "position", "mood", "hurry", "debt", "love", "service", "pay", "verge", "brink", "habit", "wrong",
            "right", "run", "lookout", "mend", "end", "middle", "lead", "matter", "mind", "employ", "company", "arm",
            "hand", "power", "care", "charge", "side", "name", "state", "condition", "shape", "spell", "curse", "heart",
        )  # fmt: skip

    def _location(
        self,
        subject: NounPhrase,
        place_tokens: Sequence[Token],
        *,
        is_affirmed: bool = True,
        preposition: str = "in",
    ) -> Iterator[Claim]:
        words = [t.word for t in place_tokens]
        place = read_noun_phrase(place_tokens, subject)
        if place is None:
            return
        yield Claim(LOCATED_IN, subject, place, value=preposition, is_affirmed=is_affirmed)
        if "of" in words and is_affirmed and place.of is not None and place.of.entity in self._names.places:
            yield Claim(LOCATED_IN, subject, place.of, value=preposition)
        if is_affirmed and place.owner is not None and place.owner.entity in self._names.places:
            yield Claim(LOCATED_IN, subject, place.owner, value=preposition)
        if is_affirmed and place.within is not None and place.within.entity in self._names.places:
            yield Claim(LOCATED_IN, subject, place.within, value=preposition)

    def _being_something(
        self, clause: Clause, subject: NounPhrase, tail: Sequence[Token], words: list[str]
    ) -> Iterator[Claim]:
        stop = next((n for n, w in enumerate(words) if n and w in PREPOSITIONS and w != "of"), len(words))
        main, rest = tail[:stop], tail[stop:]
        if rest and rest[0].word == "to":
            linked = read_noun_phrase(rest[1:], subject)
            noun = read_noun_phrase(main, subject)
            if linked is not None and noun is not None and noun.head:
                yield from self._noun_relation(
                    subject, replace(noun, of=linked), is_bare=noun.determiner == "", words=words
                )
                return
        if (
            len(main) == 1
            and not main[0].entity
            and words[0] not in ("here", "there", "gone", "away", "back", "out")
        ):
            adjective = words[0]
            if rest:
                linked = read_noun_phrase(rest[1:], subject)
                if adjective == "married" and rest[0].word == "to" and linked is not None:
                    yield Claim("married_to", subject, linked)
                elif linked is not None:
                    yield Claim(f"is {adjective} {rest[0].word}", subject, linked)
                return
            yield Claim("is", subject, value=adjective)
            return
        noun = read_noun_phrase(main if rest and rest[0].word != "in" else tail, subject)
        if noun is None:
            return
        if noun.entity:
            if subject.head and not subject.entity:
                # `The captain of the Heron is Vess.`
                yield from self._noun_relation(noun, subject, is_bare=False, words=[subject.head])
            else:
                yield Claim("is_same", subject, noun)
            return
        if number_of(words[0]) is not None and len(words) > 1:
            if words[-1] in ("old",) or singular(words[1]) in (
                "year",
                "foot",
                "mile",
                "pace",
                "fathom",
                "yard",
            ):
                unit = " ".join(singular(w) for w in words[1:])
                yield Claim("measure", subject, value=unit, number=number_of(words[0]))
            return
        yield from self._noun_relation(subject, noun, is_bare=noun.determiner == "", words=words)

    def _noun_relation(
        self, subject: NounPhrase, noun: NounPhrase, *, is_bare: bool, words: list[str]
    ) -> Iterator[Claim]:
        """Read `the mother of Tam`, `Dob's enemy`, `the captain of the Heron`, `a smith`."""
        lists, head = self._lists, noun.head
        other = noun.of or noun.owner
        modifiers = noun.modifiers
        step = bool(
            modifiers & {"step", "foster", "adoptive", "former", "old", "late", "ex", "would-be", "godmother"}
        )
        if other is not None and not step:
            if kin := lists.kin.get(head):
                yield from self._kin_claims(subject, head, kin, other, noun)
                for word in modifiers:
                    if word in ("elder", "older", "big"):
                        yield Claim("more:old", subject, other)
                    elif word in ("younger", "little"):
                        yield Claim("more:old", other, subject)
                return
            if head in lists.allies or head in lists.enemies:
                yield Claim("ally_of" if head in lists.allies else "enemy_of", subject, other)
                return
            if head == "owner":
                yield Claim("owned_by", other, subject)
                return
            if head == "member" or (words[0] == "one" and other.entity in self._names.factions):
                yield Claim("member_of", subject, other)
                return
            if head in ("ruler", "king", "queen", "lord", "lady"):
                yield Claim(
                    "rules_over",
                    subject,
                    other,
                    is_only_subject=noun.is_only or noun.determiner in ("the", ""),
                )
            if head == "servant" and noun.owner is not None:
                yield Claim("serves", subject, other)
            if head in lists.roles:
                is_unique = noun.determiner in ("the", "own", "") or noun.is_only
                yield Claim(
                    f"role:{head}",
                    subject,
                    other,
                    is_only_subject=is_unique,
                    adjuncts=_modifier_adjuncts(noun),
                )
                return
        elif head in lists.roles and noun.determiner == "the" and not step:
            yield Claim(
                f"role:{head}", subject, None, is_only_subject=True, adjuncts=_modifier_adjuncts(noun)
            )
            return
        yield Claim("is", subject, noun, is_only_subject=noun.determiner == "the" and noun.is_only)

    def _kin_claims(
        self, subject: NounPhrase, head: str, kin: str, other: NounPhrase, noun: NounPhrase
    ) -> Iterator[Claim]:
        if kin == "parent":
            yield Claim("parent_of", subject, other)
        elif kin == "child":
            yield Claim("parent_of", other, subject)
        elif kin == "sibling":
            yield Claim("sibling_of", subject, other)
        elif kin == "spouse":
            yield Claim("married_to", subject, other)
        yield Claim(f"kin:{head}", subject, other)
        if noun.is_only and kin in ("child", "sibling"):
            yield Claim(f"count:{head}", other, number=1, is_only_object=True)
        sex = "man" if head in self._lists.men else "woman" if head in self._lists.women else ""
        if sex:
            yield Claim("state:sex", subject, value="0:man" if sex == "man" else "1:woman")

    # --- what somebody has ------------------------------------------------------------------------------

    def _having(self, clause: Clause) -> Iterator[Claim]:
        tail = list(clause.tail)
        words = [t.word for t in tail]
        if words[:1] == ["to"]:
            return
        if words[:3] == ["nothing", "but", "love"] and words[3:4] == ["for"]:
            loved = read_noun_phrase(tail[4:], clause.subject)
            if loved is not None:
                yield Claim("verb:love", clause.subject, loved)
            return
        yield from self._holding(clause.subject, tail, words, "has")

    def _holding(
        self, subject: NounPhrase, tail: Sequence[Token], words: list[str], relation: str
    ) -> Iterator[Claim]:
        stop = next(
            (n for n, w in enumerate(words) if n and w in PREPOSITIONS and w not in ("of", "but")), len(words)
        )
        if words[:1] == ["only"] or "than" in words[:stop]:
            pass
        thing = read_noun_phrase(tail[:stop], subject)
        if thing is None or not (thing.entity or thing.head):
            return
        adjuncts = self._adjuncts(tail[stop:], subject)
        if thing.number is not None or (thing.is_nobody and thing.excepted is None and not thing.entity):
            number = 0 if thing.is_nobody else thing.number
            yield Claim(
                f"count:{thing.head}", subject, thing, number=number, is_only_object=True, adjuncts=adjuncts
            )
            if number:
                return
        if thing.is_nobody and thing.head in self._lists.kin:
            return
        if thing.determiner == "a" and thing.is_only and words[:2] == ["a", "single"]:
            thing = replace(thing, is_only=False)
        yield Claim(relation, subject, thing, adjuncts=adjuncts)
        is_container = subject.entity in self._names.places or subject.head in self._lists.inner_places
        if is_container and relation == "has":
            yield Claim(LOCATED_IN, thing, replace(subject, within=None), value="in")
        elif (
            adjuncts
            and thing.determiner == "own"
            and adjuncts[0][0] in _PLACE_PREPOSITIONS
            and self._is_place(adjuncts[0][1])
        ):
            yield Claim(LOCATED_IN, thing, adjuncts[0][1], value=adjuncts[0][0])
        if relation == "owns" or thing.entity:
            return
        if thing.head in self._lists.kin and thing.determiner in ("a", ""):
            yield Claim(f"count:{thing.head}", subject, thing, number=None)

    # --- what somebody does -----------------------------------------------------------------------------

    def _doing(self, clause: Clause) -> Iterator[Claim]:
        subject, verb = clause.subject, clause.verb
        tail = list(clause.tail)
        words = [t.word for t in tail]
        lemma = self._lists.synonyms.get(verb, verb)
        if words[:1] == ["to"] and len(words) > 1 and not tail[1].entity:
            yield from self._doing_to_do(clause, verb, tail)
            return
        if verb in self._lists.reporting_verbs and self._has_clause(words):
            return
        if verb in ("be", "do"):
            return
        if verb == "contain":
            yield from self._holding(subject, tail, words, "has")
            return
        if verb in _HOLDING_VERBS and verb != "have":
            if verb in ("keep", "hold") and (
                "lit" in words or "open" in words or "shut" in words or "ing" in verb
            ):
                return
            relation = "owns" if verb == "own" else "has"
            yield from self._holding(subject, tail, words, relation)
            if verb in ("own", "hold", "keep", "carry"):
                return
        if lemma == "own":
            yield from self._holding(subject, tail, words, "has")
            return
        if verb == "belong" and words[:1] == ["to"]:
            owner = read_noun_phrase(tail[1:], subject)
            if owner is not None:
                is_member = subject.entity in self._names.people and owner.entity in self._names.factions
                yield Claim("member_of" if is_member else "owned_by", subject, owner)
            return
        if (
            verb in _DEATHS
            and (not words or words[0] in PREPOSITIONS)
            and subject.entity not in self._names.places
        ):
            yield Claim(ALIVE, subject, value="false")
            yield Claim("verb:die", subject, time=_past_of(clause), adjuncts=self._adjuncts(tail, subject))
            return
        if verb == "live" and not words and not clause.when:
            yield Claim(ALIVE, subject, value="true")
            return
        if verb == "survive":
            yield Claim(ALIVE, subject, value="true", when="*then")
        if verb in _HOME_VERBS and words[:1] and words[0] in _PLACE_PREPOSITIONS:
            home = read_noun_phrase(tail[1:], subject)
            if home is not None and self._is_place(home):
                yield Claim("lives_in", subject, home)
            return
        if verb in _LYING_VERBS and words[:1] and words[0] in (_PLACE_PREPOSITIONS | {"up", "down", "out"}):
            inner = tail[1:] if words[0] not in ("up", "down", "out") or len(words) < 3 else tail[2:]
            place = read_noun_phrase(inner, subject)
            if place is not None and self._is_place(place) and _is_owned_by_nobody(clause.subject):
                yield from self._location(subject, inner, preposition=words[0])
            return
        if verb in _CHANGE_VERBS and words:
            as_state = replace(clause, form="be", tail=tuple(tail), negation="", when="")
            inner_claims = [] if words[0] in PREPOSITIONS else list(self._being(as_state))
            if verb == "become" or (
                inner_claims
                and all(c.relation.startswith(("state:", "is")) for c in inner_claims)
                and verb != "go"
            ):
                yield from (
                    replace(c, is_change=True, time=ClaimTime.NOW)
                    for c in inner_claims
                    if not clause.negation
                )
                return
        if verb in ("marry", "wed"):
            spouse = read_noun_phrase(tail, subject)
            if spouse is not None and spouse.entity:
                yield Claim("married_to", subject, spouse, is_change=True, time=ClaimTime.PAST)
            return
        if lemma == "rule" and words:
            ruled = read_noun_phrase(tail[1:] if words[0] == "over" else tail, subject)
            if ruled is not None:
                yield Claim("rules_over", subject, ruled)
            return
        if lemma in ("serve", "know") and tail:
            served = read_noun_phrase(tail, subject)
            if served is not None and served.entity and len(tail) == 1:
                yield Claim("serves" if lemma == "serve" else "knows", subject, served)
                return
        if verb == "owe":
            yield from self._promise(subject, tail, "owes")
            return
        if lemma == "vow":
            yield from self._promise(subject, tail, "promised")
            return
        if lemma == "meet" or words[:2] == ["eyes", "on"] or (verb == "see" and clause.negation):
            met = read_noun_phrase(tail[2:] if words[:2] == ["eyes", "on"] else tail, subject)
            if met is not None and met.entity and len(tail) <= 3:
                yield Claim("met", subject, met)
                if verb != "see":
                    return
        if verb in _GIVING_VERBS:
            yield from self._giving(clause, verb, tail, words)
            return
        yield from self._deed(clause, lemma, tail, subject)

    def _doing_to_do(self, clause: Clause, verb: str, tail: Sequence[Token]) -> Iterator[Claim]:
        """Read `failed to open the door`, `promised to mend the net`; what was only tried claims nothing."""
        if self._lists.synonyms.get(verb, verb) == "vow":
            yield from self._promise(clause.subject, tail, "promised")
            return
        is_denying = verb in self._lists.denying_verbs
        if not (is_denying or verb in self._lists.affirming_verbs):
            return
        inner_verb, rest = tail[1].word, tail[2:]
        inner = replace(
            clause, verb=inner_verb, tail=tuple(rest), form="have" if inner_verb == "have" else "verb"
        )
        if inner_verb == "be":
            inner = replace(inner, form="be")
        for claim in self._claims(inner):
            yield replace(claim, is_affirmed=claim.is_affirmed is not is_denying)

    def _has_clause(self, words: list[str]) -> bool:
        if not words:
            return False
        if words[0] in ("that", "how", "why", "where", "who", "what") or "that" in words[:4]:
            return True
        finite = ("is", "are", "was", "were", "has", "had", "did", "does", "will", "would", "can", "could")
        return any(w in finite for w in words) or any(
            form.tag in ("s", "past")
            for w in words[1:]
            for form in self._lists.readings_as_verb(w)
            if w.endswith("ed")
            or (form.tag == "past"
            and w
            not in (
                "cut",
                "lay",
                "saw",
                "found",
                "left",
                "ground",
                "hit",
                "set",
                "wound",
                "bore",
                "felt",
                "rose",
            ))
        )

    def _promise(self, subject: NounPhrase, tail: Sequence[Token], relation: str) -> Iterator[Claim]:
        """Read whom something is promised or owed to, and what."""
        words = [t.word for t in tail]
        person: NounPhrase | None = None
        if words[:1] == ["to"] and len(tail) > 1 and tail[1].entity and relation == "owes":
            tail, words = tail[1:], words[1:]
        if tail and tail[0].entity:
            person, tail, words = NounPhrase(entity=tail[0].entity), tail[1:], words[1:]
        elif (
            words
            and words[0] in ("nobody", "anyone", "no", "anybody", "him", "her", "them")
            and len(words) > 1
        ):
            size = 2 if words[0] == "no" and words[1] == "one" else 1
            person = read_noun_phrase(tail[:size], subject)
            tail, words = tail[size:], words[size:]
        content = read_noun_phrase(tail, subject) if tail and words[0] not in ("to", "that", "not") else None
        if content is not None and content.is_nobody:
            yield Claim(relation, subject, person, value="*")
            return
        if content is not None and len(tail) >= 1 and words[-2:-1] == ["to"] and tail[-1].entity:
            person = NounPhrase(entity=tail[-1].entity)
            content = read_noun_phrase(tail[:-2], subject)
        if content is None and tail:
            content = NounPhrase(head=" ".join(w for w in words if w not in ("the", "a", "an", "that")))
        adjuncts = (("*what", content),) if content is not None else ()
        yield Claim(relation, subject, person, adjuncts=adjuncts)

    def _giving(self, clause: Clause, verb: str, tail: Sequence[Token], words: list[str]) -> Iterator[Claim]:
        """Read `gave the bell to Vess` and `gave Vess the bell`: then Vess has it, and the giver no more."""
        if "to" in words:
            index = words.index("to")
            thing, receiver = (
                read_noun_phrase(tail[:index], clause.subject),
                read_noun_phrase(tail[index + 1 :], clause.subject),
            )
        elif tail and tail[0].entity in self._names.people and len(tail) > 1:
            receiver, thing = (
                read_noun_phrase(tail[:1], clause.subject),
                read_noun_phrase(tail[1:], clause.subject),
            )
        else:
            thing, receiver = read_noun_phrase(tail, clause.subject), None
        if thing is None:
            return
        adjuncts = (("to", receiver),) if receiver is not None else ()
        yield Claim(f"verb:{verb}", clause.subject, thing, adjuncts=adjuncts, time=_past_of(clause))
        if not clause.negation and verb in ("give", "sell", "hand") and clause.tense != "now":
            if receiver is not None:
                yield Claim("has", receiver, thing, is_change=True, time=ClaimTime.PAST)
            yield Claim(
                "has",
                clause.subject,
                thing,
                is_change=True,
                is_affirmed=False,
                time=ClaimTime.PAST,
                when="*after",
            )

    def _deed(
        self, clause: Clause, lemma: str, tail: Sequence[Token], subject: NounPhrase
    ) -> Iterator[Claim]:
        words = [t.word for t in tail]
        stop = next(
            (n for n, w in enumerate(words) if w in PREPOSITIONS and w not in ("of", "but", "than")),
            len(words),
        )
        particle = ""
        if (
            stop == 0
            and words
            and (len(words) == 1 or words[0] in ("out", "up", "down", "off", "away", "over", "back"))
        ):
            particle, tail, words = words[0], tail[1:], words[1:]
            stop = next(
                (n for n, w in enumerate(words) if w in PREPOSITIONS and w not in ("of", "but", "than")),
                len(words),
            )
        for aside in ("out", "away"):
            if words[:1] == [aside]:
                particle, tail, words, stop = aside, tail[1:], words[1:], max(0, stop - 1)
        thing: NounPhrase | None = None
        if stop:
            thing = read_noun_phrase(tail[:stop], subject)
            if thing is None:
                return
            if not thing.entity and not thing.head:
                return
        verb = f"{lemma} {particle}".strip()
        adjuncts = self._adjuncts(tail[stop:], subject)
        if any(np.head.startswith("~") or "~" in " ".join(np.modifiers) for _, np in adjuncts):
            return
        if lemma in _LEAVING_VERBS and thing is not None and thing.entity in self._names.places:
            yield Claim(LOCATED_IN, subject, thing, is_affirmed=False, is_change=True)
        if lemma == "visit" and thing is not None:
            yield Claim("visited", subject, thing)
            return
        if (
            lemma in ("go", "come", "travel")
            and thing is None
            and adjuncts
            and adjuncts[0][0] in ("to", "into")
        ):
            yield Claim("visited", subject, adjuncts[0][1], adjuncts=adjuncts[1:])
        if lemma == "set" and thing is not None and thing.head == "foot" and adjuncts:
            yield Claim("visited", subject, adjuncts[0][1])
            return
        if lemma == "tell" and thing is not None and thing.head == "lie":
            yield Claim("verb:lie", subject, None, adjuncts=adjuncts)
            return
        if lemma == "kill" and thing is not None and not subject.is_general and not clause.negation:
            yield Claim(ALIVE, thing, value="false", is_change=True)
        if (
            lemma == "open"
            and thing is not None
            and not clause.can
            and clause.tense != "now"
            and not clause.negation
        ):
            yield Claim("state:openness", thing, value="0:open", is_change=True, time=ClaimTime.NOW)
        yield Claim(f"verb:{verb}", subject, thing, adjuncts=adjuncts)

    def _adjuncts(self, tail: Sequence[Token], subject: NounPhrase) -> tuple[tuple[str, NounPhrase], ...]:
        """Read the phrases behind prepositions: `with a hammer`, `from the chapel`."""
        adjuncts: list[tuple[str, NounPhrase]] = []
        index = 0
        while index < len(tail):
            word = tail[index].word
            if word not in PREPOSITIONS:
                index += 1
                continue
            end = next(
                (
                    n
                    for n in range(index + 1, len(tail))
                    if tail[n].word in PREPOSITIONS and tail[n].word != "of"
                ),
                len(tail),
            )
            phrase = read_noun_phrase(tail[index + 1 : end], subject)
            if phrase is not None:
                adjuncts.append(("in" if word in ("at", "inside", "within") else word, phrase))
            index = max(end, index + 1)
        return tuple(adjuncts)

    # --- what befalls somebody --------------------------------------------------------------------------

    def _passive(self, clause: Clause) -> Iterator[Claim]:
        """Read `was stolen by Dob`: whoever does it is the subject."""
        words = [t.word for t in clause.tail]
        lemma = self._lists.synonyms.get(clause.verb, clause.verb)
        patient = clause.subject
        agent: NounPhrase | None = None
        tail = list(clause.tail)
        if "by" in words:
            index = words.index("by")
            end = next(
                (n for n in range(index + 1, len(words)) if words[n] in PREPOSITIONS and words[n] != "of"),
                len(words),
            )
            agent = read_noun_phrase(tail[index + 1 : end], patient)
            if (
                agent is not None
                and agent.within is None
                and end < len(words)
                and tail[index + 1].word in ("nobody", "no")
            ):
                agent = read_noun_phrase(tail[index + 1 :], patient)
                end = len(words)
            tail = [*tail[:index], *tail[end:]]
            words = [t.word for t in tail]
        adjuncts = self._adjuncts(tail, patient)
        if clause.verb == "bear" and agent is None:
            yield Claim("born", patient, None, when=_words_of(tail), time=ClaimTime.PAST, adjuncts=adjuncts)
            return
        if clause.verb in ("bury", "entomb", "inter"):
            yield Claim(ALIVE, patient, value="false")
            for preposition, place in adjuncts[:1]:
                if preposition in _PLACE_PREPOSITIONS:
                    yield Claim("buried_in", patient, place)
            return
        if clause.verb == "marry" and words[:1] == ["to"]:
            spouse = read_noun_phrase(tail[1:], patient)
            if spouse is not None:
                yield Claim("married_to", patient, spouse)
            return
        if clause.verb in ("call", "name") and agent is None and tail:
            name = read_noun_phrase(tail, patient)
            if name is not None:
                yield Claim("named", patient, value=" ".join(t.word for t in tail))
            return
        if clause.verb == "make" and words[:1] and words[0] in ("of", "from"):
            material = read_noun_phrase(tail[1:], patient)
            if material is not None:
                yield Claim("made_of", patient, value=material.words())
            return
        if agent is None and (
            states := self._lists.states.get(clause.verb) or self._state_of_participle(clause)
        ):
            for dimension, side in states:
                yield Claim(
                    f"state:{dimension}",
                    patient,
                    value=f"{side}:{clause.verb}",
                    when="" if clause.tense == "now" or clause.tense == "perfect" else "*then",
                )
            if clause.tense == "now":
                return
        if agent is None and clause.tense == "now" and not words and not clause.is_passive:
            return
        unknown = NounPhrase(head="person", determiner="any" if clause.negation else "some")
        somebody = unknown if agent is None or (agent.is_person_word and agent.determiner == "any") else agent
        fatal = lemma in _FATAL_WHEN_PASSIVE or (
            lemma in ("hang", "drown") and patient.entity in self._names.people
        )
        if fatal:
            yield Claim(ALIVE, patient, value="false", is_change=True, when="*deed")
        if lemma == "own" and agent is not None:
            yield Claim("owned_by", patient, agent)
            return
        if lemma == "rule" and agent is not None:
            yield Claim("rules_over", agent, patient)
            return
        is_only = "only" in clause.adverbs and agent is not None
        yield Claim(f"verb:{lemma}", somebody, patient, adjuncts=adjuncts, is_only_subject=is_only)

    def _state_of_participle(self, clause: Clause) -> tuple[tuple[str, int], ...]:
        for word, forms in (
            (clause.verb + "ed", ()),
            (clause.verb + "d", ()),
            *_PARTICIPLES.get(clause.verb, ()),
        ):
            if word in self._lists.states:
                return self._lists.states[word]
        return ()


def read_state_words(words: str, lists: WordLists) -> list[tuple[str, str]]:
    """Return the relation and value of a tag: `wounded`, `in debt`, `drunk`."""
    tag = " ".join(words.casefold().split())
    if places := lists.states.get(tag):
        return [(f"state:{dimension}", f"{side}:{tag}") for dimension, side in places]
    return [("is", tag)]


_PARTICIPLES: Final[dict[str, tuple[tuple[str, tuple[()]], ...]]] = {
    "break": (("broken", ()),), "shut": (("shut", ()),), "drink": (("drunk", ()),), "bar": (("barred", ()),),
    "light": (("lit", ()),), "free": (), "bolt": (("bolted", ()),), "tear": (("in shreds", ()),),
}  # fmt: skip


def _time(clause: Clause, claim: Claim) -> ClaimTime:
    if clause.tense == "past":
        return ClaimTime.PAST
    if clause.tense == "perfect":
        return (
            ClaimTime.NOW
            if clause.form == "be"
            and not clause.is_passive
            and claim.relation.startswith(("state:", "is", "alive"))
            else ClaimTime.PAST
        )
    return ClaimTime.NOW


def _past_of(clause: Clause) -> ClaimTime:
    return ClaimTime.PAST if clause.tense != "now" else ClaimTime.NOW


def _is_owned_by_nobody(phrase: NounPhrase) -> bool:
    return True


def _words_of(tokens: Sequence[Token]) -> str:
    return " ".join(t.word for t in tokens)


def _modifier_adjuncts(noun: NounPhrase) -> tuple[tuple[str, NounPhrase], ...]:
    return tuple(("*which", NounPhrase(head=word)) for word in sorted(noun.modifiers))


def _base_adjective(word: str, ending: str) -> str:
    """Return the adjective of `taller` or `tallest`; empty if the word is none."""
    if word in _IRREGULAR_COMPARATIVES and (word.endswith(ending[-2:]) or word in ("less", "worst", "best")):
        return _IRREGULAR_COMPARATIVES[word]
    if not word.endswith(ending) or len(word) < len(ending) + 3:
        return ""
    base = word[: -len(ending)]
    if base.endswith("i"):
        return base[:-1] + "y"
    if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "ls":
        return base[:-1]
    known_with_e = {
        "larg": "large",
        "wis": "wise",
        "brav": "brave",
        "strang": "strange",
        "fierc": "fierce",
        "wid": "wide",
        "nobl": "noble",
        "saf": "safe",
        "lat": "late",
    }
    return known_with_e.get(base, base)
