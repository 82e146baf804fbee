"""Tests which plain sentences promise something, to whom, and which only sound like it."""

from __future__ import annotations

import pytest

from agents.prose.plain_promises import find_promises_of_gm, find_promises_of_player

BY_HERO = (
    ('"I swear to bring the bell back," I tell Iselin.', ("Iselin",), "to bring the bell back"),
    ("I promise Iselin to bring the bell back.", ("Iselin",), "to bring the bell back"),
    (
        "I swear to Pip that if she helps me tonight, I'll take her with us.",
        ("Pip",),
        "if she helps me tonight, I'll take her with us",
    ),
    ("I promise Pip that unless it rains, we will sail.", ("Pip",), "unless it rains, we will sail"),
    ("promise Iselin to bring the bell back", ("Iselin",), "to bring the bell back"),
    ("The door shuts. Give Iselin my word that it will stay shut.", ("Iselin",), "it will stay shut"),
    ("I promise Old Tam that his boat will float by spring.", ("Old Tam",), "his boat will float by spring"),
    ("I swear to Bela that I will find her brother.", ("Bela",), "I will find her brother"),
    ("I give Iselin my word that the door will stay shut.", ("Iselin",), "the door will stay shut"),
    ("I give my word to Gil that I'll say nothing.", ("Gil",), "I'll say nothing"),
    ('"You have my word, I will be back by dawn," I say.', (), "I will be back by dawn"),
    ('"Wenna, I promise you a new roof," I say.', ("Wenna",), "a new roof"),
    ('"I promise I will not tell a soul."', (), "I will not tell a soul"),
    ("I vow to avenge Hester.", (), "to avenge Hester"),
    ("I swear on my father's grave that Harl will hang.", (), "Harl will hang"),
    ("I swear never to raise a hand against Tam.", (), "never to raise a hand against Tam"),
    ('"We will rebuild the mill, I promise you that," I tell Bram.', ("Bram",), "We will rebuild the mill"),
    ('"No one will hurt you, Jory, I swear."', ("Jory",), "No one will hurt you"),
    ('I take her hand. "I pledge to keep the lamp lit, Marta."', ("Marta",), "to keep the lamp lit"),
    ("I solemnly swear to Captain Vess to return the skiff.", ("Captain Vess",), "to return the skiff"),
    ('"I promise," I tell Edda, "to speak for you at the moot."', ("Edda",), "to speak for you at the moot"),
    ("I promise him that we will come back.", (), "we will come back"),
    ("I promised Iselin to bring the bell back.", ("Iselin",), "to bring the bell back"),
    ("I swore to Bela that I would find her brother.", ("Bela",), "I would find her brother"),
    ("I gave Iselin my word that the door would stay shut.", ("Iselin",), "the door would stay shut"),
    ("I took her hand and vowed, and then I pledged to wait.", (), "to wait"),
    ("I swear to Tam's memory that I will hang the reeve.", (), "I will hang the reeve"),
    ("I swear to Tam’s memory I will hang the reeve.", (), "I will hang the reeve"),
    ("I swear on Silas' grave I will hang the reeve.", (), "I will hang the reeve"),
    ("I swear to the memory of Tam that I will hang the reeve.", (), "I will hang the reeve"),
    ("I swear to her memory that I will hang the reeve.", (), "I will hang the reeve"),
    ("I swear to my brother that I will wait.", (), "I will wait"),
    ("I promise Tam's widow to hang the reeve.", (), "to hang the reeve"),
    ("I promise Tam's killer will hang.", (), "Tam's killer will hang"),
    ("I promise the Undersinger that I will pay.", ("the Undersinger",), "I will pay"),
    ("I promise the Undersinger I will sing.", ("the Undersinger",), "I will sing"),
    ("I promise the Undersinger the Glass Bell.", ("the Undersinger",), "the Glass Bell"),
    ("I promise the Red Abbot of Carrow to be silent.", ("the Red Abbot of Carrow",), "to be silent"),
    ("I give the Undersinger my word that I will pay.", ("the Undersinger",), "I will pay"),
    ("I swear to the Undersinger's memory that I will pay.", (), "I will pay"),
    ('"I will sing, I swear," I tell the Undersinger.', ("The Undersinger",), "I will sing"),
    ("I promise the Glass Bell will ring.", (), "the Glass Bell will ring"),
    ("I tell Osk that I will find Teodor, I swear it.", ("Osk",), "I will find Teodor"),
    ("I tell Osk I will be back, I promise.", ("Osk",), "I will be back"),
    ("I tell Osk: I'll be back, I promise.", ("Osk",), "I'll be back"),
    ("I tell the Undersinger that I will pay, I promise.", ("the Undersinger",), "I will pay"),
    ("I say to Osk that Teodor will hang, I swear.", ("Osk",), "Teodor will hang"),
    ("I turn to Osk and tell him that I will wait, I swear it.", (), "I will wait"),
    ("I tell the whole crowd that I will wait, you have my word.", (), "I will wait"),
    ("I tell Osk and Teodor that I will wait, I promise.", ("Osk and Teodor",), "I will wait"),
    ("I promise Osk and Teodor that I will come back.", ("Osk and Teodor",), "I will come back"),
    ("I swear to Osk, Hela and Teodor I will wait.", ("Osk, Hela and Teodor",), "I will wait"),
    ("I promise Osk and Teodor the bell.", ("Osk and Teodor",), "the bell"),
    ("I promise Osk I'll get it by noon, and I tell her to stay here.", ("Osk",), "I'll get it by noon"),
    ("I promise Osk to come back, and I won't be late.", ("Osk",), "to come back, and I won't be late"),
    ("I promise Osk that I'll wait, and I'll wave.", ("Osk",), "I'll wait, and I'll wave"),
    ("I close his eyes, take his glove, and swear on it that Pask will hang.", (), "Pask will hang"),
    ("I close his eyes, take his glove and swear to Osk that Pask will hang.", ("Osk",), "Pask will hang"),
    ("I kneel, kiss the ring, and vow to serve him.", (), "to serve him"),
    ("I promise the miller and the smith to pay.", ("the miller and the smith",), "to pay"),
    ("I promise Osk and the miller to pay.", ("Osk and the miller",), "to pay"),
    ('"Osk and Teodor, I promise you both a boat," I say.', ("Osk and Teodor",), "a boat"),
    ("I promise Osk and Teodor will be paid.", (), "Osk and Teodor will be paid"),
    ("I promise Osk and the miller will be paid.", (), "Osk and the miller will be paid"),
    ("I promise Osk that Teodor and Hela will wait.", ("Osk",), "Teodor and Hela will wait"),
    ("I promise Osk to bring Teodor and Hela home.", ("Osk",), "to bring Teodor and Hela home"),
    ("I swear to Osk and Teodor's mother that I will wait.", (), "I will wait"),
    ("I tell Osk that I promise to find Teodor.", ("Osk",), "to find Teodor"),
    ("I swear it to Osk: I will find Teodor.", ("Osk",), "I will find Teodor"),
    ("I promise Osk that I will wait, I swear it.", ("Osk",), "I will wait"),
    ("I will tell Osk that you are safe, I promise.", (), "I will tell Osk that you are safe"),
    ("I will go and tell Osk that he will be safe, I swear.", (), "I will go and tell Osk that he will be safe"),
    ("I promise the man that killed Tam will hang.", (), "the man that killed Tam will hang"),
    ("That boat will float, I promise.", (), "That boat will float"),
    ("I promise everyone that I will wait.", ("everyone",), "I will wait"),
    ("I promise them all that we will win.", (), "we will win"),
    ("I promise my uncle's dog that I will feed him.", (), "I will feed him"),
    ("I promise you and Osk that I will wait.", ("you and Osk",), "I will wait"),
    ("I promise Osk, Hela and you to wait.", ("Osk, Hela and you",), "to wait"),
    ("I give both you and Osk my word that I will wait.", ("both you and Osk",), "I will wait"),
    ('"I promise you and Osk to wait," I tell Hela.', ("Hela and Osk",), "to wait"),
    ('"Hela, I promise you and Osk a boat," I say.', ("Hela and Osk",), "a boat"),
    ("I promise you and Osk will be paid.", (), "you and Osk will be paid"),
    ("I promise you that Osk and Hela will wait.", (), "Osk and Hela will wait"),
    ("I promise you and your brother that I will wait.", (), "I will wait"),
    ("I give Dob the lantern and promise Nan a boat.", ("Nan",), "a boat"),
    ("I nod and promise Nan that I will bring her a boat.", ("Nan",), "I will bring her a boat"),
    ("Then I go to Dob, and solemnly swear to bring Nan home.", (), "to bring Nan home"),
    ("I give him the lantern and promise to bring Nan a boat.", (), "to bring Nan a boat"),
    ("I promise the boat that I will build will float.", (), "the boat that I will build will float"),
)  # fmt: skip
BY_OTHERS = (
    ("Harl promises that when the bell rings, he'll be back.", "Harl", "when the bell rings, he'll be back"),
    (
        '"I will repay you by Lammas, I swear it," says Harl Stone.',
        "Harl Stone",
        "I will repay you by Lammas",
    ),
    ('Wenna Pike says: "I promise you the boat."', "Wenna Pike", "the boat"),
    ("Harl swears that he will never touch dice again.", "Harl", "he will never touch dice again"),
    ("Wenna Pike promises Harl to mend the net.", "Wenna Pike", "to mend the net"),
    ("The innkeeper nods. Wenna solemnly vows to wait for you.", "Wenna", "to wait for you"),
    ("Harl swore that he would never touch dice again.", "Harl", "he would never touch dice again"),
    ("Wenna Pike promised Harl to mend the net.", "Wenna Pike", "to mend the net"),
    ("Wenna gives Harl her word that the net will be mended.", "Wenna", "the net will be mended"),
    ("Wenna gave you her word to wait.", "Wenna", "to wait"),
    ("Harl promises me free ale for life.", "Harl", "free ale for life"),
    ("Harl thanks me and promises me a room.", "Harl", "a room"),
    ("Harl promises Wenna ten silver.", "Harl", "ten silver"),
    ("Wenna nods, and promises to wait.", "Wenna", "to wait"),
    ("I give Wenna the ledger and she promises me that it will stay shut.", "Wenna", "it will stay shut"),
    ("I thank Harl, and he nods and swears to wait.", "Harl", "to wait"),
    ("Wenna smiles and promises Harl to mend the net.", "Wenna", "to mend the net"),
)
NO_PROMISE_BY_HERO = (
    "I swear to Pip that if she was there, I never saw her.",
    "I swear if he touches me, I'll scream.",
    "If she helps me, I'll promise Pip a coin.",
    "I tell Pip that if she helps me, I'll take her along.",
    "I swear that I never took it.",
    "I swear like a sailor and kick the door.",
    "I promised Tam a boat.",
    "I can't promise Tam anything.",
    "I would swear to it that he lies.",
    '"Do I promise to come back?" I ask.',
    "If I promise to come back, will she wait?",
    "I refuse to promise Harl that I will pay.",
    "I will never promise to pay Harl.",
    "I ask whether I promise too much to say that it will hold.",
    "I dream that I promise Tam to drown.",
    '"I promise you that you will hang," says Harl.',
    "I keep my promise to Iselin.",
    "Harl promised me long ago that he would pay.",
    "I remind her of what I promise to do.",
    "It is a promise of spring.",
    "I promise nothing.",
    "I thank Harl and Wenna, and she promises to wait.",
    "The guard thanks Harl, and he promises to wait.",
    "I meet Harl's widow, and she promises to wait.",
    "Harl looks at her, and she promises to wait.",
    "If Harl comes, and he promises to wait, I go.",
    "I wait, watching Dob kneel and swear that he will go.",
    "I stop, let Dob kneel and swear that he will go.",
    "I promised nothing.",
    "I had promised Tam to come.",
    "I did as I promised to do.",
    "I once promised Tam to come.",
    "I promised Tam that no harm would come to her, and I have failed her.",
    "I promised Tam long ago to come.",
    "The boat that I promised to mend is gone.",
    "I remember that I promised to come.",
    '"I promised Tam to come," I say.',
    "I swore at Tam.",
    "I swore like a sailor.",
    "I gave Tam my word.",
    "Osk says that he will come, I swear.",
    "I tell Osk that I hope he will come, I swear.",
    "I tell Osk Teodor will hang, I swear.",
    "I promise the Glass Bell to the Undersinger.",
    "I tell Dob to go home and promise Nan a boat.",
    "I watch Dob kneel and promise Nan a boat.",
    "I could go home and promise Nan a boat.",
    "I do not stop and promise Nan a boat.",
    "I won't kneel and promise Nan a boat.",
    "I ask Dob to wait and promise Nan a boat.",
    "I wait until Dob comes and promise Nan a boat?",
    "I hear the smith and promise Nan nothing.",
    "If I give Dob the lantern and promise Nan a boat, she stays.",
    "I dream that I kneel and promise Nan a boat.",
    '"You kneel and promise Nan a boat," I say.',
)
NO_PROMISE_BY_OTHERS = (
    "Harl swears that he never saw the key.",
    "Harl swears under his breath.",
    "Wenna promised to wait, once.",
    "Bela says that Harl promises to pay.",
    "Would Harl promise to pay?",
    "If Harl promises to pay, the others will laugh.",
    "The sky promises to clear.",
    "Nobody promises to help.",
    "Harl swore that he had never seen the key.",
    "Harl had promised to pay.",
    "Harl promised to pay long ago.",
    "The money that Harl promised to pay is gone.",
    "Harl gave you his hand.",
    "Harl promises me nothing.",
    "Harl promises me trouble.",
    "Harl promises me the moon.",
    "Harl almost promises me a room.",
    "Harl dreams and promises me a room.",
    "If Harl thanks me and promises me a room, I stay.",
    "Harl does not thank me and promises me no room.",
    "Harl plans to promise me a room.",
    "In the song Harl promises me a room.",
)
PEOPLE = (("Harl Stone", "Harl", "Stone"), ("Wenna Pike", "Wenna", "Pike"))


@pytest.mark.parametrize(("line", "promisees", "words"), BY_HERO)
def test_plain_promise_of_the_hero_is_read_with_its_words(
    line: str, promisees: tuple[str, ...], words: str
) -> None:
    (promise,) = find_promises_of_player(line)
    assert (promise.promiser, promise.named_promisees[:1], promise.words) == ("", promisees, words)


@pytest.mark.parametrize(("line", "promiser", "words"), BY_OTHERS)
def test_plain_promise_of_others_is_read_from_words_of_the_gm(line: str, promiser: str, words: str) -> None:
    (promise,) = find_promises_of_gm(line, PEOPLE)
    assert (promise.promiser, promise.words) == (promiser, words)


@pytest.mark.parametrize("line", NO_PROMISE_BY_HERO)
def test_plain_words_that_promise_nothing_are_no_promise(line: str) -> None:
    assert find_promises_of_player(line) == ()


@pytest.mark.parametrize("line", NO_PROMISE_BY_OTHERS)
def test_words_of_the_gm_that_promise_nothing_are_no_promise(line: str) -> None:
    assert [p for p in find_promises_of_gm(line, PEOPLE) if p.promiser in sum(PEOPLE, ())] == []


SMALL_NAMES = (("The hooded stranger",), ("the red monk",))


@pytest.mark.parametrize(
    ("line", "promisees", "words"),
    [
        ("I promise the hooded stranger that I will find it.", ("the hooded stranger",), "I will find it"),
        ("I swear to the red monk to be silent.", ("the red monk",), "to be silent"),
        ("I promise the old miller to mend it.", ("the old miller",), "to mend it"),
        ("I give my word to the hooded stranger that I will go.", ("the hooded stranger",), "I will go"),
        ("I promise the miller will get his flour.", (), "the miller will get his flour"),
        ("I promise that the red monk will get his bell.", (), "the red monk will get his bell"),
        ("I promise Gil Oakum will get his sledge.", (), "Gil Oakum will get his sledge"),
    ],
)
def test_promise_to_somebody_in_small_letters_is_read(
    line: str, promisees: tuple[str, ...], words: str
) -> None:
    (promise,) = find_promises_of_player(line, SMALL_NAMES)
    assert (promise.named_promisees, promise.words) == (promisees, words)


@pytest.mark.parametrize("line", ["The rope promises to hold.", "I promise the bell to Jonas."])
def test_thing_in_small_letters_neither_promises_nor_is_promised_anything(line: str) -> None:
    assert find_promises_of_gm(line, SMALL_NAMES) == ()
    assert find_promises_of_player(line, SMALL_NAMES) == ()
