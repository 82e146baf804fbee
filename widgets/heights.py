"""Heights of many rows, with their sums: which row is at a line, and at which line a row begins.

A Fenwick tree: reading a sum, finding a row and changing one height take about fourteen steps among ten
thousand rows, so a transcript that learns heights as it shows them never adds them all up again.
"""

from __future__ import annotations


class Heights:
    """Heights by row number, each 0 or more."""

    def __init__(self, count: int = 0, height: int = 1) -> None:
        self._heights = [height] * count
        self._sums = [0] * (count + 1)
        for i in range(1, count + 1):
            self._sums[i] = height * (i & -i)

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, row: int) -> int:
        return self._heights[row]

    def __setitem__(self, row: int, height: int) -> None:
        change = height - self._heights[row]
        if not change:
            return
        self._heights[row] = height
        i = row + 1
        while i < len(self._sums):
            self._sums[i] += change
            i += i & -i

    def append(self, height: int) -> None:
        """Add one row at the end."""
        self._heights.append(height)
        i = len(self._heights)
        # The new node sums the rows that its lowest set bit spans, all of them known already.
        self._sums.append(height + self.top(i - 1) - self.top(i - (i & -i)))

    def shorten(self, count: int) -> None:
        """Keep the first `count` rows."""
        del self._heights[count:]
        del self._sums[count + 1 :]

    def top(self, row: int) -> int:
        """Return the line at which `row` begins (the sum of all heights before it)."""
        total = 0
        while row > 0:
            total += self._sums[row]
            row -= row & -row
        return total

    @property
    def total(self) -> int:
        return self.top(len(self._heights))

    def row_at(self, line: int) -> int:
        """Return the row that line `line` belongs to; the last row for lines beyond the end."""
        row = 0
        step = 1 << len(self._heights).bit_length()
        while step:
            ahead = row + step
            if ahead < len(self._sums) and self._sums[ahead] <= line:
                row, line = ahead, line - self._sums[ahead]
            step >>= 1
        return min(row, max(0, len(self._heights) - 1))
