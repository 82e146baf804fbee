"""Effects do not precede causes. Source: design/authority.md, "Contradictions"."""

from __future__ import annotations

from collections.abc import Iterator

from agents.canon_keeper.readings import is_in_force, starts_later
from agents.canon_keeper.sight import Found, Sight

RULE = "effect_before_cause"


def effects(sight: Sight) -> Iterator[Found]:
    """Find causes that come after the claim, ends that come before their beginning."""
    fact, world = sight.fact, sight.world
    for cause in (world.facts[i] for i in fact.because if i in world.facts):
        if not is_in_force(cause):
            yield Found("no_such_cause", f"“{cause.statement}” was retconned, so it caused nothing.", cause)
        elif sight.when is not None and starts_later(cause, fact) and cause.valid_from is not None:
            yield Found(RULE, f"{sight.who_says(cause)} “{cause.statement}” That is later.", cause)
    for ended in (world.facts[i] for i in sorted(sight.claim.ends) if i in world.facts):
        if sight.when is not None and ended.valid_from is not None and sight.when < ended.valid_from:
            yield Found(RULE, f"“{ended.statement}” began later: it cannot have ended then.", ended)
    if fact.valid_from is not None and fact.valid_to is not None and fact.valid_to < fact.valid_from:
        yield Found(RULE, "It would end before it begins.")
