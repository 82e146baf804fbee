"""Words on model calls that several lists use: outcomes, tokens, money, times."""

from __future__ import annotations

from agents.llm.budget import format_dollars
from stores.records.llm import CallOutcome, FallbackStep, LlmCall
from widgets.ink import Ink, Piece

CALL_OUTCOMES: dict[CallOutcome, Piece] = {
    CallOutcome.DONE: ("✓ done", Ink.GOOD),
    CallOutcome.CUT: ("✂ cut off", Ink.WARN),
    CallOutcome.STOPPED: ("■ stopped by you", Ink.WARN),
    CallOutcome.REFUSED: ("✗ refused", Ink.BAD),
    CallOutcome.FAILED: ("✗ failed", Ink.BAD),
}
FALLBACK_STEP_TEXTS = {
    FallbackStep.PLAIN: "answered in plain words",
    FallbackStep.SCHEMA: "answer read by its schema",
    FallbackStep.TOOLS: "answer read from a tool call",
    FallbackStep.TEXT: "answer read from its text",
    FallbackStep.HEURISTICS: "answer guessed from its text",
    FallbackStep.NONE: "the answer could not be read",
}
"""The step of the fallback ladder at which an answer was read, in words."""


def seconds_text(time: float) -> str:
    """Return a time as `12 ms`, `4.2 s`, `75 s`."""
    if time < 1:
        return f"{time * 1000:.0f} ms"
    return f"{time:.1f} s" if time < 60 else f"{time:.0f} s"


def tokens_text(count: int, is_exact: bool) -> str:
    """Return a number of tokens; an estimate has a sign before it."""
    return f"{count:,}" if is_exact else f"~{count:,}"


def cost_text(call: LlmCall) -> str:
    return format_dollars(call.cost.micros) if call.cost.known else "no known price"


def sum_text(micros: int, unpriced: int) -> str:
    """Return a sum of money; a question mark where no price is known."""
    if unpriced and not micros:
        return "$?"
    return f"{format_dollars(micros)}{'+?' if unpriced else ''}"


def usage_text(call: LlmCall) -> str:
    """Return the tokens in and out, and whether the provider counted them."""
    cached_note = f" ({call.tokens_cached:,} cached)" if call.tokens_cached else ""
    counted_note = "counted by the provider" if call.counted else "estimated"
    token_counts = (
        f"{tokens_text(call.tokens_in, call.counted)} in{cached_note}, "
        f"{tokens_text(call.tokens_out, call.counted)} out"
    )
    return f"{token_counts}, {counted_note}"


def times_text(call: LlmCall) -> str:
    """Return the time to the first word and in all."""
    if call.first_seconds is not None:
        first_word_text = f"first word after {seconds_text(call.first_seconds)}, "
    else:
        first_word_text = "" if call.answer else "no word came, "
    return f"{first_word_text}{seconds_text(call.seconds)} in all"
