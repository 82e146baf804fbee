"""Tests that API keys go only to servers that the user entered on this computer."""

from __future__ import annotations

from pathlib import Path

from agents.llm.model_names import ModelTarget
from agents.llm.provider_keys import ProviderKeys
from agents.llm.trusted_addresses import TrustedAddresses

KEYS = {"OPENAI_API_KEY": "planted-key-1234567"}
ADDRESS = "https://models.example.org/v1"


def test_trusted_address_is_remembered_by_its_server(tmp_path: Path) -> None:
    file = tmp_path / "config" / "trusted-addresses"
    addresses = TrustedAddresses(file, {})
    assert not addresses.is_trusted(ADDRESS)
    addresses.trust(ADDRESS)
    remembered = TrustedAddresses(file, {})
    assert remembered.is_trusted("https://MODELS.example.org/other")
    for other in (
        "http://models.example.org/v1",
        "https://models.example.org:8443/v1",
        "https://example.org/v1",
    ):
        assert not remembered.is_trusted(other)
    assert file.stat().st_mode & 0o077 == 0


def test_trusted_address_may_stand_in_the_environment() -> None:
    environ = {
        "MONITOR_MODEL_API_BASE": ADDRESS,
        "MONITOR_MODEL_FALLBACKS": "openai/a@https://one.example/v1, openai/b@https://two.example",
        "OTHER": "https://three.example",
    }
    addresses = TrustedAddresses(None, environ)
    trusted = [ADDRESS, "https://one.example/v1", "https://two.example/v1"]
    assert [
        address for address in (*trusted, "https://three.example") if addresses.is_trusted(address)
    ] == trusted


async def test_provider_key_says_that_it_is_not_sent_to_an_address_from_a_settings_file(
    tmp_path: Path,
) -> None:
    addresses = TrustedAddresses(tmp_path / "trusted-addresses", {})
    keys = ProviderKeys(KEYS, trusted_addresses=addresses)
    target = ModelTarget("openai/gpt-4o", ADDRESS)
    assert (await keys.describe_source(target)).startswith("not sent: the address was not entered")
    await keys.trust_address(ADDRESS)
    assert await keys.describe_source(target) == "environment OPENAI_API_KEY"
    assert await keys.describe_source(ModelTarget("openai/gpt-4o")) == "environment OPENAI_API_KEY"


def test_trusted_addresses_file_that_is_no_text_trusts_nobody(tmp_path: Path) -> None:
    (tmp_path / "trusted").write_bytes(b"\xff\xfe\x00")
    assert not TrustedAddresses(tmp_path / "trusted", {}).is_trusted(ADDRESS)
