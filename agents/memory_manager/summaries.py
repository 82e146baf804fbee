"""What stretches of play, scenes and stories are summed up to, without a model. Pure.

A summary is extracted, never invented: the outcome that the GM gave, the facts that came of it, what the dice
decided, the Archivist's bullets where there are some, and else the weightiest sentences (`weighing.py`), in
their order and up to a length. `@DECISION` marks and commitments stand behind it on lines of their own,
whole: they are no part of what is shortened. Ten summaries roll up into one of the next level, so that a
thousand scenes are some thirty summaries long. Source: design/loops.md, "Memory layers".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from agents.memory_manager.weighing import importance_of
from agents.prose.words import split_sentences
from stores.records.canon import normal
from stores.records.model import DecisionMark
from stores.records.play import Degree, Resolution, Scene, Speaker, Turn

BULLET: Final = "bullet"
STRETCH: Final = "stretch"
SCENE: Final = "scene"
STORY: Final = "story"
LEVELS: Final = (STRETCH, "stretches", "long stretch")
"""Of one scene's turns: each stands for TENFOLD of the one before it."""
CHAPTERS: Final = (SCENE, "chapter", "part", "volume")
"""Of a story's scenes, likewise."""
TENFOLD: Final = 10
TURNS: Final = 20
"""Turns of a stretch."""
LENGTH: Final = 480
"""Characters of a summary, without what is never shortened."""
GIST: Final = 110
"""Characters of one summary in the next level's."""
LAST: Final = 5
"""Scenes of a story, the last ones, that are not rolled up."""

DECIDED: Final = "Decided: "
OWED: Final = "Promised, owed or asked: "

_RESULT: Final = {
    Degree.SUCCESS: "it succeeded",
    Degree.PARTIAL: "it half succeeded",
    Degree.FAIL: "it failed",
}


def of_stretch(
    turns: Sequence[Turn],
    *,
    facts: Sequence[str] = (),
    bullets: Sequence[str] = (),
    results: Sequence[Resolution] = (),
    decisions: Sequence[DecisionMark] = (),
    commitments: Sequence[str] = (),
) -> str:
    """Return what a stretch of turns comes to."""
    told = f"Turns {turns[0].depth + 1} to {turns[-1].depth + 1}: "
    return _whole(told + _gathered(turns, facts, bullets, results), decisions, commitments)


def of_scene(
    scene: Scene,
    turns: Sequence[Turn],
    *,
    facts: Sequence[str] = (),
    bullets: Sequence[str] = (),
    results: Sequence[Resolution] = (),
    decisions: Sequence[DecisionMark] = (),
    commitments: Sequence[str] = (),
) -> str:
    """Return what a scene came to: its outcome first, if the GM gave one."""
    outcome = [_sentence(scene.summary)] if scene.summary.strip() else []
    text = _gathered(turns, (*outcome, *facts), bullets, results)
    return _whole(f"{_titled(scene)}: {text}", decisions, commitments)


def rolled(told: str, texts: Sequence[str], open_matters: Collection[str]) -> str:
    """Return what several summaries come to: the gist of each; every decision, and what is open still."""
    gists = (shortened(text.splitlines()[0], GIST) for text in texts if text)
    lines = [told + " ".join(gists)]
    kept = dict.fromkeys(line for text in texts for line in text.splitlines()[1:])
    still = {normal(matter) for matter in open_matters}
    lines += (
        line
        for line in kept
        if line.startswith(DECIDED) or (line.startswith(OWED) and normal(line[len(OWED) :]) in still)
    )
    return "\n".join(lines)


def shortened(text: str, most: int) -> str:
    """Return a text in one line of at most `most` characters: whole sentences, or cut behind a word."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    kept = ""
    for sentence in split_sentences(line):
        if len(kept) + len(sentence) + 1 > most:
            break
        kept = f"{kept} {sentence}".strip()
    return kept or line[: most - 1].rpartition(" ")[0].rstrip(" ,;:") + "…"


def covering(count: int) -> list[tuple[int, int, int]]:
    """Return how `count` scenes of the past are told: (level, first, last) by place, the oldest first, in as
    few summaries as there are levels for, the last LAST each by itself."""
    found: list[tuple[int, int, int]] = []
    at = 0
    while at < count:
        level = 0
        for higher in range(len(CHAPTERS) - 1, 0, -1):
            size = TENFOLD**higher
            if at % size == 0 and at + size <= count - LAST:
                level = higher
                break
        size = TENFOLD**level
        found.append((level, at, at + size - 1))
        at += size
    return found


def decided(mark: DecisionMark) -> str:
    """Return a decision in the words that it was marked with."""
    return "; so: ".join(part for part in (mark.reason, mark.impact) if part) or mark.text


def _gathered(
    turns: Sequence[Turn],
    facts: Sequence[str],
    bullets: Sequence[str],
    results: Sequence[Resolution],
) -> str:
    """Return what matters most, up to the length: facts first, then what was told of it."""
    kept: dict[str, str] = {}

    def take(texts: Iterable[str], most: int = LENGTH) -> None:
        for text in texts:
            said = _sentence(text)
            if said and normal(said) not in kept and sum(map(len, kept.values())) + len(said) < most:
                kept[normal(said)] = said

    take(facts)
    take((f"{_what(r)}: {_RESULT[r.degree]}" for r in results if r.degree in _RESULT), LENGTH * 2 // 3)
    take(bullets)
    if not bullets:
        spoken = [t for t in turns if t.speaker not in (Speaker.ORACLE, Speaker.SYSTEM)]
        told = [s for t in spoken for s in split_sentences(" ".join(t.text.split()))]
        weighed = sorted(range(len(told)), key=lambda n: (-importance_of(told[n]), n))
        before = len(kept)
        chosen: dict[str, str] = {}
        for n in weighed:
            size = sum(map(len, (*kept.values(), *chosen.values())))
            if size + len(told[n]) < LENGTH and normal(told[n]) not in kept:
                chosen[str(n)] = told[n]
        take((chosen[key] for key in sorted(chosen, key=int)), LENGTH + 1)
        if len(kept) == before and not kept and told:
            kept["first"] = shortened(told[0], LENGTH)
    return " ".join(kept.values())


def _whole(text: str, decisions: Iterable[DecisionMark], commitments: Iterable[str]) -> str:
    lines = [" ".join(text.split())]
    lines += (DECIDED + " ".join(decided(mark).split()) for mark in decisions)
    lines += (OWED + " ".join(matter.split()) for matter in commitments)
    return "\n".join(dict.fromkeys(lines))


def _what(result: Resolution) -> str:
    return " ".join((result.label or result.intent or result.kind).split())[:120].rstrip(".")


def _sentence(text: str) -> str:
    line = " ".join(text.split())
    return line if not line or line.endswith((".", "!", "?", "…", '"', "”")) else line + "."


def _titled(scene: Scene) -> str:
    return f"Scene {scene.order}" + (f" “{scene.title}”" if scene.title else "")
