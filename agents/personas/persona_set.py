"""Bundles all personas for the narration."""

from __future__ import annotations

from typing import NamedTuple

from agents.llm.call_context import PersonaCalls
from agents.personas.archivist import Archivist
from agents.personas.character import Character
from agents.personas.critic import Critic
from agents.personas.director import Director
from agents.personas.librarian import Librarian
from agents.personas.monitor import Monitor
from agents.personas.narrator import Narrator
from agents.personas.steward import Steward


class Personas(NamedTuple):
    """All personas."""

    director: Director
    librarian: Librarian
    steward: Steward
    narrator: Narrator
    critic: Critic
    archivist: Archivist
    character: Character
    monitor: Monitor

    @classmethod
    def create(cls, calls: PersonaCalls) -> Personas:
        """Return all personas, calling the model by way of `calls`."""
        return cls(
            Director(calls),
            Librarian(calls),
            Steward(calls),
            Narrator(calls),
            Critic(calls),
            Archivist(calls),
            Character(calls),
            Monitor(calls),
        )
