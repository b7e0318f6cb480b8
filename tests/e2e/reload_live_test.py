"""What a changed configuration changes while the process runs: routes, limits, the service, secrets; and what keeps its old rules."""
import os
import unittest

from harness import SANITIZED, Background, Gate, Upstream, eventually, gated, main, new_key, status
from harness.configuration import replace, write
from harness.reloading import Reloading

ORDERS = {"name": "orders", "path": "/api/orders"}


class Live(Reloading):
    """What changes, and what is under way meanwhile."""

    def test_a_route_comes_changes_and_goes(self):
        proxy = self.onceward(self.upstream(), threads=2)
        self.change(proxy, routes=[ORDERS, {"name": "refunds", "path": "/api/refunds"}])
        key = new_key()
        self.assertEqual(proxy.post(key, target="/api/refunds").idempotency, "executed")
        self.change(proxy, routes=[{"name": "refunds", "path": "/api/refunds", "errors": {"format": "plain"}}, ORDERS])
        self.assertNotIn("type", proxy.post(None, target="/api/refunds").json)
        self.assertTrue(proxy.post(key, target="/api/refunds").replayed)
        self.change(proxy, routes=[ORDERS])
        self.assert_unguarded(proxy, "/api/refunds")
        eventually(lambda: "routes[refunds]: guards PATCH /api/refunds no longer" in proxy.log(), "it is told")
        executed = proxy.metrics_at_rest().sum("onceward_requests_total", route="refunds", idempotency_status="executed")
        self.assertEqual(executed, 1)
        self.change(proxy, routes=[ORDERS, {"name": "refunds", "path": "/api/refunds"}])
        self.assertTrue(proxy.post(key, target="/api/refunds").replayed)
        self.assertEqual(proxy.metrics_at_rest().sum("onceward_requests_total", route="refunds", idempotency_status="replayed"), 2)

    def test_requests_in_flight_keep_their_rules(self):
        gate = Gate()
        upstream = self.upstream(gated(gate))
        proxy = self.onceward(upstream, {"lease": "60s"}, threads=2)
        key, left = new_key(), new_key()
        client = Background(proxy.post, key)
        upstream.wait_for(key)
        with proxy.client() as gone:
            gone.send(b"POST /api/orders HTTP/1.1\r\nHost: a\r\nIdempotency-Key: %s\r\nContent-Length: 0\r\n\r\n" % left.encode())
            upstream.wait_for(left)
        self.change(proxy, routes=[{**ORDERS, "record_body": False}])
        self.change(proxy, routes=[])
        self.change(proxy, routes=[{**ORDERS, "record_body": False}])
        gate.open()
        self.assertEqual(client.result().idempotency, "executed")
        self.assertTrue(proxy.post(key).replayed)
        answer = self.eventually_answers(proxy, left, "replayed", body=b"")
        self.assertTrue(answer.body)
        later = new_key()
        self.assertEqual(proxy.post(later).idempotency, "executed")
        self.assert_problem(proxy.post(later), "RESULT_TOO_LARGE", 409)
        self.assertEqual([upstream.executions(each) for each in (key, left, later)], [1, 1, 1])

    def test_a_request_whose_route_was_removed_ends_under_it(self):
        gate = Gate()
        upstream = self.upstream(gated(gate))
        proxy = self.onceward(upstream)
        key = new_key()
        client = Background(proxy.post, key)
        upstream.wait_for(key)
        self.change(proxy, routes=[])
        gate.open()
        self.assertEqual(client.result().idempotency, "executed")
        self.assert_unguarded(proxy, "/api/orders")
        eventually(lambda: proxy.metrics().sum("onceward_executions_total", route="orders", outcome="completed") == 1, "it is counted")
        self.change(proxy, routes=[ORDERS])
        self.assertTrue(proxy.post(key).replayed)

    def test_a_connection_that_is_kept_goes_by_the_new_limits(self):
        proxy = self.onceward(self.upstream())
        many = [("X-%d" % n, "x") for n in range(30)]
        with proxy.client() as client:
            self.assertEqual(client.request("GET", "/n", many).status, 201)
            self.change(proxy, limits={"header_count": 10})
            self.assert_problem(client.request("GET", "/n", many), "HEADERS_TOO_LARGE", 431)

    def test_a_connection_limit_moves_both_ways(self):
        proxy = self.onceward(self.upstream(), limits={"connections": 1})
        with proxy.client() as client:
            self.assertEqual(client.request("GET", "/n").status, 201)
            self.assert_problem(proxy.send("GET", "/n"), "CONNECTION_LIMIT", 503)
            self.change(proxy, limits={"connections": 2})
            self.assertEqual(proxy.send("GET", "/n").status, 201)
            self.change(proxy, limits={"connections": 1})
            self.assert_problem(proxy.send("GET", "/n"), "CONNECTION_LIMIT", 503)
            self.assertEqual(client.request("GET", "/n").status, 201)

    def test_the_number_of_upstream_connections_moves_both_ways(self):
        gate = Gate()
        upstream = self.upstream(gated(gate))
        proxy = self.onceward(upstream, threads=2, upstream_options={"max_connections": 1, "queue_timeout": "100ms"})
        first = Background(proxy.post, new_key())
        eventually(lambda: len(upstream.requests) == 1, "one is there")
        self.assert_problem(proxy.post(new_key()), "OVERLOADED", 503)
        self.change(proxy, upstream={**proxy.config["upstream"], "max_connections": 2})
        second = Background(proxy.post, new_key())
        eventually(lambda: len(upstream.requests) == 2, "two are there")
        self.assert_problem(proxy.post(new_key()), "OVERLOADED", 503)
        self.change(proxy, upstream={**proxy.config["upstream"], "max_connections": 1})
        gate.open()
        self.assertEqual([each.result().status for each in (first, second)], [201, 201])
        self.assertEqual(proxy.post(new_key()).status, 201)

    def test_the_service_moves(self):
        gate = Gate()
        old = self.upstream(gated(gate))
        new = Upstream(status(202))
        self.addCleanup(new.close)
        proxy = self.onceward(old, threads=2)
        key = new_key()
        client = Background(proxy.post, key)
        old.wait_for(key)
        self.change(proxy, upstream={**proxy.config["upstream"], "url": new.url})
        self.assertEqual([proxy.post(new_key()).status for _ in range(20)], [202] * 20)
        gate.open()
        self.assertEqual(client.result().status, 201)
        self.assertTrue(proxy.post(key).replayed)
        self.assertEqual(len(old.requests), 1)

    def test_the_log_level_and_the_access_log(self):
        proxy = self.onceward(self.upstream(), log={"access": False})
        proxy.post(new_key())
        self.change(proxy, log={"access": True, "level": "error"})
        key = new_key()
        proxy.post(key)
        eventually(lambda: len(proxy.access_lines()) == 1, "the line is there")
        self.change(proxy, log={"access": False, "level": "error", "format": "text"})
        proxy.post(key)
        before = proxy.log()
        self.change(proxy, log={"access": False, "level": "info", "format": "text"})
        eventually(lambda: "the configuration was reloaded" in proxy.log()[len(before):], "the level holds")
        self.assertNotIn("{", proxy.log()[len(before):])
        self.assertEqual(before.count("the configuration was reloaded"), 0)
        self.assertEqual(len(proxy.access_lines()), 1)

    def test_a_trusted_proxy_is_trusted_at_once(self):
        upstream = self.upstream()
        proxy = self.onceward(upstream)
        with proxy.client() as client:
            client.request("GET", "/n", [("X-Forwarded-For", "192.0.2.9")])
            self.change(proxy, trusted_proxies=["127.0.0.0/8"])
            client.request("GET", "/n", [("X-Forwarded-For", "192.0.2.9")])
        self.assertEqual([request.get("X-Forwarded-For") for request in upstream.requests], ["127.0.0.1", "192.0.2.9, 127.0.0.1"])

    @unittest.skipIf(SANITIZED, "sanitizers take memory of their own")
    def test_many_reloads_leave_no_memory_behind(self):
        proxy = self.onceward(self.upstream())

        def reload(times):
            for n in range(times):
                self.change(proxy, routes=[{**ORDERS, "wait": "%ds" % (n % 2 + 1)}])

        reload(20)
        before = proxy.status_field("VmRSS")
        reload(40)
        self.assertLess(proxy.status_field("VmRSS") - before, 2048)


class SecretFiles(Reloading):
    def setUp(self):
        super().setUp()
        self.store = self.redis()
        self.secret = os.path.join(self.directory, "store-url")

    def url(self, password):
        return "redis://%s127.0.0.1:%d/0\n" % (":%s@" % password if password else "", self.store.port)

    def proxy(self):
        write(self.secret, self.url(None))
        return self.onceward(self.upstream(), store="file:" + self.secret)

    def test_a_password_that_changes_is_used(self):
        proxy = self.proxy()
        first = new_key()
        self.assertEqual(proxy.post(first).status, 201)
        self.store.command("CONFIG", "SET", "requirepass", "hush")
        replace(self.secret, self.url("hush"))
        self.wait_for(proxy, "applied", 1)
        self.assertNotIn("needs a restart", self.readiness(proxy))
        # A password of another time is asked for where a connection begins.
        self.store.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes", password="hush")
        self.eventually_answers(proxy, first, "replayed")
        self.eventually_answers(proxy, new_key(), "executed")
        self.assertNotIn("hush", proxy.log())

    def test_another_server_needs_a_restart(self):
        proxy = self.proxy()
        replace(self.secret, "redis://:hush@127.0.0.2:%d/0\n" % self.store.port)
        self.wait_for(proxy, "unchanged", 1)
        self.assertIn("needs a restart: store.url", self.readiness(proxy))
        self.assertNotIn("hush", proxy.log())


if __name__ == "__main__":
    main()
