"""Tests which words say that a promise is kept or broken or a decision dropped, and which one they mean."""

from __future__ import annotations

import pytest

from agents.prose.settled_words import (
    breaks_promise,
    drops_decision,
    find_best_match,
    find_settled,
    goes_against,
    keeps_promise,
)

PROMISES = (
    "Mara promised Iselin: “To bring the glass bell back before winter.”",
    "Mara promised Tam: “I will mend his boat.”",
    "Mara promised Iselin: “To speak for her brother.”",
)


@pytest.mark.parametrize(
    "sentence",
    [
        "I give Iselin her bell back, as I promised.",
        "As I swore to Tam, the boat floats.",
        "I have kept my promise to Tam.",
        "Wenna keeps her word and brings the net.",
        "Harl pays in silver, as he had promised.",
    ],
)
def test_words_that_keep_a_promise_say_so(sentence: str) -> None:
    assert keeps_promise([sentence])
    assert not breaks_promise([sentence])


@pytest.mark.parametrize(
    "sentence",
    [
        "I will bring it back as I promised.",
        "If I keep my promise, she will sing.",
        "I have not kept my promise.",
        "Have I kept my promise?",
        "It is as cold as they promised it never would be.",
        "I promise to come.",
    ],
)
def test_words_that_keep_nothing_yet_do_not_say_so(sentence: str) -> None:
    assert not keeps_promise([sentence])


def test_words_that_break_a_promise_say_so() -> None:
    assert breaks_promise(["Harl has broken his word."])
    assert breaks_promise(["I promised Tam a boat, and I have failed him."])
    assert not breaks_promise(["I will not break my word."])
    assert not breaks_promise(["The cup is broken."])


def test_words_that_drop_a_decision_say_so() -> None:
    assert drops_decision(["I take back what I decided about the pier."])
    assert drops_decision(["I drop my rule about wine."])
    assert not drops_decision(["I drop the cup."])
    assert not drops_decision(["I will never drop my rule about wine."])


def test_best_match_is_the_one_that_shares_the_most_words() -> None:
    assert find_best_match("I give Iselin her glass bell back, as I promised.", PROMISES) == 0
    assert find_best_match("The boat is mended, as I promised Tam.", PROMISES) == 1
    assert find_best_match("I do it, as I promised Iselin.", PROMISES) is None
    assert find_best_match("I do it, as I promised.", PROMISES) is None
    assert find_best_match("I do it, as I promised.", ()) is None


@pytest.mark.parametrize(
    ("sentence", "decision", "is_against"),
    [
        ("I kill Lady Maude.", "We never kill.", True),
        ("We then kill the guard and run.", "We never kill", True),
        ("I lie to Bela about the bell.", "I will never again lie to Bela.", True),
        ("I swear I killed nobody.", "We never kill.", False),
        ("I do not kill him.", "We never kill.", False),
        ("If I kill him, the bell is lost.", "We never kill.", False),
        ("I kill the lamp.", "We never kill a child.", False),
        ("Do I kill him?", "We never kill.", False),
        ("I look at the killer.", "We never kill.", False),
        ("I eat the bread.", "We ring the bell each night.", False),
    ],
)
def test_sentence_goes_against_a_decision_only_where_it_does_what_is_never_done(
    sentence: str, decision: str, is_against: bool
) -> None:
    assert goes_against(sentence, decision) is is_against


COMMITMENTS = (
    "Mara promised Dob to bring the ring back.",
    "Greta owes Dob ten silver.",
    "Mara promised Greta to mend the roof.",
    "Mara owes Wick a horse.",
)


@pytest.mark.parametrize(
    ("sentence", "index"),
    [
        ("Greta pays Dob the ten silver.", 1),
        ("Greta paid Dob his ten silver.", 1),
        ("I return the ring to Dob.", 0),
        ("I give Dob his ring.", 0),
        ("I bring Dob the ring back.", 0),
        ("Greta pays Dob a visit.", None),
        ("I pay Dob for the ale.", None),
        ("Greta will pay Dob the ten silver.", None),
        ("Greta does not pay Dob the ten silver.", None),
        ("If Greta pays Dob the ten silver, all is well.", None),
        ("Greta promises to pay Dob the ten silver.", None),
        ("I plan to return the ring to Dob.", None),
        ("I almost give Dob his ring.", None),
        ("I give Dob a coin.", None),
        ("Dob is paid his ten silver by Greta.", 1),
        ("Dob waits, and Greta pays him the ten silver.", 1),
        ("When Dob asks, I give him the ring.", 0),
        ("Dob hands me the ring.", None),
        ("Old Dob laughs and quickly gives you the ring.", None),
        ("Dob pays Greta ten silver.", None),
    ],
)
def test_payment_or_return_settles_what_was_owed_or_promised(sentence: str, index: int | None) -> None:
    assert find_settled([sentence], COMMITMENTS) == index


DEBTS = (
    "Mara owes Hask four coins for the broken lamp.",
    "Dace owes Mara nine coins for the last three parcels.",
)


@pytest.mark.parametrize(
    ("sentence", "index"),
    [
        ("Mara pays Hask four coins.", 0),
        ("Mara gives Hask the four coins I owe him.", 0),
        ("Mara hands Hask his four coins.", 0),
        ("Dace gives Mara the nine coins she owes her.", 1),
        ("Dace paid Mara nine coins.", 1),
        ("Dace pays Hask nine coins.", None),
        ("Mara pays Pip four coins.", None),
        ("Mara hands Hask the lamp.", None),
        ("Mara wants to give Hask his four coins.", None),
    ],
)
def test_debt_is_settled_by_who_owes_it_to_whom_it_is_owed(sentence: str, index: int | None) -> None:
    assert find_settled([sentence], DEBTS) == index


@pytest.mark.parametrize(
    ("sentence", "index"),
    [
        ("I forgive Nab his debt.", 0),
        ("Mara forgives Nab the two shillings.", 0),
        ("Corm forgives me the six crowns.", 1),
        ("Corm waives my debt.", 1),
        ("I forgive Nab.", None),
        ("I do not forgive Nab his debt.", None),
        ("Nab forgives me the two shillings.", None),
    ],
)
def test_debt_is_forgiven_by_who_is_owed_it(sentence: str, index: int | None) -> None:
    debts = ["Nab owes Mara two shillings.", "Mara owes Corm six crowns."]
    assert find_settled([sentence], debts) == index


@pytest.mark.parametrize(
    ("sentence", "index"),
    [
        ("Pike pays me back in full.", 0),
        ("Pike pays his debt to me.", 0),
        ("I pay Dob back.", 1),
        ("I pay my debt to Dob.", 1),
        ("Dob pays me back.", None),
        ("I pay Pike back in full.", None),
        ("Pike pays Dob back in full.", None),
        ("Pike pays me back for the insult.", None),
        ("Pike will pay me back in full.", None),
        ("Pike pays me a visit.", None),
        ("Pike pays me.", None),
    ],
)
def test_promise_to_pay_is_settled_by_who_made_it_to_whom(sentence: str, index: int | None) -> None:
    promises = [
        "Old Pike promised to pay Mara back when his ship comes in.",
        "Mara promised Dob to pay him back.",
    ]
    assert find_settled([sentence], promises, "Mara") == index


@pytest.mark.parametrize(
    ("sentence", "index"),
    [
        ("Pike pays me back in full.", 0),
        ("Pike repays me.", 0),
        ("Pike pays Dob back.", 1),
        ("I pay Pike back.", None),
        ("I repay Pike.", None),
    ],
)
def test_debt_to_the_hero_is_settled_by_who_owes_it(sentence: str, index: int | None) -> None:
    debts = ["Pike owes Mara six crowns.", "Pike owes Dob two crowns."]
    assert find_settled([sentence], debts, "Mara") == index
