"""Lists the words that stand before names and say what somebody is: `Captain`, `Sister`. Pure."""

from __future__ import annotations

from typing import Final

from agents.prose.names import HONORIFICS

_HE_TITLE_WORDS: Final = (
    "mr sir lord master father brother king prince duke baron count earl uncle abbot papa pa grandpa squire"
)
_SHE_TITLE_WORDS: Final = (
    "mrs ms miss dame lady madam mistress mother sister queen princess duchess baroness countess aunt abbess "
    "goodwife mama ma granny nan widow"
)
_TITLE_WORDS: Final = (
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
TITLES: Final = HONORIFICS | HE_TITLES | SHE_TITLES | frozenset(_TITLE_WORDS.split())
"""Words before a name that say what somebody is: `the sexton` is Sexton Mull."""
