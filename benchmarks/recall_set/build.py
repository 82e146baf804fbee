"""Builds the measuring set from the campaign as it was written (`python -m benchmarks.recall_set.build`).

The texts were written by hand for this set: a solo campaign, and what its player asks later. Each
`campaign/N.txt` holds a turn per line, `CODE [label] text` (or `N Name| text`); `= DATE TIME` begins a
session. `questions.txt` holds `kind | question | labels | answer | labels of earlier values`. This program adds
numbers and clock times, and nothing else.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
LOG: Final = HERE / "log.jsonl"
QUESTIONS: Final = HERE / "questions.jsonl"
KINDS: Final = ("single", "multi", "temporal", "changed", "unanswerable")

_SPEAKERS: Final = {
    "T": ("Tamsin", "player"),
    "G": ("GM", "gm"),
    "D": ("Oracle", "oracle"),
    "X": ("Sam", "ooc"),
    "O": ("Osk", "npc"),
    "M": ("Magpie", "npc"),
    "H": ("Hask", "npc"),
    "P": ("Doctor Pyke", "npc"),
    "E": ("Edda", "npc"),
    "C": ("Corwin", "npc"),
    "I": ("The Countess", "npc"),
    "R": ("Perrin", "npc"),
    "W": ("Wick", "npc"),
    "J": ("Juniper", "npc"),
    "B": ("Tobb", "npc"),
    "L": ("Grey Lathe", "npc"),
}
_LINE: Final = re.compile(r"(?P<code>[A-Z]) (?:(?P<name>[^|\[\]]+)\| )?(?:\[(?P<label>\w+)\] )?(?P<text>.+)")


@dataclass(frozen=True, slots=True)
class Turn:
    turn: str
    speaker: str
    role: str
    text: str
    time: str


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    kind: str
    question: str
    turns: list[str]
    answer: str
    old: list[str]


def read_campaign() -> tuple[list[Turn], dict[str, str]]:
    """Return the turns, and the turn of each label."""
    turns: list[Turn] = []
    labels: dict[str, str] = {}
    session, place, now = 0, 0, datetime(2023, 1, 1)  # noqa: DTZ001  the clock on the wall
    minutes = random.Random(6)
    for line in _lines("[0-9].txt"):
        if line.startswith("= "):
            session, place, now = session + 1, 0, datetime.fromisoformat(line[2:])
            continue
        match = _LINE.fullmatch(line)
        assert match, line
        place += 1
        turn = f"s{session:02d}-{place:02d}"
        speaker, role = (match["name"], "npc") if match["code"] == "N" else _SPEAKERS[match["code"]]
        turns.append(Turn(turn, speaker, role, match["text"], now.isoformat(timespec="minutes")))
        now += timedelta(minutes=minutes.randint(1, 4))
        if label := match["label"]:
            assert label not in labels, label
            labels[label] = turn
    return turns, labels


def read_questions(labels: dict[str, str]) -> Iterator[Question]:
    """Yield the questions, with turns for labels."""
    for number, line in enumerate(_lines("questions.txt"), 1):
        kind, question, gold, answer, *old = (part.strip() for part in line.split("|"))
        assert kind in KINDS, line
        before = old[0] if old else ""
        yield Question(
            id=f"q{number:03d}",
            kind=kind,
            question=question,
            turns=[labels[label] for label in gold.split()],
            answer=answer,
            old=[labels[label] for label in before.split()],
        )


def _lines(pattern: str) -> Iterator[str]:
    for path in sorted((HERE / "campaign").glob(pattern)):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                yield line


def main() -> None:
    turns, labels = read_campaign()
    questions = list(read_questions(labels))
    for path, rows in ((LOG, turns), (QUESTIONS, questions)):
        text = "".join(json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in rows)
        path.write_text(text, encoding="utf-8")
    kinds = ", ".join(f"{sum(q.kind == kind for q in questions)} {kind}" for kind in KINDS)
    print(f"{len(turns):,} turns, {len(questions)} questions: {kinds}")


if __name__ == "__main__":
    main()
