"""Reads who holds an office or a place that one holds at a time: captain of a ship, mayor of a town, doctor aboard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.clause_words import phrase_after
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition, value_proposition
from agents.canon_keeper.sentences.noun_phrases import PREPOSITIONS
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.word_lists import load_word_lists

_MORE_OFFICES: Final = frozenset(
    ["boss", "chairman", "chairwoman", "president", "director", "manager", "principal", "headmaster", "headmistress",
     "landlady", "medic", "surgeon", "doctor", "engineer", "navigator", "gunner", "cook", "quartermaster", "bosun",
     "boatswain", "coxswain", "blacksmith", "smith", "miller", "baker", "priest", "vicar", "parson", "pastor",
     "schoolmaster", "schoolteacher", "teacher", "librarian", "gatekeeper", "lighthouse-keeper", "gamekeeper",
     "gardener", "sexton", "gravedigger", "butler", "housekeeper", "minister", "ambassador", "prior", "prioress",
     "archbishop", "foreman", "overseer", "jailer", "gaoler", "executioner", "hangman", "champion", "shaman", "herald",
     "jester", "archmage", "secretary", "editor", "coach", "postmaster", "stationmaster", "ferryman", "midwife",
     "healer", "apothecary", "owner", "proprietor", "caretaker", "superintendent", "magistrate", "constable",
     "coroner", "speaker", "chairperson", "ceo", "skipper", "chief-engineer"]
)  # fmt: skip
_DIRECTING: Final = frozenset(
    ["leader", "head", "boss", "chief", "chieftain", "commander", "ruler", "captain", "skipper", "guildmaster",
     "headman", "headwoman", "master", "grandmaster", "ceo", "director", "manager", "landlord", "landlady", "innkeeper",
     "proprietor"]
)  # fmt: skip
"""Offices of whoever leads: a ship's captain commands it, and a landlord runs his inn."""
_DIRECTING_VERBS: Final = frozenset(
    {
        "run",
        "head",
        "lead",
        "command",
        "rule",
        "govern",
        "captain",
        "skipper",
        "manage",
        "direct",
        "oversee",
    }
)
_HANDLED: Final = frozenset({"case", "investigation", "affair", "matter", "estate", "negotiations"})
"""What whoever handles it is in charge of."""
_OFFICE_OF_VERB: Final = {"pilot": "pilot", "fly": "pilot", "navigate": "navigator", "edit": "editor"}
_IDLE_ADJECTIVES: Final = frozenset(
    ["undisputed", "sole", "current", "present", "secret", "real", "true", "rightful", "proud", "only", "ship", "town",
     "village", "local", "official", "grand", "high", "young", "old", "stern", "chief", "supreme", "head"]
)  # fmt: skip
"""What may stand before an office and leaves it the same; `former`, `deputy` and `new` do not."""
_LEADER: Final = "leader"
_NOBODY: Final = "nobody"


def read_roles(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Yield who holds which office of what, said of now."""
    if base.time is not ClauseTime.NOW or base.is_ability or base.is_change or base.when or base.is_perfect:
        return
    if clause.verb == "be" and not clause.is_passive:
        yield from _holders_named(clause, base)
    elif clause.verb in ("call", "name") and clause.is_passive and len(clause.rest) == 1:
        yield from _offices(base, _office_in(clause.subject), clause.rest[0])
    else:
        yield from _holders_by_deed(clause, base)


def read_vacancies(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Yield that nobody holds an office: `The Heron has no captain`."""
    words = [t.word for t in clause.rest]
    is_masterless = clause.verb == "answer" and words in (["to", "nobody"], ["to", "no", "one"])
    if is_masterless and base.time is ClauseTime.NOW and not base.is_ability and not base.general:
        yield from _offices(base, (_LEADER, clause.subject), Token(_NOBODY, _NOBODY, _NOBODY, is_person=True))
    if clause.verb != "have" or base.time is not ClauseTime.NOW or base.is_ability or base.general:
        return
    is_lacked = words[:1] == ["no"] or (
        "not" in {t.word for t in clause.helpers} and words[:1] in (["a"], ["any"])
    )
    if is_lacked and not {"longer"} & {t.word for t in clause.helpers}:
        office = _office_of_nouns(words[1:])
        yield from _offices(base, (office, clause.subject), Token(_NOBODY, _NOBODY, _NOBODY, is_person=True))


def _holders_named(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read `A is the pilot of B`, `A is B's pilot`, `A is in charge of B`, `The pilot of B is A`."""
    subject, rest = _plain(clause.subject), _plain(clause.rest)
    words = [t.word for t in rest]
    if len(subject) == 1 and subject[0].is_person:
        if words[:3] in (["in", "charge", "of"], ["in", "command", "of"]) or words[:3] == [
            "at",
            "head",
            "of",
        ]:
            at = next(n for n, t in enumerate(clause.rest) if t.word == "of")
            yield from _offices(base, (_LEADER, clause.rest[at + 1 :]), subject[0])
        elif len({t.word for t in clause.rest if t.entity}) <= 1:
            yield from _offices(base, _office_in(clause.rest), subject[0])
    elif len(rest) == 1 and rest[0].is_person:
        yield from _offices(base, _office_in(clause.subject), rest[0])


def _holders_by_deed(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read `A pilots B`, `B is commanded by A`."""
    is_led = clause.verb in _DIRECTING_VERBS or (
        clause.verb == "handle" and not _HANDLED.isdisjoint(t.word for t in (*clause.subject, *clause.rest))
    )
    office = _LEADER if is_led else _OFFICE_OF_VERB.get(clause.verb, "")
    if not office or (clause.tag not in ("s", "base", "ing") and not clause.is_passive):
        return
    if clause.is_passive:
        holders, led = phrase_after(clause.rest, "by"), list(clause.subject)
        is_whole = [t.word for t in clause.rest[:1]] == ["by"] and len(holders) + 1 == len(clause.rest)
    else:
        holders, led = list(clause.subject), list(clause.rest)
        is_whole = True
    holders = _plain(holders)
    helpers = {t.word for t in clause.helpers}
    if (
        is_whole
        and len(holders) == 1
        and holders[0].is_person
        and not helpers & {"once", "sometimes", "often"}
    ):
        yield from _offices(base, (office, led), holders[0])


def _office_in(phrase: Sequence[Token]) -> tuple[str, Sequence[Token]]:
    """Return which office a phrase means and of what: `the pilot of the Heron`, `the Heron's pilot`; else nothing."""
    tokens = list(phrase)
    words = [t.word for t in tokens]
    if not words or words[0] in ("a", "an", "one", "no"):
        return "", ()
    if "'s" in words and words.index("'s") > 0:
        at = words.index("'s")
        return _office_of_nouns(words[at + 1 :]), tokens[:at]
    if "of" in words:
        at = words.index("of")
        return _office_of_nouns([w for w in words[:at] if w != "the"]), tokens[at + 1 :]
    if len(words) == 3 and words[0] == "the" and words[1] in ("ship", "town", "village"):
        return _office_of_nouns(words[2:]), tokens[1:2]
    return "", ()


def _office_of_nouns(words: Sequence[str]) -> str:
    if not words or not _IDLE_ADJECTIVES.issuperset(words[:-1]):
        return ""
    office = words[-1]
    if office not in load_word_lists().roles and office not in _MORE_OFFICES:
        return ""
    return office if office not in ("killer", "murderer", "thief", "author", "heir") else ""


def _offices(
    base: Proposition, office_of: tuple[str, Sequence[Token]], holder: Token
) -> Iterator[Proposition]:
    office, phrase = office_of
    tokens = _plain(phrase)
    if not office or not tokens or not (holder.entity and holder.is_person):
        return
    names = frozenset(t.entity for t in tokens if t.entity)
    nouns = [t.word for t in tokens if not t.entity]
    is_one = len(tokens) == 1 and (
        names or phrase[0].word == "the" or nouns[0] in ("ship", "town", "village")
    )
    if not is_one or any(w in PREPOSITIONS or not w.isalpha() for w in nouns) or holder.entity in names:
        return
    attributes = [office] if office == _LEADER else [office, *([_LEADER] if office in _DIRECTING else [])]
    for attribute in attributes:
        yield value_proposition(
            base, f"office {attribute}", doers=names, others=frozenset(), owners=frozenset(), thing=" ".join(nouns),
            words=frozenset({holder.entity}), is_event=False,
        )  # fmt: skip


def _plain(tokens: Sequence[Token]) -> list[Token]:
    return [t for t in tokens if t.word not in ("the", "still", "now")]
