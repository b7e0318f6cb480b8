"""What passes through: connections, framing, hop-by-hop fields, upgrades, streams, bodies larger than memory."""
import socket

from harness import SANITIZED, Case, Client, Cut, Gate, eventually, gated, main
from harness.client import encode_request

MIB = 1 << 20
GROWTH_MAX_KIB = 24 * 1024


def echo(exchange):
    exchange.reply(200, exchange.body)


class Connections(Case):
    def test_a_connection_serves_many_requests(self):
        upstream = self.upstream(echo)
        proxy = self.onceward(upstream)
        with proxy.client() as client:
            for n in range(20):
                body = b"%d" % n
                self.assertEqual(client.request("PUT", "/n", (), body).body, body)
        self.assertEqual(len({id(request.connection) for request in upstream.requests}), 1)

    def test_pipelined_requests_are_answered_in_order(self):
        proxy = self.onceward(self.upstream(echo))
        with proxy.client() as client:
            client.send(b"".join(encode_request("PUT", "/n", (), b"%d" % n) for n in range(30)))
            self.assertEqual([client.read("PUT").body for _ in range(30)], [b"%d" % n for n in range(30)])

    def test_content_that_followed_its_head_is_not_sent_again_by_itself(self):
        def handler(exchange):
            if exchange.execution == 1:
                echo(exchange)
            else:
                exchange.body
                exchange.close()

        upstream = self.upstream(handler)
        proxy = self.onceward(upstream)
        with proxy.client() as client:
            client.request("GET", "/n")
            content = encode_request("POST", "/inner")
            client.send(b"GET /n HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(content))
            eventually(lambda: len(upstream.requests) == 2, "the service has the head")
            client.send(content)
            self.assert_problem(client.read("GET"), "UPSTREAM_LOST", 502)
        self.assertEqual([request.target for request in upstream.requests], ["/n", "/n"])

    def test_connection_close_is_obeyed(self):
        proxy = self.onceward(self.upstream(echo))
        with proxy.client() as client:
            client.send(encode_request("PUT", "/n", [("Connection", "close")], b"a") + encode_request("PUT", "/n", (), b"b"))
            answer = client.read("PUT")
            self.assertEqual((answer.body, answer.get("Connection")), (b"a", "close"))
            self.assertTrue(client.is_closed())

    def test_an_old_client_gets_no_chunks_and_a_closed_connection(self):
        chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
        proxy = self.onceward(self.upstream(lambda exchange: exchange.send(chunked)))
        with proxy.client() as client:
            client.send(b"GET /old HTTP/1.0\r\nHost: a\r\n\r\n")
            answer = client.read()
            self.assertEqual((answer.body, answer.all("Transfer-Encoding")), (b"ok", []))
            self.assertTrue(client.is_closed())

    def test_half_closed_clients_are_answered(self):
        proxy = self.onceward(self.upstream(echo))
        with proxy.client() as client:
            client.send(encode_request("PUT", "/n", (), b"a"))
            client.half_close()
            self.assertEqual(client.read("PUT").body, b"a")

    def test_a_unix_socket_listens_like_a_port(self):
        path = self.directory + "/in.sock"
        proxy = self.onceward(self.upstream(echo), listen=["unix:" + path], start=False)
        proxy.start()
        with Client(path) as client:
            self.assertEqual(client.request("PUT", "/n", (), b"a").body, b"a")

    def test_a_refusal_of_head_has_no_content(self):
        proxy = self.onceward(self.upstream())
        for bad in (b"Expect: foo\r\nHost: a\r\n", b"", b"Host: a\r\nHost: b\r\n", b"Host: a\r\nX: " + b"x" * 70000 + b"\r\n"):
            with proxy.client() as client:
                client.send(b"HEAD /n HTTP/1.1\r\n" + bad + b"\r\n")
                self.assertIn(client.read("HEAD").status, (400, 417, 431))
                self.assertTrue(client.is_closed())

    def test_ambiguous_requests_are_refused_and_the_connection_closed(self):
        upstream = self.upstream(echo)
        proxy = self.onceward(upstream)
        smuggled = b"GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
        for what, fields in {
                "length and coding": b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
                "two lengths": b"Content-Length: 1\r\nContent-Length: 2\r\n",
                "a coding that nobody knows": b"Transfer-Encoding: xchunked\r\n",
                "space before the colon": b"Host : b\r\n",
                "a second Host": b"Host: b\r\n",
                "a folded field": b"X: a\r\n b\r\n",
                "NUL": b"X: a\0b\r\n",
                "a bare CR": b"X: a\rb\r\n"}.items():
            with self.subTest(what), proxy.client() as client:
                client.send(b"POST /n HTTP/1.1\r\nHost: a\r\n" + fields + b"\r\n0\r\n\r\n" + smuggled)
                answer = client.read("POST")
                self.assertIn((answer.status, answer.code), [(400, "BAD_REQUEST"), (501, "BAD_REQUEST")])
                self.assertTrue(client.is_closed())
        self.assertEqual(upstream.requests, [])


class Fields(Case):
    def test_hop_by_hop_fields_stay_on_their_hop(self):
        def answer(exchange):
            exchange.body
            exchange.reply(200, b"", [("Connection", "X-Down"), ("X-Down", "1"), ("Keep-Alive", "a"), ("Proxy-Connection", "b"), ("X-Stays", "c")])

        upstream = self.upstream(answer)
        proxy = self.onceward(upstream)
        came = proxy.send("POST", "/n", [("Connection", "X-Up, Host"), ("X-Up", "1"), ("TE", "trailers"), ("Keep-Alive", "a"), ("X-Stays", "b")], b"x")
        request = upstream.requests[0]
        for name in ("X-Up", "TE", "Keep-Alive", "Proxy-Connection"):
            self.assertEqual(request.all(name), [], name)
        self.assertEqual((request.get("X-Stays"), request.all("Host"), request.body), ("b", ["e2e.test"], b"x"))
        for name in ("X-Down", "Keep-Alive", "Proxy-Connection"):
            self.assertEqual(came.all(name), [], name)
        self.assertEqual(came.get("X-Stays"), "c")

    def test_via_and_forwarding_fields(self):
        forged = [("X-Forwarded-For", "1.2.3.4"), ("X-Forwarded-Proto", "https"), ("Via", "1.0 before")]
        for trusted, forwarded_for in (([], ["127.0.0.1"]), (["127.0.0.0/8"], ["1.2.3.4, 127.0.0.1"])):
            with self.subTest(trusted=trusted):
                upstream = self.upstream(echo)
                proxy = self.onceward(upstream, trusted_proxies=trusted)
                for target, headers in (("/n", forged), ("/api/orders", forged + [("Idempotency-Key", "a")])):
                    proxy.send("POST", target, headers, b"x")
                    request = upstream.requests[-1]
                    self.assertEqual(", ".join(request.all("X-Forwarded-For")), forwarded_for[0])
                    self.assertEqual(", ".join(request.all("Via")), "1.0 before, 1.1 onceward")
                    self.assertEqual(request.get("X-Forwarded-Proto").split(",")[0], "https" if trusted else "http")

    def test_a_list_of_proxies_is_believed_from_the_right(self):
        upstream = self.upstream(echo)
        proxy = self.onceward(upstream, trusted_proxies=["127.0.0.0/8", "10.0.0.0/8"])
        for target in ("/n", "/api/orders"):
            proxy.send("POST", target, [("X-Forwarded-For", "6.6.6.6, 203.0.113.7, 10.0.0.1"), ("Idempotency-Key", "a"),
                                        ("Forwarded", 'for=6.6.6.6, for="203.0.113.7:80", for=10.0.0.1')], b"x")
            request = upstream.requests[-1]
            self.assertEqual(request.all("X-Forwarded-For"), ["203.0.113.7, 10.0.0.1, 127.0.0.1"])
            self.assertEqual(request.all("Forwarded"), ['for="203.0.113.7:80", for=10.0.0.1'])

    def test_trace_context_is_passed_or_started(self):
        upstream = self.upstream(echo)
        proxy = self.onceward(upstream)
        given = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        proxy.send("PUT", "/n", [("traceparent", given)], b"x")
        proxy.send("PUT", "/n", (), b"x")
        self.assertEqual(upstream.requests[0].get("traceparent").split("-")[1], given.split("-")[1])
        self.assertRegex(upstream.requests[1].get("traceparent"), r"\A00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}\Z")

    def test_a_trailer_is_never_a_field(self):
        upstream = self.upstream(echo)
        proxy = self.onceward(upstream)
        for target in ("/n", "/api/orders"):
            with proxy.client() as client:
                client.send(b"POST %s HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n"
                            b"Idempotency-Key: a\r\nIdempotency-Attempt: 7\r\n\r\n" % target.encode())
                answer = client.read("POST")
            self.assertEqual(answer.code, None if target == "/n" else "KEY_MISSING")
        self.assertEqual([request.all("Idempotency-Key") + request.all("Idempotency-Attempt") for request in upstream.requests], [[]])


class Expectations(Case):
    def test_continue_comes_before_the_body_is_sent(self):
        upstream = self.upstream(echo)
        proxy = self.onceward(upstream)
        for target in ("/n", "/api/orders"):
            with self.subTest(target), proxy.client() as client:
                client.send(encode_request("POST", target, [("Expect", "100-continue"), ("Idempotency-Key", "a"), ("Content-Length", "2")]))
                self.assertEqual(client.read_head().status, 100)
                client.send(b"ok")
                self.assertEqual(client.read("POST").body, b"ok")

    def test_what_is_refused_on_its_head_gets_no_continue(self):
        proxy = self.onceward(self.upstream(echo), {"max_request_body": "1KiB"})
        for fields, code in (([("Content-Length", "2")], "KEY_MISSING"), ([("Idempotency-Key", "a"), ("Content-Length", "2000")], "BODY_TOO_LARGE")):
            with self.subTest(code), proxy.client() as client:
                client.send(encode_request("POST", "/api/orders", [("Expect", "100-continue")] + fields))
                answer = client.read("POST")
                self.assertEqual((answer.code, answer.interim), (code, []))

    def test_an_expectation_that_nobody_knows(self):
        proxy = self.onceward(self.upstream(echo))
        answer = proxy.send("PUT", "/n", [("Expect", "tea")], b"x")
        self.assert_problem(answer, "EXPECTATION_FAILED", 417)


SWITCH = b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
# The sixth column of /proc/net/tcp tells which timer runs; proc(5): 2 is the one that asks a silent peer.
ASKING = "02"


def kept_alive():
    """(local port, remote port) of each TCP connection of this machine that the system would ask about."""
    with open("/proc/net/tcp", encoding="ascii") as file:
        rows = [line.split() for line in file.read().splitlines()[1:]]
    return [tuple(int(row[side].split(":")[1], 16) for side in (1, 2)) for row in rows if row[5].split(":")[0] == ASKING]


class Tunnels(Case):
    UPGRADE = [("Connection", "Upgrade"), ("Upgrade", "websocket")]

    def test_a_websocket_upgrade_becomes_a_tunnel(self):
        def handler(exchange):
            exchange.send(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello")
            exchange.send(b"got " + exchange.reader.read(4))
            exchange.close()

        proxy = self.onceward(self.upstream(handler))
        with proxy.client() as client:
            client.send(encode_request("GET", "/ws", self.UPGRADE) + b"pi")
            head = client.read_head()
            self.assertEqual((head.status, head.get("Upgrade")), (101, "websocket"))
            self.assertEqual(client.read_exactly(5), b"hello")
            client.send(b"ng")
            self.assertEqual(client.read_exactly(8), b"got ping")
            self.assertTrue(client.is_closed())

    def test_who_has_said_all_still_hears_the_other_side(self):
        def handler(exchange):
            exchange.send(SWITCH)
            if exchange.target == "/client":
                heard = exchange.reader.read()
                exchange.send(b"heard " + heard)
            else:
                exchange.send(b"service")
                exchange.connection.shutdown(socket.SHUT_WR)
                rest.append(exchange.reader.read())
            exchange.close()

        rest = []
        proxy = self.onceward(self.upstream(handler))
        with proxy.client() as client:
            client.send(encode_request("GET", "/client", self.UPGRADE))
            self.assertEqual(client.read_head().status, 101)
            client.send(b"all")
            client.half_close()
            self.assertEqual(client.read_exactly(9), b"heard all")
            self.assertTrue(client.is_closed())
        with proxy.client() as client:
            client.send(encode_request("GET", "/service", self.UPGRADE))
            self.assertEqual(client.read_head().status, 101)
            self.assertEqual(client.read_exactly(7), b"service")
            self.assertTrue(client.is_closed())
            client.send(b"still here")
        eventually(lambda: rest == [b"still here"], "the service hears what came behind its own end")

    def test_the_system_asks_both_peers_of_a_tunnel_whether_they_are_there(self):
        def handler(exchange):
            exchange.send(SWITCH)
            exchange.reader.read()
            exchange.close()

        upstream = self.upstream(handler)
        proxy = self.onceward(upstream)
        with proxy.client() as client:
            client.send(encode_request("GET", "/ws", self.UPGRADE))
            self.assertEqual(client.read_head().status, 101)
            to_client = (proxy.port, client.socket.getsockname()[1])
            eventually(lambda: to_client in kept_alive(), "the client would be asked")
            eventually(lambda: upstream.port in [far for _, far in kept_alive()], "the service would be asked")

    def test_no_tunnel_without_101(self):
        proxy = self.onceward(self.upstream(echo))
        with proxy.client() as client:
            self.assertEqual(client.request("GET", "/ws", self.UPGRADE).status, 200)
            self.assertEqual(client.request("GET", "/n").status, 200)

    def test_other_upgrades_are_stripped_and_guarded_ones_refused(self):
        upstream = self.upstream(echo)
        proxy = self.onceward(upstream)
        proxy.send("GET", "/n", [("Connection", "Upgrade, HTTP2-Settings"), ("Upgrade", "h2c"), ("HTTP2-Settings", "a")])
        self.assertEqual(upstream.requests[0].all("Upgrade") + upstream.requests[0].all("HTTP2-Settings"), [])
        with proxy.client() as client:
            client.send(encode_request("POST", "/api/orders", self.UPGRADE + [("Idempotency-Key", "a")], b"x"))
            self.assertEqual(client.read("POST").status, 400)


class Streams(Case):
    def test_server_sent_events_arrive_as_they_are_sent(self):
        gates = [Gate(), Gate()]

        def handler(exchange):
            exchange.send_events(gates)
            exchange.close()

        proxy = self.onceward(self.upstream(handler))
        with proxy.client() as client:
            self.assert_events_arrive(client, gates)

    def test_large_bodies_pass_both_ways_in_bounded_memory(self):
        size = 64 * MIB
        counted = []

        def handler(exchange):
            counted.append(sum(len(part) for part in exchange.body_parts()))
            exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
            for _ in range(64):
                exchange.send(b"d" * MIB)

        proxy = self.onceward(self.upstream(handler))
        before = proxy.status_field("VmHWM")
        with proxy.client() as client:
            client.send(b"PUT /file HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % size)
            for _ in range(64):
                client.send(b"u" * MIB)
            head = client.read_head()
            self.assertEqual(int(head.get("Content-Length")), size)
            for _ in range(64):
                self.assertEqual(client.read_exactly(MIB), b"d" * MIB)
        self.assertEqual(counted, [size])
        if not SANITIZED:
            self.assertLess(proxy.status_field("VmHWM") - before, GROWTH_MAX_KIB)

    def test_a_client_that_does_not_read_holds_the_service_back(self):
        sent = []

        def handler(exchange):
            exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (256 * MIB))
            while sum(sent) < 256 * MIB:
                exchange.send(b"d" * MIB)
                sent.append(MIB)

        upstream = self.upstream(handler)
        proxy = self.onceward(upstream)
        with proxy.client() as client:
            client.send(encode_request("GET", "/file"))
            client.read_head()
            settled = [-1]

            def nothing_more_is_sent():
                settled.append(len(sent))
                return settled[-1] == settled[-20 if len(settled) > 20 else 0]

            eventually(nothing_more_is_sent, "the service is held back")
            self.assertLess(sum(sent), 256 * MIB)
            if not SANITIZED:
                self.assertLess(proxy.status_field("VmHWM"), 64 * 1024)

    def test_an_answer_during_the_upload_reaches_the_client(self):
        def handler(exchange):
            exchange.reply(403, b"no", [("Connection", "close")])

        proxy = self.onceward(self.upstream(handler))
        with proxy.client() as client:
            client.send(b"PUT /file HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nbegun")
            self.assertEqual(client.read("PUT").status, 403)

    def test_an_unguarded_answer_that_is_cut_is_cut_for_the_client(self):
        def handler(exchange):
            exchange.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nforty\r\n")
            exchange.close()

        proxy = self.onceward(self.upstream(handler))
        with self.assertRaises(Cut):
            proxy.send("GET", "/n")

    def test_an_unguarded_request_that_is_not_answered_in_time_is_promised_nothing(self):
        gate = Gate()
        proxy = self.onceward(self.upstream(gated(gate)), upstream_options={"response_timeout": "300ms"})
        answer = proxy.send("POST", "/elsewhere", body=b"x")
        gate.open()
        self.assert_problem(answer, "UPSTREAM_TIMEOUT", 504)
        self.assertEqual((answer.json["retry"], answer.get("Retry-After")), ("none", "1"))
        self.assertNotIn("key", answer.json["detail"])
        self.assertIsNone(answer.get("Idempotency-Status"))

    def test_an_unguarded_post_is_never_sent_twice(self):
        def handler(exchange):
            exchange.body
            exchange.reset() if exchange.execution == 2 else exchange.reply(200, b"ok")

        upstream = self.upstream(handler)
        proxy = self.onceward(upstream)
        proxy.send("POST", "/n", (), b"a")
        self.assertEqual(proxy.send("POST", "/n", (), b"b").status, 502)
        self.assertEqual(len(upstream.requests), 2)


if __name__ == "__main__":
    main()
