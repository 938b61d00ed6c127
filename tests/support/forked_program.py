"""`crag` as a program to start, whose process is forked from a server that has imported everything:
for tests that look at what a command does in a shell or over pipes, and not at how it starts.

What is started is a small client. It hands its streams (which of them are closed, too), folder,
environment, limits and namespaces over, passes the signals on that it gets, and ends as the command
does.
"""

import atexit
import marshal
import os
import shutil
import socket
import sys
import tempfile
from functools import cache
from multiprocessing.connection import Connection, wait
from pathlib import Path
from threading import Thread

from command_child import LIMITS, run
from forked import forked

_CLIENT = """#!{python} -ISB
import array, marshal, os, resource, sys
from _signal import SIGHUP, SIGINT, SIGTERM, signal
from _socket import AF_UNIX, SCM_RIGHTS, SOL_SOCKET, socket

closed = []
for number in range(3):
    try:
        os.fstat(number)
    except OSError:
        closed.append(number)
        os.open(os.devnull, os.O_RDWR)  # takes its number
server = socket(AF_UNIX)
server.connect({address!r})
umask = os.umask(0)
limits = {{which: resource.getrlimit(which) for which in {limits!r}}}
place = (os.getcwd(), umask, dict(os.environ), limits, closed, os.getpid())
asked = marshal.dumps((sys.argv[1:], place))
streams = array.array("i", [0, 1, 2])
server.sendmsg([len(asked).to_bytes(8, "big")], [(SOL_SOCKET, SCM_RIGHTS, streams)])
server.sendall(asked)
for each in (SIGHUP, SIGINT, SIGTERM):
    signal(each, lambda number, _frame: server.send(bytes([number])))
code = server.recv(1)
os._exit(code[0] if code else 1)
"""


@cache
def crag_program() -> str:
    """The path of the client. What it asks for is done while this process lives."""
    folder = Path(tempfile.mkdtemp(prefix="crag-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(folder / "socket"))
    listening.listen(64)
    client = folder / "crag"
    address = str(folder / "socket")
    client.write_text(_CLIENT.format(python=sys.executable, address=address, limits=LIMITS))
    client.chmod(0o755)
    Thread(target=_serve, args=(listening,), daemon=True).start()
    return str(client)


def _serve(listening: socket.socket) -> None:
    while True:
        asking, _ = listening.accept()
        Thread(target=_serve_one, args=(asking,), daemon=True).start()


def _serve_one(asking: socket.socket) -> None:
    with asking:
        head, streams, _, _ = socket.recv_fds(asking, 8, 3)
        body = bytearray()
        while len(body) < int.from_bytes(head, "big"):
            body += asking.recv(1 << 16)
        arguments, place = marshal.loads(body)
        opened = [Connection(stream) for stream in streams]
        process = forked().Process(target=run, args=(arguments, opened, *place))
        process.start()
        for each in opened:
            each.close()
        while process.sentinel not in wait([process.sentinel, asking]):
            number = asking.recv(1)
            if not number:  # the client was killed
                process.kill()
                break
            os.kill(process.pid or 0, number[0])
        process.join()
        code = process.exitcode or 0
        asking.send(bytes([code if code >= 0 else 128 - code]))
