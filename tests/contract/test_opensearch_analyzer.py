"""OpenSearch finds the words that the embedded index finds: both split and fold texts alike."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from stores.authority import Role
from stores.embedded.index_file import open_index
from stores.embedded.text_index import EmbeddedTextIndex
from stores.ports import TextIndex, TextItem
from stores.servers.text_index import ServerTextIndex

servers = pytest.importorskip("tests.contract.servers")
pytestmark = [pytest.mark.servers, pytest.mark.xdist_group("servers")]

TEXTS = {
    "apostrophes": "Don't trust O'Brien's l'étoile: it's a ship-wrecker's rock 'n' roll",
    "numbers": "On 12.5.1891 at 3:45, 7_000 crowns; v2.0 of the x86 map, №5",
    "latin": "Zoë's naïve café façade, Ångström, crème brûlée, Dvořák, İstanbul, Ñandú, ſhip, ẛ",
    "combining": "cafe\u0301 Zoe\u0308 Dvor\u030ca\u0301k",
    "greek": "Ὀδυσσεύς ΟΔΟΣ οδός φίλος ΦΙΛΟΣ µικρός ϕ ϑ ϰ",
    "cyrillic": "Раскольников ЁЛКА ёлка Мечом й",
    "german": "Straße GROẞ Übergrößenträger",
    "cjk": "銀河鉄道の夜 은하 철도 银河铁道",
    "others": "नमस्ते दुनिया العربية עברית ไทย ქართული հայերեն",
    "symbols": "C++ a/b #tag @mara 🜂🔔 100% €5 → x^2 ½ ² Ⅻ",
    "endings": "universities generously ringing bells happily nationalization hopping sky agreed",
    "short": "I a s t is as us be by",
}
"""Texts by what may go wrong in them."""


@pytest.fixture
async def both(tmp_path: Path) -> AsyncIterator[tuple[TextIndex, TextIndex]]:
    if not servers.at_hand("OPENSEARCH_URL"):
        pytest.skip("MONITOR_OPENSEARCH_URL is not set")
    index = await open_index(tmp_path / "index.db")
    async with servers.an_opensearch() as opensearch:
        twins = EmbeddedTextIndex(index, Role.INDEXER), ServerTextIndex(opensearch, Role.INDEXER)
        for words in twins:
            await words.put("turns", [TextItem(name, text, {}) for name, text in TEXTS.items()])
        yield twins
    await index.close()


async def found(words: TextIndex, query: str) -> set[str]:
    return {hit.id for hit in await words.search("turns", query, k=99)}


async def test_opensearch_finds_what_the_embedded_index_finds(both: tuple[TextIndex, TextIndex]) -> None:
    """Every word as it stands, and in other letters. OpenSearch may fold more, never less."""
    embedded, server = both
    for name, text in TEXTS.items():
        for word in text.split():
            for query in (word, word.upper(), word.lower(), word.strip("'s,;:.")):
                wanted, got = await found(embedded, query), await found(server, query)
                assert wanted <= got, (name, query, wanted, got)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("university", {"endings"}),
        ("ring a bell", {"endings"}),
        ("don", {"apostrophes"}),
        ("trust obrien", {"apostrophes"}),
        ("obrien", set()),
        ("brien", {"apostrophes"}),
        ("7000", set()),
        ("dvorak", {"latin", "combining"}),
        ("οδος", {"greek"}),
        ("银河", set()),
        ("银河铁道", {"cjk"}),
        ("the", {"numbers"}),
    ],
)
async def test_opensearch_and_embedded_index_find_the_same(
    query: str, wanted: set[str], both: tuple[TextIndex, TextIndex]
) -> None:
    for words in both:
        assert await found(words, query) == wanted


async def test_opensearch_folds_more_letters(both: tuple[TextIndex, TextIndex]) -> None:
    embedded, server = both
    assert await found(embedded, "strasse") == set()
    assert await found(server, "strasse") == {"german"}
