"""A picture of the record asked, and of those who live in a world."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from monitor_tui.app import MonitorApp
from stores.records.llm import Persona
from tests.screens.screen_driver import real_services
from tests.screens.scripted_llm import ScriptedLlm, write_settings
from tests.snapshots.steps import SIZES, Compare, Steps, walk

PLAYED: dict[str, Steps] = {
    "query_canon": ("enter", "f8", "type:where is Wenna?", "enter"),
    "characters_sheet": ("4",),
}
REMEMBERED: dict[str, Steps] = {
    "query_standings": ("6", "type:who has the brass key?", "enter"),
    "characters_memories": ("4", "f2", "enter"),
}
REMEMBERED_MORE: dict[str, Steps] = {
    "query_none": ("6",),
    "query_unknown": ("enter", "f8", "type:Who wears the crown?", "enter"),
    "query_recall": ("6", "f2", "type:brass key", "enter"),
    "query_words": ("6", "f2", "f2", "type:brass key", "enter"),
    "characters_who_knows": ("4", "f2", "enter", "w"),
    "characters_new": ("4", "n"),
}
ANSWER = {
    "sentences": [
        {"text": "Ivo Tarrant saw the brass key.", "cites": [1]},
        {"text": "Hester Marrow stole it.", "cites": [1]},
    ]
}


@pytest.mark.slow
@SIZES
@pytest.mark.parametrize("name", PLAYED)
def test_played_story(snap_compare: Compare, played_home: Path, name: str, size: tuple[int, int]) -> None:
    assert snap_compare(
        MonitorApp(real_services(played_home, 8)), terminal_size=size, run_before=walk(*PLAYED[name])
    )


@pytest.mark.slow
@SIZES
@pytest.mark.parametrize("name", REMEMBERED)
def test_remembered_story(
    snap_compare: Compare, remembered_home: Path, name: str, size: tuple[int, int]
) -> None:
    write_settings(remembered_home, '[model]\nname = "openai/gpt-4o-mini"\n[librarian]\non = true\n')
    model = ScriptedLlm({Persona.LIBRARIAN: json.dumps(ANSWER)})
    app = MonitorApp(real_services(remembered_home, 8, model=model))
    assert snap_compare(app, terminal_size=size, run_before=walk(*REMEMBERED[name]))


@pytest.mark.slow
@SIZES
@pytest.mark.parametrize("name", REMEMBERED_MORE)
def test_remembered_story_without_model(
    snap_compare: Compare, remembered_home: Path, name: str, size: tuple[int, int]
) -> None:
    app = MonitorApp(real_services(remembered_home, 8))
    assert snap_compare(app, terminal_size=size, run_before=walk(*REMEMBERED_MORE[name]))
