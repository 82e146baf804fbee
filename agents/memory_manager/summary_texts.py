"""Summarises stretches of play, scenes and stories without a model.

A summary is extracted, never invented: who died and the GM's outcome, always; then of the Archivist's bullets, the
facts and the results of dice what weighs most, or without bullets the most important sentences
(`memory_importance.py`), in their order and up to a length. `@DECISION` marks and commitments follow on lines of
their own and are never shortened. Ten summaries roll up into one of the next level, so that a thousand scenes take
about thirty summaries.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from agents.memory_manager.memory_importance import measure_importance
from agents.memory_manager.memory_words import is_bookkeeping
from agents.prose.words import split_sentences
from stores.records.canon import normalize_statement
from stores.records.llm import DecisionMark
from stores.records.play import Degree, Resolution, Scene, Speaker, Turn

BULLET_KIND: Final = "bullet"
STRETCH_KIND: Final = "stretch"
SCENE_KIND: Final = "scene"
STORY_KIND: Final = "story"
RECAP_KIND: Final = "recap"
"""How the GM told a story that is over, on its last scene."""
STRETCH_LEVELS: Final = (STRETCH_KIND, "stretches", "long stretch")
"""Levels within one scene; each stands for ten of the one before."""
SCENE_LEVELS: Final = (SCENE_KIND, "chapter", "part", "volume")
"""Levels of a story's scenes; each stands for ten of the one before."""
ROLL_UP_SIZE: Final = 10
TURNS_PER_STRETCH: Final = 20
"""Turns of a stretch."""
MAX_SUMMARY_CHARS: Final = 480
"""Characters of a summary, without the lines that are never shortened."""
MAX_GIST_CHARS: Final = 110
"""Characters that one summary gets in the summary of the next level."""
LAST_SCENES_KEPT: Final = 5
"""The last scenes of a story, which are not rolled up."""

DECIDED_PREFIX: Final = "Decided: "
OWED_PREFIX: Final = "Promised, owed or asked: "

NO_WEIGHTS: Final[Mapping[str, float]] = {}

_RESULT_TEXTS: Final = {
    Degree.SUCCESS: "it succeeded",
    Degree.PARTIAL: "it half succeeded",
    Degree.FAIL: "it failed",
}


def summarise_stretch(
    turns: Sequence[Turn],
    *,
    deaths: Sequence[str] = (),
    facts: Sequence[str] = (),
    bullets: Sequence[str] = (),
    results: Sequence[Resolution] = (),
    decisions: Sequence[DecisionMark] = (),
    commitments: Sequence[str] = (),
    weights: Mapping[str, float] = NO_WEIGHTS,
) -> str:
    """Summarise a stretch of turns; `weights` (0 to 1) are of facts of which it was said how much they matter."""
    heading = f"Turns {turns[0].depth + 1} to {turns[-1].depth + 1}: "
    text = _gather_sentences(turns, deaths, facts, bullets, results, weights)
    return _append_marks(heading + text, decisions, commitments)


def summarise_scene(
    scene: Scene,
    turns: Sequence[Turn],
    *,
    deaths: Sequence[str] = (),
    facts: Sequence[str] = (),
    bullets: Sequence[str] = (),
    results: Sequence[Resolution] = (),
    decisions: Sequence[DecisionMark] = (),
    commitments: Sequence[str] = (),
    weights: Mapping[str, float] = NO_WEIGHTS,
) -> str:
    """Summarise a scene; who died comes first, then the GM's outcome, if there is one."""
    outcome = [_finish_sentence(scene.summary)] if scene.summary.strip() else []
    text = _gather_sentences(turns, (*deaths, *outcome), facts, bullets, results, weights)
    return _append_marks(f"{_scene_heading(scene)}: {text}", decisions, commitments)


def roll_up_summaries(heading: str, texts: Sequence[str], open_matters: Collection[str]) -> str:
    """Summarise several summaries: the gist of each, all decisions, and what is still open."""
    gists = (shorten_text(text.splitlines()[0], MAX_GIST_CHARS) for text in texts if text)
    summary_lines = [heading + " ".join(gists)]
    mark_lines = dict.fromkeys(line for text in texts for line in text.splitlines()[1:])
    open_texts = {normalize_statement(matter) for matter in open_matters}
    summary_lines += (
        line
        for line in mark_lines
        if line.startswith(DECIDED_PREFIX)
        or (line.startswith(OWED_PREFIX) and normalize_statement(line[len(OWED_PREFIX) :]) in open_texts)
    )
    return "\n".join(summary_lines)


def shorten_text(text: str, max_chars: int) -> str:
    """Shorten a text to one line of at most `max_chars` characters: whole sentences, or cut after a word."""
    line = " ".join(text.split())
    if len(line) <= max_chars:
        return line
    kept_text = ""
    for sentence in split_sentences(line):
        if len(kept_text) + len(sentence) + 1 > max_chars:
            break
        kept_text = f"{kept_text} {sentence}".strip()
    return kept_text or line[: max_chars - 1].rpartition(" ")[0].rstrip(" ,;:") + "…"


def format_story_end(title: str, recap: str) -> str:
    """Return the GM's recap of a story that is over, in one line."""
    return f"“{title}” is over: {' '.join(recap.split())}"


def plan_scene_levels(count: int) -> list[tuple[int, int, int]]:
    """Return which level covers which of `count` past scenes, as (level, first, last), the oldest first.

    It uses as few summaries as there are levels for; the last LAST_SCENES_KEPT scenes stand by themselves.
    """
    planned_levels: list[tuple[int, int, int]] = []
    position = 0
    while position < count:
        level = 0
        for higher in range(len(SCENE_LEVELS) - 1, 0, -1):
            size = ROLL_UP_SIZE**higher
            if position % size == 0 and position + size <= count - LAST_SCENES_KEPT:
                level = higher
                break
        size = ROLL_UP_SIZE**level
        planned_levels.append((level, position, position + size - 1))
        position += size
    return planned_levels


def format_decision(mark: DecisionMark) -> str:
    """Return a decision in the words with which it was marked."""
    return "; so: ".join(part for part in (mark.reason, mark.impact) if part) or mark.text


def _gather_sentences(
    turns: Sequence[Turn],
    certain: Sequence[str],
    facts: Sequence[str],
    bullets: Sequence[str],
    results: Sequence[Resolution],
    weights: Mapping[str, float],
) -> str:
    """Collect the most important sentences up to the length: all that is `certain`, facts and bullets, then prose."""
    kept_sentences: dict[str, str] = {}

    def add_sentences(texts: Iterable[str], max_chars: int = MAX_SUMMARY_CHARS) -> None:
        for text in texts:
            sentence_text = _finish_sentence(text)
            if (
                sentence_text
                and normalize_statement(sentence_text) not in kept_sentences
                and sum(map(len, kept_sentences.values())) + len(sentence_text) < max_chars
            ):
                kept_sentences[normalize_statement(sentence_text)] = sentence_text

    for text in certain:
        kept_sentences[normalize_statement(text)] = _finish_sentence(text)
    chosen_texts = _choose_by_weight(
        (*facts, *bullets), weights, MAX_SUMMARY_CHARS - sum(map(len, kept_sentences.values()))
    )
    add_sentences(text for text in facts if text in chosen_texts)
    add_sentences(
        (
            f"{_result_label(r)}: {_RESULT_TEXTS[r.degree]}"
            for r in results
            # A roll without words has the line before it as intent, which may be dice.
            if r.degree in _RESULT_TEXTS and not is_bookkeeping(_result_label(r))
        ),
        MAX_SUMMARY_CHARS * 2 // 3,
    )
    add_sentences(text for text in bullets if text in chosen_texts)
    if not bullets:
        story_turns = [t for t in turns if t.speaker not in (Speaker.ORACLE, Speaker.SYSTEM)]
        story_sentences = [s for t in story_turns for s in split_sentences(" ".join(t.text.split()))]
        indexes_by_importance = sorted(
            range(len(story_sentences)), key=lambda n: (-measure_importance(story_sentences[n]), n)
        )
        count_before = len(kept_sentences)
        chosen_sentences: dict[str, str] = {}
        for n in indexes_by_importance:
            size = sum(map(len, (*kept_sentences.values(), *chosen_sentences.values())))
            if (
                size + len(story_sentences[n]) < MAX_SUMMARY_CHARS
                and normalize_statement(story_sentences[n]) not in kept_sentences
            ):
                chosen_sentences[str(n)] = story_sentences[n]
        add_sentences(
            (chosen_sentences[key] for key in sorted(chosen_sentences, key=int)), MAX_SUMMARY_CHARS + 1
        )
        if len(kept_sentences) == count_before and not kept_sentences and story_sentences:
            kept_sentences["first"] = shorten_text(story_sentences[0], MAX_SUMMARY_CHARS)
    return " ".join(kept_sentences.values())


def _choose_by_weight(texts: Iterable[str], weights: Mapping[str, float], max_chars: int) -> set[str]:
    """Return the weightiest texts that fit into so many characters; of equals, the earlier ones."""
    chosen_texts: set[str] = set()
    ranked_texts = sorted(dict.fromkeys(texts), key=lambda text: -weights.get(text, measure_importance(text)))
    for text in ranked_texts:
        if sum(map(len, chosen_texts)) + len(text) < max_chars:
            chosen_texts.add(text)
    return chosen_texts


def _append_marks(text: str, decisions: Iterable[DecisionMark], commitments: Iterable[str]) -> str:
    text_lines = [" ".join(text.split())]
    text_lines += (DECIDED_PREFIX + " ".join(format_decision(mark).split()) for mark in decisions)
    text_lines += (OWED_PREFIX + " ".join(matter.split()) for matter in commitments)
    return "\n".join(dict.fromkeys(text_lines))


def _result_label(result: Resolution) -> str:
    return " ".join((result.label or result.intent or result.kind).split())[:120].rstrip(".")


def _finish_sentence(text: str) -> str:
    line = " ".join(text.split())
    return line if not line or line.endswith((".", "!", "?", "…", '"', "”")) else line + "."


def _scene_heading(scene: Scene) -> str:
    return scene.label
