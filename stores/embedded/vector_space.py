"""In-memory arrays for vector search with numpy: exact cosine over all vectors, or over likely candidates.

Imported by `vector_index` when the first vector is used, as importing numpy takes 0.1 s.

Among many vectors, the cosine is computed only for those whose signs, one bit per number, agree best with the
query's. On one core, with 100,000 vectors of 384 numbers, that takes 3 ms, and 16 ms for all of them (70 ms if numpy
converts the float16 numbers itself; 9 ms and twice the memory as float32). What it misses is in
docs/decisions/0019-many-are-sieved-first.md.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stores.errors import StoreError
from stores.records.ids import Id

Float16Array = npt.NDArray[np.float16]
Float32Array = npt.NDArray[np.float32]
RowNumbers = npt.NDArray[np.intp]
SignWords = npt.NDArray[np.uint64]

_PREFILTER_ROWS = 16_384
"""Rows from which the signs are compared first."""

_CANDIDATE_DIVISOR = 24
_MIN_CANDIDATES = 4_096
_CANDIDATES_PER_RESULT = 40
"""Which part of them (one by it) is then measured; at least so many, and so many for each one wanted."""

_BITS_PER_WORD = 64

_BLOCK = 1024
"""Vectors converted at a time, so that the block and its copy stay in the processor's cache."""

_BLOCK_ROWS = 768
"""Rows of a block that are wanted; in a block's stretch, up to a quarter of it are not."""

_FLOAT16_BITS = np.int32(-0x70002000)
"""0x8FFFE000: the places that the sign and the other fifteen bits of a float16 have in a float32."""

_REBIAS = np.float32(2.0**112)
"""The exponents of float16 and float32 begin 112 apart."""


def to_unit_vector(vector: Sequence[float]) -> Float32Array:
    """Return the vector normalised to length one (a zero vector stays zero)."""
    unit_vector = np.asarray(vector, dtype=np.float32)
    if unit_vector.ndim != 1 or unit_vector.size == 0 or not np.isfinite(unit_vector).all():
        raise StoreError("A vector must be a plain list of finite numbers.", kept="Nothing was written.")
    if largest := np.abs(unit_vector).max():
        unit_vector = unit_vector / largest  # first, so that no square is too large or too small
        unit_vector = unit_vector / np.linalg.norm(unit_vector)
    return unit_vector


def pack_vector(vector: Sequence[float]) -> bytes:
    """Return the unit vector as little-endian float16, as it is stored."""
    return to_unit_vector(vector).astype("<f2").tobytes()


class VectorChange(NamedTuple):
    """One written vector (None: deleted) with its scope in pairs."""

    seq: int
    id: Id
    scope: tuple[tuple[str, str], ...]
    vector: bytes | None


class VectorSpace:
    """The vectors of one collection and model, in arrays that grow at their end.

    A vector that is replaced or deleted is marked as deleted in place; `seq` is that of the last change applied.
    """

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.seq = 0
        self._ids: list[Id] = []
        self._row_of_id: dict[Id, int] = {}
        self._halves: Float16Array = np.empty((0, dimension), dtype=np.float16)
        self._signs: SignWords = np.empty((-(-dimension // _BITS_PER_WORD), 0), dtype=np.uint64)
        self._alive: npt.NDArray[np.bool_] = np.empty(0, dtype=np.bool_)
        self._scopes: dict[tuple[str, str], array[int]] = {}

    @property
    def is_mostly_dead(self) -> bool:
        """Whether so many rows are deleted that the arrays should be rebuilt."""
        return len(self._ids) > _BLOCK + 2 * len(self._row_of_id)

    def apply_changes(self, changes: Sequence[VectorChange]) -> None:
        """Apply changes in the order of `seq`, at most one per identifier."""
        for change in changes:
            self._mark_dead(change.id)
        live_changes = [change for change in changes if change.vector is not None]
        start, end = len(self._ids), len(self._ids) + len(live_changes)
        self._ensure_capacity(end)
        blobs = b"".join(change.vector for change in live_changes if change.vector is not None)
        self._halves[start:end] = np.frombuffer(blobs, dtype="<f2").reshape(-1, self.dimension)
        self._signs[:, start:end] = _pack_signs(self._halves[start:end])
        self._alive[start:end] = True
        for row, change in enumerate(live_changes, start):
            self._ids.append(change.id)
            self._row_of_id[change.id] = row
            for pair in change.scope:
                self._scopes.setdefault(pair, array("q")).append(row)
        self.seq = changes[-1].seq

    def nearest(
        self, vector: Sequence[float], k: int, scope: Mapping[str, str] | None
    ) -> list[tuple[Id, float]]:
        """Return the `k` nearest by cosine, best first; ties by identifier.

        With more than `_PREFILTER_ROWS` rows, one whose signs hardly agree may be missed.
        """
        rows, query_vector = self._rows_in(scope or {}), to_unit_vector(vector)
        candidate_count = max(len(rows) // _CANDIDATE_DIVISOR, _MIN_CANDIDATES, _CANDIDATES_PER_RESULT * k)
        if len(rows) > max(_PREFILTER_ROWS, candidate_count):
            rows = self._select_candidates(rows, query_vector, candidate_count)
        scores = _dot(self._halves, rows, query_vector)
        if len(rows) > k:
            threshold = np.partition(scores, len(rows) - k)[len(rows) - k]
            is_near = scores >= threshold
            rows, scores = rows[is_near], scores[is_near]
        hits = [(self._ids[row], float(score)) for row, score in zip(rows, scores, strict=True)]
        return sorted(hits, key=lambda hit: (-hit[1], hit[0]))[:k]

    def _select_candidates(self, rows: RowNumbers, vector: Float32Array, count: int) -> RowNumbers:
        """Return the `count` of `rows` whose signs agree best, with all that tie with the last."""
        (query_signs,) = _pack_signs(vector[np.newaxis]).T
        # Compare all rows and not only `rows`: scanning is cheaper than gathering.
        differing_bits = np.zeros(len(self._ids), dtype=np.uint16)
        for sign_row, query_word in zip(self._signs[:, : len(self._ids)], query_signs, strict=True):
            differing_bits += np.bitwise_count(sign_row ^ query_word)
        differing_bits = differing_bits[rows]
        max_differing_bits = int(np.searchsorted(np.cumsum(np.bincount(differing_bits)), count))
        return rows[differing_bits <= max_differing_bits]

    def _rows_in(self, scope: Mapping[str, str]) -> RowNumbers:
        """Return the rows that are not deleted and match every pair of the scope."""
        is_match = self._alive[: len(self._ids)].copy()
        for pair in scope.items():
            has_pair = np.zeros_like(is_match)
            if pair in self._scopes:
                has_pair[np.frombuffer(self._scopes[pair], dtype=np.int64)] = True
            is_match &= has_pair
        return np.flatnonzero(is_match)

    def _mark_dead(self, id: Id) -> None:
        row = self._row_of_id.pop(id, None)
        if row is not None:
            self._alive[row] = False

    def _ensure_capacity(self, rows: int) -> None:
        if rows > len(self._alive):
            capacity = max(rows, 2 * len(self._alive))
            self._halves = _grow_array(self._halves, capacity)
            self._signs = _grow_array(self._signs.T, capacity).T.copy()
            self._alive = _grow_array(self._alive, capacity)


def _grow_array(array: npt.NDArray[np.generic], capacity: int) -> npt.NDArray:  # type: ignore[type-arg]
    larger_array = np.empty((capacity, *array.shape[1:]), dtype=array.dtype)
    larger_array[: len(array)] = array
    return larger_array


def _pack_signs(vectors: npt.NDArray[np.floating]) -> SignWords:
    """Return the signs of the vectors as bits in words, one column per vector."""
    bits = np.packbits(vectors > 0, axis=1)
    padded_bits = np.zeros(
        (len(vectors), -(-vectors.shape[1] // _BITS_PER_WORD) * (_BITS_PER_WORD // 8)), dtype=np.uint8
    )
    padded_bits[:, : bits.shape[1]] = bits
    return padded_bits.view(np.uint64).T


def _dot(halves: Float16Array, rows: RowNumbers, vector: Float32Array) -> Float32Array:
    """Return the products of `vector` with those rows, in float32.

    A float16 is converted by moving its bits to their positions in a float32, block by block; the difference in
    exponents is corrected in the vector. Exact, subnormal numbers included.
    """
    vector = vector * _REBIAS
    scores = np.empty(len(rows), dtype=np.float32)
    bits = halves.view(np.int16)
    wide_buffer = np.empty((_BLOCK, halves.shape[1]), dtype=np.int32)
    for start in range(0, len(rows), _BLOCK_ROWS):
        block = rows[start : start + _BLOCK_ROWS]
        source_rows, wanted_rows = _choose_source_rows(block)
        float16_bits = bits[source_rows]
        widened_bits = wide_buffer[: len(float16_bits)]
        widened_bits[...] = float16_bits
        np.left_shift(widened_bits, 13, out=widened_bits)
        np.bitwise_and(widened_bits, _FLOAT16_BITS, out=widened_bits)
        scores[start : start + len(block)] = np.dot(widened_bits.view(np.float32), vector)[wanted_rows]
    return scores


def _choose_source_rows(block: RowNumbers) -> tuple[slice | RowNumbers, slice | RowNumbers]:
    """Return the source rows to convert for these rows, and their positions in those.

    A range with few gaps is used in place, gaps included; scattered rows must be gathered.
    """
    first_row, last_row = int(block[0]), int(block[-1])
    if last_row - first_row < _BLOCK:
        return slice(first_row, last_row + 1), block - first_row
    return block, slice(None)
