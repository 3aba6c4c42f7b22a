"""The routes of the page."""

from __future__ import annotations

from fastapi import APIRouter

from quaestor.serving.web import adding, asking, conversations, entering, files, own, reading, searching, taking_along

router = APIRouter(include_in_schema=False)
for _part in (conversations, asking, reading, searching, own, adding, entering, taking_along, files):
    router.include_router(_part.router)
