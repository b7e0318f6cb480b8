"""Steady load from processes of its own: Python threads of one process would wait for each other.

    python3 load.py serve PORT_FILE           a service that counts executions per key; GET /counts tells them
    python3 load.py send '{...}'              sends requests, prints a JSON report; see `send`

`Service` and `Senders` start them and ask for what they know.
"""
import collections
import json
import os
import socket
import subprocess
import sys
import threading
import time
import uuid

MARGIN = 20
REQUESTS_PER_CONNECTION = 50


def read_message(connection, buffer):
    """The head and content of a message with Content-Length, and the bytes behind it. None at the end of the connection."""
    while b"\r\n\r\n" not in buffer:
        data = connection.recv(65536)
        if not data:
            return None
        buffer += data
    head, _, rest = buffer.partition(b"\r\n\r\n")
    at = head.lower().find(b"\r\ncontent-length:")
    length = int(head[at + 17:].split(b"\r\n", 1)[0]) if at >= 0 else 0
    while len(rest) < length:
        data = connection.recv(65536)
        if not data:
            return None
        rest += data
    return head, rest[:length], rest[length:]


def field(head, name):
    for line in head.split(b"\r\n")[1:]:
        key, _, value = line.partition(b":")
        if key.lower() == name:
            return value.strip()
    return None


def serve(port_file):
    """Answers 201 with the key as content, and counts each key."""
    counts = collections.Counter()
    lock = threading.Lock()
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)

    def run(connection):
        buffer = b""
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection:
            while True:
                message = read_message(connection, buffer)
                if message is None:
                    return
                head, _, buffer = message
                if head.startswith(b"GET /counts"):
                    with lock:
                        content = json.dumps(counts).encode()
                else:
                    content = field(head, b"idempotency-key") or b""
                    with lock:
                        counts[content.decode()] += 1
                connection.sendall(b"HTTP/1.1 201 Created\r\nContent-Length: %d\r\n\r\n" % len(content) + content)

    def guarded_run(connection):
        try:
            run(connection)
        except OSError:
            pass

    with open(port_file + ".new", "w", encoding="ascii") as file:
        file.write(str(listener.getsockname()[1]))
    os.rename(port_file + ".new", port_file)
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=guarded_run, args=(connection,), daemon=True).start()


class Endpoints:
    """Which replicas are ready, as a Service of Kubernetes knows it: from probes, and so a little late."""

    def __init__(self, replicas, interval):
        self.replicas = replicas
        self.ready = list(range(len(replicas)))
        self.turn = 0
        if interval > 0:
            self.probe()
            threading.Thread(target=self._run, args=(interval,), daemon=True).start()

    def _run(self, interval):
        while True:
            time.sleep(interval)  # a probe's period
            self.probe()

    def probe(self):
        self.ready = [n for n, replica in enumerate(self.replicas) if self._is_ready(replica["health"])]

    @staticmethod
    def _is_ready(port):
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
                connection.sendall(b"GET /readyz HTTP/1.1\r\nHost: probe\r\nConnection: close\r\n\r\n")
                return connection.recv(64).startswith(b"HTTP/1.1 200")
        except OSError:
            return False

    def next(self):
        ready = self.ready
        self.turn += 1
        return self.replicas[ready[self.turn % len(ready)]]["port"] if ready else None


class Sender:
    """One client with one connection, which it keeps as long as the server lets it."""

    def __init__(self, order):
        self.order = order
        self.endpoints = Endpoints(order["replicas"], order["probe_interval"])
        self.connection = None
        self.used = 0
        self.buffer = b""
        self.report = {"sent": 0, "keys": [], "failures": [], "retries": 0, "replays": 0, "closed_behind": 0}

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None
        self.used = 0
        self.buffer = b""

    def exchange(self, key):
        if self.connection is None:
            self.connection = socket.create_connection(("127.0.0.1", self.endpoints.next()), timeout=30)
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connection.sendall(b"POST %s HTTP/1.1\r\nHost: load\r\nIdempotency-Key: %s\r\nContent-Length: 2\r\n\r\n{}"
                                % (self.order["path"].encode(), key))
        message = read_message(self.connection, self.buffer)
        if message is None:
            raise ConnectionError("closed before an answer")
        head, content, self.buffer = message
        if (field(head, b"connection") or b"").lower() == b"close":
            self.report["closed_behind"] += 1
            self.close()
        self.used += 1
        if self.used >= REQUESTS_PER_CONNECTION:
            self.close()  # so that a replica that came back gets its share
        return head, content

    def once(self, key, expected):
        """One request; a failure is reported, and tried again as a client would."""
        for attempt in range(5):
            try:
                head, content = self.exchange(key)
            except OSError as error:
                self.close()
                self.report["failures"].append("%s: %s" % (type(error).__name__, error))
                self.report["retries"] += 1
                continue
            status = (field(head, b"idempotency-status") or b"").decode()
            if head.startswith(b"HTTP/1.1 201") and content == key and status in expected:
                return
            self.report["failures"].append("%r %r" % (head[:400], content[:200]))
            if not head.startswith(b"HTTP/1.1 50"):
                return
            self.report["retries"] += 1

    def run(self):
        pause = 1.0 / self.order["rate"]
        begun = time.monotonic()
        due = begun
        for n in range(self.order["at_most"]):
            if os.path.exists(self.order["stop_file"]):
                break
            due += pause
            rest = due - time.monotonic()
            if rest > 0:
                time.sleep(rest)  # the pace
            key = uuid.uuid4().hex.encode()
            self.report["keys"].append(key.decode())
            self.report["sent"] += 1
            self.once(key, ("executed",))
            if n % self.order["repeat_every"] == 0:
                self.report["replays"] += 1
                self.once(key, ("replayed",))
        self.close()
        self.report["seconds"] = time.monotonic() - begun
        print(json.dumps(self.report))


class Service:
    """The counting service in a process of its own."""

    def __init__(self, directory):
        port_file = os.path.join(directory, "service-port")
        self._process = subprocess.Popen([sys.executable, "-B", __file__, "serve", port_file], stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + MARGIN
        while not os.path.exists(port_file):
            if time.monotonic() > deadline:
                self.close()
                raise AssertionError("the service does not start")
            time.sleep(0.01)
        with open(port_file, encoding="ascii") as file:
            self.port = int(file.read())

    @property
    def url(self):
        return "http://127.0.0.1:%d" % self.port

    def counts(self):
        """Executions per key."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=MARGIN) as connection:
            connection.sendall(b"GET /counts HTTP/1.1\r\nHost: service\r\n\r\n")
            return json.loads(read_message(connection, b"")[1])

    def close(self):
        self._process.kill()
        self._process.wait()


class Senders:
    """Some clients that send together at `rate` requests a second, until they are stopped; `at_most` so many each."""

    def __init__(self, directory, replicas, path, rate, clients=4, probe_interval=0.0, at_most=100_000):
        self._stop_file = os.path.join(directory, "stop-sending")
        order = {"replicas": [{"port": replica.port, "health": replica.health_port} for replica in replicas], "path": path,
                 "rate": rate / clients, "at_most": at_most, "probe_interval": probe_interval, "repeat_every": 10,
                 "stop_file": self._stop_file}
        self._processes = [subprocess.Popen([sys.executable, "-B", __file__, "send", json.dumps(order)], stdin=subprocess.DEVNULL,
                                            stdout=subprocess.PIPE, text=True) for _ in range(clients)]

    def running(self):
        return all(process.poll() is None for process in self._processes)

    def reports(self, seconds):
        """Stops them; a report of each client."""
        with open(self._stop_file, "w", encoding="ascii"):
            pass
        return [json.loads(process.communicate(timeout=seconds)[0]) for process in self._processes]

    def close(self):
        for process in self._processes:
            if process.poll() is None:
                process.kill()
            process.wait()
            process.stdout.close()


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
    else:
        Sender(json.loads(sys.argv[2])).run()
