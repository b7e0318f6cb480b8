"""Stopping behind a load balancer: no request is lost, whichever side is slower to notice."""
import json
import os
import signal
import time

from harness import Background, Case, Gate, eventually, gated, main, new_key, scaled
from harness.client import encode_request


class Draining(Case):
    def lines(self, proxy, event):
        return [json.loads(line) for line in proxy.log().splitlines() if '"event":"%s"' % event in line]

    def begin(self, proxy):
        """SIGTERM, and the process knows."""
        proxy.signal(signal.SIGTERM)
        eventually(lambda: self.lines(proxy, "draining"), "it drains")


class Serving(Draining):
    """`shutdown_min`: not ready, but serving."""

    def test_it_serves_on_with_connection_close_and_then_takes_no_connection(self):
        proxy = self.onceward(self.upstream(), shutdown_min="2s", threads=2)
        key = new_key()
        with proxy.client() as kept, proxy.client() as idle:
            kept.request("GET", "/n")
            idle.request("GET", "/n")
            begun = time.monotonic()
            self.begin(proxy)
            self.assertEqual(proxy.health("/readyz"), 503)
            self.assertEqual(proxy.health("/livez"), 200)
            answer = kept.request("POST", "/api/orders", [("Idempotency-Key", key)], b"x")
            self.assertEqual((answer.status, answer.get("Connection")), (201, "close"))
            self.assertTrue(kept.is_closed())
            answer = proxy.post(key, body=b"x")
            self.assertEqual((answer.replayed, answer.get("Connection")), (True, "close"))
            self.assertTrue(idle.is_silent(0.2), "an idle connection is kept meanwhile")
            self.assertTrue(idle.is_closed())
        self.assertEqual(proxy.wait(), 0)
        self.assertGreaterEqual(time.monotonic() - begun, 2)
        self.assertLess(time.monotonic() - begun, 2 + scaled(5))
        self.assertTrue(proxy.refuses_connections())

    def test_the_time_that_is_configured_last_counts(self):
        proxy = self.onceward(self.upstream(), shutdown_min="60s")
        proxy.config["shutdown_min"] = "100ms"
        with open(proxy.path, "w", encoding="utf-8") as file:
            json.dump(proxy.config, file)
        eventually(lambda: "the configuration was reloaded" in proxy.log(), "it is reloaded")
        code, seconds = proxy.terminate()
        self.assertEqual(code, 0)
        self.assertLess(seconds, scaled(10))

    def test_a_second_sigterm_does_not_wait(self):
        proxy = self.onceward(self.upstream(), shutdown_min="60s")
        self.begin(proxy)
        code, seconds = proxy.terminate()
        self.assertEqual(code, 0)
        self.assertLess(seconds, scaled(5))

    def test_a_hangup_while_it_drains_changes_nothing(self):
        proxy = self.onceward(self.upstream(), shutdown_min="1s")
        self.begin(proxy)
        proxy.signal(signal.SIGHUP)
        self.assertEqual(proxy.post(new_key()).status, 201)
        self.assertEqual(proxy.wait(), 0)

    def test_what_it_waits_for_is_told_every_five_seconds(self):
        gate = Gate()
        upstream = self.upstream(gated(gate))
        proxy = self.onceward(upstream, {"lease": "60s"}, shutdown_min="1s", shutdown_grace="60s")
        key = new_key()
        client = Background(proxy.post, key)
        upstream.wait_for(key)
        proxy.signal(signal.SIGTERM)
        first, second = eventually(lambda: self.lines(proxy, "draining")[1:] and self.lines(proxy, "draining")[:2], "it is told")
        self.assertEqual([line["in_flight"] for line in (first, second)], [1, 1])
        self.assertEqual([line["executions"] for line in (first, second)], [1, 1])
        self.assertEqual([line["taking_connections"] for line in (first, second)], [True, False])
        self.assertIn(first["seconds_left"], (60, 61))
        self.assertLess(second["seconds_left"], 58)
        gate.open()
        self.assertEqual(client.result().status, 201)
        self.assertEqual(proxy.wait(), 0)


class Arrived(Draining):
    """A request that has arrived is answered. The process is held while both it and the signal come, and may see either first: an
    answer from before the signal does not say that the connection ends."""

    REQUEST = encode_request("POST", "/api/orders", [("Idempotency-Key", "arrived")], b"x")

    def test_a_request_on_an_idle_connection(self):
        for _ in range(5):
            proxy = self.onceward(self.upstream())
            with proxy.client() as client:
                client.request("GET", "/n")
                proxy.pause()
                proxy.signal(signal.SIGTERM)
                client.send(self.REQUEST)
                proxy.resume()
                answer = client.read()
                self.assertEqual(answer.status, 201)
                self.assertIn(answer.get("Connection"), ("close", None))
            self.assertEqual(proxy.wait(), 0)

    def test_requests_on_connections_that_nobody_has_taken_yet(self):
        proxy = self.onceward(self.upstream(), threads=2)
        proxy.pause()
        clients = [proxy.client() for _ in range(20)]
        for n, client in enumerate(clients):
            client.send(encode_request("POST", "/api/orders", [("Idempotency-Key", "key-%d" % n)], b"x"))
        proxy.signal(signal.SIGTERM)
        proxy.resume()
        for client in clients:
            answer = client.read()
            self.assertEqual(answer.status, 201)
            self.assertIn(answer.get("Connection"), ("close", None))
            client.close()
        self.assertEqual(proxy.wait(), 0)

    def test_a_connection_that_was_just_opened_may_still_send(self):
        proxy = self.onceward(self.upstream())
        proxy.pause()
        with proxy.client() as client:
            proxy.signal(signal.SIGTERM)
            proxy.resume()
            eventually(lambda: proxy.refuses_connections(), "it takes no connection")
            client.send(self.REQUEST)
            self.assertEqual(client.read().status, 201)
        self.assertEqual(proxy.wait(), 0)

    def test_a_connection_that_never_sends_does_not_hold_it_up(self):
        proxy = self.onceward(self.upstream(), shutdown_grace="60s")
        with proxy.client():
            code, seconds = proxy.terminate()
        self.assertEqual(code, 0)
        self.assertLess(seconds, scaled(5))


class ServiceGone(Draining):
    """In a Pod the service stops first, while requests still come."""

    def setUp(self):
        super().setUp()
        self.store = "sqlite:" + os.path.join(self.directory, "drain.db")
        self.service = self.upstream()

    def assert_told_to_go_elsewhere(self, answer):
        self.assert_problem(answer, "UPSTREAM_UNREACHABLE", 503)
        self.assertEqual((answer.get("Retry-After"), answer.get("Connection")), ("1", "close"))
        self.assertEqual((answer.json["status"], answer.json["retry"]), (503, "same-key"))

    def test_a_refused_connection_is_503_and_frees_the_key(self):
        proxy = self.onceward(self.service, store=self.store, shutdown_min="60s")
        key, other = new_key(), new_key()
        self.service.refuse()
        before = proxy.post(other)
        self.assert_problem(before, "UPSTREAM_UNREACHABLE", 502, "failed")
        self.assertIsNone(before.get("Retry-After"))
        self.begin(proxy)
        answer = proxy.post(key)
        self.assert_told_to_go_elsewhere(answer)
        self.assertEqual(answer.idempotency, "failed")
        answer = proxy.send("POST", "/unguarded", body=b"x")
        self.assert_problem(answer, "UPSTREAM_UNREACHABLE", 503)
        self.assertEqual((answer.get("Retry-After"), answer.get("Connection")), ("1", "close"))
        proxy.kill()
        self.service.listen()
        heir = self.onceward(self.service, store=self.store)
        for each in (key, other):
            self.assertEqual(heir.post(each).idempotency, "executed")
            self.assertEqual([request.get("Idempotency-Attempt") for request in self.service.of_key(each)], ["2"])

    def test_a_route_that_names_a_status_of_its_own_keeps_it(self):
        proxy = self.onceward(self.service, {"errors": {"status": {"UPSTREAM_UNREACHABLE": 599}}}, shutdown_min="60s")
        self.service.refuse()
        self.begin(proxy)
        self.assertEqual(proxy.post(new_key()).status, 599)
        proxy.kill()

    def test_a_pooled_connection_that_the_service_closed_is_no_unknown_outcome(self):
        proxy = self.onceward(self.service, store=self.store, shutdown_min="60s", threads=1)
        with proxy.client() as client:
            for _ in range(3):
                client.request("POST", "/api/orders", [("Idempotency-Key", new_key())], b"x")
            self.service.refuse()
            self.begin(proxy)
            self.assert_told_to_go_elsewhere(client.request("POST", "/api/orders", [("Idempotency-Key", new_key())], b"x"))
        proxy.kill()


if __name__ == "__main__":
    main()
