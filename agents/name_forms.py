"""How a name stands in a sentence: `the hooded stranger` who is called The hooded stranger."""

from __future__ import annotations

from collections.abc import Sequence


def name_within(name: str) -> str:
    """Return a name as it stands within a sentence: `the hooded stranger` of The hooded stranger."""
    return name if is_capitalised(name) else name[:1].lower() + name[1:]


def name_at_start(name: str) -> str:
    """Return a name as a sentence begins with it: `The red monk` of the red monk."""
    return name[:1].upper() + name[1:]


def join_names(names: Sequence[str]) -> str:
    """Return names as a sentence lists them: `Osk, Hela and Teodor`; empty if there are none."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def is_capitalised(name: str) -> bool:
    """Say whether a name has a capital in another word than an article before it: not `The hooded stranger`."""
    words = name.split()
    return any(map(str.isupper, (word[0] for word in words[words[0].casefold() in ("the", "a", "an") :])))
