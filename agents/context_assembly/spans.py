"""Names in prose, by a rule and without a model: capitalised spans, with honorifics and what joins names.

On LitBank's proper names such a rule does better than a small trained one (design/libraries.md, "Names and
entities without a model"). Pure.
"""

from __future__ import annotations


def names_in(text: str) -> tuple[str, ...]:
    """Return the names in a text, each once, in the order they come."""
    raise NotImplementedError
