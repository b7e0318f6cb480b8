"""Stopping: readiness goes first, what is in flight finishes, what is left is marked, and the exit code is 0."""
import os
import signal
import subprocess
import time

from harness import Background, Case, Cut, Gate, eventually, gated, main, new_key, scaled
from harness.onceward import Onceward


class Shutdown(Case):
    def setUp(self):
        super().setUp()
        self.store = "sqlite:" + os.path.join(self.directory, "shutdown.db")

    def running_execution(self, grace):
        gate = Gate()
        upstream = self.upstream(gated(gate))
        proxy = self.onceward(upstream, {"lease": "60s"}, store=self.store, shutdown_grace=grace)
        key = new_key()
        client = Background(proxy.post, key)
        upstream.wait_for(key)
        return gate, upstream, proxy, key, client

    def test_an_idle_process_ends_at_once(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT):
            proxy = self.onceward(self.upstream(), shutdown_grace="60s")
            with proxy.client() as client:
                client.request("GET", "/n")
                begun = time.monotonic()
                proxy.signal(number)
                self.assertEqual(proxy.wait(), 0)
                self.assertLess(time.monotonic() - begun, scaled(2))
                self.assertTrue(client.is_closed())

    def test_a_hangup_signal_stops_nothing(self):
        gate, upstream, proxy, key, client = self.running_execution("60s")
        proxy.signal(signal.SIGHUP)
        eventually(lambda: '"cause":"SIGHUP"' in proxy.log(), "the configuration is read again")
        gate.open()
        self.assertEqual(client.result().status, 201)
        self.assertTrue(proxy.post(key).replayed)

    def test_readiness_goes_first_and_what_is_in_flight_finishes(self):
        gate, upstream, proxy, key, client = self.running_execution("60s")
        proxy.signal(signal.SIGTERM)
        eventually(lambda: proxy.health("/readyz") == 503, "it is not ready any more")
        eventually(lambda: proxy.refuses_connections(), "new connections are refused")
        self.assertTrue(client.running())
        gate.open()
        self.assertEqual(client.result().status, 201)
        self.assertEqual(proxy.wait(), 0)
        self.assertTrue(self.onceward(upstream, store=self.store).post(key).replayed)

    def test_what_is_left_after_the_grace_is_unknown(self):
        gate, upstream, proxy, key, client = self.running_execution("500ms")
        code, seconds = proxy.terminate()
        self.assertEqual(code, 0)
        self.assertLess(seconds, scaled(5))
        try:
            self.assertEqual(client.result().idempotency, "unknown")
        except (Cut, ConnectionError):
            pass  # nothing is known, and nothing was said
        heir = self.onceward(upstream, {"lease": "60s"}, store=self.store)
        self.assert_problem(heir.post(key), "OUTCOME_UNKNOWN", 409)
        gate.open()
        self.assertEqual(upstream.executions(key), 1)

    def test_waiting_duplicates_are_answered_at_the_end_of_the_grace(self):
        gate = Gate()
        upstream = self.upstream(gated(gate))
        proxy = self.onceward(upstream, {"lease": "60s", "wait": "60s"}, store=self.store, shutdown_grace="500ms")
        key = new_key()
        first = Background(proxy.post, key)
        upstream.wait_for(key)
        duplicates = [Background(proxy.post, key) for _ in range(8)]
        eventually(lambda: proxy.metrics().sum("onceward_in_flight") == 9, "all are there")
        code, _ = proxy.terminate()
        self.assertEqual(code, 0)
        for duplicate in duplicates:
            answer = duplicate.result()
            self.assertEqual(answer.status, 409)
            self.assertIn(answer.code, ("PROCESSING", "OUTCOME_UNKNOWN"))
        try:
            first.result()
        except (Cut, ConnectionError):
            pass
        gate.open()
        self.assertEqual(upstream.executions(key), 1)

    def test_an_unguarded_request_is_not_waited_for_beyond_the_grace(self):
        gate = Gate()
        proxy = self.onceward(self.upstream(gated(gate)), store=self.store, shutdown_grace="500ms", threads=2)
        passages = [Background(proxy.send, method, "/elsewhere", [], body) for method, body in (("GET", None), ("POST", b"x")) * 2]
        eventually(lambda: proxy.metrics().sum("onceward_in_flight") == 4, "all are there")
        code, seconds = proxy.terminate()
        gate.open()
        self.assertEqual(code, 0)
        self.assertLess(seconds, scaled(3))
        self.assertNotIn("did not come to rest", proxy.log())
        self.assertEqual(len(proxy.access_lines()), 4)
        for passage in passages:
            self.assertEqual(passage.result().status, 502)

    def test_signals_of_log_rotation_stop_nothing(self):
        proxy = self.onceward(self.upstream())
        proxy.signal(signal.SIGUSR1)
        proxy.signal(signal.SIGUSR2)
        self.assertEqual(proxy.post(new_key()).status, 201)

    def test_a_second_sigterm_stops_now(self):
        gate, upstream, proxy, key, client = self.running_execution("60s")
        proxy.signal(signal.SIGTERM)
        eventually(lambda: proxy.health("/readyz") == 503, "it is draining")
        begun = time.monotonic()
        proxy.signal(signal.SIGTERM)
        proxy.wait()
        self.assertLess(time.monotonic() - begun, scaled(5))
        gate.open()
        with self.assertRaises((Cut, ConnectionError)):
            client.result()

    def test_a_keep_alive_client_is_told_that_it_is_over(self):
        gate = Gate()
        upstream = self.upstream(gated(gate))
        proxy = self.onceward(upstream, shutdown_grace="60s")
        key = new_key()
        with proxy.client() as client:
            answer = Background(client.request, "POST", "/api/orders", [("Idempotency-Key", key)], b"x")
            upstream.wait_for(key)
            proxy.signal(signal.SIGTERM)
            eventually(lambda: proxy.health("/readyz") == 503, "it is draining")
            gate.open()
            self.assertEqual((answer.result().status, answer.result().get("Connection")), (201, "close"))
            self.assertTrue(client.is_closed())
        self.assertEqual(proxy.wait(), 0)


class SecondProcess(Case):
    def test_a_second_process_on_the_port_is_refused(self):
        upstream = self.upstream()
        first = self.onceward(upstream, threads=2)
        second = Onceward({**first.config, "health": "off", "threads": 3}, self.directory, "second").start(ready=False)
        try:
            code = second.wait()
        except subprocess.TimeoutExpired:
            second.kill()
            self.fail("two processes listen on one port")
        self.assertEqual(code, 1)
        self.assertIn(str(first.port), second.log())
        for _ in range(20):
            self.assertEqual(first.post(new_key()).status, 201)


if __name__ == "__main__":
    main()
