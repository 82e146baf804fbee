"""Tests that a script may leave the end of its scenes to whoever plays it."""

from __future__ import annotations

from pathlib import Path

from tests.long_campaign.blind_script import read_blind_script

SCRIPT = """
world: Low Marsh
hero: {name: Tam Reed, description: An eel catcher.}
people: []
places: [The Jetty]
things: []
scenes:
- {title: Dusk, place: The Jetty, here: [], lines: [{text: I tie up the boat.}, {text: /end The boat is tied up.}]}
- {title: Dawn, place: The Jetty, here: [], lines: [{text: I cast off.}, {text: I row north.}]}
probes: []
decisions_at_end: []
open_promises_at_end: []
"""


def test_scene_without_end_is_ended_after_its_last_line(tmp_path: Path) -> None:
    path = tmp_path / "script.yaml"
    path.write_text(SCRIPT, encoding="utf-8")

    dusk, dawn = read_blind_script(path).scenes

    assert dusk.end_line == "/end The boat is tied up."
    assert [line.text for line in dusk.played_lines] == ["I tie up the boat."]
    assert dawn.end_line == "/end"
    assert [line.text for line in dawn.played_lines] == ["I cast off.", "I row north."]
