"""`monitor query`: what it prints, as lines and as JSON, and what it refuses."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from monitor_tui.cli.app import app
from stores.errors import InputError
from tests.program import opened

RUNNER = CliRunner()


@pytest.fixture(autouse=True)
def _by_words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No embedding model has to wake up for this."""
    monkeypatch.setenv("MONITOR_EMBEDDING_MODEL", "none")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with the sample world in it."""
    home = tmp_path_factory.mktemp("home")

    async def found() -> None:
        async with opened(home) as program:
            await program.services.stories.add_sample()

    asyncio.run(found())
    return home


def test_query_evidence_is_printed_by_standing(home: Path) -> None:
    said = RUNNER.invoke(app, ["query", "Where is Wenna?", "--home", str(home)])
    assert said.exit_code == 0
    first, second, *_ = said.stdout.splitlines()
    assert first == "canon"
    assert second.startswith("[1] canon: Wenna Pike is behind her own bar in the Slack Tide.")


def test_json_has_what_a_program_needs(home: Path) -> None:
    said = RUNNER.invoke(app, ["query", "Where is Wenna?", "--no-model", "--json", "--home", str(home)])
    told = json.loads(said.stdout)
    assert (told["standing"], told["question"], told["unsupported"]) == ("canon", "Where is Wenna?", [])
    assert told["findings"][0].keys() >= {"number", "standing", "text", "fact_id", "entity_id"}


def test_query_what_is_not_on_record_is_unknown_and_no_error(home: Path) -> None:
    said = RUNNER.invoke(app, ["query", "Where is the king of Denmark?", "--home", str(home)])
    assert (said.exit_code, said.stdout.splitlines()[0]) == (0, "unknown: nothing is on record.")


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["Where?", "--universe", "Nowhere"], "no universe called 'Nowhere'"),
        (["Where?", "--story", "None"], "no story called 'None'"),
        (["  "], "nothing to search for"),
    ],
)
def test_query_what_cannot_be_asked_is_an_error_in_words(home: Path, arguments: list[str], what: str) -> None:
    said = RUNNER.invoke(app, ["query", *arguments, "--home", str(home)])
    assert isinstance(said.exception, InputError)
    assert what in str(said.exception)
