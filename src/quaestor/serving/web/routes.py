"""The routes of the page."""

from __future__ import annotations

from fastapi import APIRouter

from quaestor.serving.web import conversations, entering, files, own, reading

router = APIRouter(include_in_schema=False)
for _part in (conversations, reading, own, entering, files):
    router.include_router(_part.router)
