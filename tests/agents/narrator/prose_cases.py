"""Cases for the prose checks: faulty prose, and prose that only looks faulty.

Each case has the kind of finding, whether it is expected, and the text.
"""

from __future__ import annotations

from typing import NamedTuple

from agents.narrator.prose_checks import ProseFindingKind


class ProseCase(NamedTuple):
    kind: ProseFindingKind
    is_faulty: bool
    text: str


CASES = (
    # --- the dead speak or act ---
    ProseCase(ProseFindingKind.DEAD, True, "“Come closer,” says Lorne from his chair."),
    ProseCase(ProseFindingKind.DEAD, True, "Lorne nods and hands you the key."),
    ProseCase(ProseFindingKind.DEAD, True, "The door opens. Lorne walks in and laughs."),
    ProseCase(ProseFindingKind.DEAD, True, "The Orc lunges at you again."),
    ProseCase(ProseFindingKind.DEAD, True, "Lorne says: “I never left.”"),
    ProseCase(ProseFindingKind.DEAD, False, "Lorne's body lies by the well."),
    ProseCase(ProseFindingKind.DEAD, False, "You remember how Lorne laughs in that old song."),
    ProseCase(ProseFindingKind.DEAD, False, "The ghost of Lorne nods at you."),
    ProseCase(ProseFindingKind.DEAD, False, "In your dream Lorne smiles and says nothing."),
    ProseCase(ProseFindingKind.DEAD, False, "“Lorne said it would rain,” Sella says."),
    ProseCase(ProseFindingKind.DEAD, False, "Lorne lies where he fell, and the orc lies beside him."),
    ProseCase(ProseFindingKind.DEAD, False, "Lorne used to sit here and drink."),
    ProseCase(ProseFindingKind.DEAD, False, "The portrait of Lorne smiles down."),
    ProseCase(ProseFindingKind.DEAD, False, "You think of what Lorne says in his letter."),
    ProseCase(ProseFindingKind.DEAD, False, "Sella kneels by Lorne and closes his eyes."),
    # --- the absent ---
    ProseCase(ProseFindingKind.ABSENT, True, "“You took your time,” says Joss."),
    ProseCase(ProseFindingKind.ABSENT, True, "Joss nods and pours you a cup."),
    ProseCase(
        ProseFindingKind.ABSENT, False, "Joss comes through the gate. “You took your time,” says Joss."
    ),
    ProseCase(ProseFindingKind.ABSENT, False, "Somewhere Joss laughs, you are sure of it."),
    ProseCase(ProseFindingKind.ABSENT, False, "You wonder whether Joss waits for you."),
    ProseCase(ProseFindingKind.ABSENT, False, "“Joss nods at everything,” says Sella."),
    ProseCase(ProseFindingKind.ABSENT, False, "Joss's boat is gone."),
    ProseCase(ProseFindingKind.ABSENT, False, "Meanwhile, at the mill, Joss waits."),
    # --- an invented past ---
    ProseCase(ProseFindingKind.INVENTED_MEETING, True, "“Good to see you again,” says Old Tam."),
    ProseCase(ProseFindingKind.INVENTED_MEETING, True, "“When we last met you had two boots,” Tam says."),
    ProseCase(ProseFindingKind.INVENTED_MEETING, True, "Tam smiles. “We've met before, you and I.”"),
    ProseCase(
        ProseFindingKind.INVENTED_MEETING, True, "“The last time I saw you, you were drunk,” Old Tam mutters."
    ),
    ProseCase(ProseFindingKind.INVENTED_MEETING, True, "“Don't you remember when we rowed out?” asks Tam."),
    ProseCase(
        ProseFindingKind.INVENTED_ANSWER,
        True,
        "“As you told me yesterday, the bell is cracked,” says Old Tam.",
    ),
    ProseCase(ProseFindingKind.INVENTED_ANSWER, True, "Tam frowns. “You promised me a boat last week.”"),
    ProseCase(ProseFindingKind.INVENTED_MEETING, False, "“We have never met before,” says Old Tam."),
    ProseCase(ProseFindingKind.INVENTED_MEETING, False, "“Have we met before?” asks Tam."),
    ProseCase(ProseFindingKind.INVENTED_MEETING, False, "“Good to see you again,” says Sella Brand."),
    ProseCase(ProseFindingKind.INVENTED_MEETING, False, "“I met the abbot yesterday,” says Old Tam."),
    ProseCase(ProseFindingKind.INVENTED_MEETING, False, "Tam says the mill burned last week."),
    ProseCase(
        ProseFindingKind.INVENTED_MEETING,
        False,
        "“You must take me for someone else. When we last met? Never,” says Tam.",
    ),
    ProseCase(ProseFindingKind.INVENTED_ANSWER, False, "“You never told me that,” says Old Tam."),
    ProseCase(ProseFindingKind.INVENTED_ANSWER, False, "“As you said, it is cold,” says Old Tam."),
    ProseCase(
        ProseFindingKind.INVENTED_ANSWER,
        False,
        "“If you had told me yesterday, I would have helped,” says Tam.",
    ),
    ProseCase(ProseFindingKind.INVENTED_ANSWER, False, "“She told me yesterday,” says Old Tam."),
    ProseCase(ProseFindingKind.INVENTED_ANSWER, False, "“I told you the truth just now,” says Old Tam."),
    # --- lines and veils ---
    ProseCase(ProseFindingKind.LINE, True, "A spider the size of a dog drops from the beam."),
    ProseCase(ProseFindingKind.LINE, True, "Hundreds of spiders pour out."),
    ProseCase(ProseFindingKind.LINE, True, "He would do harm to children, and smiles."),
    ProseCase(ProseFindingKind.LINE, False, "The children sleep. No harm in that, says the cook."),
    ProseCase(ProseFindingKind.LINE, False, "She spins wool beside the fire."),
    # --- speaking for the player ---
    ProseCase(ProseFindingKind.PLAYER, True, "“I will serve you forever,” you say, kneeling."),
    ProseCase(ProseFindingKind.PLAYER, True, "You decide to trust him with the key."),
    ProseCase(ProseFindingKind.PLAYER, False, "“Where is the bell?” you ask, as you said you would."),
    ProseCase(ProseFindingKind.PLAYER, False, "What do you decide to do?"),
    ProseCase(ProseFindingKind.PLAYER, False, "He waits for you to decide."),
    ProseCase(ProseFindingKind.PLAYER, False, "If you decide to go, go now."),
    # --- found afterwards, with words that the patterns were not made from ---
    ProseCase(ProseFindingKind.DEAD, True, "Lorne grins. “Thought I was dead?”"),
    ProseCase(ProseFindingKind.DEAD, True, "Behind you, Lorne draws his knife."),
    ProseCase(ProseFindingKind.DEAD, False, "Lorne, dead these three days, stares at the ceiling."),
    ProseCase(ProseFindingKind.DEAD, False, "“Lorne laughs at you from hell,” Sella spits."),
    ProseCase(ProseFindingKind.DEAD, False, "Sella says Lorne drinks with the fishes now."),
    ProseCase(ProseFindingKind.DEAD, False, "It is the knife that Lorne always carries in the song."),
    ProseCase(ProseFindingKind.DEAD, False, "Even dead, Lorne waits in every corner of this house."),
    ProseCase(ProseFindingKind.DEAD, False, "You see Lorne. He does not move."),
    ProseCase(ProseFindingKind.ABSENT, True, "Joss whispers, “Not here.”"),
    ProseCase(ProseFindingKind.ABSENT, False, "You hear from Sella what Joss says about you."),
    ProseCase(ProseFindingKind.ABSENT, False, "Joss arrives, wet to the knee, and nods."),
    ProseCase(ProseFindingKind.ABSENT, False, "Joss would laugh at this."),
    ProseCase(
        ProseFindingKind.INVENTED_MEETING,
        True,
        "Old Tam squints. “You again. I said no last time you were here.”",
    ),
    ProseCase(
        ProseFindingKind.INVENTED_MEETING,
        True,
        "“It has been years since we last spoke, Mara,” Old Tam says.",
    ),
    ProseCase(ProseFindingKind.INVENTED_MEETING, True, "“I saw you last night at the well,” says Tam."),
    ProseCase(
        ProseFindingKind.INVENTED_MEETING,
        False,
        "“The last time it rained like this, the bell fell,” says Old Tam.",
    ),
    ProseCase(ProseFindingKind.INVENTED_MEETING, False, "“Remember when the bell rang?” Tam asks nobody."),
    ProseCase(ProseFindingKind.INVENTED_MEETING, False, "“Come and see me again tomorrow,” says Old Tam."),
    ProseCase(ProseFindingKind.INVENTED_MEETING, False, "“I hope to see you again,” says Old Tam."),
    ProseCase(
        ProseFindingKind.INVENTED_MEETING, False, "“I don't know you. Have we spoken before?” says Tam."
    ),
    ProseCase(
        ProseFindingKind.INVENTED_ANSWER,
        True,
        "“Your brother told me, and you told me last winter,” says Old Tam.",
    ),
    ProseCase(
        ProseFindingKind.INVENTED_ANSWER,
        False,
        "“You told me your name. Now tell me your business,” says Old Tam.",
    ),
    ProseCase(ProseFindingKind.INVENTED_ANSWER, False, "“I told you to leave,” says Old Tam."),
    ProseCase(ProseFindingKind.PLAYER, False, "You promise nothing. Tam waits."),
    ProseCase(ProseFindingKind.PLAYER, True, "You agree to help him and shake his hand."),
    ProseCase(ProseFindingKind.LINE, False, "The spidery handwriting is hard to read."),
)
