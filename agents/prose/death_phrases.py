"""The phrases by which somebody dies, or lives after all, in marked prose (`agents/prose/mentions.py`).

A death is told of who dies (`breathes her last`), of what kills them (`the fever claims Greta`), or of what nobody
lives without (`the fall breaks Dob's neck`). What is denied, almost happens or is tried is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from agents.prose.names import any_name_pattern
from agents.prose.phrases import PhrasePattern, phrases
from agents.prose.speech import strip_speech

_FEELING_NOUNS: Final = (
    r"(?:grief|guilt|sorrow|news|doubts?|love|shame|loss|jealousy|envy|thoughts?|memor(?:y|ies)|words?|jokes?|laughter|"
    r"suspense|boredom|work|silence|speech|question|smile|look|glare|wit|critics?|reviews?|embarrassment|song)"
)
_WORDS: Final = {
    "STOP": r"(?=\s*(?:$|[.,;!…¶]))",
    "NO_FEELING": rf"(?!(?:\w+\s+)?{_FEELING_NOUNS}\b)",
    "END": r"(?=\s*(?:$|[.,;:!?…—–¶-]))",
    "CLOSE": r"(?=\s*(?:$|[.,;:!?…—–¶-]|(?:at|on|by|before|during|when|while|under|beneath|here|there|too|"
    r"last|after|and|trying|saving|fighting|defending|in\s+(?:the|his|her|their|a|battle|childbirth))\b))",
    "HIS": r"(?:his|her|their|its|your|my)",
    "DID_NOT": r"(?:(?:does|do|did|is|was|are|were|has|have)\s+not(?:\s+ever)?|never)",
    "MERELY": r"(?!\s+(?:tired|drunk|set|serious|wrong|right|certain|sure|asleep|on(?=\s*(?:$|[.,;:!?…]))|"
    r"on\s+(?:time|target|schedule|cue|course|budget|(?:his|her|their|my|your)\s+feet|"
    r"the\s+(?:mark|money|hour|minute|second|nose|beat|dot|stroke))|against|ahead|beat|silent|quiet|"
    r"calm|pale|white|keen|weight|to|level|centre|lucky|broke|in\s+(?:his|her|their|my|your)\s+tracks)\b)",
    "NO_THING": (
        r"(?=\s*(?:$|[^\w\s]|(?:at|on|in|by|before|beside|with|from|under|of|to|into|where|as|and|among|near|upon|across|"
        r"over|behind|inside|outside|here|there|then|against|without|when|while|after|for|just|amid|beneath|like|but|or)\b))"
    ),
    "WHY": r"(?!\s+(?:to\s+(?:see|hear|watch|think|know|say|admit|tell|ask|leave|let|be|have|do|go)|with\s+(?:laughter|"
    r"kindness|boredom|a\s+(?:look|glance|smile)))\b)",
    "LETHAL": r"(?:fevers?|plague|pox|disease|illness|sickness|cough|infection|gangrene|consumption|cholera|poison|"
    r"venom|cold|frost|winter|hunger|thirst|starvation|famine|fire|flames|blaze|flood|waters?|sea|river|lake|waves?|storm|avalanche|"
    r"rockslide|landslide|fall|wounds?|blast|explosion|arrows?|bullets?|blade|bolts?|spear|shot|old\s+age|death|war|gallows)",
    "VIOLENCE": phrases(
        "[stab beat club choke strangle burn freeze starve trample hack stone crush poison roast boil whip gore maul "
        "batter scald smother suffocate squeeze kick]"
    ),
    "SLAIN": r"(?:killed|slain|murdered|beheaded|decapitated|executed|hanged|drowned|strangled|smothered|devoured|"
    r"butchered|slaughtered|massacred|lynched|crucified|impaled|disembowelled|incinerated|electrocuted|assassinated|"
    r"(?:shot|struck)\s+dead|(?:burned|burnt|eaten|flayed|boiled|roasted|skinned)\s+alive|"
    r"(?:stabbed|beaten|burned|burnt|trampled|hacked|clubbed|choked|starved|frozen|crushed|strangled|stoned|mauled|gored|put)"
    r"\s+to\s+death)",
    "IN_PIECES": r"(?:apart|asunder|limb\s+from\s+limb|in\s+(?:two|half)|to\s+(?:pieces|shreds|bits|ribbons))",
    "WHERE_IT_HITS": r"(?:under|beneath|in|on|at|by|before)\s+(?:the|his|her|their|your|my)\s+(?:(?:left|right)\s+)?"
    r"(?:arms?|armpit|shoulder|ribs?|hip|knee|wrist|elbow|ankle|chin|jaw|ear|hand|leg|thigh|foot|collarbone)\b",
    "OWNER": r"@(?:[\dH]+)@['’]s",
    "BODY_FOUND": r"(?:(?:is|was)\s+(?:found(?!\s+wanting)|discovered|recovered|buried|fished|dragged|dug|"
    r"washed\s+(?:up|ashore))|wash(?:es|ed)\s+(?:up|ashore)|(?:lies|lay|floats|floated)\s+(?:face\s+down|(?:on|in|at|by|among|beneath|"
    r"below)\s+(?!(?:(?:his|her|their|my|your|the|a)\s+)?(?:\w+\s+)?(?:bed|bunk|cot|couch|mattress|hammock|pallet|arms|lap|"
    r"bath|tub|hay|grass|sun|shade|way|wait)\b)))",
}
_PERSON: Final = r"(?P<who%d>@[\d,H]+@)"

TELLS_DEATH: Final = re.compile(
    r"\b(?:die[sd]?|dead|lifeless|corpse|(?:an?|the|['’]s)\s+(?:\w+\s+)?body|body\s+of|remains|kill\w*|sl[ae]ys?|slew|slain|slaughter\w*|massacre\w*|butcher\w*|"
    r"murder\w*|behead\w*|decapitat\w*|execut\w*|assassinat\w*|strangl\w*|suffocat\w*|eats?|ate|eaten|lynch\w*|"
    r"crucif\w*|impale\w*|disembowel\w*|incinerat\w*|electrocut\w*|devour\w*|smother\w*|hang(?:s|ed)?|hung|"
    r"ble(?:eds?|d)\s+out|to\s+death|drown\w*|perish\w*|expire[sd]?|the\s+(?:ghost|bucket|dust|sword)|pass\w*\s+away|"
    r"survive|outlive|live\s+(?:to|through|past)|make\s+it|pull\s+through|succumb\w*|not\s+last|neck|throat|skull|brains|"
    r"heart|breath\w*|soul|spirit|alive|no\s+(?:more|longer)|left\s+of|ends?|ended|finish\w*\s+\S+\s+off|eyes\s+for|forever|"
    r"this\s+(?:life|world)|(?:off|severed?)\s+\S+\s+head|head\s+(?:clean\s+)?(?:off|rolls|rolled|is|was)|skinned|flayed|"
    r"never\s+\w+(?:\s+\w+){0,2}\s+(?:again|breath|dawn|day|morning|sunrise)|"
    r"shatter(?:s|ed)|crush(?:es|ed)|smash(?:es|ed)|squash(?:es|ed)|crumbl(?:es|ed)|destroyed|"
    r"(?:t[eo]ars?|torn?|tore|rip\w*|hack\w*|cut\w*|bl[eo]w\w*|rends?|rent)\b.{0,60}"
    r"\b(?:apart|asunder|limb|pieces|shreds|bits|ribbons|two|half)|"
    rf"{_WORDS['LETHAL']}\s+(?:[a-z]+ly\s+)?(?:takes?|took|carr\w+|claim\w*|finish\w*)|(?:claimed|finished|carried)\s+(?:off\s+)?by|"
    r"(?:his|her|their|its|your|my|['’]s)\s+(?:\w+\s+)?(?:last|life|lives|end|death|maker|grave|final|dying))\b",
    re.IGNORECASE,
)
"""Words without one of which no text tells of a death."""

DIES: Final = PhrasePattern(
    r"""
    [die]\b(?! (to|for|of (laughter|shame|boredom|embarrassment|curiosity|envy|love)|laughing|down|away|inside|
        out|a (little|bit|thousand))\b)
    (has|have) ((just|already|now) )?(died|perished|drowned|passed away|been SLAIN)\b(?! (to|for|down|out|a)\b)
    [fall drop collapse slump keel sink crumple] (\w+ ){0,4}?((stone )?deadMERELY|lifeless)\bNO_THING
    (is|am|are|was|were|lies|lie|lay|hangs|hung|floats) ((stone|quite|now|found|left|down) )?(deadMERELY|lifeless)\b
    (is|are|was|were) (no more|no longer (alive|breathing|among (us|the living))|not alive|not breathing)\b
    (is|am|are|was|were|gets|got) ((now|then|finally|at last|[a-z]+ly) )?SLAIN\b
    (is|are|was|were|has been|have been) found SLAIN\b
    (is|are|was|were|gets|got) (torn|ripped|hacked|blown|cut) IN_PIECES\b
    (is|are|was|were) (claimed|finished|carried) (off )?by (the|an?) (\w+ )?LETHAL\b
    [breathe draw gasp take cough sigh] (out )?HIS (very )?(last|final|dying)( breath)?\b(?! (coin|card|breath before|
        look|bow|chance|stand|step|test|cards?|weapon|seat|leave|word|meal))
    [stop cease] breathing\b
    (no longer breathes|[breathe] no more)\b
    [bleed] (out|to death)\b
    [drown perish expire]\b(?! (@|in (work|paper|debt|tears|sorrow)|out|his|her|their|my|your|a|an|the))
    [give] up the ghost
    [kick] the bucket
    [bite] the dust
    [burn freeze choke starve] to death
    [fall plunge jump leap tumble drop] to HIS deaths?\b
    [take] HIS own li(fe|ves)\b
    [kill hang] (himself|herself|themselves|yourself|myself)\b
    [succumb] to (his|her|their|its|the|your|an?) (\w+ )?(wounds?|injur(y|ies)|burns|LETHAL)\b
    [pass] away\b
    [depart leave] this (life|world)\b
    [lose] HIS (own |very )?li(fe|ves)CLOSE
    [give lay sacrifice] ((down|up) )?HIS (own )?li(fe|ves) (for|to save|so that)\b
    [pay] (for \w+ )?with HIS (own )?li(fe|ves)\b
    [break snap] HIS neck\b(?! (to|for|over|trying|working|with)\b)
    [meet] HIS (death|end|maker)\b
    [close] HIS eyes (for (ever|good|the last time)|forever)\b
    DID_NOT (survive|pull through)END
    DID_NOT (survive|outlive|live to see|live (through|past)|last|make it (through|past|to|till|until))
        (the|this|that|another|his|her|their) (\w+ )?(night|day|morning|dawn|hour|fall|fever|wounds?|blow|crossing|
        winter|attack|battle|ordeal|fire|operation|birth)\b
    DID_NOT (live|make it|last) (to|till|until|past|through) (morning|dawn)\b
    DID_NOT make it (out|back|home|away) alive\b
    never (wakes?|woke|stirs?|stirred|breathes?|breathed|surfaces?|surfaced|resurfaces?|rises|rose|
        (comes?|came) (back )?up) (up )?again(?! (until|till|before|so|at|in|to|into|from|with|here|there|the same))\b
    never (draws?|drew|takes?|took) (another|a) breath\b
    never (sees?|saw) (another|the next) (dawn|day|morning|sunrise)\b
    """,
    _WORDS,
)

BREAKS: Final = PhrasePattern(
    r"""
    ([shatter]|(is|was|are|were|gets|got) ([a-z]+ly )?(crushed|squashed|smashed|shattered|destroyed))STOP
    ([shatter]|(is|was|are|were|gets|got) (crushed|smashed|shattered)) (in)?to
        (dust|pulp|a pulp|((a (thousand|hundred|million)|tiny|small|many) )?(pieces|shards|splinters|fragments|bits))\b
    (is|was|are|were|gets|got) (crushed|squashed|smashed) (under|beneath|by)
        (the|an?|his|her|their|my|your) NO_FEELING(\w+ )?\w+STOP
    [crumble] (in)?to dust\b
    """,
    _WORDS,
)
"""A creature comes to its end by it; of a person such words tell a feeling: `Mara is crushed`."""

IS_WHOLE_AGAIN: Final = re.compile(
    r"\b(?:re-?forms?|mends?|heals?|(?:itself|himself|herself)\s+(?:back\s+)?together|back\s+together|whole\s+again)\b",
    re.IGNORECASE,
)
"""What says of something that broke that it is no more broken."""

KILLS: Final = PhrasePattern(
    rf"""
    [kill slay murder behead decapitate execute assassinate strangle drown smother hang devour butcher slaughter lynch
        crucify impale disembowel incinerate electrocute suffocate] {_PERSON % 0}WHY
    hanged {_PERSON % 1}
    [find discover] (?P<who2>@[\d,]+@) ((lying|sitting|hanging|floating) )?deadMERELY\b
    VIOLENCE {_PERSON % 3} to death
    [shoot strike cut] {_PERSON % 4} ((down )?(stone )?dead)\b
    [tear rip hack cut blow rend] {_PERSON % 5} IN_PIECES\b(?! to )
    [burn eat flay boil roast skin] {_PERSON % 6} alive\b
    ([end]|[eat]) {_PERSON % 7}END
    [finish] {_PERSON % 8} off\b
    [put] {_PERSON % 9} to (death|the sword)\b
    [send] {_PERSON % 10} to HIS (death|grave|maker)s?\b
    [cost] {_PERSON % 11} HIS li(fe|ves)\b
    """,
    _WORDS,
)
"""Somebody kills others."""

TELLS_LIFE: Final = re.compile(
    r"\b(?:surviv\w*|live[sd]?\s+(?:through|on)|pull\w*\s+through|ma(?:kes?|de)\s+it|death|(?:his|her|their|your|my|to)\s+life|"
    r"alive|from\s+the\s+dead|not\s+dead|revived|resurrected)\b|\b(?:is|was)n['’]t\s+dead\b",
    re.IGNORECASE,
)
"""Words without one of which no text tells that somebody lives after all."""

_KILLED_BY_THING: Final = PhrasePattern(
    rf"""
    \bLETHAL ([a-z]+ly )?[take claim finish] {_PERSON % 0}CLOSE(?! WHERE_IT_HITS)
    \bLETHAL ([a-z]+ly )?[carry] {_PERSON % 4} off\b
    ^\W*killing {_PERSON % 5}WHY
    ^\W*(there (is|was) )?(nothing|little|not much|only \w+) ((is|was|remains|remained|are|were) )?(left )?of
        {_PERSON % 1}(?!['’])CLOSE
    ^\W*all that (is left|was left|remains|remained) of {_PERSON % 2}(?!['’]) (is|was|are|were)\b
        (?!(HIS|a (memory|name|song)|the (memory|name))\b)
    \bthe (corpse|dead body|lifeless body|mangled body|charred body) of {_PERSON % 3}(?!['’])
    \bthe body of {_PERSON % 6}(?!['’]) BODY_FOUND
    """,
    _WORDS,
    flags=re.IGNORECASE,
)
KILLS_IN_PART: Final = PhrasePattern(
    r"""
    \b[break snap wring] OWNER neck\b
    \b[go pass run] (right |straight |clean )?through OWNER heart\b
    \b[cut slit slash slice open] OWNER throat\b
    \b[take claim end] OWNER (own |young )?li(fe|ves)CLOSE
    \b[stop pierce] OWNER heart\b
    \b[crush smash split stave bash] ((in|open) )?OWNER skull\b
    \b([chop cut strike hack slice lop take] off|[sever]) OWNER head\b
    \b([chop cut strike hack slice lop bite tear rip] OWNER head (clean )?off|[blow] OWNER brains out)\b
    """,
    _WORDS,
)
"""What is done to a part of somebody, and kills them."""
_DIES_IN_PART: Final = PhrasePattern(
    r"""
    ^\W*(breaking|snapping) OWNER neck\b
    ^\W*(cutting|slitting) OWNER throat\b
    OWNER heart ([stop]|[give] out|[fail]|[burst]|beats no more)\b(?! (for a (moment|second|beat)|at))
    OWNER (neck ([snap break]|is (snapped|broken))|throat (is|was|has been) (cut|slit|slashed))\b
    OWNER skull ((is|was|has been) crushed|[crack split] open)\b
    OWNER life (([end] (here|there|then|at|on|in|with|when)?)|is (over|ended|at an end)|([ebb drain slip] away))CLOSE
    OWNER breathing [stop cease]\b
    OWNER head (rolls|rolled|is (cut|struck|chopped|severed|hacked))\b
    OWNER (soul|spirit) [leave depart]\b
    OWNER (corpse|(dead|lifeless|mangled|charred|broken) body|severed head)\b
    OWNER body BODY_FOUND
    """,
    _WORDS,
)
"""What befalls what belongs to somebody: `@0@'s neck`."""
_OWNER: Final = re.compile(r"@([\dH]+)@['’]s")
_NOT_DONE: Final = re.compile(
    r"\b(?:not|never|no|nobody|nothing|none|neither|nor|nearly|almost|barely|hardly|scarcely|narrowly|practically|virtually|"
    r"half|to(?=\s*$)|tr(?:y|ies|ied|ying)|will|shall|may|can|must|should|cannot|fails?|failed|"
    r"refus\w+|wants?|wanted|hopes?|hoped|sav(?:es?|ed|ing)|swears?|swore|threat\w+)\b",
    re.IGNORECASE,
)
"""Before what would be a death: it does not come to it."""
_HEART_GOES_ON: Final = re.compile(
    r"\bheart (?:stops|stopped|fails|failed)\b[^.;!?]{0,40}\b(?:then|and|but)\b[^.;!?]{0,20}"
    r"\b(?:beats|beat|starts|started|restarts|resumes|races|leaps|pounds|hammers)\b"
)
"""A heart that stops and goes on kills nobody."""
_IS_LEFT_NOTHING: Final = re.compile(r"\W*(?:there\s+(?:is|was)\s+)?nothing\b", re.IGNORECASE)
_FEELING: Final = re.compile(rf"\b{_FEELING_NOUNS}\b", re.IGNORECASE)
"""What kills or tears apart only in a way of speaking."""

LIVES: Final = PhrasePattern(
    r"""
    [survive]\b
    [live] (through|on)\b
    [pull] throughEND
    [make] it (out|back|home|through|away)\b
    [cheat escape] death\b
    [escape] with HIS life\b
    [cling hold hang] (on )?to life\b
    (is|was|has been) ((still|very much|somehow) )?alive( after all)?\b
    ([come] back|[return]|(is|was) (brought|called) back|(has|have) come back) (to life|from the dead)\b
    (is|was) (not dead|revived|resurrected|restored to life|raised from the dead)\b
    """,
    _WORDS,
)
"""Somebody lives who may have died."""


_DEAD_BODY: Final = re.compile(
    r"\b(?:an?|the|another|one)\s+(?:[a-z]+\s+){0,2}(?:corpse|dead\s+(?:man|woman|boy|girl|child|monk|sailor|soldier|body))\b"
    r"|\b(?:(?:there\s+(?:is|was)|finds?|found|sees?|saw|discovers?|discovered|uncovers?|uncovered|drags?|dragged|pulls?|"
    r"pulled|fish(?:es|ed)?|spots?|spotted)\s+(?:out\s+|up\s+)?(?:an?|the|another)\s+(?:[a-z]+\s+)?body"
    r"|(?:an?|the)\s+(?:[a-z]+\s+)?body\s+(?:lies|lay|floats|floated|hangs|hung|drifts|drifted|bobs|bobbed|swings|swung))\b"
    r"(?!\s+of\b)",
    re.IGNORECASE,
)
"""That somebody lies here dead, whoever it is: `There is a body in the water`; not `a body of water`."""
_IS_WHO: Final = re.compile(r"\W*(?:(?:and|but)\s+)?it\s+(?:is|was)\s+@(?P<who>\d+)@[\s.!…]*", re.IGNORECASE)
_IS_BODY_OF: Final = re.compile(
    r"\W*the\s+(?:body|corpse|dead\s+(?:man|woman|boy|girl))\s+(?:is|was)\s+@(?P<who>\d+)@[\s.!…]*",
    re.IGNORECASE,
)


MAY_BE_WHO: Final = re.compile(r"\bit\s+(?:is|was|must\s+be|looks\s+like)\s+@\d+@[\s.!…]*$", re.IGNORECASE)
"""Behind who lies here dead, who they are in somebody's mind: `I fear it is @0@`."""


def tells_of_body(marked: str) -> bool:
    """Say whether a marked sentence has somebody dead in sight, and does not deny or doubt it."""
    body = _DEAD_BODY.search(marked)
    return body is not None and not _NOT_DONE.search(marked, 0, body.start())


def find_whose_body(marked: str, *, is_behind_body: bool) -> str:
    """Return the mark of who the dead one is, alone or behind a sentence that has a body: empty if not told."""
    match = _IS_BODY_OF.fullmatch(marked) or (_IS_WHO.fullmatch(marked) if is_behind_body else None)
    return match["who"] if match else ""


def may_tell_death(marked: str) -> bool:
    """Say whether marked words have a phrase by which somebody dies."""
    if TELLS_DEATH.search(marked) is None:
        return False
    patterns = (DIES, KILLS, BREAKS, KILLS_IN_PART, _DIES_IN_PART, _KILLED_BY_THING)
    words = (marked, marked.replace(",", ""))  # `falls over the railing, dead`
    return any(pattern.search(text) for pattern in patterns for text in words)


def find_killed(clause: str) -> Iterator[str]:
    """Yield the marks of those whom something kills in a clause that says so of what kills or of what is left."""
    for match in _KILLED_BY_THING.finditer(clause):
        killed = next(key for key, mark in match.groupdict().items() if mark)
        if not _NOT_DONE.search(clause, 0, match.start(killed)) or _IS_LEFT_NOTHING.match(clause):
            yield match[killed].strip("@")


def find_killed_in_part(clause: str) -> Iterator[str]:
    """Yield the marks of those who die by what befalls their neck, their heart or their life in a clause."""
    for match in (*KILLS_IN_PART.finditer(clause), *_DIES_IN_PART.finditer(clause)):
        words_before = clause[: match.start()]
        is_told = not (_NOT_DONE.search(words_before) or is_way_of_speaking(words_before))
        if is_told and (owner := _OWNER.search(match[0])):
            yield owner[1]


def tells_heart_goes_on(sentence: str) -> bool:
    """Say whether a sentence has a heart stop and beat again."""
    return _HEART_GOES_ON.search(sentence) is not None


def is_way_of_speaking(subject_words: str) -> bool:
    """Say whether what would kill somebody is a joke or a grief, which kills nobody."""
    return _FEELING.search(subject_words) is not None


def is_not_done(words: str) -> bool:
    """Say whether words before a deed say that it is not done: `the fall does not`, `the joke nearly`."""
    return _NOT_DONE.search(words) is not None


_DIES_OF_FEELING: Final = re.compile(
    r"(?:dies|died|is dying) (?:of (?:laughter|shame|boredom|embarrassment|curiosity|envy|love)|laughing)\b"
)


def find_figurative_death(text: str, names: Iterable[str]) -> str:
    """Return the words that say of one of these names a death that kills nobody: `dies of shame`; empty if none do."""
    if not _DIES_OF_FEELING.search(text):  # names may be those of a whole world
        return ""
    match = re.search(
        rf"{any_name_pattern(names)} (?:\w+ly )?(?P<dies>{_DIES_OF_FEELING.pattern})", strip_speech(text)
    )
    return match["dies"] if match else ""
