"""Parses any text into a bounded pydantic model, or returns None; it never raises.

A model's answer is often nearly right: keys in other case, one value instead of a list, a sentence longer
than the field, a score as 0.8, an end that was cut off. Harmless faults are corrected here; otherwise the
field, the list entry or the whole answer is left out.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from agents.llm.llm_port import AnswerSchema
from agents.sanitize import clean

T = TypeVar("T", bound=BaseModel)
Schema = Mapping[str, Any]

MAX_CHARACTERS: Final = 20_000
"""Characters of an answer that are read; all our outputs end far before."""

_MAX_STARTS: Final = 12
"""Places in a text where an object may begin that are tried."""

_MAX_REPAIR_CHARACTERS: Final = 10_000
_MAX_NESTING: Final = 60
"""Limits for texts that are repaired: `json_repair` takes much longer with more characters or brackets,
and our answers have a dozen brackets."""

_MAX_BLOCKS: Final = 200
"""Places in a text where a block of JSON may begin that are tried."""

_MAX_BLOCK_NESTING: Final = 160
"""The same limit for a block of tool calls, which have an object for each thing that they report."""

_MIN_LIKENESS: Final = 85
"""Likeness, in per cent, from which a word counts as one of the allowed words."""

_OMITTED: Final = object()
_THINKING = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCED = re.compile(r"```[\w-]*[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)
_BLOCK_START = re.compile(r"[\[{]")
_OBJECT_START = re.compile(r"\{\s*\"[^\"\n]{1,60}\"\s*:")
_FENCE_LINE = re.compile(r"\n[ \t]*```")
_NUMBER = re.compile(r"-?\d{1,18}(?:\.\d{1,6})?")
_BULLET = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)])\s+")
_TRUTH_WORDS: Final[Mapping[str, bool]] = {
    **dict.fromkeys(("true", "yes", "y", "1"), True),
    **dict.fromkeys(("false", "no", "n", "0", "none", ""), False),
}


def answer_schema(output_type: type[BaseModel], mode: Literal["schema", "tools"]) -> AnswerSchema:
    """Return the output type's schema for providers: every field required, none beside them."""
    return AnswerSchema(
        name=output_type.__name__.lower(), schema=_close_schema(_json_schema(output_type)), mode=mode
    )


def parse_json_answer(text: str, output_type: type[T]) -> T | None:
    """Parse an answer that is JSON and nothing else."""
    data = _load_json(text[:MAX_CHARACTERS].strip())
    return fit_to_model(data, output_type) if isinstance(data, dict | list) else None


def find_json_answer(text: str, output_type: type[T]) -> T | None:
    """Parse the first JSON in a text that fits: in a fence, among words, repaired if it is broken."""
    for data in _find_json_values(_THINKING.sub("", text[:MAX_CHARACTERS])):
        value = fit_to_model(data, output_type)
        if value is not None:
            return value
    return None


def find_json_blocks(text: str) -> Iterator[object]:
    """Yield the objects and lists that stand in a text, each once and in their order; broken ones repaired.

    At most `_MAX_STARTS` are repaired.
    """
    text = _THINKING.sub("", text[:MAX_CHARACTERS])
    position, repair_count = 0, 0
    for _ in range(_MAX_BLOCKS):
        if (start_match := _BLOCK_START.search(text, position)) is None:
            return
        start = start_match.start()
        try:
            value, position = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError):
            position = start + 1
            if repair_count == _MAX_STARTS:
                continue
            repair_count += 1
            end = _find_block_end(text, start)
            value = _repair_json(text[start:end], _MAX_BLOCK_NESTING)
            if not value:
                continue
            position = end
        if isinstance(value, dict | list):
            yield value


def parse_plain_answer(text: str, output_type: type[T]) -> T | None:
    """Parse plain words, if the output type can (`from_words`). JSON that could not be used is none."""
    parser: Callable[[str], object] | None = getattr(output_type, "from_words", None)
    words = _THINKING.sub("", text[:MAX_CHARACTERS])
    if parser is None or not words.strip() or _OBJECT_START.search(words):
        return None
    try:
        value = parser(words)
    except ValidationError:
        return None
    return value if isinstance(value, output_type) else None


def fit_to_model(data: object, output_type: type[T]) -> T | None:
    """Return the data as the output type, with harmless faults corrected, or None."""
    schema = _json_schema(output_type)
    fitter = _SchemaFitter(schema.get("$defs", {}))
    if isinstance(data, list):
        data = fitter.unwrap_list(data, schema)
    if not isinstance(data, dict):
        return None
    value = fitter.fit_fields(data, schema)
    if not isinstance(value, dict) or not value:
        return None
    try:
        return output_type.model_validate(value)
    except ValidationError:
        return None


@lru_cache(maxsize=32)
def _json_schema(output_type: type[BaseModel]) -> Schema:
    """Return a model's schema, cached: pydantic takes milliseconds to build it."""
    return output_type.model_json_schema()


# --- JSON in a text ---------------------------------------------------------------------------------------


def _find_json_values(text: str) -> Iterator[object]:
    fenced = [match[1] for match in _FENCED.finditer(text)][:_MAX_STARTS]
    for part in (*fenced, text):
        yield _load_json(part.strip())
        starts = [n for n, c in enumerate(part) if c == "{"][:_MAX_STARTS]
        for start in starts:
            yield _find_first_object(part[start:])
        if starts or "[" in part:
            first = min(n for n in (part.find("{"), part.find("[")) if n >= 0)
            yield _repair_json(part[first:])


def _load_json(text: str) -> object:
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return None


def _find_first_object(text: str) -> object:
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None


def _find_block_end(text: str, start: int) -> int:
    """Return where a broken block ends: at its last closing bracket, at the end of its fence, or with the text."""
    depth = 0
    fence = _FENCE_LINE.search(text, start)
    limit = fence.start() if fence else len(text)
    for position in range(start, limit):
        depth += (text[position] in "[{") - (text[position] in "]}")
        if depth == 0:
            return position + 1
    return limit


def _repair_json(text: str, max_nesting: int = _MAX_NESTING) -> object:
    if len(text) > _MAX_REPAIR_CHARACTERS or sum(map(text.count, "{[")) > max_nesting:
        return None
    import json_repair  # twenty modules, for the few answers that are broken

    try:
        data = json_repair.loads(text, skip_json_loads=True)
    except Exception:  # noqa: BLE001  (whatever a mender of broken text trips over, the text is broken)
        return None
    if isinstance(data, list) and len(data) > 1 and isinstance(data[0], dict):
        # Several objects, or one followed by words.
        return data[0] if not all(isinstance(entry, dict) for entry in data) else data
    return data


# --- data to a schema -------------------------------------------------------------------------------------


class _SchemaFitter:
    """Corrects data to fit a JSON schema as pydantic writes it."""

    def __init__(self, defs: Mapping[str, Schema]) -> None:
        self._defs = defs

    def fit_value(self, data: object, schema: Schema) -> object:
        schema = self._resolve_reference(schema)
        if words := schema.get("enum") or ([schema["const"]] if "const" in schema else None):
            return _fit_choice(data, words)
        match schema.get("type"):
            case "string":
                return _fit_string(data, schema.get("maxLength"))
            case "integer":
                return _fit_integer(data, schema)
            case "boolean":
                return _fit_boolean(data)
            case "array":
                return self._fit_array(data, schema)
            case "object":
                return self.fit_fields(data, schema) if isinstance(data, dict) else _OMITTED
            case _:
                return _OMITTED

    def fit_fields(self, data: Mapping[Any, object], schema: Schema) -> object:
        by_key = {_normalize_key(str(key)): value for key, value in list(data.items())[:100]}
        fields: dict[str, object] = {}
        for name, field_schema in schema.get("properties", {}).items():
            if _normalize_key(name) in by_key:
                value = self.fit_value(by_key[_normalize_key(name)], field_schema)
                if value is not _OMITTED:
                    fields[name] = value
        for name in schema.get("required", ()):
            field_schema = self._resolve_reference(schema["properties"][name])
            if (
                name not in fields
                and fields
                and field_schema.get("type") == "array"
                and not field_schema.get("minItems")
            ):
                fields[name] = []
        complete = all(name in fields for name in schema.get("required", ()))
        return fields if complete else _OMITTED

    def unwrap_list(self, data: list[object], schema: Schema) -> object:
        """Return the object that a list stands for: its first entry, or a single list field."""
        if data and isinstance(data[0], dict):
            first = self.fit_fields(data[0], schema)
            if isinstance(first, dict) and first:
                return data[0]
        lists = [
            n
            for n, s in schema.get("properties", {}).items()
            if self._resolve_reference(s).get("type") == "array"
        ]
        if not data or not lists:
            return None
        # What has no entry that fits is no answer: `[bold]` would be read as one with an empty list.
        list_schema = self._resolve_reference(schema["properties"][lists[0]])
        return {lists[0]: data} if self._fit_array(data, list_schema) else None

    def _fit_array(self, data: object, schema: Schema) -> object:
        item_schema = self._resolve_reference(schema.get("items", {}))
        if isinstance(data, str):
            lines = (_BULLET.sub("", line).strip() for line in data.splitlines())
            data = [line for line in lines if line and line.casefold() not in ("none", "none.", "n/a")]
        elif isinstance(data, dict):
            data = [data] if item_schema.get("type") == "object" else list(data.values())
        if not isinstance(data, list):
            return _OMITTED if data is not None else []
        max_items = schema.get("maxItems", len(data))
        entries = [self.fit_value(entry, item_schema) for entry in data[: 10 * max_items]]
        valid_entries = [entry for entry in entries if entry is not _OMITTED and entry != ""]
        if item_schema.get("type") == "string":
            valid_entries = list(dict.fromkeys(valid_entries))  # small models repeat themselves
        return valid_entries[:max_items]

    def _resolve_reference(self, schema: Schema) -> Schema:
        if "$ref" in schema:
            return self._defs.get(str(schema["$ref"]).rpartition("/")[2], {})
        return next((s for s in schema.get("anyOf", ()) if s.get("type") != "null"), schema)


def _fit_choice(data: object, words: list[Any]) -> object:
    from rapidfuzz import fuzz, process  # loaded when it is needed: three megabytes

    if not isinstance(data, str):
        return next((word for word in words if word == data), _OMITTED)
    normalized = _normalize_key(data[:100]).removeprefix("/")
    keys = {_normalize_key(str(word)): word for word in words}
    if normalized in keys:
        return keys[normalized]
    closest = (
        process.extractOne(normalized, list(keys), scorer=fuzz.ratio, score_cutoff=_MIN_LIKENESS)
        if normalized
        else None
    )
    return keys[closest[0]] if closest else _OMITTED


def _fit_string(data: object, limit: int | None) -> object:
    if isinstance(data, dict):
        data = next((data[key] for key in ("text", "name", "value", "description") if key in data), None)
    if isinstance(data, list):
        data = "; ".join(str(entry) for entry in data[:10] if isinstance(entry, str | int))
    if data is None:
        return ""
    if isinstance(data, bool):
        data = "yes" if data else "no"
    # Removes terminal escapes and lone surrogates (an escape that the model cut in half).
    return clean(str(data))[:limit]


def _fit_integer(data: object, schema: Schema) -> object:
    low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
    if isinstance(data, str) and (match := _NUMBER.search(data[:100])):
        data = float(match[0]) if "." in match[0] else int(match[0])
    if isinstance(data, bool) or not isinstance(data, int | float):
        return _OMITTED
    if isinstance(data, float):
        if not math.isfinite(data):
            return _OMITTED
        if high == 100 and 0 < data <= 1:
            data *= 100  # a fraction instead of a percentage
    return round(min(max(data, low), high))


def _fit_boolean(data: object) -> object:
    if isinstance(data, bool):
        return data
    return (
        _TRUTH_WORDS.get(str(data).strip().casefold(), _OMITTED) if isinstance(data, str | int) else _OMITTED
    )


def _normalize_key(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", name.strip().casefold())


def _close_schema(schema: Any) -> Any:
    """Return a schema without titles and defaults that requires every field and forbids others."""
    if isinstance(schema, list):
        return [_close_schema(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {
        key: {name: _close_schema(field) for name, field in value.items()}
        if key in ("properties", "$defs")
        else _close_schema(value)
        for key, value in schema.items()
        if key not in ("title", "default", "description")
    }
    if "properties" in closed:
        closed |= {"additionalProperties": False, "required": list(closed["properties"])}
    return closed
