"""Defines what the Narrator has to keep to: the sealed result, the player's words, the warnings, the plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from agents.llm.call_context import PromptParts
from stores.records.play import Degree, Resolution, Story

_RESULT_INSTRUCTIONS: Mapping[Degree, str] = {
    Degree.SUCCESS: "It SUCCEEDED. Narrate it as a success.",
    Degree.PARTIAL: "It succeeded AT A COST. Narrate both: what was gained, and what it cost.",
    Degree.FAIL: "It FAILED: it does not come off. Show one thing that is worse or nearer now.",
    Degree.NONE: "This is how it is. Narrate it so.",
}

CONTINUE_INSTRUCTION = (
    "The player's character does nothing now. Let the world or those present do the next thing, and end "
    "where the player can act."
)
"""Stands for the player's words when the story continues without them."""


OPENING_INSTRUCTION = (
    "A scene begins, and nothing of it is narrated yet. Open it: where and when this is, who of those listed is "
    "here and what they are about, how it follows from what came before, and what in it bears on the scene's "
    "goal. Decide nothing that was not decided. End where the player can act."
)
"""Stands for the player's words when a scene opens."""


@dataclass(frozen=True, slots=True)
class NarratorBrief:
    """What one narration has to keep to."""

    player_text: str = ""
    """What the player typed."""

    result: str = ""
    """The sealed result, in words."""

    degree: Degree | None = None
    effects: tuple[str, ...] = ()
    """What the result changes, in words."""

    stakes_text: str = ""
    """What was at stake at that degree."""

    warnings: tuple[str, ...] = ()
    """Doubts about the premise, the actors and the rules."""

    beats: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    voices: Mapping[str, str] = field(default_factory=dict)
    """What those present say, by name."""

    note: str = ""
    """The GM's wish for a retake."""

    draft: str = ""
    """The text that is narrated again."""

    tone: str = ""
    lines_and_veils: str = ""
    is_continuation: bool = False
    """Whether the story continues without an act of the player."""

    is_opening: bool = False
    """Whether such a continuation opens the scene."""

    @classmethod
    def from_story(
        cls, story: Story, player_text: str, resolution: Resolution | None = None
    ) -> NarratorBrief:
        """Return the brief of the story, the player's words and the sealed result.

        Add the rest with `dataclasses.replace`.
        """
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
        """Return its prompt sections by name, without empty ones."""
        sections = {
            "lines": self.lines_and_veils,
            "beats": _bullet_list((*self.beats, *(f"taken for granted: {a}" for a in self.assumptions))),
            "warnings": _bullet_list(self.warnings),
            "voices": _bullet_list(f"{name}: {spoken_text}" for name, spoken_text in self.voices.items()),
            "result": self._result_text(),
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

    def _result_text(self) -> str:
        if self.degree is None and not self.result:
            return ""
        lines = [self.result, _RESULT_INSTRUCTIONS[self.degree or Degree.NONE]]
        if self.stakes_text:
            lines.append(f"At stake: {self.stakes_text}")
        lines += [f"It does: {effect}" for effect in self.effects]
        return "\n".join(line for line in lines if line)


def _bullet_list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
