"""What cannot stand in told prose, found without a model: pure, deterministic, and slow to accuse.

Each finding names the words it rests on. A false alarm costs a call and the player's trust, so what may be
innocent is a warning, or nothing. Source: design/loops.md, node `critique`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from agents.context_assembly.package import ContextPackage
from agents.personas.bound import Bound
from stores.records.play import Degree


class Severity(StrEnum):
    """`REWRITE`: it is told once more, as another take; `WARN`: it is shown, and stands."""

    REWRITE = "rewrite"
    WARN = "warn"


class Kind(StrEnum):
    EMPTY = "empty"
    RESULT = "against_the_result"
    DEAD = "the_dead_act"
    ABSENT = "the_absent_act"
    INVENTED_MEETING = "invented_meeting"
    INVENTED_ANSWER = "invented_answer"
    REPEATS = "repeats"
    PLAYER = "speaks_for_the_player"
    LINE = "crosses_a_line"


@dataclass(frozen=True, slots=True)
class Finding:
    """`words` are the text's own; `reason` is one line, fit to be shown and to be told to the Narrator."""

    kind: Kind
    words: str
    reason: str
    severity: Severity


@dataclass(frozen=True, slots=True)
class Somebody:
    """One who may not act, by every name."""

    names: tuple[str, ...]
    dead: bool


@dataclass(frozen=True, slots=True)
class Against:
    """What prose is held against. `recent` are the GM's last turns, the newest last; `strangers` those
    present whom the player's character never met before this scene, `acquaintances` the others, each by names;
    `answers` what the record has of what was said and promised; `barred` the words of lines and veils."""

    degree: Degree | None = None
    result: str = ""
    player: tuple[str, ...] = ()
    gone: tuple[Somebody, ...] = ()
    recent: tuple[str, ...] = ()
    strangers: tuple[tuple[str, ...], ...] = ()
    acquaintances: tuple[tuple[str, ...], ...] = ()
    answers: tuple[str, ...] = ()
    barred: tuple[str, ...] = ()
    words: str = ""


def against(package: ContextPackage, bound: Bound) -> Against:
    """Return what prose for this exchange is held against."""
    raise NotImplementedError


def check(text: str, held: Against) -> tuple[Finding, ...]:
    """Return what is wrong with the prose, the gravest first."""
    raise NotImplementedError


def wants_rewrite(findings: Sequence[Finding]) -> bool:
    return any(f.severity is Severity.REWRITE for f in findings)


def note_for_rewrite(findings: Sequence[Finding]) -> str:
    """Return what the Narrator is told to mend, in lines."""
    return "\n".join(
        f"- {f.reason} (You wrote: “{f.words}”)" for f in findings if f.severity is Severity.REWRITE
    )


def unfounded(words: str, package: ContextPackage) -> tuple[str, ...]:
    """Return what the player's words take for granted that the record does not hold, a line each: a past
    meeting or answer, somebody dead or not here. For the `validate` node, without a model."""
    raise NotImplementedError
