"""A raw HTTP/1.1 client: sends exactly the bytes it is given, and takes answers only to the letter of RFC 9112."""
import json
import re
import socket
import struct

from .patience import PATIENCE, scaled

STATUS_LINE = re.compile(rb"HTTP/1\.1 ([1-5][0-9][0-9]) ([\t \x21-\x7e\x80-\xff]*)\Z")
FIELD_LINE = re.compile(rb"([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*([^\r\n\0]*?)[ \t]*\Z")
HEAD_MAX = 1 << 20


class Cut(Exception):
    """The connection ended before a whole answer; `received` holds what came."""

    def __init__(self, what, received=b""):
        super().__init__("%s after %d bytes: %r" % (what, len(received), received[:200]))
        self.received = received


class NotHttp(AssertionError):
    """What came is not an HTTP/1.1 response."""


class Response:
    def __init__(self, status, reason, fields):
        self.status = status
        self.reason = reason
        self.fields = fields
        self.interim = []
        self.body = b""
        self.trailers = []

    def all(self, name):
        return [value for field, value in self.fields if field.lower() == name.lower()]

    def get(self, name):
        values = self.all(name)
        return values[0] if values else None

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        """The code of one of Onceward's own answers, else None."""
        try:
            value = json.loads(self.body)
        except ValueError:
            return None
        return value.get("code") if isinstance(value, dict) else None

    @property
    def idempotency(self):
        return self.get("Idempotency-Status")

    @property
    def replayed(self):
        return self.get("Idempotency-Replayed") == "true"

    @property
    def operation_id(self):
        return self.get("Idempotency-Operation-Id")

    def __repr__(self):
        return "<%d %s %s%s>" % (self.status, self.idempotency, self.code or "", " replayed" if self.replayed else "")


def encode_request(method, target, headers=(), body=None, host="e2e.test"):
    """A request with Host first and, for a body, Content-Length last."""
    lines = ["%s %s HTTP/1.1" % (method, target), "Host: " + host]
    lines += ["%s: %s" % field for field in headers]
    if body is not None:
        lines.append("Content-Length: %d" % len(body))
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + (body or b"")


class Client:
    """One connection to `address`: (host, port), or the path of a unix socket."""

    def __init__(self, address, seconds=2 * PATIENCE):
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.settimeout(scaled(seconds))
        self._buffer = b""
        try:
            self.socket.connect(address)
        except OSError:
            self.socket.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, data):
        self.socket.sendall(data)

    def request(self, method, target, headers=(), body=None):
        self.send(encode_request(method, target, headers, body))
        return self.read(method)

    def close(self):
        self.socket.close()

    def half_close(self):
        self.socket.shutdown(socket.SHUT_WR)

    def reset(self):
        """Closes with RST instead of FIN."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def is_silent(self, seconds):
        """True when nothing, not even the end, arrives in that time."""
        if self._buffer:
            return False
        before = self.socket.gettimeout()
        self.socket.settimeout(seconds)
        try:
            self._buffer += self.socket.recv(65536)
            return False
        except TimeoutError:
            return True
        finally:
            self.socket.settimeout(before)

    def is_closed(self):
        """Waits for the end of the connection. False when bytes come instead."""
        try:
            return not self._buffer and self.socket.recv(65536) == b""
        except ConnectionResetError:
            return True

    def read(self, method="GET"):
        """The next final response; interim ones before it stand in `interim`."""
        interim = []
        while True:
            response = self.read_head()
            if 100 <= response.status < 200 and response.status != 101:
                interim.append(response)
                continue
            response.interim = interim
            self._read_body(response, method)
            return response

    def read_head(self):
        head = self.read_until(b"\r\n\r\n")[:-4].split(b"\r\n")
        match = STATUS_LINE.match(head[0])
        if not match:
            raise NotHttp("not a status line: %r" % head[0])
        return Response(int(match.group(1)), match.group(2).decode("latin-1"), [self._field(line) for line in head[1:]])

    @staticmethod
    def _field(line):
        match = FIELD_LINE.match(line)
        if not match:
            raise NotHttp("not a field line: %r" % line)
        return match.group(1).decode(), match.group(2).decode("latin-1")

    def _read_body(self, response, method):
        lengths, codings = response.all("Content-Length"), response.all("Transfer-Encoding")
        if len(lengths) + len(codings) > 1:
            raise NotHttp("framed twice: %r" % response.fields)
        bodiless = method == "HEAD" or response.status in (101, 204, 304)
        if response.status in (101, 204) and lengths + codings:
            raise NotHttp("framing in a %d" % response.status)
        if bodiless:
            return
        if codings:
            if codings[0].lower() != "chunked":
                raise NotHttp("unknown coding %r" % codings[0])
            while self.read_chunk(response):
                pass
        elif lengths:
            response.body = self.read_exactly(int(lengths[0]))
        else:
            response.body = self._read_to_end()

    def read_chunk(self, response):
        """Appends the next chunk to the body. False at the last one, whose trailers are then read."""
        size_line = self.read_until(b"\r\n")[:-2]
        if not re.fullmatch(rb"[0-9A-Fa-f]+", size_line):
            raise NotHttp("not a chunk size: %r" % size_line)
        size = int(size_line, 16)
        if size == 0:
            line = self.read_until(b"\r\n")[:-2]
            while line:
                response.trailers.append(self._field(line))
                line = self.read_until(b"\r\n")[:-2]
            return False
        response.body += self.read_exactly(size)
        if self.read_exactly(2) != b"\r\n":
            raise NotHttp("a chunk does not end with CRLF")
        return True

    def read_until(self, end):
        while end not in self._buffer:
            if len(self._buffer) > HEAD_MAX:
                raise NotHttp("no end of the head")
            self._fill()
        size = self._buffer.index(end) + len(end)
        return self._take(size)

    def read_exactly(self, size):
        while len(self._buffer) < size:
            self._fill()
        return self._take(size)

    def available(self):
        """What has arrived and was not read yet."""
        return self._take(len(self._buffer))

    def _read_to_end(self):
        try:
            while True:
                self._fill()
        except Cut as end:
            if not end.clean:
                raise
            return self._take(len(self._buffer))

    def _take(self, size):
        taken, self._buffer = self._buffer[:size], self._buffer[size:]
        return taken

    def _fill(self):
        try:
            data = self.socket.recv(1 << 18)
        except ConnectionError as error:
            self._cut("reset (%s)" % type(error).__name__, False)
        if not data:
            self._cut("closed", True)
        self._buffer += data

    def _cut(self, what, clean):
        error = Cut(what, self._buffer)
        error.clean = clean
        raise error
