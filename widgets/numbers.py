"""A character's numbers as text: `HP 7/10`, `might 3`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from agents.typed_numbers import number_label
from stores.records.world import Number
from widgets.safe_text import one_line

CHANGED_SIGN = "*"


def numbers_text(numbers: Mapping[str, Number], changed_names: Collection[str] = ()) -> str:
    """Return all numbers on one line, changed ones with an asterisk."""
    return "  ".join(text for text, _ in number_parts(numbers, changed_names))


def number_parts(
    numbers: Mapping[str, Number], changed_names: Collection[str] = ()
) -> Iterator[tuple[str, bool]]:
    """Yield (text, changed) for each number; a maximum (`hp_max`, `max_hp`) joins what it limits."""
    limits = {f"{key}_max": key for key in numbers} | {f"max_{key}": key for key in numbers}
    for key, value in numbers.items():
        if key in limits:
            continue
        limit = numbers.get(f"{key}_max", numbers.get(f"max_{key}"))
        has_changed = key in changed_names
        text = f"{one_line(number_label(key))} {_format_number(value)}" + (
            f"/{_format_number(limit)}" if limit is not None else ""
        )
        yield text + CHANGED_SIGN * has_changed, has_changed


def _format_number(value: Number) -> str:
    return str(int(value)) if float(value).is_integer() else f"{value:g}"
