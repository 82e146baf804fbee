"""Knows what somebody is by their trade or station, as prose calls them: `the stationmaster`, `the weaver`. Pure."""

from __future__ import annotations

import re
from typing import Final

_TRADE_WORDS: Final = (
    "accountant acolyte acrobat actor actress alchemist apothecary archer armorer armourer assassin astrologer "
    "attendant banker barber barmaid bellboy bouncer bowyer brewer brigand burglar cabbie carpenter carter chandler "
    "chauffeur chef cobbler collier concierge conductor cooper courier cowboy cultist curate dairymaid dentist doctor "
    "doorman drover drummer dyer editor enchanter executioner farmer farrier fletcher fuller gambler glazier "
    "gravedigger hawker herbalist highwayman jailor janitor jester jeweller joiner journalist juggler lamplighter "
    "laundress lawyer lieutenant lumberjack mason mercenary messenger midwife milkmaid miner minstrel moneylender "
    "muleteer musician necromancer notary novice operator ostler outlaw painter pawnbroker peasant pedlar peddler "
    "photographer physician pickpocket piper pirate planter ploughboy poet porter potter priestess prophet prospector "
    "receptionist reporter roofer sawyer scribe sculptor seamstress secretary seer sentinel sergeant smuggler sorcerer "
    "sorceress spy stableboy stablehand stevedore stoker surveyor tailor tanner tapster telegrapher telegraphist "
    "thatcher tinker tracker trapper treasurer undertaker vendor vintner waiter waitress weaver woodcutter"
)
_TRADES: Final = frozenset(_TRADE_WORDS.split())
_ENDS_AS_TRADE: Final = re.compile(
    r"[a-z]{3,}(?:smith|master|mistress|keeper|monger|wright|maker|herd|woman|wife|man)"
)
_NO_TRADE_WORDS: Final = (
    "ataman caiman everyman german human norman ottoman pacemaker roman shaman snowman strawman superhuman talisman "
    "woman"
)
_NO_TRADES: Final = frozenset(_NO_TRADE_WORDS.split())
"""What ends as a trade does, and is none, or is known as a title."""


def is_trade(word: str) -> bool:
    """Say whether a word in small letters is what somebody does for a living: `blacksmith`, `tanner`."""
    return word in _TRADES or (word not in _NO_TRADES and _ENDS_AS_TRADE.fullmatch(word) is not None)
