"""The loaded turns of a timeline, in pages, of which the least used are dropped first."""

from __future__ import annotations

from collections.abc import Iterator

from textual.cache import LRUCache

from agents.views.turn_views import TurnView

PAGE_SIZE = 50
MAX_PAGES = 40


class TurnPages:
    """Turns by depth. A stale page is shown until a newer one arrives."""

    def __init__(self) -> None:
        self._pages: LRUCache[int, list[TurnView]] = LRUCache(MAX_PAGES)
        self._stale_pages: set[int] = set()
        self._complete_pages: set[int] = set()

    def get(self, depth: int) -> TurnView | None:
        page, row = divmod(depth, PAGE_SIZE)
        page_turns = self._pages.get(page)
        return page_turns[row] if page_turns and row < len(page_turns) else None

    def __iter__(self) -> Iterator[tuple[int, TurnView]]:
        for page in list(self._pages.keys()):
            yield from enumerate(self._pages[page], page * PAGE_SIZE)

    def append(self, view: TurnView) -> None:
        """Add the timeline's new last turn, if its page is loaded up to it."""
        page, row = divmod(view.turn.depth, PAGE_SIZE)
        if not row:
            self._put_page(page, [])
        page_turns = self._pages.get(page)
        if page_turns is not None and len(page_turns) == row:
            page_turns.append(view)
        else:
            self._complete_pages.discard(page)

    def replace(self, view: TurnView) -> bool:
        """Replace a changed turn; return false if it is not loaded."""
        page, row = divmod(view.turn.depth, PAGE_SIZE)
        page_turns = self._pages.get(page)
        if page_turns is None or row >= len(page_turns):
            return False
        page_turns[row] = view
        return True

    def missing_pages(self, first: int, last: int, total: int) -> list[int]:
        """Return the pages with rows `first` ... `last` of `total` that are to be fetched."""
        return [
            page
            for page in range(first // PAGE_SIZE, last // PAGE_SIZE + 1)
            if not self._has_page(page, total)
        ]

    def _has_page(self, page: int, total: int) -> bool:
        page_turns = self._pages.get(page)
        if page_turns is None or page in self._stale_pages:
            return False
        # A page that came back short is not asked for again: its line is shorter than was said.
        return len(page_turns) >= min(PAGE_SIZE, total - page * PAGE_SIZE) or page in self._complete_pages

    def store_page(self, page: int, views: list[TurnView], total: int) -> int:
        """Store a fetched page; return how many rows the timeline has by it."""
        views = views[: max(0, total - page * PAGE_SIZE)]
        page_turns = self._pages.get(page)
        if page_turns is not None and page not in self._stale_pages and len(page_turns) > len(views):
            views += page_turns[len(views) :]  # turns that were appended while the page was on its way
        self._put_page(page, views)
        self._stale_pages.discard(page)
        self._complete_pages.add(page)
        return len(views)

    def _put_page(self, page: int, views: list[TurnView]) -> None:
        self._pages.discard(page)  # LRUCache does not overwrite what it has
        self._pages[page] = views

    def mark_stale(self) -> None:
        """Mark every loaded page as possibly changed."""
        self._stale_pages = set(self._pages.keys())
        self._complete_pages.clear()

    def clear(self) -> None:
        self._pages.clear()
        self._stale_pages.clear()
        self._complete_pages.clear()
