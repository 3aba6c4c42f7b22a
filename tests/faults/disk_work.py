"""Work that writes files, each a function of a folder, done by the copies of a ``system_calls.Nursery``.

    python disk_work.py DESCRIPTOR

What is done before a call may be held (opening, preparing) is as much part of it: everything after the copy is made.
"""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from edit_applier import CHANGES
from system_calls import serve

from quaestor import Conversation, Index
from quaestor.accounts import Purpose
from quaestor.accounts.ledger import Ledger
from quaestor.accounts.money import Amount
from quaestor.core.config import Settings
from quaestor.core.errors import QuaestorError
from quaestor.crawl.crawl_settings import CrawlSettings
from quaestor.crawl.crawler import Crawl
from quaestor.edits import Journal, apply, plan, undo
from quaestor.llm.models import Delta, Finished, Request, TextDelta
from quaestor.llm.models.capabilities import Capabilities
from quaestor.sessions.named_sessions import FolderSessions


class Parrot:
    """A model that repeats the question."""

    name = "gpt-4o"
    capabilities = Capabilities()

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        yield TextDelta(request.messages[-1].content)
        yield Finished(reason="stop")


def settings_in(folder: Path) -> Settings:
    """Return the settings of an index beside the corpus."""
    return Settings(home=str(folder / "home"))


def index(folder: Path) -> None:
    """Bring the index of ``corpus`` up to date, or make it."""
    Index.build(folder / "corpus", settings=settings_in(folder)).close()


def search(folder: Path) -> None:
    """Search the index, which takes in what has changed."""
    with Index.open(folder / "corpus", settings=settings_in(folder)) as opened:
        assert opened.search("word1", 3)


def edit(folder: Path) -> None:
    """Change several files together."""
    apply(plan(folder / "root", CHANGES), Journal(folder / "journal"))


def take_back(folder: Path) -> None:
    """Undo the last edit."""
    undo(Journal(folder / "journal"))


def spend(folder: Path) -> None:
    """Reserve and settle three requests; the number of each that is settled is added to a list outside the folder."""
    ledger, told = Ledger.open(folder / "accounts.sqlite"), folder.parent / f"{folder.name}.told"
    for _ in range(3):
        number = ledger.reserve(Purpose(), "model", Amount(10, 10, 7, "USD"))
        ledger.settle(number, Amount(5, 3, 4, "USD"), "done")
        with told.open("a", encoding="ascii") as file:
            file.write(f"{number}\n")


def talk(folder: Path) -> None:
    """Ask two questions in a new session."""
    told = folder.parent / f"{folder.name}.told"
    with Index.open(folder / "corpus", settings=settings_in(folder)) as opened:
        transcript = FolderSessions(folder / "sessions").begin(root="/corpus")
        conversation = Conversation(opened, Parrot(), transcript=transcript)
        for number in range(2):
            asyncio.run(_ask(conversation, f"question {number} of word1"))
            with told.open("a", encoding="ascii") as file:
                file.write(f"{number + 1}\n")
        transcript.close()


async def _ask(conversation: Conversation, question: str) -> None:
    async for _ in conversation.send(question):
        pass


def crawl(folder: Path) -> None:
    """Crawl the site whose address stands in a file."""
    address = (folder / "address").read_text("ascii")
    Crawl(address, folder / "site", CrawlSettings(allow_private=True, delay=0, concurrency=1, tries=1)).run()


if __name__ == "__main__":
    works = {one.__name__: one for one in (index, search, edit, take_back, spend, talk, crawl)}
    serve(socket.socket(fileno=int(sys.argv[1])), works, QuaestorError)
