"""Guarded requests with large bodies: compared, sent and replayed like small ones, with a bounded share of memory."""
import hashlib
import json
import os
import unittest

from harness import SANITIZED, Background, Case, Gate, eventually, main, new_key

MIB = 1 << 20


def noted(exchange):
    """Answers with how much came, and its digest."""
    digest, size = hashlib.sha256(), 0
    for part in exchange.body_parts():
        digest.update(part)
        size += len(part)
    exchange.reply(201, json.dumps({"size": size, "sha256": digest.hexdigest(), "length": exchange.get("Content-Length")}).encode())


def chunked(body, step=100_000):
    pieces = [body[at:at + step] for at in range(0, len(body), step)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


class LargeBodies(Case):
    ROUTE = {"max_request_body": "32MiB", "spool_threshold": "64KiB"}

    def assert_arrived(self, answer, body):
        self.assertEqual(answer.status, 201, answer.body[:300])
        self.assertEqual((answer.json["size"], answer.json["sha256"]), (len(body), hashlib.sha256(body).hexdigest()))
        self.assertEqual(answer.json["length"], str(len(body)))

    def test_every_byte_arrives_once_and_is_compared(self):
        upstream = self.upstream(noted)
        proxy = self.onceward(upstream, self.ROUTE)
        for size in (64 * 1024, 64 * 1024 + 1, 3 * MIB + 17):
            with self.subTest(size):
                key, body = new_key(), os.urandom(size)
                first = proxy.post(key, body)
                self.assert_arrived(first, body)
                again = proxy.post(key, body)
                self.assertEqual((again.status, again.idempotency, again.body), (201, "replayed", first.body))
                self.assert_problem(proxy.post(key, body[:-1] + bytes([body[-1] ^ 1])), "KEY_REUSED", 422)
                self.assertEqual(upstream.executions(key), 1)

    def test_chunks_are_put_together(self):
        proxy = self.onceward(self.upstream(noted), self.ROUTE)
        key, body = new_key(), os.urandom(MIB + 3)
        with proxy.client() as client:
            client.send(b"POST /api/orders HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nIdempotency-Key: %s\r\n\r\n"
                        % key.encode() + chunked(body))
            self.assert_arrived(client.read("POST"), body)
        self.assertEqual(proxy.post(key, body).idempotency, "replayed")

    def test_a_small_body_and_a_large_one_share_a_connection(self):
        proxy = self.onceward(self.upstream(noted), self.ROUTE)
        with proxy.client() as client:
            for size in (10, 2 * MIB, 0, 70_000, 5):
                body = os.urandom(size)
                self.assert_arrived(client.request("POST", "/api/orders", [("Idempotency-Key", new_key())], body), body)

    def test_a_key_in_a_large_body(self):
        upstream = self.upstream(noted)
        proxy = self.onceward(upstream, {**self.ROUTE, "key": {"from": ["json:/id"]}, "fingerprint": {"json": "canonical"}})
        text = "x" * MIB
        body = json.dumps({"id": "k-1", "text": text}).encode()
        self.assert_arrived(proxy.post(None, body), body)
        other_order = json.dumps({"text": text, "id": "k-1"}).encode()
        self.assertEqual(proxy.post(None, other_order).idempotency, "replayed")
        self.assertEqual(len(upstream.requests), 1)

    def test_a_large_request_without_its_optional_key_passes(self):
        proxy = self.onceward(self.upstream(noted), {**self.ROUTE, "key": {"required": False, "from": ["json:/id"]}})
        body = json.dumps({"text": "x" * 3 * MIB}).encode()
        answer = proxy.post(None, body)
        self.assert_arrived(answer, body)
        self.assertIsNone(answer.idempotency)

    def test_a_duplicate_that_waited_executes_with_its_own_body(self):
        gate = Gate()

        def fails_first(exchange):
            if exchange.number == 1:
                exchange.body
                gate.wait()
                exchange.reply(503)
            else:
                noted(exchange)

        upstream = self.upstream(fails_first)
        proxy = self.onceward(upstream, {**self.ROUTE, "wait": "20s"})
        key, body = new_key(), os.urandom(MIB)
        first = Background(proxy.post, key, body)
        upstream.wait_for(key)
        second = Background(proxy.post, key, body)
        eventually(lambda: proxy.metrics().sum("onceward_in_flight") == 2, "the duplicate is there")
        gate.open()
        self.assertEqual(first.result().status, 503)
        self.assert_arrived(second.result(), body)
        self.assertEqual(upstream.executions(key), 2)

    def test_without_a_place_for_files_memory_does(self):
        proxy = self.onceward(self.upstream(noted), self.ROUTE, start=False)
        proxy.environment["TMPDIR"] = self.directory + "/none"
        proxy.start()
        body = os.urandom(2 * MIB)
        self.assert_arrived(proxy.post(new_key(), body), body)
        eventually(lambda: "kept in memory" in proxy.log(), "it is told")

    def test_a_body_that_is_too_large_is_refused_as_soon_as_that_is_known(self):
        upstream = self.upstream(noted)
        proxy = self.onceward(upstream, {**self.ROUTE, "max_request_body": "1MiB"})
        self.assert_problem(proxy.post(new_key(), os.urandom(MIB + 1)), "BODY_TOO_LARGE", 413)
        with proxy.client() as client:
            client.send(b"POST /api/orders HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nIdempotency-Key: k\r\n\r\n"
                        + chunked(os.urandom(MIB + 1)))
            self.assert_problem(client.read("POST"), "BODY_TOO_LARGE", 413)
        self.assertEqual(len(upstream.requests), 0)

    @unittest.skipIf(SANITIZED, "sanitizers take memory of their own")
    def test_memory_stays_flat_under_many_large_uploads(self):
        clients, size = 40, 16 * MIB
        gate = Gate()

        def slow(exchange):
            gate.wait()
            noted(exchange)

        upstream = self.upstream(slow)
        proxy = self.onceward(upstream, self.ROUTE)
        before = proxy.pss()
        body = os.urandom(size)
        uploads = [Background(proxy.post, new_key(), body) for _ in range(clients)]
        eventually(lambda: len(upstream.requests) == clients, "all are whole and executed", seconds=120)
        during = proxy.pss()
        gate.open()
        for upload in uploads:
            self.assertEqual(upload.result(120).json["size"], size)
        self.assertLess(during - before, 32 * 1024, "KiB for %d uploads of 16 MiB" % clients)


if __name__ == "__main__":
    main()
