"""Reads the entries of lorebooks: World Info of SillyTavern, and the `character_book` of cards."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from agents.importers.cards.card_text import MAX_TEXT_LENGTH, clean_text, clean_title, split_long
from agents.importers.cards.card_values import LoreEntry
from agents.importers.log_entries import ImportProblem
from agents.proposals.statements import MAX_LORE_LENGTH
from stores.records.canon import LoreKeys

MAX_ENTRIES: Final = 2_000
"""Entries of one lorebook that are read."""

MAX_KEYS: Final = 50
MAX_KEY_LENGTH: Final = 80
DEFAULT_ORDER: Final = 100
MAX_ORDER: Final = 10**6

_PATTERN: Final = re.compile(r"/(?P<body>.+?)/[gimsuy]*", re.DOTALL)
"""A key that is a regular expression, as SillyTavern writes it: `/salt(y)?/i`."""

_LITERAL: Final = re.compile(r"(?:\\[^\w\s]|[^\\^$.*+?()\[\]{}|/])+")
_LITERAL_SIGN: Final = re.compile(r"\\([^\w\s])")
"""A sign that a regular expression means as it stands."""


def has_entries(book: Mapping[str, Any]) -> bool:
    """Return whether an object is a lorebook: its entries have keys and a text, as no log's have."""
    return any(
        isinstance(entry, dict)
        and isinstance(entry.get("content"), str)
        and isinstance(entry.get("key", entry.get("keys")), list)
        for entry in _raw_entries(book)[:MAX_ENTRIES]
    )


def read_entries(book: Mapping[str, Any], problems: list[ImportProblem]) -> Iterator[LoreEntry]:
    """Yield the entries that are switched on and have a text; `problems` gets what is left out or changed."""
    raw_entries = _raw_entries(book)
    left_out: Counter[str] = Counter()
    changed: Counter[str] = Counter()
    if len(raw_entries) > MAX_ENTRIES:
        left_out[f"a lorebook has at most {MAX_ENTRIES:,}"] = len(raw_entries) - MAX_ENTRIES
    for number, raw_entry in enumerate(raw_entries[:MAX_ENTRIES], 1):
        yield from _read_entry(raw_entry, number, left_out, changed)
    problems += [ImportProblem(0, f"{_count(n)} left out: {why}", True) for why, n in left_out.items()]
    problems += [ImportProblem(0, f"{_count(n)} changed: {what}") for what, n in changed.items()]


def _raw_entries(book: Mapping[str, Any]) -> list[Any]:
    entries = book.get("entries")
    return (
        list(entries.values()) if isinstance(entries, dict) else entries if isinstance(entries, list) else []
    )


def _read_entry(
    entry: Any, number: int, left_out: Counter[str], changed: Counter[str]
) -> Iterator[LoreEntry]:
    if not isinstance(entry, dict):
        left_out["it is no entry"] += 1
        return
    if entry.get("disable") is True or entry.get("enabled") is False:
        left_out["it is switched off"] += 1
        return
    text = _without_decorators(clean_text(entry.get("content")), changed)
    if not text:
        left_out["it has no text"] += 1
        return
    if len(entry["content"]) > MAX_TEXT_LENGTH:
        changed[f"what is over {MAX_TEXT_LENGTH:,} characters is left out"] += 1
    lore = _read_keys(entry, number, changed)
    if not (lore.always or lore.keys):
        left_out["it has neither a key nor a title, and is not always on"] += 1
        return
    parts = list(split_long(text, MAX_LORE_LENGTH))
    if len(parts) > 1:
        changed[f"longer than {MAX_LORE_LENGTH:,} characters, and cut into several"] += 1
    for part_number, part in enumerate(parts, 1):
        title = f"{lore.title} ({part_number})" if part_number > 1 else lore.title
        yield LoreEntry(part, lore.model_copy(update={"title": title}))


def _read_keys(entry: Mapping[str, Any], number: int, changed: Counter[str]) -> LoreKeys:
    raw_keys = entry.get("key", entry.get("keys"))
    all_keys = _texts(raw_keys)
    is_pattern = entry.get("use_regex") is True
    keys = [] if is_pattern else _read_words(all_keys)
    secondary_keys = _read_words(_texts(entry.get("keysecondary", entry.get("secondary_keys"))))
    own_title = clean_title(entry.get("comment")) or clean_title(entry.get("name"))
    always = entry.get("constant") is True
    if isinstance(raw_keys, list) and len(raw_keys) > MAX_KEYS:
        changed[f"of its keys, the first {MAX_KEYS} are taken"] += 1
    if len(keys) < len(all_keys):
        changed["its patterns (regular expressions) are no keys here"] += 1
        if not keys and not always and own_title:
            changed["its title is its key, as it has no other"] += 1
            keys = [own_title[:MAX_KEY_LENGTH]]
    if not keys and not always and own_title and not all_keys:
        changed["its title is its key, as it has no other"] += 1
        keys = [own_title[:MAX_KEY_LENGTH]]
    if entry.get("selective") is False or not secondary_keys:
        secondary_keys = []
    elif entry.get("selectiveLogic") in (1, 2):
        changed["its second keys, which must not stand there, are left out"] += 1
        secondary_keys = []
    elif entry.get("selectiveLogic") == 3:
        changed["one of its second keys is enough"] += 1
    if _number(entry.get("probability"), 100) < 100 and entry.get("useProbability") is not False:
        changed["it stands there whenever its keys do, not by chance"] += 1
    order = _number(entry.get("priority", entry.get("order", entry.get("insertion_order"))), DEFAULT_ORDER)
    return LoreKeys(
        title=own_title or (keys[0] if keys else f"Entry {number:,}"),
        keys=tuple(keys),
        secondary_keys=tuple(secondary_keys),
        always=always,
        order=order,
    )


def _texts(value: Any) -> list[str]:
    """Return a list of keys, or of keys with commas between them, without empty and repeated ones."""
    values = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    keys = (clean_title(key)[:MAX_KEY_LENGTH] for key in values[:MAX_KEYS])
    return list({key.casefold(): key for key in keys if key}.values())


def _read_words(keys: Iterable[str]) -> list[str]:
    r"""Return the keys that are words; of regular expressions those that stand for words alone: `/salt\.house/i`."""
    words: list[str] = []
    for key in keys:
        pattern = _PATTERN.fullmatch(key)
        if pattern is None:
            words.append(key)
        elif _LITERAL.fullmatch(pattern["body"]):
            words.append(_LITERAL_SIGN.sub(r"\1", pattern["body"]))
    return words


def _without_decorators(text: str, changed: Counter[str]) -> str:
    """Return a text without the lines before it that begin with `@@`, by which V3 steers programs."""
    lines = text.split("\n")
    first = next(
        (n for n, line in enumerate(lines) if line.strip() and not line.startswith("@@")), len(lines)
    )
    if any(line.startswith("@@") for line in lines[:first]):
        changed["its decorators (@@) are left out"] += 1
        return "\n".join(lines[first:]).strip()
    return text


def _number(value: Any, default: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:  # NaN
        return default
    return int(max(-MAX_ORDER, min(MAX_ORDER, value)))


def _count(number: int) -> str:
    return f"{number:,} lore {'entry' if number == 1 else 'entries'}"
