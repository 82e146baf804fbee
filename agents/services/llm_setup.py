"""Sets up the language model: reads and writes the user's settings, and tests a model.

The environment overrides the settings file, and the views say so. The only key that passes through is one that
is being set, and it goes to the keyring alone.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, Protocol
from urllib.parse import urlsplit

from agents.events import EventBus, Notice
from agents.llm.errors import ModelError, ModelUnknown, ModelUnset
from agents.llm.llm_port import LanguageModel as Port
from agents.llm.llm_settings import AppSettings
from agents.llm.model_names import ModelTarget, parse_target
from agents.llm.prompt_builder import Prompts
from agents.llm.provider_keys import ProviderKeys
from agents.services.llm_trial import LlmTrialRunner
from agents.views.llm_views import LlmSetupView, LlmTrialView, PersonaView
from stores.errors import InputError
from stores.records.llm import Persona

SettingsFieldValue = str | float | bool | list[str]


class SettingsPort(Protocol):
    """The user's settings. `write` changes one section; None removes a field. Both raise InputError."""

    @property
    def file(self) -> str: ...

    def from_environment(self) -> tuple[str, ...]:
        """The variables that override the file."""
        ...

    async def read(self) -> AppSettings: ...

    async def write(self, section: str, changes: Mapping[str, SettingsFieldValue | None]) -> None: ...


class ModelProcess(Port, Protocol):
    """A model that runs in a process of its own."""

    @property
    def is_running(self) -> bool: ...

    async def warm(self) -> None: ...

    async def send_keys(self, keys: Mapping[str, str]) -> None: ...


class LlmSetup:
    """Sets up the model. `current_settings` are those that were read last, and that calls use."""

    def __init__(
        self,
        settings_port: SettingsPort,
        model: ModelProcess,
        keys: ProviderKeys,
        prompts: Callable[[], Prompts],
        events: EventBus,
        *,
        current_settings: AppSettings | None = None,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings_port = settings_port
        self._model = model
        self._keys = keys
        self._prompts = prompts
        self._events = events
        self._trial_runner = LlmTrialRunner(model, prompts, timer)
        self._state: Literal["off", "starting", "ready", "failed"] = "off"
        self._problem = ""
        self.current_settings = current_settings or AppSettings()

    async def read_settings(self) -> AppSettings:
        """Read the settings again. Raises InputError if they cannot be used; the old ones stay in force then."""
        self.current_settings = await self._settings_port.read()
        return self.current_settings

    async def start_process(self) -> None:
        """Start the model's process, if a model is set up. Trouble is published, not raised."""
        if not any(self.current_settings.is_on(persona) for persona in Persona):
            self._state = "off"
            return
        self._state, self._problem = "starting", ""
        try:
            await self._model.warm()
        except ModelError as error:
            self._state, self._problem = "failed", error.what
            self._events.publish(Notice(f"{error.what} {error.todo}", "warning"))
        else:
            self._state = "ready"

    async def build_setup_view(self) -> LlmSetupView:
        app_settings = self.current_settings
        default_target = app_settings.target()
        state = self._state
        if default_target is None:
            state = "off"
        elif state in ("off", "ready"):
            # It is started by the first call too, and may have ended since.
            state = "ready" if self._model.is_running else "off"
        return LlmSetupView(
            model=default_target.model if default_target else "",
            api_base=default_target.api_base if default_target else "",
            fallbacks=tuple(app_settings.model.fallbacks),
            others=tuple(app_settings.model.others),
            seconds=app_settings.model.seconds,
            personas=tuple(self._build_persona_view(app_settings, persona) for persona in Persona),
            key=await self._keys.describe_source(default_target) if default_target else "not needed",
            file=self._settings_port.file,
            from_environment=self._settings_port.from_environment(),
            state=state,
            trouble=self._problem,
        )

    async def choose_model(self, *, model: str, api_base: str = "") -> LlmSetupView:
        """Write the chosen model into the settings.

        Raises InputError for a name that no provider knows (with similar names), and if the environment
        sets the model.
        """
        self._require_not_in_environment("MONITOR_MODEL_NAME", "MONITOR_MODEL_API_BASE")
        target = parse_target(model)
        await self._require_known_model(target.model)
        await self._keys.trust_address(target.api_base or api_base)
        await self._write_settings(
            "model", {"name": target.model or None, "api_base": target.api_base or api_base or None}
        )
        await self._send_keys()
        return await self.build_setup_view()

    async def set_fallbacks(self, models: tuple[str, ...]) -> LlmSetupView:
        return await self._set_models("fallbacks", models)

    async def set_others(self, models: tuple[str, ...]) -> LlmSetupView:
        """Set the models that a retake can be asked of, beside those that are set up."""
        return await self._set_models("others", models)

    async def _set_models(
        self, field: Literal["fallbacks", "others"], models: tuple[str, ...]
    ) -> LlmSetupView:
        self._require_not_in_environment(f"MONITOR_MODEL_{field.upper()}")
        names = [entry.strip() for entry in models if entry.strip()]
        for entry in names:
            await self._require_known_model(parse_target(entry).model)
            await self._keys.trust_address(parse_target(entry).api_base)
        await self._write_settings("model", {field: list(dict.fromkeys(names)) or None})
        await self._send_keys()
        return await self.build_setup_view()

    async def set_persona(
        self,
        persona: Persona,
        *,
        on: bool | None = None,
        model: str | None = None,
        temperature: float | None = None,
    ) -> LlmSetupView:
        """Change the settings that are given; an empty `model` is the default model."""
        changes: dict[str, SettingsFieldValue | None] = {}
        if on is not None:
            changes["on"] = on
        if model is not None:
            changes["model"] = model.strip() or None
        if temperature is not None:
            changes["temperature"] = temperature
        await self.change_persona(persona, changes)
        return await self.build_setup_view()

    async def change_persona(
        self, persona: Persona, changes: Mapping[str, SettingsFieldValue | None]
    ) -> None:
        """Write fields of a persona's section; None removes one. Raises InputError: nothing was changed then."""
        self._require_not_in_environment(*(f"MONITOR_{persona.value}_{field}".upper() for field in changes))
        if isinstance(model := changes.get("model"), str):
            await self._require_known_model(parse_target(model).model)
            await self._keys.trust_address(parse_target(model).api_base)
        await self._write_settings(persona.value, changes)
        await self._send_keys()

    async def trust_address(self, address: str) -> None:
        """Let the user's keys go to the server of an address that settings name."""
        if urlsplit(address).scheme not in ("http", "https") or not urlsplit(address).hostname:
            raise InputError(
                f"{address} is no address.",
                kept="Nothing was changed.",
                todo="An address begins with http:// or https:// and names a server.",
            )
        await self._keys.trust_address(address)
        await self._send_keys()

    async def set_day_budget(self, dollars: float | None) -> None:
        """Set or lift (None) the budget of a day, in US dollars."""
        self._require_not_in_environment("MONITOR_BUDGET_DAY")
        await self._write_settings("budget", {"day": dollars})

    async def set_key(self, key: str) -> LlmSetupView:
        default_target = self.current_settings.target()
        name = await self._keys.store_key(default_target.model if default_target else "", key)
        await self._model.send_keys({name: key.strip()})
        return await self.build_setup_view()

    async def test_model(self, model: str = "", *, api_base: str = "") -> LlmTrialView:
        """Make one small call. Raises ModelError; ModelUnset if no model is named and none is set up."""
        default_target = self.current_settings.target()
        target = parse_target(model, default_target) if model else default_target
        if target is None:
            raise ModelUnset(
                "No model is set up.", kept="", todo="Name one: monitor model test --model PROVIDER/MODEL."
            )
        await self._keys.trust_address(api_base or parse_target(model).api_base)
        await self._model.warm()
        await self._send_keys(target.model)
        return await self._trial_runner.run_trial(
            self.current_settings, ModelTarget(target.model, api_base or target.api_base)
        )

    # --- inside --------------------------------------------------------------------------------------

    def _build_persona_view(self, app_settings: AppSettings, persona: Persona) -> PersonaView:
        prompt, persona_settings = self._prompts()[persona], app_settings.persona(persona)
        target = app_settings.target(persona)
        return PersonaView(
            persona=persona,
            on=app_settings.is_on(persona),
            own_model=persona_settings.model,
            model=target.model if target else "",
            temperature=app_settings.temperature(persona, prompt.temperature),
            max_tokens=app_settings.max_tokens(persona, prompt.max_tokens),
            does=prompt.does,
            needs="" if target else "There is no model: choose one first.",
        )

    async def _require_known_model(self, model: str) -> None:
        if not model:
            return
        try:
            await self._model.read_facts(model)
        except ModelUnknown as error:
            raise InputError(error.what, kept="Nothing was changed.", todo=error.todo) from error

    def _require_not_in_environment(self, *names: str) -> None:
        """Raise InputError if the environment would override the setting that is to be written."""
        if environment_names := [name for name in names if name in self._settings_port.from_environment()]:
            raise InputError(
                f"{environment_names[0]} is set in the environment, and wins over the settings file.",
                kept="Nothing was changed.",
                todo=f"Change it there, or start MONITOR without {environment_names[0]}.",
            )

    async def _write_settings(self, section: str, changes: Mapping[str, SettingsFieldValue | None]) -> None:
        if changes:
            await self._settings_port.write(section, changes)
        await self.read_settings()

    async def _send_keys(self, *more_models: str) -> None:
        """Give the running process the keyring's keys of all models that it may have to ask."""
        await self._model.send_keys(
            await self._keys.read_child_environment([*list_named_models(self.current_settings), *more_models])
        )


def list_named_models(app_settings: AppSettings) -> tuple[str, ...]:
    """Return every model that the settings name."""
    model_names: dict[str, Any] = {}
    for persona in Persona:
        model_names |= dict.fromkeys(target.model for target in app_settings.targets(persona))
    model_names |= dict.fromkeys(parse_target(entry).model for entry in app_settings.model.others)
    if embedding_target := app_settings.embedding_target():
        model_names[embedding_target.model] = None
    return tuple(model_names)


def build_key_environment(
    keys: ProviderKeys, read_settings: Callable[[], AppSettings]
) -> Callable[[], Awaitable[Mapping[str, str]]]:
    """What a child gets at its start: the keys that only the keyring has."""

    async def read_environment() -> Mapping[str, str]:
        return await keys.read_child_environment(list_named_models(read_settings()))

    return read_environment
