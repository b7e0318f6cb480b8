"""Redis down, hung, emptied, out of memory: nothing is executed twice, and every answer says which case it is."""
import time

from harness import (TO_CLIENT, TO_SERVER, Background, Case, Gate, by_attempt, created, eventually, for_each_store, gated, main,
                     new_key, scaled, status)

ANSWER = b"marker-of-the-answer"


def marked(exchange):
    exchange.body
    exchange.reply(201, ANSWER)


class StoreFailure(Case):
    def setUp(self):
        super().setUp()
        self.store = self.redis()
        self.between = self.relay(self.store.address)

    def behind_relay(self, upstream, route=None, **store_options):
        return self.onceward(upstream, route, store="redis://127.0.0.1:%d" % self.between.port, store_options=store_options)

    def assert_rejected(self, answer):
        self.assert_problem(answer, "STORE_UNAVAILABLE", 503, "refused")
        self.assertEqual(answer.json["retry"], "same-key")
        self.assertTrue(answer.get("Retry-After"))

    def is_remembered(self):
        return self.store.command("KEYS", "onceward:{orders:*}")

    def test_down_before_the_claim(self):
        upstream = self.upstream()
        proxy = self.behind_relay(upstream)
        self.between.down()
        key = new_key()
        self.assert_rejected(proxy.post(key))
        eventually(lambda: proxy.health("/readyz") == 503, "it is not ready")
        self.assertEqual(proxy.health("/livez"), 200)
        self.assertEqual(upstream.requests, [])
        self.between.up()
        self.assertEqual(self.eventually_answers(proxy, key, "executed").status, 201)
        eventually(lambda: proxy.health("/readyz") == 200, "it is ready again")
        self.assertGreater(proxy.metrics().sum("onceward_store_failures_total"), 0)

    def test_hung_before_the_claim(self):
        upstream = self.upstream()
        proxy = self.behind_relay(upstream)
        self.store.pause()
        begun = time.monotonic()
        answers = [Background(proxy.post, new_key()) for _ in range(10)]
        for answer in answers:
            self.assert_rejected(answer.result())
        self.assertLess(time.monotonic() - begun, scaled(4))
        self.store.resume()
        self.eventually_answers(proxy, new_key(), "executed")
        self.assertEqual(len(upstream.requests), 1)

    def test_a_claim_whose_reply_is_lost_is_recognised(self):
        upstream = self.upstream(marked)
        proxy = self.behind_relay(upstream)
        proxy.post(new_key())  # the connection and its scripts are in place
        self.between.cut_after(TO_SERVER, b"orders:")
        key = new_key()
        answer = proxy.post(key)
        self.assertIn((answer.status, answer.idempotency), [(201, "executed"), (503, "refused")])
        self.eventually_answers(proxy, key, "replayed" if answer.status == 201 else "executed")
        self.assertEqual(upstream.executions(key), 1)

    def test_a_claim_whose_replies_never_come_is_never_followed_by_a_forward(self):
        upstream = self.upstream()
        proxy = self.behind_relay(upstream)
        proxy.post(new_key())
        self.between.swallow(TO_CLIENT)
        key = new_key()
        self.assert_rejected(proxy.post(key))
        self.assertEqual(upstream.executions(key), 0)
        self.between.up()
        self.assertEqual(self.eventually_answers(proxy, key, "executed").status, 201)
        self.assertEqual(upstream.executions(key), 1)

    def test_down_between_claim_and_complete(self):
        gate = Gate()
        upstream = self.upstream(gated(gate))
        proxy = self.behind_relay(upstream)
        key = new_key()
        first = Background(proxy.post, key)
        upstream.wait_for(key)
        self.between.down()
        gate.open()
        answer = first.result()
        self.assertEqual((answer.status, answer.json, answer.get("Idempotency-Recorded")), (201, {"execution": 1}, "false"))
        self.between.up()
        again = self.eventually_answers(proxy, key, "replayed")
        self.assertEqual(again.body, answer.body)
        self.assertEqual(upstream.executions(key), 1)

    def test_the_answer_is_stored_before_it_is_sent(self):
        upstream = self.upstream(marked)
        proxy = self.behind_relay(upstream, timeout="20s")
        self.between.hold(TO_SERVER, ANSWER)
        key = new_key()
        with proxy.client() as client:
            client.send(b"POST /api/orders HTTP/1.1\r\nHost: a\r\nIdempotency-Key: %s\r\nContent-Length: 0\r\n\r\n" % key.encode())
            self.between.wait_reached()
            self.assertTrue(client.is_silent(0.5))
            self.between.up()
            self.assertEqual(client.read("POST").body, ANSWER)
        self.assertEqual(upstream.executions(key), 1)

    def test_the_last_byte_of_a_long_answer_waits_for_the_store(self):
        large = b"x" * 200_000 + ANSWER
        upstream = self.upstream(lambda exchange: exchange.reply(200, large))
        proxy = self.behind_relay(upstream, timeout="20s")
        self.between.hold(TO_SERVER, b"x" * 1000)
        with proxy.client() as client:
            client.send(b"POST /api/orders HTTP/1.1\r\nHost: a\r\nIdempotency-Key: a\r\nContent-Length: 0\r\n\r\n")
            head = client.read_head()
            self.between.wait_reached()
            length = int(head.get("Content-Length") or 0)
            self.assertEqual(length, len(large))
            received = client.read_exactly(100_000)
            while not client.is_silent(0.3):
                received += client.available()
            self.assertLess(len(received), len(large))
            self.between.up()
            received += client.read_exactly(len(large) - len(received))
            self.assertEqual(received, large)

    def test_a_client_that_takes_trailers_is_told_behind_a_long_answer_that_it_is_not_recorded(self):
        redis = self.redis()
        large = b"x" * 200_000

        def handler(exchange):
            exchange.body
            redis.pause()
            exchange.reply(200, large)

        proxy = self.onceward(self.upstream(handler), store=redis.url, store_options={"timeout": "300ms"})
        key = new_key()
        with proxy.client() as client:
            answer = client.request("POST", "/api/orders", [("Idempotency-Key", key), ("TE", "trailers"), ("Connection", "TE")], b"x")
        redis.resume()
        self.assertEqual((answer.status, answer.body), (200, large))
        self.assertEqual(answer.trailers, [("Idempotency-Recorded", "false")])

    def test_emptied_while_the_service_works(self):
        gate = Gate()
        upstream = self.upstream(gated(gate))
        proxy = self.behind_relay(upstream, {"lease": "1500ms"})
        key = new_key()
        first = Background(proxy.post, key)
        upstream.wait_for(key)
        self.store.command("FLUSHALL")
        eventually(self.is_remembered, "the owner writes its record again")
        self.assert_problem(proxy.post(key), "PROCESSING", 409)
        gate.open()
        self.assertEqual(first.result().status, 201)
        self.assertTrue(proxy.post(key).replayed)
        self.assertEqual(upstream.executions(key), 1)
        self.assertGreater(proxy.metrics().sum("onceward_store_data_loss_total"), 0)

    def test_emptied_before_an_answered_failure(self):
        gate = Gate()
        redis = self.redis()
        upstream = self.upstream(by_attempt(gated(gate, status(500)), created))
        proxy = self.onceward(upstream, store=redis.url)
        key = new_key()
        client = Background(proxy.post, key)
        upstream.wait_for(key)
        redis.command("FLUSHALL")
        gate.open()
        first = client.result()
        self.assertEqual((first.status, first.idempotency), (500, "failed"))
        again = proxy.post(key)
        self.assertEqual((again.status, again.operation_id), (201, first.operation_id))

    def test_emptied_just_before_complete(self):
        gate = Gate()
        upstream = self.upstream(gated(gate))
        proxy = self.behind_relay(upstream, {"lease": "60s"})
        key = new_key()
        first = Background(proxy.post, key)
        upstream.wait_for(key)
        self.store.command("FLUSHALL")
        gate.open()
        self.assertEqual((first.result().status, first.result().get("Idempotency-Recorded")), (201, None))
        self.assertTrue(proxy.post(key).replayed)
        self.assertEqual(upstream.executions(key), 1)

    def test_scripts_that_were_flushed_are_sent_again(self):
        upstream = self.upstream()
        proxy = self.behind_relay(upstream)
        key = new_key()
        proxy.post(key)
        self.store.command("SCRIPT", "FLUSH")
        self.assertTrue(proxy.post(key).replayed)
        self.assertEqual(proxy.post(new_key()).idempotency, "executed")

    def test_out_of_memory_and_read_only_are_failures_and_not_absence(self):
        upstream = self.upstream()
        proxy = self.behind_relay(upstream)
        proxy.post(new_key())
        for broken, whole in ((("CONFIG", "SET", "maxmemory", "1"), ("CONFIG", "SET", "maxmemory", "0")),
                              (("REPLICAOF", "127.0.0.1", "1"), ("REPLICAOF", "NO", "ONE"))):
            with self.subTest(broken):
                seen = len(upstream.requests)
                self.store.command(*broken)
                key = new_key()
                self.assert_rejected(proxy.post(key))
                self.assertEqual(len(upstream.requests), seen)
                self.store.command(*whole)
                self.eventually_answers(proxy, key, "executed")

    def test_forward_gives_up_at_most_once_openly(self):
        upstream = self.upstream()
        proxy = self.behind_relay(upstream, {"on_store_failure": "forward"})
        self.between.down()
        key = new_key()
        answer = proxy.post(key)
        self.assertEqual((answer.status, answer.get("Idempotency-Guarded"), answer.idempotency), (201, "false", "unguarded"))
        self.assertEqual(proxy.metrics().sum("onceward_unguarded_total", route="orders"), 1)
        self.between.up()
        eventually(self.is_remembered, "the bypass is written down")
        self.assert_problem(self.eventually_answers(proxy, key, "unknown"), "OUTCOME_UNKNOWN", 409)
        self.assertEqual(upstream.executions(key), 1)

    @for_each_store
    def test_a_request_that_comes_with_the_listener_waits_for_the_store(self, store):
        upstream = self.upstream()
        for _ in range(5):
            proxy = self.onceward(upstream, {"on_store_failure": "forward"}, store=store, start=False)
            proxy.start(ready=False)
            key = new_key()
            answer = eventually(lambda: self.post_if_listening(proxy, key), "it listens")
            self.assertEqual((answer.status, answer.idempotency), (201, "executed"))
            proxy.stop()

    @staticmethod
    def post_if_listening(proxy, key):
        try:
            return proxy.post(key)
        except ConnectionRefusedError:
            return None

    def test_started_before_its_store(self):
        self.store.kill()
        proxy = self.onceward(self.upstream(), store=self.store.url, start=False).start(ready=False)
        eventually(lambda: proxy.health("/livez") == 200, "it lives")
        self.assertEqual(proxy.health("/readyz"), 503)
        self.assert_rejected(proxy.post(new_key()))
        self.store.start()
        eventually(lambda: proxy.health("/readyz") == 200, "it is ready")
        self.assertEqual(proxy.post(new_key()).status, 201)

    def test_an_eviction_policy_that_loses_records_is_named_at_start(self):
        self.store.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
        proxy = self.onceward(self.upstream(), store=self.store.url)
        eventually(lambda: "allkeys-lru" in proxy.log(), "the warning")


if __name__ == "__main__":
    main()
