"""What a turn must say to answer a question: together, the deed itself, and the number or name that is asked for."""

from __future__ import annotations

import pytest

from agents.canon_keeper.predicates import Catalogue
from agents.search.asked_deeds import find_asked_deed
from agents.search.asked_shares import measure_rarity, measure_shares
from agents.search.question import RecordQuestion, parse_question
from agents.search.turn_answers import match_statement, match_turn, tells_deed_to_something_else

NAMES = (("bishop", "b"), ("dame astrid vole", "a"), ("long house", "l"), ("pella", "p"), ("bram", "r"))
LONG_TURN = (
    "The Long House is a hall of black timber with a turf roof and one lit window. Dame Astrid Vole is eighty if she "
    "is a day, straight as a mast, and takes the letter with tongs. It goes into the brazier. She gives you soup with "
    "barley in it. The smith wants seven crowns for the runner, and would sell you a second one for six."
)


def ask(text: str) -> RecordQuestion:
    return parse_question(text, NAMES, Catalogue({}))


def is_answered(question: str, text: str, *, before: str = "") -> bool:
    return match_turn(ask(question), text, "", (before,)).is_answer


@pytest.mark.parametrize(
    ("question", "is_so"),
    [
        ("What roof does the Long House have?", True),
        ("What did Dame Astrid take with tongs?", True),
        ("Why did Dame Astrid sell the Long House?", False),  # somebody else sells something else
        ("What did Dame Astrid pay the smith?", False),
    ],
)
def test_turn_answers_only_what_its_neighbouring_sentences_say(question: str, is_so: bool) -> None:
    assert is_answered(question, LONG_TURN) is is_so


def test_turn_answers_with_whom_the_turn_before_names() -> None:
    assert is_answered(
        "What does Pella want for her wands?", "She wants a penny for the wands.", before="Pella waits."
    )
    assert not is_answered(
        "What does Bram want for the wands?", "She wants a penny for the wands.", before="Pella waits."
    )


@pytest.mark.parametrize(
    ("question", "deed"),
    [
        ("Why did Dame Astrid sell the Long House?", "sel"),  # as a word is normalised
        ("Who shot the yellow mastiff?", "shot"),
        ("Who has brought the silver?", "brought"),
        ("What did I burn at the ford?", "burn"),
        ("Who is Pella's father?", ""),
        ("How did the founder smuggle the child out?", ""),  # `founder` is no name: it may be the deed
    ],
)
def test_turn_answers_which_deed_is_asked_for(question: str, deed: str) -> None:
    asked_deed = find_asked_deed(ask(question))
    assert (asked_deed.verb if asked_deed else "") == deed


@pytest.mark.parametrize(
    ("question", "text", "is_so"),
    [
        ("How many crowns did Bram pay?", "Bram pays forty crowns and counts three geese.", True),
        ("How many brothers does Bram have?", "Bram has brothers. We lost eleven men.", False),
        ("How deep is the pool at Bram's mill?", "The pool at Bram's mill is six fathoms down.", True),
        ("How old is Bram?", "Bram pays six crowns.", False),
        ("How old is Bram?", "Bram is a lad of sixteen.", True),
        ("Why did Bram sell the mill?", "Bram could not pay for the slates, so he sold the mill.", True),
        ("Why did Bram sell the mill?", "Bram sold the mill.", False),
        ("What is the name of Bram's horse?", "Bram rides a horse to meet Pella.", False),
        (
            "Where did Bram hide with the ledger?",
            "There sits Bram in the hayloft, the ledger on his knees.",
            True,
        ),
        ("When did Bram sell the mill?", "Bram never sold the mill.", False),
        (
            "What did Bram promise Pella?",
            "Astrid swears that she never took a coin, and Pella laughs at Bram.",
            False,
        ),
    ],
)
def test_turn_answers_with_what_is_asked_for_of_whom_it_is_asked(
    question: str, text: str, is_so: bool
) -> None:
    assert is_answered(question, text) is is_so


def test_turn_answers_a_deed_in_another_form() -> None:
    assert is_answered("Who shot the yellow mastiff?", "Bram shoots the yellow mastiff.")
    assert not is_answered("Who shot the yellow mastiff?", "Bram feeds the yellow mastiff.")


def test_turn_answers_with_a_number_or_a_name_where_one_is_asked_for() -> None:
    assert is_answered("How much did Bram pay for the pony?", "Bram paid nine crowns for the pony.")
    assert not is_answered(
        "How much did Bram pay for the pony?", "Bram paid for the pony and left an empty yard."
    )
    assert is_answered("How much did Bram pay for the pony?", "Bram paid a penny for the pony.")
    assert is_answered("How old is Bram's mother?", "Bram's mother is seventy-one, old as she is.")
    assert is_answered("What is Bram's pony called?", "Bram has a pony called Deacon.")
    assert not is_answered("What is Bram's pony called?", "Bram has the pony with him.")


@pytest.mark.parametrize(
    ("question", "text", "before", "is_so"),
    [
        # In other words, and irregular forms of the same.
        ("Did Bram forgive Pella?", "Bram has forgiven Pella.", "", True),
        ("Where was Bram buried?", "We bury Bram behind the mill.", "", True),
        ("Who repaired the cart wheel?", "Pella mends the wheel of the cart with rope.", "", True),
        ("Who repaired the cart wheel?", "Pella burns the wheel of the cart.", "", False),
        # In words that stand beside these in one line of the list, and in no other.
        ("Who shoved Bram off the roof?", "Pella pushes Bram off the roof.", "", True),
        ("Who shoved Bram off the roof?", "Pella pulls Bram off the roof.", "", False),
        ("Where did Bram stash the ledger?", "Bram hides the ledger under the mill.", "", True),
        ("What did I pledge to Bram?", "I promise Bram that I will be back.", "", True),
        ("What did I pledge to Bram?", "I tell Bram about the mill.", "", False),
        ("When did Bram lose his eye?", "Bram lost his way: he is blind with snow.", "", False),
        # A part of a name that is nobody else's, but not the name of a relative.
        ("Who shot Tolliver Ames?", "Bram fires his pistol and shoots Ames.", "", True),
        ("Who shot Tolliver Ames?", "Bram fires his pistol and shoots Sal Ames.", "", False),
        # What shoots is no shot; its use is.
        ("Who shot at Bram?", "Pella fires her pistol at Bram.", "", True),
        ("Who shot at Bram?", "Pella hits Bram with an arrow.", "", True),
        ("Who shot at Bram?", "Pella has two pistols, and Bram knows it.", "", False),
        ("Who shot at Bram?", "Pella hands Bram a two-shot pistol.", "", False),
        ("Who locked the door of the mill?", "Pella bolts the door of the mill.", "", True),
        # Whose it is.
        ("Where is Bram's grave?", "Bram looks away. Pella's grave lies under the elm.", "", False),
        ("Where is Bram's grave?", "Bram looks away. His grave lies under the elm.", "", True),
        ("Where did I leave my brother?", "Bram says that his brother has left him in the inn.", "", False),
        # To speak is to be quoted, or to be said to speak; and promised is what is called so.
        ("What did Bram say at the mill?", "Bram sits at the mill and eats.", "", False),
        ("What did Bram say at the mill?", "Bram sits at the mill: “They have burned it.”", "", True),
        ("What did Bram promise Pella?", "Bram shows Pella his coat.", "", False),
        # A number of what is asked, a colour, a side.
        ("How old is Pella?", "One of the drivers holds old Pella up.", "", False),
        ("How old is Pella?", "Pella hides in the scullery; she's seven.", "", True),
        ("What colour is Bram's banner?", "Bram's banner is torn.", "", False),
        ("Which hand did Bram lose?", "Bram lost his left hand to the mill.", "", True),
        # Whom the line before names, where a pronoun is left for them.
        ("Who did Pella marry?", "She marries the smith.", "Pella comes home.", True),
        ("Who did Pella marry?", "Bram marries the smith.", "Pella comes home.", False),
    ],
)
def test_turn_answers_what_is_asked_in_its_own_and_other_words(
    question: str, text: str, before: str, is_so: bool
) -> None:
    assert is_answered(question, text, before=before) is is_so


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What became of the mule?", {"mule"}),
        ("Which way did the rider flee?", {"flee", "rider"}),
        ("How many times did the bell ring?", {"bel", "ring"}),
        ("What does the whistle mean?", {"whistl"}),
        ("How much was the clerk paid at first?", {"clerk", "paid"}),
        ("Since when have I had a broken arm?", {"arm", "broken"}),
        ("Where did the clerk hide all that time?", {"clerk", "hide"}),
        ("Where was the clerk at the time?", {"clerk"}),
        ("What time did the bell ring?", {"bel", "ring", "time"}),
    ],
)
def test_question_is_carried_by_none_of_the_words_that_only_ask(question: str, words: set[str]) -> None:
    assert ask(question).content_words == words


def test_spending_years_somewhere_is_having_years_there() -> None:
    assert is_answered(
        "How many years did Bram spend in the mines?", "Five years in the mines made Bram deaf."
    )
    assert is_answered("How many mares did Bram save?", "Bram saved both mares.")


def test_what_came_of_a_deed_is_read_together_with_it() -> None:
    deed, outcome = "I pick the lock of the tin box.", "Inside lie six silver rings and a letter."
    question = ask("How many rings were in the tin box?")
    assert match_turn(question, outcome, "", (deed,), continued_text=deed).is_answer
    assert not match_turn(question, outcome, "", (deed,)).is_answer  # two tellings in a row: another matter
    deed = "I look for the oak chest."
    assert not match_turn(question, outcome, "", (deed,), continued_text=deed).is_answer


def test_what_the_player_did_is_nobody_elses_deed() -> None:
    deed, outcome = "I buy two waterskins.", "Bram hands you a compass as well."
    assert not match_turn(ask("Who bought my compass?"), outcome, "", (deed,), continued_text=deed).is_answer
    question = "I ask who bought the compass."
    answer = "“The smith,” says Bram."
    assert match_turn(
        ask("Who bought the compass?"), answer, "", (question,), continued_text=question
    ).is_answer


def test_sum_of_money_is_what_something_costs() -> None:
    assert is_answered("How much does a crossing cost now?", "Three pennies a crossing from now on.")
    assert is_answered("What does a loaf cost?", "The bakers celebrate: a loaf is a penny.")
    assert not is_answered("What does a loaf cost?", "The baker counts his pennies beside the loaf.")


def test_whom_it_is_about_may_be_said_four_sentences_before_and_no_more() -> None:
    told = "Bram comes in. It rains hard. The fire is low. {}Nobody speaks. He has hidden the ledger in the chimney."
    assert is_answered("Where did Bram hide the ledger?", told.format(""))
    assert not is_answered("Where did Bram hide the ledger?", told.format("The cat yawns. The dog barks. "))


def test_pronoun_means_who_was_named_last() -> None:
    quoted = "“Somebody threw a lamp,” he says."
    assert is_answered("What did Bram say?", quoted, before="Bram stands before the ashes.")
    assert not is_answered("What did Bram say?", quoted, before="Bram stands before Dob.")


def test_thing_that_somebody_owns_is_no_deed() -> None:
    for question in ("Where does Bram's house stand?", "What is Bram's work?", "Who has Bram's old post?"):
        assert find_asked_deed(ask(question)) is None


def test_question_has_its_days_apart_from_its_words() -> None:
    question = ask("What did Pella buy on 24 February?")
    assert question.content_words == frozenset({"buy"})
    assert [(date.month, date.day) for date in question.dates] == [(2, 24)]
    assert ask("What may Pella buy?").dates == ()


def test_rare_words_weigh_more_than_those_that_every_text_has() -> None:
    question = ask("Who sold the glass caravan?")
    rarity = measure_rarity(question, ["The caravan rests.", "The caravan goes on.", "Somebody sold glass."])
    common = measure_shares(question, rarity, "The caravan rests.", "").own
    rare = measure_shares(question, rarity, "Somebody sold glass.", "").own
    assert common < 0.34 < 0.66 < rare


@pytest.mark.parametrize(
    ("question", "statement", "is_so"),
    [
        ("Who poisoned the well?", "Bram is dead, and the well is poisoned.", False),
        ("Who has poisoned the well?", "The well has long been poisoned, and Bram is dead.", False),
        ("Who sold the Long House?", "Bram is angry because the Long House was quietly sold.", False),
        ("Who poisoned the well?", "The well was poisoned by Pella.", True),
        ("Who poisoned the well?", "Pella poisoned the well.", True),
        ("Who poisoned the well?", "The well was poisoned, and Pella poisoned it.", True),
        ("Who was poisoned at the well?", "Bram was poisoned at the well.", True),
        ("When was the well poisoned?", "The well was poisoned at dawn.", True),
        ("Is the well poisoned?", "The well is poisoned.", True),
    ],
)
def test_statement_that_names_no_doer_does_not_say_who_did_it(
    question: str, statement: str, is_so: bool
) -> None:
    assert match_statement(ask(question), statement).is_match is is_so


@pytest.mark.parametrize(
    ("question", "text", "is_so"),
    [
        ("What kind of ship is the Petrel?", "The Petrel is a cutter with patched sails.", True),
        ("what sort of animal is Mossy?", "Mossy is Pella's goat.", True),
        ("What kind of animal is Mossy?", "A goat called Mossy blocks the path.", True),
        ("What kind of animal is Mossy?", "I lead Mossy down to the ford.", False),
        ("What kind of ship is the Petrel?", "The Petrel is late again.", False),
        ("What kind of knife was Bram killed with?", "Bram is a miller.", False),
    ],
)
def test_kind_of_something_is_what_it_is_said_to_be(question: str, text: str, *, is_so: bool) -> None:
    assert is_answered(question, text) is is_so


@pytest.mark.parametrize(
    ("question", "text", "is_so"),
    [
        ("How old is Bram?", "Bram picks the right goat out of forty.", False),
        ("How old is Bram?", "Bram is a man of forty.", True),
        ("How tall is Pella?", "Pella shrugs. There is one thing more: his left hand was blue.", False),
        ("How tall is Pella?", "Pella stands six feet in her socks.", True),
        ("How high is Bram's horse?", "Bram's horse stands fifteen hands.", True),
        ("What is the smith called?", "The smith calls out for Harrow.", False),
        ("What is the smith called?", "The smith is called Harrow.", True),
    ],
)
def test_measure_or_name_is_not_read_from_words_that_only_look_like_it(
    question: str, text: str, *, is_so: bool
) -> None:
    assert is_answered(question, text) is is_so


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("Bram lost his knife at cards, in the first week of winter.", False),
        ("Bram will not say. The key is in the wall.", False),
        ("Bram's house is in Mill Lane.", True),
        ("Bram lives in the old mill.", True),
        ("Bram lodges at the tannery.", True),
    ],
)
def test_where_somebody_lives_is_not_where_anything_of_theirs_was(text: str, *, is_so: bool) -> None:
    assert is_answered("Where does Bram live?", text) is is_so


@pytest.mark.parametrize(
    ("question", "text", "is_so"),
    [
        ("Where did Bram lose his eye?", "Bram shouts like a man who has lost his umbrella.", True),
        ("Who painted the sign of the Long House?", "Bram paints boats for the Long House.", True),
        ("Where did Bram lose his eye?", "Bram lost an eye at the quarry.", False),
        ("Where did Bram lose the ring?", "Bram lost it at the quarry.", False),
        ("When did Bram leave the valley?", "Bram was gone before the valley flooded.", False),
        ("Where did Bram sleep at midwinter?", "Bram slept in the mill.", False),
        ("What did Bram say about the well?", "Bram says that it is dry.", False),
    ],
)
def test_deed_done_to_something_else_is_not_what_is_asked(question: str, text: str, *, is_so: bool) -> None:
    assert tells_deed_to_something_else(ask(question), text) is is_so


@pytest.mark.parametrize(
    ("question", "text", "is_so"),
    [
        ("Who told Pella about the tide?", "Bram tells Pella about the tide.", True),
        ("Who told Pella about the tide?", '"The tide turns at noon," Bram says to Pella.', True),
        ("Who told Pella about the tide?", 'Pella watches the tide. "You are late," says Bram.', False),
        ("Who told Pella about the tide?", "Bram tells Dame Astrid about the tide. Pella nods.", False),
        ("Who told Pella about the tide?", "Bram tells Pella about the lamp. The tide turns.", False),
        ("Who told Pella about the tide?", "Bram never told Pella about the tide.", False),
        ("Who told me about the tide?", "Bram whispers to you that the tide turns at noon.", True),
        ("Who told me about the tide?", '"The tide turns at noon," says Bram.', True),
        ("Who told me about the tide?", "Bram tells Pella that the tide turns at noon.", False),
        ("Which of the monks did I tell about Pella?", "Pella has you swear not to tell the monks.", False),
    ],
)
def test_turn_answers_who_told_somebody_of_something_only_if_it_was_said_to_them(
    question: str, text: str, is_so: bool
) -> None:
    assert is_answered(question, text) is is_so


def test_statement_of_something_else_that_was_said_does_not_say_who_told_of_the_matter() -> None:
    asked = ask("Who told Bram about the password?")
    assert not match_statement(asked, "Pella confesses that she lit the lamp for Bram.").is_match
    assert match_statement(asked, "Pella tells Bram the password.").is_match


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("Pella lost her brother; his ship was the Amity.", True),
        ("Pella sailed in a ship. Her brother was Joren.", False),
    ],
)
def test_turn_answers_what_something_is_called_with_what_it_was(text: str, is_so: bool) -> None:
    assert is_answered("What was the name of Pella's ship?", text) is is_so


@pytest.mark.parametrize(
    ("question", "text", "is_so"),
    [
        (
            "What does Pella look like?",
            "Pella is a head taller than you, with a burn across her throat.",
            True,
        ),
        ("What does Pella look like?", "Pella has grey eyes.", True),
        ("What does Pella look like?", "Pella closes her eyes and turns to face you.", False),
        ("What does Pella look like?", "Pella looks at the map and likes it.", False),
        ("Who moves the buoys?", "Bram shifts the buoys.", True),
        ("Who moves the buoys?", "Bram paints the buoys.", False),
        ("What did Pella hand me?", "Pella gives me the key.", True),
        ("What did Pella hand me?", "Bram gives me the key. Pella nods.", False),
    ],
)
def test_turn_answers_in_other_words_and_how_somebody_looks(question: str, text: str, is_so: bool) -> None:
    assert is_answered(question, text) is is_so


@pytest.mark.parametrize(
    ("question", "text", "is_so"),
    [
        ("Where did we bury Pella?", "We bury Bram under the willow.", False),
        ("Where did we bury Pella?", "Bram is buried on Thursday beside Pella's house.", False),
        ("Where did we bury Pella?", "Pella watches. Bram buries his brother under the willow.", False),
        ("Where did we bury Pella?", "We bury Pella under the willow.", True),
        ("Where did we bury Pella?", "Pella is dead. We bury her under the willow.", True),
        ("Who ate Pella's soup?", "Bram eats the soup that Pella made.", True),
        ("Where did I put the Long House key?", "I take the Long House key and put it in my boot.", True),
        (
            "When did I become reeve of the Long House?",
            "Bram becomes reeve of the Long House at noon.",
            False,
        ),
        ("When did I become reeve of the Long House?", "You become reeve of the Long House at noon.", True),
        ("When did Bram marry Pella?", "Bram says that he wants to marry Pella at New Year.", False),
        ("When did Bram marry Pella?", "Bram asks if he may marry Pella in spring.", False),
        ("When did Bram marry Pella?", "Bram marries Pella at New Year.", True),
        ("When will Bram marry Pella?", "Bram will marry Pella at New Year.", True),
        ("Where is Bram hiding?", "Bram hides in the mill.", True),
    ],
)
def test_turn_answers_with_what_was_done_by_and_to_whom_is_asked(
    question: str, text: str, is_so: bool
) -> None:
    assert is_answered(question, text) is is_so


@pytest.mark.parametrize(
    ("question", "text", "is_so"),
    [
        (
            "How old is Bishop?",
            "The stable boy is called Pella. She is about twelve, and Bishop bit her.",
            False,
        ),
        ("How old is Bishop?", "Bishop is about twelve, and bit Pella.", True),
        ("What is Dame Astrid's first name?", "Dame Astrid calls for Bram first.", False),
        ("What is the smith's first name?", "The smith is called Harrow.", True),
        ("How much did Bram's sword cost?", "The sword is for Bram, who turns twenty.", False),
        ("How much did Bram's sword cost?", "Bram's sword cost him twenty crowns.", True),
        ("How many weeks was Bram away?", "Bram was away fourteen days.", True),
        ("Where does Bram come from?", "Bram must leave and never come back.", False),
        ("Where does Bram come from?", '"Bram? He came from Whitford eight years ago."', True),
        ("Where is Bram from?", "Bram was born in Whitford.", True),
    ],
)
def test_age_name_price_and_origin_are_those_of_whom_is_asked(question: str, text: str, is_so: bool) -> None:
    assert is_answered(question, text) is is_so
