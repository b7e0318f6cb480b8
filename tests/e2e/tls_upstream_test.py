"""A service behind TLS: who it is, sessions, what an end is, and that nothing goes to a stranger."""
import socket

from harness import SANITIZED, Authority, Case, Gate, TlsUpstream, created, eventually, main, new_key
from harness.client import encode_request

MIB = 1 << 20


def unwrapped(exchange):
    """Ends the connection as TLS wants it: the end is said."""
    exchange.usable = False
    exchange.connection.unwrap()


class TlsService(Case):
    def setUp(self):
        super().setUp()
        self.authority = Authority(self.directory)
        self.identity = self.authority.issue("service")

    def service(self, handler=created, identity=None, client_ca=None):
        service = TlsUpstream(handler, identity or self.identity, client_ca)
        self.addCleanup(service.close)
        return service

    def proxy(self, service, tls=None, **options):
        more = options.pop("upstream_options", {})
        return self.onceward(service, upstream_options={"tls": {"ca": self.authority.certificate, **(tls or {})}, **more}, **options)


class Requests(TlsService):
    def test_a_key_is_guarded_as_without_tls(self):
        service = self.service()
        proxy = self.proxy(service)
        key = new_key()
        for expected in ("executed", "replayed"):
            answer = proxy.post(key)
            self.assertEqual((answer.status, answer.idempotency), (201, expected))
        self.assertEqual(service.executions(key), 1)
        self.assertEqual(service.names, ["localhost"])
        self.assertEqual(service.requests[0].all("X-Forwarded-Proto"), ["http"])

    def test_one_connection_carries_many_requests(self):
        service = self.service()
        proxy = self.proxy(service, threads=1)
        with proxy.client() as client:
            for _ in range(20):
                self.assertEqual(client.request("GET", "/n").status, 201)
        self.assertEqual((service.handshakes, service.failures), (1, []))

    def test_a_further_connection_goes_on_with_the_session_of_one_before(self):
        def handler(exchange):
            exchange.body
            exchange.reply(200, b"x", [("Connection", "close")])
            unwrapped(exchange)

        service = self.service(handler)
        proxy = self.proxy(service, threads=1)
        for _ in range(6):
            self.assertEqual(proxy.post(new_key()).status, 200)
        self.assertEqual((service.handshakes, service.resumed), (6, 5))

    def test_a_pooled_connection_that_the_service_closed_is_not_used(self):
        service = self.service()
        proxy = self.proxy(service, threads=1)
        for _ in range(3):
            key = new_key()
            self.assertEqual(proxy.post(key).idempotency, "executed")
            self.assertEqual(service.executions(key), 1)
            self.assertEqual(proxy.send("GET", "/n").status, 201)
            service.close_connections()

    def test_large_bodies_pass_both_ways_in_bounded_memory(self):
        size = 12 * MIB

        def handler(exchange):
            counted = sum(len(part) for part in exchange.body_parts())
            exchange.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nX-Got: %d\r\n\r\n" % (size, counted))
            for _ in range(size // MIB):
                exchange.send(b"d" * MIB)

        proxy = self.proxy(self.service(handler))
        self.assertEqual(proxy.post(new_key(), target="/small").status, 200)
        before = proxy.status_field("VmHWM")
        with proxy.client() as client:
            self.assert_large_bodies_pass(client, size)
        if not SANITIZED:
            self.assertLess(proxy.status_field("VmHWM") - before, 4 * 1024)

    def test_a_large_guarded_body_reaches_the_service_whole(self):
        sizes = []

        def handler(exchange):
            sizes.append(len(exchange.body))
            exchange.reply(200, b"a" * (200 * 1024))

        proxy = self.proxy(self.service(handler), route={"max_request_body": "8MiB"})
        key = new_key()
        for expected in ("executed", "replayed"):
            answer = proxy.post(key, body=b"u" * (7 * MIB))
            self.assertEqual((answer.idempotency, len(answer.body)), (expected, 200 * 1024))
        self.assertEqual(sizes, [7 * MIB])

    def test_events_arrive_as_they_are_sent(self):
        gates = [Gate(), Gate()]

        def handler(exchange):
            exchange.send_events(gates)
            unwrapped(exchange)

        proxy = self.proxy(self.service(handler))
        with proxy.client() as client:
            self.assert_events_arrive(client, gates)

    def test_a_websocket_becomes_a_tunnel(self):
        def handler(exchange):
            exchange.send(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello")
            exchange.send(b"got " + exchange.reader.read(4))
            unwrapped(exchange)

        proxy = self.proxy(self.service(handler))
        with proxy.client() as client:
            client.send(encode_request("GET", "/ws", [("Connection", "Upgrade"), ("Upgrade", "websocket")]) + b"pi")
            self.assertEqual(client.read_head().status, 101)
            self.assertEqual(client.read_exactly(5), b"hello")
            client.send(b"ng")
            self.assertEqual(client.read_exactly(8), b"got ping")
            self.assertTrue(client.is_closed())


class Ends(TlsService):
    @staticmethod
    def without_length(end):
        def handler(exchange):
            exchange.body
            exchange.send(b"HTTP/1.1 200 OK\r\n\r\nall or part")
            end(exchange)
        return handler

    def test_an_answer_without_a_length_is_whole_when_the_end_was_said(self):
        service = self.service(self.without_length(unwrapped))
        proxy = self.proxy(service)
        key = new_key()
        for expected in ("executed", "replayed"):
            answer = proxy.post(key)
            self.assertEqual((answer.idempotency, answer.body), (expected, b"all or part"))
        self.assertEqual(proxy.send("GET", "/n").body, b"all or part")

    def test_one_that_just_ends_was_cut_and_is_never_recorded(self):
        service = self.service(self.without_length(lambda exchange: exchange.close()))
        proxy = self.proxy(service)
        key = new_key()
        self.assert_problem(proxy.post(key), "UPSTREAM_LOST", 502, "unknown")
        self.assert_problem(proxy.post(key), "OUTCOME_UNKNOWN", 409, "unknown")
        self.assertEqual(service.executions(key), 1)

    def test_a_length_that_was_kept_is_whole_however_the_connection_ends(self):
        def handler(exchange):
            exchange.body
            exchange.reply(201, b"whole")
            exchange.close()

        service = self.service(handler)
        proxy = self.proxy(service)
        key = new_key()
        for expected in ("executed", "replayed"):
            answer = proxy.post(key)
            self.assertEqual((answer.idempotency, answer.body), (expected, b"whole"))


class Strangers(TlsService):
    """Who is not who the url says gets nothing, and the key is free for the next try."""

    def assert_refused_then_served(self, service, proxy, why):
        key = new_key()
        answer = proxy.post(key)
        self.assert_problem(answer, "UPSTREAM_UNREACHABLE", 502, "failed")
        self.assert_problem(proxy.send("GET", "/n"), "UPSTREAM_UNREACHABLE", 502)
        self.assertEqual(service.requests, [])
        eventually(lambda: why in proxy.log() and "nothing was sent" in proxy.log(), "it is told: " + why)
        service.use(self.identity)
        again = proxy.post(key)
        self.assertEqual((again.status, again.idempotency), (201, "executed"))
        self.assertEqual(again.operation_id, answer.operation_id)
        self.assertEqual(service.requests[0].get("Idempotency-Attempt"), "2")

    def test_one_that_an_unknown_authority_vouches_for(self):
        service = self.service(identity=Authority(self.directory, "stranger").issue("strange"))
        self.assert_refused_then_served(service, self.proxy(service), "unable to get local issuer certificate")

    def test_one_with_another_name(self):
        service = self.service(identity=self.authority.issue("other", alternative="DNS:other.test"))
        self.assert_refused_then_served(service, self.proxy(service), "hostname mismatch")

    def test_one_whose_certificate_is_over(self):
        service = self.service(identity=self.authority.issue("over", days=-1))
        self.assert_refused_then_served(service, self.proxy(service), "certificate has expired")

    def test_one_that_speaks_plain_http(self):
        service = self.upstream()
        proxy = self.onceward(service, start=False)
        proxy.configure(upstream={"url": "https://localhost:%d" % service.port, "tls": {"ca": self.authority.certificate}})
        proxy.start()
        key = new_key()
        self.assert_problem(proxy.post(key), "UPSTREAM_UNREACHABLE", 502, "failed")
        self.assertEqual(service.requests, [])

    def test_the_authorities_of_the_system_do_not_know_it(self):
        service = self.service()
        proxy = self.onceward(service)
        self.assert_problem(proxy.post(new_key()), "UPSTREAM_UNREACHABLE", 502, "failed")
        self.assertEqual(service.requests, [])

    def test_a_handshake_that_does_not_end_counts_as_no_connection(self):
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        proxy = self.onceward(self.upstream(), start=False)
        proxy.configure(upstream={"url": "https://localhost:%d" % listener.getsockname()[1], "connect_timeout": "300ms"})
        proxy.start()
        self.assert_problem(proxy.post(new_key()), "UPSTREAM_UNREACHABLE", 502, "failed")
        eventually(lambda: "not finished within connect_timeout" in proxy.log(), "it is told")


class Rules(TlsService):
    def test_another_name_than_the_url_s(self):
        service = self.service(identity=self.authority.issue("inner", alternative="DNS:orders.internal"))
        proxy = self.proxy(service, {"server_name": "orders.internal"})
        self.assertEqual(proxy.post(new_key()).status, 201)
        self.assertEqual(service.names, ["orders.internal"])

    def test_an_address_instead_of_a_name(self):
        service = self.service()
        proxy = self.onceward(service, start=False)
        proxy.configure(upstream={"url": "https://127.0.0.1:%d" % service.port, "tls": {"ca": self.authority.certificate}})
        proxy.start()
        self.assertEqual(proxy.post(new_key()).status, 201)
        self.assertEqual(service.names, [None])

    def test_without_a_look_at_the_certificate_anybody_will_do(self):
        service = self.service(identity=Authority(self.directory, "stranger").issue("strange", alternative="DNS:no.test"))
        proxy = self.onceward(service, upstream_options={"tls": {"verify": False}})
        self.assertEqual(proxy.post(new_key()).status, 201)

    def test_a_service_that_asks_for_a_certificate(self):
        clients = Authority(self.directory, "clients")
        mine = clients.issue("onceward")
        service = self.service(client_ca=clients)
        self.assertEqual(self.proxy(service, {"certificate": mine.certificate, "key": mine.key}).post(new_key()).status, 201)
        key = new_key()
        answer = self.proxy(service).post(key)
        self.assertEqual((answer.status, service.executions(key)), (502, 0))

    def test_another_authority_is_taken_while_the_process_runs(self):
        other = Authority(self.directory, "renewed")
        service = self.service()
        proxy = self.proxy(service)
        self.assertEqual(proxy.post(new_key()).status, 201)
        service.use(other.issue("renewed-service"))
        with open(self.authority.certificate, "ab") as bundle, open(other.certificate, "rb") as new:
            bundle.write(new.read())
        eventually(lambda: proxy.metrics().sum("onceward_config_reloads_total", result="applied") == 1, "it is taken")
        self.assertEqual(proxy.post(new_key()).status, 201)
        self.assertGreaterEqual(service.handshakes, 2)


if __name__ == "__main__":
    main()
