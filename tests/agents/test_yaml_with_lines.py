"""Hand-written YAML: what is read, what is refused, and that nothing but a refusal ever comes of bad input."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.yaml_with_lines import UnreadableYaml, load_yaml

_FRAGMENTS = st.sampled_from(
    [
        "a",
        ": ",
        "- ",
        "\n",
        "  ",
        "!!bool ",
        "!!int ''",
        "!x ",
        "? ",
        "&a ",
        "*a",
        "{",
        "}",
        "[",
        "]",
        "<<: ",
        "= ",
        "0b_",
        "2001-99-99",
        "1e999",
        ".inf",
        "'",
        '"',
        "---\n",
        "\x00",
        ">",
        "#",
    ]
)


@pytest.mark.parametrize(
    "text",
    [
        "id: !!bool maybe",
        "id: !!int ''",
        "id: !!float ''",
        "id: !!timestamp foo",
        "id: !!set [1]",
        "id: !mine 1",
    ],
)
def test_yaml_with_an_explicit_tag_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(UnreadableYaml, match="line 2, column 5: explicit tags"):
        load_yaml(f"name: x\n{text}")


@given(st.lists(_FRAGMENTS, max_size=30).map("".join))
def test_yaml_of_any_shape_is_read_or_refused_in_words(text: str) -> None:
    def read() -> str:
        try:
            return load_yaml(text).line_of(("a", 0, "key"))
        except UnreadableYaml as refusal:
            return str(refusal)

    assert read()


@pytest.mark.slow
def test_yaml_line_of_each_of_many_keys_is_its_own() -> None:
    document = load_yaml("\n".join(f"k{number}: {{a: [1, 2]}}" for number in range(20_000)))
    lines = [document.line_of((f"k{number}", "a", 1)) for number in range(20_000)]
    assert lines[0] == "line 1 (k0, a, entry 2)"
    assert lines[-1] == "line 20000 (k19999, a, entry 2)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title: [", "line 1, at its end: "),
        ("a: 1\nb: \x07", "line 2: the character U+0007 is not read here"),
        ("ä: \ufffd\n\x00", "line 2: the character U+0000 is not read here"),
        ("a: \ud800", "line 1: the character U+D800 is not read here"),
        ("- a\nb: 1", "line 2, column 1: "),
        ("a: 1\nb: 2026-99-99", "line 2, column 4: this cannot be read: there is no such number or date"),
        ("a: 0xffffffffffffffffffff", "line 1, column 4: this number is too large"),
    ],
)
def test_refusal_names_the_line_and_no_library(text: str, message: str) -> None:
    with pytest.raises(UnreadableYaml) as refusal:
        load_yaml(text)
    assert str(refusal.value).startswith(message)
    assert "<" not in str(refusal.value)


@pytest.mark.parametrize("bracket", ["[", "{a: ", "- "])
def test_deeply_nested_yaml_is_refused(bracket: str) -> None:
    with pytest.raises(UnreadableYaml, match="nested too deep"):
        load_yaml(bracket * 20_000)
