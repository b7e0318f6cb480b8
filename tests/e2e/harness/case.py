"""The base of every end-to-end test: starts what a test asks for and ends it again, by pid, whatever happens."""
import functools
import os
import sys
import tempfile
import unittest
import uuid

from .client import encode_request
from .onceward import BINARY, Onceward, run_command
from .patience import eventually, scaled
from .redis import Redis
from .relay import Relay
from .upstream import Upstream, created


def new_key():
    return uuid.uuid4().hex


def main():
    if not BINARY:
        sys.exit("ONCEWARD_BINARY names the binary to test; ctest sets it")
    unittest.main(verbosity=2)


def for_each_store(test):
    """Runs a test once for each kind of store, with the url of a fresh one."""
    @functools.wraps(test)
    def run(self):
        for kind in ("memory", "sqlite", "redis"):
            with self.subTest(store=kind):
                test(self, self.store_url(kind))
    return run


class Case(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="onceward-e2e-")
        self.addCleanup(holder.cleanup)
        self.directory = holder.name
        self.started = []

    def run(self, result=None):
        """Shows what the processes logged when a test fails; their files are gone by then."""
        self.logs = []
        before = len(result.failures) + len(result.errors)
        super().run(result)
        if len(result.failures) + len(result.errors) > before:
            for name, log in self.logs:
                print("--- log of %s\n%s" % (name, log[-3000:]), file=sys.stderr)
        return result

    def upstream(self, handler=created):
        upstream = Upstream(handler)
        self.addCleanup(upstream.close)
        return upstream

    def redis(self, *options):
        redis = Redis(self.directory, *options)
        self.addCleanup(redis.kill)
        return redis

    def relay(self, address):
        relay = Relay(address)
        self.addCleanup(relay.close)
        return relay

    def onceward(self, upstream, route=None, store="memory:", routes=None, start=True, **options):
        """A running Onceward in front of `upstream`, with one route /api/orders that has the keys of `route`, or with `routes`."""
        # The memory store is as slow as the machine; whoever is out there is not.
        patience = {"timeout": "%dms" % scaled(500)} if store.startswith("memory:") else {}
        config = {
            "upstream": {"url": upstream.url, **options.pop("upstream_options", {})},
            "store": {"url": store, **patience, **options.pop("store_options", {})},
            "shutdown_grace": "5s",
            "routes": routes or [{"name": "orders", "path": "/api/orders", **(route or {})}],
            **options,
        }
        proxy = self.track(Onceward(config, self.directory, "onceward-%d" % len(self.started)))
        return proxy.start() if start else proxy

    def track(self, proxy):
        """Ends it with the test."""
        self.started.append(proxy)
        self.addCleanup(proxy.kill)
        return proxy

    def tearDown(self):
        """All processes end well, while what they talk to is still there."""
        for proxy in self.started:
            proxy.ask_to_stop()
        failures = []
        for proxy in self.started:
            try:
                proxy.stop()
            except AssertionError as failure:
                failures.append(failure)
            self.logs.append((os.path.basename(proxy.errors), proxy.log()))
        if failures:
            raise failures[0]

    def store_url(self, kind):
        """A store of its own: `memory`, `sqlite` or `redis`."""
        if kind == "redis":
            return self.redis().url
        return "memory:" if kind == "memory" else "sqlite:" + os.path.join(self.directory, new_key() + ".db")

    def command(self, *arguments, environment=None):
        return run_command(*arguments, environment=environment)

    def eventually_answers(self, proxy, key, idempotency, **request):
        """Repeats a request until it is answered with this Idempotency-Status."""
        def probe():
            answer = proxy.post(key, **request)
            return answer if answer.idempotency == idempotency else None
        return eventually(probe, "%s is answered with status %s" % (key, idempotency))

    def assert_large_bodies_pass(self, client, size):
        """Sends whole MiB to /big and takes as many back; the service says in X-Got how much it got."""
        mib = 1 << 20
        client.send(encode_request("PUT", "/big", [("Content-Length", str(size))]))
        for _ in range(size // mib):
            client.send(b"u" * mib)
        self.assertEqual(client.read_head().get("X-Got"), str(size))
        for _ in range(size // mib):
            self.assertEqual(len(client.read_exactly(mib)), mib)

    def assert_events_arrive(self, client, gates):
        """Takes what `Exchange.send_events` sends: each event is there before the next one may be sent, and then comes the end."""
        client.send(encode_request("GET", "/events"))
        head = client.read_head()
        for n, gate in enumerate(gates):
            while b"data: %d" % n not in head.body:
                client.read_chunk(head)
            gate.open()
        self.assertFalse(client.read_chunk(head))

    def assert_problem(self, answer, code, status, idempotency=None):
        self.assertEqual((answer.status, answer.code), (status, code), answer.body[:300])
        if idempotency:
            self.assertEqual(answer.idempotency, idempotency)
