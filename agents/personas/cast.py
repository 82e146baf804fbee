"""All personas, for whoever runs the turn graph."""

from __future__ import annotations

from typing import NamedTuple

from agents.model.asking import Calls
from agents.personas.archivist import Archivist
from agents.personas.character import Character
from agents.personas.critic import Critic
from agents.personas.director import Director
from agents.personas.librarian import Librarian
from agents.personas.monitor import Monitor
from agents.personas.narrator import NarratorPersona
from agents.personas.steward import Steward


class Personas(NamedTuple):
    director: Director
    librarian: Librarian
    steward: Steward
    narrator: NarratorPersona
    critic: Critic
    archivist: Archivist
    character: Character
    monitor: Monitor

    @classmethod
    def by(cls, calls: Calls) -> Personas:
        """Return them all, asking through one door."""
        return cls(
            Director(calls),
            Librarian(calls),
            Steward(calls),
            NarratorPersona(calls),
            Critic(calls),
            Archivist(calls),
            Character(calls),
            Monitor(calls),
        )
