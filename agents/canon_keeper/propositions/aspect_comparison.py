"""Says whether two clauses entail two sides of one aspect, so that both cannot be true."""

from __future__ import annotations

from typing import Final, assert_never

from agents.canon_keeper.propositions.aspects import Aspect, AspectKind, Matter, load_aspects
from agents.canon_keeper.propositions.clause_words import OTHER_WORDS, PERSON, PERSON_NOUNS
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition
from agents.canon_keeper.sentences.comparison import DEAD

_RECENT: Final = frozenset(
    [
        "today",
        "tonight",
        "yesterday",
        "this morning",
        "last night",
        "this evening",
        "this afternoon",
        "that night",
    ]
)
"""Times that belong to what is so now."""
_FAR_AWAY: Final = frozenset(
    {"market", "sea", "war", "town", "city", "village", "abroad", "fair", "court", "capital"}
)
_SOMEBODY: Final = frozenset({PERSON})
_EARLIER_LIFE: Final = (
    "as young",
    "in youth",
    "in childhood",
    "once",
    "before",
    "until",
    "till",
    "when",
    "at first",
)

EVENT_NOUNS: Final = frozenset(
    ["battle", "war", "duel", "siege", "fire", "flood", "wedding", "trial", "shipwreck", "wreck", "crash", "raid",
     "robbery", "heist", "funeral", "coronation", "mutiny", "massacre", "revolt", "rebellion", "ambush", "earthquake",
     "explosion", "plague", "famine", "eclipse", "tournament", "avalanche", "uprising", "invasion"]
)  # fmt: skip
"""Nouns for what happened once, if nothing else is said of it."""
_DYING: Final = frozenset(
    [
        *("die", "perish", "drown", "starve to death", "bleed to death", "freeze to death", "fall to death"),
        *("breathe last", "draw last breath", "fall in battle", "lose life", "take own life", "go down with"),
    ]
)
"""How somebody comes to be dead, in the words of the aspect of life."""
_FROM_BIRTH: Final = "sex"
"""The aspect of what nobody grows out of."""
_ENDING: Final = frozenset(
    ["quit", "resign", "retire", "strip", "wipe", "lose", "sell", "repair", "mend", "rebuild", "disband", "dissolve",
     "expel", "dismiss", "drum", "kick", "shred", "pawn", "demote", "abdicate", "depose", "dethrone",
     "exhaust"]
)  # fmt: skip
"""Verbs that begin the wordings for what ends: what comes to be so after it is told of as a change."""


def opposed_sides(earlier: Proposition, later: Proposition) -> str:
    """Return why the sides of an aspect that two propositions say exclude each other; empty if they do not."""
    aspect = load_aspects().aspects[earlier.aspect]
    if earlier.doers != later.doers or earlier.thing != later.thing:
        return ""
    if not _are_two_sides(earlier, later) or _tells_of_change(earlier, later):
        return ""
    if "one" in (earlier.part, later.part) or earlier.words & OTHER_WORDS != later.words & OTHER_WORDS:
        return ""  # one of her vows, the second battle
    if not _is_same_matter(earlier, later, aspect.matter):
        return ""
    is_broken = aspect.is_abstinence and _is_abstinence_broken(earlier, later, aspect.last_side)
    if not is_broken and not _is_one_time(earlier, later, aspect):
        return ""
    if aspect.name == "life":
        return "" if _dies_after(earlier, later) else DEAD
    one, other = (" ".join(p.special_terms) for p in (earlier, later))
    return f"One says “{_shown(earlier, one)}”, the other “{_shown(later, other)}”."


def _dies_after(deed: Proposition, death: Proposition) -> bool:
    """Say whether a sentence tells how somebody dies now who acts in the one before it."""
    is_told_now = deed.time is ClauseTime.NOW and death.time is ClauseTime.NOW
    return is_told_now and "*" in deed.special_terms and not death.special_terms.isdisjoint(_DYING)


def _tells_of_change(earlier: Proposition, later: Proposition) -> bool:
    """Say whether one tells that it was otherwise before; what was over before (`no longer`) is not so after all."""
    return later.is_change or (earlier.is_change and not earlier.is_denial)


def _shown(proposition: Proposition, words: str) -> str:
    words = proposition.aspect if words == "*" else words
    return words if proposition.is_affirmed else f"not {words}"


def _are_two_sides(one: Proposition, other: Proposition) -> bool:
    if one.is_affirmed and other.is_affirmed:
        return one.terms != other.terms
    return one.is_affirmed is not other.is_affirmed and one.terms == other.terms


def _is_same_matter(one: Proposition, other: Proposition, matter: Matter) -> bool:
    """Say whether both are about the same besides; what is denied of one thing is not denied of another."""
    about, other_about = ((p.words - {PERSON}) | p.others | p.owners for p in (one, other))
    if matter is Matter.ELSEWHERE:
        return _is_elsewhere(one, other)
    for denied, affirmed in ((one, other), (other, one)):
        of_whom = _of_whom(affirmed)
        is_about_somebody = bool((affirmed.others | of_whom) & affirmed.people) or (
            not affirmed.words.isdisjoint(PERSON_NOUNS)
        )
        words = affirmed.words | affirmed.terms | (_SOMEBODY if is_about_somebody else frozenset())
        if denied.is_denial and not denied.words <= words:
            return False
        is_about_same = denied.others <= affirmed.others | of_whom and denied.owners <= affirmed.entities()
        if denied.is_denial and not is_about_same:
            return False
    if one.is_loose or other.is_loose:
        return bool(about & other_about)
    are_others_two = bool(one.others and other.others) and not one.others & other.others
    match matter:
        case Matter.ANY:
            return True
        case Matter.OPEN:
            return not are_others_two and (not about or not other_about or bool(about & other_about))
        case Matter.SHARED:
            return not are_others_two and bool(about & other_about) and _is_same_thing(one, other)
        case _:
            assert_never(matter)


def _is_same_thing(one: Proposition, other: Proposition) -> bool:
    """Say whether what is named by nouns is the same: Corwin's hand is not his apology."""
    words, other_words = one.words - _SOMEBODY, other.words - _SOMEBODY
    if not words and not other_words:
        return True
    for direct, placed in ((one, other), (other, one)):
        if (
            direct.target in placed.others
            and placed.target != direct.target
            and placed.words
            and not direct.words
        ):
            return False  # who hates the town may love the sea at it
    return bool((words | one.others | _of_whom(one)) & (other_words | other.others | _of_whom(other)))


def _of_whom(proposition: Proposition) -> frozenset[str]:
    """Return those of whom it is said by a wording that ends with `of`: `is a member of the Red Hand`."""
    is_of = any(term.endswith(" of") for term in proposition.special_terms)
    named = frozenset(name for word, name in proposition.links if word == "of")
    return proposition.owners & named if is_of else frozenset()


def _is_elsewhere(one: Proposition, other: Proposition) -> bool:
    """Say whether somebody never leaves one place in the one, and goes to another in the other."""
    home, goal = (one, other) if ClauseTime.ALWAYS is one.time else (other, one)
    is_named = bool(goal.others - goal.people)
    return (
        bool(home.others | home.words)
        and not home.others & goal.others
        and (is_named or bool(goal.words & _FAR_AWAY))
    )


def _are_told_of_same(one: Proposition, other: Proposition) -> bool:
    """Say whether both tell what happened to the same other: `kept his word to Nora`, `broke his word to Nora`."""
    shared = (one.others | one.owners) & (other.others | other.owners) & one.people
    return one.is_event and other.is_event and bool(shared) and one.words == other.words


def _is_at_same_event(one: Proposition, other: Proposition) -> bool:
    """Say whether both tell of one and the same event that is named: the battle, the wedding."""
    if (
        not (one.time is ClauseTime.PAST and other.time is ClauseTime.PAST)
        or one.is_perfect
        or other.is_perfect
    ):
        return False
    events, other_events = ((p.words | set(p.when.split())) & EVENT_NOUNS for p in (one, other))
    return bool(events & other_events)


def _is_one_time(earlier: Proposition, later: Proposition, aspect: Aspect) -> bool:
    kind = aspect.kind
    if _is_at_same_event(earlier, later):
        return True
    if earlier.when and later.when and earlier.when != later.when:
        is_after_end = kind is AspectKind.FINAL and later.when in _RECENT and earlier.when not in _RECENT
        if not is_after_end:  # `burned down last winter`, `slept there last night`
            return False
    if any(p.is_denial and p.when for p in (earlier, later)) and earlier.when != later.when:
        return False
    for ended, other in ((earlier, later), (later, earlier)):
        is_end = ended.is_event and ended.time is ClauseTime.PAST
        if is_end and other.is_still and other.time is not ClauseTime.PAST and kind is not AspectKind.EVENT:
            return True  # the war ended years ago, and is still going on
    if kind is AspectKind.PASSING and _is_so_after_end(earlier, later):
        return True
    is_lasting = kind in (AspectKind.LASTING, AspectKind.FINAL)
    clause_times = tuple(
        _effective_time(p)
        if is_lasting or (p.is_perfect and p.is_event and kind is AspectKind.PASSING)
        else p.time
        for p in (earlier, later)
    )
    times = _time(earlier), _time(later)
    if ClauseTime.ALWAYS in clause_times:
        return not any(t.startswith(_EARLIER_LIFE) for t in times)
    match kind:
        case AspectKind.EVENT:
            return times[0] == times[1] and clause_times[0] is clause_times[1]
        case AspectKind.PASSING | AspectKind.HABIT:
            if (
                not earlier.is_event
                and later.is_event
                and ClauseTime.PAST not in clause_times
                and kind is AspectKind.PASSING
            ):
                return False  # the gate was shut, and is opened
            if kind is AspectKind.HABIT and any(
                p.time is ClauseTime.NOW and p.is_denial and not p.when for p in (earlier, later)
            ):
                return not any(
                    t.startswith(_EARLIER_LIFE) for t in times
                )  # who does not smoke did not light his pipe
            if ClauseTime.PAST in clause_times:
                return clause_times[0] is clause_times[1] and times[0] == times[1] and bool(times[0])
            return times[0] == times[1] or "" in times
        case AspectKind.LASTING:
            if any(t.startswith(_EARLIER_LIFE) or t.endswith("ago") for t in times):
                return False
            if clause_times == (ClauseTime.PAST, ClauseTime.PAST):
                is_former = earlier.is_former or later.is_former
                is_of_one_time = not any(times) and (not is_former or aspect.name == _FROM_BIRTH)
                if is_of_one_time and not (earlier.is_event and later.is_event):
                    return (
                        True  # told in the past as all else: `was left-handed`, `wrote with his right hand`
                    )
                return aspect.is_once and (not aspect.is_once_of_same or _are_told_of_same(earlier, later))
            return not any(
                s is ClauseTime.PAST and not p.is_event
                for s, p in zip(clause_times, (earlier, later), strict=True)
            )
        case AspectKind.FINAL:
            return _is_after_end(earlier, later, aspect.last_side)


def _is_so_after_end(earlier: Proposition, later: Proposition) -> bool:
    """Say whether what ended is said to be so: `quit the Union years ago`, `is a member of the Union`."""
    is_ended = earlier.is_event and earlier.time is ClauseTime.PAST and earlier.is_affirmed
    is_so_now = later.time is ClauseTime.NOW and not later.is_event and not later.when
    is_told_when = bool(earlier.when) and not earlier.when.endswith("ago")
    verbs = {term.split()[0] for term in earlier.special_terms}
    return is_ended and is_so_now and not is_told_when and not verbs.isdisjoint(_ENDING)


def _is_abstinence_broken(earlier: Proposition, later: Proposition, abstaining: str) -> bool:
    """Say whether somebody is said to abstain, or to have given it up, and later to have done it."""
    if earlier.terms != {abstaining} or not earlier.is_affirmed or earlier.when or _time(later):
        return False
    is_past_state = earlier.time is ClauseTime.PAST and not (earlier.is_event or earlier.is_perfect)
    return not is_past_state and later.is_affirmed and not later.is_perfect


def _is_after_end(earlier: Proposition, later: Proposition, last_side: str) -> bool:
    """Say whether one is said to be over that is so now; what is told to have ended was so before."""
    ended, other = (earlier, later) if last_side in earlier.terms else (later, earlier)
    if _effective_time(other) is ClauseTime.PAST:
        return False
    if _effective_time(ended) is ClauseTime.PAST and not (ended.is_event or ended.is_perfect):
        return False
    is_told_end = ended is later and ended.is_event and not ended.when and not other.is_still
    return not is_told_end


def _time(proposition: Proposition) -> str:
    return "" if proposition.when in _RECENT else proposition.when


def _effective_time(proposition: Proposition) -> ClauseTime:
    is_recent = (proposition.when in _RECENT or proposition.is_perfect) and proposition.is_event
    return ClauseTime.NOW if is_recent and proposition.time is ClauseTime.PAST else proposition.time
