"""Recognizes a line that is a number or a letter alone: an answer to what is shown, and no turn of the story. Pure."""

from __future__ import annotations

import re
from typing import Final

from stores.errors import InputError

_NUMBERS: Final = re.compile(r"[#(]?\d+[.)]?(?:(?:,|\s)\s*\d+)*")
"""Numbers alone: an answer to what is numbered."""
_LETTER: Final = re.compile(r"[A-Za-z]")
"""A key of a panel: no deed and no speech."""


def complete_choice(line: str, command: str) -> str:
    """Return the line, or where it is numbers alone and `command` listed what is numbered, the command with them."""
    numbers = line.strip()
    return f"{command} {numbers.strip('#().')}" if command and _NUMBERS.fullmatch(numbers) else line


def refuse_bare_choice(text: str) -> None:
    """Raise InputError for a number or letter alone, with what to do instead."""
    if _LETTER.fullmatch(text):
        todo = (
            f"A key works where it is shown: F2 goes to the proposals. As speech it takes quotes: “{text}”."
        )
    elif _NUMBERS.fullmatch(text):
        number = text.strip("#().")
        todo = (
            f"Say what it chooses: /accept {number} or /reject {number} a proposal, /resolve {number} a conflict, "
            f"/paid {number} a promise. As speech it takes quotes: “{number}”."
        )
    else:
        return
    raise InputError(f"“{text}” alone is no turn of the story.", kept="Nothing was played.", todo=todo)
