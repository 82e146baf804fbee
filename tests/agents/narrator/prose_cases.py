"""Cases for the prose checks: faulty prose, and prose that only looks faulty.

Each case has the kind of finding, whether it is expected, the text, and the degree of the result.
"""

from __future__ import annotations

from typing import NamedTuple

from agents.narrator.prose_checks import ProseFindingKind
from stores.records.play import Degree

WIN, LOSE = Degree.SUCCESS, Degree.FAIL


class ProseCase(NamedTuple):
    kind: ProseFindingKind
    is_faulty: bool
    text: str
    degree: Degree | None = None


CASES = (
    # --- a success narrated as a failure ---
    ProseCase(ProseFindingKind.RESULT, True, "You heave at the gate, but you fail to move it an inch.", WIN),
    ProseCase(ProseFindingKind.RESULT, True, "Your blow goes wide and the orc laughs at you.", WIN),
    ProseCase(ProseFindingKind.RESULT, True, "You cannot force the lock. The pick snaps.", WIN),
    ProseCase(ProseFindingKind.RESULT, True, "You search the room to no avail.", WIN),
    ProseCase(ProseFindingKind.RESULT, True, "Mara misses, and the arrow is lost in the reeds.", WIN),
    ProseCase(ProseFindingKind.RESULT, True, "Your attempt fails. The guard stays awake.", WIN),
    ProseCase(ProseFindingKind.RESULT, True, "You are unable to climb the wet wall.", WIN),
    ProseCase(ProseFindingKind.RESULT, True, "You swing hard. You miss. The orc steps back.", WIN),
    ProseCase(ProseFindingKind.RESULT, True, "Your lie falls flat, and the guard reaches for the bell.", WIN),
    ProseCase(ProseFindingKind.RESULT, False, "You do not miss. The arrow stands in the post.", WIN),
    ProseCase(
        ProseFindingKind.RESULT, False, "You open the lock and fail to notice the shadow behind you.", WIN
    ),
    ProseCase(
        ProseFindingKind.RESULT, False, "You open the lock. You fail to notice the shadow behind you.", WIN
    ),
    ProseCase(ProseFindingKind.RESULT, False, "At first you cannot move it, then the gate swings open.", WIN),
    ProseCase(
        ProseFindingKind.RESULT,
        False,
        "For a breath you fail to find a hold. Then your fingers close on stone.",
        WIN,
    ),
    ProseCase(ProseFindingKind.RESULT, False, "“You fail!” the orc sneers, and falls.", WIN),
    ProseCase(ProseFindingKind.RESULT, False, "The guard fails to see you slip past.", WIN),
    ProseCase(ProseFindingKind.RESULT, False, "You nearly miss, but the blade bites.", WIN),
    ProseCase(ProseFindingKind.RESULT, False, "You cannot help but smile as the door gives.", WIN),
    ProseCase(ProseFindingKind.RESULT, False, "If you fail now, all is lost; but the rope holds.", WIN),
    ProseCase(ProseFindingKind.RESULT, False, "Yesterday you failed. Today the lock clicks.", WIN),
    ProseCase(ProseFindingKind.RESULT, False, "The orc's blow goes wide, and yours does not.", WIN),
    ProseCase(ProseFindingKind.RESULT, False, "You miss Tam, who would have laughed at this.", WIN),
    ProseCase(ProseFindingKind.RESULT, False, "You cannot see the bottom, but the rope reaches it.", WIN),
    ProseCase(ProseFindingKind.RESULT, False, "Others tried in vain. You turn the key and it opens.", WIN),
    # --- a failure narrated as a success ---
    ProseCase(ProseFindingKind.RESULT, True, "You manage to force the lock and slip inside.", LOSE),
    ProseCase(ProseFindingKind.RESULT, True, "Your blade finds its mark and the orc goes down.", LOSE),
    ProseCase(ProseFindingKind.RESULT, True, "You succeed. The guard believes every word.", LOSE),
    ProseCase(ProseFindingKind.RESULT, True, "Your lie works, and he waves you through.", LOSE),
    ProseCase(ProseFindingKind.RESULT, True, "Your arrow strikes true.", LOSE),
    ProseCase(ProseFindingKind.RESULT, True, "Mara manages to lift the bar.", LOSE),
    ProseCase(ProseFindingKind.RESULT, False, "You succeed only in waking the dog.", LOSE),
    ProseCase(ProseFindingKind.RESULT, False, "You manage to keep your feet, but the door holds.", LOSE),
    ProseCase(ProseFindingKind.RESULT, False, "You almost manage to lift it. It falls back.", LOSE),
    ProseCase(ProseFindingKind.RESULT, False, "You do not manage to open it.", LOSE),
    ProseCase(ProseFindingKind.RESULT, False, "You never succeed in catching her eye.", LOSE),
    ProseCase(ProseFindingKind.RESULT, False, "The orc manages to parry, and you stumble.", LOSE),
    ProseCase(ProseFindingKind.RESULT, False, "“You succeed?” Tam asks. You shake your head.", LOSE),
    ProseCase(ProseFindingKind.RESULT, False, "You had hoped you would succeed. The bell rings.", LOSE),
    ProseCase(ProseFindingKind.RESULT, False, "His arrow strikes true; yours is lost.", LOSE),
    ProseCase(ProseFindingKind.RESULT, False, "The lock holds, and your pick breaks.", LOSE),
    ProseCase(
        ProseFindingKind.RESULT,
        False,
        "You manage to fail in front of everyone, until the lamp goes out.",
        LOSE,
    ),
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
    ProseCase(
        ProseFindingKind.RESULT,
        True,
        "You throw your weight against the door, and it will not budge; you don't manage to open it.",
        WIN,
    ),
    ProseCase(ProseFindingKind.RESULT, True, "Your sword glances off the scales. The beast hisses.", WIN),
    ProseCase(ProseFindingKind.RESULT, True, "The climb is too much. You couldn't reach the ledge.", WIN),
    ProseCase(ProseFindingKind.RESULT, True, "Your knife missed the rope entirely.", WIN),
    ProseCase(ProseFindingKind.RESULT, False, "You can't believe your luck: the bolt slides back.", WIN),
    ProseCase(
        ProseFindingKind.RESULT, False, "Your arms fail you at the top, yet you are over the wall.", WIN
    ),
    ProseCase(ProseFindingKind.RESULT, False, "The lamp fails. In the dark you are through the door.", WIN),
    ProseCase(ProseFindingKind.RESULT, False, "You step aside and his axe misses you by a hair.", WIN),
    ProseCase(
        ProseFindingKind.RESULT, False, "Nobody misses you at the feast, and the cellar is yours.", WIN
    ),
    ProseCase(
        ProseFindingKind.RESULT, False, "You land on the far side. You cannot go back the way you came.", WIN
    ),
    ProseCase(ProseFindingKind.RESULT, False, "The bridge holds. Behind you the rope fails.", WIN),
    ProseCase(ProseFindingKind.RESULT, False, "You have the ledger. You missed a page, perhaps.", WIN),
    ProseCase(ProseFindingKind.RESULT, False, "You cannot hear the guard any more. The lock is open.", WIN),
    ProseCase(ProseFindingKind.RESULT, True, "You successfully pick the lock.", LOSE),
    ProseCase(ProseFindingKind.RESULT, True, "Your spear finds its mark, and the boar drops.", LOSE),
    ProseCase(ProseFindingKind.RESULT, True, "Your bluff works. They step aside.", LOSE),
    ProseCase(
        ProseFindingKind.RESULT,
        False,
        "You managed it once, years ago; tonight the stone is slick and you fall.",
        LOSE,
    ),
    ProseCase(ProseFindingKind.RESULT, False, "The guard succeeds where you do not.", LOSE),
    ProseCase(ProseFindingKind.RESULT, False, "Your arrow lands in the mud.", LOSE),
    ProseCase(ProseFindingKind.RESULT, False, "You manage a smile. Nobody smiles back.", LOSE),
    ProseCase(
        ProseFindingKind.RESULT,
        False,
        "You manage to say two words before the door slams in your face.",
        LOSE,
    ),
    ProseCase(
        ProseFindingKind.RESULT,
        False,
        "You manage to get the door open a crack, and then it slams shut on your hand.",
        LOSE,
    ),
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
