"""Estimates the cost of a request whose provider reported none, or an impossible one. Pure.

A stream that breaks off comes without a count of tokens, but providers bill it: a budget that counted it as
free could be exceeded without limit.
"""

from __future__ import annotations

from agents.llm.llm_port import ModelFacts, Usage
from stores.records.llm import MAX_CALL_MICROS, MAX_CALL_TOKENS, Money


def price_tokens(facts: ModelFacts, tokens_in: int, tokens_out: int) -> Money:
    """Return the price of these tokens by the price list, without any discount for cached ones."""
    if facts.in_per_million is None:
        return Money(known=False)
    # Dollars for a million tokens are millionths of a dollar for one.
    return Money(micros=round(tokens_in * facts.in_per_million + tokens_out * (facts.out_per_million or 0.0)))


def estimate_usage(facts: ModelFacts, tokens_in: int, tokens_out: int, *, finish: str = "stop") -> Usage:
    """Return the usage of a request from our own counts of tokens."""
    return Usage(tokens_in, tokens_out, cost=price_tokens(facts, tokens_in, tokens_out), finish=finish)


def is_plausible(usage: Usage) -> bool:
    """Return whether a provider's count is possible: not negative, and within bounds."""
    counts = (usage.tokens_in, usage.tokens_out, usage.tokens_cached)
    return all(0 <= count <= MAX_CALL_TOKENS for count in counts) and usage.cost.micros <= MAX_CALL_MICROS
