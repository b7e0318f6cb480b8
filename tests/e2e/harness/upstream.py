"""A scripted service. It counts what it was asked to execute, per key, and answers as its handler says, down to the byte.

A handler is a function of an Exchange. It may read the body, wait at a gate, send anything, close or reset; when it returns and
the connection is whole, the next request is read.
"""
import json
import socket
import struct
import threading

from .patience import PATIENCE, scaled


class Exchange:
    """One request, and the connection to answer it on."""

    def __init__(self, upstream, connection, reader, head):
        lines = head.decode("latin-1").split("\r\n")
        self.method, self.target, self.version = lines[0].split(" ", 2)
        self.fields = [tuple(part.strip() for part in line.split(":", 1)) for line in lines[1:]]
        self.key = self.get("Idempotency-Key")
        self.execution = upstream.count(self)  # over all keys, from 1
        self.number = upstream.executions(self.key)  # of this key, from 1
        self.connection = connection
        self.reader = reader
        self.usable = True
        self._body = None

    def all(self, name):
        return [value for field, value in self.fields if field.lower() == name.lower()]

    def get(self, name):
        values = self.all(name)
        return values[0] if values else None

    @property
    def body(self):
        if self._body is None:
            self._body = b"".join(self.body_parts())
        return self._body

    def body_parts(self):
        """The body as it arrives. Raises ConnectionError when it is cut short."""
        if (self.get("Transfer-Encoding") or "").lower() == "chunked":
            size = int(self._line().split(b";")[0], 16)
            while size:
                yield self._exactly(size)
                self._exactly(2)
                size = int(self._line().split(b";")[0], 16)
            while self._line():
                pass
            return
        left = int(self.get("Content-Length") or 0)
        while left:
            part = self._exactly(min(left, 65536))
            left -= len(part)
            yield part

    def _line(self):
        line = self.reader.readline(65536)
        if not line.endswith(b"\n"):
            raise ConnectionError("cut in a line")
        return line.strip()

    def _exactly(self, size):
        data = self.reader.read(size)
        if len(data) < size:
            raise ConnectionError("cut in the body")
        return data

    def reply(self, code=201, body=b"", headers=(), reason="Scripted"):
        fields = "".join("%s: %s\r\n" % field for field in headers)
        length = "" if code in (204, 304) else "Content-Length: %d\r\n" % len(body)
        self.send(("HTTP/1.1 %d %s\r\n%s%s\r\n" % (code, reason, fields, length)).encode("latin-1") + body)

    def send(self, data):
        self.connection.sendall(data)

    def send_events(self, gates):
        """Server-sent events up to the end of the connection, each held back until the gate of the one before is open."""
        self.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        for n, gate in enumerate(gates):
            self.send(b"data: %d\n\n" % n)
            gate.wait()

    def close(self):
        self.usable = False
        self.connection.shutdown(socket.SHUT_RDWR)

    def reset(self):
        self.usable = False
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def created(exchange):
    """201 with a body that names the execution."""
    exchange.body
    exchange.reply(201, json.dumps({"execution": exchange.execution}).encode(),
                   [("Content-Type", "application/json"), ("X-Execution", str(exchange.execution))])


def status(code, headers=()):
    """Answers `code`, with a body that names the execution."""
    def handler(exchange):
        exchange.body
        body = b"" if code in (204, 304) else b"execution %d" % exchange.execution
        exchange.reply(code, body, headers)
    return handler


def gated(gate, then=created):
    """Waits at `gate` before it answers."""
    def handler(exchange):
        exchange.body
        gate.wait()
        then(exchange)
    return handler


def by_attempt(*handlers):
    """The n-th handler for the n-th execution of a key; the last one for all further ones."""
    def handler(exchange):
        handlers[min(exchange.number, len(handlers)) - 1](exchange)
    return handler


class Upstream:
    def __init__(self, handler=created, port=0):
        self.handler = handler
        self.requests = []
        self._changed = threading.Condition()
        self._connections = set()
        self._listener = None
        self.port = port
        self.listen()

    @property
    def url(self):
        return "http://127.0.0.1:%d" % self.port

    def listen(self):
        """Takes connections, again on the same port after `refuse`."""
        self._listener = socket.create_server(("127.0.0.1", self.port), backlog=512)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def refuse(self):
        """New connections are refused and the present ones closed."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.close_connections()

    def close_connections(self):
        with self._changed:
            connections = list(self._connections)
        for connection in connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        try:
            self.refuse()
        except OSError:
            pass

    def count(self, exchange):
        with self._changed:
            self.requests.append(exchange)
            self._changed.notify_all()
            return len(self.requests)

    def of_key(self, key):
        with self._changed:
            return [request for request in self.requests if request.key == key]

    def executions(self, key):
        return len(self.of_key(key))

    def wait_for(self, key, count=1):
        """The request that is the count-th execution of the key, once it has arrived."""
        with self._changed:
            arrived = self._changed.wait_for(
                lambda: sum(request.key == key for request in self.requests) >= count, scaled(PATIENCE))
        if not arrived:
            raise AssertionError("the upstream has not seen %s %d times" % (key, count))
        return self.of_key(key)[count - 1]

    def _accept(self, listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with self._changed:
            self._connections.add(connection)
        try:
            with connection, connection.makefile("rb") as reader:
                while self._serve_one(connection, reader):
                    pass
        except (OSError, ValueError):
            pass  # the other side is gone, which is what many tests want
        finally:
            with self._changed:
                self._connections.discard(connection)

    def _serve_one(self, connection, reader):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = reader.readline(1 << 20)
            if not line:
                return False
            head += line
        exchange = Exchange(self, connection, reader, head[:-4])
        self.handler(exchange)
        return exchange.usable
