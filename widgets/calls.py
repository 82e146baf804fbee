"""Words about calls of a model that more than one list says: outcomes, tokens, money, times."""

from __future__ import annotations

from agents.llm.budget import format_dollars
from stores.records.model import CallOutcome, LlmCall, Rung
from widgets.ink import Ink, Piece

OUTCOMES: dict[CallOutcome, Piece] = {
    CallOutcome.DONE: ("✓ done", Ink.GOOD),
    CallOutcome.CUT: ("✂ cut off", Ink.WARN),
    CallOutcome.STOPPED: ("■ stopped by you", Ink.WARN),
    CallOutcome.REFUSED: ("✗ refused", Ink.BAD),
    CallOutcome.FAILED: ("✗ failed", Ink.BAD),
}
RUNGS = {
    Rung.PLAIN: "answered in plain words",
    Rung.SCHEMA: "answer read by its schema",
    Rung.TOOLS: "answer read from a tool call",
    Rung.TEXT: "answer found in its text",
    Rung.HEURISTICS: "answer read by heuristics",
    Rung.NONE: "no rung could read the answer",
}
"""On which rung of the ladder an answer was read."""


def seconds(time: float) -> str:
    """Say a time as the eye wants it: `12 ms`, `4.2 s`, `75 s`."""
    if time < 1:
        return f"{time * 1000:.0f} ms"
    return f"{time:.1f} s" if time < 60 else f"{time:.0f} s"


def tokens(count: int, exact: bool) -> str:
    """Say a number of tokens; an estimate has a sign before it."""
    return f"{count:,}" if exact else f"~{count:,}"


def cost(call: LlmCall) -> str:
    return format_dollars(call.cost.micros) if call.cost.known else "no known price"


def money(micros: int, unpriced: int) -> str:
    """Say a sum; a question mark for what no price is known of."""
    if unpriced and not micros:
        return "$?"
    return f"{format_dollars(micros)}{'+?' if unpriced else ''}"


def usage(call: LlmCall) -> str:
    """Say what went in and came out, and whether the provider counted it."""
    cached = f" ({call.tokens_cached:,} cached)" if call.tokens_cached else ""
    counted = "counted by the provider" if call.counted else "estimated"
    there = f"{tokens(call.tokens_in, call.counted)} in{cached}, {tokens(call.tokens_out, call.counted)} out"
    return f"{there}, {counted}"


def times(call: LlmCall) -> str:
    """Say how long it took to the first word and in all."""
    if call.first_seconds is not None:
        first = f"first word after {seconds(call.first_seconds)}, "
    else:
        first = "" if call.answer else "no word came, "
    return f"{first}{seconds(call.seconds)} in all"
