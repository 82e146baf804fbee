"""The tour: six ideas in five minutes, told beside a story in the sample world while it is played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from stores.records.play import Speaker

if TYPE_CHECKING:
    from agents.services.services import Services
    from stores.records.ids import Id


class TourStep(NamedTuple):
    """An idea, what it is, and what to do to see it."""

    idea: str
    words: str
    todo: str


STEPS: Final = (
    TourStep(
        "Turn",
        "What your hero does is on record before anything else happens.",
        "Type: I look at the rope. Then Enter. (A line that begins with > is you as the GM.)",
    ),
    TourStep(
        "Roll",
        "Dice fall before anybody tells what they mean, and are sealed.",
        "Type: I pull at it. /check wits vs 8 Then Enter.",
    ),
    TourStep(
        "Proposal",
        "What would change the world is proposed, and waits.",
        "Type: /fact The rope was cut with a company knife",
    ),
    TourStep(
        "Evidence",
        "Every proposal carries the words or the roll that it rests on.",
        "F2 goes to the proposals, x shows the evidence, F2 comes back. Then F10.",
    ),
    TourStep("Gate", "You decide, at the end of a scene.", "Type: /end Mara knows how the rope was cut"),
    TourStep(
        "Canon",
        "What you accept is true from then on, with its evidence; nothing is ever lost.",
        "a accepts a row, r rejects it. Enter writes what is ticked.",
    ),
)

PROPOSAL_STEP: Final = 2
GATE_STEP: Final = 4

MAX_ROWS: Final = 50
"""Rows of the scene among which a roll is looked for."""

END: Final = TourStep(
    "That was all",
    "Turns, rolls, proposals, evidence, the gate, canon: the rest is built of these.",
    "Play on. F1 has every key and command; 3 on the menu shows what is true now. F10 ends the tour.",
)


class TourStrip(Static):
    """The step of the tour, under the title."""

    DEFAULT_CSS = """
    TourStrip { height: auto; padding: 0 1; background: $panel; color: $text; }
    """

    def show_step(self, index: int) -> None:
        step = STEPS[index] if index < len(STEPS) else END
        place = f"Tour {index + 1}/{len(STEPS)} · " if index < len(STEPS) else ""
        self.update(
            Content.assemble(
                (f"{place}{step.idea}. ", "bold $text-accent"),
                step.words,
                ("\n→ ", "bold $text-accent"),
                step.todo,
            )
        )


class Tour:
    """Where the tour stands, while it is on."""

    def __init__(self) -> None:
        self._scene_id: Id | None = None
        self._index = 0

    @property
    def is_on(self) -> bool:
        return self._scene_id is not None

    async def begin(self, services: Services) -> Id:
        """Begin a story in the sample world, and return its first scene."""
        await services.stories.add_sample()
        self._scene_id = await services.stories.start_story(await services.stories.sample_outline())
        self._index = 0
        return self._scene_id

    def go_on(self) -> None:
        """Go to the next step; after the last one the tour ends."""
        self._index += 1
        if self._index > len(STEPS):
            self._scene_id = None

    async def note_progress(self, services: Services) -> None:
        """Go on past what was done."""
        if self._scene_id is not None:
            self._index = max(self._index, await _count_done_steps(services, self._scene_id, self._index))

    def show_on(self, screen: Screen[object]) -> None:
        """Show the step on a screen of the story, or take it away once the tour is over."""
        strips = screen.query(TourStrip)
        if not self.is_on or not screen.children:
            strips.remove()
            return
        if not strips:
            strip = TourStrip(markup=False)
            screen.mount(strip, after=0)  # the first child is the title
        else:
            strip = strips.first()
        strip.show_step(self._index)


async def _count_done_steps(services: Services, scene_id: Id, index: int) -> int:
    """Return how many steps are done, one after another, by what is on record."""
    view = await services.play.scene(scene_id)
    match view.state:
        case "completed":
            return len(STEPS)
        case "finalizing" | "failed":
            return GATE_STEP + 1
    if index >= PROPOSAL_STEP and view.proposals:
        return PROPOSAL_STEP + 1
    rows = await services.play.transcript(scene_id, 0, MAX_ROWS)
    if any(row.resolution is not None for row in rows):
        return 2
    return int(any(row.turn.speaker is Speaker.PLAYER for row in rows))
