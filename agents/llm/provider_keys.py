"""Finds and stores API keys of providers: in the environment, or in the system's keyring; never in a file of ours.

A key is read here and handed to the child process, which hands it to the provider. No record, log or view
contains one.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping
from typing import Any, Final, Protocol

from agents.llm.model_names import (
    KEY_ALIASES,
    KEYLESS_PROVIDERS,
    ModelTarget,
    key_name,
    may_carry_key,
    provider_of,
)
from agents.llm.trusted_addresses import TRUST_VARIABLE, TrustedAddresses
from stores.errors import InputError

KEYRING_SERVICE: Final = "monitor-tui"
"""Service name of our entries in the keyring; the user name is the environment variable's name."""

_SECONDS: Final = 20.0
"""Limit for the keyring: a locked one asks for its password in a window, and without a screen would wait
for ever."""


class KeyringBackend(Protocol):
    """The functions of `keyring` that are used."""

    def get_password(self, service: str, name: str) -> str | None: ...

    def set_password(self, service: str, name: str, key: str) -> None: ...


class ProviderKeys:
    """Finds and stores API keys. Without `keyring_backend` the system's keyring is looked up at first use."""

    def __init__(
        self,
        environ: Mapping[str, str] | None = None,
        keyring_backend: KeyringBackend | None = None,
        trusted_addresses: TrustedAddresses | None = None,
    ) -> None:
        self._environ = os.environ if environ is None else environ
        self._keyring_backend = keyring_backend
        self._trusted_addresses = trusted_addresses or TrustedAddresses(None, self._environ)

    async def describe_source(self, target: ModelTarget) -> str:
        """Return where a model's key was found, worded as in `LlmSetup.key`."""
        name = key_name(target.model)
        if not name:
            return "not needed" if provider_of(target.model) else "missing: name the model's provider"
        if not may_carry_key(target.api_base):
            return "not sent: the address is not https"
        source = f"environment {variable}" if (variable := self._environment_variable(name)) else ""
        if not source and await self._read_keyring(name):
            source = "keyring"
        if source and not self._trusted_addresses.is_trusted(target.api_base):
            return "not sent: the address was not entered on this computer; enter it to allow it"
        if source:
            return source
        if target.api_base or provider_of(target.model) in KEYLESS_PROVIDERS:
            return "not needed"
        return f"missing: set {name}"

    async def trust_address(self, address: str) -> None:
        """Let keys go to the server of an address that the user entered. Raises InputError."""
        try:
            await asyncio.to_thread(self._trusted_addresses.trust, address)
        except OSError as error:
            raise InputError(
                f"That {address} may have your key could not be written down: {error.strerror or error}.",
                kept="It may have it until MONITOR ends.",
            ) from error

    async def read_child_environment(self, models: Iterable[str]) -> dict[str, str]:
        """Return what the model's process has to know: the keyring's keys of these models, and where keys may go."""
        return {**await self.read_keyring_keys(models), TRUST_VARIABLE: self._trusted_addresses.as_variable()}

    async def read_keyring_keys(self, models: Iterable[str]) -> dict[str, str]:
        """Return, by variable name, the keys of these models that are only in the keyring."""
        names = sorted({key_name(model) for model in models} - {""})
        missing = [name for name in names if not self._environment_variable(name)]
        return {name: key for name in missing if (key := await self._read_keyring(name))}

    async def store_key(self, model: str, key: str) -> str:
        """Store a key in the keyring and return its variable name.

        Raises InputError if that is not possible, with what to do instead.
        """
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
        await self._run_guarded(self._write_password, name, key)
        return name

    def _environment_variable(self, name: str) -> str:
        """Return the first variable that contains this key; empty if none does."""
        return next(
            (variable for variable in (name, *KEY_ALIASES.get(name, ())) if self._environ.get(variable)), ""
        )

    def _write_password(self, name: str, key: str) -> None:
        backend = _system_keyring(name) if self._keyring_backend is None else self._keyring_backend
        backend.set_password(KEYRING_SERVICE, name, key)

    async def _read_keyring(self, name: str) -> str:
        """Return the key from the keyring; empty if there is no keyring, or it is locked."""
        try:
            return await self._run_guarded(self._read_password, name) or ""
        except InputError:
            return ""

    def _read_password(self, name: str) -> str:
        backend = _system_keyring(name) if self._keyring_backend is None else self._keyring_backend
        return backend.get_password(KEYRING_SERVICE, name) or ""

    async def _run_guarded(self, work: Any, name: str, *more: str) -> Any:
        try:
            return await asyncio.wait_for(asyncio.to_thread(work, name, *more), _SECONDS)
        except InputError:
            raise
        except Exception as error:  # noqa: BLE001 - each system's keyring has errors of its own
            # The message is not repeated: it might contain the key.
            raise _keyring_error(name, f"did not do it ({type(error).__name__})") from None


def _system_keyring(name: str) -> KeyringBackend:
    """Return the system's keyring. Raises InputError if there is none, or it is only a plain file."""
    import keyring
    from keyring.backends import chainer, fail

    backend = keyring.get_keyring()
    if isinstance(backend, fail.Keyring) or (
        isinstance(backend, chainer.ChainerBackend) and not backend.backends
    ):
        raise _keyring_error(name, "is not there")
    if type(backend).__module__.startswith("keyrings.alt"):
        raise _keyring_error(name, "is a plain file, where a key is not safe")
    return keyring


def _keyring_error(name: str, reason: str) -> InputError:
    return InputError(
        f"The system's keyring {reason}.",
        kept="Nothing was changed, and the key was written nowhere.",
        todo=f"Set {name} in the environment that MONITOR is started in.",
    )
