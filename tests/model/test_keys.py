"""Where a key is found, where it is kept, and that it is nowhere else."""

from __future__ import annotations

import pytest

from agents.model.keys import SERVICE, Keys
from agents.model.names import Target
from agents.model.strict import strict
from agents.secrets import strike_known
from stores.errors import InputError

KEY = "planted-key-1234567"


class Ring(dict[tuple[str, str], str]):
    def get_password(self, service: str, name: str) -> str | None:
        return self.get((service, name))

    def set_password(self, service: str, name: str, key: str) -> None:
        self[service, name] = key


class Broken(Ring):
    def get_password(self, service: str, name: str) -> str | None:
        raise RuntimeError(f"locked, and {KEY} was in it")

    def set_password(self, service: str, name: str, key: str) -> None:
        raise RuntimeError(f"locked, and {key} was said")


@pytest.mark.parametrize(
    ("at", "environ", "says"),
    [
        (Target("openai/x"), {"OPENAI_API_KEY": KEY}, "environment OPENAI_API_KEY"),
        (Target("gemini/x"), {"GOOGLE_API_KEY": KEY}, "environment GOOGLE_API_KEY"),
        (Target("openai/x"), {}, "missing: set OPENAI_API_KEY"),
        (Target("groq/x"), {}, "keyring"),
        (Target("openai/x", "http://127.0.0.1:1/v1"), {}, "not needed"),
        (Target("ollama/x"), {}, "not needed"),
        (Target("bedrock/x"), {}, "not needed"),
        (
            Target("openai/x", "http://far.example/v1"),
            {"OPENAI_API_KEY": KEY},
            "not sent: the address is not https",
        ),
    ],
)
async def test_where_a_key_is(at: Target, environ: dict[str, str], says: str) -> None:
    keys = Keys(environ, Ring({(SERVICE, "GROQ_API_KEY"): KEY}))
    assert await keys.where(at) == says


async def test_a_key_is_kept_in_the_ring_and_found_there() -> None:
    keys = Keys({}, ring := Ring())
    assert await keys.keep("anthropic/x", f" {KEY}\n") == "ANTHROPIC_API_KEY"
    assert ring == {(SERVICE, "ANTHROPIC_API_KEY"): KEY}
    assert await keys.for_models(["anthropic/x", "openai/y", "ollama/z"]) == {"ANTHROPIC_API_KEY": KEY}
    # What the environment has is not handed over a second time.
    assert await Keys({"ANTHROPIC_API_KEY": "other"}, ring).for_models(["anthropic/x"]) == {}


@pytest.mark.parametrize("key", ["", "two\nlines", "with\x1bescape", "schlüssel"])
async def test_what_is_no_key_is_refused(key: str) -> None:
    with pytest.raises(InputError, match="no key"):
        await Keys({}, Ring()).keep("openai/x", key)


@pytest.mark.parametrize("model", ["", "bedrock/x"])
async def test_what_has_no_key_gets_none(model: str) -> None:
    with pytest.raises(InputError):
        await Keys({}, Ring()).keep(model, KEY)


async def test_a_ring_that_fails_is_told_without_its_words() -> None:
    keys = Keys({}, Broken())
    assert await keys.where(Target("openai/x")) == "missing: set OPENAI_API_KEY"
    with pytest.raises(InputError, match="OPENAI_API_KEY") as caught:
        await keys.keep("openai/x", KEY)
    assert KEY not in str(caught.value)
    assert caught.value.__cause__ is None


async def test_where_there_is_no_ring_the_environment_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import keyring
    from keyring.backends import fail

    monkeypatch.setattr(keyring, "get_keyring", fail.Keyring)
    with pytest.raises(InputError, match="Set OPENAI_API_KEY in the environment"):
        await Keys({}).keep("openai/x", KEY)


def test_secrets_are_struck_by_value_and_by_looks() -> None:
    environ = {"OPENAI_API_KEY": KEY, "MY_TOKEN": "no", "HOME": "/home/me"}
    told = strike_known(f"bad {KEY} no /home/me sk-abcdefghijklmnop", environ)
    assert told == "bad *** no /home/me ***"


def test_a_schema_as_strict_modes_take_it() -> None:
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
    assert strict(schema) == {
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
