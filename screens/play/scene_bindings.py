"""The keys of the play screen itself; its panels have their own."""

from __future__ import annotations

from textual.binding import Binding, BindingType

SCENE_BINDINGS: list[BindingType] = [
    Binding("f7", "narrate_on", "Narrate", id="scene.narrate_on", tooltip="Let the model narrate on"),
    Binding(
        "f7",
        "explain_narrate",
        "Narrate",
        id="scene.explain_narrate",
        tooltip="Say that no model is set up to narrate",
        show=False,
    ),
    Binding("f2", "proposals", "Proposed", id="scene.proposals", tooltip="To the proposals, and back"),
    Binding("ctrl+l", "offers", "Offers", id="scene.offers", tooltip="To what waits for an answer, and back"),
    Binding("f3,g", "gate", "Gate", id="scene.gate", tooltip="Review everything at the canon gate"),
    Binding("f4", "mechanics", "Story", id="scene.mechanics", tooltip="Show or hide rolls and marks"),
    Binding("f5", "sheet", "Sheet", id="scene.sheet", tooltip="Character sheets: look, and change"),
    Binding("f8", "query", "Query", id="scene.query", tooltip="Ask what the record says"),
    Binding(
        "ctrl+n",
        "ideas",
        "Ideas",
        id="scene.ideas",
        tooltip="Three things that you could do next: one goes into the prompt",
        show=False,
    ),
    Binding(
        "alt+d",
        "dice",
        "Dice",
        id="scene.dice",
        tooltip="The dice tray: the last rolls with their faces, and a line to roll",
        show=False,
    ),
    Binding(
        "f9",
        "resize_panel",
        "Panel width",
        id="scene.resize_panel",
        tooltip="Wider, narrower or no panels beside the story; it is remembered",
        show=False,
    ),
    Binding("enter", "commit_now", "Commit now", id="scene.commit_now", tooltip="Write it to canon now"),
    Binding("escape", "stop", "Stop", id="scene.stop", tooltip="Stop the narration; what came is kept"),
    Binding("escape", "tell_plainly", "No roll", id="scene.tell_plainly", tooltip="Clear notes, then leave"),
    Binding("escape", "later", "Later", id="scene.later", tooltip="Clear notes, then leave"),
    Binding("escape", "escape", "Back", id="scene.escape", tooltip="Clear notes, then leave"),
]
