"""Finds prose that narrates a failure as a success, or the reverse, as a model reads it that was told no dice. Pure.

There is no rule for it: how an attempt ends is said in as many ways as there are things, and patterns of words found
none of 240 such endings (`tests/agents/narrator/data/outcomes.yaml`). Without a reading nothing is said.
"""

from __future__ import annotations

from agents.prose.quotes import find_quote
from stores.records.play import Degree


def find_reported_contradiction(text: str, degree: Degree | None, outcome: str, quoted_text: str) -> str:
    """Return the sentence by which, as a model reads it, prose ends otherwise than the dice; empty if there is none.

    The model was not told the result. What it quotes must stand in the prose.
    """
    opposite_beginning = {Degree.SUCCESS: "fail", Degree.FAIL: "succe"}.get(degree or Degree.NONE)
    if opposite_beginning is None or not outcome.strip().casefold().startswith(opposite_beginning):
        return ""
    quote = find_quote(quoted_text, text) if quoted_text.strip() else None
    return quote.text if quote else ""
