"""What a typed line means: words of the story, a roll, or an operation. Pure; needs no model.

Source: design/loops.md (node `route`) and design/interface.md ("Input").
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal

from rapidfuzz import process

from agents.clean import clean_line
from agents.resolver.check import ends_in_effects
from agents.resolver.dice_faces import read_faces, split_faces
from agents.resolver.oracle import read_question
from stores.errors import InputError

RollKind = Literal["check", "move", "roll", "oracle", "howmuch", "react", "spark", "event", "start", "track"]


@dataclass(frozen=True, slots=True)
class Roll:
    """What the Resolver is asked; `spec` is what stood behind the command. An oracle's `spec` is its
    likelihood; without one, canon may suggest it. `faces` are those of the player's own dice, typed behind
    a last ` = ` (empty: the = stands there, and nothing behind it yet)."""

    kind: RollKind
    spec: str
    faces: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Words:
    """Words of the story, by the player or (`told`) by the GM, with the roll that they call for. `narrated`:
    they came behind /narrate, which with a model means that it tells them, whatever they look like.
    `whispered` are the names of those who alone hear them."""

    text: str
    told: bool
    roll: Roll | None = None
    narrated: bool = False
    whispered: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Operation:
    """A slash command that is no part of the story's line."""

    name: str
    argument: str


Typed = Words | Roll | Operation

_INLINE_ROLL = re.compile(r"(?:^|\s)/(check|move|roll)\b", re.IGNORECASE)
_COMMAND = re.compile(r"/([^\s/]+)\s*(.*)", re.DOTALL)
_AND = re.compile(r",|\band\b", re.IGNORECASE)
_NO_FACES = re.compile(r"[^#\[]*\s=\s+(\S.*)", re.DOTALL)
_TELL = frozenset({"narrate"})
_ROLLS: dict[str, RollKind] = {
    "check": "check",
    "move": "move",
    "roll": "roll",
    "howmuch": "howmuch",
    "react": "react",
    "spark": "spark",
    "event": "event",
}


def route(line: str, operations: Collection[str]) -> Typed:
    """Read one typed line.

    Plain text is the player's action or speech; `> text` and `/narrate text` are the GM's words; `? text`
    and `/oracle text` ask the oracle; a line may end in `/check ...`, `/move ...` or `/roll ...`, and a
    roll in the faces of the player's own dice (` = 5 4`). Raises InputError for
    an empty or endless line, and for a command that does not exist, naming the nearest one.
    """
    text = clean_line(line)
    if text.startswith("?"):
        return _question(text[1:])
    if text.startswith(">"):
        return _words(text[1:], told=True)
    command = _COMMAND.fullmatch(text)
    if command is None and text.startswith("/"):
        raise InputError(
            "A command's name follows the / at once.",
            kept="Nothing was played.",
            todo="/help lists them all.",
        )
    if command is None:
        return _words(text, told=False)
    name, argument = command[1].casefold(), command[2].strip()
    if name in _TELL:
        return replace(_words(argument, told=True), narrated=True)
    if name in _ROLLS:
        return roll_of(_ROLLS[name], argument)
    if name == "oracle":
        return _question(argument)
    if name == "whisper":
        return _whisper(argument)
    if name in operations:
        return Operation(name, argument)
    raise InputError(
        _unknown(command[1], operations), kept="Nothing was played.", todo="/help lists them all."
    )


def _words(text: str, *, told: bool) -> Words:
    """Split prose from the roll that it ends in."""
    found = _INLINE_ROLL.search(text)
    prose = (text[: found.start()] if found else text).strip()
    if not prose:
        raise InputError(
            "There are no words to tell.",
            kept="Nothing was played.",
            todo="Write them behind the >, as in: > The hinges give with a shriek.",
        )
    if found is None:
        return Words(prose, told)
    return Words(prose, told, roll_of(_ROLLS[found[1].casefold()], text[found.end() :].strip()))


def _whisper(argument: str) -> Words:
    """Read `Bela, Tam: words`: the player's words, that only those hear."""
    names, colon, text = argument.partition(":")
    whom = tuple(" ".join(name.split()) for name in _AND.split(names) if name.strip())
    if not colon or not whom or not text.strip():
        raise InputError(
            "It does not say who hears what.",
            kept="Nothing was played.",
            todo="As in: /whisper Bela: the key is under the stone. Several names have commas between.",
        )
    words = _words(text, told=False)
    return replace(words, text=f"I whisper to {', '.join(whom)}: {words.text}", whispered=whom)


def _question(text: str) -> Words:
    """Read a yes/no question, with its likelihood if it begins with one."""
    text, faces = split_faces(text)
    asked = read_question(text)
    question = asked.question.strip()
    if not question:
        raise InputError(
            "Ask something that yes or no can answer.",
            kept="Nothing was played.",
            todo="As in: ? Is the door locked, or ? likely: Is it guarded",
        )
    question = question if question.endswith("?") else question + "?"
    return Words(question, False, Roll("oracle", asked.likelihood.value if asked.likelihood else "", faces))


def roll_of(kind: RollKind, spec: str) -> Roll:
    """Part what stands behind a command from the faces at its end. Raises InputError for faces that are
    none."""
    if kind in ("check", "move") and ends_in_effects(spec):
        return Roll(kind, spec)
    asked, faces = split_faces(spec)
    if faces is None and kind == "roll" and (found := _NO_FACES.fullmatch(spec)):
        read_faces(found[1])
    return Roll(kind, asked, faces)


def _unknown(name: str, operations: Collection[str]) -> str:
    near = process.extractOne(
        name.casefold(), sorted({*operations, *_TELL, *_ROLLS, "oracle", "whisper"}), score_cutoff=60
    )
    return f"There is no command /{name[:40]}." + (f" Did you mean /{near[0]}?" if near else "")
