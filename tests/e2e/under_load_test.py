"""Reloads and a rolling restart while a thousand requests a second come: each is answered, each key is executed once."""
import time

from harness import SANITIZED, Case, eventually, main, scaled
from harness.configuration import rewrite
from harness.load import Senders, Service

RATE = 200 if SANITIZED else 1000
SECONDS = 10


class UnderLoad(Case):
    def setUp(self):
        super().setUp()
        self.service = Service(self.directory)
        self.addCleanup(self.service.close)

    def check(self, senders):
        """No client saw a failure, and no key was executed twice."""
        self.assertTrue(senders.running())
        reports = senders.reports(scaled(60))
        failures = [failure for report in reports for failure in report["failures"]]
        self.assertEqual(failures, [], "%d failures" % len(failures))
        keys = [key for report in reports for key in report["keys"]]
        self.assertGreater(len(keys), RATE // 2)
        counts = self.service.counts()
        self.assertEqual({key: counts.get(key, 0) for key in keys if counts.get(key, 0) != 1}, {})
        self.assertGreater(sum(report["replays"] for report in reports), 0)
        seconds = max(report["seconds"] for report in reports)
        print("%d keys, %.0f requests a second, %d told to close" % (
            len(keys), sum(report["sent"] + report["replays"] for report in reports) / seconds,
            sum(report["closed_behind"] for report in reports)))

    def test_reloads_lose_no_request(self):
        routes = [{"name": "orders", "path": "/api/orders"}]
        proxy = self.onceward(self.service, routes=routes, threads=2)
        senders = Senders(self.directory, [proxy], "/api/orders", RATE)
        self.addCleanup(senders.close)
        reloads = 0
        end = time.monotonic() + SECONDS
        while reloads < 10 or time.monotonic() < end:
            reloads += 1
            # Every other time a route comes or goes, limits move, and the route under load changes.
            other = [{"name": "other-%d" % (reloads % 7), "path": "/api/other/%d" % reloads, "scope": ["host"]}]
            rewrite(proxy, routes=[{**routes[0], "wait": "%ds" % (reloads % 5), "max_request_body": "%dKiB" % (64 + reloads)},
                                   *(other if reloads % 2 else [])],
                    limits={"header_count": 50 + reloads % 50, "idle_timeout": "%ds" % (60 + reloads % 10)})
            self.wait_for_reload(proxy, reloads)
        self.check(senders)
        print("%d reloads" % reloads)
        self.assertEqual(proxy.metrics().sum("onceward_config_reloads_total", result="rejected"), 0)

    def wait_for_reload(self, proxy, count):
        eventually(lambda: proxy.metrics().sum("onceward_config_reloads_total", result="applied") >= count, "reload %d" % count)

    def test_a_rolling_restart_loses_no_request(self):
        store = self.redis().url
        replicas = [self.onceward(self.service, store=store, threads=1, shutdown_min="%dms" % scaled(1500)) for _ in range(3)]
        senders = Senders(self.directory, replicas, "/api/orders", RATE, clients=6, probe_interval=0.1)
        self.addCleanup(senders.close)
        for replica in replicas:
            code, _ = replica.terminate()
            self.assertEqual(code, 0)
            replica.start()
            self.wait_until_served(replica)
        self.check(senders)

    def wait_until_served(self, replica):
        """The next one goes only when this one takes its share again."""
        eventually(lambda: replica.metrics().sum("onceward_requests_total", idempotency_status="executed") > 0, "it serves again")


if __name__ == "__main__":
    main()
