"""What one universe brings to every judgement: its rulings, its rules by kind, predicates of its own."""

from __future__ import annotations

from asyncio import gather
from typing import NamedTuple

from agents.canon_keeper.policy import KindRules
from agents.canon_keeper.precedents import Precedents
from agents.canon_keeper.predicates import Catalogue
from stores.ports import LogReader
from stores.records.ids import Id


class House(NamedTuple):
    precedents: Precedents
    rules: KindRules
    catalogue: Catalogue


async def read_house(log: LogReader, universe_id: Id, base: Catalogue) -> House:
    """Read what the universe lays down. Raises StoreError."""
    rulings, policy = await gather(log.rulings(universe_id), log.policy(universe_id))
    rules = {kind.kind: kind.rule for kind in policy.kinds} if policy else {}
    return House(Precedents(rulings), rules, base)
