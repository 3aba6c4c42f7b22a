"""The routes of the page."""

from __future__ import annotations

from fastapi import APIRouter

from quaestor.server.web import account_pages as own
from quaestor.server.web import answer_forms as judging
from quaestor.server.web import api_pages, exported_answers
from quaestor.server.web import ask_form as asking
from quaestor.server.web import conversation_pages as conversations
from quaestor.server.web import corpus_pictures as pictures
from quaestor.server.web import document_pages as reading
from quaestor.server.web import folder_pages as folders
from quaestor.server.web import login_pages as entering
from quaestor.server.web import search_pages as searching
from quaestor.server.web import site_pages as sites
from quaestor.server.web import static_files as files
from quaestor.server.web import upload_forms as adding

router = APIRouter(include_in_schema=False)
for _part in (
    conversations,
    asking,
    reading,
    pictures,
    searching,
    own,
    adding,
    folders,
    sites,
    judging,
    entering,
    exported_answers,
    api_pages,
    files,
):
    router.include_router(_part.router)
