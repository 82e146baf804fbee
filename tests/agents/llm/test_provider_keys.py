"""Tests of API keys: where they are found, stored and masked."""

from __future__ import annotations

import pytest

from agents.llm.model_names import ModelTarget
from agents.llm.provider_keys import KEYRING_SERVICE, ProviderKeys
from agents.llm.strict_schema import strict_schema
from agents.secret_masking import mask_known_secrets
from stores.errors import InputError

KEY = "planted-key-1234567"


class FakeKeyring(dict[tuple[str, str], str]):
    def get_password(self, service: str, name: str) -> str | None:
        return self.get((service, name))

    def set_password(self, service: str, name: str, key: str) -> None:
        self[service, name] = key


class FailingKeyring(FakeKeyring):
    def get_password(self, service: str, name: str) -> str | None:
        raise RuntimeError(f"locked, and {KEY} was in it")

    def set_password(self, service: str, name: str, key: str) -> None:
        raise RuntimeError(f"locked, and {key} was said")


@pytest.mark.parametrize(
    ("at", "environ", "says"),
    [
        (ModelTarget("openai/x"), {"OPENAI_API_KEY": KEY}, "environment OPENAI_API_KEY"),
        (ModelTarget("gemini/x"), {"GOOGLE_API_KEY": KEY}, "environment GOOGLE_API_KEY"),
        (ModelTarget("openai/x"), {}, "missing: set OPENAI_API_KEY"),
        (ModelTarget("groq/x"), {}, "keyring"),
        (ModelTarget("openai/x", "http://127.0.0.1:1/v1"), {}, "not needed"),
        (ModelTarget("ollama/x"), {}, "not needed"),
        (ModelTarget("bedrock/x"), {}, "not needed"),
        (
            ModelTarget("openai/x", "http://far.example/v1"),
            {"OPENAI_API_KEY": KEY},
            "not sent: the address is not https",
        ),
    ],
)
async def test_provider_keys_describe_source(at: ModelTarget, environ: dict[str, str], says: str) -> None:
    keys = ProviderKeys(environ, FakeKeyring({(KEYRING_SERVICE, "GROQ_API_KEY"): KEY}))
    assert await keys.describe_source(at) == says


async def test_provider_keys_store_in_keyring_and_find_there() -> None:
    keys = ProviderKeys({}, ring := FakeKeyring())
    assert await keys.store_key("anthropic/x", f" {KEY}\n") == "ANTHROPIC_API_KEY"
    assert ring == {(KEYRING_SERVICE, "ANTHROPIC_API_KEY"): KEY}
    assert await keys.read_keyring_keys(["anthropic/x", "openai/y", "ollama/z"]) == {"ANTHROPIC_API_KEY": KEY}
    # What the environment has is not handed over a second time.
    assert await ProviderKeys({"ANTHROPIC_API_KEY": "other"}, ring).read_keyring_keys(["anthropic/x"]) == {}


@pytest.mark.parametrize("key", ["", "two\nlines", "with\x1bescape", "schlüssel"])
async def test_provider_keys_refuse_invalid_key(key: str) -> None:
    with pytest.raises(InputError, match="no key"):
        await ProviderKeys({}, FakeKeyring()).store_key("openai/x", key)


@pytest.mark.parametrize("model", ["", "bedrock/x"])
async def test_provider_keys_refuse_provider_without_key(model: str) -> None:
    with pytest.raises(InputError):
        await ProviderKeys({}, FakeKeyring()).store_key(model, KEY)


async def test_provider_keys_report_keyring_failure_without_its_message() -> None:
    keys = ProviderKeys({}, FailingKeyring())
    assert await keys.describe_source(ModelTarget("openai/x")) == "missing: set OPENAI_API_KEY"
    with pytest.raises(InputError, match="OPENAI_API_KEY") as caught:
        await keys.store_key("openai/x", KEY)
    assert KEY not in str(caught.value)
    assert caught.value.__cause__ is None


async def test_provider_keys_name_environment_without_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    import keyring
    from keyring.backends import fail

    monkeypatch.setattr(keyring, "get_keyring", fail.Keyring)
    with pytest.raises(InputError, match="Set OPENAI_API_KEY in the environment"):
        await ProviderKeys({}).store_key("openai/x", KEY)


def test_secret_masking_by_value_and_form() -> None:
    environ = {"OPENAI_API_KEY": KEY, "MY_TOKEN": "no", "HOME": "/home/me"}
    masked_text = mask_known_secrets(f"bad {KEY} no /home/me sk-abcdefghijklmnop", environ)
    assert masked_text == "bad *** no /home/me ***"


def test_strict_schema_requires_all_fields() -> None:
    schema = {
        "type": "object",
        "title": "Beat",
        "properties": {
            "title": {"type": "string", "maxLength": 9, "title": "Title"},
            "beats": {"type": "array", "maxItems": 3, "items": {"$ref": "#/$defs/Beat"}},
        },
        "$defs": {
            "Beat": {"type": "object", "properties": {"n": {"type": "integer", "default": 1, "maximum": 4}}}
        },
        "required": ["title"],
    }
    assert strict_schema(schema) == {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "beats": {"type": "array", "items": {"$ref": "#/$defs/Beat"}},
        },
        "$defs": {
            "Beat": {
                "type": "object",
                "properties": {"n": {"type": "integer"}},
                "required": ["n"],
                "additionalProperties": False,
            }
        },
        "required": ["title", "beats"],
        "additionalProperties": False,
    }
