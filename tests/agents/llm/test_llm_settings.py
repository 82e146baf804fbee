"""Tests of the settings of the language model: where they come from and how the file is changed."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from agents.llm.llm_settings import AppSettings, ModelSettings, PersonaSettings
from agents.llm.model_names import ModelTarget, is_local_address, key_name, may_carry_key, parse_target
from agents.services.llm_setup import list_named_models
from monitor_tui.settings import read_settings
from monitor_tui.settings_file import SettingsFile, write_settings
from stores.errors import InputError
from stores.records.llm import Persona

NARRATOR, CRITIC = Persona.NARRATOR, Persona.CRITIC


def app_settings(**sections: object) -> AppSettings:
    return AppSettings.model_validate(sections)


def test_llm_settings_without_model_switch_all_personas_off(tmp_path: Path) -> None:
    settings = read_settings(tmp_path)
    assert not any(settings.is_on(persona) for persona in Persona)
    assert settings.targets(NARRATOR) == ()
    assert settings.budget.day is None


def test_llm_settings_need_one_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MONITOR_MODEL_NAME", "anthropic/claude-haiku-4-5")
    settings = read_settings(tmp_path)
    assert {p for p in Persona if settings.is_on(p)} == {NARRATOR, Persona.ARCHIVIST}
    assert settings.targets(NARRATOR) == (ModelTarget("anthropic/claude-haiku-4-5"),)


def test_llm_settings_environment_overrides_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "settings.toml").write_text('[model]\nname = "openai/a"\nseconds = 9\n[critic]\non = true\n')
    for name, value in {
        "MODEL_NAME": "openai/b",
        "MODEL_API_BASE": "http://127.0.0.1:8080/v1/",
        "MODEL_FALLBACKS": "openai/c, groq/d",
        "NARRATOR_MAX_TOKENS": "300",
        "MONITOR_ON": "true",
        "BUDGET_DAY": "2.5",
        "ENGINE_BACKEND": "inmemory",
        "COPILOT_PAUSE": "1",
    }.items():
        monkeypatch.setenv(f"MONITOR_{name}", value)
    settings = read_settings(tmp_path)
    local_address = "http://127.0.0.1:8080/v1"
    assert settings.targets(NARRATOR) == (
        ModelTarget("openai/b", local_address),
        ModelTarget("openai/c", local_address),
        ModelTarget("groq/d"),
    )
    assert settings.model.seconds == 9
    assert settings.max_tokens(NARRATOR, 700) == 300
    assert settings.is_on(CRITIC)
    assert settings.is_on(Persona.MONITOR)
    assert (settings.budget.day, settings.engine.backend, settings.copilot.pause) == (2.5, "inmemory", True)
    assert "MONITOR_MODEL_NAME" in SettingsFile(tmp_path).from_environment()
    assert "MONITOR_HOME" not in SettingsFile(tmp_path).from_environment()


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("MONITOR_MODEL_API_BASE", "localhost:8080", "http"),
        ("MONITOR_MODEL_API_BASE", "http://me:secret@host/v1", "no key or password"),
        ("MONITOR_MODEL_SECONDS", "0", "model.seconds"),
        ("MONITOR_NARRATOR_TEMPERATURE", "3", "narrator.temperature"),
        ("MONITOR_ENGINE_BACKEND", "prefect", "langgraph"),
        ("MONITOR_MODEL_NAEM", "x", "model.naem"),
    ],
)
def test_llm_settings_report_invalid_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, says: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(InputError, match=says):
        read_settings(tmp_path)


def test_llm_settings_persona_model_and_fallbacks() -> None:
    settings = app_settings(
        model=ModelSettings(
            name="openai/big", api_base="https://here/v1", fallbacks=("openai/big", "groq/x")
        ),
        critic=PersonaSettings(model="ollama/small@http://127.0.0.1:11434"),
        steward=PersonaSettings(model="openai/other"),
    )
    assert settings.target(CRITIC) == ModelTarget("ollama/small", "http://127.0.0.1:11434")
    assert settings.target(Persona.STEWARD) == ModelTarget("openai/other", "https://here/v1")
    assert settings.targets(NARRATOR) == (ModelTarget("openai/big", "https://here/v1"), ModelTarget("groq/x"))
    assert settings.targets(CRITIC)[1:] == (
        ModelTarget("openai/big", "https://here/v1"),
        ModelTarget("groq/x"),
    )


def test_model_names_and_addresses_are_parsed() -> None:
    assert parse_target("cloudflare/@cf/meta/llama") == ModelTarget("cloudflare/@cf/meta/llama")
    assert [key_name(name) for name in ("gpt-4o", "groq/x", "gemini/x", "bedrock/x", "x")] == [
        "OPENAI_API_KEY",
        "GROQ_API_KEY",
        "GEMINI_API_KEY",
        "",
        "",
    ]
    for near in ("http://127.0.0.1:1/v1", "http://[::1]/v1", "http://192.168.1.4/v1", "http://nas.local/v1"):
        assert is_local_address(near)
        assert may_carry_key(near)
    for far in ("http://api.example.com/v1", "http://8.8.8.8/v1"):
        assert not may_carry_key(far)
    assert may_carry_key("https://api.example.com/v1")


def test_llm_settings_change_keeps_rest_of_file(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(
        '# mine\n[backup]\ndaily = false  # the NAS does it\n\n[model]\nname = "a/b"\nseconds = 5\n'
    )
    write_settings(tmp_path, "model", {"name": "c/d", "seconds": None})
    write_settings(tmp_path, "narrator", {"temperature": 0.9, "on": True})
    text = file.read_text()
    assert text.startswith("# mine\n[backup]\ndaily = false  # the NAS does it\n")
    settings = read_settings(tmp_path)
    assert (settings.model.name, settings.model.seconds, settings.narrator.temperature) == ("c/d", 60.0, 0.9)
    write_settings(tmp_path, "narrator", {"temperature": None, "on": None})
    assert "[narrator]" not in file.read_text()
    if sys.platform != "win32":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["settings.toml"]


@pytest.mark.parametrize(
    ("before", "section", "changes"),
    [
        ("", "narrator", {"temperature": 9.0}),
        ("", "nobody", {"on": True}),
        ("model = 3\n", "model", {"name": "a/b"}),
        ("[model\n", "model", {"name": "a/b"}),
    ],
)
def test_llm_settings_refuse_to_write_unusable_value(
    tmp_path: Path, before: str, section: str, changes: dict[str, str | float]
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(before)
    with pytest.raises(InputError, match="settings cannot be used"):
        write_settings(tmp_path, section, changes)
    assert file.read_text() == before


def test_embedding_settings_default_to_builtin() -> None:
    assert app_settings().embedding.model == "builtin"
    assert app_settings().embedding_target() is None
    assert app_settings(embedding={"model": " None "}).embedding_target() is None
    provider_settings = app_settings(
        embedding={"model": "openai/text-embedding-3-small", "api_base": "http://127.0.0.1:1/v1/"}
    )
    assert provider_settings.embedding_target() == ModelTarget(
        "openai/text-embedding-3-small", "http://127.0.0.1:1/v1"
    )
    # A key that is only in the keyring is handed to the child for it as well.
    assert "openai/text-embedding-3-small" in list_named_models(provider_settings)


@pytest.mark.parametrize("name", ["", "minilm", "text-embedding-3-small"])
def test_embedding_settings_refuse_invalid_name(tmp_path: Path, name: str) -> None:
    (tmp_path / "settings.toml").write_text(f'[embedding]\nmodel = "{name}"\n')
    with pytest.raises(InputError, match=r"embedding\.model.*builtin, none, or LiteLLM's name") as caught:
        read_settings(tmp_path)
    assert "settings.toml" in str(caught.value)
