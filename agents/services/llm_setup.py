"""How the model is set up: the half of `agents.model_desk.ModelDesk` that a settings screen talks to.

It changes the user's settings file and nothing else; what the environment says wins, and is said. No key
passes through it but the one that is being set, and that goes into the keyring alone.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, Protocol

from agents.events import EventBus, Notice
from agents.llm.errors import ModelError, ModelUnknown, ModelUnset
from agents.llm.llm_port import LanguageModel as Port
from agents.llm.llm_settings import AppSettings
from agents.llm.model_names import ModelTarget, parse_target
from agents.llm.prompt_builder import Prompts
from agents.llm.provider_keys import ProviderKeys
from agents.services.llm_trial import Trials
from agents.views.llm_views import LlmSetupView, LlmTrialView, PersonaView
from stores.errors import InputError
from stores.records.llm import Persona

Value = str | float | bool | list[str]


class SettingsDoor(Protocol):
    """The user's settings. `write` changes one section; None takes a field out. Both raise InputError."""

    @property
    def file(self) -> str: ...

    def from_environment(self) -> tuple[str, ...]:
        """The variables that win over the file."""
        ...

    async def read(self) -> AppSettings: ...

    async def write(self, section: str, changes: Mapping[str, Value | None]) -> None: ...


class ModelProcess(Port, Protocol):
    """A model that runs in a process of its own."""

    @property
    def is_running(self) -> bool: ...

    async def warm(self) -> None: ...

    async def send_keys(self, keys: Mapping[str, str]) -> None: ...


class Houses:
    """Sets the model up. `current` holds the settings that calls go by; it is what was read last."""

    def __init__(
        self,
        door: SettingsDoor,
        model: ModelProcess,
        keys: ProviderKeys,
        prompts: Callable[[], Prompts],
        events: EventBus,
        *,
        current: AppSettings | None = None,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._door = door
        self._model = model
        self._keys = keys
        self._prompts = prompts
        self._events = events
        self._trials = Trials(model, prompts, timer)
        self._state: Literal["off", "starting", "ready", "failed"] = "off"
        self._trouble = ""
        self.current = current or AppSettings()

    async def read(self) -> AppSettings:
        """Read the settings anew. Raises InputError if they cannot be used; then the old ones hold."""
        self.current = await self._door.read()
        return self.current

    async def warm(self) -> None:
        """Start the process that speaks for us, if a model is set up. Trouble is published, not raised."""
        if not any(self.current.is_on(persona) for persona in Persona):
            self._state = "off"
            return
        self._state, self._trouble = "starting", ""
        try:
            await self._model.warm()
        except ModelError as error:
            self._state, self._trouble = "failed", error.what
            self._events.publish(Notice(f"{error.what} {error.todo}", "warning"))
        else:
            self._state = "ready"

    async def house(self) -> LlmSetupView:
        house = self.current
        default = house.target()
        state = self._state
        if default is None:
            state = "off"
        elif state in ("off", "ready"):
            # It is started by the first call too, and may have ended since.
            state = "ready" if self._model.is_running else "off"
        return LlmSetupView(
            model=default.model if default else "",
            api_base=default.api_base if default else "",
            fallbacks=tuple(house.model.fallbacks),
            seconds=house.model.seconds,
            personas=tuple(self._persona(house, persona) for persona in Persona),
            key=await self._keys.describe_source(default) if default else "not needed",
            file=self._door.file,
            from_environment=self._door.from_environment(),
            state=state,
            trouble=self._trouble,
        )

    async def choose(self, *, model: str, api_base: str = "") -> LlmSetupView:
        """Raises InputError for a name that no provider goes by, with near ones, and where the environment
        says otherwise."""
        self._not_fixed("MONITOR_MODEL_NAME", "MONITOR_MODEL_API_BASE")
        chosen = parse_target(model)
        await self._known(chosen.model)
        await self._write(
            "model", {"name": chosen.model or None, "api_base": chosen.api_base or api_base or None}
        )
        await self._hand_over()
        return await self.house()

    async def set_fallbacks(self, models: tuple[str, ...]) -> LlmSetupView:
        self._not_fixed("MONITOR_MODEL_FALLBACKS")
        named = [entry.strip() for entry in models if entry.strip()]
        for entry in named:
            await self._known(parse_target(entry).model)
        await self._write("model", {"fallbacks": list(dict.fromkeys(named)) or None})
        await self._hand_over()
        return await self.house()

    async def set_persona(
        self,
        persona: Persona,
        *,
        on: bool | None = None,
        model: str | None = None,
        temperature: float | None = None,
    ) -> LlmSetupView:
        """Change what is given; an empty `model` is the default model again."""
        changes: dict[str, Value | None] = {}
        if on is not None:
            changes["on"] = on
        if model is not None:
            await self._known(parse_target(model).model)
            changes["model"] = model.strip() or None
        if temperature is not None:
            changes["temperature"] = temperature
        self._not_fixed(*(f"MONITOR_{persona.value}_{field}".upper() for field in changes))
        await self._write(persona.value, changes)
        await self._hand_over()
        return await self.house()

    async def set_day(self, dollars: float | None) -> None:
        """Set or lift (None) what the model may cost in a day, in US dollars."""
        self._not_fixed("MONITOR_BUDGET_DAY")
        await self._write("budget", {"day": dollars})

    async def set_key(self, key: str) -> LlmSetupView:
        default = self.current.target()
        name = await self._keys.store_key(default.model if default else "", key)
        await self._model.send_keys({name: key.strip()})
        return await self.house()

    async def try_out(self, model: str = "", *, api_base: str = "") -> LlmTrialView:
        """Raises ModelError; ModelUnset if no model is named and none set up."""
        default = self.current.target()
        at = parse_target(model, default) if model else default
        if at is None:
            raise ModelUnset(
                "No model is set up.", kept="", todo="Name one: monitor model test --model PROVIDER/MODEL."
            )
        await self._model.warm()
        await self._hand_over(at.model)
        return await self._trials.run(self.current, ModelTarget(at.model, api_base or at.api_base))

    # --- inside --------------------------------------------------------------------------------------

    def _persona(self, house: AppSettings, persona: Persona) -> PersonaView:
        prompt, own = self._prompts()[persona], house.persona(persona)
        serves = house.target(persona)
        return PersonaView(
            persona=persona,
            on=house.is_on(persona),
            own_model=own.model,
            model=serves.model if serves else "",
            temperature=house.temperature(persona, prompt.temperature),
            max_tokens=house.max_tokens(persona, prompt.max_tokens),
            does=prompt.does,
            needs="" if serves else "There is no model: choose one first.",
        )

    async def _known(self, model: str) -> None:
        if not model:
            return
        try:
            await self._model.read_facts(model)
        except ModelUnknown as error:
            raise InputError(error.what, kept="Nothing was changed.", todo=error.todo) from error

    def _not_fixed(self, *names: str) -> None:
        """What stands in the environment would win over the file, so it is not written there in vain."""
        if fixed := [name for name in names if name in self._door.from_environment()]:
            raise InputError(
                f"{fixed[0]} is set in the environment, and wins over the settings file.",
                kept="Nothing was changed.",
                todo=f"Change it there, or start MONITOR without {fixed[0]}.",
            )

    async def _write(self, section: str, changes: Mapping[str, Value | None]) -> None:
        if changes:
            await self._door.write(section, changes)
        await self.read()

    async def _hand_over(self, *more: str) -> None:
        """Give the running process the keys, out of the keyring, of all models that it may have to ask."""
        await self._model.send_keys(await self._keys.read_keyring_keys([*models_named(self.current), *more]))


def models_named(house: AppSettings) -> tuple[str, ...]:
    """Every model that the settings name."""
    found: dict[str, Any] = {}
    for persona in Persona:
        found |= dict.fromkeys(one.model for one in house.targets(persona))
    if embeds := house.embedding_target():
        found[embeds.model] = None
    return tuple(found)


def keys_for(
    keys: ProviderKeys, house: Callable[[], AppSettings]
) -> Callable[[], Awaitable[Mapping[str, str]]]:
    """What a child gets at its start: the keys that only the keyring has."""

    async def environment() -> Mapping[str, str]:
        return await keys.read_keyring_keys(models_named(house()))

    return environment
