"""Tests of which deaths plain prose tells, of whom, and which only sound like one."""

from __future__ import annotations

import pytest

from agents.prose.cast_reader import CastReader
from agents.prose.mentions import Figure
from agents.solo.strangers import find_strangers_in_claims

NAMES = ("Dob", "Greta", "Tom")

DEATHS = (
    ("There's a body in the water, face down. It's Tom.", "Tom"),
    ("A corpse lies on the steps. It is Greta.", "Greta"),
    ("We find a dead man in the hay. It was Dob.", "Dob"),
    ("The body floats under the bridge. It's Greta.", "Greta"),
    ("The dead man is Dob.", "Dob"),
    ("Tom the miller is found dead in the river.", "Tom"),
    ("Tom the old miller drowned.", "Tom"),
    ("Tom was found dead at dawn.", "Tom"),
    ("We find Tom dead in the barn.", "Tom"),
    ("They found Greta dead in her bed.", "Greta"),
    ("The guards find Tom dead at his desk.", "Tom"),
    ("A boy discovers Tom lying dead in the reeds.", "Tom"),
    ("The flood came and it killed Greta.", "Greta"),
    ("The flood came and killed Greta.", "Greta"),
    ("The roof gives way, and it kills Dob.", "Dob"),
    ("Two wolves came down from the hills and killed Tom.", "Tom"),
    ("Dob falls from the roof and breaks his neck.", "Dob"),
    ("Dob slips on the stairs and breaks his neck.", "Dob"),
    ("Dob fell down the stairs and broke his neck.", "Dob"),
    ("The arrow hits Dob and kills him.", "Dob"),
    ("The fall breaks Dob's neck.", "Dob"),
    ("The fever took Greta's life.", "Greta"),
    ("Greta breathes her last.", "Greta"),
    ("Nothing is left of Dob.", "Dob"),
    ("Dob bleeds out on the flagstones.", "Dob"),
    ("Greta draws her final breath.", "Greta"),
    ("The troll tears Dob apart.", "Dob"),
    ("An arrow through the heart ends Greta.", "Greta"),
    ("Dob gives up the ghost.", "Dob"),
    ("Greta passes away in the night.", "Greta"),
    ("The river takes Dob; he never comes up again.", "Dob"),
    ("Dob drowns in the millpond.", "Dob"),
    ("Dob loses his footing and quickly drowns.", "Dob"),
    ("Dob's been strangled.", "Dob"),
    ("Dob's just been strangled with his own cord.", "Dob"),
    ("Tom was found hanged at dawn.", "Tom"),
    ("Tom's throat has been cut.", "Tom"),
    ("Tom's skull was crushed.", "Tom"),
    ("Greta is burned alive.", "Greta"),
    ("The poison finishes Dob.", "Dob"),
    ("Dob's heart stops.", "Dob"),
    ("Greta is no more.", "Greta"),
    ("I cut Dob's throat.", "Dob"),
    ("The guards hang Greta at dawn.", "Greta"),
    ("Dob succumbs to his wounds.", "Dob"),
    ("Greta falls dead at my feet.", "Greta"),
    ("Greta falls, dead.", "Greta"),
    ("Dob slumps over the table, stone dead.", "Dob"),
    ("The dragon devours Dob.", "Dob"),
    ("They behead Greta.", "Greta"),
    ("Dob did not survive the fall.", "Dob"),
    ("Greta does not make it through the night.", "Greta"),
    ("The rockslide crushes Dob to death.", "Dob"),
    ("I run my sword through Greta and she dies.", "Greta"),
    ("Dob lies dead in the yard.", "Dob"),
    ("I slay Dob.", "Dob"),
    ("The plague claims Greta.", "Greta"),
    ("Dob loses his life in the fire.", "Dob"),
    ("Greta dies in my arms.", "Greta"),
    ("The wolves tear Greta to shreds.", "Greta"),
    ("Wick kills Dob with an axe.", "Dob"),
    ("The guards put Dob to death.", "Dob"),
    ("Greta's head rolls across the scaffold.", "Greta"),
    ("The cough carries Greta off before dawn.", "Greta"),
    ("Dob is shot dead by the sentry.", "Dob"),
    ("The beam crushes Dob's skull.", "Dob"),
    ("The axe takes off Dob's head.", "Dob"),
    ("Dob takes an arrow in the eye and drops dead.", "Dob"),
    ("Greta stops breathing.", "Greta"),
    ("Dob never wakes again.", "Dob"),
    ("Death claims Dob at midnight.", "Dob"),
    ("Dob has died.", "Dob"),
    ("Greta is killed in the blast.", "Greta"),
    ("Smoke suffocates Greta.", "Greta"),
    ("Dob's life ends on the gallows.", "Dob"),
    ("Dob dies a hero.", "Dob"),
    ("The healer cannot save Greta; she dies.", "Greta"),
    ("The serpent's venom kills Greta.", "Greta"),
    ("Greta lies lifeless on the altar.", "Greta"),
    ("Dob slips and falls to his death.", "Dob"),
    ("They find Dob's corpse in the well.", "Dob"),
    ("The ogre eats Dob.", "Dob"),
    ("Starvation takes Dob.", "Dob"),
    ("I kill Greta.", "Greta"),
    ("Dob pays with his life.", "Dob"),
    ("The bullet goes through Dob's heart, killing him.", "Dob"),
    ("Dob falls from the roof. The fall breaks his neck.", "Dob"),
    ("I catch Greta and cut her throat.", "Greta"),
    ("Dob is found dead on the Ribs.", "Dob"),
    ("We find Greta dead on the mill stairs.", "Greta"),
    ("Dob's body lies on the Ribs.", "Dob"),
    ("Greta's body was found in the millpond at dawn.", "Greta"),
    ("In the morning Dob's body washes ashore.", "Dob"),
    ("The body of Dob lies face down in the yard.", "Dob"),
)
NO_DEATHS = (
    "The story goes that Tom drowned once.",
    "As the tale goes, Tom drowned.",
    "In Greta's story Tom dies.",
    "Tom's heart stops, then beats again.",
    "Tom's heart stops and starts again.",
    "Tom loses his footing and nearly drowns.",
    "Tom slips, and nearly breaks his neck.",
    "Tom falls ill and all but dies.",
    "There's a man at the door. It's Tom.",
    "There is a body of water ahead. It's Tom.",
    "There's no body in the water. It's Tom.",
    "There's a body in the water. It isn't Tom.",
    "There's a body in the water. Is it Tom?",
    "There's a body in the water. I fear it's Tom.",
    "There's a body in the water. Somebody knocks. It's Tom.",
    "There's a body in the water. It's Tom who found it.",
    "There's a body in the water. It's Tom's.",
    "He has the body of a dancer. It's Tom.",
    "The dead man is Dob's brother.",
    "Dob drops the dead fish.",
    "Greta falls over the dead dog.",
    "Dob collapses on the lifeless body.",
    "Greta falls, dead tired.",
    "Tom is found dead drunk.",
    "We find Tom dead tired.",
    "Nobody finds Tom dead.",
    "I tell Tom the guard is dead.",
    "We hope not to find Tom dead.",
    "The flood came and it did not kill Greta.",
    "The flood came and nearly killed Greta.",
    "If the flood comes, it kills Greta.",
    "In the song the flood came and killed Greta.",
    "It kills Greta to see him go.",
    "It kills me to see Greta weep.",
    "Dob nearly breaks his neck.",
    "Dob falls from the roof and almost breaks his neck.",
    "Dob falls from the roof and breaks his arm.",
    "Dob breaks his neck to please Greta.",
    "Dob dreams that he falls from the roof and breaks his neck.",
    "Dob plans to kill Greta.",
    "Dob survived the fall.",
    "Dob survived.",
    "Greta almost dies of the fever.",
    "Dob nearly breaks his neck on the stairs.",
    "Greta is dead tired.",
    "Dob would die for a beer.",
    "Greta barely escapes with her life.",
    "The joke nearly kills Dob.",
    "Dob cheats death again.",
    "Greta lives through the night.",
    "Dob is dying to see the fair.",
    "Greta clings to life.",
    "The cold could have killed Dob.",
    "Dob stops dead in the doorway.",
    "Greta is dead wrong about the mill.",
    "Dob makes it out alive.",
    "The healer saves Greta's life.",
    "Dob's candle dies.",
    "Greta risks her neck for us.",
    "The fall does not kill Dob.",
    "Greta's smile dies on her lips.",
    "Dob pulls through.",
    "Dob takes a breath and breathes out.",
    "Dob escapes death by an inch.",
    "Greta hangs the lamp on the hook.",
    "Dob's heart stops for a moment when he sees her.",
    "Greta breaks Dob's heart.",
    "The joke kills Greta.",
    "The news tears Dob apart.",
    "Dob drops dead tired into the hay.",
    "Greta never wakes before noon.",
    "The guard tries to cut Dob's throat.",
    "The fever nearly takes Greta.",
    "Dob ends the song.",
    "Greta takes Dob apart in debate.",
    "The speech finishes and Dob claps.",
    "Greta claims the room at the inn.",
    "The wind takes Greta's hat.",
    "Dob loses his life savings at cards.",
    "Dob lost his head for a moment.",
    "Dob's neck hurts.",
    "Nobody kills Greta.",
    "The arrow misses Dob's throat.",
    "A spear takes Dob under the arm, and he sits down against the wall.",
    "The blade takes Dob in the left leg.",
    "The stew is to die for, says Dob.",
    "Greta buries her head in her hands.",
    "Dob takes Greta's hand.",
    "The river takes the boat away from Dob.",
    "Dob never comes up again to the attic.",
    "All that remains of Greta is her laugh in the hall.",
    "The cold takes Dob's breath away.",
    "The sea claims the boat.",
    "Nothing is left of Dob's patience.",
    "Sleep claims Greta at last.",
    "Dob all but dies of the fever.",
    "If Greta does that, Dob breaks her neck.",
    "The guards do not drag Dob out and kill him.",
    "Dob is dead on his feet.",
    "The bell is dead on time, says Greta.",
    "Dob is dead on target.",
    "Greta is dead against it.",
    "Dob's body aches.",
    "Greta's body lies in her bed, warm and breathing.",
    "Dob's body is found wanting by nobody.",
    "Nobody ever found Dob's body.",
    "Greta's body hangs on the rope, and she climbs.",
)


def find_dead(text: str) -> list[str]:
    reader = CastReader([Figure((name,)) for name in NAMES], ("Mara",))
    return [NAMES[death.number] for death in reader.find_deaths(text, is_gm=True) if death.number is not None]


@pytest.mark.parametrize(("text", "who"), DEATHS)
def test_death_is_told_of_who_dies(text: str, who: str) -> None:
    assert find_dead(text) == [who]


@pytest.mark.parametrize("text", NO_DEATHS)
def test_death_is_not_told_where_nobody_dies(text: str) -> None:
    assert find_dead(text) == []


def test_hero_dies_by_what_befalls_their_body() -> None:
    reader = CastReader([Figure((name,)) for name in NAMES], ("Mara",))
    for text in ("The fall breaks your neck.", "The fever takes your life.", "Nothing is left of you."):
        assert [d.number for d in reader.find_deaths(text, is_gm=True)] == [None], text
    assert not reader.find_deaths("Your heart breaks.", is_gm=True)


@pytest.mark.parametrize(
    ("text", "survivors"),
    [
        ("Dob survived the fall.", ["Dob"]),
        ("Dob survived.", ["Dob"]),
        ("Greta lives through the night.", ["Greta"]),
        ("Greta clings to life.", ["Greta"]),
        ("Dob makes it out alive, and Greta pulls through.", ["Dob", "Greta"]),
        ("Dob is not dead after all.", ["Dob"]),
        ("Dob comes back from the dead.", ["Dob"]),
        ("Dob did not survive the fall.", []),
        ("Dob survived the fall and died in the night.", []),
        ("If Dob survived, he is in the mill.", []),
        ("Greta hopes that Dob survived.", []),
        ("Nobody survived.", []),
    ],
)
def test_survivor_is_told_of_who_lives(text: str, survivors: list[str]) -> None:
    reader = CastReader([Figure((name,)) for name in NAMES], ("Mara",))
    fates = reader.find_survivors(text, is_gm=True)
    assert [NAMES[fate.number] for fate in fates if fate.number is not None] == survivors


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Wick stole Dob's ring.", ["Wick"]),
        ("Tom the miller is found dead in the river.", ["Tom"]),
        ("And Wick steals the ring.", ["Wick"]),
        ("Night stole over the town.", []),
        ("If Wick stole the ring, he hangs.", []),
        ("Wick never stole the ring.", []),
        ("Did Wick steal the ring?", []),
        ("He stole the ring.", []),
    ],
)
def test_stranger_who_did_what_lasts_or_died_is_found(text: str, names: list[str]) -> None:
    assert find_strangers_in_claims(text, []) == names


CREATURES = (Figure(("Pane-Hound",), is_creature=True), Figure(("Rat",), ("rat",), is_creature=True))


@pytest.mark.parametrize(
    ("line", "numbers"),
    [
        ("The Pane-Hound shatters.", [0]),
        ("The Pane-Hound shatters into a thousand shards.", [0]),
        ("The rat is crushed.", [1]),
        ("The rat is crushed under the falling stone.", [1]),
        ("The rat is finally squashed.", [1]),
        ("I swing the hammer, and the Pane-Hound is smashed to pieces.", [0]),
        ("The Pane-Hound crumbles to dust.", [0]),
        ("The Pane-Hound shatters the window.", []),
        ("The Pane-Hound shatters, then pulls itself together.", []),
        ("The Pane-Hound nearly shatters.", []),
        ("The Pane-Hound does not shatter.", []),
        ("The rat is crushed by the news.", []),
        ("The rat is crushed by the terrible news.", []),
        ("The rat is crushed against the wall of the crowd.", []),
        ("If the rat is crushed, I weep.", []),
        ("Is the rat crushed?", []),
    ],
)
def test_creature_that_breaks_is_dead(line: str, numbers: list[int]) -> None:
    reader = CastReader(CREATURES)
    assert [fate.number for fate in reader.find_deaths(line, is_gm=True)] == numbers


@pytest.mark.parametrize(
    "line", ["Greta is crushed.", "Greta is crushed by the news.", "Dob shatters.", "Dob is destroyed."]
)
def test_person_who_is_crushed_lives(line: str) -> None:
    reader = CastReader([Figure((name,)) for name in NAMES])
    assert reader.find_deaths(line, is_gm=True) == []


PRONOUN_DEATHS: tuple[tuple[tuple[str, ...], list[str]], ...] = (
    (("A stranger in a grey coat walks up to Dob. He is shot dead.",), []),
    (("A child runs past Vess. She stumbles and falls down dead.",), []),
    (("A guard comes in. Vess looks at him. He draws his sword and Dob stabs him. He is dead.",), []),
    (("The harbour master hates Dob. His wife left him and he drowned himself.",), []),
    (("A man walks up to Dob. His throat is cut.",), []),
    (("A guard comes in. Dob waits. He is dead.",), []),
    (("Vess looks at Dob. He falls dead.",), []),
    (("Dob comes in. He stabs a guard. He is dead.",), []),
    (
        (
            "A man in oilskins is waiting at the top.",
            "He says that he was sent by The Undersinger.",
            "He falls over the railing, dead.",
        ),
        [],
    ),
    (("Dob frowns. An old woman and a boy come in. He is dead.",), []),
    (("Dob clutches his chest. He is dead.",), ["Dob"]),
    (("Vess falls. She is dead.",), ["Vess"]),
    (("Dob falls.", "He is dead."), ["Dob"]),
    (("A woman comes in. Dob waits. He is dead.",), ["Dob"]),
    (("A guard comes in. Dob clutches his chest. He is dead.",), ["Dob"]),
    (("A guard stabs Dob. He is dead.",), ["Dob"]),
    (("A guard comes in. Dob falls to the floor. He is dead.",), ["Dob"]),
    (
        (
            "I talk to a child.",
            "A shot cracks from the roof, and Dob falls. He's dead before I can reach him.",
        ),
        ["Dob"],
    ),
    (("A guard comes in. Dob falls silent. He is dead.",), []),
    (("A guard comes in. Dob drops the cup. He is dead.",), []),
    (("Dob falls over a guard. He is dead.",), []),
    (("I hide it, since nobody would search a child.", "Dob waits. He is dead."), ["Dob"]),
    (("I hide it, since nobody waits, but a child comes.", "Dob waits. He is dead."), []),
    (("A guard stabs Dob and he dies.",), ["Dob"]),
    (("Dob attacks. A guard stabs him and he dies.",), ["Dob"]),
    (("Tom aims. The arrow hits Dob and kills him.",), ["Dob"]),
    (("Dob kneels. A guard cuts his throat.",), ["Dob"]),
    (("A stranger walks up to Dob. He is shot dead, and I kill Vess.",), ["Vess"]),
    # Who bleeds is who is dying, and who is dying dies.
    (
        (
            "Dob is bleeding from the ears. Vess gives him an injection, but he's dying.",
            "He dies in her arms.",
        ),
        ["Dob"],
    ),
    (("Dob is dying. Vess holds his hand. He dies at dawn.",), ["Dob"]),
    (("Dob is bleeding. Vess kneels. He's dying.", "He dies."), ["Dob"]),
    (("Dob is bleeding. Vess draws a knife. He dies.",), []),
    (("Dob is bleeding. Vess clutches his chest. He dies.",), []),
    (("Dob is dying to see it. Vess draws a knife. He dies.",), []),
    (("Vess gives Dob an injection.", "He dies in her arms."), []),
    (("Dob is dying. A guard stabs Vess. She dies.",), ["Vess"]),
)


@pytest.mark.parametrize(("lines", "names"), PRONOUN_DEATHS)
def test_death_told_by_a_pronoun_is_of_nobody_where_somebody_else_may_be_meant(
    lines: tuple[str, ...], names: list[str]
) -> None:
    figures = [Figure(("Dob",), gender="he"), Figure(("Vess",)), Figure(("The Undersinger",))]
    reader = CastReader(figures, hero_names=("Iselin",))
    deaths = [death for line in lines for death in reader.find_deaths(line, is_gm=True)]
    assert [figures[death.number].names[0] for death in deaths if death.number is not None] == names


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Iselin runs at Hela. She is dead.", []),
        ("Iselin runs at Dob. He is dead.", ["Dob"]),
        ("Iselin stabs Hela. She is dead.", ["Hela"]),
        ("Hela runs at Dob. She is dead.", ["Hela"]),
        ("I run at Hela. She is dead.", ["Hela"]),
        ("Dob runs at Osk. He is dead.", []),
    ],
)
def test_death_told_by_a_pronoun_is_of_nobody_where_the_hero_who_is_named_may_be_meant(
    line: str, names: list[str]
) -> None:
    figures = [Figure(("Dob",), gender="he"), Figure(("Hela",), gender="she"), Figure(("Osk",), gender="he")]
    reader = CastReader(figures, hero_names=("Iselin",), hero_gender="she")
    deaths = reader.find_deaths(line, is_gm=True)
    assert [figures[death.number].names[0] for death in deaths if death.number is not None] == names
