"""Small documents in the formats that are converted, made byte by byte."""

from __future__ import annotations

import io
import json
import zipfile


def pdf(pages: list[str], title: str = "") -> bytes:
    """Return a PDF with one line of text a page; what begins with ``q`` are a page's operators."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(count))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        stream = text if text.startswith("q ") else f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET" if text else ""
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    objects.append(f"<< /Title ({title}) /Author (Ann Lee) /CreationDate (D:20240302101112Z) >>")
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010d} 00000 n \n".encode() for place in places)
    out += f"trailer << /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>\n".encode()
    return bytes(out + f"startxref\n{table}\n%%EOF\n".encode())


def archive(parts: dict[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return out.getvalue()


_WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_RELATIONS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)


def docx(body: str, **parts: str) -> bytes:
    document = f'<?xml version="1.0"?><w:document {_WORD}><w:body>{body}</w:body></w:document>'
    more = {name.replace("__", "/") + ".xml": text for name, text in parts.items()}
    return archive({"[Content_Types].xml": _TYPES, "_rels/.rels": _RELATIONS, "word/document.xml": document, **more})


def paragraph(text: str, style: str = "", bold: bool = False) -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    run = "<w:rPr><w:b/></w:rPr>" if bold else ""
    return f"<w:p>{properties}<w:r>{run}<w:t>{text}</w:t></w:r></w:p>"


def epub(chapters: dict[str, str], title: str = "A book", missing: str = "") -> bytes:
    names = [*chapters, *([missing] if missing else [])]
    items = "".join(f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in names)
    spine = "".join(f'<itemref idref="{name}"/>' for name in names)
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>{title}</dc:title><dc:creator>Bo Ek</dc:creator><dc:date>2019-05-06T00:00:00Z</dc:date></metadata>"
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    container = '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'
    return archive(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": container,
            "OPS/book.opf": package,
            **{f"OPS/{name}": text for name, text in chapters.items()},
        }
    )


def notebook(*cells: dict[str, object]) -> bytes:
    return json.dumps({"cells": cells, "metadata": {"kernelspec": {"language": "python"}}, "nbformat": 4}).encode()


_NAMESPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "text", "table", "draw", "presentation", "style", "meta")
)


def odf(body: str, kind: str = "text", styles: str = "", meta: str = "") -> bytes:
    """Return an OpenDocument file: a text, a ``spreadsheet`` or a ``presentation``."""
    content = (
        f"<office:document-content {_NAMESPACES}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    about = (
        f'<office:document-meta {_NAMESPACES} xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<office:meta>{meta}</office:meta></office:document-meta>"
    )
    return archive({"mimetype": "application/vnd.oasis.opendocument", "content.xml": content, "meta.xml": about})
