"""Reads what a clause says that somebody has or does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from agents.canon_keeper.sentences.being import BeingReader
from agents.canon_keeper.sentences.claims import AFTER_THAT, ALIVE, LOCATED_IN, Claim, ClaimTime
from agents.canon_keeper.sentences.clause_parts import (
    DEATHS,
    PLACE_PREPOSITIONS,
    death_of,
    is_plain,
    past_of,
    read_adjuncts,
)
from agents.canon_keeper.sentences.clauses import Clause
from agents.canon_keeper.sentences.noun_phrases import PREPOSITIONS, NounPhrase, read_noun_phrase
from agents.canon_keeper.sentences.possession import has_no_more, has_then, read_possession
from agents.canon_keeper.sentences.tokens import NameBook, Token
from agents.canon_keeper.sentences.word_lists import WordLists

_DEAD_WORDS: Final = frozenset({"dead", "buried", "slain"})
_AFTER_MERE_DEAD: Final = frozenset(
    {"tired", "drunk", "asleep", "silent", "still", "calm", "serious", "last"}
)
"""Behind `dead`: it says how much, and nobody dies."""
_LYING_VERBS: Final = frozenset(
    ["rest", "lie", "stand", "sit", "wait", "stay", "remain", "sleep", "hide", "lurk", "hang", "float"]
)
_HABITS: Final = frozenset({"sleep", "hide", "stay", "lurk"})
"""Verbs that in the simple present may say what somebody does now and then."""
_HOME_VERBS: Final = frozenset({"dwell", "live", "reside"})
_HOLDING_VERBS: Final = frozenset({"have", "own", "hold", "keep", "carry"})
_GIVING_VERBS: Final = frozenset({"give", "sell", "hand", "lend", "send", "return", "deliver", "bequeath"})
_CHANGE_VERBS: Final = frozenset({"become", "grow", "turn", "get", "go", "fall"})
_LEAVING_VERBS: Final = frozenset({"leave", "flee", "depart", "quit", "escape", "desert", "abandon"})
_TELLING_VERBS: Final = frozenset(
    {"tell", "show", "teach", "ask", "offer", "bring", "pay", "write", "read", "pass", "grant", "deny"}
)
"""Verbs with two objects: whom, and what."""
_PRONOUNS: Final = frozenset({"him", "her", "them", "me", "us"})
_PARTICLES: Final = frozenset({"out", "up", "down", "off", "away", "over", "back"})


class DeedReader:
    """Reads what somebody has and does."""

    def __init__(self, lists: WordLists, names: NameBook, being: BeingReader) -> None:
        self._lists = lists
        self._names = names
        self._being = being

    def having_claims(self, clause: Clause) -> Iterator[Claim]:
        tail = list(clause.tail)
        words = [t.word for t in tail]
        if words[:1] == ["to"]:
            return
        if words[:3] == ["nothing", "but", "love"] and words[3:4] == ["for"]:
            loved = read_noun_phrase(tail[4:], clause.subject)
            if loved is not None:
                yield Claim("verb:love", clause.subject, loved)
            return
        if words[:2] == ["a", "debt"] and "to" in words:
            # `has a debt of three coins to Bela`
            index = words.index("to")
            debt = read_noun_phrase(tail[:index], clause.subject)
            creditor = read_noun_phrase(tail[index + 1 :], clause.subject)
            if creditor is not None and creditor.entity:
                amount = debt.of if debt is not None else None
                adjuncts = (("*what", amount),) if amount is not None else ()
                yield Claim("owes", clause.subject, creditor, adjuncts=adjuncts)
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
        adjuncts = read_adjuncts(tail[stop:], subject)
        if thing.number is not None or (thing.is_nobody and thing.excepted is None and not thing.entity):
            number = 0 if thing.is_nobody else thing.number
            counted = replace(thing, determiner="")
            yield Claim(
                f"count:{thing.head}", subject, counted, number=number, is_only_object=True, adjuncts=adjuncts
            )
            if number:
                return
        if thing.determiner == "a" and thing.is_only and words[:2] == ["a", "single"]:
            thing = replace(thing, is_only=False)
        yield Claim(relation, subject, thing, adjuncts=adjuncts)
        colours = thing.modifiers & self._lists.exclusive_groups["colour"]
        if (
            thing.head in self._lists.body_parts
            and len(colours) == 1
            and thing.determiner in ("", "a", "own")
        ):
            part = NounPhrase(head=thing.head, determiner="own", owner=subject)
            yield Claim("group:colour", part, value=next(iter(colours)))
        is_container = subject.entity in self._names.places or subject.head in self._lists.inner_places
        if is_container and relation == "has":
            yield Claim(LOCATED_IN, thing, replace(subject, within=None), value="in")
        elif (
            adjuncts
            and thing.determiner == "own"
            and adjuncts[0][0] in PLACE_PREPOSITIONS
            and self._being.is_place(adjuncts[0][1])
        ):
            yield Claim(LOCATED_IN, thing, adjuncts[0][1], value=adjuncts[0][0])
        if relation == "owns" or thing.entity:
            return
        if thing.head in self._lists.kin and thing.determiner in ("a", ""):
            yield Claim(f"count:{thing.head}", subject, thing, number=None)

    def claims(self, clause: Clause) -> Iterator[Claim]:
        subject, verb = clause.subject, clause.verb
        tail = list(clause.tail)
        words = [t.word for t in tail]
        lemma = self._lists.synonyms.get(verb, verb)
        if words[:1] == ["to"] and len(words) > 1 and self._is_verb(words[1]):
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
            if owner is not None and "and" not in words:
                is_member = subject.entity in self._names.people and owner.entity in self._names.factions
                yield Claim("member_of" if is_member else "owned_by", subject, owner)
            return
        if (
            verb in DEATHS
            and (not words or words[0] in PREPOSITIONS)
            and subject.entity not in self._names.places
        ):
            if not self._lists.seeming_deaths.isdisjoint(words):
                return
            if is_plain(clause) or not (tail or clause.when):
                yield death_of(clause, subject)
            yield Claim("verb:die", subject, time=past_of(clause), adjuncts=read_adjuncts(tail, subject))
            manner = (
                "natural"
                if words[-1:] in (["bed"], ["sleep"], ["age"])
                else verb
                if verb in self._lists.deaths
                else ""
            )
            if manner:
                yield Claim("death", subject, value=manner, time=ClaimTime.PAST)
            return
        if verb == "live" and not words and not clause.when:
            yield Claim(ALIVE, subject, value="true")
            return
        if verb == "survive":
            yield Claim(ALIVE, subject, value="true", when="*then")
            event = read_noun_phrase(tail, subject) if tail else None
            if event is not None:
                yield Claim(
                    "verb:die", subject, is_affirmed=False, adjuncts=(("in", event),), time=ClaimTime.PAST
                )
        if verb in _HOME_VERBS and words[:1] and words[0] in PLACE_PREPOSITIONS:
            home = read_noun_phrase(tail[1:], subject)
            if home is not None and self._being.is_place(home):
                yield Claim("lives_in", subject, home)
            return
        is_merely_tired = words[1:2] and words[1] in _AFTER_MERE_DEAD
        if verb in ("lie", "fall", "drop") and words[:1] and words[0] in _DEAD_WORDS and not is_merely_tired:
            yield death_of(clause, subject)
            return
        if verb == "stand" and clause.can and clause.negation and tail:
            hated = read_noun_phrase(tail, subject)
            if hated is not None and hated.entity:
                # `cannot stand him`: the denial is a part of the words.
                yield Claim("verb:love", subject, hated)
            return
        if verb in _LYING_VERBS and words[1:2] == ["of"] and words[0] in ("north", "south", "east", "west"):
            yield from self._being.claims(replace(clause, form="be"))
            return
        if verb in _LYING_VERBS and words[:1] and words[0] in (PLACE_PREPOSITIONS | {"up", "down", "out"}):
            inner = tail[1:] if words[0] not in ("up", "down", "out") or len(words) < 3 else tail[2:]
            place = read_noun_phrase(inner, subject)
            is_habit = verb in _HABITS and not clause.is_progressive
            if place is not None and self._being.is_place(place) and not is_habit:
                yield from self._being.location_claims(subject, inner, preposition=words[0])
            return
        if verb in _CHANGE_VERBS and words:
            as_state = replace(clause, form="be", tail=tuple(tail), negation="", when="")
            inner_claims = [] if words[0] in PREPOSITIONS else list(self._being.claims(as_state))
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
                yield Claim("married_to", subject, spouse, is_change=not clause.negation, time=ClaimTime.PAST)
            elif not tail:
                yield Claim("verb:marry", subject)
            return
        if lemma == "rule" and words:
            ruled = read_noun_phrase(tail[1:] if words[0] == "over" else tail, subject)
            if ruled is not None:
                yield Claim("rules_over", subject, ruled)
            return
        if lemma in ("remember", "know", "hear", "forget") and ("of" in words or "about" in words):
            index = words.index("of") if "of" in words else words.index("about")
            topic = read_noun_phrase(tail[index + 1 :], subject)
            amount = words[:index]
            if topic is not None and amount in (
                [],
                ["nothing"],
                ["anything"],
                ["all"],
                ["everything"],
                ["much"],
                ["a", "lot"],
            ):
                yield Claim(f"verb:{lemma}", subject, topic, is_affirmed=amount != ["nothing"])
                return
        if lemma in ("serve", "know") and tail:
            served = read_noun_phrase(tail, subject)
            if (
                served is not None
                and (served.entity or served.is_general)
                and served.within is None
                and served.head != "thing"
            ):
                yield Claim("serves" if lemma == "serve" else "knows", subject, served)
                return
        if verb == "owe":
            yield from self._promise(subject, tail, "owes")
            return
        if lemma == "vow":
            yield from self._promise(subject, tail, "promised", is_denied=bool(clause.negation))
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
            yield from self._promise(clause.subject, tail, "promised", is_denied=bool(clause.negation))
            return
        if verb in ("agree", "refuse") and len(tail) > 1:
            content = NounPhrase(head=" ".join(t.word for t in tail[1:]))
            yield Claim("agreed", clause.subject, content, is_affirmed=verb == "agree")
        is_denying = verb in self._lists.denying_verbs
        if not (is_denying or verb in self._lists.affirming_verbs):
            return
        inner_verb, rest = tail[1].word, tail[2:]
        inner = replace(
            clause, verb=inner_verb, tail=tuple(rest), form="have" if inner_verb == "have" else "verb"
        )
        if is_denying:
            inner = replace(inner, negation="" if clause.negation else "not")
        if inner_verb == "be":
            inner = replace(inner, form="be")
        readings = {"be": self._being.claims, "have": self.having_claims}
        for claim in readings.get(inner.form, self.claims)(inner):
            if not (claim.is_change and is_denying):
                yield replace(claim, is_affirmed=claim.is_affirmed is not is_denying)

    def _is_verb(self, word: str) -> bool:
        return word in ("be", "have") or any(r.tag == "base" for r in self._lists.readings_as_verb(word))

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
            or (
                form.tag == "past"
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
                )
            )
        )

    def _promise(
        self, subject: NounPhrase, tail: Sequence[Token], relation: str, *, is_denied: bool = False
    ) -> Iterator[Claim]:
        """Read whom something is promised or owed to, and what.

        What is promised to two is promised to each; what is not promised to two may be promised to one of them.
        """
        words = [t.word for t in tail]
        is_to_two = words[1:2] == ["and"] and len(tail) > 3 and bool(tail[0].entity and tail[2].entity)
        if is_to_two and words[3] != "'s" and not is_denied:
            yield from self._promise(subject, (tail[0], *tail[3:]), relation)
            yield from self._promise(subject, tail[2:], relation)
        person: NounPhrase | None = None
        if words[:1] == ["to"] and len(tail) > 1 and tail[1].entity and relation == "owes":
            tail, words = tail[1:], words[1:]
        if tail and tail[0].entity and words[1:2] == ["'s"]:
            return  # to somebody's brother, of whom nothing else is known
        if tail and tail[0].entity:
            person, tail, words = read_noun_phrase(tail[:1]), tail[1:], words[1:]
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
            # `nothing against Moreau's brother` says nothing of what was sworn against others.
            about = tuple(a for a in read_adjuncts(tail, subject) if a[0] in ("against", "about"))
            if content.head not in ("", "thing"):
                about += (("*what", replace(content, determiner="any")),)
            yield Claim(relation, subject, person, value="*", is_affirmed=False, adjuncts=about)
            return
        if content is not None and len(tail) >= 1 and words[-2:-1] == ["to"] and tail[-1].entity:
            person = read_noun_phrase(tail[-1:])
            content = read_noun_phrase(tail[:-2], subject)
        if content is None and tail:
            content = NounPhrase(head=" ".join(w for w in words if w not in ("the", "a", "an", "that")))
        adjuncts = (("*what", content),) if content is not None else ()
        yield Claim(relation, subject, person, adjuncts=adjuncts)

    def _giving(self, clause: Clause, verb: str, tail: Sequence[Token], words: list[str]) -> Iterator[Claim]:
        """Read `gave the bell to Vess` and `gave Vess the bell`: then Vess has it, and the giver no more."""
        if words and words[-1] == "away":
            tail, words = tail[:-1], words[:-1]
        elif words and words[0] == "away":
            tail, words = tail[1:], words[1:]
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
        yield Claim(f"verb:{verb}", clause.subject, thing, adjuncts=adjuncts, time=past_of(clause))
        is_done = clause.tense != "now" or (is_plain(clause) and bool(thing.entity))
        if not clause.negation and verb in ("give", "sell", "hand") and is_done:
            if receiver is not None:
                yield has_then(receiver, thing)
            yield from has_no_more(clause.subject, thing)

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
            words
            and words[0] in _PARTICLES
            and (len(words) == 1 or words[1] in PREPOSITIONS or stop > 1 or words[0] in ("out", "away"))
        ):
            particle, tail, words = words[0], tail[1:], words[1:]
            stop = next(
                (n for n, w in enumerate(words) if w in PREPOSITIONS and w not in ("of", "but", "than")),
                len(words),
            )
        thing: NounPhrase | None = None
        receiver: NounPhrase | None = None
        if (stop > 1 and tail[0].is_person and words[1] not in ("'s", "and", "of", "the")) or (
            lemma in _TELLING_VERBS and stop > 1
        ):
            # `told Tam a story`: whom, and what.
            size = 1 if tail[0].entity or words[0] in _PRONOUNS else 0
            receiver = read_noun_phrase(tail[:size], subject) if size else None
            tail, words, stop = tail[size:], words[size:], stop - size
        if stop:
            thing = read_noun_phrase(tail[:stop], subject)
            if thing is None:
                return
            if not thing.entity and not thing.head:
                return
        verb = f"{lemma} {particle}".strip()
        adjuncts = read_adjuncts(tail[stop:], subject)
        if receiver is not None:
            adjuncts = (*adjuncts, ("to", receiver))
        if any(np.head.startswith("~") or "~" in " ".join(np.modifiers) for _, np in adjuncts):
            return
        if (
            lemma in _LEAVING_VERBS
            and thing is not None
            and thing.entity in self._names.places
            and clause.negation != "never"
        ):
            yield Claim(LOCATED_IN, subject, thing, is_affirmed=False, is_change=True, when=AFTER_THAT)
        if thing is not None and thing.entity in self._names.factions and is_plain(clause):
            if lemma in _LEAVING_VERBS:
                yield Claim("member_of", subject, thing, is_affirmed=False, is_change=True, when=AFTER_THAT)
            elif lemma == "join":
                yield Claim("member_of", subject, thing, is_change=True, when=AFTER_THAT)
        if thing is not None and is_plain(clause):
            yield from read_possession(lemma, particle, subject, thing, self._names)
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
        if verb in ("burn down", "collapse", "fall down") and thing is None and is_plain(clause):
            yield Claim("state:existence", subject, value="1:gone", is_change=True)
        if verb == "stand" and thing is None and not tail and "still" in clause.adverbs:
            yield Claim("state:existence", subject, value="0:there")
        if lemma == "last" and thing is not None and thing.number is not None:
            yield Claim(
                "measure", subject, value=f"last {thing.head}", number=thing.number, time=ClaimTime.PAST
            )
            return
        if subject.head in self._lists.weather and lemma == "fall":
            yield Claim(
                f"verb:{subject.head}",
                replace(subject, head="it", determiner="any" if subject.is_nobody else "the"),
                adjuncts=adjuncts,
            )
            return
        if (
            lemma in ("wade", "walk", "swim", "go", "ride")
            and thing is None
            and adjuncts
            and adjuncts[0][0] == "across"
        ):
            yield Claim("verb:cross", subject, adjuncts[0][1], adjuncts=adjuncts[1:])
        if lemma == "tell" and thing is not None and thing.head == "lie":
            yield Claim("verb:lie", subject, None, adjuncts=adjuncts)
            return
        if (
            lemma == "kill"
            and thing is not None
            and not subject.is_general
            and not clause.negation
            and not clause.can
        ) and clause.tense != "now":
            yield death_of(clause, thing)
        if (
            lemma == "open"
            and thing is not None
            and not clause.can
            and clause.tense != "now"
            and not clause.negation
        ):
            yield Claim(
                "state:openness", thing, value="0:open", is_change=True, time=ClaimTime.NOW, when=AFTER_THAT
            )
        if "alone" in clause.adverbs:
            if not clause.negation:
                anybody = NounPhrase(head="person", determiner="any")
                yield Claim(
                    f"verb:{verb}", subject, thing, adjuncts=(*adjuncts, ("with", anybody)), is_affirmed=False
                )
            else:
                return
        yield Claim(f"verb:{verb}", subject, thing, adjuncts=adjuncts)
