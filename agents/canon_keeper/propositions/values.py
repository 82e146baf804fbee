"""Reads what has one value: where somebody is from, how old, how many, of which colour, made of what, and when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from agents.canon_keeper.propositions.clause_splitting import ClauseWords
from agents.canon_keeper.propositions.clause_words import OTHER_WORDS
from agents.canon_keeper.propositions.contests_said import read_winners
from agents.canon_keeper.propositions.deaths_said import read_deaths
from agents.canon_keeper.propositions.distances_said import read_distances
from agents.canon_keeper.propositions.doers_said import read_doers
from agents.canon_keeper.propositions.entrances_said import read_entrances
from agents.canon_keeper.propositions.events_said import read_events
from agents.canon_keeper.propositions.groups_said import read_groups
from agents.canon_keeper.propositions.hair_said import read_hair
from agents.canon_keeper.propositions.kinds_said import read_kinds
from agents.canon_keeper.propositions.languages_said import read_languages
from agents.canon_keeper.propositions.numbers_said import ages_and_sizes, counts, years
from agents.canon_keeper.propositions.people_compared import read_people_compared
from agents.canon_keeper.propositions.people_said import read_people
from agents.canon_keeper.propositions.places_of_life import read_places_of_life
from agents.canon_keeper.propositions.populations_said import read_populations
from agents.canon_keeper.propositions.proposition import ClauseTime, Proposition, value_proposition
from agents.canon_keeper.propositions.roles_said import read_roles, read_vacancies
from agents.canon_keeper.propositions.survivors_said import read_survivors
from agents.canon_keeper.propositions.thing_values import read_price_paid, read_thing_values
from agents.canon_keeper.propositions.things_kept import read_things_kept
from agents.canon_keeper.propositions.things_there import read_things_there
from agents.canon_keeper.propositions.times_said import read_times
from agents.canon_keeper.propositions.ways_said import read_ways
from agents.canon_keeper.sentences.noun_phrases import ARTICLES, POSSESSIVES, PREPOSITIONS
from agents.canon_keeper.sentences.tokens import Token
from agents.canon_keeper.sentences.word_lists import load_word_lists, singular

_ABOUT_PLACE: Final = PREPOSITIONS - {
    "by",
    "with",
    "for",
    "about",
    "against",
    "from",
    "to",
    "into",
    "through",
    "as",
    "like",
    "than",
}
_COLOURED_PARTS: Final = frozenset(
    ["door", "roof", "wall", "gate", "hull", "sail", "flag", "banner", "cover", "binding", "shutter", "dome", "spire",
     "deck", "funnel", "blade", "hilt", "handle", "label", "seal", "uniform", "livery", "mane", "coat", "fur", "front"]
)  # fmt: skip
"""Parts of which a thing has one, or several of one colour."""
_EXTENTS: Final = (
    ("all", "over"), ("throughout",), ("inside", "and", "out"), ("through", "and", "through"), ("all", "round"),
    ("from", "top", "to", "bottom"), ("from", "bow", "to", "stern"), ("from", "head", "to", "foot"),
    ("from", "head", "to", "toe"), ("from", "end", "to", "end"), ("from", "top", "to", "toe"),
)  # fmt: skip
"""What says that the whole of it is so."""
_PARTS_OF_DAY: Final = frozenset({"night", "evening", "morning", "afternoon"})
_RESTING_VERBS: Final = frozenset(
    {"be", "lie", "stand", "sit", "stay", "spend", "rest", "hang", "remain", "sleep", "wait", "hide"}
)


def read_values(clause: ClauseWords, base: Proposition, *, is_denied: bool) -> Iterator[Proposition]:
    """Yield what the clause says of one value; of what is denied nothing but where somebody grew up."""
    if not is_denied:
        yield from read_groups(clause, base)
    yield from read_survivors(clause, base, is_denied=is_denied)
    yield from read_entrances(clause, base)
    if base.part == "both" and not is_denied:
        yield from read_hair(clause, base)
    if base.general or base.part:
        return
    tokens = [*clause.front, *clause.subject, *clause.helpers, Token(clause.verb, clause.verb), *clause.rest]
    words = [t.word for t in tokens]
    yield from read_people_compared(clause, base, is_denied=is_denied)
    yield from read_places_of_life(clause, base, is_denied=is_denied)
    yield from read_things_there(clause, base)
    yield from read_languages(clause, base, is_denied=is_denied)
    yield from read_vacancies(clause, base)
    if is_denied and not {"more", "yet"} & set(words):
        return
    yield from ages_and_sizes(clause, base)
    yield from counts(clause, base)
    if is_denied:
        return
    yield from years(clause, base, tokens)
    yield from _origins(clause, base)
    yield from read_ways(clause, base)
    yield from read_times(clause, base)
    yield from read_people(clause, base)
    yield from read_doers(clause, base)
    yield from read_winners(clause, base)
    yield from read_distances(clause, base)
    yield from read_populations(clause, base)
    yield from read_thing_values(clause, base)
    yield from read_things_kept(clause, base)
    yield from read_price_paid(clause, base)
    yield from read_roles(clause, base)
    yield from read_deaths(clause, base)
    yield from read_hair(clause, base)
    yield from read_kinds(clause, base)
    yield from read_events(clause, base)
    yield from _looks(clause, base)
    yield from _places(clause, base)


def _origins(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    words = [t.word for t in clause.rest]
    who = _subject_names(clause)
    if len(who) != 1 or not who <= base.people:
        return
    first = words[0] if words else ""
    is_from = (clause.verb in ("come", "hail", "be", "originate") and first == "from") or "native" in words[
        :3
    ]
    is_birth = clause.verb == "bear" and clause.is_passive and first in ("in", "on", "at", "aboard")
    is_born_and_raised = clause.verb == "bear" and words[:2] in (["and", "raised"], ["and", "bred"])
    is_raised = (
        (clause.verb == "raise" and clause.is_passive) or (clause.verb == "grow" and first == "up")
        or (clause.verb == "live" and "all" in words and "life" in words)
        or (clause.verb == "spend" and "childhood" in words)
        or (clause.verb == "live" and words[-2:] == ["since", "birth"]) or is_born_and_raised
    )  # fmt: skip
    places = [t.entity for t in clause.rest[:8] if t.entity and not t.is_person]
    if is_raised and places and words[:3] == ["up", "far", "from"] and clause.rest[3].entity:
        yield value_proposition(
            base, "raised", doers=who, others=frozenset(places[:1]), owners=frozenset(), words=frozenset({"far"}),
            time=ClauseTime.PAST, when="", is_change=False,
        )  # fmt: skip
    if places and "far" not in words and (is_from or is_birth or is_raised) and base.time is not None:
        birthplace = frozenset(places[:1])
        yield value_proposition(
            base, "raised" if is_raised else "origin", doers=who, others=birthplace, owners=frozenset(),
            words=frozenset(), time=ClauseTime.PAST, when="", is_change=False,
        )  # fmt: skip


def _without_extent(words: list[str]) -> list[str]:
    for extent in _EXTENTS:
        if len(words) > len(extent) and tuple(words[-len(extent) :]) == extent:
            return words[: -len(extent)]
    return words


def _looks(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read colour and material of a thing, or of the one thing of its kind that somebody has."""
    lists = load_word_lists()
    if base.time is not ClauseTime.NOW:
        return
    subject, rest = [t.word for t in clause.subject], _without_extent([t.word for t in clause.rest])
    for group in ("colour", "material"):
        members = lists.exclusive_groups[group]
        if not OTHER_WORDS.isdisjoint(subject):
            continue
        named = {w for w in rest if w in members}
        is_of_material = not {"solid", "pure", "of"}.isdisjoint(rest)
        if len(named) != 1 or (
            bool(named & lists.exclusive_groups["colour"]) is (group == "material") and not is_of_material
        ):
            continue
        holders = base.doers | base.others | base.owners
        if len(holders) != 1:
            continue
        holder = {"doers": holders, "others": frozenset[str](), "owners": frozenset[str]()}
        if clause.verb in ("be", "make") and (clause.verb == "be" or clause.is_passive):
            nouns = [
                singular(w)
                for w, t in zip(subject, clause.subject, strict=True)
                if not t.entity
                and w.isalpha()
                and w not in ARTICLES | POSSESSIVES | {"only", "one", "of", "very"}
            ]
            is_plain = len(rest) <= 3 and (
                len(nouns) == 1
                or (
                    not nouns
                    and clause.subject[-1].entity
                    and (not holders & base.people or _is_called_by_noun(clause))
                )
            )
            if is_plain and (
                len(nouns) != 1 or "only" in subject or nouns[0] in lists.body_parts | _COLOURED_PARTS
            ):
                yield value_proposition(base, group, words=frozenset(named), thing="".join(nouns), **holder)
        elif (
            clause.verb == "have" and len(rest) == 3 and rest[0] in ("a", "an") and rest[2] in _COLOURED_PARTS
        ):
            yield value_proposition(base, group, words=frozenset(named), thing=rest[2], **holder)
        elif clause.verb in ("have", "own") and {"one", "only"} & set(rest) and not clause.is_passive:
            index = next(n for n, w in enumerate(rest) if w in ("one", "only"))
            nouns = [
                singular(w)
                for w in rest[index + 1 :]
                if w.isalpha() and w not in members | ARTICLES | {"only", "one"}
            ]
            if nouns:
                yield value_proposition(base, group, words=frozenset(named), thing=nouns[0], **holder)


def _is_called_by_noun(clause: ClauseWords) -> bool:
    """Say whether who is meant has no name but a noun, such as the captain's parrot, so that a colour is no figure."""
    return clause.subject[-1].text.removeprefix("The ").islower()


def _places(clause: ClauseWords, base: Proposition) -> Iterator[Proposition]:
    """Read where somebody or something was for a time that is named: `has been under the chapel since the war`."""
    who = _subject_names(clause)
    text = [t.word for t in (*clause.front, *clause.rest)]
    if len(who) != 1 or clause.verb not in _RESTING_VERBS or (clause.tag == "part" and clause.is_passive):
        return
    times = _named_times(text)
    if not times:
        return
    tokens = _without_whole_time(clause.rest)
    for index, token in enumerate(tokens[:-1]):
        if token.word not in _ABOUT_PLACE or token.word in ("since", "until"):
            continue
        end = next(
            (
                n
                for n in range(index + 1, len(tokens))
                if tokens[n].word in PREPOSITIONS | {"since", "until", ","}
            ),
            len(tokens),
        )
        phrase = tokens[index + 1 : end]
        if any(t.word in load_word_lists().time_nouns for t in phrase):
            continue
        names = frozenset(t.entity for t in phrase if t.entity)
        nouns = frozenset({singular(phrase[-1].word)}) if phrase and not phrase[-1].entity else frozenset()
        if names or nouns:
            yield value_proposition(
                base,
                "place",
                doers=who,
                others=names,
                owners=frozenset(),
                words=nouns,
                when=" ".join(sorted(times)),
                time=ClauseTime.PAST,
            )
            return


def _without_whole_time(tokens: Sequence[Token]) -> list[Token]:
    """Return the words without `all evening` or `that night` behind them."""
    words = [t.word for t in tokens]
    at = next((n for n in range(1, len(words) - 1) if _is_one_time(words, n)), len(words))
    return list(tokens[:at])


def _is_one_time(words: Sequence[str], at: int) -> bool:
    """Say whether `all evening`, `that night` or `the whole day` begins there."""
    following = words[at + 1 : at + 3]
    if "of" in words[at + 2 : at + 4]:
        return False  # `the whole night of the fire`
    if words[at] in ("all", "that"):
        return bool(following) and following[0] in _PARTS_OF_DAY
    return words[at] == "the" and following[:1] == ["whole"] and following[-1] in _PARTS_OF_DAY


def _named_times(words: Sequence[str]) -> frozenset[str]:
    """Return what names the time: the war of `since the war`, the night and the fire of `on the night of the fire`."""
    for index, word in enumerate(words[:-1]):
        if _is_one_time(words, index):
            return frozenset({words[index + (2 if word == "the" else 1)]})
        if word == "since":
            return frozenset(
                {
                    "since",
                    words[min(index + 2, len(words) - 1)]
                    if words[index + 1] in ARTICLES
                    else words[index + 1],
                }
            )
        if (
            word in ("night", "day", "morning", "evening", "hour")
            and words[index + 1] == "of"
            and index + 2 < len(words)
        ):
            following = [w for w in words[index + 2 : index + 4] if w not in ARTICLES]
            return frozenset({word, *following[:1]})
    return frozenset()


def _subject_names(clause: ClauseWords) -> frozenset[str]:
    tokens = clause.subject
    return frozenset(
        t.entity
        for n, t in enumerate(tokens)
        if t.entity and (n + 1 == len(tokens) or tokens[n + 1].word != "'s")
    )
