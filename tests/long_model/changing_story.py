"""Plays a story in which every narration changes something: people come and go, things change hands, matters open and
close within a scene. The model is scripted; what is measured is what it was asked, and what waits at the gates."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Final

from agents.llm.llm_port import LlmRequest
from agents.llm.prompt_builder import estimate_tokens
from agents.llm.scripted_model import ScriptedAnswer
from stores.records.llm import Persona
from tests.agents.orchestrator.scripted_program import Script, persona_of, telling
from tests.long_model.baits import INNOCENT

SCENES: Final = 3
TURNS_PER_SCENE: Final = 12
SENTENCES: Final = 8

_PEOPLE: Final = (
    "/npc here Wenna Pike: keeper of the Slack Tide, who buys what the sea brings",
    "/npc here Bastien Rook: a carter with a broken nose",
    "/npc Hester Marrow: warden of the chapel",
    "/npc Corvin Ferrant: a smuggler, long out of money",
    "/place Low Harl: a drowned street below the mole",
    "/place Sledge Shed: where the winter sledges stand",
    "/thing Brass Seal: the seal of the post office",
    "/thing Black Ledger: the book of the harbour",
    "/axiom No drowned thing crosses a line of salt",
)
_LINES: Final = (
    "I ask Wenna what the bell is for.",
    "I look behind the counter while the others talk.",
    "I put the lantern down and wait for an answer.",
    "I go to the window and wipe it.",
    "I turn the cup in my hands and listen.",
    "I nod to Bastien and sit down.",
    "“What became of the sledges?” I ask.",
    "I count the steps down to the landing.",
    "I lay a coin beside the slate.",
    "I ask Bastien where he was when it rang.",
    "I lift the sacking with the tip of my knife.",
    "“And who pays for the passage?”",
    "I tie my boots again and take my time.",
    "I open the shutter a hand's breadth.",
    "“You have been up all night,” I say.",
    "I warm my fingers over the stove.",
    "I read the names on the door under my breath.",
    "I ask for bread and something hot.",
    "I step out under the eaves for air.",
    "I follow the wet marks to the hearth.",
    "“Say that once more, and slower.”",
    "I keep my hand on the rail.",
    "I hold the seal's wax to the light.",
    "I push my chair back and stand.",
    "I whistle for the dog.",
    "I pull my collar up and go in.",
    "“Did Hester send you?”",
    "I feel along the mantel for a key.",
    "I sit where I can see the sea door.",
    "I draw the harbour on the table in spilt beer.",
    "I ask who owns the boat with the blue rope.",
    "I let the silence work.",
    "I blow the candle out.",
    "I offer Wenna my chair.",
    "I take the ladder down to the mud.",
    "“Then we are agreed,” I say.",
)
_EVENTS: Final = (
    ("Bastien Rook slides the Brass Seal across the table to Wenna Pike.",
     {"kind": "holds", "subject": "Wenna Pike", "object": "Brass Seal", "weight": 70}),
    ("“I will open the cellar for you at low water,” says Wenna Pike.",
     {"kind": "promise", "subject": "Wenna Pike", "object": "to open the cellar for Mara at low water", "weight": 75}),
    ("Bastien Rook takes the Brass Seal back and pockets it.",
     {"kind": "holds", "subject": "Bastien Rook", "object": "Brass Seal", "weight": 70}),
    ("Bastien Rook goes out to the Sledge Shed, and the door bangs after him.",
     {"kind": "moved", "subject": "Bastien Rook", "object": "Sledge Shed", "weight": 60}),
    ("Wenna Pike opens the cellar at low water, as she said.",
     {"kind": "ended", "subject": "Wenna Pike", "predicate": "kept",
      "object": "Wenna Pike promised: to open the cellar for Mara at low water", "weight": 75}),
    ("Bastien Rook comes back in with snow on his shoulders.",
     {"kind": "moved", "subject": "Bastien Rook", "object": "Yard", "weight": 60}),
    ("Wenna Pike wants the Black Ledger before the tide turns, and says so.",
     {"kind": "wants", "subject": "Wenna Pike", "object": "the Black Ledger before the tide turns", "weight": 60}),
    ("Who rang the bell in the night, nobody can say.",
     {"kind": "question", "subject": "Wenna Pike", "object": "Who rang the bell in the night?", "weight": 65}),
    ("Bastien Rook rang the bell in the night, he says at last.",
     {"kind": "ended", "subject": "Wenna Pike", "predicate": "answered", "object": "Who rang the bell in the night?",
      "weight": 65}),
    ("Under the counter lies the stamped sacking, stiff with salt.",
     {"kind": "new", "subject": "the stamped sacking", "predicate": "thing", "object": "sacking with the post's stamp",
      "weight": 70}),
    ("Wenna Pike wants passage to Low Harl now, and nothing else.",
     {"kind": "wants", "subject": "Wenna Pike", "object": "passage to Low Harl", "weight": 60}),
    ("Bastien Rook has a scar across his palm that he hides.",
     {"kind": "fact", "subject": "Bastien Rook", "predicate": "has", "object": "a scar across his palm", "weight": 60}),
)  # fmt: skip

MATTERS_OF_GATES: Final = (
    "has the Brass Seal",
    "Bastien Rook is in",
    "Wenna Pike wants",
    "open the cellar",
    "Who rang",
)
"""What several narrations of a scene change, so that only the last row of each is worth asking about."""

_SCENERY: Final = tuple(s for s in INNOCENT if "”" not in s and "{" not in s)


@dataclass
class ChangingStory:
    """What was asked, and what waited when each scene ended."""

    narrator_prompts: list[str] = field(default_factory=list)
    archivist_prompts: list[str] = field(default_factory=list)
    gate_titles: list[list[str]] = field(default_factory=list)

    def reusable_shares(self) -> list[float]:
        """Return of each prompt but the first how much of it starts as the one before, from 0 to 1, in tokens."""
        pairs = zip(self.narrator_prompts, self.narrator_prompts[1:], strict=False)
        return [_measure_share(before, after) for before, after in pairs]

    def mean_reusable_share(self) -> float:
        shares = self.reusable_shares()
        return sum(shares) / len(shares)


@dataclass
class _Teller:
    """Narrates an event among harmless sentences, and reports it as the Archivist."""

    sentences: cycle[str] = field(default_factory=lambda: cycle(_SCENERY))
    events: cycle[tuple[str, dict[str, object]]] = field(default_factory=lambda: cycle(_EVENTS))
    event: tuple[str, dict[str, object]] = _EVENTS[0]

    def narrate(self, _: LlmRequest) -> ScriptedAnswer:
        self.event = next(self.events)
        around = [next(self.sentences) for _ in range(SENTENCES)]
        return " ".join((*around[:4], self.event[0], *around[4:]))

    def record(self, _: LlmRequest) -> ScriptedAnswer:
        quote, change = self.event
        return json.dumps({"here": [], "summary": quote, "changes": [{**change, "quote": quote}]})


async def play_changing_story(home: Path) -> ChangingStory:
    """Play the story; each scene is ended, and all that waits is accepted."""
    teller, story = _Teller(), ChangingStory()
    lines = cycle(_LINES)
    script: Script = {
        Persona.NARRATOR: teller.narrate,
        Persona.ARCHIVIST: teller.record,
        Persona.STEWARD: json.dumps({"doubts": []}),
    }
    async with telling(home, script) as scripted:
        play, gate = scripted.program.services.play, scripted.program.services.gate
        scene_id = scripted.scene_id
        for line in _PEOPLE:
            await play.submit(scene_id, line)
        for _ in range(SCENES):
            for _ in range(TURNS_PER_SCENE):
                await play.submit(scene_id, next(lines))
            await play.submit(scene_id, "/end It is late")
            await scripted.program.services.jobs.wait_until_idle()
            rows = (await play.scene(scene_id)).proposals
            story.gate_titles.append([row.title for row in rows])
            for row in rows:
                if row.mark != "hold":
                    await play.submit(scene_id, f"/accept {row.number}")
            report = await gate.commit(scene_id)
            assert report.next_scene_id
            scene_id = report.next_scene_id
            await play.submit(scene_id, "/cast + Wenna Pike and Bastien Rook")
        for request in scripted.model.requests:
            prompt = "\n".join(message.text for message in request.messages)
            persona = persona_of(request)
            if persona is Persona.NARRATOR and "How it was narrated before" not in prompt:
                story.narrator_prompts.append(prompt)
            elif persona is Persona.ARCHIVIST:
                story.archivist_prompts.append(prompt)
    return story


def _measure_share(before: str, after: str) -> float:
    pairs = enumerate(zip(before, after, strict=False))
    length = next((n for n, (a, b) in pairs if a != b), min(len(before), len(after)))
    return estimate_tokens(after[:length]) / estimate_tokens(after)
