"""Reads the words that a user guesses behind a command: `/npc list`, `/cast remove Dob`, `/promise kept`. Pure.

What another command does is done by it; what no command does is refused with what there is instead. Neither becomes
something in the world.
"""

from __future__ import annotations

import re
from typing import Final

from stores.errors import InputError

_LISTS: Final = re.compile(r"(?:list|show|ls)(?: all)?|all")
_FIRST_WORD: Final = re.compile(r"(?P<word>[a-z]+)(?:\s*:\s*|\s+|$)(?P<rest>.*)", re.DOTALL)
"""In small letters: `/npc Remove` may be somebody's name."""
_REMOVES: Final = frozenset(("delete", "remove", "erase", "del", "rm"))
_REMOVED_LAST: Final = re.compile(rf"(.+)\s(?:{'|'.join(sorted(_REMOVES))})", re.DOTALL)
_DEAD_LAST: Final = re.compile(r"([^:]+?) (?:(?:is|was) )?(?:dead|killed|dies|died)")
_ADDS: Final = frozenset(("add", "create"))
_KEPT: Final = frozenset(
    ("kept", "paid", "done", "fulfilled", "finished", "complete", "completed", "settled")
)
_BROKEN: Final = frozenset(("broken", "failed"))
_SETTLED_LAST: Final = re.compile(
    rf"(?P<what>\d+(?=[\s:])|.+(?=:))\s*:?\s*(?P<word>{'|'.join(sorted(_KEPT | _BROKEN))})", re.DOTALL
)
"""What becomes of a promise, behind it: `2 kept`, `find the bell: done`."""
_KILLS: Final = frozenset(("kill", "dead"))
_LISTED_BY: Final = {
    "npc": ("npcs", ""),
    "creature": ("npcs", ""),
    "place": ("list", "place"),
    "thing": ("list", "object"),
    "faction": ("list", "faction"),
    "axiom": ("list", "axiom"),
    "fact": ("list", ""),
    "secret": ("list", ""),
    "rumour": ("list", ""),
    "lore": ("list", ""),
    "promise": ("promises", ""),
    "thread": ("thread", ""),
    "clock": ("clock", ""),
    "track": ("track", ""),
    "cast": ("cast", ""),
    "note": ("notes", ""),
    "decide": ("decisions", ""),
    "gear": ("gear", ""),
    "branch": ("branches", ""),
    "scene": ("map", ""),
}
"""The command that lists what another one makes, and what stands behind it."""
_MAKERS: Final = frozenset(("npc", "creature", "place", "thing", "faction"))
"""Commands behind which a name stands."""
_PROPOSING: Final = _MAKERS | {"axiom", "fact", "secret", "rumour", "lore", "promise"}
_COUNTERS: Final = frozenset(("clock", "track"))


def read_sub_word(name: str, argument: str) -> tuple[str, str]:
    """Return the command that is meant, and what stands behind it: as typed, unless a word of it says otherwise.

    Raises InputError if it says what no command does.
    """
    if name in _LISTED_BY and _LISTS.fullmatch(argument.strip()):
        return _LISTED_BY[name]
    if name in _COUNTERS and (removal := _REMOVED_LAST.fullmatch(argument.strip())):
        return name, f"{removal[1]} stop"
    if name in ("npc", "creature") and (death := _DEAD_LAST.fullmatch(argument.strip())):
        _refuse_removal(name, "kill", death[1])
    if name == "promise" and (settled := _SETTLED_LAST.fullmatch(argument.strip())):
        return ("paid" if settled["word"] in _KEPT else "broken"), settled["what"]
    match = _FIRST_WORD.fullmatch(argument.strip())
    if match is None:
        return name, argument
    word, rest = match["word"], match["rest"].strip()
    if name == "cast" and word in _REMOVES | {"drop"} and rest:
        return name, f"- {rest}"
    if name == "cast" and word in _ADDS and rest:
        return name, f"+ {rest}"
    if name == "promise" and word in _KEPT | _BROKEN:
        return ("paid" if word in _KEPT else "broken"), rest
    if name == "decide" and word in _REMOVES:
        return "lift", rest
    if name in _MAKERS | _COUNTERS | {"thread"} and _adds(word, rest):
        return name, rest
    if name in _COUNTERS and word in _REMOVES | {"stop"} and rest:
        return name, f"{rest} stop"
    _refuse_removal(name, word, rest)
    return name, argument


def _adds(word: str, rest: str) -> bool:
    """Say whether a word only says that something is to be made; a `new moon` may be a name, `new Fire` is none."""
    return bool(rest) and (word in _ADDS or (word == "new" and rest[0].isupper()))


def _refuse_removal(name: str, word: str, rest: str) -> None:
    what = rest[:60] or "NAME"
    todo = ""
    if name in _PROPOSING and word in _REMOVES:
        todo = f"/reject {what} drops it if it is only proposed; what is canon is retconned on its card (3, then R)."
    elif name in ("npc", "creature") and word in _KILLS:
        todo = f"/fact {what} is dead makes the death true."
    elif name in _COUNTERS and word in _REMOVES:
        todo = f"/{name} NAME stop ends one; /{name} lists them."
    elif name == "note" and word in _REMOVES and (not rest or rest.isdigit()):
        todo = "/undo takes back a note that was made last; /notes lists them."
    elif name == "scene" and word in _REMOVES and not rest:
        todo = "/undo takes its turns back, one by one; /scene TITLE gives it another title."
    elif name == "branch" and word in _REMOVES:
        todo = "/branches lists them; none is deleted, and what was not played on changes nothing."
    if todo:
        raise InputError(
            f"/{name} does not {_verb_of(word)} anything.", kept="Nothing was changed.", todo=todo
        )


def _verb_of(word: str) -> str:
    return {"del": "delete", "rm": "remove", "dead": "kill"}.get(word, word)
