"""Reads the campaign that somebody wrote who had not seen the program (`data/README.md` has the format)."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict

DATA = Path(__file__).parent / "data" / "blind_campaign.yaml"


class _Read(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ScriptLine(_Read):
    """A line as it is typed, and what its author meant by it."""

    text: str
    claim: bool = False
    id: str = ""
    """Names what a claim states."""
    contradicts: str = ""
    """The claim that a planted line contradicts."""
    promise: str = ""
    keeps: str = ""
    breaks: str = ""
    decision: str = ""
    drops: str = ""

    @property
    def is_annotated(self) -> bool:
        return self != ScriptLine(text=self.text) or self.text.startswith("/")


class ScriptScene(_Read):
    title: str
    place: str
    here: tuple[str, ...]
    """Who is there at the beginning, besides the hero."""
    lines: tuple[ScriptLine, ...]

    @property
    def played_lines(self) -> tuple[ScriptLine, ...]:
        """The lines but for the `/end` that may close the scene."""
        return self.lines[:-1] if self.lines[-1].text.startswith("/end") else self.lines

    @property
    def end_line(self) -> str:
        """What ends the scene: the author's own `/end`, or a bare one."""
        return self.lines[-1].text if self.lines[-1].text.startswith("/end") else "/end"


class Described(_Read):
    name: str
    description: str


class Thing(_Read):
    name: str
    kind: str


class LineNumber(_Read):
    """A line by the numbers of its scene and of itself, from 1."""

    scene: int
    line: int


class Probe(_Read):
    """Whether somebody knows of a line once a scene is over."""

    after_scene: int
    who: str
    about: LineNumber
    knows: bool


class BlindScript(_Read):
    world: str
    hero: Described
    people: tuple[Described, ...]
    places: tuple[str, ...]
    things: tuple[Thing, ...]
    scenes: tuple[ScriptScene, ...]
    probes: tuple[Probe, ...]
    decisions_at_end: tuple[str, ...]
    open_promises_at_end: tuple[str, ...]

    @property
    def lines(self) -> tuple[ScriptLine, ...]:
        return tuple(line for scene in self.scenes for line in scene.lines)

    def claim(self, claim_id: str) -> ScriptLine:
        return next(line for line in self.lines if line.id == claim_id)


@cache
def read_blind_script(path: Path = DATA) -> BlindScript:
    """Return the campaign, or another one in its format."""
    return BlindScript.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
