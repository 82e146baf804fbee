"""What binds the Narrator: the sealed result, the player's words, what was found of the premise, the plan.

Source: design/product.md, pain 10 ("the result is sealed evidence and binds the prose").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from agents.model.asking import Parts
from stores.records.play import Degree, Resolution, Story

_BINDS: Mapping[Degree, str] = {
    Degree.SUCCESS: "It SUCCEEDED. Tell it as a success.",
    Degree.PARTIAL: "It succeeded AT A COST. Tell both: what was gained, and what it cost.",
    Degree.FAIL: "It FAILED. Tell it as a failure, and let the failure change something.",
    Degree.NONE: "This is how it is. Tell it so.",
}

GO_ON = (
    "The player's character does nothing now. Let the world or those present do the next thing, and end "
    "where the player can act."
)


OPEN = (
    "A scene begins, and nothing of it was told yet. Open it: where and when this is, who of those listed is "
    "here and what they are about, how it follows from what came before, and what in it bears on the scene's "
    "goal. Decide nothing that was not decided. End where the player can act."
)


@dataclass(frozen=True, slots=True)
class Bound:
    """`words` are the player's; `result`, `degree`, `effects` and `meant` (what was at stake at that degree)
    are sealed; `warnings` what was found of premise, actors and rules; `voices` what those present say, by
    name. `note` is the GM's wish for a retake, `draft` what it is a retake of. With `go_on` the story goes
    on without an act of the player; if that `opens` the scene, where and how it begins is told."""

    words: str = ""
    result: str = ""
    degree: Degree | None = None
    effects: tuple[str, ...] = ()
    meant: str = ""
    warnings: tuple[str, ...] = ()
    beats: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    voices: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    draft: str = ""
    tone: str = ""
    lines_and_veils: str = ""
    go_on: bool = False
    opens: bool = False

    @classmethod
    def by(cls, story: Story, words: str, resolution: Resolution | None = None) -> Bound:
        """Return what the story, the player's words and the sealed result bind to; add the rest with
        `dataclasses.replace`."""
        bound = cls(words=words, tone=story.tone, lines_and_veils=story.lines_and_veils, go_on=not words)
        if resolution is None:
            return bound
        stakes = resolution.stakes.by_degree if resolution.stakes else ()
        return cls(
            words=words,
            result=resolution.text,
            degree=resolution.degree,
            effects=resolution.effects,
            meant=next((s.says for s in stakes if s.degree is resolution.degree), ""),
            tone=story.tone,
            lines_and_veils=story.lines_and_veils,
            go_on=False,
        )

    def parts(self) -> Parts:
        """Return the sections that it makes, by name; empty ones are left out."""
        sections = {
            "lines": self.lines_and_veils,
            "evidence": _listed(self.evidence),
            "beats": _listed((*self.beats, *(f"taken for granted: {a}" for a in self.assumptions))),
            "warnings": _listed(self.warnings),
            "voices": _listed(f"{name}: {said}" for name, said in self.voices.items()),
            "result": self._result(),
            "draft": self.draft,
            "note": self.note,
            "words": self.words or ((OPEN if self.opens else GO_ON) if self.go_on else ""),
        }
        return {name: text for name, text in sections.items() if text}

    def _result(self) -> str:
        if self.degree is None and not self.result:
            return ""
        lines = [self.result, _BINDS[self.degree or Degree.NONE]]
        if self.meant:
            lines.append(f"At stake: {self.meant}")
        lines += [f"It does: {effect}" for effect in self.effects]
        return "\n".join(line for line in lines if line)


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
