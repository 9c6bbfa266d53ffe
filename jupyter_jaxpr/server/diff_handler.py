"""Handles the requests of pages to the Jupyter server: decides who may ask, and answers on a thread."""

from __future__ import annotations

import asyncio

from jupyter_server.base.handlers import APIHandler
from tornado.web import authenticated


def _answer(body: bytes) -> bytes:
    from .diff_request import answer

    return answer(body)


class DiffHandler(APIHandler):
    """Compares two saved documents for a signed-in user; the server can do its other work meanwhile."""

    @authenticated
    async def post(self) -> None:
        """Reply with the diff of the two documents in the body."""
        loop = asyncio.get_running_loop()
        self.finish(await loop.run_in_executor(None, _answer, self.request.body))
