"""How an execution ends: one test for each row of the second table of spec section 3."""
from harness import Background, Case, Cut, Gate, by_attempt, created, gated, for_each_store, main, new_key, status


def raw(data, reset=False):
    """Sends these bytes as the answer and ends the connection."""
    def handler(exchange):
        exchange.body
        exchange.send(data)
        exchange.reset() if reset else exchange.close()
    return handler


def raw_then_silent(data, gate):
    """Sends these bytes and nothing more."""
    def handler(exchange):
        exchange.body
        exchange.send(data)
        gate.wait()
        exchange.close()
    return handler


class Endings(Case):
    def setup_one(self, handler, route=None, **options):
        upstream = self.upstream(handler)
        return upstream, self.onceward(upstream, route, **options), new_key()

    def assert_unknown_afterwards(self, proxy, upstream, key):
        self.assert_problem(proxy.post(key), "OUTCOME_UNKNOWN", 409, "unknown")
        self.assertEqual(upstream.executions(key), 1)

    @for_each_store
    def test_connect_refused(self, store):
        upstream, proxy, key = self.setup_one(created, store=store)
        upstream.refuse()
        refused = proxy.post(key)
        self.assert_problem(refused, "UPSTREAM_UNREACHABLE", 502, "failed")
        self.assertEqual(refused.json["retry"], "same-key")
        upstream.listen()
        self.assertEqual((proxy.post(key).status, upstream.executions(key)), (201, 1))

    def test_a_pooled_connection_that_was_closed_meanwhile(self):
        upstream, proxy, key = self.setup_one(created)
        for _ in range(5):
            self.assertEqual(proxy.post(new_key()).status, 201)
            upstream.close_connections()
        self.assertEqual(len(upstream.requests), 5)

    def test_a_pooled_connection_that_is_reset_once_the_request_was_read(self):
        def handler(exchange):
            exchange.body
            created(exchange) if exchange.execution == 1 else exchange.reset()

        upstream, proxy, key = self.setup_one(handler)
        proxy.post(new_key())
        self.assert_problem(proxy.post(key), "UPSTREAM_LOST", 502, "unknown")
        self.assert_unknown_afterwards(proxy, upstream, key)

    def test_an_answer_is_recorded(self):
        for code in (200, 201, 204, 206, 302, 303, 400, 404, 409, 410, 422):
            with self.subTest(status=code):
                upstream, proxy, key = self.setup_one(status(code, [("Location", "/other")]))
                first, again = proxy.post(key), proxy.post(key)
                self.assertEqual((first.status, first.idempotency), (code, "executed"))
                self.assertEqual((again.status, again.idempotency, again.body), (code, "replayed", first.body))
                self.assertEqual(again.get("Location"), "/other")

    def test_statuses_of_the_fail_list(self):
        upstream = self.upstream()
        proxy = self.onceward(upstream)
        for code in (401, 403, 407, 408, 425, 429, 500, 501, 503, 599):
            with self.subTest(status=code):
                upstream.handler = by_attempt(status(code), created)
                key = new_key()
                first = proxy.post(key)
                self.assertEqual((first.status, first.idempotency), (code, "failed"))
                self.assertEqual(proxy.post(key).idempotency, "executed")

    def test_statuses_of_the_hold_list(self):
        upstream = self.upstream()
        proxy = self.onceward(upstream)
        for code in (502, 504):
            with self.subTest(status=code):
                upstream.handler = status(code)
                key = new_key()
                first = proxy.post(key)
                self.assertEqual((first.status, first.idempotency), (code, "unknown"))
                self.assertEqual(first.body, b"execution %d" % len(upstream.requests))
                self.assert_unknown_afterwards(proxy, upstream, key)

    def test_profiles_and_lists_of_the_route(self):
        for outcomes, code, idempotency in (({"profile": "strict"}, 500, "unknown"), ({"profile": "strict"}, 503, "unknown"),
                                            ({"profile": "stripe"}, 500, "executed"), ({"profile": "stripe"}, 429, "failed"),
                                            ({"fail": [409]}, 409, "failed"), ({"fail": [409]}, 500, "executed"),
                                            ({"fail": [409]}, 502, "unknown"), ({"hold": ["5xx"]}, 503, "unknown"),
                                            ({"hold": []}, 502, "failed")):
            with self.subTest(outcomes=outcomes, status=code):
                upstream, proxy, key = self.setup_one(status(code), {"outcomes": outcomes})
                self.assertEqual((proxy.post(key).status, proxy.post(new_key()).idempotency), (code, idempotency))

    def test_the_service_says_so_itself(self):
        upstream = self.upstream()
        proxy = self.onceward(upstream)
        for code, words, first_is, later_is in ((503, ["executed"], "executed", "replayed"), (201, ["not-executed"], "failed", "failed"),
                                                (200, ["unknown"], "unknown", "unknown"), (200, ["perhaps"], "unknown", "unknown"),
                                                (200, ["executed", "executed"], "unknown", "unknown")):
            with self.subTest(status=code, words=words):
                upstream.handler = status(code, [("Idempotency-Outcome", word) for word in words])
                key = new_key()
                first = proxy.post(key)
                self.assertEqual((first.status, first.idempotency, first.all("Idempotency-Outcome")), (code, first_is, []))
                self.assertEqual(proxy.post(key).idempotency, later_is)

    def test_a_redirect_to_the_requests_own_target(self):
        for code in (307, 308):
            with self.subTest(status=code):
                upstream, proxy, key = self.setup_one(by_attempt(status(code, [("Location", "/api/orders/")]), created))
                first = proxy.post(key)
                self.assertEqual((first.status, first.idempotency), (code, "failed"))
                self.assertEqual(proxy.post(key).status, 201)

    def test_a_redirect_elsewhere_is_an_answer(self):
        upstream, proxy, key = self.setup_one(status(307, [("Location", "/api/other")]))
        proxy.post(key)
        self.assertTrue(proxy.post(key).replayed)

    def test_a_head_beyond_the_limits(self):
        for head in (b"A: " + b"x" * (257 * 1024) + b"\r\n", b"".join(b"A%d: x\r\n" % n for n in range(501))):
            with self.subTest(size=len(head)):
                upstream, proxy, key = self.setup_one(raw(b"HTTP/1.1 200 OK\r\n" + head + b"Content-Length: 0\r\n\r\n"))
                self.assert_problem(proxy.post(key), "UPSTREAM_LOST", 502, "unknown")
                self.assert_unknown_afterwards(proxy, upstream, key)

    def test_switching_protocols(self):
        upstream, proxy, key = self.setup_one(raw(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"))
        self.assert_problem(proxy.post(key), "UPSTREAM_LOST", 502, "unknown")
        self.assert_unknown_afterwards(proxy, upstream, key)

    def test_connection_lost_or_cut_short_or_not_http(self):
        head = b"HTTP/1.1 200 OK\r\n"
        cuts = {
            "reset before an answer": raw(b"", reset=True),
            "closed before an answer": raw(b""),
            "closed in the head": raw(head + b"Content-Le"),
            "closed after an interim answer": raw(b"HTTP/1.1 103 Early Hints\r\n\r\n"),
            "closed in the body": raw(head + b"Content-Length: 100\r\n\r\nforty"),
            "reset in the body": raw(head + b"Content-Length: 100\r\n\r\nforty", reset=True),
            "closed between chunks": raw(head + b"Transfer-Encoding: chunked\r\n\r\n5\r\nforty\r\n"),
            "a chunk size that is none": raw(head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nforty\r\n0\r\n\r\n"),
            "not HTTP": raw(b"220 smtp.example ESMTP\r\n"),
            "two lengths": raw(head + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
        }
        for what, handler in cuts.items():
            with self.subTest(what):
                upstream, proxy, key = self.setup_one(handler)
                self.assert_problem(proxy.post(key), "UPSTREAM_LOST", 502, "unknown")
                self.assert_unknown_afterwards(proxy, upstream, key)

    def test_a_long_answer_that_is_cut_short_is_cut_for_the_client_too(self):
        for recorded in ("1MiB", "1KiB"):
            with self.subTest(max_recorded_body=recorded):
                upstream, proxy, key = self.setup_one(raw(b"HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + b"x" * 200000),
                                                      {"max_recorded_body": recorded})
                with self.assertRaises(Cut):
                    proxy.post(key)
                self.assert_unknown_afterwards(proxy, upstream, key)

    def test_an_answer_that_ends_with_the_connection_is_whole(self):
        upstream, proxy, key = self.setup_one(raw(b"HTTP/1.1 200 OK\r\n\r\nall of it"))
        self.assertEqual(proxy.post(key).body, b"all of it")
        again = proxy.post(key)
        self.assertEqual((again.body, again.replayed), (b"all of it", True))

    @for_each_store
    def test_a_late_answer_is_collected_by_the_next_retry(self, store):
        gate = Gate()
        upstream, proxy, key = self.setup_one(gated(gate), store=store, upstream_options={"response_timeout": "300ms"})
        late = proxy.post(key)
        self.assert_problem(late, "UPSTREAM_TIMEOUT", 504, "processing")
        self.assertEqual(late.json["retry"], "same-key")
        self.assertTrue(int(late.get("Retry-After")) >= 1)
        self.assert_problem(proxy.post(key), "PROCESSING", 409, "processing")
        gate.open()
        collected = self.eventually_answers(proxy, key, "replayed")
        self.assertEqual((collected.status, collected.json), (201, {"execution": 1}))
        self.assertEqual(upstream.executions(key), 1)

    def test_a_service_that_falls_silent_in_its_answer_is_not_waited_for_any_more(self):
        limits = {"response_timeout": "1s", "execution_timeout": "1500ms"}
        gate = Gate()
        silent = raw_then_silent(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", gate)
        upstream, proxy, key = self.setup_one(silent, upstream_options=limits)
        answer = proxy.post(key)
        gate.open()
        self.assert_problem(answer, "UPSTREAM_LOST", 502, "unknown")
        self.assertIsNone(answer.get("Retry-After"))
        self.assert_unknown_afterwards(proxy, upstream, key)

    def test_no_answer_within_the_execution_timeout(self):
        gate = Gate()
        limits = {"response_timeout": "300ms", "execution_timeout": "1s"}
        upstream, proxy, key = self.setup_one(gated(gate), upstream_options=limits)
        self.assert_problem(proxy.post(key), "UPSTREAM_TIMEOUT", 504)
        self.assert_problem(self.eventually_answers(proxy, key, "unknown"), "OUTCOME_UNKNOWN", 409)
        gate.open()
        self.assert_unknown_afterwards(proxy, upstream, key)

    def test_interim_answers_pass_and_are_not_recorded(self):
        hints = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"

        def handler(exchange):
            exchange.body
            exchange.send(hints + hints)
            created(exchange)

        upstream, proxy, key = self.setup_one(handler)
        first, again = proxy.post(key), proxy.post(key)
        self.assertEqual([(interim.status, interim.get("Link")) for interim in first.interim], [(103, "</a.css>")] * 2)
        self.assertEqual((again.interim, again.replayed, again.status), ([], True, 201))

    def test_a_running_execution_holds_its_connection_slot(self):
        gate = Gate()
        upstream, proxy, key = self.setup_one(gated(gate), upstream_options={"max_connections": 1, "queue_timeout": "200ms"})
        first = Background(proxy.post, key)
        upstream.wait_for(key)
        other = new_key()
        refused = proxy.post(other)
        self.assert_problem(refused, "OVERLOADED", 503, "refused")
        self.assertTrue(refused.get("Retry-After"))
        gate.open()
        first.result()
        self.assertEqual((proxy.post(other).status, upstream.executions(other)), (201, 1))


if __name__ == "__main__":
    main()
