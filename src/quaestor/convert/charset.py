"""Which characters a page's bytes mean: what servers and authors say of it is often wrong."""

from __future__ import annotations

import codecs
import re

_META = re.compile(rb"""<meta[^>]{0,300}?charset\s*=\s*["']?\s*([\w.:-]{1,40})""", re.IGNORECASE)
_XML = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})""")
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_SNIFFED = 4096
_SOUND_PER_BROKEN = 5
# As browsers have it: who says latin-1 or ASCII means Windows' superset of it.
_MEANT = {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "euc_kr": "cp949"}
# Python counts them among the encodings of text. Names of hosts are written in the first two, one of which takes no
# replacement and the other the square of a page's length; no page is in any of them.
_NO_CHARSETS = frozenset({"idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape", "mbcs", "oem"})


def decode_page(data: bytes, declared: str | None = None) -> str:
    """Return a page's text.

    Args:
        data: its bytes.
        declared: the character set that the server gave, if it did.

    A byte order mark wins. Then bytes that are valid UTF-8 and not plain ASCII are UTF-8, whatever is said: no other
    text looks like that by chance. Then what the server says, what the page says, and Windows-1252.
    """
    for bom, codec in _BOMS:
        if data.startswith(bom):
            return data[len(bom) :].decode(codec, "replace")
    head = data[:_SNIFFED]
    said = [declared, *(found[1].decode("ascii") for found in (_XML.search(head), _META.search(head)) if found)]
    codecs_said = [one for name in said if name and (one := _codec(name))]
    wide = [codec for codec in codecs_said if codec.startswith(("utf-16", "utf-32"))]
    seven_bit = [codec for codec in codecs_said if codec.startswith(("iso2022", "hz", "utf-7"))]
    for codec in (*(wide if b"\0" in head else ()), *seven_bit, "utf-8", *codecs_said):
        try:
            return data.decode(codec)
        except UnicodeDecodeError:
            if codec == "utf-8" and (mended := _nearly_utf_8(data)):
                return mended
    fallback = next((codec for codec in codecs_said if codec != "utf-8"), "cp1252")
    return data.decode(fallback, "replace")


def _nearly_utf_8(data: bytes) -> str | None:
    """Return text in UTF-8 with a few broken characters; None if it is in something else."""
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    return text if sum(character > "\x7f" for character in text) > _SOUND_PER_BROKEN * broken else None


def _codec(name: str) -> str | None:
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    # Python's registry holds codecs that are not character sets, such as base64.
    is_charset = getattr(found, "_is_text_encoding", True) and found.name.replace("-", "_") not in _NO_CHARSETS
    return _MEANT.get(found.name, found.name) if is_charset else None
