"""Writes small PDF files for tests: text in columns, tables, pictures of pages, labels."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

WIDTH, HEIGHT = 612, 792
LINE_HEIGHT = 12
CHARACTER_WIDTH = 0.5
"""About how wide a character of Helvetica is, in parts of its size."""


@dataclass
class PdfPage:
    """The drawing operators of one page."""

    operators: list[str] = field(default_factory=list)
    has_picture: bool = False

    def write(self, x: float, y: float, text: str, *, size: int = 10, bold: bool = False) -> None:
        escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        font = "F2" if bold else "F1"
        self.operators.append(f"BT /{font} {size} Tf 1 0 0 1 {x:.1f} {y:.1f} Tm ({escaped}) Tj ET")

    def write_column(self, x: float, y: float, lines: Sequence[str], *, size: int = 10) -> float:
        """Write lines downwards; return where the next would stand."""
        for line in lines:
            self.write(x, y, line, size=size)
            y -= LINE_HEIGHT
        return y

    def write_table(self, x: float, y: float, rows: Sequence[Sequence[str]], *, width: float = 100) -> float:
        """Write a table with ruled cells; the first row is bold."""
        columns = len(rows[0])
        height = 16
        for number, row in enumerate(rows):
            for column, cell in enumerate(row):
                self.write(x + column * width + 4, y - height + 5, cell, bold=number == 0)
            y -= height
        top = y + height * len(rows)
        for line in range(len(rows) + 1):
            line_y = top - line * height
            self.operators.append(f"{x:.1f} {line_y:.1f} m {x + columns * width:.1f} {line_y:.1f} l S")
        for column in range(columns + 1):
            line_x = x + column * width
            self.operators.append(f"{line_x:.1f} {top:.1f} m {line_x:.1f} {y:.1f} l S")
        return y

    def draw_picture(self, x: float, y: float, width: float, height: float) -> None:
        self.has_picture = True
        self.operators.append(f"q {width:.1f} 0 0 {height:.1f} {x:.1f} {y:.1f} cm /Im1 Do Q")


def wrap(text: str, characters: int) -> list[str]:
    lines: list[str] = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > characters:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def write_pdf(pages: Sequence[PdfPage], *, title: str = "", first_roman: int = 0) -> bytes:
    """Return the file. `first_roman` pages at the start are labelled i, ii, iii; the others 1, 2, 3."""
    objects: list[bytes] = []

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    def add_stream(dictionary: str, data: bytes) -> int:
        packed = zlib.compress(data)
        head = f"<< {dictionary} /Filter /FlateDecode /Length {len(packed)} >>\nstream\n".encode()
        return add(head + packed + b"\nendstream")

    catalog = add(b"")
    tree = add(b"")
    fonts = [
        add(f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode())
        for name in ("Helvetica", "Helvetica-Bold")
    ]
    picture = add_stream(
        "/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8",
        b"\x00\xff\xff\x00",
    )
    kids = []
    for page in pages:
        content = add_stream("", "\n".join(page.operators).encode("cp1252"))
        images = f"/XObject << /Im1 {picture} 0 R >>" if page.has_picture else ""
        kids.append(
            add(
                f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents {content} 0 R "
                f"/Resources << /Font << /F1 {fonts[0]} 0 R /F2 {fonts[1]} 0 R >> {images} >> >>".encode()
            )
        )
    labels = f"/PageLabels << /Nums [0 << /S /r >> {first_roman} << /S /D >>] >>" if first_roman else ""
    objects[catalog - 1] = f"<< /Type /Catalog /Pages {tree} 0 R {labels} >>".encode()
    children = " ".join(f"{kid} 0 R" for kid in kids)
    objects[tree - 1] = f"<< /Type /Pages /Count {len(kids)} /Kids [{children}] >>".encode()
    information = add(f"<< /Title ({title}) >>".encode())
    return _write_objects(objects, catalog, information)


def _write_objects(objects: Sequence[bytes], catalog: int, information: int) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    table = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010d} 00000 n \n".encode() for place in places)
    out += f"trailer\n<< /Size {len(objects) + 1} /Root {catalog} 0 R /Info {information} 0 R >>\n".encode()
    return bytes(out + f"startxref\n{table}\n%%EOF\n".encode())
