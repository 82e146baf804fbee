"""Fixtures for the resolver tests."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from stores.records.ids import derive_id
from stores.records.world import Entity, EntityKind


@pytest.fixture
def make_entity() -> Callable[..., Entity]:
    def make(name: str, *, kind: EntityKind = EntityKind.CHARACTER, **fields: Any) -> Entity:
        return Entity(
            id=derive_id("entity", name),
            universe_id=derive_id("universe"),
            kind=kind,
            name=name,
            recorded_at=datetime(2026, 1, 1, tzinfo=UTC),
            **fields,
        )

    return make
