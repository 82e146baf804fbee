"""Faults of services: a call that fails once, and a call that is held back until the test lets it go on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest


def fail_once(monkeypatch: pytest.MonkeyPatch, service: object, method: str, error: BaseException) -> None:
    """Have the next call of a service's method raise; those after it go through."""
    errors = [error]

    async def call_or_fail(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if errors:
            raise errors.pop()
        return await call(*args, **kwargs)

    _replace(monkeypatch, service, method, call_or_fail)


def hold(monkeypatch: pytest.MonkeyPatch, service: object, method: str, go: asyncio.Event) -> None:
    """Hold each call of a service's method back until `go` is set, even if its caller is cancelled."""

    async def wait_and_call(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        await asyncio.shield(go.wait())
        return await call(*args, **kwargs)

    _replace(monkeypatch, service, method, wait_and_call)


def record_calls(
    monkeypatch: pytest.MonkeyPatch, service: object, method: str
) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Return a list that gets the arguments of each call of a service's method; the calls go through."""
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    async def record_and_call(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        calls.append((args[1:], kwargs))
        return await call(*args, **kwargs)

    _replace(monkeypatch, service, method, record_and_call)
    return calls


def _replace(
    monkeypatch: pytest.MonkeyPatch, service: object, method: str, replacement: Callable[..., Any]
) -> None:
    """Replace an async method on the class: services may have slots."""
    original = getattr(type(service), method)

    async def replaced(*args: Any, **kwargs: Any) -> Any:
        return await replacement(original, *args, **kwargs)

    monkeypatch.setattr(type(service), method, replaced)
