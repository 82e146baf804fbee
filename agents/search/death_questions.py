"""Reads whether a question asks if somebody is dead, and whether a text tells of that death. Pure.

A text that names somebody beside another's death (`Osk falls dead beside the dog.`) does not tell of theirs.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final, TypeGuard

from agents.canon_keeper.fact_readings import ALIVE, IS, IS_NOT, SUBJECT, is_true_death
from agents.prose.speech import strip_speech
from agents.prose.words import split_sentences
from agents.search.asked_deeds import find_asked_deed
from agents.search.normal_words import has_word_like, normalize_word, word_forms
from agents.search.question import RecordQuestion
from agents.search.question_names import QuestionName
from agents.search.relatives import is_relative_of
from agents.search.result_validity import is_ended
from stores.records.canon import Fact, FactKind, FactStatus, Standing
from stores.records.ids import Id

_DEATH_FORMS: Final = word_forms("die died dies dead death alive kill killed kills slain")
_KILL: Final = normalize_word("kill")
_DIES: Final = re.compile(
    r"\b(?:dies?|died|(?<!\bthe )(?<!\ba )dead|dying|death|alive|(?:is|was|were|been)\s+(?:killed|slain))\b",
    re.IGNORECASE,
)
"""`The dead man` is somebody else."""
_KILLS: Final = re.compile(r"\b(?:kills?|killed|slays?|slew|death\s+of|killing\s+of)\b", re.IGNORECASE)
_KILLS_BY: Final = re.compile(
    r"\b(?:kill(?:s|ed)?|slays?|slew|slain|murder(?:s|ed)?|strangle[sd]?|stab(?:s|bed)?|poison(?:s|ed)?)\b",
    re.IGNORECASE,
)
_BY: Final = re.compile(r"\bby (.+)", re.IGNORECASE)
_PRONOUN: Final = re.compile(r"\b(?:I|you|he|she|they|we|who)\b", re.IGNORECASE)
_ANY_DEATH: Final = re.compile(
    r"\b(?:dies|died|(?:is|are|was|were|be|been|lies|lay|falls|fell|found|drops|dropped) (?:\w+ly )?dead"
    r"|kill(?:s|ed)|slays|slew|slain|murder(?:s|ed)|beheaded|hanged|executed|strangled|drown(?:s|ed)"
    r"|(?:bled|beaten|stabbed|burned|burnt|starved|froze|frozen|crushed|put) to death|(?:death|murder|killing) of)\b",
    re.IGNORECASE,
)
_NO_DEATH: Final = re.compile(r"\b(?:not|never|nobody|no one|none|nearly|almost)\b|n['’]t\b", re.IGNORECASE)
_ONLY_MEANT: Final = re.compile(
    r"\b(?:will|would|shall|should|could|may|might|must|can|(?<!came )(?<!come )"
    r"(?<!manages )(?<!managed )(?<!help )(?<!helps )(?<!helped )to)\s+(?:not\s+|never\s+|\w+ly\s+)?(?:be\s+)?$",
    re.IGNORECASE,
)
"""Before a deed that is promised, planned or feared: `Corm promised Isa that he will kill Osk.`"""
_ASKS_WHAT_IS_MEANT: Final = re.compile(
    r"\b(?:will|would|wants?|wanted|plan(?:s|ned)?|means?|meant|tr(?:y|ies|ied)|threaten(?:s|ed)?|going to"
    r"|promis(?:e|es|ed)|vow(?:s|ed)?|swears?|swore|sworn)\b",
    re.IGNORECASE,
)
_SUBORDINATE_CLAUSE: Final = re.compile(
    r"(?<=\w )(?:after|when|before|since|once|while|until|because|the (?:night|day|hour|week|year|time)) "
    r"(?!did |is |was ).*",
    re.IGNORECASE,
)
_ASKS_WHO_DIED: Final = re.compile(
    r"^(?:who|which (?:of )?\w+|how many(?: \w+)?)(?: all)?(?:['’]s| is| are| has| have)?(?: all)?"
    r" (?:died|dead|dies|been killed)\b",
    re.IGNORECASE,
)
_ASKS_KILLER: Final = re.compile(
    r"^(?:who|what|which)\b(?!['’]s| is| was| has died| died| dies| are| were)"
    r".*\b(?:kill\w*|slew|slays?|slain|murder\w*|strangled|stabbed|poisoned)\b",
    re.IGNORECASE,
)
_BEFORE_DEATH_OF: Final = re.compile(
    r"\b(?:before|after|earlier than|later than|sooner than)\s+(?:the (?:death|killing) of\s+)?(?P<other>[^?.!]{2,60}?)"
    r"(?:['’]s? (?:death|killing)|\s+(?:did|died|was killed|was|(?:was )?dead))?[\s?.!]*$",
    re.IGNORECASE,
)
_ASKS_FIRST_DEATH: Final = re.compile(
    r"\b(?:died|dies|killed|dead|die)\s+(?:first|last|earlier|later|sooner)\b"
)
_PLACE_WORDS: Final = frozenset({"in", "at", "on", "near", "outside", "inside"})
_POSSESSIVE: Final = re.compile(r"['’]s?(?=\s+\w)")
_OWNS: Final = re.compile(r"['’]s?\s+(?!(?:death|body|corpse|murder|grave|killing)\b)", re.IGNORECASE)
"""`Osk's mother` is somebody else."""
_REST_OF_NAME: Final = re.compile(r"(?:\s+[A-Z][\w'’-]+)+")
_CONDITION: Final = re.compile(
    r"\s+(?:is|was|seems|looks|lies|remains|feels)\s+(?!(?:the|an?|my|your|his|her|in|at|on|of|from|to)\b)",
    re.IGNORECASE,
)
"""How somebody is: not what they are, or where."""
_OTHER_NAME: Final = re.compile(r"\b[A-Z]")


def asks_about_death(question: RecordQuestion) -> bool:
    """Say whether the question asks if somebody is dead or alive, be they in canon or not.

    `Where did Dob sleep after his father died?` asks for something else.
    """
    main_clause = _SUBORDINATE_CLAUSE.sub("", question.text)
    asks_it = question.content_words & _DEATH_FORMS & word_forms(main_clause)
    return bool(asks_it and find_asked_deaths(question))


def asks_for_all_deaths(question: RecordQuestion) -> bool:
    """Say whether the question asks who all are dead: `Who has died?`."""
    return not question.names and _ASKS_WHO_DIED.match(question.text.strip()) is not None


def asks_who_killed(question: RecordQuestion) -> bool:
    """Say whether the question asks who or what killed somebody, or whether and why somebody did.

    That they are dead does not say it.
    """
    return _ASKS_KILLER.match(question.text.strip()) is not None or bool(find_asked_killers(question))


def find_asked_deaths(question: RecordQuestion) -> tuple[QuestionName, ...]:
    """Return whose death may be asked for.

    That is neither Osk in `Osk's dog` nor Harl in `Who died in Harl?`, nor who kills in `Who did Osk kill?`.
    """
    killers = find_asked_killers(question)
    return tuple(
        name for name in question.names if name not in killers and not _is_owner_or_place(question.text, name)
    )


def find_compared_deaths(question: RecordQuestion) -> tuple[Id, ...]:
    """Return the two whose deaths a question compares by time: `Did Wick die before Vess?`; nobody if it does not."""
    killers = find_asked_killers(question)
    asked = [name for name in question.names if len(name.entity_ids) == 1 and name not in killers]
    if len(asked) != 2 or not asks_about_death(question):
        return ()
    other = _BEFORE_DEATH_OF.search(question.text)
    name_words = {word for name in asked for word in name.normalized_words}
    is_of_death = other is not None and not word_forms(other["other"]) - name_words
    if not is_of_death and not _ASKS_FIRST_DEATH.search(question.text):
        return ()
    return tuple(dict.fromkeys(next(iter(name.entity_ids)) for name in asked))


def find_asked_killers(question: RecordQuestion) -> tuple[QuestionName, ...]:
    """Return who kills in a question: Osk in `Who did Osk kill?` and `Did Osk kill Wat?`."""
    deed = find_asked_deed(question)
    if deed is None or not has_word_like(_KILL, {deed.verb}):
        return ()
    return tuple(name for name in question.names if name.normalized_words & deed.subject_words)


def tells_asked_death(question: RecordQuestion, text: str) -> bool:
    """Say whether a text tells of the death or killing that a question asks for; yes if it asks for neither."""
    if asks_about_death(question):
        return tells_of_death(question, text)
    return not find_asked_killers(question) or tells_of_killing(question, text)


def tells_of_death(question: RecordQuestion, text: str) -> bool:
    """Say whether a text tells that somebody whom the question names dies, is dead or is alive.

    A promise, a plan and a fear tell of it only to a question for one: `Who will kill Osk?`. To `Who has died?` any
    death does, and that somebody is alive does not.
    """
    if asks_for_all_deaths(question):
        return any(map(_tells_any, split_sentences(text)))
    asks_what_is_meant = _ASKS_WHAT_IS_MEANT.search(question.text) is not None
    return any(_tells(question, sentence, asks_what_is_meant) for sentence in split_sentences(text))


def tells_of_killing(question: RecordQuestion, text: str) -> bool:
    """Say whether a text tells that somebody of whom a question asks it killed, and what else it asks of that.

    `Vess kills Teodor` does not say why Vess killed the dog.
    """
    killer_words = frozenset(w for name in find_asked_killers(question) for w in name.normalized_words)
    asks_what_is_meant = _ASKS_WHAT_IS_MEANT.search(question.text) is not None
    other_words = {word for word in question.content_words if not has_word_like(_KILL, {word})}
    for sentence in split_sentences(text):
        forms = word_forms(sentence)
        kills = _KILLS_BY.search(sentence)
        if kills is None or (other_words and not any(has_word_like(word, forms) for word in other_words)):
            continue
        is_meant = _ONLY_MEANT.search(sentence, 0, kills.start()) is not None
        if is_meant and not asks_what_is_meant:
            continue
        before, after = sentence[: kills.start()], sentence[kills.end() :]
        by = _BY.search(after)
        if word_forms(by[1] if by else before) & killer_words or (not by and _PRONOUN.search(before)):
            return True
    return False


def remove_told(text: str, told_texts: Collection[str]) -> str:
    """Return a text without what is spoken in it, and without the sentences that say who told one of these things."""
    told_forms = [word_forms(told) for told in told_texts]
    return " ".join(
        sentence
        for sentence in split_sentences(strip_speech(text))
        if not any(told < word_forms(sentence) for told in told_forms)
    )


def subject_of(fact: Fact) -> Id | None:
    """Return whom a fact is about."""
    return next((i.entity_id for i in fact.involves if i.role == SUBJECT), None)


def is_death(fact: Fact) -> bool:
    """Say whether a fact of canon is that somebody is dead, and was not taken back."""
    return is_true_death(fact) and fact.status is FactStatus.CANONICAL


def is_survival(fact: Fact) -> bool:
    """Say whether a fact of canon is that somebody is alive, as of now."""
    is_said_so = fact.predicate == ALIVE and fact.value is True and fact.standing is Standing.TRUE
    return is_said_so and fact.status is FactStatus.CANONICAL and not is_ended(fact)


def bears_on_death(question: RecordQuestion, fact: Fact, statement: str, *, is_about: bool) -> bool:
    """Say whether a fact tells of a named death, or says how somebody is of whom the question asks it."""
    asked_ids = {entity_id for name in find_asked_deaths(question) for entity_id in name.entity_ids}
    if fact.predicate == ALIVE:
        return subject_of(fact) in asked_ids
    is_state = fact.kind in (FactKind.STATE, FactKind.ATTRIBUTE) and not is_ended(fact)
    is_of_them = subject_of(fact) is None or subject_of(fact) in asked_ids
    says_condition = is_state and is_about and is_of_them and _says_condition(question, fact)
    return says_condition or tells_of_death(question, statement)


def _tells_any(sentence: str) -> bool:
    death = _ANY_DEATH.search(sentence)
    return (
        death is not None
        and _ONLY_MEANT.search(sentence, 0, death.start()) is None
        and _NO_DEATH.search(sentence, 0, death.end()) is None
    )


def _is_owner_or_place(text: str, name: QuestionName) -> bool:
    words = list(re.finditer(r"[^\W_]+", text))
    positions = [n for n, word in enumerate(words) if word_forms(word[0]) & name.normalized_words]
    if not positions:
        return False
    before = words[positions[0] - 1][0].casefold() if positions[0] else ""
    if is_relative_of(text[: words[positions[0]].start()]):
        return True
    return before in _PLACE_WORDS or _POSSESSIVE.match(text, words[positions[-1]].end()) is not None


def _says_condition(question: RecordQuestion, fact: Fact) -> bool:
    """Say whether a fact says how somebody is: `Osk is only stunned`, HP of 0. A number above it says nothing."""
    if isinstance(fact.value, int | float) and not isinstance(fact.value, bool):
        return fact.value <= 0
    return fact.predicate in (IS, IS_NOT) or any(
        _CONDITION.match(fact.statement, word.end())
        for name in find_asked_deaths(question)
        for word in re.finditer(r"[^\W_]+", fact.statement)
        if word_forms(word[0]) & name.normalized_words
    )


def _tells(question: RecordQuestion, sentence: str, asks_what_is_meant: bool) -> bool:
    def is_told(match: re.Match[str] | None) -> TypeGuard[re.Match[str]]:
        return match is not None and (
            asks_what_is_meant or _ONLY_MEANT.search(sentence, 0, match.start()) is None
        )

    for name in find_asked_deaths(question):
        for begin, end in _find_spans(name, sentence):
            if _OWNS.match(sentence, end):
                continue
            rest_of_name = _REST_OF_NAME.match(sentence, end)
            end = rest_of_name.end() if rest_of_name else end
            dies = _DIES.search(sentence, end)
            kills = max(_KILLS.finditer(sentence, 0, begin), key=lambda m: m.start(), default=None)
            if is_told(dies) and not _OTHER_NAME.search(sentence, end, dies.start()):
                return True
            if is_told(kills) and not _OTHER_NAME.search(sentence, kills.end(), begin):
                return True
    return False


def _find_spans(name: QuestionName, sentence: str) -> list[tuple[int, int]]:
    """Return where a sentence has words of a name, those beside each other as one."""
    spans: list[tuple[int, int]] = []
    for word in re.finditer(r"[^\W_]+", sentence):
        if not word_forms(word[0]) & name.normalized_words:
            continue
        if spans and not sentence[spans[-1][1] : word.start()].strip():
            spans[-1] = (spans[-1][0], word.end())
        else:
            spans.append((word.start(), word.end()))
    return spans
