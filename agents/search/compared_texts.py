"""Puts what a text says in the words of a question: names for roles, `kills` for what kills, `get` for gifts. Pure."""

from __future__ import annotations

from agents.search.death_questions import asks_about_death, find_asked_deaths, find_asked_killers
from agents.search.question import RecordQuestion
from agents.search.spoken_roles import name_spoken_roles
from agents.search.told_killings import find_who_may_be_killed, say_killing_plainly
from agents.search.told_receipts import say_receipt_plainly


def phrase_as_asked(question: RecordQuestion, text: str) -> str:
    """Return a text as it is compared with a question: `Lisbet kills Aldwin` for `Lisbet cuts the reeve's throat`."""
    text = name_spoken_roles(text, question.names_by_role)
    if asks_about_death(question):
        text = say_killing_plainly(text, [name.normalized_words for name in find_asked_deaths(question)])
    elif killers := find_asked_killers(question):
        killer_words = frozenset(word for name in killers for word in name.normalized_words)
        text = say_killing_plainly(text, find_who_may_be_killed(text, killer_words))
    return say_receipt_plainly(question, text)
