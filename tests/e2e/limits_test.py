"""Everything that a peer can grow has a limit, and each limit answers."""
import os
import select
import socket
import time

from harness import Background, Case, Gate, created, eventually, gated, main, new_key, scaled
from harness.client import encode_request

KEY = [("Idempotency-Key", "a")]


class Sizes(Case):
    def setUp(self):
        super().setUp()
        self.origin = self.upstream()
        self.proxy = self.onceward(self.origin, {"max_request_body": "1KiB"},
                                   limits={"header_bytes": "8KiB", "header_count": 50, "request_target": "1KiB"})

    def test_header_bytes(self):
        self.assertEqual(self.proxy.send("PUT", "/n", [("X", "y" * 7000)], b"x").status, 201)
        self.assert_problem(self.proxy.send("PUT", "/n", [("X", "y" * 9000)], b"x"), "HEADERS_TOO_LARGE", 431)
        self.assertEqual(len(self.origin.requests), 1)

    def test_header_count(self):
        self.assertEqual(self.proxy.send("PUT", "/n", [("X", "y")] * 45, b"x").status, 201)
        self.assert_problem(self.proxy.send("PUT", "/n", [("X", "y")] * 51, b"x"), "HEADERS_TOO_LARGE", 431)

    def test_request_target(self):
        self.assertEqual(self.proxy.send("GET", "/" + "t" * 1023).status, 201)
        self.assert_problem(self.proxy.send("GET", "/" + "t" * 1024), "TARGET_TOO_LONG", 414)

    def test_guarded_body(self):
        self.assertEqual(self.proxy.post(new_key(), body=b"x" * 1024).status, 201)
        for framing in ("length", "chunked"):
            with self.subTest(framing), self.proxy.client() as client:
                if framing == "length":
                    client.send(encode_request("POST", "/api/orders", KEY, b"x" * 1025))
                else:
                    client.send(encode_request("POST", "/api/orders", KEY + [("Transfer-Encoding", "chunked")])
                                + b"401\r\n" + b"x" * 1025 + b"\r\n0\r\n\r\n")
                self.assert_problem(client.read("POST"), "BODY_TOO_LARGE", 413, "refused")
        self.assertEqual(len(self.origin.requests), 1)

    def test_an_upload_far_over_the_limit_still_reads_its_refusal(self):
        with self.proxy.client() as client:
            upload = Background(client.send, encode_request("POST", "/api/orders", KEY, b"x" * 20_000_000))
            answer = client.read("POST")
            self.assert_problem(answer, "BODY_TOO_LARGE", 413)
            try:
                upload.result()
            except ConnectionError:
                pass  # refused in the middle, as it may be

    def test_an_unguarded_body_has_no_such_limit(self):
        self.assertEqual(self.proxy.send("PUT", "/n", (), b"x" * 3_000_000).status, 201)
        self.assertEqual(len(self.origin.requests[-1].body), 3_000_000)

    def test_connect_is_refused(self):
        with self.proxy.client() as client:
            client.send(b"CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n")
            self.assert_problem(client.read(), "METHOD_NOT_ALLOWED", 405)


class Times(Case):
    def test_a_head_that_does_not_end(self):
        proxy = self.onceward(self.upstream(), limits={"header_timeout": "500ms"})
        with proxy.client() as client:
            client.send(b"GET /n HTTP/1.1\r\nHost: a\r\n")
            self.assert_problem(client.read(), "REQUEST_TIMEOUT", 408)
            self.assertTrue(client.is_closed())

    def test_a_body_that_does_not_end(self):
        upstream = self.upstream()
        proxy = self.onceward(upstream, limits={"body_timeout": "500ms"})
        with proxy.client() as client:
            client.send(encode_request("POST", "/api/orders", KEY + [("Content-Length", "10")]) + b"five.")
            self.assert_problem(client.read("POST"), "REQUEST_TIMEOUT", 408)
            self.assertTrue(client.is_closed())
        self.assertEqual(upstream.requests, [])

    def test_of_a_body_that_goes_on_as_it_comes_nothing_is_promised(self):
        def handler(exchange):
            begun.open()
            exchange.body

        begun = Gate()
        proxy = self.onceward(self.upstream(handler), limits={"body_timeout": "500ms"})
        with proxy.client() as client:
            client.send(encode_request("POST", "/n", [("Content-Length", "10")]) + b"five.")
            answer = client.read("POST")
            self.assert_problem(answer, "REQUEST_TIMEOUT", 408)
            self.assertNotIn(b"xecuted", answer.body)
            begun.wait()

    def test_a_body_may_be_slow_while_it_moves(self):
        proxy = self.onceward(self.upstream(), limits={"body_timeout": "1s"})
        with proxy.client() as client:
            client.send(encode_request("POST", "/api/orders", KEY + [("Content-Length", "6")]))
            begun = time.monotonic()
            for byte in b"slowly":
                self.assertTrue(client.is_silent(0.3))
                client.send(bytes([byte]))
            self.assertGreater(time.monotonic() - begun, 1.5)
            self.assertEqual(client.read("POST").status, 201)

    def test_a_body_that_moves_too_slowly_ends_in_time(self):
        upstream = self.upstream()
        proxy = self.onceward(upstream, limits={"body_timeout": "300ms"})
        with proxy.client() as client:
            client.send(encode_request("POST", "/api/orders", KEY + [("Content-Length", "100000")]))
            begun = time.monotonic()
            while client.is_silent(0.1):
                client.send(b".")
            self.assertGreater(time.monotonic() - begun, 2.5)
            self.assert_problem(client.read("POST"), "REQUEST_TIMEOUT", 408)
        self.assertEqual(upstream.requests, [])

    def test_a_slow_reader_gets_all_as_long_as_it_takes_some(self):
        body = os.urandom(6 << 20)
        proxy = self.onceward(self.upstream(lambda exchange: exchange.reply(201, body)), {"max_recorded_body": "8MiB"},
                              limits={"body_timeout": "1s"})
        self.assertEqual(proxy.post(KEY[0][1]).body, body)
        with proxy.client() as client:
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
            client.send(encode_request("POST", "/api/orders", KEY, b'{"item":"tea"}'))
            begun = time.monotonic()
            got = b""
            while not got.endswith(body[-64:]):
                time.sleep(0.02)  # what makes it slow
                piece = client.socket.recv(32 * 1024)
                self.assertTrue(piece, "cut after %d bytes" % len(got))
                got += piece
            self.assertGreater(time.monotonic() - begun, 2.5)
            self.assertTrue(got.endswith(body))

    def test_an_idle_connection_is_closed(self):
        proxy = self.onceward(self.upstream(), limits={"idle_timeout": "500ms"})
        with proxy.client() as client:
            self.assertEqual(client.request("GET", "/n").status, 201)
            self.assertTrue(client.is_closed())


class Counts(Case):
    def test_connections(self):
        proxy = self.onceward(self.upstream(), limits={"connections": 3})
        held = [proxy.client() for _ in range(3)]
        for client in held:
            self.assertEqual(client.request("GET", "/n").status, 201)
        with proxy.client() as one_more:
            self.assert_problem(one_more.read(), "CONNECTION_LIMIT", 503)
            self.assertTrue(one_more.is_closed())
        with proxy.client() as talkative:
            self.assertTrue(select.select([talkative.socket], [], [], scaled(15))[0], "it is refused")
            for _ in range(20):  # nothing is reset under who is still sending
                talkative.send(encode_request("POST", "/api/orders", KEY, b"x" * 5000))
            self.assert_problem(talkative.read(), "CONNECTION_LIMIT", 503)
        for client in held:
            self.assertEqual(client.request("GET", "/n").status, 201)
        held.pop().close()

        def recovered():
            with proxy.client() as client:
                client.send(encode_request("GET", "/n"))
                return client.read().status == 201

        eventually(recovered, "a slot is free again")
        for client in held:
            client.close()

    def test_upstream_connections_and_the_queue_for_them(self):
        gate = Gate()
        upstream = self.upstream(gated(gate))
        proxy = self.onceward(upstream, upstream_options={"max_connections": 2, "queue_timeout": "300ms"})
        keys = [new_key(), new_key()]
        running = [Background(proxy.post, key) for key in keys]
        for key in keys:
            upstream.wait_for(key)
        begun = time.monotonic()
        self.assert_problem(proxy.post(new_key()), "OVERLOADED", 503, "refused")
        self.assertLess(time.monotonic() - begun, scaled(3))
        self.assertEqual(len(upstream.requests), 2)
        gate.open()
        self.assertEqual([request.result().status for request in running], [201, 201])

    def test_a_queued_request_takes_the_slot_that_comes_free(self):
        gate = Gate()
        upstream = self.upstream(gated(gate))
        proxy = self.onceward(upstream, upstream_options={"max_connections": 1, "queue_timeout": "30s"})
        first_key, second_key = new_key(), new_key()
        first = Background(proxy.post, first_key)
        upstream.wait_for(first_key)
        second = Background(proxy.post, second_key)
        eventually(lambda: proxy.metrics().sum("onceward_in_flight") == 2, "the second one queues")
        self.assertEqual(upstream.executions(second_key), 0)
        gate.open()
        self.assertEqual((first.result().status, second.result().status), (201, 201))

    def test_half_open_clients_do_not_slow_others(self):
        proxy = self.onceward(self.upstream(created))
        held = [proxy.client() for _ in range(150)]
        for client in held:
            client.send(b"POST /api/orders HTTP/1.1\r\nHost")
        begun = time.monotonic()
        self.assertEqual(proxy.post(new_key()).status, 201)
        self.assertLess(time.monotonic() - begun, scaled(2))
        for client in held:
            client.close()


if __name__ == "__main__":
    main()
