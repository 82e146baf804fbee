"""A short way to write patterns of English phrases: one alternative a line, in words."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from functools import cached_property

from agents.prose.verb_forms import past_form, present_forms

_TOKEN = r"\[(?P<verbs>[a-z ]+)\]|(?P<open>\((?!\?))|(?P<blank> +)"


def phrases(text: str, words: Mapping[str, str] | None = None) -> str:
    """Return a pattern for any of the lines of `text`.

    A blank stands for any blanks, `[go walk]` for these verbs in the present and the past (`go`, `goes`, `went`,
    `walk`, `walks`, `walked`), a name in capitals for the pattern of that name in `words`; brackets group and capture
    nothing. All else is a regular expression. A line that is indented further goes on with the line before.
    """
    words = words or {}
    names = "|".join(sorted(words, key=len, reverse=True)) or "(?!)"
    token = re.compile(rf"(?P<name>{names})|{_TOKEN}")
    lines = _join_continued_lines(text)
    return "(?:" + "|".join(token.sub(lambda m: _expand(m, words), line) for line in lines) + ")"


def _join_continued_lines(text: str) -> list[str]:
    lines = [line for line in text.splitlines() if line.strip()]
    indentation = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    joined_lines: list[str] = []
    for line in lines:
        part = line.strip()
        if joined_lines and len(line) - len(line.lstrip()) > indentation:
            joint = "" if joined_lines[-1].endswith("|") else " "
            joined_lines[-1] += f"{joint}{part}"
        else:
            joined_lines.append(part)
    return joined_lines


class PhrasePattern:
    """The pattern of `phrases`, compiled when it is first needed: to compile all of them takes a third of a second."""

    def __init__(self, text: str, words: Mapping[str, str] | None = None, flags: int = 0) -> None:
        self._text = text
        self._words = words
        self._flags = flags
        _patterns.append(self)

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(phrases(self._text, self._words), self._flags)

    def match(self, text: str, position: int = 0) -> re.Match[str] | None:
        return self.compiled.match(text, position)

    def search(self, text: str, position: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        return self.compiled.search(text, position, end)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return self.compiled.finditer(text)


_patterns: list[PhrasePattern] = []


def compile_phrase_patterns() -> None:
    """Compile the pattern of every module that is loaded, so that no line of play has to wait for it."""
    for pattern in _patterns:
        _ = pattern.compiled


def _expand(token: re.Match[str], words: Mapping[str, str]) -> str:
    if token["verbs"]:
        forms = (f"{present_forms(verb)}|{past_form(verb)}" for verb in token["verbs"].split())
        return "(?:" + "|".join(forms) + r")\b"
    if token["name"]:
        return words[token["name"]]
    return "(?:" if token["open"] else r"\s+"
