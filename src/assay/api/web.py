"""Serves the web UI from the package that is part of the wheel."""

from importlib.util import find_spec
from pathlib import Path
from typing import Final

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

UI_PACKAGE: Final = "assay_ui"
UI_PATH: Final = "/ui"
OPENAPI_PATH: Final = "/api/openapi.json"

_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "media-src data:; font-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_IMMUTABLE: Final = "public, max-age=31536000, immutable"
_NO_UI: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Assay: no web UI in this install</title>
<h1>This install has no web UI</h1>
<p>It was made with <code>ASSAY_SKIP_UI_BUILD</code> set. In the source folder, install again without it:</p>
<pre>unset ASSAY_SKIP_UI_BUILD
uv sync --reinstall-package assay-benchmarks    # or: pip install --force-reinstall .</pre>
<p>The API is available, for example <a href="/api/status">/api/status</a>.</p>
</html>
"""


class SecurityHeaders:
    """Adds the same headers to every response, because any of them may contain model output."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class UiFiles(StaticFiles):
    """Serves the built files; any other path is a route of the UI."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        if path.startswith("assets/"):
            response = await super().get_response(path, scope)
            response.headers["Cache-Control"] = _IMMUTABLE
            return response
        try:
            response = await super().get_response(path, scope)
        except HTTPException as error:
            if error.status_code != 404:  # noqa: PLR2004
                raise
            response = await super().get_response("index.html", scope)
        response.headers["Cache-Control"] = "no-cache"
        return response


def installed_ui() -> Path | None:
    """The folder of the built UI; None if it was not built."""
    spec = find_spec(UI_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(next(iter(spec.submodule_search_locations)))
    return folder if (folder / "index.html").is_file() else None


def install_web(app: FastAPI, *, version: str, ui: Path | None) -> None:
    app.add_middleware(SecurityHeaders)

    @app.get("/", include_in_schema=False)
    async def root(request: Request) -> Response:
        if "text/html" in request.headers.get("accept", ""):
            return RedirectResponse(f"{UI_PATH}/", headers={"Vary": "Accept"})
        about = {"name": "Assay", "version": version, "docs": OPENAPI_PATH}
        return JSONResponse(about, headers={"Vary": "Accept"})

    if ui is not None:
        app.mount(UI_PATH, UiFiles(directory=ui, html=True), name="ui")
        return

    @app.get(UI_PATH, include_in_schema=False)
    @app.get(f"{UI_PATH}/{{path:path}}", include_in_schema=False)
    async def no_ui() -> HTMLResponse:
        return HTMLResponse(_NO_UI, status_code=503)
