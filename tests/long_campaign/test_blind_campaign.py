"""Tests what the program makes of a campaign by somebody who had not seen it (`data/README.md`).

`AIM` is what its author expects, `REACHED` what holds today: what mends one of these figures raises its bound.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.long_campaign.blind import (
    CAUGHT,
    CLAIM_ALARMS,
    CLAIMS_READ,
    CLOSED,
    DECISIONS,
    FAILED,
    FALSE_ALARMS,
    LIFTED,
    OPEN_PROMISES,
    OTHER_CLAIMS,
    PROBES_FALSE,
    PROBES_TRUE,
    PROMISES_MADE,
    STILL_OPEN,
    WRONG_DECISIONS,
    WRONG_OFFERS,
    WRONG_PROMISES,
    measure_blind_campaign,
)

AIM = {
    CAUGHT: 40,
    CLAIMS_READ: 41,
    PROMISES_MADE: 12,
    OPEN_PROMISES: 3,
    CLOSED: 9,
    DECISIONS: 8,
    LIFTED: 2,
    PROBES_TRUE: 10,
    PROBES_FALSE: 10,
}
REACHED = {
    CAUGHT: 26,
    CLAIMS_READ: 33,
    PROMISES_MADE: 12,
    OPEN_PROMISES: 3,
    CLOSED: 9,
    DECISIONS: 8,
    LIFTED: 2,
    PROBES_TRUE: 5,
    PROBES_FALSE: 1,
}
AT_MOST = {
    OTHER_CLAIMS: 1,  # where the Blue Ledger is put down for a moment
    FALSE_ALARMS: 0,
    CLAIM_ALARMS: 0,
    WRONG_PROMISES: 0,
    WRONG_DECISIONS: 0,
    WRONG_OFFERS: 0,
    STILL_OPEN: 0,
    FAILED: 0,
}


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_blind_campaign_catches_keeps_and_knows_as_much_as_before(tmp_path: Path) -> None:
    measures = await measure_blind_campaign(tmp_path)
    print(f"\n{measures.table(with_examples=True)}")
    values = {name: count.value for name, count in measures.counts.items()}
    assert set(values) == {*AIM, *AT_MOST}
    assert {name: values[name] for name in AIM if values[name] < REACHED[name]} == {}
    assert {name: values[name] for name in AT_MOST if values[name] > AT_MOST[name]} == {}
    assert {name: REACHED[name] for name in AIM if REACHED[name] > AIM[name]} == {}
