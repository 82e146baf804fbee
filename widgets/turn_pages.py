"""The turns of a line that are here: whole pages, of which the least used are dropped first."""

from __future__ import annotations

from collections.abc import Iterator

from textual.cache import LRUCache

from agents.views.play_views import TurnView

PAGE = 50
PAGES_KEPT = 40


class TurnPages:
    """Turns by depth. A stale page is shown until a newer one comes."""

    def __init__(self) -> None:
        self._pages: LRUCache[int, list[TurnView]] = LRUCache(PAGES_KEPT)
        self._stale: set[int] = set()
        self._answered: set[int] = set()

    def get(self, depth: int) -> TurnView | None:
        page, place = divmod(depth, PAGE)
        known = self._pages.get(page)
        return known[place] if known and place < len(known) else None

    def __iter__(self) -> Iterator[tuple[int, TurnView]]:
        for page in list(self._pages.keys()):
            yield from enumerate(self._pages[page], page * PAGE)

    def append(self, view: TurnView) -> None:
        """Keep the line's new last turn, if the page it stands on is here up to it."""
        page, place = divmod(view.turn.depth, PAGE)
        if not place:
            self._keep(page, [])
        known = self._pages.get(page)
        if known is not None and len(known) == place:
            known.append(view)
        else:
            self._answered.discard(page)

    def replace(self, view: TurnView) -> bool:
        """Put in a changed turn; false if the turn is not here."""
        page, place = divmod(view.turn.depth, PAGE)
        known = self._pages.get(page)
        if known is None or place >= len(known):
            return False
        known[place] = view
        return True

    def missing(self, first: int, last: int, total: int) -> list[int]:
        """Return the pages with rows `first` ... `last` of a line of `total` that must be asked for."""
        return [page for page in range(first // PAGE, last // PAGE + 1) if not self._has(page, total)]

    def _has(self, page: int, total: int) -> bool:
        known = self._pages.get(page)
        if known is None or page in self._stale:
            return False
        # A page that came back short is not asked for again: its line is shorter than was said.
        return len(known) >= min(PAGE, total - page * PAGE) or page in self._answered

    def take(self, page: int, views: list[TurnView], total: int) -> int:
        """Keep a page that came; returns how many rows of it the line has."""
        views = views[: max(0, total - page * PAGE)]
        known = self._pages.get(page)
        if known is not None and page not in self._stale and len(known) > len(views):
            views += known[len(views) :]  # turns that were appended while the page was on its way
        self._keep(page, views)
        self._stale.discard(page)
        self._answered.add(page)
        return len(views)

    def _keep(self, page: int, views: list[TurnView]) -> None:
        self._pages.discard(page)  # LRUCache does not overwrite what it has
        self._pages[page] = views

    def mark_stale(self) -> None:
        """Everything here may have changed."""
        self._stale = set(self._pages.keys())
        self._answered.clear()

    def clear(self) -> None:
        self._pages.clear()
        self._stale.clear()
        self._answered.clear()
