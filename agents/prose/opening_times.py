"""Leaves out of prose how a sentence says that time went by before it happens: `A while later Juno loses ...`. Pure.

So it does in the middle of a sentence and at its end.

What it says happened before (`Yesterday`, `Last year`, `An hour ago`) stays in the words. Words are one space apart: a
text may be thousands of spaces.
"""

from __future__ import annotations

import re
from typing import Final

from agents.prose.words import NO_TITLE_BEFORE, split_sentences

_NUMBER: Final = (
    r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|half an?|some|several|many|a few|"
    r"a couple of|another|[0-9]{1,3})"
)
_UNIT: Final = r"(?:moment|instant|second|minute|hour|day|night|week|month|season|year)s?"
_LENGTH: Final = (
    rf"(?:(?:about |nearly |almost |over )?{_NUMBER} (?:short |long |good |full |more )?{_UNIT}"
    rf"|{_UNIT}|(?:a|some|a short|a little|a good|a long|quite a) (?:while|time)|a (?:little|bit)|not (?:much|long)|"
    r"much)"
)
_DAY_PART: Final = r"(?:day|morning|afternoon|evening|night)"
_MOMENT: Final = r"(?:dawn|first light|daybreak|sunrise|noon|midday|dusk|sunset|nightfall|midnight)"
_TIME: Final = "|".join(
    (
        rf"{_LENGTH} (?:later|afterwards?|after(?! [a-z]))(?: on)?",
        rf"later(?: on)?(?: (?:that|the same|in the) {_DAY_PART})?",
        r"(?:soon|shortly|not long) after(?:wards?| that)?",
        r"afterwards?",
        rf"after (?:that|{_LENGTH})",
        r"meanwhile|in the mean(?:time|while)|before long|presently|eventually|at length|in the end",
        rf"(?:on )?(?:that(?: same| very)?|the same|the (?:next|following)) {_DAY_PART}|next (?:day|morning|night)",
        rf"in the (?:morning|afternoon|evening)|(?:at|by) {_MOMENT}|by (?:morning|evening)",
    )
)
_SUBJECT_NEXT: Final = (
    r"(?=(?:the|a|an|my|our|his|her|their|your|you|it|he|she|they|we|only|nobody|everybody|rumou?r|word|"
    r"[^\W\d_a-z])[\w'’-]*[\s.,])"
)
_OPENING: Final = re.compile(
    rf"(?P<before>(?:^|[.!?…]{NO_TITLE_BEFORE} |[;\n] ?)(?:> ?)?)(?:(?:and|but|then|so|only|just) )?"
    rf"(?i:{_TIME})(?:, ?| ){_SUBJECT_NEXT}"
)
_CLOSING: Final = re.compile(rf",? (?i:{_LENGTH} (?:later|afterwards))(?= ?(?:[.!…;]|$))")
_MIDDLE: Final = re.compile(
    rf"(?<=[\w'’]), (?i:{_TIME}),(?= [a-z])"
    r"|(?<=[\w'’]) (?:later|(?:soon |shortly )?afterwards?|eventually|presently|meanwhile)(?= [a-z]+(?:s|ed|t|d)\b)"
)
"""Between who does something and what that is: `Juno, a while later, loses`, `Juno later gives`."""


def drop_opening_times(text: str) -> str:
    """Return a text without the words by which its sentences say that they happen later; all else is as it was."""
    return _CLOSING.sub("", _MIDDLE.sub("", _OPENING.sub(lambda match: match["before"], text)))


def restore_times(quote: str, text: str) -> str:
    """Return words that were read in a text without its times as the text has them: if not as they are, by sentence."""
    if quote in text:
        return quote
    return next((s for s in split_sentences(text) if quote.strip(" .!") in drop_opening_times(s)), quote)
