"""Answers beyond what is recorded whole: stored in pieces as they come, replayed byte for byte, in a bounded share of memory."""
import hashlib
import os
import unittest

from harness import SANITIZED, Background, Case, Cut, Gate, by_attempt, created, eventually, for_each_store, main, new_key

MIB = 1 << 20
WHOLE = MIB  # what is still recorded in one step
PIECE = 256 * 1024


def content_of(size):
    """The same for each size, and nowhere alike."""
    return hashlib.shake_128(b"%d" % size).digest(size)


def answers(size, headers=(), code=200):
    body = content_of(size)

    def handler(exchange):
        exchange.body
        exchange.reply(code, body, headers)
    return handler


def in_chunks(size):
    """Does not say how large it will be."""
    body, step = content_of(size), 100_001

    def handler(exchange):
        exchange.body
        exchange.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for at in range(0, len(body), step):
            part = body[at:at + step]
            exchange.send(b"%x\r\n%s\r\n" % (len(part), part))
        exchange.send(b"0\r\n\r\n")
    return handler


def in_two_halves(gate, size, then=None):
    """Sends half of the answer, waits, and sends the other half."""
    body = content_of(size)

    def handler(exchange):
        exchange.body
        exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size + body[:size // 2])
        gate.wait()
        (then or (lambda it: it.send(body[size // 2:])))(exchange)
    return handler


class LargeAnswers(Case):
    ROUTE = {"max_recorded_body": "64MiB"}

    def pieces_in(self, redis):
        return redis.command("KEYS", "onceward:*:pieces:*")

    def assert_replayed(self, proxy, key, body):
        again = proxy.post(key)
        self.assertEqual((again.status, again.idempotency), (200, "replayed"), again.body[:300])
        self.assertEqual(again.get("Content-Length"), str(len(body)))
        self.assertTrue(again.body == body)

    @for_each_store
    def test_an_answer_comes_back_byte_for_byte(self, store):
        upstream = self.upstream()
        proxy = self.onceward(upstream, self.ROUTE, store=store)
        for size in (WHOLE, WHOLE + 1, WHOLE + PIECE, 5 * MIB + 7):
            with self.subTest(size=size):
                key = new_key()
                upstream.handler = answers(size, [("X-Kind", "large"), ("Content-Type", "application/octet-stream")])
                first = proxy.post(key)
                self.assertEqual((first.status, first.idempotency), (200, "executed"))
                self.assertTrue(first.body == content_of(size))
                self.assert_replayed(proxy, key, first.body)
                self.assertEqual(proxy.post(key).get("X-Kind"), "large")
                self.assert_problem(proxy.post(key, b"another"), "KEY_REUSED", 422)
                self.assertEqual(upstream.executions(key), 1)

    @for_each_store
    def test_an_answer_of_unknown_length(self, store):
        size = 3 * MIB + 1
        proxy = self.onceward(self.upstream(in_chunks(size)), self.ROUTE, store=store)
        key = new_key()
        self.assertTrue(proxy.post(key).body == content_of(size))
        self.assert_replayed(proxy, key, content_of(size))

    def test_duplicates_while_it_comes_are_told_to_wait(self):
        gate = Gate()
        size = 4 * MIB
        upstream = self.upstream(in_two_halves(gate, size))
        proxy = self.onceward(upstream, self.ROUTE, store=self.redis().url)
        key = new_key()
        first = Background(proxy.post, key)
        upstream.wait_for(key)
        self.assert_problem(proxy.post(key), "PROCESSING", 409)
        gate.open()
        self.assertTrue(first.result().body == content_of(size))
        self.assert_replayed(proxy, key, content_of(size))
        self.assertEqual(upstream.executions(key), 1)

    @for_each_store
    def test_a_client_that_lags_behind_holds_nobody_up(self, store):
        size = 24 * MIB
        upstream = self.upstream(answers(size))
        proxy = self.onceward(upstream, self.ROUTE, store=store)
        key = new_key()
        with proxy.client() as slow:
            slow.send(b"POST /api/orders HTTP/1.1\r\nHost: a\r\nContent-Length: 15\r\nIdempotency-Key: %s\r\n\r\n{\"item\":\"tea\"}\n"
                      % key.encode())
            head = slow.read_head()
            self.assertEqual((head.status, head.idempotency), (200, "executed"))

            def replayed():
                answer = proxy.post(key, b'{"item":"tea"}\n')
                return answer if answer.idempotency == "replayed" else None
            self.assertTrue(eventually(replayed, "it is recorded while its client waits").body == content_of(size))
            self.assertTrue(slow.read_exactly(size) == content_of(size))
        self.assertEqual(upstream.executions(key), 1)

    def test_what_is_too_large_leaves_nothing_behind(self):
        redis = self.redis()
        for handler in (answers, in_chunks):
            with self.subTest(handler.__name__):
                upstream = self.upstream(handler(5 * MIB))
                proxy = self.onceward(upstream, {"max_recorded_body": "3MiB"}, store=redis.url)
                key = new_key()
                self.assertTrue(proxy.post(key).body == content_of(5 * MIB))
                self.assert_problem(proxy.post(key), "RESULT_TOO_LARGE", 409)
                eventually(lambda: not self.pieces_in(redis), "its pieces are gone")
                self.assertEqual(upstream.executions(key), 1)

    @for_each_store
    def test_a_large_failure_is_executed_again(self, store):
        upstream = self.upstream(by_attempt(answers(3 * MIB, code=500), created))
        proxy = self.onceward(upstream, self.ROUTE, store=store)
        key = new_key()
        first = proxy.post(key)
        self.assertEqual((first.status, first.idempotency), (500, "failed"))
        self.assertTrue(first.body == content_of(3 * MIB))
        self.assertEqual(proxy.post(key).idempotency, "executed")

    def test_an_answer_that_breaks_off_is_unknown(self):
        gate = Gate()
        redis = self.redis()
        upstream = self.upstream(in_two_halves(gate, 6 * MIB, lambda it: it.reset()))
        proxy = self.onceward(upstream, self.ROUTE, store=redis.url)
        key = new_key()
        first = Background(proxy.post, key)
        eventually(lambda: self.pieces_in(redis), "a part is stored")
        gate.open()
        self.assertRaises(Cut, first.result)
        self.eventually_answers(proxy, key, "unknown")
        eventually(lambda: not self.pieces_in(redis), "its pieces are gone")
        self.assertEqual(upstream.executions(key), 1)

    def test_the_owner_is_killed_in_the_middle(self):
        gate = Gate()
        redis = self.redis()
        upstream = self.upstream(in_two_halves(gate, 6 * MIB))
        route = {**self.ROUTE, "lease": "2s"}
        proxy, other = (self.onceward(upstream, route, store=redis.url) for _ in range(2))
        key = new_key()
        first = Background(proxy.post, key)
        pieces = eventually(lambda: self.pieces_in(redis), "a part is stored")
        proxy.kill()
        self.assertRaises(Cut, first.result)
        self.assert_problem(other.post(key), "PROCESSING", 409)
        self.eventually_answers(other, key, "unknown")
        self.assertGreater(int(redis.command("PTTL", pieces[0])), 0, "they end by themselves")
        gate.open()
        self.assertEqual(upstream.executions(key), 1)

    def test_the_store_is_lost_in_the_middle(self):
        gate = Gate()
        size = 6 * MIB
        redis = self.redis()
        between = self.relay(redis.address)
        upstream = self.upstream(in_two_halves(gate, size))
        proxy = self.onceward(upstream, self.ROUTE, store="redis://127.0.0.1:%d" % between.port)
        key = new_key()
        first = Background(proxy.post, key)
        eventually(lambda: self.pieces_in(redis), "a part is stored")
        between.down()
        gate.open()
        # The client gets all of it.
        self.assertTrue(first.result().body == content_of(size))
        between.up()

        def settled():
            duplicate = proxy.post(key)
            return duplicate if duplicate.code not in ("PROCESSING", "STORE_UNAVAILABLE") else None
        answer = eventually(settled, "it is recorded")
        self.assert_problem(answer, "RESULT_TOO_LARGE", 409)
        self.assertEqual(answer.json["original_status"], 200)
        self.assertEqual(upstream.executions(key), 1)

    def test_the_store_is_away_for_a_moment(self):
        gate = Gate()
        size = 6 * MIB
        redis = self.redis()
        between = self.relay(redis.address)
        upstream = self.upstream(in_two_halves(gate, size))
        proxy = self.onceward(upstream, self.ROUTE, store="redis://127.0.0.1:%d" % between.port, store_options={"timeout": "5s"})
        key = new_key()
        first = Background(proxy.post, key)
        eventually(lambda: self.pieces_in(redis), "a part is stored")
        between.down()
        gate.open()
        eventually(lambda: proxy.health("/readyz") == 503, "it is noticed")
        between.up()
        self.assertTrue(first.result().body == content_of(size))
        self.assert_replayed(proxy, key, content_of(size))

    def test_pieces_that_the_store_loses(self):
        gate = Gate()
        size = 6 * MIB
        redis = self.redis()
        upstream = self.upstream(in_two_halves(gate, size))
        proxy = self.onceward(upstream, self.ROUTE, store=redis.url)
        for when in ("before it is recorded", "after"):
            with self.subTest(when):
                key = new_key()
                first = Background(proxy.post, key)
                pieces = eventually(lambda: self.pieces_in(redis), "a part is stored")
                if when == "after":
                    self.assertTrue(first.result().body == content_of(size))
                redis.command("DEL", pieces[0])
                gate.open()
                self.assertTrue(first.result().body == content_of(size))
                code, status = ("STORE_CORRUPT", 500) if when == "after" else ("RESULT_TOO_LARGE", 409)
                self.assertEqual(proxy.post(key).code, code)
                self.assertEqual(upstream.executions(key), 1)
                eventually(lambda: not self.pieces_in(redis), "nothing is left")

    def test_an_operator_sees_how_large_it_is(self):
        upstream = self.upstream(answers(3 * MIB))
        proxy = self.onceward(upstream, self.ROUTE, admin=True)
        key = new_key()
        proxy.post(key)
        listed = proxy.admin("GET", "/records").json["records"][0]
        shown = proxy.admin("GET", "/records/%s?body=true" % listed["id"]).json
        self.assertEqual(shown["response"]["body_bytes"], 3 * MIB)

    @unittest.skipIf(SANITIZED, "sanitizers take memory of their own")
    def test_memory_stays_flat_under_many_large_answers(self):
        clients, size = 8, 16 * MIB
        proxy = self.onceward(self.upstream(answers(size)), self.ROUTE, store=self.redis().url, store_options={"timeout": "10s"})
        keys = [new_key() for _ in range(clients)]
        proxy.post(keys[0])
        before, most = proxy.pss(), 0
        for status in ("executed", "replayed"):
            requests = [Background(proxy.post, key) for key in keys[status == "executed":]]
            while any(request.running() for request in requests):
                most = max(most, proxy.pss())
            for request in requests:
                answer = request.result(120)
                self.assertEqual((answer.status, answer.idempotency, len(answer.body)), (200, status, size))
        self.assertLess(most - before, 32 * 1024, "KiB for %d answers of 16 MiB" % clients)


if __name__ == "__main__":
    main()
