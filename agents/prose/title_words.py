"""Lists the words of kin, rank and trade that stand before names as titles: `Sister`, `Sheriff`. Pure."""

from __future__ import annotations

from typing import Final

_HE_TITLE_WORDS: Final = (
    "mr sir lord master father brother king prince duke baron count earl uncle abbot papa pa grandpa squire"
)
_SHE_TITLE_WORDS: Final = (
    "mrs ms miss dame lady madam mistress mother sister queen princess duchess baroness countess aunt abbess "
    "goodwife mama ma granny nan widow"
)
_OFFICE_TITLE_WORDS: Final = (
    "navigator inspector foreman constable bailiff sexton apprentice huntsman dealer boss pilgrim poacher "
    "headmaster mechanic corporal private commander commissioner deputy sheriff marshal detective officer nurse "
    "surgeon pilot engineer steward butler cook priest deacon prior vicar canon friar monk nun chaplain provost "
    "mayor governor senator ambassador consul jarl thane chief elder shaman druid witch wizard mage warlock "
    "knight squire page herald bard smith miller baker butcher porter usher clerk coroner advocate attorney "
    "agent sailor bosun mate helmsman ferryman fisherman hunter ranger scout guard sentry gaoler jailer driver "
    "coachman groom maid governess tutor teacher student scholar librarian comrade citizen marquis marquise "
    "viscount shepherd cardinal pastor rabbi imam sultan emir khan quartermaster keeper trader merchant thief "
    "innkeeper barkeep bartender healer hermit rider prisoner soldier stranger beggar singer dancer fiddler "
    "counsel prefect magistrate cellarer gardener astronomer caretaker warden skipper medic technician"
)
HE_TITLES: Final = frozenset(_HE_TITLE_WORDS.split())
SHE_TITLES: Final = frozenset(_SHE_TITLE_WORDS.split())
OFFICE_TITLES: Final = frozenset(_OFFICE_TITLE_WORDS.split())
"""Ranks and trades: `the sexton` is Sexton Mull."""
