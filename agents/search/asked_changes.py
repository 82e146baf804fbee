"""Says whether a text tells how somebody got or lost something, what ails them, or how they became what they are. Pure.

That somebody has a scar does not say how they got it.
"""

from __future__ import annotations

import re
from typing import Final

_ASKS_WRONG: Final = re.compile(
    r"^(?:and |but |so )?what(?:['’]s| is| was) (?:wrong|the matter) with\b", re.IGNORECASE
)
_HARM: Final = re.compile(
    r"\b(?:deaf|blind|mute|lame|limp(?:s|ed|ing)?|broken?|breaks|missing|los[te]|loses|burn(?:s|t|ed)?|bandaged?|splints?"
    r"|scar(?:s|red)?|wound(?:s|ed)?|hurt(?:s|ing)?|cuts?|bruised?|swollen|swells|bleeds?|bleeding|bled|sprained|twisted"
    r"|crooked|stiff|pains?|aches?|fever|cough(?:s|ed|ing)?|sick|ill|infected|rots?|rotten|crack(?:s|ed)?|torn|bent"
    r"|rust(?:s|y|ed)?|stuck|jammed|leak(?:s|y|ed|ing)?|withered|crippled|paraly[sz]ed|numb|gout|poisoned|cursed|worn"
    r"|without|gone|cannot|can['’]t|no longer|only|too)\b",
    re.IGNORECASE,
)
_ASKS_HOW_LOST: Final = re.compile(
    r"^(?:and |but |so )?how (?:did|has|have|had) .+ (?:lose|lost)\b", re.IGNORECASE
)
_LOSES: Final = re.compile(
    r"\b(?:los(?:t|es?|ing)|took|taken|cut|bit(?:es|ten)?|t[eo]re|tears|torn|broke|breaks|fell|falls|shot|shoots|burnt"
    r"|burn(?:s|ed)|crush(?:es|ed)|fr[eo]ze|frozen|chop(?:s|ped)|sever(?:s|ed)|rip(?:s|ped)|hit|stole|stolen|steals"
    r"|drop(?:s|ped)?|sells?|sold|gives?|gave|given|throws?|threw|robbed|s[aiu]nks?|drowned|gambled?|pa(?:y|id|ys)"
    r"|seize[sd]?|pawn(?:s|ed)|mislaid|slips?|slipped)\b",
    re.IGNORECASE,
)
_ASKS_HOW_GOT: Final = re.compile(
    r"^(?:and |but |so )?how (?:did|has|have|had) .+ (?:get|got|gotten|come by|obtain) "
    r"(?:(?:the|an?|my|our|your|his|her|their|its|that|this|those|these|so many)|[^\W_]+['’]s?) ",
    re.IGNORECASE,
)
_GETS: Final = re.compile(
    r"\b(?:gets?|got|gotten|gives?|gave|given|giving|hand(?:s|ed)|buys?|bought|wins?|won|earn(?:s|ed)?|finds?|found|took"
    r"|taken|stole|stolen|steals|inherit(?:s|ed)?|receiv(?:es?|ed)|brings?|brought|made|makes|cuts?|hits?|bit(?:es|ten)?"
    r"|burn(?:s|t|ed)?|str[iu]ck|strikes|slash(?:es|ed)|f[ae]lls?|fought|fights?|duel|because|sells?|sold|lends?|lent"
    r"|borrow(?:s|ed)|pa(?:ys|id)|offer(?:s|ed)|lets?|throws?|threw|leaves?|left|pull(?:s|ed)|catch(?:es)?|caught"
    r"|kick(?:s|ed))\b",
    re.IGNORECASE,
)
_ASKS_OF_BECOMING: Final = re.compile(
    r"^(?:and |but |so )?(?:how|when) (?:did|has|have|had) .+ become\b", re.IGNORECASE
)
_BECOMES: Final = re.compile(
    r"\b(?:bec(?:omes?|ame|oming)|makes?|made|elect(?:s|ed)|votes?|voted|names|named|appoint(?:s|ed)|chooses?|chose|chosen"
    r"|promot(?:es|ed)|crown(?:s|ed)|new|now|succeed(?:s|ed)|takes? over|took over|inherit(?:s|ed)?|from now on"
    r"|turn(?:s|ed)|gr[eo]ws?|raised)\b",
    re.IGNORECASE,
)
_ASKS_WHY_CALLED: Final = re.compile(
    r"^(?:and |but |so )?(?:why|what|how) (?:do|does|did) (?:people|folks?|everybody|everyone|they) call\b",
    re.IGNORECASE,
)
_CALLS: Final = re.compile(r"\b(?:call(?:s|ed)?|nicknamed?|known as|names|named)\b", re.IGNORECASE)
_CHANGES: Final = (
    (_ASKS_WHY_CALLED, _CALLS),
    (_ASKS_WRONG, _HARM),
    (_ASKS_HOW_LOST, _LOSES),
    (_ASKS_HOW_GOT, _GETS),
    (_ASKS_OF_BECOMING, _BECOMES),
)


def tells_asked_change(asked_text: str, text: str) -> bool:
    """Say whether a text has a word of what happened, if the question asks for such a change."""
    return all(tells.search(text) for asks, tells in _CHANGES if asks.match(asked_text))
