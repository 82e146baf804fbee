"""`monitor recall`: what it prints, as lines and as JSON, one question or many, and what it refuses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from monitor_tui.cli.app import app
from stores.errors import InputError

pytestmark = pytest.mark.slow

RUNNER = CliRunner()

LOG = (
    ("D1:1", "Ana", "I adopted a dog last Saturday."),
    ("D1:2", "Ben", "What is he called?"),
    ("D1:3", "Ana", "Biscuit, because of his colour."),
)


@pytest.fixture(autouse=True)
def _by_words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No embedding model has to wake up for this."""
    monkeypatch.setenv("MONITOR_EMBEDDING_MODEL", "none")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with a log in it that nobody has indexed."""
    home = tmp_path_factory.mktemp("home")
    log = home / "log.jsonl"
    lines = [{"turn": ref, "speaker": who, "role": "player", "text": text} for ref, who, text in LOG]
    log.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    arguments = ["import-log", str(log), "--universe", "Friends", "--story", "A year", "--home", str(home)]
    assert RUNNER.invoke(app, arguments).exit_code == 0
    return home


def test_turns_come_ranked_with_what_the_log_calls_them(home: Path) -> None:
    said = RUNNER.invoke(app, ["recall", "Who adopted a dog?", "-k", "2", "--json", "--home", str(home)])
    told = json.loads(said.stdout)
    assert told["question"] == "Who adopted a dog?"
    assert told["turns"][0]["turn"] == "D1:1"
    assert len(told["turns"]) == 2
    first = told["turns"][0]
    assert (first["speaker"], first["text"]) == ("Ana", "I adopted a dog last Saturday.")
    assert first["score"] == pytest.approx(sum(first["by"].values()), abs=0.001)
    assert told["notes"] == ["meaning: search by meaning is switched off"]


def test_recall_next_page_goes_on_where_the_last_ended(home: Path) -> None:
    asked = ["recall", "Who adopted a dog?", "--json", "--home", str(home)]
    whole, page = (
        json.loads(RUNNER.invoke(app, [*asked, *options]).stdout)["turns"]
        for options in (["-k", "2"], ["-k", "1", "--skip", "1"])
    )
    assert [turn["turn"] for turn in page] == [whole[1]["turn"]]


def test_lines_are_for_reading(home: Path) -> None:
    said = RUNNER.invoke(app, ["recall", "dog", "--story", "a year", "--home", str(home)])
    assert said.stdout.splitlines()[0] == "dog"
    assert "Ana: I adopted a dog last Saturday." in said.stdout
    assert "(D1:1, turn 1 of scene 1" in said.stdout


def test_recall_story_is_found_in_its_universe_and_what_is_indexed_may_do(home: Path, tmp_path: Path) -> None:
    home = shutil.copytree(home, tmp_path / "home")
    more = home / "other.txt"
    more.write_text("Ana: I sold the boat.\nBen: No!\n", "utf-8")
    # Nobody has indexed it.
    arguments = ["import-log", str(more), "--no-index", "--home", str(home)]
    assert RUNNER.invoke(app, arguments).exit_code == 0
    asked = ["recall", "boat", "--story", "other", "--home", str(home)]
    assert "I sold the boat." not in RUNNER.invoke(app, [*asked, "--now"]).stdout
    assert "I sold the boat." in RUNNER.invoke(app, asked).stdout
    said = RUNNER.invoke(app, ["recall", "dog", "--story", "a year", "--home", str(home)])
    assert "Ana: I adopted a dog last Saturday." in said.stdout
    without = RUNNER.invoke(app, ["recall", "dog", "--home", str(home)])
    assert "There are several universes" in str(without.exception)


def test_recall_many_questions_are_asked_at_once_each_a_line_of_json(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "questions"
    file.write_text('What is the dog called?\n\n{"id": "q7", "question": "Who adopted a dog?"}\n', "utf-8")
    said = RUNNER.invoke(app, ["recall", "--questions", str(file), "--json", "--home", str(home)])
    first, second = map(json.loads, said.stdout.splitlines())
    assert (first["question"], second["id"]) == ("What is the dog called?", "q7")
    assert second["turns"][0]["turn"] == "D1:1"


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ([], "There is nothing to search for."),
        (["x", "--questions", "y"], "Either a question or --questions, not both."),
        (["--questions", "/nowhere/to/be/found"], "cannot be read"),
        (["x", "--story", "Another"], "There is no story called 'Another'. There are: A year."),
        (["x", "--universe", "Foes"], "There is no universe called 'Foes'. There are: Friends."),
    ],
)
def test_recall_what_cannot_be_asked_is_refused_in_words(home: Path, arguments: list[str], what: str) -> None:
    said = RUNNER.invoke(app, ["recall", *arguments, "--home", str(home)])
    assert isinstance(said.exception, InputError)
    assert what in str(said.exception)


def test_recall_empty_library_says_so(tmp_path: Path) -> None:
    said = RUNNER.invoke(app, ["recall", "x", "--home", str(tmp_path)])
    assert str(said.exception).startswith("The library is empty.")


def test_recall_by_speaker_has_only_their_turns(home: Path) -> None:
    said = RUNNER.invoke(app, ["recall", "dog called", "--by", "Ben", "--json", "--home", str(home)])
    assert [turn["speaker"] for turn in json.loads(said.stdout)["turns"]] == ["Ben"]
    nobody = RUNNER.invoke(app, ["recall", "dog", "--by", "gm", "--home", str(home)])
    assert "Nothing was found." in nobody.stdout
