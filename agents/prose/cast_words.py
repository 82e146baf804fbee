"""The phrases by which people come, go, stay and fall asleep in marked prose (`agents/prose/mentions.py`).

Most patterns begin right behind the mark of who does it, so that `does not leave`, `wants to leave` and `will
leave` do not match: what stands between is no adverb.
"""

from __future__ import annotations

import re
from typing import Final

from agents.prose.phrases import PhrasePattern, phrases

REAL_ADVERB: Final = (
    r"(?!(?:near|bare|rare|hard|scarce|narrow|alleged|supposed|reported|seeming|apparent|possib|probab|virtual|practical)ly\b)"
    r"[a-z]+ly"
)
"""How something is done; `nearly` and `supposedly` say that it is not, or that nobody knows."""
ADVERBS: Final = (
    rf"(?:\s*,?\s*(?:{REAL_ADVERB}|then|now|also|both|all|too|at\s+(?:last|once)|finally|just|still|soon|again|together|"
    r"alone|in\s+turn|once\s+more|herself|himself|themselves|myself|already|even|instead|in\s+silence|"
    r"without\s+(?:a\s+word|another\s+word|waiting|looking\s+back)),?)*\s+"
)
"""What may stand between who does something and the verb."""
FEELS: Final = (
    r"(?:angry|furious|annoyed|cross|mad|irritated|vexed|livid|incensed|enraged|exasperated|frustrated|disgusted|"
    r"disappointed|displeased|impatient|upset|unhappy|disillusioned|besotted|smitten|delighted|content|satisfied|pleased|"
    r"happy|bored|done|finished|through|quits)"
)
"""What somebody is with another, and so in nobody's company: `angry with @0@`, `done with @0@`."""
MEETING: Final = (
    r"(?:meeting|appointment|talk|duel|fight|bargain|deal|quarrel|rendezvous|agreement|row|argument|brawl|feud|"
    r"conversation|chat|words?|dispute)"
)
"""What somebody has with another."""

_END: Final = r"(?=\s*(?:$|[.,;:!?…—–¶-]))"
_PLACE_NOUN: Final = (
    r"(?:room|hall|house|tavern|inn|pub|bar|shop|store|chamber|church|chapel|temple|shrine|ship|boat|deck|cabin|camp|"
    r"place|scene|building|yard|courtyard|kitchen|tent|castle|tower|cave|cellar|library|office|study|market|square|"
    r"street|village|town|city|station|train|carriage|car|bus|bridge|garden|grounds|barn|stables?|cottage|hut|lodge|"
    r"palace|court|courtroom|cell|prison|hospital|ward|school|classroom|workshop|forge|smithy|mill|theatre|stage|"
    r"ballroom|party|meeting|table|premises|apartment|flat|attic|loft|parlou?r|lounge|lab|laboratory|studio|"
    r"gallery|museum|vault|crypt|tomb|mine|tunnel|clearing|beach|shore|pier|docks?|harbou?r|field|farm|roof|rooftop|"
    r"balcony|terrace|porch|corridor|hallway|compartment|lift|elevator|hangar|airship|cockpit|infirmary|monastery|"
    r"convent|cloister|saloon|casino|club|morgue|schoolhouse|tannery|longhouse|circle|fire|fireside|stall|counter)\b"
)
_ELSEWHERE_NOUN: Final = (
    r"(?:next|back|other|far|adjoining|dark|night|rain|snow|storm|wind|cold|fog|mist|streets?|alley|woods?|forest|"
    r"trees|crowd|yard|courtyard|garden|hall|hallway|corridor|kitchen|cellar|pantry|attic|stables?|harbou?r|docks?|"
    r"quay|pier|village|town|city|road|river|sea|well|bridge|tower|station|bathroom|privy|toilet|bedroom|cabin|hold|"
    r"engine\s+room|galley|office|study|library|shop|chapel|church|crypt|vault|barn|shed|lighthouse|inn|tavern|"
    r"hospital|police|dressing\s+room|anteroom|antechamber|darkness|dusk|dawn|desert|hills|mountains|marsh|swamp|"
    r"jungle|undergrowth|surf|waves|tunnel|passage|mine|evening|morning|gloom|blizzard|ice|fields?|meadow|moor|"
    r"dunes|beach|shore|tents?|quarters|rooms?|chambers?|horses?|boats?|car|carriage|wagon|ship|truck|van|open|sun|"
    r"sunlight|dust|smoke|shadows?|square|market|lobby|foyer|lane|gardens|orchard|reeds|bushes|roof|rooftop|loft|"
    r"belfry|balcony|terrace|porch|landing|washroom|lavatory|latrine|outhouse|greenhouse|conservatory|nursery|"
    r"parlou?r|vestry|sacristy|undercroft|dungeon|cells?|cloakroom|airlock|shuttle|medbay|infirmary|temple|palace|"
    r"castle|caves?|cliffs?|battlements|ramparts|mast|rigging|crow['’]s\s+nest|beyond|jetty|wharf|landing\s+stage|"
    r"graveyard|churchyard|cemetery|orchards?|vineyard|bakery|smithy|forge|bank|court|archive|archives)\b"
)
_DWELLING_NOUN: Final = (
    r"(?:house|hut|cottage|cabin|lodge|shack|shed|hovel|farmhouse|longhouse|homestead|hermitage|mill|barn|boathouse|"
    r"gatehouse|tent|den|burrow|lair)"
)
"""Where somebody lives or works, and others stand before."""
SITE_NOUN: Final = (
    r"(?:inn|tavern|pub|church|chapel|temple|shrine|abbey|monastery|convent|camp|castle|fort|fortress|tower|manor|mansion|"
    r"palace|cave|ruins?|market|village|town|city|station|bridge|barn|cottage|hut|lodge|prison|hospital|infirmary|school|"
    r"forge|smithy|mill|bakery|bank|theatre|museum|casino|crypt|tomb|mine|beach|shore|pier|docks?|harbou?r|quay|jetty|wharf|"
    r"lighthouse|stables?|granary|warehouse|workshop|brewery|tannery|boathouse|gatehouse|guildhall|jail|gaol|courthouse|"
    r"weir|ford|dam|priory|hermitage|citadel|hamlet|sawmill|windmill|watermill|watchtower|shipyard|boatyard|"
    r"barracks|cavern|grotto|crossroads|catacombs|observatory|quarry|farm|vineyard|graveyard|churchyard|cemetery|woods|forest|marsh|swamp|moor|island|cliffs?|vault|"
    r"lake|tarn|pond|lagoon|oasis|summit|glacier|waterfall|gorge|canyon|ravine|pass)\b"
)
"""What is a place of its own, and no part of another one, as a room or a street is."""
_THING_IN_ROOM: Final = (
    r"(?:window|fire|door|table|wall|edge|bar|light|bed|hearth|map|bench|chair|desk|counter|rail|body|corpse|"
    r"others)\b"
)
_ROOM: Final = (
    r"(?:\w+ )?(?:room|hall|tavern|inn|taproom|bar|counter|shop|chamber|church|chapel|kitchen|tent|cabin|cell|cellar|"
    r"cave|barn|table|bed|fire|fireplace|hearth|desk|deck|boat|cart|wagon|carriage|crowd|circle|yard|courtyard)\b"
)
_PART_OF_ROOM: Final = (
    r"(?:(?:far|back|other|next|dark|opposite) (?:(?:end|corner|wall|table|bench|stool|chair|seat|window|desk|counter|"
    rf"bunk|bed|hearth)\b|(?:side|edge|half|part) of (?:the|my|our|his|her|their|a) {_ROOM})"
    rf"|back of (?:the|this|our) {_ROOM})"
)
"""A part of where somebody is: `the back of the room`, `the far corner`."""
_DIRECTION: Final = r"(?:right|straight|back|quickly|slowly|quietly|softly|silently|calmly|hastily)\s+"
GO: Final = phrases(
    "[walk step stalk storm stride slip run rush hurry head march stomp stumble stagger limp creep sneak bolt dash "
    "shuffle saunter wander trudge ride drive sail row swim climb crawl drift scurry sweep flounce back trot gallop "
    "sprint scramble hobble glide tiptoe troop file hasten go move wade steal slink strut scuttle scamper clatter "
    "duck dart skip jump leap stamp flit race pad amble stroll waddle fly plod tramp lurch stray strike push press "
    "squeeze shoulder swagger barge charge waltz totter reel lumber skulk hop patter bustle flee float "
    "roll teeter stump hitch speed shamble sidle dive]"
)
_COVER: Final = (
    "reeds|ditch|undergrowth|bracken|brambles|thicket|hedge|brush|scrub|grass|ferns|water|river|stream|lake|pond|pool|"
    "sea|waves|surf|mud|marsh|bog|rubble|wreckage|wreck|snow|rain|storm|hole|pit|grave|coffin|crate|barrel|hay|"
    "haystack|wardrobe|cupboard|chest|sack|boat|canoe|rowboat|skiff|saddle|carriage|cart|wagon|coach|well"
)
"""What somebody comes out of into the scene, and who is here stays here."""
VEHICLE: Final = (
    "boat|rowboat|lifeboat|skiff|canoe|punt|raft|dinghy|ferry|barge|ship|car|cab|taxi|bus|van|truck|lorry|train|tram|coach|"
    "carriage|cart|wagon|sledge|sleigh|gondola|lift|elevator|airship|plane|helicopter|litter"
)
_FURNITURE: Final = (
    "chair|armchair|seat|stool|bench|table|desk|couch|sofa|bed|bunk|cot|cradle|hammock|blankets?|covers|sheets|bath|tub|"
    "bathtub|saddle|horse|mule|donkey|pony|camel|mount|tree|wall|ladder|rock|roof|throne|cage|sack|box|"
    "coat|cloak|clothes|dress|shirt|boots|armou?r|uniform|chains|ropes|bonds|lake|ocean|surf|puddle|shower|coffin"
)
_MOOD: Final = (
    r"(?:(?:fits|peals|gales|shrieks|hysterics|raptures|ecstasies|laughter|giggles|tears|song|silence|sleep|dreams|details?|"
    r"memor(?:y|ies)|reveries?|(?:the|his|her|their) (?:past|stor(?:y|ies)|tales?|details?|memor(?:y|ies)|thoughts|"
    r"reveries?|dreams?))\b|(?:the|his|her|their) ¶)"
)
"""What somebody goes off into and stays where they are; `¶` stands for a story, and what it is of."""
_OUT: Final = phrases(
    rf"""
    out(side|doors)?(?! of (?!(the|this|that|here|town|sight|camp|doors|my|our|his|her|their|a)\b))(?! (of
        ((the|his|her|their|my|its|a) )?(\w+ )?(shadows?|dark(ness)?|smoke|fog|mist|crowd|trees|bushes|corner|gloom|
        line|reach|{_COVER})\b))(?! (of ((the|his|her|their|my) )?(way|chair|seat|bed|light|range|breath|control|hiding|
        bath|tub)\b))(?! from (behind|under|underneath|beneath|among|amongst|between)\b)(?! (loud|a (hand|breath|
        warning|name|plan|song)|the (window|words|light|lamp|candle|plan))\b)
    off(?! ((the )?{_THING_IN_ROOM}|the (wall|horse|stool)|his|her|their|a|into an?|on an?|at the mouth)\b)(?! (in)?to
        ((one|the|his|her|their) (\w+ )?(side\b|corner\b|{_THING_IN_ROOM})|{_MOOD}))
    away(?! from ((the )?{_THING_IN_ROOM}|me|us|him|her|it|them|@))
    home
    upstairs
    downstairs
    ashore
    below( decks?)?
    indoors
    aft\b
    (on )?ahead
    on (his|her|their|my|our) way
    overboard
    """
)
_TO_ELSEWHERE: Final = phrases(
    f"""
    ((out|off|away|back|on|up|down|over) )?(in)?to (bed|sleep in)\\b
    (?!(back )?into the room\\b)((out|off|away|back|on|up|down|over) )?(in)?to (the|his|her|their|a|an|my|our)
        (?!{_PART_OF_ROOM})(\\w+ )?{_ELSEWHERE_NOUN}
    (down|up) the (\\w+ )?(stairs|steps|stairway|ladder|road|street|lane|path|hill|corridor|passage|hall|alley|
        hatch|gangway|companionway)\\b
    (down|up) the (\\w+ )?(trail|track|slope|cliff|shaft|well|river|coast|beach|pier|quay|mountain|tunnel|drive|
        valley|aisle)\\b
    (out )?(through|by|via) the (\\w+ )?(door|doors|gate|gates|window|doorway|exit|hatch|back|curtain|trapdoor|
        archway|kitchen|skylight)\\b
    (out )?(across|over) the (hills?|ridge|moors?|border|wall|fields?|bridge|yard|square|courtyard|snow|ice|
        rooftops?|sands?|horizon)\\b
    past @H@ (out|through|and out)
    """
)
BY_HAND: Final = (
    r"by\s+(?:the|his|her|their)\s+(?:hands?|arms?|wrists?|elbows?|sleeves?|collar|ear|hair|scruff)"
)
_WORDS: Final = {
    "END": _END,
    "FEELS": FEELS,
    "GO": GO,
    "VEHICLE": VEHICLE,
    "OUT": _OUT,
    "TO_ELSEWHERE": _TO_ELSEWHERE,
    "PLACE_NOUN": _PLACE_NOUN,
    "SITE_NOUN": SITE_NOUN,
    "IN_MIND": (
        r"(?:(?:the|a|an|his|her|their|its)\s+)?(?:usual\s+|own\s+|old\s+|sullen\s+|stony\s+)?(?:silence|thoughts?|memory|memories|"
        r"himself|herself|themselves|shell|dreams?|daydreams?|script|plan|plans|custom|tradition|habits?|calm|subject|topic|"
        r"text|prayer|sleep|formality|sarcasm|reserve)"
    ),
    "TALK_NOUN": (
        r"(?:story|tale|speech|account|tirade|argument|lecture|report|song|rant|explanation|sermon|conversation|discussion|"
        r"debate|quarrel|game|bargaining|negotiations?|contest|task|plan)"
    ),
    "DIRECTION": f"(?:{_DIRECTION})?",
    "HIS": r"(?:his|her|their|its|my|our|your)",
    "THE": r"(?:the|this|that|our|my|his|her|their|your)",
    "HERO": r"@(?:H|W)@",
    "PERSON": r"@[\dA,-]+@",
    "BY_HAND": BY_HAND,
    "BODY_PART": (
        r"(?:arms?|ankle|back|belly|breast|cheek|chest|chin|ears?|eyes?|face|flank|foot|groin|guts?|hands?|head|heart|hip|jaw|knees?|"
        r"legs?|lungs?|mouth|neck|nose|ribs?|shins?|shoulders?|side|skull|spine|stomach|temple|thigh|throat|wrist)"
    ),
    "THING_IN_ROOM": _THING_IN_ROOM.removesuffix(r"\b"),
}

LEAVES: Final = PhrasePattern(
    r"""
    [leave]END
    [leave] THE (\w+ )?(?i:PLACE_NOUN)(?! (open|on|in|at|under|unlocked|empty|behind|to @|door|key|window)\b)
    [leave] HEROEND
    [leave] HERO (alone|there|here|standing|sitting|with|behind|and|at the|by)\b
    [leave] HERO (to (it|my|our|the|talk|think|ourselves|myself)|in (the|peace|silence|darkness))\b
    [leave] for (the|good|home|a|his|her|their|[A-Z]\w+|bed|work|some|now|supper|dinner)\b
    [leave] (by|via|through|with|without|again|together|alone|immediately|early|first|now|then|after|ahead|too|
        as|and)\b
    [leave] in (an? (\w+ )?(hurry|huff|rage|fury|temper|sulk)|anger|silence|tears|haste|disgust|fury|search|
        the)\b
    [leave] at (once|a run|last|dawn|speed)\b
    [leave] to (fetch|find|get|look|see|tell|check|prepare|make|take|bring|join|pack|dress|warn|report|call|
        meet|search|pray|sleep|rest|the)\b
    [leave] on (foot|horseback|his|her|the|an)\b
    [leave] [a-z]+ly\b
    [leave] (except|but)\b
    [leave] (FEELS|fed up) with\b
    ((is|are|was|were) )?out of (sight|the (door|room|house|gate))\b
    (is|are|was|were) outEND
    (is|are|was|were) no longer (here|there|in the room)\b
    GO DIRECTIONfrom (the|this) (\w+ )?PLACE_NOUN
    [quit] the (\w+ )?PLACE_NOUN
    [exit](END| (the|by|through|stage|with)\b(?! (\w+ )?TALK_NOUN\b))
    [swim row make] for the\b
    (?!back(s|ed)? away\b(?! (in|through|down|out|up|to|along|across|over)))GO DIRECTIONOUT(?! (like|pale|to @H@))
    GO DIRECTIONTO_ELSEWHERE
    [go move walk run] to (fetch|find|get|look|see to|see about|check|warn|tell|wake|prepare|summon|bring|
        search|saddle|ready|meet|alert)\b
    [go move walk run] ((off|out) )?in search of
    [go move walk run] for (help|water|wood|the (doctor|guards?|watch|police|horses|surgeon|priest)|a walk|more|
        supplies|reinforcements)\b
    [depart flee withdraw retire retreat decamp abscond bolt scarper skedaddle]END
    [depart flee withdraw retire retreat] (to|from|into|for|with|in|through|again|at|by|towards?|down|up|along|
        without|and|across|over|together)\b(?! IN_MIND\b)
    [depart flee withdraw retire retreat] ([a-z]+ly|the (room|scene|house|hall|city|town|building|inn|tavern|
        ship|island|castle))\b
    [take] HIS leave
    [take] to HIS (heels|bed)
    [take] offEND
    [take] off (down|up|into|across|after|at|for|through|running|towards?)\b
    [make] (HIS|a|an) (\w+ )?(exit|escape|excuses)
    [make] off\b
    [crash blunder splash plunge pelt tear] (off|away) (into|through|down|up|across|along|after|towards?)\b
    [make] HIS way (out|home|off|away|downstairs|upstairs|back to (the|his|her))\b
    [vanish disappear]END
    [vanish disappear] (into|through|down|up|from|behind|round|around|over|in|again|beneath|inside|between|
        among|below|under)\b
    [vanish disappear] (without|as|with|and|out|past|beyond|[a-z]+ly)\b
    (is|are|am|was|were)( now)? (gone|off|away)(?! guard| (in|with)( (his|her|their|your|my|deep))? thoughts?| in
        the head|( again)? about)\b
    (has|have) ((just|now|already|also|both|all|quietly) )?leftEND
    (has|have) ((just|now|already|also|both|all|quietly) )?left (the (\w+ )?PLACE_NOUN|for|us|HERO|with|by|
        already|again|to|in|through)
    (has|have) ((just|now|already|also|both|all|quietly) )?gone(?! (pale|quiet|white|still|silent|mad|blind|
        deaf|cold|red|grey|very|through|over to))
    (has|have) ((just|now|already|also|both|all|quietly) )?(departed|fled|disappeared|vanished)
    (has|have) ((just|now|already|also|both|all|quietly) )?(slipped|stormed|walked|run|ridden|stalked|
        hurried) (out|away|off)
    [excuse] (himself|herself|themselves|myself)
    [set] (off|out|sail)\b(?! (the (alarm|plates|chairs|cards|pieces|table)|a)\b)
    [let see show] (himself|herself|themselves|myself) out
    [clear push shove beat move] offEND
    [turn] (back )?home(wards?)?\b
    [slam] (out|the (\w+ )?door behind (him|her|them|PERSON))
    [close shut pull] the (\w+ )?door (shut )?(\w+ly )?behind (him|her|them|PERSON)
    [get hop jump step climb] (back )?(off|out)END
    [get hop jump step climb] (back )?(off|down|out) (again|here|at (the|[A-Z]))\b
    [get hop jump step climb] (back )?(off|down|out of) the (car|carriage|train|boat|cab|taxi|coach|wagon|bus|
        tram|airship|ferry|van|truck|lift|elevator|ship|cart|gondola)\b
    [go head run ride sail drive fly hurry walk march trudge] ((back|off|out) )?(for|towards?)
        (the(?! (point|gist|crux|heart|core|moral|truth|end) of\b)|home|[A-Z])
    (goes|went)END
    [go step walk run hurry slip duck] (back )?inside\b
    [walk storm march ride drive] on\b(?! (the|a|his|her|about (the|HIS|how|that|what|why)
        |with HIS (TALK_NOUN|work))\b)
    [melt fade] (away|into)\b
    [turn] in(END| for the night\b)
    [bid] \S+( \S+)? (good ?(night|bye|day)|farewell|adieu)\b
    [go] up(END| to\b)
    goEND
    GO after (the|an?|HIS) \w
    [drag haul take carry] (himself|herself|themselves) (OUT|TO_ELSEWHERE)
    [keep stand mount] (watch|guard) outside\b
    [fall tumble plunge drop] (overboard|into the (pit|sea|river|millrace|abyss|chasm|well|water|hole|ravine))\b
    [fall tumble plunge drop] (through the (floor|ice|trapdoor|hatch)|out of the window|down the (shaft|well|
        cliff))\b
    [board take catch] (the|an?|that|HIS) (\w+ ){0,2}?(VEHICLE) ((back|out|down|up|on|over) )?(to (?!an?
        (halt|stop)\b)(the|an?|HIS|[A-Z]\w+|town|work|sea)|for (home|[A-Z]\w+|the (coast|capital|city|mainland|
        islands?|north|south|east|west|mountains|border|mines))|home|north|south|east|west|
        ashore)\b(?!.*\bwith HERO)
    (is|are|was|were) (led|taken|dragged|carried|marched|hauled|escorted|sent|rushed|driven|brought|carted|hurried|
        conveyed|transferred|moved) ((off|away|back|straight) )?to (hospital|prison|jail|gaol)\b
    (is|are|was|were) (rushed|carted|hurried|conveyed) TO_ELSEWHERE
    (is|are|was|were) (called|summoned|ordered|dismissed)( (away|out|off|home|back)|END)
    (is|are|was|were) (swept|washed|spirited|snatched|carried) (away|off|overboard|out)\b
    (is|are|was|were) ((now|soon) )?(lost to sight|out of sight|halfway down|on (his|her|their) way)\b
    (is|are|was|were) (led|taken|dragged|carried|marched|hauled|escorted|ushered|thrown|sent|called|summoned|hustled|
        bundled|driven|wheeled|shown) (right )?(out|away|off|outside|home|below|upstairs|downstairs|to (the|his|
        her)|from the|into the)\b(?! (ground|floor|deck|earth|dirt|mud|snow|sand|dust|grass|boards|planks|wall|stones|
        cobbles|rocks|knees|feet|side|front|middle|fire|hearth|table|bench|window)\b)
    """,
    _WORDS,
)
"""`leaves`, `goes out`, `has gone`, `slips away into the crowd`."""

GETS_OUT: Final = PhrasePattern(
    r"""
    (GO|[get rise slide scrabble hoist pull heave]) DIRECTION(up |HIMSELF )?FROM(OWNER )?(\w+ ){0,2}?THING\b(?! PART)
    [jump leap roll step dive skip hop climb drop] off (in|into|onto|on to) \w
    """,
    {
        **_WORDS,
        "HIMSELF": r"(?:himself|herself|itself|themselves|myself)",
        # `off into the reeds` leads there, and is not off them.
        "FROM": r"(?:(?:out\s+of|down\s+from|off(?!\s+(?:in|into|onto|to|at|by|through|across|over|under|behind|past|"
        r"towards?|down|up|along|among|amongst|with|after|round|around|for|from|before|beside|between)\b)|from)\s+)",
        "OWNER": r"(?:the|an?|his|her|their|its|my|our|your)",
        "THING": rf"(?:(?P<vehicle>{VEHICLE})|{_FURNITURE}|{_COVER})",
        "PART": r"(?:window|door|shed|house|room|stop|yard|station|shop)",
    },
)
"""Somebody gets out of something that may stand in the scene: a boat, a bed, the water, a coat."""

CLIMBS_OUT: Final = PhrasePattern(
    r"""
    [climb crawl clamber scramble wade swim slide hoist pull heave drag haul] DIRECTION(HIMSELF )?out of (the|a)
        (\w+ )?(reeds|ditch|undergrowth|bracken|brambles|thicket|hedge|water|river|stream|lake|pond|pool|sea|waves|
        surf|mud|marsh|bog|rubble|wreckage|snow|hole|pit|grave|well)\b
    """,
    {**_WORDS, "HIMSELF": r"(?:himself|herself|itself|themselves)"},
)
"""Somebody comes to light out of what hid them, and is where that is seen."""

GOES_HOME: Final = PhrasePattern(
    r"""
    GO DIRECTION(inside|indoors)\b(?! COMPANY)
    GO DIRECTIONin(to)? (his|her|their) (own )?(\w+ )?DWELLING\b(?! COMPANY)
    GO (right |straight )?back in(to)? (the|that) (\w+ )?DWELLING\b(?! COMPANY)
    """,
    {**_WORDS, "DWELLING": _DWELLING_NOUN, "COMPANY": "(?:with|after|behind|beside|before) @[HW]@"},
)
"""Who is here goes where they live: `limps back into his hut`."""
GOES_INTO_HOUSE: Final = PhrasePattern(rf"GO DIRECTIONin(to)? (the|a) (\w+ )?{_DWELLING_NOUN}\b", _WORDS)
GOES_ABOARD: Final = PhrasePattern(
    r"([board] (the|an?|HIS) (\w+ ){0,2}?(VEHICLE)|GO (aboard|up the gang(way|plank)))\b"
    r"(?!.*\b(with|after|behind) HERO)",
    _WORDS,
)
"""Somebody goes aboard: of who has said farewell it is a leaving."""
FAREWELL: Final = re.compile(r"\b(?:good-?bye|farewell|adieu|(?:takes?|took)\s+(?:his|her|their)\s+leave)\b")
SHUTS_DOOR: Final = PhrasePattern(
    r"\b(?:and|then) ([a-z]+ly )?[shut close bolt bar lock slam] the (\w+ )?door\b(?! to the)"
)
"""What somebody does who has gone into a house and left others outside."""

ENTERS: Final = PhrasePattern(
    r"""
    [enter]\b(?! (a trance|the (data|code|number|fray)|into (an? )?(agreement|discussion)))
    GO DIRECTIONin\b(?! (circles|place|front|line|the (city|town|capital|distance|woods|village|street|garden|
        yard)))
    GO DIRECTION(inside|indoors|aboard|forward|on (board|stage|deck)|in(to)? view|out from|from (behind|the|
        under))\b
    GO DIRECTIONinto (the (\w+ )?(room|light|lamplight|firelight|clearing|view|PLACE_NOUN)|view|sight|@)
    GO DIRECTIONthrough the (\w+ )?(door|doors|doorway|gate|gates|curtain|crowd|hatch|window|archway|arch|smoke|
        trees|rain|snow|mist)\b
    GO DIRECTIONout of (the )?(\w+ )?(shadows?|dark(ness)?|smoke|fog|mist|crowd|trees|bushes|corner|gloom|
        hiding|rain|night|woods|forest|wardrobe|cupboard)\b
    GO DIRECTIONup (to|beside|behind|alongside|from|out of)\b
    GO upEND
    GO over to HERO
    [come] (in|inside|into|through|out|up|down|over|back|along|round|around|home|aboard|ashore|after|forward|
        closer|near|behind|with|too|here)\b(?! with (a|an|the) (plan|idea|name|answer)\b)
    [come] (running|walking|riding|stumbling|striding|hurrying|rushing|crashing|limping|hobbling|bursting|
        tearing|flying|racing)\b
    [come] to (the (door|table|fire|bar|window|gate)|@|join|see|help|meet|fetch|find|ask|sit|stand|look|say)
    [come] (at last|from (?!(a|good|money|the (north|south|east|west))\b|[A-Z])|by|and|again|across|downstairs|
        upstairs|on|as well|towards?|alongside|next)\b
    [come]END
    [arrive]\b
    [appear emerge reappear materialise materialize loom]END
    [appear emerge reappear materialise materialize loom] (in|at|on|from|behind|beside|out|through|with|again|
        next|by|up|before|between|beneath|over|without|and|around|round|under|among)\b
    [return](END| (from|alone|again|at|after|carrying|bearing|leading|dragging|and|in|out of|just|now|
        breathless|empty|soaked|later|by|minutes|moments|[a-z]+ly)\b)
    [return] with\b(?! interest)
    [return] to (HERO|the (room|hall|house|camp|fire|ship|cell|tavern|inn|tent|cabin|shop|kitchen|table|others|
        group|party)\b)
    (is|are) here\b
    (is|are|was|were) back\b
    (is|are) there(END| (too|already|before|waiting|to meet))
    (is|are|was|were) (at the (door|gate|bar|table|window|counter|hearth|foot|top|bottom)|in the (room|doorway|corner|
        crowd|shadows))\b
    (is|are) already (here|there|inside|waiting)
    (is|are|was|were) (standing|waiting|sitting|leaning|kneeling|crouching|lying|seated|perched|asleep) (in|at|by|on|
        behind|beside|there|here|under|near|for @|against|with)\b(?! (the|an?|his|her|their) ([a-z]+ )?SITE_NOUN)
    (is|are|was|were) (coming|walking|stepping|climbing|running|hurrying|riding) (in|inside|up|down|back|over|towards?|
        through|out of)\b
    (is|are|was|were) (led|brought|shown|dragged|pushed|carried|marched|hauled|ushered|thrown|escorted|let|wheeled) (in|
        inside|into|aboard|before @|over|up|forward|back|to HERO)
    (has|have) ((just|now|already|finally|at last) )?(come(?! to an?\b)|arrived|returned|joined|entered|
        appeared|caught up|followed|turned up|shown up|slipped in|stepped in)
    [join rejoin] @
    [join] (the (table|group|circle|others|party|conversation)|in)\b
    [catch] up
    [show turn pop pull] up\b(?! (the|his|her|a)\b)
    [drop stop] (in|by)\b
    [look peer poke lean] in\b(?! (the|his|her))
    [follow](END| (HERO|(after|along|behind|close|into|inside|in|with|too|down|up|out|and|[a-z]+ly|suit|at (my|
        our|a))\b))
    [ride pull sail steam drive draw] (up|in)\b(?! (the|his|her|a)\b)
    [push shove force elbow shoulder make] HIS way (in|through|into|to|over|across)\b
    [board] the
    [burst barge crash break] (in|through|into)\b
    [land] (on|beside|in)\b
    [take] (a seat|HIS (seat|place)|the (seat|chair|stool|place))\b
    [sit] down\b
    (is|are|was|were) (at|by) (my|your|our|HIS) side\b
    (is|are|was|were) (beside|behind|next to|in front of) HERO
    [put stick poke thrust] HIS head (in|round|around|through|out)\b
    [make] HIS entrance\b
    [come] (at once|immediately|promptly|quickly)\b
    [open] the (\w+ )?door and\b
    [hide listen eavesdrop lurk crouch stand] (behind|under|in|at) the (\w+ )?(curtains?|door|keyhole|tapestry|
        wardrobe|bed|screen|panel|shutters?|bushes|hedge)\b
    [bar block] (the|my|your|our|HIS) (way|door|doorway|path|road|exit)\b
    [rein dismount] (in|up|END|(before|in front|beside|at|by|and)\b)
    [hail overtake intercept] @
    (has|have) been ((here|there)(?! (before|once|twice|often|many)\b)|listening|standing|watching|hiding|waiting)\b
    [wait stand sit kneel lean crouch lie perch hover linger] in the (doorway|door|room|corner|shadows|hall|
        light|yard|rain|gateway|entrance|stern|bow)\b
    [wait stand sit kneel lean crouch lie perch hover linger] at the (door|gate|bar|table|counter|window|foot|
        top|end|head|hearth|rail|wheel|helm)\b
    [wait stand sit kneel lean crouch lie perch hover linger] by the (door|fire|window|bed|wall|gate|hearth|bar|
        rail|well)\b
    [wait stand sit kneel lean crouch lie perch hover linger] on the (threshold|steps|stairs|bench|bed|deck|
        pier|quay|wall|edge|floor)\b
    [wait stand sit kneel lean crouch lie perch hover linger] (there|here|opposite|before @|behind @|beside @|
        next to @|with HERO|
        in front of @|over @|across from @)
    """,
    _WORDS,
)
"""`comes in`, `steps out of the shadows`, `is back`, `follows me`."""

ACTS: Final = PhrasePattern(
    "[nod shake shrug grin smile frown wink stride step run turn kneel lean point wave laugh sigh cough spit draw "
    "raise lift grab grip hand offer throw pour pull push reach listen glance hesitate gesture bow drink eat sing "
    "strike attack swing lunge parry kiss open close gasp stare slam bang tap pat clap poke kick punch slap bite "
    "scratch rub wipe wring fold cross shove shiver tremble blush stammer stutter sneer scowl glare "
    "squint blink weep cry sob "
    "wail moan groan growl hiss snort snigger giggle chuckle cheer whistle hum yawn stretch swallow lick "
    "chew gulp sip "
    "salute curtsey curtsy doff snatch seize catch toss fling hurl drop pick tug drag haul unfold unroll "
    "unlock light "
    "blow crack tear rip pluck pet stroke hug embrace mutter murmur whisper shout yell snap reply answer ask say add "
    "agree insist warn promise interrupt bark bellow purr croak rasp protest object speak tell thank greet apologise "
    "apologize introduce swear curse confess admit pace circle approach crouch squat rise straighten stoop bend duck "
    "flinch wince recoil jump leap fall stumble trip dodge block stab shoot fire aim slash hack bandage]"
)
"""What only somebody does who is here; by itself it moves nobody who is."""

FALLS_DOWN: Final = PhrasePattern(
    r"""
    FALL overboard\b
    FALL (in|into|down|over) (the|a) (\w+ )?(water|river|stream|lake|pond|pool|sea|waves|surf|marsh|bog|well|ditch|hole|
        grave|millrace|race|millpond|weir|sluice|canal|lock|moat|harbou?r|dock|pit|abyss|chasm|shaft|gorge|ravine|
        crevasse)\b
    FALL (off|from|over) (the|a) (\w+ )?(cliff|parapet|roof|tower|bridge|mast|rigging|ramparts|battlements|quay|pier|
        railing)\b
    """,
    {"FALL": phrases("[fall tumble plunge drop slip jump leap trip dive]")},
)
"""What befalls somebody wherever they are, and brings nobody here: `falls into the millrace`."""
SPEAKS: Final = (
    r"(?:says?|asks?|answers?|repl(?:y|ies)|whispers?|mutters?|shouts?|calls?|cries|growls?|hisses|"
    r"murmurs?|snaps?|adds?|"
    r"begins?|laughs?|sighs?|breathes?|grunts?|insists?|warns?|promises?|agrees?|snarls?|barks?|bellows?|croaks?|"
    r"yells?|screams?|demands?|declares?|announces?|explains?|admits?|observes?|remarks?|suggests?|interrupts?|"
    r"continues?|goes\s+on|purrs?|drawls?|rasps?|stammers?)"
)

FALLS_ASLEEP: Final = PhrasePattern(
    r"""
    [fall] ((fast|sound|back) )?(asleep|unconscious|senseless|insensible)\b
    [fall] into an? (\w+ )?(sleep|slumber|swoon|faint|stupor|coma|doze)\b
    [doze nod drop] off\b(?! (the|a|his|her))
    [drift] (off(?=\s*(?:$|[.,;])| (to|into))|to sleep|into sleep)
    [pass black] out\b(?! (the|a|cards|drinks|food|some))
    [faint swoon]\b
    [go] (out cold|to sleep)\b
    [lose] consciousness
    [collapse slump drop sink crumple keel fall] (\w+ ){0,5}?(unconscious|senseless|insensible|in a
        (dead )?(faint|swoon)|out cold)\b
    (is|am|are|was|were|lies|lie|lay|sits?|sat) ((now|already|still|\w+ly) )?((fast|sound|out) )?(asleep|unconscious|
        senseless|snoring|sleeping|insensible|drugged|dead drunk)\b(?! on (his|her|their|my|our|your) feet\b)
    (is|am|are|was|were|lies|lie|lay) ((now|already|still) )?((knocked|out) )?(out cold|knocked (out|cold|unconscious|
        senseless))\b
    [sleep](END| (through|on|like|soundly|deeply|in|by|at|under|with|beside|and)\b)
    [snore]\b
    (fast|sound) asleep\b
    (unconscious|senseless|out cold)END
    [succumb] to (the )?(sleep|drug|draught|potion|chloroform|ether|poison)\b
    (has|have) (\w+ )?(fallen ((fast|sound) )?asleep|passed out|fainted|dozed off|nodded off)\b
    """,
    _WORDS,
)
WAKES: Final = PhrasePattern(
    r"""
    [wake awake waken awaken]\b
    [come] (round|around)\b
    [come] to(?=\s*(?:$|[.,;])| (with|and|at|his senses|her senses|himself|herself))
    [regain recover] consciousness
    [open] ((his|her|their|your|my) eyes|(one|an) eye)\b
    [stir]\b(?! (the|his|her|a)\b)
    [sit] (bolt )?(up|upright)\b
    (is|am|are) ((wide|now|fully) )?(awake|conscious)\b
    """,
    _WORDS,
)
STAYS: Final = PhrasePattern(
    r"""
    [stay remain wait linger stop] ((on|right|back) )?(?P<where>behind|outside|upstairs|downstairs|below|above|
        there|back|ashore|aboard|where|here|put|home)\b
    [stay remain wait linger stop] (on )?(?P<where2>at the (top|bottom|foot|inn|camp|house|ship|gate|entrance|
        mouth|boat))\b
    [stay remain wait linger stop] (on )?(?P<where3>(by|with) the (boats?|horses?|cart|wagon|car|ship|wounded|
        luggage|prisoner|entrance|gate|road)|with PERSON)
    [stay remain wait linger stop] (on )?(?P<where4>on (the )?(deck|bank|shore|board|surface|ship|boat)|in the
        (boat|car|cart|wagon|inn|tavern|house|hall|camp|yard|kitchen|carriage|truck|van|ship))\b
    """,
    _WORDS,
)
REMAINS: Final = PhrasePattern("[stay remain linger]")
WAITS_THERE: Final = PhrasePattern(r"[wait linger] (there|here)\b")
"""What is said of who stays where they are, and of who is found where the hero is."""
LEADS_HERO: Final = PhrasePattern(
    r"[lead take guide bring show drag carry march usher steer pull hurry] @(?P<hero>[HW])@ DIRECTION(OUT|"
    r"TO_ELSEWHERE)",
    _WORDS,
)
"""Somebody takes the hero somewhere else."""
WATCHES: Final = PhrasePattern(r"[watch see let] (?P<who>PERSON)\s+", _WORDS)
"""Somebody sees others do something, or lets them."""
GOES_AFTER_SOMEBODY: Final = PhrasePattern("GO after (the|an?|HIS)\\s+", _WORDS)
"""Somebody goes after whoever or whatever is called by the words behind it."""
TO_ELSEWHERE: Final = PhrasePattern("TO_ELSEWHERE", _WORDS)
"""Where somebody goes who leaves: `into the woods`."""
GOES_AFTER: Final = PhrasePattern("([follow chase accompany join]|GO after) (?P<who>@[\\d,]+@)", _WORDS)
TAKES: Final = PhrasePattern(r"[take grab fetch] (?P<who>@[\d,]+@)(?=\s*$)")
"""The hero takes somebody, and goes in the next clause."""
CLEARS: Final = PhrasePattern("[clear empty] the PLACE_NOUN", _WORDS)
AWAY_FROM_HERE: Final = re.compile(r"outside|upstairs|downstairs|below|above|ashore|home")
"""Where somebody who stays there is not with the hero, wherever the hero goes."""

SENDS_AWAY: Final = PhrasePattern(
    r"""
    [throw kick drag usher escort lead carry haul march take chase bundle hustle whisk show see hurl cast toss
        turn boot frogmarch shoo marshal walk drive hound pitch fling pull heave bear wheel herd hurry rush
        sweep wash snatch spirit whirl pack]
        (?P<who>@[^@]+@) ((right|straight|forcibly|bodily|gently|back) )?(out\b(?! of (the )?(water|river|mud|
        hole|snow|fire|wreck|bed|chair|danger|way|his|her)\b)|outside|home|upstairs|downstairs|below|ashore|
        overboard|away|off(?! (the|his|her) (horse|chair|floor|ground|feet|table)))\b
    [throw kick drag usher escort lead carry haul march take chase bundle hustle whisk show see hurl cast toss
        turn boot frogmarch shoo marshal walk drive pull bear wheel herd rush sweep wash snatch]
        (?P<who2>@[^@]+@) (from the
        (room|hall|house|tavern|building|court|courtroom|ship)|through the (\w+ )?(door|window|gate)|down the
        (stairs|steps|corridor|hall|ladder|street))\b
    [throw kick drag usher escort lead carry haul march take chase bundle hustle whisk show see hurl cast toss
        turn boot frogmarch shoo marshal walk drive pull bear wheel herd rush sweep wash snatch]
        (?P<who3>@[^@]+@) ((off|away|back|straight) )?(in)?to (the
        door|bed|hospital|prison|jail|gaol|(his|her|their|the|a) (\w+ )?(cells?|dungeon|brig|rooms?|chamber|tent|
        cabin|surgery|infirmary|hospital|stable|kitchen|jail|gaol|station|gallows|block|ship|boat|carriage|car|van|street|alley|yard|
        night|rain|snow|cellar|corridor|sea|river|dark|mud))\b
    [send] (?P<who4>@[^@]+@) (away|off|out|home|to|for|after|back|ahead|down|up|upstairs|downstairs|outside|
        below|ashore|on|into|across|over|packing|round|running)\b
    [dismiss banish evict eject expel] (?P<who5>@[^@]+@)
    [put] (?P<who9>@[^@]+@) on (the|a|board)\b (\w+ )?(train|boat|ship|coach|ferry|bus|stage|cart|horse|tram)\b
    [lock shut bolt] (?P<who6>@[^@]+@) (out|away|up|in (the|a|his|her) (\w+ )?(cell|cellar|room|cupboard|closet|
        pantry|hold|brig|trunk|shed|tower|vault|bathroom))\b
    [bolt lock shut close bar slam] the (\w+ )?(door|gate|hatch) (shut )?(behind|after|on) (?P<who7>PERSON)
    [see show] (?P<who8>@[^@]+@) (out|off|to the (door|gate))\b
    [wave order help motion] (?P<who10>@[^@]+@) (out|off|away|from the room)\b
    [usher show throw send drag see] out (?P<who11>@[^@]+@)
    """,
    _WORDS,
)
"""Somebody makes others leave: `drags @1@ out`."""

BRINGS: Final = PhrasePattern(
    r"""
    [bring lead show usher drag carry march push shove wave call let pull haul help beckon escort invite fetch
        take bundle hustle] (?P<who>@[^@]+@) ((right|straight|back) )?(in\b(?! (HIS|the) (\w+ )?BODY_PART\b)|
        inside|aboard|over|here|forward|along|back)\b
    [bring lead show usher drag carry march push shove wave call let pull haul help beckon escort invite fetch
        take] (?P<who2>@[^@]+@) ((up|back|over) )?(to (HERO|the table)|before @|into the (room|hall|light|house|
        cabin|tent|circle)|through the (\w+ )?door|with (him|her|them|@))
    [return come arrive enter] (\w+ ){0,3}?(with|leading|dragging|carrying|bringing) (?P<who3>@[^@]+@)
    [admit fetch] (?P<who4>@[^@]+@)
    [usher let show bring lead call drag] in (?P<who5>@[\d,]+@)
    """,
    _WORDS,
)
"""Somebody brings others here: `shows @1@ in`."""

MEETS: Final = PhrasePattern(
    r"""
    ([find meet discover]|[run bump] into|[come stumble] (upon|across)|[stumble]
        over) (?P<who>@[\d,]+@)(?: (?P<where>\S.*))?
    """
)
"""The hero meets somebody: `I find @1@ in the cellar`."""
MONEY_OR_THING: Final = (
    r"(?:the|an?(?! (?:visit|call|compliment)\b)|my|his|her|their|somebody's|another|some|all|both|half|what|[0-9]+|"
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred)\b"
)
"""The first word of what is given or paid, and not of a visit or of heed."""
TOUCHES: Final = PhrasePattern(
    r"""
    [hand give show offer kiss hug embrace wrap bandage grab hit tie stab punch help slap shake untie free greet
        seize grip catch hold strike tackle feed] (?P<who>@[\d,]+@)
    [pay repay tip bribe reimburse] (?P<who2>@[\d,]+@)(?=\s*(?:$|[.,;!])| (back|for|in|with|off|MONEY))
    [hand give pay repay sell lend return] (back )?MONEY (?:[\w'’-]+ ){1,5}(back )?to (?P<who3>@[\d,]+@)
    """,
    {"MONEY": MONEY_OR_THING},
)
"""What one can do only to somebody who is here."""
STUNS: Final = PhrasePattern(
    r"""
    [knock] (?P<who>@[\d,]+@) (out|cold|unconscious|senseless)\b
    [knock] out (?P<who2>@[\d,]+@)
    [put sing lull rock] (?P<who3>@[\d,]+@) to sleep
    [drug chloroform] (?P<who4>@[\d,]+@)
    [strike club hit beat render knock] (?P<who5>@[\d,]+@) (\w+ ){0,6}?(unconscious|senseless|insensible)\b
    """
)
ROUSES: Final = PhrasePattern(
    r"""
    [wake rouse revive waken awaken] (?P<who>@[\d,A]+@)
    [shake slap nudge kick prod] (?P<who2>@[\d,A]+@) awake
    [bring] (?P<who3>@[\d,A]+@) (round|around|to(?=\s*(?:$|[.,;])| with))
    """
)
LEAVES_BEHIND: Final = PhrasePattern(
    r"""
    [leave] (?P<who>PERSON)(?=\s*(?:$|[.,;]))
    [leave] (?P<who2>PERSON) (behind|there|here|with|at|to|in|by|on|sleeping|asleep|standing|sitting|snoring|
        and|tied|bound|outside|upstairs|downstairs|under|lying|where|guarding|watching)\b
    [leave] (?P<who3>PERSON) alone (in|at|by|with|on)\b
    """,
    _WORDS,
)
PULLS_OUT: Final = PhrasePattern(
    r"""
    [pull drag haul heave help hoist dig get cut] (?P<who>@[\d,A]+@) (BY_HAND )?(out|up|free|clear|loose)(END| by
        (the|his|her) \w+END| from (under|underneath|beneath|behind|between)\b)
    [pull drag haul heave help hoist dig get cut] (?P<who2>@[\d,A]+@) (BY_HAND )?(out|up|free|clear|loose) (of|from)
        (the|a|his|her) (\w+ )?(COVER)\b
    """,
    {**_WORDS, "COVER": _COVER},
)
"""The hero frees somebody or helps them up, and goes nowhere: out of what is here, as far as the words say."""
TAKES_ALONG: Final = PhrasePattern(
    r"""
    [take bring lead drag carry pull escort help haul march guide walk steer] (?P<who>@[\d,A]+@) (BY_HAND )?(along|with
        @H@|out|up|down|off|away|back|outside|upstairs|downstairs|below|ashore|home|inside|through|into|to\b(?! one
        side))
    [accompany] (?P<who2>@[\d,A]+@)
    """,
    _WORDS,
)
"""The hero goes somewhere with somebody."""
FOLLOWS: Final = PhrasePattern(
    r"""
    [follow chase pursue tail shadow trail track hunt] (?P<who>@[\d,A]+@)
    [go run hurry rush race dash sprint come head set start walk ride row climb] ((off|out|straight|back) )?after
        (?P<who2>@[\d,A]+@)
    """
)
"""The hero goes after somebody, who need not want their company."""
GOES_WITH_OBJECT: Final = PhrasePattern(
    r"""
    [lead take escort carry drag walk guide help follow pull haul steer] @[^@]+@ (BY_HAND )?(out|outside|upstairs|
        downstairs|below|ashore|down|up|home|through|to|into|off|away)\b
    """,
    _WORDS,
)
"""The hero goes where they take somebody."""
TO_ANOTHER_PLACE: Final = PhrasePattern(
    r"""
    \b(out|outside|upstairs|downstairs|below|ashore|away|off|home|(down|up) the)\b
    \b(in)?to the\b(?! (\w+ )?(side|corner|middle|front|THING_IN_ROOM)\b)
    \bthrough the (\w+ )?(doors?|doorway|gates?|window|exit|hatch|back|trapdoor|archway|skylight)\b
    """,
    _WORDS,
)
TAKES_ASIDE: Final = PhrasePattern(
    r"""
    [take draw pull lead steer beckon call tug drag] (?P<who>@[^@]+@) (aside|to one side|apart|(off )?into (a|
        the) (\w+ )?(corner|alcove|niche|nook)|out of (earshot|hearing)|a (few|little) (steps|paces|way) (away|
        off|apart|aside))\b
    [take draw pull lead steer beckon call tug drag] (?P<who2>@[^@]+@) away from (the (others|rest|group|fire|
        table)\b|@A@)
    """
)
GOES_BACK: Final = PhrasePattern(
    r"""
    [go come walk head climb step hurry run ride row slip get move turn] backEND
    [go come walk head climb step hurry run ride row slip get move turn] back (in|inside|into|down|up|upstairs|
        downstairs|aboard|over|out|indoors|across|through|and|with)\b
    [go come walk head climb step hurry run ride row slip get move turn] back to (?!(work|sleep|bed|reading|my|
        our (work|game)|the (subject|beginning|start))\b)
    [return]END
    [return] (inside|with|alone|and|again)\b
    [return] to (?!(my|the (subject|book|work))\b)
    [rejoin]\b
    (am|are) back\b
    """,
    _WORDS,
)
"""The hero goes back to those whom they left."""
GOES: Final = PhrasePattern("GO", _WORDS)
GOES_ABOUT_HERE: Final = PhrasePattern(
    r"""
    GO DIRECTION((over|across|back) )?(in)?to bed\b(?! (upstairs|below|downstairs|at|in (my|our|the|a|another))\b)
    GO DIRECTION((over|across|up|close) )?to (the|my|our|his|her|their|a) (\w+ )?horses?(END| (and|to|in|by|at|again|
        with)\b)
    [retire withdraw] to bed\b(?! (upstairs|below|downstairs|at|in (my|our|the|a|another))\b)
    """,
    _WORDS,
)
"""What of these words that lead others away leads the hero only to another part of where the scene is."""
COMPANY_GOES: Final = PhrasePattern(
    "[go walk ride head sail set climb move press travel run leave make hurry march row drive step slip]"
)
SHOUTS: Final = re.compile(
    r"(?:raises?\s+(?:my|your|our|his|her)\s+voice|(?:calls?|shouts?|yells?)\s+(?:out|across|to\s+@A@))"
)
