"""Reads what somebody borrows as the debt that it is: `Corm borrows four shillings from me`. Pure."""

from __future__ import annotations

import re
from typing import Final

from agents.declarations.amounts import is_amount
from agents.prose.words import SHORT_TITLE_PATTERN

_NAME_WORD: Final = r"[^\W\d_a-z][\w'’-]*"
_NAME: Final = rf"{SHORT_TITLE_PATTERN}{_NAME_WORD}(?: (?:of |the |de |von |van )?{_NAME_WORD}){{0,3}}"
_AMOUNT: Final = r"(?P<amount>[\w-]+(?: [\w-]+){0,3}?)"
_END: Final = r"(?: (?:for|to|until|till|against|so) [a-z].*)?"
_LOANS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?P<debtor>{_NAME}) (?:borrows?|borrowed) {_AMOUNT} (?:from|off) (?P<lender>me|you|{_NAME}){_END}",
        rf"(?P<lender>{_NAME}) (?:lends?|lent|loans?|loaned) (?P<debtor>me|you|{_NAME}) {_AMOUNT}{_END}",
        rf"(?P<lender>{_NAME}) (?:lends?|lent|loans?|loaned) {_AMOUNT} to (?P<debtor>me|you|{_NAME}){_END}",
    )
)
"""`I` and `You` are such names, too."""
_SUBJECTS: Final = {"me": "I", "you": "You"}
_OBJECTS: Final = {"I": "me", "You": "you"}


def state_debt(sentence: str) -> str:
    """Return who owes a sum by a sentence that says who lent it; any other sentence as it is."""
    for pattern in _LOANS:
        match = pattern.fullmatch(sentence)
        if match and is_amount(match["amount"]):
            debtor = _SUBJECTS.get(match["debtor"], match["debtor"])
            lender = _OBJECTS.get(match["lender"], match["lender"])
            return f"{debtor} {'owe' if debtor in _OBJECTS else 'owes'} {lender} {match['amount']}"
    return sentence
