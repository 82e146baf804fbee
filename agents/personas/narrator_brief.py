"""What binds the Narrator: the sealed result, the player's words, what was found of the premise, the plan.

Source: design/product.md, pain 10 ("the result is sealed evidence and binds the prose").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from agents.llm.call_context import PromptParts
from stores.records.play import Degree, Resolution, Story

_RESULT_INSTRUCTIONS: Mapping[Degree, str] = {
    Degree.SUCCESS: "It SUCCEEDED. Tell it as a success.",
    Degree.PARTIAL: "It succeeded AT A COST. Tell both: what was gained, and what it cost.",
    Degree.FAIL: "It FAILED. Tell it as a failure, and let the failure change something.",
    Degree.NONE: "This is how it is. Tell it so.",
}

CONTINUE_INSTRUCTION = (
    "The player's character does nothing now. Let the world or those present do the next thing, and end "
    "where the player can act."
)


OPENING_INSTRUCTION = (
    "A scene begins, and nothing of it was told yet. Open it: where and when this is, who of those listed is "
    "here and what they are about, how it follows from what came before, and what in it bears on the scene's "
    "goal. Decide nothing that was not decided. End where the player can act."
)


@dataclass(frozen=True, slots=True)
class NarratorBrief:
    """`words` are the player's; `result`, `degree`, `effects` and `meant` (what was at stake at that degree)
    are sealed; `warnings` what was found of premise, actors and rules; `voices` what those present say, by
    name. `note` is the GM's wish for a retake, `draft` what it is a retake of. With `go_on` the story goes
    on without an act of the player; if that `opens` the scene, where and how it begins is told."""

    player_text: str = ""
    result: str = ""
    degree: Degree | None = None
    effects: tuple[str, ...] = ()
    stakes_text: str = ""
    warnings: tuple[str, ...] = ()
    beats: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    voices: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    draft: str = ""
    tone: str = ""
    lines_and_veils: str = ""
    is_continuation: bool = False
    is_opening: bool = False

    @classmethod
    def from_story(
        cls, story: Story, player_text: str, resolution: Resolution | None = None
    ) -> NarratorBrief:
        """Return what the story, the player's words and the sealed result bind to; add the rest with
        `dataclasses.replace`."""
        brief = cls(
            player_text=player_text,
            tone=story.tone,
            lines_and_veils=story.lines_and_veils,
            is_continuation=not player_text,
        )
        if resolution is None:
            return brief
        stakes = resolution.stakes.by_degree if resolution.stakes else ()
        return cls(
            player_text=player_text,
            result=resolution.text,
            degree=resolution.degree,
            effects=resolution.effects,
            stakes_text=next((s.says for s in stakes if s.degree is resolution.degree), ""),
            tone=story.tone,
            lines_and_veils=story.lines_and_veils,
            is_continuation=False,
        )

    def parts(self) -> PromptParts:
        """Return the sections that it makes, by name; empty ones are left out."""
        sections = {
            "lines": self.lines_and_veils,
            "evidence": _bullet_list(self.evidence),
            "beats": _bullet_list((*self.beats, *(f"taken for granted: {a}" for a in self.assumptions))),
            "warnings": _bullet_list(self.warnings),
            "voices": _bullet_list(f"{name}: {spoken_text}" for name, spoken_text in self.voices.items()),
            "result": self._result(),
            "draft": self.draft,
            "note": self.note,
            "words": self.player_text
            or (
                (OPENING_INSTRUCTION if self.is_opening else CONTINUE_INSTRUCTION)
                if self.is_continuation
                else ""
            ),
        }
        return {name: text for name, text in sections.items() if text}

    def _result(self) -> str:
        if self.degree is None and not self.result:
            return ""
        lines = [self.result, _RESULT_INSTRUCTIONS[self.degree or Degree.NONE]]
        if self.stakes_text:
            lines.append(f"At stake: {self.stakes_text}")
        lines += [f"It does: {effect}" for effect in self.effects]
        return "\n".join(line for line in lines if line)


def _bullet_list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
