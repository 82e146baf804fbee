"""Heights of many rows, with their sums: which row is at a line, and at which line a row begins.

A Fenwick tree: reading a sum, finding a row and changing one height take about fourteen steps among ten
thousand rows, so a transcript that learns heights as it shows them never adds them all up again.
"""

from __future__ import annotations


class RowHeights:
    """Heights by row number, each 0 or more."""

    def __init__(self, count: int = 0, height: int = 1) -> None:
        self._heights = [height] * count
        self._partial_sums = [0] * (count + 1)
        for i in range(1, count + 1):
            self._partial_sums[i] = height * (i & -i)

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
        while i < len(self._partial_sums):
            self._partial_sums[i] += change
            i += i & -i

    def append(self, height: int) -> None:
        """Add one row at the end."""
        self._heights.append(height)
        i = len(self._heights)
        # The new node sums the rows that its lowest set bit spans, all of them known already.
        self._partial_sums.append(height + self.line_of_row(i - 1) - self.line_of_row(i - (i & -i)))

    def truncate(self, count: int) -> None:
        """Keep the first `count` rows."""
        del self._heights[count:]
        del self._partial_sums[count + 1 :]

    def line_of_row(self, row: int) -> int:
        """Return the line at which `row` begins (the sum of all heights before it)."""
        total = 0
        while row > 0:
            total += self._partial_sums[row]
            row -= row & -row
        return total

    @property
    def total_lines(self) -> int:
        return self.line_of_row(len(self._heights))

    def row_at(self, line: int) -> int:
        """Return the row that line `line` belongs to; the last row for lines beyond the end."""
        row = 0
        step = 1 << len(self._heights).bit_length()
        while step:
            ahead = row + step
            if ahead < len(self._partial_sums) and self._partial_sums[ahead] <= line:
                row, line = ahead, line - self._partial_sums[ahead]
            step >>= 1
        return min(row, max(0, len(self._heights) - 1))
