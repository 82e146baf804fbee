"""Writes small EPUB and DOCX files for tests."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence

_CONTAINER = '<container><rootfiles><rootfile full-path="{path}"/></rootfiles></container>'


def write_zip(parts: Mapping[str, str | bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return data.getvalue()


def write_epub(
    chapters: Sequence[tuple[str, str]],
    *,
    title: str = "The Drowned Keep",
    more: Mapping[str, str | bytes] | None = None,
    hrefs: Sequence[str] = (),
) -> bytes:
    """Return an EPUB of (label, body) chapters. `hrefs` are what the manifest says instead of `c1.xhtml`."""
    names = [hrefs[place] if place < len(hrefs) else f"c{place + 1}.xhtml" for place in range(len(chapters))]
    items = "".join(
        f'<item id="c{place}" href="{name}" media-type="application/xhtml+xml"/>'
        for place, name in enumerate(names)
    )
    spine = "".join(f'<itemref idref="c{place}"/>' for place in range(len(names)))
    links = "".join(
        f'<li><a href="{name}">{label}</a></li>'
        for name, (label, _) in zip(names, chapters, strict=True)
        if label
    )
    package = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf"><metadata>'
        f"<dc:title>{title}</dc:title></metadata><manifest>{items}"
        '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/></manifest>'
        f"<spine>{spine}</spine></package>"
    )
    bodies = {
        f"OEBPS/c{place + 1}.xhtml": f"<html><head><title/><script src='x.js'/></head><body>{body}</body></html>"
        for place, (_, body) in enumerate(chapters)
    }
    return write_zip(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": _CONTAINER.format(path="OEBPS/book.opf"),
            "OEBPS/book.opf": package,
            "OEBPS/nav.xhtml": f"<html><body><nav><ol>{links}</ol></nav></body></html>",
            **bodies,
            **(more or {}),
        }
    )


def write_docx(body: str, *, title: str = "", more: Mapping[str, str | bytes] | None = None) -> bytes:
    """Return a DOCX of the XML of its body."""
    namespace = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    relationship = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    return write_zip(
        {
            "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
            "_rels/.rels": (
                '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
                f'<Relationship Id="r1" Type="{relationship}" Target="word/document.xml"/></Relationships>'
            ),
            "docProps/core.xml": f"<cp><dc:title>{title}</dc:title></cp>",
            "word/styles.xml": (
                f'<w:styles xmlns:w="{namespace}"><w:style w:type="paragraph" w:styleId="Heading1">'
                '<w:name w:val="heading 1"/></w:style></w:styles>'
            ),
            "word/document.xml": f'<w:document xmlns:w="{namespace}"><w:body>{body}</w:body></w:document>',
            **(more or {}),
        }
    )


def docx_paragraph(text: str, *, style: str = "", before: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{properties}<w:r>{before}<w:t>{text}</w:t></w:r></w:p>"
