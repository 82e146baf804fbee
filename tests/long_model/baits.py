"""Errors for the scripted model to narrate, and harmless turns that only resemble them.

Each bait names the words that must be in the Narrator's prompt (`needs`) and the prose of a careless model
(`tells`). Harmless turns come from a pool of sentences, half of them near misses: a name on a door, a dead
man's coat, an old tale.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

WIN, LOSE = "/check 1 vs 1", "/check 1 vs 99"


@dataclass(frozen=True, slots=True)
class Bait:
    """One kind of error.

    `{stranger}` is somebody whom the player's character meets for the first time in the scene, `{friend}`
    somebody whom it knows.
    """

    name: str
    reason: str
    """Part of the finding's text; empty: no deterministic check finds it."""

    types: tuple[str, ...]
    """What the player types, in several variants."""

    needs: tuple[str, ...]
    """What the prompt must contain."""

    tells: tuple[str, ...] = ()
    """The faulty prose in several variants; none: the prose is harmless and the player's words are the
    error."""

    records: Mapping[str, Any] | None = None
    """What the Archivist reports."""

    outcome: str = ""
    """How the attempt ends, as the Archivist reads it without knowing the dice."""

    repeats: bool = False
    """Whether it narrates the last turn again."""


BAITS: Final = (
    Bait(
        "question asked again",
        "",
        ("“Hester, who moved the bell?”", "I ask Hester once more who moved the bell."),
        ("Gil Oakum moved the bell at low water",),
        (
            "“The sea moved it,” says Hester. “Ask the tide.”",
            "“Stint had it moved,” says Hester, “by night.”",
        ),
    ),
    Bait(
        "open debt denied",
        "",
        ("“Hester, what do I owe the Tollers?”", "I ask Hester about my debt."),
        ("Mara owes Hester Marrow nine silver",),
        ("Hester spreads her hands. “Nothing. We are even, you and I.”",),
    ),
    Bait(
        "delivered promise told as open",
        "On record that is settled",
        ("“Wenna, is there anything I still have to do for you?”", "I ask Wenna about the copper lantern."),
        ("bring back the copper lantern", "SETTLED"),
        (
            "“You still owe me that copper lantern,” says Wenna, and wipes the counter.",
            "Wenna sniffs. “You never brought the copper lantern, girl.”",
        ),
    ),
    Bait(
        "invented meeting with a stranger",
        "No earlier meeting with {stranger}",
        ("I nod to {stranger}.", "“Good evening, {stranger}.”"),
        ("Invent no past", "{stranger}"),
        (
            "“Good to see you again, Mara,” says {stranger}. “When we last met you had both ears.”",
            "{stranger} grins. “We have met before, you and I, at the Gannet Gate.”",
        ),
    ),
    Bait(
        "invented conversation with a friend",
        "No such words between Wenna Pike",
        ("I ask Wenna how the night was.", "I sit down with Wenna."),
        ("Invent no past", "Wenna Pike"),
        (
            "“As you told me yesterday, the well is poisoned,” says Wenna.",
            "Wenna leans in. “You promised me last week that you would burn the ledger.”",
            "“Last night I gave you my word about the horses,” says Wenna. “I keep it.”",
            "“You said yesterday that you would marry in spring, as you told me then,” says Wenna.",
        ),
    ),
    Bait(
        "player takes a talk for granted",
        "No earlier meeting of Mara and {stranger}",
        (
            "“{stranger}, you told me yesterday where the key is.”",
            "I thank {stranger} for what they told me last week.",
        ),
        ("No earlier meeting of Mara and {stranger} is on record",),
    ),
    Bait(
        "a dead man speaks",
        "Jory Blake is dead",
        ("I look at the settle where Jory Blake used to sit.", "I say the name of Jory Blake into the room."),
        ("Jory Blake", "dead"),
        (
            "“Cold tonight,” says Jory Blake, and rubs his hands.",
            "Jory Blake nods and pours himself an ale by the hatch.",
        ),
    ),
    Bait(
        "an absent one speaks",
        "Gil Oakum is not here",
        ("I wonder aloud where Gil Oakum is.", "“Has anybody seen Gil Oakum?”"),
        ("Gil Oakum is not here",),
        ("“I never touched it,” says Gil Oakum from the corner.", "Gil Oakum shrugs: “What bell?”"),
    ),
    Bait(
        "an absent one acts",
        "Gil Oakum is not here",
        ("I count who owes Gil Oakum money.", "I ask the room about Gil Oakum."),
        ("Gil Oakum is not here",),
        (
            "Gil Oakum throws a coin on the counter and grins.",
            "Gil Oakum pulls the door to and leans on it.",
            "Gil Oakum throws his cap on the floor and spits.",
            "Gil Oakum pulls a stool to the fire and grins.",
        ),
    ),
    Bait(
        "one person in two places",
        "Gil Oakum is not here",
        ("I look about for Gil Oakum.", "“Where is Gil Oakum now?”"),
        ("Gil Oakum is in Low Harl",),
        (
            "Gil Oakum shakes hands with {friend} for the first time and stays by the counter.",
            "By the hatch Gil Oakum hands {friend} a wet glove, and dries his own.",
        ),
        {"kind": "met", "subject": "Gil Oakum", "object": "{friend}", "weight": 80},
    ),
    Bait(
        "success told as failure",
        "The dice say success",
        (f"I put my shoulder to the hatch. {WIN}", f"I lift the iron bar. {WIN}"),
        ("It SUCCEEDED",),
        (
            "You heave until the blood sings, but you fail to move it at all.",
            "You cannot lift it. Your attempt fails and the wood laughs at you.",
        ),
        outcome="failed",
    ),
    Bait(
        "failure told as success",
        "The dice say failure",
        (f"I climb the wet stair in the dark. {LOSE}", f"I pick the lock of the chest. {LOSE}"),
        ("It FAILED",),
        (
            "You manage to do it in one breath, neat as a knot.",
            "Your effort works, and you successfully take what you came for.",
        ),
        outcome="succeeded",
    ),
    Bait(
        "the last turn repeated",
        "repeats an earlier turn",
        ("I wait.", "I wait a little longer."),
        ("The last turns",),
        repeats=True,
    ),
    Bait(
        "a line crossed",
        "A line: spiders",
        ("I look under the bench.", "I reach behind the barrels."),
        ("spiders",),
        (
            "Spiders pour over your hand and up your sleeve, hundreds of them.",
            "Something soft gives under your palm: a nest of spiders, and it opens.",
        ),
    ),
    Bait(
        "a rule of the world broken",
        "It may break a rule",
        ("I watch the sea door.", "I pour salt over the sill and step back."),
        ("No drowned thing crosses a line of salt",),
        (
            "The drowned thing crosses the line of salt as if it were chalk.",
            "Out of the dark a drowned thing comes, and crosses the salt in a straight line.",
        ),
    ),
)

INNOCENT_ACTS: Final = (
    "I shake the rain out of my coat.",
    "I look over the rafters for a dry place.",
    "I listen to the water under the floor.",
    f"I try to hear what the wind says. {WIN}",
    f"I feel along the wall for the draught. {LOSE}",
    "I turn the cup in my hands.",
    "I go to the window and wipe it.",
    "“Is there soup?”",
    "I warm my fingers at the stove.",
    "I read the names chalked on the door.",
    "I think of Jory Blake and say nothing.",
    "I ask Wenna for bread.",
    "I look at what the tide has left on the step.",
    "I mend the strap of my lamp.",
    "I count the strokes of the chapel clock.",
)

INNOCENT: Final = (
    "The rain has found a way in above the stove and hisses there.",
    "Somewhere under the boards the water shifts its weight.",
    "Gil Oakum’s name stands in chalk on the door, half rubbed out.",
    "The bread is yesterday’s and nobody minds.",
    "A draught lays the candle flame flat and lets it stand again.",
    "On the wall hangs the coat of Jory Blake, who is dead, with salt in its seams.",
    "The clock of the chapel strikes, and the cups ring with it.",
    "You smell tar, wet wool and the end of somebody’s pipe.",
    "A gull walks along the sill as though it paid rent.",
    "Old people here say that nothing drowned comes past salt.",
    "The lamp burns low and yellow.",
    "Through the wall comes the long breath of the ebb.",
    "Wenna sets a cup before you without a word.",
    "Hester looks into her hands and keeps what she thinks.",
    "The copper lantern hangs over the counter, polished, and throws its light as far as the stair.",
    "There is a ring of wet on the table where a bottle was.",
    "The stove ticks as it cools.",
    "One of the shutters has worked loose and knocks twice.",
    "Sand has come in under the sill and made a small dune.",
    "A dog sighs somewhere in the kitchen.",
    "The corner where Gil Oakum usually sits is empty.",
    "You hear oars, far out, and then you do not.",
    "The slate behind the hatch is full on both sides.",
    "The tide has left a boot, a spar and a length of blue rope.",
    "{stranger} studies the grain of the table.",
    "“Close the hatch,” Wenna says, “before the wind does.”",
    "“It will be a high one tonight,” says Hester to nobody.",
    "The floor is damp in a line from the sea door to the hearth.",
    "Someone laughs in the street and stops.",
    "A moth goes round the glass and round again.",
    "The salt in the bowl has caked from the wet air.",
    "“I do not think I know you,” says {stranger}, and makes room on the bench.",
    "Nothing in the room is dry but the bread.",
    "The window shows you your own face and, behind it, the quay.",
    "A rope creaks where the ferry is tied.",
    "The cold of the stone comes through your boots.",
    "Smoke stands under the beams like a second ceiling.",
    "You have the sense that everyone is counting under their breath.",
    "The bench is warm on one side.",
    "It is quiet now; what do you do?",
    "Two of the candles have gone out and nobody gets up.",
    "The beer tastes of the cask and a little of the sea.",
    "Feet go by overhead, slow, and do not come down.",
    "Your lamp has left a black crescent on the plaster.",
    "The cat watches a crack in the skirting with great patience.",
    "On the landing lies a single oyster shell.",
    "The wind drops, and for a moment you hear how loud it was.",
    "Thread by thread the old net by the door gives up its knots.",
    "Ash slides in the grate.",
    "The key by the hatch swings on its nail.",
    "Far along the parapet a light is carried from door to door.",
    "Your sleeve has dried stiff and white.",
    "Three glasses stand upside down and have sweated rings.",
    "The step outside is green and slick as a fish.",
    "Under the bench lies a glove that fits no one here.",
    "Pigeons mutter in the thatch.",
    "The barometer has been tapped so often that its glass is dull.",
    "A child’s drawing of a bell is pinned beside the slate.",
    "Every chair in the room faces the sea door.",
    "The kettle begins to talk to itself.",
)
