"""Converts a JSON schema for the strict modes of hosted providers.

These reject keywords that they do not support. Every object forbids further properties
and requires all its own; limits of length are removed, and checked
when the answer is read. A server of the player's own gets the schema unchanged: there the limits keep a small
model from generating without end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_UNSUPPORTED_KEYWORDS: Final = frozenset(
    {"default", "title", "examples", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern", "format"}
)
_NAME_MAPS: Final = ("properties", "$defs", "definitions")
"""Keywords whose keys are names, not keywords."""


def strict_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the converted schema; the given one is not changed."""
    converted_schema: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _NAME_MAPS and isinstance(value, Mapping):
            converted_schema[key] = {name: _convert(one) for name, one in value.items()}
        elif key not in _UNSUPPORTED_KEYWORDS:
            converted_schema[key] = _convert(value)
    if isinstance(converted_schema.get("properties"), dict):
        converted_schema["required"] = list(converted_schema["properties"])
        converted_schema["additionalProperties"] = False
    return converted_schema


def _convert(value: Any) -> Any:
    if isinstance(value, Mapping):
        return strict_schema(value)
    return [_convert(one) for one in value] if isinstance(value, list | tuple) else value
