"""Says turns of phrase in the plain words that propositions are read from: `cannot stand` as `hates`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from agents.canon_keeper.sentences.noun_phrases import ARTICLES, POSSESSIVES, PREPOSITIONS
from agents.canon_keeper.sentences.tokens import Token

_SOMEBODY: Final = frozenset(
    ["you", "us", "me", "anybody", "anyone", "them", "him", "her", "everybody", "everyone"]
)
_QUESTION_WORDS: Final = frozenset({"where", "who", "what", "how", "why", "which", "when"})
_DOING: Final = {
    "did": "kept", "done": "kept", "does": "keeps", "do": "keep", "acted": "kept", "delivered": "kept",
}  # fmt: skip
_PROMISES: Final = frozenset(["promised", "promises", "promise", "swore", "sworn", "vowed", "pledged"])
_IDLE_BEFORE_WHAT: Final = frozenset({"exactly", "just", "precisely", "everything", "all", "only", "as"})
_SEEING: Final = frozenset({"see", "read", "look", "inspect", "examine"})
_ENDING_LIFE: Final = {
    "ended": "killed", "took": "killed", "claimed": "killed", "taken": "killed", "ends": "kills", "cost": "killed",
}  # fmt: skip
_UNKNOWN: Final = frozenset({"mystery", "riddle", "puzzle", "unknown", "secret", "enigma", "unclear"})
_KNOWN: Final = frozenset({"known", "clear", "obvious", "familiar"})
_PRIZES: Final = frozenset(
    {"victory", "prize", "trophy", "title", "crown", "medal", "win", "place", "cup", "honours"}
)

_OF_AIR: Final = frozenset({"breathable", "unbreathable", "poisonous", "toxic"})
_KEEPING: Final = frozenset({"keep", "keeps", "kept"})
_CURES: Final = frozenset({"cure", "remedy", "antidote"})
_WATERS: Final = frozenset(
    ["well", "spring", "fountain", "cistern", "stream", "brook", "river", "lake", "pond", "creek"]
)
_OF_WATER: Final = frozenset(
    ["safe", "unsafe", "fit", "unfit", "poisoned", "poisonous", "foul", "clean", "pure", "fresh", "drinkable",
     "tainted", "undrinkable", "brackish", "toxic", "salty", "good"]
)  # fmt: skip
"""What is said of the water of a well and of the well alike; that it is shallow is not."""


class _Turn(NamedTuple):
    """The tokens from `start` to `end`, and what stands for them."""

    start: int
    end: int
    plain: list[Token]


def say_turns_plainly(tokens: list[Token]) -> list[Token]:
    """Return the words of a sentence with plain words for the turns of phrase that are known."""
    if _READERS.keys().isdisjoint(t.word for t in tokens):
        return tokens
    plain = tokens[:]
    for at in range(len(plain) - 1, -1, -1):
        if (
            at < len(plain)
            and (reader := _READERS.get(plain[at].word)) is not None
            and (turn := reader(plain, at))
        ):
            plain[turn.start : turn.end] = turn.plain
    return plain


def _word(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].word if 0 <= at < len(tokens) else ""


def _new(*words: str) -> list[Token]:
    return [Token(w, w) for w in words]


def _begins_object(tokens: Sequence[Token], at: int) -> bool:
    return at < len(tokens) and (
        bool(tokens[at].entity) or tokens[at].word in ARTICLES | POSSESSIVES | {"him", "her", "them", "each"}
    )


def _cannot_stand(tokens: list[Token], at: int) -> _Turn | None:
    """Read `cannot stand Lasse` as `hates Lasse`, and `could not bear her` as `hated her`."""
    can = _word(tokens, at - 2)
    if can not in ("can", "could") or _word(tokens, at - 1) != "not" or not _begins_object(tokens, at + 1):
        return None
    if tokens[at + 1].word in ARTICLES and tokens[at].word == "bear":
        return None  # `cannot bear the weight`
    return _Turn(at - 2, at + 1, _new("hates" if can == "can" else "hated"))


def _what_was_promised(tokens: list[Token], at: int) -> _Turn | None:
    """Read `did exactly what he promised Luz` as `kept his promise to Luz`."""
    start = at - 1
    while _word(tokens, start) in _IDLE_BEFORE_WHAT:
        start -= 1
    end = at + 2
    if _word(tokens, end) in ("had", "has"):
        end += 1
    if _word(tokens, start) not in _DOING or _word(tokens, end) not in _PROMISES:
        return None
    if not (tokens[at + 1].entity or tokens[at + 1].word in ("he", "she", "they", "it")):
        return None
    following = end + 1
    to = _new("to") if following < len(tokens) and tokens[following].is_person else []
    if _word(tokens, following) not in ("", ".", ",", "and", "to", "!") and not to:
        return None
    if _word(tokens, following) == "to" and following + 1 < len(tokens) and not tokens[following + 1].entity:
        return None  # `what he promised to do`
    verb = _DOING[tokens[start].word]
    return _Turn(start, following, [*_new(verb, "his", "promise"), *to])


def _let_see(tokens: list[Token], at: int) -> _Turn | None:
    """Read `never let anyone see the file` as `never showed the file`."""
    see = at + 2
    if not (
        _word(tokens, at + 1) in _SOMEBODY | {"nobody"} or (at + 1 < len(tokens) and tokens[at + 1].is_person)
    ):
        return None
    if _word(tokens, see) not in _SEEING:
        return None
    end = see + 1
    if tokens[see].word == "look" and _word(tokens, end) in ("at", "into"):
        end += 1
    if not _begins_object(tokens, end):
        return None
    is_perfect = not {"has", "have", "had"}.isdisjoint(t.word for t in tokens[max(0, at - 2) : at])
    verb = "shows" if tokens[at].word == "lets" else "shown" if is_perfect else "showed"
    return _Turn(at, end, _new(verb))


def _can_tell(tokens: list[Token], at: int) -> _Turn | None:
    """Read `can tell you where the door is` as `knows where the door is`."""
    ask = at + 2 if _word(tokens, at + 1) in _SOMEBODY else at + 1
    if _word(tokens, at - 1) != "can" or _word(tokens, ask) not in _QUESTION_WORDS:
        return None
    return _Turn(at - 1, ask, _new("knows"))


def _ended_life(tokens: list[Token], at: int) -> _Turn | None:
    """Read `ended the old Khan's life` as `killed the old Khan`."""
    if _word(tokens, at - 1) != "'s" or not tokens[at - 2].is_person:
        return None
    start = next((n for n in range(at - 3, max(-1, at - 7), -1) if tokens[n].word in _ENDING_LIFE), None)
    if start is None or any(t.word in PREPOSITIONS for t in tokens[start + 1 : at - 2]):
        return None
    return _Turn(start, at + 1, [*_new(_ENDING_LIFE[tokens[start].word]), *tokens[start + 1 : at - 1]])


def _known_to(tokens: list[Token], at: int) -> _Turn | None:
    """Read `The killer's name is a mystery to Shaw` as `Shaw does not know the killer`."""
    is_adjective = tokens[at].word in _KNOWN | {"unknown", "unclear"}
    article = _word(tokens, at - 1)
    be = at - 1 if is_adjective else at - 2
    if _word(tokens, at - 1) in ("well", "complete", "total"):
        be -= 1
    is_denied = _word(tokens, be + 1) == "no"
    if _word(tokens, be) not in ("is", "are", "remains") or not (
        is_adjective or article in ("a", "no", "complete", "total")
    ):
        return None
    who = list(tokens[at + 2 :])
    while who and who[-1].word in (".", "!"):
        who.pop()
    subject = tokens[:be]
    is_whole = _word(tokens, at + 1) == "to" and who and who[-1].is_person and len(who) <= 3
    if not is_whole or not subject or any(t.word in (",", "and", "it", "there") for t in subject):
        return None
    if len(subject) > 2 and subject[-1].word in ("name", "identity", "face") and subject[-2].word == "'s":
        subject = subject[:-2]
    knows = (tokens[at].word in _KNOWN) is not is_denied
    if is_denied:
        knows = tokens[at].word in _UNKNOWN
    verb = _new("knows") if knows else _new("does", "not", "know")
    return _Turn(0, len(tokens), [*who, *verb, *subject])


def _prize_went(tokens: list[Token], at: int) -> _Turn | None:
    """Read `Victory in the final went to the Red Team` as `The Red Team won the final`."""
    if _word(tokens, at + 1) != "to" or at < 3:
        return None
    before = tokens[:at]
    prize = next((n for n, t in enumerate(before[:4]) if t.word in _PRIZES), None)
    who = list(tokens[at + 2 :])
    while who and who[-1].word in (".", "!"):
        who.pop()
    if (
        prize is None
        or _word(before, prize + 1) not in ("in", "at", "of")
        or not who
        or not who[-1].entity
        or len(who) > 2
    ):
        return None
    return _Turn(0, len(tokens), [*who, *_new("won"), *before[prize + 2 :]])


def _contents_of(tokens: list[Token], at: int) -> _Turn | None:
    """Read `The water from the well is clean` as `The well is clean`."""
    if at != 1 or _word(tokens, 0) != "the" or _word(tokens, 2) not in ("from", "of", "in"):
        return None
    is_water = any(t.word in _WATERS for t in tokens[3:6]) and any(t.word in _OF_WATER for t in tokens)
    return _Turn(0, 3, []) if is_water and _word(tokens, 3) in ("the", "that") else None


def _air_of(tokens: list[Token], at: int) -> _Turn | None:
    """Read `The air on Ceres is breathable` as `Ceres is breathable`."""
    if at != 1 or _word(tokens, 0) != "the" or _word(tokens, 2) not in ("on", "in", "of", "aboard"):
        return None
    return _Turn(0, 3, []) if any(t.word in _OF_AIR for t in tokens) else None


def _keep_to_self(tokens: list[Token], at: int) -> _Turn | None:
    """Read `kept the code to herself` as `told nobody about the code`."""
    start = next((n for n in range(at - 2, max(-1, at - 8), -1) if tokens[n].word in _KEEPING), None)
    if start is None or _word(tokens, at - 1) != "to" or at - start < 3 or not _is_end(tokens, at + 1):
        return None
    told = "told" if tokens[start].word == "kept" else "tells"
    return _Turn(start, at + 1, [*_new(told, "nobody", "about"), *tokens[start + 1 : at - 1]])


def _is_end(tokens: Sequence[Token], at: int) -> bool:
    return _word(tokens, at) in ("", ".", "!", ",", "and")


def _cure_for(tokens: list[Token], at: int) -> _Turn | None:
    """Read `There is no cure for the fever` as `The fever has no cure`."""
    kept = [t for t in tokens[:at] if t.word != "still"]
    if [t.word for t in kept] not in (["there", "is", "no"], ["there", "was", "no"]) or _word(
        tokens, at + 1
    ) != "for":
        return None
    whole = [t for t in tokens[at + 2 :] if t.word not in (".", "!")]
    if not whole or len(whole) > 3 or any(t.word in PREPOSITIONS for t in whole):
        return None
    has = "has" if kept[1].word == "is" else "had"
    still = _new("still") if len(kept) < at else []
    return _Turn(0, len(tokens), [*whole, *still, *_new(has, "no"), tokens[at]])


def _name_of(tokens: list[Token], at: int) -> _Turn | None:
    """Read `The name of Tam's only daughter is Clara` as `Tam's only daughter is called Clara`."""
    be = next((n for n in range(at + 2, len(tokens)) if tokens[n].word in ("is", "was")), None)
    if (
        at != 1
        or _word(tokens, 0) != "the"
        or _word(tokens, 2) != "of"
        or be is None
        or be + 1 >= len(tokens)
    ):
        return None
    end = be + 2 if _word(tokens, be + 1) == "the" else be + 1
    called = tokens[end] if end < len(tokens) else Token("", "")
    if not called.text[:1].isupper() or _word(tokens, end + 1) not in ("", "."):
        return None
    phrase = [t for t in tokens[3:be] if t.word != "only"]
    return _Turn(0, end, [*phrase, tokens[be], *_new("called")]) if phrase else None


_READERS: Final[dict[str, Callable[[list[Token], int], _Turn | None]]] = {
    **dict.fromkeys(("stand", "abide", "bear", "stomach"), _cannot_stand),
    **dict.fromkeys(("what", "as"), _what_was_promised),
    **dict.fromkeys(("let", "lets"), _let_see),
    "tell": _can_tell,
    "life": _ended_life,
    **dict.fromkeys(_UNKNOWN | _KNOWN, _known_to),
    "went": _prize_went,
    "water": _contents_of,
    "air": _air_of,
    **dict.fromkeys(("himself", "herself", "themselves"), _keep_to_self),
    **dict.fromkeys(_CURES, _cure_for),
    "name": _name_of,
}
"""What reads a turn of phrase, by a word of it."""
