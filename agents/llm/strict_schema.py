"""A JSON schema as hosted providers' strict modes take it: they refuse what they do not know. Pure.

Every object says that it takes nothing more and needs all it has; limits of length go out, and we check them
ourselves when the answer is read. A server of the player's own gets the schema as it is: there the limits are
what keeps a small model from writing digits for ever (design/libraries.md, "Model").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_UNSUPPORTED_KEYWORDS: Final = frozenset(
    {"default", "title", "examples", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern", "format"}
)
_NAME_MAPS: Final = ("properties", "$defs", "definitions")
"""Under these the keys are names of ours, and not keywords."""


def strict_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema so; the given one stays as it is."""
    converted: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _NAME_MAPS and isinstance(value, Mapping):
            converted[key] = {name: _convert(one) for name, one in value.items()}
        elif key not in _UNSUPPORTED_KEYWORDS:
            converted[key] = _convert(value)
    if isinstance(converted.get("properties"), dict):
        converted["required"] = list(converted["properties"])
        converted["additionalProperties"] = False
    return converted


def _convert(value: Any) -> Any:
    if isinstance(value, Mapping):
        return strict_schema(value)
    return [_convert(one) for one in value] if isinstance(value, list | tuple) else value
