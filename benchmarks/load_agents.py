"""Who asks a model in a load of the scheduler: agents of several universes, of which the first may be greedy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from benchmarks.load_result import LoadShape
from stores.records.ids import Id, derive_id

CALL_TOKENS: Final = 1_500
"""Tokens that a piece is expected to take; the scripted model takes some two hundred."""


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent that asks a model so many times."""

    id: Id
    universe_id: Id
    loops: int


def make_agents(shape: LoadShape) -> dict[Id, Agent]:
    """Return the agents by identifier, those of the greedy universe first."""
    agents = {}
    for number in range(shape.universes):
        universe_id = derive_id("load", "universe", number)
        loops = shape.loops * (shape.greed if number == 0 else 1)
        for agent_number in range(shape.agents):
            agent = Agent(derive_id("load", "agent", number, agent_number), universe_id, loops)
            agents[agent.id] = agent
    return agents


def run_id_of(agent_id: Id, loop: int) -> Id:
    """Return the identifier of an agent's loop."""
    return derive_id("load", agent_id, loop)
