"""What a load of the scheduler asked for, and what became of it, as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks import table
from stores.records.ids import Id
from stores.records.llm import CallOutcome, LlmCall

MIN_FAIRNESS: Final = 0.95
GREED: Final = 5
"""How many times as much the greedy universe asks for."""


@dataclass(frozen=True, slots=True)
class LoadShape:
    """How much is asked of the scheduler."""

    universes: int = 5
    agents: int = 50
    loops: int = 10
    greed: int = GREED
    """How many times as many loops the agents of the first universe ask for."""
    weekly_cap: int | None = None
    """Tokens that the last universe may use in a week."""
    kills: int = 0
    """How often a process that does the work is killed on its way, before the rest is done."""
    workers: int = 0
    """How many processes work over a broker; 0: the program itself."""
    broker_restarts: int = 0
    """How often the broker is killed and started again on the way."""
    call_seconds: float = 0.0
    """How long a call of the model takes."""

    @property
    def pieces(self) -> int:
        return self.agents * self.loops * (self.universes - 1 + self.greed)


@dataclass(slots=True)
class LoadResult:
    """What became of a load."""

    shape: LoadShape
    seconds: float
    cpu_seconds: float
    lag_seconds: Sequence[float]
    """How long each piece waited for its turn."""
    calls: Sequence[LlmCall]
    """All calls on record, in the order in which they were made."""
    counted_tokens: int
    """Tokens that the program's own figures have counted; without those of killed processes."""
    universe_ids: Sequence[Id]
    taken_away: int = 0
    """Pieces that were taken from a worker that was lost, and done by another."""
    kill_count: int = 0
    """How often a worker was killed while it ran."""

    @property
    def served(self) -> list[Id]:
        """Return the universe of each piece, in the order in which they were done."""
        return [call.universe_id for call in self._done_calls()]

    @property
    def answers(self) -> Counter[Id | None]:
        """How many answers are on record for each loop of each agent."""
        return Counter(call.run_id for call in self.calls if call.outcome is CallOutcome.DONE)

    @property
    def doubled(self) -> int:
        return sum(count - 1 for count in self.answers.values())

    @property
    def lost(self) -> int:
        """Return how many pieces are neither done nor held back by the cap."""
        expected = self.shape.pieces
        if self.shape.weekly_cap is not None:
            expected -= self.shape.agents * self.shape.loops
            return expected - sum(call.universe_id != self.universe_ids[-1] for call in self._done_calls())
        return expected - len(self._done_calls())

    @property
    def given(self) -> list[int]:
        """Return the pieces that each universe was given while all of them had work, without one that has a cap."""
        competing = self.universe_ids if self.shape.weekly_cap is None else self.universe_ids[:-1]
        share = self.shape.agents * self.shape.loops
        counts = Counter[Id]()
        for universe_id in self.served:
            counts[universe_id] += 1
            if any(counts[other] >= share for other in competing[1:]):
                break
        return [counts[universe_id] for universe_id in competing]

    @property
    def fairness(self) -> float:
        """Return Jain's index of what universes were given."""
        return jains_index(self.given)

    @property
    def capped_tokens(self) -> int:
        return sum(
            call.tokens_in + call.tokens_out
            for call in self.calls
            if call.universe_id == self.universe_ids[-1]
        )

    def _done_calls(self) -> list[LlmCall]:
        return [call for call in self.calls if call.outcome is CallOutcome.DONE]


def jains_index(amounts: Sequence[float]) -> float:
    """Return how evenly amounts are spread: 1 if all are equal, 1/n if one has everything (Jain et al., 1984)."""
    total, squares = sum(amounts), sum(amount * amount for amount in amounts)
    return total * total / (len(amounts) * squares) if squares else 1.0


def format_result(title: str, result: LoadResult) -> list[str]:
    """Return the lines of a run's table."""
    shape, lags = result.shape, result.lag_seconds
    done = len(result.served)
    is_whole = not result.lost and not result.doubled
    rows = [
        ("pieces done", f"{done:,} in {result.seconds:,.1f} s", ""),
        (
            "cost of a piece",
            f"{1_000 * result.seconds / done:,.1f} ms"
            + (
                ""
                if shape.kills and not shape.workers
                else f", {1_000 * result.cpu_seconds / done:,.1f} ms of CPU"
            ),
            "",
        ),
        (
            "wait for a turn",
            f"p50 {table.percentile(lags, 50):,.2f} s, p95 {table.percentile(lags, 95):,.2f} s (aim 300 s)",
            verdict(table.percentile(lags, 95) <= 300),
        ),
        (
            "fairness (Jain's index)",
            f"{result.fairness:.4f} (aim {MIN_FAIRNESS})",
            verdict(result.fairness >= MIN_FAIRNESS),
        ),
        ("given to each meanwhile", ", ".join(f"{count:,}" for count in result.given), ""),
        ("lost, done twice", f"{result.lost:,}, {result.doubled:,}", verdict(is_whole)),
    ]
    if shape.workers:
        rows.append(("taken from lost workers", f"{result.taken_away:,}", ""))
    if shape.weekly_cap is not None:
        pieces = sum(universe_id == result.universe_ids[-1] for universe_id in result.served)
        asked = shape.agents * shape.loops
        used = f"{result.capped_tokens:,} of {shape.weekly_cap:,} tokens, {pieces:,} of {asked:,} pieces"
        is_held = result.capped_tokens <= shape.weekly_cap and 0 < pieces < asked
        rows.append(("universe with a cap", used, verdict(is_held)))
    recorded = sum(call.tokens_in + call.tokens_out for call in result.calls)
    if not shape.kills:
        tokens = f"{result.counted_tokens:,}, {recorded:,}"
        rows.append(("tokens counted, on record", tokens, verdict(result.counted_tokens == recorded)))
    size = f"{shape.universes} universes x {shape.agents} agents x {shape.loops} loops"
    return [
        f"{title}: {size}",
        *(f"  {name:<26} {value:<48} {word}".rstrip() for name, value, word in rows),
        "",
    ]


def verdict(is_met: bool) -> str:
    return "ok" if is_met else "NOT MET"
