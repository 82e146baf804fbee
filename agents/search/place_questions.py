"""Recognizes questions where somebody or a thing is, or who is here, and the sentences that say it. Pure.

Where a thing is, is where it lies or who has it. `Dob's ring` is the ring: a thing is known by its last word.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agents.canon_keeper.fact_readings import LOCATED_IN, OBJECT, SUBJECT
from agents.prose.names import HONORIFICS
from agents.prose.words import split_sentences
from agents.resolver.phrasings import word_set
from agents.search.normal_words import LOCATION_WORDS, normalize_word, word_forms
from agents.search.question import RecordQuestion
from agents.search.question_names import QuestionName
from agents.typed_text import plain_line
from stores.records.canon import Involvement
from stores.records.ids import Id
from stores.records.world import Entity

_NOW: Final = r"(?: (?:right |just )?now| at the moment| currently| these days| today)?"
_ASKS_WHERE: Final = re.compile(rf"where(?:['’]s| is| am| are) (?P<who>.+?){_NOW}[\s?.!]*", re.IGNORECASE)
_ASKS_WHERE_TO: Final = re.compile(
    rf"where (?:did|has|have) (?P<who>.+?) (?:go|gone|run|leave|left|walk|travel|flee|fled|ride|end up|get to)(?: to)?"
    rf"{_NOW}[\s?.!]*",
    re.IGNORECASE,
)
_ASKS_WHO_HAS: Final = re.compile(
    rf"who(?:['’]s got| (?:now |still )?(?:has got|has|have|holds|keeps|carries|wears|took|got)) (?P<who>.+?)"
    rf"{_NOW}[\s?.!]*",
    re.IGNORECASE,
)
_ASKS_WHO_IS_HERE: Final = re.compile(
    rf"who(?:['’]s| is| are)(?: all| else)? (?:here|present|around|with (?:me|us)|in (?:the|this) scene){_NOW}[\s?.!]*",
    re.IGNORECASE,
)
_PUT: Final = r"(?:kept|hidden|stored|stashed|stowed|locked|put)"
_ASKS_OF_STATE: Final = re.compile(
    rf".+ (?:{_PUT}|buried|held|imprisoned|living|hiding|working|staying|sleeping|sitting|standing|waiting)"
    r"(?: up| away)?",
    re.IGNORECASE,
)
"""Somebody and what they do or what is done to them there: `Where is Osk buried?`."""
_ASKS_WHERE_PUT: Final = re.compile(
    r"(?:and |but |so )?where (?:(?:is|was|are|were|has|have|had) (?P<kept>.+?) (?:been )?"
    rf"{_PUT}|(?:do|does|did) .+? (?:keep|hide|store|stash|stow|lock|put|carry) (?P<put>.+?))(?: up| away)?"
    r"(?: (?:before|after|when|while|until|in|at|on|from|for|so|during|all|now)\b.*)?[\s?.!]*",
    re.IGNORECASE,
)
PUTTING_WORDS: Final = frozenset(
    map(
        normalize_word,
        word_set("keep kept hide hidden store stored stash stashed stow stowed lock locked put carry"),
    )
)
"""Words for it in such a question: that the thing is somewhere answers it."""
_GRAVES: Final = frozenset({"grav", "tomb"})
_IS_BURIED: Final = re.compile(
    r"\b(?:bur(?:y|ies|ied)|laid to rest)\b.*\b(?:in|at|under|beneath|beside|by|near|behind|outside|between)\b",
    re.IGNORECASE,
)
_HERO_WORDS: Final = frozenset({"i", "we"})
_OWNER: Final = re.compile(
    r"(?:(?P<owner>.+?)['’]s?|my|our|your|his|her|their|its) (?P<thing>.+)", re.IGNORECASE
)
_PHRASE_WORDS: Final = 5
"""Words of what is sought, at most: more is a sentence of its own."""
_CLAUSE_WORDS: Final = word_set(
    "that which who whom when while if after before because since to from with and or than as i we you"
)
_PARTICIPLES: Final = word_set(
    "been died gone done become betrayed lied lost seen met fallen broken sworn promised told"
)
"""`Who has died?` asks for no thing."""
_ARTICLES: Final = word_set("the a an")
_DETERMINERS: Final = _ARTICLES | word_set("the a an this that my our your his her their its")
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*['’]?|[,;:—–]")

_ONLY_COMES: Final = re.compile(r"[^.!?;,]+ (?:comes|came) (?:in|back|along)(?: again)?[.!]?")
_COMPOUND: Final = re.compile(r"\b[a-z]+(?:-[a-z]+)+")
"""`Left-handed` leaves no place."""
_IS: Final = frozenset({"is", "are", "was", "were", "be", "been", "being"})

_IS_SOMEWHERE: Final = word_set(
    "is are was were be been lies lie lay lying stands stand stood sits sit sat hangs hang hung rests "
    "rest rested sleeps sleep slept lives live lived works work worked waits wait waited hides hide hid "
    "hiding waiting sitting standing sleeping living buried hidden locked kept held imprisoned"
)
"""Verbs after which a place is said."""
_IS_NOT_SOMEWHERE: Final = re.compile(r"\b(?P<verb>is|are) (?:not|no longer)\b", re.IGNORECASE)
_OF_A_THING: Final = frozenset(
    {"the", "a", "an", "his", "her", "its", "their", "my", "our", "your", "all", "some"}
)
_TOWARDS: Final = frozenset({"to", "into", "toward", "towards", "through", "at", "in", "across", "over"})
_STAYS_OR_GOES: Final = word_set(
    "stays stay stayed staying remains remain remained goes go went gone going leaves leave left leaving "
    "walks walk walked walking runs run ran running rides ride rode riding flees flee fled fleeing "
    "travels travel travelled traveled sails sail sailed departs depart departed arrives arrive arrived "
    "returns return returned comes come came climbs climb climbed heads headed hurries hurry hurried "
    "slips slip slipped sneaks sneak sneaked vanishes vanish vanished disappears disappear disappeared "
    "escapes escape escaped moves move moved enters enter entered reaches reach reached follows follow "
    "followed steps step stepped wanders wander wandered marches march marched drives drove"
)
_MOVED: Final = word_set("taken brought led carried sent moved dragged marched driven escorted transferred")
_TO_WHERE: Final = frozenset({"to", "into", "back", "home", "away", "upstairs", "downstairs", "ashore"})
"""What follows these, if somebody is somewhere by it: `is taken to the gaol`."""
_TAKES_A_PLACE: Final = word_set(
    "leaves leave left enters enter entered reaches reach reached follows follow followed"
)
"""Verbs of these that a place or somebody may follow without a preposition."""
_AFTER_A_MOVE: Final = LOCATION_WORDS | word_set(
    "to into onto from for home away behind back out up down here there toward towards through across "
    "along past over around with without alone together north south east west ahead ashore upstairs "
    "downstairs then again and by"
)
_WHEREABOUTS: Final = LOCATION_WORDS | word_set(
    "here there home away behind back gone missing upstairs downstairs ashore abroad among with by"
)
_HAS_OR_PUTS: Final = word_set(
    "has have had holds hold held keeps keep kept carries carry carried wears wear wore owns own owned "
    "takes take took taken steals steal stole stolen gets get got bears bore pockets pocketed gives give "
    "gave given hands handed passes passed lends lent puts put hides hide hid lays laid leaves left drops "
    "drop dropped throws threw loses lost buries buried sells sold buys bought brings brought finds found "
    "receives received grabs grabbed snatches snatched burns burn burnt burned destroys destroy destroyed "
    "shatters shattered tears tore"
)
_HOLDS: Final = word_set("has have holds hold keeps keep carries carry wears wear owns own")
"""Verbs of these that say who has a thing; the others tell what was done with it at a time."""
_GIVES: Final = word_set(
    "gives give gave given hands handed passes passed lends lent sells sold brings brought buys bought "
    "throws threw leaves left"
)
"""Verbs of these that may have first whoever gets the thing: `gave Bram his parcel`."""
_PARTS_WITH: Final = _GIVES | word_set("loses lose lost drops drop dropped leave give sell lend hand pass")
"""Verbs of these after which who did it has the thing no more: who did not do it may have it still."""
_DENIALS: Final = word_set("not never neither nor")
_AUXILIARIES: Final = word_set("do does did will would could can ever even yet")
_NOT_WHAT_IS_HAD: Final = frozenset({"to", "by", "from"})
"""`Sold to Bram` and `stolen by Ketta` say nothing of where those two are."""
_OPENS_CLAUSE: Final = frozenset({"that", "who", "which", "where", "when", "while", "because"})
_OWNED: Final = tuple([word] for word in ("mine", "yours", "his", "hers", "ours", "theirs"))
_IS_OWNED: Final = re.compile(r"['’]s (?=(?:mine|yours|hers|ours|theirs)\b)")
_KEEPERS: Final = word_set("keeper owner holder bearer")
_WORDS_OF_DESCRIPTION: Final = 8
"""Words after a thing that may describe it, before its place: `a house with a heron on the door, in Canal Row`."""
_NO_MORE: Final = word_set("destroyed burnt burned ash ashes shattered")
"""What a thing is that is nowhere."""
_BEFORE_VERB: Final = word_set(
    "now still then already also just later soon finally quickly slowly quietly both has have had is are "
    "was were and being"
)
_PRONOUNS: Final = frozenset({"he", "she", "they", "it"})
_NO_PLACES: Final = word_set(
    "debt love pain danger trouble tears shock doubt mourning charge command luck need peace despair agony grief fear "
    "rage fury awe disgrace favour favor league labour labor arrears war odds ease risk fault oath arrest "
    "suspicion pressure"
)
"""What somebody is in, at or under who is nowhere by it."""
_MAX_WORDS_BEFORE_PLACE: Final = 3
_MAX_WORDS_TO_THING: Final = 5
_PLACE_PREDICATES: Final = frozenset({LOCATED_IN, "buried_in", "owned_by"})
"""Predicates that say of their subject where it is."""
_FUTURE: Final = word_set("will would shall may might could should must")
_MEANS_TO_DO: Final = word_set(
    "promise promises promised swear swears swore offer offers offered want wants wanted hope hopes hoped plan plans "
    "planned"
)
_WORDS_BEFORE_MEANT: Final = 4
_COMMITMENT_PREDICATES: Final = frozenset({"promised", "owes"})
"""Predicates that say where nobody is: `promised to take Mara across` is yet to be."""
_HOLDING_PREDICATES: Final = frozenset({"contains", "owns"})
"""Predicates that say it of their object."""


@dataclass(frozen=True, slots=True)
class SoughtOne:
    """Whose whereabouts a question asks for: somebody, or a thing."""

    words: frozenset[str]
    """The words that name it, in normal form."""
    entity_ids: frozenset[Id]
    is_name: bool = False
    """Whether it is a name: a text may have only a part of it."""
    owner_words: frozenset[str] = frozenset()
    """The words of whoever is said to own it; empty if nobody is."""


def asks_who_is_here(question: RecordQuestion) -> bool:
    """Say whether the question asks who is present."""
    return _ASKS_WHO_IS_HERE.fullmatch(question.text.strip()) is not None


def asks_where_hero_is(question: RecordQuestion) -> bool:
    """Say whether the question asks where the player's character is."""
    matched = _ASKS_WHERE.fullmatch(question.text.strip())
    return matched is not None and matched["who"].casefold() in _HERO_WORDS


def find_sought(question: RecordQuestion) -> tuple[QuestionName, ...]:
    """Return whose whereabouts the question asks for, and nothing else."""
    matched = _ASKS_WHERE.fullmatch(question.text.strip())
    if matched is None or question.content_words:
        return ()
    sought = read_sought_one(question)
    has_owner = sought is not None and bool(sought.owner_words)
    return tuple(
        n for n in question.names if not (has_owner and sought and n.normalized_words != sought.words)
    )


def read_sought_one(question: RecordQuestion) -> SoughtOne | None:
    """Return who or what a question asks for: `Where is Greta?`, `Where did Dob go?`, `Who has Dob's ring now?`."""
    text = plain_line(question.text).strip()
    matched = next(
        (m for p in (_ASKS_WHERE, _ASKS_WHERE_TO, _ASKS_WHO_HAS) if (m := p.fullmatch(text)) is not None),
        None,
    )
    if matched is None:
        return None
    phrase = matched["who"].strip()
    if _ASKS_OF_STATE.fullmatch(phrase):
        return None
    return _read_phrase(question, phrase)


def read_put_thing(question: RecordQuestion) -> SoughtOne | None:
    """Return the thing of which it is asked where somebody put or keeps it: `Where did Osk hide the ring?`."""
    matched = _ASKS_WHERE_PUT.fullmatch(plain_line(question.text).strip())
    return None if matched is None else _read_phrase(question, (matched["kept"] or matched["put"]).strip())


def _read_phrase(question: RecordQuestion, phrase: str) -> SoughtOne | None:
    """Return who or what a phrase means: the ring in `Dob's ring`."""
    whole_words = _name_words(phrase)
    owned = None if _find_name(question, whole_words) else _OWNER.fullmatch(phrase)
    owner_words = _name_words(owned["owner"] or "") if owned else ()
    words = _name_words(owned["thing"])[-1:] if owned else whole_words
    if not owned and phrase.casefold() in _HERO_WORDS and question.asker_names:
        name_words = frozenset[str]().union(*(n.normalized_words for n in question.asker_names)) - HONORIFICS
        return SoughtOne(name_words, question.asker_ids, is_name=True)
    if not (words and _is_noun_phrase(phrase)):
        return None
    name = _find_name(question, words)
    return SoughtOne(
        frozenset(words),
        name.entity_ids if name else frozenset(),
        is_name=all(word[0].isupper() for word in phrase.split() if word not in _DETERMINERS),
        owner_words=frozenset(owner_words),
    )


def tells_whereabouts(sought: SoughtOne, text: str) -> bool:
    """Say whether a text tells where the one sought is, stays or goes, or who has it."""
    is_about_sought = False
    for sentence in split_sentences(text):
        tokens = _WORD.findall(_IS_OWNED.sub(" is ", _join_compounds(sought, plain_line(sentence))))
        words = [token.casefold().replace("’", "'") for token in tokens]
        # `Dob nods. He goes to the mill.`
        if not _GRAVES.isdisjoint(sought.words) and _tells_burial(sought, sentence):
            return True
        if is_about_sought and words[:1] and words[0] in _PRONOUNS and _says_where_it_is(tokens, words, 1):
            return True
        spans = _find_spans(sought, [normalize_word(word) for word in words])
        if any(
            _says_where_it_is(tokens, words, end)
            or _says_who_has_it(tokens, words, (begin, end))
            or _says_whose_it_is(words, end)
            or (not sought.is_name and _is_before_place(words, end))
            for begin, end in spans
            if not _has_other_owner(sought, words, begin) and not _is_yet_to_be(words[:begin])
        ):
            return True
        is_about_sought = bool(spans) and spans[0][0] <= 1
    return False


def _tells_burial(sought: SoughtOne, sentence: str) -> bool:
    """Say whether a sentence tells where the owner of a grave is buried."""
    is_of_owner = bool(sought.owner_words) and sought.owner_words <= word_forms(sentence)
    return is_of_owner and _IS_BURIED.search(sentence) is not None


def _is_yet_to_be(words_before: Sequence[str]) -> bool:
    """Say whether what is told of somebody is promised or meant only: `Vess will take Mara to the wreck`."""
    near = words_before[-_WORDS_BEFORE_MEANT:]
    is_meant_to = "to" in near[1:] and not _MEANS_TO_DO.isdisjoint(near[: near.index("to")])
    return is_meant_to or not _FUTURE.isdisjoint(near[:-1])


def tells_only_coming(text: str) -> bool:
    """Say whether a text tells no more than that somebody came to where the scene was then: `Dob comes in`."""
    return _ONLY_COMES.fullmatch(text.strip()) is not None


def tells_passing_of_thing(sought: SoughtOne, text: str) -> bool:
    """Say whether a text tells what was done with the one sought, after which it may be with somebody else by now."""
    tokens = _WORD.findall(plain_line(text))
    words = [token.casefold() for token in tokens]
    spans = _find_spans(sought, [normalize_word(word) for word in words])
    return any(_says_who_has_it(tokens, words, span, _HAS_OR_PUTS - _HOLDS) for span in spans)


def is_fact_of_whereabouts(
    sought: SoughtOne, predicate: str, involved: Sequence[Involvement], statement: str
) -> bool:
    """Say whether a fact tells where the one sought is or who has it, by its predicate or its words."""
    role = {**dict.fromkeys(_PLACE_PREDICATES, SUBJECT), **dict.fromkeys(_HOLDING_PREDICATES, OBJECT)}.get(
        predicate
    )
    if role is not None and any(i.role == role and i.entity_id in sought.entity_ids for i in involved):
        return True
    if predicate in _COMMITMENT_PREDICATES:
        return False
    # A fact about the sealed letter may call it the letter.
    is_about = any(i.entity_id in sought.entity_ids for i in involved)
    sought = replace(sought, is_name=sought.is_name or is_about)
    return tells_whereabouts(sought, statement) or (is_about and denies_whereabouts(sought, statement))


def denies_whereabouts(sought: SoughtOne, text: str) -> bool:
    """Say whether a text tells only where the one sought is not: `Vane is not in Lowgarth`."""
    affirmed_text = _IS_NOT_SOMEWHERE.sub(r"\g<verb>", text)
    return affirmed_text != text and tells_whereabouts(sought, affirmed_text)


def is_called(entity: Entity, name: QuestionName) -> bool:
    """Say whether a name of the question may mean somebody, of canon or only proposed."""
    return entity.id in name.entity_ids or any(
        name.normalized_words <= word_forms(one) for one in (entity.name, *entity.aliases)
    )


def _find_spans(sought: SoughtOne, forms: Sequence[str]) -> list[tuple[int, int]]:
    """Return where the one sought is named: the place of the first word, and of what follows the last."""
    spans: list[tuple[int, int]] = []
    begin = 0
    while begin < len(forms):
        end = begin
        while end < len(forms) and forms[end] in sought.words:
            end += 1
        if end > begin and (sought.is_name or sought.words <= frozenset(forms[begin:end])):
            spans.append((begin, end))
        begin = end + 1
    return spans


def _join_compounds(sought: SoughtOne, text: str) -> str:
    """Return a text in which compound words are one word, but for what is sought and its keeper."""

    def join(match: re.Match[str]) -> str:
        parts = match[0].split("-")
        is_sought = not sought.words.isdisjoint(map(normalize_word, parts))
        return match[0] if is_sought else "".join(parts)

    return _COMPOUND.sub(join, text)


def _has_other_owner(sought: SoughtOne, words: Sequence[str], begin: int) -> bool:
    """Say whether the thing is somebody else's: `Osk's ring` is not Dob's."""
    before = words[begin - 1] if begin else ""
    if not (sought.owner_words and before.endswith(("'s", "s'"))):
        return False
    return normalize_word(before.rstrip("'").removesuffix("'s")) not in sought.owner_words


def _says_where_it_is(tokens: Sequence[str], words: Sequence[str], end: int) -> bool:
    """Say whether a verb of staying or going follows: `Greta stays behind`, `the ring now lies in the well`."""
    position = end
    while position < len(words) and (
        (words[position] in _BEFORE_VERB and not _says_place(words, position))
        or (tokens[position][:1].isupper() and "'" not in words[position])
        or words[position].endswith("ly")
    ):
        position += 1
    return position < len(words) and _says_place(words, position)


def _says_whose_it_is(words: Sequence[str], end: int) -> bool:
    """Say whether an owner or a keeper follows: `the ferry is yours`, `the bridge-keeper`."""
    following = words[end : end + 2]
    return following[:1] != [] and (
        following[0] in _KEEPERS or (following[0] in ("is", "are") and following[1:] in _OWNED)
    )


def _is_before_place(words: Sequence[str], end: int) -> bool:
    """Say whether a place follows, perhaps after a description: `a kitchen in the shop`."""
    described = words[end : end + _WORDS_OF_DESCRIPTION]
    if described and (described[0].endswith("ed") or described[0] == "with"):
        comma = next((n for n, word in enumerate(described) if word == ","), None)
        described = described[comma + 1 :] if comma is not None else described[1:]
    return bool(described) and described[0] in LOCATION_WORDS


def _says_place(words: Sequence[str], position: int) -> bool:
    verb, rest = words[position], words[position + 1 :]
    if rest[:1] and rest[0] in ("in", "at", "under") and not _NO_PLACES.isdisjoint(rest[1:3]):
        return False  # `in debt`, `in deep trouble`, `at odds with Bela`
    if verb in ("comes", "came") and rest == ["to"]:
        return False  # who wakes goes nowhere
    if verb in ("is", "was", "are", "were") and rest and rest[0] in _NO_MORE:
        return True
    if verb in ("is", "was", "are", "were") and rest[:1] and rest[0] in _MOVED:
        return bool(rest[1:]) and rest[1] in _TO_WHERE
    if verb in _STAYS_OR_GOES:
        taken = rest[1:] if rest[:1] and rest[0] in ("off", "away") else rest
        if (
            taken[:1] == ["with"]
            and taken[1:2]
            and (taken[1] in _OF_A_THING or taken[1].endswith(("'s", "s'")))
        ):
            # `escaped with the letter` and `ran off with Osk's coins` do not say where to.
            return not _TOWARDS.isdisjoint(taken[2:])
        return (
            not rest
            or rest[0] in _AFTER_A_MOVE | {",", ";"}
            or (
                verb in _TAKES_A_PLACE
                # `Is left alone` and `is left handed` name no place.
                and not (position and words[position - 1] in _IS)
                and not {"with", "on", "in", "to"}.intersection(rest[2:5])
            )
        )
    if verb not in _IS_SOMEWHERE:
        return False
    for word in rest[:_MAX_WORDS_BEFORE_PLACE]:
        if word in _WHEREABOUTS:
            return True
        if not (word in _BEFORE_VERB or word in _IS_SOMEWHERE or word.endswith(("ing", "ly"))):
            return False
    return False


def _says_who_has_it(
    tokens: Sequence[str], words: Sequence[str], span: tuple[int, int], verbs: Collection[str] = _HAS_OR_PUTS
) -> bool:
    """Say whether a verb of having or putting comes shortly before: `Greta now has the ring`, `gives Osk the ring`."""
    begin, end = span
    before = words[max(0, begin - _MAX_WORDS_TO_THING) : begin]
    cuts = (n for n, word in enumerate(before) if not word[0].isalpha() or word in _OPENS_CLAUSE)
    clause = before[max(cuts, default=-1) + 1 :]
    if not clause or clause[-1] in ("of", "to", "and") or not any(word in verbs for word in clause):
        return False
    if _is_denied(words, begin - len(clause), begin, end):
        return False
    # `Sails to her sister` says that she has one.
    lead = _drop_last(clause, _ARTICLES | HONORIFICS)
    if lead and lead[-1] in _NOT_WHAT_IS_HAD and lead[-2:-1] != ["on"]:
        return False
    lead = _drop_last(lead, _DETERMINERS | HONORIFICS)
    is_bare_name = tokens[begin][0].isupper() and clause[-1] not in _DETERMINERS and "'" not in clause[-1]
    after = words[end] if end < len(words) else ""
    if lead and lead[-1] in _GIVES:
        # Of `gave Bram his parcel` and `brought Bram bread` it is not Bram that is given.
        return not after or (
            after in _AFTER_A_MOVE | {",", ";"} if is_bare_name else after not in _DETERMINERS
        )
    return not is_bare_name or (bool(lead) and (lead[-1] in verbs or lead[-1] in _BEFORE_VERB))


def _is_denied(words: Sequence[str], first: int, begin: int, end: int) -> bool:
    """Say whether the verb before a thing is denied: `never stole the bell`. Who never lost it may have it still."""
    verb = next((n for n in range(begin - 1, first - 1, -1) if words[n] in _HAS_OR_PUTS), None)
    if verb is None or words[verb] in _PARTS_WITH or words[end : end + 1] == ["off"]:
        return False
    before = list(words[first:verb])
    while before and (before[-1] in _BEFORE_VERB | _AUXILIARIES or before[-1].endswith("ly")):
        before.pop()
    is_denied = before[-1:] != [] and (before[-1] in _DENIALS or before[-1].endswith("n't"))
    return is_denied or before[-2:] == ["no", "longer"] or words[verb + 1 : verb + 2] == ["not"]


def _drop_last(words: Sequence[str], dropped: Collection[str]) -> list[str]:
    """Return the words without those at the end that are to be dropped."""
    kept = list(words)
    while kept and kept[-1] in dropped:
        kept.pop()
    return kept


def _name_words(phrase: str) -> tuple[str, ...]:
    words = [word.casefold() for word in re.findall(r"[^\W_]+", phrase)]
    return tuple(
        normalize_word(w) for w in words if w not in _DETERMINERS and w not in HONORIFICS and len(w) > 1
    )


def _is_noun_phrase(phrase: str) -> bool:
    """Say whether a phrase only names something: `brought the silver` and `the ring that Dob lost` do not."""
    words = phrase.casefold().split()
    return (
        len(words) <= _PHRASE_WORDS
        and words[0] not in _PARTICIPLES
        and not (len(words) == 1 and words[0].endswith("ed"))
        and _CLAUSE_WORDS.isdisjoint(words)
        and _DETERMINERS.isdisjoint(words[1:])
        and words[0] not in _HAS_OR_PUTS
    )


def _find_name(question: RecordQuestion, words: Sequence[str]) -> QuestionName | None:
    return next((n for n in question.names if n.normalized_words - HONORIFICS == frozenset(words)), None)
