"""Finds what a clause takes for granted of kin and of containers: who visits his mother has a living one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from agents.canon_keeper.propositions.aspects import ClausePart, Wording, load_aspects
from agents.canon_keeper.propositions.clause_context import ClauseContext
from agents.canon_keeper.propositions.clause_words import phrase_after
from agents.canon_keeper.propositions.holders import Holder, objects_of, places_of
from agents.canon_keeper.propositions.proposition import ClauseTime
from agents.canon_keeper.sentences.tokens import Token

_NO_LIVING_DEEDS: Final = frozenset(
    ["be", "have", "lie", "rest", "haunt", "stand", "hang", "appear", "owe", "belong", "mean", "matter", "deserve",
     "die", "rot", "sleep", "live", "remain", "seem", "look", "become", "leave", "fall", "float", "burn", "need",
     "weigh", "smell", "own", "get", "walk", "stay", "keep", "follow", "know", "come", "rise", "return", "drown",
     "bleed", "go", "face", "begin", "end", "sit", "hide", "bear", "wear", "lose", "turn", "cost", "count", "do"]
)  # fmt: skip
"""Verbs that are said of the dead, too."""
_ONE_OF_THEM: Final = frozenset({"mother", "father", "wife", "husband", "twin"})
"""Kin of whom somebody has one at a time."""
_CONTAINERS: Final = frozenset(
    ["chest", "box", "crate", "coffer", "purse", "bag", "sack", "barrel", "cask", "jar", "jug", "bottle", "flask",
     "cup", "safe", "strongbox", "drawer", "coffin", "tomb", "sarcophagus", "grave", "tank", "trunk", "basket", "vault",
     "envelope", "wallet", "locker", "pocket", "urn", "vial", "quiver", "cupboard", "cage"]
)  # fmt: skip
_WATERS: Final = frozenset(
    {"well", "lake", "pond", "fountain", "moat", "cistern", "canal", "pool", "river", "stream"}
)
_NO_CONTENTS: Final = frozenset(
    ["hole", "crack", "lock", "keyhole", "dent", "leak", "bottom", "lid", "mark", "label", "gap", "nothing", "room",
     "dust", "mud"]
)  # fmt: skip
"""What may be in a container that is empty."""
_SEEING_KIN: Final = frozenset({"visit", "nurse", "support"})
"""Verbs that only the living are the object of."""
_DOING_WITH_KIN: Final = frozenset(
    {"live", "dine", "eat", "drink", "have", "work", "argue", "quarrel", "share", "play"}
)
"""What somebody does with the living."""


class Entailment(NamedTuple):
    """That words of a clause entail a side of an aspect of somebody or something."""

    wording: Wording
    holder: Holder
    words: frozenset[str]
    """The words of the clause by which it is entailed."""
    is_narrowed: bool = False
    """Whether it is said in one respect only: `deaf to advice`."""


def living(context: ClauseContext, holder: Holder) -> Iterator[Entailment]:
    """Yield that whoever does something now is alive."""
    clause, base = context.clause, context.base
    is_kin = bool(holder.entity) and holder.noun in _ONE_OF_THEM
    if (holder.noun and not is_kin) or not holder.is_person:
        return
    if clause.verb in _NO_LIVING_DEEDS or clause.tag == "be":
        return
    if base.time is ClauseTime.NOW and clause.tag in ("s", "base", "ing") and not context.is_denied:
        yield from (Entailment(w, holder, frozenset()) for w in load_aspects().wordings(ClausePart.DOES, "*"))


def seen_kin(context: ClauseContext, owner: str) -> Iterator[Entailment]:
    """Yield that the mother is alive whom somebody visits now."""
    verb, with_whom = context.clause.verb, phrase_after(context.rest, "with")
    if context.base.time is not ClauseTime.NOW or context.is_denied or context.clause.is_passive:
        return
    seen = [*(context.rest if verb in _SEEING_KIN else ()), Token(",", ",")]
    for holder in (
        *objects_of(seen, owner),
        *objects_of(with_whom if verb in _DOING_WITH_KIN else (), owner),
    ):
        if holder.entity and holder.noun in _ONE_OF_THEM:
            alive = load_aspects().wordings(ClausePart.DOES, "*")
            yield from (Entailment(w, holder, frozenset()) for w in alive)


def dead_parents(context: ClauseContext) -> Iterator[Entailment]:
    """Yield that mother and father of an orphan are dead, and of whom both parents are."""
    clause = context.clause
    words = [t.word for t in clause.subject]
    is_of_parents = words[-2:] == ["'s", "parents"] and words[:-3] in ([], ["both"], ["both", "of"])
    rest = [t.word for t in clause.rest]
    is_orphan = len(clause.subject) == 1 and rest[-1:] in (["orphan"], ["orphaned"]) and len(rest) < 3
    if context.is_denied or clause.tag != "be" or context.base.time is not ClauseTime.NOW:
        return
    who = clause.subject[-3] if is_of_parents else clause.subject[0] if is_orphan else None
    if who is None or not who.is_person or not (is_orphan or rest == ["dead"]):
        return
    dead = [w for w in load_aspects().wordings(ClausePart.IS, "dead") if w.words == ("dead",)]
    for parent in ("mother", "father"):
        yield from (Entailment(w, Holder(who.entity, parent, is_person=True), frozenset()) for w in dead)


def contents(context: ClauseContext) -> Iterator[Entailment]:
    """Yield that a container is not empty: `There is gold in the chest`."""
    words = [t.word for t in context.clause.subject]
    if (
        words != ["there"]
        or context.clause.tag != "be"
        or context.is_denied
        or context.base.time is not ClauseTime.NOW
    ):
        return
    if _NO_CONTENTS & {t.word for t in context.clause.rest}:
        return
    full = [w for w in load_aspects().wordings(ClausePart.IS, "full") if w.aspect.name == "filling"]
    for holder in places_of([t for t in context.clause.rest if t.word != "inside"]):
        noun = holder.noun.split()[-1] if holder.noun else ""
        if noun in _WATERS and "water" in {t.word for t in context.clause.rest}:
            water = load_aspects().wordings(ClausePart.IS, "full")
            yield from (
                Entailment(w, holder, frozenset()) for w in water if w.words == ("full", "of", "water")
            )
        elif noun in _CONTAINERS:
            yield from (Entailment(w, holder, frozenset()) for w in full if w.words == ("full",))
