"""The arrays that vectors are searched in, with numpy: exact cosine over everything, or over what is likely.

Only `vector_index` imports this, and only when the first vector comes: numpy costs a tenth of a second.

Of many vectors only those are measured whose signs, a bit a number, agree best with the question's. On one
core, of 100,000 vectors of 384 numbers, that takes 3 ms, and 16 ms to measure every one (70 ms if numpy
widens the float16 numbers itself; 9 ms and twice the memory as float32). What it misses is in
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

Halves = npt.NDArray[np.float16]
Singles = npt.NDArray[np.float32]
Rows = npt.NDArray[np.intp]
Words = npt.NDArray[np.uint64]

_SIEVED = 16_384
"""Rows from which the signs are looked at first."""

_LIKELY = 24
_LEAST_LIKELY = 4_096
_LIKELY_EACH = 40
"""Which part of them (one by it) is then measured; at least so many, and so many for each one wanted."""

_BITS = 64

_BLOCK = 1024
"""Vectors widened at a time: the block and its copy stay in the processor's cache."""

_IN_BLOCK = 768
"""Rows of a block that are wanted; in a block's stretch, up to a quarter of it are not."""

_KEPT_BITS = np.int32(-0x70002000)
"""0x8FFFE000: the places that the sign and the other fifteen bits of a float16 have in a float32."""

_REBIAS = np.float32(2.0**112)
"""The exponents of float16 and float32 begin 112 apart."""


def unit(vector: Sequence[float]) -> Singles:
    """Return the vector at length one (a vector of noughts stays so: it is like nothing)."""
    array = np.asarray(vector, dtype=np.float32)
    if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all():
        raise StoreError("A vector must be a plain list of finite numbers.", kept="Nothing was written.")
    if largest := np.abs(array).max():
        array = array / largest  # first, so that no square is too large or too small
        array = array / np.linalg.norm(array)
    return array


def packed(vector: Sequence[float]) -> bytes:
    """Return the unit vector as little-endian float16, as it is stored."""
    return unit(vector).astype("<f2").tobytes()


class Change(NamedTuple):
    """One written vector (None: deleted) with its scope in pairs."""

    seq: int
    id: Id
    scope: tuple[tuple[str, str], ...]
    vector: bytes | None


class VectorSpace:
    """The living vectors of one collection and model, in arrays that grow at their tail.

    A vector that is replaced or deleted is struck out where it stands; `seq` is the last change taken in.
    """

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.seq = 0
        self._ids: list[Id] = []
        self._place: dict[Id, int] = {}
        self._halves: Halves = np.empty((0, dimension), dtype=np.float16)
        self._signs: Words = np.empty((-(-dimension // _BITS), 0), dtype=np.uint64)
        self._alive: npt.NDArray[np.bool_] = np.empty(0, dtype=np.bool_)
        self._scopes: dict[tuple[str, str], array[int]] = {}

    @property
    def mostly_dead(self) -> bool:
        """Whether the arrays are better made anew."""
        return len(self._ids) > _BLOCK + 2 * len(self._place)

    def take(self, changes: Sequence[Change]) -> None:
        """Take in what changed, in the order of `seq`, at most one change an identifier."""
        for change in changes:
            self._strike_out(change.id)
        living = [change for change in changes if change.vector is not None]
        start, end = len(self._ids), len(self._ids) + len(living)
        self._make_room(end)
        blobs = b"".join(change.vector for change in living if change.vector is not None)
        self._halves[start:end] = np.frombuffer(blobs, dtype="<f2").reshape(-1, self.dimension)
        self._signs[:, start:end] = _signs(self._halves[start:end])
        self._alive[start:end] = True
        for row, change in enumerate(living, start):
            self._ids.append(change.id)
            self._place[change.id] = row
            for pair in change.scope:
                self._scopes.setdefault(pair, array("q")).append(row)
        self.seq = changes[-1].seq

    def nearest(
        self, vector: Sequence[float], k: int, scope: Mapping[str, str] | None
    ) -> list[tuple[Id, float]]:
        """The `k` nearest by cosine, best first; those that are equally near, by identifier. Of more than
        `_SIEVED` one may be missed that hardly agrees in its signs."""
        rows, wanted = self._rows_in(scope or {}), unit(vector)
        likely = max(len(rows) // _LIKELY, _LEAST_LIKELY, _LIKELY_EACH * k)
        if len(rows) > max(_SIEVED, likely):
            rows = self._likely(rows, wanted, likely)
        scores = _dot(self._halves, rows, wanted)
        if len(rows) > k:
            threshold = np.partition(scores, len(rows) - k)[len(rows) - k]
            near = scores >= threshold
            rows, scores = rows[near], scores[near]
        found = [(self._ids[row], float(score)) for row, score in zip(rows, scores, strict=True)]
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))[:k]

    def _likely(self, rows: Rows, vector: Singles, count: int) -> Rows:
        """Return the `count` of `rows` that agree best in their signs, and who agrees as well as the last."""
        (asked,) = _signs(vector[np.newaxis]).T
        # Of all, and not only of `rows`: to walk past is cheaper than to gather.
        apart = np.zeros(len(self._ids), dtype=np.uint16)
        for own, word in zip(self._signs[:, : len(self._ids)], asked, strict=True):
            apart += np.bitwise_count(own ^ word)
        apart = apart[rows]
        at_most = int(np.searchsorted(np.cumsum(np.bincount(apart)), count))
        return rows[apart <= at_most]

    def _rows_in(self, scope: Mapping[str, str]) -> Rows:
        """The living rows that match every pair of the scope."""
        chosen = self._alive[: len(self._ids)].copy()
        for pair in scope.items():
            inside = np.zeros_like(chosen)
            if pair in self._scopes:
                inside[np.frombuffer(self._scopes[pair], dtype=np.int64)] = True
            chosen &= inside
        return np.flatnonzero(chosen)

    def _strike_out(self, id: Id) -> None:
        row = self._place.pop(id, None)
        if row is not None:
            self._alive[row] = False

    def _make_room(self, rows: int) -> None:
        if rows > len(self._alive):
            room = max(rows, 2 * len(self._alive))
            self._halves = _grown(self._halves, room)
            self._signs = _grown(self._signs.T, room).T.copy()
            self._alive = _grown(self._alive, room)


def _grown(array: npt.NDArray[np.generic], room: int) -> npt.NDArray:  # type: ignore[type-arg]
    grown = np.empty((room, *array.shape[1:]), dtype=array.dtype)
    grown[: len(array)] = array
    return grown


def _signs(vectors: npt.NDArray[np.floating]) -> Words:
    """Return the signs of the vectors a column each, as words of bits."""
    bits = np.packbits(vectors > 0, axis=1)
    whole = np.zeros((len(vectors), -(-vectors.shape[1] // _BITS) * (_BITS // 8)), dtype=np.uint8)
    whole[:, : bits.shape[1]] = bits
    return whole.view(np.uint64).T


def _dot(halves: Halves, rows: Rows, vector: Singles) -> Singles:
    """Return the products of `vector` with those rows, in float32.

    A float16 is widened by moving its bits to where a float32 has them, block by block; what that
    leaves out of the exponent is put back through the vector. Exact, subnormal numbers included.
    """
    vector = vector * _REBIAS
    scores = np.empty(len(rows), dtype=np.float32)
    bits = halves.view(np.int16)
    wide = np.empty((_BLOCK, halves.shape[1]), dtype=np.int32)
    for start in range(0, len(rows), _IN_BLOCK):
        block = rows[start : start + _IN_BLOCK]
        looked_at, wanted = _stretch(block)
        narrow = bits[looked_at]
        part = wide[: len(narrow)]
        part[...] = narrow
        np.left_shift(part, 13, out=part)
        np.bitwise_and(part, _KEPT_BITS, out=part)
        scores[start : start + len(block)] = np.dot(part.view(np.float32), vector)[wanted]
    return scores


def _stretch(block: Rows) -> tuple[slice | Rows, slice | Rows]:
    """Return what to look at for these rows, and where they are in it.

    A stretch with few gaps is looked at in place, gaps and all; rows that lie apart must be gathered.
    """
    first, last = int(block[0]), int(block[-1])
    if last - first < _BLOCK:
        return slice(first, last + 1), block - first
    return block, slice(None)
