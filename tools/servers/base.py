"""Defines what the launcher needs from every server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from tools.servers.fetch import Cache


class Kind(StrEnum):
    """How near the process is to the product whose adapter it tests."""

    REAL = "real"
    COMPATIBLE = "compatible"
    STAND_IN = "stand-in"


@dataclass(frozen=True)
class Place:
    """The folder, loopback ports and random secrets of one server in one run."""

    folder: Path
    ports: Mapping[str, int]
    secrets: Mapping[str, str]


@dataclass(frozen=True)
class Command:
    """A process to start; secrets go through env, never through argv, which others can read."""

    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)


class Server(Protocol):
    """One of the five servers. It holds no state: everything it needs is in the cache and its Place."""

    @property
    def name(self) -> str:
        """Its name on the command line."""

    @property
    def product(self) -> str:
        """The product that runs, with its version."""

    @property
    def kind(self) -> Kind:
        """How near that is to the product meant."""

    @property
    def ports(self) -> Sequence[str]:
        """The names of the loopback ports it needs."""

    @property
    def secrets(self) -> Sequence[str]:
        """The names of the random secrets it needs."""

    @property
    def patience(self) -> float:
        """Seconds after which a start has failed."""

    def fetch(self, cache: Cache) -> Sequence[Path]:
        """Fetch what is needed into the cache; returns its folders there. Raises ServerMissing."""

    def prepare(self, fetched: Sequence[Path], place: Place) -> Command:
        """Write the server's configuration, and return the command to start it. Raises ServerMissing."""

    def healthy(self, place: Place) -> bool:
        """Whether it answers in its own protocol, to the adapters' user."""

    def env(self, place: Place) -> dict[str, str]:
        """What a client needs to reach it, as environment variables."""

    def address(self, place: Place) -> str:
        """Its address without secrets, for display."""
