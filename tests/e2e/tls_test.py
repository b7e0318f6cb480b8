"""Listeners that speak TLS: handshakes, and everything HTTP over them."""
import socket
import ssl
import time

from harness import SANITIZED, Client, Cut, Gate, TlsCase, client_context, eventually, gated, main, new_key
from harness.certificates import HalfClosingTlsClient
from harness.client import encode_request

MIB = 1 << 20


def echo(exchange):
    exchange.reply(200, exchange.body)


class SlowTls:
    """A client whose bytes go out one at a time."""

    def __init__(self, address, context):
        self.socket = Client(address).socket
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_hostname="localhost")

    def step(self, function, *arguments):
        while True:
            try:
                result = function(*arguments)
                self.flush()
                return result
            except ssl.SSLWantReadError:
                self.flush()
                data = self.socket.recv(1)
                if not data:
                    raise Cut("closed") from None
                self.incoming.write(data)

    def flush(self):
        for byte in self.outgoing.read():
            self.socket.sendall(bytes([byte]))


class Requests(TlsCase):
    def test_a_key_is_guarded_as_without_tls(self):
        upstream = self.upstream()
        proxy = self.proxy(upstream, forwarded=True)
        key = new_key()
        for expected in ("executed", "replayed"):
            answer = self.post(proxy, key)
            self.assertEqual((answer.status, answer.idempotency), (201, expected))
        self.assertEqual(upstream.executions(key), 1)
        self.assertEqual(upstream.requests[0].all("X-Forwarded-Proto"), ["https"])
        self.assertIn("proto=https", upstream.requests[0].get("Forwarded"))

    def test_a_connection_carries_many_requests_and_pipelined_ones(self):
        proxy = self.proxy(self.upstream(echo))
        with self.client(proxy) as client:
            for n in range(20):
                self.assertEqual(client.request("POST", "/n", (), b"%d" % n).body, b"%d" % n)
            client.send(b"".join(encode_request("POST", "/n", (), b"%d" % n) for n in range(20)))
            self.assertEqual([client.read("POST").body for _ in range(20)], [b"%d" % n for n in range(20)])

    def test_bytes_that_come_one_at_a_time(self):
        upstream = self.upstream()
        proxy = self.proxy(upstream)
        key = new_key()
        slow = SlowTls(proxy.address, self.context)
        slow.step(slow.tls.do_handshake)
        slow.step(slow.tls.write, encode_request("POST", "/api/orders", [("Idempotency-Key", key)], b"{}"))
        answer = b""
        while not answer.endswith(b"}"):
            answer += slow.step(slow.tls.read, 1000)
        self.assertTrue(answer.startswith(b"HTTP/1.1 201 "), answer)
        slow.socket.close()
        self.assertEqual(upstream.executions(key), 1)

    def test_large_bodies_pass_both_ways_in_bounded_memory(self):
        size = 48 * MIB

        def handler(exchange):
            counted = sum(len(part) for part in exchange.body_parts())
            exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nX-Got: %d\r\n\r\n" % (size, counted))
            for _ in range(size // MIB):
                exchange.send(b"d" * MIB)

        proxy = self.proxy(self.upstream(handler))
        before = proxy.status_field("VmHWM")
        with self.client(proxy) as client:
            self.assert_large_bodies_pass(client, size)
        if not SANITIZED:
            self.assertLess(proxy.status_field("VmHWM") - before, 4 * 1024)

    def test_a_slow_reader_gets_all_of_a_long_answer(self):
        size = 8 * MIB

        def handler(exchange):
            exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size + b"d" * size)

        proxy = self.proxy(self.upstream(handler))
        with self.client(proxy) as client:
            client.send(encode_request("GET", "/big"))
            head = client.read_head()
            self.assertEqual(head.status, 200)
            got = 0
            while got < size:
                got += len(client.read_exactly(min(size - got, 100_000)))

    def test_an_answer_without_a_length_ends_with_what_tls_calls_an_end(self):
        def handler(exchange):
            exchange.send(b"HTTP/1.1 200 OK\r\n\r\nwhole")
            exchange.close()

        proxy = self.proxy(self.upstream(handler))
        with self.client(proxy) as client:
            client.send(b"GET /n HTTP/1.0\r\n\r\n")
            self.assertEqual(client.read().body, b"whole")

    def test_an_answer_that_was_cut_does_not_end_so(self):
        def handler(exchange):
            exchange.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\npart\r\n")
            exchange.reset()

        proxy = self.proxy(self.upstream(handler))
        with self.client(proxy) as client:
            client.send(b"GET /n HTTP/1.0\r\n\r\n")
            with self.assertRaises(Cut) as cut:
                client.read()
            self.assertFalse(cut.exception.clean)

    def test_a_websocket_becomes_a_tunnel(self):
        def handler(exchange):
            exchange.send(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello")
            while True:
                data = exchange.connection.recv(65536)
                if not data:
                    break
                exchange.send(data)
            exchange.close()

        proxy = self.proxy(self.upstream(handler))
        with self.client(proxy) as client:
            client.send(encode_request("GET", "/ws", [("Connection", "Upgrade"), ("Upgrade", "websocket")]))
            self.assertEqual(client.read_head().status, 101)
            self.assertEqual(client.read_exactly(5), b"hello")
            # One after the other: Python's TLS connections are not for two threads at a time.
            for size in [1, 100] + [16_000] * 20:
                client.send(b"x" * size)
                self.assertEqual(len(client.read_exactly(size)), size)
            client.socket.unwrap()  # says the end and waits for the other one

    def test_a_client_that_has_said_all_still_hears_the_service(self):
        def handler(exchange):
            exchange.send(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
            exchange.send(b"heard " + exchange.reader.read())
            exchange.close()

        proxy = self.proxy(self.upstream(handler))
        with HalfClosingTlsClient(proxy.address, self.context) as client:
            client.send(encode_request("GET", "/ws", [("Connection", "Upgrade"), ("Upgrade", "websocket")]))
            self.assertEqual(client.read_head().status, 101)
            client.send(b"all")
            client.half_close()
            self.assertEqual(client.read_exactly(9), b"heard all")
            self.assertTrue(client.is_closed())

    def test_a_client_that_left_before_its_answer_is_told_of_in_the_access_line(self):
        for leave in ("reset", "close"):
            with self.subTest(leave=leave):
                gate = Gate()
                upstream = self.upstream(gated(gate))
                proxy = self.proxy(upstream)
                client = self.client(proxy)
                client.send(encode_request("POST", "/api/orders", [("Idempotency-Key", new_key())], b"{}"))
                eventually(lambda: upstream.requests, "the service works")
                getattr(client, leave)()
                eventually(lambda: proxy.open_clients() == 0, "its end has arrived")
                gate.open()
                (line,) = eventually(lambda: [line for line in proxy.access_lines() if line["method"] == "POST"], "the access line")
                self.assertEqual((line["status"], line.get("client_gone")), (201, True))

    def test_an_idle_connection_ends_well_when_the_process_stops(self):
        proxy = self.proxy(self.upstream())
        with self.client(proxy) as client:
            self.assertEqual(client.request("POST", "/n", (), b"x").status, 201)
            self.assertEqual(proxy.terminate()[0], 0)
            self.assertTrue(client.is_closed())


class Handshakes(TlsCase):
    def test_versions_and_protocols(self):
        proxy = self.proxy(self.upstream())
        for version, expected in ((ssl.TLSVersion.TLSv1_2, "TLSv1.2"), (ssl.TLSVersion.TLSv1_3, "TLSv1.3")):
            context = client_context(self.authority)
            context.minimum_version = context.maximum_version = version
            context.set_alpn_protocols(["h2", "http/1.1"])
            with self.client(proxy, context) as client:
                self.assertEqual((client.socket.version(), client.socket.selected_alpn_protocol()), (expected, "http/1.1"))
                self.assertEqual(client.request("POST", "/n", (), b"x").status, 201)

    def test_older_versions_and_other_protocols_are_refused(self):
        proxy = self.proxy(self.upstream())
        old = client_context(self.authority)
        old.set_ciphers("ALL:@SECLEVEL=0")
        old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
        other = client_context(self.authority)
        other.set_alpn_protocols(["h2"])
        for context in (old, other):
            with self.assertRaises(ssl.SSLError):
                self.client(proxy, context)
        eventually(lambda: "a client's TLS handshake failed" in proxy.log(), "it is told")

    def test_plain_http_gets_a_plain_400(self):
        upstream = self.upstream()
        proxy = self.proxy(upstream)
        answer = proxy.post(new_key())
        self.assert_problem(answer, "BAD_REQUEST", 400)
        self.assertEqual(answer.get("Connection"), "close")
        self.assertEqual(upstream.requests, [])

    def test_what_is_no_handshake_is_closed(self):
        proxy = self.proxy(self.upstream())
        for start in (b"\x16\x03\x01\x00\x05junk!", b"\x00" * 64, b"SSH-2.0-x\r\n", b"\x80\x2e\x01\x00\x02"):
            with self.subTest(start=start), proxy.client() as client:
                client.send(start)
                client.half_close()
                try:
                    while client.socket.recv(4096):
                        pass
                except ConnectionResetError:
                    pass
        self.assertEqual(self.post(proxy, new_key()).status, 201)

    def test_a_handshake_that_does_not_end_is_closed_in_time(self):
        proxy = self.proxy(self.upstream(), limits={"header_timeout": "400ms"})
        hello = ssl.MemoryBIO()
        tls = self.context.wrap_bio(ssl.MemoryBIO(), hello, server_hostname="localhost")
        with self.assertRaises(ssl.SSLWantReadError):
            tls.do_handshake()
        hello = hello.read()
        begun = time.monotonic()
        for start in (b"", hello[:1], hello[:100], hello):
            with self.subTest(bytes=len(start)), proxy.client() as client:
                client.send(start)
                while client.socket.recv(65536):
                    pass
        self.assertGreaterEqual(time.monotonic() - begun, 1.2)

    def test_a_session_is_resumed_on_any_loop(self):
        proxy = self.proxy(self.upstream(), threads=2)
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            context = client_context(self.authority)
            context.minimum_version = context.maximum_version = version
            session = None
            for n in range(6):
                with self.client(proxy, context, session=session) as client:
                    self.assertEqual(client.request("POST", "/n", (), b"x").status, 201)
                    self.assertEqual(client.socket.session_reused, n > 0)
                    session = client.socket.session

    def test_beyond_the_limit_a_connection_is_closed(self):
        proxy = self.proxy(self.upstream(), limits={"connections": 1})
        with self.client(proxy) as first:
            self.assertEqual(first.request("POST", "/n", (), b"x").status, 201)
            with proxy.client() as second:
                self.assertTrue(second.is_closed())
        eventually(lambda: self.post_or_none(proxy), "there is room again")

    def post_or_none(self, proxy):
        try:
            return self.post(proxy, new_key())
        except OSError:
            return None

    def test_behind_a_load_balancer_its_header_comes_first(self):
        upstream = self.upstream()
        proxy = self.proxy(upstream, listener={"proxy_protocol": True})
        answer = self.post(proxy, new_key(), before=b"PROXY TCP4 192.0.2.7 127.0.0.1 1 2\r\n")
        self.assertEqual(answer.status, 201)
        request = upstream.requests[0]
        self.assertEqual((request.get("X-Forwarded-For"), request.get("X-Forwarded-Proto")), ("192.0.2.7", "https"))
        with self.assertRaises(OSError):
            self.client(proxy)


if __name__ == "__main__":
    main()
