"""Which texts tell that somebody is not where they were any more."""

from __future__ import annotations

import pytest

from agents.search.told_departures import tells_departure

CORM = frozenset({"corm"})


@pytest.mark.parametrize(
    "text",
    [
        "The next morning Corm is gone.",
        "Corm leaves.",
        "Corm has left the cellar.",
        "Corm rides off.",
        "Corm slips out of the back door.",
        "Corm goes to Ashby.",
        "Corm nods. He leaves.",
        "Corm Harl flees into the woods.",
        "Corm is nowhere to be found.",
        "Corm is no longer in the cellar.",
        "Corm has vanished.",
        "There is no sign of Corm.",
        "Corm's bed is empty.",
        "I see that Corm has gone to the mill.",
    ],
)
def test_text_tells_that_somebody_left(text: str) -> None:
    assert tells_departure(CORM, text)


@pytest.mark.parametrize(
    "text",
    [
        "Corm is in the cellar.",
        "Corm has gone grey with hunger.",
        "Corm walks to the window.",
        "Corm leaves the door open.",
        "Corm leaves the ring with Lisbet.",
        "Corm stays as Lisbet leaves.",
        "Lisbet leaves Corm.",
        "Corm's dog is gone.",
        "Corm will leave.",
        "Corm wants to leave.",
        "Corm almost leaves.",
        "Corm does not leave.",
        "Corm is not gone.",
        "Is Corm gone?",
        "If Corm leaves, I follow.",
        "I wait until Corm is gone.",
        "Lisbet fears that Corm is gone.",
    ],
)
def test_text_tells_no_departure(text: str) -> None:
    assert not tells_departure(CORM, text)
