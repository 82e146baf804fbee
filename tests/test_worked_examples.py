"""Two worked examples of whole sessions, played by the command as anyone would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPTS = Path(__file__).parent / "scripts"


def monitor(home: Path, *words: str, expect: int = 0, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command as a real process."""
    done = subprocess.run(
        [sys.executable, "-m", "monitor_tui", "--home", str(home), *words],
        capture_output=True,
        text=True,
        input=stdin,
        env={**os.environ, "PYTHONWARNINGS": "error"},
        check=False,
        timeout=60,
    )
    assert done.returncode == expect, done.stderr
    assert "Traceback" not in done.stderr
    return done


def played(home: Path, script: str, seed: int) -> dict[str, Any]:
    path = str(SCRIPTS / script)
    report: dict[str, Any] = json.loads(
        monitor(home, "play", "--script", path, "--seed", str(seed), "--json").stdout
    )
    return report


def fact(report: dict[str, Any], statement: str) -> dict[str, Any]:
    (found,) = [f for f in report["facts"] if f["statement"] == statement]
    return dict(found)


@pytest.mark.slow
def test_combat_with_the_orc(tmp_path: Path) -> None:
    report = played(tmp_path, "orc.play", seed=5)
    scene, following = report["scenes"]
    assert [r["degree"] for r in scene["resolutions"]] == ["success", "partial", "success"]
    turns = {t["id"]: t for t in scene["turns"]}

    death = fact(report, "Orc died.")
    assert (death["kind"], death["predicate"], death["value"]) == ("state", "alive", False)
    assert death["names"] == {"subject": "Orc"}
    supports = {(e["kind"], e["ref_id"]) for e in death["evidence"]}
    assert ("scene", scene["id"]) in supports
    assert turns[next(r for k, r in supports if k == "turn")]["text"] == "I finish him."
    assert "resolution" in {k for k, _ in supports}

    # The death was critical: it was committed before the scene ended, and play went on.
    moves = [(m["event"], m["detail"]) for m in report["transitions"] if m["subject_id"] == scene["id"]]
    events = [event for event, _ in moves]
    assert events.index("critical_event") < events.index("end") < events.index("canon_written")
    assert "Orc died" in dict(moves)["critical_event"]

    # At the scene's end the graph holds the event, resting on the scene: no turn of it says so in words.
    event = fact(report, "Combat with the orc.")
    assert event["kind"] == "event"
    assert set(event["names"].values()) == {"Aldric", "Orc"}
    assert [e["quote"] for e in event["evidence"] if e["kind"] == "manual"] == ["Combat with the orc"]
    assert [e["ref_id"] for e in event["evidence"] if e["kind"] == "scene"] == [scene["id"]]
    assert len(event["evidence"]) == 2

    assert fact(report, "Aldric is wounded.")["status"] == "canonical"
    people = {e["name"]: e for e in report["entities"]}
    assert people["Aldric"]["tags"] == ["wounded"]
    assert people["Aldric"]["numbers"]["hp"] == 7
    assert people["Orc"]["tags"] == ["dead"]
    assert {p["status"] for p in report["proposals"]} == {"accepted"}
    assert (scene["status"], following["status"]) == ("completed", "active")
    assert set(scene["canonical_outcomes"]) == {f["id"] for f in report["facts"]}


@pytest.mark.slow
def test_example_hidden_door(tmp_path: Path) -> None:
    report = played(tmp_path, "hidden_door.play", seed=1)
    scene = report["scenes"][0]
    events = [m["event"] for m in report["transitions"] if m["subject_id"] == scene["id"]]
    found = events.index("critical_event")
    assert "user_turn" in events[found:], "the scene went on after the discovery"

    way = fact(report, "Crypt leads to Hidden Chamber.")
    assert (way["kind"], way["names"]) == ("relation", {"subject": "Crypt", "object": "Hidden Chamber"})
    (eleventh,) = [e for e in way["evidence"] if e["kind"] == "turn"]
    assert "hidden door" in eleventh["quote"]

    where = fact(report, "Mara is in Hidden Chamber.")
    assert where["predicate"] == "located_in"
    assert where["status"] == "canonical"
    assert where["valid_to"] is None
    assert scene["status"] == "completed"
    assert report["scenes"][1]["place_id"] == next(
        e["id"] for e in report["entities"] if e["name"] == "Hidden Chamber"
    )


@pytest.mark.slow
def test_example_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    path = str(SCRIPTS / "orc.play")
    words = ("play", "--script", path, "--seed", "11", "--json")
    first, again = (monitor(tmp_path / name, *words).stdout for name in ("a", "b"))
    other = monitor(tmp_path / "c", *words[:4], "12", "--json").stdout
    assert first == again
    assert first != other


@pytest.mark.slow
def test_example_script_that_fails_says_where_and_keeps_what_was_played(tmp_path: Path) -> None:
    script = "universe: Here\n---\nI look.\n/roll 2d\n> Nothing.\n"
    done = monitor(tmp_path, "play", "--script", "-", "--json", stdin=script, expect=1)
    assert "line 4" in done.stderr
    assert [t["text"] for t in json.loads(done.stdout)["scenes"][0]["turns"]] == ["I look."]


@pytest.mark.slow
def test_example_second_instance_is_said_who_has_the_library(tmp_path: Path) -> None:
    script = "universe: Here\n---\nI wait.\n"
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import asyncio, sys; from pathlib import Path; from monitor_tui.compose import open_program\n"
            "async def hold():\n"
            "    program = await open_program(Path(sys.argv[1])); print('held', flush=True)\n"
            "    await asyncio.to_thread(sys.stdin.read); await program.close()\n"
            "asyncio.run(hold())",
            str(tmp_path),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout
    assert holder.stdout.readline() == "held\n"
    done = monitor(tmp_path, "play", "--script", "-", stdin=script, expect=1)
    assert str(holder.pid) in done.stderr
    holder.communicate("")
    monitor(tmp_path, "play", "--script", "-", stdin=script)


@pytest.mark.slow
def test_example_story_is_written_out_to_read(tmp_path: Path) -> None:
    played(tmp_path, "orc.play", seed=5)
    markdown = monitor(tmp_path, "story", "The Ford").stdout
    assert markdown.startswith("# The Ford")
    assert "I attack the orc." in markdown
    assert "Orc died." in markdown
    journal = monitor(tmp_path, "story", "the ford", "--as", "journal").stdout
    assert "I finish him." in journal
    assert "There are: The Ford." in monitor(tmp_path, "story", "Nothing", expect=1).stderr


OWN_DICE = """\
universe: The Yard
pc: Mara (might 1)
story: Own dice
system: lantern_twos
dice: physical
tension: edge
constraints: nobody flies
---
/creature Orc: scarred (hp 4)
I swing. /move strike Orc
I swing. /move strike Orc = 6 6
/reroll 1
/reroll 1 = 5
/rest night
/gm what did the orc want?
"""


@pytest.mark.slow
def test_example_script_with_its_own_dice(tmp_path: Path) -> None:
    done = monitor(tmp_path, "play", "--script", "-", "--seed", "3", stdin=OWN_DICE)
    assert "  Roll 2d6, then type the result after the =.\n" in done.stdout
    assert "tells it without a roll.\n  [I swing. /move strike Orc = ]\n" in done.stdout
    assert "  The rules suggest /state Orc.alive = false (Tab takes it)\n" in done.stdout
    assert "  [/reroll 1 = ]\n" in done.stdout
    report = json.loads(
        monitor(tmp_path, "play", "--script", "-", "--json", stdin=OWN_DICE.split("/creature")[0]).stdout
    )
    (scene,) = report["scenes"]
    assert [t["text"].partition(" · success")[0] for t in scene["turns"] if t["speaker"] == "oracle"] == [
        "strike Orc · 2d6+1 [6,6]+1 = 13 vs 10",
        "strike Orc · 2d6+1 [6→5,6]+1 = 12 vs 10",
    ]
    assert [r["by_hand"] for r in scene["resolutions"]] == [True, True]
    assert [n["text"] for n in report["notes"]] == ["what did the orc want?"]
    more = f"{OWN_DICE.split('/creature')[0]}/roll d6\n"
    (asked,) = json.loads(monitor(tmp_path, "play", "--script", "-", "--json", stdin=more).stdout)["replies"]
    assert (asked["kind"], asked["prompt"]) == ("operation", "/roll d6 = ")


@pytest.mark.slow
def test_example_script_by_rules_that_are_wrong_says_which_line(tmp_path: Path) -> None:
    (tmp_path / "systems").mkdir()
    (tmp_path / "systems" / "mud.yaml").write_text("id: mud\nname: Mud\nversion: [\n", encoding="utf-8")
    done = monitor(
        tmp_path, "play", "--script", "-", stdin="system: mud\nuniverse: A\n---\nI go.\n", expect=1
    )
    assert "mud.yaml: This rule pack cannot be used: line" in done.stderr
    done = monitor(tmp_path, "play", "--script", "-", stdin="dice: mine\n---\nI go.\n", expect=1)
    assert "'mine' is not one of program, physical" in done.stderr
