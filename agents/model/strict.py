"""A JSON schema as hosted providers' strict modes take it: they refuse what they do not know. Pure.

Every object says that it takes nothing more and needs all it has; limits of length go out, and we check them
ourselves when the answer is read. A server of the player's own gets the schema as it is: there the limits are
what keeps a small model from writing digits for ever (design/libraries.md, "Model").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_UNKNOWN: Final = frozenset(
    {"default", "title", "examples", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern", "format"}
)
_NAMED: Final = ("properties", "$defs", "definitions")
"""Under these the keys are names of ours, and not keywords."""


def strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema so; the given one stays as it is."""
    told: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _NAMED and isinstance(value, Mapping):
            told[key] = {name: _inner(one) for name, one in value.items()}
        elif key not in _UNKNOWN:
            told[key] = _inner(value)
    if isinstance(told.get("properties"), dict):
        told["required"] = list(told["properties"])
        told["additionalProperties"] = False
    return told


def _inner(value: Any) -> Any:
    if isinstance(value, Mapping):
        return strict(value)
    return [_inner(one) for one in value] if isinstance(value, list | tuple) else value
