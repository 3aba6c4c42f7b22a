"""The routes under ``/api``."""

from __future__ import annotations

from fastapi import APIRouter

from quaestor.serving.http.native import answers, corpora, documents, sessions, turns, usage
from quaestor.serving.http.native.refusals import EVERYWHERE

router = APIRouter(prefix="/api", tags=["native"], responses=EVERYWHERE)
for _part in (corpora, answers, sessions, turns, documents, usage):
    router.include_router(_part.router)
