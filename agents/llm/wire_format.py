"""Encodes what the client and the child process send each other: one JSON object a line, both ways.

To the child:  {"id": 1, "op": "stream", "ask": {...}}, and the ops `tokens` and `facts`;
               {"id": 1, "op": "embed", "what": {...}}, answered as `embedding_to_json` encodes it;
               {"op": "cancel", "id": 1};
               {"op": "keys", "keys": {...}}, the only line that contains an API key.
From it:       {"ready": "1.102.4"} or {"failed": "..."} once; then for each id any number of {"words": "..."}
               and {"alive": true}, and one of {"usage": {...}}, {"value": ...}, {"error": {...}}.
"""

from __future__ import annotations

import json
import struct
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from typing import Any, Final

from agents.llm import errors
from agents.llm.errors import ModelBusy, ModelError
from agents.llm.llm_port import AnswerSchema, LlmRequest, Message, ModelFacts, Usage
from stores.records.llm import Money

MAX_LINE_FROM_CHILD: Final = 4_000_000
"""Bytes of a line from the child. Its text comes in pieces of `CHUNK_CHARACTERS`."""

MAX_LINE_TO_CHILD: Final = 32_000_000
"""Bytes of a line to the child: far more than any model's window."""

CHUNK_CHARACTERS: Final = 16_000

_ERROR_CLASSES: Final = {
    kind.code: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, ModelError)
}


def encode_line(message: Mapping[str, Any]) -> bytes:
    """Encode one line. Invalid Unicode is replaced."""
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace") + b"\n"


def decode_line(raw: bytes) -> dict[str, Any]:
    """Decode one line. Raises ValueError if it is not a JSON object."""
    message = json.loads(raw)
    if not isinstance(message, dict):
        raise ValueError("not an object")  # noqa: TRY004 - as any other bad line
    return message


def request_to_json(request: LlmRequest) -> dict[str, Any]:
    return asdict(request)


def request_from_json(data: Mapping[str, Any]) -> LlmRequest:
    schema_data = data["shape"]
    return LlmRequest(
        **{
            **data,
            "stop": tuple(data["stop"]),
            "messages": tuple(
                Message(**{**message, "pictures": tuple(message["pictures"])}) for message in data["messages"]
            ),
            "shape": AnswerSchema(**schema_data) if schema_data else None,
        }
    )


def embedding_to_json(vectors: Sequence[Sequence[float]], usage: Usage) -> dict[str, Any]:
    """Encode vectors as float32 in base64: as JSON numbers they would take four times the space."""
    size = len(vectors[0]) if vectors else 0
    if any(len(vector) != size for vector in vectors):
        raise ValueError("vectors of several lengths")
    packed = struct.pack(f"<{size * len(vectors)}f", *chain.from_iterable(vectors))
    return {"vectors": b64encode(packed).decode("ascii"), "size": size, "usage": usage_to_json(usage)}


def embedding_from_json(data: Mapping[str, Any]) -> tuple[list[Sequence[float]], Usage]:
    packed, size = b64decode(data["vectors"]), int(data["size"])
    vectors: list[Sequence[float]] = list(struct.iter_unpack(f"<{size}f", packed)) if size else []
    return vectors, usage_from_json(data["usage"])


def usage_to_json(usage: Usage) -> dict[str, Any]:
    return {**asdict(usage), "cost": usage.cost.model_dump()}


def usage_from_json(data: Mapping[str, Any]) -> Usage:
    return Usage(**{**data, "cost": Money(**data["cost"])})


def facts_to_json(facts: ModelFacts) -> dict[str, Any]:
    return asdict(facts)


def facts_from_json(data: Mapping[str, Any]) -> ModelFacts:
    return ModelFacts(**data)


def error_to_json(error: ModelError) -> dict[str, Any]:
    retry_after = error.retry_after if isinstance(error, ModelBusy) else None
    return {
        "code": error.code,
        "what": error.what,
        "todo": error.todo,
        "again": error.is_retryable,
        "after": retry_after,
    }


def error_from_json(data: Mapping[str, Any]) -> ModelError:
    kind = _ERROR_CLASSES[data["code"]]
    error = kind(data["what"], todo=data["todo"])
    error.is_retryable = data["again"]
    if isinstance(error, ModelBusy):
        error.retry_after = data["after"]
    return error
