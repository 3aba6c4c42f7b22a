"""A site of two thousand pages and every trap that sites lay, on purpose or not.

Each page worth having holds one word of its own; so what a crawl kept, missed and should not have kept can be told
exactly from the words on disk.
"""

from __future__ import annotations

import gzip
import itertools
import time
from collections.abc import Callable, Iterator, Mapping

from servers.site import Answer

SECTIONS = 17
ARTICLES = 100
LISTED = 100
FED = 40
CHAIN = 24
MEGABYTE = 1_000_000

CHARSETS: Mapping[str, tuple[str, str, str]] = {
    # path: (text, the character set that it is in, the one that is declared)
    "utf8-as-latin": ("grün", "utf-8", "iso-8859-1"),
    "latin-as-utf8": ("schön", "cp1252", "utf-8"),
    "cyrillic": ("привет", "cp1251", "windows-1251"),
    "japanese": ("日本語", "shift_jis", "shift_jis"),
    "iso2022": ("漢字", "iso2022_jp", "iso-2022-jp"),
    "utf16": ("größe", "utf-16", ""),
    "nonsense": ("naïve", "cp1252", "x-no-such-thing"),
}


def word(kind: str, number: int | str = "") -> str:
    return f"{kind}word{number}"


def page(title: str, body: str, head: str = "") -> str:
    return (
        f"<!doctype html><html><head><title>{title} | Trapped</title>{head}</head><body><nav><a href='/'>Home</a> "
        f"<a href='/docs/'>Docs</a></nav><main><h1>{title}</h1>{body}</main><footer>Footwords of every page.</footer>"
    )


def link(path: str, text: str = "go on") -> str:
    return f'<p><a href="{path}">{text}</a></p>'


class TrappedSite:
    """The site; call it with a path and headers.

    Attributes:
        expected: the word of every page worth having, with its path.
    """

    def __init__(self) -> None:
        self._visits = itertools.count()
        self._flaky = itertools.count()
        self.changed: dict[str, str] = {}
        self.expected: dict[str, str] = {word("home"): "/", word("docs"): "/docs/"}
        self.fixed: dict[str, Answer] = {}
        self._articles()
        self._other_pages()
        self._traps()

    def __call__(self, path: str, headers: Mapping[str, str]) -> Answer | None:
        plain = path.partition("?")[0]
        if path in self.changed:
            return Answer(page("Changed", f"<p>{self.changed[path]}</p>"))
        answer = self._moving(path, plain)
        if answer is None:
            answer = self.fixed.get(path) or self.fixed.get(plain)
        if answer is not None and (tag := answer.headers.get("ETag")) and headers.get("if-none-match") == tag:
            return Answer(status=304, headers={"ETag": tag})
        return answer

    def _keep(self, path: str, title: str, key: str, more: str = "", head: str = "") -> None:
        self.expected[key] = path
        text = f"<p>Text about {title} with the word {key} in it.</p>{more}"
        self.fixed[path] = Answer(page(title, text, head), headers={"ETag": f'"{key}"'})

    def _articles(self) -> None:
        for section in range(SECTIONS):
            links = "".join(link(f"a{number}?sid={section}{number}", f"Article {number}") for number in range(ARTICLES))
            self._keep(f"/docs/s{section}/", f"Section {section}", word("section", section), links)
            for number in range(ARTICLES):
                key = word("article", f"{section}x{number}")
                self._keep(f"/docs/s{section}/a{number}", f"Article {section} {number}", key)
        for number in range(LISTED):
            self._keep(f"/listed/{number}.html", f"Listed {number}", word("listed", number))
        for number in range(FED):
            self._keep(f"/fed/{number}", f"Fed {number}", word("fed", number))

    def _other_pages(self) -> None:
        for number in range(1, CHAIN + 1):
            self._keep(
                f"/chain/{'x' * number}", f"Chain {number}", word("chain", number), link(f"/chain/{'x' * (number + 1)}")
            )
        for name, (text, charset, declared) in CHARSETS.items():
            self.expected[text] = f"/charset/{name}"
            body = f"<title>{name}</title><h1>{name}</h1><p>The word {text} is here.</p>".encode(charset)
            said = f"; charset={declared}" if declared else ""
            self.fixed[f"/charset/{name}"] = Answer(body, kind=f"text/html{said}")
        self._keep("/canonical", "Canonical", word("canonical"), head='<link rel="canonical" href="/canonical">')
        self._keep("/base", "Base", word("base"), link("below"), '<base href="/based/">')
        self._keep("/based/below", "Below a base", word("below"))
        self._keep("/moved/here", "Moved here", word("moved"))
        self._keep("/refreshed", "Refreshed", word("refreshed"))
        self._keep("/same", "The same", word("same"))
        self._keep("/shop", "Shop", word("shop"), link("/shop?visit=0"))
        self._keep("/loop/", "Loop", word("loop"), link("loop/"))
        self._keep("/space%20and%20%C3%BC", "Odd name", word("odd"))
        self.expected[word("plain")] = "/plain.txt"
        self.fixed["/plain.txt"] = Answer(f"Plain text with {word('plain')}.", kind="text/plain")
        self.expected[word("flaky")] = "/flaky"
        missing = 2000 - len(self.expected)
        for number in range(missing):
            self._keep(f"/more/{number}", f"More {number}", word("more", number))
        self._home(missing)

    def _home(self, more: int) -> None:
        named = [path for path in self.fixed if path.count("/") == 1 and path != "/" and "%" not in path]
        named += [f"/charset/{name}" for name in CHARSETS] + [f"/more/{number}" for number in range(more)]
        named += ["/space and ü", "/chain/x", "/loop/", "/docs/", "/flaky", *TRAPS]
        links = "".join(link(path) for path in named)
        odd = '<a href="mailto:a@b.example">m</a><a href="javascript:void(0)">j</a><a href="file:///etc/passwd">f</a>'
        odd += (
            '<a href="http://other.example/">o</a><a rel="nofollow" href="/unfollowed">n</a><a href="http://[x">b</a>'
        )
        feed = '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'
        self.fixed["/"] = Answer(page("Home", f"<p>{word('home')}</p>{links}{odd}", feed))
        sections = "".join(link(f"s{number}/") for number in range(SECTIONS))
        self.fixed["/docs/"] = Answer(page("Docs", f"<p>{word('docs')}</p>{sections}"))

    def _traps(self) -> None:
        fixed = self.fixed
        fixed["/robots.txt"] = Answer(
            "User-agent: *\nDisallow: /forbidden-by-robots\n\nUser-agent: quaestor\nDisallow: /private/\n"
            "Disallow: /*.cgi$\nSitemap: /sitemap-index.xml\nSitemap: http://127.0.0.2:9/elsewhere.xml\n",
            kind="text/plain",
        )
        fixed["/sitemap-index.xml"] = Answer(
            "<sitemapindex><sitemap><loc>/sitemap.xml.gz</loc></sitemap></sitemapindex>", kind="application/xml"
        )
        listed = "".join(f"<url><loc> /listed/{number}.html </loc></url>" for number in range(LISTED))
        listed += "<url><loc>/private/listed</loc></url><url><loc>http://other.example/x</loc></url>"
        fixed["/sitemap.xml.gz"] = Answer(gzip.compress(f"<urlset>{listed}</urlset>".encode()), kind="application/gzip")
        items = "".join(f"<item><title>t</title><link>/fed/{number}</link></item>" for number in range(FED))
        fixed["/feed.xml"] = Answer(f"<rss><channel><link>/</link>{items}</channel></rss>", kind="application/rss+xml")
        fixed["/unfollowed"] = Answer(page("Unfollowed", "<p>wrongword</p>"))
        fixed["/private/page"] = fixed["/private/listed"] = Answer(page("Private", "<p>wrongword</p>"))
        fixed["/run.cgi"] = Answer(page("Program", "<p>wrongword</p>"))
        fixed["/drafts/one"] = Answer(page("Draft", "<p>wrongword</p>"))
        fixed["/noindex"] = Answer(page("No", "<p>wrongword</p>", '<meta name="robots" content="noindex">'))
        fixed["/noindex-header"] = Answer(page("No", "<p>wrongword</p>"), headers={"X-Robots-Tag": "noindex"})
        fixed["/same-again-under-another-name"] = fixed["/same"]
        fixed["/canonical-copy"] = Answer(page("Copy", "<p>wrongword</p>", '<link rel="canonical" href="/canonical">'))
        fixed["/binary"] = Answer(b"\x89PNG\r\n\x1a\n" + bytes(1000))
        fixed["/picture.png"] = Answer(b"\x89PNG\r\n\x1a\n", kind="image/png")
        fixed["/empty"] = Answer("<html><body><script>document.write('x')</script>")
        fixed["/broken-pdf.pdf"] = Answer(b"%PDF-1.4 nothing", kind="application/pdf")
        fixed["/gone"] = Answer("gone", 410)
        fixed["/refused"] = Answer("no", 403)
        fixed["/failing"] = Answer("no", 500)
        fixed["/teapot"] = Answer("no", 418)
        fixed["/lying-length"] = Answer("<p>wrongword", headers={"Content-Length": "5000"}, quits=True)
        fixed["/huge"] = Answer(b"<p>wrongword " * (10 * MEGABYTE // 13))
        fixed["/bomb"] = Answer(gzip.compress(bytes(200 * MEGABYTE), 6), headers={"Content-Encoding": "gzip"})
        fixed["/packed-oddly"] = Answer(b"\x00\x01", headers={"Content-Encoding": "br"})
        fixed["/hostile"] = Answer("<!--" * 100_000 + "wrongword")
        fixed["/deep-elements"] = Answer("<b>" * 400_000 + "wrongword")
        for path, target in {
            "/moved": "/moved/here",
            "/to-private": "http://127.0.0.2:9/admin",
            "/to-metadata": "http://169.254.169.254/latest/",
            "/to-file": "file:///etc/passwd",
            "/to-nowhere": "",
            "/round/one": "/round/two",
            "/round/two": "/round/one",
        }.items():
            fixed[path] = Answer(status=302, headers={"Location": target})
        fixed["/refresh"] = Answer('<meta http-equiv="refresh" content="0; url=/refreshed">')

    def _moving(self, path: str, plain: str) -> Answer | None:
        """Return what differs from visit to visit."""
        made: dict[str, Callable[[], Answer]] = {
            "/flaky": self._flaky_page,
            "/shop": self._shop_page,
            "/slow": lambda: Answer(trickle()),
        }
        made["/huge-unannounced"] = lambda: Answer(b"<p>wrongword " * 100_000 for _ in range(10))
        if plain in made:
            return made[plain]()
        folder, _, last = plain.rpartition("/")
        if plain.startswith("/loop/"):
            return self.fixed["/loop/"]
        if folder == "/calendar":
            month = int(last)
            near = f"<a href='/calendar/{month + 1}'>next</a> <a href='/calendar/{month - 1}'>before</a>"
            return Answer(page(f"Month {month}", f"<p>wrongword: nothing happens in month {month}.</p>{near}"))
        return Answer(status=302, headers={"Location": f"/endless/{int(last) + 1}"}) if folder == "/endless" else None

    def _flaky_page(self) -> Answer:
        if next(self._flaky) % 2 == 0:
            return Answer("later", 503, {"Retry-After": "0"})
        return Answer(page("Flaky", f"<p>{word('flaky')}</p>"))

    def _shop_page(self) -> Answer:
        shop = str(self.fixed["/shop"].body)
        return Answer(shop.replace("visit=0", f"visit={next(self._visits)}"))


TRAPS = tuple(
    """/private/page /run.cgi /drafts/one /noindex /noindex-header /same-again-under-another-name /canonical-copy
    /binary /picture.png /empty /broken-pdf.pdf /gone /refused /failing /teapot /lying-length /huge /huge-unannounced
    /bomb /packed-oddly /hostile /deep-elements /moved /to-private /to-metadata /to-file /to-nowhere /round/one
    /refresh /missing /calendar/100 /endless/1 /slow""".split()
)


def trickle() -> Iterator[bytes]:
    """Yield a page that never ends, a byte at a time."""
    while True:
        yield b"w"
        time.sleep(0.02)
