"""Reads what befalls somebody: `was stolen by Dob`, `is buried in the chapel`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from agents.canon_keeper.sentences.being import BeingReader
from agents.canon_keeper.sentences.claims import ALIVE, Claim, ClaimTime
from agents.canon_keeper.sentences.clause_parts import PLACE_PREPOSITIONS, death_of, is_plain, read_adjuncts
from agents.canon_keeper.sentences.clauses import Clause
from agents.canon_keeper.sentences.noun_phrases import PREPOSITIONS, NounPhrase, read_noun_phrase
from agents.canon_keeper.sentences.possession import read_possession
from agents.canon_keeper.sentences.tokens import NameBook, Token
from agents.canon_keeper.sentences.word_lists import WordLists

_FATAL_WHEN_PASSIVE: Final = frozenset({"kill", "behead", "execute", "bury"})
_PARTICIPLES: Final[Mapping[str, tuple[str, ...]]] = {
    "break": ("broken",), "drink": ("drunk",), "bar": ("barred",), "light": ("lit",), "tear": ("torn to shreds",),
}  # fmt: skip


_COLOURING_VERBS: Final = frozenset({"paint", "dye", "stain", "colour"})


class PassiveReader:
    """Reads clauses in the passive: whoever does it is the subject of the claim."""

    def __init__(self, lists: WordLists, names: NameBook, being: BeingReader) -> None:
        self._lists = lists
        self._names = names
        self._being = being

    def claims(self, clause: Clause) -> Iterator[Claim]:
        """Read `was stolen by Dob`: whoever does it is the subject."""
        words = [t.word for t in clause.tail]
        lemma = self._lists.synonyms.get(clause.verb, clause.verb)
        patient = clause.subject
        spelled = [Token(clause.spelling, clause.spelling), *clause.tail]
        if related := self._being.adjective_relation(patient, spelled, [t.word for t in spelled]):
            yield related
            return
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
        adjuncts = read_adjuncts(tail, patient)
        if clause.verb == "bear" and agent is None:
            yield Claim("born", patient, None, when=_words_of(tail), time=ClaimTime.PAST, adjuncts=adjuncts)
            return
        if clause.verb in ("bury", "entomb", "inter"):
            if is_plain(clause):
                yield Claim(ALIVE, patient, value="false")
            for preposition, place in adjuncts[:1]:
                if preposition in PLACE_PREPOSITIONS:
                    yield Claim("buried_in", patient, place)
            return
        if clause.verb == "marry" and words[:1] == ["to"]:
            spouse = read_noun_phrase(tail[1:], patient)
            if spouse is not None:
                yield Claim("married_to", patient, spouse)
            return
        if clause.verb == "call":
            return
        colours = self._lists.exclusive_groups["colour"]
        if clause.verb in _COLOURING_VERBS and len(words) == 1 and words[0] in colours:
            yield Claim("group:colour", patient, value=words[0])
            return
        if clause.verb == "name" and agent is None and tail:
            name = read_noun_phrase(tail, patient)
            if name is not None:
                yield Claim("named", patient, value=" ".join(t.word for t in tail))
            return
        if clause.verb == "make" and words[:1] and words[0] in ("of", "from"):
            material = read_noun_phrase(tail[1:], patient)
            is_material = material is not None and material.head in self._lists.exclusive_groups["material"]
            if material is not None and is_material and not material.modifiers:
                yield Claim("made_of", patient, value=material.head)
            return
        state = self._state_of_participle(clause) if agent is None else ""
        if state:
            rest = " ".join(words) if clause.tense in ("now", "perfect") else "*then"
            for dimension, side in self._lists.states[state]:
                yield Claim(f"state:{dimension}", patient, value=f"{side}:{state}", when=rest)
            if clause.tense == "now":
                return
        if agent is None and clause.tense == "now" and not words and not clause.is_passive:
            return
        unknown = NounPhrase(head="person", determiner="any" if clause.negation else "some")
        somebody = unknown if agent is None or (agent.is_person_word and agent.determiner == "any") else agent
        fatal = lemma in _FATAL_WHEN_PASSIVE or (
            lemma in ("hang", "drown") and patient.entity in self._names.people
        )
        if fatal and patient.entity not in self._names.places and is_plain(clause):
            yield death_of(clause, patient)
            yield Claim("verb:die", patient, adjuncts=adjuncts)
        if not is_plain(clause):
            pass
        elif lemma in self._lists.deaths and patient.entity in self._names.people:
            yield Claim("death", patient, value=lemma, time=ClaimTime.PAST)
        elif lemma == "kill":
            yield Claim("death", patient, value="kill", time=ClaimTime.PAST)
        if lemma == "defeat" and adjuncts and adjuncts[0][0] == "in":
            yield Claim("verb:lose", patient, adjuncts[0][1])
        if lemma == "own" and agent is not None:
            yield Claim("owned_by", patient, agent)
            return
        if lemma == "rule" and agent is not None:
            yield Claim("rules_over", agent, patient)
            return
        if is_plain(clause):
            yield from read_possession(lemma, "", somebody, patient, self._names)
        is_only = "only" in clause.adverbs and agent is not None
        yield Claim(f"verb:{lemma}", somebody, patient, adjuncts=adjuncts, is_only_subject=is_only)

    def _state_of_participle(self, clause: Clause) -> str:
        """Return the state that a participle means: `was locked`; empty if it means none."""
        candidates = (
            clause.spelling,
            clause.verb,
            clause.verb + "ed",
            clause.verb + "d",
            *_PARTICIPLES.get(clause.verb, ()),
        )
        return next((word for word in candidates if word in self._lists.states), "")


def _words_of(tokens: Sequence[Token]) -> str:
    return " ".join(t.word for t in tokens)
