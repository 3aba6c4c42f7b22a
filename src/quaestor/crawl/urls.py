"""Addresses of pages: their normal form, and a page's path on disk. Pure."""

from __future__ import annotations

import re
from hashlib import blake2b
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit, urlunsplit

from quaestor.files.deny import deny_file, deny_folder

LONGEST = 2000
"""Most characters of an address; programs that append to their own addresses make longer ones."""

_MOST_SEGMENTS = 30
_MOST_REPEATS = 3
_DEFAULT_PORTS = {"http": 80, "https": 443}
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# Parameters that identify a visitor, a campaign or a session, and never a page.
_PASSING = re.compile(
    r"^(?:utm_\w+|fbclid|gclid|dclid|msclkid|mc_[ce]id|igshid|yclid|_ga|_gl|ref_src|phpsessid|jsessionid|aspsessionid\w*|"
    r"cfid|cftoken|sid|sess|session|session_?id|sessid|oscsid|zenid)$",
    re.IGNORECASE,
)
_PATH_SESSION = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/;]*", re.IGNORECASE)
_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\/]')
_LONGEST_NAME = 80


def normalise(url: str, base: str = "") -> str | None:
    """Return the normal form of an address, or None if it is not a page on the web.

    It has a lower-case host without the default port, no fragment, user name, dot segments or tracking parameters, and
    only necessary escapes. Normalising twice changes nothing.
    """
    try:
        parts = urlsplit(urljoin(base, url.strip()) if base else url.strip())
        host, port = _host(parts), parts.port
    except ValueError:
        return None
    if parts.scheme not in _DEFAULT_PORTS or host is None or parts.username is not None:
        return None
    place = host if port in (None, _DEFAULT_PORTS[parts.scheme]) else f"{host}:{port}"
    path = _without_dots(_with_escapes(_PATH_SESSION.sub("", parts.path), "/:@!$&'()*+,;="))
    whole = urlunsplit((parts.scheme, place, path or "/", _query(parts.query), ""))
    return whole if len(whole) <= LONGEST else None


def _host(parts: SplitResult) -> str | None:
    host = (parts.hostname or "").rstrip(".")
    if not host:
        return None
    if ":" in host:
        return f"[{host}]" if re.fullmatch(r"[0-9a-f:.]+", host) else None
    try:
        plain = host if host.isascii() else host.encode("idna").decode("ascii")
    except UnicodeError:
        return None
    return plain if re.fullmatch(r"[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?", plain) and ".." not in plain else None


def _with_escapes(text: str, safe: str) -> str:
    """Return text with upper-case escapes, and only the necessary ones."""
    parts = _ESCAPE.split(text.encode("utf-8", "replace").decode())
    return "".join(_escape(part) if place % 2 else quote(part, safe=f"{safe}~") for place, part in enumerate(parts))


def _escape(digits: str) -> str:
    character = chr(int(digits, 16))
    return character if character in _UNRESERVED else f"%{digits.upper()}"


def _without_dots(path: str) -> str:
    kept_segments: list[str] = []
    segments = path.split("/")
    for segment in segments:
        if segment == "..":
            if len(kept_segments) > 1:
                kept_segments.pop()
        elif segment != ".":
            kept_segments.append(segment)
    if segments[-1] in (".", "..") and kept_segments[-1:] != [""]:
        kept_segments.append("")
    return "/".join(kept_segments)


def _query(query: str) -> str:
    kept = [part for part in query.split("&") if part and not _PASSING.match(part.partition("=")[0])]
    return _with_escapes("&".join(kept), "/:@!$&'()*+,;=?")


def host_of(url: str) -> str:
    """Return the host and port of a normalised address."""
    return urlsplit(url).netloc


def is_looping(url: str) -> bool:
    """Return whether an address looks as if a relative link had been appended to itself again and again."""
    segments = [segment for segment in urlsplit(url).path.split("/") if segment]
    return len(segments) > _MOST_SEGMENTS or any(segments.count(one) > _MOST_REPEATS for one in set(segments))


def shape_of(url: str) -> str:
    """Return an address without its numbers and its query's values, which is equal for pages of one generator."""
    parts = urlsplit(url)
    names = sorted(part.partition("=")[0] for part in parts.query.split("&"))
    return re.sub(r"\d+", "0", f"{parts.netloc}{parts.path}?{'&'.join(names)}")


def path_for(url: str, home: str) -> str:
    """Return a page's path in the folder of its site: ``/guide/`` is ``guide/index.md``.

    Args:
        url: normalised address.
        home: the site's own host; pages of other hosts are in a folder named after their host.

    Characters that some system forbids in file names are left out, and a hash keeps such names distinct.
    """
    parts = urlsplit(url)
    *folders, name = unquote(parts.path).removeprefix("/").split("/")
    segments = [*([] if parts.netloc == home else [parts.netloc]), *folders]
    last = (name or "index") + (f"~{unquote(parts.query)}" if parts.query else "")
    safe = [_safe(segment) for segment in (*segments, last)]
    odd = [*safe] != [*segments, last] or any(part.endswith(".md") for part in safe[:-1])
    below = [f"{part}_" if deny_folder(part, frozenset()) or part.endswith(".md") else part for part in safe[:-1]]
    final = f"{safe[-1]}-{_short_hash(url)}" if odd or deny_file(f"{safe[-1]}.md") else safe[-1]
    return "/".join([*below, f"{final}.md"])


def _safe(segment: str) -> str:
    text = _UNSAFE.sub("-", segment.encode("utf-8", "replace").decode()).strip(" .")[:_LONGEST_NAME]
    return text or "_"


def _short_hash(url: str) -> str:
    return blake2b(url.encode(), digest_size=4).hexdigest()
