"""A process of the real binary, its configuration, its logs and its numbers."""
import json
import os
import re
import signal
import subprocess
import time

from .client import Client, encode_request
from .patience import eventually, scaled
from .ports import free_port

BINARY = os.environ.get("ONCEWARD_BINARY", "")
SANITIZER = re.compile(r"ERROR: \w+Sanitizer|runtime error:|WARNING: ThreadSanitizer")
SAMPLE = re.compile(r"(\w+)(?:\{(.*)\})? (\S+)\Z")
LOG_LINE = re.compile(r'\{"time":"[^"]*","level":')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def is_access_line(line):
    """Other lines of standard output are the log's; its JSON lines say their level."""
    return line.startswith("{") and not LOG_LINE.match(line)


class Metrics:
    """One scrape."""

    def __init__(self, text):
        self.samples = []
        for line in text.splitlines():
            if not line or line.startswith("#"):
                continue
            name, labels, value = SAMPLE.match(line).groups()
            self.samples.append((name, dict(LABEL.findall(labels or "")), float(value)))

    def sum(self, name, **labels):
        """Over all samples of that name that carry these labels."""
        return sum(value for sample, have, value in self.samples
                   if sample == name and labels.items() <= have.items())


class Onceward:
    def __init__(self, config, directory, name="onceward", environment=None):
        """`config` is written as JSON, which is YAML; a function of the port and the health port gives the text itself."""
        self.port, self.health_port, self.admin_port = free_port(), free_port(), free_port()
        self.environment = {**os.environ, **(environment or {})}
        self.directory = directory
        self.path = os.path.join(directory, name + ".yaml")
        self.output = os.path.join(directory, name + ".out")
        self.errors = os.path.join(directory, name + ".err")
        self._process = None
        self._asked = False
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(config(self.port, self.health_port) if callable(config) else self._to_text(config))

    def _to_text(self, config):
        """`admin: True` is a free port; without it there is no admin listener."""
        self.config = {"listen": "127.0.0.1:%d" % self.port, "health": "127.0.0.1:%d" % self.health_port, "admin": "off", **config}
        if self.config["admin"] is True:
            self.config["admin"] = self.admin_address
        return json.dumps(self.config, indent=1)

    def configure(self, **options):
        """Writes the file again, with these keys changed."""
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(self._to_text({**self.config, **options}))

    @property
    def pid(self):
        return self._process.pid

    @property
    def address(self):
        return ("127.0.0.1", self.port)

    @property
    def admin_address(self):
        return "127.0.0.1:%d" % self.admin_port

    def start(self, ready=True, command=("run", "-c")):
        with open(self.output, "ab") as output, open(self.errors, "ab") as errors:
            self._process = subprocess.Popen([BINARY, *command, self.path], stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
                                             env=self.environment)
        if ready:
            eventually(self.is_ready, "onceward is ready")
        return self

    def is_ready(self):
        if self._process.poll() is not None:
            raise AssertionError("onceward ended with %d: %s" % (self._process.returncode, self.log()[-2000:]))
        return self.health("/readyz") == 200

    def health(self, path):
        """Status of a page of the health listener; None when it does not answer."""
        try:
            with Client(("127.0.0.1", self.health_port)) as client:
                return client.request("GET", path, [("Connection", "close")]).status
        except OSError:
            return None

    def admin(self, method, target, content=None, headers=()):
        """A request to the admin listener; `content` goes as JSON, bytes as they are."""
        body = content if content is None or isinstance(content, bytes) else json.dumps(content).encode()
        fields = [("Content-Type", "application/json")] if content is not None else []
        host = next((value for name, value in headers if name == "Host"), "localhost:%d" % self.admin_port)
        fields += [field for field in headers if field[0] != "Host"] + [("Connection", "close")]
        with Client(("127.0.0.1", self.admin_port)) as client:
            client.send(encode_request(method, target, fields, body, host))
            return client.read(method)

    def admin_or_none(self, method, target):
        """The same; None while nothing listens there."""
        try:
            return self.admin(method, target)
        except OSError:
            return None

    def metrics(self):
        with Client(("127.0.0.1", self.health_port)) as client:
            return Metrics(client.request("GET", "/metrics", [("Connection", "close")]).body.decode())

    def metrics_at_rest(self):
        """Once every request is counted: that follows its answer."""
        eventually(lambda: self.metrics().sum("onceward_in_flight") == 0, "no request is in flight")
        return self.metrics()

    def client(self):
        return Client(self.address)

    def refuses_connections(self):
        try:
            with self.client():
                return False
        except ConnectionResetError:
            return False  # it was in the queue as the listener closed
        except ConnectionRefusedError:
            return True

    def health_client(self):
        return Client(("127.0.0.1", self.health_port))

    def send(self, method, target, headers=(), body=None):
        with self.client() as client:
            return client.request(method, target, [*headers, ("Connection", "close")], body)

    def post(self, key=None, body=b'{"item":"tea"}', target="/api/orders", headers=()):
        """A POST on a connection of its own."""
        fields = ([("Idempotency-Key", key)] if key is not None else []) + list(headers)
        return self.send("POST", target, fields, body)

    def log(self):
        """All that it wrote but for access lines."""
        text = ""
        for path in (self.errors, self.output):
            if os.path.exists(path):
                with open(path, encoding="utf-8", errors="replace") as file:
                    text += "".join(line for line in file if not is_access_line(line))
        return text

    def access_lines(self):
        with open(self.output, encoding="utf-8") as file:
            return [json.loads(line) for line in file.read().splitlines() if is_access_line(line)]

    def open_clients(self):
        """Connections of its port that neither side has ended, as the kernel has them (proc_net(5))."""
        with open("/proc/%d/net/tcp" % self.pid, encoding="ascii") as file:
            rows = [line.split() for line in file.read().splitlines()[1:]]
        return sum(row[1].endswith(":%04X" % self.port) and row[3] == "01" for row in rows)

    def status_field(self, name):
        """A size in KiB out of /proc/PID/status."""
        with open("/proc/%d/status" % self.pid, encoding="ascii") as file:
            return int(re.search(r"^%s:\s+(\d+) kB$" % name, file.read(), re.M).group(1))

    def pss(self):
        """Proportional set size in KiB."""
        with open("/proc/%d/smaps_rollup" % self.pid, encoding="ascii") as file:
            return int(re.search(r"^Pss:\s+(\d+) kB$", file.read(), re.M).group(1))

    def signal(self, number):
        self._process.send_signal(number)

    def pause(self):
        """SIGSTOP, once it has taken hold."""
        self.signal(signal.SIGSTOP)
        eventually(lambda: self._state() == "T", "the process is stopped")

    def resume(self):
        self.signal(signal.SIGCONT)

    def _state(self):
        with open("/proc/%d/stat" % self.pid, encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0]

    def kill(self):
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def is_running(self):
        return self._process is not None and self._process.poll() is None

    def wait(self, seconds=15):
        """Exit code, once it has ended by itself."""
        return self._process.wait(scaled(seconds))

    def terminate(self):
        """SIGTERM; the exit code and the seconds that it took."""
        begun = time.monotonic()
        self.signal(signal.SIGTERM)
        return self.wait(), time.monotonic() - begun

    def ask_to_stop(self):
        if self.is_running():
            self.resume()
            self.signal(signal.SIGTERM)
            self._asked = True

    def stop(self):
        """Waits for its end after `ask_to_stop`; an assertion when it does not end well, or a sanitizer has spoken."""
        if self._asked:
            try:
                code = self.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
                raise AssertionError("onceward does not end after SIGTERM") from None
            if code != 0:
                raise AssertionError("onceward ended with %d after SIGTERM" % code)
        if SANITIZER.search(self.log()):
            raise AssertionError("a sanitizer has spoken:\n" + self.log()[-6000:])


def run_command(*arguments, environment=None):
    """Runs the binary to its end: (exit code, standard output, standard error)."""
    done = subprocess.run([BINARY, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=scaled(30),
                          env={**os.environ, **(environment or {})}, check=False)
    return done.returncode, done.stdout, done.stderr
