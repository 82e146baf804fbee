"""A character's numbers as play writes them: `hp 7/10`, `might 3`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from stores.records.world import Number
from widgets.safe_text import one_line

CHANGED = "*"


def numbers_text(numbers: Mapping[str, Number], changed: Collection[str] = ()) -> str:
    """Return all numbers on one line, changed ones with an asterisk."""
    return "  ".join(text for text, _ in number_parts(numbers, changed))


def number_parts(numbers: Mapping[str, Number], changed: Collection[str] = ()) -> Iterator[tuple[str, bool]]:
    """Yield (text, changed) for each number; a maximum (`hp_max`, `max_hp`) joins what it limits."""
    limits = {f"{key}_max": key for key in numbers} | {f"max_{key}": key for key in numbers}
    for key, value in numbers.items():
        if key in limits:
            continue
        limit = numbers.get(f"{key}_max", numbers.get(f"max_{key}"))
        has_changed = key in changed
        text = f"{one_line(key)} {_plain(value)}" + (f"/{_plain(limit)}" if limit is not None else "")
        yield text + CHANGED * has_changed, has_changed


def _plain(value: Number) -> str:
    return str(int(value)) if float(value).is_integer() else f"{value:g}"
