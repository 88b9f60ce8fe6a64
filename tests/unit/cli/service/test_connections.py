import asyncio
import socket

import uvicorn
from starlette.responses import PlainTextResponse

from assay.cli.service.connections import TimedHttpProtocol


class QuickProtocol(TimedHttpProtocol):
    headers_s = 1.0


async def test_a_connection_without_a_whole_request_is_closed() -> None:
    config = uvicorn.Config(PlainTextResponse("here"), http=QuickProtocol, lifespan="off", log_level="error")
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        async with asyncio.timeout(60):
            for sent in (b"", b"GET / HTTP/1.1\r\nHost: x\r\n"):
                reader, writer = await asyncio.open_connection(*listener.getsockname())
                writer.write(sent)
                assert await reader.read() == b"", "closed without a reply"
                writer.close()
            reader, writer = await asyncio.open_connection(*listener.getsockname())
            for _ in range(2):
                writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                assert b"200 OK" in await reader.readuntil(b"here")
            writer.write(b"GET / HTTP/1.1\r\n")
            assert await reader.read() == b"", "also after others were answered"
            writer.close()
        server.should_exit = True
        await serving
