"""A real redis-server on a free loopback port, and just enough of RESP to ask it something."""
import os
import signal
import socket
import subprocess

from .patience import eventually
from .ports import free_port


class Redis:
    def __init__(self, directory, *options):
        self.directory = directory
        self.port = free_port()
        self._options = options
        self._process = None
        self.start()

    @property
    def address(self):
        return ("127.0.0.1", self.port)

    @property
    def url(self):
        return "redis://127.0.0.1:%d/0" % self.port

    def start(self):
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.directory,
                   "--save", "", "--appendonly", "no", *self._options]
        with open(os.path.join(self.directory, "redis.log"), "ab") as log:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        eventually(self._answers, "redis-server answers")

    def _answers(self):
        try:
            return self.command("PING") == b"PONG"
        except OSError:
            return False

    def kill(self):
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGCONT)
            self._process.kill()
        self._process.wait()

    def pause(self):
        self._process.send_signal(signal.SIGSTOP)

    def resume(self):
        self._process.send_signal(signal.SIGCONT)

    def command(self, *words, password=None):
        """The reply to one command; an error reply is raised as ValueError."""
        with socket.create_connection(self.address, timeout=10) as connection, connection.makefile("rb") as reader:
            if password:
                connection.sendall(self._encoded(("AUTH", password)))
                self._reply(reader)
            connection.sendall(self._encoded(words))
            return self._reply(reader)

    @staticmethod
    def _encoded(words):
        encoded = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        return b"*%d\r\n" % len(encoded) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in encoded)

    def _reply(self, reader):
        line = reader.readline()[:-2]
        if not line:
            raise ConnectionError("redis closed the connection")
        kind, rest = line[:1], line[1:]
        if kind == b"-":
            raise ValueError(rest.decode())
        if kind == b":":
            return int(rest)
        if kind == b"$":
            size = int(rest)
            return None if size < 0 else reader.read(size + 2)[:-2]
        if kind == b"*":
            return [self._reply(reader) for _ in range(int(rest))]
        return rest
