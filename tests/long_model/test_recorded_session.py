"""Tests what a strong model was told in a recorded session of forty exchanges, and what became of its words."""

from __future__ import annotations

from pathlib import Path

import pytest

from stores.records.llm import Persona
from tests.long_model.prompt_counts import count_prompts
from tests.long_model.recorded_session import (
    OBSOLETE_ROWS,
    PROPOSED,
    RecordedSession,
    count_by_fate,
    find_unheard,
    play_recorded_session,
    read_session,
)

MIN_EXCHANGES = 40
MAX_REPEATED_SHARE = 0.05
MAX_CALLS_PER_TURN = 3


@pytest.mark.slow
async def test_recorded_session_of_a_strong_model(tmp_path: Path) -> None:
    session = await play_recorded_session(tmp_path)
    assert len(session.exchanges) >= MIN_EXCHANGES
    _check_cast(session)
    _check_changes(session)
    _check_errors(session)
    _check_gates(session)
    counts = count_prompts(session.prompts_of(Persona.NARRATOR))
    assert counts.memory_count
    assert counts.repeated_memory_count <= MAX_REPEATED_SHARE * counts.memory_count
    assert (counts.question_memory_count, counts.two_places_count, counts.owed_history_count) == (0, 0, 0)
    assert find_unheard(session) == []
    assert session.calls().total() <= MAX_CALLS_PER_TURN * len(session.exchanges)
    doubted = [p.partition("## The new sentence")[2] for p in session.prompts_of(Persona.STEWARD)]
    assert doubted
    assert not [words for words in doubted if " said: " in words or " promised" in words]
    assert not [p for p in session.prompts_of(Persona.NARRATOR) if "forges the fourth replies" in _before(p)]


def _before(prompt: str) -> str:
    """Return the sections of a prompt that say nothing of who knows what."""
    return prompt.partition("## What came before")[2].partition("## The last turns")[0]


def _check_cast(session: RecordedSession) -> None:
    """Who came and who left by the telling is here or gone, at once."""
    for exchange in session.exchanges:
        if "cast" in exchange.recorded:
            assert exchange.is_cast_right, (exchange.recorded["say"], exchange.cast)


def _check_changes(session: RecordedSession) -> None:
    """All that is true is proposed, and what has no ground is not."""
    counts = count_by_fate(session)
    assert (counts["missed"], counts["wrongly proposed"]) == (0, 0)
    for exchange in session.exchanges:
        least, free = len(exchange.changes_to_be(PROPOSED)), len(exchange.changes_to_be("either"))
        assert least <= len(exchange.proposals) <= least + free, exchange.recorded["say"]


def _check_errors(session: RecordedSession) -> None:
    """Each error on purpose is shown; only those that are told again cost a call, and no right telling does."""
    for exchange in session.exchanges:
        if "shown" in exchange.recorded:
            assert exchange.is_error_shown, exchange.recorded["bad"]
        assert exchange.rewrites == exchange.is_narrated_again, exchange.recorded["say"]
        warnings = [line for line in exchange.player_lines if line.startswith("⚠")]
        assert bool(warnings) <= ("shown" in exchange.recorded), exchange.recorded["say"]


def _check_gates(session: RecordedSession) -> None:
    """Nothing is asked twice, and nothing that is over by then."""
    for titles in session.gate_titles:
        assert len(titles) == len(set(titles))
        assert OBSOLETE_ROWS.isdisjoint(titles)


def test_recorded_session_has_each_kind_of_error_on_purpose() -> None:
    exchanges = [exchange for scene in read_session()["scenes"] for exchange in scene["exchanges"]]
    assert {exchange["bad"] for exchange in exchanges if "bad" in exchange} >= {
        *(
            "the dice contradicted",
            "a secret leaked",
            "the past invented",
            "the dead speak",
            "the absent speak",
        ),
        *("broken JSON", "an unrelated quote", "a telling repeated"),
    }
