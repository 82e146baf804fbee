"""What the client and the child process say to each other: one JSON object a line, both ways.

To the child:  {"id": 1, "op": "stream", "ask": {...}}   and op `tokens`, `facts`; {"op": "cancel", "id": 1};
               {"op": "keys", "keys": {...}}: the one line that holds a key;
               {"id": 1, "op": "embed", "what": {...}}, whose value is as `embedded_out` has it.
From it:       {"ready": "1.102.4"} or {"failed": "..."} once; then per id any number of {"words": "..."} and
               {"alive": true}, and one of {"usage": {...}}, {"value": ...}, {"error": {...}}.
"""

from __future__ import annotations

import json
import struct
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from typing import Any, Final

from agents.model import errors
from agents.model.errors import ModelBusy, ModelError
from agents.model.port import Ask, Message, ModelFacts, Shape, Usage
from stores.records.model import Money

LONGEST_UP: Final = 4_000_000
"""Bytes of a line from the child. Its words come in pieces of `PIECE` characters."""

LONGEST_DOWN: Final = 32_000_000
"""Bytes of a line to the child: far more than any model's window."""

PIECE: Final = 16_000

_KINDS: Final = {
    kind.code: kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, ModelError)
}


def line(message: Mapping[str, Any]) -> bytes:
    """Encode one line. What is not valid Unicode is replaced."""
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace") + b"\n"


def read(raw: bytes) -> dict[str, Any]:
    """Decode one line. Raises ValueError if it is no JSON object."""
    message = json.loads(raw)
    if not isinstance(message, dict):
        raise ValueError("not an object")  # noqa: TRY004 - as any other bad line
    return message


def ask_out(ask: Ask) -> dict[str, Any]:
    return asdict(ask)


def ask_in(told: Mapping[str, Any]) -> Ask:
    shape = told["shape"]
    return Ask(
        **{
            **told,
            "messages": tuple(Message(**message) for message in told["messages"]),
            "shape": Shape(**shape) if shape else None,
        }
    )


def embedded_out(vectors: Sequence[Sequence[float]], usage: Usage) -> dict[str, Any]:
    """Vectors as float32 in base64: as JSON numbers they take four times as much."""
    size = len(vectors[0]) if vectors else 0
    if any(len(vector) != size for vector in vectors):
        raise ValueError("vectors of several lengths")
    packed = struct.pack(f"<{size * len(vectors)}f", *chain.from_iterable(vectors))
    return {"vectors": b64encode(packed).decode("ascii"), "size": size, "usage": usage_out(usage)}


def embedded_in(told: Mapping[str, Any]) -> tuple[list[Sequence[float]], Usage]:
    packed, size = b64decode(told["vectors"]), int(told["size"])
    vectors: list[Sequence[float]] = list(struct.iter_unpack(f"<{size}f", packed)) if size else []
    return vectors, usage_in(told["usage"])


def usage_out(usage: Usage) -> dict[str, Any]:
    return {**asdict(usage), "cost": usage.cost.model_dump()}


def usage_in(told: Mapping[str, Any]) -> Usage:
    return Usage(**{**told, "cost": Money(**told["cost"])})


def facts_out(facts: ModelFacts) -> dict[str, Any]:
    return asdict(facts)


def facts_in(told: Mapping[str, Any]) -> ModelFacts:
    return ModelFacts(**told)


def error_out(error: ModelError) -> dict[str, Any]:
    after = error.after if isinstance(error, ModelBusy) else None
    return {"code": error.code, "what": error.what, "todo": error.todo, "again": error.again, "after": after}


def error_in(told: Mapping[str, Any]) -> ModelError:
    kind = _KINDS[told["code"]]
    error = kind(told["what"], todo=told["todo"])
    error.again = told["again"]
    if isinstance(error, ModelBusy):
        error.after = told["after"]
    return error
