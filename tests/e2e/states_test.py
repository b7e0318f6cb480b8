"""What a later request with the same key gets: one test for each row of the first table of spec section 3."""
from harness import Background, Case, Gate, by_attempt, created, gated, for_each_store, main, new_key, status

OTHER = b'{"item":"coffee"}'


def cut(exchange):
    """Takes the request and resets the connection: nobody knows."""
    exchange.body
    exchange.reset()


class LaterRequests(Case):
    def later(self, handler, route=None, **options):
        """An Onceward whose first request with a key has been answered: (proxy, upstream, key, first answer)."""
        upstream = self.upstream(handler)
        proxy = self.onceward(upstream, route, **options)
        key = new_key()
        return proxy, upstream, key, proxy.post(key)

    def test_processing_differs(self):
        gate = Gate()
        upstream = self.upstream(gated(gate))
        proxy = self.onceward(upstream)
        key = new_key()
        first = Background(proxy.post, key)
        upstream.wait_for(key)
        self.assert_problem(proxy.post(key, body=OTHER), "KEY_REUSED", 422, "mismatch")
        gate.open()
        first.result()

    @for_each_store
    def test_completed(self, store):
        proxy, upstream, key, first = self.later(created, store=store)
        again = proxy.post(key)
        self.assertEqual((again.status, again.body, again.replayed), (first.status, first.body, True))
        self.assert_problem(proxy.post(key, body=OTHER), "KEY_REUSED", 422, "mismatch")
        self.assertEqual(upstream.executions(key), 1)

    @for_each_store
    def test_completed_truncated(self, store):
        large = b"x" * 5000
        proxy, upstream, key, first = self.later(lambda exchange: exchange.body and exchange.reply(201, large),
                                                 {"max_recorded_body": "1KiB"}, store=store)
        self.assertEqual((first.status, first.body), (201, large))
        again = proxy.post(key)
        self.assert_problem(again, "RESULT_TOO_LARGE", 409, "refused")
        self.assertEqual(again.json["original_status"], 201)
        self.assert_problem(proxy.post(key, body=OTHER), "KEY_REUSED", 422)
        self.assertEqual(upstream.executions(key), 1)

    def test_a_body_that_is_not_to_be_recorded_is_refused_later(self):
        proxy, upstream, key, first = self.later(created, {"record_body": False})
        self.assertEqual(first.status, 201)
        self.assert_problem(proxy.post(key), "RESULT_TOO_LARGE", 409)
        self.assertEqual(upstream.executions(key), 1)

    @for_each_store
    def test_failed_not_executed(self, store):
        handler = by_attempt(status(429), created)
        proxy, upstream, key, first = self.later(handler, store=store)
        self.assertEqual((first.status, first.idempotency), (429, "failed"))
        again = proxy.post(key)
        self.assertEqual((again.status, again.idempotency, again.operation_id), (201, "executed", first.operation_id))
        self.assertEqual(upstream.of_key(key)[1].get("Idempotency-Attempt"), "2")
        fences = [int(request.get("Idempotency-Fence")) for request in upstream.of_key(key)]
        self.assertLess(fences[0], fences[1])

    @for_each_store
    def test_failed_not_executed_differs(self, store):
        proxy, upstream, key, first = self.later(by_attempt(status(429), created), store=store)
        other = proxy.post(key, body=OTHER)
        self.assertEqual((other.status, other.idempotency), (201, "executed"))
        self.assertNotEqual(other.operation_id, first.operation_id)
        self.assertEqual(upstream.of_key(key)[1].body, OTHER)

    @for_each_store
    def test_failed_by_an_answer(self, store):
        proxy, upstream, key, first = self.later(by_attempt(status(500), created), store=store)
        self.assertEqual((first.status, first.idempotency), (500, "failed"))
        self.assert_problem(proxy.post(key, body=OTHER), "KEY_REUSED", 422, "mismatch")
        again = proxy.post(key)
        self.assertEqual((again.status, again.idempotency, again.operation_id), (201, "executed", first.operation_id))
        self.assertEqual(upstream.of_key(key)[1].get("Idempotency-Attempt"), "2")

    def test_failed_with_another_caller_executes_the_same_operation(self):
        proxy, upstream, key, first = self.later(by_attempt(status(401), created))
        again = proxy.post(key, headers=[("Authorization", "Bearer fresh")])
        self.assertEqual((again.status, again.operation_id), (201, first.operation_id))
        self.assertEqual(upstream.executions(key), 2)

    @for_each_store
    def test_unknown_hold(self, store):
        proxy, upstream, key, first = self.later(cut, store=store)
        self.assert_problem(first, "UPSTREAM_LOST", 502, "unknown")
        again = proxy.post(key)
        self.assert_problem(again, "OUTCOME_UNKNOWN", 409, "unknown")
        self.assertEqual(again.json["operation_id"], again.operation_id)
        self.assert_problem(proxy.post(key, body=OTHER), "KEY_REUSED", 422)
        self.assertEqual(upstream.executions(key), 1)

    @for_each_store
    def test_unknown_reforward(self, store):
        proxy, upstream, key, first = self.later(by_attempt(cut, created), {"on_unknown": "reforward"}, store=store)
        self.assert_problem(first, "UPSTREAM_LOST", 502)
        self.assert_problem(proxy.post(key, body=OTHER), "KEY_REUSED", 422)
        again = proxy.post(key)
        self.assertEqual((again.status, again.idempotency), (201, "executed"))
        self.assertEqual(upstream.of_key(key)[1].get("Idempotency-Attempt"), "2")
        self.assertEqual(again.operation_id, upstream.of_key(key)[0].get("Idempotency-Operation-Id"))
        self.assertTrue(proxy.post(key).replayed)

    def test_after_a_reforward_a_failure_proves_nothing(self):
        proxy, upstream, key, _ = self.later(by_attempt(cut, status(500), created), {"on_unknown": "reforward"})
        second = proxy.post(key)
        self.assertEqual((second.status, second.idempotency), (500, "unknown"))
        self.assert_problem(proxy.post(key, body=OTHER), "KEY_REUSED", 422)
        self.assertEqual(proxy.post(key).idempotency, "executed")

    def test_unknown_with_another_caller(self):
        proxy, upstream, key, _ = self.later(cut, {"on_unknown": "reforward"})
        other = proxy.post(key, headers=[("Authorization", "Bearer other")])
        self.assert_problem(other, "KEY_REUSED", 422)
        self.assertEqual(other.json["mismatch"], ["caller"])
        self.assertEqual(upstream.executions(key), 1)

    @for_each_store
    def test_expired(self, store):
        short = {"lease": "1s", "retention": "1s", "tombstone": "1h"}
        proxy, upstream, key, _ = self.later(created, short, store=store)
        expired = self.eventually_answers(proxy, key, "refused")
        self.assert_problem(expired, "RESULT_EXPIRED", 409)
        self.assert_problem(proxy.post(key, body=OTHER), "KEY_REUSED", 422)
        self.assertEqual(upstream.executions(key), 1)

    @for_each_store
    def test_after_the_tombstone_the_key_is_free(self, store):
        short = {"lease": "500ms", "retention": "500ms", "tombstone": "500ms"}
        proxy, upstream, key, first = self.later(created, short, store=store)
        again = self.eventually_answers(proxy, key, "executed")
        self.assertNotEqual(again.operation_id, first.operation_id)

    def test_unknown_expires_too_and_is_never_executed(self):
        proxy, upstream, key, _ = self.later(cut, {"unknown_retention": "500ms"})
        self.assert_problem(self.eventually_answers(proxy, key, "refused"), "RESULT_EXPIRED", 409)
        self.assertEqual(upstream.executions(key), 1)

    def test_a_record_that_cannot_be_read(self):
        redis = self.redis()
        proxy, upstream, key, _ = self.later(created, store=redis.url)
        record, = redis.command("KEYS", "onceward:{orders:*}")
        redis.command("SETRANGE", record, 2, "JUNK")
        for body in (b'{"item":"tea"}', OTHER):
            answer = proxy.post(key, body=body)
            self.assert_problem(answer, "STORE_CORRUPT", 503, "refused")
            self.assertTrue(answer.get("Retry-After"))
        self.assertEqual(upstream.executions(key), 1)
        self.assertEqual(proxy.post(new_key()).status, 201)

    def test_another_fingerprint_configuration(self):
        for kind in ("sqlite", "redis"):
            with self.subTest(store=kind):
                store = self.redis().url if kind == "redis" else "sqlite:%s/changed.db" % self.directory
                proxy, upstream, key, _ = self.later(created, store=store)
                proxy.terminate()
                changed = self.onceward(upstream, {"fingerprint": {"parts": ["method", "path", "body"]}}, store=store)
                self.assertTrue(changed.post(key).replayed)
                refused = changed.post(key, body=OTHER)
                self.assert_problem(refused, "FINGERPRINT_CHANGED", 409, "mismatch")
                self.assertEqual(refused.json["retry"], "none")


if __name__ == "__main__":
    main()
