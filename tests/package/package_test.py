#!/usr/bin/env python3
"""The life of the Debian package on a machine: package_test.py FILE.deb, as root. See run.sh."""
import fcntl
import os
import pathlib
import pwd
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))

from harness import Client, Upstream, eventually, new_key  # noqa: E402
from harness.ports import can_listen  # noqa: E402

CONFIGURATION = pathlib.Path("/etc/onceward/onceward.yaml")
RECORDS = pathlib.Path("/var/lib/onceward/onceward.db")
SERVICE, PROXY, HEALTH = 3000, 8080, 9900
MANUAL = "/usr/share/man/man1/onceward.1.gz"
PACKAGE = ""


def run(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError("%s ended with %d:\n%s%s" % (" ".join(command), done.returncode, done.stdout, done.stderr))
    return done.stdout


def dpkg(*arguments):
    return run("env", "DEBIAN_FRONTEND=noninteractive", "dpkg", "--force-confdef", "--force-confold", *arguments)


def commands(*words):
    """Every command that the binary's help tells of, and those below it, as words."""
    below = run("onceward", *words, "--help").partition("Subcommands:")[2].split("\n\n")[0]
    for name in re.findall(r"^  (\w[\w-]*)", below, re.M):
        yield (*words, name)
        yield from commands(*words, name)


def listen_on_loopback():
    """A new network has its loopback device down."""
    up_and_running = 0x49
    set_flags = 0x8914
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sh", b"lo", up_and_running))


def has_account():
    try:
        return pwd.getpwnam("onceward")
    except KeyError:
        return None


class Service:
    """What the unit starts, as it starts it, but for the service manager."""

    def __init__(self):
        unit = next(path for path in run("dpkg", "-L", "onceward").splitlines() if path.endswith("onceward.service"))
        words = re.search(r"^ExecStart=(.*)$", pathlib.Path(unit).read_text(encoding="utf-8"), re.M).group(1).split()
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(words, user="onceward", group="onceward", extra_groups=[], umask=0o077, cwd="/",
                                        stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
                                        env={"PATH": "/usr/bin:/bin"})

    def is_ready(self):
        if self.process.poll() is not None:
            self.log.seek(0)
            raise AssertionError("the service has ended:\n" + self.log.read().decode())
        try:
            with Client(("127.0.0.1", HEALTH)) as client:
                return client.request("GET", "/readyz").status == 200
        except OSError:
            return False

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(60)
        self.log.close()
        return code


def post(key, body=b'{"item":"tea"}'):
    with Client(("127.0.0.1", PROXY)) as client:
        return client.request("POST", "/api/orders", [("Idempotency-Key", key)], body)


class Package(unittest.TestCase):
    def setUp(self):
        self.assertIsNone(has_account(), "an account of that name is here already")
        self.addCleanup(subprocess.run, ["dpkg", "--purge", "onceward"], capture_output=True, check=False)
        self.upstream = Upstream(port=SERVICE)
        self.addCleanup(self.upstream.close)

    def test_from_installation_to_purge(self):
        self.install()
        key = new_key()
        first = self.use(key)
        self.upgrade()
        self.use_again(key, first)
        self.remove()
        self.purge()

    def install(self):
        dpkg("--install", PACKAGE)
        self.assertEqual(run("dpkg", "--verify", "onceward"), "")
        account = has_account()
        self.assertEqual((account.pw_dir, account.pw_shell), ("/var/lib/onceward", "/usr/sbin/nologin"))
        self.assertEqual(RECORDS.parent.owner(), "onceward")
        self.assertEqual(RECORDS.parent.stat().st_mode & 0o777, 0o750)
        self.assertEqual((CONFIGURATION.parent.group(), CONFIGURATION.parent.stat().st_mode & 0o777), ("onceward", 0o750))
        self.assertIn("OK", run("onceward", "check", "-c", str(CONFIGURATION)))
        self.look_at_help()

    def look_at_help(self):
        """The manual is whole: it has every command and every option that the binary tells of."""
        manual = run("man", "--local-file", "--warnings", "--encoding=ascii", MANUAL)
        manual = re.sub(r"\s+", " ", re.sub(r"-\n\s+|.\x08", "", manual))
        for heading in ("EXIT STATUS", "SIGNALS", "FILES", "ENVIRONMENT", "/etc/onceward/onceward.yaml", "SIGTERM", "SIGHUP"):
            self.assertIn(heading, manual)
        for words in commands():
            self.assertIn(" ".join(("onceward", *words)), manual)
            for option in re.findall(r"^  .*?(--[a-z][\w-]*)", run("onceward", *words, "--help"), re.M):
                self.assertIn(option, manual, "of %s" % (words,))
        for file in ("bash-completion/completions/onceward", "zsh/vendor-completions/_onceward",
                     "fish/vendor_completions.d/onceward.fish"):
            self.assertIn("records", pathlib.Path("/usr/share", file).read_text(encoding="utf-8"))
        run("bash", "-n", "/usr/share/bash-completion/completions/onceward")
        first_line = CONFIGURATION.read_text(encoding="utf-8").split("\n", 1)[0]
        schema = first_line.removeprefix("# yaml-language-server: $schema=file://")
        self.assertIn('"$schema"', pathlib.Path(schema).read_text(encoding="utf-8"))

    def start(self):
        service = Service()
        self.addCleanup(service.stop)
        eventually(service.is_ready, "the service is ready")
        return service

    def use(self, key):
        service = self.start()
        first, again, changed = post(key), post(key), post(key, b'{"item":"coffee"}')
        self.assertEqual((first.status, first.idempotency), (201, "executed"))
        self.assertEqual((again.status, again.body, again.idempotency), (201, first.body, "replayed"))
        self.assertEqual((changed.status, changed.code), (422, "KEY_REUSED"))
        self.assertEqual(self.upstream.executions(key), 1)
        self.assertEqual(service.stop(), 0)
        self.assertEqual((RECORDS.owner(), RECORDS.stat().st_mode & 0o777), ("onceward", 0o600))
        return first

    def upgrade(self):
        """What the administrator changed stays."""
        changed = CONFIGURATION.read_text(encoding="utf-8").replace("create-order", "place-order")
        CONFIGURATION.write_text(changed, encoding="utf-8")
        CONFIGURATION.parent.chmod(0o755)
        dpkg("--install", PACKAGE)
        self.assertEqual(CONFIGURATION.read_text(encoding="utf-8"), changed)
        self.assertEqual(CONFIGURATION.parent.stat().st_mode & 0o777, 0o755)
        CONFIGURATION.write_text(changed.replace("place-order", "create-order"), encoding="utf-8")

    def use_again(self, key, first):
        """Records outlive the upgrade."""
        service = self.start()
        again = post(key)
        self.assertEqual((again.status, again.body, again.idempotency), (201, first.body, "replayed"))
        self.assertEqual(self.upstream.executions(key), 1)
        self.assertEqual(service.stop(), 0)

    def remove(self):
        dpkg("--remove", "onceward")
        self.assertFalse(os.path.exists("/usr/bin/onceward"))
        self.assertTrue(CONFIGURATION.exists() and RECORDS.exists() and has_account())

    def purge(self):
        dpkg("--purge", "onceward")
        for path in ("/etc/onceward", "/var/lib/onceward", "/usr/share/onceward", "/usr/share/doc/onceward", MANUAL):
            self.assertFalse(os.path.exists(path), path)
        self.assertIsNone(has_account())
        self.assertEqual(subprocess.run(["dpkg-query", "-W", "onceward"], capture_output=True, check=False).returncode, 1)


if __name__ == "__main__":
    PACKAGE = sys.argv.pop(1)
    listen_on_loopback()
    taken = [str(port) for port in (SERVICE, PROXY, HEALTH) if not can_listen(port)]
    if taken:
        sys.exit("ports that the installed configuration names are taken: " + ", ".join(taken))
    unittest.main(verbosity=2)
