"""Parses a typed line into words of the story, a roll, or a command. Pure; needs no model."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agents.orchestrator.input.bare_choice import refuse_bare_choice
from agents.orchestrator.input.bare_dice import find_bare_roll
from agents.resolver.check import split_check_faces
from agents.resolver.dice_faces import read_faces, split_faces
from agents.resolver.oracle import read_oracle_query
from agents.resolver.roll_kinds import CHECK_KINDS, PROSE_KINDS, TYPED_KINDS, RollKind
from agents.sanitize import clean_line
from agents.typed_text import count_slips, one_line
from stores.errors import InputError


@dataclass(frozen=True, slots=True)
class RollInput:
    """A roll that was typed."""

    kind: RollKind
    spec: str
    """What followed the command. For an oracle it is the likelihood; empty lets canon suggest one."""
    faces: tuple[int, ...] | None = None
    """Faces of the player's own dice, after a last ` = `; empty when none are given yet."""


@dataclass(frozen=True, slots=True)
class WordsInput:
    """Words of the story, by the player or the GM, with the roll that they call for."""

    text: str
    gm_authored: bool
    roll: RollInput | None = None
    is_narrate_command: bool = False
    """Whether they followed /narrate: then a model narrates them, whatever they look like."""
    npc_name: str = ""
    """Whose words they are, if somebody beside the hero says them: the GM speaks for them."""
    hearer_names: tuple[str, ...] = ()
    """Names of those who alone hear them, as typed."""
    is_whisper_unsplit: bool = False
    """Whether they follow /whisper without a colon, so that the text begins with the name of who hears them."""


@dataclass(frozen=True, slots=True)
class CommandInput:
    """A slash command that is not part of the story."""

    name: str
    argument: str


ParsedInput = WordsInput | RollInput | CommandInput

_INLINE_ROLL = re.compile(rf"(?:^|\s)/({'|'.join(sorted(PROSE_KINDS))})\b", re.IGNORECASE)
_COMMAND = re.compile(r"/([^\s/]+)\s*(.*)", re.DOTALL)
_BLANKS = re.compile(r"\s+")
_NAME_SEPARATOR = re.compile(r",|\band\b", re.IGNORECASE)
_UNREAD_FACES = re.compile(r"[^#\[=]*\s=\s+(\S.*)", re.DOTALL)
_WORDS_BEHIND_FACES: Final = re.compile(
    r"(?P<roll>[^#\[=]*)\s=\s+(?P<faces>\d[\d,\s]*)(?:(?P<end>[;.])\s*)?(?P<words>[^\W\d].*)", re.DOTALL
)
"""Dice of the player's own, and words behind them, which nothing reads: `likely = 3 3; I look`."""
_COMMAND_BEHIND_WORDS: Final = re.compile(r"(?:[.!?…][”\"'’»)]*\s+|\n\s*)/([A-Za-z]+)(?=\s|$)")
WHISPER_PROBLEM = "It does not say who hears what."
WHISPER_EXAMPLE = "As in: /whisper NAME: the key is under the stone. Separate several names with commas."
MAX_COMMAND_LENGTH: Final = 40
"""Letters of a mistyped command that are read."""
MAX_NEAR_COMMANDS: Final = 3
"""Commands that are named when one is not there."""
MIN_LENGTH_OF_TWO_SLIPS: Final = 6
"""Letters from which a command may have two wrong ones and still be known."""
_NARRATE_COMMANDS = frozenset({"narrate"})


def parse_input(line: str, command_names: Collection[str]) -> ParsedInput:
    """Parse one typed line.

    Plain text is the player's action or speech; `> text` and `/narrate text` are the GM's words; `? text` and
    `/oracle text` ask the oracle; dice alone (`2d6+1`, `2d6+1 vs 9`) are rolled; a line may end in `/check ...`,
    `/move ...` or `/roll ...`, and a roll in the faces of the player's own dice (` = 5 4`). Raises InputError for an
    empty or too long line, for a number or letter alone, for a command behind words, and for an unknown command,
    naming the nearest one.
    """
    text = clean_line(line)
    if text.startswith("?"):
        return _parse_question(text[1:])
    if not text.startswith("/"):
        _refuse_command_behind_words(text, command_names)
    if text.startswith(">"):
        return _parse_words(text[1:], gm_authored=True)
    command = _COMMAND.fullmatch(text)
    if command is None and text.startswith("/"):
        raise InputError(
            "A command's name follows the / at once.",
            kept="Nothing was played.",
            todo="/help lists them all.",
        )
    refuse_bare_choice(text)
    if command is None and (bare_kind := find_bare_roll(text)):
        return parse_roll(bare_kind, text)
    if command is None:
        return _parse_words(text, gm_authored=False)
    name, argument = command[1].casefold(), _shorten_blanks(command[2])
    if name in _NARRATE_COMMANDS:
        return replace(_parse_words(argument, gm_authored=True), is_narrate_command=True)
    if name == "oracle":
        return _parse_question(argument)
    if name in TYPED_KINDS:
        return parse_roll(TYPED_KINDS[name], argument)
    if name == "whisper":
        return _parse_whisper(argument)
    if name in command_names:
        return CommandInput(name, argument)
    raise InputError(
        _unknown_command(command[1], command_names),
        kept="Nothing was played.",
        todo=_TAKE_BACK_KEYS if command[1].casefold() in _TAKE_BACK_WORDS else "/help lists them all.",
    )


def strip_inline_roll(line: str) -> str:
    """Return a line of words without the roll behind them; empty if it is nothing but a roll."""
    match = _INLINE_ROLL.search(line)
    return (line if match is None else line[: match.start()]).strip()


def _refuse_command_behind_words(text: str, command_names: Collection[str]) -> None:
    """Raise InputError if a sentence is followed by a command: it would be played as words."""
    for match in _COMMAND_BEHIND_WORDS.finditer(text):
        if match[1].casefold() in command_names:
            raise InputError(
                f"/{match[1]} stands behind words: a command has a line of its own.",
                kept="Nothing was played.",
                todo=f"Enter the words first and /{match[1]} then. Only /check, /move and /roll may end a line.",
            )


def _shorten_blanks(text: str) -> str:
    """Return `text` with longer runs of blanks, line breaks and empty lines as one each.

    Patterns of commands take time that grows with the square of such a run.
    """
    return _BLANKS.sub(lambda run: "\n" * min(run[0].count("\n"), 2) or " ", text).strip()


def _parse_words(text: str, *, gm_authored: bool) -> WordsInput:
    """Split prose from the roll at its end."""
    roll_match = _INLINE_ROLL.search(text)
    prose = (text[: roll_match.start()] if roll_match else text).strip()
    if not prose:
        raise InputError(
            "There is nothing to narrate.",
            kept="Nothing was played.",
            todo="Write it after the >, as in: > The hinges give with a shriek.",
        )
    if roll_match is None:
        return WordsInput(prose, gm_authored)
    return WordsInput(
        prose,
        gm_authored,
        parse_roll(TYPED_KINDS[roll_match[1].casefold()], text[roll_match.end() :].strip()),
    )


def _parse_whisper(argument: str) -> WordsInput:
    """Parse `Bela, Tam: words`: words of the player's that only those hear."""
    names, colon, text = argument.partition(":")
    hearer_names = tuple(" ".join(name.split()) for name in _NAME_SEPARATOR.split(names) if name.strip())
    if not colon and len(argument.split()) > 1:
        return replace(_parse_words(argument, gm_authored=False), is_whisper_unsplit=True)
    if not colon or not hearer_names or not text.strip():
        raise InputError(WHISPER_PROBLEM, kept="Nothing was played.", todo=WHISPER_EXAMPLE)
    whispered_words = _parse_words(text, gm_authored=False)
    return replace(
        whispered_words,
        text=f"I whisper to {', '.join(hearer_names)}: {whispered_words.text}",
        hearer_names=hearer_names,
    )


def _parse_question(text: str) -> WordsInput:
    """Parse a yes/no question, and its likelihood if it begins with one."""
    text, faces = split_faces(text)
    oracle_query = read_oracle_query(text)
    question = oracle_query.question.strip()
    if (behind := _WORDS_BEHIND_FACES.fullmatch(text)) and (
        behind["end"]
        or behind["roll"].rstrip().endswith("?")
        or not read_oracle_query(behind["roll"]).question
    ):
        raise _words_behind_faces_error(behind)
    if not question:
        raise InputError(
            "Ask something that yes or no can answer.",
            kept="Nothing was played.",
            todo="As in: ? Is the door locked, or ? likely: Is it guarded",
        )
    question = question if question.endswith("?") else question + "?"
    return WordsInput(
        question,
        False,
        RollInput("oracle", oracle_query.likelihood.value if oracle_query.likelihood else "", faces),
    )


def _words_behind_faces_error(behind: re.Match[str]) -> InputError:
    return InputError(
        f"“{one_line(behind['words'])[:60]}” stands behind the dice and would not be read.",
        kept="Nothing was played.",
        todo=f"Words have a line of their own; the dice end this one: ... = {behind['faces'].strip(' ,')}",
    )


def parse_roll(kind: RollKind, spec: str) -> RollInput:
    """Split a roll's text from the dice faces in it. Raises InputError for what is not read."""
    formula, faces = split_check_faces(spec) if kind in CHECK_KINDS else split_faces(spec)
    if faces is None and kind == "roll" and (faces_match := _UNREAD_FACES.fullmatch(spec)):
        read_faces(faces_match[1])
    if kind == "event" and formula:
        raise InputError(
            f"/event takes no words: “{one_line(formula)[:60]}” would not be read.",
            kept="Nothing was drawn.",
            todo="/event draws what breaks in; ? and a question asks the oracle.",
        )
    first_part = formula.partition(";")[0] if kind in CHECK_KINDS else formula
    if faces is None and (behind := _WORDS_BEHIND_FACES.fullmatch(first_part)):
        raise _words_behind_faces_error(behind)
    return RollInput(kind, formula, faces)


_OTHER_WORDS: Final = {
    **dict.fromkeys(("item", "object", "relic"), "thing"),
    **dict.fromkeys(("person", "character", "char", "pc"), "npc"),
    **dict.fromkeys(("monster", "beast", "enemy", "foe"), "creature"),
    **dict.fromkeys(("location", "room", "loc", "site"), "place"),
    **dict.fromkeys(("own", "owns", "give", "has", "relation", "truth"), "fact"),
    **dict.fromkeys(("ask", "fate", "yes", "no"), "oracle"),
    **dict.fromkeys(("quest", "vow", "hook", "plot"), "thread"),
    **dict.fromkeys(("decision", "decided", "rule"), "decide"),
    **dict.fromkeys(("rumor", "hearsay"), "rumour"),
    **dict.fromkeys(("debt", "owe", "owes"), "fact debt: WORDS or /paid WORDS"),
    **dict.fromkeys(("question",), "fact question: WORDS"),
    **dict.fromkeys(("goal",), "scene TITLE: GOAL"),
    **dict.fromkeys(("kept", "keep", "fulfilled"), "paid"),
    **dict.fromkeys(("chaos", "mood"), "tension"),
    **dict.fromkeys(("stat", "stats", "attribute"), "sheet"),
}
"""Words that players of other programs type, and the command that does it here."""

_TAKE_BACK_WORDS: Final = frozenset({"retcon", "retract"})
_TAKE_BACK_KEYS: Final = (
    "To take something from canon: u on its row at the gate (F3), or R on the fact in the universe."
)


def _unknown_command(name: str, command_names: Collection[str]) -> str:
    every_name = sorted({*command_names, *_NARRATE_COMMANDS, *TYPED_KINDS, "oracle", "whisper"})
    typed_name = name.casefold()[:MAX_COMMAND_LENGTH]
    nearest_names = [] if typed_name in _TAKE_BACK_WORDS else _find_nearest_commands(typed_name, every_name)
    if meant_command := _OTHER_WORDS.get(typed_name):
        slip_names = [c for c in nearest_names if count_slips(typed_name, c) == 1]
        nearest_names = list(dict.fromkeys((meant_command, *slip_names)))
    question = f" Did you mean {' or '.join(f'/{nearest}' for nearest in nearest_names)}?"
    return f"There is no command /{name[:MAX_COMMAND_LENGTH]}." + (question if nearest_names else "")


def _find_nearest_commands(name: str, command_names: Sequence[str]) -> list[str]:
    """Return the commands that a mistyped name may mean: up to three, or none.

    First those with the fewest wrong letters and the same first letter, then those that it is the beginning of, or
    that begin it, then whatever looks like it.
    """
    from rapidfuzz import fuzz, process  # loaded when it is needed: three megabytes

    slips_by_name = {command: count_slips(name, command) for command in command_names}
    fewest_slips = min(slips_by_name.values())
    max_slips = 1 if len(name) < MIN_LENGTH_OF_TWO_SLIPS else 2
    slip_names = [c for c in command_names if slips_by_name[c] == fewest_slips <= max_slips]
    longer_names = [c for c in command_names if c.startswith(name)]
    if near_names := sorted(slip_names, key=lambda c: c[0] != name[0]):
        return (near_names if near_names[0][0] == name[0] else [*longer_names, *near_names])[
            :MAX_NEAR_COMMANDS
        ]
    if longer_names:
        return longer_names[:MAX_NEAR_COMMANDS]
    if shorter_names := [command for command in command_names if name.startswith(command)]:
        return [max(shorter_names, key=len)]
    similar_name = process.extractOne(name, command_names, scorer=fuzz.ratio, score_cutoff=60)
    return [similar_name[0]] if similar_name else []
