"""Cases of who knows what: scenes to play, and what each character knows after them.

A row reads `Name: saw`, `Name: missed` (knows nothing of it), `Name: told Teller`, `Name: wrong Teller`
(believes something else, said by that one), `Name: found` (concluded it) or `Name: forgot` (knew it once).
Mara is the player character. Facts are given by their statements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

VILLAGERS = (
    "/npc here Bela Orsk: a smith",
    "/npc here Old Tam: keeper of the bell",
    "/npc here Sister Ode: a nun",
)

CREW = (
    "/npc here Captain Hale: master of the Gannet",
    "/npc here Joss Reed: a deckhand",
    "/npc here Doctor Imre Voss: the surgeon",
    "/npc here Pip: the ship's boy",
)
"""The expectations of the scenes on board were written before the extraction was run on them."""


class PlayedScenes(NamedTuple):
    """Typed lines, and who knows what of each fact after them."""

    name: str
    lines: tuple[str, ...]
    rows_by_statement: Mapping[str, str]
    days_later: int = 0
    """Days of world time that pass before the question."""


class KnowledgeCase(NamedTuple):
    """What one character knows of one fact."""

    play_name: str
    statement: str
    knower: str
    knowledge: str
    teller: str


PLAYS = (
    PlayedScenes(
        "who is there sees it, who left does not",
        (
            *VILLAGERS,
            "/thing Lantern: brass",
            "> Rain falls on the yard.",
            "> Bela hands you the lantern.",
            "/fact Mara owns Lantern",
            "/cast - Old Tam",
            "> You find a ring in the mud.",
            "/thing Ring: of silver",
            "/fact Mara owns Ring",
            "/cast - Sister Ode",
            "> Bela Orsk kneels and swears by the fire.",
            "/fact promise: Bela Orsk will mend the gate for Mara.",
            "/cast + Old Tam",
            "> Rain drips from the eaves.",
        ),
        {
            "Mara owns Lantern.": "Mara: saw, Bela Orsk: saw, Old Tam: saw, Sister Ode: saw",
            "Mara owns Ring.": "Mara: saw, Bela Orsk: saw, Old Tam: missed, Sister Ode: saw",
            "Bela Orsk will mend the gate for Mara.": (
                "Mara: saw, Bela Orsk: saw, Old Tam: missed, Sister Ode: missed"
            ),
        },
    ),
    PlayedScenes(
        "a whisper reaches its hearers",
        (
            *VILLAGERS,
            "/place Crypt: cold",
            "> The fire is low.",
            "/whisper Bela Orsk: Sister Ode is an enemy.",
            "/fact Sister Ode enemy_of Mara",
            "I whisper to Bela and Old Tam: the password is Heron.",
            "/fact The password is Heron.",
            '> Old Tam whispers to you, "The bell is false." Ode hums.',
            "/fact The bell is false.",
            '> Sister Ode leans over to Bela and whispers: "The key is under the altar."',
            "/fact The key is under the altar.",
            '> Bela whispers to you, "Sister Ode cut the rope." Tam looks at the window.',
            "/fact event: Sister Ode cut the rope.",
            'I shout, "The tide is coming!"',
            "/fact The tide is coming.",
        ),
        {
            "The password is Heron.": (
                "Mara: saw, Bela Orsk: told Mara, Old Tam: told Mara, Sister Ode: missed"
            ),
            "The bell is false.": "Mara: told Old Tam, Bela Orsk: missed, Old Tam: saw, Sister Ode: missed",
            "The key is under the altar.": (
                "Mara: missed, Bela Orsk: told Sister Ode, Old Tam: missed, Sister Ode: saw"
            ),
            "Sister Ode cut the rope.": (
                "Mara: told Bela Orsk, Bela Orsk: saw, Old Tam: missed, Sister Ode: saw"
            ),
            "The tide is coming.": (
                "Mara: saw, Bela Orsk: told Mara, Old Tam: told Mara, Sister Ode: told Mara"
            ),
        },
    ),
    PlayedScenes(
        "told later, rightly and wrongly",
        (
            *VILLAGERS,
            "/thing Lantern: brass",
            "/cast - Old Tam",
            "/cast - Sister Ode",
            "> Bela hands you the lantern.",
            "/fact Mara owns Lantern",
            "> You find the key under the hearth.",
            "/fact The key is under the hearth.",
            "/cast + Old Tam",
            "/cast - Bela Orsk",
            "I tell Tam that I own the lantern.",
            'I say to Old Tam: "The key is under the bed."',
            "/cast + Sister Ode",
            "/cast - Old Tam",
            '"The key is under the hearth," I tell Ode.',
            '"Bela Orsk owns the lantern," I lie to Sister Ode.',
        ),
        {
            "Mara owns Lantern.": "Mara: saw, Bela Orsk: saw, Old Tam: told Mara, Sister Ode: wrong Mara",
            "The key is under the hearth.": (
                "Mara: saw, Bela Orsk: saw, Old Tam: wrong Mara, Sister Ode: told Mara"
            ),
        },
    ),
    PlayedScenes(
        "an NPC tells, lies and denies",
        (
            *VILLAGERS,
            "/thing Ring: of silver",
            "/cast - Sister Ode",
            "> Bela takes the ring from the mud.",
            "/fact Bela Orsk owns Ring",
            "> The old gate burns down.",
            "/fact event: The old gate burns down.",
            "/cast + Sister Ode",
            '> "Bela Orsk owns the ring," Old Tam says.',
            '> "Old Tam owns the ring," Bela says to you.',
            "/cast - Bela Orsk",
            '> Old Tam says, "The old gate burns down."',
            "/npc here Wren: a child",
            '> "Bela Orsk does not own the ring," Old Tam tells Wren.',
            "> Wren nods.",
        ),
        {
            "Bela Orsk owns Ring.": (
                "Mara: saw, Bela Orsk: saw, Old Tam: saw, Sister Ode: told Old Tam, Wren: wrong Old Tam"
            ),
            "The old gate burns down.": (
                "Mara: saw, Bela Orsk: saw, Old Tam: saw, Sister Ode: told Old Tam, Wren: missed"
            ),
        },
    ),
    PlayedScenes(
        "the dead, the sleeping and who comes late",
        (
            *VILLAGERS,
            "/creature here Orc: scarred (hp 4)",
            "> The orc snarls at Bela.",
            "/fact event: The orc snarls at Bela Orsk.",
            "/state Old Tam +asleep",
            "> You break the seal of the door.",
            "/fact event: Mara breaks the seal of the door.",
            "> Bela strikes the orc down; the orc dies.",
            "/fact Orc is dead",
            "> You find the map in its sack.",
            "/thing Map: of the coast",
            "/fact Mara owns Map",
            "/state Old Tam -asleep",
            "> Old Tam stretches and looks about.",
            "/fact event: Old Tam stretches.",
            "> A girl, Wren, steps in from the rain.",
            "/npc here Wren: a girl",
            "> Wren laughs at the smoke.",
            "/fact event: Wren laughs at the smoke.",
        ),
        {
            "The orc snarls at Bela Orsk.": "Mara: saw, Bela Orsk: saw, Old Tam: saw, Orc: saw, Wren: missed",
            "Mara breaks the seal of the door.": "Mara: saw, Bela Orsk: saw, Old Tam: missed, Orc: saw",
            "Orc died.": "Mara: saw, Bela Orsk: saw, Old Tam: missed, Sister Ode: saw, Wren: missed",
            "Mara owns Map.": "Mara: saw, Bela Orsk: saw, Old Tam: missed, Orc: missed, Wren: missed",
            "Old Tam stretches.": "Mara: saw, Old Tam: saw, Orc: missed, Wren: missed",
            "Wren laughs at the smoke.": "Mara: saw, Wren: saw, Old Tam: saw, Orc: missed",
        },
    ),
    PlayedScenes(
        "a liar at the gate",
        (
            *VILLAGERS,
            "/place Crypt: cold",
            "/place Well: deep",
            "/cast - Old Tam",
            "/cast - Sister Ode",
            "> You and Bela follow the tracks to the crypt and see the bishop in it.",
            "/npc here Bishop: fat",
            "/fact Bishop located_in Crypt",
            "/cast - Bishop",
            "/cast + Old Tam",
            '> Bela tells Old Tam: "The bishop is in the well."',
            "/cast - Bela Orsk",
            "/cast + Sister Ode",
            "> Old Tam tells Sister Ode that the bishop is in the well.",
            "/cast + Bela Orsk",
            '"The bishop is dead," Bela says to Ode.',
            "I ask Ode: is the bishop in the crypt?",
        ),
        {
            "Bishop is in Crypt.": (
                "Mara: saw, Bela Orsk: saw, Bishop: saw, Old Tam: wrong Bela Orsk, Sister Ode: wrong Old Tam"
            ),
        },
    ),
    PlayedScenes(
        "found dead",
        (
            *VILLAGERS,
            "/cast - Bela Orsk",
            "> Old Tam clutches his heart and dies on the stair.",
            "/cast + Bela Orsk",
            "/cast - Sister Ode",
            "> Bela finds the body of Old Tam on the stair.",
            "/npc here Wren: a child",
            "> Wren is out at the well.",
        ),
        {"Old Tam died.": "Mara: saw, Sister Ode: saw, Bela Orsk: found, Wren: missed"},
    ),
    PlayedScenes(
        "what the GM writes down beside the play",
        (
            *VILLAGERS,
            "> Rain falls on the yard.",
            "/fact Old Tam serves Sister Ode",
            "/fact Bela Orsk secretly hates Mara",
            "> Bela looks at the well and says nothing.",
            "/fact Sister Ode enemy_of Bela Orsk",
            "/fact The well is poisoned by the guild.",
            "> The well stinks of poison.",
            "/fact The well stinks of poison.",
        ),
        {
            "Old Tam serves Sister Ode.": "Mara: missed, Bela Orsk: missed, Old Tam: saw",
            "Bela Orsk secretly hates Mara.": (
                "Mara: missed, Old Tam: missed, Bela Orsk: saw, Sister Ode: missed"
            ),
            "Sister Ode and Bela Orsk are enemies.": "Mara: missed, Old Tam: missed, Sister Ode: saw",
            "The well is poisoned by the guild.": "Mara: missed, Old Tam: missed, Bela Orsk: missed",
            "The well stinks of poison.": "Mara: saw, Old Tam: saw, Bela Orsk: saw, Sister Ode: saw",
        },
    ),
    PlayedScenes(
        "what is taken back and what is rejected",
        (
            *VILLAGERS,
            "/thing Ring: of silver",
            "> Bela drops the ring into the well.",
            "/fact The ring is in the well.",
            "/undo",
            "> Bela keeps the ring.",
            "/fact Bela Orsk owns Ring",
            "> A raven lands on the gate.",
            "/fact The raven is a spy.",
            "/reject The raven is a spy",
        ),
        {
            "The ring is in the well.": "Mara: missed, Bela Orsk: missed, Old Tam: missed",
            "Bela Orsk owns Ring.": "Mara: saw, Bela Orsk: saw, Old Tam: saw",
            "The raven is a spy.": "Mara: missed, Bela Orsk: missed",
        },
    ),
    PlayedScenes(
        "put right",
        (
            *VILLAGERS,
            "/cast - Sister Ode",
            "/cast - Bela Orsk",
            "> You hide the crown in the crypt.",
            "/fact The crown is in the crypt.",
            "/cast + Bela Orsk",
            "/cast - Old Tam",
            '"The crown is in the well," I tell Bela.',
            "/cast + Sister Ode",
            '"The crown is in the barn," I tell Ode.',
            "/cast - Bela Orsk",
            '"I lied. The crown is in the crypt," I tell Ode.',
        ),
        {
            "The crown is in the crypt.": (
                "Mara: saw, Old Tam: saw, Bela Orsk: wrong Mara, Sister Ode: told Mara"
            ),
        },
    ),
    PlayedScenes(
        "seen with one's own eyes after being told otherwise",
        (
            *VILLAGERS,
            "/thing Crown: of iron",
            "/cast - Sister Ode",
            "> Old Tam takes the crown.",
            "/fact Old Tam owns Crown",
            "/cast + Sister Ode",
            "/cast - Old Tam",
            '"Bela Orsk owns the crown," I tell Ode.',
            "/cast + Old Tam",
            "> Old Tam shows Sister Ode the crown: it is his.",
            "/fact Old Tam owns Crown",
            '"Bela Orsk owns the crown," I tell Ode.',
        ),
        {"Old Tam owns Crown.": "Mara: saw, Bela Orsk: saw, Old Tam: saw, Sister Ode: saw"},
    ),
    PlayedScenes(
        "small things fade, great ones stay",
        (
            *VILLAGERS,
            "/cast - Sister Ode",
            "> A pot of beans stands on the table.",
            "/fact The beans are hot.",
            "> The beans are hot.",
            "/fact The beans are salty.",
            "> The beans are salty and the bench is hard.",
            "/fact The bench is hard.",
            "> Old Tam promises Bela a new anvil.",
            "/fact promise: Old Tam owes Bela Orsk an anvil.",
            "> The roof falls and Bela dies.",
        ),
        {
            "The bench is hard.": "Mara: forgot, Old Tam: forgot, Bela Orsk: forgot, Sister Ode: missed",
            "Old Tam owes Bela Orsk an anvil.": "Mara: saw, Old Tam: saw, Sister Ode: missed",
            "Bela dies.": "Mara: saw, Old Tam: saw, Sister Ode: missed",
        },
        days_later=1_200,
    ),
    PlayedScenes(
        "hearsay fades as well",
        (
            *VILLAGERS,
            "/cast - Old Tam",
            "> The tide turns at noon by the red post.",
            "/fact The tide turns at noon.",
            "/cast + Old Tam",
            '"The tide turns at noon," Bela says to Tam.',
            '> "The tide turns at noon," Bela says to Tam.',
        ),
        {"The tide turns at noon.": "Mara: forgot, Bela Orsk: forgot, Sister Ode: forgot, Old Tam: forgot"},
        days_later=2_000,
    ),
    PlayedScenes(
        "asked of the oracle, and what the dice show",
        (
            *VILLAGERS,
            "? certain: Is Old Tam a thief?",
            "/fact Old Tam is a thief.",
            "I force the door.",
            "/fact event: Mara forces the door.",
            "/cast - Old Tam",
            "I climb the wall.",
            "/fact event: Mara climbs the wall.",
        ),
        {
            "Old Tam is a thief.": "Mara: missed, Bela Orsk: missed",
            "Mara forces the door.": "Mara: saw, Bela Orsk: saw, Old Tam: saw",
            "Mara climbs the wall.": "Mara: saw, Bela Orsk: saw, Old Tam: missed",
        },
    ),
    PlayedScenes(
        "the next scene, with nobody but who is brought in",
        (
            *VILLAGERS,
            "> You stand by the fire.",
            "/commit",
            "/cast - Bela Orsk",
            "> Old Tam gives you the horn.",
            "/thing Horn: of a ram",
            "/fact Mara owns Horn",
            "/end The horn is yours",
            "/accept all",
            "/commit",
            "/cast + Sister Ode",
            "> You lose the horn in the bog.",
            "/cast + Bela Orsk",
            "I tell Bela that Mara owns the horn.",
        ),
        {
            "Mara owns Horn.": "Mara: saw, Old Tam: saw, Sister Ode: saw, Bela Orsk: told Mara",
            "Mara loses the horn in the bog.": (
                "Mara: saw, Old Tam: missed, Sister Ode: saw, Bela Orsk: missed"
            ),
        },
    ),
    PlayedScenes(
        "below deck",
        (
            *CREW,
            "> The lamp swings. Captain Hale spreads a chart on the table and taps a reef with his knife.",
            "/thing Chart: of the Teeth",
            "/fact Captain Hale owns Chart",
            "/cast - Pip",
            "> “We turn back at dawn,” Captain Hale says. “Not a word to the crew.”",
            "/fact event: Captain Hale decides to turn back at dawn.",
            "I wait until the captain is gone, then I pocket the chart.",
            "/fact Mara owns Chart",
            "> Doctor Voss leans in. “I saw that,” he murmurs.",
            "/cast + Pip",
            '"The captain means to turn back at dawn," Joss tells Pip.',
            "> Pip drops his spoon.",
            "/cast - Joss Reed",
            "I tell Pip that Captain Hale owns the chart.",
        ),
        {
            "Captain Hale owns Chart.": (
                "Mara: saw, Captain Hale: saw, Joss Reed: saw, Doctor Imre Voss: saw, Pip: saw"
            ),
            "Captain Hale decides to turn back at dawn.": (
                "Mara: saw, Captain Hale: saw, Joss Reed: saw, Doctor Imre Voss: saw, Pip: missed"
            ),
            "Mara owns Chart.": ("Mara: saw, Joss Reed: saw, Doctor Imre Voss: saw, Pip: wrong Mara"),
        },
    ),
    PlayedScenes(
        "the sickbay",
        (
            *CREW,
            "/cast - Captain Hale",
            "/cast - Joss Reed",
            '> Doctor Voss closes the man\'s eyes. "Fever," he says to you. "The water is foul."',
            "/fact The water is foul.",
            "/whisper Voss: the sailor was poisoned",
            "/fact The sailor was poisoned.",
            "/cast - Doctor Imre Voss",
            "/cast + Joss Reed",
            'I say, "The water is foul, Joss."',
            "> Pip whispers to Joss, “The sailor was poisoned.” You pretend not to hear.",
            "/cast + Captain Hale",
            '"The water is not foul," I tell the captain.',
        ),
        {
            "The water is foul.": (
                "Mara: told Doctor Imre Voss, Doctor Imre Voss: saw, Pip: told Doctor Imre Voss, "
                "Joss Reed: told Mara, Captain Hale: wrong Mara"
            ),
            "The sailor was poisoned.": (
                "Mara: saw, Doctor Imre Voss: told Mara, Pip: missed, "
                "Joss Reed: told Pip, Captain Hale: missed"
            ),
        },
    ),
    PlayedScenes(
        "the storm",
        (
            *CREW,
            "> The mast comes down across Joss Reed and kills him where he stands.",
            "> Captain Hale weeps openly.",
            "/fact event: Captain Hale weeps over Joss Reed.",
            "/state Pip +unconscious",
            "> Doctor Voss confesses that he sold the medicine in port.",
            "/fact event: Doctor Imre Voss sold the medicine in port.",
            "/cast - Captain Hale",
            "/state Pip -unconscious",
            "I promise Pip that I will take him home.",
            "/fact promise: Mara takes Pip home.",
            "> A gull lands on the rail.",
            "/npc here Ferro: a passenger who comes up on deck",
            "> Ferro stares at the broken mast. “What happened?”",
            '"Joss Reed is dead," I say.',
        ),
        {
            "Joss Reed died.": (
                "Mara: saw, Captain Hale: saw, Doctor Imre Voss: saw, Pip: saw, Ferro: told Mara"
            ),
            "Captain Hale weeps over Joss Reed.": (
                "Mara: saw, Captain Hale: saw, Doctor Imre Voss: saw, Pip: saw, Joss Reed: missed"
            ),
            "Doctor Imre Voss sold the medicine in port.": (
                "Mara: saw, Captain Hale: saw, Pip: missed, Joss Reed: missed, Ferro: missed"
            ),
            "Mara takes Pip home.": (
                "Mara: saw, Pip: saw, Doctor Imre Voss: saw, "
                "Captain Hale: missed, Joss Reed: missed, Ferro: missed"
            ),
        },
    ),
    PlayedScenes(
        "ashore",
        (
            *CREW,
            "/place Inn: the Split Oar",
            "/place Lighthouse: dark",
            "> You row ashore with Pip and Joss; the captain and the doctor stay aboard.",
            "> At the inn the keeper slides you a letter. The seal is the governor's.",
            "/fact The letter is from the governor.",
            'I read it aloud: "The lighthouse keeper is a smuggler."',
            "/fact The lighthouse keeper is a smuggler.",
            '> Joss spits. "Everybody knows the Split Oar is watched."',
            "/cast - Joss Reed",
            "> Pip finds a hatch under the rushes.",
            "/fact event: Pip finds a hatch.",
            "/cast + Captain Hale",
            "I report to the captain: the lighthouse keeper is a smuggler.",
            "Pip, show him the hatch!",
            "> “There is a hatch,” Pip tells the captain.",
            "/cast + Joss Reed",
            "I whisper to Joss that the letter is from the bishop.",
        ),
        {
            "The letter is from the governor.": (
                "Mara: saw, Pip: saw, Joss Reed: saw, Captain Hale: missed, Doctor Imre Voss: missed"
            ),
            "The lighthouse keeper is a smuggler.": (
                "Mara: saw, Pip: told Mara, Joss Reed: told Mara, "
                "Captain Hale: told Mara, Doctor Imre Voss: missed"
            ),
            "Pip finds a hatch.": (
                "Mara: saw, Pip: saw, Joss Reed: missed, Captain Hale: missed, Doctor Imre Voss: missed"
            ),
        },
    ),
    PlayedScenes(
        "enemies",
        (
            *CREW,
            "/cast - Pip",
            "/cast - Joss Reed",
            "> The captain and Doctor Voss stand nose to nose. “You are no friend of mine,” he says.",
            "/fact Captain Hale enemy_of Doctor Imre Voss",
            "/cast + Pip",
            '"Captain Hale and Doctor Imre Voss are allies," I tell Pip.',
            "/cast + Joss Reed",
            "> Pip says to Joss: “Captain Hale and Doctor Imre Voss are enemies.”",
            "> Joss tells you, “Doctor Imre Voss is in the hold.”",
            "/place Hold: dark",
            "/fact Doctor Imre Voss located_in Hold",
        ),
        {
            "Captain Hale and Doctor Imre Voss are enemies.": (
                "Mara: told Pip, Captain Hale: saw, Doctor Imre Voss: saw, "
                "Pip: wrong Mara, Joss Reed: told Pip"
            ),
        },
    ),
)


def knowledge_cases() -> Iterator[KnowledgeCase]:
    """Yield one case per fact and character."""
    for play in PLAYS:
        for statement, rows in play.rows_by_statement.items():
            for row in rows.split(", "):
                knower, _, expected = row.partition(": ")
                knowledge, _, teller = expected.partition(" ")
                yield KnowledgeCase(play.name, statement, knower, knowledge, teller)
