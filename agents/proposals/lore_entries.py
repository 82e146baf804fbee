"""Reads and writes a lore entry as it is typed: its keys, a colon, its text. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from agents.proposals.statements import (
    LORE_PREDICATE,
    MAX_LORE_LENGTH,
    MAX_NAME_LENGTH,
    as_sentence,
    require_statement_length,
)
from agents.sanitize import clean
from stores.errors import InputError
from stores.records.canon import AssertFact, FactKind, LoreKeys

ALWAYS: Final = "always"
"""Typed in place of keys: the entry stands in every prompt."""

TITLE_WORDS: Final = 6
_KEY_OR_MARK: Final = re.compile(r'"(?P<quoted>[^"\n]*)"|(?P<mark>[,+:])|(?P<plain>[^",+:]+|")')
_NEEDS_QUOTES: Final = re.compile(r"[,+:]")


def read_lore(argument: str, before: AssertFact | None = None) -> AssertFact:
    """Return the lore entry of `salt house, salthouse: It stands on piles` or `always: The tide rules here`.

    Second keys follow a plus, `salt house + night, dark: ...`; a key with one of these signs stands in quotes.
    What is not typed (its order, a title of its own) stays as in the entry `before`. Raises InputError without keys
    or without a text.
    """
    keys_end = _find_keys_end(argument)
    text = require_statement_length(clean(argument[keys_end + 1 :]), MAX_LORE_LENGTH)
    if keys_end < 0 or not text:
        raise _missing_part()
    statement = as_sentence(text)
    lore = read_lore_keys(argument[:keys_end], statement, before)
    if before is not None:
        return before.model_copy(update={"statement": statement, "lore": lore})
    return AssertFact(fact_kind=FactKind.LORE, predicate=LORE_PREDICATE, statement=statement, lore=lore)


def read_lore_keys(keys_text: str, statement: str, before: AssertFact | None = None) -> LoreKeys:
    """Return the keys of an entry with this statement, typed without a text. Raises InputError for none."""
    key_lists: list[list[str]] = [[""]]
    for match in _KEY_OR_MARK.finditer(keys_text):
        if match["mark"] == ":":
            raise InputError(
                "A colon ends the keys of a lore entry.",
                kept="Nothing was proposed and your words are still there.",
                todo='Put a key with a colon in quotes: "Note: salt".',
            )
        if match["mark"] == "+":
            key_lists.append([""])
        elif match["mark"]:
            key_lists[-1].append("")
        else:
            key_lists[-1][-1] += match["quoted"] or match["plain"] or ""
    keys, secondary_keys = (
        _clean_keys(key_lists[0]),
        _clean_keys(key for keys in key_lists[1:] for key in keys),
    )
    if not keys:
        raise _missing_part()
    is_always = len(keys) == 1 and keys[0].casefold() == ALWAYS
    old_lore = before.lore if before is not None and before.lore is not None else LoreKeys()
    has_own_title = before is not None and old_lore.title not in ("", _title_of(old_lore, before.statement))
    lore = old_lore.model_copy(
        update={
            "keys": () if is_always else keys,
            "secondary_keys": () if is_always else secondary_keys,
            "always": is_always,
        }
    )
    return lore if has_own_title else lore.model_copy(update={"title": _title_of(lore, statement)})


def format_lore_keys(lore: LoreKeys) -> str:
    """Return the keys as `read_lore_keys` reads them."""
    if lore.always:
        return ALWAYS
    key_lists = filter(None, (lore.keys, lore.secondary_keys))
    return " + ".join(", ".join(map(_quote_key, keys)) for keys in key_lists)


def format_lore(change: AssertFact, lore: LoreKeys) -> str:
    """Return a lore entry as `read_lore` reads it."""
    return f"{format_lore_keys(lore)}: {change.statement}"


def _find_keys_end(argument: str) -> int:
    """Return where the colon stands that ends the keys, or -1."""
    return next((m.start() for m in _KEY_OR_MARK.finditer(argument) if m["mark"] == ":"), -1)


def _clean_keys(keys: Iterable[str]) -> tuple[str, ...]:
    cleaned_keys = (" ".join(clean(key).split())[:MAX_NAME_LENGTH] for key in keys)
    return tuple(dict.fromkeys(key for key in cleaned_keys if key))


def _quote_key(key: str) -> str:
    return f'"{key}"' if _NEEDS_QUOTES.search(key) else key


def _title_of(lore: LoreKeys, statement: str) -> str:
    """Return the title of an entry that has none of its own: its first key, or the words that it begins with."""
    return lore.keys[0] if lore.keys else " ".join(statement.split()[:TITLE_WORDS]).rstrip(".")


def _missing_part() -> InputError:
    return InputError(
        "A lore entry has keys and a text.",
        kept="Nothing was proposed and your words are still there.",
        todo="Type it as: salt house: It stands on piles. Or: always: The tide rules here.",
    )
