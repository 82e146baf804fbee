"""Tests of the model's set-up, as the settings screen and the command line use it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from agents.events import Event, EventBus, Notice
from agents.llm.errors import ModelUnknown, ModelUnreachable, ModelUnset
from agents.llm.llm_port import ModelFacts, Usage
from agents.llm.provider_keys import ProviderKeys
from agents.llm.scripted_model import ScriptedAnswer, ScriptedModel, ScriptedReply
from agents.llm.trusted_addresses import TRUST_VARIABLE
from agents.personas.prompt_files import load_prompts
from agents.services.llm_setup import LlmSetup
from agents.services.llm_trial import TRIAL_MESSAGES, TYPICAL_FILL
from monitor_tui.settings_file import SettingsFile
from stores.errors import InputError
from stores.records.llm import Money, Persona
from tests.agents.llm.server import FakeModelServer, serve_fake_model
from tests.agents.llm.test_provider_keys import KEY, FakeKeyring

NAME = "anthropic/claude-haiku-4-5"


class FakeChildModel(ScriptedModel):
    """A scripted model in place of the child; it knows two providers, and records the keys it receives."""

    is_running = False
    broken = False

    def __init__(self, *replies: ScriptedAnswer, priced: bool = True) -> None:
        in_price, out_price = (1.0, 5.0) if priced else (None, None)
        facts = ModelFacts("", takes_schema=True, in_per_million=in_price, out_per_million=out_price)
        super().__init__(replies or ["It is dark."], facts=facts)
        self.received_keys: dict[str, str] = {}

    async def read_facts(self, model: str) -> ModelFacts:
        if not model.startswith(("anthropic/", "openai/")):
            raise ModelUnknown(f"No provider goes by “{model}”.", todo="Did you mean anthropic/x?")
        return await super().read_facts(model)

    async def warm(self) -> None:
        if self.broken:
            raise ModelUnreachable("It could not be started.")
        self.is_running = True

    async def send_keys(self, keys: Mapping[str, str]) -> None:
        self.received_keys |= keys


class LlmSetupFixture:
    """The model set-up with a fake child and a fake keyring."""

    def __init__(self, home: Path, model: FakeChildModel) -> None:
        self.home, self.model, self.keyring = home, model, FakeKeyring()
        self.events: list[Event] = []
        bus = EventBus()
        bus.subscribe(self.events.append)
        ticks = iter(range(1000))
        self.llm_setup = LlmSetup(
            SettingsFile(home),
            model,
            ProviderKeys({}, self.keyring),
            load_prompts,
            bus,
            timer=lambda: float(next(ticks)),
        )


@pytest.fixture
def setup(tmp_path: Path) -> LlmSetupFixture:
    return LlmSetupFixture(tmp_path, FakeChildModel())


async def test_llm_setup_without_model(setup: LlmSetupFixture) -> None:
    setup_view = await setup.llm_setup.build_setup_view()
    assert (setup_view.model, setup_view.state, setup_view.key) == ("", "off", "not needed")
    assert not any(view.on for view in setup_view.personas)
    assert all(view.needs and view.does for view in setup_view.personas)
    await setup.llm_setup.start_process()
    assert not setup.model.is_running
    with pytest.raises(ModelUnset):
        await setup.llm_setup.test_model()


@pytest.mark.slow
async def test_llm_setup_stores_chosen_model(setup: LlmSetupFixture) -> None:
    setup_view = await setup.llm_setup.choose_model(model=NAME)
    assert (setup_view.model, setup_view.api_base, setup_view.key) == (
        NAME,
        "",
        "missing: set ANTHROPIC_API_KEY",
    )
    assert {view.persona for view in setup_view.personas if view.on} == {Persona.NARRATOR, Persona.ARCHIVIST}
    setup_view = await setup.llm_setup.set_fallbacks(("openai/x", " ", "openai/x"))
    assert setup_view.fallbacks == ("openai/x",)
    setup_view = await setup.llm_setup.set_others(("openai/z",))
    assert setup_view.others == ("openai/z",)
    assert setup.llm_setup.current_settings.list_retake_models() == (NAME, "openai/x", "openai/z")
    setup_view = await setup.llm_setup.set_persona(Persona.CRITIC, on=True, model="openai/y", temperature=0.5)
    (critic,) = [view for view in setup_view.personas if view.persona is Persona.CRITIC]
    assert (critic.on, critic.own_model, critic.model, critic.temperature) == (
        True,
        "openai/y",
        "openai/y",
        0.5,
    )
    restarted = LlmSetupFixture(setup.home, FakeChildModel())
    await restarted.llm_setup.read_settings()
    assert (await restarted.llm_setup.build_setup_view()).personas == setup_view.personas
    setup_view = await setup.llm_setup.choose_model(model="")
    assert not any(view.on for view in setup_view.personas if view.persona is Persona.NARRATOR)


async def test_llm_setup_key_goes_only_to_keyring_and_child(setup: LlmSetupFixture) -> None:
    await setup.llm_setup.choose_model(model=NAME)
    setup_view = await setup.llm_setup.set_key(KEY)
    assert setup_view.key == "keyring"
    assert KEY not in repr(setup_view)
    assert setup.model.received_keys == {"ANTHROPIC_API_KEY": KEY, TRUST_VARIABLE: ""}
    assert list(setup.keyring.values()) == [KEY]
    assert not [
        path for path in setup.home.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()
    ]


async def test_llm_setup_unknown_model_changes_nothing(setup: LlmSetupFixture) -> None:
    await setup.llm_setup.choose_model(model=NAME)
    before = (setup.home / "settings.toml").read_text()
    for change in (
        setup.llm_setup.choose_model(model="antropic/x"),
        setup.llm_setup.set_fallbacks(("openai/x", "blah")),
        setup.llm_setup.set_persona(Persona.CRITIC, model="blah"),
        setup.llm_setup.choose_model(model=NAME, api_base="localhost:80"),
        setup.llm_setup.set_persona(Persona.CRITIC, temperature=7.0),
    ):
        with pytest.raises(InputError) as refusal:
            await change
        assert refusal.value.kept == "Nothing was changed."
    assert (setup.home / "settings.toml").read_text() == before
    assert (await setup.llm_setup.build_setup_view()).model == NAME


async def test_llm_setup_refuses_setting_overridden_by_environment(
    setup: LlmSetupFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MONITOR_MODEL_NAME", NAME)
    await setup.llm_setup.read_settings()
    with pytest.raises(InputError, match="MONITOR_MODEL_NAME"):
        await setup.llm_setup.choose_model(model="openai/x")
    setup_view = await setup.llm_setup.build_setup_view()
    assert (setup_view.model, setup_view.from_environment) == (NAME, ("MONITOR_MODEL_NAME",))


async def test_llm_setup_start_failure_is_a_notice(setup: LlmSetupFixture) -> None:
    await setup.llm_setup.choose_model(model=NAME)
    assert (await setup.llm_setup.build_setup_view()).state == "off"
    setup.model.broken = True
    await setup.llm_setup.start_process()
    assert [event.severity for event in setup.events if isinstance(event, Notice)] == ["warning"]
    setup_view = await setup.llm_setup.build_setup_view()
    assert (setup_view.state, setup_view.trouble) == ("failed", "It could not be started.")
    setup.model.broken = False
    await setup.llm_setup.start_process()
    assert (await setup.llm_setup.build_setup_view()).state == "ready"


async def test_llm_trial_reports_speed_and_price(tmp_path: Path) -> None:
    usage = Usage(40, 12, counted=True, cost=Money(micros=100))
    setup = LlmSetupFixture(tmp_path, FakeChildModel(ScriptedReply(("It is \x1b[31mdark", "."), usage)))
    await setup.llm_setup.choose_model(model=NAME)
    trial = await setup.llm_setup.test_model()
    assert (trial.words, trial.first_seconds, trial.seconds) == ("It is dark.", 1.0, 2.0)
    assert (trial.tokens_in, trial.tokens_out, trial.micros, trial.priced) == (40, 12, 100, True)
    assert trial.takes_schema
    (request,) = setup.model.requests
    assert (request.model, request.messages) == (NAME, TRIAL_MESSAGES)
    default_prompts = [load_prompts()[persona] for persona in (Persona.NARRATOR, Persona.ARCHIVIST)]
    assert trial.per_turn == round(
        TYPICAL_FILL * sum(prompt.budget + 5 * prompt.max_tokens for prompt in default_prompts)
    )


@pytest.mark.parametrize(
    ("answer", "takes_schema"),
    [('{"sky": "rain"}', True), ("It rains.", False), ("[]", False), ("[" * 100_000, False)],
    ids=["schema", "prose", "list", "nested without end"],
)
async def test_llm_trial_shows_schema_support_of_unlisted_model(
    tmp_path: Path, answer: str, takes_schema: bool
) -> None:
    setup = LlmSetupFixture(tmp_path, FakeChildModel("It is dark.", answer, priced=False))
    trial = await setup.llm_setup.test_model("openai/mine", api_base="http://127.0.0.1:1/v1")
    assert trial.takes_schema is takes_schema
    assert trial.per_turn is None
    assert [request.shape is not None for request in setup.model.requests] == [False, True]
    assert {request.api_base for request in setup.model.requests} == {"http://127.0.0.1:1/v1"}


# --- as a command, with a real child ------------------------------------------------------------------


@pytest.fixture
async def server() -> AsyncIterator[FakeModelServer]:
    async with serve_fake_model() as server:
        yield server


async def run_model_command(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    import asyncio

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "monitor_tui", "--home", str(home), "model", *words],
            capture_output=True,
            text=True,
            env={**os.environ, "OPENAI_API_KEY": KEY},
            check=False,
        )

    return await asyncio.to_thread(run)


@pytest.mark.slow
async def test_model_command_makes_trial_call(tmp_path: Path, server: FakeModelServer) -> None:
    completed = await run_model_command(
        tmp_path, "test", "--model", "openai/gpt-4o-mini", "--api-base", server.address
    )
    assert completed.returncode == 0, completed.stderr
    assert completed.stdout.startswith("The door opens.\n")
    for line in (
        "tokens        20 tokens in, 3 out (by the provider)",
        "schema        taken",
        "price         $0.000004",
    ):
        assert line in completed.stdout
    assert "a turn        about $0.00" in completed.stdout
    assert server.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "code", "error"),
    [
        ("openai/unauthorized", 4, "ModelKeyRefused"),
        ("openai/unknown", 3, "ModelUnknown"),
        ("opnai/x", 3, "ModelUnknown"),
        ("openai/busy", 5, "ModelBusy"),
        ("openai/page", 5, "ModelUnreachable"),
        ("openai/cut", 6, "ModelCut"),
    ],
)
async def test_model_command_reports_errors(
    tmp_path: Path, server: FakeModelServer, name: str, code: int, error: str
) -> None:
    completed = await run_model_command(
        tmp_path, "test", "--json", "--model", name, "--api-base", server.address
    )
    assert completed.returncode == code, completed.stderr
    output = json.loads(completed.stdout)
    assert (output["works"], output["error"]) == (False, error)
    assert output["what"] in completed.stderr
    assert KEY not in completed.stdout + completed.stderr
    assert "Traceback" not in completed.stderr


@pytest.mark.slow
async def test_model_command_shows_settings_without_call(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('[model]\nname = "openai/gpt-4o-mini"\n')
    completed = await run_model_command(tmp_path, "show", "--json")
    output = json.loads(completed.stdout)
    assert (output["model"], output["key"]) == ("openai/gpt-4o-mini", "environment OPENAI_API_KEY")
    assert KEY not in completed.stdout
    assert "on   narrator" in (await run_model_command(tmp_path, "show")).stdout
