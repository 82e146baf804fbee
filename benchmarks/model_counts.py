"""The counts that a strong model behind the program had made of its prompts, over a recorded session and a table.

The session is `tests/long_model/recorded_session.py`: forty exchanges as a strong model narrated and recorded them, in
four scenes, with errors on purpose. The tellings are `tests/agents/narrator/data/tellings.yaml`. Both are the same at
every run. How much of a prompt is reusable is of `changing_story.py`, in which every narration changes something.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from agents.llm.prompt_builder import estimate_tokens
from agents.narrator.prose_checks import Severity
from benchmarks.libraries import Libraries
from benchmarks.table import Row
from stores.records.llm import Persona
from tests.agents.narrator.test_tellings import NOTHING, RIGHT, WRONG, findings_in
from tests.long_model.changing_story import play_changing_story
from tests.long_model.prompt_counts import count_prompts
from tests.long_model.recorded_session import (
    OBSOLETE_ROWS,
    RecordedSession,
    count_by_fate,
    find_unheard,
    play_recorded_session,
)


def run(libraries: Libraries) -> Iterator[Row]:
    yield from count_session(asyncio.run(play_recorded_session(libraries.folder / "counts")))
    story = asyncio.run(play_changing_story(libraries.folder / "counts-changes"))
    yield Row("reusable from turn to turn, mean", 100 * story.mean_reusable_share(), unit="%")
    yield from count_tellings()


def count_session(session: RecordedSession) -> Iterator[Row]:
    """Yield the counts over the prompts, the changes and the gates of a session."""
    exchanges, calls = len(session.exchanges), session.calls()
    counts = count_prompts(session.prompts_of(Persona.NARRATOR))
    archivist_tokens = [estimate_tokens(prompt) for prompt in session.prompts_of(Persona.ARCHIVIST)]
    yield Row("narrator's prompt, mean", counts.mean_tokens, unit="tok")
    yield Row("archivist's prompt, mean", sum(archivist_tokens) / len(archivist_tokens), unit="tok")
    yield Row("calls of a turn, default, mean", calls.total() / exchanges, unit="")
    yield Row("of them doubts behind play", calls[Persona.STEWARD] / exchanges, unit="")
    for name, share in counts.largest_sections:
        yield Row(f"of the prompt: {name}", 100 * share, unit="%")
    yield Row("memory lines in all prompts", counts.memory_count, unit="")
    yield _share(
        "of them stand elsewhere in the same prompt", counts.repeated_memory_count, counts.memory_count
    )
    yield _share("of them are questions", counts.question_memory_count, counts.memory_count)
    yield Row("of them cannot be had", len(find_unheard(session)), unit="")
    yield Row("promises repeated in what came before", counts.owed_history_count, unit="")
    yield _share("open matters that are settled", counts.settled_matter_count, counts.matter_count)
    yield _share("prompts with somebody in two places", counts.two_places_count, counts.prompt_count)
    yield from count_changes(session)
    rows = [title for titles in session.gate_titles for title in titles]
    yield Row("rows at the gates, of an exchange", len(rows) / exchanges, unit="")
    yield _share("of them obsolete when asked", sum(title in OBSOLETE_ROWS for title in rows), len(rows))


def count_changes(session: RecordedSession) -> Iterator[Row]:
    """Yield what became of the model's words: changes, comings and goings, and errors on purpose."""
    fates = count_by_fate(session)
    yield Row("changes that the archivist gave", fates["given"], unit="")
    yield Row("of them proposed", fates["proposed"], unit="")
    yield Row("true changes that were missed", fates["missed"], unit="")
    yield Row("proposed without ground", fates["wrongly proposed"], unit="")
    casts = [e for e in session.exchanges if "cast" in e.recorded]
    yield _share("casts that follow the telling", sum(e.is_cast_right for e in casts), len(casts))
    errors = [e for e in session.exchanges if "shown" in e.recorded]
    yield _share("errors on purpose that are shown", sum(e.is_error_shown for e in errors), len(errors))
    right = [e for e in session.exchanges if not e.is_narrated_again]
    yield _share("forced rewrites of the other exchanges", sum(e.rewrites for e in right), len(right))


def count_tellings() -> Iterator[Row]:
    """Yield what the checks say of right tellings, and of wrong ones."""
    findings = [findings_in(telling) for telling in RIGHT]
    rewrites = sum(any(f.severity is Severity.REWRITE for f in found) for found in findings)
    warnings = sum(bool(found) for found in findings) - rewrites
    yield _share(f"forced rewrites of right tellings ({len(RIGHT)})", rewrites, len(RIGHT))
    yield _share("false warnings on them", warnings, len(RIGHT))
    found_count = sum(
        telling.finds in {f.kind.value for f in findings_in(telling)}
        for telling in WRONG
        if telling.finds != NOTHING
    )
    yield _share(f"wrong tellings found ({len(WRONG)})", found_count, len(WRONG))


def _share(name: str, count: int, total: int) -> Row:
    return Row(name, 100 * count / total if total else 0, unit="%")
