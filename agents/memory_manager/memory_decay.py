"""Computes how memories fade and are strengthened, in world time.

*Forgetting* follows a power law: R(t) = (1 + 19/81 * t/S) ** -0.5, the curve of FSRS-4.5
(open-spaced-repetition, "The Algorithm"; at t = S nine of ten are still recalled). Over long spans a power
of time fits human forgetting better than an exponential (Wixted & Ebbesen, Psychological Science 2(6),
1991; Rubin & Wenzel, Psychological Review 103(4), 1996): memories fade slowly instead of vanishing at once.

*Stability* S grows with importance: a day at importance 0, a year at 1, 365 ** importance days in between.

*Recalling* restarts the curve and makes it flatter: strength *= 1 + 2 * (1 - R). The more had faded, the
more is gained (the spacing effect: Cepeda et al., Psychological Bulletin 132(3), 2006); recalling a fresh
memory gains nothing. MemoryBank (Zhong et al., AAAI 2024) adds one for every recall, so that a memory that
stands in every prompt would never fade; here recalls within an hour count as one.

Below FORGOTTEN_RETENTION a memory is not recalled by itself any more: after 43 S, which is six weeks of
world time at importance 0, more than two years at 0.5, and longer than a life at 1.
"""

from __future__ import annotations

import math
from datetime import datetime
from typing import Final

from stores.records.memory import Memory

DAY_TICKS: Final = 24 * 60
"""World time (ticks) of a day of stability, whatever the universe's calendar."""
MAX_STABILITY_DAYS: Final = 365.0
"""Days of stability at importance 1."""
DECAY_FACTOR: Final = 19 / 81
DECAY_POWER: Final = -0.5
RECALL_GROWTH: Final = 2.0
"""The factor by which recalling a completely faded memory strengthens it."""
MAX_STRENGTH: Final = 40.0
"""The greatest strength: recalled that often, a memory is known by heart."""
RECALL_INTERVAL_TICKS: Final = 60
"""World time (ticks) within which several recalls count as one."""
FORGOTTEN_RETENTION: Final = 0.3
"""Retention below which a memory is not recalled by itself."""


def compute_stability(importance: float, strength: float = 1.0) -> float:
    """Return the world time (ticks) after which nine of ten such memories are still recalled."""
    return DAY_TICKS * math.pow(MAX_STABILITY_DAYS, importance) * strength


def compute_retention(memory: Memory, now: int) -> float:
    """Return the retention of a memory at world time `now`, from 1 (fresh) towards 0."""
    since_tick = memory.tick if memory.recalled is None else max(memory.tick, memory.recalled)
    elapsed_ticks = max(0, now - since_tick)
    return math.pow(
        1 + DECAY_FACTOR * elapsed_ticks / compute_stability(memory.importance, memory.strength), DECAY_POWER
    )


def is_forgotten(memory: Memory, now: int) -> bool:
    return compute_retention(memory, now) < FORGOTTEN_RETENTION


def recall_memory(memory: Memory, tick: int, recalled_at: datetime) -> Memory:
    """Return the memory after it was recalled at world time `tick`.

    No order of recalls ever weakens it.
    """
    last_recall_tick = memory.tick if memory.recalled is None else memory.recalled
    counted_memory = memory.model_copy(
        update={"access_count": memory.access_count + 1, "last_accessed": recalled_at}
    )
    if tick - last_recall_tick < RECALL_INTERVAL_TICKS:
        return counted_memory
    gained_strength = memory.strength * (1 + RECALL_GROWTH * (1 - compute_retention(memory, tick)))
    return counted_memory.model_copy(
        update={"recalled": tick, "strength": max(memory.strength, min(MAX_STRENGTH, gained_strength))}
    )
