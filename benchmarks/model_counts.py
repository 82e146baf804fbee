"""The counts that a strong model behind the program had made of its prompts, over a recorded session and a table.

The session is `tests/long_model/changing_story.py`: 36 exchanges in three scenes, in which every narration changes
something. The tellings are `tests/agents/narrator/data/tellings.yaml`. Both are the same at every run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from agents.llm.prompt_builder import estimate_tokens
from agents.narrator.prose_checks import Severity
from benchmarks.libraries import Libraries
from benchmarks.table import Row
from tests.agents.narrator.test_tellings import NOTHING, RIGHT, WRONG, findings_in
from tests.long_model.changing_story import MATTERS_OF_GATES, ChangingStory, play_changing_story
from tests.long_model.prompt_counts import count_obsolete_rows, count_prompts


def run(libraries: Libraries) -> Iterator[Row]:
    yield from count_session(asyncio.run(play_changing_story(libraries.folder / "counts")))
    yield from count_tellings()


def count_session(story: ChangingStory) -> Iterator[Row]:
    """Yield the counts over the prompts and gates of a session."""
    counts = count_prompts(story.narrator_prompts)
    archivist_tokens = [estimate_tokens(prompt) for prompt in story.archivist_prompts]
    exchanges = counts.prompt_count
    rows = sum(map(len, story.gate_titles))
    obsolete = count_obsolete_rows(story.gate_titles, MATTERS_OF_GATES)
    yield Row("narrator's prompt, mean", counts.mean_tokens, unit="tok")
    yield Row("archivist's prompt, mean", sum(archivist_tokens) / len(archivist_tokens), unit="tok")
    yield Row("calls of a turn, default", 1 + len(archivist_tokens) / exchanges, unit="")
    for name, share in counts.largest_sections:
        yield Row(f"of the prompt: {name}", 100 * share, unit="%")
    yield Row("memory lines in all prompts", counts.memory_count, unit="")
    yield _share(
        "of them stand elsewhere in the same prompt", counts.repeated_memory_count, counts.memory_count
    )
    yield _share("of them are questions", counts.question_memory_count, counts.memory_count)
    yield Row("promises repeated in what came before", counts.owed_history_count, unit="")
    yield _share("open matters that are settled", counts.settled_matter_count, counts.matter_count)
    yield _share("prompts with somebody in two places", counts.two_places_count, counts.prompt_count)
    yield Row("reusable from turn to turn, mean", 100 * story.mean_reusable_share(), unit="%")
    yield Row("rows at the gates, of an exchange", rows / exchanges, unit="")
    yield _share("of them obsolete when asked", obsolete, rows)


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
