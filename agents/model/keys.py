"""Keys of providers: from the environment, else from the system's keyring. Never in a file of ours.

A key is read here and handed to the child process, which hands it to the provider. Nothing else holds one:
no record, no log, no view.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping
from typing import Any, Final, Protocol

from agents.model.names import ALSO, KEYLESS, Target, key_name, may_carry_key, provider_of
from stores.errors import InputError

SERVICE: Final = "monitor-tui"
"""Under this name the keyring shows our entries; the user there is the environment variable's name."""

_SECONDS: Final = 20.0
"""A locked keyring asks for its password in a window of its own; without a screen it would ask for ever."""


class Shelf(Protocol):
    """What we want of `keyring`."""

    def get_password(self, service: str, name: str) -> str | None: ...

    def set_password(self, service: str, name: str, key: str) -> None: ...


class Keys:
    """Finds and keeps keys. `shelf` None: the system's keyring, looked for at the first use."""

    def __init__(self, environ: Mapping[str, str] | None = None, shelf: Shelf | None = None) -> None:
        self._environ = os.environ if environ is None else environ
        self._shelf = shelf

    async def where(self, at: Target) -> str:
        """Say where a model's key was found: as `agents.model_views.ModelHouse.key` words it."""
        name = key_name(at.model)
        if not name:
            return "not needed" if provider_of(at.model) else "missing: name the model's provider"
        if not may_carry_key(at.api_base):
            return "not sent: the address is not https"
        if found := self._set(name):
            return f"environment {found}"
        if await self._kept(name):
            return "keyring"
        if at.api_base or provider_of(at.model) in KEYLESS:
            return "not needed"
        return f"missing: set {name}"

    async def for_models(self, models: Iterable[str]) -> dict[str, str]:
        """Return, by name of the variable, those keys of these models that only the keyring has."""
        names = sorted({key_name(model) for model in models} - {""})
        missing = [name for name in names if not self._set(name)]
        return {name: key for name in missing if (key := await self._kept(name))}

    async def keep(self, model: str, key: str) -> str:
        """Keep a key in the keyring; returns the name it stands under. Raises InputError where that cannot
        be done, with what to do instead."""
        name, key = key_name(model), key.strip()
        if not name:
            raise InputError(
                f"{model or 'No model'} is not signed in to by a key.",
                kept="Nothing was changed.",
                todo="Choose a model first." if not model else "Use its provider's own tools.",
            )
        if not key or not key.isascii() or not key.isprintable():
            raise InputError(
                "That is no key: keys are plain letters, digits and signs in one line.",
                kept="Nothing was changed.",
                todo="Copy it once more from your provider's page.",
            )
        await self._guarded(self._keep, name, key)
        return name

    def _set(self, name: str) -> str:
        """The first variable that holds this key; empty if none does."""
        return next((one for one in (name, *ALSO.get(name, ())) if self._environ.get(one)), "")

    def _keep(self, name: str, key: str) -> None:
        shelf = _system_shelf(name) if self._shelf is None else self._shelf
        shelf.set_password(SERVICE, name, key)

    async def _kept(self, name: str) -> str:
        """What the keyring has; nothing where there is none, or it is locked: then a key is missing."""
        try:
            return await self._guarded(self._get, name) or ""
        except InputError:
            return ""

    def _get(self, name: str) -> str:
        shelf = _system_shelf(name) if self._shelf is None else self._shelf
        return shelf.get_password(SERVICE, name) or ""

    async def _guarded(self, work: Any, name: str, *more: str) -> Any:
        try:
            return await asyncio.wait_for(asyncio.to_thread(work, name, *more), _SECONDS)
        except InputError:
            raise
        except Exception as error:  # noqa: BLE001 - each system's keyring has errors of its own
            # Its words are not repeated: nobody promises that they do not hold the key.
            raise _unusable(name, f"did not do it ({type(error).__name__})") from None


def _system_shelf(name: str) -> Shelf:
    """Return the system's keyring. Raises InputError if there is none, or one that is only a file."""
    import keyring
    from keyring.backends import chainer, fail

    backend = keyring.get_keyring()
    if isinstance(backend, fail.Keyring) or (
        isinstance(backend, chainer.ChainerBackend) and not backend.backends
    ):
        raise _unusable(name, "is not there")
    if type(backend).__module__.startswith("keyrings.alt"):
        raise _unusable(name, "is a plain file, where a key is not safe")
    return keyring


def _unusable(name: str, why: str) -> InputError:
    return InputError(
        f"The system's keyring {why}.",
        kept="Nothing was changed, and the key was written nowhere.",
        todo=f"Set {name} in the environment that MONITOR is started in.",
    )
